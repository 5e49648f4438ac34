//! `run locate`: the state files of runs, wherever they were written.
//!
//! It looks in the folder of the caller, at the top of its checkout, in every worktree of the
//! repository, and in the folder of worktrees beside it. What is no state file is left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::prepare::WORKTREES;
use windlass_domain::run::state_file::{self, StateFile};
use windlass_domain::run::word::RunStatus;
use windlass_hands::regular::content;
use windlass_ledger::Error;

use super::repository::{folder, git_in, refused, seen_from};
use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::{Cell, Sheet, counted};

/// Finds runs by their state files.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Locate {
    /// Only runs of this workflow file
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<PathBuf>,
    /// Only the run of this id
    #[arg(long, value_name = "ID")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Also runs that have ended
    #[arg(long)]
    pub all: bool,
}

/// The runs that were found, the newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Located {
    pub runs: Vec<LocatedRun>,
}

/// A run, and where its files are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocatedRun {
    pub run_id: String,
    #[schemars(with = "String")]
    pub status: RunStatus,
    pub current_step: u32,
    pub total_steps: usize,
    pub branch: String,
    pub executor_mode: String,
    pub last_update: String,
    pub workflow_path: String,
    pub source_workflow_path: String,
    pub repo_root: String,
    pub execution_root: String,
    pub worktree_path: Option<String>,
    pub report_path: String,
    pub state_file: String,
    /// The folder that holds `.hotl`.
    pub run_root: String,
    /// The same as a person is shown it.
    #[serde(skip)]
    pub shown: String,
}

impl Operation for Locate {
    type Output = Located;
    const NAME: &'static str = "run.locate";
    const ABOUT: &'static str = "Find runs by their state files, in all checkouts of a repository";
    const EXAMPLE: &'static str = "windlass run locate --workflow hotl-workflow-add-auth.md";
    const ACCESS: Access = Access::Read;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Located, Error> {
        let here = folder(cx)?;
        let workflow = self.workflow.as_ref().map(|file| here.join(file));
        let mut found = all(cx, &here)?;
        let is_meant = |state: &StateFile| {
            (self.all || !state.status.is_over())
                && self.run_id.as_ref().is_none_or(|id| state.run_id.as_str() == id)
                && workflow.as_deref().is_none_or(|file| is_of(state, file))
        };
        found.retain(|(_, _, state)| is_meant(state));
        found.sort_by(|(_, one, a), (_, other, b)| {
            b.last_update.cmp(&a.last_update).then_with(|| one.cmp(other))
        });
        let here = fs::canonicalize(&here).unwrap_or(here);
        let runs = found.into_iter().map(|(root, path, state)| told(&here, &root, &path, state));
        Ok(Located { runs: runs.collect() })
    }
}

/// A run of a file beside which no other is begun from here, the newest of them: one that somebody
/// can go on with, wherever it is, or one whose work waits in this checkout.
pub(super) fn open(cx: &Context, file: &Path) -> Result<Option<StateFile>, Error> {
    let here = folder(cx)?;
    let wanted = here.join(file);
    let top = git_in(cx, &here).repository().map_err(refused)?.and_then(|found| found.top);
    let own = [Some(real(&here)), top.as_deref().map(real)];
    let is_open = |root: PathBuf, state: &StateFile| {
        let waits_here = state.status == RunStatus::ReadyToFinish && own.contains(&Some(root));
        (state.is_unfinished() || waits_here) && is_of(state, &wanted)
    };
    let open = all(cx, &here)?.into_iter().filter(|(root, _, state)| is_open(root.clone(), state));
    let newest = open.max_by(|(_, _, one), (_, _, other)| one.last_update.cmp(&other.last_update));
    Ok(newest.map(|(_, _, state)| state))
}

/// A path behind all links, where it leads anywhere.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// All state files there are, with their paths and the folders that hold `.hotl`.
fn all(cx: &Context, here: &Path) -> Result<Vec<(PathBuf, PathBuf, StateFile)>, Error> {
    let mut found = Vec::new();
    for root in roots(cx, here)? {
        found.extend(states(&root).into_iter().map(|(path, state)| (root.clone(), path, state)));
    }
    Ok(found)
}

/// The folders in which runs may have worked, each once.
fn roots(cx: &Context, here: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let mut roots = BTreeSet::from([real(here)]);
    let git = git_in(cx, here);
    let Some(repository) = git.repository().map_err(refused)? else { return Ok(roots) };
    roots.extend(repository.top.as_deref().map(real));
    for worktree in git.worktrees().map_err(refused)? {
        roots.insert(real(&worktree.path));
        roots.extend(beside(&worktree.path).iter().map(|folder| real(folder)));
    }
    Ok(roots)
}

/// The folders of worktrees beside a repository, also those that git has forgotten.
fn beside(root: &Path) -> Vec<PathBuf> {
    let (Some(parent), Some(name)) = (root.parent(), root.file_name()) else { return Vec::new() };
    let folders = fs::read_dir(parent.join(WORKTREES).join(name)).into_iter().flatten().flatten();
    folders.map(|folder| folder.path()).collect()
}

/// The state files of a folder.
pub(super) fn states(root: &Path) -> Vec<(PathBuf, StateFile)> {
    let files = fs::read_dir(root.join(".hotl/state")).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let states = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let read = |path: PathBuf| {
        let text = String::from_utf8(content(&path).ok()?).ok()?;
        let state = state_file::parse(&text).ok()?;
        Some((path, state))
    };
    states.filter_map(read).collect()
}

/// Whether a run executes a file, or a copy of it.
fn is_of(state: &StateFile, file: &Path) -> bool {
    let wanted = real(file);
    let paths = [&state.workflow_path, &state.source_workflow_path];
    paths.iter().any(|path| real(Path::new(path)) == wanted)
}

fn told(here: &Path, root: &Path, path: &Path, state: StateFile) -> LocatedRun {
    LocatedRun {
        run_id: state.run_id.to_string(),
        status: state.status,
        current_step: state.current_step,
        total_steps: state.total_steps,
        branch: state.branch,
        executor_mode: state.executor_mode,
        last_update: state.last_update.to_string(),
        workflow_path: state.workflow_path,
        source_workflow_path: state.source_workflow_path,
        repo_root: state.repo_root,
        execution_root: state.execution_root,
        worktree_path: state.worktree_path,
        report_path: state.report_path,
        state_file: path.display().to_string(),
        run_root: root.display().to_string(),
        shown: seen_from(here, root),
    }
}

impl Output for Located {
    fn sheet(&self, _now: Time) -> Sheet {
        if self.runs.is_empty() {
            return Sheet::line("no run was found that has not ended");
        }
        let rows = self.runs.iter().map(|run| {
            let step = format!("{}/{}", run.current_step, run.total_steps);
            vec![
                Cell::from(run.run_id.as_str()),
                run.status.as_str().into(),
                step.into(),
                run.branch.as_str().into(),
                run.shown.as_str().into(),
            ]
        });
        let columns = ["run", "status", "step", "branch…", "folder…"];
        Sheet::default()
            .and_table(&columns, rows.collect())
            .and_line(Cell::dim(counted(self.runs.len() as u64, "run")))
    }
}
