//! `run prepare`: the branch and the checkout in which a workflow file is executed.
//!
//! First the file is looked at, then the repository, then it is decided what to do, and only then is
//! anything done. Whatever fails leaves everything as it was.

mod acting;
mod asking;
mod ground;

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::file::Front;
use windlass_domain::run::prepare::{
    self, Choices, Course, Ground, NO_HISTORY, OnDirty, OnFeatureBranch, Plan, Wanted,
};
use windlass_domain::run::state_file::StateFile;
use windlass_hands::git::{Git, Repository};
use windlass_ledger::Error;

use self::acting::{Acting, Done};
use self::ground::Survey;
pub(super) use self::ground::{blocking, is_same, lost_with};
use super::locate::states;
use super::repository::{folder, git_in, refused, text};
use super::source::Source;
use crate::context::Context;
use crate::exchange::unusable;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::{Cell, Sheet, Tone};

/// Prepares the checkout in which a workflow file is executed.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Prepare {
    /// The workflow file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    pub answers: Answers,
    /// What goes through the steps
    #[arg(long, value_name = "MODE", default_value = LOOP)]
    #[serde(default = "executor_mode")]
    pub executor_mode: String,
}

/// What is otherwise asked, where the file leaves it open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
pub struct Answers {
    /// When the branch exists: go on with it, begin it again (what it holds is kept), or stop
    #[arg(long, value_name = "WHAT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_existing: Option<Existing>,
    /// When you are on a branch of your own and the file names none: `here`, `isolated`, or the
    /// name of a branch
    #[arg(long, value_name = "WHERE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_feature_branch: Option<String>,
    /// Put changes that are not committed aside first, as `git stash` does
    #[arg(long)]
    #[serde(default)]
    pub stash: bool,
}

impl Answers {
    fn choices(&self) -> Choices {
        Choices {
            on_existing: self.on_existing.map(Into::into),
            on_feature_branch: self.on_feature_branch.as_deref().map(OnFeatureBranch::from),
            on_dirty: if self.stash { OnDirty::Stash } else { OnDirty::Stop },
        }
    }
}

/// An agent that goes from step to step.
pub(super) const LOOP: &str = "loop";

fn executor_mode() -> String {
    LOOP.to_owned()
}

/// What to do with a branch that is there already.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Existing {
    /// Go on with it
    Reuse,
    /// Begin it again; where it was is kept under `refs/windlass/rescue/`
    Recreate,
    /// Leave it alone and stop
    Fail,
}

impl From<Existing> for prepare::OnExisting {
    fn from(chosen: Existing) -> Self {
        match chosen {
            Existing::Reuse => Self::Reuse,
            Existing::Recreate => Self::Recreate,
            Existing::Fail => Self::Fail,
        }
    }
}

/// Where a run works, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Prepared {
    pub branch: String,
    pub executor_mode: String,
    /// The top of the checkout that the call came from.
    pub repo_root: String,
    /// Where every later call for the run is made.
    pub execution_root: String,
    pub workflow_path: String,
    pub source_workflow_path: String,
    pub source_branch: Option<String>,
    pub source_head: Option<String>,
    /// Nothing where the run works in the checkout that the call came from.
    pub worktree_path: Option<String>,
    /// The commit that keeps what was put aside; `git stash apply` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stash: Option<String>,
    /// The reference that keeps where the branch was before it began again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
}

impl Operation for Prepare {
    type Output = Prepared;
    const NAME: &'static str = "run.prepare";
    const ABOUT: &'static str =
        "Prepare the branch and the checkout in which a workflow file is run";
    const EXAMPLE: &'static str = "windlass run prepare hotl-workflow-add-auth.md";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Prepared, Error> {
        let source = Source::read(cx, &self.file)?;
        source.must_be_sound()?;
        self.prepare(cx, &source)
    }
}

impl Prepare {
    /// The same without lint, for callers who have their own: the file must only be readable.
    pub fn without_lint(&self, cx: &Context) -> Result<Prepared, Error> {
        self.prepare(cx, &Source::read(cx, &self.file)?)
    }

    fn prepare(&self, cx: &Context, source: &Source) -> Result<Prepared, Error> {
        let git = git_in(cx, folder(cx)?);
        let mut choices = self.answers.choices();
        loop {
            let refusal = match self.attempt(cx, &git, source, &choices) {
                Err(Error::Refused(refusal)) => refusal,
                done => return done,
            };
            let is_branch_name = |name: &str| git.is_branch_name(name).is_ok_and(|is| is);
            match asking::answered(cx, &refusal, &choices, is_branch_name) {
                Some(answered) => choices = answered,
                None => return Err(refusal.into()),
            }
        }
    }

    /// Looks, decides and acts while nobody else does so in the repository: what is taken back when
    /// something fails is then never the work of another call.
    fn attempt(
        &self,
        cx: &Context,
        git: &Git,
        source: &Source,
        choices: &Choices,
    ) -> Result<Prepared, Error> {
        let file = located(git.folder(), &self.file)?;
        let repository = git.repository().map_err(refused)?;
        let _alone = repository.as_ref().map(alone_in).transpose()?;
        let survey = Survey::of(git.clone(), repository, &file)?;
        let (plan, parent) = self.decide(&survey, &source.file().front, choices)?;
        plan.must_spare_the_living(runs_in)?;
        self.carry_out(cx, &survey, &plan, parent, (&file, &source.text))
    }

    /// What to do, and the folder above all worktrees.
    fn decide(
        &self,
        survey: &Survey,
        front: &Front,
        choices: &Choices,
    ) -> Result<(Plan, PathBuf), Error> {
        let named = self.file.display().to_string();
        let wanted = Wanted { file: &named, front, choices };
        match (prepare::course(wanted, &survey.ground)?, &survey.ground) {
            (Course::Go(errand), Ground::Checkout(checkout)) => {
                let file = checkout.file.as_deref().unwrap_or_default();
                let spot = survey.spot(&errand.branch, file)?;
                Ok((prepare::plan(wanted, checkout, errand, &spot.target)?, spot.parent))
            }
            (Course::Stay { branch } | Course::Go(prepare::Errand { branch, .. }), ground) => {
                Ok((Plan::staying(wanted, ground, branch), PathBuf::new()))
            }
        }
    }

    fn carry_out(
        &self,
        cx: &Context,
        survey: &Survey,
        plan: &Plan,
        parent: PathBuf,
        (file, content): (&Path, &str),
    ) -> Result<Prepared, Error> {
        let (inside, has_history) = match &survey.ground {
            Ground::Checkout(checkout) => (checkout.file.clone().unwrap_or_default(), true),
            Ground::NoRepository | Ground::NoCheckout { .. } | Ground::NoHistory { .. } => {
                (String::new(), false)
            }
        };
        let Done { stash, rescue } = Acting::new(survey, plan, &inside, content, parent).act()?;
        if !has_history {
            cx.notice(NO_HISTORY);
        }
        let repo_root = text(survey.git.folder())?;
        let source_workflow_path = text(file)?;
        let workflow_path = match &plan.worktree {
            Some(worktree) => text(&Path::new(worktree).join(&inside))?,
            None => source_workflow_path.clone(),
        };
        let head = survey.head.as_ref();
        Ok(Prepared {
            branch: plan.branch.clone(),
            executor_mode: self.executor_mode.clone(),
            execution_root: plan.worktree.clone().unwrap_or_else(|| repo_root.clone()),
            repo_root,
            workflow_path,
            source_workflow_path,
            source_branch: head.and_then(|head| head.branch()).map(str::to_owned),
            source_head: head.and_then(|head| head.commit()).map(str::to_owned),
            worktree_path: plan.worktree.clone(),
            stash,
            rescue,
        })
    }
}

fn alone_in(repository: &Repository) -> Result<File, Error> {
    repository.lock().map_err(|error| unusable(&repository.lock_path(), &error).into())
}

/// The runs of a folder, by their state files.
fn runs_in(folder: &str) -> Vec<StateFile> {
    states(Path::new(folder)).into_iter().map(|(_, state)| state).collect()
}

/// The whole path of a file, its folder behind all links.
fn located(folder: &Path, file: &Path) -> Result<PathBuf, Error> {
    let path = folder.join(file);
    let above = path.parent().unwrap_or(folder);
    let above = std::fs::canonicalize(above).map_err(|error| unusable(&path, &error))?;
    Ok(path.file_name().map_or_else(|| above.clone(), |name| above.join(name)))
}

impl Output for Prepared {
    fn sheet(&self, _now: Time) -> Sheet {
        let is_in_git = self.source_branch.is_some() || self.source_head.is_some();
        let ready = match &self.worktree_path {
            Some(_) => format!("a worktree is ready on {}", self.branch),
            None if is_in_git => format!("this checkout is ready on {}", self.branch),
            None => "this folder is ready; it is in no repository, so no branch is made".to_owned(),
        };
        let from = match (&self.source_branch, &self.source_head) {
            (Some(branch), Some(head)) => format!("{branch} at {}", short(head)),
            (None, Some(head)) => short(head).to_owned(),
            (Some(branch), None) => format!("{branch}, without a commit"),
            (None, None) => "no repository".to_owned(),
        };
        let mut facts = vec![
            ("root", Cell::from(self.execution_root.as_str())),
            ("workflow", self.workflow_path.as_str().into()),
            ("from", from.into()),
        ];
        facts.extend(self.stash.as_deref().map(|stash| {
            ("put aside", format!("{} (git stash apply {})", short(stash), short(stash)).into())
        }));
        facts.extend(self.rescue.as_deref().map(|rescue| ("kept", rescue.into())));
        Sheet::line(Cell::toned(ready, Tone::Good))
            .and_facts(facts)
            .and_line(Cell::dim(format!("next: cd {}", self.execution_root)))
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}
