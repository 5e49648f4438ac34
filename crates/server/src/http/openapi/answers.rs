//! What can be answered, and how what did not happen is told.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use windlass_domain::Code;

use super::schemas::reference;
use crate::http::problem::status;

/// What an answer is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// A request with a body.
    Command,
    /// A request without one.
    Question,
    /// A request that needs no key and cannot be wrong.
    Anybody,
    /// The same for something that may not be there.
    Name,
}

impl To {
    /// The statuses of problems that can come.
    fn problems(self) -> &'static [u16] {
        match self {
            Self::Command => &[400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503],
            Self::Question => &[400, 401, 403, 404, 409, 422, 429, 500, 503],
            Self::Anybody => &[403, 503],
            Self::Name => &[400, 403, 404, 503],
        }
    }
}

/// The answers of an operation whose answer has the schema of that name.
pub(crate) fn of(schema: &str, to: To) -> Value {
    let json = json!({ "application/json": { "schema": reference(schema) } });
    with_problems("Done.", json, &["Windlass-Exit"], to)
}

fn with_problems(about: &str, content: Value, headers: &[&str], to: To) -> Value {
    let mut answers = Map::new();
    let done = json!({ "description": about, "headers": named(headers), "content": content });
    answers.insert("200".to_owned(), done);
    for status in to.problems() {
        let status = status.to_string();
        let response = json!({ "$ref": format!("#/components/responses/{status}") });
        answers.insert(status, response);
    }
    Value::Object(answers)
}

/// Headers of an answer, with those of every answer.
fn named(headers: &[&str]) -> Value {
    let all = headers.iter().chain(&["Windlass-Version", "X-Request-Id"]);
    all.map(|name| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") })))
        .collect::<Map<_, _>>()
        .into()
}

pub(crate) fn headers() -> Value {
    let text = |about: &str| json!({ "description": about, "schema": { "type": "string" } });
    let number = |about: &str| json!({ "description": about, "schema": { "type": "integer" } });
    json!({
        "Windlass-Version": text("The version that answers."),
        "X-Request-Id": text("The id of the request: yours, if you sent one, else one of ours."),
        "Windlass-Exit": number("How the same command on the command line would have ended."),
        "Retry-After": number("After how many seconds another attempt makes sense."),
        "WWW-Authenticate": text("`Bearer`"),
    })
}

/// A response for each status with which a problem is told, with the codes that lead to it.
pub(crate) fn problems() -> Value {
    let mut codes: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in Code::ALL {
        codes.entry(status(*code).as_u16()).or_default().push(*code);
    }
    // HTTP has a word of its own for a body that is packed.
    codes.insert(415, vec![Code::Usage]);
    let responses = codes.into_iter().map(|(status, codes)| {
        let names: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
        let headers: &[&str] = match status {
            401 => &["WWW-Authenticate"],
            409 | 429 | 503 => &["Retry-After"],
            _ => &[],
        };
        let headers: Vec<&str> = headers.iter().copied().chain(["Windlass-Exit"]).collect();
        let response = json!({
            "description": format!("It did not happen: {}.", names.join(", ")),
            "headers": named(&headers),
            "content": { "application/problem+json": { "schema": reference("Problem") } },
        });
        (status.to_string(), response)
    });
    responses.collect::<Map<_, _>>().into()
}

/// The schema of a problem document.
pub(crate) fn problem() -> Value {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    json!({
        "description": "What did not happen, and what to do about it (RFC 9457).",
        "type": "object",
        "required": [
            "type", "title", "status", "detail", "code", "hint", "details", "suggestions", "exit"
        ],
        "properties": {
            "type": { "type": "string", "description": "The address of the page of the code." },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string", "description": "What was refused, and why." },
            "instance": { "type": "string", "description": "The id of the request." },
            "code": {
                "type": "string",
                "enum": codes,
                "description": "What went wrong, in a word that never changes its meaning.",
            },
            "hint": { "type": ["string", "null"], "description": "What to try next." },
            "details": { "type": "object" },
            "suggestions": { "type": "array", "items": { "type": "string" } },
            "exit": { "type": "integer", "description": "The exit code of the command line." },
        },
    })
}

/// The addresses that are about the server and not about the ledger.
pub(crate) fn about_the_server() -> Map<String, Value> {
    addresses().into_iter().collect()
}

fn addresses() -> [(String, Value); 6] {
    let text = |kind: &str| json!({ kind: { "schema": { "type": "string" } } });
    let object = json!({ "application/json": { "schema": { "type": "object" } } });
    let code = json!({
        "name": "code", "in": "path", "required": true, "schema": { "type": "string" }
    });
    [
        open("/healthz", "Whether the server is there", text("text/plain")),
        open("/readyz", "Whether the ledger can be read and written", text("text/plain")),
        open("/openapi.json", "This document", object),
        with_parameters(
            about("/errors/{code}", "What an error code means", text("text/markdown"), To::Name),
            json!([code]),
        ),
        about(
            "/metrics",
            "Numbers for Prometheus",
            text("application/openmetrics-text"),
            To::Question,
        ),
        the_stream(),
    ]
}

/// The events as they happen. How a stream goes on is beyond what this document can say.
fn the_stream() -> (String, Value) {
    let seq = json!({ "type": "integer", "minimum": 0 });
    let one = json!({ "type": "string", "minLength": 1 });
    let asked = [
        (
            "after",
            "query",
            "Begin after the event with this seq; without it, with the next one.",
            seq.clone(),
        ),
        ("project", "query", "Only of this project.", one.clone()),
        ("task", "query", "Only of this task.", one.clone()),
        (
            "session",
            "query",
            "Only what concerns this session: its own events, and those of chunks that wait for it.",
            one.clone(),
        ),
        ("kind", "query", "Only of these kinds.", json!({ "type": "array", "items": one })),
        (
            "Last-Event-ID",
            "header",
            "What a reader that connects again has seen; comes before `after`.",
            seq,
        ),
    ];
    let asked: Vec<Value> = asked
        .into_iter()
        .map(|(name, place, about, schema)| {
            json!({ "name": name, "in": place, "description": about, "schema": schema })
        })
        .collect();
    let events = json!({ "text/event-stream": { "schema": { "type": "string" } } });
    let summary = "Events as they happen: `id` is the seq, `event` the kind, `data` the event as \
                   `events` answers it; `event: bye` says why the stream ends";
    let (path, mut item) = about("/v1/events/stream", summary, events, To::Question);
    if let Some(get) = item.get_mut("get").and_then(Value::as_object_mut) {
        get.insert("parameters".to_owned(), asked.into());
        get.insert("tags".to_owned(), json!(["events"]));
    }
    (path, item)
}

/// An address that needs no key.
fn open(path: &str, summary: &str, content: Value) -> (String, Value) {
    about(path, summary, content, To::Anybody)
}

fn about(path: &str, summary: &str, content: Value, to: To) -> (String, Value) {
    let mut get = json!({
        "operationId": format!("get {path}"),
        "summary": summary,
        "tags": ["server"],
        "responses": with_problems("Here it is.", content, &[], to),
    });
    if let (To::Anybody | To::Name, Some(get)) = (to, get.as_object_mut()) {
        get.insert("security".to_owned(), json!([]));
    }
    (path.to_owned(), json!({ "get": get }))
}

fn with_parameters((path, mut item): (String, Value), parameters: Value) -> (String, Value) {
    if let Some(item) = item.as_object_mut() {
        item.insert("parameters".to_owned(), parameters);
    }
    (path, item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_described_once() {
        assert_eq!(about_the_server().len(), addresses().len());
    }
}
