//! The HTTP door.

pub(crate) mod body;
mod condition;
mod doorkeeper;
mod encoded;
mod explained;
mod fields;
pub(crate) mod journal;
mod openapi;
mod ops;
mod problem;
pub(crate) mod query;
mod request_id;
mod rest;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use windlass_domain::{Code, Refusal};

pub(crate) use body::read;
pub(crate) use condition::Readiness;
pub(crate) use doorkeeper::{Doorkeeper, Visitor};
pub(crate) use ops::{answer, operation_not_found};
pub(crate) use problem::{Problem, status};

use crate::desk::Desk;
use crate::limits::Limits;
use crate::live::Live;
use crate::mcp::http::{Mcp, enter};
use crate::pages;

/// How long a request may take until its answer begins.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) const VERSION: HeaderName = HeaderName::from_static("windlass-version");

/// Everything the handlers share.
pub(crate) struct House {
    pub(crate) desk: Desk,
    pub(crate) live: Live,
    pub(crate) doorkeeper: Doorkeeper,
    pub(crate) mcp: Mcp,
    pub(crate) limits: Limits,
    pub(crate) readiness: Readiness,
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
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn(body::bounded))
        .layer(middleware::from_fn(in_time))
        .layer(middleware::from_fn_with_state(Arc::clone(&house), doorkeeper::at_the_door))
        .layer(middleware::from_fn_with_state(Arc::clone(&house), journal::keep))
        .layer(middleware::from_fn(request_id::identify))
        .layer(middleware::from_fn(signed))
        .with_state(house)
}

async fn nothing_here(uri: Uri) -> Problem {
    Refusal::new(Code::PathNotFound, format!("there is nothing at {}", uri.path()))
        .hint("the paths are in /openapi.json")
        .detail("path", uri.path())
        .into()
}

async fn wrong_method(request: Request) -> Response {
    let refusal = Refusal::new(
        Code::Usage,
        format!("{} does not go with {}", request.method(), request.uri().path()),
    )
    .hint("the methods of each path are in /openapi.json");
    let mut response = Problem::from(refusal).into_response();
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

/// An answer that takes too long is given up; what was handed in may still be done.
async fn in_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::from(
            Refusal::new(Code::ServerBusy, "the answer did not come in time; it may still be done")
                .hint("repeat the request, with the same op id if it writes"),
        )
        .into_response(),
    }
}

/// Every answer says which version gave it, and is what it says it is.
async fn signed(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(VERSION, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}
