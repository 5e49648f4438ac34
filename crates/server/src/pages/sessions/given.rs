//! Chunks that somebody is given, each with the rule that chose it.

use maud::{Markup, html};
use windlass_domain::ChunkId;
use windlass_ops::session::{CutChunk, GivenChunk, InjectedChunk};

use super::super::look::{chunk_id, chunk_title, grouped};

/// A chunk as the table shows it, whether it was given, would be, or was left out.
#[derive(Debug)]
pub(super) struct Row<'a> {
    chunk: ChunkId,
    version: u32,
    title: Option<&'a str>,
    rule: &'a str,
    tokens: u32,
}

impl<'a> From<&'a GivenChunk> for Row<'a> {
    fn from(given: &'a GivenChunk) -> Self {
        Self {
            chunk: given.chunk_id,
            version: given.version,
            title: given.title.as_deref(),
            rule: &given.rule,
            tokens: given.tokens,
        }
    }
}

impl<'a> From<&'a InjectedChunk> for Row<'a> {
    fn from(injected: &'a InjectedChunk) -> Self {
        Self {
            chunk: injected.chunk_id,
            version: injected.version,
            title: Some(&injected.title),
            rule: &injected.rule,
            tokens: injected.tokens,
        }
    }
}

impl<'a> From<&'a CutChunk> for Row<'a> {
    fn from(cut: &'a CutChunk) -> Self {
        Self {
            chunk: cut.chunk_id,
            version: cut.version,
            title: Some(&cut.title),
            rule: &cut.rule,
            tokens: cut.tokens,
        }
    }
}

/// How much some chunks take of a budget together, in words.
pub(super) fn total(rows: &[Row<'_>]) -> String {
    let tokens: u64 = rows.iter().map(|row| u64::from(row.tokens)).sum();
    format!("{} tokens, roughly", grouped(tokens))
}

pub(super) fn table(rows: &[Row<'_>]) -> Markup {
    html! {
        div.table {
            table.stacks {
                thead { tr { th { "Chunk" } th { "Version" } th { "Chosen by" } th.rank { "Tokens" } th { "Id" } } }
                tbody { @for row in rows { (one(row)) } }
            }
        }
    }
}

fn one(row: &Row<'_>) -> Markup {
    html! {
        tr {
            td {
                @match row.title {
                    Some(title) => { (chunk_title(row.chunk, title)) }
                    None => { span.soft { "not yours to see, or gone" } }
                }
            }
            td.nowrap.numeric data-label="Version" { (row.version) }
            td.wide data-label="Chosen by" { (row.rule) }
            td.rank data-label="Tokens" { (grouped(u64::from(row.tokens))) }
            td.nowrap data-label="Id" { (chunk_id(row.chunk)) }
        }
    }
}
