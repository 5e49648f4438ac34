//! Search over chunks: which words stand for a chunk, and how well they answer a question.
//!
//! A ledger only remembers the [`Terms`] of every chunk and how they are [`Spread`]; everything that
//! ranks is computed here, in the same arithmetic whatever the database. In this order: the words of
//! a [`Question`] are [`Weighed`] by how rare they are among what the asker may find, every chunk
//! with one of them is [`score`]d, and what is known of the chunk itself ([`adjustments`]) changes
//! the score before anything is cut off.

mod adjust;
mod budget;
mod likeness;
mod overlap;
mod place;
#[cfg(test)]
mod properties;
mod question;
mod score;
mod sight;
mod spread;
mod terms;

pub use adjust::{Adjustment, MOST_RAISED, Why, adjustments};
pub use budget::{Kept, spend, tokens};
pub use likeness::{beginnings, has_likes, trigrams};
pub use overlap::overlap;
pub use place::{Counts, Place};
pub use question::{AskedFor, Question};
pub use score::{Hit, Part, Sense, Vocabulary, Weighed, hits, parts, score};
pub use sight::Sight;
pub use spread::{Corpus, Spread};
pub use terms::{Terms, Texts};
