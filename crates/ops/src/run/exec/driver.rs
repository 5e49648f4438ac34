//! Driving a run: a step at a time, an agent and then the checks, until there is nothing to do.

use std::path::Path;
use std::time::Duration;

use windlass_domain::run::drive::{Drive, Standing, drive};
use windlass_domain::{Code, Refusal};
use windlass_hands::check::Outcome as Seen;
use windlass_hands::check::{Ended, Environment, Limits, Shell, Stop, Verdict, Watch};
use windlass_hands::evidence;
use windlass_hands::regular::put;
use windlass_ledger::{Error, Fault};

use super::LEASE_SECONDS;
use super::harness::{Harness, VARIABLE, quoted};
use crate::context::Context;
use crate::exchange::unusable;
use crate::run::attendance::{Attendance, guard};
use crate::run::change::{Changed, Doer};
use crate::run::ending::Finalize;
use crate::run::failure::Failure;
use crate::run::life::{Life, Signs};
use crate::run::list::Show;
use crate::run::marks::Marks;
use crate::run::prompt::prompt;
use crate::run::sight::Sight;
use crate::run::steps::{StepBlock, StepRetry, StepStart};
use crate::run::target::Target;
use crate::run::verify::{StepVerify, Watcher};
use crate::run::view::{RunView, StepView};
use crate::run::waiting::WaitingView;

/// What a shell answers for a command that is not there, or cannot be started.
const NOT_FOUND: i32 = 127;
const NOT_STARTED: i32 = 126;

/// What drives a run, which it owns.
pub(super) struct Driver<'a> {
    pub(super) harness: Harness<'a>,
    pub(super) timeout: Duration,
    pub(super) target: Target,
    pub(super) doer: Doer,
    pub(super) stop: Stop,
    pub(super) signs: Signs,
    pub(super) attendance: Attendance,
}

/// The run as it stands.
pub(super) fn shown(cx: &mut Context, target: &Target) -> Result<RunView, Error> {
    cx.perform(&Show { run: None, target: target.clone() })
}

impl Driver<'_> {
    /// Goes on until there is nothing to do; what a person has to do then.
    pub(super) fn drive(&self, cx: &mut Context) -> Result<Option<String>, Error> {
        let mut marks = Marks::of(cx, &self.target);
        loop {
            let run = shown(cx, &self.target)?;
            marks.set(cx, &run);
            let _soon = self.sign(cx, &run);
            let target = self.target.clone();
            let doer = self.doer.clone();
            match drive(run.status, run.steps.iter().map(standing)) {
                Drive::Over => return Ok(None),
                Drive::Wait => return Ok(Some(waiting(&run))),
                Drive::Blocked => return Ok(Some(blocked(&run))),
                _ if self.stop.is_asked_for() => return Ok(Some(self.stopped(&run))),
                Drive::Finalize => drop(cx.call(&Finalize { head: None, target, doer })?),
                Drive::Verify(step) => self.verify(cx, &Scene::of(&run, step, None)?)?,
                Drive::Resume(step) => {
                    let last = Failure::recalled(cx, &target, step)?;
                    self.work(cx, &Scene { last, ..Scene::of(&run, step, None)? })?;
                }
                Drive::Retry(step) => {
                    self.must_fit(&run, step)?;
                    let retried = cx.call(&StepRetry { step, target, doer })?;
                    self.work(cx, &Scene::of(&run, step, Some(&retried))?)?;
                }
                Drive::Work(step) => {
                    self.must_fit(&run, step)?;
                    let started = cx.call(&StepStart { step, target, doer })?;
                    self.work(cx, &Scene::of(&run, step, Some(&started))?)?;
                }
            }
        }
    }

    /// Refuses a prompt that the harness cannot be given, before an attempt is used up for it.
    fn must_fit(&self, run: &RunView, step: u32) -> Result<(), Error> {
        let Scene { step, attempt, last, .. } = Scene::of(run, step, None)?;
        Ok(self.harness.must_hold(&prompt(run, step, attempt + 1, &last))?)
    }

    fn work(&self, cx: &mut Context, scene: &Scene<'_>) -> Result<(), Error> {
        let Scene { step, attempt, .. } = scene;
        cx.notice(&format!("→ Step {}: {} (attempt {attempt})", step.step, step.name));
        list(cx, scene.begun);
        let seen = self.give(cx, scene)?;
        if self.stop.is_asked_for() {
            return Ok(());
        }
        if let Some(Ended::Code(NOT_FOUND | NOT_STARTED)) = seen.ended {
            return Err(self.not_run(scene, &seen.message).into());
        }
        match (seen.verdict == Verdict::Passed, step.checked) {
            (true, _) => self.verify(cx, scene),
            (false, true) => {
                cx.notice(&format!("the agent did not end well: {}", seen.message));
                self.verify(cx, scene)
            }
            (false, false) => self.block(cx, step.step, &seen.message),
        }
    }

    /// Nothing would show that a step without a check is not done, but that its agent failed.
    fn block(&self, cx: &mut Context, step: u32, message: &str) -> Result<(), Error> {
        let (target, doer) = (self.target.clone(), self.doer.clone());
        let reason = format!("the agent did not end well, and the step has no check: {message}");
        cx.notice(&format!("✗ Step {step}: {reason}"));
        cx.call(&StepBlock { step, reason, target, doer }).map(drop)
    }

    /// A command that is not there would use up every attempt in a moment.
    fn not_run(&self, scene: &Scene<'_>, message: &str) -> Refusal {
        let harness = quoted(self.harness.text);
        let run = scene.run;
        let log = evidence::place(Path::new(""), &run.run_id).join(scene.file("agent.log"));
        Refusal::new(Code::InvalidValue, format!("the harness {harness} cannot be run: {message}"))
            .hint(format!(
                "see {}, correct it, and go on: windlass run exec --run-id {} --harness COMMAND",
                log.display(),
                run.run_id
            ))
            .detail("field", "harness")
            .detail("run_id", &run.run_id)
    }

    fn verify(&self, cx: &mut Context, scene: &Scene<'_>) -> Result<(), Error> {
        let (target, doer) = (self.target.clone(), self.doer.clone());
        let step = scene.step.step;
        let sight = Some(&scene.sight);
        let attendance = Some(&self.attendance);
        let watcher = Watcher { stop: &self.stop, signs: &self.signs, sight, attendance };
        let Some(verified) = (StepVerify { step, target, doer }).watched(cx, &watcher)? else {
            return Ok(());
        };
        let mark = if verified.changed.step_is_done() { "✓" } else { "✗" };
        cx.notice(&format!("{mark} Step {step}: {}", verified.changed.done));
        list(cx, Some(&verified.changed));
        Ok(())
    }

    /// Lets the agent work on a step. What it says of that is no evidence.
    fn give(&self, cx: &mut Context, scene: &Scene<'_>) -> Result<Seen, Error> {
        let Scene { run, step, attempt, ref last, .. } = *scene;
        let folder = Path::new(&run.folder);
        let room = evidence::place(folder, &run.run_id);
        let text = prompt(run, step, attempt, last);
        self.harness.must_hold(&text)?;
        let asked = room.join(scene.file("prompt.md"));
        put(&asked, &text).map_err(|error| unusable(&asked, &error))?;
        let environment = environment(run, step);
        let environment = match self.harness.variable(&text) {
            Some(text) => environment.with(VARIABLE, text),
            None => environment,
        };
        let shell = Shell {
            command: self.harness.command(&asked),
            folder: folder.to_owned(),
            timeout: self.timeout,
            environment,
            log: room.join(scene.file("agent.log")),
            limits: Limits::default(),
        };
        let mut beat = |last: &str| {
            scene.sight.show(cx, "agent", last);
            self.sign(cx, run)
        };
        Ok(shell.run(&guard(run.run, None), Watch { beat: &mut beat, stop: &self.stop }))
    }

    /// A sign of life, for the run and for its task, when one is due. How soon the next is.
    fn sign(&self, cx: &mut Context, run: &RunView) -> Duration {
        let life = Life {
            target: &self.target,
            doer: &self.doer,
            lease_seconds: Some(LEASE_SECONDS),
            claim: run.task.clone().zip(run.fence),
            signs: &self.signs,
        };
        life.show(cx)
    }

    fn stopped(&self, run: &RunView) -> String {
        let (run, harness) = (&run.run_id, quoted(self.harness.text));
        format!("stopped; go on: windlass run exec --run-id {run} --harness {harness}")
    }
}

/// A step on which work goes on.
struct Scene<'a> {
    run: &'a RunView,
    step: &'a StepView,
    attempt: u32,
    /// How the attempt before failed.
    last: Failure,
    sight: Sight<'a>,
    /// What was answered when this attempt began; nothing when it had begun before.
    begun: Option<&'a Changed>,
}

impl<'a> Scene<'a> {
    fn of(run: &'a RunView, step: u32, begun: Option<&'a Changed>) -> Result<Self, Fault> {
        let shown = run.steps.iter().find(|shown| shown.step == step);
        let step = shown.ok_or_else(|| Fault::bug("no such step"))?;
        let now = begun.and_then(|changed| changed.step.as_ref()).unwrap_or(step);
        let attempt = now.attempts;
        let (last, sight) = (Failure::of_step(step), Sight::of_step(run, step, attempt));
        Ok(Self { run, step, attempt, last, sight, begun })
    }

    /// The name of a file of this attempt.
    fn file(&self, kind: &str) -> String {
        format!("step-{}-attempt-{}-{kind}", self.step.step, self.attempt)
    }
}

/// Tells all steps, where the workflow file wants that.
fn list(cx: &Context, changed: Option<&Changed>) {
    for step in changed.iter().flat_map(|changed| &changed.steps) {
        cx.notice(&step.line());
    }
}

fn standing(step: &StepView) -> Standing {
    Standing {
        status: step.status,
        is_checked: step.checked,
        is_looked_at: step.checks_made > 0,
        attempts: step.attempts,
        max_attempts: step.max_attempts,
    }
}

fn environment(run: &RunView, step: &StepView) -> Environment {
    let environment = Environment::of_caller(std::env::vars_os())
        .with("HOTL_RUN_ID", &run.run_id)
        .with("WINDLASS_RUN", run.run.to_string())
        .with("WINDLASS_STEP", step.step.to_string());
    match (&run.task, run.fence) {
        (Some(task), Some(fence)) => {
            environment.with("WINDLASS_TASK", task).with("WINDLASS_FENCE", fence.to_string())
        }
        (Some(_), None) | (None, _) => environment,
    }
}

fn blocked(run: &RunView) -> String {
    let (why, ways) = (run.blockers.join("; "), run.ways_on.join("; "));
    format!("blocked: {why} ({ways})")
}

fn waiting(run: &RunView) -> String {
    let lines: Vec<String> = run.waiting.iter().map(WaitingView::sentence).collect();
    match lines.is_empty() {
        true => format!("paused; see windlass run reconcile {}", run.run_id),
        false => lines.join("; "),
    }
}
