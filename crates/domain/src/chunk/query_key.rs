//! Query keys: the name by which a chunk is fetched. One owner has each key once in a type.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::{ChunkId, Code, Refusal};

const KEY_CHARS: usize = 128;
/// A key that is made from a title is cut here, so that a number still fits behind it.
const MADE_CHARS: usize = 60;

/// The name by which a chunk is fetched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QueryKey(String);

impl QueryKey {
    pub fn parse(given: &str) -> Result<Self, Refusal> {
        let begins_well = given.starts_with(char::is_alphanumeric);
        let is_allowed = |letter: char| {
            letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/' | ':')
        };
        let is_short = given.chars().count() <= KEY_CHARS;
        if given.parse::<ChunkId>().is_ok() {
            let message = format!("'{given}' is no query key: it could be the id of a chunk");
            return Err(Refusal::new(Code::InvalidValue, message)
                .hint("give a name that says what the chunk is about")
                .detail("field", "query_key")
                .detail("given", given));
        }
        if begins_well && is_short && given.chars().all(is_allowed) {
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

    /// A key made from a title: its letters and digits, in words.
    pub(super) fn of_title(title: &str) -> Self {
        let folded = title.nfkc().collect::<String>().to_lowercase();
        let words = folded.split(|letter: char| !letter.is_alphanumeric());
        let (mut key, mut length) = (String::new(), 0);
        for word in words.filter(|word| !word.is_empty()) {
            let gap = usize::from(!key.is_empty());
            let letters = word.chars().count();
            if gap == 1 && length + gap + letters > MADE_CHARS {
                break;
            }
            key.push_str(if gap == 1 { "-" } else { "" });
            key.extend(word.chars().take(MADE_CHARS));
            length += gap + letters;
        }
        Self(if key.is_empty() { "chunk".to_owned() } else { key })
    }

    /// A key made from a title that nobody has: its words, with a number behind them if these are
    /// taken. However many are, it asks about few.
    pub fn made_from<E>(
        title: &str,
        mut is_taken: impl FnMut(&Self) -> Result<bool, E>,
    ) -> Result<Self, E> {
        let plain = Self::of_title(title);
        if !is_taken(&plain)? {
            return Ok(plain);
        }
        let numbered = |number: u64| Self(format!("{plain}-{number}"));
        // The one without a number is the first.
        let (mut taken, mut free) = (1, 2);
        while is_taken(&numbered(free))? {
            (taken, free) = (free, 2 * free);
        }
        while free - taken > 1 {
            let middle = taken.midpoint(free);
            match is_taken(&numbered(middle))? {
                true => taken = middle,
                false => free = middle,
            }
        }
        Ok(numbered(free))
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
    use std::convert::Infallible;

    use super::*;
    use proptest::prelude::*;

    /// The key made from a title where some are taken, and how many were asked about.
    fn made(title: &str, is_taken: impl Fn(&str) -> bool) -> (String, u32) {
        let mut asked = 0;
        let made = QueryKey::made_from::<Infallible>(title, |key| {
            asked += 1;
            Ok(is_taken(key.as_str()))
        });
        (made.unwrap().to_string(), asked)
    }

    #[test]
    fn a_key_is_made_from_the_words_of_the_title() {
        for (title, key) in [
            ("Rate limits, per key", "rate-limits-per-key"),
            ("  --API v2.1!", "api-v2-1"),
            ("Лимиты на ключ", "лимиты-на-ключ"),
            ("日本", "日本"),
            ("!?", "chunk"),
        ] {
            assert_eq!(made(title, |_| false).0, key);
        }
    }

    #[test]
    fn a_key_that_is_taken_gets_a_number_that_nobody_has() {
        let taken = ["auth", "auth-2", "auth-3"];
        assert_eq!(made("Auth", |key| taken.contains(&key)).0, "auth-4");
    }

    #[test]
    fn among_a_million_of_one_title_few_are_asked_about() {
        let number =
            |key: &str| key.strip_prefix("auth-").map_or(1, |given| given.parse().unwrap());
        let (key, asked) = made("Auth", |key| number(key) <= 1_000_000);
        assert_eq!(key, "auth-1000001");
        assert!(asked < 50, "{asked}");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let whole = ChunkId::from_bytes([1; 16]).to_string();
        for bad in ["", "-a", "a b", "a\u{301}", "a\n", &"a".repeat(129), &whole] {
            assert_eq!(QueryKey::parse(bad).unwrap_err().code, Code::InvalidValue, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_made_key_is_a_key(title in ".{0,200}") {
            let key = QueryKey::of_title(&title);
            prop_assert_eq!(QueryKey::parse(key.as_str()).unwrap(), key);
        }
    }
}
