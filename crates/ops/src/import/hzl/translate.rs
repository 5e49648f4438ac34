//! Events of HZL in the words of this ledger: functions from values to values.
//!
//! HZL's status changes say where a task goes; what that means here depends on the status it has
//! here. Every pair is named.

use serde_json::{Map, Value};
use windlass_domain::event::{
    Authority, Change, CheckpointRecorded, ClaimRenewed, CommentAdded, Event, Holder, StatusSet,
    TaskArchived, TaskBlocked, TaskClaimed, TaskCompleted, TaskCreated, TaskReleased, TaskReopened,
    TaskRestored, TaskUnblocked, TaskUpdated, Won,
};
use windlass_domain::{ProjectId, Status, Task, TaskId, Time, text};

use crate::import::clean::{Clean, object};

/// Who owns a claim that HZL knows no owner of.
pub(super) const NOBODY: &str = "hzl";

/// What an event of HZL says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    ProjectCreated { name: String, description: Option<String> },
    ProjectRenamed { from: String, to: String },
    ProjectDeleted { name: String },
    Created { project: String, parent: Option<String>, on: Vec<String>, fields: Fields },
    StatusChanged(Move),
    Moved { to: String },
    DependencyAdded { on: String },
    DependencyRemoved { on: String },
    ParentSet { parent: Option<String> },
    Updated { field: String, value: Value },
    Archived,
    Commented { text: String },
    Checkpointed { name: String, fields: Fields },
}

/// The fields of an event, looked at one by one so that a wrong one does not spoil the others.
type Fields = Map<String, Value>;

/// A change of status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) to: Status,
    pub(super) agent: Option<String>,
    pub(super) lease_until: Option<Time>,
    pub(super) is_stolen: bool,
}

/// Why an event says nothing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unsaid {
    /// HZL has kinds of events that are not known here.
    UnknownKind,
    Unreadable(String),
}

/// Reads an event of HZL.
pub(super) fn read(kind: &str, data: &str, clean: &mut Clean<'_>) -> Result<Said, Unsaid> {
    let mut fields = object(data).map_err(|error| Unsaid::Unreadable(error.to_string()))?;
    let missing = |name: &str| Unsaid::Unreadable(format!("{kind} without {name}"));
    let need = |fields: &Fields, name: &str| string(fields, name).ok_or_else(|| missing(name));
    Ok(match kind {
        "project_created" => Said::ProjectCreated {
            name: need(&fields, "name")?,
            description: string(&fields, "description")
                .and_then(|given| clean.long("description", &given)),
        },
        "project_renamed" => Said::ProjectRenamed {
            from: need(&fields, "old_name")?,
            to: need(&fields, "new_name")?,
        },
        "project_deleted" => Said::ProjectDeleted { name: need(&fields, "name")? },
        "task_created" => Said::Created {
            project: need(&fields, "project")?,
            parent: string(&fields, "parent_id"),
            on: strings(&fields, "depends_on"),
            fields,
        },
        "status_changed" => {
            let to = need(&fields, "to")?;
            let to = Status::from_text(&to)
                .ok_or_else(|| Unsaid::Unreadable(format!("there is no status '{to}'")))?;
            Said::StatusChanged(Move {
                to,
                agent: string(&fields, "agent").and_then(|given| clean.name("agent", &given)),
                lease_until: string(&fields, "lease_until")
                    .and_then(|given| clean.time("lease_until", &given)),
                is_stolen: string(&fields, "reason").as_deref() == Some("stolen"),
            })
        }
        "task_moved" => Said::Moved { to: need(&fields, "to_project")? },
        "dependency_added" => Said::DependencyAdded { on: need(&fields, "depends_on_id")? },
        "dependency_removed" => Said::DependencyRemoved { on: need(&fields, "depends_on_id")? },
        "task_updated" => match need(&fields, "field")?.as_str() {
            "parent_id" => Said::ParentSet { parent: string(&fields, "new_value") },
            field => Said::Updated {
                field: field.to_owned(),
                value: fields.remove("new_value").unwrap_or_default(),
            },
        },
        "task_archived" => Said::Archived,
        "comment_added" => Said::Commented { text: need(&fields, "text")? },
        "checkpoint_recorded" => Said::Checkpointed { name: need(&fields, "name")?, fields },
        _ => return Err(Unsaid::UnknownKind),
    })
}

/// A text that is there and not empty.
fn string(fields: &Fields, name: &str) -> Option<String> {
    fields.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn strings(fields: &Fields, name: &str) -> Vec<String> {
    let items = fields.get(name).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What other tasks and projects a new task belongs with, once they are known here.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) project: ProjectId,
    pub(super) parent: Option<TaskId>,
    pub(super) depends_on: Vec<TaskId>,
}

/// A new task begins in the backlog; HZL tells in a second event where it goes from there.
pub(super) fn created(fields: &Fields, place: Place, clean: &mut Clean<'_>) -> TaskCreated {
    let agent = string(fields, "agent").or_else(|| string(fields, "assignee"));
    let metadata = fields.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    TaskCreated {
        project: place.project,
        title: clean.title(&string(fields, "title").unwrap_or_default()),
        status: Status::Backlog,
        parent: place.parent,
        description: string(fields, "description")
            .and_then(|given| clean.long("description", &given)),
        links: clean.links(&strings(fields, "links")),
        tags: clean.tags(&strings(fields, "tags")),
        priority: number(fields.get("priority")).map_or(0, |given| priority(given, clean)),
        due_at: string(fields, "due_at").and_then(|given| clean.time("due_at", &given)),
        metadata: clean.metadata(metadata),
        stale_after_minutes: number(fields.get("stale_after_minutes")).map(minutes),
        agent: agent.and_then(|given| clean.name("agent", &given)),
        depends_on: place.depends_on,
        stage: None,
        forced: None,
    }
}

fn number(value: Option<&Value>) -> Option<f64> {
    value?.as_f64()
}

fn priority(given: f64, clean: &mut Clean<'_>) -> u8 {
    let kept = given.clamp(0.0, f64::from(text::PRIORITY_HIGHEST));
    if (kept - given).abs() > f64::EPSILON {
        clean.left_out("priority", given);
    }
    whole(kept)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the callers have brought it into the range of a byte"
)]
fn whole(given: f64) -> u8 {
    given.round() as u8
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "such a cast stops at the bounds of the type, which is what is wanted"
)]
fn minutes(given: f64) -> u32 {
    given.round() as u32
}

/// Who is named in an event of HZL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct By {
    /// The author, or else the agent.
    pub(super) name: Option<String>,
}

impl By {
    /// By what right this was done to a task: HZL asks nobody.
    fn authority(&self, task: &Task) -> Authority {
        match (task.held(), &self.name) {
            (None, _) => Authority::Free,
            (Some(held), Some(name)) if held.agent == name => Authority::Holder,
            (Some(_), _) => Authority::Unfenced,
        }
    }
}

/// A status change of HZL as what it means for the task as it is here.
pub(super) fn change_status(task: &Task, change: &Move, by: &By, at: Time) -> Vec<Event> {
    use Status::{Archived, Backlog, Blocked, Done, InProgress, Ready};
    let authority = by.authority(task);
    let set = |to| StatusSet { to, authority: by.authority(task), forced: None }.into();
    let restored = |to| TaskRestored { to }.into();
    let claimed = |won| claim(task, change, by, at, won);
    let blocked = || {
        TaskBlocked {
            reason: None,
            auto_unpause: false,
            authority: by.authority(task),
            forced: None,
        }
        .into()
    };
    match (task.status, change.to) {
        (Backlog, Backlog)
        | (Ready, Ready)
        | (Blocked, Blocked)
        | (Done, Done)
        | (Archived, Archived) => Vec::new(),

        (Ready, InProgress) => vec![claimed(Won::Claimed)],
        (InProgress, InProgress) => go_on(task, change, by, at),
        (Blocked, InProgress) if is_held_by(task, &owner(task, change, by)) => {
            let (lease_until, lease_ms) = lease(change, at);
            vec![
                TaskUnblocked {
                    to: InProgress,
                    routed_to: None,
                    lease_until,
                    lease_ms,
                    authority,
                    forced: None,
                }
                .into(),
            ]
        }
        (Backlog | Blocked | Done, InProgress) => vec![claimed(Won::Overridden)],
        (Archived, InProgress) => vec![restored(Ready), claimed(Won::Claimed)],

        (InProgress | Blocked, Done) => vec![TaskCompleted { authority, forced: None }.into()],
        (Backlog | Ready, Done) => vec![set(Done)],

        (InProgress, Ready) => vec![TaskReleased { authority, forced: None }.into()],
        (Blocked, Ready) => {
            let (lease_until, lease_ms) = (None, None);
            vec![
                TaskUnblocked {
                    to: Ready,
                    routed_to: None,
                    lease_until,
                    lease_ms,
                    authority,
                    forced: None,
                }
                .into(),
            ]
        }
        (Done, Ready | Backlog) => vec![TaskReopened { to: change.to }.into()],
        (Backlog, Ready) | (Ready | InProgress | Blocked, Backlog) => vec![set(change.to)],

        (Ready | InProgress, Blocked) => vec![blocked()],
        (Backlog | Done, Blocked) => vec![set(Blocked)],

        // HZL has no way back from the archive, but its log can hold one: two processes that wrote
        // at once. The last one counts there.
        (Archived, Backlog | Ready | Done) => vec![restored(change.to)],
        (Archived, Blocked) => vec![restored(Ready), blocked()],
        (Backlog | Ready | InProgress | Blocked | Done, Archived) => vec![archived(task, by)],
    }
}

/// A claim of a task that is claimed already: of another, or once more of the same.
fn go_on(task: &Task, change: &Move, by: &By, at: Time) -> Vec<Event> {
    if change.is_stolen || !is_held_by(task, &owner(task, change, by)) {
        return vec![claim(task, change, by, at, Won::Stolen)];
    }
    let authority = by.authority(task);
    match lease(change, at) {
        (Some(lease_until), Some(lease_ms)) => {
            vec![ClaimRenewed { lease_until, lease_ms, authority, forced: None }.into()]
        }
        _ => Vec::new(),
    }
}

fn claim(task: &Task, change: &Move, by: &By, at: Time, won: Won) -> Event {
    let (lease_until, lease_ms) = lease(change, at);
    let taken_from =
        task.held().map(|held| Holder { agent: held.agent.to_owned(), fence: held.fence });
    TaskClaimed {
        agent: owner(task, change, by),
        fence: task.fence + 1,
        won,
        lease_until,
        lease_ms,
        taken_from,
        reason: None,
    }
    .into()
}

/// Who owns a task in progress: the agent that is given, else who acts, else who had it before.
fn owner(task: &Task, change: &Move, by: &By) -> String {
    let given = change.agent.as_ref().or(by.name.as_ref()).or(task.agent.as_ref());
    given.map_or(NOBODY, String::as_str).to_owned()
}

fn is_held_by(task: &Task, agent: &str) -> bool {
    task.held().is_some_and(|held| held.agent == agent)
}

/// The end and the length of a lease.
fn lease(change: &Move, at: Time) -> (Option<Time>, Option<i64>) {
    let until = change.lease_until;
    (until, until.map(|until| until.millis_since(at).max(1)))
}

/// Puts a task away.
pub(super) fn archived(task: &Task, by: &By) -> Event {
    TaskArchived { authority: by.authority(task), forced: None }.into()
}

pub(super) fn commented(text: &str, clean: &mut Clean<'_>) -> Option<Event> {
    clean.said(text).map(|text| CommentAdded { text }.into())
}

pub(super) fn checkpointed(
    task: &Task,
    name: &str,
    fields: &Fields,
    by: &By,
    clean: &mut Clean<'_>,
) -> Option<Event> {
    let data = fields.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
    let progress = number(fields.get("progress"))
        .map(|given| whole(given.clamp(0.0, f64::from(text::PROGRESS_HIGHEST))));
    let event = CheckpointRecorded {
        name: clean.checkpoint_name(name)?,
        data: clean.checkpoint_data(data),
        progress,
        authority: by.authority(task),
        forced: None,
    };
    Some(event.into())
}

/// A changed field, other than the parent.
pub(super) fn updated(
    task: &Task,
    field: &str,
    value: &Value,
    by: &By,
    clean: &mut Clean<'_>,
) -> Option<Event> {
    let mut data = TaskUpdated::default();
    let text = value.as_str().unwrap_or_default();
    let list = || -> Vec<String> {
        let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        items.map(str::to_owned).collect()
    };
    match field {
        "title" => data.title = Some(clean.title(text)),
        "description" => {
            data.description = Some(clean.long("description", text).unwrap_or_default());
        }
        "links" => data.links = Some(clean.links(&list())),
        "tags" => data.tags = Some(clean.tags(&list())),
        "priority" => data.priority = Some(priority(number(Some(value)).unwrap_or(0.0), clean)),
        "metadata" => {
            let given = value.as_object().cloned().unwrap_or_default();
            data.metadata = Some(clean.metadata(given));
        }
        "due_at" if value.is_null() => data.due_at = Some(Change::Cleared),
        "due_at" => data.due_at = Some(Change::To(clean.time("due_at", text)?)),
        "stale_after_minutes" => {
            let given = number(Some(value)).map(minutes);
            data.stale_after_minutes = Some(given.map_or(Change::Cleared, Change::To));
        }
        "agent" | "assignee" => return routed(task, text, by, clean),
        _ => {
            clean.left_out(field, value);
            return None;
        }
    }
    Some(data.into())
}

/// Another agent for a task. One that is held does not change hands by an update here.
fn routed(task: &Task, agent: &str, by: &By, clean: &mut Clean<'_>) -> Option<Event> {
    let agent = match agent {
        "" => None,
        given => Some(clean.name("agent", given)?),
    };
    if agent == task.agent {
        return None;
    }
    if let (Some(held), Some(agent)) = (task.held(), &agent)
        && task.status == Status::InProgress
    {
        let event = TaskClaimed {
            agent: agent.clone(),
            fence: task.fence + 1,
            won: Won::Stolen,
            lease_until: task.lease_until,
            lease_ms: task.lease_ms,
            taken_from: Some(Holder { agent: held.agent.to_owned(), fence: held.fence }),
            reason: by.name.as_ref().map(|name| format!("given by {name}")),
        };
        return Some(event.into());
    }
    if task.held().is_some() {
        clean.left_out("agent of a task that is held", agent.unwrap_or_default());
        return None;
    }
    let agent = Some(agent.map_or(Change::Cleared, Change::To));
    Some(TaskUpdated { agent, ..TaskUpdated::default() }.into())
}

#[cfg(test)]
mod tests;
