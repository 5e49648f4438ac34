//! Writing a chunk, and what is asked of its parts whenever they are given.

use serde_json::{Map, Value};

use super::access::Reader;
use super::audience::Audience;
use super::event::ChunkWritten;
use super::query_key::QueryKey;
use super::source::Source;
use super::state::{Author, Visibility};
use super::{Chunk, ChunkType, Owner, decided, field_set, spec};
use crate::{ChunkId, Code, Refusal, Time, text};

/// The largest content.
pub const CONTENT_BYTES: usize = 262_144;

/// What somebody wants to write.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub title: String,
    pub content: String,
    /// Made from the title when there is none.
    pub query_key: Option<String>,
    pub tags: Vec<String>,
    pub fields: Map<String, Value>,
    /// As JSON; null for that of the type.
    pub audience: Value,
    pub gotchas: Vec<String>,
    pub related: Vec<String>,
    pub visibility: Visibility,
    pub source: Option<Source>,
    pub expires_at: Option<Time>,
}

impl Draft {
    /// A draft that says only this.
    pub fn new(title: &str, content: &str) -> Self {
        Self {
            title: title.to_owned(),
            content: content.to_owned(),
            query_key: None,
            tags: Vec::new(),
            fields: Map::new(),
            audience: Value::Null,
            gotchas: Vec::new(),
            related: Vec::new(),
            visibility: Visibility::Private,
            source: None,
            expires_at: None,
        }
    }
}

/// The keys that chunks of the same owner and type have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// The chunk that has the key that was asked for.
    pub by: Option<ChunkId>,
    /// The key to [make](QueryKey::made_from) from the title where the plain one is taken.
    pub instead: Option<QueryKey>,
}

impl Taken {
    fn made_from(&self, title: &str) -> QueryKey {
        self.instead.clone().unwrap_or_else(|| QueryKey::of_title(title))
    }
}

/// Writes a chunk of a type for an owner.
pub fn write(
    draft: &Draft,
    chunk_type: &ChunkType,
    owner: Owner,
    taken: &Taken,
    reader: &Reader,
    by: Author,
) -> Result<ChunkWritten, Refusal> {
    reader.admit_new(&owner)?;
    chunk_type.refuse_hidden()?;
    chunk_type.check_creator(&reader.standing)?;
    let content = content(&draft.content)?;
    chunk_type.template.check(&content)?;
    let fields = field_set::written(&chunk_type.fields, &draft.fields)?;
    if spec::is_spec(&chunk_type.slug) {
        spec::check_new(&fields, &owner)?;
    }
    Ok(ChunkWritten {
        chunk_type: chunk_type.slug.clone(),
        query_key: key(draft.query_key.as_deref(), &draft.title, taken, &owner)?,
        owner,
        title: text::title(draft.title.trim())?,
        content,
        tags: decided::tags(&draft.tags, &[], reader)?,
        fields,
        audience: audience(&draft.audience, chunk_type)?,
        gotchas: notes("gotchas", &draft.gotchas)?,
        related: keys(&draft.related)?,
        visibility: draft.visibility,
        source: draft.source.clone().map(Source::checked).transpose()?,
        expires_at: draft.expires_at,
        task: None,
        by,
    })
}

/// The key of a new chunk: the one asked for, if it is free, or one made from the title.
pub(super) fn key(
    asked: Option<&str>,
    title: &str,
    taken: &Taken,
    owner: &Owner,
) -> Result<QueryKey, Refusal> {
    let Some(asked) = asked else { return Ok(taken.made_from(title)) };
    let key = QueryKey::parse(asked)?;
    let Some(holder) = taken.by else { return Ok(key) };
    let message = format!("the query key '{key}' is taken by chunk {}", holder.short());
    Err(Refusal::new(Code::QueryKeyTaken, message)
        .hint(format!("update that one: windlass chunk update {holder}, or give another key"))
        .detail("query_key", &key)
        .detail("chunk", holder)
        .detail("owner", owner))
}

/// The key of a chunk that goes to another owner: its own, if that is free there.
pub(super) fn key_there(chunk: &Chunk, taken: &Taken) -> QueryKey {
    match taken.by {
        None => chunk.query_key.clone(),
        Some(_) => taken.made_from(&chunk.title),
    }
}

/// Content is kept as it is: it is fenced where it is injected and escaped where it is shown.
pub(super) fn content(given: &str) -> Result<String, Refusal> {
    if given.len() > CONTENT_BYTES {
        let message = format!("content has {} bytes, the limit is {CONTENT_BYTES}", given.len());
        return Err(Refusal::new(Code::TooLarge, message)
            .hint("split it into chunks that are linked to one another")
            .detail("field", "content")
            .detail("limit", CONTENT_BYTES)
            .detail("given", given.len()));
    }
    if given.trim().is_empty() || given.contains('\0') {
        // PostgreSQL cannot keep NUL in text, so it is refused on both databases.
        return Err(Refusal::new(Code::InvalidValue, "content must say something, without NUL")
            .hint("give the text as content")
            .detail("field", "content"));
    }
    Ok(given.to_owned())
}

pub(super) fn audience(given: &Value, chunk_type: &ChunkType) -> Result<Option<Audience>, Refusal> {
    if given.is_null() {
        return Ok(None);
    }
    Audience::read(given)?.checked_for_chunk(&chunk_type.fields).map(Some)
}

pub(super) fn notes(field: &str, given: &[String]) -> Result<Vec<String>, Refusal> {
    text::few(field, given)?;
    given.iter().map(|note| text::said(field, note)).collect()
}

pub(super) fn keys(given: &[String]) -> Result<Vec<String>, Refusal> {
    text::few("related", given)?;
    given.iter().map(|key| QueryKey::parse(key).map(String::from)).collect()
}
