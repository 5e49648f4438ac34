//! `task list`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Refusal, Status, Time};
use windlass_ledger::{Error, Fault, ListFilter, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::{Level, ProjectNames, TASK_COLUMNS, TaskView, limit};

/// Lists tasks, the most urgent first.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct List {
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only in this status; archived tasks are listed only so
    #[arg(short, long, value_name = "STATUS")]
    #[serde(default)]
    pub status: Option<String>,
    /// Only held by, routed to or finished by this agent
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Only subtasks of this task
    #[arg(long, value_name = "TASK")]
    #[serde(default)]
    pub parent: Option<String>,
    /// Only tasks that are no subtasks
    #[arg(long)]
    #[serde(default)]
    pub root: bool,
    /// Only tasks that can be claimed
    #[arg(short, long)]
    #[serde(default)]
    pub available: bool,
    /// How much of each task to show
    #[arg(long, value_enum, default_value_t = Level::Summary)]
    #[serde(default = "summary")]
    pub view: Level,
    #[arg(short, long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    #[serde(default = "fifty")]
    pub limit: u64,
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    #[serde(default = "one")]
    pub page: u64,
}

fn summary() -> Level {
    Level::Summary
}

fn fifty() -> u64 {
    50
}

fn one() -> u64 {
    1
}

/// One page of tasks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Listed {
    pub tasks: Vec<TaskView>,
    pub total: u64,
    pub page: u64,
    pub limit: u64,
    pub has_more: bool,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "task.list";
    const ABOUT: &'static str = "List tasks, the most urgent first";
    const EXAMPLE: &'static str = "windlass task list -P api -s ready";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        let status = self.status.as_deref().map(Status::parse).transpose()?;
        if self.available && status.is_some_and(|status| status != Status::Ready) {
            return Err(Refusal::new(Code::InvalidValue, "only ready tasks are available")
                .hint("leave --status or --available out")
                .detail("field", "status")
                .into());
        }
        let limit = limit(self.limit)?;
        let Some(offset) = self.page.checked_sub(1).and_then(|page| page.checked_mul(limit)) else {
            return Err(Refusal::new(
                Code::InvalidValue,
                format!("page {} is not a page", self.page),
            )
            .hint("the first page is 1")
            .detail("field", "page")
            .detail("given", self.page)
            .into());
        };
        cx.read(|snapshot| {
            let project =
                self.project.as_deref().map(|name| snapshot.project_named(name)).transpose()?;
            let parent = self.parent.as_deref().map(|id| snapshot.task_named(id)).transpose()?;
            let filter = ListFilter {
                project: project.map(|project| project.id),
                status,
                agent: self.agent.clone(),
                parent: parent.map(|parent| parent.id),
                root: self.root,
                available: self.available,
                limit,
                offset,
            };
            let mut names = ProjectNames::default();
            let mut tasks = Vec::new();
            for task in snapshot.list(&filter)? {
                let details =
                    (self.view == Level::Full).then(|| snapshot.details(&task)).transpose()?;
                let project = names.of(snapshot, task.project)?;
                tasks.push(TaskView::new(&task, &project, self.view, details));
            }
            let total = total(snapshot, &filter)?;
            let has_more = offset + (tasks.len() as u64) < total;
            Ok(Listed { tasks, total, page: self.page, limit, has_more })
        })
    }
}

/// How many tasks match. Projects count their tasks by status, so the common questions are
/// answered without looking at any.
fn total(snapshot: &mut Snapshot<'_>, filter: &ListFilter) -> Result<u64, Fault> {
    let plain =
        filter.agent.is_none() && filter.parent.is_none() && !filter.root && !filter.available;
    if !plain {
        return snapshot.count(filter);
    }
    let projects = match filter.project {
        Some(id) => vec![snapshot.project(id)?],
        None => snapshot.projects()?,
    };
    let count = |counts: &windlass_domain::project::Counts| match filter.status {
        Some(status) => counts.of(status),
        None => counts.all() - counts.archived,
    };
    let total: i64 = projects.iter().map(|project| count(&project.counts)).sum();
    u64::try_from(total).map_err(|_| Fault::bug("a project counts fewer than no tasks"))
}

impl Output for Listed {
    fn sheet(&self, now: Time) -> Sheet {
        if self.tasks.is_empty() {
            return Sheet::line("no tasks");
        }
        let rows = self.tasks.iter().map(|task| task.row(now)).collect();
        let sheet = Sheet::default().and_table(&TASK_COLUMNS, rows);
        if !self.has_more && self.page == 1 {
            return sheet;
        }
        let next = match self.has_more {
            true => format!("; go on with --page {}", self.page + 1),
            false => String::new(),
        };
        sheet.and_line(Cell::dim(format!("{} of {} tasks{next}", self.tasks.len(), self.total)))
    }
}
