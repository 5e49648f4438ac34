//! A run begins, under the name of HOTL's runtime.

use serde_json::{Value, json};

use crate::place::{FILE, Place, error};

#[test]
fn a_skill_goes_from_init_to_the_receipt() {
    skill(&Place::new());
}

#[test]
fn a_skill_goes_from_init_to_the_receipt_with_a_server() {
    let place = Place::with_a_server();
    skill(&place);
    // All of it is in the ledger of the server.
    let served = place.served.as_ref().unwrap();
    let listed = served.op("run.list", &json!({})).ok().json();
    assert_eq!(listed["runs"][0]["status"], "completed");
}

fn skill(place: &Place) {
    let run = place.init(FILE);
    assert_eq!(place.ok(&["step", "1", "start", "--run-id", &run]), "started step 1");
    assert_eq!(place.ok(&["step", "1", "verify", "--run-id", &run]), "pass");
    assert_eq!(place.ok(&["step", "2", "start"]), "started step 2");
    let failed = place.rt(&["step", "2", "verify"]).run();
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), "fail\n"), "{failed}");
    assert_eq!(place.ok(&["step", "2", "retry"]), "retrying step 2 (attempt 2/2)");
    assert_eq!(place.ok(&["step", "2", "start"]), "started step 2");
    place.write("heard", "");
    assert_eq!(place.ok(&["step", "2", "verify"]), "pass");
    assert_eq!(place.ok(&["step", "3", "start"]), "started step 3");
    assert_eq!(place.ok(&["step", "3", "verify"]), "pass (no verify command)");
    assert_eq!(place.ok(&["gate", "3", "approved", "--mode", "human"]), "gate 3: approved (human)");
    let summary = place.json(&["finalize", "--json"]);
    assert_eq!(summary["status"], "ready_to_finish");
    assert_eq!((&summary["completed_steps"], &summary["total_steps"]), (&json!(3), &json!(3)));
    let notes = ["--branch-action", "kept", "--worktree-action", "none", "--notes", "for later"];
    let finished = place.json(&[&["finish", "kept", "--run-id", &run][..], &notes].concat());
    assert_eq!(
        (&finished["status"], &finished["finish"]["notes"]),
        (&json!("completed"), &json!("for later"))
    );
    let receipt = place.json(&["receipt", &run, "--json"]);
    assert_eq!(receipt["schema"], "hotl.receipt/v1");
    assert_eq!(receipt["sufficiency"]["sufficient"], true);
    let state = place.state(&run);
    assert_eq!(
        (&state["status"], &state["steps"][1]["attempts"]),
        (&json!("completed"), &json!(2))
    );
    for line in ["**Status:** completed", "Gate Step 3: approved (human)", "**Disposition:** kept"]
    {
        assert!(place.report(&run).contains(line), "{}", place.report(&run));
    }
}

#[test]
fn the_door_is_open_under_both_names() {
    let place = Place::new();
    let begun = place.windlass(&["hotl-rt", "init", FILE]).run().ok();
    let run = begun.stdout.trim_end();
    assert_eq!(place.ok(&["step", "1", "start", "--run-id", run]), "started step 1");
    let verified = place.windlass(&["hotl-rt", "step", "1", "verify"]).run().ok();
    assert_eq!(verified.stdout, "pass\n");
    let refused = place.windlass(&["hotl-rt", "step", "1", "verify"]).run();
    assert_eq!(error(&refused), "Step 1 must be in_progress before verify");
}

#[test]
fn a_run_id_is_the_slug_and_the_moment() {
    let place = Place::new();
    let run = place.init(FILE);
    let moment = run.strip_prefix("greeting-").unwrap();
    let shape: String =
        moment.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    assert_eq!(shape, "00000000T000000Z");
}

#[test]
fn a_run_that_begins_in_the_same_second_gets_another_id() {
    let place = Place::new();
    let runs = [1, 2, 3].map(|_| place.init(FILE));
    assert!(runs[0] != runs[1] && runs[1] != runs[2] && runs[0] != runs[2], "{runs:?}");
}

#[test]
fn every_option_of_init_is_kept() {
    let place = Place::new();
    let root = place.home.work().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let options = [
        ("--executor-mode", "subagent", "executor_mode"),
        ("--driver", "codex", "driver"),
        ("--host", "native", "host"),
        ("--repo-root", "/somewhere/repo", "repo_root"),
        ("--execution-root", root, "execution_root"),
        ("--source-workflow-path", "/somewhere/repo/plan.md", "source_workflow_path"),
        ("--worktree-path", "/somewhere/worktree", "worktree_path"),
        ("--branch", "feat/greeting", "branch"),
        ("--source-branch", "main", "source_branch"),
        ("--source-head", "0123456789abcdef0123456789abcdef01234567", "source_head"),
    ];
    let words = options.iter().flat_map(|(option, value, _)| [*option, *value]);
    let words: Vec<&str> = ["init", FILE, "--require-owner"].into_iter().chain(words).collect();
    let run = place.ok(&words);
    let state = place.state(&run);
    for (option, value, key) in options {
        assert_eq!(state[key], value, "{option}");
    }
    assert_eq!(state["ownership_required"], true);
    assert_eq!(state["report_path"], format!("{root}/.hotl/reports/{run}.md"));
}

#[test]
fn an_option_of_init_that_says_null_says_nothing() {
    let place = Place::new();
    let root = place.home.work().canonicalize().unwrap();
    let options = [
        ("--executor-mode", json!("loop"), "executor_mode"),
        ("--driver", json!("generic"), "driver"),
        ("--host", json!("fallback"), "host"),
        ("--repo-root", json!(root), "repo_root"),
        ("--execution-root", json!(root), "execution_root"),
        ("--source-workflow-path", json!(root.join(FILE)), "source_workflow_path"),
        ("--worktree-path", Value::Null, "worktree_path"),
        ("--branch", json!("hotl/greeting"), "branch"),
        ("--source-branch", Value::Null, "source_branch"),
        ("--source-head", Value::Null, "source_head"),
    ];
    let words = options.iter().flat_map(|(option, _, _)| [*option, "null"]);
    let words: Vec<&str> = ["init", FILE].into_iter().chain(words).collect();
    let state = place.state(&place.ok(&words));
    for (option, value, key) in options {
        assert_eq!(state[key], value, "{option}");
    }
}
