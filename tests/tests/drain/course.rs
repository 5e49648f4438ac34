//! Whether deliveries keep to the schedule, by what is on record of them before and after a round.
//!
//! The clock stands in a round, so each is attempted once in it at most: twice would mean that two
//! workers had it.

use std::collections::BTreeMap;

use windlass_domain::Time;
use windlass_ledger::{Tracked, Waiting};

use crate::outbox::{HOUR, MINUTE, SECOND};
use crate::plan::Arrivals;

/// The time after the first, second, … failure, give or take a fifth of it.
const GAPS: [i64; 5] = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR];
/// How long a delivery stays with a worker that is gone.
const LOCK: i64 = 2 * MINUTE;

/// What was on record of each delivery that waited after the last round, by its id.
#[derive(Debug, Default)]
pub(crate) struct Course(BTreeMap<String, Known>);

/// What is on record of a delivery that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known {
    attempts: u32,
    next_attempt_at: Time,
    /// Since when a worker has it; after a round that worker is gone.
    held_since: Option<Time>,
}

impl Known {
    fn of(waiting: &Waiting) -> Self {
        Self {
            attempts: waiting.attempts,
            next_attempt_at: waiting.next_attempt_at,
            held_since: waiting.sending.as_ref().map(|sending| sending.since),
        }
    }

    /// Nobody may attempt it before then.
    fn free_at(self) -> Time {
        self.held_since.map_or(self.next_attempt_at, |since| later(since, LOCK))
    }

    /// What may have become of it in a round at that time, in which it arrived or did not.
    fn may_become(self, next: Self, now: Time, arrived: bool) -> bool {
        if next == self || self.free_at() > now {
            return next == self && !arrived;
        }
        if next.held_since.is_some() {
            // Whoever took it was killed, before it had arrived or after.
            return next.held_since == Some(now) && next.attempts == self.attempts;
        }
        if next.attempts == self.attempts {
            // It was taken from a worker that is gone, and waits for another.
            return !arrived && self.held_since.is_some() && next.next_attempt_at == now;
        }
        next.attempts == self.attempts + 1 && is_gap(self.attempts, now, next.next_attempt_at)
    }
}

/// Whether the schedule says so after a failure before which there were so many.
fn is_gap(failures: u32, from: Time, to: Time) -> bool {
    let gap = GAPS[usize::try_from(failures).unwrap().min(GAPS.len() - 1)];
    (gap - gap / 5..=gap + gap / 5).contains(&to.millis_since(from))
}

fn later(time: Time, millis: i64) -> Time {
    Time::from_millis(time.as_millis() + millis)
}

impl Course {
    /// Looks at all deliveries after a round at that time, and at what arrived.
    #[track_caller]
    pub(crate) fn goes_on(&mut self, now: Time, deliveries: &[Tracked], arrivals: &Arrivals) {
        let mut known = BTreeMap::new();
        for tracked in deliveries {
            let id = tracked.delivery.id.to_string();
            let arrived = arrivals.get(&id).into_iter().flatten().filter(|one| one.at == now);
            let arrived = arrived.count();
            assert!(arrived <= 1, "{id} arrived {arrived} times in a round: {arrivals:?}");
            // What is new could be sent at once.
            let new = Known { attempts: 0, next_attempt_at: now, held_since: None };
            let before = self.0.get(&id).copied().unwrap_or(new);
            let Some(waiting) = &tracked.waiting else {
                assert!(arrived == 0 || before.free_at() <= now, "{id} came early: {before:?}");
                continue;
            };
            let next = Known::of(waiting);
            assert!(
                before.may_become(next, now, arrived == 1),
                "{id} was {before:?} and is {next:?} at {now}, arrived: {arrived}"
            );
            known.insert(id, next);
        }
        self.0 = known;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Time {
        Time::from_millis(millis)
    }

    fn known(attempts: u32, next: i64, held_since: Option<i64>) -> Known {
        Known { attempts, next_attempt_at: at(next), held_since: held_since.map(at) }
    }

    #[test]
    fn a_failure_is_followed_by_its_gap_and_no_other() {
        let due = known(1, MINUTE, None);
        let fails = |next: i64| due.may_become(known(2, next, None), at(MINUTE), true);
        assert!(!fails(MINUTE) && !fails(2 * MINUTE + 35 * SECOND));
        assert!(fails(2 * MINUTE + 36 * SECOND) && fails(3 * MINUTE + 24 * SECOND));
        assert!(!fails(3 * MINUTE + 25 * SECOND) && !fails(7 * MINUTE));
        assert!(!due.may_become(known(3, 3 * MINUTE, None), at(MINUTE), true), "counted twice");
        assert!(!due.may_become(due, at(MINUTE), true), "not counted");
    }

    #[test]
    fn nothing_happens_before_its_time() {
        let early = known(1, MINUTE, None);
        assert!(early.may_become(early, at(59 * SECOND), false));
        assert!(!early.may_become(early, at(59 * SECOND), true));
        assert!(!early.may_become(known(2, 3 * MINUTE, None), at(59 * SECOND), false));
    }

    #[test]
    fn only_what_a_dead_worker_holds_waits_for_the_lock() {
        let held = known(1, 0, Some(0));
        let again = known(1, 0, Some(2 * MINUTE));
        assert!(held.may_become(held, at(119 * SECOND), false));
        assert!(!held.may_become(held, at(119 * SECOND), true));
        assert!(held.may_become(again, at(2 * MINUTE), true));
        assert!(held.may_become(known(1, 2 * MINUTE, None), at(2 * MINUTE), false));
        assert!(!known(1, 0, None).may_become(known(1, 2 * MINUTE, None), at(2 * MINUTE), false));
    }
}
