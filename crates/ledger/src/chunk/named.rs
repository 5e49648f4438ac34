//! Chunks by a part of their ids.

use windlass_domain::chunk::Chunk;
use windlass_domain::id::Fragment;

use super::seam::read_chunk;
use crate::cell::Cell;
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::store::{Statements, all};

/// So many chunks are looked at each way; who means one of more gives more of its id.
const MOST: u64 = 100;

/// By the unique index on `id`.
pub(crate) const CHUNKS_WITH_PREFIX: &str =
    "SELECT state FROM chunks WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3";
/// By `chunks_tail`.
pub(crate) const CHUNKS_WITH_SUFFIX: &str =
    "SELECT state FROM chunks WHERE tail BETWEEN $1 AND $2 ORDER BY tail LIMIT $3";

/// The part of the seam that finds chunks by parts of their ids.
pub(crate) trait NamedChunks: Statements {
    fn chunks_with_prefix(&mut self, range: ([u8; 16], [u8; 16])) -> Result<Vec<Chunk>, Fault> {
        let cells = [Cell::Bytes(&range.0), Cell::Bytes(&range.1), Cell::count(MOST)];
        all(self, CHUNKS_WITH_PREFIX, &cells, read_chunk)
    }

    fn chunks_with_suffix(&mut self, range: (i64, i64)) -> Result<Vec<Chunk>, Fault> {
        let cells = [Cell::Int(range.0), Cell::Int(range.1), Cell::count(MOST)];
        all(self, CHUNKS_WITH_SUFFIX, &cells, read_chunk)
    }
}

impl Snapshot<'_> {
    /// The chunks whose id is this, or begins or ends with it, each once, by id.
    pub fn chunks_like(&mut self, typed: &Fragment) -> Result<Vec<Chunk>, Fault> {
        let (text, prefix, suffix) = match typed {
            Fragment::Whole(bytes) => {
                let id = windlass_domain::ChunkId::from_bytes(*bytes);
                return Ok(self.chunk(id)?.into_iter().collect());
            }
            Fragment::Part { text, prefix, suffix } => (text, prefix, suffix),
        };
        let mut found = match prefix {
            Some(range) => self.store.chunks_with_prefix(*range)?,
            None => Vec::new(),
        };
        found.extend(self.store.chunks_with_suffix(*suffix)?);
        // The tail key covers only the end of a long suffix.
        found.retain(|chunk| chunk.id.matches(text));
        found.sort_by_key(|chunk| chunk.id);
        found.dedup_by_key(|chunk| chunk.id);
        Ok(found)
    }
}
