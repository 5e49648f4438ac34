//! When a lease is renewed: once a third of it has passed, so that a renewal may fail twice before
//! the lease runs out.

use crate::Time;
use crate::duration::Span;

/// How long from now until a lease of this length, which runs out then, is to be renewed.
pub fn due_in(lease: Span, until: Time, now: Time) -> Span {
    let fresh = lease.as_millis() / 3 * 2;
    Span::from_millis(until.millis_since(now).saturating_sub(fresh).max(0))
}

/// The same for a lease that begins now.
pub fn pause(lease: Span, now: Time) -> Span {
    due_in(lease, now.plus(lease), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_000_000);

    fn due_in_millis(lease: i64, left: i64) -> i64 {
        let (lease, left) = (Span::from_millis(lease), Span::from_millis(left));
        due_in(lease, NOW.plus(left), NOW).as_millis()
    }

    #[test]
    fn a_lease_of_any_length_is_renewed_after_a_third() {
        for (lease, third) in [(3_000, 1_000), (1_800_000, 600_000), (10, 4)] {
            assert_eq!(pause(Span::from_millis(lease), NOW).as_millis(), third, "{lease}");
        }
    }

    #[test]
    fn what_has_passed_is_not_waited_for_again() {
        for (left, due) in [(9_000, 3_000), (7_000, 1_000), (6_000, 0), (1, 0), (-5_000, 0)] {
            assert_eq!(due_in_millis(9_000, left), due, "{left}");
        }
    }
}
