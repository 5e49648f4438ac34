//! What readers thought of a chunk, and the form to say more.

use maud::{Markup, html};
use windlass_domain::chunk::review::Action;
use windlass_ops::chunk::view::ChunkView;
use windlass_ops::sheet::counted;

use super::super::look::empty;
use super::does;

pub(super) fn reviews(chunk: &ChunkView) -> Markup {
    let reviews = &chunk.reviews;
    html! {
        section.panel #reviews {
            div #reviews-now data-live {
                h2.under-it { "Reviews" span.soft.numeric { (reviews.count) } }
                @if reviews.count == 0 { (empty("Nobody has said yet whether it helped.")) } @else {
                    dl.facts {
                        dt { "Usefulness" } dd { (mark(reviews.usefulness)) }
                        dt { "Correctness" } dd { (mark(reviews.correctness)) }
                        @if let Some(action) = reviews.last_action {
                            dt { "Last said" } dd { (action.as_str().replace('_', " ")) }
                        }
                        dt { "By" } dd { (counted(reviews.count.into(), "review")) }
                    }
                }
                @if !chunk.signals.is_empty() { (dismiss(chunk)) }
            }
            (review(chunk))
        }
    }
}

fn mark(average: Option<f64>) -> Markup {
    html! { @if let Some(average) = average { span.numeric { (format!("{average:.1}")) " of 5" } } }
}

/// Says that nothing needs to be done about what it is flagged for.
fn dismiss(chunk: &ChunkView) -> Markup {
    let words: Vec<String> =
        chunk.signals.iter().map(|signal| signal.as_str().replace('_', " ")).collect();
    does(
        "chunk.dismiss",
        chunk.chunk_id,
        "reviews",
        html! {
            p.small.soft { "Somebody should look at it: " (words.join(", ")) "." }
            div.line-up { button { "There is nothing to do" } }
        },
    )
}

fn review(chunk: &ChunkView) -> Markup {
    html! {
        details.fold #add-review {
            summary { "Review it" }
            (does("chunk.review", chunk.chunk_id, "reviews", html! {
                div.line-up {
                    (score("usefulness", "How much it helped"))
                    (score("correctness", "How right it is"))
                    label.field {
                        span { "What should be done" }
                        select name="action" {
                            @for action in Action::ALL {
                                option value=(action.as_str()) { (said(*action)) }
                            }
                        }
                    }
                }
                label.field { span { "More about how much it helped" } textarea name="usefulness_note" rows="2" {} }
                label.field { span { "More about what is wrong" } textarea name="correctness_note" rows="2" {} }
                div.line-up { button.first { "Review" } }
            }))
        }
    }
}

fn said(action: Action) -> &'static str {
    match action {
        Action::Useful => "nothing, it is useful",
        Action::NeedsUpdate => "it needs an update",
        Action::Outdated => "it is outdated",
        Action::Incorrect => "it is incorrect",
    }
}

fn score(name: &str, asked: &str) -> Markup {
    html! {
        label.field {
            span { (asked) }
            select name=(name) required {
                option value="" { "–" }
                @for score in 1..=5_u8 {
                    option value=(score) { (score) @if score == 1 { ", not at all" } @if score == 5 { ", very much" } }
                }
            }
        }
    }
}
