//! `/errors/{code}`: where the `type` of a problem document leads.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html;
use windlass_domain::{Code, Refusal};
use windlass_ops::explain::PAGES;

use super::Shared;
use super::problem::Problem;
use crate::pages;
use crate::pages::layout::Page;
use crate::pages::markdown::markdown;
use crate::pages::trouble::Trouble;

/// The page of a code, set for whoever reads it in a browser. It says nothing about the ledger, so
/// everybody may read it.
pub(crate) async fn show(
    State(house): State<Shared>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let code = path.map(|Path(code)| code).unwrap_or_default();
    let text = PAGES.iter().find(|(name, _)| *name == code).map(|(_, text)| *text);
    let mut response = match (text, pages::wants_page(&request)) {
        (Some(text), true) => {
            pages::for_anybody(request, &house, StatusCode::OK, page(&code, text)).await
        }
        (Some(text), false) => {
            let markdown = HeaderValue::from_static("text/markdown; charset=utf-8");
            ([(header::CONTENT_TYPE, markdown)], text).into_response()
        }
        (None, true) => {
            let page = Trouble::from(unknown(&code)).page();
            pages::for_anybody(request, &house, StatusCode::NOT_FOUND, page).await
        }
        (None, false) => Problem::from(unknown(&code)).into_response(),
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

fn page(code: &str, text: &str) -> Page {
    // Its first line is its title, which the page says in its own way.
    let body = text.split_once('\n').map_or(text, |(_, body)| body);
    let main = html! {
        article.narrow.stack {
            h1 { code { (code) } }
            div.panel.prose { (markdown(body)) }
        }
    };
    Page { title: code.to_owned(), section: None, assets: &[], main }
}

fn unknown(code: &str) -> Refusal {
    Refusal::new(Code::CodeNotFound, format!("there is no error code '{code}'"))
        .hint("the codes are in the schema of problems in /openapi.json")
        .detail("given", code)
}
