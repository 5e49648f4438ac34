//! The files that pages are made with: one style sheet, an icon, a few modules. They are part of the
//! program; the links to them name their version, so that a browser keeps them until they change.

use std::sync::LazyLock;

use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};
use windlass_domain::chain::Hash;
use windlass_domain::{Code, Refusal};

use crate::http::Problem;

/// The files, by name.
const FILES: &[(&str, &str)] = &[
    ("app.css", include_str!("assets/app.css")),
    ("icon.svg", include_str!("assets/icon.svg")),
    ("theme.js", include_str!("assets/theme.js")),
    ("app.js", include_str!("assets/app.js")),
    ("board.js", include_str!("assets/board.js")),
    ("live.js", include_str!("assets/live.js")),
    ("times.js", include_str!("assets/times.js")),
    ("drawings.css", include_str!("assets/drawings.css")),
    ("chunks.css", include_str!("assets/chunks.css")),
    ("pan.js", include_str!("assets/pan.js")),
];

const SCRIPT: HeaderValue = HeaderValue::from_static("text/javascript; charset=utf-8");
const STYLE: HeaderValue = HeaderValue::from_static("text/css; charset=utf-8");
const PICTURE: HeaderValue = HeaderValue::from_static("image/svg+xml");

/// The version of all files together: modules name each other without one, so a change of any must
/// be seen by all.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut all = Sha256::new();
    for (name, text) in FILES {
        all.update(name);
        all.update(text);
    }
    let digest = Hash::from_bytes(all.finalize().into()).to_string();
    digest.chars().take(12).collect()
});

/// The address of a file.
pub(super) fn link(name: &str) -> String {
    format!("/assets/{name}?v={}", *VERSION)
}

/// `GET /assets/{name}`.
pub(super) async fn get(
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some((name, text)) = FILES.iter().find(|(known, _)| *known == name) else {
        let refusal = Refusal::new(Code::PathNotFound, format!("there is no asset '{name}'"))
            .hint("reload the page")
            .detail("path", format!("/assets/{name}"));
        return Problem::from(refusal).into_response();
    };
    let tag = format!("\"{}\"", *VERSION);
    let known = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let is_known = known.is_some_and(|tags| tags.split(',').any(|one| one.trim() == tag));
    let kind = match name.rsplit_once('.') {
        Some((_, "js")) => SCRIPT,
        Some((_, "css")) => STYLE,
        _ => PICTURE,
    };
    let is_versioned = query.is_some_and(|query| query == format!("v={}", *VERSION));
    // Modules name each other without a version: a browser asks for them again each time, and is
    // mostly told that nothing changed.
    let keep = match is_versioned {
        true => HeaderValue::from_static("private, max-age=31536000, immutable"),
        false => HeaderValue::from_static("private, no-cache"),
    };
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, kind)], *text).into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, keep);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
