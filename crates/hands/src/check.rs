//! Running the check of a step: a command, a file, a page.
//!
//! A check is told whole, in types of its own, and says what was seen, not what it means for a run.
//! Programs run under [`crate::guard`], so that nothing of them is left, however a check ends.

mod artifact;
mod browser;
mod digest;
mod environment;
mod inside;
mod newest;
mod output;
mod pulse;
mod shell;

use std::path::PathBuf;

pub use artifact::{Artifact, Assert};
pub use browser::Browser;
pub use environment::Environment;
pub use output::{Ends, Limits, Log, Output, Stream};
pub use pulse::{Stop, Watch};
pub use shell::Shell;

pub use crate::guard::Ended;

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    /// Neither: the message says what is needed.
    Undecided(Why),
}

/// Why a check could not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A person has to look.
    Review,
    /// What it asks for is incomplete or unknown.
    Unclear,
    /// The world did not let it: it may be tried again.
    NotRun,
    /// Somebody asked to stop.
    Stopped,
}

/// What a check came to, and what was seen meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// One sentence: what was found, or why not.
    pub message: String,
    /// What else should be known.
    pub notes: Vec<String>,
    /// How the command ended, if one was run and ended by itself or by a signal.
    pub ended: Option<Ended>,
    pub output: Option<Output>,
    /// The files that were looked at, and the picture that was taken.
    pub files: Vec<Seen>,
}

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub path: PathBuf,
    pub kind: Kind,
    pub size_bytes: u64,
    /// Of a regular file that could be read to its end.
    pub sha256: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Other,
}

impl Outcome {
    fn new(verdict: Verdict, message: impl Into<String>) -> Self {
        Self {
            verdict,
            message: message.into(),
            notes: Vec::new(),
            ended: None,
            output: None,
            files: Vec::new(),
        }
    }

    fn passed(message: impl Into<String>) -> Self {
        Self::new(Verdict::Passed, message)
    }

    fn failed(message: impl Into<String>) -> Self {
        Self::new(Verdict::Failed, message)
    }

    fn undecided(why: Why, message: impl Into<String>) -> Self {
        Self::new(Verdict::Undecided(why), message)
    }

    fn with_files(mut self, files: impl IntoIterator<Item = Seen>) -> Self {
        self.files.extend(files);
        self
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}
