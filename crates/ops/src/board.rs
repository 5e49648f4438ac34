//! `board`: the tasks by status, with what each of them waits for.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Status, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, ListFilter, Order, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, relative};
use crate::stale::{Threshold, USUAL_MINUTES, usual_minutes};
use crate::task::{self, first_page, total};
use crate::view::{Level, ProjectNames, TaskView};
use crate::why::last_block_reason;

/// How many of the tasks that a task waits for are named.
const NAMED: usize = 3;

/// The columns of a board, when none is asked for.
const COLUMNS: [Status; 5] =
    [Status::Backlog, Status::Ready, Status::InProgress, Status::Blocked, Status::Done];

/// Shows the tasks by status.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Board {
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only this column; archived too
    #[arg(short, long, value_name = "STATUS")]
    #[serde(default)]
    pub status: Option<String>,
    /// Only with all of these tags
    #[arg(short, long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only held by, routed to or finished by this agent
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Only tasks in which all these words are found
    #[arg(long, value_name = "WORDS")]
    #[serde(default)]
    pub text: Option<String>,
    /// Only due at this time or later
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub due_after: Option<String>,
    /// Only due before this time
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub due_before: Option<String>,
    /// Minutes of silence after which a held task is marked as stale; 0 for never
    #[arg(long, value_name = "MINUTES", default_value_t = USUAL_MINUTES, allow_negative_numbers = true)]
    #[serde(default = "usual_minutes")]
    pub stale_threshold: u32,
    /// At most this many tasks in a column
    #[arg(short, long, value_name = "N", default_value_t = 20, allow_negative_numbers = true)]
    #[serde(default = "twenty")]
    pub limit: u64,
    /// Which page of a column, of --limit tasks each
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    #[serde(default = "first_page")]
    pub page: u64,
}

fn twenty() -> u64 {
    20
}

/// The columns, from the backlog to what is done.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Columns {
    /// The time by which leases and due dates were judged.
    #[schemars(with = "String")]
    pub generated_at: Time,
    pub columns: Vec<Column>,
}

/// The tasks of one status: the most urgent first, of what is done the latest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    #[schemars(with = "String")]
    pub status: Status,
    pub total: u64,
    pub page: u64,
    pub limit: u64,
    pub has_more: bool,
    pub tasks: Vec<Card>,
}

/// A task, and what keeps it where it is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Card {
    #[serde(flatten)]
    pub task: TaskView,
    /// How many events tell its history.
    pub version: u64,
    /// It is held, and its holder has been silent for too long.
    pub stale: bool,
    pub stale_minutes: Option<u32>,
    /// It is held under a lease that has run out.
    pub lease_expired: bool,
    pub overdue: bool,
    pub open_dependencies: u64,
    /// The first of the open tasks it waits for.
    pub waits_for: Vec<Waited>,
    /// Why somebody blocked it, as far as they said.
    pub blocked_for: Option<String>,
    pub children: u64,
    pub open_children: u64,
    #[schemars(with = "Option<String>")]
    pub finished_at: Option<Time>,
}

/// A task that another waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waited {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub project: String,
    #[schemars(with = "String")]
    pub status: Status,
}

impl Operation for Board {
    type Output = Columns;
    const NAME: &'static str = "board";
    const ABOUT: &'static str = "Show the tasks by status, with what they wait for";
    const EXAMPLE: &'static str = "windlass board -P api";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Columns, Error> {
        let wanted = self.listed().checked()?;
        let shown = match wanted.status {
            Some(status) => vec![status],
            None => COLUMNS.to_vec(),
        };
        cx.read(|snapshot| {
            let project =
                self.project.as_deref().map(|name| snapshot.project_named(name)).transpose()?;
            let project = project.map(|project| project.id);
            let mut columns = Vec::with_capacity(shown.len());
            for &status in &shown {
                let filter = ListFilter { project, status: Some(status), ..wanted.clone() };
                columns.push(self.column(snapshot, status, &filter)?);
            }
            Ok(Columns { generated_at: snapshot.now(), columns })
        })
    }
}

impl Board {
    /// The list that holds the same tasks.
    fn listed(&self) -> task::List {
        task::List {
            project: None,
            status: self.status.clone(),
            tags: self.tags.clone(),
            tags_any: Vec::new(),
            agent: self.agent.clone(),
            agent_pattern: None,
            text: self.text.clone(),
            parent: None,
            root: false,
            available: false,
            due_after: self.due_after.clone(),
            due_before: self.due_before.clone(),
            archived: false,
            view: Level::Standard,
            group_by_agent: false,
            stale_threshold: self.stale_threshold,
            limit: self.limit,
            page: self.page,
            cursor: None,
        }
    }

    fn column(
        &self,
        snapshot: &mut Snapshot<'_>,
        status: Status,
        filter: &ListFilter,
    ) -> Result<Column, Error> {
        let order = match status {
            Status::Done => Order::Finished,
            _ => Order::Urgency,
        };
        let found = snapshot.list(&ListFilter { order, ..filter.clone() })?;
        let total = total(snapshot, filter)?;
        let mut names = ProjectNames::default();
        let mut tasks = Vec::with_capacity(found.len());
        for task in &found {
            tasks.push(self.card(snapshot, &mut names, task)?);
        }
        let has_more = total > filter.offset.saturating_add(tasks.len() as u64);
        Ok(Column { status, total, page: self.page, limit: filter.limit, has_more, tasks })
    }

    fn card(
        &self,
        snapshot: &mut Snapshot<'_>,
        names: &mut ProjectNames,
        task: &Task,
    ) -> Result<Card, Fault> {
        let now = snapshot.now();
        let project = names.of(snapshot, task.project)?;
        let stale_minutes = Threshold(self.stale_threshold).passed_by(task, now);
        let blocked_for = match task.status {
            Status::Blocked => last_block_reason(snapshot, task)?,
            _ => None,
        };
        Ok(Card {
            version: task.version,
            stale: stale_minutes.is_some(),
            stale_minutes,
            lease_expired: task.lease_ran_out(now),
            overdue: !task.status.is_settled() && task.due_at.is_some_and(|due| due < now),
            open_dependencies: task.open_dependencies,
            waits_for: waits_for(snapshot, names, task)?,
            blocked_for,
            children: children(snapshot, task)?,
            open_children: task.open_children,
            finished_at: task.finished_at,
            task: TaskView::new(task, &project, Level::Standard, None),
        })
    }
}

/// The first open tasks that a task waits for.
fn waits_for(
    snapshot: &mut Snapshot<'_>,
    names: &mut ProjectNames,
    task: &Task,
) -> Result<Vec<Waited>, Fault> {
    let mut waits_for = Vec::new();
    if task.open_dependencies == 0 || task.status.is_settled() {
        return Ok(waits_for);
    }
    for id in snapshot.prerequisites(task.id)? {
        let Some(other) = snapshot.task(id)?.filter(|other| !other.status.is_settled()) else {
            continue;
        };
        let project = names.of(snapshot, other.project)?;
        waits_for.push(Waited { task_id: id, title: other.title, project, status: other.status });
        if waits_for.len() == NAMED {
            break;
        }
    }
    Ok(waits_for)
}

/// How many subtasks a task has. Subtasks have none.
fn children(snapshot: &mut Snapshot<'_>, task: &Task) -> Result<u64, Fault> {
    if task.parent.is_some() {
        return Ok(0);
    }
    let of_task = ListFilter { parent: Some(task.id), archived: true, ..ListFilter::default() };
    snapshot.count(&of_task)
}

impl Output for Columns {
    fn sheet(&self, now: Time) -> Sheet {
        if self.columns.iter().all(|column| column.total == 0) {
            return Sheet::line("no tasks");
        }
        let some = self.columns.iter().filter(|column| column.total > 0);
        some.fold(Sheet::default(), |sheet, column| {
            let name = column.status.as_str().replace('_', " ");
            let sheet = sheet.and_heading(format!("{name} ({})", column.total));
            let rows = column.tasks.iter().map(|card| card.row(now)).collect();
            let sheet =
                sheet.and_table(&["id", "pri", "project", "title…", "agent", "note…"], rows);
            match column.has_more {
                true => sheet.and_line(Cell::dim(format!(
                    "{} of {}; more with --status {} --page {}",
                    column.tasks.len(),
                    column.total,
                    column.status,
                    column.page + 1
                ))),
                false => sheet,
            }
        })
    }
}

impl Card {
    fn row(&self, now: Time) -> Vec<Cell> {
        vec![
            self.task.task_id.short().into(),
            self.task.priority.to_string().into(),
            self.task.project.clone().into(),
            self.task.title.clone().into(),
            Cell::dim(self.task.agent.clone().unwrap_or_default()),
            self.note(now),
        ]
    }

    /// What stands out about it.
    fn note(&self, now: Time) -> Cell {
        let lease = self.task.standard.as_ref().and_then(|standard| standard.lease_until);
        let due = self.task.standard.as_ref().and_then(|standard| standard.due_at);
        let mut notes = Vec::new();
        notes.extend(self.blocked_for.clone());
        if let Some(first) = self.waits_for.first() {
            let more = self.open_dependencies.saturating_sub(1);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            notes.push(format!("waits for {}{more}", first.task_id.short()));
        }
        if self.open_children > 0 {
            notes.push(format!("{} of {} subtasks open", self.open_children, self.children));
        }
        match lease {
            Some(_) if self.lease_expired => notes.push("lease ran out".to_owned()),
            Some(until) => notes.push(format!("lease {}", relative(until, now))),
            None => {}
        }
        notes.extend(self.stale_minutes.map(|minutes| format!("silent for {minutes}m")));
        if let (true, Some(due)) = (self.overdue, due) {
            notes.push(format!("due {}", relative(due, now)));
        }
        let is_bad = self.stale || self.lease_expired || self.overdue;
        Cell::toned(notes.join(", "), if is_bad { Tone::Bad } else { Tone::Dim })
    }
}
