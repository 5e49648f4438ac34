//! Sessions: the sittings of agents, with what they were given and why, what somebody should look
//! at, and what a session would be given.

mod decide;
mod given;
mod inbox;
mod one;
pub(super) mod part;
mod preview;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::RawQuery;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use windlass_domain::SessionId;
use windlass_domain::session::Lifecycle;
use windlass_domain::session::state::SessionStatus;
use windlass_ops::definition;
use windlass_ops::session::{List, Listed, SessionView};

use self::part::Part;
use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, empty};
use super::trouble::Trouble;
use crate::http::Shared;

/// The tabs: how a status is called in the address, and by people.
const TABS: [(&str, &str); 4] =
    [("", "All"), ("active", "Open"), ("ended", "Ended"), ("expired", "Expired")];

pub(super) fn router() -> Router<Shared> {
    Router::new()
        .route("/sessions", get(list))
        .route("/sessions/{id}", get(one::page))
        .route("/sessions/{id}/decisions", post(decide::decide))
        .route("/inbox", get(inbox::page))
        .route("/inject", get(preview::page))
}

/// The page of a session.
fn path(id: SessionId) -> String {
    Part::Sessions.path_of(&id.to_string())
}

/// What the address asks for.
#[derive(Debug)]
struct Asked<'a> {
    project: &'a str,
    status: &'a str,
    agent: &'a str,
    lifecycle: &'a str,
    run: &'a str,
    cursor: &'a str,
}

impl<'a> Asked<'a> {
    fn of(visit: &'a Visit, query: &'a Form) -> Self {
        let said = |name: &'a str| query.first(name).unwrap_or_default().trim();
        Self {
            project: visit.project.as_deref().unwrap_or_default(),
            status: said("status"),
            agent: said("agent"),
            lifecycle: said("lifecycle"),
            run: said("run"),
            cursor: said("cursor"),
        }
    }

    fn question(&self) -> List {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        List {
            status: given(self.status),
            of: given(self.agent),
            run: given(self.run),
            project: given(self.project),
            lifecycle: given(self.lifecycle),
            cursor: given(self.cursor),
            ..List::default()
        }
    }

    /// The same page with another status, or further on.
    fn path(&self, status: &str, cursor: &str) -> String {
        let Self { project, agent, lifecycle, run, .. } = *self;
        let query = [
            ("project", project),
            ("status", status),
            ("agent", agent),
            ("lifecycle", lifecycle),
            ("run", run),
            ("cursor", cursor),
        ];
        address(Part::Sessions.path(), &query)
    }
}

/// `GET /sessions`.
async fn list(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let asked = Asked::of(&visit, &query);
    let lifecycles = visit.ask(definition::List::<Lifecycle>::default()).await?;
    let listed = visit.ask(asked.question()).await;
    let main = html! {
        (Part::Sessions.tabs(&visit))
        div.head {
            h1 { "Sessions" }
            nav.tabs aria-label="Status" {
                @for (word, name) in TABS {
                    a href=(asked.path(word, "")) aria-current=[(asked.status == word).then_some("page")] { (name) }
                }
            }
        }
        (filters(&asked, &lifecycles))
        @match &listed {
            Err(trouble) => { (trouble.notice()) }
            Ok(listed) => { (results(&visit, &asked, listed)) }
        }
    };
    Ok(framed(&visit, Page::new("Sessions", Section::Sessions, main)))
}

fn filters(asked: &Asked<'_>, lifecycles: &definition::Listed) -> Markup {
    html! {
        form.line-up.sifted action=(Part::Sessions.path()) {
            @for (name, value) in [("project", asked.project), ("status", asked.status)] {
                @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
            }
            label.field { span { "Agent" } input name="agent" value=(asked.agent) autocomplete="off"; }
            label.field {
                span { "Lifecycle" }
                select name="lifecycle" {
                    option value="" { "Any" }
                    @for known in &lifecycles.definitions {
                        option value=(known.slug) selected[known.slug == asked.lifecycle] { (known.name) }
                    }
                }
            }
            label.field { span { "Run" } input name="run" value=(asked.run) autocomplete="off"; }
            button { "Show" }
        }
    }
}

fn results(visit: &Visit, asked: &Asked<'_>, listed: &Listed) -> Markup {
    html! {
        section.panel #sessions data-live {
            @if listed.sessions.is_empty() {
                (empty("No such session. An agent sits down with windlass session start --agent NAME."))
            } @else {
                (table(visit, &listed.sessions))
            }
            @if listed.has_more || !asked.cursor.is_empty() {
                nav.pager aria-label="Pages of sessions" {
                    @if !asked.cursor.is_empty() { a.button href=(asked.path(asked.status, "")) { "Newest" } }
                    @if let Some(cursor) = &listed.next_cursor {
                        a.button href=(asked.path(asked.status, cursor)) rel="next" { "Older" }
                    }
                }
            }
        }
    }
}

fn table(visit: &Visit, sessions: &[SessionView]) -> Markup {
    html! {
        div.table {
            table.stacks {
                thead { tr { th { "Session" } th { "State" } th { "Agent" } th { "Lifecycle" } th { "Project" } th { "Focus" } th.rank { "Wrote" } th { "Started" } } }
                tbody { @for session in sessions { (row(visit, session)) } }
            }
        }
    }
}

fn row(visit: &Visit, session: &SessionView) -> Markup {
    html! {
        tr {
            td.nowrap { a.id href=(path(session.session_id)) title=(session.session_id) { (session.session_id.short()) } }
            td.nowrap data-label="State" { (status(session.status)) }
            td data-label="Agent" { (session.agent) }
            td data-label="Lifecycle" { a href=(Part::Lifecycles.path_of(&session.lifecycle)) { (session.lifecycle) } }
            td data-label="Project" { @if let Some(project) = &session.project { (project) } }
            td.wide data-label="Focus" { @if let Some(focus) = &session.focus { (focus.task) } }
            td.rank data-label="Wrote" { (session.chunks_written) }
            td.nowrap data-label="Started" { (look::time(session.started_at, visit.now)) }
        }
    }
}

/// How far a session has come, by colour and by name.
fn status(status: SessionStatus) -> Markup {
    let (class, name) = match status {
        SessionStatus::Active => ("chip accent", "open"),
        SessionStatus::Ended => ("chip", "ended"),
        SessionStatus::Expired => ("chip warn", "expired"),
    };
    html! { span class=(class) { (name) } }
}
