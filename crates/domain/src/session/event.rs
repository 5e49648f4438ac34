//! What happens to a session. The kinds and their names are listed with all others in
//! [`crate::event`].

use serde::{Deserialize, Serialize};

use super::consolidate::Verdict;
use super::lifecycle::RequiredStep;
use crate::chunk::Slug;
use crate::duration::Span;
use crate::inject::Injection;
use crate::{ChunkId, ProjectId, RunKey, Time};

/// An agent sat down. What its lifecycle asked then holds until it gets up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionStarted {
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<Slug>,
    pub lifecycle: Slug,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunKey>,
    /// The budget of everything that is injected, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    pub ttl: Span,
    pub expires_at: Time,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_steps: Vec<RequiredStep>,
    pub consolidation_threshold: u32,
    pub injection: Injection,
}

/// The agent came back to its session, and was given everything anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionResumed {
    pub expires_at: Time,
    pub injection: Injection,
}

/// The agent said what it works on, and was given what is aimed at that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FocusRegistered {
    pub task: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub injection: Injection,
}

/// Chunks that came up while the session was open were handed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunksInjected {
    pub injection: Injection,
}

/// A session is over; what it wrote and somebody must decide about is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEnded {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaced: Vec<ChunkId>,
    pub by: String,
}

/// The same, because its time ran out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionExpired {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaced: Vec<ChunkId>,
}

/// It was decided what becomes of something that a session wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkConsolidated {
    pub chunk: ChunkId,
    pub verdict: Verdict,
    pub by: String,
}
