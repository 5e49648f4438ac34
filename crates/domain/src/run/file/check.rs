//! What a check says. What it needs and does not have is `None`: lint refuses it, a run blocks on it.

use serde::{Deserialize, Serialize};

use crate::duration::Span;

/// One check of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Check {
    /// A command that must end with 0.
    Shell {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<Span>,
    },
    /// A file or folder that must be as the assert says.
    Artifact {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assert: Option<Assert>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<Span>,
    },
    /// A page that must show something.
    Browser {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        check: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<Span>,
    },
    /// A person looks.
    #[serde(rename = "human-review")]
    Review {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
    },
    /// A type nobody knows.
    Unknown { kind: String },
}

impl Check {
    /// The types that mean something.
    pub const KNOWN: [&'static str; 4] = ["shell", "browser", "human-review", "artifact"];

    /// The word after `type:`.
    pub fn kind(&self) -> &str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Artifact { .. } => "artifact",
            Self::Browser { .. } => "browser",
            Self::Review { .. } => "human-review",
            Self::Unknown { kind } => kind,
        }
    }
}

/// What must hold of an artifact. It says a kind or a value, or both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assert {
    #[serde(default)]
    pub kind: AssertKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// How an artifact is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum AssertKind {
    Exists,
    Contains,
    MatchesGlob,
    /// A kind nobody knows, as it was written.
    Other(String),
    #[default]
    Missing,
}

impl AssertKind {
    pub const KNOWN: [&'static str; 3] = ["exists", "contains", "matches-glob"];

    /// The word after `kind:`; empty when there is none.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Exists => "exists",
            Self::Contains => "contains",
            Self::MatchesGlob => "matches-glob",
            Self::Other(kind) => kind,
            Self::Missing => "",
        }
    }
}

impl From<String> for AssertKind {
    fn from(word: String) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "exists" => Self::Exists,
            "contains" => Self::Contains,
            "matches-glob" => Self::MatchesGlob,
            "" => Self::Missing,
            _ => Self::Other(word),
        }
    }
}

impl From<AssertKind> for String {
    fn from(kind: AssertKind) -> Self {
        kind.as_str().to_owned()
    }
}
