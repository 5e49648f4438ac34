//! When a delivery that failed is tried again.

use sha2::{Digest as _, Sha256};

use crate::duration::Span;
use crate::{DeliveryId, Time};

/// How long a delivery is tried at all.
pub const TTL: Span = Span::from_days(1);

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
/// The gaps after the first failures; every later one is [`LAST_GAP`].
const GAPS: [i64; 4] = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];
const LAST_GAP: i64 = 6 * HOUR;
/// A gap is up to this much shorter or longer, so that failures do not come back all at once.
const JITTER_PERCENT: i64 = 20;
/// A receiver that asks for more time than there is gets all of it but this, which even a drain
/// that runs seldom does not miss.
const LAST_CHANCE: i64 = 10 * MINUTE;

/// A failed attempt.
#[derive(Debug, Clone, Copy)]
pub struct Failed {
    pub delivery: DeliveryId,
    /// Attempts so far, with this one.
    pub attempts: u32,
    pub max_attempts: u32,
    pub at: Time,
    pub expires_at: Time,
    /// How long the receiver asks to be left alone.
    pub retry_after: Option<Span>,
}

/// When to try again; never when the attempts are used up or the time is.
pub fn next_attempt(failed: &Failed) -> Option<Time> {
    if failed.attempts >= failed.max_attempts {
        return None;
    }
    let gap = jittered(gap_after(failed.attempts), failed);
    let latest = failed.expires_at.millis_since(failed.at) - LAST_CHANCE;
    let asked = failed.retry_after.map_or(0, Span::as_millis).min(latest);
    let next = failed.at.plus(Span::from_millis(gap.max(asked)));
    (next < failed.expires_at).then_some(next)
}

fn gap_after(attempts: u32) -> i64 {
    let index = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    GAPS.get(index).copied().unwrap_or(LAST_GAP)
}

/// The same delivery and attempt always give the same gap.
fn jittered(gap: i64, failed: &Failed) -> i64 {
    let mut seed = Sha256::new();
    seed.update(failed.delivery.to_bytes());
    seed.update(failed.attempts.to_be_bytes());
    let digest: [u8; 32] = seed.finalize().into();
    let [first, second, ..] = digest;
    let chance = i64::from(u16::from_be_bytes([first, second]));
    let most = gap * JITTER_PERCENT / 100;
    gap - most + 2 * most * chance / i64::from(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn failed(attempts: u32) -> Failed {
        let at = Time::from_millis(1_794_735_000_000);
        Failed {
            delivery: DeliveryId::from_bytes([7; 16]),
            attempts,
            max_attempts: 20,
            at,
            expires_at: at.plus(TTL),
            retry_after: None,
        }
    }

    fn gap(failed: &Failed) -> Option<i64> {
        next_attempt(failed).map(|next| next.millis_since(failed.at))
    }

    #[test]
    fn the_gaps_grow_by_the_schedule_row_c18() {
        let gaps = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 6 * HOUR, 6 * HOUR];
        for (attempts, expected) in (1..).zip(gaps) {
            let gap = gap(&failed(attempts)).unwrap();
            let fifth = expected / 5;
            assert!((expected - fifth..=expected + fifth).contains(&gap), "{attempts}: {gap}");
        }
    }

    #[test]
    fn the_last_attempt_is_the_last_however_much_time_is_left_row_t3() {
        for most in 1..=20 {
            let last = Failed { max_attempts: most, ..failed(most) };
            assert_eq!(gap(&last), None);
            assert!(most == 1 || gap(&Failed { attempts: most - 1, ..last }).is_some());
        }
    }

    #[test]
    fn an_attempt_that_would_come_too_late_is_not_made() {
        let late = |left| {
            let failed = failed(4);
            gap(&Failed { expires_at: failed.at.plus(Span::from_millis(left)), ..failed })
        };
        assert_eq!(late(40 * MINUTE), None);
        assert!(late(80 * MINUTE).is_some());
    }

    #[test]
    fn a_receiver_may_lengthen_a_gap_but_not_shorten_it() {
        let plain = failed(2);
        let asking = |millis| {
            gap(&Failed { retry_after: Some(Span::from_millis(millis)), ..plain }).unwrap()
        };
        assert_eq!(asking(SECOND), gap(&plain).unwrap());
        assert_eq!(asking(HOUR), HOUR);
    }

    #[test]
    fn a_receiver_cannot_outlast_the_time_to_live() {
        let asking = Failed { retry_after: Some(Span::from_days(9)), ..failed(1) };
        assert_eq!(gap(&asking), Some(TTL.as_millis() - LAST_CHANCE));
    }

    proptest! {
        #[test]
        fn a_next_attempt_keeps_every_bound(
            id in any::<[u8; 16]>(),
            attempts in 1_u32..25,
            max_attempts in 1_u32..=20,
            left in 0_i64..=86_400_000,
            retry_after in proptest::option::of(0_i64..200_000_000),
        ) {
            let base = failed(attempts);
            let failed = Failed {
                delivery: DeliveryId::from_bytes(id),
                max_attempts,
                expires_at: base.at.plus(Span::from_millis(left)),
                retry_after: retry_after.map(Span::from_millis),
                ..base
            };
            let next = next_attempt(&failed);
            prop_assert_eq!(next, next_attempt(&failed));
            let without = next_attempt(&Failed { retry_after: None, ..failed });
            match (next, without) {
                (Some(next), Some(without)) => {
                    prop_assert!(attempts < max_attempts);
                    prop_assert!(next >= without && next < failed.expires_at);
                    prop_assert!(next.millis_since(failed.at) >= 24 * SECOND);
                }
                // Asking for more time never costs the attempt.
                (next, without) => prop_assert_eq!(next, without),
            }
        }
    }
}
