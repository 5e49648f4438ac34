//! The schemas of all operations in one place, each definition under one name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use windlass_ops::table::Entry;

/// Where the schemas of a document are.
const HERE: &str = "#/components/schemas/";
/// Where a schema keeps the definitions it refers to.
const ITS_OWN: &str = "#/$defs/";

/// The schema of what an operation takes or answers.
struct Part {
    /// `task.list.input`.
    name: String,
    schema: Value,
    definitions: Map<String, Value>,
}

pub(crate) fn input(entry: &Entry) -> String {
    format!("{}.input", entry.name)
}

pub(crate) fn output(entry: &Entry) -> String {
    format!("{}.output", entry.name)
}

/// A reference to a schema of the document.
pub(crate) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("{HERE}{name}") })
}

/// The schemas of some operations. A definition that means the same everywhere is there once; the
/// others carry the name of the schema they belong to.
pub(crate) struct Schemas {
    by_name: Map<String, Value>,
    shared: BTreeSet<String>,
}

impl Schemas {
    pub(crate) fn of(entries: &[&Entry]) -> Self {
        let parts: Vec<Part> = entries.iter().flat_map(|entry| parts(entry)).collect();
        let mut schemas = Self { by_name: Map::new(), shared: shared(&parts) };
        for Part { name, mut schema, definitions } in parts {
            for (definition, mut schema) in definitions {
                schemas.lead(&mut schema, &name);
                schemas.by_name.insert(schemas.place(&name, &definition), schema);
            }
            schemas.lead(&mut schema, &name);
            schemas.by_name.insert(name, schema);
        }
        schemas
    }

    pub(crate) fn into_map(self) -> Map<String, Value> {
        self.by_name
    }

    /// The schema of a field of an operation as a parameter of an address, where leaving it out says
    /// that there is nothing.
    pub(crate) fn parameter(&self, entry: &Entry, property: &Value) -> Value {
        let mut schema = without_null(property);
        self.lead(&mut schema, &input(entry));
        schema
    }

    /// The name under which the schema `of` finds a definition.
    fn place(&self, of: &str, definition: &str) -> String {
        match self.shared.contains(definition) {
            true => definition.to_owned(),
            false => format!("{of}.{definition}"),
        }
    }

    /// Lets all references in the schema `of`, or a part of it, lead to where the definitions are.
    fn lead(&self, schema: &mut Value, of: &str) {
        match schema {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value.as_str().and_then(|to| to.strip_prefix(ITS_OWN)) {
                        Some(definition) if key == "$ref" => {
                            *value = format!("{HERE}{}", self.place(of, definition)).into();
                        }
                        _ => self.lead(value, of),
                    }
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.lead(value, of)),
            _ => {}
        }
    }
}

fn parts(entry: &Entry) -> [Part; 2] {
    let mut taken = part(input(entry), (entry.input)().to_value());
    // Fields that an operation does not have are refused.
    if let Some(schema) = taken.schema.as_object_mut() {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    [taken, part(output(entry), (entry.output)().to_value())]
}

fn part(name: String, mut schema: Value) -> Part {
    let fields = schema.as_object_mut();
    let mut definitions = Map::new();
    if let Some(fields) = fields {
        fields.remove("$schema");
        fields.remove("title");
        if let Some(Value::Object(own)) = fields.remove("$defs") {
            definitions = own;
        }
    }
    Part { name, schema, definitions }
}

/// The names of definitions that are the same wherever they occur, and refer only to such.
fn shared(parts: &[Part]) -> BTreeSet<String> {
    let mut found: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut differ = BTreeSet::new();
    for (name, definition) in parts.iter().flat_map(|part| &part.definitions) {
        if *found.entry(name).or_insert(definition) != definition {
            differ.insert(name.clone());
        }
    }
    loop {
        let more: Vec<String> = found
            .iter()
            .filter(|(name, definition)| !differ.contains(**name) && refers_to(definition, &differ))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if more.is_empty() {
            break;
        }
        differ.extend(more);
    }
    found.into_keys().map(str::to_owned).filter(|name| !differ.contains(name)).collect()
}

fn refers_to(schema: &Value, names: &BTreeSet<String>) -> bool {
    match schema {
        Value::Object(fields) => fields.iter().any(|(key, value)| match value.as_str() {
            Some(to) if key == "$ref" => {
                to.strip_prefix(ITS_OWN).is_some_and(|name| names.contains(name))
            }
            _ => refers_to(value, names),
        }),
        Value::Array(values) => values.iter().any(|value| refers_to(value, names)),
        _ => false,
    }
}

fn without_null(property: &Value) -> Value {
    let mut schema = property.clone();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("description");
        fields.retain(|key, value| key != "default" || !value.is_null());
        if let Some(Value::Array(types)) = fields.get("type")
            && let Some(only) = types.iter().find(|one| *one != "null").cloned()
        {
            fields.insert("type".to_owned(), only);
        }
        if let Some(Value::Array(choices)) = fields.remove("anyOf")
            && let Some(Value::Object(only)) = choices.into_iter().next()
        {
            fields.extend(only);
        }
    }
    schema
}
