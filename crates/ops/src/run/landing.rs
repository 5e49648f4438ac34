//! What is done to branch and worktree when a run is finished: looked at first, then done.
//!
//! [`Landing::look`] refuses what cannot be done and says what would be; [`Landing::land`] merges,
//! publishes or leaves the branch, and leaves all as it was when that fails; once the outcome is on record,
//! [`Landing::clear_up`] takes away what is no longer needed.

mod clearing;
mod telling;

use std::path::{Path, PathBuf};

use windlass_domain::run::approval::Outward;
use windlass_domain::run::disposal::{self, Way, WithoutGit};
use windlass_domain::run::event::{FinishDetails, Place};
use windlass_domain::run::name::command;
use windlass_domain::run::own::{Folder, Work};
use windlass_domain::run::prepare::is_made_for_runs;
use windlass_domain::run::word::Disposition;
use windlass_domain::{Code, Refusal};
use windlass_hands::git::{Git, Head, Merged, NotDone, OnBranch};
use windlass_ledger::Error;

use super::prepare::{blocking, is_same, lost_with};
use super::repository::{git_in, refused};
use super::source::is_copy;
use crate::context::Context;

/// So many files are named.
const NAMED: usize = 20;

/// A run whose work shall go somewhere.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub run_id: &'a str,
    pub place: &'a Place,
    /// The commit that it ended at, where that is known.
    pub ended_at: Option<&'a str>,
    /// Of its workflow file, as it was when the run began.
    pub file_sha256: Option<&'a str>,
}

impl<'a> Subject<'a> {
    /// What it calls its own. `commit` is where its branch is, and `folder` where it works.
    fn work(&self, commit: Option<&str>, folder: Option<Folder<'a>>) -> Work<'a> {
        let Self { run_id, place, ended_at, .. } = *self;
        Work {
            run_id,
            branch: &place.branch,
            source: place.source_branch.as_deref(),
            worktree: place.worktree_path.as_deref(),
            folder,
            is_at_end: commit.is_some() && commit == ended_at,
        }
    }

    /// What is there is the workflow file of the run, and nobody has written into it.
    fn has_copy_at(&self, path: &Path) -> bool {
        let text = std::fs::read_to_string(path).ok();
        text.zip(self.file_sha256).is_some_and(|(text, sha256)| is_copy(&text, sha256))
    }
}

/// The work of a run, and where it shall go.
#[derive(Debug, Clone)]
pub struct Landing {
    git: Git,
    run_id: String,
    branch: String,
    /// Where the branch is; nothing when it is not there.
    commit: Option<String>,
    /// Of the run's own, and there.
    worktree: Option<PathBuf>,
    /// A checkout that the run works in, and that is not its own; nothing where it has its own.
    shared: Option<PathBuf>,
    /// The folder that holds the files of the run.
    folder: PathBuf,
    home: PathBuf,
    source_head: Option<String>,
    plan: Plan,
    /// Why the branch stays, where branches go.
    branch_stays: Option<BranchStays>,
    /// Commits that are nowhere else.
    ahead: u64,
    /// Files that are not committed, where the run worked.
    uncommitted: Vec<String>,
}

/// The work of a run at which nobody has looked yet.
struct Approached {
    landing: Landing,
    /// A checkout of the repository, or the folder that was one.
    is_there: bool,
    has_git: bool,
}

/// Why a branch stays although its work is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BranchStays {
    /// It was not made for the run.
    OfOthers,
    /// This checkout would be on a branch that is not there.
    CheckedOut(PathBuf),
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
    pub fn look(cx: &Context, subject: Subject<'_>, way: &Way) -> Result<Self, Error> {
        let Approached { landing, is_there, has_git } = Self::approach(cx, subject)?;
        if !has_git {
            let plan = disposal::without_git(way, &subject.place.repo_root, is_there)?.into();
            return Ok(Self { plan, ..landing });
        }
        landing.found(subject, way)
    }

    fn approach(cx: &Context, subject: Subject<'_>) -> Result<Approached, Error> {
        let home = home_of(cx, subject.place)?;
        let is_there = home.is_some();
        let git = git_in(cx, home.unwrap_or_else(|| PathBuf::from(&subject.place.repo_root)));
        let has_git = is_there && git.repository().map_err(refused)?.is_some();
        Ok(Approached { landing: Self::untouched(git, subject), is_there, has_git })
    }

    /// Of which nothing is known but that it stays.
    fn untouched(git: Git, subject: Subject<'_>) -> Self {
        let Subject { run_id, place, .. } = subject;
        let recorded = place.worktree_path.as_deref();
        let own = recorded.filter(|path| is_made_for_runs(path)).map(PathBuf::from);
        let works_in = PathBuf::from(&place.execution_root);
        let works_in = if works_in.is_dir() { works_in } else { git.folder().to_owned() };
        Self {
            home: git.folder().to_owned(),
            git,
            run_id: run_id.to_owned(),
            branch: place.branch.clone(),
            commit: None,
            shared: own.is_none().then_some(works_in),
            worktree: own.filter(|worktree| worktree.is_dir()),
            folder: PathBuf::from(&place.folder),
            source_head: place.source_head.clone(),
            plan: Plan::Keep,
            branch_stays: None,
            ahead: 0,
            uncommitted: Vec::new(),
        }
    }

    fn found(mut self, subject: Subject<'_>, way: &Way) -> Result<Self, Error> {
        let place = subject.place;
        self.commit = self.git.branch(&place.branch).map_err(refused)?;
        let checkout = self.worktree.as_ref().or(self.shared.as_ref()).cloned();
        let head = checkout.as_ref().map(|checkout| self.git.at(checkout).head());
        let head = head.transpose().map_err(refused)?;
        let path = checkout.as_ref().map(|checkout| checkout.display().to_string());
        let folder = path.as_deref().zip(head.as_ref());
        let folder = folder.map(|(path, head)| Folder { path, branch: head.branch() });
        let commit = self.commit.clone();
        let work = subject.work(commit.as_deref(), folder);
        if *way != Way::Keep && self.commit.is_some() {
            work.must_be_on_branch()?;
        }
        self.uncommitted = self.not_committed(subject, way)?;
        self.plan = self.planned(place, way)?;
        self.must_be_unlocked()?;
        self.branch_stays = self.why_branch_stays(&work)?;
        self.ahead = self.count_ahead(place)?;
        Ok(self)
    }

    /// What is not committed: for a worktree that goes, all that would be lost with it.
    fn not_committed(&self, subject: Subject<'_>, way: &Way) -> Result<Vec<String>, Error> {
        let file = relative(subject.place);
        match (&self.worktree, way) {
            (Some(worktree), Way::Merge { .. } | Way::Discard) => {
                let is_own = subject.has_copy_at(&worktree.join(&file));
                lost_with(&self.git.at(worktree), is_own.then_some(&*file))
            }
            (Some(checkout), Way::Keep | Way::Publish { .. }) => {
                blocking(&self.git.at(checkout), &file)
            }
            (None, _) => match &self.shared {
                Some(checkout) => blocking(&self.git.at(checkout), &file),
                None => Ok(Vec::new()),
            },
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
                Ok(Plan::Publish { remote, target: self.known_target(place)? })
            }
            Way::Discard => self.planned_discard(place),
        }
    }

    fn planned_discard(&self, place: &Place) -> Result<Plan, Error> {
        let Some(shared) = &self.shared else { return Ok(Plan::Discard { back_to: None }) };
        let head = self.git.at(shared).head().map_err(refused)?;
        if head.branch() != Some(&self.branch) {
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

    /// Refuses to begin what git will not let be ended.
    fn must_be_unlocked(&self) -> Result<(), Error> {
        let Some(worktree) = self.worktree.as_ref().filter(|_| self.goes()) else { return Ok(()) };
        let checkouts = self.git.worktrees().map_err(refused)?;
        let mut own = checkouts.iter().filter(|one| is_same(&one.path, worktree));
        if own.all(|one| one.locked.is_none()) {
            return Ok(());
        }
        let shown = worktree.display().to_string();
        let refusal = Refusal::new(Code::CheckoutUnfit, format!("somebody locked {shown}"))
            .hint(format!("see whether it may go, then git worktree unlock {shown}, and try again"))
            .detail("worktree_path", shown);
        Err(refusal.into())
    }

    /// A branch goes only if it was made for the run, and no checkout is on it then.
    fn why_branch_stays(&self, work: &Work<'_>) -> Result<Option<BranchStays>, Error> {
        if !self.goes() || self.commit.is_none() {
            return Ok(None);
        }
        if !work.has_branch() {
            return Ok(Some(BranchStays::OfOthers));
        }
        let leaves = match &self.plan {
            Plan::Merge { checkout, .. } => Some(checkout),
            Plan::Discard { back_to: Some(_) } => self.shared.as_ref(),
            Plan::Discard { back_to: None } | Plan::Keep | Plan::Publish { .. } | Plan::Forget => {
                None
            }
        };
        let is_left = |path: &Path| {
            let left = leaves.into_iter().chain(&self.worktree);
            left.filter_map(|one| one.canonicalize().ok()).any(|one| one.starts_with(path))
        };
        let checkouts = self.git.worktrees().map_err(refused)?.into_iter();
        let mut on_it =
            checkouts.filter(|one| one.branch.as_ref() == Some(&self.branch) && one.gone.is_none());
        let stays = on_it.find(|one| !is_left(&one.path));
        Ok(stays.map(|one| BranchStays::CheckedOut(one.path)))
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

    /// The same, or nothing where nobody can tell.
    fn known_target(&self, place: &Place) -> Result<Option<String>, Error> {
        match self.usual_target(place) {
            Err(Error::Refused(_)) => Ok(None),
            target => target.map(Some),
        }
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
        let folder = self.worktree.as_ref().or(self.shared.as_ref()).unwrap_or(&self.home);
        Err(uncommitted(folder, &self.uncommitted).into())
    }

    /// How many commits would be lost with the branch, or come along with it.
    fn count_ahead(&self, place: &Place) -> Result<u64, Error> {
        let Some(commit) = &self.commit else { return Ok(0) };
        let target = match &self.plan {
            Plan::Merge { into, .. } => Some(into.clone()),
            Plan::Keep | Plan::Publish { .. } | Plan::Discard { .. } | Plan::Forget => {
                self.known_target(place)?
            }
        };
        // A run that does not know where it came from is held against the first checkout.
        let source = self.source_head.as_deref().unwrap_or("HEAD");
        let base =
            target.map_or_else(|| source.to_owned(), |target| format!("refs/heads/{target}"));
        let base = self.git.commit(&base).map_err(refused)?;
        base.map_or(Ok(0), |base| self.git.commits_ahead(commit, &base).map_err(refused))
    }

    /// Where the branch of the run is.
    pub fn commit(&self) -> Option<&str> {
        self.commit.as_deref()
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
        let goes = self.goes() && self.worktree.is_some();
        let branch_action = match &self.plan {
            Plan::Keep | Plan::Publish { .. } | Plan::Forget => "kept".to_owned(),
            Plan::Merge { into, .. } => format!("merged-into-{into}"),
            Plan::Discard { .. } if self.branch_stays.is_some() => "kept".to_owned(),
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

    /// What was made for the run is no longer needed then.
    fn goes(&self) -> bool {
        matches!(self.plan, Plan::Merge { .. } | Plan::Discard { .. })
    }

    /// Merges, publishes, or leaves the branch that goes. When that fails, all is as before.
    pub fn land(&self) -> Result<(), Error> {
        match &self.plan {
            Plan::Keep | Plan::Discard { back_to: None } | Plan::Forget => Ok(()),
            Plan::Discard { back_to: Some(branch) } => {
                let git = self.git.at(self.shared.as_ref().unwrap_or(&self.home));
                let before = git.head().map_err(refused)?;
                switched(&git, branch, &before)
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
        // A checkout goes back to what somebody was doing in it, unless that is over with the run.
        let is_over = self.shared.is_some() && self.branch_stays.is_none();
        let goes_back = !is_over || !matches!(merged, Ok(Merged::Clean));
        if is_elsewhere && goes_back {
            git.switch_back(&before).map_err(refused)?;
        }
        match merged.map_err(refused)? {
            Merged::Clean => Ok(()),
            Merged::Conflicts(files) => Err(conflicts(&self.branch, into, &files).into()),
        }
    }
}

/// A checkout of the repository that the run came from; nothing when all of them are gone.
fn home_of(cx: &Context, place: &Place) -> Result<Option<PathBuf>, Error> {
    let root = PathBuf::from(&place.repo_root);
    if root.is_dir() {
        return Ok(Some(root));
    }
    let worktree = place.worktree_path.as_ref().map(PathBuf::from);
    let Some(worktree) = worktree.filter(|worktree| worktree.is_dir()) else { return Ok(None) };
    match git_in(cx, worktree).worktrees() {
        Ok(checkouts) => Ok(checkouts.into_iter().next().map(|first| first.path)),
        // A worktree whose repository is gone is only a folder.
        Err(NotDone::Refused { .. }) => Ok(None),
        Err(not_done) => Err(refused(not_done)),
    }
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
             finish again: what has to be verified anew is told then"
        ))
        .detail("branch", branch)
        .detail("target_branch", into)
        .detail("files", files)
}
