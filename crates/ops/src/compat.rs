//! Our events in the words of HZL, for programs that read its event feed.
//!
//! HZL knows fewer kinds, and some of them say more than ours: the status before a change, the old
//! name of a project. What an event does not say itself is read from the events before it. What HZL
//! has no word for keeps our kind and data.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use windlass_domain::event::{Change, TaskClaimed, TaskCreated, TaskUpdated, Won};
use windlass_domain::{Event, EventId, ProjectId, Status, Stream, Time};
use windlass_ledger::{Fault, Recorded, Snapshot};

use crate::events::Homes;
use crate::sheet::{Cell, relative};
use crate::view::{EventView, or_pruned};

/// Stands for the task in events about projects.
const PROJECT: &str = "__project__";

/// An event as HZL would tell it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct HzlEvent {
    /// Its place in the log. One event of ours can be several of HZL's, with the same place.
    pub rowid: u64,
    /// Of several, the first has the id of ours, and each next one the next higher.
    pub event_id: String,
    pub task_id: String,
    pub r#type: String,
    pub data: Value,
    pub author: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub causation_id: Option<String>,
    #[schemars(with = "String")]
    pub timestamp: Time,
}

impl HzlEvent {
    pub(crate) fn row(&self, now: Time) -> Vec<Cell> {
        vec![
            self.rowid.to_string().into(),
            Cell::dim(relative(self.timestamp, now)),
            self.author.clone().into(),
            self.r#type.clone().into(),
            Cell::dim(or_pruned(&self.data)),
        ]
    }
}

/// What is known of a stream before its next event.
#[derive(Debug, Clone, Default)]
struct Before {
    status: Option<Status>,
    agent: Option<String>,
    project: Option<ProjectId>,
    name: String,
}

/// Tells events in the order of the log.
#[derive(Debug, Default)]
pub(crate) struct Translator {
    streams: HashMap<Stream, Before>,
    homes: Homes,
}

impl Translator {
    pub(crate) fn tell(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        recorded: Recorded,
    ) -> Result<Vec<HzlEvent>, Fault> {
        let (stream, seq) = (recorded.header.stream, recorded.header.seq);
        let before = match recorded.header.stream_seq {
            1 => Before::default(),
            _ => self.before(snapshot, stream, seq)?,
        };
        let event = recorded.event()?;
        let told = match &event {
            Some(event) => self.words(snapshot, event, &before, seq)?,
            None => vec![(recorded.header.kind.clone(), Value::Null)],
        };
        self.streams.insert(stream, before.after(event.as_ref()));
        let task = self.homes.task_of(snapshot, &recorded)?;
        let id = u128::from_be_bytes(recorded.header.id.to_bytes());
        let view = EventView::new(recorded)?;
        let task_id = task.map_or_else(|| PROJECT.to_owned(), |task| task.to_string());
        let tell = |(number, (kind, data)): (u128, (String, Value))| HzlEvent {
            rowid: view.seq,
            event_id: EventId::from_bytes(id.wrapping_add(number).to_be_bytes()).to_string(),
            task_id: task_id.clone(),
            r#type: kind,
            data: if data.is_null() { view.data.clone() } else { data },
            author: view.actor.clone(),
            session_id: view.session.clone(),
            correlation_id: view.correlation_id.clone(),
            causation_id: view.causation_id.clone(),
            timestamp: view.at,
        };
        Ok((0..).zip(told).map(tell).collect())
    }

    /// What is known of a stream before the event `seq`.
    fn before(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        stream: Stream,
        seq: u64,
    ) -> Result<Before, Fault> {
        if let Some(known) = self.streams.get(&stream) {
            return Ok(known.clone());
        }
        let before = earlier(snapshot, stream, seq)?;
        self.streams.insert(stream, before.clone());
        Ok(before)
    }

    /// The name that a project had then.
    fn name(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        project: ProjectId,
        seq: u64,
    ) -> Result<String, Fault> {
        Ok(self.before(snapshot, project.into(), seq)?.name)
    }

    /// The kinds and data of HZL; null for data that are ours as they are.
    fn words(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        event: &Event,
        before: &Before,
        seq: u64,
    ) -> Result<Vec<(String, Value)>, Fault> {
        let one = |kind: &str, data: Value| vec![(kind.to_owned(), data)];
        let from = before.status;
        let change = |to: Status| one("status_changed", json!({ "from": from, "to": to }));
        Ok(match event {
            Event::ProjectCreated(data) => one(
                "project_created",
                without_nulls(json!({
                    "name": data.name,
                    "description": data.description,
                    "is_protected": data.protected.then_some(true),
                })),
            ),
            Event::ProjectRenamed(data) => {
                one("project_renamed", json!({ "old_name": before.name, "new_name": data.name }))
            }
            Event::TaskCreated(data) => {
                let project = self.name(snapshot, data.project, seq)?;
                created(data, &project)
            }
            Event::TaskUpdated(data) => updated(data),
            Event::TaskClaimed(data) => one("status_changed", claimed(data, from)),
            Event::ClaimRenewed(data) => one(
                "status_changed",
                json!({
                    "from": Status::InProgress,
                    "to": Status::InProgress,
                    "agent": before.agent,
                    "lease_until": data.lease_until,
                }),
            ),
            Event::TaskReleased(_) => change(Status::Ready),
            Event::TaskBlocked(data) => {
                let mut told = change(Status::Blocked);
                let said = data.reason.as_ref().map(|text| json!({ "text": text }));
                told.extend(said.map(|data| ("comment_added".to_owned(), data)));
                told
            }
            Event::TaskUnblocked(data) => change(data.to),
            Event::TaskCompleted(_) => change(Status::Done),
            Event::TaskReopened(data) => change(data.to),
            Event::StatusSet(data) => change(data.to),
            Event::TaskArchived(_) => one("task_archived", json!({})),
            Event::TaskRestored(data) => change(data.to),
            Event::TaskMoved(data) => {
                let to = self.name(snapshot, data.project, seq)?;
                let from = match before.project {
                    Some(id) => Some(self.name(snapshot, id, seq)?),
                    None => None,
                };
                one("task_moved", json!({ "from_project": from, "to_project": to }))
            }
            Event::CommentAdded(data) => one("comment_added", json!({ "text": data.text })),
            Event::CheckpointRecorded(data) => one(
                "checkpoint_recorded",
                without_nulls(json!({
                    "name": data.name,
                    "data": data.data,
                    "progress": data.progress,
                })),
            ),
            Event::ProgressSet(data) => one("checkpoint_recorded", progressed(data.progress)),
            Event::DependencyAdded(data) => {
                one("dependency_added", json!({ "depends_on_id": data.on }))
            }
            Event::DependencyRemoved(data) => {
                one("dependency_removed", json!({ "depends_on_id": data.on }))
            }
            Event::ProjectDeleted(data) => {
                one("project_deleted", json!({ "name": before.name, "task_count": data.tasks }))
            }
            Event::ProjectFrozen(_)
            | Event::ProjectUnfrozen(_)
            | Event::ClaimExpired(_)
            | Event::DependencyKept(_)
            | Event::TaskDeleted(_)
            | Event::TaskPruned(_)
            | Event::WorkflowRan(_)
            | Event::OpCompleted(_)
            | Event::HookSet(_)
            | Event::HookRemoved(_)
            | Event::HookEnqueued(_)
            | Event::HookDelivered(_)
            | Event::HookFailed(_)
            | Event::HookDiscarded(_)
            | Event::HookRetried(_)
            | Event::KeyCreated(_)
            | Event::KeyRotated(_)
            | Event::KeyRevoked(_)
            | Event::Run(_)
            | Event::Chunk(_)
            | Event::Session(_)
            | Event::Definition(_) => one(event.kind().as_str(), Value::Null),
        })
    }
}

fn claimed(data: &TaskClaimed, from: Option<Status>) -> Value {
    without_nulls(json!({
        "from": from,
        "to": Status::InProgress,
        "agent": data.agent,
        "lease_until": data.lease_until,
        "reason": matches!(data.won, Won::Stolen | Won::TakenOver).then_some("stolen"),
    }))
}

/// What the events of a stream before `seq` tell.
fn earlier(snapshot: &mut Snapshot<'_>, stream: Stream, seq: u64) -> Result<Before, Fault> {
    let mut before = Before::default();
    for earlier in snapshot.whole_history(stream)? {
        if earlier.header.seq >= seq {
            break;
        }
        before = before.after(earlier.event()?.as_ref());
    }
    Ok(before)
}

impl Before {
    fn after(self, event: Option<&Event>) -> Self {
        let to = |status: Status| Self { status: Some(status), ..self.clone() };
        match event {
            Some(Event::ProjectCreated(data)) => Self { name: data.name.clone(), ..self },
            Some(Event::ProjectRenamed(data)) => Self { name: data.name.clone(), ..self },
            Some(Event::TaskCreated(data)) => Self {
                status: Some(data.status),
                agent: data.agent.clone(),
                project: Some(data.project),
                ..self
            },
            Some(Event::TaskClaimed(data)) => {
                Self { status: Some(Status::InProgress), agent: Some(data.agent.clone()), ..self }
            }
            Some(Event::TaskMoved(data)) => Self { project: Some(data.project), ..self },
            Some(Event::TaskReleased(_)) => to(Status::Ready),
            Some(Event::TaskBlocked(_)) => to(Status::Blocked),
            Some(Event::TaskUnblocked(data)) => to(data.to),
            Some(Event::TaskCompleted(_)) => to(Status::Done),
            Some(Event::TaskReopened(data)) => to(data.to),
            Some(Event::StatusSet(data)) => to(data.to),
            Some(Event::TaskArchived(_)) => to(Status::Archived),
            Some(Event::TaskRestored(data)) => to(data.to),
            Some(
                Event::ProjectFrozen(_)
                | Event::ProjectUnfrozen(_)
                | Event::ProjectDeleted(_)
                | Event::TaskUpdated(_)
                | Event::ClaimRenewed(_)
                | Event::ClaimExpired(_)
                | Event::TaskDeleted(_)
                | Event::TaskPruned(_)
                | Event::CommentAdded(_)
                | Event::CheckpointRecorded(_)
                | Event::ProgressSet(_)
                | Event::DependencyAdded(_)
                | Event::DependencyRemoved(_)
                | Event::DependencyKept(_)
                | Event::WorkflowRan(_)
                | Event::OpCompleted(_)
                | Event::HookSet(_)
                | Event::HookRemoved(_)
                | Event::HookEnqueued(_)
                | Event::HookDelivered(_)
                | Event::HookFailed(_)
                | Event::HookDiscarded(_)
                | Event::HookRetried(_)
                | Event::KeyCreated(_)
                | Event::KeyRotated(_)
                | Event::KeyRevoked(_)
                | Event::Run(_)
                | Event::Chunk(_)
                | Event::Session(_)
                | Event::Definition(_),
            )
            | None => self,
        }
    }
}

/// HZL's tasks begin in the backlog and are moved from there.
fn created(data: &TaskCreated, project: &str) -> Vec<(String, Value)> {
    let list = |items: &[String]| (!items.is_empty()).then(|| items.to_vec());
    let fields = without_nulls(json!({
        "title": data.title,
        "project": project,
        "parent_id": data.parent,
        "description": data.description,
        "links": list(&data.links),
        "depends_on": (!data.depends_on.is_empty()).then_some(&data.depends_on),
        "tags": list(&data.tags),
        "priority": data.priority,
        "due_at": data.due_at,
        "metadata": (!data.metadata.is_empty()).then_some(&data.metadata),
        "stale_after_minutes": data.stale_after_minutes,
        "agent": data.agent,
    }));
    let mut told = vec![("task_created".to_owned(), fields)];
    if data.status != Status::Backlog {
        let change = json!({ "from": Status::Backlog, "to": data.status });
        told.push(("status_changed".to_owned(), change));
    }
    told
}

/// HZL tells each field by itself.
fn updated(data: &TaskUpdated) -> Vec<(String, Value)> {
    fn cleared<T: Clone + Serialize>(change: &Change<T>) -> Value {
        json!(change.value())
    }
    let fields = [
        ("title", data.title.as_ref().map(|new| json!(new))),
        ("description", data.description.as_ref().map(|new| json!(new))),
        ("links", data.links.as_ref().map(|new| json!(new))),
        ("tags", data.tags.as_ref().map(|new| json!(new))),
        ("priority", data.priority.map(|new| json!(new))),
        ("metadata", data.metadata.as_ref().map(|new| json!(new))),
        ("due_at", data.due_at.as_ref().map(cleared)),
        ("stale_after_minutes", data.stale_after_minutes.as_ref().map(cleared)),
        ("parent_id", data.parent.as_ref().map(cleared)),
        ("agent", data.agent.as_ref().map(cleared)),
    ];
    let changed = fields.into_iter().filter_map(|(field, new)| Some((field, new?)));
    let tell = |(field, new): (&str, Value)| {
        ("task_updated".to_owned(), json!({ "field": field, "new_value": new }))
    };
    changed.map(tell).collect()
}

/// HZL tells progress as a checkpoint.
fn progressed(percent: u8) -> Value {
    json!({ "name": format!("Progress updated to {percent}%"), "progress": percent })
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept: Map<String, Value> =
                fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
            Value::Object(kept)
        }
        other => other,
    }
}
