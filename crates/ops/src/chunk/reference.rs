//! Fields that name a chunk: whoever writes one says which it is as everywhere else, and its id is
//! kept.

use serde_json::{Map, Value};
use windlass_domain::chunk::access::{Act, Reader};
use windlass_domain::chunk::{ChunkType, Field, FieldKind};
use windlass_ledger::{Error, Snapshot};

use super::target;

/// The same fields with the ids of the chunks that they name, which the writer may read. What is
/// `stored` already stays, also when that chunk was deleted since.
pub(super) fn resolved(
    snapshot: &mut Snapshot<'_>,
    of: &ChunkType,
    mut given: Map<String, Value>,
    stored: &Map<String, Value>,
    reader: &Reader,
) -> Result<Map<String, Value>, Error> {
    for Field { name, .. } in of.fields.iter().filter(|field| is_reference(field)) {
        let Some(value) = given.get_mut(name) else { continue };
        let is_kept = stored.get(name) == Some(&*value);
        // What is no name at all is for the field itself to refuse.
        let Some(named) = value.as_str().filter(|named| !is_kept && !named.is_empty()) else {
            continue;
        };
        let chunk =
            target::find(snapshot, named, reader, Act::Read).map_err(|error| match error {
                Error::Refused(refusal) => Error::Refused(refusal.detail("field", name)),
                failed @ Error::Failed(_) => failed,
            })?;
        *value = Value::from(chunk.id.to_string());
    }
    Ok(given)
}

fn is_reference(field: &Field) -> bool {
    field.kind == FieldKind::ChunkReference
}
