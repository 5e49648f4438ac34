//! What becomes of the branch and the worktree of a run, as rules over what was found.

use super::approval::Outward;
use super::name::command;
use super::word::{ActionKind, Disposition, RunStatus};
use crate::{Code, Refusal};

/// How the work of a run is finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// Everything stays.
    Keep,
    /// The branch goes into another one, and is no longer needed.
    Merge {
        /// Nothing means the branch that the run came from.
        into: Option<String>,
    },
    /// The branch goes to a remote repository.
    Publish {
        /// Nothing means the only one there is, or `origin`.
        remote: Option<String>,
    },
    /// Branch and worktree go.
    Discard,
}

impl Way {
    pub const NAMES: [&str; 4] = ["keep", "merge", "publish", "discard"];

    /// The way of that name, with nothing said about where to.
    pub fn named(name: &str) -> Option<Self> {
        let ways =
            [Self::Keep, Self::Merge { into: None }, Self::Publish { remote: None }, Self::Discard];
        ways.into_iter().find(|way| way.as_str() == name)
    }

    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Merge { .. } => "merge",
            Self::Publish { .. } => "publish",
            Self::Discard => "discard",
        }
    }

    /// What becomes of the work then.
    pub const fn disposition(&self) -> Disposition {
        match self {
            Self::Keep => Disposition::Kept,
            Self::Merge { .. } => Disposition::Merged,
            Self::Publish { .. } => Disposition::Published,
            Self::Discard => Disposition::Discarded,
        }
    }
}

/// The branch that a run is merged into when nobody says so: the first that is there of the branch
/// that it came from, `main` and `master`.
pub fn target_branch(
    source: Option<&str>,
    branch: &str,
    is_there: impl Fn(&str) -> bool,
) -> Result<String, Refusal> {
    let candidates = source.into_iter().chain(["main", "master"]);
    let mut others = candidates.filter(|candidate| *candidate != branch);
    others.find(|candidate| is_there(candidate)).map(str::to_owned).ok_or_else(|| {
        let message = format!("nobody says what to merge '{branch}' into");
        Refusal::new(Code::CheckoutUnfit, message)
            .hint("name a branch that is there: --into NAME")
            .detail("branch", branch)
    })
}

/// Refuses to merge a branch into itself, or into one that is not there.
pub fn must_be_another(branch: &str, target: &str, target_is_there: bool) -> Result<(), Refusal> {
    let message = match (branch == target, target_is_there) {
        (true, _) => format!("'{branch}' cannot be merged into itself"),
        (false, false) => format!("there is no branch '{target}' to merge into"),
        (false, true) => return Ok(()),
    };
    Err(Refusal::new(Code::CheckoutUnfit, message)
        .hint("name another branch that is there: --into NAME")
        .detail("branch", branch)
        .detail("target_branch", target))
}

/// The remote repository that a branch is published to.
pub fn remote(wanted: Option<&str>, known: &[String]) -> Result<String, Refusal> {
    let named = |name: &str| known.iter().find(|known| *known == name).cloned();
    let found = match (wanted, known) {
        (Some(name), _) => named(name),
        (None, [only]) => Some(only.clone()),
        (None, _) => named("origin"),
    };
    found.ok_or_else(|| {
        let message = match (wanted, known) {
            (Some(name), _) => format!("there is no remote repository '{name}'"),
            (None, []) => "there is no remote repository to publish to".to_owned(),
            (None, _) => "there are several remote repositories, and none is 'origin'".to_owned(),
        };
        Refusal::new(Code::CheckoutUnfit, message)
            .hint("see `git remote -v`, then name one: --remote NAME")
            .detail("remotes", known)
    })
}

/// What a checkout that is not the run's own goes back to before the branch that it is on is
/// discarded: the branch that the run came from.
pub fn way_back(
    run_id: &str,
    branch: &str,
    source: Option<&str>,
    source_is_there: bool,
) -> Result<String, Refusal> {
    if let Some(source) = source.filter(|source| *source != branch && source_is_there) {
        return Ok(source.to_owned());
    }
    let message =
        format!("'{branch}' is checked out here, in a checkout that is not the run's own");
    Err(Refusal::new(Code::CheckoutUnfit, message)
        .hint(format!(
            "switch to another branch first, or keep the run: {}",
            command(run_id, "finish keep")
        ))
        .detail("branch", branch))
}

/// What can become of work that is in no repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithoutGit {
    /// It stays as it is.
    Keep,
    /// Nothing of it is left, and that is all there is to record.
    Forget,
}

/// Decides what becomes of the work of a run whose folder is in no repository, or is not there.
pub fn without_git(way: &Way, folder: &str, is_there: bool) -> Result<WithoutGit, Refusal> {
    let refused = |message: String, hint: &str| {
        Err(Refusal::new(Code::CheckoutUnfit, message).hint(hint).detail("folder", folder))
    };
    match (way, is_there) {
        (Way::Keep, _) => Ok(WithoutGit::Keep),
        (Way::Discard, false) => Ok(WithoutGit::Forget),
        (Way::Discard, true) => refused(
            format!(
                "{folder} is in no git repository: nobody can tell what the run has made there"
            ),
            "take away yourself what shall go, then record it: windlass run finished discarded",
        ),
        (Way::Merge { .. } | Way::Publish { .. }, true) => refused(
            format!("{folder} is in no git repository: there is nothing to {}", way.as_str()),
            "keep the work as it is: windlass run finish keep",
        ),
        (Way::Merge { .. } | Way::Publish { .. }, false) => refused(
            format!("{folder} is not there any more: there is nothing to {}", way.as_str()),
            "put it back where it was, or discard the run: windlass run finish discard",
        ),
    }
}

/// The action that a person approves before a branch is published.
pub fn publish_action(branch: &str, remote: &str, base: Option<&str>) -> Outward {
    let target = match base {
        Some(base) => format!("publish {branch} to {remote} and create PR against {base}"),
        None => format!("publish {branch} to {remote}"),
    };
    Outward { kind: ActionKind::ExternalWrite, target }
}

/// The action that may be approved before a branch is merged.
pub fn merge_action(branch: &str, into: &str) -> Outward {
    let target = format!("merge {branch} into {into}");
    Outward { kind: ActionKind::ProductionChange, target }
}

/// What is known of a worktree that may be cleaned up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts that have nothing to do with each other"
)]
pub struct Leftover {
    /// Of its run; nothing where no run is known.
    pub status: Option<RunStatus>,
    /// All its commits are in the branch that it came from.
    pub is_merged: bool,
    /// Nothing in it differs from its last commit, but what runs write.
    pub is_clean: bool,
    /// Somebody locked it.
    pub is_locked: bool,
    /// The caller is in it.
    pub has_caller: bool,
}

/// Why a worktree stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    NoRun,
    NotEnded,
    NotMerged,
    NotCommitted,
    Locked,
    HasCaller,
}

impl Stays {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoRun => "no run is known to have worked in it",
            Self::NotEnded => "its run has not ended",
            Self::NotMerged => "it holds commits that are nowhere else",
            Self::NotCommitted => "it holds changes that are not committed",
            Self::Locked => "somebody locked it",
            Self::HasCaller => "you are in it",
        }
    }
}

impl Leftover {
    /// Whether it may go. Work that is nowhere else never does.
    pub fn may_go(self) -> Result<(), Stays> {
        match self.status {
            None => return Err(Stays::NoRun),
            Some(RunStatus::Completed | RunStatus::Abandoned) => {}
            Some(
                RunStatus::Running
                | RunStatus::Paused
                | RunStatus::Blocked
                | RunStatus::ReadyToFinish,
            ) => return Err(Stays::NotEnded),
        }
        match self {
            Self { has_caller: true, .. } => Err(Stays::HasCaller),
            Self { is_locked: true, .. } => Err(Stays::Locked),
            Self { is_clean: false, .. } => Err(Stays::NotCommitted),
            Self { is_merged: false, .. } => Err(Stays::NotMerged),
            Self { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_a_name_that_leads_to_it() {
        for name in Way::NAMES {
            assert_eq!(Way::named(name).unwrap().as_str(), name);
        }
        assert_eq!(Way::named("burn"), None);
    }

    #[test]
    fn a_run_goes_back_to_where_it_came_from_or_to_main() {
        for (source, there, expected) in [
            (Some("dev"), &["dev", "main"][..], Some("dev")),
            (Some("gone"), &["main", "master"], Some("main")),
            (None, &["master"], Some("master")),
            (Some("hotl/x"), &["hotl/x", "main"], Some("main")),
            (None, &[], None),
        ] {
            let found = target_branch(source, "hotl/x", |name| there.contains(&name));
            assert_eq!(found.ok().as_deref(), expected, "{source:?} {there:?}");
        }
    }

    #[test]
    fn a_branch_is_merged_into_another_that_is_there() {
        assert_eq!(must_be_another("x", "main", true), Ok(()));
        assert!(must_be_another("x", "x", true).is_err());
        assert!(must_be_another("x", "gone", false).is_err());
    }

    #[test]
    fn a_remote_is_the_named_the_only_or_origin() {
        let known = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(remote(None, &known(&["up"])).unwrap(), "up");
        assert_eq!(remote(None, &known(&["a", "origin"])).unwrap(), "origin");
        assert_eq!(remote(Some("a"), &known(&["a", "origin"])).unwrap(), "a");
        for (wanted, known) in
            [(None, known(&[])), (None, known(&["a", "b"])), (Some("x"), known(&["a"]))]
        {
            assert_eq!(remote(wanted, &known).unwrap_err().code, Code::CheckoutUnfit);
        }
    }

    #[test]
    fn a_shared_checkout_goes_back_to_where_the_run_came_from() {
        assert_eq!(way_back("boat-1", "x", Some("main"), true).unwrap(), "main");
        for (source, is_there) in [(None, false), (Some("x"), true), (Some("gone"), false)] {
            let refused = way_back("boat-1", "x", source, is_there).unwrap_err();
            assert_eq!(refused.code, Code::CheckoutUnfit, "{source:?}");
        }
    }

    #[test]
    fn without_git_work_is_kept_or_was_removed_by_hand() {
        let (merge, publish) = (Way::Merge { into: None }, Way::Publish { remote: None });
        for (way, is_there, expected) in [
            (Way::Keep, true, Some(WithoutGit::Keep)),
            (Way::Keep, false, Some(WithoutGit::Keep)),
            (Way::Discard, false, Some(WithoutGit::Forget)),
            (Way::Discard, true, None),
            (merge.clone(), true, None),
            (merge, false, None),
            (publish, true, None),
        ] {
            let found = without_git(&way, "/boat", is_there);
            assert_eq!(found.as_ref().ok(), expected.as_ref(), "{way:?} {is_there}");
            let refused = found.err().map(|refusal| (refusal.code, refusal.hint.is_some()));
            assert!(refused.is_none_or(|refused| refused == (Code::CheckoutUnfit, true)));
        }
    }

    #[test]
    fn actions_are_named_as_they_are_approved() {
        assert_eq!(publish_action("x", "origin", None).target, "publish x to origin");
        let with_base = publish_action("x", "origin", Some("main")).target;
        assert_eq!(with_base, "publish x to origin and create PR against main");
        assert_eq!(merge_action("x", "main").target, "merge x into main");
    }

    const DONE: Leftover = Leftover {
        status: Some(RunStatus::Completed),
        is_merged: true,
        is_clean: true,
        is_locked: false,
        has_caller: false,
    };

    #[test]
    fn a_worktree_goes_when_its_run_ended_and_all_its_work_is_elsewhere() {
        assert_eq!(DONE.may_go(), Ok(()));
        assert_eq!(Leftover { status: Some(RunStatus::Abandoned), ..DONE }.may_go(), Ok(()));
    }

    #[test]
    fn a_worktree_with_work_of_its_own_stays() {
        for (leftover, why) in [
            (Leftover { is_merged: false, ..DONE }, Stays::NotMerged),
            (Leftover { is_clean: false, ..DONE }, Stays::NotCommitted),
            (Leftover { is_locked: true, ..DONE }, Stays::Locked),
            (Leftover { has_caller: true, ..DONE }, Stays::HasCaller),
            (Leftover { status: None, ..DONE }, Stays::NoRun),
            (Leftover { status: Some(RunStatus::ReadyToFinish), ..DONE }, Stays::NotEnded),
            (Leftover { status: Some(RunStatus::Blocked), ..DONE }, Stays::NotEnded),
        ] {
            assert_eq!(leftover.may_go(), Err(why));
        }
    }
}
