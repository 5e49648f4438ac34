//! The summary of a run, as `finalize`, `finish` and `summary` print it.

use serde::Serialize;

use super::name::RunId;
use super::state::{Run, StepState};
use super::state_file::{FinishJson, Moment};
use super::word::{Decision, Mode, RunStatus, StepStatus};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub run_id: RunId,
    pub workflow_path: String,
    pub source_workflow_path: String,
    pub source_branch: Option<String>,
    pub source_head: Option<String>,
    pub workflow_slug: String,
    pub intent: String,
    pub branch: String,
    pub repo_root: String,
    pub execution_root: String,
    pub worktree_path: Option<String>,
    pub executor_mode: String,
    pub driver: String,
    pub host: String,
    pub status: RunStatus,
    pub started_at: Moment,
    pub last_update: Moment,
    pub completed_at: Option<Moment>,
    pub total_steps: usize,
    pub completed_steps: usize,
    pub failed_steps: usize,
    pub blocked_steps: usize,
    pub finish: FinishJson,
    pub steps: Vec<StepSummary>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepSummary {
    pub number: u32,
    pub name: String,
    pub status: StepStatus,
    pub attempts: u32,
    pub verify_passed: Option<bool>,
    pub gate_result: Option<Decision>,
    pub gate_mode: Option<Mode>,
    pub block_reason: Option<String>,
}

/// The summary of a run as it is now.
pub fn summary(run: &Run) -> Summary {
    let place = run.place.clone();
    let count = |status| run.steps.iter().filter(|step| step.status == status).count();
    Summary {
        run_id: run.name.clone(),
        workflow_path: place.workflow_path,
        source_workflow_path: place.source_workflow_path,
        source_branch: place.source_branch,
        source_head: place.source_head,
        workflow_slug: place.workflow_slug,
        intent: run.intent.clone(),
        branch: place.branch,
        repo_root: place.repo_root,
        execution_root: place.execution_root,
        worktree_path: place.worktree_path,
        executor_mode: place.executor_mode,
        driver: place.driver,
        host: place.host,
        status: run.status(),
        started_at: Moment::new(run.started_at),
        last_update: Moment::new(run.updated_at),
        completed_at: run.completed_at.map(Moment::new),
        total_steps: run.steps.len(),
        completed_steps: count(StepStatus::Done),
        failed_steps: count(StepStatus::Failed),
        blocked_steps: count(StepStatus::Blocked),
        finish: run.finish.as_ref().map(FinishJson::of).unwrap_or_default(),
        steps: run.steps.iter().map(step).collect(),
    }
}

fn step(step: &StepState) -> StepSummary {
    StepSummary {
        number: step.number,
        name: step.name.clone(),
        status: step.status,
        attempts: step.attempts,
        verify_passed: step.passed,
        gate_result: step.decided.as_ref().map(|decided| decided.decision),
        gate_mode: step.decided.as_ref().map(|decided| decided.mode),
        block_reason: step.block.as_ref().map(|block| block.reason.clone()),
    }
}
