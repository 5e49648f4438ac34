//! What becomes of the chunks of a project that is deleted.

use windlass_domain::chunk::event::ChunkDeleted;
use windlass_domain::chunk::relocate::relocate;
use windlass_domain::chunk::{Author, Chunk, OwnedBy, Owner};
use windlass_domain::{ProjectId, Task};
use windlass_ledger::{ChunkFilter, ChunkState, Error, Fault, Snapshot, Transaction};

/// Every chunk of a project, whatever became of it.
pub(super) fn chunks_of(
    snapshot: &mut Snapshot<'_>,
    project: ProjectId,
) -> Result<Vec<Chunk>, Fault> {
    let filter = ChunkFilter {
        owned_by: vec![OwnedBy::Project(project)],
        state: ChunkState::All,
        limit: u64::from(u32::MAX),
        ..ChunkFilter::default()
    };
    Ok(snapshot.list_chunks(&filter)?.chunks)
}

/// Those that do not go with their tasks.
pub(super) fn without_specs(chunks: &[Chunk], tasks: &[Task]) -> Vec<Chunk> {
    let goes_along = |chunk: &Chunk| tasks.iter().any(|task| Some(task.id) == chunk.task);
    chunks.iter().filter(|chunk| !goes_along(chunk)).cloned().collect()
}

/// Gives chunks to another project.
pub(super) fn relocate_all(
    tx: &mut Transaction<'_>,
    chunks: &[Chunk],
    to: ProjectId,
    by: &str,
) -> Result<(), Error> {
    for chunk in chunks {
        let taken = tx.keys_taken(chunk, &Owner::Project(to), &chunk.chunk_type)?;
        let by = Author { name: by.to_owned(), session: None, run: None };
        tx.record_chunk(chunk, vec![relocate(chunk, to, &taken, by).into()])?;
    }
    Ok(())
}

/// Deletes chunks, whatever points to them.
pub(super) fn delete_all(
    tx: &mut Transaction<'_>,
    chunks: &[Chunk],
    because: &str,
    by: &str,
) -> Result<(), Error> {
    for chunk in chunks {
        let deleted = ChunkDeleted { forced: Some(because.to_owned()), by: by.to_owned() };
        tx.record_chunk(chunk, vec![deleted.into()])?;
    }
    Ok(())
}
