//! The types of chunks, as the forms and filters of these pages need them.

use serde_json::Value;
use windlass_domain::chunk::{ChunkType, Field, FieldKind};
use windlass_ledger::Fault;
use windlass_ops::definition::List;

use super::super::Visit;
use super::super::trouble::Trouble;

/// All types by slug, those that are hidden too: their chunks are still there.
pub(super) async fn types(visit: &Visit) -> Result<Vec<ChunkType>, Trouble> {
    let all = visit.ask(List::<ChunkType> { all: true, ..List::default() }).await?;
    let read = |definition| serde_json::from_value(Value::Object(definition));
    let types = all.definitions.into_iter().map(|view| read(view.definition));
    let types = types.collect::<Result<_, _>>();
    types.map_err(|_| Fault::bug("a type of chunks is not shown as it is set").into())
}

/// The type with that slug.
pub(super) fn named<'a>(types: &'a [ChunkType], slug: &str) -> Option<&'a ChunkType> {
    types.iter().find(|known| known.slug.as_str() == slug)
}

/// The fields that are chosen from a list.
pub(super) fn enums(of: &ChunkType) -> impl Iterator<Item = &Field> {
    of.fields.iter().filter(|field| field.kind == FieldKind::Enum)
}
