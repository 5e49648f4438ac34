//! Slugs: the short names of chunk types, agent types and lifecycles.
//!
//! The three are namespaces of their own: one slug may be in each of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Code, Refusal};

const SLUG_CHARS: usize = 64;

/// A short name: begins with a letter or digit, then letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

impl Slug {
    /// Reads a slug. Nothing is repaired but letter case, so that `KNOWLEDGE` names the same type
    /// as `knowledge`.
    pub fn parse(field: &str, given: &str) -> Result<Self, Refusal> {
        let text = given.to_ascii_lowercase();
        let begins_well = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        let is_allowed =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        if begins_well && text.len() <= SLUG_CHARS && text.chars().all(is_allowed) {
            return Ok(Self(text));
        }
        Err(Refusal::new(Code::InvalidValue, format!("{field} '{given}' is not a slug"))
            .hint(format!(
                "begin with a letter or digit, then use letters, digits, _ and -; at most \
                 {SLUG_CHARS} characters"
            ))
            .detail("field", field)
            .detail("limit", SLUG_CHARS)
            .detail("given", given))
    }

    /// A slug that this program brings along; a test reads each of them.
    pub(crate) fn known(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Slug {
    type Error = Refusal;

    fn try_from(given: String) -> Result<Self, Refusal> {
        Self::parse("slug", &given)
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl FromStr for Slug {
    type Err = Refusal;

    fn from_str(given: &str) -> Result<Self, Refusal> {
        Self::parse("slug", given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c7_underscores_are_legal_in_slugs() {
        for good in ["dev_research", "dev", "a-b", "9_lives"] {
            assert_eq!(Slug::parse("type", good).unwrap().as_str(), good);
        }
    }

    #[test]
    fn a_slug_is_the_same_in_capitals() {
        assert_eq!(Slug::parse("type", "KNOWLEDGE"), Slug::parse("type", "knowledge"));
    }

    #[test]
    fn what_is_no_slug_is_refused_by_the_name_of_its_field() {
        for bad in ["", "_a", "-a", "a b", "a/b", "ä", "a.b", &"a".repeat(65)] {
            let refusal = Slug::parse("lifecycle", bad).unwrap_err();
            assert_eq!(refusal.message, format!("lifecycle '{bad}' is not a slug"));
        }
    }
}
