//! A chunk as the ledger remembers it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::audience::Audience;
use super::link::Link;
use super::query_key::QueryKey;
use super::review::Reviews;
use super::source::Source;
use super::{ChunkType, Owner, Slug, field_set};
use crate::word::words;
use crate::{ChunkId, RunKey, SessionId, TaskId, Time};

words! {
    /// Who may be shown a chunk.
    Visibility {
        Private "private",
        /// Meant to be published: nobody is given it unasked.
        Public "public",
    }
}

/// Who wrote something, in which session and run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunKey>,
}

/// A versioned piece of context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    pub id: ChunkId,
    /// How often what it says was written; links, pins and reviews do not count.
    pub version: u32,
    /// How many events its stream has.
    pub events: u64,
    pub chunk_type: Slug,
    pub owner: Owner,
    pub query_key: QueryKey,
    pub title: String,
    /// Markdown, as it was given.
    pub content: String,
    pub tags: Vec<String>,
    /// What is stored of its fields; see [`Chunk::shown`].
    pub fields: Map<String, Value>,
    /// Whom it is injected to; as its type says when there is none.
    pub audience: Option<Audience>,
    /// Whom a spec that is blocked was for before it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience_before: Option<Audience>,
    /// What a reader would get wrong.
    pub gotchas: Vec<String>,
    /// Query keys of others that belong to it.
    pub related: Vec<String>,
    pub visibility: Visibility,
    pub source: Option<Source>,
    /// Since when the file it is from says something else.
    pub source_changed_at: Option<Time>,
    pub pinned: bool,
    pub expires_at: Option<Time>,
    pub superseded: Option<Superseded>,
    /// The task of a spec; see [`spec`](super::spec).
    pub task: Option<TaskId>,
    pub deleted: bool,
    /// What it points to.
    pub links: Vec<Link>,
    pub reviews: Reviews,
    /// Who wrote it first.
    pub created_by: Author,
    /// Who wrote what it says now.
    pub author: Author,
    /// The `seq` of the event that wrote it: its place in the order of creation.
    pub created_seq: u64,
    pub created_at: Time,
    /// When what it says was last written.
    pub updated_at: Time,
}

/// Another chunk says it better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superseded {
    pub by: ChunkId,
    pub reason: String,
    pub at: Time,
}

impl Chunk {
    /// Its fields as its type has them now.
    pub fn shown(&self, chunk_type: &ChunkType) -> Map<String, Value> {
        field_set::shown(&chunk_type.fields, &self.fields)
    }

    /// It has an end, and that is past. A pinned chunk has none.
    pub fn is_expired(&self, now: Time) -> bool {
        !self.pinned && self.expires_at.is_some_and(|end| end <= now)
    }

    /// It says what holds now: it is neither deleted, superseded nor expired.
    pub fn is_current(&self, now: Time) -> bool {
        !self.deleted && self.superseded.is_none() && !self.is_expired(now)
    }

    /// What a reader is given of it: its content and what is easily got wrong.
    pub fn body(&self) -> String {
        if self.gotchas.is_empty() {
            return self.content.clone();
        }
        let gotchas: Vec<String> =
            self.gotchas.iter().map(|gotcha| format!("- {gotcha}")).collect();
        format!("{}\n\nGotchas:\n{}", self.content.trim_end(), gotchas.join("\n"))
    }
}
