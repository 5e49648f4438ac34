//! Gates: who approves a step, and how that is taken back.

use super::caller::Caller;
use super::event::{GateDecided, GateOverdue, GateReopened};
use super::file::Risk;
use super::state::{Run, StepState};
use super::step::{given, wrong};
use super::word::{Cause, Decision, Gates, Mode, Reopen, RunStatus, StepStatus};
use crate::event::RunEvent;
use crate::{Code, Refusal, Time, text};

/// An answer to a gate, to a check that waits for a person, or to an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub decision: Decision,
    pub mode: Mode,
    pub reason: Option<String>,
}

impl Answer {
    /// The reason as it is kept. Where gates are enforced, a rejection needs one.
    pub(super) fn reason_for(&self, run: &Run) -> Result<Option<String>, Refusal> {
        match self.reason.as_deref().filter(|reason| !reason.trim().is_empty()) {
            Some(reason) => Ok(Some(text::said("reason", reason)?)),
            None if run.gates == Gates::Enforced && self.decision == Decision::Rejected => {
                given(run, "", "a rejection needs a reason").map(Some)
            }
            None => Ok(None),
        }
    }
}

/// Decides the gate of a step that is done, or a check of it that waits for a person.
pub fn decide(
    run: &Run,
    number: u32,
    answer: &Answer,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    run.admit_overseer(caller, now)?;
    let step = run.step(number)?;
    if run.risk == Risk::High && answer.mode != Mode::Human {
        return Err(person(run, number, "High-risk workflows require human gate decisions"));
    }
    let check = match step.waiting_check() {
        Some(block) => Some(block.check.unwrap_or(step.results.len())),
        None if step.status == StepStatus::Done => None,
        None => {
            let message = format!(
                "Step {number} must be done before its gate can be recorded (current status: {})",
                step.status
            );
            return Err(wrong(run, number, step, message));
        }
    };
    if run.gates == Gates::Enforced {
        enforce(run, number, step, answer, caller)?;
    }
    let reason = answer.reason_for(run)?;
    Ok(vec![
        GateDecided {
            step: number,
            check,
            decision: answer.decision,
            mode: answer.mode,
            authority: caller.authority,
            by: Some(caller.name.clone()),
            reason,
        }
        .into(),
    ])
}

/// Where gates are enforced: a person decides, once, and not whoever did the work.
fn enforce(
    run: &Run,
    number: u32,
    step: &StepState,
    answer: &Answer,
    caller: &Caller,
) -> Result<(), Refusal> {
    if answer.mode == Mode::Auto {
        return Err(person(run, number, "only the workflow file approves by itself"));
    }
    run.need_person(caller, "a gate")?;
    // Who is logged in may watch over an agent that has no name of its own.
    let worked = step.started_by.as_deref() == Some(caller.name.as_str());
    if worked && caller.is_named {
        return Err(person(run, number, "whoever works on a step does not decide its gate"));
    }
    if step.status == StepStatus::Done && step.decided.is_some() {
        let message = format!("the gate of step {number} is decided");
        return Err(run
            .refusal(Code::InvalidTransition, message)
            .hint(format!(
                "take it back first: {}",
                run.command(format_args!("reopen {number} --reason TEXT"))
            ))
            .detail("step", number)
            .detail("decision", step.decided.as_ref().map(|decided| decided.decision)));
    }
    Ok(())
}

fn person(run: &Run, number: u32, message: &str) -> Refusal {
    run.refusal(Code::PersonRequired, message)
        .hint(format!(
            "let a person decide: {}",
            run.command(format_args!("gate {number} approved"))
        ))
        .detail("step", number)
}

/// The answers that are overdue, and of which nobody has noticed it. They are still waited for: a
/// gate never decides itself.
pub fn overdue(run: &Run, now: Time) -> Vec<RunEvent> {
    let Some(timeout) = run.gate_timeout.filter(|_| run.answer_due().is_some()) else {
        return Vec::new();
    };
    let waiting = run.waiting().into_iter();
    waiting
        .filter(|waiting| !waiting.noticed && waiting.overdue_since(now).is_some())
        .filter_map(|waiting| {
            let (step, check) = waiting.on.place()?;
            Some(GateOverdue { step, check, waiting_since: waiting.since, timeout }.into())
        })
        .collect()
}

/// Takes back that a step is done, or what was decided about it. It is decided again, or the step is
/// done again, which needs no gate.
pub fn reopen(
    run: &Run,
    number: u32,
    then: Reopen,
    reason: &str,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let reason = given(run, reason, "--reason is required for reopen")?;
    run.admit_overseer(caller, now)?;
    run.need_person(caller, "reopening a gate")?;
    let step = run.step(number)?;
    let has_gate = step.decided.is_some() || then == Reopen::Redo;
    let decided = step.status == StepStatus::Done && has_gate;
    if !decided || run.status() == RunStatus::Completed {
        let is_rejected = step.block.as_ref().is_some_and(|block| block.cause == Cause::Rejected);
        let message = match decided {
            true => format!("Run is 'completed'; the gate of step {number} stays decided"),
            false if is_rejected => {
                format!("the review of step {number} was rejected: the step is done again first")
            }
            false => format!("the gate of step {number} is not decided"),
        };
        return Err(wrong(run, number, step, message));
    }
    let granted = u32::from(then == Reopen::Redo && step.is_exhausted());
    let (by, authority) = (caller.name.clone(), caller.authority);
    Ok(vec![GateReopened { step: number, then, granted, reason, by, authority }.into()])
}
