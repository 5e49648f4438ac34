//! `/chunks/new`: the form that writes a chunk, made from the fields of its type.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::chunk::{ChunkType, Scope};
use windlass_domain::{Code, Refusal};

use super::super::Visit;
use super::super::form::Form;
use super::super::layout::{Page, Section, framed};
use super::super::look::address;
use super::super::trouble::Trouble;
use super::fields::fields;
use super::types::{named, types};

/// `GET /chunks/new`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let types = types(&visit).await?;
    let (title, main) = match query.first("type").filter(|slug| !slug.is_empty()) {
        None => ("Write a chunk".to_owned(), choose(&visit, &types)),
        Some(slug) => {
            let of = named(&types, slug).ok_or_else(|| no_type(slug))?;
            (format!("Write: {}", of.name), form(&visit, of))
        }
    };
    let page = Page { assets: super::SHEETS, ..Page::new(title, Section::Chunks, main) };
    Ok(framed(&visit, page))
}

fn no_type(slug: &str) -> Refusal {
    Refusal::new(Code::ChunkTypeNotFound, format!("there is no chunk type '{slug}'"))
        .hint("choose one of those that there are, under Chunks")
        .detail("given", slug)
}

/// Every type that is offered, and what needs none to be chosen.
fn choose(visit: &Visit, types: &[ChunkType]) -> Markup {
    let project = visit.project.as_deref().unwrap_or_default();
    html! {
        div.narrow.stack {
            h1 { "Write a chunk" }
            section.panel {
                h2 { "Keep something in mind" }
                p.soft.lead { "A memory of " (visit.person.name) ": nobody else's, but for people to see." }
                form.stack method="post" action="/do/remember" {
                    input type="hidden" name="show" value="1";
                    input type="hidden" name="back" value="/chunks";
                    label.field { span { "What to keep in mind" } textarea name="text" rows="2" required {} }
                    div.line-up {
                        label.field { span { "Tags, with commas between" } input name="tags"; }
                        button.first { "Remember" }
                    }
                }
            }
            section.panel {
                h2 { "Or choose what it is" }
                ul.links {
                    @for known in types.iter().filter(|known| !known.hidden) {
                        li {
                            p {
                                a href=(address("/chunks/new", &[("type", known.slug.as_str()), ("project", project)])) { (known.name) }
                                " " span.soft.small {
                                    @if !known.name.eq_ignore_ascii_case(known.slug.as_str()) { (known.slug) ", " }
                                    (usual(known.scope))
                                }
                            }
                            @if let Some(about) = &known.description { p.soft { (about) } }
                        }
                    }
                }
            }
        }
    }
}

/// Whose chunks of a scope are.
fn usual(scope: Scope) -> &'static str {
    match scope {
        Scope::Org => "everybody's",
        Scope::Project => "of a project",
        Scope::Agent => "of one agent",
    }
}

fn form(visit: &Visit, of: &ChunkType) -> Markup {
    html! {
        div.narrow.stack {
            div.head.tight {
                p.crumbs { a href="/chunks" { "Chunks" } " / " a href=(visit.with_project("/chunks/new")) { "Write" } " /" }
                h1 { (of.name) }
            }
            section.panel {
                @if let Some(about) = &of.description { p.soft.lead { (about) } }
                form.stack #write method="post" action="/do/chunk.write" {
                    input type="hidden" name="chunk_type" value=(of.slug);
                    input type="hidden" name="show" value="1";
                    input type="hidden" name="back" value="/chunks";
                    input type="hidden" name="lines" value="gotchas";
                    label.field { span { "Title" } input name="title" required maxlength="128" autofocus; }
                    label.field {
                        span { "What it says, in Markdown" }
                        textarea name="content" rows="14" required { "\n" (of.template.skeleton()) }
                    }
                    (fields(of, |field| field.default.clone().unwrap_or_default()))
                    (owner(visit, of))
                    label.field { span { "Tags, with commas between" } input name="tags"; }
                    details.fold #more {
                        summary { "More" }
                        (more())
                    }
                    div.line-up { button.first { "Write it" } a.button href="/chunks" { "Leave it" } }
                }
            }
        }
    }
}

/// Whose it shall be. A project is named beforehand only where the type has one.
fn owner(visit: &Visit, of: &ChunkType) -> Markup {
    let usual_project = visit.project.as_ref().filter(|_| of.scope == Scope::Project);
    html! {
        div.line-up {
            label.field {
                span { "Whose it is" }
                select name="scope" {
                    option value="" { "as usual: " (usual(of.scope)) }
                    @for scope in Scope::ALL.iter().filter(|scope| **scope != of.scope) {
                        option value=(scope.as_str()) { (usual(*scope)) }
                    }
                }
            }
            label.field {
                span { "Project, if it is one's" }
                select name="project" {
                    option value="" { "–" }
                    @for name in &visit.projects {
                        option value=(name) selected[usual_project == Some(name)] { (name) }
                    }
                }
            }
        }
    }
}

/// What most chunks need not say.
fn more() -> Markup {
    html! {
        div.stack {
            label.field { span { "Key that it is fetched by; made from the title when empty" } input name="query_key" autocomplete="off"; }
            label.field { span { "What is easily got wrong, a line each" } textarea name="gotchas" rows="2" {} }
            label.field { span { "Keys of others that belong to it, with commas between" } input name="related" autocomplete="off"; }
            div.line-up {
                label.field { span { "The file it is from" } input name="source_file" autocomplete="off"; }
                label.field { span { "Until when it holds, such as 30d" } input name="expires" autocomplete="off"; }
            }
            label.field { span { "Whom it is given to, as JSON; empty for whom its type says" } textarea.mono name="audience" rows="2" {} }
        }
    }
}
