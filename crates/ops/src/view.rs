//! Tasks, events and other things as answers show them.

use std::collections::HashMap;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::near::near;
use windlass_domain::{Code, ProjectId, Refusal, Status, Task, TaskId, Time, json};
use windlass_ledger::{Details, Error, Fault, Recorded, Snapshot};

use crate::sheet::{Cell, Sheet, relative};

/// How much of a task an answer shows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Summary,
    Standard,
    Full,
}

/// A JSON object, written as text on a command line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JsonObject(pub Map<String, Value>);

impl FromStr for JsonObject {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match json::read(text.as_bytes()) {
            Ok(Value::Object(object)) => Ok(Self(object)),
            Ok(_) => Err("not a JSON object".to_owned()),
            Err(wrong) => Err(format!("not a JSON object: {wrong}")),
        }
    }
}

/// A task.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TaskView {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub project: String,
    #[schemars(with = "String")]
    pub status: Status,
    pub priority: u8,
    /// The holder of a held task; else whom it is routed to, or who finished it.
    pub agent: Option<String>,
    #[schemars(with = "Option<String>")]
    pub parent_id: Option<TaskId>,
    /// The number of the last claim.
    pub fence: u64,
    /// It could be claimed now, if its project is not frozen.
    pub claimable: bool,
    #[schemars(with = "String")]
    pub created_at: Time,
    #[serde(flatten)]
    pub standard: Option<Standard>,
    #[serde(flatten)]
    pub full: Option<Full>,
}

/// What the standard view adds.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Standard {
    #[schemars(with = "Option<String>")]
    pub due_at: Option<Time>,
    pub tags: Vec<String>,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
    #[schemars(with = "Option<String>")]
    pub claimed_at: Option<Time>,
    pub progress: Option<u8>,
}

/// What the full view adds.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Full {
    pub description: Option<String>,
    pub links: Vec<String>,
    pub metadata: Map<String, Value>,
    pub stale_after_minutes: Option<u32>,
    /// The same as `agent`.
    pub assignee: Option<String>,
    pub open_dependencies: u64,
    pub open_children: u64,
    pub pipeline: String,
    pub stage: Option<String>,
    pub role: Option<String>,
    #[schemars(with = "String")]
    pub updated_at: Time,
    #[schemars(with = "Option<String>")]
    pub finished_at: Option<Time>,
    /// How many events tell its history.
    pub version: u64,
}

impl TaskView {
    pub fn new(task: &Task, project: &str, level: Level, details: Option<Details>) -> Self {
        Self {
            task_id: task.id,
            title: task.title.clone(),
            project: project.to_owned(),
            status: task.status,
            priority: task.priority,
            agent: task.agent.clone(),
            parent_id: task.parent,
            fence: task.fence,
            claimable: task.is_claimable(),
            created_at: task.created_at,
            standard: (level != Level::Summary).then(|| Standard {
                due_at: task.due_at,
                tags: task.tags.clone(),
                lease_until: task.lease_until,
                claimed_at: task.claimed_at,
                progress: task.progress,
            }),
            full: details.filter(|_| level == Level::Full).map(|details| Full {
                description: details.description,
                links: details.links,
                metadata: details.metadata,
                stale_after_minutes: task.stale_after_minutes,
                assignee: task.agent.clone(),
                open_dependencies: task.open_dependencies,
                open_children: task.open_children,
                pipeline: task.pipeline.clone(),
                stage: task.stage.clone(),
                role: task.role.clone(),
                updated_at: task.updated_at,
                finished_at: task.finished_at,
                version: task.version,
            }),
        }
    }

    /// Loads what the level needs beyond the task itself.
    pub fn load(snapshot: &mut Snapshot<'_>, task: &Task, level: Level) -> Result<Self, Fault> {
        let project = snapshot.project(task.project)?;
        let details = (level == Level::Full).then(|| snapshot.details(task)).transpose()?;
        Ok(Self::new(task, &project.name, level, details))
    }

    /// The row of this task in a table.
    pub fn row(&self, now: Time) -> Vec<Cell> {
        vec![
            self.task_id.short().into(),
            self.status.into(),
            self.priority.to_string().into(),
            self.project.clone().into(),
            self.title.clone().into(),
            Cell::dim(self.agent.clone().unwrap_or_default()),
            Cell::dim(relative(self.created_at, now)),
        ]
    }
}

/// The columns of [`TaskView::row`].
pub const TASK_COLUMNS: [&str; 7] =
    ["id", "status", "pri", "project", "title…", "agent", "created"];

/// The names of projects, looked up once each.
#[derive(Debug, Default)]
pub struct ProjectNames(HashMap<ProjectId, String>);

impl ProjectNames {
    pub fn of(&mut self, snapshot: &mut Snapshot<'_>, id: ProjectId) -> Result<String, Fault> {
        if let Some(name) = self.0.get(&id) {
            return Ok(name.clone());
        }
        let name = snapshot.project(id)?.name;
        self.0.insert(id, name.clone());
        Ok(name)
    }
}

/// What became of a task.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    #[schemars(with = "String")]
    pub status: Status,
    #[schemars(with = "String")]
    pub previous_status: Status,
    pub agent: Option<String>,
    pub fence: u64,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
}

impl Changed {
    pub fn new(before: &Task, after: &Task) -> Self {
        Self {
            task_id: after.id,
            title: after.title.clone(),
            status: after.status,
            previous_status: before.status,
            agent: after.agent.clone(),
            fence: after.fence,
            lease_until: after.lease_until,
        }
    }
}

impl crate::Output for Changed {
    fn sheet(&self, _now: Time) -> Sheet {
        let id = self.task_id.short();
        let owner = self.agent.as_ref().map(|agent| format!(" · {agent}")).unwrap_or_default();
        if self.status == self.previous_status {
            return Sheet::line(format!("{id} is {}{owner}: {}", self.status, self.title));
        }
        Sheet::line(format!(
            "{id} {} → {}{owner}: {}",
            self.previous_status, self.status, self.title
        ))
    }
}

/// An event of the log.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct EventView {
    pub seq: u64,
    pub event_id: String,
    #[schemars(with = "String")]
    pub at: Time,
    pub kind: String,
    /// The task, project or run it is about.
    pub stream: String,
    pub stream_seq: u64,
    pub v: u32,
    pub actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub causation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op_id: Option<String>,
    /// What happened; null when it was pruned.
    pub data: Value,
    pub hash: String,
}

impl EventView {
    pub fn new(recorded: Recorded) -> Result<Self, Fault> {
        let data = match &recorded.data {
            Some(text) => serde_json::from_str(text).map_err(|source| {
                Fault::new(Code::LedgerCorrupt, "an event holds broken JSON").because(source)
            })?,
            None => Value::Null,
        };
        let header = recorded.header;
        Ok(Self {
            seq: header.seq,
            event_id: header.id.to_string(),
            at: header.at,
            kind: header.kind,
            stream: header.stream.to_string(),
            stream_seq: header.stream_seq,
            v: header.version,
            actor: header.provenance.actor,
            on_behalf_of: header.provenance.on_behalf_of,
            session: header.provenance.session,
            correlation_id: header.provenance.correlation.map(|id| id.to_string()),
            causation_id: header.provenance.causation.map(|id| id.to_string()),
            op_id: header.provenance.op,
            data,
            hash: recorded.hash.to_string(),
        })
    }

    pub fn all(recorded: Vec<Recorded>) -> Result<Vec<Self>, Fault> {
        recorded.into_iter().map(Self::new).collect()
    }

    /// The row of this event in a table.
    pub fn row(&self, now: Time) -> Vec<Cell> {
        vec![
            self.seq.to_string().into(),
            Cell::dim(relative(self.at, now)),
            self.actor.clone().into(),
            self.kind.clone().into(),
            Cell::dim(or_pruned(&self.data)),
        ]
    }
}

/// What an event tells, as far as it still does.
pub(crate) fn or_pruned(data: &Value) -> String {
    if data.is_null() { "pruned".to_owned() } else { data.to_string() }
}

/// The columns of [`EventView::row`].
pub const EVENT_COLUMNS: [&str; 5] = ["seq", "when", "actor", "kind", "data…"];

/// At most this many rows in one answer.
const MOST_ROWS: u64 = 10_000;

/// A limit that somebody typed.
pub fn limit(given: u64) -> Result<u64, Refusal> {
    if (1..=MOST_ROWS).contains(&given) {
        return Ok(given);
    }
    Err(Refusal::new(Code::InvalidValue, format!("limit {given} is not between 1 and {MOST_ROWS}"))
        .hint("give --limit 50")
        .detail("field", "limit")
        .detail("limit", MOST_ROWS)
        .detail("given", given))
}

/// Resolves parts of ids to the ids of existing tasks, each once.
pub fn task_ids(snapshot: &mut Snapshot<'_>, given: &[String]) -> Result<Vec<TaskId>, Error> {
    let mut ids = Vec::with_capacity(given.len());
    for text in given {
        let id = snapshot.task_named(text.trim())?.id;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The refusal of arguments that do not go together.
pub fn usage(message: &str, hint: &str) -> Refusal {
    Refusal::new(Code::Usage, message).hint(hint)
}

/// The refusal of fields an operation does not have.
pub fn unknown_fields(operation: &str, unknown: &[String], known: &[String]) -> Refusal {
    let near: Vec<String> =
        unknown.iter().flat_map(|field| near(field, known.iter().map(String::as_str))).collect();
    Refusal::new(Code::UnknownField, format!("{operation} has no field {}", unknown.join(", ")))
        .hint(match known {
            [] => "it takes none".to_owned(),
            known => format!("its fields are {}", known.join(", ")),
        })
        .detail("unknown", unknown)
        .suggest(near)
}
