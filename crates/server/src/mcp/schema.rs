//! Schemas as tools show them: derived from the operations, and made small.

use serde_json::{Map, Value, json};
use windlass_ops::table::Entry;

use super::hizal::Tool;
use super::shown::{NEVER, Shown};
use super::words::as_fields;

/// The parts of a property that tell a model something.
const TOLD: [&str; 4] = ["type", "enum", "items", "default"];

/// The schema of the fields that are named, with what is said about each.
pub(super) fn chosen(entry: &Entry, shown: &Shown) -> Map<String, Value> {
    let mut whole = Whole::of(entry);
    whole.required.extend(shown.needed.iter().map(|name| Value::from(*name)));
    let properties = shown.fields.iter().filter_map(|(name, about)| {
        let mut property = whole.property(name)?;
        property.remove("default");
        Some(((*name).to_owned(), described(property, about)))
    });
    whole.object(properties.collect())
}

/// The schema of the fields of a tool of Hizal's, each as the field of the operation that it is.
pub(super) fn of_hizal(entry: &Entry, tool: &Tool) -> Map<String, Value> {
    let mut whole = Whole::of(entry);
    let needed = tool.fields().filter(|field| field.is_needed);
    whole.required = needed.map(|field| Value::from(field.name)).collect();
    let properties = tool.fields().map(|field| {
        let ours = field.to.filter(|_| field.is_like_ours()).and_then(|to| whole.property(to));
        let property = ours.unwrap_or_else(|| object_of(&json!({"type": "string"})));
        (field.name.to_owned(), described(property, field.about))
    });
    whole.object(properties.collect())
}

/// The schema of all fields, as the operation itself describes them.
pub(super) fn all(entry: &Entry) -> Map<String, Value> {
    let whole = Whole::of(entry);
    let is_shown = |name: &&String| !NEVER.contains(&(entry.name, name));
    let properties = whole.properties.keys().filter(is_shown).filter_map(|name| {
        let about = whole.properties.get(name)?.get("description").and_then(Value::as_str);
        let about = as_fields(about.unwrap_or_default());
        Some((name.clone(), described(whole.property(name)?, &about)))
    });
    whole.object(properties.collect())
}

/// The schema of what a tool answers: the document of the operation, or why it did not happen. Some
/// clients hold refusals to the schema too.
pub(super) fn answer(entry: &Entry) -> Map<String, Value> {
    let mut whole = object_of(&(entry.output)().to_value());
    whole.remove("$schema");
    whole.remove("title");
    let defs = whole.remove("$defs");
    let refused = json!({
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": {"type": "string"},
            "message": {"type": "string"},
            "hint": {"type": ["string", "null"]},
            "details": {"type": "object"},
            "suggestions": {"type": "array", "items": {"type": "string"}},
        },
    });
    let mut either = Map::new();
    either.insert("type".to_owned(), "object".into());
    either.insert("anyOf".to_owned(), json!([whole, refused]));
    either.extend(defs.map(|defs| ("$defs".to_owned(), defs)));
    either
}

/// The schema of an operation, taken apart.
struct Whole {
    properties: Map<String, Value>,
    required: Vec<Value>,
    defs: Map<String, Value>,
}

impl Whole {
    fn of(entry: &Entry) -> Self {
        let schema = (entry.input)().to_value();
        let part = |name: &str| schema.get(name).map(object_of).unwrap_or_default();
        let required = schema.get("required").and_then(Value::as_array);
        Self {
            properties: part("properties"),
            required: required.cloned().unwrap_or_default(),
            defs: part("$defs"),
        }
    }

    fn property(&self, name: &str) -> Option<Map<String, Value>> {
        Some(slim(self.properties.get(name)?, &self.defs))
    }

    fn object(&self, properties: Map<String, Value>) -> Map<String, Value> {
        let is_there =
            |name: &&Value| name.as_str().is_some_and(|name| properties.contains_key(name));
        let required: Vec<Value> = self.required.iter().filter(is_there).cloned().collect();
        let mut object = Map::new();
        object.insert("type".to_owned(), "object".into());
        object.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            object.insert("required".to_owned(), required.into());
        }
        object
    }
}

fn object_of(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn described(mut property: Map<String, Value>, about: &str) -> Value {
    if !about.is_empty() {
        property.insert("description".to_owned(), about.into());
    }
    property.into()
}

/// A property without what follows from other parts: what can be null can be left out.
fn slim(schema: &Value, defs: &Map<String, Value>) -> Map<String, Value> {
    let referred = schema.get("$ref").and_then(Value::as_str);
    let mut property = match referred.and_then(|path| defs.get(path.rsplit('/').next()?)) {
        Some(meant) => slim(meant, defs),
        None => Map::new(),
    };
    for union in ["anyOf", "oneOf"] {
        if let Some(variants) = schema.get(union).and_then(Value::as_array) {
            property.extend(one_of(union, variants, defs));
        }
    }
    for part in TOLD {
        if let Some(value) = schema.get(part).and_then(|value| told(part, value, defs)) {
            property.insert(part.to_owned(), value);
        }
    }
    property
}

fn told(part: &str, value: &Value, defs: &Map<String, Value>) -> Option<Value> {
    match part {
        "type" => match value.as_array() {
            Some(types) => types.iter().find(|name| *name != "null").cloned(),
            None => Some(value.clone()),
        },
        "items" => Some(slim(value, defs).into()),
        "default" => {
            let is_plain =
                value.is_null() || value == false || value.as_array().is_some_and(Vec::is_empty);
            (!is_plain).then(|| value.clone())
        }
        _ => Some(value.clone()),
    }
}

/// Words to choose from, or the one variant that is not null.
fn one_of(union: &str, variants: &[Value], defs: &Map<String, Value>) -> Map<String, Value> {
    let is_something = |variant: &&Value| variant.get("type") != Some(&Value::from("null"));
    let variants: Vec<&Value> = variants.iter().filter(is_something).collect();
    let words: Option<Vec<Value>> = variants
        .iter()
        .map(|variant| match (variant.get("const"), variant.get("enum")) {
            (Some(word), _) => Some(vec![word.clone()]),
            (None, Some(words)) => words.as_array().cloned(),
            (None, None) => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|words| words.concat());
    let mut property = Map::new();
    match (words, variants.as_slice()) {
        (Some(words), _) => {
            property.insert("type".to_owned(), "string".into());
            property.insert("enum".to_owned(), words.into());
        }
        (None, [only]) => return slim(only, defs),
        (None, several) => {
            let several: Vec<Value> =
                several.iter().map(|variant| slim(variant, defs).into()).collect();
            property.insert(union.to_owned(), several.into());
        }
    }
    property
}
