//! What somebody typed who was asked where to work. A slip must not become a branch.

use crate::near::edits;

/// Words that end every question, and so does nothing at all.
const STOPS: [&str; 2] = ["stop", "quit"];
/// The same in short.
const SHORT: [&str; 3] = ["q", "no", "n"];

/// What somebody typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed<'a> {
    Stop,
    /// One of the words that were offered.
    Word(&'static str),
    /// Nearly that one, or its beginning.
    Near(&'static str),
    /// Something else, which may be a name.
    Other(&'a str),
}

/// Understands an answer to a question that these words answer, or `stop`.
pub fn typed<'a>(given: &'a str, words: &[&'static str]) -> Typed<'a> {
    let given = given.trim();
    let lower = given.to_ascii_lowercase();
    if lower.is_empty() || STOPS.iter().chain(&SHORT).any(|word| *word == lower) {
        return Typed::Stop;
    }
    if let Some(word) = words.iter().find(|word| **word == lower) {
        return Typed::Word(word);
    }
    let is_near = |word: &&str| word.starts_with(&lower) || is_slip(&lower, word);
    let mut known = words.iter().chain(&STOPS).copied();
    known.find(is_near).map_or(Typed::Other(given), Typed::Near)
}

/// One letter is wrong, or two of a long word.
fn is_slip(given: &str, word: &str) -> bool {
    let most = if word.len() < 6 { 1 } else { 2 };
    edits(given, word) <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 2] = ["here", "isolated"];

    #[test]
    fn an_offered_word_is_taken_however_it_is_written() {
        assert_eq!(typed(" here ", &WORDS), Typed::Word("here"));
        assert_eq!(typed("Isolated", &WORDS), Typed::Word("isolated"));
    }

    #[test]
    fn nothing_and_words_that_say_no_stop() {
        for given in ["", "  ", "q", "Q", "quit", "stop", "n", "no"] {
            assert_eq!(typed(given, &WORDS), Typed::Stop, "{given:?}");
        }
    }

    #[test]
    fn a_slip_is_no_name() {
        for (given, meant) in [
            ("isolatd", "isolated"),
            ("islated", "isolated"),
            ("iso", "isolated"),
            ("h", "here"),
            ("hree", "here"),
            ("sotp", "stop"),
            ("quti", "quit"),
        ] {
            assert_eq!(typed(given, &WORDS), Typed::Near(meant), "{given}");
        }
    }

    #[test]
    fn what_is_far_from_every_word_may_be_a_name() {
        for given in ["feat/login", "perf", "dev", "hotfix", "isolated-login"] {
            assert_eq!(typed(given, &WORDS), Typed::Other(given));
        }
    }
}
