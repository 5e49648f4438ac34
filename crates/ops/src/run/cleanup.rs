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
use windlass_domain::run::state_file::StateFile;
use windlass_hands::git::{Git, Worktree};
use windlass_ledger::Error;

use super::locate::states;
use super::prepare::blocking;
use super::preserve::preserve_all;
use super::repository::{folder, git_in, refused, seen_from};
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
            let verdict = leftover(&git, worktree, &here)?.may_go();
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

fn leftover(git: &Git, worktree: &Worktree, here: &Path) -> Result<Leftover, Error> {
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
    let file = runs.first().map(|run| relative(run, path)).unwrap_or_default();
    Ok(Leftover {
        status,
        is_merged: is_merged(git, worktree, &runs)?,
        is_clean: blocking(&git.at(path), &file)?.is_empty(),
        is_locked: worktree.locked.is_some(),
        has_caller: fs::canonicalize(here).is_ok_and(|here| here.starts_with(path)),
    })
}

/// A worktree that somebody else made is theirs, whatever runs worked in it.
fn is_for(run: &StateFile, path: &Path) -> bool {
    let made = run.worktree_path.as_deref().map(Path::new);
    made.is_some_and(|made| made == path || fs::canonicalize(made).is_ok_and(|made| made == path))
}

fn relative(run: &StateFile, path: &Path) -> String {
    let inside = Path::new(&run.workflow_path).strip_prefix(path);
    inside.map(|inside| inside.display().to_string()).unwrap_or_default()
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
        assert!(!is_for(&run, Path::new("/beside")));
        let own = StateFile { worktree_path: Some("/beside".to_owned()), ..run };
        assert!(is_for(&own, Path::new("/beside")));
    }
}
