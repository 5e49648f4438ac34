//! `dep list`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{ProjectId, Refusal, Status, TaskId, Time, text};
use windlass_ledger::{Edge, EdgeFilter, End, EndFilter, Error, Fault, Snapshot};

use crate::context::Context;
use crate::cursor::{cursor, place};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone};
use crate::view::{ProjectNames, limit};

/// Lists which task waits for which; all filters that are given must hold.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct List {
    /// Only with a task of this project at either end
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only where the task that waits is in this project
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub from_project: Option<String>,
    /// Only where the task it waits for is in this project
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub to_project: Option<String>,
    /// Only with a task of this agent at either end: held by, routed to or finished by it
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Only where the task that waits is this agent's
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub from_agent: Option<String>,
    /// Only where the task it waits for is this agent's
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub to_agent: Option<String>,
    /// Only where one of the two tasks has all of these tags
    #[arg(short, long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tag: Vec<String>,
    /// Only where the task that waits has all of these tags
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub from_tag: Vec<String>,
    /// Only where the task it waits for has all of these tags
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub to_tag: Vec<String>,
    /// Only where the task it waits for is neither done nor archived
    #[arg(long)]
    #[serde(default)]
    pub blocking_only: bool,
    /// Only from one project to another
    #[arg(long)]
    #[serde(default)]
    pub cross_project_only: bool,
    /// At most this many dependencies
    #[arg(short, long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    #[serde(default = "fifty")]
    pub limit: u64,
    /// Go on where an answer ended, by the cursor it named
    #[arg(long, value_name = "CURSOR")]
    #[serde(default)]
    pub cursor: Option<String>,
}

fn fifty() -> u64 {
    50
}

/// One page of dependencies.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub dependencies: Vec<EdgeView>,
    pub total: u64,
    pub limit: u64,
    pub has_more: bool,
    /// Goes on after this page, with the same filters.
    pub next_cursor: Option<String>,
}

/// One task waits for another. What is not known of a missing task is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the answer")]
pub struct EdgeView {
    /// The task that waits.
    #[schemars(with = "String")]
    pub from_task_id: TaskId,
    /// The task it waits for.
    #[schemars(with = "String")]
    pub to_task_id: TaskId,
    pub from_title: Option<String>,
    pub to_title: Option<String>,
    pub from_project: Option<String>,
    pub to_project: Option<String>,
    pub from_agent: Option<String>,
    pub to_agent: Option<String>,
    #[schemars(with = "Option<String>")]
    pub from_status: Option<Status>,
    #[schemars(with = "Option<String>")]
    pub to_status: Option<Status>,
    pub from_tags: Vec<String>,
    pub to_tags: Vec<String>,
    /// The two are in different projects.
    pub cross_project: bool,
    /// The task that waits is here, and what it waits for is neither done nor archived nor missing.
    pub blocking: bool,
    /// The task that waits is not in this ledger.
    pub missing_from: bool,
    /// The task it waits for is not in this ledger.
    pub missing_to: bool,
}

impl EdgeView {
    pub(crate) fn new(
        snapshot: &mut Snapshot<'_>,
        names: &mut ProjectNames,
        edge: Edge,
    ) -> Result<Self, Fault> {
        let (cross_project, blocking) = (edge.crosses_projects(), edge.is_blocking());
        let from = Side::new(snapshot, names, edge.from)?;
        let to = Side::new(snapshot, names, edge.to)?;
        Ok(Self {
            from_task_id: from.id,
            to_task_id: to.id,
            missing_from: from.title.is_none(),
            missing_to: to.title.is_none(),
            from_title: from.title,
            to_title: to.title,
            from_project: from.project,
            to_project: to.project,
            from_agent: from.agent,
            to_agent: to.agent,
            from_status: from.status,
            to_status: to.status,
            from_tags: from.tags,
            to_tags: to.tags,
            cross_project,
            blocking,
        })
    }

    /// The row of this dependency in a table. Projects are named where it leads to another one.
    fn row(&self) -> Vec<Cell> {
        let titled = |title: &Option<String>, project: &Option<String>| {
            let project = project.as_ref().filter(|_| self.cross_project);
            let project = project.map(|project| format!("{project}: ")).unwrap_or_default();
            format!("{project}{}", title.as_deref().unwrap_or("(not in this ledger)"))
        };
        let status = self.to_status.map_or("missing", Status::as_str);
        vec![
            self.from_task_id.short().into(),
            titled(&self.from_title, &self.from_project).into(),
            format!("→ {} {}", self.to_task_id.short(), titled(&self.to_title, &self.to_project))
                .into(),
            match self.blocking {
                true => Cell::toned(format!("yes, {status}"), Tone::Bad),
                false => Cell::dim(format!("no, {status}")),
            },
        ]
    }
}

/// The columns of [`EdgeView::row`].
const COLUMNS: [&str; 4] = ["id", "title…", "waits for…", "blocks"];

/// What is shown of one end.
struct Side {
    id: TaskId,
    title: Option<String>,
    project: Option<String>,
    agent: Option<String>,
    status: Option<Status>,
    tags: Vec<String>,
}

impl Side {
    fn new(snapshot: &mut Snapshot<'_>, names: &mut ProjectNames, end: End) -> Result<Self, Fault> {
        let End { id, task } = end;
        let Some(task) = task else {
            return Ok(Self {
                id,
                title: None,
                project: None,
                agent: None,
                status: None,
                tags: Vec::new(),
            });
        };
        Ok(Self {
            id,
            title: Some(task.title),
            project: Some(names.of(snapshot, task.project)?),
            agent: task.agent,
            status: Some(task.status),
            tags: task.tags,
        })
    }
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "dep.list";
    const ABOUT: &'static str = "List which task waits for which, in one project or across all";
    const EXAMPLE: &'static str = "windlass dep list -P research --blocking-only";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        let wanted = self.checked()?;
        cx.read(|snapshot| {
            let mut filter = wanted.clone();
            filter.either.project = project(snapshot, self.project.as_deref())?;
            filter.from.project = project(snapshot, self.from_project.as_deref())?;
            filter.to.project = project(snapshot, self.to_project.as_deref())?;
            self.page_of(snapshot, &filter)
        })
    }
}

fn project(snapshot: &mut Snapshot<'_>, name: Option<&str>) -> Result<Option<ProjectId>, Error> {
    name.map(|name| Ok(snapshot.project_named(name)?.id)).transpose()
}

impl List {
    /// The filter, but for what must be looked up.
    fn checked(&self) -> Result<EdgeFilter, Refusal> {
        let end = |agent: (&str, &Option<String>), tags: &[String]| {
            let (field, given) = agent;
            let agent = given.as_deref().map(|given| text::name(field, given)).transpose()?;
            Ok::<_, Refusal>(EndFilter { project: None, agent, tags: text::tags(tags)? })
        };
        Ok(EdgeFilter {
            from: end(("from_agent", &self.from_agent), &self.from_tag)?,
            to: end(("to_agent", &self.to_agent), &self.to_tag)?,
            either: end(("agent", &self.agent), &self.tag)?,
            blocking: self.blocking_only,
            cross_project: self.cross_project_only,
            open: false,
            after: self.after()?,
            limit: limit(self.limit)?,
        })
    }

    fn page_of(&self, snapshot: &mut Snapshot<'_>, filter: &EdgeFilter) -> Result<Listed, Error> {
        // One more than is shown tells whether there are more.
        let one_more = EdgeFilter { limit: filter.limit + 1, ..filter.clone() };
        let mut found = snapshot.list_edges(&one_more)?;
        let has_more = found.len() as u64 > filter.limit;
        found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        let last = found.last().filter(|_| has_more);
        let next_cursor =
            last.map(|last| cursor((last.from.id, last.to.id), &self.filters())).transpose()?;
        let mut names = ProjectNames::default();
        let mut dependencies = Vec::with_capacity(found.len());
        for edge in found {
            dependencies.push(EdgeView::new(snapshot, &mut names, edge)?);
        }
        let total = snapshot.count_edges(filter)?;
        Ok(Listed { dependencies, total, limit: filter.limit, has_more, next_cursor })
    }

    fn after(&self) -> Result<Option<(TaskId, TaskId)>, Refusal> {
        let read = |from: &str, to: &str| Some((from.parse().ok()?, to.parse().ok()?));
        self.cursor.as_deref().map(|cursor| place(cursor, &self.filters(), read)).transpose()
    }

    /// What two questions with the same cursor must have in common.
    fn filters(&self) -> Self {
        // However they were written, the same tags are the same filter.
        let tags = |given: &[String]| text::tags(given).unwrap_or_default();
        Self {
            tag: tags(&self.tag),
            from_tag: tags(&self.from_tag),
            to_tag: tags(&self.to_tag),
            limit: 0,
            cursor: None,
            ..self.clone()
        }
    }
}

impl Output for Listed {
    fn sheet(&self, _now: Time) -> Sheet {
        if self.dependencies.is_empty() {
            return Sheet::line("no dependencies");
        }
        let rows = self.dependencies.iter().map(EdgeView::row).collect();
        let sheet = Sheet::default().and_table(&COLUMNS, rows);
        let next = match &self.next_cursor {
            Some(cursor) => format!("; go on with --cursor {cursor}"),
            None if self.dependencies.len() as u64 == self.total => return sheet,
            None => String::new(),
        };
        let shown = self.dependencies.len();
        sheet.and_line(Cell::dim(format!("{shown} of {} dependencies{next}", self.total)))
    }
}
