//! `task list`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::project::Project;
use windlass_domain::words::Asked;
use windlass_domain::{Code, Refusal, Status, Task, Time, text, words};
use windlass_ledger::{Error, Fault, ListFilter, Place, Snapshot};

use crate::context::Context;
use crate::cursor::{cursor, place};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone};
use crate::stale::{Threshold, USUAL_MINUTES, usual_minutes};
use crate::view::{Level, ProjectNames, TASK_COLUMNS, TaskView, limit, usage};

/// Lists tasks, the most urgent first.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct List {
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only in this status
    #[arg(short, long, value_name = "STATUS")]
    #[serde(default)]
    pub status: Option<String>,
    /// Only with all of these tags
    #[arg(short, long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only with one of these tags at least
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags_any: Vec<String>,
    /// Only held by, routed to or finished by this agent
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// The same for all agents of such a name; * stands for any letters
    #[arg(long, value_name = "PATTERN")]
    #[serde(default)]
    pub agent_pattern: Option<String>,
    /// Only tasks in which all these words are found
    #[arg(long, value_name = "WORDS")]
    #[serde(default)]
    pub text: Option<String>,
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
    /// Only due at this time or later
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub due_after: Option<String>,
    /// Only due before this time
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub due_before: Option<String>,
    /// Archived tasks too
    #[arg(long)]
    #[serde(default)]
    pub archived: bool,
    /// How much of each task to show
    #[arg(long, value_enum, default_value_t = Level::Summary)]
    #[serde(default = "summary")]
    pub view: Level,
    /// Under a heading for each agent
    #[arg(long)]
    #[serde(default)]
    pub group_by_agent: bool,
    /// Minutes of silence after which a held task is marked as stale; 0 for never
    #[arg(long, value_name = "MINUTES", default_value_t = USUAL_MINUTES, allow_negative_numbers = true)]
    #[serde(default = "usual_minutes")]
    pub stale_threshold: u32,
    /// At most this many tasks
    #[arg(short, long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    #[serde(default = "fifty")]
    pub limit: u64,
    /// Which page, of --limit tasks each
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    #[serde(default = "first_page")]
    pub page: u64,
    /// Go on where an answer ended, by the cursor it named: steady while tasks come and go
    #[arg(long, value_name = "CURSOR")]
    #[serde(default)]
    pub cursor: Option<String>,
}

fn summary() -> Level {
    Level::Summary
}

fn fifty() -> u64 {
    50
}

pub(crate) fn first_page() -> u64 {
    1
}

/// One page of tasks.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub tasks: Vec<ListedTask>,
    pub total: u64,
    pub page: u64,
    pub limit: u64,
    pub has_more: bool,
    /// Goes on after this page, with the same filters.
    pub next_cursor: Option<String>,
    /// The same tasks by agent, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
    /// The same as `total`, with groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tasks: Option<u64>,
}

/// A task of a list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ListedTask {
    #[serde(flatten)]
    pub task: TaskView,
    /// It is held, and its holder has been silent for too long.
    pub stale: bool,
    pub stale_minutes: Option<u32>,
}

/// The tasks of one agent on this page.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Null for tasks of nobody.
    pub agent: Option<String>,
    pub tasks: Vec<ListedTask>,
    /// How many there are on all pages.
    pub total: u64,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "task.list";
    const ABOUT: &'static str = "List tasks, the most urgent first";
    const EXAMPLE: &'static str = "windlass task list -P api -s ready --tags db,urgent";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        let wanted = self.checked()?;
        cx.read(|snapshot| {
            let project =
                self.project.as_deref().map(|name| snapshot.project_named(name)).transpose()?;
            let parent = self.parent.as_deref().map(|id| snapshot.task_named(id)).transpose()?;
            let filter = ListFilter {
                project: project.map(|project| project.id),
                parent: parent.map(|parent| parent.id),
                ..wanted.clone()
            };
            self.page_of(snapshot, &filter)
        })
    }
}

impl List {
    /// The filter, but for what must be looked up.
    pub(crate) fn checked(&self) -> Result<ListFilter, Refusal> {
        let status = self.status.as_deref().map(Status::parse).transpose()?;
        if self.available && status.is_some_and(|status| status != Status::Ready) {
            return Err(Refusal::new(Code::InvalidValue, "only ready tasks are available")
                .hint("leave --status or --available out")
                .detail("field", "status"));
        }
        if self.agent.is_some() && self.agent_pattern.is_some() {
            return Err(usage(
                "give --agent or --agent-pattern, not both",
                "a pattern without * means one agent, in any case",
            ));
        }
        let time = |field, given: &Option<String>| {
            given.as_deref().map(|given| Time::parse(field, given)).transpose()
        };
        let name = |field, given: &Option<String>| {
            given.as_deref().map(|given| text::name(field, given)).transpose()
        };
        let limit = limit(self.limit)?;
        let offset = self.offset(limit)?;
        Ok(ListFilter {
            status,
            agent: name("agent", &self.agent)?,
            agent_pattern: name("agent_pattern", &self.agent_pattern)?,
            root: self.root,
            available: self.available,
            unfrozen: self.available,
            archived: self.archived,
            tags: text::tags(&self.tags)?,
            tags_any: text::tags(&self.tags_any)?,
            due_after: time("due_after", &self.due_after)?,
            due_before: time("due_before", &self.due_before)?,
            text: self.asked()?,
            after: self.after()?,
            limit,
            offset,
            ..ListFilter::default()
        })
    }

    fn asked(&self) -> Result<Vec<Asked>, Refusal> {
        let asked = self.text.as_deref().map(words::asked).transpose();
        Ok(asked.map_err(|refusal| refusal.detail("field", "text"))?.unwrap_or_default())
    }

    fn offset(&self, limit: u64) -> Result<u64, Refusal> {
        if self.cursor.is_some() && self.page != 1 {
            return Err(usage("give --page or --cursor, not both", "leave --page out"));
        }
        self.page.checked_sub(1).and_then(|page| page.checked_mul(limit)).ok_or_else(|| {
            Refusal::new(Code::InvalidValue, format!("page {} is not a page", self.page))
                .hint("the first page is 1")
                .detail("field", "page")
                .detail("given", self.page)
        })
    }

    fn page_of(&self, snapshot: &mut Snapshot<'_>, filter: &ListFilter) -> Result<Listed, Error> {
        // One more than is shown tells whether there are more.
        let one_more = ListFilter { limit: filter.limit + 1, ..filter.clone() };
        let mut found = snapshot.list(&one_more)?;
        let has_more = found.len() as u64 > filter.limit;
        found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        let last = found.last().filter(|_| has_more);
        let place = last.map(Place::of).map(|place| (place.priority, place.created_seq));
        let next_cursor = place.map(|place| cursor(place, &self.filters())).transpose()?;
        let threshold = Threshold(self.stale_threshold);
        let mut names = ProjectNames::default();
        let mut tasks = Vec::with_capacity(found.len());
        for task in found {
            tasks.push(self.listed(snapshot, &mut names, &task, threshold)?);
        }
        let total = total(snapshot, filter)?;
        let groups = match self.group_by_agent {
            true => Some(groups(&tasks, snapshot.count_by_agent(filter)?)),
            false => None,
        };
        let total_tasks = self.group_by_agent.then_some(total);
        let limit = filter.limit;
        Ok(Listed {
            tasks,
            total,
            page: self.page,
            limit,
            has_more,
            next_cursor,
            groups,
            total_tasks,
        })
    }

    fn listed(
        &self,
        snapshot: &mut Snapshot<'_>,
        names: &mut ProjectNames,
        task: &Task,
        threshold: Threshold,
    ) -> Result<ListedTask, Fault> {
        let details = (self.view == Level::Full).then(|| snapshot.details(task)).transpose()?;
        let project = names.of(snapshot, task.project)?;
        let stale_minutes = threshold.passed_by(task, snapshot.now());
        Ok(ListedTask {
            task: TaskView::new(task, &project, self.view, details),
            stale: stale_minutes.is_some(),
            stale_minutes,
        })
    }

    fn after(&self) -> Result<Option<Place>, Refusal> {
        let read = |priority: &str, created_seq: &str| {
            let (priority, created_seq) = (priority.parse().ok()?, created_seq.parse().ok()?);
            Some(Place { priority, created_seq })
        };
        self.cursor.as_deref().map(|cursor| place(cursor, &self.filters(), read)).transpose()
    }

    /// What two questions with the same cursor must have in common.
    fn filters(&self) -> Self {
        // However they were written, the same tags are the same filter.
        let tags = |given: &[String]| text::tags(given).unwrap_or_default();
        Self {
            tags: tags(&self.tags),
            tags_any: tags(&self.tags_any),
            view: Level::Summary,
            group_by_agent: false,
            stale_threshold: 0,
            limit: 0,
            page: 0,
            cursor: None,
            ..self.clone()
        }
    }
}

/// How many tasks match. Projects count their tasks by status, so the common questions are
/// answered without looking at any.
pub(crate) fn total(snapshot: &mut Snapshot<'_>, filter: &ListFilter) -> Result<u64, Fault> {
    let plain = ListFilter {
        project: filter.project,
        status: filter.status,
        archived: filter.archived,
        after: filter.after,
        limit: filter.limit,
        offset: filter.offset,
        ..ListFilter::default()
    };
    let available = ListFilter { available: true, unfrozen: true, ..plain.clone() };
    let is_available = *filter == available;
    if *filter != plain && !is_available {
        return snapshot.count(filter);
    }
    let projects = match filter.project {
        Some(id) => vec![snapshot.project(id)?],
        None => snapshot.all_projects()?,
    };
    let count = |project: &Project| match filter.status {
        _ if is_available && project.frozen => 0,
        _ if is_available => project.counts.claimable,
        Some(status) => project.counts.of(status),
        None if filter.archived => project.counts.all(),
        None => project.counts.all() - project.counts.archived,
    };
    let total: i64 = projects.iter().map(count).sum();
    u64::try_from(total).map_err(|_| Fault::bug("a project counts fewer than no tasks"))
}

fn groups(tasks: &[ListedTask], totals: Vec<(String, u64)>) -> Vec<Group> {
    let group = |(name, total): (String, u64)| {
        let agent = Some(name).filter(|name| !name.is_empty());
        let own = tasks.iter().filter(|listed| listed.task.agent == agent);
        Group { tasks: own.cloned().collect(), agent, total }
    };
    totals.into_iter().map(group).collect()
}

impl Output for Listed {
    fn sheet(&self, now: Time) -> Sheet {
        if self.tasks.is_empty() {
            return Sheet::line("no tasks");
        }
        let table = |sheet: Sheet, tasks: &[ListedTask]| {
            let rows = tasks.iter().map(|listed| listed.row(now)).collect();
            sheet.and_table(&TASK_COLUMNS, rows)
        };
        let sheet = match &self.groups {
            None => table(Sheet::default(), &self.tasks),
            Some(groups) => groups.iter().fold(Sheet::default(), |sheet, group| {
                let name = group.agent.as_deref().unwrap_or("nobody");
                let sheet = sheet.and_heading(format!("{name} ({})", group.total));
                match group.tasks.is_empty() {
                    true => sheet.and_line(Cell::dim("on another page")),
                    false => table(sheet, &group.tasks),
                }
            }),
        };
        let next = match &self.next_cursor {
            Some(cursor) => format!("; go on with --cursor {cursor}"),
            None if self.tasks.len() as u64 == self.total => return sheet,
            None => String::new(),
        };
        sheet.and_line(Cell::dim(format!("{} of {} tasks{next}", self.tasks.len(), self.total)))
    }
}

impl ListedTask {
    fn row(&self, now: Time) -> Vec<Cell> {
        let mut row = self.task.row(now);
        if let (true, Some(agent)) = (self.stale, row.get_mut(5)) {
            agent.text.push_str(" (stale)");
            agent.tone = Tone::Bad;
        }
        row
    }
}
