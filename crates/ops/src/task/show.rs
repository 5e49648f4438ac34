//! `task show`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::event::Won;
use windlass_domain::{Event, Status, TaskId, Time};
use windlass_ledger::{Error, Fault, Recorded, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, relative};
use crate::view::{Level, TaskView};

/// Shows a task with its comments, checkpoints, subtasks and dependencies.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Show {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// How much of the task to show
    #[arg(long, value_enum, default_value_t = Level::Full)]
    #[serde(default = "full")]
    pub view: Level,
    /// Leave the subtasks out
    #[arg(long)]
    #[serde(default)]
    pub no_subtasks: bool,
    /// Show the subtasks in full, with what each waits for
    #[arg(long)]
    #[serde(default)]
    pub deep: bool,
}

fn full() -> Level {
    Level::Full
}

/// A task and what belongs to it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    pub task: TaskView,
    pub comments: Vec<CommentView>,
    pub checkpoints: Vec<CheckpointView>,
    pub subtasks: Vec<Subtask>,
    /// Who held it, from the first claim to the last.
    pub claims: Vec<ClaimView>,
    /// The tasks it waits for.
    pub dependencies: Vec<Related>,
    /// The tasks that wait for it.
    pub dependents: Vec<Related>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CommentView {
    pub text: String,
    pub author: String,
    #[schemars(with = "String")]
    pub timestamp: Time,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointView {
    pub name: String,
    pub data: Map<String, Value>,
    pub progress: Option<u8>,
    pub author: String,
    #[schemars(with = "String")]
    pub timestamp: Time,
}

/// A subtask, in short or in full.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Subtask {
    Brief(Related),
    Deep(Box<DeepSubtask>),
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DeepSubtask {
    #[serde(flatten)]
    pub task: TaskView,
    /// The open tasks it waits for.
    #[schemars(with = "Vec<String>")]
    pub blocked_by: Vec<TaskId>,
}

impl Subtask {
    fn row(&self) -> Vec<Cell> {
        match self {
            Self::Brief(related) => related.row(),
            Self::Deep(deep) => {
                let waits = deep.blocked_by.iter().map(|id| id.short()).collect::<Vec<_>>();
                let title = match waits.is_empty() {
                    true => deep.task.title.clone(),
                    false => format!("{} (waits for {})", deep.task.title, waits.join(", ")),
                };
                vec![
                    deep.task.task_id.short().into(),
                    deep.task.status.into(),
                    deep.task.project.clone().into(),
                    title.into(),
                    Cell::dim(deep.task.agent.clone().unwrap_or_default()),
                ]
            }
        }
    }
}

/// A claim, from when it was won to how it ended.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ClaimView {
    pub agent: String,
    pub fence: u64,
    #[schemars(with = "String")]
    pub claimed_at: Time,
    /// Null for the present claim.
    #[schemars(with = "Option<String>")]
    pub ended_at: Option<Time>,
    /// `completed`, `released`, `taken_over`, `stolen`, `archived` or `set_aside`.
    pub ended: Option<String>,
    pub renewals: u64,
}

/// Another task, in short.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
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
            let claims = match self.view == Level::Full && task.fence > 0 {
                true => claims(snapshot.whole_history(task.id.into())?)?,
                false => Vec::new(),
            };
            let prerequisites = snapshot.prerequisites(task.id)?;
            let dependents = snapshot.dependents(task.id)?;
            Ok(Shown {
                task: TaskView::load(snapshot, &task, self.view)?,
                comments,
                checkpoints,
                subtasks: self.subtasks(snapshot, task.id)?,
                claims,
                dependencies: Related::load_all(snapshot, prerequisites)?,
                dependents: Related::load_all(snapshot, dependents)?,
            })
        })
    }
}

impl Show {
    fn subtasks(&self, snapshot: &mut Snapshot<'_>, parent: TaskId) -> Result<Vec<Subtask>, Fault> {
        if self.no_subtasks {
            return Ok(Vec::new());
        }
        let mut subtasks = Vec::new();
        for child in snapshot.children(parent)? {
            subtasks.push(match self.deep {
                false => Subtask::Brief(Related::load(snapshot, child.id)?),
                true => Subtask::Deep(Box::new(DeepSubtask {
                    task: TaskView::load(snapshot, &child, Level::Full)?,
                    blocked_by: snapshot.obstacles(&child)?.dependencies,
                })),
            });
        }
        Ok(subtasks)
    }
}

/// The claims that a history tells of.
fn claims(history: Vec<Recorded>) -> Result<Vec<ClaimView>, Fault> {
    let mut claims: Vec<ClaimView> = Vec::new();
    for recorded in history {
        let at = recorded.header.at;
        let Some(event) = recorded.event()? else { continue };
        if let (Some(how), Some(last)) = (ending(&event), claims.last_mut())
            && last.ended.is_none()
        {
            last.ended = Some(how.to_owned());
            last.ended_at = Some(at);
        }
        match (event, claims.last_mut()) {
            (Event::TaskClaimed(data), _) => claims.push(ClaimView {
                agent: data.agent,
                fence: data.fence,
                claimed_at: at,
                ended_at: None,
                ended: None,
                renewals: 0,
            }),
            (Event::ClaimRenewed(_), Some(last)) => last.renewals += 1,
            _ => {}
        }
    }
    Ok(claims)
}

/// How an event ends the claim before it, if it does.
fn ending(event: &Event) -> Option<&'static str> {
    match event {
        Event::TaskClaimed(data) => Some(match data.won {
            Won::TakenOver => "taken_over",
            Won::Claimed | Won::Stolen | Won::Overridden => "stolen",
        }),
        Event::TaskReleased(_) => Some("released"),
        Event::TaskUnblocked(data) => (data.to == Status::Ready).then_some("released"),
        Event::TaskCompleted(_) => Some("completed"),
        Event::StatusSet(data) => match data.to {
            Status::Done => Some("completed"),
            Status::Backlog | Status::Ready => Some("set_aside"),
            // A held task that is set to blocked stays held.
            Status::Blocked | Status::InProgress | Status::Archived => None,
        },
        Event::TaskArchived(_) => Some("archived"),
        _ => None,
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
        let related = |tasks: &[Related]| tasks.iter().map(Related::row).collect();
        let tables: [(&str, Vec<Vec<Cell>>); 3] = [
            ("waits for", related(&self.dependencies)),
            ("needed by", related(&self.dependents)),
            ("subtasks", self.subtasks.iter().map(Subtask::row).collect()),
        ];
        for (heading, rows) in tables.into_iter().filter(|(_, rows)| !rows.is_empty()) {
            sheet = sheet.and_heading(heading).and_table(&columns, rows);
        }
        // The present claim is among the facts above; its history is news only with a past.
        if self.claims.iter().any(|claim| claim.ended.is_some()) {
            let rows = self.claims.iter().map(|claim| claim.row(now)).collect();
            let columns = ["fence", "agent…", "claimed", "ended", "how"];
            sheet = sheet.and_heading("claims").and_table(&columns, rows);
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

impl ClaimView {
    fn row(&self, now: Time) -> Vec<Cell> {
        vec![
            self.fence.to_string().into(),
            self.agent.clone().into(),
            Cell::dim(relative(self.claimed_at, now)),
            Cell::dim(self.ended_at.map(|at| relative(at, now)).unwrap_or_default()),
            self.ended.as_deref().unwrap_or("holds it").replace('_', " ").into(),
        ]
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
