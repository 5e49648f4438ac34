//! What is done to branch and worktree when a run is finished: looked at first, then done.
//!
//! [`Landing::look`] refuses what cannot be done and says what would be; [`Landing::land`] merges,
//! publishes or leaves the branch, and leaves all as it was when that fails; once the outcome is on record,
//! [`Landing::clear_up`] takes away what is no longer needed.

mod telling;

use std::path::{Path, PathBuf};

use windlass_domain::run::approval::Outward;
use windlass_domain::run::disposal::{self, Way, WithoutGit};
use windlass_domain::run::event::{FinishDetails, Place};
use windlass_domain::run::name::command;
use windlass_domain::run::prepare::rescue_reference;
use windlass_domain::run::word::Disposition;
use windlass_domain::{Code, Refusal};
use windlass_hands::git::{Git, Head, Merged, NotDone, OnBranch};
use windlass_ledger::Error;

use super::prepare::blocking;
use super::preserve::preserve;
use super::repository::{git_in, refused};
use crate::context::Context;

/// So many files are named.
const NAMED: usize = 20;

/// The work of a run, and where it shall go.
#[derive(Debug, Clone)]
pub struct Landing {
    git: Git,
    run_id: String,
    branch: String,
    /// Where the branch is; nothing when it is not there.
    commit: Option<String>,
    worktree: Option<PathBuf>,
    home: PathBuf,
    source_head: Option<String>,
    plan: Plan,
    /// Commits that are nowhere else.
    ahead: u64,
    /// Files that are not committed, where the run worked.
    uncommitted: Vec<String>,
}

/// What shall be done, with all that was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Plan {
    Keep,
    Merge {
        into: String,
        checkout: PathBuf,
    },
    /// The branch that it is meant for, if that is known.
    Publish {
        remote: String,
        target: Option<String>,
    },
    /// A checkout that is not the run's own goes back to this branch first.
    Discard {
        back_to: Option<String>,
    },
    /// It was all removed by hand, and is only recorded as discarded.
    Forget,
}

impl From<WithoutGit> for Plan {
    fn from(plan: WithoutGit) -> Self {
        match plan {
            WithoutGit::Keep => Self::Keep,
            WithoutGit::Forget => Self::Forget,
        }
    }
}

impl Landing {
    /// Looks at the work of a run. Nothing is changed.
    pub fn look(cx: &Context, run_id: &str, place: &Place, way: &Way) -> Result<Self, Error> {
        let root = PathBuf::from(&place.repo_root);
        let home = home_of(cx, place)?;
        let git = git_in(cx, home.as_ref().unwrap_or(&root));
        let found = match home.is_some() {
            true => git.repository().map_err(refused)?,
            false => None,
        };
        if found.is_none() {
            let plan = disposal::without_git(way, &place.repo_root, home.is_some())?;
            let (plan, worktree) = (plan.into(), worktree_of(place));
            return Ok(Self { worktree, plan, ..Self::untouched(git, run_id, place) });
        }
        let commit = git.branch(&place.branch).map_err(refused)?;
        let worktree = worktree_of(place);
        let works_in = worktree.clone().unwrap_or_else(|| git.folder().to_owned());
        let mut landing = Self {
            commit,
            uncommitted: blocking(&git.at(works_in), &relative(place))?,
            worktree,
            ..Self::untouched(git, run_id, place)
        };
        landing.plan = landing.planned(place, way)?;
        landing.ahead = landing.count_ahead(place)?;
        Ok(landing)
    }

    /// Of which nothing is known but that it stays.
    fn untouched(git: Git, run_id: &str, place: &Place) -> Self {
        Self {
            home: git.folder().to_owned(),
            git,
            run_id: run_id.to_owned(),
            branch: place.branch.clone(),
            commit: None,
            worktree: None,
            source_head: place.source_head.clone(),
            plan: Plan::Keep,
            ahead: 0,
            uncommitted: Vec::new(),
        }
    }

    fn planned(&self, place: &Place, way: &Way) -> Result<Plan, Error> {
        match way {
            Way::Keep => Ok(Plan::Keep),
            Way::Merge { into } => self.planned_merge(place, into.as_deref()),
            Way::Publish { remote } => {
                self.must_have_branch()?;
                self.must_be_committed()?;
                let known = self.git.remotes().map_err(refused)?;
                let remote = disposal::remote(remote.as_deref(), &known)?;
                let target = match self.usual_target(place) {
                    Err(Error::Refused(_)) => None,
                    target => Some(target?),
                };
                Ok(Plan::Publish { remote, target })
            }
            Way::Discard => self.planned_discard(place),
        }
    }

    fn planned_discard(&self, place: &Place) -> Result<Plan, Error> {
        let head = self.git.head().map_err(refused)?;
        if self.worktree.is_some() || head.branch() != Some(&self.branch) {
            return Ok(Plan::Discard { back_to: None });
        }
        let source = place.source_branch.as_deref();
        let is_there = match source {
            Some(source) => self.git.branch(source).map_err(refused)?.is_some(),
            None => false,
        };
        let back_to = disposal::way_back(&self.run_id, &self.branch, source, is_there)?;
        self.must_be_committed()?;
        Ok(Plan::Discard { back_to: Some(back_to) })
    }

    /// The branch that the work is meant for when nobody says so.
    fn usual_target(&self, place: &Place) -> Result<String, Error> {
        let source = place.source_branch.as_deref();
        let mut found = Vec::new();
        for name in [source, Some("main"), Some("master")].into_iter().flatten() {
            if self.git.branch(name).map_err(refused)?.is_some() {
                found.push(name);
            }
        }
        Ok(disposal::target_branch(source, &self.branch, |name| found.contains(&name))?)
    }

    fn planned_merge(&self, place: &Place, into: Option<&str>) -> Result<Plan, Error> {
        self.must_have_branch()?;
        let into = into.map_or_else(|| self.usual_target(place), |into| Ok(into.to_owned()))?;
        let is_there = self.git.branch(&into).map_err(refused)?.is_some();
        disposal::must_be_another(&self.branch, &into, is_there)?;
        self.must_be_committed()?;
        let worktrees = self.git.worktrees().map_err(refused)?;
        let is_there = |branch: Option<&str>| branch == Some(into.as_str());
        let mut on_target = worktrees
            .into_iter()
            .filter(|one| one.gone.is_none() && is_there(one.branch.as_deref()));
        let checkout = on_target.next().map_or_else(|| self.home.clone(), |one| one.path);
        let dirty = blocking(&self.git.at(&checkout), &relative(place))?;
        if !dirty.is_empty() {
            return Err(uncommitted(&checkout, &dirty).into());
        }
        match self.git.try_merge(&self.branch, &into).map_err(refused)? {
            Merged::Clean => Ok(Plan::Merge { into, checkout }),
            Merged::Conflicts(files) => Err(conflicts(&self.branch, &into, &files).into()),
        }
    }

    fn must_have_branch(&self) -> Result<(), Error> {
        if self.commit.is_some() {
            return Ok(());
        }
        let message = format!("the branch '{}' of the run is not there", self.branch);
        let refusal = Refusal::new(Code::CheckoutUnfit, message)
            .hint(format!("keep or discard the run: {}", command(&self.run_id, "finish keep")))
            .detail("branch", &self.branch);
        Err(refusal.into())
    }

    fn must_be_committed(&self) -> Result<(), Error> {
        if self.uncommitted.is_empty() {
            return Ok(());
        }
        let folder = self.worktree.as_ref().unwrap_or(&self.home);
        Err(uncommitted(folder, &self.uncommitted).into())
    }

    /// How many commits would be lost with the branch, or come along with it.
    fn count_ahead(&self, place: &Place) -> Result<u64, Error> {
        let Some(commit) = &self.commit else { return Ok(0) };
        // A run that does not know where it came from is held against the first checkout.
        let source = self.source_head.as_deref().unwrap_or("HEAD");
        let base = match (&self.plan, &place.source_branch) {
            (Plan::Merge { into, .. }, _) => format!("refs/heads/{into}"),
            (_, Some(branch)) => format!("refs/heads/{branch}"),
            (_, None) => source.to_owned(),
        };
        let known = self.git.commit(&base).map_err(refused)?;
        let base = known.or(self.git.commit(source).map_err(refused)?);
        base.map_or(Ok(0), |base| self.git.commits_ahead(commit, &base).map_err(refused))
    }

    pub fn disposition(&self) -> Disposition {
        match self.plan {
            Plan::Keep => Disposition::Kept,
            Plan::Merge { .. } => Disposition::Merged,
            Plan::Publish { .. } => Disposition::Published,
            Plan::Discard { .. } | Plan::Forget => Disposition::Discarded,
        }
    }

    /// What a person approves before this is done outside of the run; nothing where that needs none.
    pub fn action(&self, base: Option<&str>) -> Option<Outward> {
        match &self.plan {
            Plan::Merge { into, .. } => Some(disposal::merge_action(&self.branch, into)),
            Plan::Publish { remote, .. } => {
                Some(disposal::publish_action(&self.branch, remote, base))
            }
            Plan::Keep | Plan::Discard { .. } | Plan::Forget => None,
        }
    }

    /// The branch that the work goes into, or is meant for.
    pub fn target_branch(&self) -> Option<&str> {
        match &self.plan {
            Plan::Merge { into, .. } => Some(into),
            Plan::Publish { target, .. } => target.as_deref(),
            Plan::Keep | Plan::Discard { .. } | Plan::Forget => None,
        }
    }

    /// What shows that it was done, where nothing better does.
    pub fn evidence(&self) -> Result<String, Error> {
        Ok(match &self.plan {
            Plan::Merge { into, .. } => {
                let commit = self.git.branch(into).map_err(refused)?.unwrap_or_default();
                format!("git-merge:{into}@{commit}")
            }
            Plan::Publish { remote, .. } => format!("git-push:{remote}/{}", self.branch),
            Plan::Keep | Plan::Discard { .. } | Plan::Forget => String::new(),
        })
    }

    /// What is put on record.
    pub fn details(&self) -> FinishDetails {
        let goes = self.goes();
        let branch_action = match &self.plan {
            Plan::Keep | Plan::Publish { .. } | Plan::Forget => "kept".to_owned(),
            Plan::Merge { into, .. } => format!("merged-into-{into}"),
            Plan::Discard { .. } => "deleted".to_owned(),
        };
        let worktree_action = if goes { "removed" } else { "kept" };
        let folder = self.home.join(".hotl").display().to_string();
        FinishDetails {
            target_branch: self.target_branch().map(str::to_owned),
            remote: match &self.plan {
                Plan::Publish { remote, .. } => Some(remote.clone()),
                Plan::Keep | Plan::Merge { .. } | Plan::Discard { .. } | Plan::Forget => None,
            },
            branch_action: self.commit.as_ref().map(|_| branch_action),
            worktree_action: self.worktree.as_ref().map(|_| worktree_action.to_owned()),
            artifacts_preserved_at: goes.then_some(folder),
            ..FinishDetails::default()
        }
    }

    /// Branch and worktree are no longer needed then.
    fn goes(&self) -> bool {
        matches!(self.plan, Plan::Merge { .. } | Plan::Discard { .. })
    }

    /// Merges, publishes, or leaves the branch that goes. When that fails, all is as before.
    pub fn land(&self) -> Result<(), Error> {
        match &self.plan {
            Plan::Keep | Plan::Discard { back_to: None } | Plan::Forget => Ok(()),
            Plan::Discard { back_to: Some(branch) } => {
                let before = self.git.head().map_err(refused)?;
                switched(&self.git, branch, &before)
            }
            Plan::Publish { remote, .. } => self.git.push(&self.branch, remote).map_err(refused),
            Plan::Merge { into, checkout } => self.merge(into, &self.git.at(checkout)),
        }
    }

    /// Asks others to take what was published, and says where.
    pub fn create_pull_request(&self, base: &str) -> Result<String, Error> {
        self.git.create_pull_request(&self.branch, base).map_err(refused)
    }

    fn merge(&self, into: &str, git: &Git) -> Result<(), Error> {
        let before = git.head().map_err(refused)?;
        let is_elsewhere = before.branch() != Some(into);
        if is_elsewhere {
            switched(git, into, &before)?;
        }
        let message = format!("Merge branch '{}' into {into}", self.branch);
        let merged = git.merge(&self.branch, &message);
        // A checkout that is not the run's own goes back to what somebody was doing in it.
        let goes_back = self.worktree.is_some() || !matches!(merged, Ok(Merged::Clean));
        if is_elsewhere && goes_back {
            git.switch_back(&before).map_err(refused)?;
        }
        match merged.map_err(refused)? {
            Merged::Clean => Ok(()),
            Merged::Conflicts(files) => Err(conflicts(&self.branch, into, &files).into()),
        }
    }

    /// Takes away what is no longer needed, once the outcome is on record. The files of the run stay,
    /// beside the repository's own. Commits that are nowhere else stay too, under the reference that
    /// is returned.
    pub fn clear_up(&self) -> Result<Option<String>, Error> {
        if !self.goes() {
            return Ok(None);
        }
        if let Some(worktree) = &self.worktree {
            preserve(worktree, &self.home, &self.run_id)?;
            self.git.discard_worktree(worktree).map_err(refused)?;
        }
        let Some(commit) = self.git.branch(&self.branch).map_err(refused)? else {
            return Ok(None);
        };
        let is_elsewhere = match &self.plan {
            Plan::Merge { into, .. } => {
                self.git.is_merged(&commit, &format!("refs/heads/{into}")).map_err(refused)?
            }
            Plan::Keep | Plan::Publish { .. } | Plan::Discard { .. } | Plan::Forget => false,
        };
        let mut rescue = None;
        if !is_elsewhere {
            let reference = rescue_reference(&self.branch, &commit);
            let why = format!("windlass: {} was discarded", self.branch);
            self.git.set_reference(&reference, &commit, &why).map_err(refused)?;
            rescue = Some(reference);
        }
        self.git.delete_branch(&self.branch, &commit).map_err(refused)?;
        Ok(rescue)
    }
}

/// A checkout of the repository that the run came from; nothing when all of them are gone.
fn home_of(cx: &Context, place: &Place) -> Result<Option<PathBuf>, Error> {
    let root = PathBuf::from(&place.repo_root);
    if root.is_dir() {
        return Ok(Some(root));
    }
    let Some(worktree) = worktree_of(place) else { return Ok(None) };
    match git_in(cx, worktree).worktrees() {
        Ok(checkouts) => Ok(checkouts.into_iter().next().map(|first| first.path)),
        // A worktree whose repository is gone is only a folder.
        Err(NotDone::Refused { .. }) => Ok(None),
        Err(not_done) => Err(refused(not_done)),
    }
}

/// The worktree of the run, if it is there.
fn worktree_of(place: &Place) -> Option<PathBuf> {
    place.worktree_path.as_ref().map(PathBuf::from).filter(|worktree| worktree.is_dir())
}

/// Takes a checkout to a branch, or leaves it where it was.
fn switched(git: &Git, branch: &str, before: &Head) -> Result<(), Error> {
    let Err(error) = git.switch(OnBranch::Old { name: branch }) else { return Ok(()) };
    git.switch_back(before).map_err(refused)?;
    Err(refused(error))
}

/// The workflow file, from the root of the checkout that the run works in.
fn relative(place: &Place) -> String {
    let inside = Path::new(&place.workflow_path).strip_prefix(&place.execution_root);
    inside.map(|path| path.display().to_string()).unwrap_or_default()
}

fn uncommitted(folder: &Path, files: &[String]) -> Refusal {
    let shown: Vec<String> =
        files.iter().take(NAMED).map(|file| file.escape_debug().to_string()).collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    let message = format!(
        "{} holds changes that are not committed:\n  {}{more}",
        folder.display(),
        shown.join("\n  ")
    );
    Refusal::new(Code::UncommittedChanges, message)
        .hint("commit them, or put them aside with `git stash -u`, then finish again")
        .detail("folder", folder.display().to_string())
        .detail("files", files)
}

fn conflicts(branch: &str, into: &str, conflicts: &[PathBuf]) -> Refusal {
    let files: Vec<String> = conflicts.iter().map(|file| file.display().to_string()).collect();
    let message = format!("'{branch}' and '{into}' changed the same lines of {}", files.join(", "));
    Refusal::new(Code::MergeConflict, message)
        .hint(format!(
            "merge '{into}' into '{branch}' where the run works, resolve the conflicts, commit, and \
             finish again"
        ))
        .detail("branch", branch)
        .detail("target_branch", into)
        .detail("files", files)
}
