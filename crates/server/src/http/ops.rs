//! `POST /v1/ops/{name}`: every operation of the ledger.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use windlass_domain::near::near;
use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal, json};
use windlass_ops::remote::refuse_version;
use windlass_ops::table::{Entry, TABLE};

use super::body::Sent;
use super::doorkeeper::Visitor;
use super::problem::{EXIT, Problem};
use super::{Shared, VERSION, encoded};
use crate::desk::{Call, Reply};

const OP_ID: HeaderName = HeaderName::from_static("windlass-op-id");
/// The same for texts that a header cannot carry.
const OP_ID_ENCODED: HeaderName = HeaderName::from_static("windlass-op-id*");

pub(crate) async fn run(
    State(house): State<Shared>,
    Visitor(caller): Visitor,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    Sent(body): Sent,
) -> Result<Response, Problem> {
    refuse_other_version(&headers)?;
    // What is no text names nothing.
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let entry = Entry::named(&name).ok_or_else(|| operation_not_found(&name))?;
    let arguments = arguments(&body)?;
    let op_id = op_id(&headers)?;
    let reply = house.desk.run(Call { entry, arguments, caller, op_id }).await?;
    answer(&reply)
}

/// The answer of an operation, as every door over HTTP gives it.
pub(crate) fn answer(reply: &Reply) -> Result<Response, Problem> {
    let json = reply.json()?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (EXIT, HeaderValue::from(reply.exit() as u16)),
    ];
    Ok((headers, json).into_response())
}

pub(crate) fn operation_not_found(name: &str) -> Refusal {
    Refusal::new(Code::OperationNotFound, format!("there is no operation '{name}'"))
        .hint("the names are in /openapi.json and in the reference")
        .suggest(near(name, TABLE.iter().map(|entry| entry.name)))
        .detail("operation", name)
}

/// No body means no arguments.
fn arguments(body: &[u8]) -> Result<Value, Refusal> {
    if body.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let value: Value = json::read(body).map_err(|wrong| {
        let what = if wrong.is_data() { "wrong" } else { "not JSON" };
        Refusal::new(Code::Usage, format!("the body is {what}: {wrong}"))
            .hint("send one JSON object with the fields of the operation")
    })?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Refusal::new(Code::Usage, "the body is not a JSON object")
            .hint("send one JSON object with the fields of the operation")),
    }
}

/// A caller that says of which version it is must be of ours: before anything is done.
fn refuse_other_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let ours = env!("CARGO_PKG_VERSION");
    match headers.get(VERSION) {
        Some(theirs) if theirs.as_bytes() != ours.as_bytes() => {
            Err(refuse_version(&String::from_utf8_lossy(theirs.as_bytes()), ours))
        }
        _ => Ok(()),
    }
}

fn op_id(headers: &HeaderMap) -> Result<Option<OpId>, Refusal> {
    // What is no text is refused for the same reason as an op id that is none.
    encoded::text(headers, &OP_ID, &OP_ID_ENCODED).map(|given| OpId::parse(&given)).transpose()
}
