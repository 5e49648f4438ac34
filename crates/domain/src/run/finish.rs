//! The end of a run: whether all is done and proven, and what becomes of the work.

use super::caller::Caller;
use super::event::{FinishDetails, RunFinalized, RunFinished};
use super::receipt::{attested_gates, reasons};
use super::state::{Run, StepState};
use super::word::{Caveat, Disposition, Door, Reason, RunStatus, StepStatus};
use crate::event::RunEvent;
use crate::{Code, Refusal, Time};

/// Ends the work on a run: as ready to be finished, or as blocked. Nothing happens to one that has
/// ended. `head` is the commit it ends at.
pub fn finalize(
    run: &Run,
    head: Option<String>,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    run.admit(caller, now)?;
    match run.status() {
        RunStatus::ReadyToFinish | RunStatus::Completed => return Ok(Vec::new()),
        RunStatus::Running | RunStatus::Paused | RunStatus::Blocked | RunStatus::Abandoned => {}
    }
    let count =
        |of: &[StepStatus]| run.steps.iter().filter(|step| of.contains(&step.status)).count();
    let stuck =
        count(&[StepStatus::Failed, StepStatus::Blocked]) > 0 || run.status() == RunStatus::Blocked;
    if stuck {
        return Ok(vec![RunFinalized { status: RunStatus::Blocked, head }.into()]);
    }
    let unfinished = count(&[StepStatus::Pending, StepStatus::InProgress]);
    if unfinished > 0 {
        let message = format!("Cannot finalize run with unfinished steps ({unfinished} remaining)");
        return Err(run
            .refusal(Code::RunUnfinished, message)
            .hint(format!("see what is next: windlass run reconcile {}", run.name))
            .detail("unfinished", unfinished));
    }
    must_be_proven(run)?;
    Ok(vec![RunFinalized { status: RunStatus::ReadyToFinish, head }.into()])
}

/// In the order in which HOTL asks.
fn must_be_proven(run: &Run) -> Result<(), Refusal> {
    let missing = reasons(run);
    let unproven = |step: &StepState| run.needs_gate(step) && !run.gate_is_proven(step);
    let has = |reason: Reason| missing.contains(&reason);
    let message = if has(Reason::VerificationMissingOrFailed) {
        "Cannot finalize without passing verification evidence"
    } else if run.steps.iter().any(unproven) {
        "Cannot finalize without required gate evidence"
    } else if has(Reason::SensitiveActionUnresolved) {
        "Cannot finalize with unresolved sensitive action decisions"
    } else if has(Reason::SensitiveActionEffectEvidenceMissing)
        || has(Reason::SensitiveActionEffectUnresolved)
    {
        "Cannot finalize without terminal sensitive-action effect evidence"
    } else if has(Reason::SensitiveActionEffectFailed) {
        "Cannot finalize a successful run with failed sensitive-action effects"
    } else if has(Reason::BudgetExceeded) {
        "Cannot finalize while runtime budgets are exceeded"
    } else {
        return Ok(());
    };
    Err(run
        .refusal(Code::EvidenceMissing, message)
        .hint(format!("see what is missing: windlass run receipt show {}", run.name))
        .detail("reasons", missing))
}

/// Whether what was said before stands in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    No,
    /// Somebody has looked at it.
    Yes,
}

/// Records what became of the work. The details name the commit that lands, if that is known.
pub fn finish(
    run: &Run,
    disposition: Disposition,
    details: FinishDetails,
    force: Force,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    run.admit(caller, now)?;
    if let Some(finish) = run.finish.as_ref().filter(|_| force == Force::No) {
        let message = format!(
            "Finish outcome already recorded: {}. Use --force to replace it.",
            finish.disposition
        );
        return Err(run
            .refusal(Code::InvalidTransition, message)
            .hint(format!("to record something else: {}", run.command("finished WORD --force")))
            .detail("disposition", finish.disposition));
    }
    let status = run.status();
    if let Some(needed) = must_be_first(status, disposition) {
        let message = format!(
            "Finish disposition '{disposition}' requires a {needed} run. Current status: {status}"
        );
        return Err(run
            .refusal(Code::InvalidTransition, message)
            .hint(run.command("finalize"))
            .detail("status", status)
            .detail("disposition", disposition));
    }
    let attested_gates = landed_on(run, disposition, caller.door)?;
    must_be_seen(run, disposition, caller.door)?;
    let landed_head = landed_beyond(run, disposition, details.landed_head.as_ref(), caller.door)?;
    if status != RunStatus::Blocked {
        must_suffice(run, disposition)?;
    }
    let details = FinishDetails { attested_gates, landed_head, ..details };
    Ok(vec![RunFinished { disposition, details }.into()])
}

/// The gates that were only attested, of a run whose work lands. At our own doors it does not: an
/// agent could have decided them. Who calls a skill of HOTL has chosen that it does, and it is told.
fn landed_on(run: &Run, disposition: Disposition, door: Door) -> Result<Vec<u32>, Refusal> {
    let attested = if disposition.lands() { attested_gates(run) } else { Vec::new() };
    match (door, attested.as_slice()) {
        (_, []) | (Door::Hotl, _) => Ok(attested),
        (Door::Own, [first, ..]) => {
            let (name, numbers) = (&run.name, listed(&attested));
            let message = format!(
                "run {name} does not land: nobody but its caller says that {numbers} approved"
            );
            Err(run
                .refusal(Code::EvidenceMissing, message)
                .hint(format!(
                    "let a person decide that again, at a terminal and for each of these steps: \
                     windlass run reopen {first} --reason TEXT --run-id {name}, then windlass run \
                     gate {first} approved --run-id {name}; then windlass run finalize --run-id \
                     {name}, and finish again. Or keep the work: windlass run finish keep --run-id \
                     {name}"
                ))
                .detail("reasons", [Caveat::GateAttestedOnly])
                .detail("steps", attested))
        }
    }
}

/// What only a state file calls done does not land at our own doors.
fn must_be_seen(run: &Run, disposition: Disposition, door: Door) -> Result<(), Refusal> {
    let unseen: Vec<u32> =
        run.steps.iter().filter(|step| step.is_unseen()).map(|step| step.number).collect();
    if unseen.is_empty() || !disposition.lands() || door == Door::Hotl {
        return Ok(());
    }
    let name = &run.name;
    let numbers: Vec<String> = unseen.iter().map(u32::to_string).collect();
    let message = format!(
        "run {name} does not land: only its state file says that the checks passed of {} {}",
        if numbers.len() == 1 { "step" } else { "steps" },
        numbers.join(", ")
    );
    Err(run
        .refusal(Code::EvidenceMissing, message)
        .hint(format!(
            "keep the work: {}, and verify it in a new run of the workflow file",
            run.command("finish keep")
        ))
        .detail("reasons", [Caveat::StepUnseen])
        .detail("steps", unseen))
}

/// The commit that lands, where the run ended at another: nobody has verified what came since. At our
/// own doors it does not land.
fn landed_beyond(
    run: &Run,
    disposition: Disposition,
    head: Option<&String>,
    door: Door,
) -> Result<Option<String>, Refusal> {
    let moved = head.zip(run.head_after.as_ref()).filter(|(head, ended_at)| head != ended_at);
    let (head, ended_at) = match (moved, door) {
        (Some(moved), Door::Own) if disposition.lands() => moved,
        (Some((head, _)), Door::Hotl) if disposition.lands() => return Ok(Some(head.clone())),
        (Some(_) | None, _) => return Ok(None),
    };
    let name = &run.name;
    let message = format!(
        "run {name} does not land: it ended at commit {}, and its branch is at {}",
        short(ended_at),
        short(head)
    );
    Err(run
        .refusal(Code::EvidenceMissing, message)
        .hint(format!(
            "let what came since be verified, at a terminal and for each step that it may have \
             touched: windlass run reopen N --redo --reason TEXT --run-id {name}, then windlass run \
             step retry N --run-id {name} and windlass run step verify N --run-id {name}; then \
             windlass run finalize --run-id {name}, and finish again. Or keep the work: windlass run \
             finish keep --run-id {name}"
        ))
        .detail("ended_at", ended_at)
        .detail("head", head))
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// Steps in a sentence.
fn listed(steps: &[u32]) -> String {
    let numbers: Vec<String> = steps.iter().map(u32::to_string).collect();
    match numbers.as_slice() {
        [only] => format!("the gate of step {only} was"),
        numbers => format!("the gates of steps {} were", numbers.join(", ")),
    }
}

/// What a run must be before that can become of its work; nothing where it is.
pub const fn must_be_first(status: RunStatus, disposition: Disposition) -> Option<&'static str> {
    match status {
        RunStatus::ReadyToFinish | RunStatus::Completed => None,
        RunStatus::Blocked if !disposition.lands() => None,
        RunStatus::Running | RunStatus::Paused | RunStatus::Blocked | RunStatus::Abandoned => {
            Some(if disposition.lands() { "completed" } else { "finalized" })
        }
    }
}

fn must_suffice(run: &Run, disposition: Disposition) -> Result<(), Refusal> {
    let lacking: Vec<Reason> =
        reasons(run).into_iter().filter(|reason| !reason.is_about_finish()).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = lacking.iter().map(|reason| reason.as_str()).collect();
    let message = format!(
        "Finish disposition '{disposition}' requires sufficient completion evidence.\n  - {}",
        names.join("\n  - ")
    );
    Err(run
        .refusal(Code::EvidenceMissing, message)
        .hint(format!("see what is missing: windlass run receipt show {}", run.name))
        .detail("reasons", lacking))
}
