//! `run start`: a workflow file is executed.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::event::{Place as RunPlace, RunStarted};
use windlass_domain::run::name::{self, RunId};
use windlass_domain::run::prepare::is_made_for_runs;
use windlass_domain::run::word::Gates;
use windlass_domain::run::{Run, alone};
use windlass_ledger::{Error, RunFilter, Snapshot};

use super::change::{Changed, word};
use super::repository::git_in;
use super::source::{Source, hash, understood};
use super::target::{Here, Target};
use super::tie::{Claimant, tie};
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Place, Remotely};
use crate::sheet::counted;

/// So many runs of a folder are looked at at once.
const PAGE: u64 = 50;

/// Where a run takes place, where the caller knows better than the folder it is in.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Origin {
    /// Refuse work on it until somebody owns it
    #[arg(long)]
    pub require_owner: bool,
    /// Refuse to start it while another run of the file is open in the folder
    #[arg(long)]
    pub alone: bool,
    /// How the steps are executed
    #[arg(long, value_name = "WORD", default_value = "loop")]
    pub executor_mode: String,
    /// What drives the run
    #[arg(long, value_name = "NAME", default_value = "generic")]
    pub driver: String,
    /// What hosts the agent
    #[arg(long, value_name = "NAME", default_value = "fallback")]
    pub host: String,
    /// The repository; without one, that of the folder
    #[arg(long, value_name = "PATH")]
    pub repo_root: Option<String>,
    /// Where the work is done; without one, the folder
    #[arg(long, value_name = "PATH")]
    pub execution_root: Option<String>,
    /// The workflow file that this is a copy of
    #[arg(long, value_name = "PATH")]
    pub source_workflow_path: Option<String>,
    /// The worktree, where there is one
    #[arg(long, value_name = "PATH")]
    pub worktree_path: Option<String>,
    /// The branch of the work; without one, as the file says
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// The branch that the work comes from
    #[arg(long, value_name = "BRANCH")]
    pub source_branch: Option<String>,
    /// The commit that the work comes from
    #[arg(long, value_name = "COMMIT")]
    pub source_head: Option<String>,
    /// The commit that keeps changes which were put aside for it
    #[arg(long, value_name = "COMMIT")]
    pub stash: Option<String>,
    /// The reference that keeps where its branch was before it began again
    #[arg(long, value_name = "REF")]
    pub rescue: Option<String>,
    /// Who decides gates: enforced, or attested for callers whose word counts
    #[arg(long, value_name = "WORD")]
    pub gates: Option<String>,
}

/// What the command line says when nobody says otherwise.
impl Default for Origin {
    fn default() -> Self {
        Self {
            require_owner: false,
            alone: false,
            executor_mode: "loop".to_owned(),
            driver: "generic".to_owned(),
            host: "fallback".to_owned(),
            repo_root: None,
            execution_root: None,
            source_workflow_path: None,
            worktree_path: None,
            branch: None,
            source_branch: None,
            source_head: None,
            stash: None,
            rescue: None,
            gates: None,
        }
    }
}

/// The task that a run works on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Work {
    /// The task that it works on: claimed now, unless the caller holds it
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// The fence of the claim that the caller has
    #[arg(long, value_name = "N", requires = "task")]
    pub fence: Option<u64>,
    /// How long a new claim holds without renewal, such as 30m
    #[arg(short, long, value_name = "DURATION", requires = "task", allow_hyphen_values = true)]
    pub lease: Option<String>,
}

/// Executes a workflow file from here.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// A workflow file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Also with mistakes that only lint finds
    #[arg(long)]
    #[serde(default)]
    pub no_lint: bool,
    /// Who starts it
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub work: Work,
    #[command(flatten)]
    #[serde(flatten)]
    pub origin: Origin,
}

impl Operation for Start {
    type Output = Changed;
    const NAME: &'static str = "run.start";
    const ABOUT: &'static str = "Start a run of a workflow file, in the folder you are in";
    const EXAMPLE: &'static str = "windlass run start hotl-workflow-add-auth.md";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        self.begin(cx, &Target::default())
    }
}

impl Start {
    /// Starts it in the folder of a target: where the caller is, unless it names another.
    pub(super) fn begin(&self, cx: &mut Context, place: &Target) -> Result<Changed, Error> {
        let source = Source::read(cx, &self.file)?;
        if !self.no_lint {
            source.must_be_sound()?;
        }
        let here = Here::of(place, cx)?;
        let ground = Ground::of(cx, Path::new(&here.folder));
        let branch = source.file().front.branch.clone();
        let begin = Begin {
            text: source.text,
            workflow_path: source.path,
            folder: here.folder.clone(),
            machine: here.machine.clone(),
            agent: self.agent.clone(),
            head: ground.head,
            work: self.work.clone(),
            origin: Origin {
                repo_root: self.origin.repo_root.clone().or(ground.root),
                worktree_path: self.origin.worktree_path.clone().or(ground.worktree),
                branch: self.origin.branch.clone().or(ground.branch).or(branch),
                ..self.origin.clone()
            },
        };
        let answer = cx.perform(&begin)?;
        answer.mirror(cx);
        Ok(answer)
    }
}

/// What git knows of the folder that a run starts in.
#[derive(Debug, Default)]
struct Ground {
    /// The checkout that the folder is in; the first of the repository, where that is a worktree which
    /// was made for runs.
    root: Option<String>,
    /// The checkout that the folder is in, where that is a worktree which was made for runs.
    worktree: Option<String>,
    /// What is checked out in it.
    branch: Option<String>,
    head: Option<String>,
}

impl Ground {
    /// Without git, or with one that says no, there is nothing to know.
    fn of(cx: &Context, folder: &Path) -> Self {
        let Some(top) = folder.ancestors().find(|above| above.join(".git").exists()) else {
            return Self::default();
        };
        let known = |path: &Path| path.to_str().map(str::to_owned);
        let all = git_in(cx, top).worktrees().unwrap_or_default();
        let own = all.iter().find(|worktree| worktree.path == top).cloned().unwrap_or_default();
        let first = all.first().filter(|first| !first.is_bare && first.path != top);
        let made = known(top).filter(|top| is_made_for_runs(top));
        let (root, worktree) = match (first, made) {
            (Some(first), Some(made)) => (known(&first.path), Some(made)),
            (Some(_) | None, _) => (known(top), None),
        };
        Self { root, worktree, branch: own.branch, head: own.commit }
    }
}

/// Records that a workflow file is executed. `run start` says this.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Begin {
    /// What the workflow file says
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub text: String,
    /// Where the file is
    #[arg(long, value_name = "PATH")]
    pub workflow_path: String,
    /// The folder of the run
    #[arg(long, value_name = "PATH")]
    pub folder: String,
    /// The machine that has the folder
    #[arg(long, value_name = "NAME")]
    pub machine: String,
    /// Who starts it
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// The commit that the work begins from
    #[arg(long, value_name = "COMMIT")]
    #[serde(default)]
    pub head: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub work: Work,
    #[command(flatten)]
    #[serde(flatten)]
    pub origin: Origin,
}

impl Operation for Begin {
    type Output = Changed;
    const NAME: &'static str = "run.begin";
    const ABOUT: &'static str = "Record that a workflow file is executed somewhere";
    const EXAMPLE: &'static str =
        "windlass run begin --text \"$(cat F)\" --workflow-path F --folder /w --machine m";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let file = understood(&self.workflow_path, &self.text)?;
        let wished = self.origin.gates.as_deref();
        let wished =
            wished.map(|text| word("gates", text, Gates::ALL, Gates::as_str)).transpose()?;
        let started = RunStarted {
            name: RunId::new(&self.slug(), Time::from_millis(0)),
            file_sha256: hash(&self.text),
            place: self.place(file.front.branch.as_deref()),
            gates: stricter(cx.settings.settings.runs_gates, wished),
            require_owner: self.origin.require_owner,
            tie: None,
            gate_timeout: cx.settings.settings.runs_gate_timeout.span(),
            head: self.head.clone(),
            file,
        };
        let named = Name::agent(self.agent.as_ref());
        let actor = match &self.work.task {
            Some(_) => cx.agent(named)?,
            None => cx.identity(named)?.0,
        };
        let lease = cx.lease(self.work.lease.as_deref())?;
        let claimant = Claimant { agent: &actor, fence: self.work.fence, lease };
        cx.write(&actor, |tx| {
            let now = tx.now();
            if self.origin.alone {
                self.must_be_alone(tx, &started.place)?;
            }
            let name = self.free(tx, now)?;
            let task = self.work.task.as_deref();
            let tie = task.map(|task| tie(tx, task, &claimant)).transpose()?;
            let kept = tx.begin_run(RunStarted { name, tie, ..started.clone() })?;
            Ok(Changed::new(&kept.run, None, told(&kept.run, wished), now))
        })
    }
}

impl Begin {
    fn slug(&self) -> String {
        let path = self.origin.source_workflow_path.as_ref().unwrap_or(&self.workflow_path);
        name::slug(path)
    }

    fn place(&self, branch: Option<&str>) -> RunPlace {
        let origin = &self.origin;
        let slug = self.slug();
        let branch = origin.branch.as_deref().or(branch).map(str::to_owned);
        RunPlace {
            workflow_path: self.workflow_path.clone(),
            source_workflow_path: origin
                .source_workflow_path
                .clone()
                .unwrap_or_else(|| self.workflow_path.clone()),
            source_branch: origin.source_branch.clone(),
            source_head: origin.source_head.clone(),
            stash: origin.stash.clone(),
            rescue: origin.rescue.clone(),
            branch: branch.unwrap_or_else(|| name::branch(&slug)),
            workflow_slug: slug,
            repo_root: origin.repo_root.clone().unwrap_or_else(|| self.folder.clone()),
            execution_root: origin.execution_root.clone().unwrap_or_else(|| self.folder.clone()),
            worktree_path: origin.worktree_path.clone(),
            executor_mode: origin.executor_mode.clone(),
            driver: origin.driver.clone(),
            host: origin.host.clone(),
            folder: self.folder.clone(),
            machine: self.machine.clone(),
        }
    }

    /// Of several who begin the same at the same moment, one is the first.
    fn must_be_alone(&self, snapshot: &mut Snapshot<'_>, place: &RunPlace) -> Result<(), Error> {
        let at = Some((self.machine.clone(), self.folder.clone()));
        let mut filter = RunFilter { at, limit: PAGE, ..RunFilter::default() };
        loop {
            let there = snapshot.runs(&filter)?;
            alone::must_be_alone(place, there.iter().map(|kept| &kept.run))?;
            let Some(last) = there.last() else { return Ok(()) };
            filter.before = Some(last.created_seq);
        }
    }

    /// A name that no run of the folder has.
    fn free(&self, snapshot: &mut Snapshot<'_>, now: Time) -> Result<RunId, Error> {
        let first = RunId::new(&self.slug(), now);
        let mut name = first.clone();
        let mut number = 1;
        while snapshot.run_named(&self.machine, &self.folder, &name)?.is_some() {
            number += 1;
            name = first.again(number);
        }
        Ok(name)
    }
}

fn told(run: &Run, wished: Option<Gates>) -> String {
    let started = format!("run {} started: {}", run.name, counted(run.steps.len() as u64, "step"));
    match wished.is_some_and(|wished| wished != run.gates) {
        true => format!("{started}; its gates are {}, as the settings want them", run.gates),
        false => started,
    }
}

/// Who decides gates: the caller may ask for more than the settings do, and not for less.
fn stricter(set: Option<Gates>, wished: Option<Gates>) -> Gates {
    match (set, wished) {
        (Some(Gates::Attested), None | Some(Gates::Attested)) | (None, Some(Gates::Attested)) => {
            Gates::Attested
        }
        (None | Some(Gates::Attested), Some(Gates::Enforced))
        | (Some(Gates::Enforced), _)
        | (None, None) => Gates::Enforced,
    }
}
