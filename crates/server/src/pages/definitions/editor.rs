//! The editor of chunk types: one form, which works without scripts. Its buttons add, move and remove
//! fields, or set the type.

use std::marker::PhantomData;

use axum::extract::RawQuery;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::json;
use windlass_domain::chunk::chunk_type::Consolidation;
use windlass_domain::chunk::{ChunkType, FieldKind, Scope};
use windlass_domain::session::AgentType;
use windlass_domain::{Code, Refusal};
use windlass_ops::definition::{Definable as _, List, Listed, Show};
use windlass_ops::table::Entry;

use super::super::form::Form;
use super::super::layout::{Page, Section, document, respond};
use super::super::sessions::part::Part;
use super::super::trouble::Trouble;
use super::super::{Visit, see_other};
use super::draft::{Draft, Row, Wrong};
use super::read;
use crate::http::operation_not_found;

/// Where it is.
pub(super) const EDITOR: &str = "/type-editor";

/// What is in the form, and what is wrong with it.
#[derive(Debug)]
struct Sheet {
    draft: Draft,
    /// The type is there already: its slug stays.
    is_known: bool,
    trouble: Option<Trouble>,
    wrong: Option<Wrong>,
}

/// `GET /type-editor`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let slug = query.first("type").filter(|slug| !slug.is_empty());
    let draft = match slug {
        None => Draft { fields: vec![Row::default()], ..Draft::default() },
        Some(slug) => {
            let known = Show::<ChunkType> { slug: slug.to_owned(), of: PhantomData };
            Draft::from(&read::<ChunkType>(&visit.ask(known).await?.definition)?)
        }
    };
    let sheet = Sheet { draft, is_known: slug.is_some(), trouble: None, wrong: None };
    shown(&visit, StatusCode::OK, &sheet).await
}

/// `POST /type-editor`: one of its buttons was pressed.
pub(super) async fn press(visit: Visit, form: Form) -> Result<Response, Trouble> {
    let mut draft = Draft::of(&form);
    let is_known = form.first("known").is_some();
    let pressed = form.first("do").unwrap_or("set");
    let row = pressed.split_once('.').and_then(|(_, number)| number.parse::<usize>().ok());
    match (pressed.split_once('.').map_or(pressed, |(word, _)| word), row) {
        ("add", _) => draft.fields.push(Row::default()),
        ("remove", Some(row)) if row < draft.fields.len() => drop(draft.fields.remove(row)),
        ("raise", Some(row)) if row > 0 && row < draft.fields.len() => {
            draft.fields.swap(row - 1, row);
        }
        ("remove" | "raise", _) => {}
        _ => return set(&visit, draft, is_known).await,
    }
    let sheet = Sheet { draft, is_known, trouble: None, wrong: None };
    shown(&visit, StatusCode::OK, &sheet).await
}

async fn set(visit: &Visit, draft: Draft, is_known: bool) -> Result<Response, Trouble> {
    let (trouble, wrong) = match draft.definition() {
        Err(wrong) => (not_written(&wrong), Some(wrong)),
        Ok(definition) => {
            let name = ChunkType::COMMANDS.set.name;
            let entry = Entry::named(name).ok_or_else(|| operation_not_found(name))?;
            let arguments = json!({"slug": draft.slug, "definition": definition});
            let Err(trouble) = visit.run(entry, arguments).await else {
                return Ok(see_other(&Part::ChunkTypes.path_of(&draft.slug)));
            };
            let wrong = placed(&draft, &trouble);
            (trouble, wrong)
        }
    };
    let status = trouble.status();
    shown(visit, status, &Sheet { draft, is_known, trouble: Some(trouble), wrong }).await
}

fn not_written(wrong: &Wrong) -> Trouble {
    Refusal::new(Code::InvalidValue, format!("{}: {}", wrong.control, wrong.message)).into()
}

/// What was refused, where it was typed.
fn placed(draft: &Draft, trouble: &Trouble) -> Option<Wrong> {
    let part = trouble.0.details.get("field")?.as_str()?;
    let control = draft.control(part)?;
    Some(Wrong { control, message: trouble.0.message.clone() })
}

async fn shown(visit: &Visit, status: StatusCode, sheet: &Sheet) -> Result<Response, Trouble> {
    let agent_types = visit.ask(List::<AgentType>::default()).await?;
    let page = Page::new("Chunk type", Section::Sessions, whole(visit, sheet, &agent_types));
    Ok(respond(status, document(Some(visit), page)))
}

fn whole(visit: &Visit, sheet: &Sheet, agent_types: &Listed) -> Markup {
    let leave = match sheet.is_known {
        true => Part::ChunkTypes.path_of(&sheet.draft.slug),
        false => Part::ChunkTypes.path().to_owned(),
    };
    html! {
        (Part::ChunkTypes.tabs(visit))
        form.editor method="post" action=(EDITOR) {
            // The first button is the one that Enter presses.
            div.head {
                h1 { @if sheet.is_known { "Change " (sheet.draft.slug) } @else { "A new chunk type" } }
                div.end {
                    button.first name="do" value="set" { "Set it" }
                    a.button href=(leave) { "Leave it" }
                }
            }
            @if let Some(trouble) = &sheet.trouble { (trouble.notice()) }
            (about(sheet))
            (fields(sheet))
            (kept(sheet, agent_types))
        }
    }
}

/// A field of the form with its label, and what is wrong with it.
fn labelled(sheet: &Sheet, control: &str, label: &str, inside: Markup) -> Markup {
    let wrong = sheet.wrong.as_ref().filter(|wrong| wrong.control == control);
    html! {
        div.field {
            label for=(control) { (label) }
            (inside)
            @if let Some(wrong) = wrong { p.wrong id={ (control) "-wrong" } { (wrong.message) } }
        }
    }
}

/// Whether something is wrong with a field of the form, and the element that tells it.
fn is_wrong(sheet: &Sheet, control: &str) -> (Option<&'static str>, Option<String>) {
    match sheet.wrong.as_ref().is_some_and(|wrong| wrong.control == control) {
        true => (Some("true"), Some(format!("{control}-wrong"))),
        false => (None, None),
    }
}

fn line(sheet: &Sheet, control: &str, label: &str, value: &str) -> Markup {
    let (invalid, told) = is_wrong(sheet, control);
    labelled(
        sheet,
        control,
        label,
        html! {
            input id=(control) name=(control) value=(value) autocomplete="off"
                aria-invalid=[invalid] aria-describedby=[told];
        },
    )
}

fn area(sheet: &Sheet, control: &str, label: &str, rows: usize, value: &str) -> Markup {
    let (invalid, told) = is_wrong(sheet, control);
    labelled(
        sheet,
        control,
        label,
        html! {
            textarea.code id=(control) name=(control) rows=(rows) spellcheck="false"
                aria-invalid=[invalid] aria-describedby=[told] { "\n" (value) }
        },
    )
}

fn choice(
    sheet: &Sheet,
    control: &str,
    label: &str,
    words: &[(&str, &str)],
    value: &str,
) -> Markup {
    let (invalid, told) = is_wrong(sheet, control);
    labelled(
        sheet,
        control,
        label,
        html! {
            select id=(control) name=(control) aria-invalid=[invalid] aria-describedby=[told] {
                @for (word, name) in words { option value=(word) selected[*word == value] { (name) } }
            }
        },
    )
}

fn about(sheet: &Sheet) -> Markup {
    let draft = &sheet.draft;
    let scopes: Vec<(&str, &str)> = [Scope::Project, Scope::Org, Scope::Agent]
        .map(|scope| (scope.as_str(), scope.as_str()))
        .into();
    html! {
        section.panel.stack {
            h2 { "What it is" }
            div.beside {
                @if sheet.is_known {
                    input type="hidden" name="known" value="1";
                    input type="hidden" name="slug" value=(draft.slug);
                } @else {
                    (line(sheet, "slug", "Slug: small letters, digits, - and _", &draft.slug))
                }
                (line(sheet, "name", "Name", &draft.name))
                (choice(sheet, "scope", "Scope of a chunk that is given none", &scopes, &draft.scope))
            }
            (line(sheet, "description", "What it is for", &draft.description))
        }
    }
}

fn fields(sheet: &Sheet) -> Markup {
    html! {
        section.panel.stack #fields {
            h2 { "Fields" span.soft { "what a chunk carries besides its text, in this order" } }
            ol.type-fields {
                @for (number, row) in sheet.draft.fields.iter().enumerate() {
                    li { (field(sheet, number, row)) }
                }
            }
            div { button name="do" value="add" formaction={ (EDITOR) "#fields" } { "Add a field" } }
        }
    }
}

fn field(sheet: &Sheet, number: usize, row: &Row) -> Markup {
    let control = |part: &str| format!("{part}.{number}");
    let kinds: Vec<(String, String)> = FieldKind::ALL
        .iter()
        .map(|kind| (kind.as_str().to_owned(), kind.as_str().replace('_', " ")))
        .collect();
    let kinds: Vec<(&str, &str)> =
        kinds.iter().map(|(word, name)| (word.as_str(), name.as_str())).collect();
    let kind = if row.kind.is_empty() { FieldKind::Text.as_str() } else { &row.kind };
    html! {
        fieldset.stack {
            legend.unseen { "Field " (number + 1) " " (row.name) }
            div.beside {
                (line(sheet, &control("name"), "Name", &row.name))
                (choice(sheet, &control("kind"), "Type", &kinds, kind))
                (line(sheet, &control("default"), "Default", &row.default))
                (line(sheet, &control("description"), "What it is", &row.description))
            }
            details.fold open[kind == FieldKind::Enum.as_str() || !row.values.is_empty()] {
                summary { "What an enum may be" }
                (area(sheet, &control("values"), "One a line, in their order", lines(&row.values), &row.values))
            }
            div.line-up {
                label.check {
                    input type="checkbox" name=(control("required")) value="true" checked[row.required];
                    span { "Required" }
                }
                @if number > 0 { (button("raise", number, "Move up")) }
                (button("remove", number, "Remove"))
            }
        }
    }
}

/// How high the area of a few words is.
fn lines(values: &str) -> usize {
    values.lines().count().clamp(1, 9) + 1
}

fn button(word: &str, number: usize, name: &str) -> Markup {
    html! {
        button.plain name="do" value={ (word) "." (number) } formaction={ (EDITOR) "#fields" } {
            (name) span.unseen { " field " (number + 1) }
        }
    }
}

fn kept(sheet: &Sheet, agent_types: &Listed) -> Markup {
    let draft = &sheet.draft;
    let ends = [
        (Consolidation::Keep.as_str(), "they stay as they are"),
        (Consolidation::Surface.as_str(), "somebody decides what becomes of them"),
    ];
    html! {
        section.panel.stack {
            h2 { "How its chunks are written and given" }
            (area(sheet, "template", "What the content needs: headings, and under each what it asks for", 8, &draft.template))
            (area(sheet, "audience", "Whom they are injected to, as JSON; empty: nobody unasked", 6, &draft.audience))
            fieldset.stack {
                legend { "Which agents create it; none chosen: all. People always may." }
                div.chips {
                    @for known in &agent_types.definitions {
                        label.check {
                            input type="checkbox" name="creators" value=(known.slug) checked[draft.creators.contains(&known.slug)];
                            span { (known.slug) }
                        }
                    }
                }
            }
            (choice(sheet, "consolidation", "When the session that wrote them ends", &ends, &draft.consolidation))
            label.check {
                input type="checkbox" name="hidden" value="true" checked[draft.hidden];
                span { "Hidden: nobody writes new ones" }
            }
            div { button.first name="do" value="set" { "Set it" } }
        }
    }
}
