//! Signs of life of whoever works on a run, so that nobody takes the run or its task for abandoned.
//!
//! Work comes in pieces, an agent and then a check and then the next step, and a lease runs through
//! all of them: when each is renewed next is known from piece to piece.

use std::cell::Cell;
use std::time::Duration;

use windlass_domain::duration::Span;
use windlass_domain::{Time, lease};

use super::change::Doer;
use super::owners::OwnerHeartbeat;
use super::target::Target;
use crate::caller::By;
use crate::context::Context;
use crate::task::Renew;

/// How often it is tried to renew a lease of which nothing is known.
const UNKNOWN: Duration = Duration::from_secs(10);

/// When the leases are renewed next: that of the owner of the run, and that of its task.
#[derive(Debug, Default)]
pub(super) struct Signs {
    owner: Due,
    claim: Due,
}

impl Signs {
    /// Of an owner whose lease begins now.
    pub(super) fn of_owner(now: Time, lease_seconds: i64) -> Self {
        let signs = Self::default();
        signs.owner.put_off(now, pause(now, lease_seconds));
        signs
    }

    /// The lease of the owner is due in so many milliseconds, as the ledger says.
    pub(super) fn expect_of_owner(&self, now: Time, due_in_ms: i64) {
        self.owner.put_off(now, Span::from_millis(due_in_ms).as_duration());
    }
}

/// When something is due: so long after a moment, or at once where none is known.
#[derive(Debug, Default)]
struct Due(Cell<Option<(Time, Duration)>>);

impl Due {
    fn put_off(&self, now: Time, pause: Duration) {
        self.0.set(Some((now, pause)));
    }

    /// How long that is from now. A clock that was set back does not know how much has passed.
    fn within(&self, now: Time) -> Duration {
        let left = self.0.get().and_then(|(since, pause)| {
            let passed = u64::try_from(now.millis_since(since)).ok()?;
            Some(pause.saturating_sub(Duration::from_millis(passed)))
        });
        left.unwrap_or_default()
    }

    /// The pause that it was put off for last.
    fn pause(&self) -> Duration {
        self.0.get().map_or(UNKNOWN, |(_, pause)| pause)
    }
}

/// Until a lease that begins now is renewed.
fn pause(now: Time, lease_seconds: i64) -> Duration {
    let lease = Span::from_millis(lease_seconds.saturating_mul(1_000));
    lease::pause(lease, now).as_duration()
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
    /// Renews the leases that are due, and answers how soon the next one is. One that cannot be
    /// renewed is lost in the end, and then what was done is refused.
    pub(super) fn show(&self, cx: &mut Context) -> Duration {
        let owned = self.lease_seconds.map(|seconds| self.show_owner(cx, seconds));
        let held = self.claim.as_ref().map(|(task, fence)| self.show_claim(cx, task, *fence));
        owned.into_iter().chain(held).min().unwrap_or(Duration::MAX)
    }

    fn show_owner(&self, cx: &mut Context, lease_seconds: i64) -> Duration {
        let now = cx.now();
        let due = &self.signs.owner;
        if due.within(now).is_zero() {
            due.put_off(now, pause(now, lease_seconds));
            let (target, doer) = (self.target.clone(), self.doer.clone());
            let _renewed = cx.perform(&OwnerHeartbeat { lease_seconds, target, doer });
        }
        due.within(now)
    }

    fn show_claim(&self, cx: &mut Context, task: &str, fence: u64) -> Duration {
        let now = cx.now();
        let due = &self.signs.claim;
        if due.within(now).is_zero() {
            let by = By { fence: Some(fence), ..By::default() };
            let renewed = cx.perform(&Renew { task: task.to_owned(), lease: None, by });
            let pause = renewed.ok().and_then(|renewed| renewed.due_in_ms);
            let pause = pause.map(|millis| Span::from_millis(millis).as_duration());
            due.put_off(now, pause.unwrap_or_else(|| due.pause()));
        }
        due.within(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(15);

    fn time(second: i64) -> Time {
        Time::from_millis(second * 1_000)
    }

    /// At which of these seconds a sign is given, the last one before having been at 100.
    fn given(at: &[i64]) -> Vec<i64> {
        let due = Due::default();
        due.put_off(time(100), PAUSE);
        let is_given = |second: &i64| {
            let is_due = due.within(time(*second)).is_zero();
            if is_due {
                due.put_off(time(*second), PAUSE);
            }
            is_due
        };
        at.iter().copied().filter(is_given).collect()
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
        assert!(Due::default().within(time(0)).is_zero());
    }

    #[test]
    fn a_lease_that_could_not_be_renewed_is_tried_again_as_soon_as_before() {
        let due = Due::default();
        assert_eq!(due.pause(), UNKNOWN);
        due.put_off(time(100), PAUSE);
        assert_eq!(due.pause(), PAUSE);
    }
}
