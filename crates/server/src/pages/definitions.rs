//! What people define: chunk types, agent types and lifecycles, each listed, shown, changed, hidden
//! and removed on pages of its own.

mod agent_type;
mod chunk_type;
mod draft;
mod editor;
mod lifecycle;
#[cfg(test)]
mod tests;
mod written;

use std::marker::PhantomData;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde_json::{Map, Value};
use windlass_domain::chunk::ChunkType;
use windlass_domain::session::{AgentType, Lifecycle};
use windlass_ledger::Fault;
use windlass_ops::definition::{Definable, DefinitionView, List, Listed, Origin, Show};

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{address, empty};
use super::sessions::part::Part;
use super::trouble::Trouble;
use crate::http::{Shared, unreadable};

pub(super) fn router() -> Router<Shared> {
    Router::new()
        .route("/types", get(list::<ChunkType>))
        .route("/types/{slug}", get(page::<ChunkType>))
        .route("/type-editor", get(editor::page).post(editor::press))
        .route("/agent-types", get(list::<AgentType>).post(written::set::<AgentType>))
        .route("/agent-types/{slug}", get(page::<AgentType>))
        .route("/lifecycles", get(list::<Lifecycle>).post(written::set::<Lifecycle>))
        .route("/lifecycles/{slug}", get(page::<Lifecycle>))
}

/// A kind of definitions, as pages show it.
trait OnPages: Definable {
    /// Where its pages are.
    const PART: Part;
    /// What such definitions are for.
    const ABOUT: &'static str;

    /// What it says, for people.
    fn facts(&self) -> Markup;

    /// The way to make another one.
    fn another() -> Markup;

    /// The way to change one.
    fn change(view: &DefinitionView) -> Markup;
}

/// `GET /types` and its like.
async fn list<T: OnPages>(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let all = query.first("all").is_some_and(|all| all == "1");
    let listed = visit.ask(List::<T> { all, of: PhantomData }).await?;
    let main = html! {
        (T::PART.head(&visit))
        section.panel #defined data-live {
            h2 { (T::ABOUT) span.soft.numeric { (listed.definitions.len()) } }
            (table::<T>(&listed))
            (hidden_too::<T>(&visit, &listed, all))
        }
        (T::another())
    };
    Ok(framed(&visit, Page::new(T::PART.name(), Section::Sessions, main)))
}

fn table<T: OnPages>(listed: &Listed) -> Markup {
    html! {
        @if listed.definitions.is_empty() { (empty("All of them are hidden.")) } @else {
            div.table {
                table.stacks {
                    thead { tr { th { "Slug" } th { "Name" } th { "Origin" } th { "What it says" } } }
                    tbody { @for view in &listed.definitions { tr {
                        td { a href=(T::PART.path_of(&view.slug)) { (view.slug) } }
                        td.wide data-label="Name" { (view.name) }
                        td.nowrap data-label="Origin" { (origin(view)) }
                        td.wide data-label="What it says" {
                            (view.summary)
                            @if let Some(description) = &view.description { p.small.soft { (description) } }
                        }
                    } } }
                }
            }
        }
    }
}

/// The way between all of them and those that are offered.
fn hidden_too<T: OnPages>(visit: &Visit, listed: &Listed, all: bool) -> Markup {
    let project = visit.project.as_deref().unwrap_or_default();
    let others =
        address(T::PART.path(), &[("project", project), ("all", if all { "" } else { "1" })]);
    html! {
        @if listed.hidden > 0 {
            div.pager { a.button href=(others) { @if all { "Without hidden ones" } @else { "Also " (listed.hidden) " hidden" } } }
        }
    }
}

fn origin(view: &DefinitionView) -> Markup {
    let class = match view.origin {
        Origin::BuiltIn => "chip",
        Origin::Added | Origin::Replaced => "chip accent",
    };
    html! {
        span.chips {
            span class=(class) { (view.origin.in_words()) }
            @if view.hidden { span.chip.warn { "hidden" } }
        }
    }
}

/// `GET /types/{slug}` and its like.
async fn page<T: OnPages>(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Trouble> {
    let Path(slug) = path.map_err(|_| unreadable())?;
    let view = visit.ask(Show::<T> { slug, of: PhantomData }).await?;
    let defined = read::<T>(&view.definition)?;
    let main = html! {
        div.task {
            header #head .task-head data-live {
                (T::PART.tabs(&visit))
                p.crumbs.soft { a href=(T::PART.path()) { (T::PART.name()) } " / " span.id { (view.slug) } }
                h1 { (view.name) }
                @if let Some(description) = &view.description { p { (description) } }
                (origin(&view))
            }
            div.task-main { (defined.facts()) }
            div.task-side { (acts::<T>(&view)) }
        }
    };
    let title = format!("{} · {}", view.slug, T::PART.name());
    Ok(framed(&visit, Page::new(title, Section::Sessions, main)))
}

/// The definition itself, of what an answer says.
fn read<T: Definable>(definition: &Map<String, Value>) -> Result<T, Fault> {
    let read = serde_json::from_value(Value::Object(definition.clone()));
    read.map_err(|wrong| Fault::bug("a definition cannot be read").because(wrong))
}

/// What can be done about it.
fn acts<T: OnPages>(view: &DefinitionView) -> Markup {
    html! {
        section.panel #acts data-live {
            h2 { "Act" }
            div.acts {
                (T::change(view))
                @if view.hidden { (offer_again::<T>(view)) } @else {
                    (act(T::COMMANDS.hide.name, view, &T::PART.path_of(&view.slug), "Hide", "It is offered no more; what refers to it works on."))
                }
                @match view.origin {
                    Origin::BuiltIn => {}
                    Origin::Added => { (act(T::COMMANDS.remove.name, view, T::PART.path(), "Remove", "Refused as long as anything refers to it.")) }
                    Origin::Replaced => { (act(T::COMMANDS.remove.name, view, &T::PART.path_of(&view.slug), "Take back", "What is built in under its slug holds again.")) }
                }
            }
        }
    }
}

fn offer_again<T: OnPages>(view: &DefinitionView) -> Markup {
    html! {
        form method="post" action={ "/do/" (T::COMMANDS.hide.name) } {
            input type="hidden" name="slug" value=(view.slug);
            input type="hidden" name="undo" value="true";
            input type="hidden" name="back" value=(T::PART.path_of(&view.slug));
            button #offer-again { "Offer it again" }
        }
    }
}

fn act(operation: &str, view: &DefinitionView, back: &str, name: &str, about: &str) -> Markup {
    html! {
        details.fold id={ "do-" (operation.replace('.', "-")) } {
            summary { (name) }
            form.stack method="post" action={ "/do/" (operation) } {
                input type="hidden" name="slug" value=(view.slug);
                input type="hidden" name="back" value=(back);
                p.small.soft { (about) }
                div.line-up { button.grave { (name) } }
            }
        }
    }
}

/// A list of words, or that there are none.
fn words<W: std::fmt::Display>(words: &[W], none: &str) -> Markup {
    html! {
        @if words.is_empty() { span.soft { (none) } } @else {
            span.chips { @for word in words { span.chip { (word) } } }
        }
    }
}
