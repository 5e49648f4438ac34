//! What happens to definitions. The kinds and their names are listed with all others in
//! [`crate::event`].

use serde::{Deserialize, Serialize};

use super::agent::Agent;
use crate::chunk::ChunkType;
use crate::session::{AgentType, Lifecycle};

/// A chunk type was defined, or defined anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkTypeSet {
    pub definition: ChunkType,
    pub by: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentTypeSet {
    pub definition: AgentType,
    pub by: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LifecycleSet {
    pub definition: Lifecycle,
    pub by: String,
}

/// An agent became known, or known anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentSet {
    pub definition: Agent,
    pub by: String,
}

/// A definition was taken back; what is brought along under its slug holds again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DefinitionRemoved {
    pub by: String,
}
