//! `run gate` and `run reopen`: what a person decides.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::run::Run;
use windlass_domain::run::gate::{self, Answer};
use windlass_domain::run::word::{Decision, Mode, Reopen as Then};
use windlass_ledger::Error;

use super::change::{Act, Changed, Doer, word};
use super::steps::run_operation;
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation};

/// Decides the gate of a step, or a check that waits for a person.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// The number of the step, from 1
    pub step: u32,
    /// approved or rejected
    pub decision: String,
    /// Who decides: human, or auto for a caller whose word counts
    #[arg(long, value_name = "MODE", default_value = "human")]
    #[serde(default = "human")]
    pub mode: String,
    /// Why; a rejection needs it
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

fn human() -> String {
    Mode::Human.as_str().to_owned()
}

impl Operation for Gate {
    type Output = Changed;
    const NAME: &'static str = "run.gate";
    const ABOUT: &'static str = "Decide the gate of a step, or a check that waits for a person";
    const EXAMPLE: &'static str = "windlass run gate 2 approved";
    const ACCESS: Access = Access::Approve;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let number = self.step;
        let decision = word("decision", &self.decision, Decision::ALL, Decision::as_str)?;
        let mode = word("mode", &self.mode, Mode::ALL, Mode::as_str)?;
        let answer = Answer { decision, mode, reason: self.reason.clone() };
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| Ok(gate::decide(run, number, &answer, caller, now)?),
            |before, run, now| {
                let what = if is_review(before, number) { "human-review" } else { "gate" };
                let done = format!("{what} {number}: {decision} ({mode})");
                Ok(Changed::new(run, Some(number), done, now))
            },
        )
    }

    run_operation!();
}

/// It was a check that waited, and not the gate.
fn is_review(before: &Run, number: u32) -> bool {
    before.step(number).is_ok_and(|step| step.waiting_check().is_some())
}

/// Takes back what was decided about a step.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Reopen {
    /// The number of the step, from 1
    pub step: u32,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Do the step again, instead of deciding again
    #[arg(long)]
    #[serde(default)]
    pub redo: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for Reopen {
    type Output = Changed;
    const NAME: &'static str = "run.reopen";
    const ABOUT: &'static str = "Take back what was decided about a step, to decide or do it again";
    const EXAMPLE: &'static str = "windlass run reopen 2 --reason \"the wrong button\"";
    const ACCESS: Access = Access::Approve;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let number = self.step;
        let then = if self.redo { Then::Redo } else { Then::Decide };
        Act { target: &self.target, doer: &self.doer }.change(
            cx,
            Some(number),
            |run, caller, now| Ok(gate::reopen(run, number, then, &self.reason, caller, now)?),
            |_| match then {
                Then::Decide => format!("the gate of step {number} is open again"),
                Then::Redo => format!("step {number} is to be done again"),
            },
        )
    }

    run_operation!();
}
