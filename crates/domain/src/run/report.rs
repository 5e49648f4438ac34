//! The report of a run, `.hotl/reports/<run id>.md`: where it stands, and what happened.
//!
//! The log is made of the events, one by one, so that it can be written again at any time.

use std::fmt::Write as _;

use super::budget::named;
use super::check::Verdict;
use super::event::{
    ActionDecided, ActionProgress, ActionProgressed, GateDecided, RunEdited, RunOwnerChanged,
    StepVerified,
};
use super::state::{Finish, Run, StepState};
use super::state_file::Moment;
use super::word::{ActionStatus, Decision, Metric, Mode, OwnerChange, StepStatus};
use crate::event::RunEvent;
use crate::task::Broken;
use crate::{RunKey, Time};

/// A run as its events tell it.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub run: Run,
    /// The lines of its log.
    pub log: Vec<String>,
    /// How it was at the revision that was asked for, if it ever had that one.
    pub then: Option<Run>,
}

/// Tells a run from its events. They may be many, so the run is copied at most once.
pub fn replay<'a>(
    key: RunKey,
    revision: Option<u64>,
    events: impl IntoIterator<Item = (&'a RunEvent, Time)>,
) -> Result<Told, Broken> {
    let mut events = events.into_iter();
    let (first, at) = events.next().ok_or_else(|| Broken(format!("run {key} has no event")))?;
    let mut run = Run::begun(key, first, at)?;
    let mut log: Vec<String> = report_line(first, at, &[], &run).into_iter().collect();
    let mut then = None;
    loop {
        if then.is_none() && revision == Some(run.revision) {
            then = Some(run.clone());
        }
        let Some((event, at)) = events.next() else { break };
        let exceeded = run.exceeded.clone();
        run.fold(event, at)?;
        log.extend(report_line(event, at, &exceeded, &run));
    }
    Ok(Told { run, log, then })
}

/// The whole report.
pub fn report(run: &Run, log: &[String]) -> String {
    let mut page = head(run);
    page.push_str(
        "\n| Step | Name | Status | Iterations |\n|------|------|--------|------------|\n",
    );
    for step in &run.steps {
        let (status, iterations) = cells(step);
        let name = line(&step.name).replace('|', "\\|");
        let _ = writeln!(page, "| {:>2}   | {name} | {status} | {iterations} |", step.number);
    }
    page.push_str("\n## Event Log\n\n");
    for entry in log {
        page.push_str(entry);
        page.push('\n');
    }
    if let Some(finish) = &run.finish {
        page.push_str(&outcome(finish));
    }
    page
}

fn head(run: &Run) -> String {
    let place = &run.place;
    let file = place.workflow_path.rsplit('/').next().unwrap_or(&place.workflow_path);
    let (started, updated) = (Moment::new(run.started_at), Moment::new(run.updated_at));
    let fields = [
        ("Workflow", Some(file.to_owned())),
        ("Source Workflow", Some(place.source_workflow_path.clone())),
        ("Source Branch", place.source_branch.clone()),
        ("Source HEAD", place.source_head.clone()),
        ("Intent", Some(line(&run.intent))),
        ("Branch", Some(place.branch.clone())),
        ("Executor", Some(place.executor_mode.clone())),
        ("Execution Root", Some(place.execution_root.clone())),
        ("Worktree", place.worktree_path.clone()),
        ("Started", Some(started.to_string())),
        ("Updated", Some(updated.to_string())),
        ("Status", Some(run.status().to_string())),
    ];
    format!("# Execution Report: {}\n\n{}", run.name, bold(&fields))
}

fn outcome(finish: &Finish) -> String {
    let details = finish.details.clone();
    let attested: Vec<String> = details.attested_gates.iter().map(u32::to_string).collect();
    let fields = [
        ("Disposition", Some(finish.disposition.to_string())),
        ("Recorded", Some(Moment::new(finish.recorded_at).to_string())),
        ("Target Branch", details.target_branch),
        ("Remote", details.remote),
        ("PR URL", details.pr_url),
        ("Branch Action", details.branch_action),
        ("Worktree Action", details.worktree_action),
        ("Artifacts Preserved At", details.artifacts_preserved_at),
        ("Notes", details.notes),
        ("Landed Head", details.landed_head),
        ("Attested Gates", (!attested.is_empty()).then(|| attested.join(", "))),
    ];
    format!("\n## Finish Outcome\n\n{}", bold(&fields))
}

fn bold(fields: &[(&str, Option<String>)]) -> String {
    let mut lines = String::new();
    for (name, value) in fields {
        if let Some(value) = value {
            let _ = writeln!(lines, "**{name}:** {}", line(value));
        }
    }
    lines
}

/// Status and iterations of a step, as its row has them.
fn cells(step: &StepState) -> (String, String) {
    let attempts = step.attempts.to_string();
    let none = || "-".to_owned();
    let is_unverified = step.status == StepStatus::Done && !step.is_checked();
    let (status, iterations) = match (&step.decided, step.status) {
        (Some(decided), StepStatus::Done | StepStatus::Blocked) => {
            match (decided.decision, decided.mode) {
                (Decision::Approved, Mode::Auto) => ("⚡ Auto-approved", none()),
                (Decision::Approved, Mode::Human) => ("✓ Approved", none()),
                (Decision::Rejected, _) => ("✗ Rejected", none()),
            }
        }
        (_, StepStatus::Pending) => ("· Pending", none()),
        (_, StepStatus::InProgress) if step.retried => ("↻ Retrying", attempts),
        (_, StepStatus::InProgress) => ("→ Running", attempts),
        (_, StepStatus::Done) => ("✓ Done", attempts),
        (_, StepStatus::Failed) => ("✗ Failed", attempts),
        (_, StepStatus::Blocked) => ("✗ Blocked", none()),
    };
    let unverified = if is_unverified { " (unverified)" } else { "" };
    (format!("{status}{unverified}"), iterations)
}

/// What the log says of an event; nothing of some. It may be several lines. `exceeded` are the
/// budgets that were exceeded before it.
fn report_line(event: &RunEvent, at: Time, exceeded: &[Metric], after: &Run) -> Option<String> {
    let said = said(event, exceeded, after)?;
    Some(format!("**[{}]** {said}", Moment::new(at).clock()))
}

fn said(event: &RunEvent, exceeded: &[Metric], after: &Run) -> Option<String> {
    let said = match event {
        RunEvent::RunStarted(_) => return None,
        RunEvent::RunImported(data) => {
            format!("Run imported from its state file at revision {}", data.state.revision)
        }
        RunEvent::RunEdited(data) => edited(data),
        RunEvent::StepStarted(data) => {
            let name = after.step(data.step).map(|step| line(&step.name)).unwrap_or_default();
            format!("→ Step {}: {name}", data.step)
        }
        RunEvent::StepVerified(data) => verified(data, after),
        RunEvent::StepRetried(data) => {
            let most = after.step(data.step).map_or(0, |step| step.max_iterations);
            format!("↻ Step {}: Retrying ({}/{most})", data.step, data.attempt)
        }
        RunEvent::StepBlocked(data) => {
            format!("✗ Step {}: Blocked — {}", data.step, line(&data.reason))
        }
        RunEvent::RunUnblocked(data) => match data.step {
            Some(step) => format!("Step {step}: Unblocked — {}", line(&data.reason)),
            None => format!("Run unblocked — {}", line(&data.reason)),
        },
        RunEvent::GateDecided(data) => decided(data),
        RunEvent::GateReopened(data) => {
            format!("Gate Step {}: reopened — {}", data.step, line(&data.reason))
        }
        RunEvent::GateOverdue(data) => {
            let what = if data.check.is_some() { "Human review for Step" } else { "Gate Step" };
            format!("{what} {}: overdue (no answer within {})", data.step, data.timeout)
        }
        RunEvent::RunFinalized(data) => format!("Run finalized: {}", data.status),
        RunEvent::RunFinished(data) => format!("Finish recorded: {}", data.disposition),
        RunEvent::RunOwnerChanged(data) => owner(data)?,
        RunEvent::ActionRequested(data) => {
            let status = after.action(&data.action).map_or(ActionStatus::Pending, |of| of.status);
            format!("Action {} requested: {} ({status})", data.action, data.kind)
        }
        RunEvent::ActionDecided(data) => {
            let ActionDecided { action, decision, mode, reason, .. } = data;
            format!("Action {action} decision: {decision} ({mode}){}", because(reason.as_deref()))
        }
        RunEvent::ActionProgressed(data) => progressed(data),
        RunEvent::BudgetRecorded(_) => {
            if after.exceeded.is_empty() || after.exceeded == exceeded {
                return None;
            }
            format!("Budget exceeded: {}", named(&after.exceeded))
        }
        RunEvent::BudgetChecked(data) if data.exceeded.is_empty() => return None,
        RunEvent::BudgetChecked(data) => {
            let begins = if data.stopped { "Runtime budget" } else { "Budget" };
            format!("{begins} exceeded: {}", named(&data.exceeded))
        }
        RunEvent::BudgetRaised(data) => {
            format!("Budget raised: {} to {} — {}", data.metric, data.limit, line(&data.reason))
        }
    };
    Some(said)
}

fn verified(data: &StepVerified, after: &Run) -> String {
    let (number, attempts) = (data.step, data.attempt);
    let Ok(step) = after.step(number) else { return String::new() };
    let mut said = match &data.verdict {
        Verdict::Passed if step.is_checked() => {
            format!("✓ Step {number}: Done ({attempts} attempt(s))")
        }
        Verdict::Passed => format!("✓ Step {number}: Done (no verify, {attempts} attempt(s))"),
        Verdict::Failed => format!("✗ Step {number}: Failed ({attempts} attempt(s))"),
        Verdict::NeedsPerson { reason, .. } | Verdict::Undecidable { reason } => {
            format!("✗ Step {number}: Blocked ({})", line(reason))
        }
    };
    let shows = match data.verdict {
        Verdict::Failed => true,
        Verdict::Passed => after.report_full,
        Verdict::NeedsPerson { .. } | Verdict::Undecidable { .. } => false,
    };
    if shows {
        for (name, text) in [("stderr", &step.stderr), ("stdout", &step.stdout)] {
            said.push_str(&output(name, text.as_deref()));
        }
    }
    said
}

/// The output of checks. Its lines are indented, so that none can pass for a line of the log.
fn output(name: &str, text: Option<&str>) -> String {
    let text = text.unwrap_or_default().trim_end_matches('\n');
    if text.is_empty() {
        return String::new();
    }
    format!("\n  verify {name}: {}", text.replace('\n', "\n    "))
}

fn decided(data: &GateDecided) -> String {
    let begins = match data.check {
        Some(_) => "Human review for Step",
        None => "Gate Step",
    };
    let GateDecided { step, decision, mode, reason, .. } = data;
    format!("{begins} {step}: {decision} ({mode}){}", because(reason.as_deref()))
}

/// The reason of a decision, as far as somebody said it.
fn because(reason: Option<&str>) -> String {
    reason.map(|reason| format!(" — {}", line(reason))).unwrap_or_default()
}

/// A heartbeat is no news.
fn owner(data: &RunOwnerChanged) -> Option<String> {
    let owner = &data.owner;
    let from = data.from.as_deref().unwrap_or("unclaimed");
    Some(match data.change {
        OwnerChange::Claim => format!("Controller claimed: {owner}"),
        OwnerChange::Release => format!("Controller released: {owner}"),
        OwnerChange::Handoff => format!("Controller handoff: {from} → {owner}"),
        OwnerChange::Takeover => {
            let reason = data.reason.as_deref().unwrap_or_default();
            format!("Controller takeover: {from} → {owner} ({})", line(reason))
        }
        OwnerChange::Heartbeat => return None,
    })
}

fn progressed(data: &ActionProgressed) -> String {
    let action = &data.action;
    match &data.progress {
        ActionProgress::Begun => format!("Action {action} effect intent recorded (in_progress)"),
        ActionProgress::Completed { outcome, evidence } => {
            format!("Action {action} effect complete: {outcome} ({})", line(evidence))
        }
        ActionProgress::Reconciled { outcome, evidence } => {
            format!("Action {action} effect reconcile: {outcome} ({})", line(evidence))
        }
    }
}

fn edited(data: &RunEdited) -> String {
    let paths: Vec<&str> = data.difference.iter().map(|edit| edit.path.as_str()).collect();
    let then = match data.adopted {
        Some(_) => "taken over",
        None => "refused",
    };
    format!("State file changed by another hand, {then}: {}", line(&paths.join(", ")))
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim_end).collect::<Vec<_>>().join(" ").trim().to_owned()
}
