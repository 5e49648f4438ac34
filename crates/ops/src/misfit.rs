//! Arguments in JSON that do not fit their operation, told with the field, what was given and what
//! would fit.

use serde_json::Value;
use serde_path_to_error::Error;
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal};

use crate::table::Entry;

/// What was given is shown up to here.
const LONGEST: usize = 60;

/// What serde expected, in words, and an example of it.
const EXPECTED: [(&str, &str, &str); 12] = [
    ("u64", "a whole number, 0 or more", "1"),
    ("u32", "a whole number, 0 or more", "1"),
    ("u16", "a whole number from 0 to 65535", "1"),
    ("u8", "a whole number from 0 to 255", "1"),
    ("usize", "a whole number, 0 or more", "1"),
    ("i64", "a whole number", "1"),
    ("i32", "a whole number", "1"),
    ("f64", "a number", "0.5"),
    ("a boolean", "true or false", "true"),
    ("a string", "text", "\"text\""),
    ("a sequence", "a list", "[\"text\"]"),
    ("a map", "an object", "{\"name\": \"value\"}"),
];

/// The refusal of arguments that are not those of an operation.
pub(crate) fn misfit(entry: &Entry, given: &Value, error: &Error<serde_json::Error>) -> Refusal {
    let said = error.inner().to_string();
    if let Some(field) = between_ticks(said.strip_prefix("missing field ")) {
        return missing(entry, field);
    }
    let path = error.path().to_string();
    let value = found(given, error.path());
    let shown = value.map(shown).unwrap_or_default();
    let (message, hint, words) = match said.rsplit_once(", expected ") {
        _ if path == "." => (said.clone(), "give one JSON object".to_owned(), Vec::new()),
        Some((_, expected)) => {
            let words = words(expected);
            let (what, example) = in_words(expected, &words);
            let hint = format!("give {what}, such as {example}");
            (format!("{path} {shown} is not {what}"), hint, words)
        }
        // A check of our own says itself what is wrong.
        None => (format!("{path} {shown}: {said}"), format!("give another {path}"), Vec::new()),
    };
    let meant = value.and_then(Value::as_str).map(|text| near(text, words.iter().copied()));
    Refusal::new(Code::InvalidValue, message)
        .hint(hint)
        .suggest(meant.into_iter().flatten())
        .detail("field", path)
        .detail("given", value.map(in_short))
}

/// The refusal of arguments without one that is needed.
pub fn missing(entry: &Entry, field: &str) -> Refusal {
    let schema = (entry.input)().to_value();
    let about = schema.pointer(&format!("/properties/{field}/description"));
    let refusal = Refusal::new(Code::InvalidValue, format!("{field} is missing"));
    match about.and_then(Value::as_str) {
        Some(about) => refusal.hint(format!("give {field}: {}", uncapitalised(about))),
        None => refusal.hint(format!("give {field}")),
    }
    .detail("field", field)
}

fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn between_ticks(text: Option<&str>) -> Option<&str> {
    text?.strip_prefix('`')?.split('`').next()
}

/// The value at a path.
fn found<'a>(given: &'a Value, path: &serde_path_to_error::Path) -> Option<&'a Value> {
    use serde_path_to_error::Segment;
    path.iter().try_fold(given, |value, segment| match segment {
        Segment::Seq { index } => value.get(index),
        Segment::Map { key } => value.get(key),
        Segment::Enum { .. } | Segment::Unknown => Some(value),
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(_) => format!("'{}'", in_short(value)),
        other => in_short(other),
    }
}

fn in_short(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The words of which one was expected.
fn words(expected: &str) -> Vec<&str> {
    match expected.starts_with('`') || expected.starts_with("one of `") {
        true => expected.split('`').skip(1).step_by(2).collect(),
        false => Vec::new(),
    }
}

fn in_words(expected: &str, words: &[&str]) -> (String, String) {
    if let Some(first) = words.first() {
        let what = match words {
            [only] => format!("\"{only}\""),
            several => format!("one of {}", several.join(", ")),
        };
        return (what, format!("\"{first}\""));
    }
    let known = EXPECTED.iter().find(|(name, ..)| *name == expected);
    match known {
        Some((_, what, example)) => ((*what).to_owned(), (*example).to_owned()),
        None => (expected.to_owned(), "the ones in the reference".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(operation: &str, arguments: Value) -> Refusal {
        Entry::named(operation).unwrap().from_json(arguments).err().unwrap()
    }

    #[test]
    fn a_wrong_type_names_its_field_and_what_would_fit() {
        for (arguments, field, message) in [
            (
                json!({"title": "a", "priority": "high"}),
                "priority",
                "priority 'high' is not a whole number",
            ),
            (json!({"title": 7}), "title", "title 7 is not text"),
            (json!({"title": "a", "tags": ["x", 5]}), "tags[1]", "tags[1] 5 is not text"),
            (json!({"title": "a", "tags": "x"}), "tags", "tags 'x' is not a list"),
        ] {
            let refusal = refused("task.add", arguments);
            assert_eq!((refusal.code, refusal.message.as_str()), (Code::InvalidValue, message));
            assert_eq!(refusal.details["field"], field);
        }
        let refusal = refused("task.list", json!({"limit": -1}));
        assert_eq!(refusal.message, "limit -1 is not a whole number, 0 or more");
        assert_eq!(refusal.hint.unwrap(), "give a whole number, 0 or more, such as 1");
    }

    #[test]
    fn a_wrong_word_names_those_there_are_and_the_nearest() {
        let refusal = refused("key.create", json!({"for": "agent:a", "role": "workr"}));
        assert_eq!(refusal.message, "role 'workr' is not one of worker, reviewer, approver, admin");
        assert_eq!(refusal.suggestions, ["worker"]);
    }

    #[test]
    fn what_is_missing_is_told_with_what_it_is() {
        let refusal = refused("task.search", json!({}));
        assert_eq!(refusal.message, "query is missing");
        assert_eq!(refusal.details["field"], "query");
        assert!(refusal.hint.unwrap().starts_with("give query: "));
    }

    #[test]
    fn a_long_value_is_cut() {
        let refusal = refused("task.list", json!({"limit": "é".repeat(1_000)}));
        assert!(refusal.message.chars().count() < 150, "{}", refusal.message);
    }
}
