//! What has to be done so that a run can work where it wants.

use super::{
    Checkout, Choices, Errand, Ground, OnDirty, OnExisting, Place, Wanted, refusals,
    rescue_reference,
};
use crate::Refusal;
use crate::run::state_file::StateFile;
use crate::run::word::RunStatus;

/// What is known of the branch that a run wants, and of the place of its worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Git takes it as the name of a branch.
    pub is_name: bool,
    /// Where the branch is; nothing when it is not there.
    pub commit: Option<String>,
    /// A checkout that is on it, other than the one at `path`.
    pub checked_out: Option<String>,
    /// Worktrees that are in the way and were removed by hand: git still knows them.
    pub gone: Vec<String>,
    /// Where the worktree belongs.
    pub path: String,
    pub at_path: AtPath,
}

/// What is where a worktree belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtPath {
    Nothing,
    /// A worktree of this repository.
    Worktree {
        branch: Option<String>,
        /// Files that must not be forgotten.
        blocking: Vec<String>,
    },
    /// Something else.
    Other,
}

/// How a checkout comes to a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is not there yet.
    New,
    /// It is there.
    Old,
    /// It is there, and begins again.
    Again,
}

/// One thing to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Put aside what is not committed.
    Stash,
    /// Keep a commit under a reference.
    Keep { reference: String, commit: String },
    /// Remove a worktree that holds nothing of its own, or is gone.
    Remove { path: String },
    /// Take this checkout to a branch.
    Switch { how: How },
    /// Make a worktree.
    Add { path: String, how: How },
    /// Put the workflow file where the run works.
    Copy,
}

/// What is done for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub branch: String,
    /// Nothing where the run works in the checkout of the caller.
    pub worktree: Option<String>,
    /// In order.
    pub acts: Vec<Act>,
}

impl Plan {
    /// For a run that works where everything is.
    pub fn staying(wanted: Wanted<'_>, ground: &Ground, branch: String) -> Self {
        let acts = match ground {
            Ground::Checkout(checkout) => stash(wanted.choices, checkout),
            Ground::NoRepository | Ground::NoCheckout { .. } | Ground::NoHistory { .. } => {
                Vec::new()
            }
        };
        Self { branch, worktree: None, acts }
    }

    /// Refuses to remove a worktree in which a run has not come to its end. `runs_in` tells the runs
    /// of a folder.
    pub fn must_spare_the_living(
        &self,
        runs_in: impl Fn(&str) -> Vec<StateFile>,
    ) -> Result<(), Refusal> {
        for act in &self.acts {
            let Act::Remove { path } = act else { continue };
            let has_work =
                |run: &&StateFile| run.is_unfinished() || run.status == RunStatus::ReadyToFinish;
            if let Some(living) = runs_in(path).iter().find(has_work) {
                return Err(refusals::living(path, living));
            }
        }
        Ok(())
    }
}

/// Decides what to do for a run that wants to be elsewhere. `target` is what was found there.
pub fn plan(
    wanted: Wanted<'_>,
    checkout: &Checkout,
    errand: Errand,
    target: &Target,
) -> Result<Plan, Refusal> {
    let Errand { branch, place } = errand;
    let mut acts = stash(wanted.choices, checkout);
    let worktree = match place {
        Place::Here => {
            acts.extend(here(wanted, &branch, target)?);
            None
        }
        Place::Worktree => {
            acts.extend(isolated(wanted, &branch, target)?);
            Some(target.path.clone())
        }
    };
    Ok(Plan { branch, worktree, acts })
}

fn stash(choices: &Choices, checkout: &Checkout) -> Vec<Act> {
    let is_wanted = choices.on_dirty == OnDirty::Stash && !checkout.blocking().is_empty();
    is_wanted.then_some(Act::Stash).into_iter().collect()
}

fn here(wanted: Wanted<'_>, branch: &str, target: &Target) -> Result<Vec<Act>, Refusal> {
    let switch = |how| Act::Switch { how };
    let acts = match (fit(wanted, branch, target)?, wanted.choices.on_existing) {
        (None, _) => vec![switch(How::New)],
        (Some(commit), Some(OnExisting::Recreate)) => {
            vec![keep(branch, commit), switch(How::Again)]
        }
        // The branch may hold another workflow file, or none.
        (Some(_), Some(OnExisting::Reuse | OnExisting::Fail) | None) => {
            vec![switch(How::Old), Act::Copy]
        }
    };
    Ok(forget(target).chain(acts).collect())
}

fn isolated(wanted: Wanted<'_>, branch: &str, target: &Target) -> Result<Vec<Act>, Refusal> {
    let path = &target.path;
    let add = |how| Act::Add { path: path.clone(), how };
    let (ready, blocking) = match &target.at_path {
        AtPath::Nothing => (None, &[][..]),
        AtPath::Worktree { branch: Some(found), blocking } if found == branch => {
            (Some(Act::Remove { path: path.clone() }), blocking.as_slice())
        }
        AtPath::Worktree { .. } | AtPath::Other => return Err(refusals::path_taken(path)),
    };
    let acts = match (fit(wanted, branch, target)?, wanted.choices.on_existing) {
        (None, _) => vec![add(How::New)],
        (Some(_), Some(OnExisting::Recreate)) if !blocking.is_empty() => {
            return Err(refusals::unsaved(path, blocking));
        }
        (Some(commit), Some(OnExisting::Recreate)) => {
            [keep(branch, commit)].into_iter().chain(ready).chain([add(How::Again)]).collect()
        }
        (Some(_), Some(OnExisting::Reuse | OnExisting::Fail) | None) if ready.is_some() => {
            Vec::new()
        }
        (Some(_), Some(OnExisting::Reuse | OnExisting::Fail) | None) => vec![add(How::Old)],
    };
    Ok(forget(target).chain(acts).chain([Act::Copy]).collect())
}

/// Lets git forget the worktrees that are gone.
fn forget(target: &Target) -> impl Iterator<Item = Act> {
    target.gone.iter().map(|path| Act::Remove { path: path.clone() })
}

/// Where the branch is that may be used although it is there; nothing when it is not there.
fn fit<'a>(
    wanted: Wanted<'_>,
    branch: &str,
    target: &'a Target,
) -> Result<Option<&'a str>, Refusal> {
    if !target.is_name {
        return Err(refusals::branch_name(branch));
    }
    if let Some(elsewhere) = &target.checked_out {
        return Err(refusals::checked_out(branch, elsewhere));
    }
    match (&target.commit, wanted.choices.on_existing) {
        (None, _) => Ok(None),
        (Some(commit), None | Some(OnExisting::Fail)) => {
            Err(refusals::branch_exists(wanted.file, branch, commit, target))
        }
        (Some(commit), Some(OnExisting::Reuse | OnExisting::Recreate)) => Ok(Some(commit)),
    }
}

fn keep(branch: &str, commit: &str) -> Act {
    Act::Keep { reference: rescue_reference(branch, commit), commit: commit.to_owned() }
}
