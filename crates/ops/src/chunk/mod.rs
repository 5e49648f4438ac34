//! Operations on chunks.

pub mod asker;
mod search;
pub mod target;
pub mod view;

pub use search::{ChunkFound, ChunksFound, Search};
