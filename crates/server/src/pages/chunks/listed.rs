//! A page of the list of chunks.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value};
use windlass_domain::chunk::review::Signal;
use windlass_domain::{ChunkId, Time};
use windlass_ledger::Fault;
use windlass_ops::chunk::ChunksListed;

use super::super::Visit;
use super::super::look::{self, empty, grouped};
use super::super::trouble::Trouble;
use super::facts::written;
use super::filters::Filters;
use super::{type_chip, whose};

/// Tags of a chunk that are shown.
const TAGS: usize = 4;
/// Letters of a field that is shown.
const FIELD_CHARS: usize = 24;

/// What a list shows of a chunk.
#[derive(Debug, Deserialize)]
struct Row {
    chunk_id: ChunkId,
    chunk_type: String,
    project: Option<String>,
    agent: Option<String>,
    query_key: String,
    title: String,
    tags: Vec<String>,
    fields: Map<String, Value>,
    pinned: bool,
    current: bool,
    superseded: Option<Value>,
    version: u32,
    updated_at: Time,
    signals: Vec<Signal>,
}

/// The chunks that the filters let through, with the way to the next ones.
pub(super) fn listed(
    visit: &Visit,
    filters: &Filters,
    chunks: ChunksListed,
) -> Result<Markup, Trouble> {
    let read = |parts| serde_json::from_value::<Row>(Value::Object(parts));
    let rows = chunks.chunks.into_iter().map(|chunk| read(chunk.0)).collect::<Result<Vec<_>, _>>();
    let rows =
        rows.map_err(|_| Fault::bug("a chunk is not listed with the parts that are asked for"))?;
    Ok(html! {
        section.panel #chunks data-live {
            h2 {
                @match chunks.total { 1 => "1 chunk", total => { (grouped(total)) " chunks" } }
                @if let Some(project) = &visit.project { span.soft { "in " (project) } }
            }
            @if rows.is_empty() { (nothing(visit, filters)) } @else {
                (table(&rows, filters, visit.now))
                (pager(filters, chunks.next_cursor.as_deref()))
            }
        }
    })
}

/// Says why nothing is shown, and what would change that.
fn nothing(visit: &Visit, filters: &Filters) -> Markup {
    html! {
        @if filters.are_narrow() || filters.go_on() {
            (empty("No chunk is like that. Take a filter away, or search for words."))
            p.pager { a.button href=(visit.with_project("/chunks")) { "Show all chunks" } }
        } @else {
            (empty("No chunks yet: decisions, conventions, lessons, whatever agents and people should know. Write one here, or keep something in mind from a terminal: windlass remember 'the staging API allows 60 calls a minute'"))
        }
    }
}

fn table(rows: &[Row], filters: &Filters, now: Time) -> Markup {
    html! {
        div.table {
            table.stacks {
                thead { tr { th { "Chunk" } th { "Type" } th { "Of" } th { "Tags" } th.rank { "Version" } th { "Changed" } } }
                tbody {
                    @for row in rows {
                        tr {
                            td {
                                (look::chunk_title(row.chunk_id, &row.title))
                                p.small.soft { (row.query_key) }
                                @if !filters.chunk_type.is_empty() { (short_fields(&row.fields)) }
                                (marks(row))
                            }
                            td data-label="Type" { (type_chip(&row.chunk_type)) }
                            td data-label="Of" { (whose(row.project.as_deref(), row.agent.as_deref())) }
                            td.wide data-label="Tags" { @if !row.tags.is_empty() { div.chips { (look::tags(&row.tags, TAGS)) } } }
                            td.rank data-label="Version" { (row.version) }
                            td.nowrap data-label="Changed" { (look::time(row.updated_at, now)) }
                        }
                    }
                }
            }
        }
    }
}

/// What stands out about a chunk.
fn marks(row: &Row) -> Markup {
    html! {
        div.chips {
            @if row.pinned { span.chip.good { "pinned" } }
            @if row.superseded.is_some() { span.chip.warn { "superseded" } }
            @else if !row.current { span.chip.warn { "holds no more" } }
            @for signal in &row.signals { span.chip.bad { (signal.as_str().replace('_', " ")) } }
        }
    }
}

/// The fields that are short enough for a list.
fn short_fields(fields: &Map<String, Value>) -> Markup {
    let told = fields.iter().map(|(name, value)| (name, written(value)));
    let told = told.filter(|(_, text)| !text.is_empty() && text.chars().count() <= FIELD_CHARS);
    html! {
        p.small.facts-line {
            @for (name, text) in told { span { span.soft { (name.replace('_', " ")) } " " (text) } }
        }
    }
}

fn pager(filters: &Filters, next: Option<&str>) -> Markup {
    html! {
        @if filters.go_on() || next.is_some() {
            nav.pager aria-label="Pages of chunks" {
                @if filters.go_on() { a.button href=(filters.address(&[])) { "First page" } }
                @if let Some(cursor) = next {
                    a.button href=(filters.address(&[("cursor", cursor)])) rel="next" { "Next" }
                }
            }
        }
    }
}
