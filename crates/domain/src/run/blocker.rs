//! What stops a run until somebody looks at it, and the command with which it goes on.

use super::state::{Action, Run, StepState, position};
use super::word::{ActionStatus, Cause, RunStatus, StepStatus};

/// Something that stops a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// In words.
    pub what: String,
    /// The command that lets the run go on.
    pub way: String,
}

impl Run {
    pub fn blockers(&self) -> Vec<Blocker> {
        let steps = self.steps.iter().enumerate();
        let steps = steps.filter_map(|(at, step)| self.blocked_step(position(at), step));
        let actions = self.actions.iter().filter(|action| action.blocks());
        steps.chain(actions.map(|action| self.blocking_action(action))).collect()
    }

    fn blocked_step(&self, number: u32, step: &StepState) -> Option<Blocker> {
        let reason = step.decided.as_ref().and_then(|decided| decided.reason.as_deref());
        match &step.block {
            Some(block) if block.cause == Cause::Review => None,
            Some(block) => {
                let said = reason.filter(|_| block.cause == Cause::Rejected);
                let said = said.map(|said| format!(": {said}")).unwrap_or_default();
                Some(Blocker {
                    what: format!("step {number}: {}{said}", block.reason),
                    way: self.command(format_args!("step unblock {number} --reason TEXT")),
                })
            }
            None if step.status == StepStatus::Done && step.is_rejected() => {
                let reason = reason.unwrap_or("no reason was given");
                Some(Blocker {
                    what: format!("the gate of step {number} was rejected: {reason}"),
                    way: self.command(format_args!("reopen {number} --reason TEXT")),
                })
            }
            None => None,
        }
    }

    fn blocking_action(&self, action: &Action) -> Blocker {
        let what = match action.status {
            ActionStatus::Rejected => "was rejected",
            ActionStatus::Allowed
            | ActionStatus::HostAuthority
            | ActionStatus::Pending
            | ActionStatus::Approved => "failed",
        };
        let said = action.reason.as_ref().map(|said| format!(": {said}")).unwrap_or_default();
        Blocker {
            what: format!("{} {what}: {}{said}", action.id, action.target),
            way: self.go_on_command(),
        }
    }

    /// The commands with which a run goes on that is blocked, or of which a step failed. The end of one
    /// that nothing stops is taken back.
    pub fn ways_on(&self) -> Vec<String> {
        let mut ways: Vec<String> = self.blockers().into_iter().map(|one| one.way).collect();
        match self.status() {
            RunStatus::Blocked if ways.is_empty() => ways.push(self.go_on_command()),
            RunStatus::Running => ways.extend(self.retries()),
            RunStatus::Blocked
            | RunStatus::Paused
            | RunStatus::ReadyToFinish
            | RunStatus::Completed
            | RunStatus::Abandoned => {}
        }
        ways.dedup();
        ways
    }

    /// Steps that failed and may be tried again.
    fn retries(&self) -> impl Iterator<Item = String> {
        let steps = self.steps.iter().enumerate();
        let failed =
            steps.filter(|(_, step)| step.status == StepStatus::Failed && !step.is_exhausted());
        failed.map(|(at, _)| self.command(format_args!("step retry {}", position(at))))
    }

    fn go_on_command(&self) -> String {
        self.command("unblock --reason TEXT")
    }
}
