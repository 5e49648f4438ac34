//! How often a step is tried, and the ways on when that is used up.

use super::scene::{LOW, THREE, agent, attested, both, enforced, person, refused};
use crate::Code;
use crate::run::word::{Gates, RunStatus, StepStatus};

const ONCE: &str = "### 1. Once\naction: x\nloop: false\nverify: make\n";

#[test]
fn rule_11_a_retry_counts_the_attempt_and_the_start_after_it_does_not() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        scene.fail(1);
        scene.retry(1).unwrap();
        assert_eq!(scene.step(1).attempts, 2);
        scene.start(1).unwrap();
        assert_eq!(scene.step(1).attempts, 2);
        assert_eq!(refused(scene.start(1)).0, Code::InvalidTransition);
        scene.verify(1).unwrap();
        assert_eq!(scene.step(1).attempts, 2);
    }
}

#[test]
fn rule_11_a_retry_without_a_start_counts_all_the_same() {
    let mut scene = attested(LOW, THREE);
    scene.start(1).unwrap();
    for attempt in 2..=3 {
        scene.fail(1);
        scene.retry(1).unwrap();
        assert_eq!(scene.step(1).attempts, attempt);
    }
    scene.fail(1);
    let (code, message) = refused(scene.retry(1));
    assert_eq!(code, Code::AttemptsExhausted);
    assert_eq!(message, "Step 1 reached maximum iterations (3)");
}

#[test]
fn rule_11_exhausted_is_blocked_where_loops_are_enforced_and_failed_else() {
    for mut scene in both(LOW, THREE) {
        scene.done(1);
        scene.start(2).unwrap();
        scene.fail(2);
        scene.retry(2).unwrap();
        scene.fail(2);
        match scene.run.gates {
            Gates::Attested => {
                assert_eq!(scene.step_status(2), StepStatus::Failed);
                assert_eq!(refused(scene.retry(2)).0, Code::AttemptsExhausted);
            }
            Gates::Enforced => {
                assert_eq!(scene.step_status(2), StepStatus::Blocked);
                let reason = scene.step(2).block.clone().unwrap().reason;
                assert_eq!(reason, "checks failed in 2 of 2 attempts");
                assert_eq!(scene.status(), RunStatus::Blocked);
            }
        }
    }
}

#[test]
fn rule_11_a_step_that_does_not_loop_is_tried_once_where_loops_are_enforced() {
    let mut strict = enforced(LOW, ONCE);
    strict.start(1).unwrap();
    strict.fail(1);
    assert_eq!(strict.step_status(1), StepStatus::Blocked);
    let mut loose = attested(LOW, ONCE);
    loose.start(1).unwrap();
    loose.fail(1);
    loose.retry(1).unwrap();
}

#[test]
fn rule_11_an_exhausted_step_is_given_one_more_attempt_by_a_person() {
    let mut scene = enforced(LOW, ONCE);
    scene.start(1).unwrap();
    scene.fail(1);
    assert_eq!(refused(scene.unblock(Some(1), &agent())).0, Code::PersonRequired);
    scene.unblock(Some(1), &person()).unwrap();
    assert_eq!(scene.step_status(1), StepStatus::Failed);
    assert_eq!(scene.step(1).max_iterations, 2);
    scene.retry(1).unwrap();
    scene.verify(1).unwrap();
    assert_eq!(scene.step_status(1), StepStatus::Done);
}

#[test]
fn rule_11_where_gates_are_attested_block_and_unblock_give_another_attempt() {
    let mut scene = attested(LOW, THREE);
    scene.run.steps[0].max_iterations = 1;
    scene.start(1).unwrap();
    scene.fail(1);
    assert_eq!(refused(scene.retry(1)).0, Code::AttemptsExhausted);
    scene.block(1, "no luck").unwrap();
    scene.unblock(Some(1), &agent()).unwrap();
    scene.retry(1).unwrap();
}

#[test]
fn rule_11_blocking_an_exhausted_step_once_more_does_not_get_it_round_a_person() {
    let mut scene = enforced(LOW, ONCE);
    scene.start(1).unwrap();
    scene.fail(1);
    scene.block(1, "no luck").unwrap();
    assert_eq!(refused(scene.unblock(Some(1), &agent())).0, Code::PersonRequired);
    scene.unblock(Some(1), &person()).unwrap();
}

#[test]
fn a_step_that_waits_for_a_person_or_was_rejected_is_not_let_go_by_blocking_it() {
    let mut scene = enforced(LOW, super::scene::REVIEWED);
    scene.done(1);
    assert_eq!(refused(scene.block(1, "no luck")).0, Code::InvalidTransition);
    scene.gate(1, &super::scene::reject(), &person()).unwrap();
    scene.block(1, "no luck").unwrap();
    assert_eq!(refused(scene.unblock(Some(1), &agent())).0, Code::PersonRequired);
}

#[test]
fn a_step_that_was_blocked_by_hand_goes_back_to_where_it_was() {
    for mut scene in both(LOW, THREE) {
        scene.done(1);
        scene.start(2).unwrap();
        for number in 1..=3 {
            let before = scene.step_status(number);
            scene.block(number, "wait").unwrap();
            scene.block(number, "wait longer").unwrap();
            assert_eq!(scene.status(), RunStatus::Blocked);
            scene.unblock(Some(number), &agent()).unwrap();
            assert_eq!(scene.step_status(number), before);
            assert_eq!(scene.status(), RunStatus::Running);
        }
    }
}

#[test]
fn only_what_is_blocked_is_unblocked() {
    for mut scene in both(LOW, THREE) {
        assert_eq!(refused(scene.unblock(Some(1), &person())).0, Code::InvalidTransition);
        assert_eq!(refused(scene.unblock(None, &person())).0, Code::InvalidTransition);
    }
}

#[test]
fn a_step_that_waits_for_a_person_is_decided_not_unblocked() {
    for mut scene in both(LOW, super::scene::REVIEWED) {
        scene.done(1);
        let (code, message) = refused(scene.unblock(Some(1), &person()));
        assert_eq!(code, Code::InvalidTransition);
        assert_eq!(message, "Step 1 waits for a person: human review required: is it blue?");
    }
}

#[test]
fn a_check_that_could_not_be_decided_can_be_tried_again() {
    let steps = "### 1. Odd\naction: x\nloop: false\nverify:\n  type: magic\n";
    for mut scene in both(LOW, steps) {
        scene.done(1);
        scene.unblock(Some(1), &person()).unwrap();
        assert_eq!(scene.step_status(1), StepStatus::InProgress);
        assert_eq!(scene.step(1).attempts, 1);
    }
}

#[test]
fn a_run_that_was_ended_as_blocked_goes_on_when_it_is_unblocked() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        scene.fail(1);
        scene.finalize().unwrap();
        assert_eq!(refused(scene.retry(1)).0, Code::RunNotRunning);
        scene.unblock(None, &person()).unwrap();
        assert_eq!(scene.status(), RunStatus::Running);
        assert_eq!((scene.run.completed_at, scene.run.finalized), (None, None));
        scene.retry(1).unwrap();
    }
}
