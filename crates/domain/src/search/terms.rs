//! The words that stand for a chunk.

use std::collections::BTreeMap;

use super::place::{Counts, Place};
use crate::chunk::Chunk;
use crate::chunk::write::Draft;
use crate::words::stems;

/// What a chunk, or a draft of one, says in each place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texts<'a> {
    pub title: &'a str,
    pub tags: &'a [String],
    pub query_key: &'a str,
    pub content: &'a str,
    pub gotchas: &'a [String],
}

impl<'a> Texts<'a> {
    /// What is found of a chunk; nothing when it is deleted or superseded.
    pub fn found(chunk: &'a Chunk) -> Option<Self> {
        (!chunk.deleted && chunk.superseded.is_none()).then(|| Self::from(chunk))
    }

    /// The text of a place, as one.
    pub fn at(&self, place: Place) -> String {
        match place {
            Place::Title => self.title.to_owned(),
            Place::Tags => self.tags.join("\n"),
            Place::QueryKey => self.query_key.to_owned(),
            Place::Content => self.content.to_owned(),
            Place::Gotchas => self.gotchas.join("\n"),
        }
    }
}

impl<'a> From<&'a Chunk> for Texts<'a> {
    fn from(chunk: &'a Chunk) -> Self {
        Self {
            title: &chunk.title,
            tags: &chunk.tags,
            query_key: chunk.query_key.as_str(),
            content: &chunk.content,
            gotchas: &chunk.gotchas,
        }
    }
}

impl<'a> From<&'a Draft> for Texts<'a> {
    fn from(draft: &'a Draft) -> Self {
        Self {
            title: &draft.title,
            tags: &draft.tags,
            query_key: draft.query_key.as_deref().unwrap_or_default(),
            content: &draft.content,
            gotchas: &draft.gotchas,
        }
    }
}

/// The words of one chunk, each with how often it stands in each place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    pub words: BTreeMap<String, Counts>,
    /// How many words there are in all.
    pub length: u32,
}

impl Terms {
    pub fn of(texts: Texts<'_>) -> Self {
        let mut words: BTreeMap<String, Counts> = BTreeMap::new();
        for place in Place::ALL {
            for stem in stems(&texts.at(*place)) {
                words.entry(stem).or_default().add(*place);
            }
        }
        let length = words.values().map(|counts| counts.total()).sum();
        Self { words, length }
    }
}
