//! Fields as Hizal calls them, and what becomes of them.

use serde_json::{Value, json};
use windlass_domain::chunk::decided::PROMOTED_BY;
use windlass_domain::json;

/// The field of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The field of the operation; nothing where it has no meaning here, and is taken all the same.
    pub(crate) to: Option<&'static str>,
    pub(crate) about: &'static str,
    pub(crate) is_needed: bool,
    how: How,
}

/// How a value is made one of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// It is the same.
    Same,
    /// A word that Hizal writes in capitals.
    Word,
    /// The same, where we take several.
    Words,
    /// JSON, which Hizal also takes as a text.
    Json,
    /// The name of an agent, where we take any owner.
    Agent,
    /// Somebody's name, kept as a tag.
    PromotedBy,
}

impl Field {
    /// A field that is called so here too.
    pub(super) const fn same(name: &'static str, about: &'static str) -> Self {
        Self::called(name, name, about)
    }

    pub(super) const fn called(name: &'static str, to: &'static str, about: &'static str) -> Self {
        Self { name, to: Some(to), about, is_needed: false, how: How::Same }
    }

    /// A field without any meaning here.
    pub(super) const fn idle(name: &'static str, about: &'static str) -> Self {
        Self { name, to: None, about, is_needed: false, how: How::Same }
    }

    pub(super) const fn needed(self) -> Self {
        Self { is_needed: true, ..self }
    }

    pub(super) const fn word(self) -> Self {
        Self { how: How::Word, ..self }
    }

    pub(super) const fn words(self) -> Self {
        Self { how: How::Words, ..self }
    }

    pub(super) const fn json(self) -> Self {
        Self { how: How::Json, ..self }
    }

    pub(super) const fn agent(self) -> Self {
        Self { how: How::Agent, ..self }
    }

    pub(super) const fn promoted_by(self) -> Self {
        Self { how: How::PromotedBy, ..self }
    }

    /// Whether it takes what the field of the operation takes.
    pub(crate) fn is_like_ours(&self) -> bool {
        self.to.is_some() && matches!(self.how, How::Same | How::Json)
    }

    /// The value for the operation. One of the wrong kind stays as it is, for the operation to refuse.
    pub(super) fn translated(&self, given: Value) -> Value {
        match (self.how, given) {
            (How::Word, Value::String(text)) => text.to_lowercase().into(),
            (How::Words, Value::String(text)) => json!([text.to_lowercase()]),
            (How::Json, Value::String(text)) => {
                json::read(text.as_bytes()).unwrap_or(Value::String(text))
            }
            (How::Agent, Value::String(name)) => format!("agent:{name}").into(),
            (How::PromotedBy, Value::String(text)) => json!([format!("{PROMOTED_BY}{text}")]),
            (_, given) => given,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_capitals_are_ours() {
        let scope = Field::same("scope", "").word();
        assert_eq!(scope.translated(json!("PROJECT")), json!("project"));
        let chunk_type = Field::called("chunk_type", "chunk_types", "").words();
        assert_eq!(chunk_type.translated(json!("DECISION")), json!(["decision"]));
    }

    #[test]
    fn json_may_come_as_a_text() {
        let audience = Field::called("inject_audience", "audience", "").json();
        let rules = json!({"rules": [{"all": true}]});
        assert_eq!(audience.translated(rules.to_string().into()), rules);
        assert_eq!(audience.translated(rules.clone()), rules);
        assert_eq!(audience.translated(json!("{")), json!("{"));
    }

    #[test]
    fn what_is_of_the_wrong_kind_is_left_to_the_operation() {
        assert_eq!(Field::same("scope", "").word().translated(json!(5)), json!(5));
    }
}
