//! What the definitions ask of an open transaction, with its SQL, the same in both dialects.

use windlass_domain::DefinitionId;

use super::{DefinitionKind, KeptDefinition};
use crate::cell::{Cell, Columns};
use crate::fault::Fault;
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
        self.run(INSERT_DEFINITION, &cells).map(drop)
    }

    fn update_definition(&mut self, kept: &KeptDefinition) -> Result<(), Fault> {
        let cells =
            [Cell::count(kept.events), Cell::Text(&kept.definition), Cell::count(kept.created_seq)];
        self.run(UPDATE_DEFINITION, &cells).map(drop)
    }

    fn delete_definition(&mut self, kept: &KeptDefinition) -> Result<(), Fault> {
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
