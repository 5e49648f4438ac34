//! `/openapi.json`: the API described for programs, made from the table of operations and the list
//! of addresses.

mod answers;
mod schemas;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use windlass_domain::run::word::Door;
use windlass_domain::text::NAME_CHARS;
use windlass_ops::operation::{Access, Place};
use windlass_ops::table::{Entry, TABLE};

use self::schemas::{Schemas, input, output, reference};
use super::rest::{READS, Read};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());

/// The document. It says nothing about the ledger, so everybody may read it.
pub(crate) async fn show() -> Response {
    let json = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (json, DOCUMENT.as_str()).into_response()
}

const ABOUT: &str = "The ledger of tasks and what can be done with it. Every operation is at \
    `POST /v1/ops/{name}` and answers the document that `windlass --json` prints; common questions \
    have an address of their own. What did not happen is told as a problem document (RFC 9457) \
    whose `code` never changes its meaning; `/errors/{code}` explains it.";

/// Operations that can be called from elsewhere.
fn callable() -> Vec<&'static Entry> {
    TABLE.iter().filter(|entry| entry.place == Place::Ledger).collect()
}

fn document() -> Value {
    let entries = callable();
    let schemas = Schemas::of(&entries);
    let mut paths = Map::new();
    for entry in &entries {
        paths.insert(format!("/v1/ops/{}", entry.name), json!({ "post": operation(entry) }));
    }
    for read in READS {
        if let Some(entry) = read.entry() {
            paths.insert(read.path.to_owned(), json!({ "get": reading(read, entry, &schemas) }));
        }
    }
    paths.extend(answers::about_the_server());
    let mut schemas = schemas.into_map();
    schemas.insert("Problem".to_owned(), answers::problem());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Windlass",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "key": [] }],
        "tags": tags(&entries),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": parameters(),
            "headers": answers::headers(),
            "responses": answers::problems(),
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key of the ledger, or on loopback the token of the server.",
                },
            },
        },
    })
}

/// The first word of the name of an operation.
fn tag(entry: &Entry) -> &'static str {
    entry.words().next().unwrap_or(entry.name)
}

fn tags(entries: &[&'static Entry]) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let tags = entries.iter().map(|entry| tag(entry)).chain(["server"]);
    tags.filter(|tag| seen.insert(*tag)).map(|tag| json!({ "name": tag })).collect()
}

fn operation(entry: &'static Entry) -> Value {
    let named = ["Windlass-Agent", "Windlass-User", "Windlass-Fence"];
    let wishes = ["Windlass-Project", "Windlass-Lease", "Windlass-Auto-Unpause", "Windlass-Door"];
    let once = (entry.access != Access::Read).then_some("Windlass-Op-Id");
    let headers: Vec<Value> = once
        .into_iter()
        .chain(named)
        .chain(wishes)
        .map(|name| json!({ "$ref": format!("#/components/parameters/{name}") }))
        .collect();
    json!({
        "operationId": entry.name,
        "summary": entry.about,
        "description": format!("On the command line: `{}`", entry.example),
        "tags": [tag(entry)],
        "x-access": entry.access,
        "parameters": headers,
        "requestBody": {
            "required": needs_arguments(entry),
            "content": {
                "application/json": { "schema": reference(&input(entry)) },
            },
        },
        "responses": answers::of(&output(entry), answers::To::Command),
    })
}

/// Without a body there are no arguments.
fn needs_arguments(entry: &Entry) -> bool {
    (entry.input)().get("required").is_some()
}

fn reading(read: &Read, entry: &'static Entry, schemas: &Schemas) -> Value {
    json!({
        "operationId": format!("get {}", read.path),
        "summary": entry.about,
        "description": format!("The operation `{}`.", entry.name),
        "tags": [tag(entry)],
        "parameters": fields(read, entry, schemas),
        "responses": answers::of(&output(entry), answers::To::Question),
    })
}

/// Each field of the operation, in the path or in the query.
fn fields(read: &Read, entry: &Entry, schemas: &Schemas) -> Vec<Value> {
    let schema = (entry.input)().to_value();
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |field: &str| required.is_some_and(|all| all.iter().any(|one| one == field));
    let properties = properties.into_iter().flatten();
    let asked = properties.filter(|(field, _)| !read.left_out.contains(&field.as_str()));
    let fields = asked.map(|(field, property)| {
        let renamed = read.renamed.iter().find(|(_, own_name)| own_name == field);
        let name = renamed.map_or(field.as_str(), |(name, _)| name);
        let in_path = read.path.contains(&format!("{{{name}}}"));
        json!({
            "name": name,
            "in": if in_path { "path" } else { "query" },
            "required": in_path || is_required(field),
            "description": property.get("description").cloned().unwrap_or_default(),
            "schema": schemas.parameter(entry, property),
        })
    });
    fields.collect()
}

/// Headers by which a caller says more about a call.
fn parameters() -> Value {
    let header = |name: &str, about: &str, schema: Value| {
        let parameter =
            json!({ "name": name, "in": "header", "description": about, "schema": schema });
        (name.to_owned(), parameter)
    };
    let name = json!({ "type": "string", "minLength": 1, "maxLength": NAME_CHARS });
    Value::Object(Map::from_iter([
        header(
            "Windlass-Op-Id",
            "A key of yours, under which it happens once: sent again, it answers the same. The \
             answer then also has `op_id`, `replayed` and `idempotency`.",
            json!({ "type": "string", "minLength": 1, "maxLength": windlass_domain::op::LONGEST }),
        ),
        header(
            "Windlass-Fence",
            "`TASK:FENCE`: the task that the caller holds, and the fence of its claim.",
            json!({ "type": "string", "pattern": "^[^:]+:[0-9]+$" }),
        ),
        header(
            "Windlass-Agent",
            "With the token of the server: the agent that acts where the arguments name none.",
            name.clone(),
        ),
        header("Windlass-User", "With the token of the server: the person who acts.", name.clone()),
        header("Windlass-Project", "The project where the arguments name none.", name),
        header(
            "Windlass-Lease",
            "The lease of a claim where the arguments name none, such as `30m`.",
            json!({ "type": "string" }),
        ),
        header(
            "Windlass-Auto-Unpause",
            "Whether pauses end by themselves where the arguments do not say.",
            json!({ "type": "boolean" }),
        ),
        header(
            "Windlass-Door",
            "`hotl` for a skill that was written for HOTL, which lands runs whose gates were only \
             attested.",
            json!({ "enum": Door::ALL }),
        ),
    ]))
}

#[cfg(test)]
mod tests;
