//! Chunks that go to another project: a spec with its task, or all when their project is deleted.

use super::Chunk;
use super::event::ChunkMoved;
use super::state::Author;
use super::write::{Taken, key_there};
use crate::ProjectId;

/// Gives a chunk to another project, under its own key unless that is taken there.
pub fn relocate(chunk: &Chunk, project: ProjectId, taken: &Taken, by: Author) -> ChunkMoved {
    ChunkMoved { version: chunk.version + 1, project, query_key: key_there(chunk, taken), by }
}
