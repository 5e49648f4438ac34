//! What stops a run, and how it goes on.

use super::scene::{GATED, LOW, REVIEWED, Scene, THREE, agent, enforced, person, reject};
use crate::run::action::{self, Requested};
use crate::run::word::{ActionKind, RunStatus};

const ONCE: &str = "### 1. Build\naction: build it\nloop: false\nverify: make\n";

/// What stops the run, and the command with which it goes on, without the run's name.
#[track_caller]
fn stopped(scene: &Scene) -> (String, String) {
    let [blocker] = &scene.run.blockers()[..] else { panic!("one thing stops it") };
    assert_eq!(scene.run.ways_on(), std::slice::from_ref(&blocker.way));
    let named = format!(" --run-id {}", scene.run.name);
    (blocker.what.clone(), blocker.way.strip_suffix(&named).unwrap().to_owned())
}

fn said(what: &str, way: &str) -> (String, String) {
    (what.to_owned(), format!("windlass run {way}"))
}

#[test]
fn nothing_stops_a_run_that_goes_well() {
    let scene = enforced(LOW, ONCE);
    assert_eq!((scene.run.blockers(), scene.run.ways_on()), (vec![], vec![]));
}

#[test]
fn a_step_that_failed_is_tried_again() {
    let mut scene = enforced(LOW, THREE);
    scene.start(1).unwrap();
    scene.fail(1);
    assert_eq!(scene.run.blockers(), []);
    assert_eq!(scene.run.ways_on(), [scene.run.command("step retry 1")]);
}

#[test]
fn a_step_without_attempts_is_unblocked() {
    let mut scene = enforced(LOW, ONCE);
    scene.start(1).unwrap();
    scene.fail(1);
    let what = "step 1: checks failed in 1 of 1 attempts";
    assert_eq!(stopped(&scene), said(what, "step unblock 1 --reason TEXT"));
}

#[test]
fn a_review_that_was_rejected_says_why() {
    let mut scene = enforced(LOW, REVIEWED);
    scene.done(1);
    scene.gate(1, &reject(), &person()).unwrap();
    let what = "step 1: human review rejected: not blue";
    assert_eq!(stopped(&scene), said(what, "step unblock 1 --reason TEXT"));
}

#[test]
fn why_a_review_was_rejected_is_known_until_the_next_attempt() {
    let mut scene = enforced(LOW, REVIEWED);
    scene.done(1);
    scene.gate(1, &reject(), &person()).unwrap();
    scene.unblock(Some(1), &person()).unwrap();
    let ending = |scene: &Scene| scene.step(1).results.last().and_then(|last| last.ending.clone());
    assert_eq!(ending(&scene).as_deref(), Some("not blue"));
    scene.retry(1).unwrap();
    assert_eq!(ending(&scene), None);
}

#[test]
fn a_gate_that_was_rejected_is_reopened() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    scene.gate(1, &reject(), &person()).unwrap();
    let what = "the gate of step 1 was rejected: not blue";
    assert_eq!(stopped(&scene), said(what, "reopen 1 --reason TEXT"));
}

#[test]
fn a_run_goes_on_without_an_action_that_was_rejected() {
    let mut scene = enforced(LOW, THREE);
    let asked =
        action::request(&scene.run, ActionKind::SecretAccess, "read it", None, &agent(), scene.now);
    let Requested::Now(events) = asked.unwrap() else { panic!("it is new") };
    scene.record(events);
    let decided = action::decide(&scene.run, "action-1", &reject(), &person(), scene.now);
    scene.take(decided).unwrap();
    let what = "action-1 was rejected: read it: not blue";
    assert_eq!(stopped(&scene), said(what, "unblock --reason TEXT"));
}

#[test]
fn the_end_of_a_run_that_nothing_stops_any_more_is_taken_back() {
    let mut scene = enforced(LOW, REVIEWED);
    scene.done(1);
    scene.finalize().unwrap();
    assert_eq!((scene.status(), scene.run.blockers()), (RunStatus::Blocked, vec![]));
    assert_eq!(scene.run.ways_on(), [scene.run.command("unblock --reason TEXT")]);
}
