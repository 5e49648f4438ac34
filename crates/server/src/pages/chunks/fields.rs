//! The fields of a type, to be filled in: each by what its kind takes.

use maud::{Markup, html};
use serde_json::Value;
use windlass_domain::chunk::{ChunkType, Field, FieldKind};

use super::facts::{pretty, written};

/// All fields of a type with what is in them.
pub(super) fn fields<'a>(of: &'a ChunkType, value_of: impl Fn(&'a Field) -> Value) -> Markup {
    html! { @for field in &of.fields { (input(field, &value_of(field))) } }
}

/// One field. Its name says that it is an item of the list `field`, in which operations take them.
fn input(field: &Field, value: &Value) -> Markup {
    let name = format!("field.{}", field.name);
    let text = written(value);
    html! {
        label.field {
            span {
                (field.name.replace('_', " "))
                @if let Some(about) = &field.description { ": " (about) }
                @if let Some(how) = how(field.kind) { " (" (how) ")" }
            }
            @match field.kind {
                FieldKind::Enum => (choice(&name, field, &text, field.values.iter().map(|value| (value.as_str(), value.as_str())))),
                FieldKind::Boolean => (choice(&name, field, &text, [("true", "yes"), ("false", "no")].into_iter())),
                FieldKind::Text => textarea name=(name) rows="2" required[is_asked(field)] { "\n" (text) },
                FieldKind::Json => textarea.mono name=(name) rows="3" required[is_asked(field)] { "\n" @if !value.is_null() { (pretty(value)) } },
                FieldKind::Url => input type="url" name=(name) value=(text) required[is_asked(field)];,
                FieldKind::Number => input type="number" step="any" name=(name) value=(text) required[is_asked(field)];,
                FieldKind::Date | FieldKind::StringList | FieldKind::ChunkReference =>
                    input name=(name) value=(text) required[is_asked(field)] autocomplete="off";,
            }
        }
    }
}

/// How a value is written, where that is not plain.
fn how(kind: FieldKind) -> Option<&'static str> {
    match kind {
        FieldKind::Date => Some("such as 2026-11-15"),
        FieldKind::StringList => Some("with commas between"),
        FieldKind::ChunkReference => Some("the id of a chunk"),
        FieldKind::Json => Some("as JSON"),
        FieldKind::Enum
        | FieldKind::Text
        | FieldKind::Url
        | FieldKind::Number
        | FieldKind::Boolean => None,
    }
}

/// It is never empty, and nothing stands in for what is not given.
fn is_asked(field: &Field) -> bool {
    field.required && field.default.is_none()
}

fn choice<'a>(
    name: &str,
    field: &Field,
    chosen: &str,
    words: impl Iterator<Item = (&'a str, &'a str)>,
) -> Markup {
    html! {
        select name=(name) required[is_asked(field)] {
            @if !field.required || chosen.is_empty() { option value="" { "–" } }
            @for (word, shown) in words { option value=(word) selected[word == chosen] { (shown) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_enum_is_chosen_from_its_values_in_their_order() {
        let field = Field::one_of("status", &["new", "old"]).always("new");
        let said = input(&field, &json!("old")).into_string();
        let (new, old) = (said.find("value=\"new\""), said.find("value=\"old\" selected"));
        assert!(new.is_some() && new < old, "{said}");
        assert!(said.contains("name=\"field.status\"") && !said.contains("value=\"\""), "{said}");
    }

    #[test]
    fn a_field_that_must_be_given_is_asked_for() {
        let field = Field { required: true, ..Field::new("why", FieldKind::Text) };
        assert!(input(&field, &Value::Null).into_string().contains("required"));
    }
}
