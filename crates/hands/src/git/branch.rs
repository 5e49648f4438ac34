//! Branches: whether they are there, what they hold, and where one checkout goes.

use super::{Git, Head, NotDone, OnBranch};

impl Git {
    /// Whether git takes it as the name of a branch.
    pub fn is_branch_name(&self, name: &str) -> Result<bool, NotDone> {
        if name.starts_with('-') || name == "HEAD" || name.contains('\0') {
            return Ok(false);
        }
        Ok(self.look(&["check-ref-format", &format!("refs/heads/{name}")])?.code == Some(0))
    }

    /// The commit that a branch is at, if it is there.
    pub fn branch(&self, name: &str) -> Result<Option<String>, NotDone> {
        self.commit(&format!("refs/heads/{name}"))
    }

    /// Whether all of `commit` is in `of` too.
    pub fn is_merged(&self, commit: &str, of: &str) -> Result<bool, NotDone> {
        let answer = self.look(&["merge-base", "--is-ancestor", commit, of])?;
        match answer.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(answer.refused()),
        }
    }

    /// How many commits are in one that are not in the other.
    pub fn commits_ahead(&self, of: &str, base: &str) -> Result<u64, NotDone> {
        let range = format!("{base}..{of}");
        let answer = self.look(&["rev-list", "--count", "--end-of-options", &range])?.done()?;
        answer.text()?.parse().map_err(|_| answer.odd())
    }

    /// Takes this checkout to a branch. Changes that are not committed come along.
    pub fn switch(&self, to: OnBranch<'_>) -> Result<(), NotDone> {
        match to {
            OnBranch::New { name, commit } => {
                self.change(&["switch", "--quiet", "--no-track", "-c", name, commit])
            }
            OnBranch::Old { name } => self.change(&["switch", "--quiet", "--no-guess", name]),
            OnBranch::Again { name, commit } => {
                self.change(&["switch", "--quiet", "--no-track", "-C", name, commit])
            }
        }
    }

    /// Takes this checkout back to where it was, without calling hooks.
    pub fn switch_back(&self, to: &Head) -> Result<(), NotDone> {
        match to {
            Head::Branch { name, .. } | Head::Unborn { name } => {
                self.take_back(&["switch", "--quiet", "--no-guess", name])
            }
            Head::Detached { commit } => self.take_back(&["switch", "--quiet", "--detach", commit]),
        }
    }

    /// Deletes a branch that is at a commit. Whether its work is elsewhere too is the caller's to know.
    pub fn delete_branch(&self, name: &str, commit: &str) -> Result<(), NotDone> {
        self.delete_reference(&format!("refs/heads/{name}"), commit)
    }

    /// Deletes a reference that is at a commit.
    pub fn delete_reference(&self, name: &str, commit: &str) -> Result<(), NotDone> {
        self.take_back(&["update-ref", "-d", name, commit])
    }

    /// Lets a branch that nobody has checked out be at a commit again.
    pub fn restore_branch(&self, name: &str, commit: &str) -> Result<(), NotDone> {
        self.take_back(&["update-ref", &format!("refs/heads/{name}"), commit])
    }

    /// Sends a branch to a remote repository, and remembers that it is followed there.
    pub fn push(&self, branch: &str, remote: &str) -> Result<(), NotDone> {
        let reference = format!("refs/heads/{branch}:refs/heads/{branch}");
        self.reaching_others()?.change(&[
            "push",
            "--quiet",
            "--set-upstream",
            "--",
            remote,
            &reference,
        ])
    }

    /// The names of remote repositories.
    pub fn remotes(&self) -> Result<Vec<String>, NotDone> {
        let answer = self.look(&["remote"])?.done()?;
        Ok(answer.text()?.lines().map(str::to_owned).collect())
    }

    /// Where nobody has said how others are reached, in a way that asks nobody for a password.
    fn reaching_others(&self) -> Result<Self, NotDone> {
        let is_chosen = |name: &str| self.variables.iter().any(|(own, _)| own == name);
        if is_chosen("GIT_SSH") || is_chosen("GIT_SSH_COMMAND") {
            return Ok(self.clone());
        }
        let mut git = self.clone();
        if self.look(&["config", "--get", "core.sshCommand"])?.code == Some(1) {
            git.variables.push(("GIT_SSH_COMMAND".into(), "ssh -o BatchMode=yes".into()));
        }
        Ok(git)
    }
}
