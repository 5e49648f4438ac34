//! Operations on chunks.

pub mod asker;
mod search;

pub use search::{ChunkFound, ChunksFound, Search};
