//! The chunks that answer a question, the best first.

use maud::{Markup, html};
use windlass_ops::chunk::{Adjusted, ChunkFound, ChunksFound, Explanation, WordGave};

use super::super::Visit;
use super::super::look::{self, empty};
use super::super::search::marked;
use super::filters::Filters;
use super::{type_chip, whose};

/// Tags of a chunk that are shown.
const TAGS: usize = 6;

pub(super) fn found(visit: &Visit, filters: &Filters, found: &ChunksFound) -> Markup {
    html! {
        section.panel #results data-live {
            h2 {
                @match found.chunks.len() {
                    0 => "Nothing found",
                    1 => "1 chunk",
                    count => { "The best " (count) " chunks" },
                }
                @if let Some(project) = &visit.project { span.soft { "in " (project) } }
            }
            @if found.chunks.is_empty() {
                (empty("No chunk has these words. Fewer words, a part of a name or a path, or one filter less may find more."))
            } @else {
                p.small {
                    @if filters.explain { a href=(filters.address(&[])) { "Without reasons" } }
                    @else { a href=(filters.address(&[("explain", "1")])) { "Why in this order?" } }
                }
                ol.found { @for chunk in &found.chunks { li { (result(visit, chunk)) } } }
            }
        }
    }
}

fn result(visit: &Visit, chunk: &ChunkFound) -> Markup {
    html! {
        div.over {
            (look::chunk_title(chunk.chunk_id, &chunk.title))
            (type_chip(chunk.chunk_type.as_str()))
        }
        div.soft.small.facts-line {
            (look::chunk_id(chunk.chunk_id))
            span { (chunk.query_key) }
            (whose(chunk.project.as_deref(), chunk.agent.as_deref()))
            span { "version " (chunk.version) ", " (look::time(chunk.updated_at, visit.now)) }
        }
        @if let Some(snippet) = &chunk.snippet { p.snippet { (marked(snippet)) } }
        @if !chunk.tags.is_empty() { div.chips { (look::tags(&chunk.tags, TAGS)) } }
        @if let Some(explanation) = &chunk.explanation { (why(chunk, explanation)) }
    }
}

/// What made up the score: the sum of what the words gave, times every factor.
fn why(chunk: &ChunkFound, explanation: &Explanation) -> Markup {
    html! {
        ul.small.why aria-label="Why it ranks here" {
            li { "score " span.numeric { (two(chunk.score)) } }
            @for word in &explanation.words { li { (gave(word)) } }
            @for Adjusted { why, factor } in &explanation.adjustments {
                li { (why.to_string().replace('_', " ")) span.numeric { " ×" (two(*factor)) } }
            }
        }
    }
}

fn gave(word: &WordGave) -> Markup {
    let places: Vec<String> = word
        .places
        .iter()
        .map(|(place, gave)| format!("{} {}", place.replace('_', " "), two(*gave)))
        .collect();
    html! {
        strong { (word.asked) }
        @if word.asked != word.found { span.soft { " as " (word.found) } }
        span.numeric { " +" (two(word.score)) }
        span.soft { " (" (places.join(", ")) ")" }
    }
}

fn two(number: f64) -> String {
    format!("{number:.2}")
}
