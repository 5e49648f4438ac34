//! What the chunks ask of an open transaction, with its SQL, the same in both dialects.

use std::collections::BTreeSet;

use windlass_domain::chunk::link::End;
use windlass_domain::chunk::review::{is_flagged, touched_at};
use windlass_domain::chunk::{Chunk, Owner, QueryKey, Slug};
use windlass_domain::{ChunkId, SessionId, TaskId, Time};

use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::record::{from_json, to_json};
use crate::store::{Statements, all, first};

const INSERT_CHUNK: &str = "INSERT INTO chunks (created_seq, id, events, owner, chunk_type, \
     query_key, session_id, created_at, updated_at, expires_at, tail, task_id, superseded_by, \
     is_flagged, touched_at, state) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
/// By the primary key. Who wrote it first, in which session, and the task of a spec never change.
const UPDATE_CHUNK: &str = "UPDATE chunks SET events = $1, owner = $2, chunk_type = $3, \
     query_key = $4, updated_at = $5, expires_at = $6, superseded_by = $7, is_flagged = $8, \
     touched_at = $9, state = $10 WHERE created_seq = $11";
const DELETE_CHUNK: &str = "DELETE FROM chunks WHERE created_seq = $1";

macro_rules! chunks {
    ($condition:literal) => {
        concat!("SELECT state FROM chunks ", $condition)
    };
}

/// By the unique index on `id`.
pub(crate) const CHUNK: &str = chunks!("WHERE id = $1");
/// By `chunks_key`.
pub(crate) const CHUNK_WITH_KEY: &str =
    chunks!("WHERE owner = $1 AND chunk_type = $2 AND query_key = $3");
/// By `chunks_by_key`, backwards.
pub(crate) const CHUNKS_CALLED: &str = chunks!("WHERE query_key = $1 ORDER BY created_seq DESC");
/// By `chunks_session`.
pub(crate) const CHUNKS_OF_SESSION: &str = chunks!("WHERE session_id = $1 ORDER BY created_seq");
/// By `chunks_session`.
pub(crate) const COUNT_OF_SESSION: &str = "SELECT count(*) FROM chunks WHERE session_id = $1";
/// By `chunks_superseded`.
pub(crate) const CHUNKS_SUPERSEDED_BY: &str =
    chunks!("WHERE superseded_by = $1 ORDER BY created_seq");
/// So many chunks that point to one thing are read.
pub(crate) const MOST_LINKED: u64 = 1_000;
/// By the primary keys.
pub(crate) const CHUNKS_LINKED_TO: &str = "SELECT state FROM chunk_links \
     JOIN chunks ON chunks.created_seq = chunk_links.created_seq WHERE to_end = $1 \
     ORDER BY chunk_links.created_seq LIMIT $2";

const INSERT_LINK: &str = "INSERT INTO chunk_links (to_end, created_seq) VALUES ($1, $2)";
const DELETE_LINK: &str = "DELETE FROM chunk_links WHERE to_end = $1 AND created_seq = $2";

/// The part of the seam that is about chunks.
pub(crate) trait Chunks: Statements {
    fn insert_chunk(&mut self, chunk: &Chunk) -> Result<(), Fault> {
        let (owner, state) = (chunk.owner.to_string(), to_json(chunk));
        let session = chunk.created_by.session.map(SessionId::to_bytes);
        let task = chunk.task.map(TaskId::to_bytes);
        let superseded = superseded_by(chunk);
        let cells = [
            Cell::count(chunk.created_seq),
            Cell::Bytes(&chunk.id.to_bytes()),
            Cell::count(chunk.events),
            Cell::Text(&owner),
            Cell::Text(chunk.chunk_type.as_str()),
            Cell::Text(chunk.query_key.as_str()),
            session.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::Int(chunk.created_at.as_millis()),
            Cell::Int(chunk.updated_at.as_millis()),
            Cell::int_or_null(end(chunk)),
            Cell::Int(chunk.id.tail()),
            task.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            superseded.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::flag(is_flagged(chunk)),
            Cell::Int(touched_at(chunk).as_millis()),
            Cell::Text(&state),
        ];
        self.run(INSERT_CHUNK, &cells).map(drop)
    }

    fn update_chunk(&mut self, stored: &Chunk, now: &Chunk) -> Result<(), Fault> {
        self.relink(stored, now)?;
        if now.deleted {
            return self.run(DELETE_CHUNK, &[Cell::count(now.created_seq)]).map(drop);
        }
        let (owner, state) = (now.owner.to_string(), to_json(now));
        let superseded = superseded_by(now);
        let cells = [
            Cell::count(now.events),
            Cell::Text(&owner),
            Cell::Text(now.chunk_type.as_str()),
            Cell::Text(now.query_key.as_str()),
            Cell::Int(now.updated_at.as_millis()),
            Cell::int_or_null(end(now)),
            superseded.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::flag(is_flagged(now)),
            Cell::Int(touched_at(now).as_millis()),
            Cell::Text(&state),
            Cell::count(now.created_seq),
        ];
        self.run(UPDATE_CHUNK, &cells).map(drop)
    }

    /// Several links to one end are one row.
    fn relink(&mut self, stored: &Chunk, now: &Chunk) -> Result<(), Fault> {
        let seq = Cell::count(now.created_seq);
        let (before, after) = (ends(stored), ends(now));
        for end in before.difference(&after) {
            self.run(DELETE_LINK, &[Cell::Text(end), seq])?;
        }
        for end in after.difference(&before) {
            self.run(INSERT_LINK, &[Cell::Text(end), seq])?;
        }
        Ok(())
    }

    fn chunk(&mut self, id: ChunkId) -> Result<Option<Chunk>, Fault> {
        first(self, CHUNK, &[Cell::Bytes(&id.to_bytes())], read_chunk)
    }

    fn chunk_with_key(
        &mut self,
        owner: &Owner,
        chunk_type: &Slug,
        key: &QueryKey,
    ) -> Result<Option<Chunk>, Fault> {
        let owner = owner.to_string();
        let cells = [Cell::Text(&owner), Cell::Text(chunk_type.as_str()), Cell::Text(key.as_str())];
        first(self, CHUNK_WITH_KEY, &cells, read_chunk)
    }

    fn chunks_called(&mut self, key: &QueryKey) -> Result<Vec<Chunk>, Fault> {
        all(self, CHUNKS_CALLED, &[Cell::Text(key.as_str())], read_chunk)
    }

    fn chunks_of_session(&mut self, session: SessionId) -> Result<Vec<Chunk>, Fault> {
        all(self, CHUNKS_OF_SESSION, &[Cell::Bytes(&session.to_bytes())], read_chunk)
    }

    fn count_chunks_of_session(&mut self, session: SessionId) -> Result<u64, Fault> {
        let counted =
            first(self, COUNT_OF_SESSION, &[Cell::Bytes(&session.to_bytes())], |row| row.count(0));
        Ok(counted?.unwrap_or(0))
    }

    fn chunks_superseded_by(&mut self, by: ChunkId) -> Result<Vec<Chunk>, Fault> {
        all(self, CHUNKS_SUPERSEDED_BY, &[Cell::Bytes(&by.to_bytes())], read_chunk)
    }

    fn chunks_linked_to(&mut self, end: &End) -> Result<Vec<Chunk>, Fault> {
        let cells = [Cell::Text(&end.to_string()), Cell::count(MOST_LINKED)];
        all(self, CHUNKS_LINKED_TO, &cells, read_chunk)
    }
}

/// When a chunk ends.
fn end(chunk: &Chunk) -> Option<i64> {
    chunk.expires_at.filter(|_| !chunk.pinned).map(Time::as_millis)
}

/// The chunk that says it better.
fn superseded_by(chunk: &Chunk) -> Option<[u8; 16]> {
    chunk.superseded.as_ref().map(|known| known.by.to_bytes())
}

/// What a chunk that is there points to.
fn ends(chunk: &Chunk) -> BTreeSet<String> {
    match chunk.deleted {
        true => BTreeSet::new(),
        false => chunk.links.iter().map(|link| link.to.to_string()).collect(),
    }
}

pub(super) fn read_chunk(row: &dyn Columns) -> Result<Chunk, Fault> {
    from_json(&row.text(0)?)
}
