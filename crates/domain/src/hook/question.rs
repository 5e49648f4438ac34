//! Questions of runs to people: when hooks hear of one.
//!
//! A wait is told once when it begins, and once more when its answer is overdue. An answer that came
//! in the same transaction is none to ask for, nor is one that came before the message was sent.

use serde::{Deserialize, Serialize};

use super::{Hook, Trigger};
use crate::event::RunEvent;
use crate::run::Run;
use crate::run::waiting::Waiting;
use crate::task::Task;
use crate::{RunKey, Time};

/// Why hooks hear of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// A run begins to wait for the answer.
    Waiting,
    /// The answer should be there.
    Overdue,
}

/// A run waits for the answer of a person.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub run: &'a Run,
    pub waiting: &'a Waiting,
    pub asked: Asked,
    /// The task that the run works on, with the name of its project.
    pub task: Option<(&'a Task, &'a str)>,
}

impl Question<'_> {
    /// Which waits are to be told of, when events made the one run of the other.
    pub fn arisen(
        before: Option<&Run>,
        events: &[&RunEvent],
        after: &Run,
    ) -> Vec<(Waiting, Asked)> {
        let known = before.map(Run::waiting).unwrap_or_default();
        let is_new = |waiting: &Waiting| !known.iter().any(|known| known.is_that(waiting));
        let is_overdue = |waiting: &Waiting| {
            let is_meant = |event: &&RunEvent| {
                matches!(event, RunEvent::GateOverdue(data)
                    if Some(data.step) == waiting.on.step() && data.waiting_since == waiting.since)
            };
            events.iter().any(is_meant)
        };
        let waiting = after.waiting().into_iter();
        waiting
            .filter_map(|waiting| match (is_new(&waiting), is_overdue(&waiting)) {
                (true, _) => Some((waiting, Asked::Waiting)),
                (false, true) => Some((waiting, Asked::Overdue)),
                (false, false) => None,
            })
            .collect()
    }

    /// Whether a hook hears of it. One that is about some projects or tags hears only of runs that
    /// work on a task of these.
    pub fn reaches(&self, hook: &Hook) -> bool {
        let is_for_all = hook.projects.is_empty() && hook.tags.is_empty();
        let fits = self.task.map_or(is_for_all, |(task, project)| hook.hears_of(task, project));
        hook.on == Trigger::OnGate && fits
    }
}

/// The answer that a message of a hook seeks, as far as the message says it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sought {
    pub run: RunKey,
    subject: String,
    waiting_since: Time,
}

impl Sought {
    /// Whether the run still waits for it.
    pub fn is_open(&self, run: &Run) -> bool {
        run.waiting().iter().any(|waiting| waiting.is_for(&self.subject, self.waiting_since))
    }
}
