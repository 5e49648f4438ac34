//! `run exec`: Windlass drives a run. Each step is given to an agent, then its checks are run, until
//! all is done or a person is needed.
//!
//! Whoever drives owns the run for as long as it shows signs of life, so two never drive one. What
//! the agent says is not evidence; what its checks show is.

mod driver;
mod harness;

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::run::alone::Open;
use windlass_domain::run::driver as drivers;
use windlass_domain::run::name::command;
use windlass_domain::run::word::{OwnerStanding, RunStatus, StepStatus};
use windlass_domain::{Exit, Time};
use windlass_ledger::Error;

use self::driver::{Driver, shown};
use self::harness::{Harness, quoted};
use super::attendance::Attendance;
use super::begin::{Origin, Start, Work};
use super::change::Doer;
use super::life::Signs;
use super::locate::open;
use super::owners::{Owned, OwnerClaim, OwnerRelease, OwnerStatus, OwnerTakeover};
use super::prepare::{Answers, LOOP, Prepare, Prepared};
use super::source::Source;
use super::target::{self, Target};
use super::verify::unwatched;
use super::view::RunView;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::{Cell, Sheet};

/// How long a driver that shows no sign of life is waited for.
const LEASE_SECONDS: i64 = 60;
const USUAL_TIMEOUT: &str = "2h";
/// Of what a check wrote that blocked the run.
const LINES_SHOWN: usize = 10;

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
    /// Work in this folder as it is: no branch, no worktree
    #[arg(long, requires = "file", conflicts_with_all = ["on_existing", "on_feature_branch", "stash"])]
    #[serde(default)]
    pub in_place: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub answers: Answers,
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
    /// Where the run takes place, if the call came from elsewhere: what comes next is said there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_root: Option<String>,
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
        let timeout = Span::parse("step_timeout", &self.step_timeout)?.as_duration();
        let harness = Harness::parse(&self.harness)?;
        let target = match &self.file {
            Some(file) => self.begin(cx, file)?,
            None => self.target.settled(cx)?,
        };
        let (name, _) = cx.identity(Name::agent(self.agent.as_ref()))?;
        let stop = cx.brake().map_err(unwatched)?;
        let owned = own(cx, &target, &name)?;
        let doer = Doer { agent: self.agent.clone(), owner_token: owned.token.clone() };
        let signs = Signs::of_owner(cx.now(), LEASE_SECONDS);
        let attendance = Attendance::begin(cx, &owned.whereabouts);
        let driver = Driver { harness, timeout, target, doer, stop, signs, attendance };
        let outcome = driver.drive(cx);
        let Driver { target, doer, .. } = driver;
        let released = cx.perform(&OwnerRelease { target: target.clone(), doer });
        super::mirror::refresh(cx, &target);
        let next = outcome?;
        released?;
        let run = shown(cx, &target)?;
        let here = target::canonical(cx, ".")?;
        let execution_root = Some(run.folder.clone()).filter(|folder| here != Path::new(folder));
        Ok(Executed { run, next, execution_root })
    }
}

impl Exec {
    /// Starts a run of a file: what can be refused is, then the checkout is prepared, then it begins
    /// there.
    fn begin(&self, cx: &mut Context, file: &Path) -> Result<Target, Error> {
        let source = Source::read(cx, file)?;
        source.must_be_sound()?;
        if let Some(run) = open(cx, Path::new(&source.path))? {
            let open = Open {
                run_id: run.run_id.as_str(),
                execution_root: &run.execution_root,
                status: run.status,
            };
            return Err(self.in_own_words(open.refusal().into()));
        }
        let origin = Origin { driver: "windlass".to_owned(), alone: true, ..Origin::default() };
        let mut start = Start {
            file: PathBuf::from(&source.path),
            no_lint: false,
            agent: self.agent.clone(),
            work: self.work.clone(),
            origin,
        };
        let mut place = Target::default();
        if !self.in_place {
            let prepared = self.prepare(cx, file)?;
            start.file = PathBuf::from(&prepared.workflow_path);
            place.folder = Some(prepared.execution_root.clone());
            start.origin = origin_of(prepared, start.origin);
        }
        let begun = start.begin(cx, &place).map_err(|error| self.in_own_words(error))?;
        cx.notice(&begun.done);
        Ok(Target::of(begun.whereabouts.run))
    }

    fn prepare(&self, cx: &mut Context, file: &Path) -> Result<Prepared, Error> {
        let prepare = Prepare {
            file: file.to_owned(),
            answers: self.answers.clone(),
            executor_mode: LOOP.to_owned(),
        };
        let prepared = prepare.run(cx).map_err(|error| self.in_own_words(error))?;
        let Prepared { branch, worktree_path, .. } = &prepared;
        if let Some(path) = worktree_path {
            cx.notice(&format!("a worktree is ready on {branch}: {path}"));
        }
        if let Some(stash) = &prepared.stash {
            cx.notice(&format!("your changes were put aside: git stash apply {stash}"));
        }
        if let Some(rescue) = &prepared.rescue {
            cx.notice(&format!("what {branch} held before is kept: git log {rescue}"));
        }
        Ok(prepared)
    }

    /// The ways on from a question of `run prepare` are flags of this call too, and its harness is
    /// that of the next.
    fn in_own_words(&self, error: Error) -> Error {
        let Error::Refused(mut refusal) = error else { return error };
        let harness = format!("--harness {}", quoted(&self.harness));
        let own = format!("windlass run exec {harness}");
        let spoken = |hint: String| {
            hint.replace("windlass run prepare", &own).replace("--harness COMMAND", &harness)
        };
        refusal.hint = refusal.hint.map(spoken);
        refusal.into()
    }
}

/// Where the work is done, and where it comes from.
fn origin_of(prepared: Prepared, rest: Origin) -> Origin {
    Origin {
        repo_root: Some(prepared.repo_root),
        execution_root: Some(prepared.execution_root),
        source_workflow_path: Some(prepared.source_workflow_path),
        worktree_path: prepared.worktree_path,
        branch: Some(prepared.branch),
        source_branch: prepared.source_branch,
        source_head: prepared.source_head,
        stash: prepared.stash,
        rescue: prepared.rescue,
        ..rest
    }
}

/// Owns a run that nobody drives, or whose driver is gone.
fn own(cx: &mut Context, target: &Target, name: &str) -> Result<Owned, Error> {
    let owner = drivers::owner(name, std::process::id());
    let before = cx.perform(&OwnerStatus { target: target.clone() })?;
    let (target, doer) = (target.clone(), Doer::default());
    let lease_seconds = LEASE_SECONDS;
    let force = before.was_killed(cx);
    if force || before.status == OwnerStanding::Stale {
        let (reason, from) = ("its driver is gone".to_owned(), before.token_sha256);
        let taking = OwnerTakeover { owner, reason, force, from, lease_seconds, target, doer };
        return cx.perform(&taking);
    }
    cx.perform(&OwnerClaim { owner, lease_seconds, target, doer })
}

/// The end of what a check wrote; all of it is in the evidence.
fn last_lines(text: &str) -> String {
    let before = text.lines().count().saturating_sub(LINES_SHOWN);
    text.lines().skip(before).collect::<Vec<_>>().join("\n")
}

impl Output for Executed {
    fn sheet(&self, now: Time) -> Sheet {
        let mut sheet = self.run.sheet(now);
        for step in self.run.steps.iter().filter(|step| step.status == StepStatus::Blocked) {
            if let Some(failed) = &step.failed_check {
                sheet = sheet.and_line(failed.as_str());
            }
            for written in step.troubles() {
                sheet = sheet.and_text(last_lines(written));
            }
        }
        // The sheet of a run tells what it waits for and what blocks it, and not that it was stopped.
        let is_told = match self.run.status {
            RunStatus::Paused => !self.run.waiting.is_empty(),
            RunStatus::Blocked => !self.run.blockers.is_empty(),
            RunStatus::Running
            | RunStatus::ReadyToFinish
            | RunStatus::Completed
            | RunStatus::Abandoned => false,
        };
        let sheet = match &self.next {
            Some(_) if is_told => sheet,
            Some(next) => sheet.and_line(next.clone()),
            None if self.run.disposition.is_some() => sheet,
            None => sheet.and_line(format!(
                "say what becomes of it: {}",
                command(&self.run.run_id, "finish keep|merge|publish|discard")
            )),
        };
        match &self.execution_root {
            Some(root) => sheet.and_line(Cell::dim(format!("next: cd {root}"))),
            None => sheet,
        }
    }

    /// What is not done is not done, also when that is nobody's fault.
    fn exit(&self) -> Exit {
        if self.next.is_none() { Exit::Done } else { Exit::Findings }
    }
}
