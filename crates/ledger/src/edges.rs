//! Which tasks wait for which: the edges with both of their ends, by any combination of filters.
//!
//! A filter that few tasks pass by their project or tags begins with these tasks and looks their
//! edges up. Every other question is one walk over the edges in their own order, with both ends
//! looked up by `tasks_id`; a page of it ends where the page is full.

use windlass_domain::{ProjectId, Status, TaskId};

use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::record::{from_json, status};
use crate::sql::{Terms, What};

/// Which edges are wanted. The dependent is where an edge begins, what it waits for is where it
/// ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EdgeFilter {
    pub from: EndFilter,
    pub to: EndFilter,
    /// What one of the two ends must be, either of them.
    pub either: EndFilter,
    /// Only where a task waits, and what it waits for is not settled.
    pub blocking: bool,
    /// Only from one project to another.
    pub cross_project: bool,
    /// Only where one end at least is not settled.
    pub open: bool,
    /// Only what comes after this edge.
    pub after: Option<(TaskId, TaskId)>,
    pub limit: u64,
}

/// What an end of an edge must be. With nothing asked, it may also be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndFilter {
    pub project: Option<ProjectId>,
    pub agent: Option<String>,
    /// All of them must be on the task.
    pub tags: Vec<String>,
}

/// One task waits for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub from: End,
    pub to: End,
}

/// One end of an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub id: TaskId,
    /// Nothing when the task is not in this ledger.
    pub task: Option<EndTask>,
}

/// As much of a task as its edges show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndTask {
    pub title: String,
    pub project: ProjectId,
    pub agent: Option<String>,
    pub status: Status,
    pub tags: Vec<String>,
}

impl End {
    /// Nothing waits for it any more: it is done, archived or missing.
    pub fn is_settled(&self) -> bool {
        self.task.as_ref().is_none_or(|task| task.status.is_settled())
    }
}

impl Edge {
    /// There is a task that waits, and what it waits for is not settled.
    pub fn is_blocking(&self) -> bool {
        self.from.task.is_some() && !self.to.is_settled()
    }

    /// Its ends are in different projects.
    pub fn crosses_projects(&self) -> bool {
        match (&self.from.task, &self.to.task) {
            (Some(from), Some(to)) => from.project != to.project,
            (None, _) | (_, None) => false,
        }
    }

    pub(crate) fn read(row: &dyn Columns) -> Result<Self, Fault> {
        Ok(Self {
            from: End { id: TaskId::from_bytes(row.id(0)?), task: EndTask::read(row, 2)? },
            to: End { id: TaskId::from_bytes(row.id(1)?), task: EndTask::read(row, 7)? },
        })
    }
}

impl EndTask {
    /// Reads the five columns that begin with `first`; all of them are null for a missing task.
    fn read(row: &dyn Columns, first: usize) -> Result<Option<Self>, Fault> {
        let Some(title) = row.maybe_text(first)? else { return Ok(None) };
        Ok(Some(Self {
            title,
            project: ProjectId::from_bytes(row.id(first + 1)?),
            agent: row.text_or_none(first + 2)?,
            status: status(&row.text(first + 3)?)?,
            tags: from_json(&row.text(first + 4)?)?,
        }))
    }
}

/// What few tasks have, and through which end they must be on an edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a> {
    by: By<'a>,
    through: Through,
}

#[derive(Debug, Clone, Copy)]
enum By<'a> {
    /// By the primary key of `task_tags`.
    Tag(&'a str),
    /// By `tasks_project_status`.
    Project(ProjectId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    From,
    To,
    Either,
}

impl<'a> Start<'a> {
    /// Everything a filter could begin with.
    pub(crate) fn all_of(filter: &'a EdgeFilter) -> Vec<Self> {
        let ends = [
            (&filter.from, Through::From),
            (&filter.to, Through::To),
            (&filter.either, Through::Either),
        ];
        let starts = ends.into_iter().flat_map(|(end, through)| {
            let tags = end.tags.iter().map(|tag| By::Tag(tag));
            tags.chain(end.project.map(By::Project)).map(move |by| Self { by, through })
        });
        starts.collect()
    }

    /// The statement and values that count how many tasks have it, no further than `cap`.
    pub(crate) fn depth<T>(self, cap: u64, run: impl FnOnce(&str, &[Cell<'_>]) -> T) -> T {
        let mut terms = Terms::default();
        let bytes = self.by.bytes();
        let tasks = match self.by {
            By::Tag(tag) => format!("task_tags WHERE tag = {}", terms.value(Cell::Text(tag))),
            By::Project(_) => {
                format!("tasks WHERE project_id = {}", terms.value(Cell::Bytes(&bytes)))
            }
        };
        let cap = terms.value(Cell::count(cap));
        let text = format!("SELECT count(*) FROM (SELECT 1 FROM {tasks} LIMIT {cap}) AS counted");
        run(&text, &terms.values)
    }

    /// The edges of these tasks, looked up by the two indexes of `dependencies`.
    fn edges(self, value: &str) -> String {
        let (tasks, condition) = match self.by {
            By::Tag(_) => (
                "task_tags CROSS JOIN tasks AS few",
                format!("tag = {value} AND few.created_seq = task_tags.created_seq"),
            ),
            By::Project(_) => ("tasks AS few", format!("few.project_id = {value}")),
        };
        let through = |column: &str| {
            format!(
                "SELECT task_id, depends_on FROM {tasks} CROSS JOIN dependencies \
                 WHERE {condition} AND {column} = few.id"
            )
        };
        match self.through {
            Through::From => through("task_id"),
            Through::To => through("depends_on"),
            Through::Either => format!("{} UNION {}", through("task_id"), through("depends_on")),
        }
    }
}

impl By<'_> {
    fn bytes(&self) -> [u8; 16] {
        match self {
            Self::Project(id) => id.to_bytes(),
            Self::Tag(_) => [0; 16],
        }
    }
}

const SETTLED: &str = "('done', 'archived')";

/// The statement and values of a page of edges, in the order of their ids, or of their total.
pub(crate) fn edges<T>(
    filter: &EdgeFilter,
    start: Option<Start<'_>>,
    what: What,
    run: impl FnOnce(&str, &[Cell<'_>]) -> T,
) -> T {
    let projects =
        [&filter.from, &filter.to, &filter.either].map(|end| end.project.map(ProjectId::to_bytes));
    let start_bytes = start.map(|start| start.by.bytes());
    let after = filter.after.map(|(from, to)| (from.to_bytes(), to.to_bytes()));
    let mut terms = Terms::default();
    let with = start.zip(start_bytes.as_ref()).map(|(start, bytes)| {
        let value = terms.value(match start.by {
            By::Tag(tag) => Cell::Text(tag),
            By::Project(_) => Cell::Bytes(bytes),
        });
        format!("WITH few_edges (task_id, depends_on) AS ({}) ", start.edges(&value))
    });
    let table = if start.is_some() { "few_edges" } else { "dependencies" };
    let [from_project, to_project, either_project] = &projects;
    for (end, project, alias) in [(&filter.from, from_project, "f"), (&filter.to, to_project, "t")]
    {
        let conditions = end_conditions(end, project.as_ref(), alias, &mut terms);
        terms.texts.extend(conditions);
    }
    either_conditions(&filter.either, either_project.as_ref(), &mut terms);
    let plain = [
        (format!("f.id IS NOT NULL AND t.status NOT IN {SETTLED}"), filter.blocking),
        ("f.project_id <> t.project_id".to_owned(), filter.cross_project),
        (format!("(f.status NOT IN {SETTLED} OR t.status NOT IN {SETTLED})"), filter.open),
    ];
    terms.texts.extend(plain.into_iter().filter(|(_, wanted)| *wanted).map(|(text, _)| text));
    if let (Some((from, to)), What::Rows) = (&after, what) {
        let from = terms.value(Cell::Bytes(from));
        let to = terms.value(Cell::Bytes(to));
        terms.plain(&format!("(d.task_id, d.depends_on) > ({from}, {to})"));
    }
    if terms.texts.is_empty() {
        terms.plain("1 = 1");
    }
    let with = with.unwrap_or_default();
    let tables = format!(
        "{table} AS d LEFT JOIN tasks AS f ON f.id = d.task_id \
         LEFT JOIN tasks AS t ON t.id = d.depends_on"
    );
    let conditions = terms.texts.join(" AND ");
    let text = match what {
        What::Rows => {
            let limit = terms.value(Cell::count(filter.limit));
            format!(
                "{with}SELECT d.task_id, d.depends_on, \
                 f.title, f.project_id, f.agent, f.status, f.tags, \
                 t.title, t.project_id, t.agent, t.status, t.tags \
                 FROM {tables} WHERE {conditions} ORDER BY d.task_id, d.depends_on LIMIT {limit}"
            )
        }
        What::Count | What::CountByAgent => {
            format!("{with}SELECT count(*) FROM {tables} WHERE {conditions}")
        }
    };
    run(&text, &terms.values)
}

/// What must be true of one end, each part by itself.
fn end_conditions<'a>(
    end: &'a EndFilter,
    project: Option<&'a [u8; 16]>,
    alias: &str,
    terms: &mut Terms<'a>,
) -> Vec<String> {
    let mut conditions = Vec::new();
    conditions
        .extend(project.map(|id| format!("{alias}.project_id = {}", terms.value(Cell::Bytes(id)))));
    let agent = end.agent.as_deref();
    conditions
        .extend(agent.map(|agent| format!("{alias}.agent = {}", terms.value(Cell::Text(agent)))));
    conditions.extend(end.tags.iter().map(|tag| has_tag(alias, tag, terms)));
    conditions
}

/// By the primary key of `task_tags`.
fn has_tag<'a>(alias: &str, tag: &'a str, terms: &mut Terms<'a>) -> String {
    let tag = terms.value(Cell::Text(tag));
    format!(
        "EXISTS (SELECT 1 FROM task_tags WHERE tag = {tag} \
         AND task_tags.created_seq = {alias}.created_seq)"
    )
}

/// Project, agent and tags are asked of either end each by itself; all tags must be on one end.
fn either_conditions<'a>(end: &'a EndFilter, project: Option<&'a [u8; 16]>, terms: &mut Terms<'a>) {
    if let Some(id) = project {
        let id = terms.value(Cell::Bytes(id));
        terms.plain(&format!("(f.project_id = {id} OR t.project_id = {id})"));
    }
    if let Some(agent) = &end.agent {
        let agent = terms.value(Cell::Text(agent));
        terms.plain(&format!("(f.agent = {agent} OR t.agent = {agent})"));
    }
    if !end.tags.is_empty() {
        let [from, to] = ["f", "t"].map(|alias| {
            let tags = end.tags.iter().map(|tag| has_tag(alias, tag, terms));
            tags.collect::<Vec<_>>().join(" AND ")
        });
        terms.plain(&format!("({from} OR {to})"));
    }
}
