//! `run step verify`: the checks of a step are run where the caller is, and what they show is
//! recorded.
//!
//! No lock is held while a check runs. Whoever moved the step on meanwhile has won, and the results
//! are refused.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chain::Hash;
use windlass_domain::duration::Span;
use windlass_domain::run::check::{
    CheckResult, Exhibit, Outcome, Output as Written, REVIEW, SHOWN_BYTES, foregone,
};
use windlass_domain::run::file::{self, AssertKind, Check};
use windlass_domain::run::name::command;
use windlass_domain::{Code, Refusal};
use windlass_hands::check::{
    Artifact, Assert, Browser, Ended, Ends, Environment, Limits, Log, Shell, Stop, Stream, Verdict,
    Watch, Why,
};
use windlass_hands::check::{Outcome as Seen, Seen as SeenFile};
use windlass_hands::evidence;
use windlass_hands::guard::{Guard, Waiting};
use windlass_ledger::{Error, Fault};

use super::attendance::{Attendance, guard};
use super::change::{Doer, Verified, Whereabouts};
use super::drawer::Drawer;
use super::life::{Life, Signs};
use super::sight::Sight;
use super::steps::{Checks, Results, StepChecked, StepChecks};
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation, Place, Remotely};

/// For a check that says nothing itself, where no setting does.
const USUAL_TIMEOUT: Duration = Duration::from_mins(30);

/// Runs the checks of a step.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct StepVerify {
    /// Its number, from 1
    pub step: u32,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for StepVerify {
    type Output = Verified;
    const NAME: &'static str = "run.step.verify";
    const ABOUT: &'static str = "Run the checks of a step, and record what they show";
    const EXAMPLE: &'static str = "windlass run step verify 1";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Verified, Error> {
        let stop = Stop::new().map_err(unwatched)?;
        let (signs, sight, attendance) = (&Signs::default(), None, None);
        let watcher = Watcher { stop: &stop, signs, sight, attendance };
        let verified = self.watched(cx, &watcher)?;
        verified.ok_or_else(|| Fault::bug("checks ended that nobody stopped").into())
    }

    fn afterwards_refused(&self, refusal: &Refusal, cx: &mut Context) {
        super::mirror::refused(cx, &self.target, refusal);
    }
}

/// Who looks on while checks are run, and can stop them.
pub(super) struct Watcher<'a> {
    pub(super) stop: &'a Stop,
    /// When it shows next that it is there.
    pub(super) signs: &'a Signs,
    /// What is seen already of the step, where more than its checks is.
    pub(super) sight: Option<&'a Sight<'a>>,
    /// That it is there, where that was said before.
    pub(super) attendance: Option<&'a Attendance>,
}

pub(super) fn unwatched(error: std::io::Error) -> Fault {
    Fault::new(Code::FileUnusable, "a program cannot be watched").because(error)
}

impl StepVerify {
    /// The same while somebody looks on. When that one stops it, nothing is recorded, and there is
    /// nothing to tell.
    pub(super) fn watched(
        &self,
        cx: &mut Context,
        watcher: &Watcher<'_>,
    ) -> Result<Option<Verified>, Error> {
        // The guard starts while the ledger is asked what there is to guard. Where it does not start,
        // the check will say why.
        let waiting = Waiting::of_this_program().ok();
        let target = self.target.settled(cx)?;
        let doer = self.doer.here(cx);
        let asked = StepChecks { step: self.step, target: target.clone(), doer: doer.clone() };
        let checks = cx.perform(&asked)?;
        find(&checks.whereabouts)?;
        let _there = match watcher.attendance {
            Some(_) => None,
            None => Some(Attendance::begin(cx, &checks.whereabouts)),
        };
        if let Some(due_in_ms) = checks.owner_due_in_ms {
            watcher.signs.expect_of_owner(cx.now(), due_in_ms);
        }
        let life = Life {
            target: &target,
            doer: &doer,
            lease_seconds: checks.owner_lease_seconds,
            claim: checks.claim.clone(),
            signs: watcher.signs,
        };
        let bench = Bench::of(cx, &checks, watcher.stop, waiting);
        let alone = Sight::of_checks(&checks);
        let sight = watcher.sight.unwrap_or(&alone);
        let Some(results) = bench.run(cx, &checks, &life, sight)? else { return Ok(None) };
        let answer = cx.perform(&StepChecked {
            step: self.step,
            attempt: checks.attempt,
            results: Results(results),
            target,
            doer,
        });
        if !matches!(answer, Err(Error::Refused(_))) {
            // What was not answered may have been recorded.
            bench.drawer.keep();
        }
        let answer = answer?;
        answer.changed.mirror(cx);
        Ok(Some(answer))
    }
}

/// What checks need where they run.
struct Bench<'a> {
    root: PathBuf,
    /// Where logs and pictures are kept.
    drawer: Drawer,
    environment: Environment,
    guard: Guard,
    timeout: Duration,
    browser: Option<PathBuf>,
    stop: &'a Stop,
}

impl<'a> Bench<'a> {
    fn of(cx: &Context, checks: &Checks, stop: &'a Stop, waiting: Option<Waiting>) -> Self {
        let settings = &cx.settings.settings;
        let folder = PathBuf::from(&checks.whereabouts.folder);
        Self {
            drawer: Drawer::new(evidence::place(&folder, &checks.whereabouts.run_id)),
            root: folder,
            environment: Environment::of_caller(std::env::vars_os()),
            guard: guard(checks.whereabouts.run, waiting),
            timeout: settings.runs_check_timeout.map_or(USUAL_TIMEOUT, Span::as_duration),
            browser: settings.runs_browser.as_ref().map(PathBuf::from),
            stop,
        }
    }

    /// Runs them in order, up to the first that does not pass. Nothing once somebody stops them.
    fn run(
        &self,
        cx: &mut Context,
        checks: &Checks,
        life: &Life<'_>,
        sight: &Sight<'_>,
    ) -> Result<Option<Vec<CheckResult>>, Error> {
        let mut results = Vec::new();
        let of = checks.checks.last().map_or(0, |(place, _)| place + 1);
        for (place, check) in &checks.checks {
            let started = cx.now();
            let doing = format!("check {} of {of}", place + 1);
            let mut beat = |last: &str| {
                sight.show(cx, &doing, last);
                life.show(cx)
            };
            let mut result = match foregone(check) {
                Some(outcome) => CheckResult::new(*place, outcome),
                None => self.look(checks, *place, check, &mut beat)?,
            };
            if self.stop.is_asked_for() {
                return Ok(None);
            }
            result.started_at = Some(started);
            result.ended_at = Some(cx.now());
            let passed = result.outcome == Outcome::Passed;
            results.push(result);
            if !passed {
                break;
            }
        }
        Ok(Some(results))
    }

    fn look(
        &self,
        checks: &Checks,
        place: usize,
        check: &Check,
        beat: &mut dyn FnMut(&str) -> Duration,
    ) -> Result<CheckResult, Error> {
        let Checks { step, attempt, .. } = checks;
        let name = format!("step-{step}-attempt-{attempt}-check-{}", place + 1);
        let watch = Watch { beat, stop: self.stop };
        let seen = match check {
            Check::Shell { command, timeout } => {
                let command = command.clone().unwrap_or_default();
                self.run_command(command, self.time(timeout.as_ref()), &name, watch)?
            }
            Check::Artifact { path, assert, timeout } => Artifact {
                root: self.root.clone(),
                path: path.clone(),
                assert: asserted(assert.as_ref()),
                timeout: self.time(timeout.as_ref()),
            }
            .run(watch),
            Check::Browser { url, check, timeout } => {
                let timeout = self.time(timeout.as_ref());
                self.open_page(url.clone(), check.clone(), timeout, &name, watch)?
            }
            Check::Review { .. } | Check::Unknown { .. } => {
                return Err(Fault::bug("a check that nobody runs was to be run").into());
            }
        };
        Ok(told(place, seen))
    }

    fn run_command(
        &self,
        command: String,
        timeout: Duration,
        name: &str,
        watch: Watch<'_>,
    ) -> Result<Seen, Error> {
        let shell = Shell {
            command,
            folder: self.root.clone(),
            timeout,
            environment: self.environment.clone(),
            log: self.drawer.claim(name, "log")?,
            limits: Limits::default(),
        };
        Ok(shell.run(&self.guard, watch))
    }

    fn open_page(
        &self,
        url: Option<String>,
        check: Option<String>,
        timeout: Duration,
        name: &str,
        watch: Watch<'_>,
    ) -> Result<Seen, Error> {
        let browser = Browser {
            root: self.root.clone(),
            url,
            check,
            timeout,
            program: self.browser.clone(),
            environment: self.environment.clone(),
            screenshot: self.drawer.claim(name, "png")?,
        };
        let seen = browser.run(&self.guard, watch);
        if !seen.files.iter().any(|file| file.path == browser.screenshot) {
            // No picture was taken.
            self.drawer.discard(&browser.screenshot);
        }
        Ok(seen)
    }

    fn time(&self, given: Option<&Span>) -> Duration {
        given.map_or(self.timeout, |span| span.as_duration())
    }
}

fn asserted(assert: Option<&file::Assert>) -> Assert {
    let value = assert.and_then(|assert| assert.value.clone());
    let kind = assert.map_or(&AssertKind::Missing, |assert| &assert.kind);
    match kind {
        AssertKind::Exists => Assert::Exists,
        AssertKind::Contains => Assert::Contains(value),
        AssertKind::MatchesGlob => Assert::MatchesGlob(value),
        AssertKind::Other(_) | AssertKind::Missing => Assert::Other(kind.as_str().to_owned()),
    }
}

/// What was seen, as a run keeps it.
fn told(place: usize, seen: Seen) -> CheckResult {
    let Seen { verdict, message, notes, ended, output, files } = seen;
    let outcome = match verdict {
        Verdict::Passed => Outcome::Passed,
        Verdict::Failed => Outcome::Failed,
        Verdict::Undecided(Why::Review) if message.starts_with(REVIEW) => {
            Outcome::Undecided(message.clone())
        }
        Verdict::Undecided(Why::Review) => Outcome::Undecided(format!("{REVIEW}: {message}")),
        Verdict::Undecided(Why::Unclear | Why::NotRun | Why::Stopped) => {
            Outcome::Undecided(message.clone())
        }
    };
    let mut result = CheckResult::new(place, outcome);
    match ended {
        Some(Ended::Code(code)) => result.exit_code = Some(code),
        Some(Ended::Signal(signal)) => result.signal = Some(signal),
        None => {}
    }
    if let Some(output) = output {
        result.stdout = written(&output.stdout);
        result.stderr = written(&output.stderr);
        result.log = Some(log(&output.log));
        // Of a command that ended by itself the exit code says it.
        let by_itself = ended.filter(|ended| matches!(ended, Ended::Code(_)));
        if by_itself.is_none_or(|ended| ended.to_string() != message) {
            let said = std::iter::once(message).chain(notes).collect::<Vec<_>>();
            result.ending = Some(said.join("\n"));
        }
    } else {
        result.stdout.text = message;
        result.stderr.text = notes.join("\n");
    }
    result.exhibits = files.into_iter().map(exhibit).collect();
    result
}

/// A folder that is gone is not made again: what a check shows in an empty one means nothing.
fn find(run: &Whereabouts) -> Result<(), Error> {
    let folder = Path::new(&run.folder);
    let found = std::fs::read_dir(folder).map(drop);
    found.map_err(|error| {
        let way = command(&run.run_id, "finish discard");
        let hint = format!("bring it back, or end the run: {way}");
        crate::exchange::unusable(folder, &error).hint(hint).into()
    })
}

fn written(stream: &Stream) -> Written {
    let Ends { first, last, left_out_bytes } = stream.ends(SHOWN_BYTES);
    Written {
        text: first,
        tail: last,
        size_bytes: stream.size_bytes,
        left_out_bytes,
        sha256: Hash::from_hex(&stream.sha256),
    }
}

/// As it is in the file, which may be less than came.
fn log(log: &Log) -> Exhibit {
    Exhibit {
        path: log.path.display().to_string(),
        size_bytes: log.stored_bytes,
        sha256: Hash::from_hex(&log.sha256),
    }
}

fn exhibit(file: SeenFile) -> Exhibit {
    let path: &Path = &file.path;
    Exhibit {
        path: path.display().to_string(),
        size_bytes: file.size_bytes,
        sha256: file.sha256.as_deref().and_then(Hash::from_hex),
    }
}
