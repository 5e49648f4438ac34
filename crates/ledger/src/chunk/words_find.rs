//! Searching: which chunks answer a question best.
//!
//! However many chunks there are, a search reads a bounded number of rows. The rarest words of the
//! question are read whole and say which chunks come into question; words that are nearly everywhere
//! only add to the score of those.

use std::collections::HashMap;

use windlass_domain::Time;
use windlass_domain::chunk::Chunk;
use windlass_domain::search::{
    Adjustment, Hit, MOST_RAISED, Part, Question, Sight, Vocabulary as _, Weighed, adjustments,
    parts, score,
};

use super::words::Posting;
use super::words_weigh::{Field, Vocabulary};
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::store::Store;

/// How much of the index a search reads, whatever there is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// So many rows for the words that say which chunks come into question.
    pub(crate) rows: u64,
    /// So many of these chunks are looked up for the words that are nearly everywhere.
    pub(crate) rescored: usize,
}

impl Bounds {
    const USUAL: Self = Self { rows: 10_000, rescored: 1_000 };
}

/// So many chunks are loaded at a time.
const LOADED: usize = 64;

/// A chunk that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundChunk {
    pub chunk: Chunk,
    /// By its words and what is known of it.
    pub score: f64,
    /// What each word of the question gave, before adjustments.
    pub parts: Vec<Part>,
    pub adjustments: Vec<Adjustment>,
}

impl Snapshot<'_> {
    /// The chunks that answer a question best, at most `limit`; the newer first among equals.
    pub fn search_chunks(
        &mut self,
        question: &Question,
        sight: &Sight<'_>,
        limit: usize,
    ) -> Result<Vec<FoundChunk>, Fault> {
        self.search_chunks_within(Bounds::USUAL, question, sight, limit)
    }

    pub(crate) fn search_chunks_within(
        &mut self,
        bounds: Bounds,
        question: &Question,
        sight: &Sight<'_>,
        limit: usize,
    ) -> Result<Vec<FoundChunk>, Fault> {
        let now = self.now();
        let search = Search { bounds, ..Search::new(self.store, question, sight)? };
        search.best(self.store, sight, now, limit)
    }
}

/// A question that is being answered.
pub(super) struct Search {
    bounds: Bounds,
    question: Vec<Weighed>,
    mean_length: f64,
    vocabulary: Vocabulary,
    /// Every word that is looked for, and which senses of which asked words it is.
    words: Vec<(String, Vec<(usize, usize)>)>,
}

/// A chunk that comes into question.
#[derive(Default)]
struct Candidate {
    owner: u64,
    length: u32,
    hits: Vec<Hit>,
}

impl Search {
    fn new(store: &mut dyn Store, question: &Question, sight: &Sight<'_>) -> Result<Self, Fault> {
        let field = Field::of(store, sight)?;
        let (question, vocabulary) = field.weigh(store, question)?;
        Ok(Self {
            bounds: Bounds::USUAL,
            words: words(&question),
            question,
            mean_length: field.corpus.mean_length(),
            vocabulary,
        })
    }

    fn best(
        &self,
        store: &mut dyn Store,
        sight: &Sight<'_>,
        now: Time,
        limit: usize,
    ) -> Result<Vec<FoundChunk>, Fault> {
        let candidates = self.candidates(store)?;
        let ranked = self.ranked(&candidates);
        let mut found: Vec<FoundChunk> = Vec::new();
        for some in ranked.chunks(LOADED) {
            let reachable = some.first().map_or(0.0, |(score, _)| score * MOST_RAISED);
            if let Some(last) = limit.checked_sub(1).and_then(|last| found.get(last))
                && last.score >= reachable
            {
                break;
            }
            let created: Vec<u64> = some.iter().map(|(_, created)| *created).collect();
            for chunk in store.chunks_created_at(&created)? {
                if let Some(candidate) = candidates.get(&chunk.created_seq)
                    && sight.admits(&chunk, now)
                {
                    found.push(self.found(chunk, candidate, now));
                }
            }
            found.sort_by(|one, other| {
                let newer = other.chunk.created_seq.cmp(&one.chunk.created_seq);
                other.score.total_cmp(&one.score).then(newer)
            });
            found.truncate(limit);
        }
        Ok(found)
    }

    fn found(&self, chunk: Chunk, candidate: &Candidate, now: Time) -> FoundChunk {
        let adjustments = adjustments(&chunk, now);
        let factor: f64 = adjustments.iter().map(|adjustment| adjustment.factor).product();
        FoundChunk {
            score: self.score(candidate) * factor,
            parts: parts(&self.question, self.mean_length, &candidate.hits, candidate.length),
            adjustments,
            chunk,
        }
    }

    /// The chunks that come into question, by when they were created.
    fn candidates(&self, store: &mut dyn Store) -> Result<HashMap<u64, Candidate>, Fault> {
        let (telling, everywhere) = self.by_rarity();
        let mut candidates: HashMap<u64, Candidate> = HashMap::new();
        let found = match telling.is_empty() {
            true => self.newest(store, &everywhere)?,
            false => store.postings(&self.in_each_owner(&telling))?,
        };
        for posting in found {
            let candidate = candidates.entry(posting.created_seq).or_default();
            candidate.owner = posting.owner;
            candidate.length = posting.length;
            self.add(candidate, &posting);
        }
        let words: Vec<(usize, &str)> = everywhere
            .iter()
            .filter_map(|number| Some((*number, self.words.get(*number)?.0.as_str())))
            .collect();
        if !words.is_empty() && !telling.is_empty() {
            let mut best = self.ranked(&candidates);
            best.truncate(self.bounds.rescored);
            let place =
                |(_, created): &(f64, u64)| Some((candidates.get(created)?.owner, *created));
            let places: Vec<(u64, u64)> = best.iter().filter_map(place).collect();
            for posting in store.postings_of(&words, &places)? {
                if let Some(candidate) = candidates.get_mut(&posting.created_seq) {
                    self.add(candidate, &posting);
                }
            }
        }
        Ok(candidates)
    }

    /// The words that are rare enough to be read whole, and the others, each by number.
    fn by_rarity(&self) -> (Vec<usize>, Vec<usize>) {
        let rows = |number: &usize| {
            let word = self.words.get(*number).map_or("", |(word, _)| word);
            self.vocabulary.spread(word).map_or(0, |spread| spread.chunks)
        };
        let mut numbers: Vec<usize> = (0..self.words.len()).collect();
        numbers.sort_by_key(rows);
        let mut left = self.bounds.rows;
        let telling = numbers.iter().take_while(|number| {
            let rest = left.checked_sub(rows(number));
            left = rest.unwrap_or_default();
            rest.is_some()
        });
        let telling = telling.count();
        let everywhere = numbers.split_off(telling);
        (numbers, everywhere)
    }

    /// Where every word is nearly everywhere, the newest chunks with the rarest of them.
    fn newest(&self, store: &mut dyn Store, words: &[usize]) -> Result<Vec<Posting>, Fault> {
        let places = self.in_each_owner(words.get(..1).unwrap_or_default());
        let each = self.bounds.rows.checked_div(places.len() as u64).unwrap_or_default().max(1);
        let mut found = Vec::new();
        for place in places {
            found.append(&mut store.newest_postings(place, each)?);
        }
        Ok(found)
    }

    fn in_each_owner(&self, words: &[usize]) -> Vec<(usize, &str, u64)> {
        let mut places = Vec::new();
        for number in words {
            let Some((word, _)) = self.words.get(*number) else { continue };
            places.extend(
                self.vocabulary.owners(word).map(|(owner, _)| (*number, word.as_str(), owner)),
            );
        }
        places
    }

    fn add(&self, candidate: &mut Candidate, posting: &Posting) {
        let Some((_, senses)) = self.words.get(posting.word) else { return };
        let hit = |(asked, sense): &(usize, usize)| Hit {
            asked: *asked,
            sense: *sense,
            counts: posting.counts,
        };
        candidate.hits.extend(senses.iter().map(hit));
    }

    /// The best first, and the newer among equals.
    fn ranked(&self, candidates: &HashMap<u64, Candidate>) -> Vec<(f64, u64)> {
        let scored = |(created, candidate): (&u64, &Candidate)| (self.score(candidate), *created);
        let mut ranked: Vec<(f64, u64)> = candidates.iter().map(scored).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        ranked
    }

    fn score(&self, candidate: &Candidate) -> f64 {
        score(&self.question, self.mean_length, &candidate.hits, candidate.length)
    }
}

/// Each word that stands for something that is asked for, once.
fn words(question: &[Weighed]) -> Vec<(String, Vec<(usize, usize)>)> {
    let mut words: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
    for (asked, weighed) in question.iter().enumerate() {
        for (number, sense) in weighed.senses.iter().enumerate() {
            match words.iter_mut().find(|(word, _)| *word == sense.word) {
                Some((_, senses)) => senses.push((asked, number)),
                None => words.push((sense.word.clone(), vec![(asked, number)])),
            }
        }
    }
    words
}
