//! What is there already that says nearly the same.

use windlass_domain::chunk::Chunk;
use windlass_domain::chunk::access::Reader;
use windlass_domain::search::{Question, Sight, Terms, Texts, Vocabulary as _, overlap};

use super::words_weigh::Field;
use crate::fault::Fault;
use crate::snapshot::Snapshot;

/// What has less in common is not worth a look.
const LEAST: f64 = 0.25;

/// A chunk that says nearly the same as a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct NearChunk {
    pub chunk: Chunk,
    /// How much of what tells the draft from other chunks it has too, from 0 to 1. No value of it
    /// tells a rewrite from another matter: it is a hint for whoever writes.
    pub likeness: f64,
}

impl Snapshot<'_> {
    /// The chunks that somebody may find and that are nearest to what a draft says, at most `limit`,
    /// the nearest first. Ask before the draft is written, or it finds itself.
    pub fn nearest_chunks(
        &mut self,
        draft: Texts<'_>,
        reader: &Reader,
        limit: usize,
    ) -> Result<Vec<NearChunk>, Fault> {
        let (sight, terms) = (Sight::of(reader), Terms::of(draft));
        let field = Field::of(self.store, &sight)?;
        let words: Vec<&str> = terms.words.keys().map(String::as_str).collect();
        let vocabulary = field.spreads(self.store, &words)?;
        let question = Question::telling(&terms, &field.corpus, |word| vocabulary.spread(word));
        let rarity = |word: &str| field.corpus.rarity(vocabulary.spread(word).unwrap_or_default());
        let mut near = Vec::new();
        for found in self.search_chunks(&question, &sight, limit)? {
            let other = Terms::of(Texts::from(&found.chunk));
            let likeness = overlap(&terms, &other, rarity);
            if likeness >= LEAST {
                near.push(NearChunk { chunk: found.chunk, likeness });
            }
        }
        near.sort_by(|one, other| other.likeness.total_cmp(&one.likeness));
        Ok(near)
    }
}
