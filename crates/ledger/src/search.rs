//! The index of words: what is put in, and where a word has to stand to count.
//!
//! Both databases hold the words that [`windlass_domain::words`] makes, so that a question finds
//! the same tasks on both; only the way of asking differs.

use std::collections::BTreeSet;

use windlass_domain::words::indexed;
use windlass_domain::{ProjectId, Status, Task};

use crate::record::Details;

/// The words of one task, in three places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) created_seq: u64,
    pub(crate) title: BTreeSet<String>,
    /// Of its tags and description.
    pub(crate) body: BTreeSet<String>,
    /// Of its comments and checkpoints.
    pub(crate) notes: BTreeSet<String>,
}

impl Words {
    pub(crate) fn of(task: &Task, details: &Details) -> Self {
        let mut body: BTreeSet<String> = task.tags.iter().flat_map(|tag| indexed(tag)).collect();
        body.extend(details.description.iter().flat_map(|text| indexed(text)));
        Self {
            created_seq: task.created_seq,
            title: indexed(&task.title),
            body,
            notes: details.note_words.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

/// What the words of one task's comments and checkpoints may cost. PostgreSQL keeps no more than a
/// megabyte of words for a task; half of it is more than title, tags and description can need.
const NOTES_BYTES: usize = 512 * 1024;
/// What a word costs there beside its letters, at most.
const WORD_BYTES: usize = 10;

/// Adds the words of a text to words that are kept as one text; nothing when it has no new one.
/// Where [`NOTES_BYTES`] are used up, what is said later is not found: better than to refuse it.
pub(crate) fn with_words_of(known: &str, text: &str) -> Option<String> {
    let mut words: BTreeSet<&str> = known.split_whitespace().collect();
    let before = words.len();
    let cost = |word: &str| word.len() + WORD_BYTES;
    let mut left = NOTES_BYTES.saturating_sub(words.iter().map(|word| cost(word)).sum());
    let said = indexed(text);
    for word in &said {
        match left.checked_sub(cost(word)) {
            Some(rest) if words.insert(word) => left = rest,
            Some(_) | None => {}
        }
    }
    (words.len() > before).then(|| joined(&words))
}

/// Words in one text, separated by spaces, which no word contains.
pub(crate) fn joined(words: &BTreeSet<impl AsRef<str>>) -> String {
    words.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ")
}

/// Where all the words must be found, the best place first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    Title,
    /// Title, tags and description.
    Text,
    /// Comments and checkpoints too.
    Everything,
}

impl Within {
    pub(crate) const RANKED: [Self; 3] = [Self::Title, Self::Text, Self::Everything];
}

/// Which tasks a search looks at.
#[derive(Debug, Clone, Default)]
pub struct SearchFilter {
    pub project: Option<ProjectId>,
    pub status: Option<Status>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_known_change_nothing() {
        let first = with_words_of("", "tables drafted").unwrap();
        assert_eq!(with_words_of(&first, "Drafted tables"), None);
        assert!(with_words_of(&first, "indexes").is_some());
    }
}
