//! What is told when a chunk was written: what was there already and says nearly the same.

use axum::response::Response;
use maud::html;
use windlass_ops::chunk::{Remember, Write, Written};
use windlass_ops::operation::Operation as _;
use windlass_ops::table::Entry;

use super::super::layout::{Page, Section, framed};
use super::super::look::chunk_path;
use super::super::{Visit, see_other};
use super::links::brief;

/// The page after a chunk was written, if that is what was done: its own page, unless something like
/// it was there.
pub(in crate::pages) fn written(visit: &Visit, entry: &Entry, json: &str) -> Option<Response> {
    if ![Write::NAME, Remember::NAME].contains(&entry.name) {
        return None;
    }
    let Written { chunk, nearest } = serde_json::from_str(json).ok()?;
    let own = chunk_path(chunk.chunk_id);
    if nearest.is_empty() {
        return Some(see_other(&own));
    }
    let main = html! {
        div.narrow.stack {
            h1 { "Written: " (chunk.title) }
            section.panel #nearest {
                h2 { "Like what was there" }
                p.soft.lead { "Nothing is merged by itself. Read these, and update, link or supersede where that is right." }
                ul.links {
                    @for near in &nearest {
                        li { (brief(&near.chunk)) p.small.soft { (format!("{:.0}", near.likeness * 100.0)) " % alike" } }
                    }
                }
            }
            p { a.button.first href=(own) { "To the new chunk" } }
        }
    };
    let page = Page { assets: super::SHEETS, ..Page::new("Written", Section::Chunks, main) };
    Some(framed(visit, page))
}
