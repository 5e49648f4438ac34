//! `/chunks`: all chunks, or those that answer a question.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};

use super::super::Visit;
use super::super::form::Form;
use super::super::layout::{Page, Section, framed};
use super::super::look::address;
use super::super::trouble::Trouble;
use super::filters::Filters;
use super::found::found;
use super::listed::listed;
use super::types::types;

/// `GET /chunks`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let filters = Filters::of(&Form::parse(query.as_deref().unwrap_or_default()));
    let types = types(&visit).await?;
    let shown = shown(&visit, &filters).await;
    let project = visit.project.as_deref().unwrap_or_default();
    let new = [("type", filters.chunk_type.as_str()), ("project", project)];
    let main = html! {
        div.head {
            h1 { "Chunks" }
            div.end { a.button.first href=(address("/chunks/new", &new)) { "Write a chunk" } }
        }
        (filters.form(&types))
        @match shown {
            Ok(shown) => (shown),
            Err(trouble) => {
                (trouble.notice())
                p { a.button href=(visit.with_project("/chunks")) { "Show all chunks" } }
            },
        }
    };
    let title = match filters.words.as_str() {
        "" => "Chunks".to_owned(),
        words => format!("{words} · Chunks"),
    };
    let page = Page { assets: super::SHEETS, ..Page::new(title, Section::Chunks, main) };
    Ok(framed(&visit, page))
}

async fn shown(visit: &Visit, filters: &Filters) -> Result<Markup, Trouble> {
    if filters.words.is_empty() {
        let chunks = visit.ask(filters.list()).await?;
        return listed(visit, filters, chunks);
    }
    let chunks = visit.ask(filters.search()).await?;
    Ok(found(visit, filters, &chunks))
}
