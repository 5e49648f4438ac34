//! `windlass hotl driver generic`: the runtime under HOTL's protocol for drivers.

use serde_json::{Value, json};
use windlass_testkit::{Outcome, Run};

use crate::place::{FILE, Place, error};

fn driver(place: &Place, words: &[&str]) -> Run {
    place.windlass(&[&["hotl", "driver", "generic"][..], words].concat())
}

#[track_caller]
fn says(place: &Place, words: &[&str]) -> String {
    driver(place, words).run().ok().stdout.trim_end().to_owned()
}

#[track_caller]
fn told(place: &Place, words: &[&str]) -> Value {
    serde_json::from_str(&says(place, words)).unwrap()
}

#[test]
fn the_driver_says_what_it_is_and_what_it_supports() {
    let described = told(&Place::new(), &["describe"]);
    assert_eq!(described["protocol"], "hotl.driver/v1");
    assert_eq!((&described["id"], &described["host"]), (&json!("generic"), &json!("fallback")));
    let all = ["normalize", "launch", "owner", "step", "gate", "action", "budget", "status"];
    let all: Vec<&str> =
        all.into_iter().chain(["receipt", "reconcile", "finalize", "finish"]).collect();
    assert_eq!(described["supports"], json!(all));
}

#[test]
fn a_preflight_looks_at_the_file_and_leaves_no_trace() {
    let place = Place::new();
    let ready = told(&place, &["preflight", FILE]);
    assert_eq!((&ready["ready"], &ready["fallback"]), (&json!(true), &json!(false)));
    assert_eq!(ready["workflow"]["schema"], "hotl.workflow/v1");
    assert!(!place.home.work().join(".hotl").exists());
    let missing = driver(&place, &["preflight", "nothing.md"]).run();
    assert_eq!(error(&missing), "Workflow file not found: nothing.md");
}

#[test]
fn a_run_goes_through_the_driver_from_its_launch_to_its_receipt() {
    let place = Place::new();
    place.write("heard", "");
    let run = says(&place, &["launch", FILE]);
    let state = place.state(&run);
    assert_eq!((&state["driver"], &state["host"]), (&json!("generic"), &json!("fallback")));
    assert_eq!(state["ownership_required"], true);
    let unclaimed = driver(&place, &["step", "1", "start"]).run();
    assert_eq!(unclaimed.code, Some(1), "{unclaimed}");
    let owned = told(&place, &["owner", "claim", "--owner", "a", "--run-id", &run]);
    let token = owned["token"].as_str().unwrap();
    let does =
        |words: &[&str]| driver(&place, words).env("HOTL_OWNER_TOKEN", token).run().ok().stdout;
    for step in ["1", "2", "3"] {
        does(&["step", step, "start"]);
        does(&["step", step, "verify"]);
    }
    does(&["gate", "3", "approved", "--mode", "human"]);
    does(&["finalize"]);
    let next = told(&place, &["reconcile", &run]);
    assert_eq!(next["next_action"], "record_finish_disposition");
    does(&["finish", "kept"]);
    assert_eq!(told(&place, &["status", &run])["executor_mode"], "generic");
    assert_eq!(told(&place, &["receipt", &run])["sufficiency"]["sufficient"], true);
}

#[test]
fn who_launches_may_say_more_than_the_driver() {
    let place = Place::new();
    let run = says(&place, &["launch", FILE, "--executor-mode", "loop", "--branch", "mine"]);
    let state = place.state(&run);
    assert_eq!((&state["executor_mode"], &state["branch"]), (&json!("loop"), &json!("mine")));
}

#[test]
fn what_the_driver_does_not_know_is_told_with_its_usage() {
    let place = Place::new();
    let misused = |outcome: &Outcome, said: &str| {
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        assert!(outcome.stderr.contains(said), "{outcome}");
    };
    misused(&driver(&place, &[]).run(), "usage: driver generic <describe|");
    misused(&driver(&place, &["status"]).run(), "usage: driver generic status <run-id>");
    let unknown = driver(&place, &["fly"]).run();
    misused(&unknown, "ERROR: Unknown generic driver command: fly\nusage: driver generic <");
    let host = place.windlass(&["hotl", "driver", "codex", "describe"]).run();
    assert!(error(&host).starts_with("Unknown driver: codex"), "{host}");
}
