//! Definitions in the ledger: what people added beside what is brought along, one row each.

mod seam;

use windlass_domain::built_in;
use windlass_domain::chunk::ChunkType;
use windlass_domain::definition::agent::Agent;
use windlass_domain::definition::known;
use windlass_domain::event::DefinitionEvent;
use windlass_domain::session::{AgentType, Lifecycle};
use windlass_domain::{Code, DefinitionId, Event, Refusal};

use crate::fault::{Error, Fault};
use crate::record::from_json;
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;
use crate::world::random_bits;

pub(crate) use seam::Definitions;
#[cfg(test)]
pub(crate) use seam::{DEFINITION, DEFINITION_NAMED, DEFINITIONS};

/// What can be defined. A name is unique within its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionKind {
    ChunkType,
    AgentType,
    Lifecycle,
    Agent,
}

impl DefinitionKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChunkType => "chunk_type",
            Self::AgentType => "agent_type",
            Self::Lifecycle => "lifecycle",
            Self::Agent => "agent",
        }
    }
}

/// Something that was defined, as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptDefinition {
    pub created_seq: u64,
    pub id: DefinitionId,
    /// How many events its stream has.
    pub events: u64,
    pub(crate) kind: String,
    /// Its slug, or the name of an agent.
    pub name: String,
    /// As JSON.
    pub(crate) definition: String,
}

/// What an event defines: its kind, its name and itself as JSON; nothing when it takes one back.
pub(crate) fn defined(event: &DefinitionEvent) -> Option<(DefinitionKind, String, String)> {
    use crate::record::to_json;
    match event {
        DefinitionEvent::ChunkTypeSet(data) => {
            let definition = &data.definition;
            Some((DefinitionKind::ChunkType, definition.slug.to_string(), to_json(definition)))
        }
        DefinitionEvent::AgentTypeSet(data) => {
            let definition = &data.definition;
            Some((DefinitionKind::AgentType, definition.slug.to_string(), to_json(definition)))
        }
        DefinitionEvent::LifecycleSet(data) => {
            let definition = &data.definition;
            Some((DefinitionKind::Lifecycle, definition.slug.to_string(), to_json(definition)))
        }
        DefinitionEvent::AgentSet(data) => {
            let definition = &data.definition;
            Some((DefinitionKind::Agent, definition.name.clone(), to_json(definition)))
        }
        DefinitionEvent::DefinitionRemoved(_) => None,
    }
}

impl Snapshot<'_> {
    /// Every chunk type there is, by slug.
    pub fn chunk_types(&mut self) -> Result<Vec<ChunkType>, Fault> {
        Ok(known(built_in::chunk_types(), self.added(DefinitionKind::ChunkType)?))
    }

    /// Every agent type there is, by slug.
    pub fn agent_types(&mut self) -> Result<Vec<AgentType>, Fault> {
        Ok(known(built_in::agent_types(), self.added(DefinitionKind::AgentType)?))
    }

    /// Every lifecycle there is, by slug.
    pub fn lifecycles(&mut self) -> Result<Vec<Lifecycle>, Fault> {
        Ok(known(built_in::lifecycles(), self.added(DefinitionKind::Lifecycle)?))
    }

    /// Every agent that is known by name.
    pub fn known_agents(&mut self) -> Result<Vec<Agent>, Fault> {
        self.added(DefinitionKind::Agent)
    }

    /// The agent of a name, if it is known.
    pub fn known_agent(&mut self, name: &str) -> Result<Option<Agent>, Fault> {
        let kept = self.store.definition_named(DefinitionKind::Agent, name)?;
        kept.map(|kept| from_json(&kept.definition)).transpose()
    }

    /// What people defined under a name; nothing for what is only brought along.
    pub fn definition(
        &mut self,
        kind: DefinitionKind,
        name: &str,
    ) -> Result<Option<KeptDefinition>, Fault> {
        self.store.definition_named(kind, name)
    }

    fn added<T: serde::de::DeserializeOwned>(
        &mut self,
        kind: DefinitionKind,
    ) -> Result<Vec<T>, Fault> {
        self.store.definitions(kind)?.iter().map(|kept| from_json(&kept.definition)).collect()
    }
}

impl Transaction<'_> {
    /// Records a definition, anew where its name is defined already.
    pub fn set_definition(&mut self, event: impl Into<DefinitionEvent>) -> Result<(), Error> {
        let event = event.into();
        let Some((kind, name, _)) = defined(&event) else {
            return Err(Fault::bug("a definition is taken back by its name").into());
        };
        if let Some(kept) = self.definition(kind, &name)? {
            return self.act(kept.id.into(), kept.events, vec![Event::from(event)]);
        }
        let id = DefinitionId::from_parts(self.now(), random_bits()?);
        self.create(id, event)
    }

    /// Takes a definition back; what is brought along under its name holds again.
    pub fn remove_definition(&mut self, kept: &KeptDefinition, by: &str) -> Result<(), Error> {
        let current = self.store.definition(kept.id)?;
        if current.as_ref() != Some(kept) {
            let message = format!("'{}' was defined anew meanwhile", kept.name);
            let hint = "see how it is now, then do it again";
            return Err(Refusal::new(Code::EditConflict, message).hint(hint).into());
        }
        let event = windlass_domain::definition::event::DefinitionRemoved { by: by.to_owned() };
        let event = DefinitionEvent::from(event);
        self.act(kept.id.into(), kept.events, vec![Event::from(event)])
    }
}
