//! The fields of a schema, as people read them.

use serde_json::{Value, json};

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    /// Its type in words: `text`, `list of text`, `worker | admin`.
    pub(super) kind: String,
    pub(super) about: String,
    pub(super) required: bool,
    pub(super) default: Option<String>,
}

impl Field {
    /// A value of its type.
    pub(super) fn sample(&self) -> Value {
        match (self.name.as_str(), self.kind.as_str()) {
            (_, "number") => json!(50),
            (_, "true or false") => json!(true),
            (_, kind) if kind.starts_with("list") => json!(["…"]),
            (_, kind) if kind.contains(" | ") => json!(kind.split(" | ").next()),
            ("task", _) => json!("8F3K2Q"),
            ("title", _) => json!("fix the login page"),
            ("status", _) => json!("ready"),
            ("for", _) => json!("agent:worker-1"),
            ("name", _) => json!("api"),
            _ => json!("…"),
        }
    }
}

/// The fields of an object, in their order.
pub(super) fn fields(schema: &Value) -> Vec<Field> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let field = |(name, property): (&String, &Value)| Field {
        name: name.clone(),
        kind: kind(schema, property, 0),
        about: about(schema, property),
        required: required.contains(&name.as_str()),
        default: default(property),
    };
    let mut fields: Vec<Field> = properties.into_iter().flatten().map(field).collect();
    fields.sort_by_key(|field| !field.required);
    fields
}

/// What a reference leads to, or the thing itself.
fn resolved<'a>(schema: &'a Value, property: &'a Value) -> &'a Value {
    let name = property.get("$ref").and_then(Value::as_str);
    name.and_then(|name| schema.pointer(name.strip_prefix('#')?)).unwrap_or(property)
}

fn about(schema: &Value, property: &Value) -> String {
    let own = |value: &Value| value.get("description").and_then(Value::as_str).map(str::to_owned);
    let named = || own(resolved(schema, property));
    let choice = || {
        let choices = property.get("anyOf").and_then(Value::as_array)?;
        choices.iter().find_map(|choice| own(resolved(schema, choice)))
    };
    let text = own(property).or_else(named).or_else(choice).unwrap_or_default();
    text.replace('\n', " ")
}

fn default(property: &Value) -> Option<String> {
    match property.get("default")? {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(list) if list.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// How deep lists of objects are told.
const DEEPEST: usize = 2;

fn kind(schema: &Value, property: &Value, depth: usize) -> String {
    let property = resolved(schema, property);
    for choices in ["anyOf", "oneOf"] {
        if let Some(choices) = property.get(choices).and_then(Value::as_array) {
            let own = choices.iter().filter(|choice| choice.get("type") != Some(&json!("null")));
            let told: Vec<String> = own.map(|choice| kind(schema, choice, depth)).collect();
            return told.join(" | ");
        }
    }
    if let Some(value) = property.get("const").and_then(Value::as_str) {
        return value.to_owned();
    }
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        return values.join(" | ");
    }
    let named = match property.get("type") {
        Some(Value::Array(types)) => types.iter().find(|one| **one != json!("null")),
        one => one,
    };
    match named.and_then(Value::as_str) {
        Some("string") => "text".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => match property.get("items") {
            Some(items) if depth < DEEPEST => format!("list of {}", kind(schema, items, depth + 1)),
            _ => "list".to_owned(),
        },
        Some("object") => object(schema, property, depth),
        _ => "any value".to_owned(),
    }
}

/// An object by the names of its fields.
fn object(schema: &Value, property: &Value, depth: usize) -> String {
    let names = property.get("properties").and_then(Value::as_object);
    match names.map(|names| names.keys().cloned().collect::<Vec<_>>()) {
        Some(names) if !names.is_empty() && depth < DEEPEST => format!("{{{}}}", names.join(", ")),
        _ => match property.get("additionalProperties") {
            Some(of @ Value::Object(_)) => format!("object of {}", kind(schema, of, depth + 1)),
            _ => "object".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_in_words() {
        let schema = json!({
            "properties": {
                "title": {"type": "string", "description": "What is to be\ndone"},
                "priority": {"type": ["integer", "null"], "default": 0},
                "tags": {"type": "array", "items": {"type": "string"}, "default": []},
                "role": {"$ref": "#/$defs/Role"},
                "view": {"anyOf": [{"$ref": "#/$defs/Role"}, {"type": "null"}]},
            },
            "required": ["role"],
            "$defs": {"Role": {"oneOf": [
                {"const": "worker", "type": "string"}, {"const": "admin", "type": "string"},
            ], "description": "What it may do."}},
        });
        let told: Vec<(String, String)> =
            fields(&schema).into_iter().map(|field| (field.name, field.kind)).collect();
        let expected = [
            ("role", "worker | admin"),
            ("title", "text"),
            ("priority", "number"),
            ("tags", "list of text"),
            ("view", "worker | admin"),
        ];
        let mut expected = expected.map(|(name, kind)| (name.to_owned(), kind.to_owned())).to_vec();
        let mut told_sorted = told.clone();
        told_sorted.sort();
        expected.sort();
        assert_eq!(told_sorted, expected);
        assert_eq!(told.first().map(|(name, _)| name.as_str()), Some("role"));
    }

    #[test]
    fn a_default_is_told_unless_it_is_nothing() {
        let told = [json!("24h"), json!(20), json!(false), json!(null), json!([]), json!("")]
            .map(|value| default(&json!({ "default": value })));
        assert_eq!(told, [Some("24h".to_owned()), Some("20".to_owned()), None, None, None, None]);
    }
}
