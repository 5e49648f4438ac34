//! What is around every page: the head of the document, the way to the other pages, the foot.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Visit;
use super::assets::link;
use super::help;

/// The pages that the navigation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Board,
    Graph,
    Timeline,
    Runs,
    Chunks,
    Sessions,
    Agents,
    Outbox,
    Stats,
    Search,
    Api,
}

impl Section {
    const ALL: [Self; 11] = [
        Self::Board,
        Self::Graph,
        Self::Timeline,
        Self::Runs,
        Self::Chunks,
        Self::Sessions,
        Self::Agents,
        Self::Outbox,
        Self::Stats,
        Self::Search,
        Self::Api,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Board => "Board",
            Self::Graph => "Graph",
            Self::Timeline => "Timeline",
            Self::Runs => "Runs",
            Self::Chunks => "Chunks",
            Self::Sessions => "Sessions",
            Self::Agents => "Agents",
            Self::Outbox => "Outbox",
            Self::Stats => "Stats",
            Self::Search => "Search",
            Self::Api => "API",
        }
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Board => "/",
            Self::Graph => "/graph",
            Self::Timeline => "/timeline",
            Self::Runs => "/runs",
            Self::Chunks => "/chunks",
            Self::Sessions => "/sessions",
            Self::Agents => "/agents",
            Self::Outbox => "/outbox",
            Self::Stats => "/stats",
            Self::Search => "/search",
            Self::Api => "/api",
        }
    }
}

/// A page, before it is framed.
#[derive(Debug)]
pub(crate) struct Page {
    /// What the window is called.
    pub(crate) title: String,
    /// Where in the navigation it belongs.
    pub(crate) section: Option<Section>,
    /// Modules and style sheets of its own, beside those of every page.
    pub(crate) assets: &'static [&'static str],
    pub(crate) main: Markup,
}

impl Page {
    pub(crate) fn new(title: impl Into<String>, section: Section, main: Markup) -> Self {
        Self { title: title.into(), section: Some(section), assets: &[], main }
    }
}

/// A whole document for somebody who was let in.
pub(crate) fn framed(visit: &Visit, page: Page) -> Response {
    respond(StatusCode::OK, document(Some(visit), page))
}

/// A whole document for anybody: it tells nothing about the ledger.
pub(crate) fn bare(status: StatusCode, page: Page) -> Response {
    respond(status, document(None, page))
}

pub(crate) fn respond(status: StatusCode, document: Markup) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(header::CONTENT_TYPE, kind)], document.into_string()).into_response()
}

pub(crate) fn document(visit: Option<&Visit>, page: Page) -> Markup {
    let Page { title, section, assets, main } = page;
    let (modules, sheets): (Vec<&str>, Vec<&str>) =
        assets.iter().partition(|name| name.rsplit_once('.').is_some_and(|(_, kind)| kind == "js"));
    html! {
        (DOCTYPE)
        html lang="en" data-seq=[visit.map(|visit| visit.seq)]
            data-person=[visit.map(|visit| &visit.person.name)] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Windlass" }
                link rel="icon" type="image/svg+xml" href=(link("icon.svg"));
                link rel="stylesheet" href=(link("app.css"));
                @for sheet in sheets { link rel="stylesheet" href=(link(sheet)); }
                script src=(link("theme.js")) {}
                @if visit.is_some() { script type="module" src="/assets/app.js" {} }
                @for module in modules { script type="module" src={ "/assets/" (module) } {} }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                (top(visit, section))
                main #main tabindex="-1" { (main) }
                footer.foot {
                    span { "Windlass " (env!("CARGO_PKG_VERSION")) }
                    @if visit.is_some() {
                        a href="/help" { "Help and shortcuts" }
                        a href="/openapi.json" { "OpenAPI" }
                    }
                }
                @if visit.is_some() {
                    dialog #help aria-labelledby="help-title" {
                        (help::sheet())
                        form.line-up method="dialog" { button.first autofocus { "Close" } }
                    }
                }
                div #said .unseen role="status" {}
                div #toasts .toasts {}
            }
        }
    }
}

fn top(visit: Option<&Visit>, section: Option<Section>) -> Markup {
    html! {
        header.top {
            a.brand href="/" { (mark()) "Windlass" }
            @if let Some(visit) = visit {
                nav.pages aria-label="Pages" {
                    ul {
                        @for one in Section::ALL {
                            li {
                                a href=(visit.with_project(one.path()))
                                    aria-current=[(section == Some(one)).then_some("page")] {
                                    (one.name())
                                }
                            }
                        }
                    }
                }
                div.tools {
                    (project_filter(visit, section))
                    form.search role="search" action="/search" {
                        @if let Some(project) = &visit.project {
                            input type="hidden" name="project" value=(project);
                        }
                        input type="search" name="q" data-search placeholder="Search  /"
                            aria-label="Search tasks" aria-keyshortcuts="/";
                    }
                    span #live .live role="status" hidden { "connecting" }
                    button #theme .plain.square type="button" hidden
                        aria-label="Light or dark" title="Light or dark" { (half_moon()) }
                    a #help-link .button.plain.square href="/help" aria-label="Help and shortcuts"
                        title="Help and shortcuts (?)" aria-keyshortcuts="?" { "?" }
                    (person(visit))
                }
            }
        }
    }
}

/// The project that all pages are about. Pages that are about one thing lead back to the board.
fn project_filter(visit: &Visit, section: Option<Section>) -> Markup {
    let path = section.unwrap_or(Section::Board).path();
    html! {
        @if !visit.projects.is_empty() {
            form action=(path) data-at-once {
                select name="project" aria-label="Project" {
                    option value="" { "All projects" }
                    @for name in &visit.projects {
                        option value=(name) selected[visit.project.as_ref() == Some(name)] {
                            (name)
                        }
                    }
                }
                button type="submit" data-spare { "Show" }
            }
        }
    }
}

/// Who acts on these pages. The user of the machine may act under other names, as on the command
/// line; whoever brought a key is its owner.
fn person(visit: &Visit) -> Markup {
    html! {
        details.drop {
            summary aria-label={ "You act as " (visit.person.name) } title="Who acts here" {
                (head_and_shoulders()) span.name { (visit.person.name) }
            }
            div.body {
                p { "You act as " strong { (visit.person.name) } "." }
                @if visit.person.is_local {
                    form.stack method="post" action="/enter/as" {
                        input type="hidden" name="back" value=(visit.here);
                        label.field {
                            span { "Act under another name" }
                            input name="name" maxlength="200" autocomplete="off"
                                placeholder=(visit.person.user);
                        }
                        p.small.soft {
                            "A name that is given on purpose is held against the holder of a task. "
                            "Empty: as " (visit.person.user) " again."
                        }
                        button { "Act as" }
                    }
                }
                form method="post" action="/leave" { button.plain { "Sign out" } }
            }
        }
    }
}

fn mark() -> Markup {
    PreEscaped(
        "<svg viewBox=\"0 0 24 24\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" \
         stroke-linecap=\"round\" aria-hidden=\"true\"><circle cx=\"12\" cy=\"12\" r=\"5.5\"/>\
         <path d=\"M12 2v4.5M12 17.5V22M2 12h4.5M17.5 12H22M9 12h6\"/></svg>"
            .to_owned(),
    )
}

fn half_moon() -> Markup {
    PreEscaped(
        "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"6\" \
         fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/><path d=\"M8 2a6 6 0 0 1 0 12z\" \
         fill=\"currentColor\"/></svg>"
            .to_owned(),
    )
}

fn head_and_shoulders() -> Markup {
    PreEscaped(
        "<svg class=\"icon\" viewBox=\"0 0 16 16\" aria-hidden=\"true\" fill=\"none\" \
         stroke=\"currentColor\" stroke-width=\"1.5\"><circle cx=\"8\" cy=\"5.5\" r=\"2.75\"/>\
         <path d=\"M2.75 14c.5-3 2.6-4.25 5.25-4.25S12.75 11 13.25 14\"/></svg>"
            .to_owned(),
    )
}
