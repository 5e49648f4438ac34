//! The inbox: chunks that somebody should look at, with what can be said of them.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::ChunkId;
use windlass_domain::chunk::review::{Action, Signal};
use windlass_ops::chunk::asker::Asker;
use windlass_ops::chunk::view::ReviewsView;
use windlass_ops::chunk::{Inbox, InboxItem, InboxShown};

use super::super::Visit;
use super::super::form::Form;
use super::super::layout::{Page, Section, framed};
use super::super::look::{self, address, empty};
use super::super::trouble::Trouble;
use super::part::Part;

/// Chunks on a page at first, and at most.
const USUAL: u64 = 50;
const MOST: u64 = 800;

/// `GET /inbox`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let signal = query.first("signal").unwrap_or_default();
    let limit = query.first("limit").and_then(|limit| limit.parse().ok()).unwrap_or(USUAL);
    let limit = limit.clamp(1, MOST);
    let asked = Inbox {
        project: visit.project.clone(),
        signal: (!signal.is_empty()).then(|| signal.to_owned()),
        limit,
        asker: Asker::default(),
    };
    let found = visit.ask(asked).await;
    let main = html! {
        (Part::Inbox.tabs(&visit))
        div.head {
            h1 { "Inbox" }
            nav.tabs aria-label="Why" {
                a href=(path(&visit, "", USUAL)) aria-current=[signal.is_empty().then_some("page")] { "All" }
                @for one in Signal::ALL {
                    a href=(path(&visit, one.as_str(), USUAL)) aria-current=[(signal == one.as_str()).then_some("page")] { (name(*one)) }
                }
            }
        }
        @match &found {
            Err(trouble) => { (trouble.notice()) }
            Ok(found) => { (results(&visit, signal, limit, found)) }
        }
    };
    Ok(framed(&visit, Page::new("Inbox", Section::Sessions, main)))
}

fn path(visit: &Visit, signal: &str, limit: u64) -> String {
    let project = visit.project.as_deref().unwrap_or_default();
    let limit = if limit == USUAL { String::new() } else { limit.to_string() };
    address(Part::Inbox.path(), &[("project", project), ("signal", signal), ("limit", &limit)])
}

const fn name(signal: Signal) -> &'static str {
    match signal {
        Signal::Flagged => "Flagged",
        Signal::LowScore => "Low marks",
        Signal::Aging => "Aging",
        Signal::SourceChanged => "Source changed",
    }
}

fn results(visit: &Visit, signal: &str, limit: u64, found: &InboxShown) -> Markup {
    html! {
        section.panel #inbox data-live {
            h2 { "Chunks that somebody should look at" span.soft.numeric { (found.chunks.len()) @if found.has_more { "+" } } }
            @if found.chunks.is_empty() {
                (empty("Nobody needs to look at any chunk. One comes here when a reader finds it wrong or old, marks it low, nobody touches it for 60 days, or its source changes."))
            } @else {
                ul.steps { @for item in &found.chunks { (one(visit, item)) } }
            }
            @if found.has_more && limit < MOST {
                div.pager { a.button href=(path(visit, signal, (limit * 4).min(MOST))) { "Show more" } }
            }
        }
    }
}

fn one(visit: &Visit, item: &InboxItem) -> Markup {
    let chunk = &item.chunk;
    html! {
        li {
            p {
                strong { (look::chunk_title(chunk.chunk_id, &chunk.title)) } " "
                @for signal in &item.signals { span.chip.warn { (name(*signal)) } " " }
            }
            p.small.soft {
                (chunk.chunk_type)
                @if let Some(project) = &item.project { " of " (project) }
                @if let Some(agent) = &item.agent { " of " (agent) }
                ", version " (chunk.version) ", touched " (look::time(item.touched_at, visit.now))
            }
            (thought(&item.reviews))
            div.line-up {
                (dismiss(visit, chunk.chunk_id))
                (review(visit, chunk.chunk_id))
            }
        }
    }
}

/// What readers thought of it together.
fn thought(reviews: &ReviewsView) -> Markup {
    let mark =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
    html! {
        @if reviews.count > 0 {
            p.small {
                "Useful " strong { (mark(reviews.usefulness)) } ", right " strong { (mark(reviews.correctness)) }
                " of 5, by " (reviews.count) @if reviews.count == 1 { " reader" } @else { " readers" }
                @if let Some(action) = reviews.last_action { "; the last one: " (action.as_str().replace('_', " ")) }
            }
        }
    }
}

fn dismiss(visit: &Visit, chunk: ChunkId) -> Markup {
    html! {
        form method="post" action="/do/chunk.dismiss" {
            input type="hidden" name="chunk" value=(chunk);
            input type="hidden" name="back" value=(visit.here);
            button title="There is nothing to do about it" { "Dismiss" }
        }
    }
}

fn review(visit: &Visit, chunk: ChunkId) -> Markup {
    html! {
        details.fold id={ "review-" (chunk) } {
            summary { "Review" }
            form.stack method="post" action="/do/chunk.review" {
                input type="hidden" name="chunk" value=(chunk);
                input type="hidden" name="back" value=(visit.here);
                div.line-up {
                    (marks("usefulness", "How much it helps"))
                    (marks("correctness", "How right it is"))
                    label.field {
                        span { "What should be done" }
                        select name="action" {
                            @for action in Action::ALL {
                                option value=(action.as_str()) { (action.as_str().replace('_', " ")) }
                            }
                        }
                    }
                }
                label.field { span { "More about how much it helps" } input name="usefulness_note" autocomplete="off"; }
                label.field { span { "More about what is wrong" } input name="correctness_note" autocomplete="off"; }
                div.line-up { button.first { "Say so" } }
            }
        }
    }
}

fn marks(field: &str, label: &str) -> Markup {
    html! {
        label.field {
            span { (label) }
            select name=(field) {
                @for mark in (1..=5_u8).rev() {
                    option value=(mark) { (mark) @if mark == 5 { ", most" } @if mark == 1 { ", least" } }
                }
            }
        }
    }
}
