//! `run exec`: Windlass drives a run. Each step is given to an agent, then its checks are run, until
//! all is done or a person is needed.
//!
//! Whoever drives owns the run for as long as it shows signs of life, so two never drive one. What
//! the agent says is not evidence; what its checks show is.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::{Code, Exit, Refusal, Time};
use windlass_hands::check::{Environment, Limits, Shell, Stop, Verdict, Watch};
use windlass_hands::guard::Guard;
use windlass_ledger::{Error, Fault};

use super::begin::{Origin, Start, Work};
use super::change::{Changed, Doer};
use super::ending::Finalize;
use super::list::Show;
use super::owners::{Owned, OwnerClaim, OwnerHeartbeat, OwnerRelease, OwnerStatus, OwnerTakeover};
use super::prompt::prompt;
use super::steps::{StepRetry, StepStart};
use super::target::Target;
use super::verify::StepVerify;
use super::view::{RunView, StepView};
use crate::context::{Context, Name};
use crate::exchange::unusable;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::Sheet;

/// How long a driver that shows no sign of life is waited for.
const LEASE_SECONDS: i64 = 60;
const SIGN: Duration = Duration::from_secs(15);
const USUAL_TIMEOUT: &str = "2h";

/// Drives a run to its end, or to where a person is needed.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Exec {
    /// A workflow file to start; without one, the run that is there goes on
    #[arg(value_name = "FILE")]
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// The command that works on a step: it reads the prompt, or has it where {prompt} stands
    #[arg(long, value_name = "COMMAND")]
    pub harness: String,
    /// How long the command may work on one step
    #[arg(long, value_name = "DURATION", default_value = USUAL_TIMEOUT)]
    #[serde(default = "usual_timeout")]
    pub step_timeout: String,
    /// Who drives
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub work: Work,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
}

fn usual_timeout() -> String {
    USUAL_TIMEOUT.to_owned()
}

/// How far it came.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Executed {
    /// How the run stands now.
    pub run: RunView,
    /// What to do next, where it did not come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Operation for Exec {
    type Output = Executed;
    const NAME: &'static str = "run.exec";
    const ABOUT: &'static str = "Drive a run: an agent works on each step, Windlass checks it";
    const EXAMPLE: &'static str =
        "windlass run exec hotl-workflow-add-auth.md --harness \"claude -p\"";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Executed, Error> {
        let timeout = long(Span::parse("step_timeout", &self.step_timeout)?);
        if self.harness.trim().is_empty() {
            return Err(Refusal::new(Code::InvalidValue, "the harness is empty")
                .hint("name the command that works on a step: --harness \"claude -p\"")
                .detail("field", "harness")
                .into());
        }
        let target = match &self.file {
            Some(file) => self.begin(cx, file)?,
            None => self.target.settled(cx)?,
        };
        let (name, _) = cx.identity(Name::agent(self.agent.as_ref()))?;
        let owned = own(cx, &target, &name)?;
        let doer = Doer { agent: self.agent.clone(), owner_token: owned.token.clone() };
        let mut driver = Driver { exec: self, target: target.clone(), doer, timeout };
        let outcome = driver.drive(cx);
        let (doer, target) = (driver.doer, driver.target);
        let released = cx.perform(&OwnerRelease { target: target.clone(), doer });
        super::mirror::refresh(cx, &target);
        let next = outcome?;
        released?;
        let run = shown(cx, &target)?;
        Ok(Executed { run, next })
    }
}

impl Exec {
    fn begin(&self, cx: &mut Context, file: &Path) -> Result<Target, Error> {
        let start = Start {
            file: file.to_owned(),
            no_lint: false,
            agent: self.agent.clone(),
            work: self.work.clone(),
            origin: Origin { driver: "windlass".to_owned(), ..Origin::default() },
        };
        let begun = start.run(cx)?;
        cx.notice(&begun.done);
        Ok(Target::of(begun.whereabouts.run))
    }
}

/// Owns a run that nobody drives, or whose driver is gone.
fn own(cx: &mut Context, target: &Target, name: &str) -> Result<Owned, Error> {
    let owner = format!("{}:{}", safe(name), std::process::id());
    let status = cx.perform(&OwnerStatus { target: target.clone() })?.status;
    let (target, doer) = (target.clone(), Doer::default());
    let lease_seconds = LEASE_SECONDS;
    if status == "stale" {
        let reason = "its driver is gone".to_owned();
        let force = false;
        return cx.perform(&OwnerTakeover { owner, reason, force, lease_seconds, target, doer });
    }
    cx.perform(&OwnerClaim { owner, lease_seconds, target, doer })
}

/// A name as an owner may have it.
fn safe(name: &str) -> String {
    let replaced: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    format!("driver-{replaced}")
}

fn shown(cx: &mut Context, target: &Target) -> Result<RunView, Error> {
    cx.perform(&Show { run: None, target: target.clone() })
}

/// What drives a run.
struct Driver<'a> {
    exec: &'a Exec,
    target: Target,
    doer: Doer,
    timeout: Duration,
}

/// What to do next with a run.
enum Next {
    /// Work on a step.
    Work(u32),
    /// Somebody worked on it and is gone: it may be done.
    Verify(u32),
    Retry(u32),
    Finalize,
    /// Nothing, and why.
    Stop(Option<String>),
}

impl Driver<'_> {
    /// Goes on until there is nothing to do; what a person has to do then.
    fn drive(&mut self, cx: &mut Context) -> Result<Option<String>, Error> {
        loop {
            let run = shown(cx, &self.target)?;
            match next(&run) {
                Next::Stop(why) => return Ok(why),
                Next::Finalize => {
                    let (target, doer) = (self.target.clone(), self.doer.clone());
                    cx.call(&Finalize { head: None, target, doer })?;
                }
                Next::Verify(step) => self.verify(cx, step)?,
                Next::Retry(step) => {
                    let (target, doer) = (self.target.clone(), self.doer.clone());
                    let retried = cx.call(&StepRetry { step, target, doer })?;
                    self.work(cx, &run, step, attempt_of(&retried))?;
                }
                Next::Work(step) => {
                    let (target, doer) = (self.target.clone(), self.doer.clone());
                    let started = cx.call(&StepStart { step, target, doer })?;
                    self.work(cx, &run, step, attempt_of(&started))?;
                }
            }
        }
    }

    fn work(&self, cx: &mut Context, run: &RunView, step: u32, attempt: u32) -> Result<(), Error> {
        let at = usize::try_from(step).unwrap_or(usize::MAX).saturating_sub(1);
        let Some(shown) = run.steps.get(at) else { return Err(Fault::bug("no such step").into()) };
        cx.notice(&format!("→ Step {step}: {} (attempt {attempt})", shown.name));
        self.give(cx, run, shown, attempt)?;
        self.verify(cx, step)
    }

    fn verify(&self, cx: &mut Context, step: u32) -> Result<(), Error> {
        let (target, doer) = (self.target.clone(), self.doer.clone());
        let verified = StepVerify { step, target, doer }.run(cx)?;
        let mark = if verified.changed.step_is_done() { "✓" } else { "✗" };
        cx.notice(&format!("{mark} Step {step}: {}", verified.changed.done));
        Ok(())
    }

    /// Lets the agent work on a step. How it ends is told, and decides nothing.
    fn give(
        &self,
        cx: &mut Context,
        run: &RunView,
        step: &StepView,
        attempt: u32,
    ) -> Result<(), Error> {
        let folder = Path::new(&run.folder);
        let room = folder.join(".hotl/evidence").join(&run.run_id);
        std::fs::create_dir_all(&room).map_err(|error| unusable(&room, &error))?;
        let file = |kind: &str| room.join(format!("step-{}-attempt-{attempt}-{kind}", step.step));
        let text = prompt(run, step, attempt);
        let asked = file("prompt.md");
        std::fs::write(&asked, &text).map_err(|error| unusable(&asked, &error))?;
        let mut environment = Environment::of_caller(std::env::vars_os())
            .with("HOTL_RUN_ID", &run.run_id)
            .with("WINDLASS_RUN", run.run.to_string())
            .with("WINDLASS_STEP", step.step.to_string());
        if let (Some(task), Some(fence)) = (&run.task, run.fence) {
            environment =
                environment.with("WINDLASS_TASK", task).with("WINDLASS_FENCE", fence.to_string());
        }
        let shell = Shell {
            command: command(&self.exec.harness, &text, &asked),
            folder: folder.to_owned(),
            timeout: self.timeout,
            environment,
            log: file("agent.log"),
            limits: Limits::default(),
        };
        let brake = Stop::new().map_err(|error| {
            Fault::new(Code::FileUnusable, "an agent cannot be watched").because(error)
        })?;
        let mut shown = Instant::now();
        let mut beat = || {
            if shown.elapsed() >= SIGN {
                shown = Instant::now();
                self.sign(cx);
            }
        };
        let guard = Guard::of_this_program(format!("run {}", run.run));
        let seen = shell.run(&guard, Watch { beat: &mut beat, stop: &brake });
        if seen.verdict != Verdict::Passed {
            cx.notice(&format!("the agent did not end well: {}", seen.message));
        }
        Ok(())
    }

    /// A sign of life.
    fn sign(&self, cx: &mut Context) {
        let (target, doer) = (self.target.clone(), self.doer.clone());
        let _renewed = cx.perform(&OwnerHeartbeat { lease_seconds: LEASE_SECONDS, target, doer });
    }
}

fn attempt_of(changed: &Changed) -> u32 {
    changed.step.as_ref().map_or(0, |step| step.attempts)
}

fn next(run: &RunView) -> Next {
    match run.status.as_str() {
        "running" => {}
        "paused" => return Next::Stop(Some(waiting(run))),
        "blocked" => {
            let why = run.blockers.join("; ");
            let id = &run.run_id;
            return Next::Stop(Some(format!("blocked: {why}; see windlass run show {id}")));
        }
        _ => return Next::Stop(None),
    }
    let open = run.steps.iter().find(|step| step.status != "done");
    match open.map(|step| (step.step, step.status.as_str())) {
        None => Next::Finalize,
        Some((step, "pending")) => Next::Work(step),
        Some((step, "failed")) => Next::Retry(step),
        Some((step, _)) => Next::Verify(step),
    }
}

fn waiting(run: &RunView) -> String {
    let lines: Vec<String> = run.waiting.iter().map(super::view::WaitingView::line).collect();
    match lines.is_empty() {
        true => format!("paused; see windlass run reconcile {}", run.run_id),
        false => lines.join("; "),
    }
}

/// The command of a harness for a prompt: on its input, or where it asks for it.
fn command(harness: &str, prompt: &str, file: &Path) -> String {
    if harness.contains("{prompt}") {
        return harness.replace("{prompt}", &quoted(prompt));
    }
    format!("{{ {harness}\n}} < {}", quoted(&file.display().to_string()))
}

/// A word of the shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn long(span: Span) -> Duration {
    Duration::from_millis(u64::try_from(span.as_millis()).unwrap_or(0))
}

impl Output for Executed {
    fn sheet(&self, now: Time) -> Sheet {
        let sheet = self.run.sheet(now);
        let is_told = !self.run.waiting.is_empty() || !self.run.blockers.is_empty();
        match &self.next {
            Some(_) if is_told => sheet,
            Some(next) => sheet.and_line(next.clone()),
            None => sheet
                .and_line("say what becomes of it: windlass run finish keep|merge|publish|discard"),
        }
    }

    /// What is not done is not done, also when that is nobody's fault.
    fn exit(&self) -> Exit {
        if self.next.is_none() { Exit::Done } else { Exit::Findings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harness_reads_the_prompt_or_has_it_as_an_argument() {
        let file = Path::new("/a b/p.md");
        assert_eq!(command("claude -p", "x", file), "{ claude -p\n} < '/a b/p.md'");
        assert_eq!(command("codex {prompt}", "it's", file), "codex 'it'\\''s'");
    }

    #[test]
    fn an_owner_has_only_letters_that_owners_have() {
        assert_eq!(safe("ann b/ü"), "driver-ann-b--");
    }
}
