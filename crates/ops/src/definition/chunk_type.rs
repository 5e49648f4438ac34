//! Chunk types as definitions.

use windlass_domain::built_in;
use windlass_domain::chunk::change::change;
use windlass_domain::chunk::{ChunkType, Slug};
use windlass_domain::definition::{find, removal};
use windlass_ledger::{DefinitionKind, Error, Fault, Snapshot};

use super::{Command, Commands, Definable};
use crate::chunk::projection::refuse_taken_names;

impl Definable for ChunkType {
    const KIND: DefinitionKind = DefinitionKind::ChunkType;
    const COMMANDS: Commands = Commands {
        list: Command {
            name: "chunk.type.list",
            about: "List the types of chunks, those brought along and those added",
            example: "windlass chunk type list",
        },
        show: Command {
            name: "chunk.type.show",
            about: "Show a type of chunks: its fields, headings and audience",
            example: "windlass chunk type show dev_spec",
        },
        set: Command {
            name: "chunk.type.set",
            about: "Define a type of chunks, or change one as far as its chunks fit it",
            example: "windlass chunk type set risk --from risk.toml",
        },
        hide: Command {
            name: "chunk.type.hide",
            about: "Offer a type of chunks no more; its chunks stay as they are",
            example: "windlass chunk type hide lesson",
        },
        remove: Command {
            name: "chunk.type.remove",
            about: "Take back a type of chunks that was added or changed",
            example: "windlass chunk type remove risk",
        },
    };

    fn all(snapshot: &mut Snapshot<'_>) -> Result<Vec<Self>, Fault> {
        snapshot.chunk_types()
    }

    fn brought_along() -> Vec<Self> {
        built_in::chunk_types()
    }

    /// A type that is there already is changed only as far as its chunks fit it.
    fn checked(self, snapshot: &mut Snapshot<'_>) -> Result<Self, Error> {
        let agent_types = snapshot.agent_types()?;
        for creator in &self.creators {
            find(&agent_types, creator)?;
        }
        refuse_taken_names(&self)?;
        let known = snapshot.chunk_types()?.into_iter().find(|known| known.slug == self.slug);
        match known {
            Some(before) => Ok(change(&before, self, &snapshot.use_of_type(&before)?)?),
            None => Ok(self.checked()?),
        }
    }

    fn refuse_if_used(slug: &Slug, snapshot: &mut Snapshot<'_>) -> Result<(), Error> {
        let types = snapshot.chunk_types()?;
        let used = snapshot.use_of_type(find(&types, slug)?)?;
        Ok(removal::chunk_type(slug, used.chunks, &snapshot.lifecycles()?)?)
    }

    fn summary(&self) -> String {
        let fields: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        match fields.is_empty() {
            true => self.scope.to_string(),
            false => format!("{}: {}", self.scope, fields.join(", ")),
        }
    }
}
