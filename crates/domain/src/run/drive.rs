//! What whoever drives a run does next, read from how far it has come.

use super::word::{RunStatus, StepStatus};

/// What to do next with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drive {
    /// Start a step and work on it.
    Work(u32),
    /// Work on a step that somebody began and left: nothing but the work shows that it is done.
    Resume(u32),
    /// Look at a step that somebody began and left: its checks show whether it is done.
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
    match (step.status, step.is_checked) {
        (StepStatus::Pending, _) => Drive::Work(number),
        (StepStatus::Failed, _) => Drive::Retry(number),
        (StepStatus::InProgress, false) => Drive::Resume(number),
        (StepStatus::InProgress, true) | (StepStatus::Blocked | StepStatus::Done, _) => {
            Drive::Verify(number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: Standing = Standing { status: StepStatus::Done, is_checked: true };

    fn next(status: StepStatus, is_checked: bool) -> Drive {
        drive(RunStatus::Running, [DONE, Standing { status, is_checked }, DONE])
    }

    #[test]
    fn the_first_step_that_is_not_done_is_next() {
        assert_eq!(next(StepStatus::Pending, true), Drive::Work(2));
        assert_eq!(next(StepStatus::Failed, true), Drive::Retry(2));
        assert_eq!(next(StepStatus::Blocked, true), Drive::Verify(2));
        assert_eq!(next(StepStatus::Done, true), Drive::Finalize);
    }

    #[test]
    fn a_step_that_was_left_is_looked_at_where_that_shows_something() {
        assert_eq!(next(StepStatus::InProgress, true), Drive::Verify(2));
        assert_eq!(next(StepStatus::InProgress, false), Drive::Resume(2));
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
