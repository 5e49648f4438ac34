//! What the frontmatter says.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::amount::Amount;
use super::word::words;
use crate::Refusal;
use crate::duration::Span;

/// The frontmatter. What is not there is `None`; a file without one has nothing but that.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Front {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_criteria: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    #[serde(default)]
    pub auto_approve: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_detail: Option<ReportDetail>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<Dirty>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_profile: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_timeout: Option<GateTimeout>,
    #[serde(default)]
    pub budgets: Budgets,
}

/// How much can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    #[default]
    Low,
    Medium,
    High,
}

impl Risk {
    pub const KNOWN: [&'static str; 3] = ["low", "medium", "high"];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Low, Self::Medium, Self::High];
        all.into_iter().find(|risk| risk.as_str().eq_ignore_ascii_case(word))
    }
}

words! {
    /// In which checkout a run works.
    Worktree {
        /// In a worktree of its own.
        Isolated "true",
        /// In the current checkout, on a branch of its own.
        Here "false",
        /// In the current checkout, on the branch it is on.
        Host "host",
    }
}

words! {
    /// How much is said while a run goes on.
    Progress {
        Verbose "verbose",
    }
}

words! {
    /// How much of the checks' output is in the report.
    ReportDetail {
        Full "full",
    }
}

words! {
    /// Whether a run may begin beside uncommitted changes.
    Dirty {
        Allow "allow",
    }
}

/// How long the answer of a person is waited for before it is overdue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateTimeout {
    /// It is never overdue.
    #[default]
    Never,
    After(Span),
}

impl GateTimeout {
    pub const NEVER: &'static str = "never";

    /// Reads `never` or a span.
    pub fn parse(field: &str, text: &str) -> Result<Self, Refusal> {
        match text.eq_ignore_ascii_case(Self::NEVER) {
            true => Ok(Self::Never),
            false => Span::parse(field, text)
                .map(Self::After)
                .map_err(|refusal| refusal.hint("write never, or a span such as 30m, 4h or 2d")),
        }
    }

    pub const fn span(self) -> Option<Span> {
        match self {
            Self::Never => None,
            Self::After(span) => Some(span),
        }
    }
}

impl fmt::Display for GateTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str(Self::NEVER),
            Self::After(span) => span.fmt(f),
        }
    }
}

impl Serialize for GateTimeout {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GateTimeout {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse("gate_timeout", &text)
            .map_err(|refusal| serde::de::Error::custom(refusal.message))
    }
}

/// What a run may use up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budgets {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_attempts: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_minutes: Option<Amount>,
}
