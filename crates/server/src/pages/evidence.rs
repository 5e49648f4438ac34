//! What checks of runs left, as files: pictures and logs.
//!
//! The request names a run and a file. Only a name that the ledger knows is looked for, in the folder
//! of that run, and only what the check left there is sent: never a page that acts as one of ours.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use windlass_ops::run::{Kept, Kind};

use super::Visit;
use super::trouble::Trouble;
use crate::http::unreadable;

/// It is shown and does nothing, also when somebody opens it by itself.
const POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

/// `GET /runs/{id}/evidence/{name}`.
pub(super) async fn get(
    visit: Visit,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, Trouble> {
    let Path((run, name)) = path.map_err(|_| unreadable())?;
    let read = move |cx: &mut windlass_ops::Context| Kept::of(cx, &run, &name);
    let Kept { kind, bytes } = visit.house.desk.look(visit.caller.clone(), read).await?;
    let content_type = match kind {
        Kind::Picture => "image/png",
        Kind::Text => "text/plain; charset=utf-8",
    };
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_DISPOSITION, "inline"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    Ok((headers, bytes).into_response())
}
