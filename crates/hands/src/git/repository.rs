//! What a folder is to git: a checkout of which repository, and where its history stands.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;

use super::{Git, NotDone};

/// A repository, seen from a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The top of the checkout that the folder is in; nothing in a bare repository, or below `.git`.
    pub top: Option<PathBuf>,
    /// What is this checkout's own.
    pub git_folder: PathBuf,
    /// What all checkouts share.
    pub common_folder: PathBuf,
}

impl Repository {
    /// It is a worktree beside the first checkout.
    pub fn is_linked(&self) -> bool {
        self.top.is_some() && self.git_folder != self.common_folder
    }

    /// Keeps others who ask for the same away until it is dropped: several calls of git that belong
    /// together are no transaction. The kernel lets go of it when its holder is killed.
    pub fn lock(&self) -> io::Result<File> {
        let file = OpenOptions::new().create(true).append(true).open(self.lock_path())?;
        file.lock()?;
        Ok(file)
    }

    /// The file that is locked.
    pub fn lock_path(&self) -> PathBuf {
        self.common_folder.join("windlass.lock")
    }
}

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    Branch {
        name: String,
        commit: String,
    },
    /// A branch without a commit.
    Unborn {
        name: String,
    },
    Detached {
        commit: String,
    },
}

impl Head {
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name),
            Self::Detached { .. } => None,
        }
    }

    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } => None,
        }
    }
}

impl Git {
    /// The repository that the folder is in, if it is in one.
    pub fn repository(&self) -> Result<Option<Repository>, NotDone> {
        let inside = self.look(&["rev-parse", "--is-inside-work-tree"])?;
        if inside.code == Some(128) && inside.said().contains("not a git repository (or any") {
            return Ok(None);
        }
        let top = match inside.done()?.text()?.as_str() {
            "true" => Some(self.look(&["rev-parse", "--show-toplevel"])?.done()?.path()),
            _ => None,
        };
        let folder = |which: &str| {
            let asked = ["rev-parse", "--path-format=absolute", which];
            Ok::<_, NotDone>(self.look(&asked)?.done()?.path())
        };
        let (git_folder, common_folder) = (folder("--git-dir")?, folder("--git-common-dir")?);
        Ok(Some(Repository { top, git_folder, common_folder }))
    }

    /// The checkout that this one is a submodule of.
    pub fn superproject(&self) -> Result<Option<PathBuf>, NotDone> {
        let found = self.look(&["rev-parse", "--show-superproject-working-tree"])?.done()?.path();
        Ok(Some(found).filter(|path| path.is_absolute()))
    }

    /// What is checked out here.
    pub fn head(&self) -> Result<Head, NotDone> {
        let symbolic = self.look(&["symbolic-ref", "--quiet", "HEAD"])?;
        let branch = if symbolic.code == Some(1) {
            None
        } else {
            let symbolic = symbolic.done()?;
            let name = symbolic.text()?;
            Some(name.strip_prefix("refs/heads/").ok_or_else(|| symbolic.odd())?.to_owned())
        };
        match (branch, self.commit("HEAD")?) {
            (Some(name), Some(commit)) => Ok(Head::Branch { name, commit }),
            (Some(name), None) => Ok(Head::Unborn { name }),
            (None, Some(commit)) => Ok(Head::Detached { commit }),
            (None, None) => Err(NotDone::Odd {
                command: "git rev-parse".to_owned(),
                answer: "HEAD is neither a branch nor a commit".to_owned(),
            }),
        }
    }

    /// The commit that something names, if it is there.
    pub fn commit(&self, name: &str) -> Result<Option<String>, NotDone> {
        let peeled = format!("{name}^{{commit}}");
        let found =
            self.look(&["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled])?;
        match found.code {
            Some(1) => Ok(None),
            _ => found.done()?.text().map(Some),
        }
    }

    /// Makes a reference lead to a commit, also one that is there already.
    pub fn set_reference(&self, name: &str, commit: &str, why: &str) -> Result<(), NotDone> {
        self.change(&["update-ref", "--create-reflog", "-m", why, name, commit])
    }
}
