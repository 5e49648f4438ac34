//! The seam between the two databases: what the ledger asks of one open transaction.
//!
//! Every method of [`Store`] says what is wanted, never how. Where both databases understand the
//! same text (in [`crate::sql`]) it is answered here, once; what they answer differently has no
//! body here and its own SQL in each. The conformance suite runs on both and grows with every
//! change here.

use std::fmt::Write as _;

use windlass_domain::chain::{Hash, Head, Header};
use windlass_domain::event::OpCompleted;
use windlass_domain::op::OpRecord;
use windlass_domain::project::Project;
use windlass_domain::words::Asked;
use windlass_domain::workflow::resume::InHand;
use windlass_domain::{CorrelationId, EventId, ProjectId, Status, Stream, Task, TaskId, Time};

use crate::cell::{Cell, Columns};
use crate::chunk::{ChunkInbox, ChunkWords, Chunks, ChunksOfType, Facets, NamedChunks, TiedChunks};
use crate::definition::Definitions;
use crate::edges::{self, Edge, EdgeFilter, Start};
use crate::fault::Fault;
use crate::hook::Hooks;
use crate::key::Keys;
use crate::known::Known;
use crate::record::{
    Details, Recorded, due_key, project_cells, queue_cells, read_effect, read_in_hand, read_op,
    read_project, read_task, task_cells, to_json, urgency,
};
use crate::run::Runs;
use crate::search::{SearchFilter, Within, Words};
use crate::session::Sessions;
use crate::sql::{self, Narrow, What};

/// What is true of more tasks than this need not be told apart further.
pub(crate) const DEPTH_CAP: u64 = 1_000;

/// Which tasks a claim may take from the queue.
#[derive(Debug, Clone, Default)]
pub struct QueueFilter {
    /// From these projects only; when there are none, from every project that is not frozen.
    pub projects: Vec<ProjectId>,
    /// Who asks: tasks routed to somebody else are skipped.
    pub agent: String,
    pub role: Option<String>,
    /// All of them must be on the task.
    pub tags: Vec<String>,
}

impl QueueFilter {
    /// Whether a task that is already loaded could be claimed under this filter.
    pub fn admits(&self, task: &Task, now: Time) -> bool {
        let is_mine = task.agent.as_ref().is_none_or(|agent| *agent == self.agent);
        let nothing_open = task.open_dependencies == 0 && task.open_children == 0;
        let could_be_given = match task.held() {
            None => task.is_claimable() && is_mine,
            Some(_) => task.lease_ran_out(now) && nothing_open && !is_mine,
        };
        could_be_given
            && (self.projects.is_empty() || self.projects.contains(&task.project))
            && task.role.as_ref().is_none_or(|role| self.role.as_ref() == Some(role))
            && self.tags.iter().all(|tag| task.tags.contains(tag))
    }

    /// The tag that selects a range of the queue ('' for the queue of all), and the others as a
    /// JSON list.
    pub(crate) fn split_tags(&self) -> (&str, String) {
        match self.tags.split_first() {
            Some((first, others)) => (first, to_json(&others)),
            None => ("", "[]".to_owned()),
        }
    }
}

/// A task that could be claimed, with what decides its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub created_seq: u64,
    pub urgency: i64,
    /// It is routed to the caller.
    pub routed: bool,
    pub due_key: i64,
}

impl Candidate {
    pub(crate) fn of(task: &Task, caller: &str) -> Self {
        Self {
            created_seq: task.created_seq,
            urgency: urgency(task.priority),
            routed: task.claimed_at.is_none() && task.agent.as_deref() == Some(caller),
            due_key: due_key(task.due_at),
        }
    }

    /// The order of claims: urgency, routed to the caller, due date, creation.
    pub fn place(&self) -> impl Ord + use<> {
        (self.urgency, !self.routed, self.due_key, self.created_seq)
    }
}

/// Which tasks a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each narrows a list by itself")]
pub struct ListFilter {
    pub project: Option<ProjectId>,
    pub status: Option<Status>,
    pub agent: Option<String>,
    /// The agent's name in any case, `*` standing for any letters.
    pub agent_pattern: Option<String>,
    pub parent: Option<TaskId>,
    /// Only tasks that are no subtasks.
    pub root: bool,
    /// Only tasks that could be claimed if their project is not frozen.
    pub available: bool,
    /// Only tasks of projects that are not frozen.
    pub unfrozen: bool,
    /// Archived tasks too.
    pub archived: bool,
    /// All of them must be on the task.
    pub tags: Vec<String>,
    /// One of them at least must be on the task.
    pub tags_any: Vec<String>,
    /// Due at this time or later.
    pub due_after: Option<Time>,
    /// Due before this time.
    pub due_before: Option<Time>,
    /// Words that must all be found in the task.
    pub text: Vec<Asked>,
    /// Only what comes after this place of the list, in the usual order.
    pub after: Option<Place>,
    pub order: Order,
    pub limit: u64,
    pub offset: u64,
}

/// In which order tasks are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By priority, then as they were created.
    #[default]
    Urgency,
    /// Only what was finished, the latest first.
    Finished,
}

/// A place in the order of lists: priority, then creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub priority: u8,
    pub created_seq: u64,
}

impl Place {
    pub fn of(task: &Task) -> Self {
        Self { priority: task.priority, created_seq: task.created_seq }
    }
}

/// Somebody who acted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    /// The newest of their events.
    pub last_seq: u64,
}

impl ListFilter {
    /// The status that every listed task has.
    pub(crate) fn wanted_status(&self) -> Option<Status> {
        self.status.or(self.available.then_some(Status::Ready))
    }
}

/// What the world must do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    pub id: i64,
    /// The last event of the transaction that caused it.
    pub event_seq: u64,
    /// The machine that must perform it.
    pub host: String,
    pub kind: String,
    pub data: String,
}

/// A table of the views that differs from what the log gives.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    pub view: String,
    /// Rows that should not be there, or not like this.
    pub wrong: u64,
    /// Rows that should be there.
    pub missing: u64,
}

/// How a database runs a statement. Only the seam itself uses it.
pub(crate) trait Statements {
    /// Runs a statement and returns how many rows it changed.
    fn run(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, Fault>;

    /// Runs a query and shows each row to `each`.
    fn query(
        &mut self,
        sql: &str,
        cells: &[Cell<'_>],
        each: &mut dyn FnMut(&dyn Columns) -> Result<(), Fault>,
    ) -> Result<(), Fault>;

    /// What the transaction need not ask for again.
    fn known(&mut self) -> &mut Known;
}

/// All rows of a query.
pub(crate) fn all<T>(
    store: &mut (impl Statements + ?Sized),
    sql: &str,
    cells: &[Cell<'_>],
    read: impl Fn(&dyn Columns) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut found = Vec::new();
    store.query(sql, cells, &mut |row| {
        found.push(read(row)?);
        Ok(())
    })?;
    Ok(found)
}

/// The first row of a query.
pub(crate) fn first<T>(
    store: &mut (impl Statements + ?Sized),
    sql: &str,
    cells: &[Cell<'_>],
    read: impl Fn(&dyn Columns) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    Ok(all(store, sql, cells, read)?.into_iter().next())
}

/// Writes the columns in which a row of a view differs from what is stored. The first column is the
/// key; indexes of columns that stay as they are stay untouched.
fn update(
    store: &mut (impl Statements + ?Sized),
    table: &'static str,
    columns: &str,
    stored: &[Cell<'_>],
    now: &[Cell<'_>],
) -> Result<(), Fault> {
    let [key, ..] = *now else {
        return Err(Fault::bug("a row of a view has no columns"));
    };
    let (mut changed, mut cells) = (0, Vec::new());
    for (place, (old, new)) in stored.iter().zip(now).enumerate() {
        if old != new {
            changed |= 1 << place;
            cells.push(*new);
        }
    }
    if cells.is_empty() {
        return Ok(());
    }
    cells.push(key);
    let text = store.known().update(table, changed, || update_text(table, columns, changed));
    store.run(&text, &cells).map(drop)
}

/// The statement that writes the columns at the places of these bits.
fn update_text(table: &str, columns: &str, changed: u64) -> String {
    let (mut list, mut number) = (String::new(), 0);
    for (place, column) in columns.split(", ").enumerate() {
        if changed & (1 << place) != 0 {
            let separator = if number == 0 { "" } else { ", " };
            number += 1;
            let _written = write!(list, "{separator}{column} = ${number}");
        }
    }
    format!("UPDATE {table} SET {list} WHERE created_seq = ${}", number + 1)
}

fn ids(
    store: &mut (impl Statements + ?Sized),
    sql: &str,
    cells: &[Cell<'_>],
) -> Result<Vec<TaskId>, Fault> {
    all(store, sql, cells, |row| Ok(TaskId::from_bytes(row.id(0)?)))
}

/// How many rows one table has that the other has not.
fn differing(store: &mut (impl Statements + ?Sized), more: &str, less: &str) -> Result<u64, Fault> {
    let text = format!(
        "SELECT count(*) FROM (SELECT * FROM {more} EXCEPT SELECT * FROM {less}) AS differing"
    );
    Ok(first(store, &text, &[], |row| row.count(0))?.unwrap_or(0))
}

fn count(store: &mut (impl Statements + ?Sized), table: &str) -> Result<u64, Fault> {
    let text = format!("SELECT count(*) FROM {table}");
    Ok(first(store, &text, &[], |row| row.count(0))?.unwrap_or(0))
}

fn pairs(
    store: &mut (impl Statements + ?Sized),
    sql: &str,
) -> Result<Vec<(TaskId, TaskId)>, Fault> {
    all(store, sql, &[], |row| Ok((TaskId::from_bytes(row.id(0)?), TaskId::from_bytes(row.id(1)?))))
}

/// How much of a transaction a store is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent {
    Whole,
    /// One of several parts, each of which can be undone alone, after this end of the log.
    Part(Head),
}

pub(crate) const SAVEPOINT: &str = "SAVEPOINT part";
pub(crate) const RELEASE: &str = "RELEASE SAVEPOINT part";

impl Extent {
    /// What takes it back.
    pub(crate) fn undo(self) -> &'static str {
        match self {
            Self::Whole => "ROLLBACK",
            Self::Part(_) => "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part",
        }
    }
}

/// One open transaction on one database.
pub(crate) trait Store:
    Hooks
    + Keys
    + Runs
    + Chunks
    + ChunkInbox
    + ChunkWords
    + ChunksOfType
    + Facets
    + NamedChunks
    + TiedChunks
    + Sessions
    + Definitions
{
    /// The end of the log; in a writing transaction it cannot move any more.
    fn head(&mut self) -> Result<Head, Fault>;
    /// The time by the database, when that is the clock.
    fn database_time(&mut self) -> Result<Option<Time>, Fault>;
    /// Appends events to the log. Their numbers must be the next ones.
    fn insert_events(&mut self, recorded: &[Recorded]) -> Result<(), Fault>;

    /// Puts the hash of an event's data in their place.
    fn empty_event(&mut self, recorded: &Recorded) -> Result<(), Fault> {
        let hash = recorded.data_hash();
        let cells = [Cell::Bytes(hash.as_bytes()), Cell::count(recorded.header.seq)];
        self.run(sql::EMPTY_EVENT, &cells).map(drop)
    }

    fn events_after(&mut self, seq: u64, limit: u64) -> Result<Vec<Recorded>, Fault> {
        all(self, sql::EVENTS_AFTER, &[Cell::count(seq), Cell::count(limit)], Recorded::read)
    }

    /// The newest events of a stream, newest first.
    fn history(&mut self, stream: Stream, limit: u64) -> Result<Vec<Recorded>, Fault> {
        let cells = [Cell::Bytes(&stream.to_bytes()), Cell::count(limit)];
        all(self, sql::HISTORY, &cells, Recorded::read)
    }

    /// Comments, checkpoints and reasons for blocks of a task, oldest first.
    fn notes(&mut self, task: TaskId) -> Result<Vec<Recorded>, Fault> {
        all(self, sql::NOTES, &[Cell::Bytes(&task.to_bytes())], Recorded::read)
    }

    /// The newest checkpoints of a task, newest first.
    fn checkpoints(&mut self, task: TaskId, limit: u64) -> Result<Vec<Recorded>, Fault> {
        let cells = [Cell::Bytes(&task.to_bytes()), Cell::count(limit)];
        all(self, sql::CHECKPOINTS, &cells, Recorded::read)
    }

    /// The events after `seq` that belong together, at most `limit`.
    fn correlated(
        &mut self,
        by: CorrelationId,
        seq: u64,
        limit: u64,
    ) -> Result<Vec<Recorded>, Fault> {
        let cells = [Cell::Bytes(&by.to_bytes()), Cell::count(seq), Cell::count(limit)];
        all(self, sql::CORRELATED, &cells, Recorded::read)
    }

    fn project(&mut self, id: ProjectId) -> Result<Option<Project>, Fault> {
        if let Some(known) = self.known().project(id) {
            return Ok(Some(known.clone()));
        }
        let found = first(self, sql::PROJECT, &[Cell::Bytes(&id.to_bytes())], read_project)?;
        Ok(found.inspect(|project| self.known().meet_project(project)))
    }

    fn project_named(&mut self, name: &str) -> Result<Option<Project>, Fault> {
        if let Some(known) = self.known().project_named(name) {
            return Ok(Some(known.clone()));
        }
        let found = first(self, sql::PROJECT_NAMED, &[Cell::Text(name)], read_project)?;
        Ok(found.inspect(|project| self.known().meet_project(project)))
    }

    fn projects(&mut self) -> Result<Vec<Project>, Fault> {
        all(self, sql::PROJECTS, &[], read_project)
    }

    fn insert_project(&mut self, project: &Project) -> Result<(), Fault> {
        self.known().add_project();
        project_cells(project, |cells| self.run(sql::INSERT_PROJECT, cells)).map(drop)
    }

    fn update_project(&mut self, stored: &Project, now: &Project) -> Result<(), Fault> {
        project_cells(stored, |old| {
            project_cells(now, |new| update(self, "projects", sql::PROJECT_COLUMNS, old, new))
        })?;
        self.known().change_project(stored, now);
        Ok(())
    }

    fn task(&mut self, id: TaskId) -> Result<Option<Task>, Fault> {
        if let Some(known) = self.known().task(id) {
            return Ok(Some(known.clone()));
        }
        let found = first(self, sql::TASK, &[Cell::Bytes(&id.to_bytes())], read_task)?;
        Ok(found.inspect(|task| self.known().meet_task(task)))
    }

    fn task_created_at(&mut self, created_seq: u64) -> Result<Option<Task>, Fault> {
        if let Some(known) = self.known().task_created_at(created_seq) {
            return Ok(Some(known.clone()));
        }
        let found = first(self, sql::TASK_CREATED_AT, &[Cell::count(created_seq)], read_task)?;
        Ok(found.inspect(|task| self.known().meet_task(task)))
    }

    fn details(&mut self, created_seq: u64) -> Result<Option<Details>, Fault> {
        first(self, sql::DETAILS, &[Cell::count(created_seq)], Details::read)
    }

    fn insert_tasks(&mut self, tasks: &[(&Task, &Details)]) -> Result<(), Fault> {
        for (task, details) in tasks {
            task_cells(task, |cells| self.run(sql::INSERT_TASK, cells))?;
            details.cells(task.created_seq, |cells| self.run(sql::INSERT_DETAILS, cells))?;
            self.known().fronts.change(task);
        }
        Ok(())
    }

    /// Removes a settled task and the edges from it.
    fn delete_task(&mut self, task: &Task) -> Result<(), Fault> {
        for text in sql::DELETE_TASK {
            self.run(text, &[Cell::count(task.created_seq)])?;
        }
        self.known().forget_task(task.id);
        self.run(sql::DELETE_EDGES_OF, &[Cell::Bytes(&task.id.to_bytes())]).map(drop)
    }

    fn update_task(&mut self, stored: &Task, now: &Task) -> Result<(), Fault> {
        task_cells(stored, |old| {
            task_cells(now, |new| update(self, "tasks", sql::TASK_COLUMNS, old, new))
        })?;
        self.known().meet_task(now);
        self.known().fronts.change(now);
        Ok(())
    }

    fn update_details(&mut self, created_seq: u64, details: &Details) -> Result<(), Fault> {
        details.cells(created_seq, |cells| {
            let mut cells = cells.to_vec();
            cells.rotate_left(1);
            self.run(sql::UPDATE_DETAILS, &cells).map(drop)
        })
    }

    fn add_tags(&mut self, tags: &[(&str, u64)]) -> Result<(), Fault> {
        for (tag, created_seq) in tags {
            self.run(sql::INSERT_TAG, &[Cell::Text(tag), Cell::count(*created_seq)])?;
        }
        Ok(())
    }

    fn delete_tag(&mut self, tag: &str, created_seq: u64) -> Result<(), Fault> {
        self.run(sql::DELETE_TAG, &[Cell::Text(tag), Cell::count(created_seq)]).map(drop)
    }

    /// Puts claimable tasks into the queue, each under one tag ('' is the queue of all).
    fn enqueue_all(&mut self, places: &[(&Task, &str)]) -> Result<(), Fault> {
        for (task, tag) in places {
            queue_cells(tag, task, |cells| self.run(sql::ENQUEUE, cells))?;
            self.known().fronts.enter(tag, task);
        }
        Ok(())
    }

    fn dequeue(&mut self, tag: &str, task: &Task) -> Result<(), Fault> {
        self.known().fronts.leave(tag, task);
        queue_cells(tag, task, |cells| self.run(sql::DEQUEUE, cells)).map(drop)
    }

    /// How many claimable tasks carry a tag, counted no further than `cap`.
    fn tag_depth(&mut self, tag: &str, cap: u64) -> Result<u64, Fault> {
        let count =
            first(self, sql::TAG_DEPTH, &[Cell::Text(tag), Cell::count(cap)], |row| row.count(0))?;
        Ok(count.unwrap_or(0))
    }

    /// The first tasks of the queue for this caller, in no particular order among projects.
    /// The first tag of the filter selects the index, the others are checked row by row.
    fn queue_front(&mut self, filter: &QueueFilter, limit: u64) -> Result<Vec<Candidate>, Fault>;
    /// For each project, role and urgency the claim that ran out first and is not the caller's.
    fn ran_out(&mut self, filter: &QueueFilter, now: Time) -> Result<Vec<Candidate>, Fault>;
    /// The caller's own claims that ran out, of at most `limit`.
    fn ran_out_of(&mut self, agent: &str, now: Time, limit: u64) -> Result<Vec<TaskId>, Fault> {
        let cells = [Cell::Text(agent), Cell::Int(now.as_millis()), Cell::count(limit)];
        ids(self, sql::RAN_OUT_OF, &cells)
    }

    /// What an agent has in progress, of a project and with all the tags if so wanted.
    fn in_hand(&mut self, filter: &QueueFilter) -> Result<Vec<InHand>, Fault> {
        sql::in_hand(filter, |sql, cells| all(self, sql, cells, read_in_hand))
    }

    /// Tasks whose pause ends by itself and should be over.
    fn pause_over(&mut self) -> Result<Vec<Task>, Fault> {
        all(self, sql::PAUSE_OVER, &[], read_task)
    }

    /// Adds edges that are not there.
    fn add_edges(&mut self, edges: &[(TaskId, TaskId)]) -> Result<(), Fault> {
        for (task, on) in edges {
            self.add_edge(*task, *on)?;
        }
        Ok(())
    }

    /// Notes who did which event.
    fn add_activity(&mut self, activity: &[(String, u64)]) -> Result<(), Fault> {
        let mut numbered = Vec::with_capacity(activity.len());
        for (name, seq) in activity {
            numbered.push((self.agent_number(name, *seq)?, *seq));
        }
        self.add_numbered_activity(&numbered)
    }

    /// The number of somebody; who is new is numbered by the event they were first seen in.
    fn agent_number(&mut self, name: &str, seq: u64) -> Result<u64, Fault> {
        if let Some(number) = self.known().agent(name) {
            return Ok(number);
        }
        let stored = first(self, sql::AGENT_NUMBER, &[Cell::Text(name)], |row| row.count(0))?;
        if stored.is_none() {
            self.run(sql::ADD_AGENT, &[Cell::count(seq), Cell::Text(name)])?;
        }
        let number = stored.unwrap_or(seq);
        self.known().meet_agent(name, number);
        Ok(number)
    }

    /// Notes which number did which event.
    fn add_numbered_activity(&mut self, activity: &[(u64, u64)]) -> Result<(), Fault> {
        for (number, seq) in activity {
            self.run(sql::ADD_ACTIVITY, &[Cell::count(*number), Cell::count(*seq)])?;
        }
        Ok(())
    }

    fn agents(&mut self) -> Result<Vec<Agent>, Fault> {
        all(self, sql::AGENTS, &[], |row| Ok(Agent { name: row.text(0)?, last_seq: row.count(1)? }))
    }

    /// The newest events of somebody before `seq`, newest first.
    fn events_by(&mut self, name: &str, before: u64, limit: u64) -> Result<Vec<Recorded>, Fault> {
        let cells = [Cell::Text(name), Cell::count(before), Cell::count(limit)];
        all(self, sql::EVENTS_BY, &cells, Recorded::read)
    }

    fn count_by(&mut self, name: &str) -> Result<u64, Fault> {
        let count = first(self, sql::COUNT_BY, &[Cell::Text(name)], |row| row.count(0))?;
        Ok(count.unwrap_or(0))
    }

    /// Adds the words of tasks that are not in the index.
    fn add_words(&mut self, words: &[Words]) -> Result<(), Fault>;
    /// Puts the words of tasks in the place of those that are in the index.
    fn replace_words(&mut self, words: &[Words]) -> Result<(), Fault>;
    fn remove_words(&mut self, created_seq: u64) -> Result<(), Fault>;
    /// The question for these words in this database's own language.
    fn question(&self, asked: &[Asked], within: Within) -> String;
    /// How this database compares the index with a question.
    fn index(&self) -> sql::Index;

    /// The newest tasks in which the words are found at that place, at most `limit`.
    fn found(
        &mut self,
        asked: &[Asked],
        within: Within,
        filter: &SearchFilter,
        limit: u64,
    ) -> Result<Vec<u64>, Fault> {
        let question = self.question(asked, within);
        sql::search(self.index(), filter, What::Rows, &question, limit, |sql, cells| {
            all(self, sql, cells, |row| row.count(0))
        })
    }

    fn count_found(&mut self, asked: &[Asked], filter: &SearchFilter) -> Result<u64, Fault> {
        let question = self.question(asked, Within::Everything);
        let count = sql::search(self.index(), filter, What::Count, &question, 1, |sql, cells| {
            first(self, sql, cells, |row| row.count(0))
        })?;
        Ok(count.unwrap_or(0))
    }

    fn held(&mut self) -> Result<Vec<Task>, Fault> {
        all(self, sql::HELD, &[], read_task)
    }

    fn finished_since(&mut self, time: Time) -> Result<Vec<Task>, Fault> {
        all(self, sql::FINISHED_SINCE, &[Cell::Int(time.as_millis())], read_task)
    }

    fn finished_until(&mut self, time: Time) -> Result<Vec<Task>, Fault> {
        all(self, sql::FINISHED_UNTIL, &[Cell::Int(time.as_millis())], read_task)
    }

    /// Adds an edge; false when it was there.
    fn add_edge(&mut self, task: TaskId, on: TaskId) -> Result<bool, Fault> {
        let cells = [Cell::Bytes(&task.to_bytes()), Cell::Bytes(&on.to_bytes())];
        Ok(self.run(sql::ADD_EDGE, &cells)? > 0)
    }

    /// Removes an edge; false when there was none.
    fn remove_edge(&mut self, task: TaskId, on: TaskId) -> Result<bool, Fault> {
        let cells = [Cell::Bytes(&task.to_bytes()), Cell::Bytes(&on.to_bytes())];
        Ok(self.run(sql::REMOVE_EDGE, &cells)? > 0)
    }

    fn prerequisites(&mut self, task: TaskId) -> Result<Vec<TaskId>, Fault> {
        ids(self, sql::PREREQUISITES, &[Cell::Bytes(&task.to_bytes())])
    }

    fn dependents(&mut self, task: TaskId) -> Result<Vec<TaskId>, Fault> {
        ids(self, sql::DEPENDENTS, &[Cell::Bytes(&task.to_bytes())])
    }

    fn edges(&mut self) -> Result<Vec<(TaskId, TaskId)>, Fault> {
        pairs(self, sql::EDGES)
    }

    /// Edges whose target is not a task of this ledger.
    fn orphan_edges(&mut self) -> Result<Vec<(TaskId, TaskId)>, Fault> {
        pairs(self, sql::ORPHAN_EDGES)
    }

    /// The rarest thing a list of edges could begin with, unless that is not rare at all.
    fn edge_start<'f>(&mut self, filter: &'f EdgeFilter) -> Result<Option<Start<'f>>, Fault> {
        let mut rarest = (DEPTH_CAP, None);
        for start in Start::all_of(filter) {
            let depth = start
                .depth(DEPTH_CAP, |sql, cells| first(self, sql, cells, |row| row.count(0)))?
                .unwrap_or(0);
            if depth < rarest.0 {
                rarest = (depth, Some(start));
            }
        }
        Ok(rarest.1)
    }

    fn list_edges(&mut self, filter: &EdgeFilter) -> Result<Vec<Edge>, Fault> {
        let start = self.edge_start(filter)?;
        edges::edges(filter, start, What::Rows, |sql, cells| all(self, sql, cells, Edge::read))
    }

    fn count_edges(&mut self, filter: &EdgeFilter) -> Result<u64, Fault> {
        let start = self.edge_start(filter)?;
        let count = edges::edges(filter, start, What::Count, |sql, cells| {
            first(self, sql, cells, |row| row.count(0))
        })?;
        Ok(count.unwrap_or(0))
    }

    fn children(&mut self, parent: TaskId) -> Result<Vec<Task>, Fault> {
        all(self, sql::CHILDREN, &[Cell::Bytes(&parent.to_bytes())], read_task)
    }

    /// What narrows a list, the rarest first. Words always come first: they are the dearest to
    /// compare with a task, and the cheapest to look up.
    fn rarest_first<'f>(
        &mut self,
        filter: &'f ListFilter,
        question: &'f str,
    ) -> Result<Vec<Narrow<'f>>, Fault> {
        let mut narrow = Narrow::all_of(filter, question);
        if narrow.len() < 2 || !filter.text.is_empty() {
            return Ok(narrow);
        }
        let mut depths = Vec::with_capacity(narrow.len());
        for narrow in narrow {
            let depth = narrow.depth(self.index(), DEPTH_CAP, |sql, cells| {
                first(self, sql, cells, |row| row.count(0))
            })?;
            depths.push((depth, narrow));
        }
        depths.sort_by_key(|(depth, _)| *depth);
        narrow = depths.into_iter().map(|(_, narrow)| narrow).collect();
        Ok(narrow)
    }

    fn list(&mut self, filter: &ListFilter) -> Result<Vec<Task>, Fault> {
        let question = self.question(&filter.text, Within::Everything);
        let narrow = self.rarest_first(filter, &question)?;
        sql::list(self.index(), filter, &narrow, What::Rows, |sql, cells| {
            all(self, sql, cells, read_task)
        })
    }

    fn count(&mut self, filter: &ListFilter) -> Result<u64, Fault> {
        let question = self.question(&filter.text, Within::Everything);
        let narrow = self.rarest_first(filter, &question)?;
        let count = sql::list(self.index(), filter, &narrow, What::Count, |sql, cells| {
            first(self, sql, cells, |row| row.count(0))
        })?;
        Ok(count.unwrap_or(0))
    }

    /// How many tasks of a list each agent has, '' standing for nobody.
    fn count_by_agent(&mut self, filter: &ListFilter) -> Result<Vec<(String, u64)>, Fault> {
        let question = self.question(&filter.text, Within::Everything);
        let narrow = self.rarest_first(filter, &question)?;
        sql::list(self.index(), filter, &narrow, What::CountByAgent, |sql, cells| {
            all(self, sql, cells, |row| Ok((row.text(0)?, row.count(1)?)))
        })
    }

    /// Tasks whose id lies in the range, at most `limit`.
    fn with_prefix(&mut self, range: ([u8; 16], [u8; 16]), limit: u64) -> Result<Vec<Task>, Fault> {
        let cells = [Cell::Bytes(&range.0), Cell::Bytes(&range.1), Cell::count(limit)];
        all(self, sql::WITH_PREFIX, &cells, read_task)
    }

    /// Tasks whose tail key lies in the range, at most `limit`.
    fn with_suffix(&mut self, range: (i64, i64), limit: u64) -> Result<Vec<Task>, Fault> {
        let cells = [Cell::Int(range.0), Cell::Int(range.1), Cell::count(limit)];
        all(self, sql::WITH_SUFFIX, &cells, read_task)
    }

    /// Remembers an execution under its op id.
    fn insert_op(&mut self, header: &Header, data: &OpCompleted) -> Result<(), Fault> {
        let fingerprint = data.fingerprint.map(|prints| prints.after.to_bytes());
        let cells = [
            Cell::Text(header.provenance.op.as_deref().unwrap_or_default()),
            Cell::Text(&data.operation),
            Cell::Bytes(data.input.as_bytes()),
            Cell::Text(&data.result.to_string()),
            fingerprint.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::Int(header.at.as_millis()),
            Cell::count(header.seq),
        ];
        self.run(sql::INSERT_OP, &cells).map(drop)
    }

    fn op(&mut self, op_id: &str) -> Result<Option<OpRecord>, Fault> {
        first(self, sql::OP, &[Cell::Text(op_id)], read_op)
    }

    /// The execution of that request which left a task with this fingerprint.
    fn op_leaving(
        &mut self,
        after: EventId,
        operation: &str,
        input: &Hash,
    ) -> Result<Option<OpRecord>, Fault> {
        let after = after.to_bytes();
        let cells = [Cell::Bytes(&after), Cell::Text(operation), Cell::Bytes(input.as_bytes())];
        first(self, sql::OP_LEAVING, &cells, read_op)
    }

    /// The oldest records until then, at most `limit`.
    fn ops_until(&mut self, time: Time, limit: u64) -> Result<Vec<OpRecord>, Fault> {
        let cells = [Cell::Int(time.as_millis()), Cell::count(limit)];
        all(self, sql::OPS_UNTIL, &cells, read_op)
    }

    fn delete_op(&mut self, op_id: &str) -> Result<(), Fault> {
        self.run(sql::DELETE_OP, &[Cell::Text(op_id)]).map(drop)
    }

    fn insert_effect(&mut self, effect: &Effect) -> Result<(), Fault> {
        let cells = [
            Cell::count(effect.event_seq),
            Cell::Text(&effect.host),
            Cell::Text(&effect.kind),
            Cell::Text(&effect.data),
        ];
        self.run(sql::INSERT_EFFECT, &cells).map(drop)
    }

    fn effects_for(&mut self, host: &str, limit: u64) -> Result<Vec<Effect>, Fault> {
        all(self, sql::EFFECTS_FOR, &[Cell::Text(host), Cell::count(limit)], read_effect)
    }

    fn delete_effect(&mut self, id: i64) -> Result<(), Fault> {
        self.run(sql::DELETE_EFFECT, &[Cell::Int(id)]).map(drop)
    }

    /// Copies the views aside, so that they can be compared after a rebuild.
    fn set_views_aside(&mut self) -> Result<(), Fault> {
        for view in sql::VIEWS.into_iter().chain([self.index().readable]) {
            self.run(&format!("CREATE TEMP TABLE aside_{view} AS SELECT * FROM {view}"), &[])?;
        }
        Ok(())
    }

    /// Compares the views with the copy and drops the copy.
    fn compare_views(&mut self) -> Result<Vec<Difference>, Fault> {
        let mut differences = Vec::new();
        for view in sql::VIEWS.into_iter().chain([self.index().readable]) {
            let aside = format!("aside_{view}");
            // Rows are unique: as many of them, and none that is not there, are the same.
            let wrong = differing(self, &aside, view)?;
            let same = wrong == 0 && count(self, &aside)? == count(self, view)?;
            let missing = if same { 0 } else { differing(self, view, &aside)? };
            if !same {
                differences.push(Difference { view: view.to_owned(), wrong, missing });
            }
            self.run(&format!("DROP TABLE {aside}"), &[])?;
        }
        Ok(differences)
    }

    /// Readers go on seeing the old views until the commit.
    fn clear_views(&mut self) -> Result<(), Fault> {
        self.known().forget_all();
        for view in sql::VIEWS {
            self.run(&format!("DELETE FROM {view}"), &[])?;
        }
        self.run(self.index().clear, &[]).map(drop)
    }

    /// What the database itself finds wrong with its files.
    fn integrity(&mut self) -> Result<Vec<String>, Fault>;

    /// Makes everything durable. `head` is the new end of the log.
    fn commit(&mut self, head: Head) -> Result<(), Fault>;
}
