//! The board: the tasks in columns by status, with what each of them waits for.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use windlass_domain::duration::Span;
use windlass_domain::{Status, Time};
use windlass_ops::board::{Board, Card, Column, Columns};
use windlass_ops::sheet::in_short;

use super::Visit;
use super::form::Form;
use super::layout::{Page, Section, framed};
use super::look::{self, address, grouped, status_name, task_path};
use super::trouble::Trouble;

/// How many cards a column shows.
const SHOWN: u64 = 50;
/// How many tags a card shows.
const TAGS: usize = 3;
/// A lease that runs out within this time stands out.
const SOON_MILLIS: i64 = 5 * 60_000;
const DAY: Span = Span::from_millis(86_400_000);
const WEEK: Span = Span::from_millis(7 * 86_400_000);

/// What is asked for in the address, as it is written there.
#[derive(Debug, Clone, Default)]
struct Filters {
    project: String,
    agent: String,
    tag: String,
    q: String,
    due: String,
    status: String,
    page: Option<u64>,
}

impl Filters {
    fn of(query: &Form) -> Self {
        let given = |name| query.first(name).unwrap_or_default().to_owned();
        Self {
            project: given("project"),
            agent: given("agent"),
            tag: given("tag"),
            q: given("q"),
            due: given("due"),
            status: given("status"),
            page: query.first("page").and_then(|page| page.parse().ok()),
        }
    }

    /// The address of a board with these filters, of one column if one is named.
    fn address(&self, status: &str, page: u64) -> String {
        let page = if page > 1 { page.to_string() } else { String::new() };
        let query = [
            ("project", self.project.as_str()),
            ("agent", &self.agent),
            ("tag", &self.tag),
            ("q", &self.q),
            ("due", &self.due),
            ("status", status),
            ("page", &page),
        ];
        address("/", &query)
    }

    /// Something narrows the board, beside the project.
    fn narrow(&self) -> bool {
        [&self.agent, &self.tag, &self.q, &self.due].iter().any(|filter| !filter.is_empty())
    }

    fn question(&self, now: Time) -> Board {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        let due_before = match self.due.as_str() {
            "overdue" => Some(now),
            "day" => Some(now.plus(DAY)),
            "week" => Some(now.plus(WEEK)),
            _ => None,
        };
        Board {
            project: given(&self.project),
            status: given(&self.status),
            tags: self.tag.split(',').filter_map(given).collect(),
            agent: given(&self.agent),
            text: given(&self.q),
            due_after: None,
            due_before: due_before.map(|due| due.to_string()),
            stale_threshold: windlass_ops::stale::USUAL_MINUTES,
            limit: SHOWN,
            page: self.page.unwrap_or(1),
        }
    }
}

/// `GET /`.
pub(super) async fn page(visit: Visit, RawQuery(query): RawQuery) -> Result<Response, Trouble> {
    let filters = Filters::of(&Form::parse(query.as_deref().unwrap_or_default()));
    let columns = visit.ask(filters.question(visit.now)).await?;
    let main = html! {
        (bar(&visit, &filters, &columns))
        @match columns.columns.as_slice() {
            [one] if !filters.status.is_empty() => (alone(&filters, one, columns.generated_at)),
            all => (side_by_side(&filters, all, columns.generated_at)),
        }
        (asks_why())
    };
    let title = match &visit.project {
        Some(project) => format!("{project} · Board"),
        None => "Board".to_owned(),
    };
    let page = Page { assets: &["board.js"], ..Page::new(title, Section::Board, main) };
    Ok(framed(&visit, page))
}

/// The bar above the columns: what is shown, and how to add to it.
fn bar(visit: &Visit, filters: &Filters, columns: &Columns) -> Markup {
    let cards = || columns.columns.iter().flat_map(|column| &column.tasks);
    let mut agents: Vec<&str> = cards().filter_map(|card| card.task.agent.as_deref()).collect();
    agents.sort_unstable();
    agents.dedup();
    let mut tags: Vec<&str> = cards()
        .filter_map(|card| card.task.standard.as_ref())
        .flat_map(|standard| standard.tags.iter().map(String::as_str))
        .collect();
    tags.sort_unstable();
    tags.dedup();
    let dues = [
        ("", "Any due date"),
        ("overdue", "Overdue"),
        ("day", "Due in a day"),
        ("week", "Due in a week"),
    ];
    html! {
        div.head.board-bar {
            h1.unseen { "Board" }
            (quick_add(visit, filters))
            form.line-up.filters action="/" data-at-once aria-label="Filter" {
                @if !filters.project.is_empty() {
                    input type="hidden" name="project" value=(filters.project);
                }
                @if !filters.status.is_empty() {
                    input type="hidden" name="status" value=(filters.status);
                }
                input type="search" name="q" value=(filters.q) placeholder="Words"
                    aria-label="Only with these words";
                input name="agent" value=(filters.agent) placeholder="Agent" list="agents"
                    aria-label="Only of this agent";
                input name="tag" value=(filters.tag) placeholder="Tag" list="tags"
                    aria-label="Only with this tag";
                select name="due" aria-label="Only due" {
                    @for (value, name) in dues {
                        option value=(value) selected[filters.due == value] { (name) }
                    }
                }
                button type="submit" data-spare { "Filter" }
                @if filters.narrow() {
                    @let all = Filters { project: filters.project.clone(), ..Filters::default() };
                    a.button.plain href=(all.address(&filters.status, 1)) { "Clear" }
                }
                datalist #agents { @for agent in agents { option value=(agent) {} } }
                datalist #tags { @for tag in tags { option value=(tag) {} } }
            }
            div.end {
                @if filters.status.is_empty() {
                    a.button.plain href=(filters.address("archived", 1)) { "Archived" }
                } @else {
                    a.button href=(filters.address("", 1)) { "All columns" }
                }
            }
        }
    }
}

/// A form to add a task, folded away.
fn quick_add(visit: &Visit, filters: &Filters) -> Markup {
    html! {
        details #add .drop.add {
            summary.button.first aria-keyshortcuts="n" title="Add a task (n)" { "Add task" }
            form.body method="post" action="/do/task.add" {
                input type="hidden" name="back" value=(visit.here);
                label.field {
                    span { "Title" }
                    input name="title" required maxlength="128" autocomplete="off";
                }
                label.field {
                    span { "Description, in Markdown" }
                    textarea name="description" rows="3" {}
                }
                div.line-up.thirds {
                    label.field {
                        span { "Project" }
                        select name="project" {
                            @if !visit.projects.iter().any(|name| name == "inbox") {
                                option value="" { "inbox" }
                            }
                            @for name in &visit.projects {
                                option value=(name) selected[&filters.project == name] { (name) }
                            }
                        }
                    }
                    label.field {
                        span { "Status" }
                        select name="status" {
                            option value="ready" { "Ready" }
                            option value="backlog" { "Backlog" }
                        }
                    }
                    label.field {
                        span { "Priority" }
                        select name="priority" {
                            option value="0" { "0, usual" }
                            option value="1" { "1" }
                            option value="2" { "2" }
                            option value="3" { "3, first" }
                        }
                    }
                }
                label.field {
                    span { "Tags, with commas between" }
                    input name="tags" autocomplete="off";
                }
                div.line-up { button.first { "Add" } }
            }
        }
    }
}

/// All columns beside each other; on a phone one at a time, with tabs.
fn side_by_side(filters: &Filters, columns: &[Column], now: Time) -> Markup {
    html! {
        nav.tabs.column-tabs aria-label="Columns" {
            @for column in columns {
                a href={ "#column-" (column.status) } data-column=(column.status) {
                    (status_name(column.status))
                    span.soft.numeric id={ "count-" (column.status) } data-live {
                        (grouped(column.total))
                    }
                }
            }
        }
        div #board .board {
            @for column in columns {
                section.column id={ "column-" (column.status) } data-live
                    data-status=(column.status) aria-labelledby={ "name-" (column.status) } {
                    header {
                        h2 class={ "status " (column.status.as_str()) } id={ "name-" (column.status) } {
                            (status_name(column.status))
                        }
                        span.soft.numeric title="All tasks of this column" { (grouped(column.total)) }
                    }
                    (cards(column, now))
                    footer {
                        @if column.tasks.is_empty() { p.soft.small { (nothing(column.status)) } }
                        @if column.has_more {
                            a.button.plain href=(filters.address(column.status.as_str(), 1)) {
                                "Show all " (grouped(column.total))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// One column over the whole page, in pages.
fn alone(filters: &Filters, column: &Column, now: Time) -> Markup {
    let pages = column.total.div_ceil(column.limit.max(1)).max(1);
    html! {
        section.column.alone id={ "column-" (column.status) } data-live data-status=(column.status)
            aria-labelledby={ "name-" (column.status) } {
            header {
                h2 class={ "status " (column.status.as_str()) } id={ "name-" (column.status) } {
                    (status_name(column.status))
                }
                span.soft.numeric { (grouped(column.total)) }
            }
            (cards(column, now))
            footer {
                @if column.tasks.is_empty() { p.empty { (nothing(column.status)) } }
                @if pages > 1 {
                    nav.pager aria-label="Pages of this column" {
                        @if column.page > 1 {
                            a.button rel="prev"
                                href=(filters.address(&filters.status, column.page - 1)) { "Before" }
                        }
                        span { "Page " (grouped(column.page)) " of " (grouped(pages)) }
                        @if column.has_more {
                            a.button rel="next"
                                href=(filters.address(&filters.status, column.page + 1)) { "Next" }
                        }
                    }
                }
            }
        }
    }
}

fn nothing(status: Status) -> &'static str {
    match status {
        Status::Backlog => "No ideas are waiting.",
        Status::Ready => "Nothing is ready to be claimed.",
        Status::InProgress => "Nobody is at work.",
        Status::Blocked => "Nothing is blocked.",
        Status::Done => "Nothing is done yet.",
        Status::Archived => "Nothing was put away.",
    }
}

fn cards(column: &Column, now: Time) -> Markup {
    html! {
        ol.cards data-keyed {
            @for card in &column.tasks { (card_of(card, now)) }
        }
    }
}

fn card_of(card: &Card, now: Time) -> Markup {
    let task = &card.task;
    let id = task.task_id;
    let tags = task.standard.as_ref().map(|standard| standard.tags.as_slice()).unwrap_or_default();
    let progress = task.standard.as_ref().and_then(|standard| standard.progress);
    html! {
        li.card id={ "card-" (id) } data-task=(id) data-status=(task.status) data-version=(card.version) {
            p.over {
                span.id title=(id) { (id.short()) }
                span.project { (task.project) }
                @if task.priority > 0 { (look::priority(task.priority)) }
            }
            a.title id={ "open-" (id) } href=(task_path(id)) draggable="false" title=(task.title) {
                (task.title)
            }
            @if !tags.is_empty() { div.chips { (look::tags(tags, TAGS)) } }
            @if let Some(percent) = progress {
                @if task.status != Status::Done {
                    div.progress {
                        progress max="100" value=(percent) aria-label="Progress" {}
                        span.small.soft.numeric { (percent) "%" }
                    }
                }
            }
            (holder(card, now))
            (due(card, now))
            (obstacles(card))
        }
    }
}

/// Who has it, and how sure that is.
fn holder(card: &Card, now: Time) -> Markup {
    let task = &card.task;
    let lease = task.standard.as_ref().and_then(|standard| standard.lease_until);
    let is_held = matches!(task.status, Status::InProgress | Status::Blocked);
    html! {
        @if let Some(agent) = &task.agent {
            p.who {
                span.agent title={ (role(task.status)) " " (agent) } { (agent) }
                @match (lease, card.lease_expired) {
                    (Some(until), true) => span.chip.bad { "lease ran out " (look::time(until, now)) },
                    (Some(until), false) if until.millis_since(now) < SOON_MILLIS => {
                        span.chip.warn { "lease ends " (look::time(until, now)) }
                    }
                    (Some(until), false) => span.soft { "lease ends " (look::time(until, now)) },
                    (None, _) if is_held => span.soft { "no lease" },
                    (None, _) => {}
                }
                @if card.stale {
                    span.chip.warn title="Its holder has not been heard of for this long" {
                        "silent for " (card.stale_minutes.unwrap_or_default()) "m"
                    }
                }
                @if let (Status::Done, Some(at)) = (task.status, card.finished_at) {
                    span.soft { (look::time(at, now)) }
                }
            }
        }
    }
}

fn role(status: Status) -> &'static str {
    match status {
        Status::InProgress | Status::Blocked => "Held by",
        Status::Backlog | Status::Ready => "Routed to",
        Status::Done | Status::Archived => "Finished by",
    }
}

fn due(card: &Card, now: Time) -> Markup {
    let due = card.task.standard.as_ref().and_then(|standard| standard.due_at);
    html! {
        @if let (Some(due), false) = (due, card.task.status.is_settled()) {
            p.small {
                @if card.overdue { span.chip.bad { "overdue, " (look::time(due, now)) } }
                @else { span.soft { "due " (look::time(due, now)) } }
            }
        }
    }
}

/// What keeps it from going on.
fn obstacles(card: &Card) -> Markup {
    let is_open = !card.task.status.is_settled();
    let more = card.open_dependencies.saturating_sub(card.waits_for.len() as u64);
    html! {
        @if let Some(reason) = card.blocked_for.as_deref().map(in_short) {
            p.because title=(reason) { span.clamp { strong { "Blocked: " } (reason) } }
        } @else if card.task.status == Status::Blocked && card.waits_for.is_empty() {
            p.because { strong { "Blocked" } ", nobody said why" }
        }
        @if is_open && !card.waits_for.is_empty() {
            div.because {
                strong { "Waits for" }
                ul {
                    @for other in &card.waits_for {
                        li {
                            a href=(task_path(other.task_id)) draggable="false" title=(other.title) {
                                (other.title)
                            }
                            span.soft { " " (status_name(other.status).to_lowercase()) }
                            @if other.project != card.task.project {
                                span.soft { " in " (other.project) }
                            }
                        }
                    }
                    @if more > 0 { li.soft { "and " (more) " more" } }
                }
            }
        }
        @if card.children > 0 {
            p.small.soft {
                @if card.open_children > 0 && is_open {
                    (card.open_children) " of " (card.children) " subtasks open"
                } @else if card.children == 1 { "1 subtask" }
                @else { (card.children) " subtasks" }
            }
        }
        @if let Some(parent) = card.task.parent_id {
            p.small.soft {
                "part of " a.id href=(task_path(parent)) draggable="false" { (parent.short()) }
            }
        }
    }
}

/// Asked when a card is moved to where it needs a reason. Filled in by the script.
fn asks_why() -> Markup {
    html! {
        dialog #why aria-labelledby="why-title" {
            form.stack method="dialog" {
                h2 #why-title { "Why is it blocked?" }
                p.soft #why-task {}
                label.field {
                    span { "The reason, kept with the task" }
                    textarea name="comment" rows="3" {}
                }
                div.line-up {
                    button value="" formnovalidate { "Leave it" }
                    button.first value="block" { "Block it" }
                }
            }
        }
    }
}
