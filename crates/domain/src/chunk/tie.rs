//! The tie between a spec and its task: the task owns the state, and fields of the spec show it.
//!
//! There are two ways in, and both end with the same fields. What somebody asks of the spec is done
//! to its task too ([`asked`]); what happens to the task, through whatever door, is shown by the spec
//! before the transaction ends ([`follow`]), and where the task goes the spec goes ([`accompany`]).

use serde_json::{Map, Value};

use super::Chunk;
use super::event::{ChunkMoved, ChunkUpdated, ChunkWritten};
use super::field_set::FieldChange;
use super::relocate::relocate;
use super::spec::{
    BLOCKED, NEW, OF_TASK, PREVIOUS, PRIORITY, REASON, STATUS, aimed_again, is_resolved, project,
};
use super::state::Author;
use super::write::Taken;
use crate::event::{Event, TaskCreated, TaskUpdated};
use crate::ownership::Bearer;
use crate::pipeline::{DEV, Stage};
use crate::transition::{self, Until, refuse_archived};
use crate::{ChunkId, Code, Refusal, Status, Task, Time};

/// What the priority of a task is called in a spec, the lowest first.
const PRIORITIES: [&str; 4] = ["low", "medium", "high", "critical"];
/// Who takes a spec that is new.
const FIRST_ROLE: &str = "dev_researcher";

/// Whether a task is that of a spec.
pub fn is_tied(task: &Task) -> bool {
    task.pipeline == DEV
}

/// The task of a new spec.
pub fn task(spec: &ChunkWritten, id: ChunkId) -> Result<TaskCreated, Refusal> {
    let priority = spec.fields.get(PRIORITY).and_then(number).unwrap_or_default();
    let stage = Stage { pipeline: DEV.into(), name: NEW.into(), role: Some(FIRST_ROLE.to_owned()) };
    Ok(TaskCreated {
        project: project(&spec.owner)?,
        title: spec.title.clone(),
        status: Status::Ready,
        parent: None,
        description: None,
        links: vec![format!("chunk:{id}")],
        tags: spec.tags.clone(),
        priority,
        due_at: None,
        metadata: Map::new(),
        stale_after_minutes: None,
        agent: None,
        depends_on: Vec::new(),
        stage: Some(stage),
        forced: None,
    })
}

/// Whether these changes of a spec are changes of its task.
pub fn is_asked(changes: &[FieldChange]) -> bool {
    changes.iter().any(|change| OF_TASK.contains(&change.name.as_str()))
}

/// What is done to the task of a spec because fields of the spec change.
pub fn asked(
    task: &Task,
    changes: &[FieldChange],
    bearer: &Bearer,
    now: Time,
) -> Result<Vec<Event>, Refusal> {
    let to = |name: &str| changes.iter().find(|change| change.name == name);
    let said = to(REASON).and_then(|change| change.after.as_str()).map(str::to_owned);
    let mut events = Vec::new();
    if is_resolved(changes) {
        let how = transition::Unblock::Resume;
        events.push(transition::unblock(task, bearer, how, None, now)?);
    } else if to(STATUS).is_some() || to(REASON).is_some() {
        // Anybody may say what stops a spec, whoever works on it.
        let anybody = Bearer { force: said.clone(), ..bearer.clone() };
        events.push(transition::block(task, &anybody, said, Until::Unblocked)?);
    }
    if let Some(priority) = to(PRIORITY).and_then(|change| number(&change.after)) {
        refuse_archived(task, "an update")?;
        events.push(TaskUpdated { priority: Some(priority), ..TaskUpdated::default() }.into());
    }
    Ok(events)
}

/// What changes about a spec after something happened to its task. `said` is why the task was blocked
/// just now; a spec is not blocked without a reason.
pub fn follow(
    spec: &Chunk,
    shown: &Map<String, Value>,
    task: &Task,
    said: Option<&str>,
    by: Author,
) -> Result<Option<ChunkUpdated>, Refusal> {
    let value = |name: &str| shown.get(name).cloned().unwrap_or(Value::Null);
    let stage = Value::from(task.stage.as_deref().unwrap_or(NEW));
    let (status, previous, reason) = if is_blocked(task) {
        let reason = said.map_or_else(|| value(REASON), Value::from);
        if reason.is_null() {
            return Err(unsaid(task));
        }
        (Value::from(BLOCKED), stage, reason)
    } else {
        (stage, Value::Null, Value::Null)
    };
    let wanted = [
        (STATUS, status),
        (PREVIOUS, previous),
        (REASON, reason),
        (PRIORITY, PRIORITIES.get(usize::from(task.priority)).copied().into()),
    ];
    let change = |(name, after): (&str, Value)| {
        let before = value(name);
        (before != after).then(|| FieldChange { name: name.to_owned(), before, after })
    };
    let fields: Vec<FieldChange> = wanted.into_iter().filter_map(change).collect();
    if fields.is_empty() {
        return Ok(None);
    }
    Ok(Some(ChunkUpdated {
        version: spec.version + 1,
        title: None,
        content: None,
        tags: None,
        audience: aimed_again(spec, &fields),
        fields,
        gotchas: None,
        related: None,
        visibility: None,
        source: None,
        note: None,
        by,
    }))
}

/// How a spec goes along with its task, which is in another project now.
pub fn accompany(spec: &Chunk, task: &Task, taken: &Taken, by: Author) -> ChunkMoved {
    relocate(spec, task.project, taken, by)
}

/// Refuses that a spec goes while its task is open.
pub fn refuse_end(task: &Task) -> Result<(), Refusal> {
    match task.status.is_settled() {
        true => Ok(()),
        false => Err(Refusal::new(Code::InvalidTransition, "the task of this spec is still open")
            .hint(format!("put it away first: windlass task archive {}", task.id))
            .detail("task_id", task.id)
            .detail("status", task.status)),
    }
}

/// Refuses a task that would be open without its spec.
pub fn refuse_alone(task: &Task) -> Result<(), Refusal> {
    if task.status.is_settled() {
        return Ok(());
    }
    let message = format!("task {} ended with its spec, which was deleted", task.id);
    Err(Refusal::new(Code::InvalidTransition, message)
        .hint("write another spec: windlass chunk write dev_spec TITLE --file FILE")
        .detail("task_id", task.id))
}

/// A task that was put away while it was blocked comes back blocked.
fn is_blocked(task: &Task) -> bool {
    let counts = match task.status {
        Status::Archived => task.archived_from.unwrap_or(task.status),
        Status::Backlog | Status::Ready | Status::InProgress | Status::Blocked | Status::Done => {
            task.status
        }
    };
    counts == Status::Blocked
}

fn number(word: &Value) -> Option<u8> {
    let place = PRIORITIES.iter().position(|known| word == known)?;
    u8::try_from(place).ok()
}

fn unsaid(task: &Task) -> Refusal {
    let message =
        format!("task {} is that of a spec, which is not blocked without a reason", task.id);
    Refusal::new(Code::ReasonRequired, message)
        .hint(format!("say what it waits for: windlass task block {} --comment TEXT", task.id))
        .detail("task_id", task.id)
}
