//! What an operation answered, where nothing else will show it: a new key is shown once.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value};
use windlass_ops::key::{Given, KeyView};
use windlass_ops::table::Entry;

use super::Visit;
use super::chunks::written;
use super::layout::{Page, framed};
use super::look;

/// The page, from the document that every other door would give, with the way on.
pub(super) fn answered(visit: &Visit, entry: &Entry, json: &str, back: &str) -> Response {
    if let Some(response) = written(visit, entry, json) {
        return response;
    }
    let words = entry.name.replace('.', " ");
    let main = match serde_json::from_str::<Given>(json) {
        Ok(given) => key(visit, &given, back),
        Err(_) => fields(&words, json, back),
    };
    let page = Page { title: format!("Done: {words}"), section: None, assets: &[], main };
    framed(visit, page)
}

/// A key: its text first, for that is gone with this page.
fn key(visit: &Visit, given: &Given, back: &str) -> Markup {
    let Given { key, about, .. } = given;
    let is_new = about.rotated_at.is_none();
    html! {
        div.narrow.stack {
            h1 { @if is_new { "A key for " } @else { "A new text for the key of " } (about.owner) }
            section.panel.stack aria-labelledby="secret-title" {
                h2 #secret-title { "Copy it now: it is not shown again" }
                div.secret {
                    code #secret tabindex="0" { (key.as_str()) }
                    button.first type="button" data-copy="secret" hidden { "Copy" }
                }
                p.soft {
                    "Programs read it from " code { "WINDLASS_KEY" } "; a person signs in with it on these pages. "
                    @if !is_new { "The old text opens nothing any more." }
                }
            }
            section.panel { h2 { "What it opens" } (facts(visit, about)) }
            p { a.button href=(back) { "Go on" } }
        }
    }
}

fn facts(visit: &Visit, about: &KeyView) -> Markup {
    let now = visit.now;
    html! {
        dl.facts {
            dt { "For" } dd { (about.owner) }
            dt { "Role" } dd { (about.role) }
            dt { "Projects" } dd { @if about.projects.is_empty() { "all" } @else { (about.projects.join(", ")) } }
            @if let Some(tools) = &about.tools { dt { "Tools" } dd { (tools) } }
            dt { "Expires" } dd { @match about.expires_at { Some(at) => { (look::time(at, now)) } None => { "never" } } }
            dt { "Known by" } dd { code { (about.prefix) "…" } }
        }
    }
}

/// Anything else, as it was told.
fn fields(words: &str, json: &str, back: &str) -> Markup {
    let fields = serde_json::from_str::<Map<String, Value>>(json).unwrap_or_default();
    html! {
        div.narrow.stack {
            h1 { "Done: " (words) }
            section.panel {
                dl.facts {
                    @for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
                        dt { (name.replace('_', " ")) }
                        dd {
                            @match value {
                                Value::String(text) => { code { (text) } }
                                other => { code { (other) } }
                            }
                        }
                    }
                }
            }
            p { a.button.first href=(back) { "Go on" } }
        }
    }
}
