//! Reviews: what readers thought of a chunk, and which chunks somebody should look at.

use serde::{Deserialize, Serialize};

use super::Chunk;
use super::access::{Act, Reader};
use super::event::{ChunkReviewed, FlagDismissed};
use crate::duration::Span;
use crate::event::ChunkEvent;
use crate::word::words;
use crate::{Code, Refusal, Time, text};

/// A chunk that nobody wrote or reviewed for so long is aging.
pub const AGING: Span = Span::from_days(60);
/// Marks are from 1 to this.
const BEST: u8 = 5;
/// An average below this is low.
const GOOD_ENOUGH: u32 = 3;

words! {
    /// What a reader found should be done.
    Action {
        /// Nothing: it helped.
        Useful "useful",
        NeedsUpdate "needs_update",
        Outdated "outdated",
        Incorrect "incorrect",
    }
}

words! {
    /// Why somebody should look at a chunk.
    Signal {
        /// Its last reader found it wrong or old.
        Flagged "agent_flag",
        LowScore "low_score",
        Aging "aging",
        /// The file it is from says something else now.
        SourceChanged "source_changed",
    }
}

/// What one reader thought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub usefulness: u8,
    pub correctness: u8,
    pub action: Action,
    /// What the reader was doing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usefulness_note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correctness_note: Option<String>,
}

/// What all readers thought together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reviews {
    pub count: u32,
    /// The sums of the marks.
    pub usefulness: u32,
    pub correctness: u32,
    pub last: Option<(Action, Time)>,
    /// Somebody looked and found nothing to do.
    pub dismissed_at: Option<Time>,
}

impl Reviews {
    pub(super) fn add(&mut self, review: &Review, at: Time) {
        self.count += 1;
        self.usefulness += u32::from(review.usefulness);
        self.correctness += u32::from(review.correctness);
        self.last = Some((review.action, at));
    }

    fn is_low(&self) -> bool {
        let is_low = |sum: u32| sum < GOOD_ENOUGH * self.count;
        is_low(self.usefulness) || is_low(self.correctness)
    }
}

/// Why somebody should look at a chunk now. What was there when a flag was dismissed does not count.
pub fn signals(chunk: &Chunk, now: Time) -> Vec<Signal> {
    let aging = touched_at(chunk).plus(AGING) <= now;
    flags(chunk).into_iter().chain(aging.then_some(Signal::Aging)).collect()
}

/// When somebody last wrote a chunk, reviewed it, or looked at what it was flagged for.
pub fn touched_at(chunk: &Chunk) -> Time {
    let reviews = &chunk.reviews;
    let later = [reviews.dismissed_at, reviews.last.map(|(_, at)| at)];
    later.into_iter().flatten().fold(chunk.updated_at, Time::max)
}

/// Whether somebody should look at a chunk, whatever the time.
pub fn is_flagged(chunk: &Chunk) -> bool {
    !flags(chunk).is_empty()
}

fn flags(chunk: &Chunk) -> Vec<Signal> {
    let dismissed = chunk.reviews.dismissed_at;
    let is_new = |since: Time| dismissed.is_none_or(|dismissed| dismissed < since);
    let reviewed = chunk.reviews.last.filter(|(_, at)| is_new(*at));
    let flagged = reviewed.is_some_and(|(action, _)| match action {
        Action::NeedsUpdate | Action::Outdated | Action::Incorrect => true,
        Action::Useful => false,
    });
    let found = [
        (flagged, Signal::Flagged),
        (reviewed.is_some() && chunk.reviews.is_low(), Signal::LowScore),
        (chunk.source_changed_at.is_some_and(is_new), Signal::SourceChanged),
    ];
    found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, signal)| signal).collect()
}

/// Says what a reader thought of a chunk.
pub fn review(chunk: &Chunk, given: Review, reader: &Reader) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Read, chunk)?;
    for (field, mark) in [("usefulness", given.usefulness), ("correctness", given.correctness)] {
        if !(1..=BEST).contains(&mark) {
            let message = format!("{field} {mark} is not between 1 and {BEST}");
            return Err(Refusal::new(Code::InvalidValue, message)
                .hint(format!("give a {field} from 1 to {BEST}"))
                .detail("field", field)
                .detail("given", mark));
        }
    }
    for note in [&given.task, &given.usefulness_note, &given.correctness_note].into_iter().flatten()
    {
        text::long("note", note)?;
    }
    Ok(vec![ChunkReviewed { review: given, by: reader.name.clone() }.into()])
}

/// Says that there is nothing to do about what a chunk is flagged for.
pub fn dismiss(chunk: &Chunk, reader: &Reader) -> Result<Vec<ChunkEvent>, Refusal> {
    reader.admit(Act::Write, chunk)?;
    Ok(vec![FlagDismissed { by: reader.name.clone() }.into()])
}
