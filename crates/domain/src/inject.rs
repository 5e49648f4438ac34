//! Injection: which chunks a session is given unasked, and why.
//!
//! A pure function of the chunks there are, the session, its agent type and its lifecycle: the same
//! input gives the same list in the same order, whatever order the chunks came in. What a budget cut
//! is named, never silently dropped.

mod budget;
pub mod fence;
mod select;
#[cfg(test)]
mod tests;

pub(crate) use budget::tokens_of;

use serde::{Deserialize, Serialize};

use crate::chunk::access::Reader;
use crate::chunk::audience::{Audience, Listener};
use crate::chunk::{Chunk, ChunkType, Scope, Slug};
use crate::session::{AgentType, Lifecycle};
use crate::{ChunkId, Time};

/// Whom chunks are chosen for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub listener: &'a Listener,
    /// The agent itself, also where a person looks at what it would be given.
    pub reader: &'a Reader,
    pub lifecycle: &'a Lifecycle,
    pub agent_type: Option<&'a AgentType>,
    /// At most so much, in tokens; what the agent type says holds as well.
    pub budget_tokens: Option<u32>,
    pub now: Time,
}

impl Asked<'_> {
    /// Whether a chunk may be given at all, whatever chooses it: it holds now, and the agent, its
    /// type and the lifecycle let it pass.
    pub fn admits(&self, chunk: &Chunk) -> bool {
        select::may_come(chunk, self) && select::passes(chunk, self)
    }

    /// Whether a chunk can be chosen: it may be given, and does not itself say that it is for others.
    /// The agent's own identity is always given.
    pub fn can_choose(&self, chunk: &Chunk, chunk_type: &ChunkType) -> bool {
        let is_meant = |own: &Audience| {
            own.selecting(self.listener, &chunk.shown(chunk_type)).next().is_some()
        };
        match select::is_own_identity(chunk, self) {
            true => select::may_come(chunk, self),
            false => self.admits(chunk) && chunk.audience.as_ref().is_none_or(is_meant),
        }
    }

    /// Whether chunks of a scope and type can pass.
    pub fn admits_some(&self, scope: Scope, chunk_type: &Slug) -> bool {
        let by_type = |known: &AgentType| known.inject.admits_some(scope, chunk_type);
        self.lifecycle.admits(scope) && self.agent_type.is_none_or(by_type)
    }
}

/// What a session is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Injection {
    pub chunks: Vec<Injected>,
    /// What would have been given too, had the budget been larger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<Injected>,
}

/// One version of a chunk, with the rule that chose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injected {
    pub chunk: ChunkId,
    pub version: u32,
    /// What it was called then.
    #[serde(default)]
    pub title: String,
    /// In words, as a person reads it.
    pub rule: String,
    /// How much it takes of the budget, roughly.
    pub tokens: u32,
}

/// Chooses what a session is given.
pub fn inject(chunks: &[Chunk], types: &[ChunkType], asked: &Asked<'_>) -> Injection {
    let selected = select::select(chunks, types, asked);
    let of_type = asked.agent_type.and_then(|agent_type| agent_type.max_inject_tokens);
    let limit = [asked.budget_tokens, of_type].into_iter().flatten().min();
    budget::spend(selected, limit)
}

impl Injection {
    /// What is chosen now and was not given before. A chunk is given once in a session: that it
    /// changed since is for the agent to read, and that it would be cut now takes nothing away.
    #[must_use]
    pub fn beyond(mut self, given: &[ChunkId]) -> Self {
        let is_new = |injected: &Injected| !given.contains(&injected.chunk);
        self.chunks.retain(is_new);
        self.cut.retain(is_new);
        self
    }
}
