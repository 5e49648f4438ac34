//! `run step …`: working on the steps of a run.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_domain::duration::Span;
use windlass_domain::run::check::CheckResult;
use windlass_domain::run::file::Check;
use windlass_domain::run::state::Owner;
use windlass_domain::run::step;
use windlass_domain::run::word::{RunStatus, StepStatus};
use windlass_domain::run::{Run, StepState};
use windlass_domain::{Refusal, Time, lease};
use windlass_ledger::{Error, Fault};

use super::change::{Act, Changed, Doer, Verified, Whereabouts};
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, counted};

macro_rules! run_operation {
    () => {
        fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
            let mut settled = self.clone();
            settled.target = self.target.settled(cx)?;
            settled.doer = self.doer.here(cx);
            Ok(Some(settled))
        }

        fn afterwards(&self, answer: &Self::Output, cx: &mut Context) {
            answer.mirror(cx);
        }

        fn afterwards_refused(&self, refusal: &windlass_domain::Refusal, cx: &mut Context) {
            super::mirror::refused(cx, &self.target, refusal);
        }
    };
}
pub(super) use run_operation;

/// Begins to work on a step.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct StepStart {
    /// Its number, from 1
    pub step: u32,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for StepStart {
    type Output = Changed;
    const NAME: &'static str = "run.step.start";
    const ABOUT: &'static str =
        "Begin to work on a step; one caller wins it, and the attempt counts";
    const EXAMPLE: &'static str = "windlass run step start 1";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let number = self.step;
        Act { target: &self.target, doer: &self.doer }.change(
            cx,
            Some(number),
            |run, caller, now| step::start(run, number, caller, now),
            |_| format!("started step {number}"),
        )
    }

    run_operation!();
}

/// Tries a step again that failed.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct StepRetry {
    /// Its number, from 1
    pub step: u32,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for StepRetry {
    type Output = Changed;
    const NAME: &'static str = "run.step.retry";
    const ABOUT: &'static str = "Try a step again that failed; the attempt counts";
    const EXAMPLE: &'static str = "windlass run step retry 1";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let number = self.step;
        Act { target: &self.target, doer: &self.doer }.change(
            cx,
            Some(number),
            |run, caller, now| step::retry(run, number, caller, now),
            |run| {
                let (attempt, most) = attempts(run, number);
                format!("retrying step {number} (attempt {attempt}/{most})")
            },
        )
    }

    run_operation!();
}

fn attempts(run: &Run, number: u32) -> (u32, u32) {
    run.step(number).map_or((0, 0), |step| (step.attempts, step.max_iterations))
}

/// Stops a step that cannot go on.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct StepBlock {
    /// Its number, from 1
    pub step: u32,
    /// Why it cannot go on
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for StepBlock {
    type Output = Changed;
    const NAME: &'static str = "run.step.block";
    const ABOUT: &'static str = "Stop a step that cannot go on, and with it the run";
    const EXAMPLE: &'static str = "windlass run step block 2 --reason \"the API key is missing\"";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let (number, reason) = (self.step, &self.reason);
        Act { target: &self.target, doer: &self.doer }.change(
            cx,
            Some(number),
            |run, caller, now| Ok(step::block(run, number, reason, caller, now)?),
            |_| format!("blocked step {number}: {}", reason.trim()),
        )
    }

    run_operation!();
}

/// Lets a blocked step go on.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct StepUnblock {
    /// Its number, from 1
    pub step: u32,
    /// Why it can go on
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for StepUnblock {
    type Output = Changed;
    const NAME: &'static str = "run.step.unblock";
    const ABOUT: &'static str =
        "Let a blocked step go on, with one more attempt if it has none left";
    const EXAMPLE: &'static str = "windlass run step unblock 2 --reason \"the key is there now\"";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let (number, reason) = (self.step, &self.reason);
        Act { target: &self.target, doer: &self.doer }.change(
            cx,
            Some(number),
            |run, caller, now| Ok(step::unblock(run, Some(number), reason, caller, now)?),
            |_| format!("step {number} can go on"),
        )
    }

    run_operation!();
}

/// Lets a blocked run go on.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Unblock {
    /// Why it can go on
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for Unblock {
    type Output = Changed;
    const NAME: &'static str = "run.unblock";
    const ABOUT: &'static str =
        "Let a run go on that an action stopped, or that was finalized as blocked";
    const EXAMPLE: &'static str = "windlass run unblock --reason \"the deploy was undone\"";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let reason = &self.reason;
        Act { target: &self.target, doer: &self.doer }.change(
            cx,
            None,
            |run, caller, now| Ok(step::unblock(run, None, reason, caller, now)?),
            |run| {
                match run.status() {
                    RunStatus::Blocked => "the end of the run is taken back; what blocks it stays",
                    _ => "the run can go on",
                }
                .to_owned()
            },
        )
    }

    run_operation!();
}

/// Says which checks of a step are to be run now. `run step verify` asks this first.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct StepChecks {
    /// Its number, from 1
    pub step: u32,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

/// The checks to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Checks {
    #[serde(flatten)]
    pub whereabouts: Whereabouts,
    pub step: u32,
    /// How many steps there are.
    pub of_steps: usize,
    pub name: String,
    pub attempt: u32,
    pub max_attempts: u32,
    /// The lease of the owner, to be renewed while they run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_lease_seconds: Option<i64>,
    /// When that is due first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_due_in_ms: Option<i64>,
    /// The task of the run and the fence of its claim, whose lease is renewed too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<(String, u64)>,
    /// In this order, each with its place in the list of the step.
    #[schemars(with = "Vec<(usize, Value)>")]
    pub checks: Vec<(usize, Check)>,
}

impl Operation for StepChecks {
    type Output = Checks;
    const NAME: &'static str = "run.step.checks";
    const ABOUT: &'static str =
        "Say which checks of a step are to be run now, if it may be verified";
    const EXAMPLE: &'static str = "windlass run step checks 1";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Checks, Error> {
        let number = self.step;
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| step::may_verify(run, number, caller, now).map(|()| Vec::new()),
            |_, run, now| Checks::of(run, number, now),
        )
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let target = self.target.settled(cx)?;
        Ok(Some(Self { target, doer: self.doer.here(cx), ..self.clone() }))
    }
}

impl Checks {
    fn of(run: &Run, number: u32, now: Time) -> Result<Self, Fault> {
        let bug = |_: Refusal| Fault::bug("a step went away");
        let step = run.step(number).map_err(bug)?;
        Ok(Self {
            whereabouts: Whereabouts::of(run),
            step: number,
            of_steps: run.steps.len(),
            name: step.name.clone(),
            attempt: step.attempts,
            max_attempts: step.max_iterations,
            owner_lease_seconds: lease_of(&run.owner),
            owner_due_in_ms: due_of(&run.owner, now),
            claim: run.tie.map(|tie| (tie.task.to_string(), tie.fence)),
            checks: step::pending_checks(run, number).map_err(bug)?,
        })
    }
}

/// How long the lease of an owner is, if there is one.
fn lease_of(owner: &Owner) -> Option<i64> {
    let (until, since) = (owner.lease_until?, owner.heartbeat_at?);
    Some((until.millis_since(since) / 1_000).max(1))
}

/// How long from now until it is to be renewed.
fn due_of(owner: &Owner, now: Time) -> Option<i64> {
    let lease = Span::from_millis(lease_of(owner)?.saturating_mul(1_000));
    Some(lease::due_in(lease, owner.lease_until?, now).as_millis())
}

impl Output for Checks {
    fn sheet(&self, _now: Time) -> Sheet {
        let Self { step, attempt, checks, .. } = self;
        let count = counted(checks.len() as u64, "check");
        Sheet::line(format!("step {step}, attempt {attempt}: {count} to run"))
    }
}

/// Records what the checks of a step showed. `run step verify` says this last.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct StepChecked {
    /// Its number, from 1
    pub step: u32,
    /// The attempt whose work was checked
    #[arg(long, value_name = "N")]
    pub attempt: u32,
    /// What each check showed, as JSON
    #[arg(long, value_name = "JSON", value_parser = results)]
    #[schemars(with = "Vec<Value>")]
    pub results: Results,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

/// What the checks of a step showed, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Results(pub Vec<CheckResult>);

fn results(text: &str) -> Result<Results, String> {
    serde_json::from_str(text).map_err(|wrong| wrong.to_string())
}

impl Operation for StepChecked {
    type Output = Verified;
    const NAME: &'static str = "run.step.checked";
    const ABOUT: &'static str = "Record what the checks of a step showed";
    const EXAMPLE: &'static str = "windlass run step checked 1 --attempt 1 --results '[]'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Verified, Error> {
        let Self { step: number, attempt, results, .. } = self.clone();
        Act { target: &self.target, doer: &self.doer }
            .change(
                cx,
                Some(number),
                |run, caller, now| {
                    Ok(step::verified(run, number, attempt, results.0.clone(), caller, now)?)
                },
                |run| run.step(number).map(verdict).unwrap_or_default(),
            )
            .map(|changed| Verified { changed })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let target = self.target.settled(cx)?;
        Ok(Some(Self { target, doer: self.doer.here(cx), ..self.clone() }))
    }

    fn afterwards(&self, answer: &Verified, cx: &mut Context) {
        answer.changed.mirror(cx);
    }
}

/// What a verification came to, in the words of HOTL.
fn verdict(step: &StepState) -> String {
    match (step.status, &step.block) {
        (StepStatus::Done, _) if step.is_checked() => "pass".to_owned(),
        (StepStatus::Done, _) => "pass (no verify command)".to_owned(),
        (_, Some(block)) => format!("blocked: {}", block.reason),
        _ => "fail".to_owned(),
    }
}
