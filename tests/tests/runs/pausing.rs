//! Runs that wait, or are stopped: they say why and how they go on, and what they say works.

use serde_json::{Value, json};
use windlass_tests::ledgers::text;

use crate::site::{FILE, GATED, Gates, LOW, REVIEWED, Site, THREE, enforced, one_step, workflow};

/// What a run waits for, as `run show` tells it.
#[track_caller]
fn waits_for(site: &Site) -> Value {
    let shown = site.does("run show");
    assert_eq!(shown["status"], "paused");
    shown["waiting"][0].clone()
}

/// Does what is said to answer, with words in place of those in capitals.
#[track_caller]
fn follows(site: &Site, way: &Value, said: &[(&str, &str)]) {
    let mut way = text(way);
    for (place, word) in said {
        way = way.replace(place, word);
    }
    let line = way.strip_prefix("windlass ").unwrap();
    let _done = site.call(line).at_terminal(80).ok();
}

#[track_caller]
fn goes_on(site: &Site) {
    assert_eq!(site.does("run show")["status"], "running");
}

#[test]
fn a_run_that_an_action_pauses_names_the_action_and_goes_on_as_it_says() {
    let site = enforced(THREE);
    site.does("run action request external_write --target mail");
    let waiting = waits_for(&site);
    assert_eq!((&waiting["waits_for"], &waiting["action"]), (&json!("action"), &json!("action-1")));
    assert_eq!(waiting["question"], "may this be done (external write): mail");
    follows(&site, &waiting["ways"][0], &[]);
    goes_on(&site);
}

#[test]
fn a_run_that_a_budget_pauses_says_how_much_is_used_and_goes_on_as_it_says() {
    let site = Site::with(Gates::Enforced, "risk_level: low\nmax_cost_usd: 1.5\n", THREE);
    site.does("run budget record cost_usd 1.6");
    let waiting = waits_for(&site);
    assert_eq!((&waiting["used"], &waiting["limit"]), (&json!(1.6), &json!(1.5)));
    follows(&site, &waiting["ways"][0], &[("LIMIT", "5"), ("TEXT", "worth-it")]);
    goes_on(&site);
}

#[test]
fn a_budget_that_pauses_a_run_is_not_said_to_be_within() {
    let site = Site::with(Gates::Enforced, "risk_level: low\nmax_total_attempts: 1\n", THREE);
    site.has("one", "");
    site.completes(1);
    let refused = site.call("run step start 2").run();
    assert_eq!(refused.code, Some(3), "{refused}");
    let checked = site.does("run budget check");
    assert_eq!(
        (&checked["within_budget"], &checked["run_status"]),
        (&json!(false), &json!("paused"))
    );
    assert_eq!(checked["metrics"][0]["status"], "exceeded");
}

#[test]
fn a_rejected_action_says_why_where_the_run_is_blocked() {
    let site = enforced(THREE);
    site.does("run action request external_write --target mail");
    site.person("run action decide action-1 rejected --reason later");
    let shown = site.does("run show");
    assert_eq!(shown["blockers"], json!(["action-1 was rejected: mail: later"]));
    assert!(site.report().contains("Action action-1 decision: rejected (human) — later"));
    site.agrees();
}

#[test]
fn a_blocked_run_goes_on_with_the_command_that_it_names() {
    let site = enforced(&one_step("verify: test -e one\n"));
    site.says("run step start 1");
    site.finds("run step verify 1");
    let shown = site.does("run show");
    assert_eq!(shown["status"], "blocked");
    follows(&site, &shown["ways_on"][0], &[("TEXT", "looked")]);
    goes_on(&site);
}

#[test]
fn why_a_review_was_rejected_is_shown() {
    let site = enforced(REVIEWED);
    site.says("run step start 1");
    let _asked = site.call("run step verify 1").run();
    site.person("run gate 1 rejected --reason too-dark");
    let shown = site.does("run show");
    assert_eq!(shown["blockers"], json!(["step 1: human review rejected: too-dark"]));
    let failed = "check 1 of 1 failed (too-dark): human review: is it blue?";
    assert_eq!(shown["steps"][0]["failed_check"], failed);
}

#[test]
fn of_several_runs_a_hint_names_the_one_that_it_is_about() {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, GATED));
    let runs = [site.begin(FILE), site.begin(FILE)];
    for run in &runs {
        let refused = site.call(&format!("run step verify 1 --run-id {run}")).run();
        let hint = text(&refused.json()["error"]["hint"]);
        assert!(hint.ends_with(&format!("--run-id {run}")), "{hint}");
    }
}

#[test]
fn the_list_says_what_the_only_answer_is_about() {
    let site = enforced(GATED);
    site.completes(1);
    let listed = site.does("run list");
    assert_eq!(listed["runs"][0]["waits_for"], json!(["gate of step 1"]));
}
