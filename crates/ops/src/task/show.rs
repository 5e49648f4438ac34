//! `task show`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::{Event, Status, TaskId, Time};
use windlass_ledger::{Error, Fault, Recorded, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, relative};
use crate::view::{Level, TaskView};

/// Shows a task with its comments, checkpoints, subtasks and dependencies.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Show {
    /// An id, or at least 4 characters of its beginning or end
    pub task: String,
    /// How much of the task to show
    #[arg(long, value_enum, default_value_t = Level::Full)]
    #[serde(default = "full")]
    pub view: Level,
    /// Leave the subtasks out
    #[arg(long)]
    #[serde(default)]
    pub no_subtasks: bool,
}

fn full() -> Level {
    Level::Full
}

/// A task and what belongs to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Shown {
    pub task: TaskView,
    pub comments: Vec<CommentView>,
    pub checkpoints: Vec<CheckpointView>,
    pub subtasks: Vec<Related>,
    /// The tasks it waits for.
    pub dependencies: Vec<Related>,
    /// The tasks that wait for it.
    pub dependents: Vec<Related>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommentView {
    pub text: String,
    pub author: String,
    #[schemars(with = "String")]
    pub timestamp: Time,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CheckpointView {
    pub name: String,
    pub data: Map<String, Value>,
    pub progress: Option<u8>,
    pub author: String,
    #[schemars(with = "String")]
    pub timestamp: Time,
}

/// Another task, in short.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Related {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    /// Null when the task is not in this ledger.
    pub title: Option<String>,
    pub project: Option<String>,
    #[schemars(with = "Option<String>")]
    pub status: Option<Status>,
    pub agent: Option<String>,
    /// Nothing waits for it any more.
    pub settled: bool,
}

impl Related {
    fn load(snapshot: &mut Snapshot<'_>, id: TaskId) -> Result<Self, Fault> {
        let task = snapshot.task(id)?;
        let project = match &task {
            Some(task) => Some(snapshot.project(task.project)?.name),
            None => None,
        };
        Ok(Self {
            task_id: id,
            project,
            status: task.as_ref().map(|task| task.status),
            agent: task.as_ref().and_then(|task| task.agent.clone()),
            settled: task.as_ref().is_none_or(|task| task.status.is_settled()),
            title: task.map(|task| task.title),
        })
    }

    fn load_all(snapshot: &mut Snapshot<'_>, ids: Vec<TaskId>) -> Result<Vec<Self>, Fault> {
        ids.into_iter().map(|id| Self::load(snapshot, id)).collect()
    }

    fn row(&self) -> Vec<Cell> {
        vec![
            self.task_id.short().into(),
            self.status.map_or_else(|| Cell::dim("missing"), Cell::from),
            self.project.clone().unwrap_or_default().into(),
            self.title.clone().unwrap_or_default().into(),
            Cell::dim(self.agent.clone().unwrap_or_default()),
        ]
    }
}

impl Operation for Show {
    type Output = Shown;
    const NAME: &'static str = "task.show";
    const ABOUT: &'static str = "Show a task with everything that belongs to it";
    const EXAMPLE: &'static str = "windlass task show 8F3K2Q";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Shown, Error> {
        cx.read(|snapshot| {
            let task = snapshot.task_named(&self.task)?;
            let notes = match self.view {
                Level::Summary => Vec::new(),
                Level::Standard | Level::Full => snapshot.notes(task.id)?,
            };
            let (comments, checkpoints) = split(notes)?;
            let children = match self.no_subtasks {
                true => Vec::new(),
                false => snapshot.children(task.id)?.iter().map(|child| child.id).collect(),
            };
            let prerequisites = snapshot.prerequisites(task.id)?;
            let dependents = snapshot.dependents(task.id)?;
            Ok(Shown {
                task: TaskView::load(snapshot, &task, self.view)?,
                comments,
                checkpoints,
                subtasks: Related::load_all(snapshot, children)?,
                dependencies: Related::load_all(snapshot, prerequisites)?,
                dependents: Related::load_all(snapshot, dependents)?,
            })
        })
    }
}

/// Comments and checkpoints among the notes of a task. The reason of a block is a comment too.
fn split(notes: Vec<Recorded>) -> Result<(Vec<CommentView>, Vec<CheckpointView>), Fault> {
    let (mut comments, mut checkpoints) = (Vec::new(), Vec::new());
    for note in notes {
        let author = note.header.provenance.actor.clone();
        let timestamp = note.header.at;
        match note.event()? {
            Some(Event::CommentAdded(data)) => {
                comments.push(CommentView { text: data.text, author, timestamp });
            }
            Some(Event::TaskBlocked(data)) => {
                comments.extend(data.reason.map(|text| CommentView { text, author, timestamp }));
            }
            Some(Event::CheckpointRecorded(data)) => checkpoints.push(CheckpointView {
                name: data.name,
                data: data.data,
                progress: data.progress,
                author,
                timestamp,
            }),
            _ => {}
        }
    }
    Ok((comments, checkpoints))
}

impl Output for Shown {
    fn sheet(&self, now: Time) -> Sheet {
        let mut sheet =
            Sheet::default().and_heading(&self.task.title).and_facts(facts(&self.task, now));
        if let Some(description) =
            self.task.full.as_ref().and_then(|full| full.description.as_ref())
        {
            sheet = sheet.and_text(description);
        }
        let columns = ["id", "status", "project", "title…", "agent"];
        for (heading, tasks) in [
            ("waits for", &self.dependencies),
            ("needed by", &self.dependents),
            ("subtasks", &self.subtasks),
        ] {
            if !tasks.is_empty() {
                let rows = tasks.iter().map(Related::row).collect();
                sheet = sheet.and_heading(heading).and_table(&columns, rows);
            }
        }
        if !self.checkpoints.is_empty() {
            let row = |checkpoint: &CheckpointView| {
                let data = match checkpoint.data.is_empty() {
                    true => String::new(),
                    false => Value::from(checkpoint.data.clone()).to_string(),
                };
                vec![
                    Cell::dim(relative(checkpoint.timestamp, now)),
                    checkpoint.author.clone().into(),
                    checkpoint.name.clone().into(),
                    Cell::dim(data),
                ]
            };
            let rows = self.checkpoints.iter().map(row).collect();
            sheet = sheet
                .and_heading("checkpoints")
                .and_table(&["when", "author", "name", "data…"], rows);
        }
        if !self.comments.is_empty() {
            let row = |comment: &CommentView| {
                vec![
                    Cell::dim(relative(comment.timestamp, now)),
                    comment.author.clone().into(),
                    comment.text.clone().into(),
                ]
            };
            let rows = self.comments.iter().map(row).collect();
            sheet = sheet.and_heading("comments").and_table(&["when", "author", "comment…"], rows);
        }
        sheet
    }
}

fn facts(task: &TaskView, now: Time) -> Vec<(&'static str, Cell)> {
    let mut facts = vec![
        ("id", task.task_id.to_string().into()),
        ("status", Cell::from(task.status)),
        ("project", task.project.clone().into()),
        ("priority", task.priority.to_string().into()),
    ];
    if let Some(agent) = &task.agent {
        facts.push(("agent", format!("{agent} (fence {})", task.fence).into()));
    }
    if let Some(standard) = &task.standard {
        let times = [
            ("lease", standard.lease_until),
            ("due", standard.due_at),
            ("claimed", standard.claimed_at),
        ];
        for (name, time) in times {
            facts.extend(
                time.map(|time| (name, format!("{time} ({})", relative(time, now)).into())),
            );
        }
        if !standard.tags.is_empty() {
            facts.push(("tags", standard.tags.join(", ").into()));
        }
        facts.extend(standard.progress.map(|progress| ("progress", format!("{progress}%").into())));
    }
    if let Some(full) = &task.full {
        facts.extend(full.links.iter().map(|link| ("link", Cell::from(link.clone()))));
        if !full.metadata.is_empty() {
            facts.push(("metadata", Value::from(full.metadata.clone()).to_string().into()));
        }
    }
    facts.push(("created", relative(task.created_at, now).into()));
    facts
}
