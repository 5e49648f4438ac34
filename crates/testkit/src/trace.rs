//! Fault injection from outside: the unmodified binary under `strace`, which watches its system
//! calls and can kill it at one of them or make one fail.
//!
//! **Calls are counted by thread and name.** `strace` keeps one count for each thread of each
//! process, so the second `write` means the second one of every thread; [`Call::nth`] counts the
//! same way. For a program of one thread, which a command is, the two are the same.

#![expect(clippy::panic, reason = "a trace that cannot be taken ends its test")]

mod frozen;
mod log;
mod watched;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

pub use frozen::Frozen;
pub use log::Call;
use tempfile::NamedTempFile;
pub use watched::Watched;

use crate::machine;
use crate::run::{Outcome, Run};

/// The calls by which a program changes what outlives it: files, and what it sends to a database.
pub const WRITE_POINTS: [&str; 13] = [
    "pwrite64",
    "write",
    "fsync",
    "fdatasync",
    "ftruncate",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "sendto",
    "sendmsg",
    "writev",
    "pwritev",
];

/// A run to be traced, as often as wanted; the program starts anew each time.
#[derive(Clone, Debug)]
#[must_use = "a trace does nothing until it is recorded or a fault is injected"]
pub struct Trace {
    run: Run,
    calls: Vec<String>,
    paths: Vec<PathBuf>,
}

/// What a traced run did.
#[derive(Clone, Debug)]
pub struct Recording {
    pub outcome: Outcome,
    /// In the order in which they began.
    pub calls: Vec<Call>,
}

/// What became of a run with a fault in it.
#[derive(Clone, Debug)]
#[must_use = "a fault that was never reached proves nothing: look at `hit`"]
pub struct Injected {
    pub hit: Hit,
    pub outcome: Outcome,
    pub calls: Vec<Call>,
}

/// Whether the fault took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// The process died at the call, which did not happen.
    Killed,
    /// The call did not happen, and the program was told the error.
    Failed,
    /// The program ended without coming to that call.
    NeverReached,
}

#[derive(Clone, Copy, Debug)]
enum Fault<'a> {
    Kill { nth: usize },
    Error(&'a str),
}

impl Trace {
    /// Watches the [`WRITE_POINTS`] of the run and of every process it starts.
    pub fn of(run: Run) -> Self {
        Self { run, calls: WRITE_POINTS.map(String::from).to_vec(), paths: Vec::new() }
    }

    /// Watches these calls instead.
    pub fn calls(mut self, names: &[&str]) -> Self {
        self.calls = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Watches, counts and hits only calls on these files (a path each, which may not exist yet).
    pub fn only_on(mut self, path: impl AsRef<Path>) -> Self {
        self.paths.push(path.as_ref().to_owned());
        self
    }

    /// Runs to the end without a fault.
    #[track_caller]
    #[must_use]
    pub fn record(&self) -> Recording {
        let (outcome, log) = self.take(&[]);
        Recording { outcome, calls: log::calls(&log) }
    }

    /// Kills with `SIGKILL` each thread's process at the entry of its `nth` (from 1) call of that
    /// name: the call itself does not happen. See the module for how calls are counted.
    #[track_caller]
    pub fn kill_at(&self, name: &str, nth: usize) -> Injected {
        self.inject(name, Fault::Kill { nth }, &nth.to_string())
    }

    /// Stops the program when its `nth` (from 1) call of that name has happened.
    #[track_caller]
    pub fn freeze_after(&self, name: &str, nth: usize) -> Frozen {
        let log = Self::log();
        let fault = ["-e".into(), format!("inject={name}:signal=STOP:when={nth}")];
        Frozen::of(self.traced(&log, &fault), &log)
    }

    /// Makes the `nth` (from 1) call of that name in each thread fail with `errno` (`ENOSPC`).
    #[track_caller]
    pub fn fail_at(&self, name: &str, nth: usize, errno: &str) -> Injected {
        self.inject(name, Fault::Error(errno), &nth.to_string())
    }

    /// The same for the `nth` and all later ones: a disk that is full stays full.
    #[track_caller]
    pub fn fail_from(&self, name: &str, nth: usize, errno: &str) -> Injected {
        self.inject(name, Fault::Error(errno), &format!("{nth}+"))
    }

    #[track_caller]
    fn inject(&self, name: &str, fault: Fault<'_>, when: &str) -> Injected {
        assert!(
            self.calls.iter().any(|call| call == name),
            "{name} is not among the watched calls"
        );
        let (outcome, log) =
            self.take(&["-e".into(), format!("inject={name}:{fault}:when={when}")]);
        let calls = log::calls(&log);
        let reached = calls.iter().any(|call| call.name == name && fault.shows_in(call));
        let hit = match fault {
            _ if !reached => Hit::NeverReached,
            Fault::Kill { .. } => Hit::Killed,
            Fault::Error(_) => Hit::Failed,
        };
        Injected { hit, outcome, calls }
    }

    #[track_caller]
    fn take(&self, fault: &[String]) -> (Outcome, String) {
        let file = Self::log();
        let outcome = self.traced(&file, fault).run();
        match fs::read(file.path()) {
            Ok(log) => (outcome, String::from_utf8_lossy(&log).into_owned()),
            Err(error) => panic!("cannot read the trace: {error}\n{outcome}"),
        }
    }

    #[track_caller]
    fn log() -> NamedTempFile {
        match tempfile::Builder::new().prefix("windlass-trace-").tempfile() {
            Ok(file) => file,
            Err(error) => panic!("cannot make a file for the trace: {error}"),
        }
    }

    /// The run under `strace`.
    #[track_caller]
    fn traced(&self, log: &NamedTempFile, fault: &[String]) -> Run {
        let Some(strace) = machine::find("strace") else {
            panic!("strace is not installed: run `cargo xtask setup`");
        };
        let mut args = self.options(log.path());
        args.extend(fault.iter().map(OsString::from));
        args.push("--".into());
        self.run.through(strace, args)
    }

    /// `-f` follows children, `-y` names the files behind descriptors, `?` passes over a name that
    /// this machine does not have. Not `--seccomp-bpf`, faster as it is: it loses signals to inject.
    fn options(&self, log: &Path) -> Vec<OsString> {
        let names: Vec<String> = self.calls.iter().map(|name| format!("?{name}")).collect();
        let mut options: Vec<OsString> =
            ["-f", "-y", "-a1", "-s64", "-e"].map(OsString::from).to_vec();
        options.push(format!("trace={}", names.join(",")).into());
        options.extend([OsString::from("-o"), log.into()]);
        for path in &self.paths {
            options.extend([OsString::from("-P"), path.into()]);
        }
        options
    }
}

impl Fault<'_> {
    fn shows_in(self, call: &Call) -> bool {
        match self {
            Self::Kill { nth } => call.nth == nth && call.result.starts_with('?'),
            Self::Error(_) => call.result.ends_with("(INJECTED)"),
        }
    }
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill { .. } => f.write_str("signal=KILL"),
            Self::Error(errno) => write!(f, "error={errno}"),
        }
    }
}

#[cfg(test)]
mod tests;
