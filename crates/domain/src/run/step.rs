//! Working on steps: start, verify, retry, block, unblock.
//!
//! A step has one attempt at a time. `start` counts it, or `retry` does, and then the `start` that
//! follows does not; so whatever is verified was counted. A second `start` of a step that somebody
//! works on is refused, in attested runs too: of two agents that start one step one wins. HOTL
//! lets both in and counts twice.

use super::caller::{Caller, Denied};
use super::check::{CheckResult, Outcome, Output, SHOWN_BYTES, Verdict, foregone, verdict};
use super::event::{
    GateDecided, RunUnblocked, StepBlocked, StepRetried, StepStarted, StepVerified,
};
use super::file::{Check, Gate, Risk};
use super::state::{Run, StepState};
use super::word::{Authority, Cause, Decision, Disposition, Gates, Mode, RunStatus, StepStatus};
use crate::event::RunEvent;
use crate::{Code, Refusal, Time, text};

/// A check shows a log and a picture; this is for those who send more.
const MOST_EXHIBITS: usize = 16;

/// Somebody begins to work on a step.
pub fn start(run: &Run, number: u32, caller: &Caller, now: Time) -> Result<Vec<RunEvent>, Denied> {
    run.admit(caller, now)?;
    let step = run.step(number)?;
    must_run(run, "start")?;
    match step.status {
        StepStatus::Pending => {}
        StepStatus::InProgress if step.retried => {}
        StepStatus::InProgress | StepStatus::Done | StepStatus::Failed | StepStatus::Blocked => {
            return Err(not_pending(run, number, step).into());
        }
    }
    must_follow(run, number)?;
    let attempt = if step.retried {
        step.attempts
    } else {
        must_have_attempts(run, number, step)?;
        step.attempts + 1
    };
    run.must_afford(u64::from(attempt - step.attempts), now)?;
    Ok(vec![StepStarted { step: number, attempt, by: caller.name.clone() }.into()])
}

/// The checks to run now, in this order, with their places. None are left of a step without any.
pub fn pending_checks(run: &Run, number: u32) -> Result<Vec<(usize, Check)>, Refusal> {
    let step = run.step(number)?;
    Ok(step.pending_checks().map(|(place, check)| (place, check.clone())).collect())
}

/// Whether the checks of a step may be run now; to be asked before any is.
pub fn may_verify(run: &Run, number: u32, caller: &Caller, now: Time) -> Result<(), Denied> {
    run.admit(caller, now)?;
    let step = run.step(number)?;
    must_run(run, "verify")?;
    must_be_in_progress(run, number, step)?;
    run.must_afford(0, now)
}

/// What came of the checks. They ran without a lock, so the step may have moved on meanwhile; then
/// the results are refused. A run that was paused meanwhile keeps them.
pub fn verified(
    run: &Run,
    number: u32,
    attempt: u32,
    results: Vec<CheckResult>,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    run.admit(caller, now)?;
    let step = run.step(number)?;
    must_be_in_progress(run, number, step)?;
    if attempt != step.attempts {
        return Err(run
            .refusal(
                Code::InvalidTransition,
                format!("Step {number} is at attempt {}, not {attempt}", step.attempts),
            )
            .hint(verify_again(run, number))
            .detail("step", number)
            .detail("attempt", step.attempts));
    }
    must_fit(run, number, step, &results)?;
    must_be_of_their_checks(run, number, step, &results)?;
    let results: Vec<CheckResult> = results.into_iter().map(shortened).collect();
    let verdict = verdict(&results);
    let mut events = vec![RunEvent::from(StepVerified {
        step: number,
        attempt,
        results,
        verdict: verdict.clone(),
    })];
    match (verdict, run.gates) {
        (Verdict::Passed, Gates::Enforced) => events.extend(by_rule(run, number, step)),
        (Verdict::Failed, Gates::Enforced) if step.is_exhausted() => {
            let reason = format!("checks failed in {attempt} of {} attempts", step.max_iterations);
            events.push(StepBlocked { step: number, cause: Cause::Exhausted, reason }.into());
        }
        (
            Verdict::Passed
            | Verdict::Failed
            | Verdict::NeedsPerson { .. }
            | Verdict::Undecidable { .. },
            _,
        ) => {}
    }
    Ok(events)
}

/// The decision that the workflow file makes itself. `risk_level: high` makes none.
fn by_rule(run: &Run, number: u32, step: &StepState) -> Option<RunEvent> {
    let decides = match &step.gate {
        _ if run.risk == Risk::High => false,
        Some(Gate::Auto) => true,
        Some(Gate::Human) => run.auto_approve,
        Some(Gate::Other(_)) | None => false,
    };
    decides.then(|| {
        GateDecided {
            step: number,
            check: None,
            decision: Decision::Approved,
            mode: Mode::Auto,
            authority: Authority::Rule,
            by: None,
            reason: None,
        }
        .into()
    })
}

/// Tries a step again that failed. The attempt is counted here.
pub fn retry(run: &Run, number: u32, caller: &Caller, now: Time) -> Result<Vec<RunEvent>, Denied> {
    run.admit(caller, now)?;
    let step = run.step(number)?;
    must_run(run, "retry")?;
    let StepStatus::Failed = step.status else {
        let message = format!("Step {number} is '{}', expected 'failed' for retry", step.status);
        return Err(wrong(run, number, step, message).into());
    };
    must_have_attempts(run, number, step)?;
    run.must_afford(1, now)?;
    Ok(vec![StepRetried { step: number, attempt: step.attempts + 1 }.into()])
}

/// Stops a step that cannot go on.
pub fn block(
    run: &Run,
    number: u32,
    reason: &str,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let reason = given(run, reason, "--reason is required for block")?;
    run.admit_overseer(caller, now)?;
    let step = run.step(number)?;
    if run.gates == Gates::Enforced && run.status() == RunStatus::Completed {
        return Err(wrong(run, number, step, format!("Run is 'completed'; step {number} stays")));
    }
    let cause = match (run.gates, &step.block) {
        // Whoever blocks a step once more does not get it round the person that it needs.
        (Gates::Enforced, Some(block)) => block.cause,
        (Gates::Enforced, None) | (Gates::Attested, _) => Cause::Asked,
    };
    if cause == Cause::Review {
        return Err(waits(run, number, step));
    }
    Ok(vec![StepBlocked { step: number, cause, reason }.into()])
}

/// A check of the step waits for an answer, which nothing else replaces.
fn waits(run: &Run, number: u32, step: &StepState) -> Refusal {
    let reason = step.block.as_ref().map_or("", |block| &block.reason);
    wrong(run, number, step, format!("Step {number} waits for a person: {reason}"))
}

/// Lets a blocked step go on or, without a step, the run: after an action that was rejected or
/// failed, and after it was finalized as blocked.
pub fn unblock(
    run: &Run,
    number: Option<u32>,
    reason: &str,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let reason = given(run, reason, "--reason is required for unblock")?;
    run.admit_overseer(caller, now)?;
    if let Some(finish) = &run.finish
        && finish.disposition != Disposition::Kept
    {
        let message = format!("the work of run {} was {}", run.name, finish.disposition);
        return Err(run
            .refusal(Code::InvalidTransition, message)
            .hint("start a new run of the workflow file"));
    }
    let granted = if let Some(number) = number {
        grant(run, number, caller)?
    } else {
        must_be_blocked(run)?;
        run.need_person(caller, "unblocking a run")?;
        0
    };
    let authority = caller.authority;
    let by = caller.name.clone();
    Ok(vec![RunUnblocked { step: number, granted, reason, by, authority }.into()])
}

/// How many attempts a blocked step is given, so that it can go on.
fn grant(run: &Run, number: u32, caller: &Caller) -> Result<u32, Refusal> {
    let step = run.step(number)?;
    let Some(block) = step.block.as_ref().filter(|_| step.status == StepStatus::Blocked) else {
        let message = format!("Step {number} is '{}', expected 'blocked'", step.status);
        return Err(wrong(run, number, step, message));
    };
    let fails = match block.cause {
        Cause::Review => return Err(waits(run, number, step)),
        Cause::Exhausted | Cause::Rejected => {
            run.need_person(caller, "another attempt")?;
            true
        }
        Cause::Undecidable => {
            run.need_person(caller, "a check that nobody could decide")?;
            false
        }
        Cause::Asked if block.from == StepStatus::Failed && step.is_exhausted() => {
            run.need_person(caller, "another attempt")?;
            true
        }
        Cause::Asked => false,
    };
    Ok(u32::from(fails && step.is_exhausted()))
}

fn must_be_blocked(run: &Run) -> Result<(), Refusal> {
    if run.status() != RunStatus::Blocked {
        let message = format!("Run is '{}', expected 'blocked'", run.status());
        return Err(run
            .refusal(Code::InvalidTransition, message)
            .hint(format!("see what it waits for: windlass run show {}", run.name)));
    }
    Ok(())
}

fn must_run(run: &Run, what: &str) -> Result<(), Refusal> {
    let status = run.status();
    let waiting = run.waiting();
    let way = |ways: Vec<String>| ways.into_iter().next().unwrap_or_default();
    let hint = match (status, waiting.first()) {
        (RunStatus::Running, _) => return Ok(()),
        (RunStatus::Paused, Some(first)) => format!("decide it: {}", way(first.on.ways(run))),
        // Only what another tool wrote is paused for nothing.
        (RunStatus::Paused, None) => format!("see why: windlass run reconcile {}", run.name),
        (RunStatus::Blocked, _) => format!("let it go on: {}", way(run.ways_on())),
        (RunStatus::ReadyToFinish, _) => {
            format!("say what becomes of it: {}", run.command("finish keep"))
        }
        (RunStatus::Completed | RunStatus::Abandoned, _) => {
            "start a new run of the workflow file".to_owned()
        }
    };
    let message =
        format!("Run is '{status}'; resolve gates, policy pauses, or budgets before step {what}");
    let is_undecided = waiting.iter().any(|waiting| waiting.on.step().is_some());
    let code = match (run.gates, is_undecided) {
        (Gates::Enforced, true) => Code::GateUndecided,
        _ => Code::RunNotRunning,
    };
    Err(run
        .refusal(code, message)
        .hint(hint)
        .detail("status", status)
        .detail("waiting", waiting)
        .detail("exceeded_budgets", &run.exceeded)
        .detail("policy_pauses", run.pauses()))
}

/// What comes before a step must be done, and approved where gates are enforced.
fn must_follow(run: &Run, number: u32) -> Result<(), Refusal> {
    if let Some((before, _)) = run.before(number).find(|(_, step)| step.status != StepStatus::Done)
    {
        return Err(run
            .refusal(
                Code::StepOrder,
                format!("step {before} must be done before step {number} can start"),
            )
            .hint(run.command(format_args!("step start {before}")))
            .detail("step", number)
            .detail("unfinished", before));
    }
    let undecided = run.before(number).find(|(_, step)| run.gate_is_open(step));
    match undecided.filter(|_| run.gates == Gates::Enforced) {
        Some((before, _)) => Err(run
            .refusal(
                Code::GateUndecided,
                format!("the gate of step {before} must be decided before step {number} can start"),
            )
            .hint(run.command(format_args!("gate {before} approved")))
            .detail("step", number)
            .detail("undecided", before)),
        None => Ok(()),
    }
}

fn must_have_attempts(run: &Run, number: u32, step: &StepState) -> Result<(), Refusal> {
    if !step.is_exhausted() {
        return Ok(());
    }
    let most = step.max_iterations;
    let command = |what| run.command(format_args!("step {what} {number} --reason TEXT"));
    let hint = match step.status {
        StepStatus::Blocked => command("unblock"),
        StepStatus::Pending | StepStatus::InProgress | StepStatus::Done | StepStatus::Failed => {
            let (block, unblock) = (command("block"), command("unblock"));
            format!("block it and give it another attempt: {block}, then {unblock}")
        }
    };
    Err(run
        .refusal(
            Code::AttemptsExhausted,
            format!("Step {number} reached maximum iterations ({most})"),
        )
        .hint(hint)
        .detail("step", number)
        .detail("attempts", step.attempts)
        .detail("max_iterations", most))
}

fn must_be_in_progress(run: &Run, number: u32, step: &StepState) -> Result<(), Refusal> {
    let StepStatus::InProgress = step.status else {
        let message = format!("Step {number} must be in_progress before verify");
        return Err(wrong(run, number, step, message));
    };
    Ok(())
}

/// Results answer the pending checks from the first on, up to one that did not pass.
fn must_fit(
    run: &Run,
    number: u32,
    step: &StepState,
    results: &[CheckResult],
) -> Result<(), Refusal> {
    let pending: Vec<usize> = step.pending_checks().map(|(place, _)| place).collect();
    let answered: Vec<usize> = results.iter().map(|result| result.check).collect();
    let passed = results.iter().take_while(|result| result.outcome == Outcome::Passed).count();
    let complete = if passed == results.len() {
        answered == pending
    } else {
        passed + 1 == results.len() && pending.starts_with(&answered)
    };
    if complete {
        return Ok(());
    }
    Err(run
        .refusal(
            Code::InvalidValue,
            format!("the results do not answer the checks of step {number}"),
        )
        .hint(verify_again(run, number))
        .detail("step", number)
        .detail("pending", pending)
        .detail("answered", answered))
}

/// A result is one that its check can have: what only a person decides, or nobody can, is not decided
/// by whoever runs the checks, and a command passes by its exit code.
fn must_be_of_their_checks(
    run: &Run,
    number: u32,
    step: &StepState,
    results: &[CheckResult],
) -> Result<(), Refusal> {
    let impossible = step.pending_checks().zip(results).find(|((_, check), result)| {
        match (foregone(check), check) {
            (Some(outcome), _) => result.outcome != outcome,
            (None, Check::Shell { .. }) => {
                result.outcome == Outcome::Passed && result.exit_code != Some(0)
            }
            (
                None,
                Check::Artifact { .. }
                | Check::Browser { .. }
                | Check::Review { .. }
                | Check::Unknown { .. },
            ) => false,
        }
    });
    let Some(((place, _), _)) = impossible else { return Ok(()) };
    let check = place + 1;
    let message = format!("check {check} of step {number} cannot have that result");
    Err(run
        .refusal(Code::InvalidValue, message)
        .hint(verify_again(run, number))
        .detail("step", number)
        .detail("check", check))
}

fn verify_again(run: &Run, number: u32) -> String {
    format!("verify it again: {}", run.command(format_args!("step verify {number}")))
}

/// Whoever runs the checks keeps to the bounds; this is for those who do not.
fn shortened(mut result: CheckResult) -> CheckResult {
    for output in [&mut result.stdout, &mut result.stderr] {
        let Output { text, tail, size_bytes, left_out_bytes, .. } = output;
        *size_bytes = (*size_bytes).max(text.len() as u64);
        let given = text.len() + tail.len();
        text.truncate(text.floor_char_boundary(SHOWN_BYTES));
        tail.drain(..tail.ceil_char_boundary(tail.len().saturating_sub(SHOWN_BYTES)));
        *left_out_bytes = left_out_bytes.saturating_add((given - text.len() - tail.len()) as u64);
    }
    for said in result.ending.iter_mut().chain(result.outcome.reason_mut()) {
        said.truncate(said.floor_char_boundary(SHOWN_BYTES));
    }
    result.exhibits.truncate(MOST_EXHIBITS);
    result
}

fn not_pending(run: &Run, number: u32, step: &StepState) -> Refusal {
    let message = format!("Step {number} is '{}', expected 'pending'", step.status);
    wrong(run, number, step, message)
        .detail("started_by", &step.started_by)
        .detail("started_at", step.started_at)
}

/// The refusal of a command in a status that it does not start from.
pub(super) fn wrong(run: &Run, number: u32, step: &StepState, message: String) -> Refusal {
    let hint = match step.status {
        StepStatus::Pending => {
            format!("start it: {}", run.command(format_args!("step start {number}")))
        }
        StepStatus::InProgress => format!(
            "{} works on it; when that is over: {}",
            step.started_by.as_deref().unwrap_or("somebody"),
            run.command(format_args!("step verify {number}"))
        ),
        StepStatus::Done => after_done(run),
        StepStatus::Failed => {
            format!("try it again: {}", run.command(format_args!("step retry {number}")))
        }
        StepStatus::Blocked => match step.waiting_check() {
            Some(_) => {
                format!("decide it: {}", run.command(format_args!("gate {number} approved")))
            }
            None => {
                format!(
                    "let it go on: {}",
                    run.command(format_args!("step unblock {number} --reason TEXT"))
                )
            }
        },
    };
    run.refusal(Code::InvalidTransition, message)
        .hint(hint)
        .detail("step", number)
        .detail("status", step.status)
}

/// What there is to do when a step is done.
fn after_done(run: &Run) -> String {
    match run.status() {
        RunStatus::Running | RunStatus::Paused | RunStatus::Blocked => {
            "go on with the next step".to_owned()
        }
        RunStatus::ReadyToFinish => format!(
            "say what becomes of the work: {}",
            run.command("finish keep|merge|publish|discard")
        ),
        RunStatus::Completed | RunStatus::Abandoned => {
            "the run has ended; start another one: windlass run start FILE".to_owned()
        }
    }
}

/// A reason that says something.
pub(super) fn given(run: &Run, reason: &str, message: &str) -> Result<String, Refusal> {
    if reason.trim().is_empty() {
        return Err(run.refusal(Code::ReasonRequired, message).hint("say why: --reason TEXT"));
    }
    text::said("reason", reason)
}
