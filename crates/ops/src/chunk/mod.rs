//! Operations on chunks.

pub mod asker;
