//! Signs of life of whoever works on a run, so that nobody takes the run or its task for abandoned.
//!
//! Work comes in pieces, an agent and then a check and then the next step, and a lease runs through
//! all of them: when the last sign was is known from piece to piece.

use std::cell::Cell;
use std::time::Duration;

use windlass_domain::Time;

use super::change::Doer;
use super::owners::OwnerHeartbeat;
use super::target::Target;
use crate::caller::By;
use crate::context::Context;
use crate::task::Renew;

/// When the last sign was.
#[derive(Debug, Default)]
pub(super) struct Signs(Cell<Option<Time>>);

impl Signs {
    /// There was one just now.
    pub(super) fn since(now: Time) -> Self {
        Self(Cell::new(Some(now)))
    }

    /// Whether the next is due; if so, it counts as given. A clock that was set back does not know.
    fn are_due(&self, now: Time, pause: Duration) -> bool {
        let passed = self.0.get().map(|last| now.millis_since(last));
        let passed = passed.and_then(|millis| u64::try_from(millis).ok());
        let is_due = passed.is_none_or(|millis| Duration::from_millis(millis) >= pause);
        if is_due {
            self.0.set(Some(now));
        }
        is_due
    }
}

/// The leases of somebody who works on a run.
pub(super) struct Life<'a> {
    pub(super) target: &'a Target,
    pub(super) doer: &'a Doer,
    /// Of the owner, if there is one.
    pub(super) lease_seconds: Option<i64>,
    /// The task of the run and the fence of its claim.
    pub(super) claim: Option<(String, u64)>,
    pub(super) signs: &'a Signs,
}

impl Life<'_> {
    /// Renews the leases there are, when that is due. One that cannot be renewed is lost in the end,
    /// and then what was done is refused.
    pub(super) fn show(&self, cx: &mut Context, pause: Duration) {
        if !self.signs.are_due(cx.now(), pause) {
            return;
        }
        if let Some(lease_seconds) = self.lease_seconds {
            let (target, doer) = (self.target.clone(), self.doer.clone());
            let _renewed = cx.perform(&OwnerHeartbeat { lease_seconds, target, doer });
        }
        if let Some((task, fence)) = self.claim.clone() {
            let by = By { fence: Some(fence), ..By::default() };
            let _renewed = cx.perform(&Renew { task, lease: None, by });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(15);

    /// At which of these seconds a sign is given, the last one before having been at 100.
    fn given(at: &[i64]) -> Vec<i64> {
        let time = |second: i64| Time::from_millis(second * 1_000);
        let signs = Signs::since(time(100));
        at.iter().copied().filter(|second| signs.are_due(time(*second), PAUSE)).collect()
    }

    #[test]
    fn signs_are_given_also_when_no_piece_of_work_is_long() {
        assert_eq!(given(&[110, 120, 130, 140]), [120, 140]);
    }

    #[test]
    fn a_clock_that_jumps_delays_no_sign() {
        assert_eq!(given(&[90, 95, 9_000]), [90, 9_000]);
    }

    #[test]
    fn where_no_sign_is_known_one_is_due() {
        assert!(Signs::default().are_due(Time::from_millis(0), PAUSE));
    }
}
