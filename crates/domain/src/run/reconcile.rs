//! What to do next with a run, read from what is known of it.

use serde::Serialize;

use super::name::RunId;
use super::receipt::reasons;
use super::state::Run;
use super::waiting::Waiting;
use super::word::{
    ActionStatus, EffectStatus, Metric, NextAction, OwnerStanding, Reason, RunStatus, StepStatus,
};
use crate::Time;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reconciliation {
    pub schema: &'static str,
    pub run_id: RunId,
    pub status: RunStatus,
    pub sufficient: bool,
    pub unresolved_actions: usize,
    pub exceeded_budgets: Vec<Metric>,
    pub next_action: NextAction,
    pub reasons: Vec<Reason>,
    /// Ours: whoever owned the run has not shown a sign of life in time.
    pub owner_stale: bool,
    /// Ours: the steps for which the answer of a person is overdue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overdue: Vec<Overdue>,
    /// Ours: the commands that answer what it waits for, and those with which it goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<String>,
}

/// An answer that is waited for longer than it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overdue {
    pub step: u32,
    pub waiting_since: Time,
    pub overdue_since: Time,
}

/// What to do next. Nothing is changed.
pub fn reconcile(run: &Run, now: Time) -> Reconciliation {
    let reasons = reasons(run);
    let pending = |status: ActionStatus| status == ActionStatus::Pending;
    Reconciliation {
        schema: "hotl.reconciliation/v1",
        run_id: run.name.clone(),
        status: run.status(),
        sufficient: reasons.is_empty(),
        unresolved_actions: run.actions.iter().filter(|action| pending(action.status)).count(),
        exceeded_budgets: run.exceeded.clone(),
        next_action: next_action(run, &reasons),
        reasons,
        overdue: overdue(run, now),
        ways: run.waiting().iter().flat_map(|one| one.on.ways(run)).chain(run.ways_on()).collect(),
        owner_stale: super::owner::shown(run, now).status == OwnerStanding::Stale,
    }
}

fn overdue(run: &Run, now: Time) -> Vec<Overdue> {
    let overdue = |waiting: Waiting| {
        let overdue_since = waiting.overdue_since(now)?;
        let step = waiting.on.step()?;
        Some(Overdue { step, waiting_since: waiting.since, overdue_since })
    };
    run.waiting().into_iter().filter_map(overdue).collect()
}

/// The first of these that applies.
fn next_action(run: &Run, reasons: &[Reason]) -> NextAction {
    let status = run.status();
    let approved = |of: &dyn Fn(Option<EffectStatus>) -> bool| {
        run.actions
            .iter()
            .any(|action| action.status == ActionStatus::Approved && of(action.effect_status()))
    };
    let unknown =
        |effect| matches!(effect, None | Some(EffectStatus::InProgress | EffectStatus::Uncertain));
    let ready =
        status == RunStatus::ReadyToFinish && reasons.iter().all(|reason| reason.is_about_finish());
    let unsaid = status == RunStatus::Completed && reasons == [Reason::FinishDispositionMissing];
    let rows = [
        (NextAction::Complete, reasons.is_empty()),
        (NextAction::AwaitActionDecision, reasons.contains(&Reason::SensitiveActionUnresolved)),
        (NextAction::ReconcileActionEffect, approved(&unknown)),
        (
            NextAction::ExecuteApprovedAction,
            approved(&|effect| effect == Some(EffectStatus::NotStarted)),
        ),
        (NextAction::AdjustBudgetOrStop, !run.exceeded.is_empty()),
        (NextAction::InspectBlocker, status == RunStatus::Blocked),
        (NextAction::ResumeAfterGateOrPolicy, status == RunStatus::Paused),
        (
            NextAction::RetryOrBlockFailedStep,
            run.steps.iter().any(|step| step.status == StepStatus::Failed),
        ),
        (NextAction::RecordFinishDisposition, ready || unsaid),
    ];
    let first = rows.into_iter().find(|(_, applies)| *applies);
    first.map_or(NextAction::VerifyNextIncompleteStep, |(next, _)| next)
}
