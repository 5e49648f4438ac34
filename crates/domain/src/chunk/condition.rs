//! Conditions on the fields of a chunk: each field is one of some values.
//!
//! Written as JSON: `{"status": "blocked"}`, or `{"status": ["new", "blocked"]}` for either. Null
//! means that the field is empty. A list of texts meets a condition when it has one of its values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Field, FieldKind, field_set, value};
use crate::{Code, Refusal};

/// What some fields must be; all of it must hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub struct Conditions(BTreeMap<String, Vec<Value>>);

impl Conditions {
    /// The condition that one field has one value.
    pub fn is(field: &str, value: &str) -> Self {
        Self(BTreeMap::from([(field.to_owned(), vec![Value::from(value)])]))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each field that a condition is about, with the values it may have.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Value])> {
        self.0.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The conditions on some of the fields.
    #[must_use]
    pub fn only(&self, is_wanted: impl Fn(&str) -> bool) -> Self {
        let wanted = self.0.iter().filter(|(name, _)| is_wanted(name));
        Self(wanted.map(|(name, values)| (name.clone(), values.clone())).collect())
    }

    pub fn read(given: &Value) -> Result<Self, Refusal> {
        let Value::Object(fields) = given else {
            return Err(Refusal::new(Code::InvalidValue, "conditions are a JSON object of fields")
                .hint("write them as {\"status\": \"blocked\"}")
                .detail("field", "fields"));
        };
        let conditions =
            fields.iter().map(|(name, wanted)| Ok((name.clone(), any_of(name, wanted)?)));
        conditions.collect::<Result<BTreeMap<_, _>, Refusal>>().map(Self)
    }

    /// The same conditions, on fields that are there, with values they can have.
    pub fn checked_for(&self, defined: &[Field]) -> Result<Self, Refusal> {
        let condition = |(name, wanted): (&String, &Vec<Value>)| {
            let field = field_set::find(defined, name)?;
            let checked =
                wanted.iter().map(|value| possible(field, value)).collect::<Result<_, _>>()?;
            Ok((name.clone(), checked))
        };
        self.0.iter().map(condition).collect::<Result<BTreeMap<_, _>, Refusal>>().map(Self)
    }

    /// Whether all of it holds for fields as they are shown.
    pub fn hold(&self, shown: &Map<String, Value>) -> bool {
        self.0.iter().all(|(name, wanted)| match shown.get(name) {
            Some(Value::Array(items)) => items.iter().any(|item| wanted.contains(item)),
            Some(value) => wanted.contains(value),
            None => wanted.contains(&Value::Null),
        })
    }
}

fn any_of(name: &str, wanted: &Value) -> Result<Vec<Value>, Refusal> {
    let mut wanted = match wanted {
        Value::Array(values) => values.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![wanted.clone()]
        }
    };
    if wanted.is_empty() || wanted.iter().any(|value| value.is_array() || value.is_object()) {
        let message = format!("the condition on '{name}' is neither a value nor a list of values");
        return Err(Refusal::new(Code::InvalidValue, message)
            .hint(format!(
                "write {{\"{name}\": \"value\"}} or {{\"{name}\": [\"one\", \"other\"]}}"
            ))
            .detail("field", name));
    }
    wanted.sort_by_key(ToString::to_string);
    wanted.dedup();
    Ok(wanted)
}

/// A value that the field can have; also nothing, which every field can be asked for.
fn possible(field: &Field, wanted: &Value) -> Result<Value, Refusal> {
    match (field.kind, wanted) {
        (_, Value::Null) => Ok(Value::Null),
        (FieldKind::StringList, Value::String(_)) => Ok(wanted.clone()),
        (
            FieldKind::Enum
            | FieldKind::Text
            | FieldKind::Url
            | FieldKind::Number
            | FieldKind::Boolean
            | FieldKind::Date
            | FieldKind::StringList
            | FieldKind::ChunkReference
            | FieldKind::Json,
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
        ) => value::checked(field, wanted),
    }
}

impl TryFrom<Value> for Conditions {
    type Error = Refusal;

    fn try_from(given: Value) -> Result<Self, Refusal> {
        Self::read(&given)
    }
}

impl From<Conditions> for Value {
    fn from(conditions: Conditions) -> Self {
        let written = |mut wanted: Vec<Value>| match (wanted.len(), wanted.pop()) {
            (1, Some(only)) => only,
            (_, last) => wanted.into_iter().chain(last).collect(),
        };
        conditions.0.into_iter().map(|(name, wanted)| (name, written(wanted))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Conditions {
        Conditions::read(&value).unwrap()
    }

    fn hold(conditions: Value, shown: Value) -> bool {
        read(conditions).hold(&serde_json::from_value(shown).unwrap())
    }

    #[test]
    fn one_value_or_one_of_a_list_is_enough_for_a_field() {
        assert!(hold(json!({"a": "x"}), json!({"a": "x"})));
        assert!(hold(json!({"a": ["x", "y"]}), json!({"a": "y"})));
        assert!(!hold(json!({"a": ["x", "y"]}), json!({"a": "z"})));
    }

    #[test]
    fn all_fields_must_hold() {
        assert!(!hold(json!({"a": "x", "b": 1}), json!({"a": "x", "b": 2})));
    }

    #[test]
    fn null_asks_for_an_empty_field() {
        assert!(hold(json!({"a": null}), json!({"a": null})));
        assert!(hold(json!({"a": null}), json!({})));
        assert!(!hold(json!({"a": null}), json!({"a": "x"})));
    }

    #[test]
    fn a_list_of_texts_has_one_of_the_values() {
        assert!(hold(json!({"a": "x"}), json!({"a": ["w", "x"]})));
        assert!(!hold(json!({"a": "x"}), json!({"a": []})));
    }

    #[test]
    fn c50_a_condition_on_a_field_that_is_not_there_is_refused() {
        let defined = [Field::one_of("status", &["new"])];
        let refusal = read(json!({"state": "new"})).checked_for(&defined).unwrap_err();
        assert_eq!(refusal.code, Code::UnknownField);
        let refusal = read(json!({"status": "old"})).checked_for(&defined).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidValue);
    }

    #[test]
    fn conditions_are_written_the_same_however_they_were_given() {
        let written = Value::from(read(json!({"b": ["y", "x", "y"], "a": ["z"]})));
        assert_eq!(written.to_string(), r#"{"a":"z","b":["x","y"]}"#);
    }

    #[test]
    fn conditions_that_are_none_are_refused() {
        for given in [json!("x"), json!({"a": []}), json!({"a": {}}), json!({"a": [["x"]]})] {
            assert!(Conditions::read(&given).is_err(), "{given}");
        }
    }
}
