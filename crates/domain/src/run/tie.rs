//! A run that works on a task: under the claim of the task, which others may win meanwhile.

use super::event::Tie;
use super::state::Run;
use super::word::RunStatus;
use crate::event::RunEvent;
use crate::ownership::{Bearer, authorise};
use crate::transition::{self, Unblock, Until};
use crate::{Event, Refusal, Status, Task, Time};

impl Tie {
    /// Who acts on the task in the name of the run.
    pub fn bearer(self) -> Bearer {
        Bearer { name: "run".to_owned(), fence: Some(self.fence), ..Bearer::default() }
    }
}

/// How it stands with the claim under which a run works.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// It works on no task.
    None,
    Held(Box<Task>),
    /// Somebody else has the task, or nobody.
    Lost(Refusal),
}

impl Claim {
    /// Of a run that is tied to that task. Nothing is done under the claim of a run that is over.
    pub fn on(task: Task, run: &Run, tie: Tie) -> Self {
        if run.status().is_over() {
            return Self::Held(Box::new(task));
        }
        match authorise(&task, &tie.bearer()) {
            Ok(_) => Self::Held(Box::new(task)),
            Err(refusal) => Self::Lost(refusal.hint(format!(
                "give this run up: windlass run step block N --reason TEXT --run-id {name}, then \
                 windlass run finalize --run-id {name}; then start another one with --task {}",
                task.id,
                name = run.name
            ))),
        }
    }

    /// The task that follows what happens to the run. Without its claim a run is only given up.
    pub fn under(self, events: &[RunEvent]) -> Result<Option<Box<Task>>, Refusal> {
        match self {
            Self::None => Ok(None),
            Self::Held(task) => Ok(Some(task)),
            Self::Lost(_) if !events.is_empty() && events.iter().all(gives_up) => Ok(None),
            Self::Lost(refusal) => Err(refusal),
        }
    }
}

/// It moves a run towards its end, whoever has the task.
fn gives_up(event: &RunEvent) -> bool {
    matches!(event, RunEvent::StepBlocked(_) | RunEvent::RunFinalized(_) | RunEvent::RunFinished(_))
}

/// What becomes of the task when something happened to its run: a run that is blocked blocks it, with
/// its reason, and one that goes on lets it go on, unless somebody else has blocked it too. The events
/// of the task are asked for only then.
pub fn follow<E: From<Refusal>>(
    task: &Task,
    tie: Tie,
    before: &Run,
    after: &Run,
    now: Time,
    events: impl FnOnce() -> Result<Vec<Event>, E>,
) -> Result<Option<Event>, E> {
    let is_blocked = |run: &Run| run.status() == RunStatus::Blocked;
    let event = match (is_blocked(before), is_blocked(after), task.status) {
        (false, true, Status::InProgress) => {
            let why = Some(reason_of_block(after));
            transition::block(task, &tie.bearer(), why, Until::Unblocked)?
        }
        (true, false, Status::Blocked) if is_own_block(after, &events()?) => {
            transition::unblock(task, &tie.bearer(), Unblock::Resume, None, now)?
        }
        _ => return Ok(None),
    };
    Ok(Some(event))
}

/// Why the task of a blocked run is blocked. It names the run, by which its block is known.
pub(super) fn reason_of_block(run: &Run) -> String {
    let blockers: Vec<String> = run.blockers().into_iter().map(|blocker| blocker.what).collect();
    format!("{}{}", beginning_of_reason(run), blockers.join("; "))
}

fn beginning_of_reason(run: &Run) -> String {
    format!("run {}: ", run.name)
}

/// Whether a task that is blocked is so by this run alone, as its events tell, the newest last.
pub(super) fn is_own_block(run: &Run, events: &[Event]) -> bool {
    let beginning = beginning_of_reason(run);
    let begins_anew =
        |event: &&Event| matches!(event, Event::TaskUnblocked(_) | Event::TaskClaimed(_));
    let since = events.iter().rev().take_while(|event| !begins_anew(event));
    let mut by_run = since.filter_map(|event| {
        if let Event::TaskBlocked(data) = event {
            let reason = data.reason.as_deref();
            return Some(reason.is_some_and(|reason| reason.starts_with(&beginning)));
        }
        matches!(event, Event::StatusSet(data) if data.to == Status::Blocked).then_some(false)
    });
    by_run.next() == Some(true) && by_run.all(|is_own| is_own)
}
