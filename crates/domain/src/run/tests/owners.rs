//! The owner of a run.

use super::scene::{LOW, Scene, THREE, agent, attested, person, refused, started, with_token};
use crate::event::RunEvent;
use crate::run::owner::{self, Bid, Grounds, Taking};
use crate::run::word::{Gates, OwnerStatus};
use crate::{Code, Refusal};

fn bid(owner: &str, token: &str) -> Bid {
    Bid { owner: owner.into(), token_sha256: token.into(), lease_seconds: 60 }
}

fn claim(scene: &mut Scene, owner: &str, token: &str) -> Result<(), Refusal> {
    let decided = owner::claim(&scene.run, &bid(owner, token), scene.now);
    scene.take(decided)
}

/// Controller b takes the run, because controller a is gone.
fn take(scene: &Scene, grounds: Grounds, from: Option<&str>) -> Result<Vec<RunEvent>, Refusal> {
    let taking = Taking { reason: "it is gone", grounds, from };
    owner::take_over(&scene.run, &bid("controller-b", "bb"), taking, &agent(), scene.now)
}

fn owned() -> Scene {
    let mut scene = attested(LOW, THREE);
    claim(&mut scene, "controller-a", "aa").unwrap();
    scene
}

fn start_with(scene: &Scene, token: &str) -> Result<(), Refusal> {
    crate::run::step::start(&scene.run, 1, &with_token(token), scene.now)
        .map(drop)
        .map_err(|denied| denied.refusal().clone())
}

#[test]
fn an_owned_run_takes_only_the_token_of_its_owner() {
    let mut scene = owned();
    let (code, message) = refused(scene.start(1));
    assert_eq!(code, Code::OwnerRequired);
    assert_eq!(message, "Active run requires the controller ownership token in HOTL_OWNER_TOKEN");
    assert_eq!(refused(start_with(&scene, "bb")).1, "Invalid controller ownership token");
    start_with(&scene, "aa").unwrap();
}

#[test]
fn a_lease_that_ran_out_shuts_its_owner_out_until_somebody_takes_over() {
    let mut scene = owned();
    scene.later(1);
    assert_eq!(
        refused(start_with(&scene, "aa")).1,
        "Controller lease expired; use owner takeover with a recorded reason"
    );
    assert_eq!(owner::shown(&scene.run, scene.now).status.as_str(), "stale");
    let (code, message) = refused(claim(&mut scene, "controller-b", "bb"));
    assert_eq!(code, Code::AlreadyClaimed);
    assert_eq!(message, "Previous controller lease is stale; use owner takeover with a reason");
    let taken = take(&scene, Grounds::Lease, None);
    scene.take(taken).unwrap();
    start_with(&scene, "bb").unwrap();
    assert_eq!(scene.run.ownership.last().unwrap().reason.as_deref(), Some("it is gone"));
}

#[test]
fn a_heartbeat_renews_the_lease_and_is_no_history() {
    let mut scene = owned();
    scene.later(2);
    let beat = owner::heartbeat(&scene.run, 60, &with_token("aa"), scene.now);
    scene.take(beat).unwrap();
    start_with(&scene, "aa").unwrap();
    assert_eq!(scene.run.ownership.len(), 1);
    let wrong = owner::heartbeat(&scene.run, 60, &with_token("bb"), scene.now).map(drop);
    assert_eq!(refused(wrong).1, "Invalid controller ownership token");
}

#[test]
fn a_run_has_one_owner() {
    let mut scene = owned();
    let (code, message) = refused(claim(&mut scene, "controller-b", "bb"));
    assert_eq!(code, Code::AlreadyClaimed);
    assert_eq!(message, "Run already has an active controller: controller-a");
}

#[test]
fn a_lease_that_lives_is_taken_over_only_by_force() {
    let mut scene = owned();
    let (code, message) = refused(take(&scene, Grounds::Lease, None).map(drop));
    assert_eq!(code, Code::LeaseNotExpired);
    assert_eq!(
        message,
        "Controller lease is still active; use --force only after explicit human review"
    );
    let taken = take(&scene, Grounds::Force, None);
    scene.take(taken).unwrap();
    assert!(scene.run.ownership.last().unwrap().forced);
}

#[test]
fn a_run_is_taken_over_for_a_reason() {
    let scene = owned();
    let taking = Taking { reason: "", grounds: Grounds::Force, from: None };
    let bid = bid("controller-b", "bb");
    let taken = owner::take_over(&scene.run, &bid, taking, &agent(), scene.now);
    assert_eq!(refused(taken.map(drop)).1, "owner takeover requires --reason");
}

#[test]
fn where_gates_are_enforced_only_a_person_takes_a_run_from_an_owner_that_lives() {
    let mut scene = Scene::of(started(Gates::Enforced, LOW, THREE));
    claim(&mut scene, "controller-a", "aa").unwrap();
    let by_force = take(&scene, Grounds::Force, None).map(drop);
    assert_eq!(refused(by_force).0, Code::PersonRequired);
    let taking = Taking { reason: "it is stuck", grounds: Grounds::Force, from: None };
    let bid = bid("controller-b", "bb");
    owner::take_over(&scene.run, &bid, taking, &person(), scene.now).unwrap();
}

#[test]
fn an_owner_that_is_gone_loses_its_run_to_anybody_but_only_that_owner_does() {
    let mut scene = Scene::of(started(Gates::Enforced, LOW, THREE));
    claim(&mut scene, "controller-a", "aa").unwrap();
    let taken = take(&scene, Grounds::Gone, Some("aa"));
    scene.take(taken).unwrap();
    let (code, message) = refused(take(&scene, Grounds::Gone, Some("aa")).map(drop));
    assert_eq!(code, Code::AlreadyClaimed);
    assert_eq!(message, "Run already has an active controller: controller-b");
}

#[test]
fn a_released_run_is_free_again() {
    let mut scene = owned();
    let released = owner::release(&scene.run, &with_token("aa"));
    scene.take(released).unwrap();
    assert_eq!(scene.run.owner.status, OwnerStatus::Released);
    let twice = owner::release(&scene.run, &agent()).map(drop);
    assert_eq!(refused(twice).1, "No active controller to release");
    scene.start(1).unwrap();
    claim(&mut scene, "controller-b", "bb").unwrap();
}

#[test]
fn an_owner_hands_a_run_to_another() {
    let mut scene = owned();
    let handed =
        owner::hand_off(&scene.run, &bid("controller-b", "bb"), &with_token("aa"), scene.now);
    scene.take(handed).unwrap();
    assert!(start_with(&scene, "aa").is_err());
    start_with(&scene, "bb").unwrap();
    let last = scene.run.ownership.last().unwrap();
    assert_eq!((last.owner.as_str(), last.from.as_deref()), ("controller-b", Some("controller-a")));
}

#[test]
fn a_run_that_requires_an_owner_waits_for_one() {
    let mut needs = started(Gates::Attested, LOW, THREE);
    needs.require_owner = true;
    let mut scene = Scene::of(needs);
    assert_eq!(
        refused(scene.start(1)).1,
        "This run requires an active controller; claim controller ownership first"
    );
    claim(&mut scene, "controller-a", "aa").unwrap();
    start_with(&scene, "aa").unwrap();
}

#[test]
fn owners_and_leases_are_checked() {
    let scene = attested(LOW, THREE);
    for owner in ["", "-a", "a b", "ä"] {
        let wrong = owner::claim(&scene.run, &bid(owner, "aa"), scene.now).map(drop);
        assert_eq!(refused(wrong).1, "--owner must be a stable controller identity", "{owner}");
    }
    for lease_seconds in [0, -1, 604_801] {
        let bid = Bid { lease_seconds, ..bid("a", "aa") };
        let wrong = owner::claim(&scene.run, &bid, scene.now).map(drop);
        assert_eq!(refused(wrong).1, "--lease-seconds must be an integer from 1 to 604800");
    }
}
