//! A run on its page: what it waits for is decided there, and what happens to it is seen.

use serde_json::{Value, json};

use crate::scene::Scene;

const FILE: &str = "---\nintent: Say hello\nsuccess_criteria: It is said\nrisk_level: low\n---\n\
                    ### 1. Say it\naction: Say hello\nloop: false\nverify: true\ngate: human\n\
                    ### 2. Say goodbye\naction: Say it\nloop: false\nverify: true\n";

/// Starts a run, and says which it is.
#[track_caller]
fn started(scene: &Scene) -> String {
    let begun = scene.run(
        "run.begin",
        &json!({
            "text": FILE, "workflow_path": "/work/hotl-workflow-hello.md", "folder": "/work",
            "machine": "elsewhere",
        }),
    );
    begun["run"].as_str().unwrap().to_owned()
}

/// Starts the first step of a run, and has it checked.
#[track_caller]
fn first_step_done(scene: &Scene, run: &str) {
    scene.run("run.step.start", &json!({"step": 1, "run_id": run}));
    let results = json!([{"check": 0, "outcome": "passed", "exit_code": 0}]);
    let checked = json!({"step": 1, "attempt": 1, "results": results, "run_id": run});
    scene.run("run.step.checked", &checked);
}

#[track_caller]
fn shown(scene: &Scene, run: &str) -> Value {
    scene.run("run.show", &json!({"run": run}))
}

#[test]
fn what_a_run_waits_for_is_approved_on_its_page() {
    let Some(scene) = Scene::set() else { return };
    let run = started(&scene);
    first_step_done(&scene, &run);
    let page = scene.page("/runs");
    page.click("main table a");
    page.wait_for("document.querySelector('#approved-1 button')");
    page.click("#approved-1 button");
    page.wait_for("document.querySelector('#waiting').hidden");
    let step = &shown(&scene, &run)["steps"][0];
    assert_eq!((&step["decision"], &step["authority"]), (&json!("approved"), &json!("terminal")));
}

#[test]
fn a_rejection_on_the_page_of_a_run_needs_a_reason() {
    let Some(scene) = Scene::set() else { return };
    let run = started(&scene);
    first_step_done(&scene, &run);
    let page = scene.page(&format!("/runs/{run}"));
    page.click("#rejected-1 button");
    assert_eq!(page.eval("document.querySelector('#rejected-1').checkValidity()"), json!(false));
    assert_eq!(shown(&scene, &run)["status"], "paused");
    page.click("#rejected-1 [name=reason]");
    page.type_text("too loud");
    page.press("Enter");
    page.wait_for("document.querySelector('#blockers').textContent.includes('too loud')");
    assert_eq!(shown(&scene, &run)["status"], "blocked");
}

#[test]
fn steps_move_on_a_page_that_is_open() {
    let Some(scene) = Scene::set() else { return };
    let run = started(&scene);
    let page = scene.live_page(&format!("/runs/{run}"));
    first_step_done(&scene, &run);
    page.wait_for("document.querySelector('#step-1').textContent.includes('done')");
    page.wait_for("!document.querySelector('#waiting').hidden");
}

#[test]
fn the_key_of_an_agent_decides_no_gate_on_the_page() {
    let Some(scene) = Scene::set() else { return };
    let run = started(&scene);
    first_step_done(&scene, &run);
    let page = scene.stranger();
    scene.enter_with(&page, &scene.key("agent:worker-1", "worker"));
    scene.go(&page, &format!("/runs/{run}"));
    page.click("#approved-1 button");
    page.wait_for("document.querySelector('.notice.bad')");
    assert_eq!(shown(&scene, &run)["status"], "paused");
}
