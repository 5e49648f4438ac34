//! What is a run's own. Only a worktree and a branch that were made for a run are taken away with it;
//! what somebody else made stays theirs, whatever runs worked in it.

use super::name::command;
use super::prepare::is_made_for_runs;
use crate::{Code, Refusal};

/// The branch that a run calls its own, and what was found where the run works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work<'a> {
    pub run_id: &'a str,
    pub branch: &'a str,
    /// The branch that the run came from, if that is known.
    pub source: Option<&'a str>,
    /// The worktree of the run, as it was recorded.
    pub worktree: Option<&'a str>,
    /// Nothing when it is gone.
    pub folder: Option<Folder<'a>>,
    /// The branch is at the commit that the run ended at.
    pub is_at_end: bool,
}

/// A checkout in which a run works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folder<'a> {
    pub path: &'a str,
    /// What is checked out in it; nothing where that is no branch.
    pub branch: Option<&'a str>,
}

impl Work<'_> {
    /// The worktree was made for runs.
    pub fn has_worktree(&self) -> bool {
        self.worktree.is_some_and(is_made_for_runs)
    }

    /// The branch was made for the run, which came from another one.
    pub fn has_branch(&self) -> bool {
        self.has_worktree() || self.source.is_some_and(|source| source != self.branch)
    }

    /// Refuses to touch a branch that the run has not worked on: that of somebody else may have the
    /// name that the run would have given its own.
    pub fn must_be_on_branch(&self) -> Result<(), Refusal> {
        let Some(folder) = self.folder else { return Ok(()) };
        // A call that was interrupted may have left the branch already.
        let has_left = self.has_branch() && !self.has_worktree() && self.is_at_end;
        if folder.branch == Some(self.branch) || has_left {
            return Ok(());
        }
        let Self { run_id, branch, .. } = *self;
        let stands = match folder.branch {
            Some(other) => format!("on '{other}'"),
            None => "on no branch".to_owned(),
        };
        let message =
            format!("{} is {stands}, and not on '{branch}', the branch of the run", folder.path);
        let keep = format!("keep the work as it is: {}", command(run_id, "finish keep"));
        let hint = match self.has_worktree() {
            true => format!("go back to it there with `git switch {branch}`, or {keep}"),
            false => keep,
        };
        Err(Refusal::new(Code::CheckoutUnfit, message)
            .hint(hint)
            .detail("branch", branch)
            .detail("current_branch", folder.branch)
            .detail("folder", folder.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: &str = "/w/.hotl-worktrees/api/hotl-x";
    const OWN: Work<'_> = Work {
        run_id: "boat-1",
        branch: "hotl/x",
        source: None,
        worktree: Some(MADE),
        folder: Some(Folder { path: MADE, branch: Some("hotl/x") }),
        is_at_end: true,
    };
    const SHARED: Work<'_> = Work {
        worktree: None,
        folder: Some(Folder { path: "/w/api", branch: Some("hotl/x") }),
        ..OWN
    };

    #[test]
    fn what_was_made_for_a_run_is_its_own() {
        for (work, worktree, branch) in [
            (OWN, true, true),
            (Work { worktree: Some("/w/mine"), ..OWN }, false, false),
            (SHARED, false, false),
            (Work { source: Some("main"), ..SHARED }, false, true),
            (Work { source: Some("hotl/x"), ..SHARED }, false, false),
        ] {
            assert_eq!((work.has_worktree(), work.has_branch()), (worktree, branch), "{work:?}");
        }
    }

    #[test]
    fn a_branch_that_the_run_is_not_on_is_that_of_somebody_else() {
        let on = |work: Work<'static>, branch| {
            let path = work.folder.map_or("", |folder| folder.path);
            Work { folder: Some(Folder { path, branch }), ..work }
        };
        for work in [on(SHARED, Some("main")), on(SHARED, None), on(OWN, Some("other"))] {
            let refused = work.must_be_on_branch().unwrap_err();
            assert_eq!(refused.code, Code::CheckoutUnfit, "{work:?}");
            assert!(refused.hint.unwrap().contains("finish keep"), "{work:?}");
        }
    }

    #[test]
    fn a_branch_that_the_run_is_on_or_has_just_left_is_its_own_matter() {
        let came = Work { source: Some("main"), ..SHARED };
        let left = Folder { path: "/w/api", branch: Some("main") };
        for work in [
            OWN,
            SHARED,
            Work { folder: None, ..OWN },
            Work { folder: Some(left), is_at_end: true, ..came },
        ] {
            assert_eq!(work.must_be_on_branch(), Ok(()), "{work:?}");
        }
    }
}
