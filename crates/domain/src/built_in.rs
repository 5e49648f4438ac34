//! What Windlass brings along: the chunk types, agent types and lifecycles of Hizal and of the
//! development pipeline. Users add their own beside them, or hide these.

mod agent_types;
mod chunk_types;
mod lifecycles;
mod pipeline_types;
#[cfg(test)]
mod tests;

use crate::chunk::{ChunkType, Slug};
use crate::session::{AgentType, Lifecycle};

/// The type of the chunk that says who an agent is.
pub const IDENTITY: &str = "identity";
/// The type of what an agent keeps for itself.
pub const MEMORY: &str = "memory";

pub fn chunk_types() -> Vec<ChunkType> {
    chunk_types::general().into_iter().chain(pipeline_types::pipeline()).collect()
}

pub fn agent_types() -> Vec<AgentType> {
    agent_types::general().into_iter().chain(agent_types::pipeline()).collect()
}

pub fn lifecycles() -> Vec<Lifecycle> {
    lifecycles::general().into_iter().chain(lifecycles::pipeline()).collect()
}

fn slugs(texts: &[&'static str]) -> Vec<Slug> {
    texts.iter().copied().map(Slug::known).collect()
}
