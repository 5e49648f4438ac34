//! What happens to a chunk. The kinds and their names are listed with all others in
//! [`crate::event`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::audience::Audience;
use super::field_set::FieldChange;
use super::link::{End, Link};
use super::query_key::QueryKey;
use super::review::Review;
use super::source::Source;
use super::state::{Author, Visibility};
use super::{Owner, Slug};
use crate::chain::Hash;
use crate::event::Change;
use crate::{ChunkId, ProjectId, TaskId, Time};

/// Somebody wrote a chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkWritten {
    pub chunk_type: Slug,
    pub owner: Owner,
    pub query_key: QueryKey,
    pub title: String,
    pub content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Audience>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gotchas: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    pub visibility: Visibility,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,
    /// The task of a spec, which was made with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub by: Author,
}

/// What a chunk says changed: the parts that did, with their new values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkUpdated {
    /// The number of the version that this makes.
    pub version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Change<Audience>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gotchas: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Change<Source>>,
    /// Why it was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub by: Author,
}

/// Another chunk says it better. This one stays readable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkSuperseded {
    pub with: ChunkId,
    pub reason: String,
    pub by: String,
}

/// A chunk became that of a wider scope, and with it perhaps of another type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkPromoted {
    /// The number of the version that this makes.
    pub version: u32,
    pub owner: Owner,
    pub chunk_type: Slug,
    pub query_key: QueryKey,
    /// Its fields as the type has them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    pub by: Author,
}

/// A chunk went to another project: a spec with its task, or all when their project was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkMoved {
    /// The number of the version that this makes.
    pub version: u32,
    pub project: ProjectId,
    pub query_key: QueryKey,
    pub by: Author,
}

/// A chunk does not expire, and comes first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkPinned {
    pub by: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkUnpinned {
    pub by: String,
}

/// From when on a chunk does not hold any more, or that it always does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkExpirySet {
    pub expires_at: Change<Time>,
    pub by: String,
}

/// A chunk is gone from the views; its earlier events stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkDeleted {
    /// Why it was done although others point to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
    pub by: String,
}

/// The file that a chunk is from was looked at, and says something else, or the same again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceChecked {
    /// Of the lines as they are now; nothing when they are gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Hash>,
    pub changed: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkLinked {
    pub link: Link,
    pub by: String,
}

/// Every link of a chunk to something was taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkUnlinked {
    pub to: End,
    pub reason: String,
    pub by: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkReviewed {
    pub review: Review,
    pub by: String,
}

/// Somebody looked at a chunk that was flagged, and found nothing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlagDismissed {
    pub by: String,
}
