//! The state file of a run, `.hotl/state/<run id>.json`: every key as HOTL writes it, in its order.
//!
//! Reading is forgiving: what older tools did not write is filled in, keys nobody knows are
//! dropped. A file does not say who decided a gate, what the single checks of a step showed, which
//! attempts were granted or what a run was started from beyond its paths; an import goes without.

mod read;
mod write;

use serde::{Deserialize, Serialize};

use super::file::{Amount, Check, Gate, Loop, Risk};
use super::name::RunId;
use super::word::{
    ActionKind, ActionStatus, Decision, DecisionMode, Disposition, EffectStatus, Metric, Mode,
    OwnerChange, OwnerStatus, RunStatus, StepStatus,
};
use crate::Time;

pub use read::parse;
pub(super) use write::{plan, verify};

/// A moment in whole seconds: `2026-11-15T09:30:00+00:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Time);

impl Moment {
    pub const fn new(time: Time) -> Self {
        Self(Time::from_millis(time.as_millis().div_euclid(1_000) * 1_000))
    }

    pub const fn time(self) -> Time {
        self.0
    }

    /// The time that it was written from, if it is this one: a file knows whole seconds.
    fn or_known(self, known: Option<Time>) -> Time {
        known.filter(|known| Self::new(*known) == self).unwrap_or(self.0)
    }

    /// `09:30:00`
    pub fn clock(self) -> String {
        self.written("%H:%M:%S")
    }

    fn written(self, form: &str) -> String {
        let moment = jiff::Timestamp::from_millisecond(self.0.as_millis()).unwrap_or_default();
        moment.strftime(form).to_string()
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.written("%Y-%m-%dT%H:%M:%S+00:00"))
    }
}

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Time::deserialize(deserializer).map(Self::new)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateFile {
    pub run_id: RunId,
    #[serde(default)]
    pub workflow_path: String,
    #[serde(default)]
    pub source_workflow_path: String,
    #[serde(default)]
    pub source_branch: Option<String>,
    #[serde(default)]
    pub source_head: Option<String>,
    #[serde(default)]
    pub workflow_slug: String,
    #[serde(default)]
    pub intent: String,
    #[serde(default)]
    pub success_criteria: String,
    #[serde(default)]
    pub risk_level: Risk,
    #[serde(default)]
    pub auto_approve: bool,
    #[serde(default)]
    pub branch: String,
    #[serde(default)]
    pub repo_root: String,
    #[serde(default)]
    pub execution_root: String,
    #[serde(default)]
    pub worktree_path: Option<String>,
    #[serde(default = "usual_mode")]
    pub executor_mode: String,
    #[serde(default = "usual_driver")]
    pub driver: String,
    #[serde(default = "usual_host")]
    pub host: String,
    #[serde(default)]
    pub policy: PolicyJson,
    #[serde(default)]
    pub budgets: BudgetsJson,
    #[serde(default)]
    pub external_actions: Vec<ActionJson>,
    #[serde(default)]
    pub policy_pauses: Vec<String>,
    #[serde(default)]
    pub controller: ControllerJson,
    #[serde(default)]
    pub ownership_required: bool,
    #[serde(default)]
    pub ownership_history: Vec<OwnershipJson>,
    #[serde(default)]
    pub revision: u64,
    pub started_at: Moment,
    pub last_update: Moment,
    #[serde(default)]
    pub completed_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalized_at: Option<Moment>,
    pub status: RunStatus,
    #[serde(default = "first_step")]
    pub current_step: u32,
    #[serde(default)]
    pub total_steps: usize,
    #[serde(default)]
    pub report_path: String,
    #[serde(default)]
    pub finish: FinishJson,
    pub steps: Vec<StepJson>,
}

impl StateFile {
    /// There is work left, and nobody has said what becomes of what is done.
    pub fn is_unfinished(&self) -> bool {
        match self.status {
            RunStatus::Running | RunStatus::Paused | RunStatus::Blocked => {
                self.finish.disposition.is_none()
            }
            RunStatus::ReadyToFinish | RunStatus::Completed | RunStatus::Abandoned => false,
        }
    }
}

fn usual_mode() -> String {
    "loop".to_owned()
}

fn usual_driver() -> String {
    "generic".to_owned()
}

fn usual_host() -> String {
    "fallback".to_owned()
}

const fn first_step() -> u32 {
    1
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyJson {
    pub profile: String,
    pub sensitive_actions: String,
}

impl Default for PolicyJson {
    fn default() -> Self {
        Self { profile: "standard".to_owned(), sensitive_actions: "human".to_owned() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BudgetsJson {
    #[serde(default)]
    pub limits: LimitsJson,
    #[serde(default)]
    pub observed: ObservedJson,
    #[serde(default)]
    pub exceeded: Vec<Metric>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LimitsJson {
    #[serde(default)]
    pub total_attempts: Option<Amount>,
    #[serde(default)]
    pub agents: Option<Amount>,
    #[serde(default)]
    pub cost_usd: Option<Amount>,
    #[serde(default)]
    pub elapsed_minutes: Option<Amount>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ObservedJson {
    #[serde(default)]
    pub agents: Option<Amount>,
    #[serde(default)]
    pub cost_usd: Option<Amount>,
    #[serde(default)]
    pub elapsed_minutes: Option<Amount>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionJson {
    pub id: String,
    pub kind: ActionKind,
    pub target: String,
    pub status: ActionStatus,
    pub requested_at: Moment,
    #[serde(default)]
    pub decided_at: Option<Moment>,
    #[serde(default)]
    pub decision_mode: Option<DecisionMode>,
    /// Records of older tools have none of the next three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_required: Option<bool>,
    #[serde(default)]
    pub idempotency_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectJson>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectJson {
    pub status: EffectStatus,
    #[serde(default)]
    pub intent_recorded_at: Option<Moment>,
    #[serde(default)]
    pub completed_at: Option<Moment>,
    #[serde(default)]
    pub evidence_ref: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControllerJson {
    pub status: OwnerStatus,
    #[serde(default)]
    pub owner_id: Option<String>,
    #[serde(default)]
    pub token_sha256: Option<String>,
    #[serde(default)]
    pub claimed_at: Option<Moment>,
    #[serde(default)]
    pub heartbeat_at: Option<Moment>,
    #[serde(default)]
    pub lease_expires_epoch: Option<i64>,
    #[serde(default)]
    pub released_at: Option<Moment>,
}

impl Default for ControllerJson {
    fn default() -> Self {
        Self {
            status: OwnerStatus::Unclaimed,
            owner_id: None,
            token_sha256: None,
            claimed_at: None,
            heartbeat_at: None,
            lease_expires_epoch: None,
            released_at: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnershipJson {
    pub event: OwnerChange,
    pub owner_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_owner: Option<String>,
    pub at: Moment,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FinishJson {
    #[serde(default)]
    pub disposition: Option<Disposition>,
    #[serde(default)]
    pub recorded_at: Option<Moment>,
    #[serde(default)]
    pub target_branch: Option<String>,
    #[serde(default)]
    pub remote: Option<String>,
    #[serde(default)]
    pub pr_url: Option<String>,
    #[serde(default)]
    pub branch_action: Option<String>,
    #[serde(default)]
    pub worktree_action: Option<String>,
    #[serde(default)]
    pub artifacts_preserved_at: Option<String>,
    #[serde(default)]
    pub notes: Option<String>,
    /// Ours: the steps whose gates were only attested when the work landed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attested_gates: Vec<u32>,
    /// Ours: the commit that landed, where the run had ended at another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed_head: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepJson {
    pub number: u32,
    pub name: String,
    #[serde(default)]
    pub action: String,
    pub status: StepStatus,
    #[serde(default)]
    pub attempts: u32,
    #[serde(default = "usual_iterations")]
    pub max_iterations: u32,
    #[serde(rename = "loop", default)]
    pub repeat: Loop,
    #[serde(default)]
    pub started_at: Option<Moment>,
    #[serde(default)]
    pub completed_at: Option<Moment>,
    #[serde(default)]
    pub verify: Option<VerifyJson>,
    #[serde(default)]
    pub gate: Option<Gate>,
    #[serde(default)]
    pub gate_result: Option<Decision>,
    #[serde(default)]
    pub gate_mode: Option<Mode>,
    #[serde(default)]
    pub block_reason: Option<String>,
    /// Ours alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<u32>,
}

const fn usual_iterations() -> u32 {
    3
}

/// A check, or a list of them. Which keys there are depends on the type.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerifyJson {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assert: Option<AssertJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<VerifyJson>>,
    /// Ours alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<crate::duration::Span>,
    #[serde(default)]
    pub passed: Option<bool>,
    #[serde(default)]
    pub stdout: Option<String>,
    #[serde(default)]
    pub stderr: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AssertJson {
    #[serde(default)]
    pub kind: String,
    #[serde(default)]
    pub value: Option<String>,
}

impl VerifyJson {
    /// What a check says, without any result.
    pub(super) fn of(check: &Check) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let plain = Self { kind: check.kind().to_owned(), ..Self::default() };
        match check {
            Check::Shell { command, timeout } => {
                Self { command: Some(text(command)), timeout: *timeout, ..plain }
            }
            Check::Browser { url, check, timeout } => {
                let (url, check) = (text(url), text(check));
                let command = Some(format!("browser: {url} - {check}"));
                Self { command, url: Some(url), check: Some(check), timeout: *timeout, ..plain }
            }
            Check::Review { prompt } => Self { prompt: Some(text(prompt)), ..plain },
            Check::Artifact { path, assert, timeout } => {
                let assert = AssertJson {
                    kind: assert.as_ref().map_or("", |assert| assert.kind.as_str()).to_owned(),
                    value: assert.as_ref().and_then(|assert| assert.value.clone()),
                };
                let path = Some(text(path));
                Self { path, assert: Some(assert), timeout: *timeout, ..plain }
            }
            Check::Unknown { .. } => plain,
        }
    }
}
