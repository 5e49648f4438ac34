//! The end of a run: what it must prove, its receipt, and what to do next.

use super::scene::{
    BEGIN, GATED, HIGH, LOW, REVIEWED, Scene, THREE, agent, approve, attested, both, enforced,
    person, refused, reject,
};
use crate::Code;
use crate::run::finish::Force;
use crate::run::gate::Answer;
use crate::run::receipt::{caveats, must_prove, receipt};
use crate::run::reconcile::reconcile;
use crate::run::state::{Action, Effect};
use crate::run::step::block;
use crate::run::summary::summary;
use crate::run::word::{
    ActionKind, ActionStatus, Caveat, DecisionMode, Disposition, EffectStatus, Metric, Mode,
    NextAction, Reason, RunStatus, StepStatus,
};

fn action(status: ActionStatus, effect: EffectStatus) -> Action {
    Action {
        id: "action-1".into(),
        kind: ActionKind::ExternalWrite,
        target: "publish it".into(),
        status,
        requested_at: BEGIN,
        decided_at: None,
        mode: DecisionMode::Human,
        reason: None,
        idempotency_key: Some("k".into()),
        effect: Some(Effect {
            status: effect,
            intent_recorded_at: None,
            completed_at: None,
            evidence_ref: None,
        }),
        acknowledged: true,
    }
}

/// Done, approved and ready to be finalized.
fn done() -> Scene {
    let mut scene = attested(LOW, GATED);
    scene.done(1);
    scene.gate(1, &approve(), &agent()).unwrap();
    scene.done(2);
    scene
}

fn reasons(scene: &Scene) -> Vec<Reason> {
    receipt(&scene.run).sufficiency.reasons
}

fn next(scene: &Scene) -> NextAction {
    reconcile(&scene.run, scene.now).next_action
}

#[test]
fn row_8_finalize_asks_for_evidence_in_order() {
    let mut scene = done();
    scene.run.exceeded = vec![Metric::CostUsd];
    let over = "Cannot finalize while runtime budgets are exceeded";
    assert_eq!(refused(scene.finalize()), (Code::EvidenceMissing, over.into()));
    scene.run.actions = vec![action(ActionStatus::Approved, EffectStatus::Failed)];
    let failed = "Cannot finalize a successful run with failed sensitive-action effects";
    assert_eq!(refused(scene.finalize()).1, failed);
    for unknown in [EffectStatus::NotStarted, EffectStatus::InProgress, EffectStatus::Uncertain] {
        scene.run.actions = vec![action(ActionStatus::Approved, unknown)];
        let open = "Cannot finalize without terminal sensitive-action effect evidence";
        assert_eq!(refused(scene.finalize()).1, open);
    }
    scene.run.actions = vec![action(ActionStatus::Pending, EffectStatus::NotStarted)];
    let pending = "Cannot finalize with unresolved sensitive action decisions";
    assert_eq!(refused(scene.finalize()).1, pending);
    scene.run.steps[0].decided = None;
    assert_eq!(refused(scene.finalize()).1, "Cannot finalize without required gate evidence");
    scene.run.steps[1].passed = None;
    let unchecked = "Cannot finalize without passing verification evidence";
    assert_eq!(refused(scene.finalize()).1, unchecked);
}

#[test]
fn row_8_finalize_of_high_risk_needs_a_person_at_every_gate() {
    let mut scene = attested(LOW, THREE);
    scene.all_done();
    for number in 1..=3 {
        let auto = Answer { mode: Mode::Auto, ..approve() };
        scene.gate(number, &auto, &agent()).unwrap();
    }
    scene.run.risk = crate::run::file::Risk::High;
    assert_eq!(refused(scene.finalize()).1, "Cannot finalize without required gate evidence");
    assert!(reasons(&scene).contains(&Reason::HighRiskHumanGateMissing));
}

#[test]
fn row_8_finish_of_a_run_that_does_not_prove_its_work_lists_what_is_missing() {
    let mut scene = done();
    scene.finalize().unwrap();
    scene.run.actions = vec![action(ActionStatus::Approved, EffectStatus::NotStarted)];
    let (code, message) = refused(scene.finish(Disposition::Kept, Force::No));
    assert_eq!(code, Code::EvidenceMissing);
    assert_eq!(
        message,
        "Finish disposition 'kept' requires sufficient completion evidence.\n  - \
         sensitive_action_effect_unresolved"
    );
    assert_eq!(scene.status(), RunStatus::ReadyToFinish);
}

#[test]
fn row_17_a_receipt_lists_every_reason_in_order() {
    let mut scene = attested(HIGH, THREE);
    scene.run.exceeded = vec![Metric::Agents];
    let mut unproven = action(ActionStatus::Approved, EffectStatus::NotStarted);
    unproven.effect = None;
    scene.run.actions = vec![
        action(ActionStatus::Pending, EffectStatus::NotStarted),
        unproven,
        action(ActionStatus::Approved, EffectStatus::InProgress),
        action(ActionStatus::Approved, EffectStatus::Failed),
    ];
    assert_eq!(reasons(&scene), Reason::ALL);
}

#[test]
fn row_17_a_receipt_of_a_finished_run_is_sufficient() {
    let mut scene = done();
    assert_eq!(reasons(&scene), [Reason::RunNotCompleted, Reason::FinishDispositionMissing]);
    scene.finalize().unwrap();
    scene.finish(Disposition::Kept, Force::No).unwrap();
    let receipt = receipt(&scene.run);
    assert!(receipt.sufficiency.sufficient);
    assert_eq!(receipt.sufficiency.reasons, []);
}

#[test]
fn row_17_a_receipt_says_what_was_executed_and_never_what_was_printed() {
    let mut scene = done();
    scene.finalize().unwrap();
    let receipt = serde_json::to_value(receipt(&scene.run)).unwrap();
    assert_eq!(receipt["schema"], "hotl.receipt/v1");
    assert_eq!(receipt["run"]["commit_before"], "0123abc");
    assert_eq!(receipt["run"]["commit_after"], "4567def");
    assert_eq!(receipt["run"]["workflow_sha256"].as_str().unwrap().len(), 64);
    let step = &receipt["evidence"][0];
    assert_eq!(step["verification"]["reference"], "make plan");
    assert_eq!(step["gate"]["authority"], "attested");
    assert_eq!(step["checks"][0]["reference"], "make plan");
    assert_eq!(step["checks"][0]["stdout_bytes"], 8);
    assert!(!receipt.to_string().contains("check 0"));
}

#[test]
fn a_gate_by_the_word_of_the_caller_is_enough_for_hotl_and_not_for_a_task() {
    let scene = done();
    assert_eq!(caveats(&scene.run), [Caveat::GateAttestedOnly]);
    let refusal = must_prove(&scene.run).unwrap_err();
    assert_eq!(refusal.code, Code::EvidenceMissing);
    assert!(refusal.message.ends_with(": gate_attested_only"), "{refusal}");
}

#[test]
fn a_run_whose_gates_a_person_decided_proves_its_work() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    assert!(must_prove(&scene.run).is_err());
    scene.gate(1, &approve(), &person()).unwrap();
    scene.done(2);
    assert_eq!(must_prove(&scene.run), Ok(()));
}

#[test]
fn a_step_without_a_check_proves_something_only_if_it_was_approved() {
    let plain = "### 1. Think\naction: think\nloop: false\n";
    let mut scene = enforced(LOW, plain);
    scene.done(1);
    assert_eq!(caveats(&scene.run), [Caveat::StepUnverified]);
    assert!(must_prove(&scene.run).unwrap_err().message.ends_with(": step_unverified"));
    let told = serde_json::to_value(receipt(&scene.run)).unwrap();
    assert_eq!(told["evidence"][0]["verification"]["unverified"], true);
    let mut scene = enforced(LOW, &format!("{plain}gate: human\n"));
    scene.done(1);
    scene.gate(1, &approve(), &person()).unwrap();
    assert_eq!(caveats(&scene.run), [Caveat::StepUnverified], "it is told all the same");
    assert_eq!(must_prove(&scene.run), Ok(()));
}

#[test]
fn row_17_reconcile_names_the_first_thing_to_do() {
    let mut scene = attested(LOW, THREE);
    assert_eq!(next(&scene), NextAction::VerifyNextIncompleteStep);
    scene.start(1).unwrap();
    scene.fail(1);
    assert_eq!(next(&scene), NextAction::RetryOrBlockFailedStep);
    let mut paused = enforced(LOW, REVIEWED);
    paused.done(1);
    assert_eq!(next(&paused), NextAction::ResumeAfterGateOrPolicy);
    paused.gate(1, &reject(), &person()).unwrap();
    assert_eq!(next(&paused), NextAction::InspectBlocker);
    scene.block(1, "stuck").unwrap();
    scene.run.exceeded = vec![Metric::Agents];
    assert_eq!(next(&scene), NextAction::AdjustBudgetOrStop);
    scene.run.actions.push(action(ActionStatus::Approved, EffectStatus::NotStarted));
    assert_eq!(next(&scene), NextAction::ExecuteApprovedAction);
    scene.run.actions.push(action(ActionStatus::Approved, EffectStatus::Uncertain));
    assert_eq!(next(&scene), NextAction::ReconcileActionEffect);
    scene.run.actions.push(action(ActionStatus::Pending, EffectStatus::NotStarted));
    assert_eq!(next(&scene), NextAction::AwaitActionDecision);
}

#[test]
fn row_17_reconcile_at_the_end_asks_for_the_disposition_and_then_for_nothing() {
    let mut scene = done();
    scene.finalize().unwrap();
    assert_eq!(next(&scene), NextAction::RecordFinishDisposition);
    scene.finish(Disposition::Kept, Force::No).unwrap();
    assert_eq!(next(&scene), NextAction::Complete);
    let told = serde_json::to_value(reconcile(&scene.run, scene.now)).unwrap();
    assert_eq!(told["schema"], "hotl.reconciliation/v1");
    assert_eq!(told["sufficient"], true);
}

#[test]
fn row_7_a_summary_counts_steps() {
    for mut scene in both(LOW, THREE) {
        scene.done(1);
        scene.start(2).unwrap();
        scene.fail(2);
        scene.block(3, "later").unwrap();
        let summary = summary(&scene.run);
        let counts = (
            summary.total_steps,
            summary.completed_steps,
            summary.failed_steps,
            summary.blocked_steps,
        );
        assert_eq!(counts, (3, 1, 1, 1));
        assert_eq!(summary.steps[1].status, StepStatus::Failed);
        assert_eq!(summary.steps[1].verify_passed, Some(false));
        assert_eq!(summary.steps[2].block_reason.as_deref(), Some("later"));
    }
}

#[test]
fn whoever_blocks_a_step_of_a_run_that_has_ended_is_not_sent_to_its_next_step() {
    let mut scene = enforced(LOW, THREE);
    for step in 1..=3 {
        scene.done(step);
    }
    scene.finalize().unwrap();
    scene.finish(Disposition::Kept, Force::No).unwrap();
    let refusal = block(&scene.run, 1, "why not", &agent(), scene.now).unwrap_err();
    let hint = "the run has ended; start another one: windlass run start FILE";
    assert_eq!(refusal.hint.as_deref(), Some(hint));
}
