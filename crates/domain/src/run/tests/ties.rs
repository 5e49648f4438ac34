//! Runs that work on tasks, under claims that others may win.

use super::scene::{LOW, Scene, THREE, agent, person, started};
use crate::event::{Authority, RunEvent, StatusSet, TaskBlocked, TaskUnblocked};
use crate::run::event::{RunStarted, Tie};
use crate::run::tie::{Claim, follow, is_own_block, reason_of_block};
use crate::run::word::Gates;
use crate::run::{finish, step};
use crate::task::samples::{claim, claimed_by, in_status};
use crate::{Code, Event, Refusal, Status, Task};

/// A run under the first claim of a task that `w1` won.
fn tied() -> (Scene, Tie, Task) {
    let task = claimed_by("w1");
    let tie = Tie { task: task.id, fence: task.fence };
    let started = RunStarted { tie: Some(tie), ..started(Gates::Enforced, LOW, THREE) };
    (Scene::of(started), tie, task)
}

/// The same when somebody else has won the task.
fn overtaken() -> (Scene, Claim) {
    let (scene, tie, mut task) = tied();
    claim(&mut task, "w2");
    let claim = Claim::on(task, &scene.run, tie);
    (scene, claim)
}

fn starts(scene: &Scene) -> Vec<RunEvent> {
    step::start(&scene.run, 1, &agent(), scene.now).unwrap()
}

fn blocks(scene: &Scene) -> Vec<RunEvent> {
    step::block(&scene.run, 1, "stuck", &agent(), scene.now).unwrap()
}

#[test]
fn a_run_works_while_its_claim_is_held() {
    let (scene, tie, task) = tied();
    let claim = Claim::on(task.clone(), &scene.run, tie);
    assert_eq!(claim.under(&starts(&scene)), Ok(Some(Box::new(task))));
}

#[test]
fn a_run_without_a_task_needs_no_claim() {
    let (scene, ..) = tied();
    assert_eq!(Claim::None.under(&starts(&scene)), Ok(None));
}

#[test]
fn a_run_whose_task_somebody_else_has_does_not_work_on() {
    let (scene, claim) = overtaken();
    let refusal = claim.under(&starts(&scene)).unwrap_err();
    assert_eq!(refusal.code, Code::StaleClaim);
    assert!(refusal.hint.unwrap().contains("windlass run step block N"));
}

#[test]
fn a_run_whose_task_somebody_else_has_may_be_given_up() {
    let (mut scene, claim) = overtaken();
    assert_eq!(claim.clone().under(&blocks(&scene)), Ok(None));
    scene.block(1, "stuck").unwrap();
    let finalized = finish::finalize(&scene.run, None, &agent(), scene.now).unwrap();
    assert_eq!(claim.under(&finalized), Ok(None));
}

#[test]
fn giving_up_hides_nothing_else_that_is_done() {
    let (scene, claim) = overtaken();
    let both = [blocks(&scene), starts(&scene)].concat();
    assert!(claim.clone().under(&both).is_err());
    assert!(claim.under(&[]).is_err(), "nothing is no giving up");
}

fn blocked_for(reason: &str) -> Event {
    let (reason, authority) = (Some(reason.to_owned()), Authority::Free);
    TaskBlocked { reason, auto_unpause: false, authority, forced: None }.into()
}

fn unblocked() -> Event {
    TaskUnblocked {
        to: Status::InProgress,
        routed_to: None,
        lease_until: None,
        lease_ms: None,
        authority: Authority::Free,
        forced: None,
    }
    .into()
}

/// What becomes of a task in that status when a step of its run is blocked, and then unblocked. If it
/// is blocked, it is so by the run.
fn followed(task: &Task) -> [Option<Event>; 2] {
    let (mut scene, mut tie, _) = tied();
    tie.fence = task.fence;
    let before = scene.run.clone();
    scene.block(1, "stuck").unwrap();
    let blocked = scene.run.clone();
    scene.unblock(Some(1), &person()).unwrap();
    let events = || Ok::<_, Refusal>(vec![blocked_for(&reason_of_block(&blocked))]);
    let follow = |before, after| follow(task, tie, before, after, scene.now, events).unwrap();
    [follow(&before, &blocked), follow(&blocked, &scene.run)]
}

#[test]
fn a_task_is_blocked_with_its_run() {
    let [blocked, resumed] = followed(&claimed_by("w1"));
    let Some(Event::TaskBlocked(blocked)) = blocked else { panic!("{blocked:?}") };
    assert!(blocked.reason.unwrap().ends_with("stuck"));
    assert_eq!(resumed, None, "it was not blocked");
}

#[test]
fn a_task_that_was_blocked_goes_on_with_its_run() {
    let [blocked, resumed] = followed(&in_status(Status::Blocked));
    assert_eq!(blocked, None, "it is blocked already");
    assert!(matches!(resumed, Some(Event::TaskUnblocked(_))), "{resumed:?}");
}

#[test]
fn a_task_that_is_done_stays_so_whatever_becomes_of_its_run() {
    assert_eq!(followed(&in_status(Status::Done)), [None, None]);
}

#[test]
fn a_block_is_the_runs_own_when_nobody_else_has_one_too() {
    let run = tied().0.run;
    let (own, other) = (blocked_for(&reason_of_block(&run)), blocked_for("the key is missing"));
    let (to, authority) = (Status::Blocked, Authority::Free);
    let set: Event = StatusSet { to, authority, forced: None }.into();
    for (events, expected) in [
        (vec![own.clone()], true),
        (vec![own.clone(), own.clone()], true),
        (vec![other.clone(), unblocked(), own.clone()], true),
        (vec![other.clone()], false),
        (vec![other.clone(), own.clone()], false),
        (vec![own.clone(), other.clone()], false),
        (vec![own.clone(), unblocked(), other.clone()], false),
        (vec![set.clone()], false),
        (vec![], false),
    ] {
        assert_eq!(is_own_block(&run, &events), expected, "{events:?}");
    }
}
