//! Updating a chunk: its next version.

use serde_json::{Map, Value};

use super::access::{Act, Reader};
use super::event::ChunkUpdated;
use super::source::Source;
use super::state::{Author, Visibility};
use super::write::{audience, content, keys, notes};
use super::{Chunk, ChunkType, decided, field_set, spec};
use crate::event::{Change, ChunkEvent};
use crate::word::words;
use crate::{Code, Refusal, text};

words! {
    /// A part of a chunk that a version can change.
    Part {
        Title "title",
        Content "content",
        Tags "tags",
        Fields "fields",
        Audience "audience",
        Gotchas "gotchas",
        Related "related",
        Visibility "visibility",
        Source "source",
    }
}

/// What somebody wants to change; what is not given stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Revision {
    /// The version that was read, so that nobody's change is overwritten unseen.
    pub expected: Option<u32>,
    pub title: Option<String>,
    pub content: Option<String>,
    pub tags: Option<Vec<String>>,
    /// The fields that change; null empties one.
    pub fields: Map<String, Value>,
    /// As JSON; null for that of the type.
    pub audience: Option<Value>,
    pub gotchas: Option<Vec<String>>,
    pub related: Option<Vec<String>>,
    pub visibility: Option<Visibility>,
    pub source: Option<Change<Source>>,
    pub note: Option<String>,
}

impl ChunkUpdated {
    /// The parts that it changed.
    pub fn parts(&self) -> Vec<Part> {
        let changed = |part: &Part| match part {
            Part::Title => self.title.is_some(),
            Part::Content => self.content.is_some(),
            Part::Tags => self.tags.is_some(),
            Part::Fields => !self.fields.is_empty(),
            Part::Audience => self.audience.is_some(),
            Part::Gotchas => self.gotchas.is_some(),
            Part::Related => self.related.is_some(),
            Part::Visibility => self.visibility.is_some(),
            Part::Source => self.source.is_some(),
        };
        Part::ALL.iter().copied().filter(changed).collect()
    }
}

/// Changes what a chunk says. What is given as it is already is no change, and without a change
/// there is no new version.
pub fn update(
    chunk: &Chunk,
    revision: &Revision,
    chunk_type: &ChunkType,
    reader: &Reader,
    by: Author,
) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    check_expected(chunk, revision.expected)?;
    let title = revision.title.as_deref().map(|title| text::title(title.trim())).transpose()?;
    let content = revision.content.as_deref().map(content).transpose()?;
    if let Some(content) = &content {
        chunk_type.template.check(content)?;
    }
    let tags = revision.tags.as_deref();
    let tags = tags.map(|given| decided::tags(given, &chunk.tags, reader)).transpose()?;
    let mut audience = match &revision.audience {
        Some(given) => Some(changed_to(audience(given, chunk_type)?)),
        None => None,
    };
    let gotchas = revision.gotchas.as_deref().map(|given| notes("gotchas", given)).transpose()?;
    let related = revision.related.as_deref().map(keys).transpose()?;
    let source = match revision.source.clone() {
        Some(Change::To(source)) => Some(Change::To(source.checked()?)),
        given => given,
    };
    let mut fields = field_set::changed(&chunk_type.fields, &chunk.fields, &revision.fields)?;
    if spec::is_spec(&chunk_type.slug) {
        let shown = chunk.shown(chunk_type);
        spec::refuse_again(&shown, &revision.fields)?;
        fields = spec::guarded(&shown, fields)?;
        audience = audience.or(spec::aimed_again(chunk, &fields));
    }
    let updated = ChunkUpdated {
        version: chunk.version + 1,
        title: title.filter(|title| *title != chunk.title),
        content: content.filter(|content| *content != chunk.content),
        tags: tags.filter(|tags| *tags != chunk.tags),
        fields,
        audience: audience.filter(|audience| audience.value() != chunk.audience),
        gotchas: gotchas.filter(|gotchas| *gotchas != chunk.gotchas),
        related: related.filter(|related| *related != chunk.related),
        visibility: revision.visibility.filter(|given| *given != chunk.visibility),
        source: source.filter(|source| source.value() != chunk.source),
        note: revision.note.as_deref().map(|note| text::said("note", note)).transpose()?,
        by,
    };
    match updated.parts().is_empty() {
        true => Ok(Vec::new()),
        false => Ok(vec![updated.into()]),
    }
}

fn changed_to<T>(value: Option<T>) -> Change<T> {
    value.map_or(Change::Cleared, Change::To)
}

/// Refuses who read another version than the one there is.
pub(super) fn check_expected(chunk: &Chunk, expected: Option<u32>) -> Result<(), Refusal> {
    let Some(expected) = expected.filter(|expected| *expected != chunk.version) else {
        return Ok(());
    };
    let current = chunk.version;
    let message = format!("the chunk is at version {current}, not {expected}");
    Err(Refusal::new(Code::EditConflict, message)
        .hint(format!("read it again and take your change over: windlass chunk show {}", chunk.id))
        .detail("chunk", chunk.id)
        .detail("expected", expected)
        .detail("version", current)
        .detail("title", &chunk.title)
        .detail("content", &chunk.content)
        .detail("author", &chunk.author.name)
        .detail("updated_at", chunk.updated_at))
}
