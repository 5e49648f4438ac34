//! Which parts of a chunk a list shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chunk::ChunkType;
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal};
use windlass_ledger::Fault;

use super::list::{CREATED, UPDATED};
use super::view::ChunkView;

/// Every part of a chunk.
const ALL: [&str; 28] = [
    "chunk_id",
    "chunk_type",
    "scope",
    "project",
    "agent",
    "query_key",
    "title",
    "content",
    "tags",
    "fields",
    "audience",
    "gotchas",
    "related",
    "visibility",
    "source",
    "pinned",
    "expires_at",
    "current",
    "superseded",
    "links",
    "task_id",
    "version",
    "author",
    "created_by",
    "created_at",
    "updated_at",
    "reviews",
    "signals",
];

/// What is shown where nothing else is asked for: all but what may be long.
pub(super) const USUAL: [&str; 15] = [
    "chunk_id",
    "chunk_type",
    "scope",
    "project",
    "agent",
    "query_key",
    "title",
    "tags",
    "fields",
    "pinned",
    "current",
    "task_id",
    "version",
    "created_at",
    "updated_at",
];

/// Some parts of a chunk, named and shaped as `chunk show` has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ChunkParts(pub Map<String, Value>);

/// The parts that are shown.
pub(super) struct Projection {
    parts: Vec<String>,
    /// Of the fields only these; all when empty.
    fields: Vec<String>,
}

impl Projection {
    /// The parts that somebody names; fields of the type are parts too.
    pub(super) fn read(given: &[String], of: Option<&ChunkType>) -> Result<Self, Refusal> {
        let mut projection = Self { parts: Vec::new(), fields: Vec::new() };
        if given.is_empty() {
            projection.parts = USUAL.map(str::to_owned).to_vec();
            return Ok(projection);
        }
        // Without it nobody could tell which chunk it is.
        projection.parts.push("chunk_id".to_owned());
        let fields = of.map(|known| known.fields.as_slice()).unwrap_or_default();
        for part in given {
            if ALL.contains(&part.as_str()) {
                projection.parts.push(part.clone());
            } else if fields.iter().any(|field| field.name == *part) {
                projection.parts.push("fields".to_owned());
                projection.fields.push(part.clone());
            } else {
                let names = fields.iter().map(|field| field.name.as_str());
                let known: Vec<&str> = ALL.into_iter().chain(names).collect();
                return Err(Refusal::new(
                    Code::UnknownField,
                    format!("a chunk has no part '{part}'"),
                )
                .hint(format!("the parts are {}", known.join(", ")))
                .detail("field", "show")
                .detail("given", part)
                .suggest(near(part, known.iter().copied())));
            }
        }
        if given.iter().any(|part| part == "fields") {
            projection.fields.clear();
        }
        Ok(projection)
    }

    pub(super) fn of(&self, view: &ChunkView) -> Result<ChunkParts, Fault> {
        let Ok(Value::Object(mut all)) = serde_json::to_value(view) else {
            return Err(Fault::bug("a chunk is not shown as a JSON object"));
        };
        all.retain(|part, _| self.parts.contains(part));
        if let (Some(Value::Object(fields)), false) =
            (all.get_mut("fields"), self.fields.is_empty())
        {
            fields.retain(|name, _| self.fields.contains(name));
        }
        Ok(ChunkParts(all))
    }
}

/// Refuses a type with a field of a name that lists use themselves, to show a part or to sort by.
pub(crate) fn refuse_taken_names(of: &ChunkType) -> Result<(), Refusal> {
    let is_taken = |name: &str| ALL.contains(&name) || [CREATED, UPDATED].contains(&name);
    match of.fields.iter().find(|field| is_taken(&field.name)) {
        None => Ok(()),
        Some(field) => {
            let message = format!("'{}' is a part of every chunk already", field.name);
            Err(Refusal::new(Code::InvalidValue, message)
                .hint("give the field another name")
                .detail("field", &field.name))
        }
    }
}

impl ChunkParts {
    /// It has nothing that a row of a table has no room for.
    pub(super) fn is_short(&self) -> bool {
        self.0.keys().all(|part| USUAL.contains(&part.as_str()))
    }

    /// A part as text; nothing when it is empty or was not asked for.
    pub(super) fn text(&self, part: &str) -> Option<String> {
        self.0.get(part).and_then(written)
    }

    /// It has all that is shown where nothing was asked for.
    pub(super) fn is_usual(&self) -> bool {
        USUAL.iter().all(|part| self.0.contains_key(*part))
    }

    /// The fields that are shown, also those that are empty.
    pub(super) fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields().into_iter().flat_map(|fields| fields.keys().map(String::as_str))
    }

    /// A field as text; nothing when it is empty or was not asked for.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        self.fields()?.get(name).and_then(written)
    }

    fn fields(&self) -> Option<&Map<String, Value>> {
        self.0.get("fields").and_then(Value::as_object)
    }
}

fn written(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Some(value.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_domain::built_in;
    use windlass_domain::chunk::{Field, FieldKind};

    fn spec() -> ChunkType {
        built_in::chunk_types().into_iter().find(|known| known.slug.as_str() == "dev_spec").unwrap()
    }

    fn read(parts: &[&str]) -> Result<Projection, Refusal> {
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        Projection::read(&parts, Some(&spec()))
    }

    #[test]
    fn what_is_usually_shown_are_parts() {
        assert!(USUAL.iter().all(|part| ALL.contains(part)));
    }

    #[test]
    fn a_field_is_not_called_as_a_part_or_an_order_is() {
        for name in ["title", "tags", "updated_at", "created", "updated"] {
            let fields = vec![Field::new(name, FieldKind::Text)];
            let refusal = refuse_taken_names(&ChunkType { fields, ..spec() }).unwrap_err();
            assert_eq!(refusal.details["field"], name);
        }
        for known in built_in::chunk_types() {
            assert_eq!(refuse_taken_names(&known), Ok(()));
        }
    }

    #[test]
    fn a_field_of_the_type_is_a_part() {
        let projection = read(&["title", "status"]).unwrap();
        assert_eq!(projection.parts, ["chunk_id", "title", "fields"]);
        assert_eq!(projection.fields, ["status"]);
        assert_eq!(read(&["status", "fields"]).unwrap().fields, [""; 0]);
    }

    #[test]
    fn c50_a_part_that_is_not_there_is_refused_with_the_nearest() {
        let Err(refusal) = read(&["statu"]) else { panic!("there is no such part") };
        assert_eq!(refusal.code, Code::UnknownField);
        assert_eq!(refusal.suggestions, ["status"]);
    }
}
