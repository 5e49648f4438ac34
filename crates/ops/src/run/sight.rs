//! What a person at a terminal sees of a step while work on it goes on.

use std::time::{Duration, Instant};

use super::steps::Checks;
use super::view::{RunView, StepView};
use crate::context::{Context, Driven};

/// Checks that take less than this are over before anybody has read about them.
const PATIENCE: Duration = Duration::from_secs(1);

/// A step on which work goes on.
pub(super) struct Sight<'a> {
    step: u32,
    of: usize,
    name: &'a str,
    attempt: u32,
    of_attempts: u32,
    since: Instant,
    /// Nothing is shown before.
    patience: Duration,
}

impl<'a> Sight<'a> {
    /// Of a step that is driven, which may take long.
    pub(super) fn of_step(run: &'a RunView, step: &'a StepView, attempt: u32) -> Self {
        Self {
            step: step.step,
            of: run.steps.len(),
            name: &step.name,
            attempt,
            of_attempts: step.max_attempts,
            since: Instant::now(),
            patience: Duration::ZERO,
        }
    }

    /// Of checks that somebody runs by themselves.
    pub(super) fn of_checks(checks: &'a Checks) -> Self {
        Self {
            step: checks.step,
            of: checks.of_steps,
            name: &checks.name,
            attempt: checks.attempt,
            of_attempts: checks.max_attempts,
            since: Instant::now(),
            patience: PATIENCE,
        }
    }

    /// Who is at it, and the newest line that it wrote.
    pub(super) fn show(&self, cx: &Context, doing: &str, last: &str) {
        let elapsed = self.since.elapsed();
        if elapsed < self.patience {
            return;
        }
        cx.driven(Driven {
            step: self.step,
            of: self.of,
            name: self.name,
            attempt: self.attempt,
            of_attempts: self.of_attempts,
            doing,
            elapsed,
            last,
        });
    }
}
