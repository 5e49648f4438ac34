//! The body of a request: so much of it, and in so much time.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::Limited;
use tokio::time::timeout;
use windlass_domain::{Code, Refusal};
use windlass_ops::remote::{LONGEST_BODY, too_large};

use super::Shared;
use super::problem::Problem;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(20);

/// A body that has arrived.
pub(crate) struct Sent(pub(crate) Bytes);

impl FromRequest<Shared> for Sent {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Shared) -> Result<Self, Problem> {
        Ok(Self(read(request).await?))
    }
}

/// Waits for the body of a request.
pub(crate) async fn read(request: Request) -> Result<Bytes, Refusal> {
    let arriving = Bytes::from_request(request, &());
    let arrived = timeout(PATIENCE, arriving).await.map_err(|_| too_slow())?;
    arrived.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => cut_off(),
    })
}

/// Refuses a body that says it is too long, before any of it is read, and stops reading one that
/// says nothing and is.
pub(crate) async fn bounded(request: Request, next: Next) -> Result<Response, Problem> {
    if let Some(coding) = packed(request.headers()) {
        return Err(Problem::from(coding).answered(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    if length(request.headers()).is_some_and(|bytes| bytes > LONGEST_BODY as u64) {
        return Err(too_large().into());
    }
    Ok(next.run(request.map(|body| Body::new(Limited::new(body, LONGEST_BODY)))).await)
}

/// A body that is packed would be read as what it is not.
fn packed(headers: &HeaderMap) -> Option<Refusal> {
    let coding = headers.get(header::CONTENT_ENCODING)?;
    let coding = String::from_utf8_lossy(coding.as_bytes()).into_owned();
    let refusal = Refusal::new(Code::Usage, format!("a body in {coding} is not read"))
        .hint("send it as it is, without Content-Encoding")
        .detail("header", "Content-Encoding")
        .detail("given", &coding);
    (!coding.eq_ignore_ascii_case("identity")).then_some(refusal)
}

/// How long the body will be, if that is said.
fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_slow() -> Refusal {
    let seconds = PATIENCE.as_secs();
    Refusal::new(Code::TooSlow, format!("the body did not arrive within {seconds} seconds"))
        .hint("send it again, over a quicker connection")
        .detail("limit_seconds", seconds)
}

fn cut_off() -> Refusal {
    Refusal::new(Code::Usage, "the body could not be read to its end").hint("send it again")
}
