//! Chunks in the ledger: one row each, with everything that followed from their events.

mod candidates;
mod facet_rows;
mod facets;
mod inbox;
mod list;
mod named;
mod question;
mod seam;
mod tied;
mod usage;
mod words;
mod words_find;
mod words_near;
mod words_sql;
mod words_weigh;

use windlass_domain::chunk::history::{self, Version};
use windlass_domain::chunk::link::End;
use windlass_domain::chunk::write::Taken;
use windlass_domain::chunk::{Chunk, Owner, QueryKey, Slug};
use windlass_domain::event::ChunkEvent;
use windlass_domain::{ChunkId, Code, Event, Refusal, SessionId};

use crate::fault::{Error, Fault};
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;
use crate::world::random_bits;

pub(crate) use facet_rows::{COUNT, Facets, PUT_ON};
pub(crate) use facets::facets;
pub use facets::{ChunkOrder, is_filterable, is_sortable};
pub(crate) use inbox::ChunkInbox;
#[cfg(test)]
pub(crate) use inbox::{CHUNKS_AGING, CHUNKS_FLAGGED};
#[cfg(test)]
pub(crate) use list::page;
pub use list::{ChunkFilter, ChunkPage, ChunkPlace, ChunkState, Direction, Range};
pub(crate) use named::NamedChunks;
#[cfg(test)]
pub(crate) use named::{CHUNKS_WITH_PREFIX, CHUNKS_WITH_SUFFIX};
pub(crate) use seam::Chunks;
#[cfg(test)]
pub(crate) use seam::{
    CHUNK, CHUNK_WITH_KEY, CHUNKS_CALLED, CHUNKS_LINKED_TO, CHUNKS_OF_SESSION,
    CHUNKS_SUPERSEDED_BY, COUNT_OF_SESSION,
};
#[cfg(test)]
pub(crate) use tied::SPEC_OF_TASK;
pub(crate) use tied::{TiedChunks, Touched};
#[cfg(test)]
pub(crate) use usage::CHUNKS_OF_TYPE;
pub(crate) use usage::ChunksOfType;
pub(crate) use words::ChunkWords;
#[cfg(test)]
pub(crate) use words_find::Bounds;
pub use words_find::FoundChunk;
pub use words_near::NearChunk;
pub(crate) use words_sql::{POSTGRES, SQLITE, Texts};

impl Snapshot<'_> {
    pub fn chunk(&mut self, id: ChunkId) -> Result<Option<Chunk>, Fault> {
        self.store.chunk(id)
    }

    /// The chunk of a type that an owner has under a query key.
    pub fn chunk_with_key(
        &mut self,
        owner: &Owner,
        chunk_type: &Slug,
        key: &QueryKey,
    ) -> Result<Option<Chunk>, Fault> {
        self.store.chunk_with_key(owner, chunk_type, key)
    }

    /// All chunks with a query key, whoever has them and of whatever type, the newest first.
    pub fn chunks_called(&mut self, key: &QueryKey) -> Result<Vec<Chunk>, Fault> {
        self.store.chunks_called(key)
    }

    /// A query key made from a title that no chunk of the type has that the owner has.
    pub fn free_key(
        &mut self,
        owner: &Owner,
        chunk_type: &Slug,
        title: &str,
    ) -> Result<QueryKey, Fault> {
        QueryKey::made_from(title, |key| {
            Ok(self.store.chunk_with_key(owner, chunk_type, key)?.is_some())
        })
    }

    /// The query keys that a chunk would find taken as one of another owner.
    pub fn keys_taken(
        &mut self,
        chunk: &Chunk,
        owner: &Owner,
        chunk_type: &Slug,
    ) -> Result<Taken, Fault> {
        let holder = self.chunk_with_key(owner, chunk_type, &chunk.query_key)?;
        let instead = self.free_key(owner, chunk_type, &chunk.title)?;
        Ok(Taken { by: holder.map(|other| other.id), instead: Some(instead) })
    }

    /// The chunks that were written first in a session, in order.
    pub fn chunks_of_session(&mut self, session: SessionId) -> Result<Vec<Chunk>, Fault> {
        self.store.chunks_of_session(session)
    }

    /// How many they are.
    pub fn count_chunks_of_session(&mut self, session: SessionId) -> Result<u64, Fault> {
        self.store.count_chunks_of_session(session)
    }

    /// The chunks that one says better, in the order in which they were written.
    pub fn chunks_superseded_by(&mut self, by: ChunkId) -> Result<Vec<Chunk>, Fault> {
        self.store.chunks_superseded_by(by)
    }

    /// The first thousand chunks that point to something, in the order in which they were written.
    pub fn chunks_linked_to(&mut self, end: &End) -> Result<Vec<Chunk>, Fault> {
        self.store.chunks_linked_to(end)
    }

    /// What a chunk said each time it was written, the oldest first. A deleted one has versions too;
    /// one that never was has none.
    pub fn versions(&mut self, id: ChunkId) -> Result<Vec<Version>, Fault> {
        let mut events = Vec::new();
        for recorded in self.whole_history(id.into())? {
            let Some(Event::Chunk(event)) = recorded.event()? else { continue };
            events.push((recorded.header.seq, recorded.header.at, *event));
        }
        Ok(history::versions(id, &events)?)
    }
}

impl Transaction<'_> {
    /// Records the first event of a chunk.
    pub fn begin_chunk(&mut self, event: impl Into<ChunkEvent>) -> Result<Chunk, Error> {
        let id = ChunkId::from_parts(self.now(), random_bits()?);
        let event = event.into();
        let chunk = Chunk::begun(id, &event, self.head().seq + 1, self.now());
        let chunk = chunk.map_err(Fault::from)?;
        self.create(id, event)?;
        Ok(chunk)
    }

    /// Records what happened to a chunk and returns the chunk as it is now. What was decided about
    /// an older state of it is refused.
    pub fn record_chunk(
        &mut self,
        chunk: &Chunk,
        events: impl IntoIterator<Item = ChunkEvent>,
    ) -> Result<Chunk, Error> {
        let Some(mut after) = self.chunk(chunk.id)? else { return Err(moved_on(chunk).into()) };
        if after.events != chunk.events {
            return Err(moved_on(&after).into());
        }
        let mut happened = Vec::new();
        for event in events {
            after.fold(&event, self.now()).map_err(Fault::from)?;
            happened.push(event.into());
        }
        self.act(chunk.id.into(), chunk.events, happened)?;
        Ok(after)
    }
}

fn moved_on(chunk: &Chunk) -> Refusal {
    let id = chunk.id;
    Refusal::new(Code::EditConflict, format!("chunk {id} was changed by somebody else meanwhile"))
        .hint(format!("see how it is now, then do it again: windlass chunk show {id}"))
        .detail("chunk", id)
        .detail("version", chunk.version)
}
