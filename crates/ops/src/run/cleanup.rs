//! `run cleanup`: worktrees that were made for runs go when their runs have ended and all their work
//! is elsewhere. What says so is looked at anew each time; nothing is forced but the files of runs,
//! which are copied to the repository first.

use std::fs;
use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::disposal::Leftover;
use windlass_domain::run::prepare::is_made_for_runs;
use windlass_domain::run::state_file::StateFile;
use windlass_hands::git::{Git, Worktree};
use windlass_ledger::Error;

use super::files::Files;
use super::locate::states;
use super::prepare::lost_with;
use super::preserve::preserve_all;
use super::repository::{folder, git_in, refused, seen_from};
use super::source::is_copy;
use super::target::Target;
use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place, Remotely};
use crate::sheet::{Cell, Sheet, Tone, counted};

/// Removes worktrees whose runs have ended.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cleanup {
    /// Only say what would go
    #[arg(long)]
    pub dry_run: bool,
}

/// The worktrees of the repository, and what became of them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct CleanedUp {
    pub dry_run: bool,
    pub worktrees: Vec<CleanedWorktree>,
}

/// One worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CleanedWorktree {
    pub path: String,
    /// The same as a person is shown it.
    #[serde(skip)]
    pub shown: String,
    pub branch: Option<String>,
    /// It is gone, or would go.
    pub goes: bool,
    /// Why it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stays: Option<String>,
}

impl Operation for Cleanup {
    type Output = CleanedUp;
    const NAME: &'static str = "run.cleanup";
    const ABOUT: &'static str =
        "Remove worktrees whose runs have ended and whose work is elsewhere";
    const EXAMPLE: &'static str = "windlass run cleanup --dry-run";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<CleanedUp, Error> {
        let here = folder(cx)?;
        let git = git_in(cx, &here);
        let mut worktrees = Vec::new();
        if git.repository().map_err(refused)?.is_none() {
            return Ok(CleanedUp { dry_run: self.dry_run, worktrees });
        }
        let checkouts = git.worktrees().map_err(refused)?;
        let Some((first, others)) = checkouts.split_first() else {
            return Ok(CleanedUp { dry_run: self.dry_run, worktrees });
        };
        for worktree in others.iter().filter(|worktree| worktree.gone.is_none()) {
            let verdict = leftover(cx, &git, worktree, &here)?.may_go();
            if verdict.is_ok() && !self.dry_run {
                preserve_all(&worktree.path, &first.path, &checkouts)?;
                git.at(&first.path).discard_worktree(&worktree.path).map_err(refused)?;
            }
            worktrees.push(CleanedWorktree {
                path: worktree.path.display().to_string(),
                shown: seen_from(&fs::canonicalize(&here).unwrap_or(here.clone()), &worktree.path),
                branch: worktree.branch.clone(),
                goes: verdict.is_ok(),
                stays: verdict.err().map(|why| why.as_str().to_owned()),
            });
        }
        Ok(CleanedUp { dry_run: self.dry_run, worktrees })
    }
}

fn leftover(
    cx: &mut Context,
    git: &Git,
    worktree: &Worktree,
    here: &Path,
) -> Result<Leftover, Error> {
    let path = &worktree.path;
    let runs: Vec<StateFile> =
        states(path).into_iter().map(|(_, state)| state).filter(|run| is_for(run, path)).collect();
    let open = runs.iter().find(|run| !run.status.is_over());
    let status = open.or(runs.first()).map(|run| run.status);
    if status.is_none() || open.is_some() {
        // Nothing else matters then.
        let rest = Leftover {
            status,
            is_merged: false,
            is_clean: false,
            is_locked: false,
            has_caller: false,
        };
        return Ok(rest);
    }
    Ok(Leftover {
        status,
        is_merged: is_merged(git, worktree, &runs)?,
        is_clean: is_clean(cx, &git.at(path), &runs)?,
        is_locked: worktree.locked.is_some(),
        has_caller: fs::canonicalize(here).is_ok_and(|here| here.starts_with(path)),
    })
}

/// A worktree that somebody else made is theirs, whatever runs worked in it.
fn is_for(run: &StateFile, path: &Path) -> bool {
    let made = run.worktree_path.as_deref().filter(|made| is_made_for_runs(made)).map(Path::new);
    made.is_some_and(|made| made == path || fs::canonicalize(made).is_ok_and(|made| made == path))
}

/// Whether nothing would be lost with a worktree but a copy of a workflow file.
fn is_clean(cx: &mut Context, git: &Git, runs: &[StateFile]) -> Result<bool, Error> {
    let lost = lost_with(git, None)?;
    let mut is_own =
        |path: &String| runs.iter().any(|run| has_copy_at(cx, run, git.folder(), path));
    Ok(lost.iter().all(&mut is_own))
}

/// What is there is the workflow file of the run, as the ledger knows it.
fn has_copy_at(cx: &mut Context, run: &StateFile, folder: &Path, path: &str) -> bool {
    let path = folder.join(path);
    if Path::new(&run.workflow_path) != path {
        return false;
    }
    let target = Target {
        run_id: Some(run.run_id.to_string()),
        folder: folder.to_str().map(str::to_owned),
        machine: Some(cx.surroundings.host.clone()),
    };
    let known = cx.perform(&Files { target, plan: true, ..Files::default() }).ok();
    let sha256 = known.and_then(|files| files.workflow).map(|file| file.file_sha256);
    let text = fs::read_to_string(path).ok();
    text.zip(sha256).is_some_and(|(text, sha256)| is_copy(&text, &sha256))
}

/// Whether all that is committed in a worktree is in a branch that it came from.
fn is_merged(git: &Git, worktree: &Worktree, runs: &[StateFile]) -> Result<bool, Error> {
    let Some(commit) = &worktree.commit else { return Ok(false) };
    let sources = runs.iter().filter_map(|run| run.source_branch.as_deref());
    for branch in sources.chain(["main", "master"]) {
        if worktree.branch.as_deref() == Some(branch) {
            continue;
        }
        if let Some(into) = git.branch(branch).map_err(refused)?
            && git.is_merged(commit, &into).map_err(refused)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Output for CleanedUp {
    fn sheet(&self, _now: Time) -> Sheet {
        let word = if self.dry_run { "would go" } else { "removed" };
        let sheet = self.worktrees.iter().fold(Sheet::default(), |sheet, worktree| {
            let path = &worktree.shown;
            match &worktree.stays {
                None => sheet.and_line(Cell::toned(format!("{path}: {word}"), Tone::Good)),
                Some(why) => sheet.and_line(Cell::dim(format!("{path} stays: {why}"))),
            }
        });
        let gone = self.worktrees.iter().filter(|worktree| worktree.goes).count() as u64;
        sheet.and_line(format!("{} {word}", counted(gone, "worktree")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_of_another_hand_is_not_for_a_run() {
        let text = r#"{"run_id":"x","status":"completed","started_at":"2026-11-16T02:00:00+00:00",
            "last_update":"2026-11-16T02:00:00+00:00","worktree_path":null,
            "steps":[{"number":1,"name":"Work","status":"done"}]}"#;
        let run: StateFile = serde_json::from_str(text).unwrap();
        let (beside, made) = ("/w/beside", "/w/.hotl-worktrees/api/hotl-x");
        let works_in =
            |path: &str| StateFile { worktree_path: Some(path.to_owned()), ..run.clone() };
        assert!(!is_for(&run, Path::new(made)));
        assert!(!is_for(&works_in(beside), Path::new(beside)));
        assert!(is_for(&works_in(made), Path::new(made)));
    }
}
