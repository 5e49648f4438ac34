//! Git, as functions: what a repository is like, and the few changes that are made to it.
//!
//! `git` itself does the work, found on the caller's path. It is told everything by its arguments:
//! variables of the caller that would lead it to another repository are not passed on, it asks
//! nobody anything, shows nothing page by page, and takes no lock to look at something. What it
//! says no to is told in its own words.

mod branch;
mod call;
mod merge;
mod pull_request;
mod repository;
mod stash;
mod status;
#[cfg(test)]
mod tests;
mod worktree;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::check::Environment;
use crate::process::NotRun;
use crate::reason;

pub use merge::Merged;
pub use repository::{Head, Repository};
pub use status::{Changed, Status};
pub use worktree::{OnBranch, Worktree};

/// Long enough for a large checkout on a slow disk, and for hooks.
const LIMIT: Duration = Duration::from_mins(10);

/// Git in one folder.
#[derive(Debug, Clone)]
pub struct Git {
    folder: PathBuf,
    variables: Vec<(OsString, OsString)>,
    limit: Duration,
}

/// Why git did not do something.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    /// There is no git, or it could not be started.
    #[error("it was not run")]
    NotRun(#[source] NotRun),
    #[error("the folder {} is not there", folder.display())]
    NoFolder { folder: PathBuf },
    #[error("{command} failed: {said}")]
    Refused {
        /// The program and its first words.
        command: String,
        code: Option<i32>,
        /// What git said, in its own words.
        said: String,
    },
    #[error("{command} took longer than {limit:?} and was ended")]
    TookTooLong { command: String, limit: Duration },
    /// It answered something that is no answer.
    #[error("{command} answered what cannot be understood: {answer}")]
    Odd { command: String, answer: String },
}

impl NotDone {
    /// What went wrong, in one line for each cause.
    pub fn in_words(&self) -> String {
        match self {
            Self::NotRun(error) => format!("{error}: {}", reason::root_cause(error)),
            Self::NoFolder { .. }
            | Self::Refused { .. }
            | Self::TookTooLong { .. }
            | Self::Odd { .. } => self.to_string(),
        }
    }
}

impl Git {
    pub fn new(folder: impl Into<PathBuf>, environment: &Environment) -> Self {
        Self { folder: folder.into(), variables: call::variables(environment), limit: LIMIT }
    }

    /// The same in another folder.
    #[must_use]
    pub fn at(&self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self.clone() }
    }

    /// The same with another limit on the time that each command takes.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
