//! `delegate`: what becomes of a task when a part of its work is given away.

use serde_json::{Map, Value};

use crate::event::{DependencyAdded, Event, WorkflowRan};
use crate::ownership::{Bearer, authorise};
use crate::progress::checkpoint;
use crate::transition::{Until, block, refuse};
use crate::{Refusal, Status, Task, TaskId};

/// The name of the checkpoint that tells of the delegation.
pub const CHECKPOINT: &str = "Delegated follow-on created";

/// The task that the work is given to.
#[derive(Debug, Clone, Copy)]
pub struct Delegated<'a> {
    pub id: TaskId,
    pub title: &'a str,
}

/// What shall become of the source.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// It waits for the delegated task.
    pub depends: bool,
    /// It stops, until then.
    pub pause: Option<Until>,
    /// What is noted on it.
    pub note: Option<String>,
}

/// Work is given away only by a task that is still to be done.
pub fn refuse_settled(source: &Task) -> Result<(), Refusal> {
    match source.status {
        Status::Backlog | Status::Ready | Status::InProgress | Status::Blocked => Ok(()),
        Status::Done | Status::Archived => {
            let open = [Status::Backlog, Status::Ready, Status::InProgress, Status::Blocked];
            Err(refuse(source, "delegate from", &open))
        }
    }
}

/// What happens to the source. Nobody needs a right to let a task wait for another; stopping it and
/// speaking for it are for its holder.
pub fn delegate(
    source: &Task,
    bearer: &Bearer,
    delegated: Delegated<'_>,
    wanted: &Wanted,
) -> Result<Vec<Event>, Refusal> {
    refuse_settled(source)?;
    if bearer.fence.is_some() {
        authorise(source, bearer)?;
    }
    let mut events = Vec::new();
    if wanted.depends {
        events.push(DependencyAdded { on: delegated.id, because: None }.into());
    }
    if let Some(note) = &wanted.note {
        let data = data(delegated, note);
        events.push(checkpoint(source, bearer, CHECKPOINT.to_owned(), data, None)?);
    }
    if let Some(until) = wanted.pause.map(|until| really_until(source, until)) {
        let reason = reason(delegated, until);
        events.push(block(source, bearer, Some(reason), until)?);
    }
    let made = Some(delegated.id);
    events.push(WorkflowRan { workflow: "delegate".to_owned(), made }.into());
    Ok(events)
}

/// When the pause of a source can end. What was blocked before by hand, or paused until somebody
/// unblocks it, does not go on by itself.
pub fn really_until(source: &Task, wanted: Until) -> Until {
    match source.status == Status::Blocked && !source.auto_unpause {
        true => Until::Unblocked,
        false => wanted,
    }
}

fn data(delegated: Delegated<'_>, note: &str) -> Map<String, Value> {
    [
        ("delegated_task_id", delegated.id.to_string()),
        ("delegated_title", delegated.title.to_owned()),
        ("note", note.to_owned()),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value.into()))
    .collect()
}

fn reason(delegated: Delegated<'_>, until: Until) -> String {
    let Delegated { id, title } = delegated;
    match until {
        Until::Unblocked => format!("paused for delegated task {id}: {title}"),
        Until::NothingOpen => {
            format!("paused until nothing it waits for is open; delegated task {id}: {title}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::task::samples::in_status;

    fn named(name: &str) -> Bearer {
        Bearer { name: name.into(), named: true, ..Bearer::default() }
    }

    fn kinds(
        source: &Task,
        bearer: &Bearer,
        wanted: &Wanted,
    ) -> Result<Vec<&'static str>, Refusal> {
        let delegated = Delegated { id: TaskId::from_bytes([3; 16]), title: "look it up" };
        let events = delegate(source, bearer, delegated, wanted)?;
        Ok(events.iter().map(|event| event.kind().as_str()).collect())
    }

    fn depends() -> Wanted {
        Wanted { depends: true, ..Wanted::default() }
    }

    fn pauses() -> Wanted {
        Wanted { pause: Some(Until::Unblocked), ..depends() }
    }

    #[test]
    fn the_table_of_sources() {
        use Status::{Archived, Backlog, Blocked, Done, InProgress, Ready};
        let rows = [
            (Backlog, true, false),
            (Ready, true, true),
            (InProgress, true, true),
            (Blocked, true, true),
            (Done, false, false),
            (Archived, false, false),
        ];
        for (status, plain, paused) in rows {
            let source = in_status(status);
            let by = named("holder");
            assert_eq!(kinds(&source, &by, &depends()).is_ok(), plain, "{status}");
            assert_eq!(kinds(&source, &by, &pauses()).is_ok(), paused, "{status} with pause");
        }
    }

    #[test]
    fn each_wish_leaves_its_event_in_one_order() {
        let source = in_status(Status::InProgress);
        let all = Wanted { note: Some("ask ada".into()), ..pauses() };
        let events = ["dependency_added", "checkpoint_recorded", "task_blocked", "workflow_ran"];
        assert_eq!(kinds(&source, &named("holder"), &all).unwrap(), events);
        assert_eq!(kinds(&source, &named("holder"), &Wanted::default()).unwrap(), ["workflow_ran"]);
    }

    #[test]
    fn only_the_holder_pauses_or_speaks_for_a_held_task() {
        let source = in_status(Status::InProgress);
        let other = named("somebody else");
        assert!(kinds(&source, &other, &depends()).is_ok());
        let speaks = Wanted { note: Some("mine".into()), ..depends() };
        for wanted in [pauses(), speaks] {
            assert_eq!(kinds(&source, &other, &wanted).unwrap_err().code, Code::StaleClaim);
        }
    }

    #[test]
    fn an_old_fence_is_refused_even_where_none_is_needed() {
        let source = in_status(Status::InProgress);
        let old = Bearer { fence: Some(9), ..named("holder") };
        assert_eq!(kinds(&source, &old, &depends()).unwrap_err().code, Code::StaleClaim);
    }

    #[test]
    fn what_was_stopped_otherwise_does_not_go_on_by_itself() {
        let pausing = |auto_unpause| Task { auto_unpause, ..in_status(Status::Blocked) };
        let rows = [
            ("it was not blocked", in_status(Status::InProgress), Until::NothingOpen),
            ("it would end by itself already", pausing(true), Until::NothingOpen),
            ("it was blocked by hand", pausing(false), Until::Unblocked),
        ];
        for (what, source, expected) in rows {
            assert_eq!(really_until(&source, Until::NothingOpen), expected, "{what}");
            assert_eq!(really_until(&source, Until::Unblocked), Until::Unblocked, "{what}");
        }
    }

    #[test]
    fn the_reason_names_the_delegated_task() {
        let delegated = Delegated { id: TaskId::from_bytes([3; 16]), title: "look it up" };
        for until in [Until::Unblocked, Until::NothingOpen] {
            let reason = reason(delegated, until);
            assert!(reason.contains(&delegated.id.to_string()), "{reason}");
            assert!(reason.ends_with(": look it up"), "{reason}");
        }
    }
}
