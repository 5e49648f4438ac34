//! A program that stands still in the middle of its work, as long as somebody looks at it.

use std::fs;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

use crate::run::{Outcome, Run};
use crate::wait;

/// What `strace` notes when a process has stopped.
const STOPPED: &str = " --- stopped by SIGSTOP ---";

/// A program that was stopped. Whoever forgets it kills it.
#[derive(Debug)]
#[must_use = "a program that stands still does not end by itself"]
pub struct Frozen {
    run: Run,
    /// The `strace` that follows it.
    tracer: Option<Child>,
    program: Pid,
}

impl Frozen {
    /// Waits until the program that is traced into this log stands still.
    #[track_caller]
    pub(super) fn of(run: Run, log: &NamedTempFile) -> Self {
        let mut tracer = run.spawn();
        let mut program = None;
        wait::until("the program stands still", || {
            if let Ok(Some(status)) = tracer.try_wait() {
                panic!("it ended before it came to that call: {status}");
            }
            program = stopped(&fs::read_to_string(log.path()).unwrap_or_default());
            program.is_some()
        });
        let Some(program) = program else {
            unreachable!("it was waited for");
        };
        Self { run, tracer: Some(tracer), program }
    }

    /// Kills it where it stands.
    #[track_caller]
    pub fn kill(mut self) -> Outcome {
        self.end();
        match self.tracer.take() {
            Some(tracer) => self.run.finish(tracer),
            None => unreachable!("it is killed once"),
        }
    }

    fn end(&self) {
        // It may be gone already.
        let _killed = kill_process(self.program, Signal::KILL);
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        if let Some(mut tracer) = self.tracer.take() {
            self.end();
            // It ends with what it follows.
            let _status = tracer.wait();
        }
    }
}

fn stopped(log: &str) -> Option<Pid> {
    let line = log.lines().find(|line| line.ends_with(STOPPED))?;
    Pid::from_raw(line.split_whitespace().next()?.parse().ok()?)
}
