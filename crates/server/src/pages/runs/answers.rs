//! What a run waits for a person for, on its page, with the forms that answer it.

use maud::{Markup, html};
use windlass_domain::Time;
use windlass_ops::run::{RunView, Shown, WaitingView};

use super::{last_of, pictures};
use crate::pages::look::{self, run_path};

pub(super) fn answers(run: &RunView, shown: &Shown, now: Time) -> Markup {
    html! {
        section.panel #waiting data-live hidden[run.waiting.is_empty()] {
            h2 { "Waits for you" }
            @for waiting in &run.waiting { (answer(run, shown, waiting, now)) }
        }
    }
}

fn answer(run: &RunView, shown: &Shown, waiting: &WaitingView, now: Time) -> Markup {
    html! {
        div.answer {
            div.notice.warn {
                p { (heading(run, waiting)) }
                p { (waiting.question) }
                @if let Some(notes) = &waiting.notes { p.small { (notes) } }
                p.small.soft { "since " (look::time(waiting.since, now)) }
                @if let Some(since) = waiting.overdue_since {
                    p { span.chip.bad { "overdue since " (look::time(since, now)) } }
                }
            }
            @if let Some(step) = waiting.step { (pictures(run, last_of(shown, step))) }
            (forms(run, waiting))
        }
    }
}

/// What it is about: a step with its name, or what it is called.
fn heading(run: &RunView, waiting: &WaitingView) -> String {
    let step = run.steps.iter().find(|step| Some(step.step) == waiting.step);
    match step {
        Some(step) => format!("Step {}: {}", step.step, step.name),
        None => format!("Waits for: {}", waiting.title),
    }
}

/// The forms that answer it; where nobody at a page knows the answer, the commands.
fn forms(run: &RunView, waiting: &WaitingView) -> Markup {
    let WaitingView { step, action, budget, .. } = waiting;
    match (waiting.waits_for.as_str(), step, action, budget) {
        (_, Some(step), _, _) => decide(run, "run.gate", "step", &step.to_string()),
        ("action", _, Some(action), _) => decide(run, "run.action.decide", "action", action),
        (_, _, _, Some(budget)) => raise(run, budget),
        _ => html! { @for way in &waiting.ways { p.small { code { (way) } } } },
    }
}

/// Yes or no. Whoever says no says why.
fn decide(run: &RunView, operation: &str, field: &str, what: &str) -> Markup {
    let decide = |decision: &str, inside: Markup| {
        let fields = [(field, what), ("decision", decision)];
        form(run, operation, &format!("{decision}-{what}"), &fields, &inside)
    };
    html! {
        div.choices {
            (decide("approved", html! {
                label.field { span { "A word about it" } input name="reason" autocomplete="off"; }
                div.line-up { button.first { "Approve" } }
            }))
            (decide("rejected", html! {
                label.field { span { "Why not" } input name="reason" required autocomplete="off"; }
                div.line-up { button { "Reject" } }
            }))
        }
    }
}

/// A higher limit, and why.
fn raise(run: &RunView, budget: &str) -> Markup {
    let inside = html! {
        label.field { span { "New limit" } input name="limit" inputmode="decimal" required autocomplete="off"; }
        label.field { span { "Why" } input name="reason" required autocomplete="off"; }
        div.line-up { button.first { "Raise it" } }
    };
    form(run, "run.budget.raise", &format!("raise-{budget}"), &[("metric", budget)], &inside)
}

fn form(
    run: &RunView,
    operation: &str,
    id: &str,
    fields: &[(&str, &str)],
    inside: &Markup,
) -> Markup {
    html! {
        form.stack method="post" action={ "/do/" (operation) } id=(id) {
            input type="hidden" name="run_id" value=(run.run);
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            input type="hidden" name="back" value=(run_path(run.run));
            (inside)
        }
    }
}
