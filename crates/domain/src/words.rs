//! The words of a text: the one tokeniser of every search.
//!
//! Both databases index the words made here and are asked for the words made here, so one query
//! finds the same on both. A database only has to know one thing: a text is found when for every
//! [`Asked`] one of its alternatives is a prefix of an indexed word.
//!
//! No word holds an ASCII character but small letters and digits, so a word needs no escaping.

mod glyph;
#[cfg(test)]
mod properties;
mod run;
mod snippet;
mod stem;
mod stems;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::{Code, Refusal};
use glyph::glyphs;
use run::Run;

pub use snippet::{Snippet, snippet};
pub use stems::stems;

/// Longer words are cut, in texts and in queries.
pub const WORD_CHARS: usize = 64;
/// What a query says after this many words is not asked for.
pub const QUERY_WORDS: usize = 32;

/// One word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Each is meant as a prefix of an indexed word, and one of them is enough. Never empty, and
    /// none is a prefix of another.
    pub any: Vec<String>,
}

impl Asked {
    /// Of several alternatives the longer ones that a shorter one finds anyway are left out.
    fn new(alternatives: BTreeSet<String>) -> Self {
        let mut any: Vec<String> = Vec::with_capacity(alternatives.len());
        // In this order a prefix comes right before what begins with it.
        for alternative in alternatives {
            if !any.last().is_some_and(|shorter| alternative.starts_with(shorter.as_str())) {
                any.push(alternative);
            }
        }
        Self { any }
    }

    /// Whether this finds an indexed word.
    pub fn finds(&self, word: &str) -> bool {
        self.any.iter().any(|prefix| word.starts_with(prefix.as_str()))
    }

    /// Whether this finds one of the words of a text.
    pub fn is_in(&self, indexed: &BTreeSet<String>) -> bool {
        self.any.iter().any(|prefix| {
            let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
            indexed.range::<str, _>(from).next().is_some_and(|word| word.starts_with(prefix))
        })
    }
}

/// The words of a text as they are indexed: each once, sorted.
pub fn indexed(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    if !text.is_ascii() {
        add_words(text, &mut words);
        return words;
    }
    // Plain English words need none of what follows, and there are many of them.
    for run in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        match is_plain(run) {
            true => add_forms(run::plain_forms(run), &mut words),
            false => add_words(run, &mut words),
        }
    }
    words
}

/// An ASCII word without parts and not too long.
fn is_plain(run: &str) -> bool {
    let mut after_first = run.bytes().skip(1);
    (1..=WORD_CHARS).contains(&run.len()) && !after_first.any(|letter| letter.is_ascii_uppercase())
}

fn add_words(text: &str, words: &mut BTreeSet<String>) {
    let glyphs = glyphs(text);
    for run in run::runs(&glyphs) {
        match run {
            Run::Letters(letters) => {
                for word in [letters].into_iter().chain(run::parts(letters)) {
                    add_forms(run::forms(word), words);
                }
            }
            Run::Cjk(letters) => words.extend(run::pairs(letters).map(run::folded)),
        }
    }
}

/// Adds a word and its stem. Who asks for the beginning of a word finds it without the stem.
fn add_forms([word, stem]: [String; 2], words: &mut BTreeSet<String>) {
    if !word.starts_with(stem.as_str()) {
        words.insert(stem);
    }
    words.insert(word);
}

/// The words a query asks for, all of which must be found: the first [`QUERY_WORDS`] of them, each
/// once.
///
/// A name such as `parseRequest` is asked for by its parts, each of which may also be found as the
/// whole: `GitHub` finds `github` and `git hub`.
pub fn asked(query: &str) -> Result<Vec<Asked>, Refusal> {
    let glyphs = glyphs(query);
    let mut words: Vec<Asked> = Vec::new();
    for alternatives in run::runs(&glyphs).flat_map(alternatives) {
        let word = Asked::new(alternatives);
        if !words.contains(&word) {
            words.push(word);
        }
        if words.len() == QUERY_WORDS {
            break;
        }
    }
    if words.is_empty() {
        return Err(no_word(query));
    }
    Ok(words)
}

fn alternatives(run: Run<'_>) -> Vec<BTreeSet<String>> {
    match run {
        Run::Letters(letters) => {
            let whole = run::forms(letters);
            let with_whole = |part| run::forms(part).into_iter().chain(whole.clone()).collect();
            run::parts(letters).into_iter().take(QUERY_WORDS).map(with_whole).collect()
        }
        Run::Cjk([only]) => vec![BTreeSet::from([run::folded(std::slice::from_ref(only))])],
        Run::Cjk(letters) => letters
            .windows(2)
            .take(QUERY_WORDS)
            .map(|pair| BTreeSet::from([run::folded(pair)]))
            .collect(),
    }
}

pub(crate) fn no_word(query: &str) -> Refusal {
    let given: String = query.chars().take(WORD_CHARS).collect();
    Refusal::new(Code::InvalidValue, "query has no letter or digit to search for")
        .hint("give at least 1 letter or digit as query; signs and emoji are not searched")
        .detail("field", "query")
        .detail("given", given)
}
