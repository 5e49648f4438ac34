//! Work that rests on the word of the caller does not land, unless a skill of HOTL says so.

use super::scene::{GATED, LOW, Scene, THREE, agent, approve, attested, person};
use crate::run::caller::Caller;
use crate::run::event::FinishDetails;
use crate::run::finish::{self, Force};
use crate::run::gate;
use crate::run::receipt::receipt;
use crate::run::report::{replay, report};
use crate::run::word::{Disposition, Door, Reopen, RunStatus, StepStatus};
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

/// Ready to be finished, without a gate.
fn ended() -> Scene {
    let mut scene = attested(LOW, THREE);
    for step in 1..=3 {
        scene.done(step);
    }
    scene.finalize().unwrap();
    scene
}

/// Finishes a run whose branch is at that commit; it ended at `4567def`.
fn landed_at(
    head: &str,
    disposition: Disposition,
    caller: &Caller,
) -> Result<Option<String>, Refusal> {
    let mut scene = ended();
    let details = FinishDetails { landed_head: Some(head.to_owned()), ..FinishDetails::default() };
    scene.finish_with(disposition, details, Force::No, caller)?;
    Ok(scene.run.finish.unwrap().details.landed_head)
}

#[test]
fn what_was_committed_after_the_end_of_a_run_does_not_land() {
    for disposition in [Disposition::Merged, Disposition::Published] {
        assert_eq!(landed_at("4567def", disposition, &agent()), Ok(None));
        let refusal = landed_at("89abcde", disposition, &agent()).unwrap_err();
        assert_eq!(refusal.code, Code::EvidenceMissing);
        assert_eq!(refusal.details["head"], "89abcde");
    }
    assert_eq!(landed_at("89abcde", Disposition::Kept, &agent()), Ok(None));
}

#[test]
fn through_the_door_of_hotl_what_was_committed_later_lands_and_is_on_record() {
    let landed = landed_at("89abcde", Disposition::Merged, &through_hotl());
    assert_eq!(landed, Ok(Some("89abcde".to_owned())));
}

#[test]
fn a_run_that_is_ended_again_ends_where_it_was_verified() {
    let mut scene = ended();
    scene.block(1, "a while").unwrap();
    scene.unblock(Some(1), &person()).unwrap();
    let later = finish::finalize(&scene.run, Some("89abcde".into()), &agent(), scene.now);
    scene.take(later).unwrap();
    assert_eq!(scene.run.head_after.as_deref(), Some("4567def"));
}

#[test]
fn a_step_without_a_gate_can_be_done_again() {
    let mut scene = ended();
    let reopened = gate::reopen(&scene.run, 1, Reopen::Redo, "again", &person(), scene.now);
    scene.take(reopened).unwrap();
    assert_eq!(scene.status(), RunStatus::Running);
    assert_eq!(scene.run.step(1).unwrap().status, StepStatus::Failed);
}
