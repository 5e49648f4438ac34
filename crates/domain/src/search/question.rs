//! What somebody asks.

use super::spread::{Corpus, Spread};
use super::terms::Terms;
use crate::Refusal;
use crate::words::{QUERY_WORDS, no_word, stems};

/// Two words written as one, such as `filename` for `file name`, count so much beside them.
const JOINED_SHARE: f64 = 0.3;
/// A draft is told by so many of its words.
const TELLING_WORDS: usize = 16;

/// The words of a question, each once.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub words: Vec<AskedFor>,
}

/// One word of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedFor {
    pub stem: String,
    /// How much it counts.
    pub share: f64,
    /// Only the word itself counts, and nothing that is like it.
    pub exact: bool,
}

impl Question {
    /// What a text asks for: its first [`QUERY_WORDS`] words, and neighbours of them as one word.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let mut words: Vec<AskedFor> = Vec::new();
        let mut ask = |stem: String, share: f64, exact: bool| {
            if !words.iter().any(|word| word.stem == stem) {
                words.push(AskedFor { stem, share, exact });
            }
        };
        for stem in stems(text).into_iter().take(QUERY_WORDS) {
            ask(stem, 1.0, false);
        }
        let written: Vec<&str> = text.split_whitespace().take(QUERY_WORDS).collect();
        for pair in written.windows(2) {
            // The last stem of a name is the whole.
            if let Some(whole) = stems(&pair.join("_")).pop() {
                ask(whole, JOINED_SHARE, true);
            }
        }
        match words.is_empty() {
            true => Err(no_word(text)),
            false => Ok(Self { words }),
        }
    }

    /// What a draft asks for to find others like it: the words that tell it best from the rest.
    pub fn telling(
        terms: &Terms,
        corpus: &Corpus,
        spread: impl Fn(&str) -> Option<Spread>,
    ) -> Self {
        let mut told: Vec<(f64, &str)> = Vec::new();
        for (word, counts) in &terms.words {
            if let Some(spread) = spread(word) {
                told.push((corpus.rarity(spread) * counts.weighted().sqrt(), word));
            }
        }
        told.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        let words = told.into_iter().take(TELLING_WORDS);
        let ask =
            |(_, word): (f64, &str)| AskedFor { stem: word.to_owned(), share: 1.0, exact: true };
        Self { words: words.map(ask).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<String> {
        Question::parse(text).unwrap().words.into_iter().map(|word| word.stem).collect()
    }

    #[test]
    fn a_question_asks_for_each_word_once_and_for_neighbours_as_one() {
        assert_eq!(
            asked("rate limits of file_lock"),
            [
                "rate",
                "limit",
                "of",
                "file",
                "lock",
                "filelock",
                "ratelimit",
                "limitsof",
                "offilelock"
            ]
        );
    }

    #[test]
    fn a_question_without_a_word_is_refused() {
        assert!(Question::parse("?! 🎉").is_err());
    }
}
