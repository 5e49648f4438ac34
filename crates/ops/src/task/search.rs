//! `task search`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::words::{Asked, asked, snippet};
use windlass_domain::{Code, Event, Refusal, Status, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, SearchFilter, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::snippet::{SNIPPET_CHARS, SnippetView};
use crate::view::{ProjectNames, limit};

/// The last result that can be asked for.
const FURTHEST: u64 = 10_000;

/// Finds tasks by words of their title, tags, description, comments and checkpoints.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// Words, or beginnings of words; all of them must be found
    pub query: String,
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only in this status
    #[arg(short, long, value_name = "STATUS")]
    #[serde(default)]
    pub status: Option<String>,
    /// At most this many tasks
    #[arg(short, long, value_name = "N", default_value_t = 20, allow_negative_numbers = true)]
    #[serde(default = "twenty")]
    pub limit: u64,
    /// Which page, of --limit tasks each
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    #[serde(default = "first")]
    pub page: u64,
}

fn twenty() -> u64 {
    20
}

fn first() -> u64 {
    1
}

/// What was found, the best first: by title, then by tags and description, then by comments and
/// checkpoints; the newest first among equals.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    pub tasks: Vec<FoundTask>,
    /// How many tasks match in all.
    pub total: u64,
    pub page: u64,
    pub limit: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FoundTask {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub project: String,
    #[schemars(with = "String")]
    pub status: Status,
    pub agent: Option<String>,
    /// A piece of the text that matches best beside the title.
    pub snippet: Option<SnippetView>,
}

impl Operation for Search {
    type Output = Found;
    const NAME: &'static str = "task.search";
    const ABOUT: &'static str = "Find tasks by words of all that was written about them";
    const EXAMPLE: &'static str = "windlass task search 'login cookie' -P api";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Found, Error> {
        let asked = asked(&self.query)?;
        let status = self.status.as_deref().map(Status::parse).transpose()?;
        let limit = limit(self.limit)?;
        let last = usize::try_from(self.last(limit)?).unwrap_or(usize::MAX);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        cx.read(|snapshot| {
            let project =
                self.project.as_deref().map(|name| snapshot.project_named(name)).transpose()?;
            let filter = SearchFilter { project: project.map(|project| project.id), status };
            let mut names = ProjectNames::default();
            let mut tasks = Vec::new();
            for task in snapshot.search(&asked, &filter, last)?.into_iter().skip(last - limit) {
                tasks.push(FoundTask {
                    snippet: piece(snapshot, &task, &asked)?,
                    project: names.of(snapshot, task.project)?,
                    task_id: task.id,
                    title: task.title,
                    status: task.status,
                    agent: task.agent,
                });
            }
            let total = snapshot.count_found(&asked, &filter)?;
            Ok(Found { tasks, total, page: self.page, limit: self.limit })
        })
    }
}

impl Search {
    /// Up to which of the tasks that are found the page goes. Who looks further than this is better
    /// served by more words.
    fn last(&self, limit: u64) -> Result<u64, Refusal> {
        let last = self.page.checked_mul(limit).filter(|last| (1..=FURTHEST).contains(last));
        last.ok_or_else(|| {
            let page = self.page;
            Refusal::new(Code::InvalidValue, format!("page {page} is not among the first results"))
                .hint(format!("the first page is 1, the last ends at result {FURTHEST}"))
                .detail("field", "page")
                .detail("given", page)
        })
    }
}

/// A piece of the description, the tags or what was said about the task, whatever matches first.
fn piece(
    snapshot: &mut Snapshot<'_>,
    task: &Task,
    asked: &[Asked],
) -> Result<Option<SnippetView>, Fault> {
    let description = snapshot.details(task)?.description.unwrap_or_default();
    let texts = [("description", description), ("tags", task.tags.join(", "))];
    for (field, text) in texts {
        if let Some(found) = snippet(&text, asked, SNIPPET_CHARS) {
            return Ok(Some(SnippetView::new(field, found)));
        }
    }
    for note in snapshot.notes(task.id)?.into_iter().rev() {
        let (field, text) = match note.event()? {
            Some(Event::CommentAdded(data)) => ("comment", data.text),
            Some(Event::TaskBlocked(data)) => ("comment", data.reason.unwrap_or_default()),
            Some(Event::CheckpointRecorded(data)) => ("checkpoint", data.said()),
            _ => continue,
        };
        if let Some(found) = snippet(&text, asked, SNIPPET_CHARS) {
            return Ok(Some(SnippetView::new(field, found)));
        }
    }
    Ok(None)
}

impl Output for Found {
    fn sheet(&self, _now: Time) -> Sheet {
        if self.tasks.is_empty() {
            return Sheet::line("nothing found");
        }
        let row = |task: &FoundTask| {
            vec![
                task.task_id.short().into(),
                task.status.into(),
                task.project.clone().into(),
                task.title.clone().into(),
                Cell::dim(task.snippet.as_ref().map(SnippetView::shown).unwrap_or_default()),
            ]
        };
        let rows = self.tasks.iter().map(row).collect();
        let columns = ["id", "status", "project", "title…", "found…"];
        let sheet = Sheet::default().and_table(&columns, rows);
        let last = self.limit * (self.page - 1) + self.tasks.len() as u64;
        match self.total > last {
            true => sheet.and_line(Cell::dim(format!(
                "{} of {} tasks; see more with --page {}",
                self.tasks.len(),
                self.total,
                self.page + 1
            ))),
            false => sheet,
        }
    }
}
