//! Agents: who is at work, what became of their claims, what somebody did, and who holds a key.

mod keys;

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::{Status, TaskId};
use windlass_ops::agent::{
    AgentEvent, AgentEvents, AgentLog, AgentStatus, AgentView, AgentWork, Agents, HeldTask,
};
use windlass_ops::sheet::spoken;

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, empty, grouped, panel, percent};
use super::trouble::Trouble;
use super::window::Window;

const USUAL: &str = "7d";
/// Agents that are listed.
const MOST: usize = 200;
/// Events of one agent on a page.
const EVENTS: u64 = 50;

/// `GET /agents`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let query = Form::parse(query.as_deref().unwrap_or_default());
    let window = Window::of(&query, USUAL);
    let agent = query.first("agent").filter(|name| !name.is_empty());
    let asked = AgentStatus {
        agent: agent.map(str::to_owned),
        project: visit.project.clone(),
        stats: agent.is_some(),
        window: Some(window.0.clone()),
    };
    let agents = visit.ask(asked).await?;
    let main = match agent {
        Some(name) => one(&visit, &query, &window, name, &agents).await?,
        None => everybody(&visit, &window, &agents).await?,
    };
    let title = agent.map_or_else(|| "Agents".to_owned(), str::to_owned);
    let mut page = Page::new(title, Section::Agents, main);
    page.assets = &["drawings.css"];
    Ok(framed(&visit, page))
}

async fn everybody(visit: &Visit, window: &Window, agents: &Agents) -> Result<Markup, Trouble> {
    let held: u64 = agents.agents.iter().map(|agent| agent.tasks.len() as u64).sum();
    Ok(html! {
        div.head {
            h1 { "Agents" }
            p.soft { (agents.summary.active) " of " (agents.summary.total) " at work" }
        }
        (panel("at-work", "At work", Some(held), at_work(visit, agents)))
        section.panel #everybody data-live {
            div.head.tight {
                h2 { "Everybody" span.soft.numeric { " " (grouped(agents.summary.total as u64)) } }
                (window.tabs(visit, Section::Agents, &[]))
            }
            (roster(visit, window, agents))
        }
        (keys::panels(visit).await?)
    })
}

/// The page of an agent.
fn path(visit: &Visit, agent: &str) -> String {
    let project = visit.project.as_deref().unwrap_or_default();
    address("/agents", &[("project", project), ("agent", agent)])
}

fn at_work(visit: &Visit, agents: &Agents) -> Markup {
    let busy = || agents.agents.iter().filter(|agent| agent.is_active);
    html! {
        @if busy().next().is_none() {
            (empty("Nobody holds a task. An agent takes one with windlass task claim --next --agent NAME."))
        } @else {
            ul.holders {
                @for agent in busy() { @for task in &agent.tasks {
                    li { (holder(visit, &agent.agent, task)) }
                } }
            }
        }
    }
}

/// Somebody with the task it holds.
fn holder(visit: &Visit, agent: &str, task: &HeldTask) -> Markup {
    let now = visit.now;
    html! {
        div.over {
            a.strong href=(path(visit, agent)) { (agent) }
            span.soft { (task.project) }
            span.soft.numeric title="The number of the claim" { "fence " (task.fence) }
        }
        div { (title(&task.task_id, &task.title)) }
        @if let Some(progress) = task.progress {
            div.progress {
                progress max="100" value=(progress) aria-label="Progress" {}
                span.soft.numeric { (progress) "%" }
            }
        }
        div.facts-line {
            @if let Some(at) = task.claimed_at { span { "since " (look::time(at, now)) } }
            @match (task.lease_until, task.lease_expired) {
                (Some(until), true) => { span.chip.bad { "lease ran out " (look::time(until, now)) } }
                (Some(until), false) => { span { "lease runs out " (look::time(until, now)) } }
                (None, _) => { span.soft { "no lease" } }
            }
            @if let Some(at) = task.active_at { span { "last sign of life " (look::time(at, now)) } }
        }
    }
}

/// A task by an id that came as a text.
fn title(id: &str, title: &str) -> Markup {
    let known = id.parse::<TaskId>().ok();
    known.map_or_else(|| html! { (title) }, |id| look::task_title(id, title))
}

fn roster(visit: &Visit, window: &Window, agents: &Agents) -> Markup {
    let most = agents
        .agents
        .iter()
        .filter_map(|agent| agent.work.as_ref())
        .map(|work| work.completed)
        .max();
    html! {
        @if agents.agents.is_empty() { (empty("Nobody has done anything yet.")) } @else {
            p.soft.small.lead {
                "Of the claims that ended in the last " (window.name()) ": how many with the task done, and how many "
                "by a release, a block, a takeover or a lease that ran out."
            }
            div.table {
                table.stacks {
                    thead { tr { th { "Agent" } th { "Now" } th { "Last seen" } th.bars { "Done" } th.rank { "Ended" } th.rank { "Failed" } th.rank { "Failure rate" } } }
                    tbody {
                        @for agent in agents.agents.iter().take(MOST) { (row(visit, agent, most.unwrap_or(0))) }
                    }
                }
            }
            @if agents.agents.len() > MOST { p.soft { "The first " (MOST) " of " (agents.agents.len()) "." } }
        }
    }
}

fn row(visit: &Visit, agent: &AgentView, most: u64) -> Markup {
    let work = agent.work.clone().unwrap_or_default();
    html! {
        tr {
            td { a.strong href=(path(visit, &agent.agent)) { (agent.agent) } }
            td.nowrap data-label="Now" {
                @match agent.tasks.len() {
                    0 => { span.soft { "idle" } }
                    1 => { span.status.in_progress { "1 task" } }
                    count => { span.status.in_progress { (count) " tasks" } }
                }
            }
            td.nowrap data-label="Last seen" { @if let Some(at) = agent.last_activity { (look::time(at, visit.now)) } }
            td.bars data-label="Done" { (bar(work.completed, most)) }
            td.rank data-label="Ended" { (work.ended) }
            td.rank data-label="Failed" { (work.failed) }
            td.rank data-label="Failure rate" { (rate(&work)) }
        }
    }
}

/// A number with a bar as long as its share of the most.
fn bar(count: u64, most: u64) -> Markup {
    let part = i64::try_from(count).unwrap_or(i64::MAX);
    let width = percent(part, i64::try_from(most).unwrap_or(i64::MAX));
    html! {
        div.bar-row {
            svg.bar width="100%" height="10" aria-hidden="true" { rect.s-done width=(width) height="10" rx="2" {} }
            span.numeric { (grouped(count)) }
        }
    }
}

fn rate(work: &AgentWork) -> Markup {
    html! {
        @match work.failure_rate {
            None => { span.soft { "–" } }
            Some(rate) if rate >= 0.5 => { span.chip.bad { (per_cent(rate)) } }
            Some(rate) if rate >= 0.2 => { span.chip.warn { (per_cent(rate)) } }
            Some(rate) => { span { (per_cent(rate)) } }
        }
    }
}

fn per_cent(rate: f64) -> String {
    format!("{:.0}%", rate * 100.0)
}

/// All about one agent.
async fn one(
    visit: &Visit,
    query: &Form,
    window: &Window,
    name: &str,
    agents: &Agents,
) -> Result<Markup, Trouble> {
    let before = query.first("before").and_then(|before| before.parse().ok());
    let log = AgentLog { agent: name.to_owned(), limit: EVENTS, before };
    let log = visit.ask(log).await?;
    let agent = agents.agents.first();
    let project = visit.project.as_deref().unwrap_or_default();
    let timeline =
        address("/timeline", &[("project", project), ("agent", name), ("window", &window.0)]);
    let board = address("/", &[("project", project), ("agent", name)]);
    Ok(html! {
        div.head {
            p { a href=(visit.with_project("/agents")) { "Agents" } " /" }
            h1 { (name) }
            div.end {
                a.button href=(timeline) { "Timeline" }
                a.button href=(board) { "Its tasks" }
            }
        }
        @if let Some(agent) = agent {
            div.columns-2 {
                (panel("now", "Now", None, now(visit, agent)))
                (panel("work", "Work", None, html! {
                    (window.tabs(visit, Section::Agents, &[("agent", name)]))
                    (facts(agent))
                }))
            }
        } @else {
            section.panel { (empty("Nobody of this name has acted.")) }
        }
        section.panel.below #log data-live {
            h2 { "What it did" span.soft.numeric { (grouped(log.total)) } }
            (events(visit, name, &log))
        }
    })
}

fn now(visit: &Visit, agent: &AgentView) -> Markup {
    html! {
        @if agent.tasks.is_empty() {
            (empty("It holds no task."))
        } @else {
            @if let Some(millis) = agent.active_duration_ms { p.soft.lead { "At work for " (spoken(millis)) "." } }
            ul.holders.narrow { @for task in &agent.tasks { li { (holder(visit, &agent.agent, task)) } } }
        }
    }
}

fn facts(agent: &AgentView) -> Markup {
    let work = agent.work.clone().unwrap_or_default();
    html! {
        dl.facts.below {
            dt { "Completed" } dd.numeric { (grouped(work.completed)) }
            dt { "Claims ended" } dd.numeric { (grouped(work.ended)) }
            dt { "Of them failed" } dd.numeric { (grouped(work.failed)) }
            dt { "Failure rate" } dd { (rate(&work)) }
            @if let Some(stats) = &agent.stats {
                dt { "Its tasks" }
                dd.chips {
                    @for status in Status::ALL {
                        @if let Some(count) = stats.counts.get(status.as_str()).filter(|count| **count > 0) {
                            span class={ "status " (status.as_str()) } { (count) " " (look::status_name(status)) }
                        }
                    }
                }
            }
        }
    }
}

fn events(visit: &Visit, name: &str, log: &AgentEvents) -> Markup {
    let last = log.events.last().map(|event| event.id.to_string()).unwrap_or_default();
    let project = visit.project.as_deref().unwrap_or_default();
    let older = address("/agents", &[("project", project), ("agent", name), ("before", &last)]);
    html! {
        @if log.events.is_empty() { (empty("No events by that name.")) } @else {
            div.table {
                table.stacks {
                    thead { tr { th { "What" } th { "When" } th { "Task" } th { "Now" } th.rank { "Seq" } } }
                    tbody { @for event in &log.events { (event_row(visit, event)) } }
                }
            }
            @if log.events.len() as u64 >= EVENTS { div.pager { a.button href=(older) { "Older" } } }
        }
    }
}

fn event_row(visit: &Visit, event: &AgentEvent) -> Markup {
    html! {
        tr {
            td.nowrap { (event.r#type.replace('_', " ")) }
            td.nowrap data-label="When" { (look::time(event.timestamp, visit.now)) }
            td.wide data-label="Task" {
                @match (&event.task_id, &event.task_title) {
                    (Some(id), Some(name)) => { (title(id, name)) }
                    (Some(_), None) => { span.soft { "a task that is gone" } }
                    (None, _) => {}
                }
            }
            td.nowrap data-label="Now" { @if let Some(status) = event.task_status { (look::status(status)) } }
            td.rank.soft data-label="Seq" { (event.id) }
        }
    }
}
