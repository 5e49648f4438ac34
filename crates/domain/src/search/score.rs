//! How well a chunk answers a question.

use super::likeness::likeness;
use super::place::{Counts, Place};
use super::question::AskedFor;
use super::spread::{Corpus, Spread};
use super::terms::Terms;

/// After so many times, weighed by place, a word counts half of what it can.
const HALF: f64 = 1.0;
/// How much it matters that other chunks are shorter, from 0 to 1.
const SHORTNESS: f64 = 0.75;

/// So many words stand for one that is asked for.
const SENSES: usize = 12;

/// One word of a question with the words that stand for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    pub asked: String,
    pub share: f64,
    pub senses: Vec<Sense>,
}

/// An indexed word that stands for one that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Sense {
    pub word: String,
    /// How much it counts for what is asked for, from 0 to 1.
    pub likeness: f64,
    /// See [`Corpus::rarity`](super::Corpus::rarity).
    pub rarity: f64,
}

impl Weighed {
    /// A word that is asked for, with the words of a vocabulary that stand for it: the most alike,
    /// a few at most. None of them counts more than the word itself would.
    pub fn new(asked: &AskedFor, corpus: &Corpus, vocabulary: &impl Vocabulary) -> Self {
        let itself = vocabulary.spread(&asked.stem).map(|spread| corpus.rarity(spread));
        let sense = |(word, spread): (&str, Spread)| {
            let likeness = match asked.exact {
                true => f64::from(u8::from(word == asked.stem)),
                false => likeness(&asked.stem, word, itself.is_some()),
            };
            let rarity = corpus.rarity(spread).min(itself.unwrap_or(f64::MAX));
            (likeness > 0.0).then(|| Sense { word: word.to_owned(), likeness, rarity })
        };
        let mut senses: Vec<Sense> = vocabulary.words().filter_map(sense).collect();
        // Words alike in equal measure stay in their order.
        senses.sort_by(|one, other| other.likeness.total_cmp(&one.likeness));
        senses.truncate(SENSES);
        Self { asked: asked.stem.clone(), share: asked.share, senses }
    }
}

/// Words with how they are spread over a corpus.
pub trait Vocabulary {
    /// All of them, in their order.
    fn words(&self) -> impl Iterator<Item = (&str, Spread)>;

    /// How one is spread; nothing when it is in no chunk.
    fn spread(&self, word: &str) -> Option<Spread>;
}

/// A word that was found in a chunk: which sense of which asked word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    pub asked: usize,
    pub sense: usize,
    pub counts: Counts,
}

/// What one word of a question gave a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub asked: String,
    /// The word that was found for it.
    pub word: String,
    pub score: f64,
    /// What of it each place gave.
    pub places: Vec<(Place, f64)>,
}

/// Which words of a question are found in a text.
pub fn hits(question: &[Weighed], terms: &Terms) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (asked, weighed) in question.iter().enumerate() {
        for (sense, of) in weighed.senses.iter().enumerate() {
            let counts = terms.words.get(&of.word);
            hits.extend(counts.map(|counts| Hit { asked, sense, counts: *counts }));
        }
    }
    hits
}

/// The score of a chunk of some length in which these words were found.
pub fn score(question: &[Weighed], mean_length: f64, hits: &[Hit], length: u32) -> f64 {
    let length = measured(mean_length, hits, length);
    let mut best = vec![0.0_f64; question.len()];
    for hit in hits {
        if let Some(best) = best.get_mut(hit.asked) {
            *best = best.max(worth(question, hit, length).unwrap_or_default());
        }
    }
    best.iter().sum()
}

/// The same score word by word, the best first.
pub fn parts(question: &[Weighed], mean_length: f64, hits: &[Hit], length: u32) -> Vec<Part> {
    let length = measured(mean_length, hits, length);
    let mut parts = Vec::new();
    for (index, weighed) in question.iter().enumerate() {
        let here = hits.iter().filter(|hit| hit.asked == index);
        let worths = here.filter_map(|hit| Some((worth(question, hit, length)?, hit)));
        let Some((score, hit)) = worths.max_by(|one, other| one.0.total_cmp(&other.0)) else {
            continue;
        };
        let Some(sense) = weighed.senses.get(hit.sense) else { continue };
        let of = |place: &Place| hit.counts.weighted_in(*place) / hit.counts.weighted().max(1.0);
        parts.push(Part {
            asked: weighed.asked.clone(),
            word: sense.word.clone(),
            score,
            places: Place::ALL
                .iter()
                .map(|place| (*place, score * of(place)))
                .filter(|(_, gave)| *gave > 0.0)
                .collect(),
        });
    }
    parts.sort_by(|one, other| other.score.total_cmp(&one.score));
    parts
}

/// What a found word gives by itself.
fn worth(question: &[Weighed], hit: &Hit, length: f64) -> Option<f64> {
    let weighed = question.get(hit.asked)?;
    let sense = weighed.senses.get(hit.sense)?;
    let times = hit.counts.weighted();
    let saturated = times / (times + HALF * length);
    Some(weighed.share * sense.likeness * sense.rarity * saturated)
}

/// How long a chunk is beside others. What was asked for does not count: to say more of it must not
/// make a chunk worse.
fn measured(mean_length: f64, hits: &[Hit], length: u32) -> f64 {
    let asked: u32 = hits.iter().map(|hit| hit.counts.total()).sum();
    1.0 - SHORTNESS + SHORTNESS * f64::from(length.saturating_sub(asked)) / mean_length
}
