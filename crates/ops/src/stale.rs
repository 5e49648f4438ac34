//! When a held task counts as stale.

use windlass_domain::{Task, Time};

/// How long a holder may be silent where neither the task nor the caller says.
pub const USUAL_MINUTES: u32 = 10;

/// The same for requests that do not say.
pub(crate) fn usual_minutes() -> u32 {
    USUAL_MINUTES
}

/// Minutes of silence; a task's own limit comes first, and 0 turns the check off.
#[derive(Debug, Clone, Copy)]
pub struct Threshold(pub u32);

impl Threshold {
    /// For how many minutes the holder of a task has been silent, when that is too long.
    pub fn passed_by(self, task: &Task, now: Time) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        task.stale_minutes(self.0, now)
    }
}
