//! A field that takes one of a few words: it is chosen, not typed.

use maud::{Markup, html};
use serde_json::Value;

/// A word that a field takes, and what is said of it.
#[derive(Debug, PartialEq, Eq)]
struct Choice<'a> {
    word: &'a str,
    about: Option<&'a str>,
}

/// The field with the word that was given; nothing where the schema takes any text.
pub(super) fn choice(schema: &Value, name: &str, given: &str) -> Option<Markup> {
    let property = schema.get("properties")?.get(name)?;
    let choices = choices(schema, property);
    (!choices.is_empty()).then(|| {
        html! {
            label.field {
                span { (name.replace('_', " ")) }
                select name=(name) {
                    @for Choice { word, about } in choices {
                        option value=(word) selected[word == given] {
                            (word) @if let Some(about) = about { ": " (about) }
                        }
                    }
                }
            }
        }
    })
}

/// The words that a schema names, if it names any.
fn choices<'a>(schema: &'a Value, property: &'a Value) -> Vec<Choice<'a>> {
    if let Some(name) = property.get("$ref").and_then(Value::as_str) {
        let defined = name.strip_prefix('#').and_then(|path| schema.pointer(path));
        return defined.map(|defined| choices(schema, defined)).unwrap_or_default();
    }
    let list = |name: &str| property.get(name).and_then(Value::as_array).into_iter().flatten();
    let plain = list("enum").filter_map(Value::as_str).map(|word| Choice { word, about: None });
    let told = list("oneOf").filter_map(|one| {
        let about = one.get("description").and_then(Value::as_str);
        Some(Choice { word: one.get("const")?.as_str()?, about })
    });
    // A field that may be left out is one of two: its words, or null.
    let inner = list("anyOf").flat_map(|one| choices(schema, one));
    plain.chain(told).chain(inner).collect()
}

#[cfg(test)]
mod tests {
    use windlass_ops::table::Entry;

    use super::*;

    fn words(operation: &str, field: &str) -> Vec<String> {
        let schema = (Entry::named(operation).unwrap().input)().to_value();
        let choices = choices(&schema, &schema["properties"][field]);
        choices.into_iter().map(|choice| choice.word.to_owned()).collect()
    }

    #[test]
    fn a_field_with_a_few_words_has_them_to_choose_from() {
        assert_eq!(words("key.create", "role"), ["worker", "reviewer", "approver", "admin"]);
        assert_eq!(words("task.claim", "view"), ["summary", "standard", "full"]);
    }

    #[test]
    fn a_field_that_takes_any_text_is_typed() {
        assert_eq!(words("key.create", "for"), Vec::<String>::new());
    }
}
