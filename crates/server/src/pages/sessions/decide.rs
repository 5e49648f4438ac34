//! What becomes of what a session wrote: one form for all of it.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use windlass_domain::chunk::ChunkType;
use windlass_domain::session::consolidate::Verdict;
use windlass_ops::definition;
use windlass_ops::operation::Operation as _;
use windlass_ops::session::{Consolidate, Shown, SurfacedChunk};
use windlass_ops::table::Entry;

use super::super::form::Form;
use super::super::layout::{document, respond};
use super::super::look::chunk_title;
use super::super::trouble::Trouble;
use super::super::{Visit, see_other};
use super::{one, path};
use crate::http::{operation_not_found, unreadable};

/// A field of the form, before the id of its chunk.
const VERDICT: &str = "verdict.";

/// What was chosen before it was refused.
#[derive(Debug)]
pub(super) struct Refused<'a> {
    form: &'a Form,
    trouble: &'a Trouble,
}

/// `POST /sessions/{id}/decisions`.
pub(super) async fn decide(
    visit: Visit,
    id: Result<Path<String>, PathRejection>,
    form: Form,
) -> Result<Response, Trouble> {
    let Path(id) = id.map_err(|_| unreadable())?;
    let name = Consolidate::NAME;
    let entry = Entry::named(name).ok_or_else(|| operation_not_found(name))?;
    let shown = one::shown(&visit, id).await?;
    let session = shown.session.session_id;
    let mut arguments = arguments(&form);
    arguments.insert("session".to_owned(), json!(session));
    let Err(trouble) = visit.run(entry, arguments.into()).await else {
        return Ok(see_other(&format!("{}#decisions", path(session))));
    };
    let refused = Refused { form: &form, trouble: &trouble };
    let decisions = panel(&visit, &shown, Some(&refused)).await?;
    let page = one::whole(&visit, &shown, &decisions);
    Ok(respond(trouble.status(), document(Some(&visit), page)))
}

/// What the form says, as the operation takes it: the chunks by what becomes of them.
fn arguments(form: &Form) -> Map<String, Value> {
    let mut arguments = Map::new();
    for verdict in Verdict::ALL {
        let word = verdict.as_str();
        let chosen = form.0.iter().filter(|(_, value)| value == word);
        let chunks = chosen.filter_map(|(name, _)| name.strip_prefix(VERDICT));
        arguments.insert(word.to_owned(), chunks.collect());
    }
    for name in ["to", "type"] {
        if let Some(value) = form.first(name).filter(|value| !value.is_empty()) {
            arguments.insert(name.to_owned(), Value::from(value));
        }
    }
    arguments
}

/// The form, with what was decided before; nothing where there is nothing to decide.
pub(super) async fn panel(
    visit: &Visit,
    shown: &Shown,
    refused: Option<&Refused<'_>>,
) -> Result<Markup, Trouble> {
    let types = visit.ask(definition::List::<ChunkType>::default()).await?;
    let undecided = shown.surfaced.iter().filter(|one| is_open(one)).count();
    let session = shown.session.session_id;
    let said =
        |name: &str| refused.and_then(|refused| refused.form.first(name)).unwrap_or_default();
    Ok(html! {
        section.panel #decisions data-live hidden[shown.surfaced.is_empty()] {
            h2 { "What becomes of what it wrote" span.soft { (undecided) " to decide" } }
            @if let Some(refused) = refused { (refused.trouble.notice()) }
            form.stack method="post" action={ (path(session)) "/decisions" } {
                ul.rows.decided { @for one in &shown.surfaced { (row(one, said(&field(one)))) } }
                @if undecided > 0 {
                    div.line-up {
                        label.field {
                            span { "Promote to" }
                            select name="to" {
                                @for (scope, name) in [("", "its project"), ("org", "everybody")] {
                                    option value=(scope) selected[scope == said("to")] { (name) }
                                }
                            }
                        }
                        label.field {
                            span { "as" }
                            select name="type" {
                                option value="" { "knowledge, or a principle of everybody" }
                                @for known in &types.definitions {
                                    option value=(known.slug) selected[known.slug == said("type")] { (known.name) }
                                }
                            }
                        }
                        button.first { "Decide" }
                    }
                    p.small.soft { "What is discarded is deleted. What nothing is said of stays to be decided." }
                }
            }
        }
    })
}

/// It is there, and nobody has decided about it.
const fn is_open(one: &SurfacedChunk) -> bool {
    one.verdict.is_none() && one.title.is_some()
}

fn field(one: &SurfacedChunk) -> String {
    format!("{VERDICT}{}", one.chunk_id)
}

fn row(one: &SurfacedChunk, chosen: &str) -> Markup {
    html! {
        li {
            span.soft.small {
                (one.chunk_type.as_deref().unwrap_or("gone"))
                @if let Some(scope) = &one.scope { " of " (scope) }
            }
            span.what {
                @match &one.title {
                    Some(title) => { (chunk_title(one.chunk_id, title)) }
                    None => { span.soft { "deleted" } }
                }
            }
            @match one.verdict {
                Some(verdict) => { (decided(verdict)) }
                None => { (choice(one, chosen)) }
            }
        }
    }
}

fn decided(verdict: Verdict) -> Markup {
    let (class, name) = match verdict {
        Verdict::Keep => ("chip good", "kept"),
        Verdict::Promote => ("chip accent", "promoted"),
        Verdict::Discard => ("chip bad", "discarded"),
    };
    html! { span class=(class) { (name) } }
}

fn choice(one: &SurfacedChunk, chosen: &str) -> Markup {
    html! {
        @if is_open(one) {
            fieldset.line-up {
                legend.unseen { "What becomes of it" }
                @for (word, name) in [("keep", "Keep"), ("promote", "Promote"), ("discard", "Discard"), ("", "Later")] {
                    label.check {
                        input type="radio" name=(field(one)) value=(word) checked[word == chosen];
                        span { (name) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_is_told_by_what_becomes_of_it() {
        let form = "verdict.A=keep&verdict.B=discard&verdict.C=keep&verdict.D=&to=org&type=";
        let expected = json!({"keep": ["A", "C"], "promote": [], "discard": ["B"], "to": "org"});
        assert_eq!(Value::from(arguments(&Form::parse(form))), expected);
    }
}
