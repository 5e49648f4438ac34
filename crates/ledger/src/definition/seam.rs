//! What the definitions ask of an open transaction, with its SQL, the same in both dialects.

use std::sync::Arc;

use windlass_domain::chunk::{ChunkType, Slug};
use windlass_domain::{DefinitionId, built_in};

use super::{DefinitionKind, KeptDefinition};
use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::record::from_json;
use crate::store::{Statements, all, first};

const INSERT_DEFINITION: &str = "INSERT INTO definitions (created_seq, id, events, kind, name, \
     definition) VALUES ($1, $2, $3, $4, $5, $6)";
/// By the primary key. Neither the kind of a definition nor its name ever changes.
const UPDATE_DEFINITION: &str =
    "UPDATE definitions SET events = $1, definition = $2 WHERE created_seq = $3";
const DELETE_DEFINITION: &str = "DELETE FROM definitions WHERE created_seq = $1";

macro_rules! definitions {
    ($condition:literal) => {
        concat!(
            "SELECT created_seq, id, events, kind, name, definition FROM definitions ",
            $condition
        )
    };
}

/// By the unique index on `id`.
pub(crate) const DEFINITION: &str = definitions!("WHERE id = $1");
/// By `definitions_name`.
pub(crate) const DEFINITION_NAMED: &str = definitions!("WHERE kind = $1 AND name = $2");
/// By `definitions_name`.
pub(crate) const DEFINITIONS: &str = definitions!("WHERE kind = $1 ORDER BY name");

/// The part of the seam that is about definitions.
pub(crate) trait Definitions: Statements {
    fn insert_definition(&mut self, kept: &KeptDefinition) -> Result<(), Fault> {
        let cells = [
            Cell::count(kept.created_seq),
            Cell::Bytes(&kept.id.to_bytes()),
            Cell::count(kept.events),
            Cell::Text(&kept.kind),
            Cell::Text(&kept.name),
            Cell::Text(&kept.definition),
        ];
        self.known().forget_chunk_types();
        self.run(INSERT_DEFINITION, &cells).map(drop)
    }

    fn update_definition(&mut self, kept: &KeptDefinition) -> Result<(), Fault> {
        let cells =
            [Cell::count(kept.events), Cell::Text(&kept.definition), Cell::count(kept.created_seq)];
        self.known().forget_chunk_types();
        self.run(UPDATE_DEFINITION, &cells).map(drop)
    }

    fn delete_definition(&mut self, kept: &KeptDefinition) -> Result<(), Fault> {
        self.known().forget_chunk_types();
        self.run(DELETE_DEFINITION, &[Cell::count(kept.created_seq)]).map(drop)
    }

    fn definition(&mut self, id: DefinitionId) -> Result<Option<KeptDefinition>, Fault> {
        first(self, DEFINITION, &[Cell::Bytes(&id.to_bytes())], read_definition)
    }

    fn definition_named(
        &mut self,
        kind: DefinitionKind,
        name: &str,
    ) -> Result<Option<KeptDefinition>, Fault> {
        let cells = [Cell::Text(kind.as_str()), Cell::Text(name)];
        first(self, DEFINITION_NAMED, &cells, read_definition)
    }

    /// The chunk type of a slug: as people defined it, or as it is brought along.
    fn chunk_type(&mut self, slug: &Slug) -> Result<Option<Arc<ChunkType>>, Fault> {
        if let Some(known) = self.known().chunk_type(slug) {
            return Ok(known.clone());
        }
        let added = self.definition_named(DefinitionKind::ChunkType, slug.as_str())?;
        let chunk_type = match added {
            Some(kept) => Some(from_json(&kept.definition)?),
            None => built_in::chunk_types().into_iter().find(|known| known.slug == *slug),
        };
        let chunk_type = chunk_type.map(Arc::new);
        self.known().meet_chunk_type(slug, chunk_type.clone());
        Ok(chunk_type)
    }

    /// All of a kind, by name.
    fn definitions(&mut self, kind: DefinitionKind) -> Result<Vec<KeptDefinition>, Fault> {
        all(self, DEFINITIONS, &[Cell::Text(kind.as_str())], read_definition)
    }
}

fn read_definition(row: &dyn Columns) -> Result<KeptDefinition, Fault> {
    Ok(KeptDefinition {
        created_seq: row.count(0)?,
        id: DefinitionId::from_bytes(row.id(1)?),
        events: row.count(2)?,
        kind: row.text(3)?,
        name: row.text(4)?,
        definition: row.text(5)?,
    })
}
