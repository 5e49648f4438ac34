//! Where a run takes place: in which checkout, on which branch, and what has to be done for that.
//!
//! It is decided twice from values alone. [`course`] says which branch a run wants and in what kind
//! of checkout; then somebody looks at that branch, and [`plan`] says what to do, or why not. Nothing
//! that is there is touched unless the caller chose so: a refusal names the ways on.

mod answer;
mod plan;
mod refusals;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{Dirty, Front, Worktree};
use super::name;
use crate::Refusal;

pub use answer::{Typed, typed};
pub use plan::{Act, AtPath, How, Plan, Target, plan};

/// The branches on which nobody works by accident.
const TRUNKS: [&str; 2] = ["main", "master"];

/// The folder of worktrees, beside the repository.
pub const WORKTREES: &str = ".hotl-worktrees";

/// What is said where there is no history to branch off from.
pub const NO_HISTORY: &str = "Skipping branch setup (no git history)";

/// What to do with a branch that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnExisting {
    /// Go on with it.
    Reuse,
    /// Begin it again; where it was is kept.
    Recreate,
    /// Leave it alone and stop.
    Fail,
}

/// Where to work when the caller is on a branch of its own and the file says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnFeatureBranch {
    /// On that branch, in that checkout.
    Here,
    /// In a worktree, on the branch that is named after the file.
    Isolated,
    /// In a worktree, on a branch of this name.
    Branch(String),
}

impl From<&str> for OnFeatureBranch {
    fn from(word: &str) -> Self {
        match word {
            "here" => Self::Here,
            "isolated" => Self::Isolated,
            name => Self::Branch(name.to_owned()),
        }
    }
}

/// What to do with changes that are not committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDirty {
    #[default]
    Stop,
    /// A person wants them put aside.
    Stash,
}

/// What the caller chose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choices {
    pub on_existing: Option<OnExisting>,
    pub on_feature_branch: Option<OnFeatureBranch>,
    pub on_dirty: OnDirty,
}

/// What was found where the caller is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    NoRepository,
    /// A repository without files, or the inside of `.git`.
    NoCheckout {
        repository: String,
    },
    /// A repository without a commit.
    NoHistory {
        root: String,
        branch: String,
    },
    Checkout(Checkout),
}

/// A checkout, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub root: String,
    /// It is a worktree beside the first checkout.
    pub is_linked: bool,
    /// Nothing where no branch is checked out.
    pub branch: Option<String>,
    pub commit: String,
    /// The workflow file, from the root; nothing when it is outside.
    pub file: Option<String>,
    /// Files that are not as in the last commit, untracked ones too, from the root.
    pub changed: Vec<String>,
}

/// What a run is given, besides what was found.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The workflow file, as the caller named it.
    pub file: &'a str,
    pub front: &'a Front,
    pub choices: &'a Choices,
}

/// Where a run wants to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Course {
    /// As everything is.
    Stay {
        branch: String,
    },
    Go(Errand),
}

/// A branch that a run wants to be on, and is not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    pub branch: String,
    pub place: Place,
}

/// In which checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In that of the caller.
    Here,
    /// In a worktree of its own.
    Worktree,
}

/// Decides which branch a run wants, and where.
pub fn course(wanted: Wanted<'_>, ground: &Ground) -> Result<Course, Refusal> {
    let front = wanted.front;
    if let Some(Worktree::Other(word)) = &front.worktree {
        return Err(refusals::worktree_word(word));
    }
    let branch = match wanted.pinned() {
        Some(branch) => branch.to_owned(),
        None => name::branch(&name::slug(wanted.file)),
    };
    let checkout = match ground {
        Ground::NoRepository | Ground::NoHistory { .. } => return Ok(Course::Stay { branch }),
        Ground::NoCheckout { repository } => return Err(refusals::no_checkout(repository)),
        Ground::Checkout(checkout) => checkout,
    };
    if checkout.file.is_none() {
        return Err(refusals::outside(wanted.file, &checkout.root));
    }
    let blocking = checkout.blocking();
    let may_be_dirty =
        front.dirty == Some(Dirty::Allow) || wanted.choices.on_dirty == OnDirty::Stash;
    if !blocking.is_empty() && !may_be_dirty {
        return Err(refusals::dirty(wanted.file, &blocking));
    }
    by_mode(wanted, checkout, branch)
}

fn by_mode(wanted: Wanted<'_>, checkout: &Checkout, branch: String) -> Result<Course, Refusal> {
    let is_current = checkout.branch.as_ref() == Some(&branch);
    let (pinned, current) = (wanted.pinned(), checkout.branch.as_deref());
    match (&wanted.front.worktree, pinned, current.filter(|current| !is_trunk(current))) {
        (Some(Worktree::Host), _, _) => host(pinned, current),
        (Some(Worktree::Here), _, _) if is_current => Ok(Course::Stay { branch }),
        (Some(Worktree::Here), _, _) => Ok(Course::Go(Errand { branch, place: Place::Here })),
        // Whoever made this worktree made it to be worked in.
        (None, None, Some(current)) if checkout.is_linked => {
            Ok(Course::Stay { branch: current.to_owned() })
        }
        (None, None, Some(current)) => on_feature_branch(wanted, current, branch),
        _ if is_current => Err(refusals::current_branch(&branch)),
        _ => Ok(Course::Go(Errand { branch, place: Place::Worktree })),
    }
}

fn host(pinned: Option<&str>, current: Option<&str>) -> Result<Course, Refusal> {
    match (current, pinned) {
        (None, _) => Err(refusals::host_detached()),
        (Some(current), _) if is_trunk(current) => Err(refusals::host_trunk(current)),
        (Some(current), Some(pinned)) if pinned != current => {
            Err(refusals::host_other(current, pinned))
        }
        (Some(current), _) => Ok(Course::Stay { branch: current.to_owned() }),
    }
}

fn on_feature_branch(wanted: Wanted<'_>, current: &str, branch: String) -> Result<Course, Refusal> {
    let branch = match &wanted.choices.on_feature_branch {
        None => return Err(refusals::feature_branch(wanted.file, current, &branch)),
        Some(OnFeatureBranch::Here) => return Ok(Course::Stay { branch: current.to_owned() }),
        Some(OnFeatureBranch::Isolated) => branch,
        Some(OnFeatureBranch::Branch(name)) => name.clone(),
    };
    match branch == current {
        true => Err(refusals::current_branch(&branch)),
        false => Ok(Course::Go(Errand { branch, place: Place::Worktree })),
    }
}

impl Wanted<'_> {
    /// The branch that the workflow file names.
    fn pinned(&self) -> Option<&str> {
        self.front.branch.as_deref().filter(|branch| !branch.is_empty())
    }
}

impl Checkout {
    /// Of the files that differ from the last commit, those that must not be forgotten, in order.
    pub fn blocking(&self) -> Vec<String> {
        let file = self.file.as_deref().unwrap_or_default();
        let blocking = self.changed.iter().filter(|path| blocks(path, file));
        let mut blocking: Vec<String> = blocking.cloned().collect();
        blocking.sort_unstable();
        blocking.dedup();
        blocking
    }
}

fn is_trunk(branch: &str) -> bool {
    TRUNKS.contains(&branch)
}

/// Whether a changed file must not be forgotten. Workflow files, plans and designs are written for
/// runs, and `.hotl` is theirs.
pub fn blocks(path: &str, workflow_file: &str) -> bool {
    let between = |folder: &str, end: &str| path.starts_with(folder) && path.ends_with(end);
    let is_own = path == workflow_file
        || path == ".hotl"
        || path.starts_with(".hotl/")
        || between("hotl-workflow-", ".md")
        || between("docs/designs/", ".md")
        || ["-workflow.md", "-design.md", "-plan.md"].iter().any(|end| between("docs/plans/", end));
    !is_own
}

/// Whether a changed file is lost with its checkout. Only what runs write goes unasked: `.hotl`, and
/// `copy`, the run's copy of its workflow file, while it asks for what it asked for.
pub fn is_lost(path: &str, copy: Option<&str>) -> bool {
    path != ".hotl" && !path.starts_with(".hotl/") && Some(path) != copy
}

/// The folder of a worktree: beside the repository, named after it and after the branch.
pub fn worktree_path(parent: &str, repository: &str, branch: &str) -> String {
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let folder: String =
        branch.chars().map(|letter| if is_kept(letter) { letter } else { '-' }).collect();
    format!("{}/{WORKTREES}/{repository}/{folder}", parent.trim_end_matches('/'))
}

/// Whether a worktree is where those are that were made for runs.
pub fn is_made_for_runs(path: &str) -> bool {
    Path::new(path).ancestors().nth(2).is_some_and(|folder| folder.ends_with(WORKTREES))
}

/// The reference that keeps a commit whose branch begins again or goes.
pub fn rescue_reference(branch: &str, commit: &str) -> String {
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let flat: String =
        branch.chars().map(|letter| if is_kept(letter) { letter } else { '-' }).collect();
    format!("refs/windlass/rescue/{flat}-{}", commit.get(..12).unwrap_or(commit))
}
