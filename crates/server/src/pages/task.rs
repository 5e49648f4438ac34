//! The page of a task: everything that is known of it, and what can be done about it.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery};
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use windlass_domain::{ChunkId, Status, TaskId, Time};
use windlass_ops::health::{AuditVerify, Verified};
use windlass_ops::hook::{self, DeliveryView};
use windlass_ops::run::{self, RunRow};
use windlass_ops::sheet::{counted, in_short};
use windlass_ops::task::{self, CheckpointView, ClaimView, CommentView, HistoryShown, Related};
use windlass_ops::view::Level;
use windlass_ops::why::{Explained, Why};

use super::Visit;
use super::chunks::{LinkedChunks, of_task};
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, grouped, panel, status_name, task_path};
use super::markdown::{is_web, markdown};
use super::runs;
use super::task_actions::{actions, add_checkpoint, add_comment, edit};
use super::trouble::Trouble;
use crate::http::unreadable;

/// How many events are shown at first.
const EVENTS: u64 = 50;
/// Up to this many events the hash chain is verified without being asked for.
const QUICK: u64 = 5_000;
/// The newest runs of a task that are shown.
const RUNS: u64 = 20;
/// How much of an event's data is shown before it is unfolded.
const SUMMARY: usize = 90;

/// What is asked for in the address.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// `history=all`: the whole history.
    all_events: bool,
    /// `verify=…`: to have the hash chain verified however long it is.
    verify: bool,
}

impl Asked {
    fn of(query: &Form) -> Self {
        Self {
            all_events: query.first("history") == Some("all"),
            verify: query.first("verify").is_some_and(|verify| !verify.is_empty()),
        }
    }
}

/// All that the page tells.
pub(super) struct Told {
    pub(super) shown: task::Shown,
    why: Explained,
    history: HistoryShown,
    deliveries: Vec<DeliveryView>,
    /// The runs that work on it, the newest first.
    runs: Vec<RunRow>,
    /// Its spec, and what points to it.
    chunks: LinkedChunks,
    /// The chain, if it was verified.
    verified: Option<Verified>,
}

/// `GET /tasks/{id}`.
pub(super) async fn page(
    visit: Visit,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, Trouble> {
    let Path(id) = path.map_err(|_| unreadable())?;
    let asked = Asked::of(&Form::parse(query.as_deref().unwrap_or_default()));
    let told = Told::load(&visit, id, asked).await?;
    let task = &told.shown.task;
    let main = html! {
        div.task data-follow=(followed(&told)) {
            (head(&told, &visit))
            div.task-main {
                (why(&told.why))
                (description(&told))
                (runs::of_task(&told.runs, visit.now))
                (of_task(&told.chunks))
                (relations(&told.shown))
                (checkpoints(&told.shown, visit.now))
                (add_checkpoint(task))
                section.panel {
                    (comments(&told.shown, visit.now))
                    (add_comment(task))
                }
            }
            div.task-side {
                (actions(task, &visit.person.name))
                (facts(&told.shown, visit.now))
            }
            div.task-past {
                (claims(&told.shown.claims, visit.now))
                (sent(&told.deliveries, visit.now))
                (history(&told, asked, visit.now))
            }
        }
    };
    let page = Page {
        title: format!("{} · {}", task.title, task.task_id.short()),
        assets: &["chunks.css"],
        ..Page::new("", Section::Board, main)
    };
    Ok(framed(&visit, page))
}

impl Told {
    async fn load(visit: &Visit, id: String, asked: Asked) -> Result<Self, Trouble> {
        let show = task::Show { task: id, view: Level::Full, no_subtasks: false, deep: false };
        let shown = visit.ask(show).await?;
        let id = shown.task.task_id.to_string();
        let limit = if asked.all_events { 10_000 } else { EVENTS };
        let why = Why { task: Some(id.clone()), project: None, agent: None };
        let sent = hook::List { state: hook::Which::All, task: Some(id.clone()), limit: 100 };
        let runs = run::List { task: Some(id.clone()), limit: RUNS, ..run::List::default() };
        let links = shown.task.full.as_ref().map(|full| full.links.as_slice()).unwrap_or_default();
        let is_verified = visit.seq <= QUICK || asked.verify;
        Ok(Self {
            why: visit.ask(why).await?,
            history: visit.ask(task::History { task: id, limit }).await?,
            deliveries: visit.ask(sent).await?.deliveries,
            runs: visit.ask(runs).await?.runs,
            chunks: LinkedChunks::load(visit, shown.task.task_id, links).await?,
            verified: match is_verified {
                true => Some(visit.ask(AuditVerify { expect: None }).await?),
                false => None,
            },
            shown,
        })
    }
}

/// The tasks, runs and chunks whose events change this page.
fn followed(told: &Told) -> String {
    let shown = &told.shown;
    let runs = told.runs.iter().map(|run| run.run.to_string());
    let related = shown.dependencies.iter().chain(&shown.dependents).map(|other| other.task_id);
    let children = shown.subtasks.iter().map(subtask_id);
    let all = [shown.task.task_id].into_iter().chain(related).chain(children);
    all.map(|id| id.to_string()).chain(runs).chain(told.chunks.ids()).collect::<Vec<_>>().join(" ")
}

fn subtask_id(subtask: &task::Subtask) -> TaskId {
    match subtask {
        task::Subtask::Brief(related) => related.task_id,
        task::Subtask::Deep(deep) => deep.task.task_id,
    }
}

fn head(told: &Told, visit: &Visit) -> Markup {
    let task = &told.shown.task;
    let standard = task.standard.as_ref();
    let tags = standard.map(|standard| standard.tags.as_slice()).unwrap_or_default();
    let lease = standard.and_then(|standard| standard.lease_until);
    let due = standard.and_then(|standard| standard.due_at);
    html! {
        header #head .task-head data-live {
            p.crumbs.soft {
                a href=(address("/", &[("project", &task.project)])) { (task.project) }
                " / "
                @if let Some(parent) = task.parent_id { (look::task_id(parent)) " / " }
                span.id { (task.task_id.short()) }
            }
            h1 { (task.title) }
            div.chips {
                (look::status(task.status))
                (look::priority(task.priority))
                @if let (Some(agent), Status::InProgress | Status::Blocked) = (&task.agent, task.status) {
                    span.chip { "held by " (agent) ", fence " (task.fence) }
                }
                @if let Some(until) = lease {
                    @if until < visit.now { span.chip.bad { "lease ran out " (look::time(until, visit.now)) } }
                    @else { span.chip { "lease ends " (look::time(until, visit.now)) } }
                }
                @if let (Some(due), false) = (due, task.status.is_settled()) {
                    @if due < visit.now { span.chip.bad { "overdue, " (look::time(due, visit.now)) } }
                    @else { span.chip { "due " (look::time(due, visit.now)) } }
                }
                @for tag in tags {
                    a.chip href=(address("/", &[("tag", tag)])) { (tag) }
                }
            }
        }
    }
}

/// Why nobody works on it, with the command that would change that.
fn why(why: &Explained) -> Markup {
    let is_held = why.reasons.iter().any(|reason| reason.code == "held");
    let is_settled = why.status.is_some_and(Status::is_settled);
    html! {
        div #why-not data-live {
            @if why.reasons.is_empty() && why.claimable {
                div.notice { p { "It waits only for somebody to claim it." } }
            } @else if !is_held && !is_settled && !why.reasons.is_empty() {
                div.notice.warn {
                    p { "Why nobody is working on it" }
                    ul.stack {
                        @for reason in &why.reasons {
                            li {
                                (in_short(&reason.message))
                                @for id in &reason.tasks { " " (look::task_id(*id)) }
                                @if let Some(next) = &reason.next {
                                    br; code.small { (in_short(next)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn description(told: &Told) -> Markup {
    let task = &told.shown.task;
    let text = task.full.as_ref().and_then(|full| full.description.as_deref());
    html! {
        section.panel #about {
            div #description .prose data-live {
                @match text {
                    Some(text) => (markdown(text)),
                    None => p.soft { "No description." },
                }
            }
            (edit(task))
        }
    }
}

fn relations(shown: &task::Shown) -> Markup {
    let subtasks: Vec<Markup> = shown.subtasks.iter().map(subtask).collect();
    html! {
        div #relations data-live {
            @if !shown.dependencies.is_empty() {
                (related("waits-for", "Waits for", &shown.dependencies, &shown.task.project))
            }
            @if !shown.dependents.is_empty() {
                (related("needed-by", "Needed by", &shown.dependents, &shown.task.project))
            }
            @if !subtasks.is_empty() {
                section.panel #subtasks {
                    h2 { "Subtasks" span.soft.numeric { (subtasks.len()) } }
                    ul.rows { @for subtask in subtasks { (subtask) } }
                }
            }
        }
    }
}

fn related(id: &str, heading: &str, tasks: &[Related], own: &str) -> Markup {
    let open = tasks.iter().filter(|other| !other.settled).count();
    html! {
        section.panel id=(id) {
            h2 {
                (heading)
                span.soft.numeric {
                    @if open > 0 { (open) " of " (tasks.len()) " open" }
                    @else { (tasks.len()) ", none open" }
                }
            }
            ul.rows { @for other in tasks { (row(other, own)) } }
        }
    }
}

fn subtask(subtask: &task::Subtask) -> Markup {
    match subtask {
        task::Subtask::Brief(related) => {
            row(related, related.project.as_deref().unwrap_or_default())
        }
        task::Subtask::Deep(deep) => html! {
            li {
                (look::status(deep.task.status))
                span.what { (look::task_title(deep.task.task_id, &deep.task.title)) }
                (look::task_id(deep.task.task_id))
            }
        },
    }
}

fn row(other: &Related, own: &str) -> Markup {
    let project = other.project.as_deref().filter(|project| *project != own);
    html! {
        li {
            @match other.status {
                Some(status) => (look::status(status)),
                None => span.chip { "not in this ledger" },
            }
            span.what {
                (look::task_title(other.task_id, other.title.as_deref().unwrap_or("missing")))
                @if let Some(project) = project { span.soft { " in " (project) } }
                @if let Some(agent) = &other.agent { span.soft { " · " (agent) } }
            }
            (look::task_id(other.task_id))
        }
    }
}

fn checkpoints(shown: &task::Shown, now: Time) -> Markup {
    let count = Some(shown.checkpoints.len() as u64).filter(|count| *count > 0);
    html! {
        @if count.is_some() {
            (panel("checkpoints", "Checkpoints", count, html! {
                ol.timeline { @for (at, checkpoint) in shown.checkpoints.iter().enumerate().rev() {
                    (one_checkpoint(at, checkpoint, now))
                } }
            }))
        } @else { div #checkpoints data-live {} }
    }
}

fn one_checkpoint(at: usize, checkpoint: &CheckpointView, now: Time) -> Markup {
    let data = Value::from(checkpoint.data.clone());
    html! {
        li {
            p {
                strong { (checkpoint.name) } " "
                @if let Some(percent) = checkpoint.progress { span.chip { (percent) "%" } " " }
                span.soft.small { (checkpoint.author) ", " (look::time(checkpoint.timestamp, now)) }
            }
            @if !checkpoint.data.is_empty() {
                details.fold id={ "checkpoint-" (at) } {
                    summary { "What it holds" }
                    pre { (pretty(&data)) }
                }
            }
        }
    }
}

fn comments(shown: &task::Shown, now: Time) -> Markup {
    html! {
        div #comments data-live {
            h2 { "Comments " span.soft.numeric { (shown.comments.len()) } }
            ol.timeline { @for comment in &shown.comments { (one_comment(comment, now)) } }
        }
    }
}

fn one_comment(comment: &CommentView, now: Time) -> Markup {
    html! {
        li {
            p.small { strong { (comment.author) } " " span.soft { (look::time(comment.timestamp, now)) } }
            div.prose { (markdown(&comment.text)) }
        }
    }
}

fn facts(shown: &task::Shown, now: Time) -> Markup {
    let task = &shown.task;
    let standard = task.standard.as_ref();
    let full = task.full.as_ref();
    let when = |name: &'static str, at: Option<Time>| {
        html! { @if let Some(at) = at { dt { (name) } dd { (look::time(at, now)) } } }
    };
    let said = |name: &'static str, text: Option<String>| {
        html! { @if let Some(text) = text { dt { (name) } dd { (text) } } }
    };
    let agent = task.agent.clone();
    let (holder, routed) = match task.status {
        Status::InProgress | Status::Blocked => (agent, None),
        _ => (None, agent),
    };
    let routed_name = if task.status.is_settled() { "Finished by" } else { "Routed to" };
    html! {
        section.panel #facts data-live {
            h2 { "Facts" }
            dl.facts {
                dt { "Id" } dd { code.small { (task.task_id) } }
                dt { "Status" } dd { (status_name(task.status)) }
                dt { "Project" } dd { (task.project) }
                dt { "Priority" } dd { (task.priority) " of 3" }
                (said("Held by", holder))
                (said(routed_name, routed))
                dt { "Fence" } dd.numeric { (task.fence) }
                (when("Lease", standard.and_then(|standard| standard.lease_until)))
                (when("Claimed", standard.and_then(|standard| standard.claimed_at)))
                @if let (Some(percent), false) =
                    (standard.and_then(|standard| standard.progress), task.status.is_settled())
                {
                    dt { "Progress" }
                    dd { progress max="100" value=(percent) aria-label="Progress" {} (percent) "%" }
                }
                (when("Due", standard.and_then(|standard| standard.due_at)))
                (when("Created", Some(task.created_at)))
                (when("Changed", full.map(|full| full.updated_at)))
                (when("Finished", full.and_then(|full| full.finished_at)))
                @if let Some(full) = full {
                    (said("Stale after", full.stale_after_minutes.map(|minutes| format!("{minutes}m"))))
                    (said("Stage", full.stage.clone()))
                    (said("Role", full.role.clone()))
                    dt { "Events" } dd.numeric { (full.version) }
                    @if !full.links.is_empty() {
                        dt { "Links" }
                        dd { ul { @for address in &full.links { li { (link(address)) } } } }
                    }
                    @if !full.metadata.is_empty() {
                        dt { "Metadata" }
                        dd { pre { (pretty(&Value::from(full.metadata.clone()))) } }
                    }
                }
            }
        }
    }
}

/// A link of a task: an address, a chunk, or a path that means something elsewhere.
fn link(address: &str) -> Markup {
    let chunk = address.strip_prefix("chunk:").and_then(|id| id.parse::<ChunkId>().ok());
    html! {
        @if let Some(chunk) = chunk { "chunk " (look::chunk_id(chunk)) } @else if is_web(address) {
            a href=(address) rel="noopener noreferrer nofollow" { (address) }
        } @else { code { (address) } }
    }
}

fn claims(claims: &[ClaimView], now: Time) -> Markup {
    html! {
        @if claims.is_empty() { div #claims data-live {} } @else {
            (panel("claims", "Claims", Some(claims.len() as u64), html! {
                div.table { table.stacks {
                    thead { tr {
                        th { "Agent" } th.rank { "Fence" } th { "Claimed" } th { "Ended" }
                        th { "How" } th.rank { "Renewals" }
                    } }
                    tbody { @for claim in claims.iter().rev() { tr {
                        td { (claim.agent) }
                        td.rank data-label="Fence" { (claim.fence) }
                        td.nowrap data-label="Claimed" { (look::time(claim.claimed_at, now)) }
                        td.nowrap data-label="Ended" {
                            @match claim.ended_at { Some(at) => (look::time(at, now)), None => span.soft { "–" } }
                        }
                        td.nowrap data-label="How" { (claim.ended.as_deref().unwrap_or("holds it").replace('_', " ")) }
                        td.rank data-label="Renewals" { (claim.renewals) }
                    } } }
                } }
            }))
        }
    }
}

/// The hooks that this task set off.
fn sent(deliveries: &[DeliveryView], now: Time) -> Markup {
    let tone = |state: &str| match state {
        "delivered" => "chip good",
        "failed" => "chip bad",
        _ => "chip",
    };
    html! {
        @if deliveries.is_empty() { div #sent data-live {} } @else {
            (panel("sent", "Hooks sent", Some(deliveries.len() as u64), html! {
                div.table { table.stacks {
                    thead { tr {
                        th { "Hook" } th { "State" } th { "Set off" } th { "Tried" } th { "Last error" }
                    } }
                    tbody { @for delivery in deliveries { tr {
                        td { (delivery.hook) }
                        td data-label="State" { span class=(tone(&delivery.state)) { (delivery.state) } }
                        td.nowrap data-label="Set off" { (look::time(delivery.enqueued_at, now)) }
                        td.nowrap.numeric data-label="Tried" { (delivery.attempts) " of " (delivery.max_attempts) }
                        td.wide data-label="Last error" { (delivery.last_error.as_deref().unwrap_or_default()) }
                    } } }
                } }
            }))
        }
    }
}

fn history(told: &Told, asked: Asked, now: Time) -> Markup {
    let id = told.shown.task.task_id;
    let events = &told.history.events;
    let is_part = told.history.total > events.len() as u64;
    html! {
        section.panel #history data-live {
            h2 { "History" span.soft { (counted(told.history.total, "event")) } }
            (chain(told.verified.as_ref(), id))
            div.table { table.history {
                thead { tr {
                    th.rank { "Seq" } th { "When" } th { "Who" } th { "What" } th { "Data" } th { "Hash" }
                } }
                tbody { @for past in events.iter().rev() { tr {
                    td.rank { (past.event.seq) }
                    td.nowrap { (look::time(past.event.at, now)) }
                    td { (past.event.actor) }
                    td.nowrap { (past.event.kind.replace('_', " ")) }
                    td { (data(past.event.seq, &past.event.data)) }
                    td { code.soft.small title=(past.event.hash) {
                        (past.event.hash.chars().take(8).collect::<String>())
                    } }
                } } }
            } }
            @if is_part && !asked.all_events {
                p.pager { a.button href={ (task_path(id)) "?history=all#history" } { "Show all events" } }
            }
        }
    }
}

/// Whether the hash chain is sound, which is said only if it was computed for this page.
fn chain(verified: Option<&Verified>, id: TaskId) -> Markup {
    html! {
        @match verified {
            None => p.small {
                a href={ (task_path(id)) "?verify=1#history" } { "Verify the hash chain of the log" }
            },
            Some(found) if found.sound => p.small.good {
                "Chain verified up to event " (grouped(found.seq)) ": no event was changed, removed or put in."
            },
            Some(found) => div.notice.bad role="alert" {
                p { "The hash chain is sound only up to event " (grouped(found.seq)) "." }
                @for finding in &found.findings { p { (finding) } }
            },
        }
    }
}

/// What an event tells: in a line, and whole when it is unfolded.
fn data(seq: u64, data: &Value) -> Markup {
    let line = data.to_string();
    html! {
        @if data.is_null() { span.soft { "pruned" } }
        @else if line.chars().count() <= SUMMARY { code.small { (line) } }
        @else {
            details.fold.small id={ "event-" (seq) } {
                summary { code { (line.chars().take(SUMMARY).collect::<String>()) "…" } }
                pre { (pretty(data)) }
            }
        }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}
