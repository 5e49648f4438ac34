//! The receipt of a run: what was done, checked and decided, and whether that proves enough.
//!
//! It has all of HOTL's `hotl.receipt/v1`, and beside it the workflow file as executed, the commits
//! and every check. It never holds output, only its digest. `sufficiency` means what it means to
//! HOTL; what that leaves open stands in `caveats`. Where it comes from a ledger it says from which
//! place of the log, and can be signed ([`super::signed`]).

use serde::{Deserialize, Serialize};

use super::check::CheckResult;
use super::event::Tie;
use super::file::{Gate, Risk};
use super::name::RunId;
use super::signed::Signature;
use super::state::{Run, StepState};
use super::state_file::{
    ActionJson, BudgetsJson, FinishJson, Moment, PolicyJson, VerifyJson, verify,
};
use super::word::{
    ActionStatus, Authority, Caveat, Decision, EffectStatus, Gates, Mode, OutcomeWord, OwnerStatus,
    Reason, RunStatus, StepStatus,
};
use crate::chain::{Hash, Head};
use crate::{Code, Refusal, RunKey};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Receipt {
    pub schema: &'static str,
    pub generated_at: Moment,
    pub run: RunPart,
    pub implementation: Implementation,
    pub controller: ControllerPart,
    pub evidence: Vec<StepEvidence>,
    pub policy: PolicyJson,
    pub budgets: BudgetsJson,
    pub external_actions: Vec<ActionJson>,
    pub finish: FinishJson,
    pub sufficiency: Sufficiency,
    pub redaction: Redaction,
    /// Ours: where in the log this was so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// The state of a run that a receipt is of, and the end of the log when it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub run: RunKey,
    /// How many events the run had.
    pub version: u64,
    pub seq: u64,
    /// Of the event at `seq`, and with it of all before.
    pub hash: Hash,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPart {
    pub id: RunId,
    pub workflow_path: String,
    pub source_workflow_path: String,
    pub workflow_slug: String,
    pub intent: String,
    pub risk_level: Risk,
    pub branch: String,
    pub repo_root: String,
    pub execution_root: String,
    pub worktree_path: Option<String>,
    pub executor_mode: String,
    pub status: RunStatus,
    pub started_at: Moment,
    pub completed_at: Option<Moment>,
    /// Of the workflow file as it was executed.
    pub workflow_sha256: Option<Hash>,
    pub commit_before: Option<String>,
    pub commit_after: Option<String>,
    pub gates: Gates,
    pub task: Option<Tie>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Implementation {
    pub driver: String,
    pub host: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ControllerPart {
    pub status: OwnerStatus,
    pub owner_id: Option<String>,
    pub claimed_at: Option<Moment>,
    pub heartbeat_at: Option<Moment>,
    pub lease_expires_epoch: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepEvidence {
    pub step: u32,
    pub name: String,
    pub status: StepStatus,
    pub attempts: u32,
    pub verification: Verification,
    pub gate: GateEvidence,
    pub block_reason: Option<String>,
    /// Ours: every check of the last attempt.
    pub checks: Vec<CheckEvidence>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    pub required: bool,
    #[serde(rename = "type")]
    pub kind: String,
    pub reference: Option<String>,
    pub passed: Option<bool>,
    /// It is done, and nothing showed that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unverified: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateEvidence {
    pub required: bool,
    pub required_mode: Option<Mode>,
    pub configured: Option<Gate>,
    pub result: Option<Decision>,
    pub mode: Option<Mode>,
    /// Ours: by what right, who, why and when.
    pub authority: Option<Authority>,
    pub by: Option<String>,
    pub reason: Option<String>,
    pub decided_at: Option<Moment>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckEvidence {
    #[serde(rename = "type")]
    pub kind: String,
    pub reference: Option<String>,
    pub outcome: OutcomeWord,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub started_at: Option<crate::Time>,
    pub ended_at: Option<crate::Time>,
    pub stdout_bytes: u64,
    pub stdout_sha256: Option<Hash>,
    pub stderr_bytes: u64,
    pub stderr_sha256: Option<Hash>,
    pub exhibits: Vec<super::check::Exhibit>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sufficiency {
    pub sufficient: bool,
    pub reasons: Vec<Reason>,
    /// Ours: what the word of the agent stands for.
    pub caveats: Vec<Caveat>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Redaction {
    pub stdout_included: bool,
    pub stderr_included: bool,
    pub environment_included: bool,
}

/// The receipt of a run as it is now.
pub fn receipt(run: &Run) -> Receipt {
    let place = run.place.clone();
    let owner = &run.owner;
    Receipt {
        schema: "hotl.receipt/v1",
        generated_at: Moment::new(run.updated_at),
        implementation: Implementation { driver: place.driver, host: place.host },
        run: RunPart {
            id: run.name.clone(),
            workflow_path: place.workflow_path,
            source_workflow_path: place.source_workflow_path,
            workflow_slug: place.workflow_slug,
            intent: run.intent.clone(),
            risk_level: run.risk,
            branch: place.branch,
            repo_root: place.repo_root,
            execution_root: place.execution_root,
            worktree_path: place.worktree_path,
            executor_mode: place.executor_mode,
            status: run.status(),
            started_at: Moment::new(run.started_at),
            completed_at: run.completed_at.map(Moment::new),
            workflow_sha256: run.file_sha256,
            commit_before: run.head_before.clone(),
            commit_after: run.head_after.clone(),
            gates: run.gates,
            task: run.tie,
        },
        controller: ControllerPart {
            status: owner.status,
            owner_id: owner.id.clone(),
            claimed_at: owner.claimed_at.map(Moment::new),
            heartbeat_at: owner.heartbeat_at.map(Moment::new),
            lease_expires_epoch: owner.lease_until.map(|until| until.as_millis() / 1_000),
        },
        evidence: run.steps.iter().map(|step| evidence(run, step)).collect(),
        policy: PolicyJson { profile: run.policy_profile.clone(), ..PolicyJson::default() },
        budgets: run.budgets_json(),
        external_actions: run.actions.iter().map(ActionJson::of).collect(),
        finish: run.finish.as_ref().map(FinishJson::of).unwrap_or_default(),
        sufficiency: sufficiency(run),
        redaction: Redaction {
            stdout_included: false,
            stderr_included: false,
            environment_included: false,
        },
        ledger: None,
        signature: None,
    }
}

/// The same, with its place in the log that ends with `head`.
pub fn receipt_at(run: &Run, head: Head) -> Receipt {
    let Head { seq, hash } = head;
    let ledger = Some(Position { run: run.key, version: run.version, seq, hash });
    Receipt { ledger, ..receipt(run) }
}

fn sufficiency(run: &Run) -> Sufficiency {
    let reasons = reasons(run);
    Sufficiency { sufficient: reasons.is_empty(), reasons, caveats: caveats(run) }
}

fn evidence(run: &Run, step: &StepState) -> StepEvidence {
    let verify = verify(step);
    let decided = step.decided.as_ref();
    StepEvidence {
        step: step.number,
        name: step.name.clone(),
        status: step.status,
        attempts: step.attempts,
        verification: Verification {
            required: needs_verification(step),
            reference: reference(&verify),
            kind: verify.kind,
            passed: step.passed,
            unverified: step.status == StepStatus::Done && !needs_verification(step),
        },
        gate: GateEvidence {
            required: run.needs_gate(step),
            required_mode: (run.risk == Risk::High).then_some(Mode::Human),
            configured: step.gate.clone(),
            result: decided.map(|decided| decided.decision),
            mode: decided.map(|decided| decided.mode),
            authority: decided.map(|decided| decided.authority),
            by: decided.and_then(|decided| decided.by.clone()),
            reason: decided.and_then(|decided| decided.reason.clone()),
            decided_at: decided.map(|decided| Moment::new(decided.at)),
        },
        block_reason: step.block.as_ref().map(|block| block.reason.clone()),
        checks: step.seen().filter_map(|result| check_evidence(step, result)).collect(),
    }
}

fn check_evidence(step: &StepState, result: &CheckResult) -> Option<CheckEvidence> {
    let check = VerifyJson::of(step.checks.get(result.check)?);
    Some(CheckEvidence {
        reference: reference(&check),
        kind: check.kind,
        outcome: result.outcome.word(),
        exit_code: result.exit_code,
        signal: result.signal,
        started_at: result.started_at,
        ended_at: result.ended_at,
        stdout_bytes: result.stdout.size_bytes,
        stdout_sha256: result.stdout.sha256,
        stderr_bytes: result.stderr.size_bytes,
        stderr_sha256: result.stderr.sha256,
        exhibits: result.exhibits.clone(),
    })
}

/// What a check is about, in a line.
fn reference(verify: &VerifyJson) -> Option<String> {
    let VerifyJson { command, path, url, prompt, .. } = verify.clone();
    command.or(path).or(url).or(prompt)
}

/// A list counts as a check even if it is empty; so it does to HOTL.
fn needs_verification(step: &StepState) -> bool {
    step.is_checked() || step.form == super::file::Form::Many
}

/// Why the run is not proven, in HOTL's order.
pub(super) fn reasons(run: &Run) -> Vec<Reason> {
    let any_step = |of: &dyn Fn(&StepState) -> bool| run.steps.iter().any(of);
    let effect = |of: &dyn Fn(EffectStatus) -> bool, approved: bool| {
        run.actions.iter().any(|action| {
            action.kind.is_sensitive()
                && (!approved || action.status == ActionStatus::Approved)
                && action.effect_status().is_some_and(of)
        })
    };
    let unproven = run.actions.iter().any(|action| {
        action.kind.is_sensitive()
            && action.status == ActionStatus::Approved
            && (action.effect.is_none() || action.idempotency_key.is_none())
    });
    let open = |status| match status {
        EffectStatus::Succeeded | EffectStatus::Cancelled | EffectStatus::Failed => false,
        EffectStatus::NotRequired
        | EffectStatus::NotStarted
        | EffectStatus::InProgress
        | EffectStatus::Uncertain => true,
    };
    let by_person =
        |step: &StepState| step.decided.as_ref().is_some_and(|decided| decided.mode == Mode::Human);
    let rows = [
        (Reason::RunNotCompleted, run.status() != RunStatus::Completed),
        (Reason::StepsNotDone, any_step(&|step| step.status != StepStatus::Done)),
        (
            Reason::VerificationMissingOrFailed,
            any_step(&|step| needs_verification(step) && step.passed != Some(true)),
        ),
        (
            Reason::GateEvidenceMissingOrRejected,
            any_step(&|step| run.needs_gate(step) && !step.is_approved()),
        ),
        (
            Reason::HighRiskHumanGateMissing,
            run.risk == Risk::High && any_step(&|step| !by_person(step)),
        ),
        (
            Reason::SensitiveActionUnresolved,
            run.actions.iter().any(|action| action.status == ActionStatus::Pending),
        ),
        (Reason::SensitiveActionEffectEvidenceMissing, unproven),
        (Reason::SensitiveActionEffectUnresolved, effect(&open, true)),
        (
            Reason::SensitiveActionEffectFailed,
            effect(&|status| status == EffectStatus::Failed, false),
        ),
        (Reason::BudgetExceeded, !run.exceeded.is_empty()),
        (Reason::FinishDispositionMissing, run.finish.is_none()),
    ];
    rows.into_iter().filter_map(|(reason, holds)| holds.then_some(reason)).collect()
}

/// The steps whose gates were decided by the word of the caller.
pub(super) fn attested_gates(run: &Run) -> Vec<u32> {
    let is_attested = |step: &&StepState| {
        let decided = step.decided.as_ref();
        decided.is_some_and(|decided| decided.authority == Authority::Attested)
    };
    run.steps.iter().filter(is_attested).map(|step| step.number).collect()
}

/// What rests on the word of the agent alone.
pub fn caveats(run: &Run) -> Vec<Caveat> {
    let rows = [
        (Caveat::GateAttestedOnly, !attested_gates(run).is_empty()),
        (Caveat::StepUnverified, run.steps.iter().any(|step| !step.is_checked())),
        (Caveat::StepUnseen, run.steps.iter().any(StepState::is_unseen)),
    ];
    rows.into_iter().filter_map(|(caveat, holds)| holds.then_some(caveat)).collect()
}

/// Whether the run may complete the task it works on: everything is proven, no gate rests on the
/// word of the caller, and a step without a check was approved.
pub fn must_prove(run: &Run) -> Result<(), Refusal> {
    let reasons: Vec<Reason> =
        reasons(run).into_iter().filter(|reason| !reason.is_about_finish()).collect();
    let vouched = |step: &StepState| step.is_checked() || step.is_approved();
    let caveats: Vec<Caveat> = caveats(run)
        .into_iter()
        .filter(|caveat| match caveat {
            Caveat::GateAttestedOnly | Caveat::StepUnseen => true,
            Caveat::StepUnverified => !run.steps.iter().all(vouched),
        })
        .collect();
    if reasons.is_empty() && caveats.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = reasons
        .iter()
        .map(|reason| reason.as_str())
        .chain(caveats.iter().map(|caveat| caveat.as_str()))
        .collect();
    Err(run
        .refusal(
            Code::EvidenceMissing,
            format!("run {} does not prove its work: {}", run.name, names.join(", ")),
        )
        .hint(format!("see what is missing: windlass run receipt show {}", run.name))
        .detail("reasons", names))
}
