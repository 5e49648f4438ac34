//! What happens to a run. The kinds and their names are listed with all others in
//! [`crate::event`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::{CheckResult, Verdict};
use super::file::{Amount, WorkflowFile};
use super::name::RunId;
use super::state_file::StateFile;
use super::word::{
    ActionKind, Authority, Cause, Decision, DecisionMode, Disposition, EffectStatus, Gates, Metric,
    Mode, OwnerChange, Reopen, RunStatus,
};
use crate::chain::Hash;
use crate::duration::Span;
use crate::{TaskId, Time};

/// Where a run takes place, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub workflow_path: String,
    pub source_workflow_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_head: Option<String>,
    pub workflow_slug: String,
    pub branch: String,
    pub repo_root: String,
    pub execution_root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// The commit that keeps changes which were put aside for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stash: Option<String>,
    /// The reference that keeps where its branch was before it began again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    pub executor_mode: String,
    pub driver: String,
    pub host: String,
    /// The folder that holds `.hotl`.
    pub folder: String,
    /// The name of the machine.
    pub machine: String,
}

/// The task that a run works on, and the claim it works under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tie {
    pub task: TaskId,
    pub fence: u64,
}

/// A workflow file is executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    pub name: RunId,
    /// What the file said then. Later changes to it do not count.
    pub file: WorkflowFile,
    pub file_sha256: Hash,
    pub place: Place,
    pub gates: Gates,
    #[serde(default)]
    pub require_owner: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<Tie>,
    /// How long answers are waited for where the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_timeout: Option<Span>,
    /// The commit that the work begins from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
}

/// A run was found in a state file that no ledger knew of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunImported {
    pub state: StateFile,
    pub folder: String,
    pub machine: String,
    pub gates: Gates,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_timeout: Option<Span>,
}

/// One value of a state file that another hand changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// As jq writes it: `.steps[0].verify.command`.
    pub path: String,
    /// Nothing where it was not there, or null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// Another hand changed the state file of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEdited {
    /// Of the file as it was found.
    pub sha256: Hash,
    pub difference: Vec<Edit>,
    /// What it says now, when that was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<StateFile>,
}

/// Somebody works on a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepStarted {
    pub step: u32,
    /// The number of this attempt. One that a retry counted is not counted again.
    pub attempt: u32,
    pub by: String,
}

/// Checks of a step were run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepVerified {
    pub step: u32,
    pub attempt: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<CheckResult>,
    pub verdict: Verdict,
}

/// A step that failed is tried again; the attempt is counted here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRetried {
    pub step: u32,
    pub attempt: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepBlocked {
    pub step: u32,
    pub cause: Cause,
    pub reason: String,
}

/// A run goes on that was blocked: one step of it, or the run itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunUnblocked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// How many more attempts the step may have.
    #[serde(default)]
    pub granted: u32,
    pub reason: String,
    pub by: String,
    pub authority: Authority,
}

/// A gate, or a check that waited for a person, was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateDecided {
    pub step: u32,
    /// The check that waited; nothing for the gate of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<usize>,
    pub decision: Decision,
    pub mode: Mode,
    pub authority: Authority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An answer was waited for longer than it should have been. It is still waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateOverdue {
    pub step: u32,
    /// The check that waits; nothing for the gate of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<usize>,
    pub waiting_since: Time,
    pub timeout: Span,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateReopened {
    pub step: u32,
    pub then: Reopen,
    /// How many more attempts the step may have.
    #[serde(default)]
    pub granted: u32,
    pub reason: String,
    pub by: String,
    pub authority: Authority,
}

/// Nothing is left to do, or nothing more can be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFinalized {
    /// `ready_to_finish` or `blocked`.
    pub status: RunStatus,
    /// The commit that the work ends at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
}

/// What became of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFinished {
    pub disposition: Disposition,
    #[serde(default)]
    pub details: FinishDetails,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FinishDetails {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_action: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_action: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts_preserved_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The steps whose gates rested on the word of the caller when the work landed all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attested_gates: Vec<u32>,
    /// The commit that landed, where the run had ended at another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed_head: Option<String>,
}

/// Who owns a run changed, or how long. Of a token only its hash is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOwnerChanged {
    pub change: OwnerChange,
    pub owner: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Although the lease had not run out.
    #[serde(default)]
    pub forced: bool,
}

/// Somebody wants to do something outside the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionRequested {
    pub action: String,
    pub kind: ActionKind,
    pub target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionDecided {
    pub action: String,
    pub decision: Decision,
    pub mode: DecisionMode,
    pub authority: Authority,
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How an action goes: it began, ended, or was found to have ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionProgressed {
    pub action: String,
    pub progress: ActionProgress,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionProgress {
    Begun,
    Completed { outcome: EffectStatus, evidence: String },
    Reconciled { outcome: EffectStatus, evidence: String },
}

/// How much of a budget is used up, as somebody reported it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetRecorded {
    pub metric: Metric,
    pub observed: Amount,
}

/// A budget was looked at, and this is what is used up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetChecked {
    pub exceeded: Vec<Metric>,
    pub elapsed_minutes: u64,
    /// A transition was stopped by it.
    #[serde(default)]
    pub stopped: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetRaised {
    pub metric: Metric,
    pub limit: Amount,
    pub reason: String,
    pub by: String,
    pub authority: Authority,
}
