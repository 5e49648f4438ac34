//! The six statuses of a task.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal, near::near};

/// Whether somebody works on a task, may, or is done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Backlog,
    Ready,
    InProgress,
    Blocked,
    Done,
    Archived,
}

impl Status {
    pub const ALL: [Self; 6] =
        [Self::Backlog, Self::Ready, Self::InProgress, Self::Blocked, Self::Done, Self::Archived];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Backlog => "backlog",
            Self::Ready => "ready",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Archived => "archived",
        }
    }

    /// Nothing waits any more for a task in this status.
    pub const fn is_settled(self) -> bool {
        match self {
            Self::Done | Self::Archived => true,
            Self::Backlog | Self::Ready | Self::InProgress | Self::Blocked => false,
        }
    }

    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Reads a status that somebody typed.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::from_text(text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str);
            Refusal::new(Code::InvalidValue, format!("'{text}' is not a status"))
                .hint(format!("use one of {}", known.join(", ")))
                .detail("field", "status")
                .detail("given", text)
                .detail("allowed", known)
                .suggest(near(text, known))
        })
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
