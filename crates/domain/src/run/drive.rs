//! What whoever drives a run does next, read from how far it has come.

use super::state::are_used_up;
use super::word::{RunStatus, StepStatus};

/// What to do next with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drive {
    /// Start a step and work on it.
    Work(u32),
    /// Go on with the work on a step that somebody began and left.
    Resume(u32),
    /// Look at a step that somebody began and left: it may be done.
    Verify(u32),
    /// Work once more on a step that failed.
    Retry(u32),
    Finalize,
    /// Nothing: somebody must decide, or raise a budget.
    Wait,
    /// Nothing: somebody must look at what went wrong.
    Blocked,
    /// Nothing: it has come to its end.
    Over,
}

/// How far a step has come, as much as a driver must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub status: StepStatus,
    /// It has a check that checks something.
    pub is_checked: bool,
    /// Checks of the present attempt were made; the others follow.
    pub is_looked_at: bool,
    pub attempts: u32,
    pub max_attempts: u32,
}

/// What to do next with a run that stands so, its steps in their order. The one who asks owns the run,
/// so whoever is at work on a step is gone.
pub fn drive(status: RunStatus, steps: impl IntoIterator<Item = Standing>) -> Drive {
    match status {
        RunStatus::Running => {}
        RunStatus::Paused => return Drive::Wait,
        RunStatus::Blocked => return Drive::Blocked,
        RunStatus::ReadyToFinish | RunStatus::Completed | RunStatus::Abandoned => {
            return Drive::Over;
        }
    }
    let open = (1..).zip(steps).find(|(_, step)| step.status != StepStatus::Done);
    let Some((number, step)) = open else { return Drive::Finalize };
    match step.status {
        StepStatus::Pending => Drive::Work(number),
        StepStatus::Failed => Drive::Retry(number),
        StepStatus::InProgress if step.must_be_worked_on() => Drive::Resume(number),
        StepStatus::InProgress | StepStatus::Blocked | StepStatus::Done => Drive::Verify(number),
    }
}

impl Standing {
    /// Whoever began it may have done nothing yet. A look shows that, where there is something to
    /// look at, and where it may show so without blocking the step.
    fn must_be_worked_on(self) -> bool {
        let is_last_attempt = are_used_up(self.attempts, self.max_attempts);
        !self.is_looked_at && (!self.is_checked || is_last_attempt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: Standing = Standing {
        status: StepStatus::Done,
        is_checked: true,
        is_looked_at: false,
        attempts: 1,
        max_attempts: 2,
    };
    const LEFT: Standing = Standing { status: StepStatus::InProgress, ..DONE };

    fn next(step: Standing) -> Drive {
        drive(RunStatus::Running, [DONE, step, DONE])
    }

    #[test]
    fn the_first_step_that_is_not_done_is_next() {
        for (status, expected) in [
            (StepStatus::Pending, Drive::Work(2)),
            (StepStatus::Failed, Drive::Retry(2)),
            (StepStatus::Blocked, Drive::Verify(2)),
            (StepStatus::Done, Drive::Finalize),
        ] {
            assert_eq!(next(Standing { status, ..DONE }), expected, "{status}");
        }
    }

    #[test]
    fn a_step_that_was_left_is_looked_at_where_that_shows_something() {
        assert_eq!(next(LEFT), Drive::Verify(2));
        assert_eq!(next(Standing { is_checked: false, ..LEFT }), Drive::Resume(2));
    }

    #[test]
    fn a_step_that_was_left_in_its_last_attempt_is_not_blocked_by_a_look() {
        let last = Standing { attempts: 2, ..LEFT };
        assert_eq!(next(last), Drive::Resume(2));
        assert_eq!(next(Standing { is_looked_at: true, ..last }), Drive::Verify(2));
    }

    #[test]
    fn a_run_that_waits_or_has_ended_is_left_alone() {
        for (status, expected) in [
            (RunStatus::Paused, Drive::Wait),
            (RunStatus::Blocked, Drive::Blocked),
            (RunStatus::ReadyToFinish, Drive::Over),
            (RunStatus::Completed, Drive::Over),
            (RunStatus::Abandoned, Drive::Over),
        ] {
            assert_eq!(drive(status, [DONE]), expected, "{status}");
        }
    }
}
