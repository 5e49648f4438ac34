//! State files and reports that another hand touched.

use std::fs;

use serde_json::json;
use windlass_testkit::Run;

use crate::place::{FILE, Place};

#[test]
fn a_state_file_that_another_hand_changed_is_refused() {
    let place = Place::new();
    let run = place.init(FILE);
    place.edit(&run, |state| state["steps"][0]["verify"]["command"] = json!("true"));
    let told = place.refused(&["step", "1", "start"]);
    assert_eq!(told, format!("the state file of run {run} was changed by another hand"));
}

/// A place in which what another hand writes counts.
fn adopting(place: &Place, words: &[&str]) -> Run {
    place.rt(words).env("WINDLASS_RUNS_OUTSIDE_EDITS", "adopt")
}

#[test]
fn a_change_that_was_taken_over_is_not_taken_over_again() {
    let place = Place::new();
    let run = place.init(FILE);
    place.edit(&run, |state| state["steps"][0]["verify"]["command"] = json!("exit 0"));
    adopting(&place, &["step", "1", "start"]).run().ok().code.unwrap();
    assert_eq!(place.state(&run)["steps"][0]["status"], "in_progress");
    assert_eq!(adopting(&place, &["step", "1", "verify"]).run().ok().stdout, "pass\n");
    assert_eq!(place.state(&run)["steps"][0]["status"], "done");
}

#[test]
fn where_changes_of_another_hand_count_who_looks_sees_them() {
    let place = Place::new();
    let run = place.init(FILE);
    place.edit(&run, |state| {
        state["status"] = json!("completed");
        state["finish"]["disposition"] = json!("kept");
    });
    let receipt = adopting(&place, &["receipt", &run]).run().ok().json();
    assert_eq!(receipt["finish"]["disposition"], "kept");
    let reasons = receipt["sufficiency"]["reasons"].as_array().unwrap();
    assert!(reasons.contains(&json!("steps_not_done")), "{receipt}");
}

#[test]
fn a_state_file_of_another_home_is_taken_over_however_it_is_written() {
    let there = Place::new();
    let run = there.init(FILE);
    there.ok(&["step", "1", "start"]);
    let here = Place::new();
    let folder = here.home.work().join(".hotl/state");
    fs::create_dir_all(&folder).unwrap();
    let mut state = there.state(&run);
    state["a_key_of_tomorrow"] = json!(1);
    fs::write(folder.join(format!("{run}.json")), state.to_string()).unwrap();
    assert_eq!(here.ok(&["step", "1", "verify"]), "pass");
    assert_eq!(here.state(&run)["steps"][0]["status"], "done");
    assert_eq!(here.ok(&["step", "2", "start"]), "started step 2");
}

#[test]
fn a_report_that_is_gone_is_written_again() {
    let place = Place::new();
    let run = place.init(FILE);
    fs::remove_file(place.home.work().join(format!(".hotl/reports/{run}.md"))).unwrap();
    place.ok(&["step", "1", "start"]);
    assert!(place.report(&run).contains("→ Running"));
}
