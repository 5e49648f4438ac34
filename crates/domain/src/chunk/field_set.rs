//! The fields of one chunk: what is given when it is written or changed, and what it shows.
//!
//! Stored is what was given or filled in at the time; an empty value that somebody set is stored as
//! null. What a chunk shows follows from that and from its type as it is now.

use serde_json::{Map, Value};

use super::{Field, value};
use crate::near::near;
use crate::{Code, Refusal};

/// One field that changed.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FieldChange {
    pub name: String,
    pub before: Value,
    pub after: Value,
}

/// The fields of a new chunk: what is given, and the defaults of the rest.
pub fn written(
    defined: &[Field],
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Refusal> {
    let mut stored = checked(defined, given)?;
    for field in defined.iter().filter(|field| !given.contains_key(&field.name)) {
        match &field.default {
            Some(default) => {
                stored.insert(field.name.clone(), default.clone());
            }
            None if field.required => return Err(missing(field)),
            None => {}
        }
    }
    Ok(stored)
}

/// What changes when some fields of a chunk are given anew. Null empties a field.
pub fn changed(
    defined: &[Field],
    stored: &Map<String, Value>,
    given: &Map<String, Value>,
) -> Result<Vec<FieldChange>, Refusal> {
    let given = checked(defined, given)?;
    let mut changes = Vec::new();
    for field in defined {
        let Some(after) = given.get(&field.name) else { continue };
        let before = value_of(field, stored);
        if before != *after {
            changes.push(FieldChange { name: field.name.clone(), before, after: after.clone() });
        }
    }
    Ok(changes)
}

/// Every field that the type has now, in its order. A field that came later shows its default.
pub fn shown(defined: &[Field], stored: &Map<String, Value>) -> Map<String, Value> {
    defined.iter().map(|field| (field.name.clone(), value_of(field, stored))).collect()
}

/// The field of a name; one that is not there is refused with what is.
pub fn find<'a>(defined: &'a [Field], name: &str) -> Result<&'a Field, Refusal> {
    defined.iter().find(|field| field.name == name).ok_or_else(|| {
        let names: Vec<&str> = defined.iter().map(|field| field.name.as_str()).collect();
        let hint = match names.is_empty() {
            true => "chunks of this type have no fields".to_owned(),
            false => format!("the fields are {}", names.join(", ")),
        };
        Refusal::new(Code::UnknownField, format!("there is no field '{name}'"))
            .hint(hint)
            .detail("field", name)
            .detail("allowed", &names)
            .suggest(near(name, names.iter().copied()))
    })
}

fn checked(defined: &[Field], given: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    given
        .iter()
        .map(|(name, value)| Ok((name.clone(), value::checked(find(defined, name)?, value)?)))
        .collect()
}

fn value_of(field: &Field, stored: &Map<String, Value>) -> Value {
    let value = stored.get(&field.name).or(field.default.as_ref());
    value.cloned().unwrap_or(Value::Null)
}

fn missing(field: &Field) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("field '{}' is required", field.name))
        .hint(format!("give a value for {}", field.name))
        .detail("field", &field.name)
        .detail("expected", field.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::FieldKind;
    use serde_json::json;

    fn defined() -> Vec<Field> {
        vec![
            Field::one_of("status", &["new", "blocked"]).always("new"),
            Field::new("reason", FieldKind::Text),
        ]
    }

    fn object(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_new_chunk_has_the_defaults_of_what_it_was_not_given() {
        let stored = written(&defined(), &Map::new()).unwrap();
        assert_eq!(Value::from(stored), json!({"status": "new"}));
    }

    #[test]
    fn c21_an_unknown_field_is_refused_with_the_nearest_name() {
        let refusal = written(&defined(), &object(json!({"statsu": "new"}))).unwrap_err();
        assert_eq!(refusal.code, Code::UnknownField);
        assert_eq!(refusal.suggestions, ["status"]);
    }

    #[test]
    fn a_required_field_without_a_default_must_be_given() {
        let required = [Field { required: true, ..Field::new("why", FieldKind::Text) }];
        let refusal = written(&required, &Map::new()).unwrap_err();
        assert_eq!(refusal.message, "field 'why' is required");
    }

    #[test]
    fn c23_a_change_has_the_old_value_and_the_new_one() {
        let stored = object(json!({"status": "new"}));
        let given = object(json!({"status": "blocked", "reason": null}));
        let expected =
            FieldChange { name: "status".into(), before: json!("new"), after: json!("blocked") };
        assert_eq!(changed(&defined(), &stored, &given), Ok(vec![expected]));
    }

    #[test]
    fn c23_every_field_of_the_type_is_shown() {
        let shown = shown(&defined(), &object(json!({"status": "blocked"})));
        assert_eq!(Value::from(shown), json!({"status": "blocked", "reason": null}));
    }

    #[test]
    fn c24_an_old_chunk_shows_the_default_of_a_field_that_came_later() {
        let shown = shown(&defined(), &Map::new());
        assert_eq!(shown["status"], json!("new"));
    }

    #[test]
    fn a_field_that_was_emptied_does_not_show_its_default() {
        let optional = [Field { default: Some(json!("x")), ..Field::new("a", FieldKind::Text) }];
        assert_eq!(shown(&optional, &object(json!({"a": null})))["a"], Value::Null);
    }
}
