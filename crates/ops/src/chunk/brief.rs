//! A chunk in short, where its content is not asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::ChunkId;
use windlass_domain::chunk::{Chunk, QueryKey, Slug};

use crate::sheet::Cell;

/// A chunk in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChunkBrief {
    #[schemars(with = "String")]
    pub chunk_id: ChunkId,
    #[schemars(with = "String")]
    pub chunk_type: Slug,
    #[schemars(with = "String")]
    pub query_key: QueryKey,
    pub title: String,
    pub version: u32,
}

impl From<&Chunk> for ChunkBrief {
    fn from(chunk: &Chunk) -> Self {
        Self {
            chunk_id: chunk.id,
            chunk_type: chunk.chunk_type.clone(),
            query_key: chunk.query_key.clone(),
            title: chunk.title.clone(),
            version: chunk.version,
        }
    }
}

impl ChunkBrief {
    /// What a sentence about it begins with.
    pub fn named(&self) -> String {
        format!("{} ({})", self.chunk_id.short(), self.title)
    }

    /// The beginning of its row in a table: id, type and title.
    pub fn row(&self) -> Vec<Cell> {
        vec![
            self.chunk_id.short().into(),
            self.chunk_type.to_string().into(),
            self.title.clone().into(),
        ]
    }
}
