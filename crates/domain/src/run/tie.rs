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
/// its reason, and one that goes on lets it go on.
pub fn follow(
    task: &Task,
    tie: Tie,
    before: &Run,
    after: &Run,
    now: Time,
) -> Result<Option<Event>, Refusal> {
    let is_blocked = |run: &Run| run.status() == RunStatus::Blocked;
    match (is_blocked(before), is_blocked(after), task.status) {
        (false, true, Status::InProgress) => {
            let blockers: Vec<String> =
                after.blockers().into_iter().map(|blocker| blocker.what).collect();
            let why = format!("run {}: {}", after.name, blockers.join("; "));
            transition::block(task, &tie.bearer(), Some(why), Until::Unblocked).map(Some)
        }
        (true, false, Status::Blocked) => {
            transition::unblock(task, &tie.bearer(), Unblock::Resume, None, now).map(Some)
        }
        _ => Ok(None),
    }
}
