//! A command, read by `sh`: it passes when it ends with 0.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::output::{Channel, Limits, Output, Recorder};
use super::pulse::{self, Pulse, Wake, Watch};
use super::{Environment, Outcome, Verdict, Why};
use crate::guard::{Belongings, Ended, Guard, Guarded, Heard};
use crate::process::Program;
use crate::reason;

const SHELL: &str = "/bin/sh";

/// How long a guard may take to end everything before it counts as lost.
const ENDING: Duration = Duration::from_secs(8);

/// How long what is in the pipes is read when all is over. Only somebody to whom a pipe was handed
/// can still hold it open.
const DRAINING: Duration = Duration::from_secs(1);

/// A command.
#[derive(Debug, Clone)]
pub struct Shell {
    pub command: String,
    pub folder: PathBuf,
    pub timeout: Duration,
    pub environment: Environment,
    /// Where all that it writes is kept.
    pub log: PathBuf,
    pub limits: Limits,
}

impl Shell {
    /// Runs it to its end, or to the end of its time.
    pub fn run(&self, guard: &Guard, watch: Watch<'_>) -> Outcome {
        let outcome = Recorder::new(&self.log, self.limits)
            .map_err(|error| not_run(format!("no log at {}", self.log.display()), &error))
            .and_then(|recorder| self.follow(guard, recorder, watch));
        outcome.unwrap_or_else(|outcome| outcome)
    }

    fn follow(
        &self,
        guard: &Guard,
        recorder: Recorder,
        watch: Watch<'_>,
    ) -> Result<Outcome, Outcome> {
        let mut program = Program::new(SHELL, &self.folder).arguments(["-c", &self.command]);
        for (name, value) in self.environment.iter() {
            program = program.variable(name, value);
        }
        let pipes = io::pipe().and_then(|stdout| Ok((stdout, io::pipe()?)));
        let ((stdout, out), (stderr, err)) = pipes.map_err(|error| not_run("no pipe", &error))?;
        let belongings = Belongings { stdout: out.into(), stderr: err.into(), folder: None };
        let guarded = guard.start(&program, belongings);
        let guarded = guarded.map_err(|error| not_run("the check was not run", &error))?;
        let mut following = Following {
            guarded,
            stdout: Some(stdout),
            stderr: Some(stderr),
            recorder,
            phase: Phase::Running,
            until: pulse::end_of(self.timeout),
            is_guarded: false,
            ended: None,
            cut: None,
        };
        let followed = following.follow_to_the_end(&mut Pulse::new(watch));
        following.guarded.finish();
        followed.map_err(|error| not_run("the check was lost", &error))?;
        Ok(self.outcome(following))
    }

    fn outcome(&self, following: Following) -> Outcome {
        let Following { recorder, is_guarded, ended, cut, .. } = following;
        let (verdict, message) = match (cut, ended) {
            (Some(Cut::Stopped), _) => (Verdict::Undecided(Why::Stopped), "stopped".to_owned()),
            (Some(Cut::TimedOut), _) => {
                (Verdict::Failed, format!("timed out after {:?}", self.timeout))
            }
            (Some(Cut::NotStarted(why)), _) => {
                (Verdict::Undecided(Why::NotRun), format!("the check was not run: {SHELL}: {why}"))
            }
            (None, Some(ended)) => {
                let is_fine = ended == Ended::Code(0);
                (if is_fine { Verdict::Passed } else { Verdict::Failed }, ended.to_string())
            }
            (None, None) if !is_guarded => (
                Verdict::Undecided(Why::NotRun),
                "the check was not run: its guard did not start".to_owned(),
            ),
            (None, None) => (Verdict::Failed, "it killed the process that guards it".to_owned()),
        };
        let output = recorder.output();
        let mut outcome = Outcome { ended, ..Outcome::new(verdict, message) };
        outcome.notes.extend(log_note(&output));
        Outcome { output: Some(output), ..outcome }
    }
}

fn not_run(what: impl Into<String>, error: &(dyn std::error::Error + 'static)) -> Outcome {
    let message = format!("{}: {}", what.into(), reason::root_cause(error));
    Outcome::undecided(Why::NotRun, message)
}

fn log_note(Output { log, .. }: &Output) -> Option<String> {
    let (size, stored) = (log.size_bytes, log.stored_bytes);
    match &log.trouble {
        Some(trouble) => Some(format!("the log holds {stored} of {size} bytes: {trouble}")),
        None if stored < size => Some(format!("the log holds the first {stored} of {size} bytes")),
        None => None,
    }
}

/// How far a command has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// The command has ended or was cut off; what it left behind is being ended.
    Ending,
    /// Nobody is left.
    Draining,
}

/// Why a command was not left to end by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cut {
    TimedOut,
    Stopped,
    NotStarted(String),
}

struct Following {
    guarded: Guarded,
    /// Until they are closed.
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    recorder: Recorder,
    phase: Phase,
    /// The end of the phase.
    until: Instant,
    is_guarded: bool,
    ended: Option<Ended>,
    cut: Option<Cut>,
}

impl Following {
    fn follow_to_the_end(&mut self, pulse: &mut Pulse<'_>) -> io::Result<()> {
        let mut piece = vec![0; 64 << 10];
        while self.phase != Phase::Draining || self.stdout.is_some() || self.stderr.is_some() {
            match pulse.wait(&self.sources(), self.until)? {
                Wake::Ready(ready) => self.take(&ready, &mut piece, pulse)?,
                Wake::Stopped if self.phase == Phase::Running => self.cut(Cut::Stopped),
                Wake::Stopped => {}
                Wake::TimeIsOver => match self.phase {
                    Phase::Running => self.cut(Cut::TimedOut),
                    Phase::Ending => {
                        self.guarded.give_up();
                        self.drain();
                    }
                    Phase::Draining => return Ok(()),
                },
            }
        }
        Ok(())
    }

    /// The open pipes, and the guard as long as it has something to say.
    fn sources(&self) -> Vec<BorrowedFd<'_>> {
        let pipes = self.stdout.iter().chain(&self.stderr).map(|pipe| pipe.as_fd());
        let guard = (self.phase != Phase::Draining).then(|| self.guarded.as_fd());
        pipes.chain(guard).collect()
    }

    /// From those of [`Self::sources`] that are ready.
    fn take(&mut self, ready: &[bool], piece: &mut [u8], pulse: &mut Pulse<'_>) -> io::Result<()> {
        let mut ready = ready.iter();
        for channel in [Channel::Stdout, Channel::Stderr] {
            let pipe = match channel {
                Channel::Stdout => &mut self.stdout,
                Channel::Stderr => &mut self.stderr,
            };
            let Some(open) = pipe else { continue };
            if ready.next() != Some(&true) {
                continue;
            }
            match open.read(piece) {
                Ok(0) => *pipe = None,
                Ok(length) => {
                    let piece = piece.get(..length).unwrap_or_default();
                    self.recorder.take(channel, piece);
                    pulse.heard(channel, piece);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if ready.next() == Some(&true) {
            self.hear();
        }
        Ok(())
    }

    fn hear(&mut self) {
        loop {
            match self.guarded.hear() {
                Heard::Nothing => return,
                Heard::Ready => self.is_guarded = true,
                Heard::Ended(ended) => {
                    self.ended = Some(ended);
                    self.enter(Phase::Ending, ENDING);
                }
                Heard::NotStarted(error) => {
                    self.cut = Some(Cut::NotStarted(reason::root_cause(&error)));
                }
                Heard::Over => return self.drain(),
            }
        }
    }

    fn cut(&mut self, why: Cut) {
        self.cut = Some(why);
        self.guarded.cut();
        self.enter(Phase::Ending, ENDING);
    }

    /// Nobody who is left may hold the pipes open.
    fn drain(&mut self) {
        self.guarded.finish();
        self.enter(Phase::Draining, DRAINING);
    }

    fn enter(&mut self, phase: Phase, limit: Duration) {
        self.phase = phase;
        self.until = Instant::now() + limit;
    }
}
