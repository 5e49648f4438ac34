//! `/chunks/{id}/chain`: what a chunk is based on and what is based on it, near and far, drawn from
//! left to right and told in words.

use std::collections::HashMap;

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::ChunkId;
use windlass_ops::chunk::asker::Asker;
use windlass_ops::chunk::{Chain, Chained, ChunkBrief, ElementView};

use super::super::Visit;
use super::super::graph::TITLE_COLUMNS;
use super::super::graph::canvas::{canvas, heads, way};
use super::super::graph::layout::{HEIGHT, Line, WIDTH, lay_out};
use super::super::layout::{Page, Section, framed};
use super::super::look::{self, chunk_path, cut, empty};
use super::super::trouble::Trouble;
use super::links::brief;
use crate::http::unreadable;

/// More chunks than this are no drawing any more.
const MOST: usize = 300;
/// Letters of a type that fit into a box.
const TYPE_COLUMNS: usize = 24;

/// `GET /chunks/{id}/chain`.
pub(super) async fn page(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Trouble> {
    let Path(id) = path.map_err(|_| unreadable())?;
    let chained = visit.ask(Chain { chunk: id, asker: Asker::default() }).await?;
    let chunk = &chained.chunk;
    let main = html! {
        div.head {
            p.crumbs { a href="/chunks" { "Chunks" } " / " (look::chunk_title(chunk.chunk_id, &chunk.title)) " /" }
            h1 { "Chain" }
            p.soft { "What is to the right is based on what is to the left." }
        }
        (drawing(&chained))
        div.columns-2.below {
            (words("based-on", "It is based on", &chained.based_on, "It is based on no other chunk."))
            (words("basis-of", "Based on it", &chained.basis_of, "No other chunk is based on it."))
        }
    };
    let page = Page {
        assets: &["drawings.css", "chunks.css", "pan.js"],
        ..Page::new(format!("Chain of {}", chunk.title), Section::Chunks, main)
    };
    Ok(framed(&visit, page))
}

/// A chain as boxes and lines.
struct Drawn<'a> {
    chunks: Vec<&'a ChunkBrief>,
    /// From what is based on to what is based on it, with the reasons.
    lines: Vec<(Line, Vec<&'a str>)>,
    /// Some did not fit.
    is_cut: bool,
}

impl<'a> Drawn<'a> {
    fn of(chained: &'a Chained) -> Self {
        let elements = || chained.based_on.iter().chain(&chained.basis_of);
        let mut nearest: Vec<&ElementView> = elements().collect();
        nearest.sort_by_key(|element| element.distance);
        let mut chunks = vec![&chained.chunk];
        let mut numbers = HashMap::from([(chained.chunk.chunk_id, 0)]);
        for element in nearest {
            if chunks.len() < MOST && !numbers.contains_key(&element.chunk.chunk_id) {
                numbers.insert(element.chunk.chunk_id, chunks.len());
                chunks.push(&element.chunk);
            }
        }
        let number = |id: &ChunkId| numbers.get(id).copied();
        let mut lines: Vec<(Line, Vec<&str>)> = Vec::new();
        let mut add = |from: Option<usize>, to: Option<usize>, reason: &'a str| {
            let Some(line) = from.zip(to) else { return };
            match lines.iter_mut().find(|(known, _)| *known == line) {
                Some((_, reasons)) => reasons.push(reason),
                None => lines.push((line, vec![reason])),
            }
        };
        for element in &chained.based_on {
            for by in &element.by {
                add(number(&element.chunk.chunk_id), number(&by.chunk_id), &by.reason);
            }
        }
        for element in &chained.basis_of {
            for by in &element.by {
                add(number(&by.chunk_id), number(&element.chunk.chunk_id), &by.reason);
            }
        }
        let is_cut = chained.truncated
            || elements().any(|element| !numbers.contains_key(&element.chunk.chunk_id));
        Self { chunks, lines, is_cut }
    }
}

fn drawing(chained: &Chained) -> Markup {
    let drawn = Drawn::of(chained);
    if drawn.lines.is_empty() {
        let said =
            "No chunk is linked with it. A link is added on its page, or by windlass chunk link.";
        return html! { section.panel #graph data-live { (empty(said)) } };
    }
    let lines: Vec<Line> = drawn.lines.iter().map(|(line, _)| *line).collect();
    let laid = lay_out(drawn.chunks.len(), &lines);
    let inside = html! {
        (heads(&["link"]))
        @for ((_, reasons), corners) in drawn.lines.iter().zip(&laid.lines) {
            path.way.link d=(way(corners)) marker-end="url(#head-link)" { title { (reasons.join("\n")) } }
        }
        @for (number, chunk) in drawn.chunks.iter().enumerate() {
            (node(chunk, number == 0, laid.corner(number)))
        }
    };
    html! {
        @if drawn.is_cut {
            div.notice.warn { p { "Only the nearest " (drawn.chunks.len()) " chunks are drawn." } }
        }
        (canvas("Graph of links between chunks", &laid, inside))
    }
}

/// A chunk as a box that leads to its page.
fn node(chunk: &ChunkBrief, is_here: bool, (x, y): (i64, i64)) -> Markup {
    html! {
        a class={ "chunk" @if is_here { " here" } } href=(chunk_path(chunk.chunk_id)) aria-current=[is_here.then_some("true")] {
            title { (chunk.title) "\n" (chunk.chunk_type) "\n" (chunk.query_key) }
            svg x=(x) y=(y) width=(WIDTH) height=(HEIGHT) {
                rect.box x="1.5" y="1.5" width=(WIDTH - 3) height=(HEIGHT - 3) rx="7" {}
                rect.bar x="1.5" y="1.5" width="5" height=(HEIGHT - 3) rx="2.5" {}
                text.title x="16" y="22" { (cut(&chunk.title, TITLE_COLUMNS)) }
                text.under x="16" y="41" {
                    tspan.status { (cut(chunk.chunk_type.as_str(), TYPE_COLUMNS)) }
                    tspan.soft { " · " (chunk.chunk_id.short()) }
                }
            }
        }
    }
}

/// The same in words, the nearest first.
fn words(id: &str, heading: &str, elements: &[ElementView], nothing: &str) -> Markup {
    look::panel(
        id,
        heading,
        Some(elements.len() as u64),
        html! {
            @if elements.is_empty() { (empty(nothing)) } @else {
                ol.links {
                    @for element in elements {
                        li {
                            (brief(&element.chunk))
                            @for by in &element.by { p.soft { (by.reason) } }
                            @if element.distance > 1 { p.small.soft { (element.distance) " links away" } }
                        }
                    }
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SPEC: &str = "01JAAAAAAAAAAAAAAAAAAAAAAA";
    const PLAN: &str = "01JBBBBBBBBBBBBBBBBBBBBBBB";
    const CODE: &str = "01JCCCCCCCCCCCCCCCCCCCCCCC";

    fn brief(id: &str) -> serde_json::Value {
        json!({"chunk_id": id, "chunk_type": "note", "query_key": "k", "title": "t", "version": 1})
    }

    fn element(id: &str, distance: u32, by: &str, reason: &str) -> serde_json::Value {
        let mut element = brief(id);
        element["distance"] = json!(distance);
        element["by"] = json!([{"chunk_id": by, "reason": reason}]);
        element
    }

    #[test]
    fn lines_lead_from_the_basis_to_what_is_based_on_it() {
        let chained = json!({
            "chunk": brief(PLAN), "truncated": false,
            "based_on": [element(SPEC, 1, PLAN, "plan of it")],
            "basis_of": [element(CODE, 1, PLAN, "does it")],
        });
        let chained: Chained = serde_json::from_value(chained).unwrap();
        let drawn = Drawn::of(&chained);
        assert_eq!(drawn.chunks.len(), 3);
        assert_eq!(drawn.lines, [((1, 0), vec!["plan of it"]), ((0, 2), vec!["does it"])]);
        assert!(!drawn.is_cut);
    }
}
