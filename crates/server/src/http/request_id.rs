//! Every request has an id: the caller's, or else one of ours. It is in the answer, in the log and
//! in problem documents.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is taken from a caller.
const LONGEST: usize = 128;

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request that is being answered.
pub(crate) fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// The id that a request brings, or a new one.
pub(crate) fn of(request: &Request) -> String {
    let given = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok());
    given.filter(|id| is_usable(id)).map_or_else(fresh, str::to_owned)
}

/// Gives a request its id while it is answered, and the id to the answer.
pub(crate) async fn identify(id: String, answer: impl Future<Output = Response>) -> Response {
    let header = HeaderValue::from_str(&id);
    let mut response = CURRENT.scope(id, answer).await;
    if let Ok(id) = header {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

fn is_usable(id: &str) -> bool {
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn fresh() -> String {
    let mut bytes = [0; 8];
    // Without random bytes ids repeat, which costs nothing but clarity.
    let _filled = getrandom::fill(&mut bytes);
    format!("{:016x}", u64::from_be_bytes(bytes))
}
