//! What people and agents may write: lengths and characters, checked in one place.
//!
//! Every check names the field, the limit and what was given. Lengths count characters, sizes
//! count bytes.

use serde_json::{Map, Value};

use crate::{Code, Refusal, json};

pub const TITLE_CHARS: usize = 128;
pub const LONG_CHARS: usize = 16_384;
pub const LINK_CHARS: usize = 2_048;
pub const TAG_CHARS: usize = 64;
pub const NAME_CHARS: usize = 255;
pub const CHECKPOINT_NAME_CHARS: usize = 256;
pub const CHECKPOINT_DATA_BYTES: usize = 16_384;
pub const REASON_CHARS: usize = 1_024;
pub const ITEMS: usize = 100;
pub const METADATA_KEYS: usize = 50;
pub const METADATA_BYTES: usize = 65_536;
pub const PRIORITY_HIGHEST: u8 = 3;
pub const PROGRESS_HIGHEST: u8 = 100;

/// A title: one line, not empty.
pub fn title(given: &str) -> Result<String, Refusal> {
    line("title", given, TITLE_CHARS)
}

/// A description or comment: may have lines and tabs, no other control characters.
pub fn long(field: &str, given: &str) -> Result<String, Refusal> {
    at_most(field, given, LONG_CHARS)?;
    match given.chars().find(|&letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'))
    {
        Some(letter) => Err(forbidden(field, letter)),
        None => Ok(given.to_owned()),
    }
}

/// The same, but something must be said.
pub fn said(field: &str, given: &str) -> Result<String, Refusal> {
    not_blank(field, given)?;
    long(field, given)
}

/// Why an override was used.
pub fn reason(given: &str) -> Result<String, Refusal> {
    line("reason", given, REASON_CHARS)
}

/// An agent, author or role.
pub fn name(field: &str, given: &str) -> Result<String, Refusal> {
    line(field, given, NAME_CHARS)
}

/// The name of a checkpoint.
pub fn checkpoint_name(given: &str) -> Result<String, Refusal> {
    line("name", given, CHECKPOINT_NAME_CHARS)
}

/// The name of a project: begins with a letter or digit, then letters, digits, `_` and `-`.
pub fn project_name(given: &str) -> Result<String, Refusal> {
    let given = line("project", given, NAME_CHARS)?;
    let mut letters = given.chars();
    let begins_well = letters.next().is_some_and(|first| first.is_ascii_alphanumeric());
    let goes_on_well =
        letters.all(|rest| rest.is_ascii_alphanumeric() || matches!(rest, '_' | '-'));
    if begins_well && goes_on_well {
        return Ok(given);
    }
    Err(Refusal::new(Code::InvalidValue, format!("'{given}' is not a project name"))
        .hint("begin with a letter or digit, then use letters, digits, _ and -")
        .detail("field", "project")
        .detail("given", given))
}

/// A repository that a project is bound to.
pub fn repository(given: &str) -> Result<String, Refusal> {
    line("repo", given, LINK_CHARS)
}

/// Tags, trimmed and each once, in the order given.
pub fn tags(given: &[String]) -> Result<Vec<String>, Refusal> {
    items("tags", given, |tag| line("tag", tag, TAG_CHARS))
}

/// Links, trimmed and each once, in the order given.
pub fn links(given: &[String]) -> Result<Vec<String>, Refusal> {
    items("links", given, |link| line("link", link, LINK_CHARS))
}

pub fn priority(given: i64) -> Result<u8, Refusal> {
    within("priority", given, PRIORITY_HIGHEST)
}

pub fn progress(given: i64) -> Result<u8, Refusal> {
    within("progress", given, PROGRESS_HIGHEST)
}

/// Metadata: a JSON object.
pub fn metadata(given: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    if given.len() > METADATA_KEYS {
        return Err(too_much("metadata", METADATA_KEYS, given.len(), "keys"));
    }
    object_bytes("metadata", given, METADATA_BYTES)?;
    Ok(given.clone())
}

/// The data of a checkpoint: a JSON object.
pub fn checkpoint_data(given: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    object_bytes("data", given, CHECKPOINT_DATA_BYTES)?;
    Ok(given.clone())
}

/// Reads a JSON object that somebody typed.
pub fn object(field: &str, given: &str) -> Result<Map<String, Value>, Refusal> {
    let refusal = |why: &str| {
        Refusal::new(Code::InvalidValue, format!("{field} is not a JSON object{why}"))
            .hint(format!("write it as --{field} '{{\"key\": \"value\"}}'"))
            .detail("field", field)
    };
    match json::read(given.as_bytes()) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(refusal("")),
        Err(wrong) => Err(refusal(&format!(": {wrong}"))),
    }
}

/// At most [`ITEMS`] of something.
pub fn few<T>(field: &str, given: &[T]) -> Result<(), Refusal> {
    if given.len() > ITEMS {
        return Err(too_much(field, ITEMS, given.len(), "items"));
    }
    Ok(())
}

fn items(
    field: &str,
    given: &[String],
    check: impl Fn(&str) -> Result<String, Refusal>,
) -> Result<Vec<String>, Refusal> {
    few(field, given)?;
    let mut kept = Vec::with_capacity(given.len());
    for item in given {
        let item = check(item.trim())?;
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    Ok(kept)
}

/// One line, not empty.
pub(crate) fn line(field: &str, given: &str, limit: usize) -> Result<String, Refusal> {
    not_blank(field, given)?;
    at_most(field, given, limit)?;
    match given.chars().find(|&letter| letter.is_control() || is_bidi_override(letter)) {
        Some(letter) => Err(forbidden(field, letter)),
        None => Ok(given.to_owned()),
    }
}

/// Characters that make text read in another order than it is stored.
pub(crate) fn is_bidi_override(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

fn not_blank(field: &str, given: &str) -> Result<(), Refusal> {
    if given.trim().is_empty() {
        return Err(Refusal::new(Code::InvalidValue, format!("{field} must not be empty"))
            .hint(format!("give at least 1 character as {field}"))
            .detail("field", field)
            .detail("given", given));
    }
    Ok(())
}

fn at_most(field: &str, given: &str, limit: usize) -> Result<(), Refusal> {
    let length = given.chars().count();
    if length > limit {
        return Err(too_much(field, limit, length, "characters"));
    }
    Ok(())
}

pub(crate) fn object_bytes(
    field: &str,
    given: &Map<String, Value>,
    limit: usize,
) -> Result<(), Refusal> {
    let size = serde_json::to_string(given).map_or(usize::MAX, |text| text.len());
    if size > limit {
        return Err(too_much(field, limit, size, "bytes of JSON"));
    }
    // PostgreSQL cannot keep NUL in text, so it is refused on both databases.
    if given.iter().any(|(key, value)| key.contains('\0') || has_nul(value)) {
        return Err(forbidden(field, '\0'));
    }
    Ok(())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains('\0') || has_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn within(field: &str, given: i64, highest: u8) -> Result<u8, Refusal> {
    u8::try_from(given).ok().filter(|value| *value <= highest).ok_or_else(|| {
        Refusal::new(Code::InvalidValue, format!("{field} {given} is not between 0 and {highest}"))
            .hint(format!("give a {field} from 0 to {highest}"))
            .detail("field", field)
            .detail("limit", highest)
            .detail("given", given)
    })
}

fn too_much(field: &str, limit: usize, given: usize, unit: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("{field} has {given} {unit}, the limit is {limit}"))
        .hint(format!("shorten {field} to at most {limit} {unit}"))
        .detail("field", field)
        .detail("limit", limit)
        .detail("given", given)
}

fn forbidden(field: &str, letter: char) -> Refusal {
    let point = format!("U+{:04X}", u32::from(letter));
    Refusal::new(Code::InvalidValue, format!("{field} contains the character {point}"))
        .hint(format!("remove control and text-direction characters from {field}"))
        .detail("field", field)
        .detail("character", point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_128_characters_is_kept_and_of_129_refused() {
        assert!(title(&"ä".repeat(128)).is_ok());
        let refusal = title(&"ä".repeat(129)).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidValue);
        assert_eq!(refusal.message, "title has 129 characters, the limit is 128");
    }

    #[test]
    fn control_and_bidi_characters_are_refused_in_titles_and_names() {
        for letter in ['\0', '\n', '\t', '\u{1b}', '\u{7f}', '\u{202e}', '\u{2066}', '\u{2028}'] {
            let text = format!("a{letter}b");
            assert!(title(&text).is_err(), "{letter:?}");
            assert!(name("agent", &text).is_err(), "{letter:?}");
            assert!(tags(&[text]).is_err(), "{letter:?}");
        }
    }

    #[test]
    fn a_description_may_have_lines_but_no_escape_sequences() {
        assert!(long("description", "one\n\ttwo\r\n").is_ok());
        assert!(long("description", "\u{1b}[2J").is_err());
        assert!(long("description", "a\0b").is_err());
    }

    #[test]
    fn tags_are_trimmed_and_kept_once() {
        let given = ["a".to_owned(), " b".to_owned(), "a ".to_owned()];
        assert_eq!(tags(&given).unwrap(), ["a", "b"]);
        assert!(tags(&[String::new()]).is_err());
    }

    #[test]
    fn project_names_are_plain_words() {
        for good in ["api", "a", "9lives", "web_app-2"] {
            assert!(project_name(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "_a", "a b", "a/b", "ä", "a.b"] {
            assert!(project_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn metadata_is_bounded_in_keys_and_bytes() {
        let many: Map<String, Value> = (0..51).map(|n| (n.to_string(), Value::Null)).collect();
        assert!(metadata(&many).is_err());
        let big: Map<String, Value> =
            [("k".to_owned(), Value::from("x".repeat(65_536)))].into_iter().collect();
        assert!(metadata(&big).is_err());
        let nul: Map<String, Value> = [("k".to_owned(), Value::from("a\0"))].into_iter().collect();
        assert!(metadata(&nul).is_err());
    }

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert!(priority(3).is_ok() && priority(4).is_err() && priority(-1).is_err());
        assert!(progress(100).is_ok() && progress(101).is_err());
    }
}
