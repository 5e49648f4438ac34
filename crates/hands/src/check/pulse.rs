//! Waiting for a check: for what it says, for its time to be over, for somebody to stop it, and a beat
//! at once, then at least about every second, and soon after it wrote something.

use std::fmt;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::newest::Newest;
use super::output::Channel;

const BEAT: Duration = Duration::from_secs(1);

/// However much is written, and however soon the next beat is asked for, there are no more.
const QUICK: Duration = Duration::from_millis(100);

/// A year, which is as good as for ever.
const LONGEST: Duration = Duration::from_hours(24 * 365);

/// Who waits for a check.
pub struct Watch<'a> {
    /// Called when the check begins, about every second while it runs, to renew a lease, say, and
    /// soon after it wrote something: with the newest line of that, as it was written. It answers
    /// within which time it must be called again.
    pub beat: &'a mut dyn FnMut(&str) -> Duration,
    pub stop: &'a Stop,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("stop", self.stop).finish_non_exhaustive()
    }
}

/// A way to stop checks, from any thread, at once and for good.
#[derive(Debug, Clone)]
pub struct Stop(Arc<(UnixStream, UnixStream)>);

impl Stop {
    pub fn new() -> io::Result<Self> {
        UnixStream::pair().map(|ends| Self(Arc::new(ends)))
    }

    /// Nobody takes the byte away, so everybody who waits is woken.
    pub fn stop(&self) {
        let (button, _) = &*self.0;
        (&*button).write_all(b".").ok();
    }

    /// Whether somebody has.
    pub fn is_asked_for(&self) -> bool {
        let mut end = [PollFd::new(self, PollFlags::IN)];
        poll(&mut end, Some(&timespec(Duration::ZERO))).is_ok_and(|ready| ready > 0)
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.1.as_fd()
    }
}

/// What ended a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wake {
    /// For each that was waited for, whether it has something to say.
    Ready(Vec<bool>),
    TimeIsOver,
    Stopped,
}

pub(super) struct Pulse<'a> {
    watch: Watch<'a>,
    newest: Newest,
    last_beat: Instant,
    next_beat: Instant,
    is_stopped: bool,
}

impl<'a> Pulse<'a> {
    pub(super) fn new(watch: Watch<'a>) -> Self {
        let now = Instant::now();
        let newest = Newest::default();
        Self { watch, newest, last_beat: now, next_beat: now, is_stopped: false }
    }

    /// Something was written.
    pub(super) fn heard(&mut self, channel: Channel, piece: &[u8]) {
        self.newest.take(channel, piece);
        self.next_beat = self.next_beat.min(self.last_beat + QUICK);
    }

    /// Waits until one of them has something to say, or for the time given. That somebody wants to
    /// stop is told once: what follows is the stopping.
    pub(super) fn wait(&mut self, them: &[BorrowedFd<'_>], until: Instant) -> io::Result<Wake> {
        loop {
            let now = Instant::now();
            if now >= self.next_beat {
                let within = (self.watch.beat)(&self.newest.text());
                self.last_beat = Instant::now();
                self.next_beat = self.last_beat + within.clamp(QUICK, BEAT);
            }
            let stop = (!self.is_stopped).then(|| self.watch.stop.as_fd());
            let mut all: Vec<PollFd<'_>> = stop
                .iter()
                .chain(them)
                .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
                .collect();
            let pause = until.min(self.next_beat).saturating_duration_since(now);
            match poll(&mut all, Some(&timespec(pause))) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let mut ready: Vec<bool> = all.iter().map(|fd| !fd.revents().is_empty()).collect();
            if stop.is_some() && ready.remove(0) {
                self.is_stopped = true;
                return Ok(Wake::Stopped);
            }
            // Time is over also for one that never stops talking.
            if Instant::now() >= until {
                return Ok(Wake::TimeIsOver);
            }
            if ready.contains(&true) {
                return Ok(Wake::Ready(ready));
            }
        }
    }

    /// Between pieces of work that wait for nobody: whether to go on.
    pub(super) fn glance(&mut self, until: Instant) -> io::Result<Option<Wake>> {
        if Instant::now() >= until {
            return Ok(Some(Wake::TimeIsOver));
        }
        let moment = Instant::now() + Duration::from_micros(1);
        Ok(match self.wait(&[], moment.min(until))? {
            Wake::Stopped => Some(Wake::Stopped),
            Wake::TimeIsOver | Wake::Ready(_) => None,
        })
    }
}

/// The end of a time that begins now, however long somebody says it is.
pub(super) fn end_of(timeout: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(timeout).unwrap_or(now + LONGEST)
}

fn timespec(pause: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(pause.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: pause.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_beat_comes_before_anything_is_waited_for() {
        let stop = Stop::new().unwrap();
        let mut beats = 0;
        let mut beat = |_: &str| {
            beats += 1;
            Duration::MAX
        };
        let woken = Pulse::new(Watch { beat: &mut beat, stop: &stop }).wait(&[], Instant::now());
        assert_eq!((woken.unwrap(), beats), (Wake::TimeIsOver, 1));
    }

    #[test]
    fn the_next_beat_is_as_soon_as_it_is_asked_for() {
        let soon = Duration::from_millis(300);
        for (asked, expected) in [(Duration::ZERO, QUICK), (soon, soon), (Duration::MAX, BEAT)] {
            let stop = Stop::new().unwrap();
            let mut beat = |_: &str| asked;
            let mut pulse = Pulse::new(Watch { beat: &mut beat, stop: &stop });
            let _woken = pulse.wait(&[], Instant::now()).unwrap();
            assert_eq!(pulse.next_beat - pulse.last_beat, expected, "{asked:?}");
        }
    }
}
