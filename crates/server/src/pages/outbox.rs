//! The outbox: hooks on their way, those that failed, and what to do about them.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::Time;
use windlass_domain::duration::Span;
use windlass_ops::hook::{
    DeliveryView, HookView, List, Listed, Message, OutboxCounts, Show, Which,
};

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, empty, grouped, panel, task_id};
use super::trouble::Trouble;

/// Deliveries on a page at first, and at most.
const USUAL: u64 = 50;
const MOST: u64 = 1_000;
/// Whoever sends does so sooner than this.
const LATE: Span = Span::from_millis(60_000);

/// The tabs, and how the states are called in the address.
const TABS: [(Which, &str, &str); 6] = [
    (Which::Failed, "failed", "Failed"),
    (Which::Queued, "queued", "Queued"),
    (Which::Processing, "processing", "Being sent"),
    (Which::Delivered, "delivered", "Delivered"),
    (Which::Discarded, "discarded", "Discarded"),
    (Which::All, "all", "All"),
];

/// `GET /outbox`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let main = match query.first("delivery") {
        Some(id) => one(&visit, id).await?,
        None => list(&visit, &query).await?,
    };
    let mut page = Page::new("Outbox", Section::Outbox, main);
    page.assets = &["drawings.css"];
    Ok(framed(&visit, page))
}

async fn list(visit: &Visit, query: &Form) -> Result<Markup, Trouble> {
    let limit = query.first("limit").and_then(|limit| limit.parse().ok()).unwrap_or(USUAL);
    let limit = limit.clamp(1, MOST);
    let named = query.first("state");
    let chosen = TABS.into_iter().find(|(_, name, _)| named == Some(*name));
    let first = chosen.map_or(Which::Failed, |(which, _, _)| which);
    let mut listed = visit.ask(List { state: first, task: None, limit }).await?;
    // Where nothing failed, what is on its way is of interest, and else all there was.
    if chosen.is_none() && listed.total == 0 {
        let state = if listed.counts.queued > 0 { Which::Queued } else { Which::All };
        listed = visit.ask(List { state, task: None, limit }).await?;
    }
    Ok(html! {
        div.head {
            h1 { "Outbox" }
            (tabs(visit, &listed))
        }
        (unknown(&listed))
        div #unsent data-live { (unsent(visit, &listed).await?) }
        section.panel #deliveries data-live {
            div.head.tight {
                h2 { (name_of(listed.state)) span.soft.numeric { " " (grouped(listed.total)) } }
                @if listed.state == Which::Failed && listed.total > 0 { (retry_all(visit)) }
            }
            (deliveries(visit, &listed))
            @if listed.has_more && limit < MOST {
                div.pager { a.button href=(path(visit, &[("state", tab_name(listed.state)), ("limit", &(limit * 4).min(MOST).to_string())])) { "Show more" } }
            }
        }
        (panel("hooks", "Hooks", Some(listed.hooks.len() as u64), hooks(&listed.hooks)))
    })
}

fn path(visit: &Visit, more: &[(&str, &str)]) -> String {
    let project = visit.project.as_deref().unwrap_or_default();
    let mut query = vec![("project", project)];
    query.extend_from_slice(more);
    address("/outbox", &query)
}

fn name_of(state: Which) -> &'static str {
    TABS.into_iter().find(|(which, _, _)| *which == state).map_or("Deliveries", |(_, _, name)| name)
}

fn tab_name(state: Which) -> &'static str {
    TABS.into_iter().find(|(which, _, _)| *which == state).map_or("all", |(_, name, _)| name)
}

fn count(counts: &OutboxCounts, state: Which) -> u64 {
    let OutboxCounts { queued, processing, delivered, failed, discarded } = *counts;
    match state {
        Which::Queued => queued,
        Which::Processing => processing,
        Which::Delivered => delivered,
        Which::Failed => failed,
        Which::Discarded => discarded,
        Which::All => queued + processing + delivered + failed + discarded,
    }
}

fn tabs(visit: &Visit, listed: &Listed) -> Markup {
    html! {
        nav.tabs #states data-live aria-label="State" {
            @for (which, name, label) in TABS {
                a href=(path(visit, &[("state", name)])) aria-current=[(which == listed.state).then_some("page")] {
                    (label) span.numeric.soft { (grouped(count(&listed.counts, which))) }
                }
            }
        }
    }
}

fn unknown(listed: &Listed) -> Markup {
    html! {
        @for unknown in &listed.unknown {
            div.notice.warn {
                p { (unknown.waiting) " waiting for the hook " code { (unknown.hook) } ", which is not defined here." }
                p { "Whoever knows the hook sends them: windlass hook drain, with settings that define it." }
            }
        }
    }
}

/// Says so where nobody seems to send what is due.
async fn unsent(visit: &Visit, listed: &Listed) -> Result<Markup, Trouble> {
    let OutboxCounts { queued, processing, .. } = listed.counts;
    if queued == 0 || processing > 0 {
        return Ok(html! {});
    }
    let waiting = visit.ask(List { state: Which::Queued, task: None, limit: MOST }).await?;
    let known = waiting.deliveries.iter().filter(|delivery| delivery.hook_defined);
    let due = overdue(known.filter_map(|delivery| delivery.next_attempt_at), visit.now);
    Ok(html! {
        @if let Some(oldest) = due.iter().min() {
            div.notice.warn {
                p {
                    "Nobody is sending: " (counted(due.len() as u64, "delivery is due", "deliveries are due"))
                    ", the oldest " (look::time(*oldest, visit.now)) "."
                }
                p {
                    code { "windlass hook worker" } " sends them as they fall due; "
                    code { "windlass hook drain" } " sends what is due once."
                }
            }
        }
    })
}

/// What should have been sent by now, if anybody sent anything.
fn overdue(due: impl Iterator<Item = Time>, now: Time) -> Vec<Time> {
    due.filter(|at| *at <= now.before(LATE)).collect()
}

/// One thing, or many.
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

fn retry_all(visit: &Visit) -> Markup {
    html! {
        form method="post" action="/do/hook.retry" {
            input type="hidden" name="all_failed" value="true";
            input type="hidden" name="back" value=(visit.here);
            button { "Try all again" }
        }
    }
}

fn deliveries(visit: &Visit, listed: &Listed) -> Markup {
    html! {
        @if listed.deliveries.is_empty() {
            (empty(match listed.state {
                Which::Failed => "Nothing failed.",
                Which::All => "No hook was set off yet.",
                _ => "Nothing here.",
            }))
        } @else {
            div.table {
                table.stacks {
                    thead { tr { th { "Hook" } th { "State" } th { "Task" } th.rank { "Tries" } th { "When" } th { "What went wrong" } th { span.unseen { "What to do" } } } }
                    tbody { @for delivery in &listed.deliveries { (row(visit, delivery)) } }
                }
            }
        }
    }
}

fn row(visit: &Visit, delivery: &DeliveryView) -> Markup {
    let id = delivery.delivery_id.to_string();
    html! {
        tr.middle {
            td {
                a href=(path(visit, &[("delivery", &id)])) { (delivery.hook) }
                " " span.soft.small { (delivery.trigger) }
            }
            td.nowrap data-label="State" { (state(&delivery.state)) }
            td.nowrap data-label="About" { (subject(delivery)) }
            td.rank data-label="Tries" { (delivery.attempts) "/" (delivery.max_attempts) }
            td.nowrap data-label="When" { (when(delivery, visit.now)) }
            td.error data-label="What went wrong" { @if let Some(error) = &delivery.last_error { (error) } @else { span.soft { "–" } } }
            td.actions { (actions(delivery, &visit.here)) }
        }
    }
}

/// The task that a delivery tells of, else its run.
fn subject(delivery: &DeliveryView) -> Markup {
    html! {
        @if let Some(task) = delivery.task_id { (task_id(task)) }
        @else if let Some(run) = delivery.run { (look::run_id(run)) }
        @else { span.soft { "–" } }
    }
}

fn state(state: &str) -> Markup {
    let class = match state {
        "delivered" => "chip good",
        "failed" => "chip bad",
        "processing" => "chip accent",
        "queued" => "chip warn",
        _ => "chip",
    };
    html! { span class=(class) { (state) } }
}

fn when(delivery: &DeliveryView, now: Time) -> Markup {
    html! {
        @match (delivery.ended_at, delivery.locked_at, delivery.next_attempt_at) {
            (Some(at), _, _) => { (look::time(at, now)) }
            (None, Some(at), _) => { "since " (look::time(at, now)) }
            (None, None, Some(at)) => { "due " (look::time(at, now)) }
            (None, None, None) => { (look::time(delivery.enqueued_at, now)) }
        }
    }
}

fn actions(delivery: &DeliveryView, back: &str) -> Markup {
    let id = delivery.delivery_id;
    let can_retry = matches!(delivery.state.as_str(), "failed" | "discarded" | "queued");
    let can_discard = matches!(delivery.state.as_str(), "failed" | "queued");
    html! {
        div.line-up.end {
            @if can_retry {
                form method="post" action="/do/hook.retry" {
                    input type="hidden" name="ids" value=(id);
                    input type="hidden" name="back" value=(back);
                    button { @if delivery.state == "queued" { "Send now" } @else { "Try again" } }
                }
            }
            @if can_discard {
                form method="post" action="/do/hook.discard" {
                    input type="hidden" name="ids" value=(id);
                    input type="hidden" name="back" value=(back);
                    button.plain { "Discard" }
                }
            }
        }
    }
}

fn hooks(hooks: &[HookView]) -> Markup {
    html! {
        @if hooks.is_empty() {
            (empty("No hooks are defined. windlass hook set NAME --on done --url URL makes one."))
        } @else {
            div.table {
                table.stacks {
                    thead { tr { th { "Hook" } th { "Set off by" } th { "Sent to" } th { "Only for" } th.rank { "Tries" } th { "Defined in" } } }
                    tbody { @for hook in hooks {
                        tr {
                            td.strong { (hook.name) }
                            td.nowrap data-label="Set off by" { (hook.on) }
                            td.wide data-label="Sent to" { code.wrap-anywhere { @if let Some(url) = &hook.url { (url) } @else if let Some(argv) = &hook.command { (argv.join(" ")) } } }
                            td data-label="Only for" { (narrowed(hook)) }
                            td.rank data-label="Tries" { (hook.max_attempts) }
                            td data-label="Defined in" { (hook.source) }
                        }
                    } }
                }
            }
        }
    }
}

fn narrowed(hook: &HookView) -> Markup {
    html! {
        @if hook.projects.is_empty() && hook.tags.is_empty() { span.soft { "everything" } }
        span.chips {
            @for project in &hook.projects { span.chip { (project) } }
            @for tag in &hook.tags { span.chip.accent { (tag) } }
        }
    }
}

/// One delivery with what it says.
async fn one(visit: &Visit, id: &str) -> Result<Markup, Trouble> {
    let shown = visit.ask(Show { name: id.to_owned() }).await?;
    let Some(delivery) = shown.delivery else {
        return Ok(html! { section.panel { (empty("That is a hook, and no delivery.")) } });
    };
    let now = visit.now;
    Ok(html! {
        div.head {
            p { a href=(path(visit, &[])) { "Outbox" } " /" }
            h1 { (delivery.hook) }
            (state(&delivery.state))
            div.end { (actions(&delivery, &visit.here)) }
        }
        section.panel #delivery data-live {
            dl.facts {
                dt { "Delivery" } dd { code { (delivery.delivery_id) } }
                dt { "Set off by" } dd { (delivery.trigger) " of " (subject(&delivery)) }
                dt { "Tries" } dd.numeric { (delivery.attempts) " of " (delivery.max_attempts) }
                dt { "Enqueued" } dd { (look::time(delivery.enqueued_at, now)) }
                @if let Some(at) = delivery.next_attempt_at { dt { "Next try" } dd { (look::time(at, now)) } }
                @if let Some(at) = delivery.expires_at { dt { "Given up" } dd { (look::time(at, now)) } }
                @if let Some(worker) = &delivery.worker { dt { "Sent by" } dd { (worker) } }
                @if let Some(at) = delivery.ended_at { dt { "Ended" } dd { (look::time(at, now)) } }
                @if let Some(error) = &delivery.last_error { dt { "What went wrong" } dd.bad { (error) } }
                @if !delivery.hook_defined { dt { "Hook" } dd { "not defined here" } }
            }
        }
        @if let Some(message) = &shown.message { (payload(message)) }
    })
}

fn payload(message: &Message) -> Markup {
    let text = serde_json::to_string_pretty(&message.payload).unwrap_or_default();
    html! {
        (panel("message", "What it says", None, html! {
            pre.code tabindex="0" { code { (text) } }
            dl.facts.below {
                @if let Some(id) = &message.event_id { dt { "Event" } dd { code { (id) } } }
                @if let Some(id) = &message.op_id { dt { "Op id" } dd { code { (id) } } }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_for_a_minute_is_overdue() {
        let now = Time::from_millis(1_794_735_000_000);
        let at = |seconds: i64| now.before(Span::from_millis(seconds * 1_000));
        let due = [at(600), at(60), at(59), at(0), at(-30)];
        assert_eq!(overdue(due.into_iter(), now), [at(600), at(60)]);
    }
}
