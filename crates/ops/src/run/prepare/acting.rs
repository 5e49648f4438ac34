//! What has to be done is done, one thing after the other; when one fails, all before it is taken
//! back.

use std::path::{Path, PathBuf};

use windlass_domain::run::prepare::{Act, How, Plan, blocks};
use windlass_domain::{Code, Refusal};
use windlass_hands::files::{self, Change};
use windlass_hands::git::{Git, Head, NotDone, OnBranch};
use windlass_ledger::{Error, Fault};

use super::ground::Survey;
use crate::exchange::unusable;
use crate::run::preserve::{not_done, preserve_all};
use crate::run::repository::{refused, text};

/// A plan that is carried out.
pub(super) struct Acting<'a> {
    pub(super) survey: &'a Survey,
    pub(super) plan: &'a Plan,
    /// Of the workflow file: its path from the top of a checkout, and what it says.
    pub(super) file: &'a str,
    pub(super) content: &'a str,
    /// The folder above all worktrees.
    pub(super) parent: PathBuf,
    pub(super) done: Done,
    backs: Vec<Back>,
}

/// What can be told of what was done.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    /// The commit that keeps what was put aside.
    pub(super) stash: Option<String>,
    /// The reference that keeps where a branch was.
    pub(super) rescue: Option<String>,
}

/// How something is taken back.
enum Back {
    Unstash {
        commit: String,
    },
    Reference {
        name: String,
        commit: String,
    },
    /// The checkout goes back to where it was, and the branch too.
    Switch {
        head: Head,
        branch: Option<String>,
    },
    /// The worktree goes, and the branch is where it was.
    Worktree {
        path: PathBuf,
        branch: Option<String>,
    },
    /// A worktree that was removed comes back.
    Removed {
        path: PathBuf,
    },
}

impl<'a> Acting<'a> {
    pub(super) fn new(
        survey: &'a Survey,
        plan: &'a Plan,
        file: &'a str,
        content: &'a str,
        parent: PathBuf,
    ) -> Self {
        Self { survey, plan, file, content, parent, done: Done::default(), backs: Vec::new() }
    }

    /// Does all of it, or nothing.
    pub(super) fn act(mut self) -> Result<Done, Error> {
        for act in &self.plan.acts {
            if let Err(error) = self.one(act) {
                return Err(self.take_back(error));
            }
        }
        Ok(self.done)
    }

    fn one(&mut self, act: &Act) -> Result<(), Error> {
        match act {
            Act::Stash => self.stash(),
            Act::Keep { reference, commit } => self.keep(reference, commit),
            Act::Remove { path } => self.remove(Path::new(path)),
            Act::Switch { how } => self.switch(*how),
            Act::Add { path, how } => self.add(Path::new(path), *how),
            Act::Copy => self.copy(),
        }
    }

    fn git(&self) -> &'a Git {
        &self.survey.git
    }

    fn stash(&mut self) -> Result<(), Error> {
        let is_own = |path: &&PathBuf| !blocks(&path.to_string_lossy(), self.file);
        let changed = self.survey.changed.iter();
        let ends = changed.flat_map(|changed| [Some(&changed.path), changed.from.as_ref()]);
        let but: Vec<PathBuf> = ends.flatten().filter(is_own).cloned().collect();
        let message = format!("windlass: put aside before a run on {}", self.plan.branch);
        let commit = self.git().stash(&but, &message).map_err(refused)?;
        self.done.stash = Some(commit.clone());
        self.backs.push(Back::Unstash { commit });
        Ok(())
    }

    fn keep(&mut self, reference: &str, commit: &str) -> Result<(), Error> {
        if self.git().commit(reference).map_err(refused)?.is_none() {
            let (name, commit) = (reference.to_owned(), commit.to_owned());
            self.backs.push(Back::Reference { name, commit });
        }
        let why = format!("windlass: {} begins again", self.plan.branch);
        self.git().set_reference(reference, commit, &why).map_err(refused)?;
        self.done.rescue = Some(reference.to_owned());
        Ok(())
    }

    fn remove(&mut self, path: &Path) -> Result<(), Error> {
        if !path.exists() {
            return self.git().remove_worktree(path).map_err(refused);
        }
        let checkouts = self.git().worktrees().map_err(refused)?;
        preserve_all(path, self.git().folder(), &checkouts)?;
        self.backs.push(Back::Removed { path: path.to_owned() });
        // Nothing is in it that counts: that was looked at, and what a run left behind may go.
        self.git().discard_worktree(path).map_err(refused)
    }

    fn switch(&mut self, how: How) -> Result<(), Error> {
        let head = self.git().head().map_err(refused)?;
        let branch = self.git().branch(&self.plan.branch).map_err(refused)?;
        let commit = head.commit().unwrap_or_default().to_owned();
        self.backs.push(Back::Switch { head, branch });
        self.git().switch(self.on(how, &commit)).map_err(refused)
    }

    fn add(&mut self, path: &Path, how: How) -> Result<(), Error> {
        let branch = self.git().branch(&self.plan.branch).map_err(refused)?;
        self.backs.push(Back::Worktree { path: path.to_owned(), branch });
        let head = self.git().head().map_err(refused)?;
        let commit = head.commit().unwrap_or_default();
        self.git().add_worktree(path, self.on(how, commit)).map_err(refused)
    }

    fn on<'c>(&'c self, how: How, commit: &'c str) -> OnBranch<'c> {
        let name = &self.plan.branch;
        match how {
            How::New => OnBranch::New { name, commit },
            How::Old => OnBranch::Old { name },
            How::Again => OnBranch::Again { name, commit },
        }
    }

    /// Where the run works, the workflow file is as the caller has it.
    fn copy(&self) -> Result<(), Error> {
        let root = self.plan.worktree.as_deref().map_or(self.git().folder(), Path::new);
        let path = root.join(self.file);
        must_be_inside(root, &path)?;
        let before = files::read(&path).map_err(not_done)?;
        if before.as_deref() == Some(self.content) {
            return Ok(());
        }
        let after = Some(self.content.to_owned());
        files::change(&[Change { path, before, after }]).map_err(not_done)
    }

    /// Takes back what was done before something failed. What cannot be taken back is told.
    fn take_back(self, error: Error) -> Error {
        let mut troubles = Vec::new();
        for back in self.backs.iter().rev() {
            if let Err(trouble) = self.back(back) {
                troubles.push(trouble.in_words());
            }
        }
        if troubles.is_empty() {
            return error;
        }
        let left = format!("what was done before could not be taken back: {}", troubles.join("; "));
        match error {
            Error::Refused(refusal) => Refusal {
                message: format!("{}; {left}", refusal.message),
                ..refusal.detail("not_taken_back", troubles)
            }
            .into(),
            Error::Failed(fault) => {
                Fault { message: format!("{}; {left}", fault.message), ..fault }.into()
            }
        }
    }

    fn back(&self, back: &Back) -> Result<(), NotDone> {
        let git = self.git();
        match back {
            Back::Unstash { commit } => git.unstash(commit),
            Back::Reference { name, commit } => git.delete_reference(name, commit),
            Back::Switch { head, branch } => {
                if git.head()? != *head {
                    git.switch_back(head)?;
                }
                self.put_branch_back(branch.as_deref())
            }
            Back::Worktree { path, branch } => {
                let known = git.worktrees()?.into_iter().any(|worktree| worktree.path == *path);
                if known {
                    git.discard_worktree(path)?;
                }
                if let Some(above) = path.parent() {
                    files::remove_empty_folders(above, &self.parent);
                }
                self.put_branch_back(branch.as_deref())
            }
            Back::Removed { path } => {
                git.add_worktree(path, OnBranch::Old { name: &self.plan.branch })
            }
        }
    }

    fn put_branch_back(&self, before: Option<&str>) -> Result<(), NotDone> {
        let (git, branch) = (self.git(), &self.plan.branch);
        let now = git.branch(branch)?;
        match (before, now.as_deref()) {
            (None, Some(now)) => git.delete_branch(branch, now),
            (Some(before), now) if now != Some(before) => git.restore_branch(branch, before),
            _ => Ok(()),
        }
    }
}

/// A link in the history of a branch must not lead a file out of its checkout.
fn must_be_inside(root: &Path, path: &Path) -> Result<(), Error> {
    let above = path.ancestors().skip(1).find(|folder| folder.exists());
    let real = above.and_then(|folder| std::fs::canonicalize(folder).ok());
    let real_root = std::fs::canonicalize(root).map_err(|error| unusable(root, &error))?;
    if !path.is_symlink() && real.is_some_and(|real| real.starts_with(real_root)) {
        return Ok(());
    }
    let shown = text(path)?;
    let message = format!("{shown} is a link there, and may lead out of the checkout");
    let refusal = Refusal::new(Code::CheckoutUnfit, message)
        .hint("commit the workflow file as a file, or move it")
        .detail("file", shown);
    Err(refusal.into())
}
