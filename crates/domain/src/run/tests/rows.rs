//! The rows of the table of transitions, one by one.

use super::scene::{
    GATED, HIGH, LOW, MIXED, REVIEWED, THREE, agent, approve, attested, both, enforced, person,
    refused, reject,
};
use crate::Code;
use crate::run::check::{CheckResult, Outcome};
use crate::run::file::Amount;
use crate::run::finish::Force;
use crate::run::gate::Answer;
use crate::run::word::{Decision, Disposition, Gates, Metric, Mode, RunStatus, StepStatus};
use crate::run::{budget, step};

#[test]
fn row_8_start_makes_a_pending_step_run_and_counts_the_attempt() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        let step = scene.step(1);
        assert_eq!((step.status, step.attempts), (StepStatus::InProgress, 1));
        assert_eq!(step.started_at, Some(scene.now));
        assert_eq!(step.started_by.as_deref(), Some("worker-1"));
        assert_eq!(scene.run.current_step, 1);
    }
}

#[test]
fn row_8_start_of_a_step_that_runs_is_refused_so_that_one_of_two_agents_wins() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        let (code, message) = refused(scene.start(1));
        assert_eq!(code, Code::InvalidTransition);
        assert_eq!(message, "Step 1 is 'in_progress', expected 'pending'");
        assert_eq!(scene.step(1).attempts, 1);
    }
}

#[test]
fn row_8_start_of_a_step_that_is_done_or_failed_is_refused() {
    for mut scene in both(LOW, THREE) {
        scene.done(1);
        assert_eq!(refused(scene.start(1)).1, "Step 1 is 'done', expected 'pending'");
        scene.start(2).unwrap();
        scene.fail(2);
        assert_eq!(refused(scene.start(2)).1, "Step 2 is 'failed', expected 'pending'");
    }
}

#[test]
fn row_8_start_needs_all_earlier_steps_done() {
    for mut scene in both(LOW, THREE) {
        let (code, message) = refused(scene.start(2));
        assert_eq!(code, Code::StepOrder);
        assert_eq!(message, "step 1 must be done before step 2 can start");
        scene.done(1);
        assert_eq!(refused(scene.start(3)).1, "step 2 must be done before step 3 can start");
        scene.start(2).unwrap();
    }
}

#[test]
fn row_8_start_of_a_step_that_names_what_it_depends_on_waits_for_that_alone() {
    let steps = format!("{THREE}depends_on: [1]\n");
    for mut scene in both(LOW, &steps) {
        assert_eq!(refused(scene.start(3)).0, Code::StepOrder);
        scene.done(1);
        scene.start(2).unwrap();
        scene.start(3).unwrap();
    }
}

#[test]
fn row_8_start_needs_attempts_left() {
    let mut scene = attested(LOW, THREE);
    scene.run.steps[0].max_iterations = 0;
    let (code, message) = refused(scene.start(1));
    assert_eq!(code, Code::AttemptsExhausted);
    assert_eq!(message, "Step 1 reached maximum iterations (0)");
}

#[test]
fn row_8_a_step_that_is_not_there_is_refused() {
    for mut scene in both(LOW, THREE) {
        for number in [0, 4, u32::MAX] {
            let (code, message) = refused(scene.start(number));
            assert_eq!(code, Code::StepNotFound);
            assert_eq!(message, format!("Invalid step number: {number}"));
        }
        assert_eq!(refused(scene.block(9, "why")).0, Code::StepNotFound);
        assert_eq!(refused(scene.gate(0, &approve(), &person())).0, Code::StepNotFound);
    }
}

#[test]
fn row_8_a_run_that_does_not_run_takes_no_start_verify_or_retry() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        scene.block(1, "stuck").unwrap();
        for (what, result) in [
            ("start", scene.clone().start(2)),
            ("verify", scene.clone().verify(1)),
            ("retry", scene.clone().retry(1)),
        ] {
            let (code, message) = refused(result);
            assert_eq!(code, Code::RunNotRunning);
            let expected = format!(
                "Run is 'blocked'; resolve gates, policy pauses, or budgets before step {what}"
            );
            assert_eq!(message, expected);
        }
    }
}

#[test]
fn row_8_verify_that_passes_makes_the_step_done() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        scene.later(1);
        scene.verify(1).unwrap();
        let step = scene.step(1);
        assert_eq!((step.status, step.passed), (StepStatus::Done, Some(true)));
        assert_eq!(step.completed_at, Some(scene.now));
        assert_eq!(step.stdout.as_deref(), Some("check 0\n"));
        assert_eq!(step.stderr.as_deref(), Some("\n"));
        assert_eq!(scene.status(), RunStatus::Running);
    }
}

#[test]
fn row_8_verify_that_fails_makes_the_step_failed_and_the_run_goes_on() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        scene.fail(1);
        let step = scene.step(1);
        assert_eq!((step.status, step.passed), (StepStatus::Failed, Some(false)));
        assert_eq!(step.completed_at, None);
        assert_eq!(scene.status(), RunStatus::Running);
    }
}

#[test]
fn row_8_verify_that_needs_a_person_blocks_the_step_and_pauses_the_run() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        let block = scene.step(1).block.clone().unwrap();
        assert_eq!(scene.step_status(1), StepStatus::Blocked);
        assert_eq!(block.reason, "human review required: is it blue?");
        assert_eq!(scene.status(), RunStatus::Paused);
    }
}

#[test]
fn row_8_verify_that_cannot_be_decided_blocks_the_step_and_the_run() {
    let steps = "### 1. Odd\naction: x\nloop: false\nverify:\n  type: magic\n";
    for mut scene in both(LOW, steps) {
        scene.done(1);
        assert_eq!(scene.step_status(1), StepStatus::Blocked);
        let reason = scene.step(1).block.clone().unwrap().reason;
        assert_eq!(reason, "unsupported verify type: magic");
        assert_eq!(scene.status(), RunStatus::Blocked);
    }
}

#[test]
fn row_8_verify_of_a_step_without_a_check_passes_and_has_no_output() {
    let steps = "### 1. Think\naction: think\nloop: false\n";
    for mut scene in both(LOW, steps) {
        scene.done(1);
        let step = scene.step(1);
        assert_eq!((step.status, step.passed), (StepStatus::Done, Some(true)));
        assert_eq!((step.stdout.clone(), step.is_checked()), (None, false));
    }
}

#[test]
fn row_8_verify_needs_a_step_in_progress() {
    for mut scene in both(LOW, THREE) {
        let (code, message) = refused(scene.verify(1));
        assert_eq!(code, Code::InvalidTransition);
        assert_eq!(message, "Step 1 must be in_progress before verify");
        scene.done(1);
        assert_eq!(refused(scene.verify(1)).0, Code::InvalidTransition);
    }
}

#[test]
fn row_8_results_of_an_attempt_that_is_over_are_refused() {
    let mut scene = attested(LOW, THREE);
    scene.start(1).unwrap();
    scene.fail(1);
    scene.retry(1).unwrap();
    let results = vec![CheckResult::new(0, Outcome::Passed)];
    let late = step::verified(&scene.run, 1, 1, results, &agent(), scene.now);
    assert_eq!(late.unwrap_err().message, "Step 1 is at attempt 2, not 1");
}

#[test]
fn row_8_results_that_leave_out_a_check_are_refused() {
    let mut scene = attested(LOW, THREE);
    scene.start(1).unwrap();
    for results in [
        Vec::new(),
        vec![CheckResult::new(1, Outcome::Passed)],
        vec![CheckResult::new(0, Outcome::Failed), CheckResult::new(1, Outcome::Passed)],
    ] {
        let decided = step::verified(&scene.run, 1, 1, results, &agent(), scene.now);
        assert_eq!(decided.unwrap_err().code, Code::InvalidValue);
    }
}

#[test]
fn row_8_retry_makes_a_failed_step_run_again_and_clears_what_was_seen() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        scene.fail(1);
        scene.retry(1).unwrap();
        let step = scene.step(1);
        assert_eq!(step.status, StepStatus::InProgress);
        assert_eq!((step.passed, step.stdout.clone(), step.stderr.clone()), (None, None, None));
    }
}

#[test]
fn row_8_retry_needs_a_failed_step() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        let (code, message) = refused(scene.retry(1));
        assert_eq!(code, Code::InvalidTransition);
        assert_eq!(message, "Step 1 is 'in_progress', expected 'failed' for retry");
    }
}

#[test]
fn row_8_block_stops_a_step_and_the_run_whatever_they_are() {
    for mut scene in both(LOW, THREE) {
        scene.done(1);
        for number in 1..=3 {
            let mut scene = scene.clone();
            scene.block(number, "agent could not edit the file").unwrap();
            assert_eq!(scene.step_status(number), StepStatus::Blocked);
            assert_eq!(scene.status(), RunStatus::Blocked);
        }
    }
}

#[test]
fn row_8_block_of_a_completed_run_is_believed_where_gates_are_attested_and_refused_else() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        scene.finalize().unwrap();
        scene.finish(Disposition::Kept, Force::No).unwrap();
        let blocked = scene.block(1, "too late");
        match scene.run.gates {
            Gates::Attested => assert_eq!(scene.status(), RunStatus::Blocked),
            Gates::Enforced => assert_eq!(refused(blocked).0, Code::InvalidTransition),
        }
    }
}

#[test]
fn row_8_block_needs_a_reason() {
    for mut scene in both(LOW, THREE) {
        let (code, message) = refused(scene.block(1, " "));
        assert_eq!(code, Code::ReasonRequired);
        assert_eq!(message, "--reason is required for block");
    }
}

#[test]
fn row_8_gate_approved_ends_a_review_and_the_run_goes_on() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        let step = scene.step(1);
        assert_eq!((step.status, step.passed), (StepStatus::Done, Some(true)));
        assert_eq!(step.stdout.as_deref(), Some("human review approved"));
        assert_eq!((&step.stderr, &step.block), (&None, &None));
        assert_eq!(scene.status(), RunStatus::Running);
    }
}

#[test]
fn row_8_gate_rejected_keeps_a_review_blocked_and_blocks_the_run() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        scene.gate(1, &reject(), &person()).unwrap();
        let step = scene.step(1);
        assert_eq!((step.status, step.passed), (StepStatus::Blocked, Some(false)));
        assert_eq!(step.block.clone().unwrap().reason, "human review rejected");
        assert_eq!(scene.status(), RunStatus::Blocked);
    }
}

#[test]
fn row_8_checks_after_a_review_are_run_once_it_is_approved() {
    for mut scene in both(LOW, MIXED) {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        assert_eq!(scene.step_status(1), StepStatus::InProgress);
        let pending = step::pending_checks(&scene.run, 1).unwrap();
        assert_eq!(pending.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [2]);
        scene.verify(1).unwrap();
        assert_eq!(scene.step_status(1), StepStatus::Done);
        let said = "check 0\nhuman review approved\ncheck 2\n";
        assert_eq!(scene.step(1).stdout.as_deref(), Some(said));
    }
}

#[test]
fn row_8_a_check_after_a_review_can_still_fail_the_step() {
    for mut scene in both(LOW, MIXED) {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        scene.verify_but(1, &[2]).unwrap();
        assert_eq!(scene.step_status(1), StepStatus::Failed);
        scene.retry(1).unwrap();
        let pending = step::pending_checks(&scene.run, 1).unwrap();
        assert_eq!(pending.len(), 3, "a new attempt begins with the first check");
    }
}

#[test]
fn row_8_gate_approved_of_a_done_step_is_recorded() {
    for mut scene in both(LOW, GATED) {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        let decided = scene.step(1).decided.clone().unwrap();
        assert_eq!((decided.decision, decided.mode), (Decision::Approved, Mode::Human));
        assert_eq!(scene.status(), RunStatus::Running);
        scene.start(2).unwrap();
    }
}

#[test]
fn row_8_gate_approved_does_not_end_a_pause_that_has_another_cause() {
    let mut scene = attested(&format!("{LOW}\nmax_agents: 1"), GATED);
    scene.done(1);
    let two = Amount::whole(2).unwrap();
    let spent = budget::record(&scene.run, Metric::Agents, two, &agent(), scene.now);
    scene.take(spent).unwrap();
    scene.gate(1, &approve(), &agent()).unwrap();
    assert_eq!(scene.status(), RunStatus::Paused);
}

#[test]
fn row_8_gate_rejected_of_a_done_step_blocks_the_run() {
    for mut scene in both(LOW, GATED) {
        scene.done(1);
        scene.gate(1, &reject(), &person()).unwrap();
        assert_eq!(scene.step_status(1), StepStatus::Done);
        assert_eq!(scene.status(), RunStatus::Blocked);
    }
}

#[test]
fn row_8_gate_of_a_step_that_is_not_done_is_refused() {
    for mut scene in both(LOW, GATED) {
        let (code, message) = refused(scene.gate(1, &approve(), &person()));
        assert_eq!(code, Code::InvalidTransition);
        assert_eq!(
            message,
            "Step 1 must be done before its gate can be recorded (current status: pending)"
        );
    }
}

#[test]
fn row_8_gate_of_high_risk_takes_no_automatic_answer() {
    for mut scene in both(HIGH, THREE) {
        scene.done(1);
        let auto = Answer { mode: Mode::Auto, ..approve() };
        let (code, message) = refused(scene.gate(1, &auto, &person()));
        assert_eq!(code, Code::PersonRequired);
        assert_eq!(message, "High-risk workflows require human gate decisions");
    }
}

#[test]
fn row_8_finalize_of_a_run_that_has_ended_changes_nothing() {
    for mut scene in both(LOW, REVIEWED) {
        scene.done(1);
        scene.gate(1, &approve(), &person()).unwrap();
        scene.finalize().unwrap();
        let ready = scene.run.clone();
        scene.finalize().unwrap();
        assert_eq!(scene.run, ready);
        scene.finish(Disposition::Kept, Force::No).unwrap();
        scene.finalize().unwrap();
        assert_eq!(scene.status(), RunStatus::Completed);
    }
}

#[test]
fn row_8_finalize_with_a_failed_or_blocked_step_ends_the_run_as_blocked() {
    for mut scene in both(LOW, THREE) {
        scene.start(1).unwrap();
        scene.fail(1);
        scene.finalize().unwrap();
        assert_eq!(scene.status(), RunStatus::Blocked);
        assert_eq!(scene.run.completed_at, Some(scene.now));
        assert!(scene.run.finalized.is_some());
    }
}

#[test]
fn row_8_finalize_with_steps_left_is_refused() {
    for mut scene in both(LOW, THREE) {
        scene.done(1);
        let (code, message) = refused(scene.finalize());
        assert_eq!(code, Code::RunUnfinished);
        assert_eq!(message, "Cannot finalize run with unfinished steps (2 remaining)");
        assert_eq!(scene.status(), RunStatus::Running);
    }
}

#[test]
fn row_8_finalize_of_a_run_that_is_done_and_proven_makes_it_ready() {
    for mut scene in both(LOW, THREE) {
        scene.all_done();
        scene.finalize().unwrap();
        assert_eq!(scene.status(), RunStatus::ReadyToFinish);
        assert_eq!(scene.run.completed_at, None);
        assert_eq!(scene.run.head_after.as_deref(), Some("4567def"));
    }
}

#[test]
fn row_8_finish_completes_a_run_that_is_ready() {
    for disposition in Disposition::ALL {
        for mut scene in both(LOW, THREE) {
            scene.all_done();
            scene.finalize().unwrap();
            scene.finish(*disposition, Force::No).unwrap();
            assert_eq!(scene.status(), RunStatus::Completed);
            assert_eq!(scene.run.completed_at, Some(scene.now));
            assert_eq!(scene.run.finish.clone().unwrap().disposition, *disposition);
        }
    }
}

#[test]
fn row_8_finish_of_a_blocked_run_keeps_or_discards_and_does_not_land() {
    for mut scene in both(LOW, THREE) {
        scene.block(1, "stop").unwrap();
        scene.finalize().unwrap();
        for disposition in [Disposition::Merged, Disposition::Published] {
            let (code, message) = refused(scene.clone().finish(disposition, Force::No));
            assert_eq!(code, Code::InvalidTransition);
            let expected = format!(
                "Finish disposition '{disposition}' requires a completed run. Current status: \
                 blocked"
            );
            assert_eq!(message, expected);
        }
        for disposition in [Disposition::Kept, Disposition::Discarded] {
            let mut scene = scene.clone();
            scene.finish(disposition, Force::No).unwrap();
            assert_eq!(scene.status(), RunStatus::Blocked);
        }
    }
}

#[test]
fn row_8_finish_of_a_run_that_goes_on_is_refused() {
    let mut scene = enforced(LOW, THREE);
    let (code, message) = refused(scene.finish(Disposition::Kept, Force::No));
    assert_eq!(code, Code::InvalidTransition);
    assert_eq!(
        message,
        "Finish disposition 'kept' requires a finalized run. Current status: running"
    );
}

#[test]
fn row_8_finish_is_recorded_once_unless_it_is_forced() {
    for mut scene in both(LOW, THREE) {
        scene.block(1, "stop").unwrap();
        scene.finalize().unwrap();
        scene.finish(Disposition::Kept, Force::No).unwrap();
        let (code, message) = refused(scene.finish(Disposition::Discarded, Force::No));
        assert_eq!(code, Code::InvalidTransition);
        assert_eq!(message, "Finish outcome already recorded: kept. Use --force to replace it.");
        scene.finish(Disposition::Discarded, Force::Yes).unwrap();
        assert_eq!(scene.run.finish.clone().unwrap().disposition, Disposition::Discarded);
    }
}
