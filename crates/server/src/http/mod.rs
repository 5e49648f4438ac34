//! The HTTP door.

pub(crate) mod body;
mod condition;
mod doorkeeper;
mod encoded;
mod explained;
mod fields;
mod head;
pub(crate) mod journal;
mod kind;
mod openapi;
mod ops;
mod problem;
pub(crate) mod query;
mod request_id;
mod rest;
mod stays;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use windlass_domain::{Code, Refusal};

pub(crate) use body::{Room, read};
pub(crate) use condition::Readiness;
pub(crate) use doorkeeper::{Badge, Doorkeeper, Visitor, check};
pub(crate) use kind::Kind;
pub(crate) use ops::{answer, operation_not_found};
pub(crate) use problem::{Problem, status};
pub(crate) use query::pairs;
pub(crate) use rest::unreadable;
pub(crate) use stays::Stays;
pub(crate) use stream::places;

use crate::desk::Desk;
use crate::limits::Limits;
use crate::live::Live;
use crate::mcp::http::{Mcp, enter};
use crate::pages;
use crate::pages::trouble::Trouble;
use crate::shares::Shares;

/// How long a request may take until its answer begins.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) const VERSION: HeaderName = HeaderName::from_static("windlass-version");
const NO_SNIFF: HeaderName = HeaderName::from_static("x-content-type-options");

/// Everything the handlers share.
pub(crate) struct House {
    pub(crate) desk: Desk,
    pub(crate) live: Live,
    pub(crate) doorkeeper: Doorkeeper,
    pub(crate) mcp: Mcp,
    pub(crate) limits: Limits,
    pub(crate) readiness: Readiness,
    pub(crate) room: Room,
    /// The places of those who follow the events.
    pub(crate) followers: Shares,
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("House")
    }
}

pub(crate) type Shared = Arc<House>;

/// All paths of the server.
pub(crate) fn router(house: Shared) -> Router {
    Router::new()
        .route("/healthz", get(condition::health))
        .route("/readyz", get(condition::readiness))
        .route("/metrics", get(condition::metrics))
        .route("/openapi.json", get(openapi::show))
        .route("/errors/{code}", get(explained::show))
        .route("/v1/ops/{name}", post(ops::run))
        .route("/v1/events/stream", get(stream::events))
        .merge(rest::routes())
        .route("/mcp", any(enter))
        .merge(pages::router())
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(&house), receive))
        .with_state(house)
}

async fn nothing_here(State(house): State<Shared>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let refusal = Refusal::new(Code::PathNotFound, format!("there is nothing at {path}"));
    let refusal = refusal.detail("path", path);
    if pages::wants_page(&request) {
        let page = Trouble::from(refusal.hint("look at the address again")).page();
        return pages::for_anybody(request, &house, StatusCode::NOT_FOUND, page).await;
    }
    Problem::from(refusal.hint("the paths are in /openapi.json")).into_response()
}

async fn wrong_method(request: Request) -> Response {
    let refusal = Refusal::new(
        Code::Usage,
        format!("{} does not go with {}", request.method(), request.uri().path()),
    )
    .hint("the methods of each path are in /openapi.json");
    Problem::from(refusal).answered(StatusCode::METHOD_NOT_ALLOWED).into_response()
}

/// What happens to every request and to its answer. One layer, because each costs every request
/// boxes and copies.
async fn receive(State(house): State<Shared>, request: Request, next: Next) -> Response {
    let id = request_id::of(&request);
    let answered = journal::keep(&house, request, |request| let_in(&house, request, next));
    signed(request_id::identify(id, answered).await)
}

/// Lets a request be answered that is addressed to this server and not too long.
async fn let_in(house: &House, request: Request, next: Next) -> Response {
    let acceptable = house
        .doorkeeper
        .refuse_foreign(request.uri(), request.headers())
        .map_err(Problem::from)
        .and_then(|()| head::refuse_long(&request))
        .and_then(|()| body::bounded(house, request));
    match acceptable {
        Ok(request) => in_time(next.run(request)).await,
        Err(problem) => problem.into_response(),
    }
}

/// An answer that takes too long is given up; what was handed in may still be done.
async fn in_time(answer: impl Future<Output = Response>) -> Response {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(response) => response,
        Err(_) => Problem::from(
            Refusal::new(Code::ServerBusy, "the answer did not come in time; it may still be done")
                .hint("repeat the request, with the same op id if it writes"),
        )
        .into_response(),
    }
}

/// Every answer says which version gave it, and is what it says it is.
fn signed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(VERSION, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
    headers.insert(NO_SNIFF, HeaderValue::from_static("nosniff"));
    response
}
