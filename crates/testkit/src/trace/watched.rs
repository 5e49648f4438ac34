//! A traced program that somebody else starts and talks to, such as a server.

use std::fs;

use tempfile::NamedTempFile;

use super::Trace;
use super::log::{self, Call};
use crate::run::Run;
use crate::wait;

/// What `strace` notes when a process was killed.
const KILLED: &str = " +++ killed by SIGKILL +++";

/// A run under `strace`. The process that it starts is the program itself: its tracer stands aside
/// and ends with it.
#[derive(Debug)]
#[must_use = "a watched run does nothing until it is started"]
pub struct Watched {
    pub run: Run,
    log: NamedTempFile,
}

impl Trace {
    /// Kills with `SIGKILL` at the entry of the `nth` (from 1) call of that name in any thread.
    #[track_caller]
    pub fn killed_at(&self, name: &str, nth: usize) -> Watched {
        self.watched_with(&["-e".into(), format!("inject={name}:signal=KILL:when={nth}")])
    }

    /// Makes calls of that name fail with `errno`, in each thread from the `first` (from 1) to the
    /// `last`: a disk that is full, until there is space again.
    #[track_caller]
    pub fn failing(&self, name: &str, first: usize, last: usize, errno: &str) -> Watched {
        let fault = format!("inject={name}:error={errno}:when={first}..{last}");
        self.watched_with(&["-e".into(), fault])
    }

    #[track_caller]
    fn watched_with(&self, fault: &[String]) -> Watched {
        let log = Self::log();
        let aside = [&["-D".to_owned()], fault].concat();
        Watched { run: self.traced(&log, &aside), log }
    }
}

impl Watched {
    /// Whether the program was killed at that call, once it is gone.
    #[track_caller]
    pub fn was_killed_at(&self, name: &str, nth: usize) -> bool {
        wait::until("the tracer has seen the end", || {
            self.text().lines().any(|line| line.ends_with(KILLED))
        });
        let is_it = |call: &Call| call.name == name && call.nth == nth && call.result == "?";
        self.calls().iter().any(is_it)
    }

    /// What the program has done so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        log::calls(&self.text())
    }

    fn text(&self) -> String {
        let bytes = fs::read(self.log.path()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
