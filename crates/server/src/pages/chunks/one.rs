//! `/chunks/{id}`: a chunk with everything that is known of it, and what can be done about it.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery};
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::chunk::ChunkType;
use windlass_ops::chunk::asker::Asker;
use windlass_ops::chunk::view::ChunkView;
use windlass_ops::chunk::{Show, Shown, Versions, VersionsShown};

use super::super::Visit;
use super::super::form::Form;
use super::super::layout::{Page, Section, framed};
use super::super::look::{self, address, chunk_path};
use super::super::markdown::markdown;
use super::super::trouble::Trouble;
use super::edit::edit;
use super::facts::{facts, fields};
use super::keeping::keeping;
use super::links::links;
use super::reviews::reviews;
use super::types::{named, types};
use super::{type_chip, versions};
use crate::http::unreadable;

/// Versions that are named on the page of a chunk.
const NEWEST: u64 = 5;

/// All that the page tells.
struct Told {
    shown: Shown,
    of: Option<ChunkType>,
    versions: VersionsShown,
    /// It is shown as it is now, and not as it once was.
    is_current: bool,
}

/// `GET /chunks/{id}`.
pub(super) async fn page(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, Trouble> {
    let Path(id) = path.map_err(|_| unreadable())?;
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let version = query.first("version").and_then(|version| version.parse().ok());
    let told = Told::load(&visit, id, version).await?;
    let chunk = &told.shown.chunk;
    let main = html! {
        div.task data-follow=(followed(&told.shown)) {
            (head(chunk))
            div.task-main {
                (standing(&told, &visit))
                section.panel #about {
                    div #content .prose data-live { (markdown(&chunk.content)) }
                    @if told.is_current { (edit(chunk, told.of.as_ref())) }
                }
                (gotchas(chunk))
                @if told.is_current {
                    (links(&told.shown))
                    (reviews(chunk))
                }
            }
            div.task-side {
                @if told.is_current { (keeping(chunk, &visit.person.name)) }
                (fields(chunk, told.of.as_ref()))
                (facts(chunk, visit.now))
            }
            div.task-past { (versions::newest(&told.versions, visit.now)) }
        }
    };
    let title = format!("{} · {}", chunk.title, chunk.chunk_id.short());
    let page = Page { assets: super::SHEETS, ..Page::new(title, Section::Chunks, main) };
    Ok(framed(&visit, page))
}

impl Told {
    async fn load(visit: &Visit, id: String, version: Option<u32>) -> Result<Self, Trouble> {
        let show = Show { chunk: id, version, project: None, asker: Asker::default() };
        let shown = visit.ask(show).await?;
        let chunk = shown.chunk.chunk_id.to_string();
        let newest = Versions { chunk, full: false, limit: Some(NEWEST), asker: Asker::default() };
        let versions = visit.ask(newest).await?;
        let types = types(visit).await?;
        Ok(Self {
            of: named(&types, shown.chunk.chunk_type.as_str()).cloned(),
            is_current: shown.chunk.version == versions.chunk.version,
            versions,
            shown,
        })
    }
}

/// The chunks whose events change this page.
fn followed(shown: &Shown) -> String {
    let linked = shown.linked.iter().map(|other| other.chunk_id);
    let incoming = shown.incoming.iter().map(|other| other.from.chunk_id);
    let task = shown.chunk.task_id.map(|task| task.to_string());
    let all = [shown.chunk.chunk_id].into_iter().chain(linked).chain(incoming);
    all.map(|id| id.to_string()).chain(task).collect::<Vec<_>>().join(" ")
}

fn head(chunk: &ChunkView) -> Markup {
    html! {
        header #head .task-head data-live {
            p.crumbs.soft {
                a href="/chunks" { "Chunks" } " / "
                @if let Some(project) = &chunk.project {
                    a href=(address("/chunks", &[("project", project)])) { (project) } " / "
                }
                span.id { (chunk.chunk_id.short()) }
            }
            h1 { (chunk.title) }
            div.chips {
                (type_chip(chunk.chunk_type.as_str()))
                @if let Some(agent) = &chunk.agent { span.chip.warn title="Nobody else sees it but people" { "only @" (agent) } }
                @if chunk.pinned { span.chip.good { "pinned" } }
                @if chunk.visibility.as_str() != "private" { span.chip { (chunk.visibility.as_str()) } }
                @for signal in &chunk.signals { span.chip.bad { (signal.as_str().replace('_', " ")) } }
                @for tag in &chunk.tags { a.chip href=(address("/chunks", &[("tag", tag)])) { (tag) } }
            }
        }
    }
}

/// Whether what it says can be relied on.
fn standing(told: &Told, visit: &Visit) -> Markup {
    let chunk = &told.shown.chunk;
    let stale = chunk.source.as_ref().and_then(|source| source.changed_at);
    html! {
        div #standing data-live {
            @if !told.is_current {
                div.notice.warn {
                    p { "This is version " (chunk.version) " of " (told.versions.chunk.version) "." }
                    p { a href=(chunk_path(chunk.chunk_id)) { "To what it says now" } }
                }
            }
            @if let Some(known) = &chunk.superseded {
                div.notice.warn {
                    p { "Another chunk says it better" }
                    p { (known.reason) " (" (look::time(known.at, visit.now)) ")" }
                    p { a href=(chunk_path(known.by)) { "To the chunk that holds now" } }
                }
            } @else if !chunk.current {
                div.notice.warn {
                    p { "It holds no more, and is given to nobody" }
                    @if let Some(at) = chunk.expires_at { p { "It held until " (look::time(at, visit.now)) "." } }
                }
            }
            @if let (Some(at), Some(source)) = (stale, &chunk.source) {
                div.notice.bad {
                    p { "Its source says something else now" }
                    p { code { (source.file) } " was seen changed " (look::time(at, visit.now)) "." }
                }
            }
        }
    }
}

/// What a reader would get wrong.
fn gotchas(chunk: &ChunkView) -> Markup {
    html! {
        @if chunk.gotchas.is_empty() { div #gotchas data-live {} } @else {
            section.panel #gotchas data-live {
                h2 { "Easily got wrong" }
                ul.gotchas { @for gotcha in &chunk.gotchas { li { (gotcha) } } }
            }
        }
    }
}
