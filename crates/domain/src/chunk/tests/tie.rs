use serde_json::{Map, Value, json};

use super::scene::{agent, by, minute, project};
use crate::built_in::chunk_types;
use crate::chunk::access::{Reader, Standing};
use crate::chunk::audience::Audience;
use crate::chunk::event::ChunkWritten;
use crate::chunk::field_set::FieldChange;
use crate::chunk::keep::{Dependents, delete};
use crate::chunk::tie::{accompany, asked, follow, is_asked, is_tied, refuse_alone, task};
use crate::chunk::update::{Revision, update};
use crate::chunk::write::{Draft, Taken, write};
use crate::chunk::{Chunk, ChunkType, Owner, QueryKey};
use crate::completion::Obstacles;
use crate::event::{Authority, ChunkEvent, Event, StatusSet, TaskMoved, TaskUpdated};
use crate::ownership::Bearer;
use crate::transition::{Until, block, complete, set_status};
use crate::{ChunkId, Code, Refusal, Status, Task, TaskId};

/// A spec and its task.
struct Pair {
    spec: Chunk,
    task: Task,
}

fn spec_type() -> ChunkType {
    chunk_types().into_iter().find(|known| known.slug.as_str() == "dev_spec").unwrap()
}

fn written(fields: Value) -> ChunkWritten {
    let fields = fields.as_object().unwrap().clone();
    let draft = Draft { fields, ..Draft::new("Log in by mail", "With a link") };
    let owner = Owner::Project(project(1));
    let reader = Reader { standing: Standing::Person, ..agent("anna") };
    write(&draft, &spec_type(), owner, &Taken::default(), &reader, by("anna")).unwrap()
}

impl Pair {
    fn new() -> Self {
        Self::with(json!({}))
    }

    fn with(fields: Value) -> Self {
        let (id, data) = (ChunkId::from_bytes([1; 16]), written(fields));
        let created = task(&data, id).unwrap();
        Self {
            spec: Chunk::written(id, &data, 1, minute(1)),
            task: Task::created(TaskId::from_bytes([2; 16]), &created, 2, minute(1)),
        }
    }

    /// Something happens to the task, and the spec follows.
    fn task_does(&mut self, event: Event) -> Result<(), Refusal> {
        self.task.fold(&event, minute(2)).unwrap();
        let said = if let Event::TaskBlocked(data) = &event { data.reason.clone() } else { None };
        let shown = self.spec.shown(&spec_type());
        let followed = follow(&self.spec, &shown, &self.task, said.as_deref(), by("w1"))?;
        if let Some(updated) = followed {
            self.spec.fold(&updated.into(), minute(2)).unwrap();
        }
        Ok(())
    }

    /// Something is asked of the spec, and done to both.
    fn spec_does(&mut self, fields: Value) -> Result<(), Refusal> {
        let fields = fields.as_object().unwrap().clone();
        let revision = Revision { fields, ..Revision::default() };
        let events = update(&self.spec, &revision, &spec_type(), &agent("w1"), by("w1"))?;
        for event in events {
            let ChunkEvent::ChunkUpdated(data) = &event else { continue };
            for done in asked(&self.task, &data.fields, &bearer(), minute(3))? {
                self.task.fold(&done, minute(3)).unwrap();
            }
            self.spec.fold(&event, minute(3)).unwrap();
        }
        Ok(())
    }

    fn blocked(reason: &str) -> Self {
        let mut pair = Self::new();
        let event = block(&pair.task, &bearer(), Some(reason.into()), Until::Unblocked).unwrap();
        pair.task_does(event).unwrap();
        pair
    }

    fn shown(&self) -> Value {
        let mut shown: Map<String, Value> = self.spec.shown(&spec_type());
        shown.remove("ticket_url");
        Value::from(shown)
    }

    /// Neither has anything to tell the other.
    fn agree(&self) -> bool {
        let shown = self.spec.shown(&spec_type());
        follow(&self.spec, &shown, &self.task, None, by("w1")) == Ok(None)
    }
}

fn bearer() -> Bearer {
    Bearer { name: "w1".into(), named: true, ..Bearer::default() }
}

fn set(to: Status) -> Event {
    StatusSet { to, authority: Authority::Free, forced: None }.into()
}

#[test]
fn a_spec_begins_with_a_task_that_is_like_it() {
    let pair = Pair::with(json!({"priority": "critical"}));
    assert!(is_tied(&pair.task) && pair.agree());
    assert_eq!((pair.task.status, pair.task.priority), (Status::Ready, 3));
    assert_eq!(pair.task.stage.as_deref(), Some("new"));
    assert_eq!(pair.task.role.as_deref(), Some("dev_researcher"));
    assert_eq!(pair.task.project, project(1));
}

#[test]
fn c35_a_task_that_is_blocked_blocks_its_spec() {
    let expected = json!({"status": "blocked", "priority": "medium",
        "blocked_reason": "no key", "previous_status": "new"});
    assert_eq!(Pair::blocked("no key").shown(), expected);
}

#[test]
fn c39_a_task_that_goes_on_frees_its_spec() {
    let mut pair = Pair::blocked("no key");
    pair.task_does(set(Status::Ready)).unwrap();
    let expected = json!({"status": "new", "priority": "medium",
        "blocked_reason": null, "previous_status": null});
    assert_eq!(pair.shown(), expected);
}

#[test]
fn c35_a_task_of_a_spec_is_not_blocked_without_a_reason() {
    let mut pair = Pair::new();
    let event = block(&pair.task, &bearer(), None, Until::Unblocked).unwrap();
    assert_eq!(pair.task_does(event).unwrap_err().code, Code::ReasonRequired);
    assert_eq!(Pair::new().task_does(set(Status::Blocked)).unwrap_err().code, Code::ReasonRequired);
}

#[test]
fn c36_blocking_what_is_blocked_is_refused() {
    let mut pair = Pair::blocked("no key");
    let again = pair.spec_does(json!({"status": "blocked", "blocked_reason": "no network"}));
    assert_eq!(again.unwrap_err().code, Code::InvalidTransition);
    assert_eq!(pair.shown()["blocked_reason"], "no key");
    assert_eq!(pair.shown()["previous_status"], "new");
}

#[test]
fn c36_a_second_reason_stands_in_place_of_the_first_and_nothing_else_changes() {
    let mut pair = Pair::blocked("no key");
    let event = block(&pair.task, &bearer(), Some("no network".into()), Until::Unblocked).unwrap();
    pair.task_does(event).unwrap();
    assert_eq!(pair.shown()["blocked_reason"], "no network");
    assert_eq!(pair.shown()["previous_status"], "new");
}

#[test]
fn the_priority_of_a_task_is_that_of_its_spec() {
    let mut pair = Pair::new();
    for (number, word) in [(0, "low"), (1, "medium"), (2, "high"), (3, "critical")] {
        let data = TaskUpdated { priority: Some(number), ..TaskUpdated::default() };
        pair.task_does(data.into()).unwrap();
        assert_eq!(pair.shown()["priority"], word);
    }
}

#[test]
fn what_says_nothing_of_its_state_leaves_a_spec_alone() {
    let mut pair = Pair::new();
    pair.task_does(set(Status::Backlog)).unwrap();
    assert_eq!(pair.spec.version, 1);
}

#[test]
fn what_is_asked_of_a_spec_is_done_to_its_task() {
    let mut pair = Pair::new();
    pair.spec_does(json!({"status": "blocked", "blocked_reason": "no key", "priority": "high"}))
        .unwrap();
    assert_eq!((pair.task.status, pair.task.priority), (Status::Blocked, 2));
    assert!(pair.agree());
    pair.spec_does(json!({"blocked_reason": "no network"})).unwrap();
    assert!(pair.agree());
    pair.spec_does(json!({"status": "new"})).unwrap();
    assert_eq!(pair.task.status, Status::Ready);
    assert!(pair.agree());
}

#[test]
fn a_spec_whose_task_cannot_be_blocked_is_not_blocked() {
    let mut pair = Pair::new();
    pair.task_does(set(Status::Done)).unwrap();
    let asked = pair.spec_does(json!({"status": "blocked", "blocked_reason": "late"}));
    assert_eq!(asked.unwrap_err().code, Code::InvalidTransition);
}

#[test]
fn a_spec_that_was_aimed_at_somebody_while_blocked_is_not_any_more() {
    let mut pair = Pair::blocked("no key");
    pair.spec.audience = Some(Audience::all());
    pair.task_does(set(Status::Ready)).unwrap();
    assert_eq!(pair.spec.audience, None);
}

#[test]
fn whom_a_spec_was_for_before_it_was_blocked_it_is_for_again() {
    let mut pair = Pair::new();
    pair.spec.audience = Some(Audience::all());
    pair.task_does(block(&pair.task, &bearer(), Some("no key".into()), Until::Unblocked).unwrap())
        .unwrap();
    pair.spec.audience = None;
    pair.task_does(set(Status::Ready)).unwrap();
    assert_eq!(pair.spec.audience, Some(Audience::all()));
}

#[test]
fn c35_any_agent_may_block_a_spec_that_another_works_on() {
    let mut pair = Pair::new();
    pair.task.agent = Some("w9".into());
    pair.task.status = Status::InProgress;
    pair.spec_does(json!({"status": "blocked", "blocked_reason": "no key"})).unwrap();
    assert_eq!(pair.task.status, Status::Blocked);
}

#[test]
fn a_spec_is_not_deleted_while_its_task_is_open() {
    let mut pair = Pair::new();
    let deleted = |pair: &Pair| {
        let dependents = Dependents { task: Some(pair.task.clone()), ..Dependents::default() };
        delete(&pair.spec, &dependents, Some("nobody needs it"), &agent("w1"))
    };
    assert_eq!(deleted(&pair).unwrap_err().code, Code::InvalidTransition);
    pair.task_does(set(Status::Done)).unwrap();
    assert!(deleted(&pair).is_ok());
}

#[test]
fn a_task_whose_spec_is_gone_does_not_come_back() {
    let mut pair = Pair::new();
    assert_eq!(refuse_alone(&pair.task).unwrap_err().code, Code::InvalidTransition);
    pair.task_does(set(Status::Done)).unwrap();
    assert_eq!(refuse_alone(&pair.task), Ok(()));
}

#[test]
fn only_some_fields_of_a_spec_are_asked_of_its_task() {
    let change =
        |name: &str| FieldChange { name: name.to_owned(), before: Value::Null, after: json!("x") };
    assert!(is_asked(&[change("ticket_url"), change("priority")]));
    assert!(!is_asked(&[change("ticket_url")]));
}

#[test]
fn c5_the_task_of_a_spec_is_not_done_before_its_last_stage_by_any_force() {
    let mut pair = Pair::new();
    let forced = Bearer { force: Some("I am sure".into()), ..bearer() };
    let to_done = set_status(&pair.task, Status::Done, &forced, &Obstacles::default(), None);
    assert_eq!(to_done.unwrap_err().code, Code::InvalidTransition);
    pair.task_does(block(&pair.task, &forced, Some("stuck".into()), Until::Unblocked).unwrap())
        .unwrap();
    let completed = complete(&pair.task, &forced, &Obstacles::default());
    assert_eq!(completed.unwrap_err().details["stage"], "new");
}

#[test]
fn c5_where_a_task_goes_its_spec_goes() {
    let mut pair = Pair::new();
    let moved = TaskMoved { project: project(2), from: Some(project(1)) };
    pair.task.fold(&moved.into(), minute(2)).unwrap();
    let went = accompany(&pair.spec, &pair.task, &Taken::default(), by("w1"));
    let key = pair.spec.query_key.clone();
    pair.spec.fold(&ChunkEvent::from(went), minute(2)).unwrap();
    assert_eq!(
        (&pair.spec.owner, &pair.spec.query_key, pair.spec.version, pair.spec.author.name.as_str()),
        (&Owner::Project(project(2)), &key, 2, "w1")
    );
}

#[test]
fn a_spec_whose_key_is_taken_where_it_goes_gets_another() {
    let pair = Pair::new();
    let instead = QueryKey::parse("another").ok();
    let taken = Taken { by: Some(ChunkId::from_bytes([9; 16])), instead: instead.clone() };
    let went = accompany(&pair.spec, &pair.task, &taken, by("w1"));
    assert_eq!(Some(went.query_key), instead);
}
