//! Steps, gates and the end of a run, under the name of HOTL's runtime.

use crate::place::{FILE, Place, WORKFLOW};

#[test]
fn what_a_run_cannot_do_is_refused_and_changes_nothing() {
    let place = Place::new();
    let run = place.init(FILE);
    let before = place.state(&run);
    for (words, told) in [
        (&["step", "0", "start"][..], "Invalid step number: 0"),
        (&["step", "4", "start"], "Invalid step number: 4"),
        (&["step", "-1", "start"], "Invalid step number: -1"),
        (&["step", "1", "verify"], "Step 1 must be in_progress before verify"),
        (&["step", "1", "retry"], "Step 1 is 'pending', expected 'failed' for retry"),
        (&["step", "1", "block"], "--reason is required for block"),
        (&["gate", "1", "maybe"], "decision 'maybe' is not one of approved, rejected"),
        (&["gate", "1", "approved", "--mode", "robot"], "mode 'robot' is not one of auto, human"),
        (&["gate", "4", "approved"], "Invalid step number: 4"),
        (
            &["gate", "3", "approved"],
            "Step 3 must be done before its gate can be recorded (current status: pending)",
        ),
        (&["finalize"], "Cannot finalize run with unfinished steps (3 remaining)"),
        (
            &["finish", "burned"],
            "disposition 'burned' is not one of kept, merged, published, discarded",
        ),
        (
            &["finish", "kept"],
            "Finish disposition 'kept' requires a finalized run. Current status: running",
        ),
        (&["owner", "claim"], "--owner is required"),
        (&["owner", "claim", "--owner", "a b"], "--owner must be a stable controller identity"),
        (
            &["owner", "claim", "--owner", "a", "--lease-seconds", "0"],
            "--lease-seconds must be an integer from 1 to 604800",
        ),
        (
            &["owner", "claim", "--owner", "a", "--lease-seconds", "604801"],
            "--lease-seconds must be an integer from 1 to 604800",
        ),
        (&["owner", "heartbeat"], "No active controller to heartbeat"),
        (&["owner", "release"], "No active controller to release"),
        (&["owner", "handoff", "--to-owner", "b"], "No active controller to hand off"),
        (&["owner", "takeover", "--owner", "b"], "owner takeover requires --reason"),
        (
            &["action", "request", "local_write"],
            "--target is required and must describe the bounded action",
        ),
        (
            &["action", "complete", "action-1", "succeeded"],
            "--evidence-ref is required for effect outcomes",
        ),
        (&["action", "decide", "action-1", "approved"], "Pending action not found: action-1"),
        (&["budget", "record", "agents", "-1"], "observed '-1' is not a number from 0"),
        (&["budget", "record", "agents", "many"], "observed 'many' is not a number from 0"),
        (&["summary", &run, "more"], "Unknown argument: more"),
    ] {
        assert_eq!(place.refused(words), told, "{words:?}");
    }
    assert_eq!(place.state(&run), before);
}

#[test]
fn a_step_waits_for_those_before_it() {
    let place = Place::new();
    place.init(FILE);
    let told = place.refused(&["step", "2", "start"]);
    assert!(told.contains("step 1 must be done"), "{told}");
}

#[test]
fn a_step_that_is_worked_on_is_not_begun_again() {
    let place = Place::new();
    let run = place.init(FILE);
    place.ok(&["step", "1", "start"]);
    let told = place.refused(&["step", "1", "start"]);
    assert!(told.starts_with("Step 1 is 'in_progress'"), "{told}");
    assert_eq!(place.state(&run)["steps"][0]["attempts"], 1);
}

#[test]
fn a_step_is_not_tried_more_often_than_it_may() {
    let place = Place::new();
    place.init(FILE);
    place.ok(&["step", "1", "start"]);
    place.ok(&["step", "1", "verify"]);
    place.ok(&["step", "2", "start"]);
    for _ in 0..2 {
        assert_eq!(place.rt(&["step", "2", "verify"]).run().stdout, "fail\n");
        place.rt(&["step", "2", "retry"]).run().code.unwrap();
    }
    assert_eq!(place.refused(&["step", "2", "retry"]), "Step 2 reached maximum iterations (2)");
}

#[test]
fn a_step_is_blocked_and_let_go_on() {
    let place = Place::new();
    let run = place.init(FILE);
    let said = place.ok(&["step", "1", "block", "--reason", "no voice"]);
    assert_eq!(said, "blocked step 1: no voice");
    assert_eq!(place.state(&run)["status"], "blocked");
    assert_eq!(
        place.refused(&["step", "1", "start"]),
        "Run is 'blocked'; resolve gates, policy pauses, or budgets before step start"
    );
    place.ok(&["step", "1", "unblock", "--reason", "found it"]);
    assert_eq!(place.ok(&["step", "1", "start"]), "started step 1");
}

#[test]
fn a_review_is_asked_for_and_decided() {
    let place = Place::new();
    let text = "---\nintent: x\n---\n\n### 1. Look\naction: Look\nverify:\n  type: human-review\n  \
                prompt: Is it fine?\n";
    place.write("hotl-workflow-look.md", text);
    let run = place.init("hotl-workflow-look.md");
    place.ok(&["step", "1", "start"]);
    let outcome = place.rt(&["step", "1", "verify"]).run();
    let said = "blocked: human review required: Is it fine?\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), said), "{outcome}");
    assert_eq!(place.state(&run)["status"], "paused");
    assert_eq!(place.ok(&["gate", "1", "approved"]), "human-review 1: approved (human)");
    assert_eq!(place.state(&run)["steps"][0]["verify"]["stdout"], "human review approved");
}

#[test]
fn a_page_described_in_words_is_left_to_a_person() {
    let place = Place::new();
    let text = "---\nintent: x\n---\n\n### 1. Look\naction: Look\nverify:\n  type: browser\n  \
                url: http://127.0.0.1:1/\n  check: it looks fine\n";
    place.write("hotl-workflow-look.md", text);
    place.init("hotl-workflow-look.md");
    place.ok(&["step", "1", "start"]);
    let outcome = place.rt(&["step", "1", "verify"]).run();
    let said = "blocked: human review required: browser verify requested for http://127.0.0.1:1/ - \
                it looks fine\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), said), "{outcome}");
}

#[test]
fn a_gate_that_was_not_decided_keeps_a_run_from_its_end() {
    let place = Place::new();
    place.init(FILE);
    place.work();
    place.ok(&["step", "3", "start"]);
    place.ok(&["step", "3", "verify"]);
    let told = place.refused(&["finalize"]);
    assert!(told.contains("gate evidence"), "{told}");
}

#[test]
fn a_run_of_high_risk_takes_no_automatic_gate() {
    let place = Place::new();
    place.write(FILE, &WORKFLOW.replace("risk_level: low", "risk_level: high"));
    place.init(FILE);
    place.ok(&["step", "1", "start"]);
    place.ok(&["step", "1", "verify"]);
    let told = place.refused(&["gate", "1", "approved", "--mode", "auto"]);
    assert!(told.contains("require human"), "{told}");
}

#[test]
fn what_was_finalized_stays_so() {
    let place = Place::new();
    let run = place.init(FILE);
    place.finalize();
    place.ok(&["finish", "kept"]);
    let before = place.state(&run);
    assert_eq!(place.json(&["finalize"])["status"], "completed");
    assert_eq!(place.state(&run), before);
    let told = place.refused(&["finish", "discarded"]);
    assert!(told.contains("kept"), "{told}");
    assert_eq!(
        place.json(&["finish", "discarded", "--force"])["finish"]["disposition"],
        "discarded"
    );
}

#[test]
fn a_blocked_run_is_kept_or_discarded_and_nothing_else() {
    let place = Place::new();
    place.init(FILE);
    place.ok(&["step", "1", "block", "--reason", "stop"]);
    assert_eq!(place.json(&["finalize"])["status"], "blocked");
    let told = place.refused(&["finish", "published", "--remote", "origin"]);
    assert!(told.contains("requires a completed run"), "{told}");
    assert_eq!(place.json(&["finish", "discarded"])["status"], "blocked");
}

#[test]
fn one_of_several_runs_is_named() {
    let place = Place::new();
    let (one, other) = (place.init(FILE), place.init(FILE));
    let told = place.refused(&["step", "1", "start"]);
    let said = "Multiple HOTL runs found in .hotl/state/. Select one with --run-id <run-id> or \
                HOTL_RUN_ID.";
    assert!(told.starts_with(said), "{told}");
    assert!(told.contains(&format!("\n  - {one}")) && told.contains(&format!("\n  - {other}")));
    place.rt(&["step", "1", "start"]).env("HOTL_RUN_ID", &one).run().ok().code.unwrap();
    place.ok(&["step", "1", "start", "--run-id", &other]);
    for run in [one, other] {
        assert_eq!(place.state(&run)["steps"][0]["status"], "in_progress");
    }
}

#[test]
fn who_asks_for_an_unknown_run_is_told_which_there_are() {
    let place = Place::new();
    let run = place.init(FILE);
    let told = place.refused(&["summary", "nobody"]);
    assert_eq!(told, format!("there is no run nobody\nAvailable runs:\n  - {run}"));
}
