//! How the chunks of a type use its fields.

use windlass_domain::chunk::change::Use;
use windlass_domain::chunk::{Chunk, ChunkType, Slug};

use super::seam::read_chunk;
use crate::cell::Cell;
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::store::{Statements, all};

/// So many chunks are read at a time.
const PAGE: u64 = 500;

/// By `chunks_type`.
pub(crate) const CHUNKS_OF_TYPE: &str = "SELECT state FROM chunks WHERE chunk_type = $1 \
     AND created_seq > $2 ORDER BY created_seq LIMIT $3";

/// The part of the seam that goes through the chunks of a type.
pub(crate) trait ChunksOfType: Statements {
    fn chunks_of_type(&mut self, of: &Slug, after: u64) -> Result<Vec<Chunk>, Fault> {
        let cells = [Cell::Text(of.as_str()), Cell::count(after), Cell::count(PAGE)];
        all(self, CHUNKS_OF_TYPE, &cells, read_chunk)
    }
}

impl Snapshot<'_> {
    /// How many chunks a type has, and what values their fields have. It reads all of them, which is
    /// for who changes the type.
    pub fn use_of_type(&mut self, of: &ChunkType) -> Result<Use, Fault> {
        let mut used = Use::default();
        let mut after = 0;
        loop {
            let page = self.store.chunks_of_type(&of.slug, after)?;
            let Some(last) = page.last() else { return Ok(used) };
            after = last.created_seq;
            for chunk in &page {
                used.count(chunk, of);
            }
        }
    }
}
