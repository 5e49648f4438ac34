//! `/chunks/{id}/versions`: what a chunk said each time, by whom, and what differs between two.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery};
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use windlass_domain::{ChunkId, Time};
use windlass_ops::chunk::asker::Asker;
use windlass_ops::chunk::{Diff, Differs, FieldChangeView, VersionView, Versions, VersionsShown};

use super::super::Visit;
use super::super::form::Form;
use super::super::layout::{Page, Section, framed};
use super::super::look::{self, chunk_path};
use super::super::trouble::Trouble;
use super::diff::diff;
use super::facts::{author, written};
use crate::http::unreadable;

/// The newest versions that are listed.
const MOST: u64 = 200;
/// Longer values of fields are for the comparison to show.
const SHORT: usize = 120;

/// `GET /chunks/{id}/versions`.
pub(super) async fn page(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, Trouble> {
    let Path(id) = path.map_err(|_| unreadable())?;
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let number = |name: &str| query.first(name).and_then(|version| version.parse().ok());
    let all =
        Versions { chunk: id.clone(), full: false, limit: Some(MOST), asker: Asker::default() };
    let all = visit.ask(all).await?;
    let (from, to) = (number("from"), number("to"));
    let has_several = all.versions.len() > 1 || from.is_some() || to.is_some();
    let compared = match has_several {
        true => Some(visit.ask(Diff { chunk: id, from, to, asker: Asker::default() }).await),
        false => None,
    };
    let chunk = &all.chunk;
    let main = html! {
        div.head {
            p.crumbs { a href="/chunks" { "Chunks" } " / " (look::chunk_title(chunk.chunk_id, &chunk.title)) " /" }
            h1 { "Versions" }
        }
        @match &compared {
            None => {},
            Some(Ok(differs)) => (comparison(&all, differs)),
            Some(Err(trouble)) => (trouble.notice()),
        }
        section.panel.below #versions data-live data-follow=(chunk.chunk_id) {
            h2 { "Every version" span.soft.numeric { (chunk.version) } }
            (table(&all, visit.now))
            @if all.versions.len() as u64 == MOST { p.soft { "The newest " (MOST) " are shown." } }
        }
    };
    let title = format!("Versions of {}", chunk.title);
    let page = Page { assets: super::SHEETS, ..Page::new(title, Section::Chunks, main) };
    Ok(framed(&visit, page))
}

fn comparison(all: &VersionsShown, differs: &Differs) -> Markup {
    let (from, to) = (differs.from, differs.to);
    html! {
        section.panel #compared {
            div.head.tight {
                h2 { "Version " (from) " → " (to) }
                form.line-up action={ (chunk_path(all.chunk.chunk_id)) "/versions" } {
                    (pick("from", "Compare version", all, from))
                    (pick("to", "with version", all, to))
                    button { "Compare" }
                }
            }
            (diff(differs))
        }
    }
}

fn pick(name: &str, asked: &str, all: &VersionsShown, chosen: u32) -> Markup {
    html! {
        label.field {
            span { (asked) }
            select name=(name) {
                @for version in all.versions.iter().rev() {
                    option value=(version.version) selected[version.version == chosen] {
                        (version.version) ", " (version.author.name)
                    }
                }
            }
        }
    }
}

/// The newest versions, on the page of the chunk.
pub(super) fn newest(shown: &VersionsShown, now: Time) -> Markup {
    html! {
        section.panel #versions data-live {
            h2 { "Versions" span.soft.numeric { (shown.chunk.version) } }
            (table(shown, now))
            p.pager {
                a.button href={ (chunk_path(shown.chunk.chunk_id)) "/versions" } { "All versions, and what differs" }
            }
        }
    }
}

fn table(shown: &VersionsShown, now: Time) -> Markup {
    html! {
        div.table {
            table.stacks {
                thead { tr { th { "Version" } th { "When" } th { "Who" } th { "What changed" } th { "Why" } } }
                tbody { @for version in shown.versions.iter().rev() { (row(shown.chunk.chunk_id, version, now)) } }
            }
        }
    }
}

fn row(chunk: ChunkId, version: &VersionView, now: Time) -> Markup {
    let number = version.version;
    html! {
        tr {
            td { a href={ (chunk_path(chunk)) "?version=" (number) } { "Version " (number) } }
            td.nowrap data-label="When" { (look::time(version.at, now)) }
            td.wide data-label="Who" { (author(&version.author)) }
            td.wide data-label="Changed" {
                (changed(version))
                @if number > 1 {
                    " " a.small href={ (chunk_path(chunk)) "/versions?from=" (number - 1) "&to=" (number) "#compared" }
                        aria-label={ "See what version " (number) " changed" } { "see" }
                }
            }
            td.wide data-label="Why" { (version.note.as_deref().unwrap_or_default()) }
        }
    }
}

/// The parts that changed; of fields also what they were and are.
fn changed(version: &VersionView) -> Markup {
    let parts: Vec<&str> = version.changed.iter().map(|part| part.as_str()).collect();
    html! {
        @if parts.is_empty() { (version.change) } @else { (parts.join(", ")) }
        @for FieldChangeView { name, before, after } in &version.fields {
            @if letters(before) + letters(after) <= SHORT {
                p.small.soft { (name.replace('_', " ")) ": " (or_nothing(before)) " → " (or_nothing(after)) }
            }
        }
    }
}

fn letters(value: &Value) -> usize {
    written(value).chars().count()
}

fn or_nothing(value: &Value) -> String {
    let text = written(value);
    if text.is_empty() { "–".to_owned() } else { text }
}
