//! Questions of runs to people: when hooks hear of one.
//!
//! A wait is told once when it begins, and once more when its answer is overdue. An answer that came
//! in the same transaction is none to ask for.

use serde::Serialize;

use super::{Hook, Trigger};
use crate::event::RunEvent;
use crate::run::Run;
use crate::run::check;
use crate::run::state::Waiting;
use crate::task::Task;

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
                    if (data.step, data.waiting_since) == (waiting.step, waiting.since))
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

    /// What the person is asked.
    pub fn in_words(&self) -> String {
        let name = self.run.step(self.waiting.step).map(|step| step.name.as_str());
        match &self.waiting.review {
            Some(review) => check::asked(review).to_owned(),
            None => format!(
                "step {} is done: {}. May the run go on?",
                self.waiting.step,
                name.unwrap_or_default()
            ),
        }
    }
}
