//! Values of fields: each is checked against its definition before it is stored.
//!
//! A refusal names the field, what was expected and what was given.

use serde_json::{Map, Number, Value};

use super::{Field, FieldKind};
use crate::near::near;
use crate::{ChunkId, Code, Refusal, Time, text};

/// Longer words of a list are refused.
const ITEM_CHARS: usize = 1_024;
/// How much of a wrong value a message repeats.
const SHOWN_CHARS: usize = 60;

/// The value as it is stored: one day or moment, one id, is always written the same, and what says
/// nothing is null.
pub fn checked(field: &Field, given: &Value) -> Result<Value, Refusal> {
    match (field.kind, given) {
        (_, Value::Null) => empty(field),
        (FieldKind::Text, Value::String(words)) if words.trim().is_empty() => empty(field),
        (FieldKind::StringList, Value::Array(items)) if items.is_empty() => empty(field),
        (FieldKind::Enum, Value::String(word)) => one_of(field, word),
        (FieldKind::Text, Value::String(words)) => text::long(&field.name, words).map(Value::from),
        (FieldKind::Url, Value::String(address)) => url(field, address),
        (FieldKind::Number, Value::Number(number)) => Ok(Value::Number(whole(number))),
        (FieldKind::Boolean, Value::Bool(_)) => Ok(given.clone()),
        (FieldKind::Date, Value::String(day)) => date(field, day),
        (FieldKind::StringList, Value::Array(items)) => list(field, items),
        (FieldKind::ChunkReference, Value::String(id)) => match id.parse::<ChunkId>() {
            Ok(id) => Ok(Value::from(id.to_string())),
            Err(_) => Err(wrong(field, given)),
        },
        (FieldKind::Json, value) => json(field, value),
        (
            FieldKind::Enum
            | FieldKind::Text
            | FieldKind::Url
            | FieldKind::Number
            | FieldKind::Boolean
            | FieldKind::Date
            | FieldKind::StringList
            | FieldKind::ChunkReference,
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
        ) => Err(wrong(field, given)),
    }
}

fn empty(field: &Field) -> Result<Value, Refusal> {
    if !field.required {
        return Ok(Value::Null);
    }
    let message = format!("field '{}' is required and cannot be empty", field.name);
    Err(refusal(field, &Value::Null, message).hint(format!(
        "give {} as {}",
        expected(field),
        field.name
    )))
}

fn one_of(field: &Field, word: &str) -> Result<Value, Refusal> {
    if field.values.iter().any(|value| value == word) {
        return Ok(Value::from(word));
    }
    let near = near(word, field.values.iter().map(String::as_str));
    Err(wrong(field, &Value::from(word)).suggest(near))
}

/// An address that can be opened: `http` or `https`, a host, no blanks.
fn url(field: &Field, address: &str) -> Result<Value, Refusal> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    let has_host = host.is_some_and(|host| {
        let name = host.rsplit('@').next().unwrap_or(host);
        name.starts_with(|first: char| first.is_alphanumeric() || first == '[')
    });
    let is_plain =
        !address.chars().any(|letter| letter.is_whitespace() || "<>\"\\^`{|}".contains(letter));
    match has_host && is_plain && text::line(&field.name, address, text::LINK_CHARS).is_ok() {
        true => Ok(Value::from(address)),
        false => Err(wrong(field, &Value::from(address))),
    }
}

/// A whole number is written without a point, so that 1.0 is the same value as 1.
fn whole(number: &Number) -> Number {
    let written = number.to_string();
    let digits = written.strip_suffix(".0").and_then(|digits| digits.parse::<i64>().ok());
    digits.map_or_else(|| number.clone(), Number::from)
}

/// A plain day stays a day; a moment is written in UTC.
fn date(field: &Field, given: &str) -> Result<Value, Refusal> {
    let moment = Time::parse(&field.name, given)
        .map_err(|_not_a_time| wrong(field, &Value::from(given)))?
        .to_string();
    match given.parse::<jiff::civil::Date>() {
        Ok(day) if !given.contains(['T', 't', ' ']) => Ok(Value::from(day.to_string())),
        _ => Ok(Value::from(moment)),
    }
}

fn list(field: &Field, items: &[Value]) -> Result<Value, Refusal> {
    text::few(&field.name, items)?;
    let word = |item: &Value| match item {
        Value::String(word) => text::line(&field.name, word, ITEM_CHARS).map(Value::from),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(wrong(field, &Value::from(items)))
        }
    };
    items.iter().map(word).collect::<Result<Vec<Value>, Refusal>>().map(Value::from)
}

fn json(field: &Field, value: &Value) -> Result<Value, Refusal> {
    let wrapped = Map::from_iter([(field.name.clone(), value.clone())]);
    text::object_bytes(&field.name, &wrapped, text::METADATA_BYTES)?;
    Ok(value.clone())
}

/// The value is not what the field is made for.
pub(super) fn wrong(field: &Field, given: &Value) -> Refusal {
    let expected = expected(field);
    let message = format!("field '{}' takes {expected}, not {}", field.name, shown(given));
    refusal(field, given, message).hint(format!("give {expected} as {}", field.name))
}

fn refusal(field: &Field, given: &Value, message: String) -> Refusal {
    let refusal = Refusal::new(Code::InvalidValue, message)
        .detail("field", &field.name)
        .detail("expected", field.kind)
        .detail("given", shown(given));
    match field.kind {
        FieldKind::Enum => refusal.detail("allowed", &field.values),
        FieldKind::Text
        | FieldKind::Url
        | FieldKind::Number
        | FieldKind::Boolean
        | FieldKind::Date
        | FieldKind::StringList
        | FieldKind::ChunkReference
        | FieldKind::Json => refusal,
    }
}

fn expected(field: &Field) -> String {
    match field.kind {
        FieldKind::Enum => format!("one of {}", field.values.join(", ")),
        FieldKind::Text => "text".to_owned(),
        FieldKind::Url => "an http or https address".to_owned(),
        FieldKind::Number => "a number".to_owned(),
        FieldKind::Boolean => "true or false".to_owned(),
        FieldKind::Date => "a date such as 2026-11-15 or 2026-11-15T09:30:00Z".to_owned(),
        FieldKind::StringList => "a list of texts".to_owned(),
        FieldKind::ChunkReference => "a chunk".to_owned(),
        FieldKind::Json => "a JSON value".to_owned(),
    }
}

/// A wrong value as a message repeats it: its beginning is enough to know it by.
fn shown(value: &Value) -> String {
    let written = value.to_string();
    match written.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", written.get(..end).unwrap_or_default()),
        None => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn field(kind: FieldKind) -> Field {
        match kind {
            FieldKind::Enum => Field::one_of("f", &["critical", "high"]),
            FieldKind::Text
            | FieldKind::Url
            | FieldKind::Number
            | FieldKind::Boolean
            | FieldKind::Date
            | FieldKind::StringList
            | FieldKind::ChunkReference
            | FieldKind::Json => Field::new("f", kind),
        }
    }

    /// One value for each type of JSON, and which types of fields take it.
    fn samples() -> Vec<(Value, &'static [FieldKind])> {
        vec![
            (json!(true), &[FieldKind::Boolean, FieldKind::Json]),
            (json!(3.5), &[FieldKind::Number, FieldKind::Json]),
            (json!("high"), &[FieldKind::Enum, FieldKind::Text, FieldKind::Json]),
            (json!("https://a.b/c"), &[FieldKind::Url, FieldKind::Text, FieldKind::Json]),
            (json!("2026-11-15"), &[FieldKind::Date, FieldKind::Text, FieldKind::Json]),
            (
                json!("01J00000000000000000000000"),
                &[FieldKind::ChunkReference, FieldKind::Text, FieldKind::Json],
            ),
            (json!(["a", "b"]), &[FieldKind::StringList, FieldKind::Json]),
            (json!({"a": 1}), &[FieldKind::Json]),
        ]
    }

    #[test]
    fn c21_a_value_of_every_wrong_type_is_refused_by_the_name_of_its_field() {
        for (value, takers) in samples() {
            for kind in FieldKind::ALL {
                let answer = checked(&field(*kind), &value);
                if takers.contains(kind) {
                    assert_eq!(answer, Ok(value.clone()), "{kind} {value}");
                    continue;
                }
                let refusal = answer.unwrap_err();
                assert!(refusal.message.starts_with("field 'f' takes "), "{refusal}");
                assert_eq!(refusal.details["expected"], kind.as_str(), "{value}");
            }
        }
    }

    #[test]
    fn c21_a_word_outside_an_enum_is_refused_with_the_words_it_has() {
        let refusal = checked(&field(FieldKind::Enum), &json!("hihg")).unwrap_err();
        assert_eq!(refusal.message, "field 'f' takes one of critical, high, not \"hihg\"");
        assert_eq!(refusal.details["allowed"], json!(["critical", "high"]));
        assert_eq!(refusal.suggestions, ["high"]);
    }

    #[test]
    fn c21_what_cannot_be_opened_is_no_url() {
        let bad = [
            "",
            "a",
            "ftp://a",
            "http://",
            "https:///x",
            "http://?",
            "http://a b",
            "javascript:alert(1)",
            "http://a/\"x",
            "HTTP//a",
        ];
        for address in bad {
            assert!(checked(&field(FieldKind::Url), &json!(address)).is_err(), "{address}");
        }
        for address in ["http://a", "https://a.b:80/c?d=e#f", "http://[::1]/", "https://u@h/"] {
            assert!(checked(&field(FieldKind::Url), &json!(address)).is_ok(), "{address}");
        }
    }

    #[test]
    fn c22_a_required_field_cannot_be_set_to_null() {
        let required = Field { required: true, ..field(FieldKind::Text) };
        let refusal = checked(&required, &Value::Null).unwrap_err();
        assert_eq!(refusal.message, "field 'f' is required and cannot be empty");
        assert_eq!(checked(&field(FieldKind::Text), &Value::Null), Ok(Value::Null));
    }

    #[test]
    fn a_moment_is_stored_in_utc() {
        let stored = checked(&field(FieldKind::Date), &json!("2026-11-15T10:30:00+01:00"));
        assert_eq!(stored, Ok(json!("2026-11-15T09:30:00.000Z")));
    }

    #[test]
    fn a_whole_number_is_stored_without_a_point() {
        assert_eq!(checked(&field(FieldKind::Number), &json!(2.0)), Ok(json!(2)));
        assert_eq!(checked(&field(FieldKind::Number), &json!(2.5)), Ok(json!(2.5)));
    }

    #[test]
    fn an_id_is_stored_as_it_is_written_everywhere() {
        let stored =
            checked(&field(FieldKind::ChunkReference), &json!("01j00000000000000000000000"));
        assert_eq!(stored, Ok(json!("01J00000000000000000000000")));
    }

    #[test]
    fn a_list_of_something_else_than_texts_is_refused() {
        assert!(checked(&field(FieldKind::StringList), &json!(["a", 1])).is_err());
        assert!(checked(&field(FieldKind::StringList), &json!([""])).is_err());
        assert!(checked(&field(FieldKind::StringList), &json!(vec!["a"; 101])).is_err());
    }

    #[test]
    fn what_no_database_can_keep_is_refused() {
        for kind in [FieldKind::Text, FieldKind::Json] {
            assert!(checked(&field(kind), &json!("a\0b")).is_err(), "{kind}");
        }
        assert!(checked(&field(FieldKind::Json), &json!("x".repeat(70_000))).is_err());
    }

    #[test]
    fn a_long_wrong_value_is_not_repeated_whole() {
        let refusal = checked(&field(FieldKind::Number), &json!("ä".repeat(500))).unwrap_err();
        assert!(refusal.message.chars().count() < 120, "{refusal}");
    }
}
