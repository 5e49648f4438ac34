//! Work that rests on the word of the caller does not land, unless a skill of HOTL says so.

use super::scene::{GATED, LOW, Scene, agent, approve, attested, person};
use crate::run::caller::Caller;
use crate::run::owner::Force;
use crate::run::receipt::receipt;
use crate::run::report::{replay, report};
use crate::run::word::{Disposition, Door, RunStatus};
use crate::{Code, Refusal};

/// Ready to be finished, with a gate that the agent itself decided.
fn ready() -> Scene {
    let mut scene = attested(LOW, GATED);
    scene.done(1);
    scene.gate(1, &approve(), &agent()).unwrap();
    scene.done(2);
    scene.finalize().unwrap();
    scene
}

fn through_hotl() -> Caller {
    Caller { door: Door::Hotl, ..agent() }
}

#[track_caller]
fn refused(disposition: Disposition) -> Refusal {
    let mut scene = ready();
    let refusal = scene.finish(disposition, Force::No).unwrap_err();
    assert_eq!(scene.status(), RunStatus::ReadyToFinish);
    refusal
}

#[test]
fn a_run_whose_gates_were_only_attested_is_neither_merged_nor_published() {
    for disposition in [Disposition::Merged, Disposition::Published] {
        let refusal = refused(disposition);
        assert_eq!(refusal.code, Code::EvidenceMissing);
        assert!(refusal.message.ends_with("the gate of step 1 was approved"), "{refusal}");
        assert_eq!(refusal.details["steps"], serde_json::json!([1]));
        assert_eq!(refusal.details["reasons"], serde_json::json!(["gate_attested_only"]));
    }
}

#[test]
fn a_run_whose_gates_were_only_attested_may_be_kept_or_discarded() {
    for disposition in [Disposition::Kept, Disposition::Discarded] {
        let mut scene = ready();
        scene.finish(disposition, Force::No).unwrap();
        assert_eq!(scene.status(), RunStatus::Completed);
    }
}

#[test]
fn a_run_lands_once_a_person_has_decided_again() {
    let hint = refused(Disposition::Merged).hint.unwrap();
    let mut scene = ready();
    for way in ["run reopen 1 ", "run gate 1 approved ", "run finalize ", "run finish keep "] {
        assert!(hint.contains(&format!("windlass {way}")), "{hint}");
    }
    scene.reopen(1, &person()).unwrap();
    scene.gate(1, &approve(), &person()).unwrap();
    scene.finalize().unwrap();
    scene.finish(Disposition::Merged, Force::No).unwrap();
    let finish = scene.run.finish.unwrap();
    assert_eq!(finish.details.attested_gates, [0_u32; 0]);
}

#[test]
fn through_the_door_of_hotl_a_run_lands_and_what_it_landed_on_is_on_record() {
    let mut scene = ready();
    scene.finish_as(Disposition::Merged, Force::No, &through_hotl()).unwrap();
    assert_eq!(scene.status(), RunStatus::Completed);
    let told = serde_json::to_value(receipt(&scene.run)).unwrap();
    assert_eq!(told["finish"]["attested_gates"], serde_json::json!([1]));
    let events = scene.log.iter().map(|(event, at)| (event, *at));
    let log = replay(scene.run.key, None, events).unwrap().log;
    let page = report(&scene.run, &log);
    assert!(page.ends_with("**Attested Gates:** 1\n"), "{page}");
}

#[test]
fn what_was_kept_through_the_door_of_hotl_did_not_land_on_anything() {
    let mut scene = ready();
    scene.finish_as(Disposition::Kept, Force::No, &through_hotl()).unwrap();
    assert_eq!(scene.run.finish.unwrap().details.attested_gates, [0_u32; 0]);
}
