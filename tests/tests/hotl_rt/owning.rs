//! Owners, actions and budgets, under the name of HOTL's runtime.

use std::fs;

use serde_json::{Value, json};

use crate::place::{BUDGETS, FILE, Place};

#[test]
fn a_claimed_run_wants_the_token_of_its_owner() {
    let place = Place::new();
    let run = place.init(FILE);
    let claimed = place.json(&["owner", "claim", "--owner", "a", "--lease-seconds", "60"]);
    let token = claimed["token"].as_str().unwrap();
    assert_eq!((&claimed["status"], token.len()), (&json!("active"), 64));
    assert!(!fs::read_to_string(place.state_file(&run)).unwrap().contains(token));
    assert_eq!(
        place.refused(&["step", "1", "start"]),
        "Active run requires the controller ownership token in HOTL_OWNER_TOKEN"
    );
    assert_eq!(
        place.refused(&["owner", "claim", "--owner", "b"]),
        "Run already has an active controller: a"
    );
    let with_token = |words: &[&str]| place.rt(words).env("HOTL_OWNER_TOKEN", token).run().ok();
    assert_eq!(with_token(&["step", "1", "start"]).stdout, "started step 1\n");
    assert_eq!(with_token(&["owner", "heartbeat"]).json()["owner_id"], "a");
    assert_eq!(with_token(&["owner", "handoff", "--to-owner", "b"]).json()["owner_id"], "b");
    let told = place.refused(&["owner", "takeover", "--owner", "c", "--reason", "gone"]);
    assert!(told.contains("lease is still active"), "{told}");
    let by_force = ["owner", "takeover", "--owner", "c", "--reason", "gone", "--force"];
    assert_eq!(place.json(&by_force)["owner_id"], "c");
    let events = place.state(&run)["ownership_history"].clone();
    let events: Vec<&str> =
        events.as_array().unwrap().iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(events, ["claim", "handoff", "takeover"]);
}

#[test]
fn a_run_that_requires_an_owner_waits_for_one() {
    let place = Place::new();
    place.ok(&["init", FILE, "--require-owner"]);
    let told = place.refused(&["step", "1", "start"]);
    assert!(told.contains("claim controller ownership"), "{told}");
}

#[test]
fn a_sensitive_action_is_asked_for_decided_done_and_proved() {
    let place = Place::new();
    let run = place.init(FILE);
    let local = place.json(&["action", "request", "local_write", "--target", "a file"]);
    assert_eq!((&local["id"], &local["status"]), (&json!("action-1"), &json!("allowed")));
    let request =
        ["action", "request", "external_write", "--target", "a post", "--idempotency-key", "k"];
    let asked = place.json(&request);
    assert_eq!((&asked["id"], &asked["status"]), (&json!("action-2"), &json!("pending")));
    assert_eq!(place.json(&request)["deduplicated"], true);
    assert_eq!(place.state(&run)["status"], "paused");
    assert_eq!(place.json(&["reconcile", &run])["next_action"], "await_action_decision");
    let decide = ["action", "decide", "action-2", "approved"];
    assert_eq!(
        place.refused(&[&decide[..], &["--mode", "auto"]].concat()),
        "Sensitive action decisions require --mode human"
    );
    place.json(&[&decide[..], &["--mode", "human"]].concat());
    assert_eq!(place.json(&["reconcile", &run])["next_action"], "execute_approved_action");
    let begun = place.json(&["action", "begin", "action-2", "--idempotency-key", "k"]);
    assert_eq!(begun["effect_status"], "in_progress");
    let evidence = ["--evidence-ref", "timeout"];
    place.json(&[&["action", "complete", "action-2", "uncertain"][..], &evidence].concat());
    assert_eq!(place.json(&["reconcile", &run])["next_action"], "reconcile_action_effect");
    place.json(&[&["action", "reconcile", "action-2", "succeeded"][..], &evidence].concat());
    assert_eq!(place.state(&run)["status"], "running");
}

#[test]
fn budgets_are_told_and_never_fall() {
    let place = Place::new();
    place.write("hotl-workflow-spend.md", BUDGETS);
    let run = place.init("hotl-workflow-spend.md");
    let status = |checked: &Value, metric: &str| {
        let metrics = checked["metrics"].as_array().unwrap().clone();
        metrics.into_iter().find(|found| found["metric"] == metric).unwrap()["status"].clone()
    };
    let checked = place.json(&["budget", "check"]);
    assert_eq!(
        ["total_attempts", "agents", "elapsed_minutes"].map(|metric| status(&checked, metric)),
        ["within", "unknown", "unset"]
    );
    let spent = place.json(&["budget", "record", "cost_usd", "2"]);
    assert_eq!(
        (&spent["within_budget"], status(&spent, "cost_usd")),
        (&json!(false), json!("exceeded"))
    );
    let told = place.refused(&["budget", "record", "cost_usd", "1"]);
    assert!(told.contains("cannot decrease"), "{told}");
    assert_eq!(place.state(&run)["status"], "paused");
    assert!(place.report(&run).contains("Budget exceeded: cost_usd"));
}

#[test]
fn a_budget_that_stops_a_step_is_seen_in_the_state_file() {
    stopped(&Place::new());
}

#[test]
fn a_budget_that_stops_a_step_is_seen_in_the_state_file_with_a_server() {
    stopped(&Place::with_a_server());
}

fn stopped(place: &Place) {
    place.write("hotl-workflow-spend.md", BUDGETS);
    let run = place.init("hotl-workflow-spend.md");
    place.ok(&["step", "1", "start"]);
    place.ok(&["step", "1", "verify"]);
    assert_eq!(place.refused(&["step", "2", "start"]), "runtime budget total_attempts exceeded");
    assert_eq!(place.state(&run)["status"], "paused");
    assert!(place.report(&run).contains("**Status:** paused"));
}
