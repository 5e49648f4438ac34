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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;
    use crate::built_in::{agent_types, chunk_types, lifecycles};
    use crate::event::DefinitionEvent;

    #[test]
    fn what_is_brought_along_could_be_stored_and_read_back() {
        let by = || "anna".to_owned();
        let types = chunk_types().into_iter();
        let agents = agent_types().into_iter();
        let cycles = lifecycles().into_iter();
        let events = types
            .map(|definition| DefinitionEvent::from(ChunkTypeSet { definition, by: by() }))
            .chain(agents.map(|definition| AgentTypeSet { definition, by: by() }.into()))
            .chain(cycles.map(|definition| LifecycleSet { definition, by: by() }.into()));
        for event in events.map(Event::from) {
            let kind = event.kind();
            let data = event.encode().unwrap();
            assert_eq!(Event::decode(kind.as_str(), kind.version(), &data).unwrap(), event);
        }
    }
}
