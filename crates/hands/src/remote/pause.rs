//! How long to wait before the next attempt.

use std::time::Duration;

/// How often a request is sent again.
pub(super) const RETRIES: u32 = 5;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);

/// Before the attempt that follows `attempts` of them: longer each time, and different for everybody,
/// so that those whom a server left alone do not come back all at once.
pub(super) fn before_the_next(attempts: u32) -> Duration {
    let mut random = [0; 1];
    // Without random bytes all wait the same.
    let _filled = getrandom::fill(&mut random);
    let [random] = random;
    jittered(FIRST.saturating_mul(1 << attempts.min(10)).min(LONGEST), random)
}

/// Between half of it and the whole.
fn jittered(pause: Duration, random: u8) -> Duration {
    pause / 2 + pause * u32::from(random) / 510
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_two_seconds_and_are_never_less_than_half() {
        assert_eq!(jittered(FIRST, 255), FIRST);
        assert_eq!(jittered(FIRST, 0), FIRST / 2);
        for attempts in 0..40 {
            let pause = before_the_next(attempts);
            assert!(pause >= FIRST / 2 && pause <= LONGEST, "{attempts}: {pause:?}");
        }
        assert!(before_the_next(5) >= LONGEST / 2);
    }
}
