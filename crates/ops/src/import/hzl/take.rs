//! Taking a run of HZL's events into this ledger.
//!
//! What is here already is told by the ids of the events in a task's stream: up to the last event
//! of HZL among them everything is here, also what left no trace. After it may only come events
//! that the same event of HZL led to; anything else was done here, and then HZL's word no longer
//! counts for that task.

use std::collections::HashMap;

use windlass_domain::chain::{Head, Provenance};
use windlass_domain::event::{
    Change, DependencyAdded, DependencyRemoved, Event, TaskMoved, TaskUpdated,
};
use windlass_domain::{EventId, ProjectId, Status, Stream, Task, TaskId, Time};
use windlass_ledger::{
    Bulk, Error, HZL_PROJECTS, Happened, Hzl as Files, HzlEvent, Recorded, Transaction,
};

use super::ids::{derived, id_of, own_id, task_id, time_of};
use super::projects::Projects;
use super::relations::{Related, Relations};
use super::translate::{self, By, NOBODY, Place, Said, Unsaid};
use crate::import::clean::Clean;
use crate::import::notes::Notes;

const NO_TASKS: &str = "events about tasks whose id is no id: left out";
const NO_PROJECTS: &str = "changes to projects that HZL does not have: left out";
const NEVER_CREATED: &str = "events of tasks that were never created: left out";
const CREATED_AGAIN: &str = "tasks that were created once more: the first time counts";
const UNKNOWN_KINDS: &str = "events of a kind that is not known here: left out";
const UNREADABLE: &str = "events that cannot be read: left out";
const NOT_TAKEN: &str = "events of tasks and projects that went on here: not taken";
const IMPOSSIBLE: &str = "changes that are refused here, such as to archived tasks: left out";
const FREED: &str = "tasks that were given back and kept their agent in HZL: free here";
const LEASE_KEPT: &str = "leases that were lost by claiming again: kept";
const TIMES: &str = "events whose time cannot be read: the time in their id counts";

/// How much was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) read: u64,
    pub(super) recorded: u64,
    pub(super) here: u64,
    pub(super) projects: u64,
    pub(super) tasks: u64,
}

/// How far a stream of this ledger has come with HZL's events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Known {
    /// The last row of HZL that is here.
    up_to: i64,
    /// Something was done here that HZL does not know.
    went_on: bool,
}

/// What becomes of an event of HZL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    New,
    Here,
    /// Newer than something that was done here.
    Late,
}

/// An import under way. It is cloned for every transaction, so that one can be tried again.
#[derive(Debug, Clone)]
pub(super) struct Taking {
    pub(super) counts: Counts,
    pub(super) notes: Notes,
    projects: Projects,
    relations: Relations,
    known: HashMap<Stream, Known>,
    /// Where the log ended after the last transaction.
    head: Option<Head>,
    /// Streams that are not known do not exist: the ledger was empty, and nobody else has written.
    knows_all: bool,
}

impl Taking {
    /// `log` is all that HZL says about its projects.
    pub(super) fn new(log: &[HzlEvent]) -> Self {
        let mut unused = Notes::default();
        let mut clean = Clean { notes: &mut unused, of: "" };
        let mut said = Vec::with_capacity(log.len());
        for event in log {
            let read = translate::read(&event.kind, &event.data, &mut clean);
            said.extend(read.ok().map(|read| (own_id(event), read)));
        }
        Self {
            counts: Counts::default(),
            notes: Notes::default(),
            projects: Projects::new(said.iter().map(|(id, said)| (*id, said))),
            relations: Relations::default(),
            known: HashMap::new(),
            head: None,
            knows_all: false,
        }
    }

    /// Whether HZL has made that task.
    pub(super) fn has(&self, task: TaskId) -> bool {
        self.relations.has(task)
    }

    /// Takes the next events of HZL in one transaction.
    pub(super) fn take(
        &mut self,
        tx: &mut Transaction<'_>,
        hzl: &Files,
        events: &[HzlEvent],
    ) -> Result<(), Error> {
        self.look_around(tx, hzl, events)?;
        let mut bulk = tx.bulk()?;
        for event in events {
            self.counts.read += 1;
            if event.task == HZL_PROJECTS {
                self.take_project(&mut bulk, event)?;
            } else {
                self.take_task(&mut bulk, event)?;
            }
        }
        bulk.finish()?;
        self.head = Some(tx.head());
        Ok(())
    }

    /// Finds out what of these events is here already.
    fn look_around(
        &mut self,
        tx: &mut Transaction<'_>,
        hzl: &Files,
        events: &[HzlEvent],
    ) -> Result<(), Error> {
        let head = tx.head();
        match self.head {
            None => self.knows_all = head == Head::EMPTY,
            Some(left) if left == head => {}
            Some(_) => {
                // Somebody else has written: what is known may be out of date.
                self.knows_all = false;
                self.known.clear();
            }
        }
        let projects = tx.projects()?;
        self.projects.look_around(&projects);
        if self.knows_all {
            return Ok(());
        }
        if events.iter().any(|event| event.task == HZL_PROJECTS) {
            let log: Vec<(i64, EventId)> =
                hzl.project_events()?.iter().map(|event| (event.row, own_id(event))).collect();
            for project in tx.all_projects()? {
                let stream = project.id.into();
                let known = known(&tx.whole_history(stream)?, &log);
                self.known.insert(stream, known);
            }
        }
        for event in events {
            let Some(stream) = task_id(&event.task).map(Stream::from) else { continue };
            if self.known.contains_key(&stream) {
                continue;
            }
            let history = tx.whole_history(stream)?;
            let log = if history.is_empty() { Vec::new() } else { hzl.ids_of(&event.task)? };
            let log: Vec<_> = log.iter().map(|(row, id)| (*row, id_of(id))).collect();
            let known = known(&history, &log);
            self.known.insert(stream, known);
        }
        Ok(())
    }

    fn standing(&self, stream: Stream, event: &HzlEvent) -> Standing {
        let known = self.known.get(&stream).copied().unwrap_or_default();
        match known {
            Known { up_to, .. } if event.row <= up_to => Standing::Here,
            Known { went_on: true, .. } => Standing::Late,
            Known { went_on: false, .. } => Standing::New,
        }
    }

    /// Settles the events that are not recorded; true when there is nothing more to do.
    fn is_settled(&mut self, stream: Stream, event: &HzlEvent) -> bool {
        match self.standing(stream, event) {
            Standing::New => return false,
            Standing::Here => self.counts.here += 1,
            Standing::Late => {
                self.notes.add(NOT_TAKEN, format_args!("{} of {stream}", event.kind));
            }
        }
        true
    }

    fn take_project(&mut self, bulk: &mut Bulk<'_>, event: &HzlEvent) -> Result<(), Error> {
        let mut notes = Notes::default();
        let said = read(event, &mut notes);
        let project = said.as_ref().and_then(|said| self.projects.follow(own_id(event), said));
        let (Some(said), Some(project)) = (said, project) else {
            notes.add(NO_PROJECTS, format_args!("{} {}", event.kind, event.id));
            self.notes.extend(notes);
            return Ok(());
        };
        if !self.projects.is_reused(project) && self.is_settled(project.into(), event) {
            return Ok(());
        }
        let events = self.projects.events(project, &said, &mut notes);
        let when = When::of(event, &mut notes);
        self.notes.extend(notes);
        self.record(bulk, when, project.into(), events)
    }

    fn take_task(&mut self, bulk: &mut Bulk<'_>, event: &HzlEvent) -> Result<(), Error> {
        let Some(id) = task_id(&event.task) else {
            self.notes.add(NO_TASKS, &event.task);
            return Ok(());
        };
        let mut notes = Notes::default();
        let said = read(event, &mut notes);
        let related = match &said {
            Some(said) => self.relations.follow(id, said, &mut notes),
            None => Related::default(),
        };
        if self.is_settled(id.into(), event) {
            return Ok(());
        }
        let when = When::of(event, &mut notes);
        let events = match said {
            Some(said) => self.events(bulk, &when, id, (&said, related), &mut notes)?,
            None => Vec::new(),
        };
        self.notes.extend(notes);
        self.record(bulk, when, id.into(), events)
    }

    /// What a task's event of HZL means here.
    fn events(
        &mut self,
        bulk: &mut Bulk<'_>,
        when: &When,
        id: TaskId,
        (said, related): (&Said, Related),
        notes: &mut Notes,
    ) -> Result<Vec<Event>, Error> {
        let of = format!("task {id}");
        if let Said::Created { project, fields, .. } = said {
            if !related.is_new {
                notes.add(CREATED_AGAIN, id);
                return Ok(Vec::new());
            }
            let project = self.project(bulk, when, project, notes)?;
            let place = Place { project, parent: related.parent, depends_on: related.on };
            let mut clean = Clean { notes, of: &of };
            return Ok(vec![translate::created(fields, place, &mut clean).into()]);
        }
        // A task that HZL never created need not be asked for.
        let task = if self.has(id) { bulk.task(id)? } else { None };
        let Some(task) = task else {
            notes.add(NEVER_CREATED, of);
            return Ok(Vec::new());
        };
        if let Said::Moved { to } = said {
            let project = self.project(bulk, when, to, notes)?;
            let is_elsewhere = project != task.project;
            let moved = TaskMoved { project, from: Some(task.project) };
            return Ok(is_elsewhere.then(|| moved.into()).into_iter().collect());
        }
        let events = meaning(&task, said, related, when, &mut Clean { notes, of: &of });
        Ok(possible(task, events, when.at, notes))
    }

    /// The project of that name; one that HZL's log does not tell of is made.
    fn project(
        &mut self,
        bulk: &mut Bulk<'_>,
        when: &When,
        name: &str,
        notes: &mut Notes,
    ) -> Result<ProjectId, Error> {
        if let Some(id) = self.projects.id(name) {
            return Ok(id);
        }
        let (id, made) = self.projects.unheard_of(name, when.own, notes);
        if let Some(made) = made {
            let when = When { own: derived(when.own, "project"), ..when.clone() };
            self.record(bulk, when, id.into(), vec![made])?;
        }
        Ok(id)
    }

    /// Records what an event of HZL led to. The first of it gets HZL's own id.
    fn record(
        &mut self,
        bulk: &mut Bulk<'_>,
        when: When,
        stream: Stream,
        events: Vec<Event>,
    ) -> Result<(), Error> {
        for (number, event) in events.into_iter().enumerate() {
            self.counts.recorded += 1;
            self.counts.projects += u64::from(matches!(event, Event::ProjectCreated(_)));
            self.counts.tasks += u64::from(matches!(event, Event::TaskCreated(_)));
            let id = Some(follower(when.own, number));
            let provenance = when.provenance.clone();
            bulk.record(Happened { id, at: when.at, stream, provenance, event })?;
        }
        Ok(())
    }
}

/// What is known of a stream, from its history here and the rows and ids that HZL has of it.
fn known(history: &[Recorded], log: &[(i64, EventId)]) -> Known {
    let rows: HashMap<EventId, i64> = log.iter().map(|(row, id)| (*id, *row)).collect();
    let row = |recorded: &Recorded| rows.get(&recorded.header.id).copied();
    let mut since = Vec::new();
    for recorded in history.iter().rev() {
        if let Some(up_to) = row(recorded) {
            let own = recorded.header.id;
            let expected = (1..).map(|number| follower(own, number));
            let went_on = since.iter().rev().zip(expected).any(|(id, expected)| *id != expected);
            return Known { up_to, went_on };
        }
        since.push(recorded.header.id);
    }
    Known { up_to: 0, went_on: !since.is_empty() }
}

/// The id of the events that one event of HZL led to, in their order.
fn follower(own: EventId, number: usize) -> EventId {
    match number {
        0 => own,
        number => derived(own, &number.to_string()),
    }
}

fn read(event: &HzlEvent, notes: &mut Notes) -> Option<Said> {
    let of = format!("event {}", event.id);
    let said = translate::read(&event.kind, &event.data, &mut Clean { notes, of: &of });
    match said {
        Ok(said) => Some(said),
        Err(Unsaid::UnknownKind) => {
            notes.add(UNKNOWN_KINDS, &event.kind);
            None
        }
        Err(Unsaid::Unreadable(why)) => {
            notes.add(UNREADABLE, format_args!("{of}: {why}"));
            None
        }
    }
}

/// What an event means for the task as it is here, apart from its making and its moves.
fn meaning(
    task: &Task,
    said: &Said,
    related: Related,
    when: &When,
    clean: &mut Clean<'_>,
) -> Vec<Event> {
    let When { at, by, .. } = when;
    let on = related.on.into_iter();
    match said {
        Said::StatusChanged(change) => {
            let events = translate::change_status(task, change, by, *at);
            let is_claimed_again = task.status == change.to && change.to == Status::InProgress;
            if events.is_empty() && is_claimed_again && task.lease_until.is_some() {
                clean.notes.add(LEASE_KEPT, clean.of);
            }
            events
        }
        Said::DependencyAdded { .. } => {
            on.map(|on| DependencyAdded { on, because: None }.into()).collect()
        }
        Said::DependencyRemoved { .. } => {
            on.map(|on| DependencyRemoved { on, because: None }.into()).collect()
        }
        Said::ParentSet { .. } if related.parent_changed => {
            let parent = Some(related.parent.map_or(Change::Cleared, Change::To));
            vec![TaskUpdated { parent, ..TaskUpdated::default() }.into()]
        }
        Said::Updated { field, value } => {
            translate::updated(task, field, value, by, clean).into_iter().collect()
        }
        Said::Archived if task.status != Status::Archived => vec![translate::archived(task, by)],
        Said::Commented { text } => translate::commented(text, clean).into_iter().collect(),
        Said::Checkpointed { name, fields } => {
            translate::checkpointed(task, name, fields, by, clean).into_iter().collect()
        }
        Said::Archived
        | Said::ParentSet { .. }
        | Said::Created { .. }
        | Said::Moved { .. }
        | Said::ProjectCreated { .. }
        | Said::ProjectRenamed { .. }
        | Said::ProjectDeleted { .. } => Vec::new(),
    }
}

/// The events up to the first that cannot happen to the task.
fn possible(mut task: Task, events: Vec<Event>, at: Time, notes: &mut Notes) -> Vec<Event> {
    let agent = task.agent.clone();
    let mut possible = Vec::with_capacity(events.len());
    for event in events {
        if let Err(broken) = task.fold(&event, at) {
            notes.add(IMPOSSIBLE, broken);
            break;
        }
        possible.push(event);
    }
    let is_freed = agent.is_some() && task.agent.is_none();
    let is_by_status = !possible.iter().any(|event| matches!(event, Event::TaskUpdated(_)));
    if is_freed && is_by_status {
        notes.add(FREED, format_args!("{}, which {} had", task.id, agent.unwrap_or_default()));
    }
    possible
}

/// When an event of HZL happened, and who did it.
#[derive(Debug, Clone)]
struct When {
    own: EventId,
    at: Time,
    by: By,
    provenance: Provenance,
}

impl When {
    fn of(event: &HzlEvent, notes: &mut Notes) -> Self {
        let of = format!("event {}", event.id);
        let own = own_id(event);
        let at = Time::parse("timestamp", &event.at).unwrap_or_else(|_| {
            notes.add(TIMES, format_args!("{of}: '{}'", event.at));
            time_of(own)
        });
        let mut clean = Clean { notes, of: &of };
        let mut name = |field, given: &Option<String>| {
            let given = given.as_deref().filter(|given| !given.trim().is_empty())?;
            clean.name(field, given)
        };
        let by = By { name: name("author", &event.author).or(name("agent", &event.agent)) };
        let provenance = Provenance {
            actor: by.name.clone().unwrap_or_else(|| NOBODY.to_owned()),
            on_behalf_of: None,
            session: name("session", &event.session),
            correlation: event.correlation.as_deref().and_then(|id| id.parse().ok()),
            causation: event.causation.as_deref().and_then(|id| id.parse().ok()),
            op: None,
        };
        Self { own, at, by, provenance }
    }
}

#[cfg(test)]
mod tests;
