//! A run as the ledger remembers it. How events change it is in `fold`.

use serde::{Deserialize, Serialize};

use super::check::{CheckResult, Outcome, both_outputs, is_real};
use super::event::{FinishDetails, Place, Tie};
use super::file::{Amount, Budgets, Check, Form, Gate, Loop, Risk};
use super::name::RunId;
use super::word::{
    ActionKind, ActionStatus, Authority, Cause, Decision, DecisionMode, Disposition, EffectStatus,
    Gates, Metric, Mode, OwnerChange, OwnerStatus, RunStatus, StepStatus,
};
use crate::chain::Hash;
use crate::duration::Span;
use crate::{Code, Refusal, RunKey, Time};

/// One execution of a workflow file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "what a workflow file says is yes or no")]
pub struct Run {
    pub key: RunKey,
    pub name: RunId,
    pub place: Place,
    pub intent: String,
    pub success_criteria: String,
    pub risk: Risk,
    pub auto_approve: bool,
    /// Of the workflow file as it is executed; not known of an imported run.
    pub file_sha256: Option<Hash>,
    /// The output of checks that pass is in the report too.
    pub report_full: bool,
    pub progress_verbose: bool,
    pub policy_profile: String,
    pub gates: Gates,
    /// How long the answer of a person is waited for before it is overdue; for ever if nothing.
    pub gate_timeout: Option<Span>,
    pub tie: Option<Tie>,
    pub head_before: Option<String>,
    pub head_after: Option<String>,
    pub limits: Budgets,
    pub observed: Observed,
    pub exceeded: Vec<Metric>,
    /// Since when a budget is used up.
    pub exceeded_at: Option<Time>,
    pub actions: Vec<Action>,
    pub owner: Owner,
    pub require_owner: bool,
    pub ownership: Vec<OwnerRecord>,
    /// How many events its stream has.
    pub version: u64,
    /// How often it was changed, as its state file counts: from 0, and on from where an import
    /// found it.
    pub revision: u64,
    pub started_at: Time,
    pub updated_at: Time,
    pub completed_at: Option<Time>,
    pub finalized: Option<Finalized>,
    /// A status that does not follow from anything else; from the files of others.
    pub held: Option<RunStatus>,
    pub current_step: u32,
    pub finish: Option<Finish>,
    pub steps: Vec<StepState>,
    /// The digest of the last outside edit that was refused.
    pub refused_edit: Option<Hash>,
}

/// What was reported to be used up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Observed {
    pub agents: Option<Amount>,
    pub cost_usd: Option<Amount>,
    pub elapsed_minutes: Option<Amount>,
}

/// Who owns a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub status: OwnerStatus,
    pub id: Option<String>,
    pub token_sha256: Option<String>,
    pub claimed_at: Option<Time>,
    pub heartbeat_at: Option<Time>,
    pub lease_until: Option<Time>,
    pub released_at: Option<Time>,
}

impl Owner {
    pub(super) const NOBODY: Self = Self {
        status: OwnerStatus::Unclaimed,
        id: None,
        token_sha256: None,
        claimed_at: None,
        heartbeat_at: None,
        lease_until: None,
        released_at: None,
    };

    pub fn lease_ran_out(&self, now: Time) -> bool {
        self.lease_until.is_none_or(|until| until <= now)
    }
}

/// One change of the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerRecord {
    pub change: OwnerChange,
    pub owner: String,
    pub from: Option<String>,
    pub at: Time,
    pub reason: Option<String>,
    pub forced: bool,
}

/// Something done outside the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    pub id: String,
    pub kind: ActionKind,
    pub target: String,
    pub status: ActionStatus,
    pub requested_at: Time,
    pub decided_at: Option<Time>,
    pub mode: DecisionMode,
    /// Why it was decided so, as far as somebody said it.
    pub reason: Option<String>,
    pub idempotency_key: Option<String>,
    /// Not there in records of older tools.
    pub effect: Option<Effect>,
    /// Somebody went on although it was rejected or failed.
    pub acknowledged: bool,
}

impl Action {
    /// It stops the run until somebody decides, or says what came of it.
    pub(super) fn pause(&self) -> Option<String> {
        let uncertain =
            self.effect.as_ref().is_some_and(|effect| effect.status == EffectStatus::Uncertain);
        match self.status {
            ActionStatus::Pending => Some(self.id.clone()),
            _ if uncertain => Some(format!("effect:{}", self.id)),
            ActionStatus::Allowed
            | ActionStatus::HostAuthority
            | ActionStatus::Approved
            | ActionStatus::Rejected => None,
        }
    }

    pub(super) fn blocks(&self) -> bool {
        let failed = self.effect_status() == Some(EffectStatus::Failed);
        !self.acknowledged && (failed || self.status == ActionStatus::Rejected)
    }

    pub(super) fn effect_status(&self) -> Option<EffectStatus> {
        self.effect.as_ref().map(|effect| effect.status)
    }
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    pub status: EffectStatus,
    pub intent_recorded_at: Option<Time>,
    pub completed_at: Option<Time>,
    pub evidence_ref: Option<String>,
}

/// The end of the work on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finalized {
    pub at: Time,
    /// `ready_to_finish`, `blocked` or `completed`.
    pub status: RunStatus,
}

/// What became of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    pub disposition: Disposition,
    pub recorded_at: Time,
    pub details: FinishDetails,
}

/// A step of a run: what the file says of it, and how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepState {
    pub number: u32,
    pub name: String,
    pub action: String,
    pub repeat: Loop,
    /// How often it may be tried, with what was granted later.
    pub max_iterations: u32,
    pub checks: Vec<Check>,
    pub form: Form,
    pub gate: Option<Gate>,
    pub depends_on: Vec<u32>,
    pub status: StepStatus,
    pub attempts: u32,
    /// The present attempt was counted by a retry, and nobody has started it yet.
    pub retried: bool,
    pub started_by: Option<String>,
    pub started_at: Option<Time>,
    pub completed_at: Option<Time>,
    pub passed: Option<bool>,
    pub stdout: Option<String>,
    pub stderr: Option<String>,
    /// Of the present attempt, in the order of the checks.
    pub results: Vec<CheckResult>,
    pub decided: Option<Decided>,
    /// When its gate was opened again.
    pub reopened_at: Option<Time>,
    /// Since when the answer that it waits for is overdue, once somebody noticed.
    pub overdue_since: Option<Time>,
    pub block: Option<Block>,
}

/// What was decided about a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    pub decision: Decision,
    pub mode: Mode,
    pub authority: Authority,
    pub by: Option<String>,
    pub reason: Option<String>,
    pub at: Time,
}

/// Why a step is blocked, and what it was before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub cause: Cause,
    pub reason: String,
    pub from: StepStatus,
    /// The check that waits for a person.
    pub check: Option<usize>,
    /// What that check showed, if it showed anything.
    pub seen: Option<CheckResult>,
    pub at: Time,
}

/// When an attempt fails after which none is left, the step is blocked.
pub(super) const fn are_used_up(attempts: u32, of: u32) -> bool {
    attempts >= of
}

impl StepState {
    /// It has a check that checks something.
    pub fn is_checked(&self) -> bool {
        self.checks.iter().any(is_real)
    }

    /// The checks that come after the last that passed in this attempt, with their places.
    pub fn pending_checks(&self) -> impl Iterator<Item = (usize, &Check)> {
        let next = self.results.iter().map(|result| result.check.saturating_add(1)).max();
        self.checks.iter().enumerate().skip(next.unwrap_or(0))
    }

    /// It is done, and of a check it has nobody here saw how it ended.
    pub(super) fn is_unseen(&self) -> bool {
        let was_seen = |place| {
            let of_it = |result: &&CheckResult| result.check == place;
            self.results.iter().find(of_it).is_some_and(|seen| seen.outcome == Outcome::Passed)
        };
        self.status == StepStatus::Done && !(0..self.checks.len()).all(was_seen)
    }

    /// What its checks wrote, as far as it is kept. Of an imported step the beginnings are.
    pub fn written(&self) -> (Option<String>, Option<String>) {
        match (&self.stdout, self.results.as_slice()) {
            (Some(_), results @ [_, ..]) => {
                let (stdout, stderr) = both_outputs(results);
                (Some(stdout), Some(stderr))
            }
            _ => (self.stdout.clone(), self.stderr.clone()),
        }
    }

    pub(super) fn is_exhausted(&self) -> bool {
        are_used_up(self.attempts, self.max_iterations)
    }

    /// A person looks at it, and nothing else is checked.
    pub(super) fn is_review(&self) -> bool {
        self.form == Form::One && matches!(self.checks.as_slice(), [Check::Review { .. }])
    }

    pub fn is_approved(&self) -> bool {
        self.decided.as_ref().is_some_and(|decided| decided.decision == Decision::Approved)
    }

    pub(super) fn is_rejected(&self) -> bool {
        self.decided.as_ref().is_some_and(|decided| decided.decision == Decision::Rejected)
    }

    /// The results of the present attempt, with what a person is still asked about.
    pub fn seen(&self) -> impl Iterator<Item = &CheckResult> {
        self.results.iter().chain(self.block.as_ref().and_then(|block| block.seen.as_ref()))
    }

    /// The check that waits for a person.
    pub fn waiting_check(&self) -> Option<&Block> {
        self.block.as_ref().filter(|block| block.cause == Cause::Review)
    }
}

impl Run {
    /// How far it has come. It follows from what happened, so that whatever stopped it can be
    /// undone.
    pub fn status(&self) -> RunStatus {
        let finalized = self.finalized.map(|finalized| finalized.status);
        match (self.held, finalized) {
            (Some(RunStatus::Abandoned), _) => RunStatus::Abandoned,
            _ if self.is_stuck() => RunStatus::Blocked,
            (_, Some(status)) | (Some(status), None) => status,
            (None, None) if !self.waiting().is_empty() => RunStatus::Paused,
            (None, None) => RunStatus::Running,
        }
    }

    fn is_stuck(&self) -> bool {
        !self.blockers().is_empty()
    }

    /// The actions that pause it.
    pub fn pauses(&self) -> Vec<String> {
        let mut pauses: Vec<String> = self.actions.iter().filter_map(Action::pause).collect();
        pauses.sort();
        pauses
    }

    /// The step is done, and its gate is not decided.
    pub(super) fn gate_is_open(&self, step: &StepState) -> bool {
        step.status == StepStatus::Done && self.needs_gate(step) && step.decided.is_none()
    }

    /// Somebody must approve the step before the run can end.
    pub fn needs_gate(&self, step: &StepState) -> bool {
        step.gate.is_some() || self.risk == Risk::High || step.is_review()
    }

    /// What it needs is approved, and in a run of high risk by a person.
    pub(super) fn gate_is_proven(&self, step: &StepState) -> bool {
        let by_person = step.decided.as_ref().is_some_and(|decided| decided.mode == Mode::Human);
        step.is_approved() && (self.risk != Risk::High || by_person)
    }

    /// A step by its place, from 1.
    pub fn step(&self, number: u32) -> Result<&StepState, Refusal> {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        place.and_then(|place| self.steps.get(place)).ok_or_else(|| {
            let last = self.steps.len();
            Refusal::new(Code::StepNotFound, format!("Invalid step number: {number}"))
                .hint(format!("run {} has the steps 1 to {last}", self.name))
                .detail("run_id", self.name.as_str())
                .detail("step", number)
                .detail("steps", last)
        })
    }

    /// What must be done before a step may start: what it says it depends on, else all before it.
    pub(super) fn before(&self, number: u32) -> impl Iterator<Item = (u32, &StepState)> {
        let named = self.step(number).map(|step| step.depends_on.clone()).unwrap_or_default();
        let earlier = self.steps.iter().enumerate().map(|(at, step)| (position(at), step));
        earlier
            .take_while(move |(at, _)| *at < number)
            .filter(move |(at, _)| named.is_empty() || named.contains(at))
    }

    /// How often steps were tried.
    pub fn attempts(&self) -> u64 {
        self.steps.iter().map(|step| u64::from(step.attempts)).sum()
    }

    /// Whole minutes since it began.
    pub fn elapsed_minutes(&self, now: Time) -> u64 {
        u64::try_from(now.millis_since(self.started_at) / 60_000).unwrap_or(0)
    }

    pub fn action(&self, id: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.id == id)
    }
}

/// The number by which the step at a place in the list is addressed.
pub(super) fn position(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}
