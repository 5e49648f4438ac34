//! Waiting for what will happen, instead of sleeping and hoping that it has.

use std::thread;
use std::time::{Duration, Instant};

/// Far more than anything here takes, so that a slow machine is never mistaken for a failure.
pub const LIMIT: Duration = Duration::from_mins(1);

const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Returns as soon as `happened` says so; panics naming `what` when it has not within [`LIMIT`].
#[track_caller]
pub fn until(what: &str, happened: impl FnMut() -> bool) {
    assert!(happens(happened), "waited {LIMIT:?} in vain until {what}");
}

/// The same for those who would rather report than panic: whether it happened within [`LIMIT`].
pub(crate) fn happens(mut happened: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    while !happened() {
        if start.elapsed() > LIMIT {
            return false;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn until_asks_again_until_it_happened() {
        let mut asked = 0;
        until("asked three times", || {
            asked += 1;
            asked == 3
        });
        assert_eq!(asked, 3);
    }
}
