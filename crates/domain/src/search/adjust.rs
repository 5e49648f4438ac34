//! What is known of a chunk itself changes its score: how fresh it is, what its readers thought of
//! it, and whether somebody pinned it.

use crate::Time;
use crate::chunk::Chunk;
use crate::chunk::review::{Signal, signals};
use crate::duration::Span;
use crate::word::words;

words! {
    /// Why a score was changed.
    Why {
        /// It was written or reviewed a while ago.
        Age "age",
        /// Its last reader found it wrong or old.
        Flagged "agent_flag",
        LowScore "low_score",
        /// The file it is from says something else now.
        SourceChanged "source_changed",
        Pinned "pinned",
    }
}

/// One change to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjustment {
    pub why: Why,
    /// What the score is multiplied by.
    pub factor: f64,
}

/// No chunk is raised by more than this.
pub const MOST_RAISED: f64 = PINNED;

const PINNED: f64 = 1.2;
const FLAGGED: f64 = 0.7;
const LOW_SCORE: f64 = 0.8;
const SOURCE_CHANGED: f64 = 0.8;
/// A chunk is fresh for so long, then less and less until it is old.
const FRESH: Span = Span::from_days(30);
const OLD: Span = Span::from_days(90);
const OLD_FACTOR: f64 = 0.7;

/// Everything that changes the score of a chunk now.
pub fn adjustments(chunk: &Chunk, now: Time) -> Vec<Adjustment> {
    let mut found = Vec::new();
    let age = age(chunk, now);
    if age < 1.0 {
        found.push(Adjustment { why: Why::Age, factor: age });
    }
    for signal in signals(chunk, now) {
        let (why, factor) = match signal {
            Signal::Flagged => (Why::Flagged, FLAGGED),
            Signal::LowScore => (Why::LowScore, LOW_SCORE),
            Signal::SourceChanged => (Why::SourceChanged, SOURCE_CHANGED),
            // Counted already, day by day.
            Signal::Aging => continue,
        };
        found.push(Adjustment { why, factor });
    }
    if chunk.pinned {
        found.push(Adjustment { why: Why::Pinned, factor: PINNED });
    }
    found
}

/// The factor for how long ago a chunk was last written or reviewed. What is pinned does not age.
fn age(chunk: &Chunk, now: Time) -> f64 {
    let reviewed = chunk.reviews.last.map(|(_, at)| at);
    let last = reviewed.map_or(chunk.updated_at, |at| at.max(chunk.updated_at));
    let (begin, end) = (last.plus(FRESH), last.plus(OLD));
    if chunk.pinned || now <= begin {
        return 1.0;
    }
    if now >= end {
        return OLD_FACTOR;
    }
    let minutes = |from: Time, to: Time| {
        let millis = to.as_millis() - from.as_millis();
        f64::from(i32::try_from(millis / 60_000).unwrap_or(i32::MAX))
    };
    1.0 - (1.0 - OLD_FACTOR) * minutes(begin, now) / minutes(begin, end)
}
