//! A run on its page: what it waits for is decided there, and what happens to it is seen.

use std::fs;

use serde_json::{Value, json};
use windlass_domain::chain::Hash;
use windlass_testkit::browser::Screen;
use windlass_testkit::http::Request;

use crate::scene::Scene;

const FILE: &str = "---\nintent: Say hello\nsuccess_criteria: It is said\nrisk_level: low\n\
                    max_cost_usd: 1.5\n---\n\
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
    assert_eq!((&step["decision"], &step["authority"]), (&json!("approved"), &json!("page")));
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

/// A run that an action pauses, and a budget.
#[track_caller]
fn paused(scene: &Scene) -> String {
    let run = started(scene);
    let action = json!({"kind": "external_write", "what": "publish v2", "run_id": run});
    scene.run("run.action.request", &action);
    scene
        .run("run.budget.record", &json!({"metric": "cost_usd", "observed": "1.6", "run_id": run}));
    run
}

#[test]
fn an_action_and_a_budget_are_decided_on_the_page_of_their_run() {
    let Some(scene) = Scene::set() else { return };
    let run = paused(&scene);
    let page = scene.page(&format!("/runs/{run}"));
    let told = page.eval("document.querySelector('#waiting').textContent");
    for said in ["publish v2", "1.6 of 1.5 used"] {
        assert!(told.as_str().unwrap().contains(said), "{told}");
    }
    page.click("#approved-action-1 button");
    page.wait_for("!document.querySelector('#approved-action-1')");
    page.click("#raise-cost_usd [name=limit]");
    page.type_text("5");
    page.click("#raise-cost_usd [name=reason]");
    page.type_text("worth it");
    page.press("Enter");
    page.wait_for("document.querySelector('#waiting').hidden");
    assert_eq!(shown(&scene, &run)["status"], "running");
}

#[test]
fn an_action_is_rejected_on_the_page_with_a_reason() {
    let Some(scene) = Scene::set() else { return };
    let run = paused(&scene);
    let page = scene.page(&format!("/runs/{run}"));
    page.click("#rejected-action-1 button");
    let is_valid = "document.querySelector('#rejected-action-1').checkValidity()";
    assert_eq!(page.eval(is_valid), json!(false));
    page.click("#rejected-action-1 [name=reason]");
    page.type_text("not today");
    page.press("Enter");
    page.wait_for("document.querySelector('#blockers').textContent.includes('not today')");
    assert_eq!(shown(&scene, &run)["status"], "blocked");
}

#[test]
fn the_key_of_an_agent_raises_no_budget_on_the_page() {
    let Some(scene) = Scene::set() else { return };
    let run = paused(&scene);
    let page = scene.stranger();
    scene.enter_with(&page, &scene.key("agent:worker-1", "worker"));
    scene.go(&page, &format!("/runs/{run}"));
    page.click("#raise-cost_usd [name=limit]");
    page.type_text("5");
    page.click("#raise-cost_usd [name=reason]");
    page.type_text("worth it");
    page.press("Enter");
    page.wait_for("document.querySelector('.notice.bad')");
    assert_eq!(shown(&scene, &run)["status"], "paused");
}

#[test]
fn the_list_of_runs_has_no_empty_label_on_a_phone() {
    let Some(scene) = Scene::set() else { return };
    started(&scene);
    let page = scene.page("/runs");
    page.set_screen(Screen::Phone { width: 360, height: 740 });
    let is_seen = "document.querySelector('[data-label=Waits]').getBoundingClientRect().height > 0";
    assert_eq!(page.eval(is_seen), json!(false));
}

const PAGE: &str = "---\nintent: Show the new start page\nsuccess_criteria: It looks right\n\
                    risk_level: medium\ngate_timeout: 4h\n---\n\
                    ### 1. Build the page\naction: Build the start page\nloop: until it builds\n\
                    max_iterations: 3\nverify: make page\n\
                    ### 2. Look at it\naction: Open the page and compare it with the design\n\
                    loop: false\nverify:\n  type: browser\n  url: http://localhost:3000/\n  \
                    check: the heading is calm and readable\n\
                    ### 3. Publish it\naction: Publish\nloop: false\nverify: true\ngate: human\n";

/// A run on this machine, that asks about a picture of a real page.
#[track_caller]
fn pictured(scene: &Scene) -> String {
    let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let folder = scene.home.work();
    let task = scene.ready("A start page that people can read");
    let begun = scene.run(
        "run.begin",
        &json!({
            "text": PAGE, "workflow_path": folder.join("start-page-workflow.md"),
            "folder": folder, "machine": machine.trim(), "task": task, "agent": "worker-1",
        }),
    );
    let run = begun["run"].as_str().unwrap().to_owned();
    let place = folder.join(".hotl/evidence").join(begun["run_id"].as_str().unwrap());
    fs::create_dir_all(&place).unwrap();
    let path = place.join("step-2-attempt-1-check-1.png");
    scene.page("/help").screenshot(&path);
    let step = |name: &str, more: Value| {
        let mut arguments = json!({"run_id": run, "agent": "worker-1"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        scene.run(name, &arguments)
    };
    let output = |text: &str| json!({"text": text, "size_bytes": text.len()});
    step("run.step.start", json!({"step": 1}));
    let failed = json!([{"check": 0, "outcome": "failed", "exit_code": 2,
        "stderr": output("page.html:12: unexpected </main>\nmake: *** [page] Error 2\n")}]);
    step("run.step.checked", json!({"step": 1, "attempt": 1, "results": failed}));
    step("run.step.retry", json!({"step": 1}));
    let passed = json!([{"check": 0, "outcome": "passed", "exit_code": 0,
        "stdout": output("built page.html in 0.4 s\n")}]);
    step("run.step.checked", json!({"step": 1, "attempt": 2, "results": passed}));
    step("run.step.start", json!({"step": 2}));
    let bytes = fs::read(&path).unwrap();
    let exhibit = json!({"path": path, "size_bytes": bytes.len(), "sha256": Hash::of(&bytes)});
    let asked = "human review required: the heading is calm and readable";
    let seen = json!([{"check": 0, "outcome": {"undecided": asked}, "exhibits": [exhibit]}]);
    step("run.step.checked", json!({"step": 2, "attempt": 1, "results": seen}));
    run
}

#[test]
fn a_picture_is_seen_beside_its_question_on_a_phone_and_a_wide_screen() {
    let Some(scene) = Scene::set() else { return };
    let run = pictured(&scene);
    let page = scene.page(&format!("/runs/{run}"));
    let is_drawn = "document.querySelector('#waiting img')?.naturalWidth > 0";
    page.wait_for(is_drawn);
    for (width, height) in [(360, 740), (1280, 900)] {
        page.set_screen(Screen::Phone { width, height });
        page.wait_for(is_drawn);
        let widest = page.eval("document.documentElement.scrollWidth");
        assert_eq!(widest, json!(width), "nothing sticks out");
    }
    assert_eq!(page.troubles(), []);
    page.click("#approved-2 button");
    page.wait_for("document.querySelector('#waiting').hidden");
    assert_eq!(shown(&scene, &run)["steps"][1]["status"], "done");
}

#[test]
fn a_task_shows_its_runs_and_what_becomes_of_them() {
    let Some(scene) = Scene::set() else { return };
    let run = pictured(&scene);
    let task = shown(&scene, &run)["task"].as_str().unwrap().to_owned();
    let page = scene.live_page(&format!("/tasks/{task}"));
    page.wait_for("document.querySelector('#runs').textContent.includes('to decide')");
    let answer = json!({"step": 2, "decision": "rejected", "reason": "too loud", "run_id": run});
    let person = scene.key("person:ada", "approver");
    let request = Request::json("/v1/ops/run.gate", &answer).bearer(&person);
    let _decided = scene.served.send(&request).ok();
    page.wait_for("document.querySelector('#runs').textContent.includes('blocked')");
    page.click("#runs a");
    page.wait_for("document.querySelector('#blockers')?.textContent.includes('rejected')");
}
