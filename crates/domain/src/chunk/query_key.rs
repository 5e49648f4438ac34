//! Query keys: the name by which a chunk is fetched. One owner has each key once in a type.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal};

const KEY_CHARS: usize = 128;
/// A key that is made from a title is cut here, so that a number still fits behind it.
const MADE_CHARS: usize = 60;

/// The name by which a chunk is fetched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QueryKey(String);

impl QueryKey {
    pub fn parse(given: &str) -> Result<Self, Refusal> {
        let begins_well = given.starts_with(|first: char| first.is_ascii_alphanumeric());
        let is_allowed = |letter: char| {
            letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/' | ':')
        };
        if begins_well && given.len() <= KEY_CHARS && given.chars().all(is_allowed) {
            return Ok(Self(given.to_owned()));
        }
        Err(Refusal::new(Code::InvalidValue, format!("'{given}' is not a query key"))
            .hint(format!(
                "begin with a letter or digit, then use letters, digits, _ - . / and :; at most \
                 {KEY_CHARS} characters"
            ))
            .detail("field", "query_key")
            .detail("limit", KEY_CHARS)
            .detail("given", given))
    }

    /// What keys made from a title begin with: its letters and digits, in words.
    pub fn stem(title: &str) -> String {
        let folded = title.to_lowercase();
        let words = folded.split(|letter: char| !letter.is_ascii_alphanumeric());
        let mut stem = String::new();
        for word in words.filter(|word| !word.is_empty()) {
            let gap = usize::from(!stem.is_empty());
            if !stem.is_empty() && stem.len() + gap + word.len() > MADE_CHARS {
                break;
            }
            stem.push_str(if gap == 1 { "-" } else { "" });
            stem.extend(word.chars().take(MADE_CHARS));
        }
        if stem.is_empty() { "chunk".to_owned() } else { stem }
    }

    /// A key made from a title: its stem, or the stem with the lowest number that nobody has.
    /// `taken` are the keys of the same owner and type that begin with the stem.
    pub fn made_from(title: &str, taken: &BTreeSet<Self>) -> Self {
        let stem = Self::stem(title);
        let numbered = (2_u64..).map(|number| Self(format!("{stem}-{number}")));
        let mut keys = std::iter::once(Self(stem.clone())).chain(numbered);
        keys.find(|key| !taken.contains(key)).unwrap_or(Self(stem))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QueryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for QueryKey {
    type Error = Refusal;

    fn try_from(given: String) -> Result<Self, Refusal> {
        Self::parse(&given)
    }
}

impl From<QueryKey> for String {
    fn from(key: QueryKey) -> Self {
        key.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(keys: &[&str]) -> BTreeSet<QueryKey> {
        keys.iter().map(|key| QueryKey::parse(key).unwrap()).collect()
    }

    #[test]
    fn a_key_is_made_from_the_words_of_the_title() {
        for (title, key) in [
            ("Rate limits, per key", "rate-limits-per-key"),
            ("  --API v2.1!", "api-v2-1"),
            ("日本", "chunk"),
        ] {
            assert_eq!(QueryKey::made_from(title, &BTreeSet::new()).as_str(), key);
        }
    }

    #[test]
    fn a_key_that_is_taken_gets_the_lowest_free_number() {
        let taken = keys(&["auth", "auth-2", "auth-4"]);
        assert_eq!(QueryKey::made_from("Auth", &taken).as_str(), "auth-3");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for bad in ["", "-a", "a b", "ä", "a\n", &"a".repeat(129)] {
            assert_eq!(QueryKey::parse(bad).unwrap_err().code, Code::InvalidValue, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_made_key_is_a_key(title in ".{0,200}") {
            let key = QueryKey::made_from(&title, &BTreeSet::new());
            prop_assert_eq!(QueryKey::parse(key.as_str()).unwrap(), key);
        }
    }
}
