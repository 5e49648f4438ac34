//! Chunks that somebody should look at.

use windlass_domain::Time;
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::review::{AGING, touched_at};

use super::seam::read_chunk;
use crate::cell::Cell;
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::store::{Statements, all};

/// By `chunks_flagged`, backwards.
pub(crate) const CHUNKS_FLAGGED: &str = "SELECT state FROM chunks WHERE is_flagged = 1 \
     AND created_seq < $1 ORDER BY created_seq DESC LIMIT $2";
/// By `chunks_touched`.
pub(crate) const CHUNKS_AGING: &str = "SELECT state FROM chunks WHERE touched_at <= $1 \
     AND (touched_at, created_seq) > ($2, $3) ORDER BY touched_at, created_seq LIMIT $4";

/// The part of the seam that finds chunks that somebody should look at.
pub(crate) trait ChunkInbox: Statements {
    fn chunks_flagged(&mut self, before: u64, limit: u64) -> Result<Vec<Chunk>, Fault> {
        all(self, CHUNKS_FLAGGED, &[Cell::count(before), Cell::count(limit)], read_chunk)
    }

    fn chunks_aging(
        &mut self,
        until: Time,
        after: (i64, u64),
        limit: u64,
    ) -> Result<Vec<Chunk>, Fault> {
        let cells = [
            Cell::Int(until.as_millis()),
            Cell::Int(after.0),
            Cell::count(after.1),
            Cell::count(limit),
        ];
        all(self, CHUNKS_AGING, &cells, read_chunk)
    }
}

impl Snapshot<'_> {
    /// Chunks that are flagged, or whose source changed, the newest first: those before `last`.
    pub fn chunks_flagged(
        &mut self,
        last: Option<&Chunk>,
        limit: u64,
    ) -> Result<Vec<Chunk>, Fault> {
        let before = last.map_or(u64::MAX, |chunk| chunk.created_seq);
        self.store.chunks_flagged(before, limit)
    }

    /// Chunks that nobody wrote or reviewed for long, the longest first: those after `last`.
    pub fn chunks_aging(&mut self, last: Option<&Chunk>, limit: u64) -> Result<Vec<Chunk>, Fault> {
        let until = self.now().before(AGING);
        let after =
            last.map_or((i64::MIN, 0), |last| (touched_at(last).as_millis(), last.created_seq));
        self.store.chunks_aging(until, after, limit)
    }
}
