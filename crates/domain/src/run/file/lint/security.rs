//! A step of high risk that touches what must be kept safe needs a person's approval.

use std::ops::Range;

use crate::run::file::finding::{Finding, Findings};
use crate::run::file::place::StepPlace;
use crate::run::file::step::{Gate, Step};

/// HOTL's keywords, which it finds inside other words too.
const KEYWORDS: [&str; 7] =
    ["auth", "encrypt", "secret", "password", "token", "billing", "permission"];
/// The words we mean by them, and the words that begin so. `author` and `secretary` are none.
const WORDS: [&str; 13] = [
    "auth",
    "authn",
    "authz",
    "oauth",
    "oauth2",
    "secret",
    "secrets",
    "token",
    "tokens",
    "billing",
    "password",
    "passwords",
    "permission",
];
const BEGINNINGS: [&str; 5] = ["authentic", "authoris", "authoriz", "encrypt", "permission"];

/// What counts as a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keywords {
    /// Whole words, in the name of the step too.
    Words,
    /// Parts of words below the name, as in HOTL.
    Parts,
}

pub(super) fn rules(
    text: &str,
    step: &Step,
    place: &StepPlace,
    keywords: Keywords,
    found: &mut Findings,
) {
    if step.gate == Some(Gate::Human) {
        return;
    }
    let range = match keywords {
        Keywords::Words => place.header.start..place.body.end,
        Keywords::Parts => place.body.clone(),
    };
    let Some(at) = text.get(range.clone()).and_then(|text| keyword(text, keywords)) else { return };
    let span = range.start + at.start..range.start + at.end;
    let message = "a step of high risk that touches security needs `gate: human`";
    found.push(
        Finding::error("security_gate", span, message)
            .label("this is about security")
            .related(place.header.clone(), "add `gate: human` to this step")
            .in_hotl(format!(
                "Step '{}' has security keywords with risk_level:high but missing 'gate: human'",
                step.name
            )),
    );
}

/// The first keyword in a text.
fn keyword(text: &str, keywords: Keywords) -> Option<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    match keywords {
        Keywords::Parts => {
            let found = KEYWORDS.iter().filter_map(|word| Some((lower.find(word)?, word.len())));
            found.min().map(|(at, length)| at..at + length)
        }
        Keywords::Words => {
            let mut start = 0;
            for word in lower.split_inclusive(|letter: char| !letter.is_alphanumeric()) {
                let bare = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
                let begins = BEGINNINGS.iter().any(|beginning| bare.starts_with(beginning));
                if begins || WORDS.contains(&bare) {
                    return Some(start..start + bare.len());
                }
                start += word.len();
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_inside_another_word_counts_only_in_hotl() {
        for text in ["the author", "a secretary", "tokenizer", "authority"] {
            assert_eq!(keyword(text, Keywords::Words), None, "{text}");
            assert!(keyword(text, Keywords::Parts).is_some(), "{text}");
        }
    }

    #[test]
    fn keywords_are_found_with_their_endings_and_inside_names() {
        for (text, word) in [
            ("Add authentication", "authentication"),
            ("rotate AUTH_TOKEN", "AUTH"),
            ("Passwords", "Passwords"),
            ("encrypted at rest", "encrypted"),
            ("für Ärzte: permissions", "permissions"),
        ] {
            assert_eq!(&text[keyword(text, Keywords::Words).unwrap()], word);
        }
    }
}
