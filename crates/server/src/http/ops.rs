//! `POST /v1/ops/{name}`: every operation of the ledger.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use windlass_domain::near::near;
use windlass_domain::op::OpId;
use windlass_domain::{Code, Refusal};
use windlass_ops::table::{Entry, TABLE};

use super::Shared;
use super::doorkeeper::Visitor;
use super::problem::Problem;
use crate::desk::{Call, Reply};

const OP_ID: HeaderName = HeaderName::from_static("windlass-op-id");
const EXIT: HeaderName = HeaderName::from_static("windlass-exit");

pub(crate) async fn run(
    State(house): State<Shared>,
    Visitor(caller): Visitor,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let entry = Entry::named(&name).ok_or_else(|| operation_not_found(&name))?;
    let arguments = arguments(&body.map_err(unread)?)?;
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

fn operation_not_found(name: &str) -> Refusal {
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
    let value: Value = serde_json::from_slice(body).map_err(|wrong| {
        Refusal::new(Code::Usage, format!("the body is not JSON: {wrong}"))
            .hint("send one JSON object with the fields of the operation")
    })?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Refusal::new(Code::Usage, "the body is not a JSON object")
            .hint("send one JSON object with the fields of the operation")),
    }
}

/// A body that did not come whole.
pub(crate) fn unread(rejection: BytesRejection) -> Refusal {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Refusal::new(Code::TooLarge, "the body is longer than the server reads")
                .hint("send less at once")
        }
        _ => {
            Refusal::new(Code::Usage, "the body could not be read to its end").hint("send it again")
        }
    }
}

fn op_id(headers: &HeaderMap) -> Result<Option<OpId>, Refusal> {
    let Some(given) = headers.get(OP_ID) else { return Ok(None) };
    // What is no text is refused for the same reason as an op id that is none.
    OpId::parse(&String::from_utf8_lossy(given.as_bytes())).map(Some)
}
