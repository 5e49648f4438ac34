//! Fields: what a chunk of some type carries besides its text.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::value;
use crate::word::words;
use crate::{Code, Refusal, text};

const NAME_CHARS: usize = 64;
const VALUE_CHARS: usize = 128;

words! {
    /// What the values of a field are.
    FieldKind {
        /// One of a list, in the order of that list.
        Enum "enum",
        Text "text",
        /// With `http` or `https`.
        Url "url",
        Number "number",
        Boolean "boolean",
        /// A day, or a moment.
        Date "date",
        StringList "string_list",
        /// The id of a chunk.
        ChunkReference "chunk_reference",
        Json "json",
    }
}

/// The definition of a field. It is written by people, so a word it does not know is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: FieldKind,
    /// It is never empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What a chunk has that was given nothing; also one that is older than the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What an enum may be, in the order that it is sorted by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Field {
    /// A field that may be empty and says nothing of itself.
    pub fn new(name: &str, kind: FieldKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            required: false,
            default: None,
            values: Vec::new(),
            description: None,
        }
    }

    /// A field that is one of some values.
    pub fn one_of(name: &str, values: &[&str]) -> Self {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Self { values, ..Self::new(name, FieldKind::Enum) }
    }

    /// The same field, which is never empty and has this value where none is given.
    #[must_use]
    pub fn always(self, default: &str) -> Self {
        Self { required: true, default: Some(Value::from(default)), ..self }
    }

    #[must_use]
    pub fn described(self, description: &str) -> Self {
        Self { description: Some(description.to_owned()), ..self }
    }

    /// Checks the definition itself.
    pub fn checked(mut self) -> Result<Self, Refusal> {
        self.check_name()?;
        self.check_values()?;
        if let Some(description) = &self.description {
            text::long("description", description)?;
        }
        if let Some(default) = &self.default {
            self.default = Some(value::checked(&self, default)?);
        }
        Ok(self)
    }

    fn check_name(&self) -> Result<(), Refusal> {
        let begins_well = self.name.starts_with(|first: char| first.is_ascii_lowercase());
        let is_allowed =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if begins_well && self.name.len() <= NAME_CHARS && self.name.chars().all(is_allowed) {
            return Ok(());
        }
        Err(self
            .invalid(format!("'{}' is not the name of a field", self.name))
            .hint("begin with a small letter, then use small letters, digits and _")
            .detail("limit", NAME_CHARS))
    }

    fn check_values(&self) -> Result<(), Refusal> {
        if self.kind != FieldKind::Enum {
            return match self.values.is_empty() {
                true => Ok(()),
                false => Err(self
                    .invalid(format!("field '{}' is no enum and has values", self.name))
                    .hint("leave the values out, or make its type enum")),
            };
        }
        if self.values.is_empty() {
            return Err(self
                .invalid(format!("the enum '{}' has no values", self.name))
                .hint("list what it may be, in the order it is sorted by"));
        }
        text::few("values", &self.values)?;
        for value in &self.values {
            text::line("value", value, VALUE_CHARS)?;
        }
        let different: BTreeSet<&String> = self.values.iter().collect();
        if different.len() != self.values.len() {
            return Err(self
                .invalid(format!("the enum '{}' has the same value twice", self.name))
                .hint("list each value once"));
        }
        Ok(())
    }

    fn invalid(&self, message: String) -> Refusal {
        Refusal::new(Code::InvalidValue, message).detail("field", &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Field {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn c17_a_field_has_name_type_required_default_values_and_description() {
        let field = read(
            r#"{"name":"priority","type":"enum","required":true,"default":"low",
                "values":["high","low"],"description":"how urgent"}"#,
        );
        let same = Field::one_of("priority", &["high", "low"]).always("low");
        assert_eq!(field.checked(), same.described("how urgent").checked());
    }

    #[test]
    fn c18_there_are_nine_types_of_fields() {
        let words: Vec<&str> = FieldKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(
            words,
            [
                "enum",
                "text",
                "url",
                "number",
                "boolean",
                "date",
                "string_list",
                "chunk_reference",
                "json"
            ]
        );
    }

    #[test]
    fn a_misspelt_word_of_a_definition_is_refused() {
        let json = r#"{"name":"a","type":"text","requird":true}"#;
        assert!(serde_json::from_str::<Field>(json).is_err());
    }

    #[test]
    fn a_default_that_the_field_itself_would_refuse_is_refused() {
        let field = Field::one_of("status", &["new"]).always("old");
        assert_eq!(field.checked().unwrap_err().code, Code::InvalidValue);
    }

    #[test]
    fn names_that_are_no_names_are_refused() {
        for name in ["", "Status", "1st", "_a", "a-b", "a b", &"a".repeat(65)] {
            assert!(Field::new(name, FieldKind::Text).checked().is_err(), "{name}");
        }
    }

    #[test]
    fn an_enum_has_values_and_nothing_else_has() {
        assert!(Field::one_of("a", &[]).checked().is_err());
        assert!(Field::one_of("a", &["x", "x"]).checked().is_err());
        let text = Field { kind: FieldKind::Text, ..Field::one_of("a", &["x"]) };
        assert!(text.checked().is_err());
    }
}
