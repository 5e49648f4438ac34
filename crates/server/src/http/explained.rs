//! `/errors/{code}`: where the `type` of a problem document leads.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use windlass_domain::{Code, Refusal};
use windlass_ops::explain::PAGES;

use super::problem::Problem;

/// The page of a code. It says nothing about the ledger, so everybody may read it.
pub(crate) async fn show(path: Result<Path<String>, PathRejection>) -> Result<Response, Problem> {
    let Ok(Path(code)) = path else { return Err(unknown("").into()) };
    let (_, page) = PAGES.iter().find(|(name, _)| *name == code).ok_or_else(|| unknown(&code))?;
    let markdown = HeaderValue::from_static("text/markdown; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, markdown)], *page).into_response())
}

fn unknown(code: &str) -> Refusal {
    Refusal::new(Code::CodeNotFound, format!("there is no error code '{code}'"))
        .hint("the codes are in the schema of problems in /openapi.json")
        .detail("given", code)
}
