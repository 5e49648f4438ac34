//! Which chunks somebody may know of, where nothing but their ids is there.

use std::collections::BTreeMap;

use windlass_domain::ChunkId;
use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::Reader;
use windlass_domain::chunk::link::End;
use windlass_ledger::{Fault, Snapshot};

use super::owner;
use super::view::{LinkView, SupersededView};

/// What was found out so far about what somebody may know of.
#[derive(Debug)]
pub(super) struct Seen {
    reader: Reader,
    known: BTreeMap<ChunkId, bool>,
}

impl Seen {
    pub(super) fn by(reader: &Reader) -> Self {
        Self { reader: reader.clone(), known: BTreeMap::new() }
    }

    /// Whether a chunk may be named. Of one that is gone, whose it was decides.
    fn has(&mut self, snapshot: &mut Snapshot<'_>, chunk: ChunkId) -> Result<bool, Fault> {
        if let Some(known) = self.known.get(&chunk) {
            return Ok(*known);
        }
        let owner = owner::of(snapshot, chunk)?;
        let is_seen = owner.is_some_and(|owner| self.reader.reads(&owner));
        self.known.insert(chunk, is_seen);
        Ok(is_seen)
    }

    /// Whether it may be told that a link ends there.
    pub(super) fn reaches(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        end: &End,
    ) -> Result<bool, Fault> {
        match end {
            End::Chunk(id) => self.has(snapshot, *id),
            End::Task(_) | End::Run(_) | End::Commit(_) => Ok(true),
        }
    }

    /// What a chunk points to.
    pub(super) fn links(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        chunk: &Chunk,
    ) -> Result<Vec<LinkView>, Fault> {
        let mut links = Vec::with_capacity(chunk.links.len());
        for link in &chunk.links {
            if self.reaches(snapshot, &link.to)? {
                links.push(LinkView::from(link));
            }
        }
        Ok(links)
    }

    /// What supersedes a chunk.
    pub(super) fn superseded(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        chunk: &Chunk,
    ) -> Result<Option<SupersededView>, Fault> {
        match &chunk.superseded {
            Some(known) if self.has(snapshot, known.by)? => Ok(Some(SupersededView::from(known))),
            Some(_) | None => Ok(None),
        }
    }
}
