//! Answers of operations in the shapes of Hizal's.

use serde_json::{Map, Value, json};
use windlass_domain::inject::fence;

/// A part of an answer: as Hizal calls it, and where ours has it.
type Part = (&'static str, &'static str);

/// What tells one chunk from others.
const BRIEF: [Part; 5] = [
    ("id", "/chunk_id"),
    ("query_key", "/query_key"),
    ("title", "/title"),
    ("scope", "/scope"),
    ("chunk_type", "/chunk_type"),
];

/// Whose a chunk is.
const WHOSE: [Part; 2] = [("project_id", "/project"), ("agent_id", "/agent")];

/// What it says.
const SAID: [Part; 5] = [
    ("content", "/content"),
    ("tags", "/tags"),
    ("version", "/version"),
    ("updated_at", "/updated_at"),
    ("custom_fields", "/fields"),
];

/// What else is known of it.
const KNOWN: [Part; 10] = [
    ("inject_audience", "/audience"),
    ("gotchas", "/gotchas"),
    ("related", "/related"),
    ("visibility", "/visibility"),
    ("source_file", "/source/file"),
    ("source_lines", "/source/lines"),
    ("links", "/links"),
    ("stale_signals", "/signals"),
    ("created_by", "/created_by/name"),
    ("created_at", "/created_at"),
];

/// Where a session stands.
const SITTING: [Part; 5] = [
    ("session_id", "/session_id"),
    ("expires_at", "/expires_at"),
    ("focus_task", "/focus/task"),
    ("chunks_written", "/chunks_written"),
    ("resume_count", "/resume_count"),
];

/// The parts of a document. One that is not there is null.
fn picked<'a>(from: &Value, parts: impl IntoIterator<Item = &'a Part>) -> Map<String, Value> {
    let part = |(name, at): &'a Part| {
        let value = from.pointer(at).cloned().unwrap_or_default();
        let value = match value {
            // Hizal writes scopes in capitals.
            Value::String(text) if *name == "scope" => text.to_uppercase().into(),
            value => value,
        };
        ((*name).to_owned(), value)
    };
    parts.into_iter().map(part).collect()
}

/// The same of each that a list has.
fn each<'a>(
    from: &'a Value,
    list: &str,
    told: impl Fn(&'a Value) -> Map<String, Value> + 'a,
) -> Value {
    let items = from.pointer(list).and_then(Value::as_array);
    items.into_iter().flatten().map(|item| Value::Object(told(item))).collect()
}

pub(super) fn written(chunk: &Value) -> Value {
    let rest: [Part; 5] = [
        ("inject_audience", "/audience"),
        ("visibility", "/visibility"),
        ("version", "/version"),
        ("created_at", "/created_at"),
        ("nearest", "/nearest"),
    ];
    picked(chunk, BRIEF.iter().chain(&rest)).into()
}

pub(super) fn updated(chunk: &Value) -> Value {
    let parts: [Part; 4] = [
        ("id", "/chunk_id"),
        ("version", "/version"),
        ("updated_at", "/updated_at"),
        ("changed", "/changed"),
    ];
    picked(chunk, &parts).into()
}

pub(super) fn read(shown: &Value) -> Value {
    let chunk = shown.pointer("/chunk").unwrap_or(shown);
    let mut told = whole(chunk);
    told.insert("versions".to_owned(), each(shown, "/versions", |one| picked(one, &VERSION)));
    told.into()
}

fn whole(chunk: &Value) -> Map<String, Value> {
    picked(chunk, BRIEF.iter().chain(&WHOSE).chain(&SAID).chain(&KNOWN))
}

const VERSION: [Part; 4] = [
    ("version", "/version"),
    ("change_note", "/note"),
    ("created_at", "/at"),
    ("author", "/author/name"),
];

pub(super) fn versions(shown: &Value) -> Value {
    let content: [Part; 1] = [("content", "/content")];
    let mut told = each(shown, "/versions", |one| picked(one, VERSION.iter().chain(&content)));
    if let Value::Array(told) = &mut told {
        told.reverse();
    }
    json!({"versions": told})
}

/// What changed the score of a chunk that was found, besides its age and a pin, speaks against it.
fn found(chunk: &Value) -> Map<String, Value> {
    let score: [Part; 1] = [("score", "/score")];
    let said = SAID.iter().take_while(|(name, _)| *name != "custom_fields");
    let mut told = picked(chunk, BRIEF.iter().chain(&WHOSE).chain(said).chain(&score));
    let adjustments = chunk.pointer("/explanation/adjustments").and_then(Value::as_array);
    let adjustments = adjustments.map(Vec::as_slice).unwrap_or_default();
    let why = |one: &Value| one["why"].clone();
    let freshness = adjustments.iter().find(|one| why(one) == "age");
    let freshness = freshness.map_or_else(|| json!(1.0), |one| one["factor"].clone());
    let signals: Value =
        adjustments.iter().map(why).filter(|why| why != "age" && why != "pinned").collect();
    told.insert("freshness".to_owned(), freshness);
    told.insert("stale_signals".to_owned(), signals);
    told
}

pub(super) fn results(document: &Value) -> Value {
    json!({"results": each(document, "/chunks", found)})
}

pub(super) fn compacted(document: &Value) -> Value {
    let chunks = each(document, "/chunks", found);
    json!({"total": chunks.as_array().map_or(0, Vec::len), "chunks": chunks})
}

pub(super) fn listed(document: &Value) -> Value {
    let parts: [Part; 2] = [("total", "/total"), ("next_cursor", "/next_cursor")];
    let rest: [Part; 5] = [
        ("custom_fields", "/fields"),
        ("tags", "/tags"),
        ("version", "/version"),
        ("created_at", "/created_at"),
        ("updated_at", "/updated_at"),
    ];
    let mut told = picked(document, &parts);
    let chunk = move |one| picked(one, BRIEF.iter().chain(&WHOSE).chain(&rest));
    told.insert("chunks".to_owned(), each(document, "/chunks", chunk));
    told.into()
}

pub(super) fn linked(document: &Value) -> Value {
    let parts: [Part; 4] =
        [("id", "/chunk_id"), ("to", "/to"), ("links", "/links"), ("unchanged", "/unchanged")];
    picked(document, &parts).into()
}

pub(super) fn reviewed(document: &Value) -> Value {
    let parts: [Part; 3] =
        [("chunk_id", "/chunk_id"), ("reviews", "/reviews"), ("stale_signals", "/signals")];
    picked(document, &parts).into()
}

pub(super) fn deleted(document: &Value) -> Value {
    let mut told = picked(document, &[("id", "/chunk_id")]);
    told.insert("deleted".to_owned(), true.into());
    told.into()
}

/// Adds the chunks that a session is given. What they say was written by others, and is told only
/// within the fence that says so and where it comes from.
fn and_injected(mut told: Map<String, Value>, document: &Value) -> Value {
    let rest: [Part; 3] =
        [("version", "/version"), ("created_by", "/author"), ("updated_at", "/updated_at")];
    let text = document.pointer("/text").and_then(Value::as_str).unwrap_or_default();
    let (notice, fences) = fence::apart(text);
    let given = document.pointer("/injected").and_then(Value::as_array);
    let chunk = |(one, fenced): (&Value, &str)| -> Value {
        let mut chunk = picked(one, BRIEF.iter().chain(&rest));
        chunk.insert("content".to_owned(), fenced.into());
        chunk.into()
    };
    let chunks: Value = given.into_iter().flatten().zip(fences).map(chunk).collect();
    told.insert("injected_chunks".to_owned(), chunks);
    if !notice.is_empty() {
        told.insert("notice".to_owned(), notice.into());
    }
    told.into()
}

fn count(document: &Value, list: &str) -> usize {
    document.pointer(list).and_then(Value::as_array).map_or(0, Vec::len)
}

pub(super) fn started(document: &Value) -> Value {
    let parts: [Part; 4] = [
        ("session_id", "/session_id"),
        ("expires_at", "/expires_at"),
        ("lifecycle", "/lifecycle"),
        ("required_steps", "/required_steps"),
    ];
    let mut told = picked(document, &parts);
    told.insert("truncated_count".to_owned(), count(document, "/cut").into());
    and_injected(told, document)
}

pub(super) fn resumed(document: &Value) -> Value {
    let mut told = picked(document, &SITTING);
    told.insert("truncated_count".to_owned(), count(document, "/cut").into());
    and_injected(told, document)
}

pub(super) fn focused(document: &Value) -> Value {
    let parts: [Part; 2] = [("session_id", "/session_id"), ("focus_task", "/focus/task")];
    let mut told = picked(document, &parts);
    told.insert("focus_injected_chunks".to_owned(), count(document, "/injected").into());
    and_injected(told, document)
}

pub(super) fn active(document: &Value) -> Value {
    let rest: [Part; 2] = [("status", "/status"), ("lifecycle_slug", "/lifecycle")];
    let mut told = picked(document, SITTING.iter().chain(&rest));
    let given = document.pointer("/given").and_then(Value::as_array);
    let ids = given.into_iter().flatten().map(|one| one["chunk_id"].clone());
    told.insert("inject_set".to_owned(), ids.collect());
    and_injected(told, document)
}

pub(super) fn no_session() -> Value {
    json!({
        "session_id": null,
        "status": "none",
        "message": "there is no active session; begin one with start_session",
    })
}

pub(super) fn ended(document: &Value) -> Value {
    let parts: [Part; 3] = [
        ("session_id", "/session_id"),
        ("chunks_written", "/chunks_written"),
        ("asks_for_consolidation", "/asks_for_consolidation"),
    ];
    let mut told = picked(document, &parts);
    told.insert("write_chunks".to_owned(), each(document, "/surfaced", |one| picked(one, &BRIEF)));
    told.into()
}

/// A project is known by its name, which is its id and its slug too.
const PROJECT: [Part; 3] = [("name", "/name"), ("slug", "/name"), ("description", "/description")];

pub(super) fn projects(document: &Value) -> Value {
    let id: [Part; 1] = [("id", "/name")];
    json!({"projects": each(document, "/projects", move |one| picked(one, id.iter().chain(&PROJECT)))})
}

pub(super) fn created_project(document: &Value) -> Value {
    let rest: [Part; 2] = [("project_id", "/name"), ("created_at", "/created_at")];
    picked(document, PROJECT.iter().chain(&rest)).into()
}

/// So is an agent.
pub(super) fn agents(document: &Value) -> Value {
    let parts: [Part; 5] = [
        ("id", "/agent"),
        ("name", "/agent"),
        ("slug", "/agent"),
        ("type_slug", "/registered/agent_type"),
        ("tags", "/registered/tags"),
    ];
    json!({"agents": each(document, "/agents", move |one| picked(one, &parts))})
}
