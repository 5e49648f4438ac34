//! What a field of an operation holds, by its schema: for those who have texts, and must give more.

use serde_json::Value;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A whole number.
    Whole,
    Number,
    /// Yes or no.
    Flag,
    List,
    Object,
    /// Whatever JSON can say.
    Any,
}

impl Kind {
    /// What the schema of an operation says of a field. One that it does not have is a text, which
    /// will be refused.
    pub(crate) fn of(schema: &Value, name: &str) -> Self {
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        property.map_or(Self::Text, |property| Self::of_property(schema, property))
    }

    fn of_property(schema: &Value, property: &Value) -> Self {
        if let Some(name) = property.get("$ref").and_then(Value::as_str) {
            let defined = name.strip_prefix('#').and_then(|path| schema.pointer(path));
            return defined.map_or(Self::Text, |defined| Self::of_property(schema, defined));
        }
        // A field that may be left out is one of two: its type, or null.
        if let Some(choices) = property.get("anyOf").and_then(Value::as_array) {
            let is_null = |choice: &Value| choice.get("type") == Some(&Value::from("null"));
            let own = choices.iter().find(|choice| !is_null(choice));
            return own.map_or(Self::Text, |own| Self::of_property(schema, own));
        }
        let named = match property.get("type") {
            Some(Value::Array(types)) => types.iter().find(|one| *one != "null"),
            one => one,
        };
        let is_open =
            ["type", "enum", "oneOf", "const"].iter().all(|word| property.get(word).is_none());
        match named.and_then(Value::as_str) {
            _ if is_open => Self::Any,
            Some("integer") => Self::Whole,
            Some("number") => Self::Number,
            Some("boolean") => Self::Flag,
            Some("array") => Self::List,
            Some("object") => Self::Object,
            _ => Self::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kind_is_found_behind_references_and_choices() {
        let schema = json!({
            "properties": {
                "plain": {"type": "integer"},
                "optional": {"type": ["boolean", "null"]},
                "behind": {"$ref": "#/$defs/Many"},
                "either": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Many"}]},
                "word": {"enum": ["a", "b"]},
                "share": {"type": "number"},
                "data": {"type": "object"},
                "open": {"anyOf": [{"$ref": "#/$defs/Anything"}, {"type": "null"}]},
            },
            "$defs": {"Many": {"type": "array"}, "Anything": {"description": "any JSON"}},
        });
        let expected = [
            ("plain", Kind::Whole),
            ("optional", Kind::Flag),
            ("behind", Kind::List),
            ("either", Kind::List),
            ("word", Kind::Text),
            ("share", Kind::Number),
            ("data", Kind::Object),
            ("open", Kind::Any),
            ("missing", Kind::Text),
        ];
        for (name, kind) in expected {
            assert_eq!(Kind::of(&schema, name), kind, "{name}");
        }
    }
}
