//! Events as they are stored, and rows of the views, read from and written to cells.

use serde_json::{Map, Value};
use windlass_domain::chain::{Hash, Head, Header, Provenance};
use windlass_domain::event::{Kind, Subject, Unreadable};
use windlass_domain::op::OpRecord;
use windlass_domain::project::{Counts, Project};
use windlass_domain::workflow::resume::InHand;
use windlass_domain::{
    Code, CorrelationId, Event, EventId, ProjectId, Status, Stream, Task, TaskId, Time,
};

use crate::cell::{Cell, Columns};
use crate::fault::{Fault, unreadable};
use crate::store::{Candidate, Effect};

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub header: Header,
    /// The stored bytes; nothing when they were pruned.
    pub data: Option<String>,
    /// The hash of data that were pruned.
    pub pruned: Option<Hash>,
    pub hash: Hash,
}

impl Recorded {
    /// What happened; nothing when the data were pruned.
    pub fn event(&self) -> Result<Option<Event>, Unreadable> {
        let decode = |data: &String| Event::decode(&self.header.kind, self.header.version, data);
        self.data.as_ref().map(decode).transpose()
    }

    pub(crate) fn is_about(&self, subject: Subject) -> bool {
        let kind = Kind::from_text(&self.header.kind);
        kind.is_some_and(|kind| kind.subject() == subject)
    }

    /// The hash of its data, which are there or were.
    pub fn data_hash(&self) -> Hash {
        match (&self.data, self.pruned) {
            (Some(data), _) => Hash::of(data.as_bytes()),
            (None, hash) => hash.unwrap_or(Head::EMPTY.hash),
        }
    }

    pub fn head(&self) -> Head {
        Head { seq: self.header.seq, hash: self.hash }
    }

    pub(crate) fn read(row: &dyn Columns) -> Result<Self, Fault> {
        Ok(Self {
            header: Header {
                seq: row.count(0)?,
                id: EventId::from_bytes(row.id(1)?),
                at: Time::from_millis(row.int(2)?),
                stream: Stream::from_bytes(row.id(3)?),
                stream_seq: row.count(4)?,
                kind: row.text(5)?,
                version: u32::try_from(row.int(6)?).unwrap_or(u32::MAX),
                provenance: Provenance {
                    actor: row.text(9)?,
                    on_behalf_of: row.maybe_text(10)?,
                    session: row.maybe_text(11)?,
                    correlation: row.maybe_id(12)?.map(CorrelationId::from_bytes),
                    causation: row.maybe_id(13)?.map(EventId::from_bytes),
                    op: row.maybe_text(14)?,
                },
            },
            data: row.maybe_text(7)?,
            pruned: row.maybe_hash(8)?,
            hash: row.hash(15)?,
        })
    }

    /// Calls `write` with the cells in the order of [`EVENT_COLUMNS`].
    pub(crate) fn cells<T>(&self, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
        let (header, by) = (&self.header, &self.header.provenance);
        let (id, stream) = (header.id.to_bytes(), header.stream.to_bytes());
        let correlation = by.correlation.map(CorrelationId::to_bytes);
        let causation = by.causation.map(EventId::to_bytes);
        write(&[
            Cell::count(header.seq),
            Cell::Bytes(&id),
            Cell::Int(header.at.as_millis()),
            Cell::Bytes(&stream),
            Cell::count(header.stream_seq),
            Cell::Text(&header.kind),
            Cell::Int(i64::from(header.version)),
            Cell::text_or_null(self.data.as_deref()),
            self.pruned.as_ref().map_or(Cell::Null, |hash| Cell::Bytes(hash.as_bytes())),
            Cell::Text(&by.actor),
            Cell::text_or_null(by.on_behalf_of.as_deref()),
            Cell::text_or_null(by.session.as_deref()),
            correlation.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            causation.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::text_or_null(by.op.as_deref()),
            Cell::Bytes(self.hash.as_bytes()),
        ])
    }
}

/// The long texts of a task.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Details {
    pub description: Option<String>,
    pub links: Vec<String>,
    pub metadata: Map<String, Value>,
    /// The words of its comments and checkpoints, as they are indexed.
    pub(crate) note_words: String,
}

impl Details {
    pub(crate) fn read(row: &dyn Columns) -> Result<Self, Fault> {
        Ok(Self {
            description: row.maybe_text(0)?,
            links: from_json(&row.text(1)?)?,
            metadata: from_json(&row.text(2)?)?,
            note_words: row.text(3)?,
        })
    }

    /// Calls `write` with the cells of `created_seq, description, links, metadata, note_words`.
    pub(crate) fn cells<T>(&self, created_seq: u64, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
        let links = to_json(&self.links);
        let metadata = to_json(&self.metadata);
        write(&[
            Cell::count(created_seq),
            Cell::text_or_null(self.description.as_deref()),
            Cell::Text(&links),
            Cell::Text(&metadata),
            Cell::Text(&self.note_words),
        ])
    }
}

/// `3 - priority`: the stored form, so that every order is ascending.
pub(crate) fn urgency(priority: u8) -> i64 {
    3 - i64::from(priority)
}

fn priority(urgency: i64) -> u8 {
    u8::try_from(3 - urgency).unwrap_or(0)
}

/// A due date as a key in which "none" comes last.
pub(crate) fn due_key(due_at: Option<Time>) -> i64 {
    due_at.map_or(i64::MAX, Time::as_millis)
}

pub(crate) fn read_task(row: &dyn Columns) -> Result<Task, Fault> {
    let time = |column| Ok::<_, Fault>(row.maybe_int(column)?.map(Time::from_millis));
    Ok(Task {
        created_seq: row.count(0)?,
        id: TaskId::from_bytes(row.id(1)?),
        version: row.count(3)?,
        project: ProjectId::from_bytes(row.id(4)?),
        parent: row.maybe_id(5)?.map(TaskId::from_bytes),
        title: row.text(6)?,
        status: status(&row.text(7)?)?,
        archived_from: row.maybe_text(8)?.map(|text| status(&text)).transpose()?,
        priority: priority(row.int(9)?),
        due_at: time(10)?,
        tags: from_json(&row.text(11)?)?,
        agent: row.text_or_none(12)?,
        fence: row.count(13)?,
        claimed_at: time(14)?,
        active_at: time(15)?,
        lease_until: time(16)?,
        lease_ms: row.maybe_int(17)?,
        lease_expired: row.flag(18)?,
        auto_unpause: row.flag(19)?,
        progress: row.maybe_int(20)?.and_then(|progress| u8::try_from(progress).ok()),
        stale_after_minutes: row.maybe_int(21)?.and_then(|minutes| u32::try_from(minutes).ok()),
        pipeline: row.text(22)?,
        stage: row.maybe_text(23)?,
        role: row.text_or_none(24)?,
        open_dependencies: row.count(25)?,
        open_children: row.count(26)?,
        created_at: Time::from_millis(row.int(27)?),
        updated_at: Time::from_millis(row.int(28)?),
        started_at: time(29)?,
        finished_at: time(30)?,
    })
}

/// Calls `write` with the cells of a task in the order of the table.
pub(crate) fn task_cells<T>(task: &Task, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
    let (id, project) = (task.id.to_bytes(), task.project.to_bytes());
    let parent = task.parent.map(TaskId::to_bytes);
    let tags = to_json(&task.tags);
    let time = |time: Option<Time>| Cell::int_or_null(time.map(Time::as_millis));
    write(&[
        Cell::count(task.created_seq),
        Cell::Bytes(&id),
        Cell::Int(task.id.tail()),
        Cell::count(task.version),
        Cell::Bytes(&project),
        parent.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
        Cell::Text(&task.title),
        Cell::Text(task.status.as_str()),
        Cell::text_or_null(task.archived_from.map(Status::as_str)),
        Cell::Int(urgency(task.priority)),
        time(task.due_at),
        Cell::Text(&tags),
        Cell::Text(task.agent.as_deref().unwrap_or_default()),
        Cell::count(task.fence),
        time(task.claimed_at),
        time(task.active_at),
        time(task.lease_until),
        Cell::int_or_null(task.lease_ms),
        Cell::flag(task.lease_expired),
        Cell::flag(task.auto_unpause),
        Cell::int_or_null(task.progress.map(i64::from)),
        Cell::int_or_null(task.stale_after_minutes.map(i64::from)),
        Cell::Text(&task.pipeline),
        Cell::text_or_null(task.stage.as_deref()),
        Cell::Text(task.role.as_deref().unwrap_or_default()),
        Cell::count(task.open_dependencies),
        Cell::count(task.open_children),
        Cell::Int(task.created_at.as_millis()),
        Cell::Int(task.updated_at.as_millis()),
        time(task.started_at),
        time(task.finished_at),
    ])
}

pub(crate) fn read_project(row: &dyn Columns) -> Result<Project, Fault> {
    Ok(Project {
        created_seq: row.count(0)?,
        id: ProjectId::from_bytes(row.id(1)?),
        version: row.count(2)?,
        name: row.text(3)?,
        description: row.maybe_text(4)?,
        repo: row.maybe_text(5)?,
        protected: row.flag(6)?,
        frozen: row.flag(7)?,
        frozen_reason: row.maybe_text(8)?,
        deleted: row.flag(9)?,
        counts: Counts {
            backlog: row.int(10)?,
            ready: row.int(11)?,
            in_progress: row.int(12)?,
            blocked: row.int(13)?,
            done: row.int(14)?,
            archived: row.int(15)?,
            claimable: row.int(16)?,
        },
        created_at: Time::from_millis(row.int(17)?),
        updated_at: Time::from_millis(row.int(18)?),
    })
}

/// Calls `write` with the cells of a project in the order of the table.
pub(crate) fn project_cells<T>(project: &Project, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
    let id = project.id.to_bytes();
    let counts = &project.counts;
    write(&[
        Cell::count(project.created_seq),
        Cell::Bytes(&id),
        Cell::count(project.version),
        Cell::Text(&project.name),
        Cell::text_or_null(project.description.as_deref()),
        Cell::text_or_null(project.repo.as_deref()),
        Cell::flag(project.protected),
        Cell::flag(project.frozen),
        Cell::text_or_null(project.frozen_reason.as_deref()),
        Cell::flag(project.deleted),
        Cell::Int(counts.backlog),
        Cell::Int(counts.ready),
        Cell::Int(counts.in_progress),
        Cell::Int(counts.blocked),
        Cell::Int(counts.done),
        Cell::Int(counts.archived),
        Cell::Int(counts.claimable),
        Cell::Int(project.created_at.as_millis()),
        Cell::Int(project.updated_at.as_millis()),
    ])
}

pub(crate) fn read_candidate(row: &dyn Columns) -> Result<Candidate, Fault> {
    Ok(Candidate {
        created_seq: row.count(0)?,
        urgency: row.int(1)?,
        due_key: row.int(2)?,
        routed: !row.text(3)?.is_empty(),
    })
}

pub(crate) fn read_op(row: &dyn Columns) -> Result<OpRecord, Fault> {
    Ok(OpRecord {
        op_id: row.text(0)?,
        operation: row.text(1)?,
        input: row.hash(2)?,
        result: serde_json::from_str(&row.text(3)?).map_err(unreadable)?,
        at: Time::from_millis(row.int(4)?),
        seq: row.count(5)?,
    })
}

pub(crate) fn read_in_hand(row: &dyn Columns) -> Result<InHand, Fault> {
    Ok(InHand {
        created_seq: row.count(0)?,
        priority: priority(row.int(1)?),
        due_at: row.maybe_int(2)?.map(Time::from_millis),
        claimed_at: row.maybe_int(3)?.map(Time::from_millis),
    })
}

pub(crate) fn read_effect(row: &dyn Columns) -> Result<Effect, Fault> {
    Ok(Effect {
        id: row.int(0)?,
        event_seq: row.count(1)?,
        host: row.text(2)?,
        kind: row.text(3)?,
        data: row.text(4)?,
    })
}

/// Calls `write` with the cells of a task's place in the queue.
pub(crate) fn queue_cells<T>(tag: &str, task: &Task, write: impl FnOnce(&[Cell<'_>]) -> T) -> T {
    write(&[
        Cell::Text(tag),
        Cell::Bytes(&task.project.to_bytes()),
        Cell::Text(task.role.as_deref().unwrap_or_default()),
        Cell::Text(task.agent.as_deref().unwrap_or_default()),
        Cell::Int(urgency(task.priority)),
        Cell::Int(due_key(task.due_at)),
        Cell::count(task.created_seq),
    ])
}

pub(crate) fn status(text: &str) -> Result<Status, Fault> {
    Status::from_text(text)
        .ok_or_else(|| Fault::new(Code::LedgerCorrupt, format!("a row has the status '{text}'")))
}

pub(crate) fn to_json(value: &impl serde::Serialize) -> String {
    // Strings, lists and maps with string keys: serialising them cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|source| {
        Fault::new(Code::LedgerCorrupt, "a row holds broken JSON").because(source)
    })
}
