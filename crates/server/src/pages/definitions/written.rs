//! Definitions that are written as JSON: a text area, with what is wrong with it.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use windlass_domain::{Code, Refusal};
use windlass_ops::definition::DefinitionView;
use windlass_ops::table::Entry;

use super::super::form::Form;
use super::super::layout::{Page, Section, document, respond};
use super::super::trouble::Trouble;
use super::super::{Visit, see_other};
use super::OnPages;
use super::draft::pretty;
use crate::http::operation_not_found;

/// What is written, and what is wrong with it.
#[derive(Debug)]
struct Written<'a> {
    /// Whoever makes another one names it.
    slug: Option<&'a str>,
    text: &'a str,
    trouble: Option<&'a Trouble>,
}

/// `POST /agent-types` and its like.
pub(super) async fn set<T: OnPages>(visit: Visit, form: Form) -> Result<Response, Trouble> {
    let (slug, text) = (form.first("slug").unwrap_or_default(), form.first("definition"));
    let text = text.unwrap_or_default();
    let Err(trouble) = attempt::<T>(&visit, slug, text).await else {
        return Ok(see_other(&T::PART.path_of(slug.trim())));
    };
    let main = html! {
        div.narrow {
            (T::PART.tabs(&visit))
            div.head { h1 { "Not done: set the " (T::WHAT) } }
            (trouble.notice())
            section.panel {
                (form_of::<T>(&Written { slug: Some(slug), text, trouble: Some(&trouble) }))
                p { a.button href=(T::PART.path()) { "Leave it" } }
            }
        }
    };
    let page = Page::new(format!("Not done: {}", T::WHAT), Section::Sessions, main);
    Ok(respond(trouble.status(), document(Some(&visit), page)))
}

async fn attempt<T: OnPages>(visit: &Visit, slug: &str, text: &str) -> Result<(), Trouble> {
    let name = T::COMMANDS.set.name;
    let entry = Entry::named(name).ok_or_else(|| operation_not_found(name))?;
    let definition: Map<String, Value> =
        serde_json::from_str(text).map_err(|wrong| no_json(&wrong))?;
    let arguments = json!({"slug": slug.trim(), "definition": definition});
    visit.run(entry, arguments).await.map(drop)
}

/// Says where a text stops being JSON.
pub(super) fn no_json(wrong: &serde_json::Error) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("this is no JSON: {wrong}"))
        .hint("write an object, with braces around it")
        .detail("field", "definition")
}

/// A form for another one, which begins with an example.
pub(super) fn another<T: OnPages>(example: &str) -> Markup {
    html! {
        section.panel {
            details.fold #another {
                summary { "Add one" }
                (form_of::<T>(&Written { slug: Some(""), text: example, trouble: None }))
            }
        }
    }
}

/// A form to change one.
pub(super) fn change<T: OnPages>(view: &DefinitionView) -> Markup {
    let text = pretty(&view.definition);
    html! {
        details.fold #change {
            summary { "Change it" }
            form.stack method="post" action=(T::PART.path()) {
                input type="hidden" name="slug" value=(view.slug);
                (area(&Written { slug: None, text: &text, trouble: None }))
            }
        }
    }
}

fn form_of<T: OnPages>(written: &Written<'_>) -> Markup {
    html! {
        form.stack method="post" action=(T::PART.path()) {
            @if let Some(slug) = written.slug {
                label.field {
                    span { "Slug: small letters, digits, - and _" }
                    input name="slug" value=(slug) required maxlength="64" autocomplete="off";
                }
            }
            (area(written))
        }
    }
}

fn area(written: &Written<'_>) -> Markup {
    let wrong = written.trouble.map(|trouble| trouble.0.message.as_str());
    html! {
        label.field {
            span { "The definition, as JSON" }
            textarea.code name="definition" rows="16" required spellcheck="false"
                aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "definition-wrong")] { "\n" (written.text) }
        }
        @if let Some(wrong) = wrong { p #definition-wrong .wrong { (wrong) } }
        div.line-up { button.first { "Set it" } }
    }
}
