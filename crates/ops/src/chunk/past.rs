//! What a chunk said before.

use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::Reader;
use windlass_domain::chunk::history::{Version, read_by};
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Fault, Snapshot};

/// A chunk, and its versions that somebody may read, the oldest first.
#[derive(Debug)]
pub(super) struct Past<'a> {
    chunk: &'a Chunk,
    pub(super) versions: Vec<Version>,
}

impl<'a> Past<'a> {
    pub(super) fn of(
        snapshot: &mut Snapshot<'_>,
        chunk: &'a Chunk,
        reader: &Reader,
    ) -> Result<Self, Fault> {
        Ok(Self { chunk, versions: read_by(reader, snapshot.versions(chunk.id)?) })
    }

    /// The number of the oldest version.
    pub(super) fn first(&self) -> u32 {
        self.versions.first().map_or(self.chunk.version, |oldest| oldest.chunk.version)
    }

    /// The chunk as it was in a version.
    pub(super) fn as_of(&self, version: u32) -> Result<&Chunk, Refusal> {
        if version == self.chunk.version {
            return Ok(self.chunk);
        }
        let mut chunks = self.versions.iter().map(|one| &one.chunk);
        chunks.find(|one| one.version == version).ok_or_else(|| {
            let (first, last) = (self.first(), self.chunk.version);
            let message = format!("the chunk has versions {first} to {last}, not {version}");
            Refusal::new(Code::InvalidValue, message)
                .hint(format!("see them: windlass chunk versions {}", self.chunk.id))
                .detail("field", "version")
                .detail("given", version)
                .detail("limit", last)
        })
    }
}
