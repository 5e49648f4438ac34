//! What is there already that says nearly the same as what somebody writes: a hint, and no more. Two
//! chunks are never made one by themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::access::Reader;
use windlass_domain::chunk::event::ChunkWritten;
use windlass_domain::search::Texts;
use windlass_ledger::{Error, Snapshot};

use super::brief::ChunkBrief;

/// So many are told of.
const SHOWN: usize = 3;

/// A chunk that says nearly the same.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Near {
    #[serde(flatten)]
    pub chunk: ChunkBrief,
    /// How much of what tells the new one from others it has too, from 0 to 1.
    pub likeness: f64,
}

/// The chunks nearest to one that is to be written, among those that its writer may find.
pub(super) fn nearest(
    snapshot: &mut Snapshot<'_>,
    written: &ChunkWritten,
    reader: &Reader,
) -> Result<Vec<Near>, Error> {
    let texts = Texts {
        title: &written.title,
        tags: &written.tags,
        query_key: written.query_key.as_str(),
        content: &written.content,
        gotchas: &written.gotchas,
    };
    let found = snapshot.nearest_chunks(texts, reader, SHOWN)?;
    let near = found.iter().map(|near| Near {
        chunk: ChunkBrief::from(&near.chunk),
        likeness: (near.likeness * 100.0).round() / 100.0,
    });
    Ok(near.collect())
}
