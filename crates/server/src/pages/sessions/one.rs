//! One session: how far it has come, what it was given and why, what it wrote and what becomes of it.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::session::state::SessionStatus;
use windlass_ops::chunk::ChunkBrief;
use windlass_ops::session::{At, SessionView, Show, Shown};

use super::super::Visit;
use super::super::layout::{Page, Section, framed};
use super::super::look::{self, empty, run_path};
use super::super::trouble::Trouble;
use super::given::{Row, table, total};
use super::part::Part;
use super::{decide, path, status};
use crate::http::unreadable;

/// `GET /sessions/{id}`.
pub(super) async fn page(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Trouble> {
    let Path(id) = path.map_err(|_| unreadable())?;
    let shown = shown(&visit, id).await?;
    let decisions = decide::panel(&visit, &shown, None).await?;
    Ok(framed(&visit, whole(&visit, &shown, &decisions)))
}

pub(super) async fn shown(visit: &Visit, id: String) -> Result<Shown, Trouble> {
    visit.ask(Show { at: At { session: Some(id), ..At::default() } }).await
}

/// The page around what somebody decides.
pub(super) fn whole(visit: &Visit, shown: &Shown, decisions: &Markup) -> Page {
    let session = &shown.session;
    let main = html! {
        div.task data-follow=(session.session_id) {
            header #head .task-head data-live {
                (Part::Sessions.tabs(visit))
                p.crumbs.soft { a href=(Part::Sessions.path()) { "Sessions" } " / " span.id { (session.session_id.short()) } }
                h1 { (session.agent) }
                @if let Some(focus) = &session.focus { p { (focus.task) } }
                div.chips {
                    (status(session.status))
                    @if let Some(focus) = &session.focus { (look::tags(&focus.tags, 8)) }
                }
                (missing(session))
            }
            div.task-main {
                (decisions)
                (injected(shown))
                (cut(shown))
                (wrote(&shown.wrote))
            }
            div.task-side { (facts(visit, session)) (end(session)) }
        }
    };
    let title = format!("Session {}", session.session_id.short());
    Page::new(title, Section::Sessions, main)
}

/// What keeps it from writing.
fn missing(session: &SessionView) -> Markup {
    let is_open = session.status == SessionStatus::Active;
    html! {
        @if is_open && !session.missing_steps.is_empty() {
            div.notice.warn {
                p { "It writes nothing yet" }
                p { "Its lifecycle asks it to say first what it works on." }
            }
        }
    }
}

fn injected(shown: &Shown) -> Markup {
    let rows: Vec<Row<'_>> = shown.injected.iter().map(Row::from).collect();
    html! {
        section.panel #injected data-live {
            h2 { "What it was given" span.soft { (total(&rows)) } }
            @if !shown.pending.is_empty() {
                p.lead { span.chip.accent { (shown.pending.len()) " came up meanwhile" } " It is handed over when the agent next asks." }
            }
            @if rows.is_empty() { (empty("Nothing was injected.")) } @else { (table(&rows)) }
        }
    }
}

fn cut(shown: &Shown) -> Markup {
    let rows: Vec<Row<'_>> = shown.cut.iter().map(Row::from).collect();
    html! {
        section.panel #cut data-live hidden[rows.is_empty()] {
            h2 { "What the budget left out" span.soft { (total(&rows)) } }
            (table(&rows))
        }
    }
}

fn wrote(chunks: &[ChunkBrief]) -> Markup {
    html! {
        section.panel #wrote data-live {
            h2 { "What it wrote" span.soft.numeric { (chunks.len()) } }
            @if chunks.is_empty() { (empty("It wrote nothing that is there now.")) } @else {
                div.table {
                    table.stacks {
                        thead { tr { th { "Chunk" } th { "Type" } th { "Key" } th { "Version" } } }
                        tbody { @for chunk in chunks { tr {
                            td { (look::chunk_title(chunk.chunk_id, &chunk.title)) }
                            td data-label="Type" { a href=(Part::ChunkTypes.path_of(chunk.chunk_type.as_str())) { (chunk.chunk_type) } }
                            td.wide data-label="Key" { code { (chunk.query_key) } }
                            td.nowrap.numeric data-label="Version" { (chunk.version) }
                        } } }
                    }
                }
            }
        }
    }
}

fn facts(visit: &Visit, session: &SessionView) -> Markup {
    let now = visit.now;
    html! {
        section.panel #facts data-live {
            h2 { "Facts" }
            dl.facts {
                dt { "Session" } dd { code.small { (session.session_id) } }
                @if let Some(agent_type) = &session.agent_type {
                    dt { "Agent type" } dd { a href=(Part::AgentTypes.path_of(agent_type)) { (agent_type) } }
                }
                dt { "Lifecycle" } dd { a href=(Part::Lifecycles.path_of(&session.lifecycle)) { (session.lifecycle) } }
                @if let Some(project) = &session.project { dt { "Project" } dd { (project) } }
                @if let Some(run) = session.run { dt { "Run" } dd { a href=(run_path(run)) { (run.short()) } } }
                dt { "Started" } dd { (look::time(session.started_at, now)) }
                @match session.ended_at {
                    Some(at) => { dt { "Over" } dd { (look::time(at, now)) } }
                    None => { dt { "Expires" } dd { (look::time(session.expires_at, now)) } }
                }
                @if session.resume_count > 0 { dt { "Resumed" } dd { (session.resume_count) " times" } }
            }
        }
    }
}

/// A form to end it.
fn end(session: &SessionView) -> Markup {
    html! {
        section.panel #act data-live hidden[session.status != SessionStatus::Active] {
            h2 { "Act" }
            form.stack method="post" action="/do/session.end" {
                input type="hidden" name="session" value=(session.session_id);
                input type="hidden" name="back" value=(path(session.session_id));
                p.small.soft { "What it wrote then comes up for a decision." }
                div.line-up { button.first { "End the session" } }
            }
        }
    }
}
