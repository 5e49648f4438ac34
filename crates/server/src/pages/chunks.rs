//! Chunks: all of them, found by filters or words; one with everything that is known of it; its
//! versions; its chain; and the form that writes another.

mod browse;
mod chain;
mod conflict;
mod diff;
mod edit;
mod facts;
mod fields;
mod filters;
mod found;
mod keeping;
mod links;
mod listed;
mod of_task;
mod one;
#[cfg(test)]
mod rendered;
mod reviews;
mod types;
mod versions;
mod write;
mod written;

use axum::Router;
use axum::routing::get;
use maud::{Markup, html};
use windlass_domain::ChunkId;

pub(super) use conflict::Meanwhile;
pub(super) use of_task::{LinkedChunks, of_task};
pub(super) use written::written;

use super::look::{address, chunk_path};
use crate::http::Shared;

/// Style sheets that these pages add.
const SHEETS: &[&str] = &["drawings.css", "chunks.css"];

/// The paths of these pages.
pub(super) fn router() -> Router<Shared> {
    Router::new()
        .route("/chunks", get(browse::page))
        .route("/chunks/new", get(write::page))
        .route("/chunks/{id}", get(one::page))
        .route("/chunks/{id}/versions", get(versions::page))
        .route("/chunks/{id}/chain", get(chain::page))
}

/// A type, which leads to the chunks of it.
fn type_chip(slug: &str) -> Markup {
    html! { a.chip.accent href=(address("/chunks", &[("type", slug)])) { (slug) } }
}

/// Whose a chunk is.
fn whose(project: Option<&str>, agent: Option<&str>) -> Markup {
    html! {
        @match (project, agent) {
            (Some(project), _) => a href=(address("/chunks", &[("project", project)])) { (project) },
            (None, Some(agent)) => span title="Nobody else's, and people's" { "@" (agent) },
            (None, None) => span.soft { "everybody" },
        }
    }
}

/// A form that does one operation on a chunk, and leads back to a part of its page.
fn does(operation: &str, chunk: ChunkId, part: &str, inside: Markup) -> Markup {
    html! {
        form.stack method="post" action={ "/do/" (operation) } {
            input type="hidden" name="chunk" value=(chunk);
            input type="hidden" name="back" value={ (chunk_path(chunk)) "#" (part) };
            (inside)
        }
    }
}
