//! Writing: the one way events get into the ledger.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use windlass_domain::chain::{Hash, Head, Header, Provenance};
use windlass_domain::event::{Kind, OpCompleted, Subject, TaskDeleted, TaskPruned};
use windlass_domain::hook::{Delivery, Hook};
use windlass_domain::op::{KEPT, OpId, OpRecord};
use windlass_domain::project::Project;
use windlass_domain::workflow::pause::{may_end_a_wait, unpause};
use windlass_domain::{
    Code, CorrelationId, Event, EventId, ProjectId, Refusal, Stream, Task, TaskId, Time,
};

use crate::chunk::Touched;
use crate::fault::{Error, Fault};
use crate::record::Recorded;
use crate::snapshot::Snapshot;
use crate::store::Effect;
use crate::views::Views;
use crate::world::random_bits;

/// Longest answer that is kept under an op id.
const ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// A writing transaction. It reads what it wrote, and nobody else writes meanwhile.
pub struct Transaction<'a> {
    snapshot: Snapshot<'a>,
    provenance: Provenance,
    head: Head,
    /// The hooks in force, once they were needed.
    hooks: Option<Arc<[Hook]>>,
    /// The last event of this transaction.
    last: Option<EventId>,
    /// There is something to commit.
    wrote: bool,
    /// The last event by which something may wait for less than before.
    ended_a_wait: Option<EventId>,
    /// The projects that the caller may change; all when empty.
    pub(crate) bound: Vec<ProjectId>,
    /// The tasks to which something happened, for the specs that show it.
    pub(crate) touched: Vec<Touched>,
}

impl std::fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transaction").field("head", &self.head).finish_non_exhaustive()
    }
}

impl<'a> Deref for Transaction<'a> {
    type Target = Snapshot<'a>;

    fn deref(&self) -> &Snapshot<'a> {
        &self.snapshot
    }
}

impl<'a> DerefMut for Transaction<'a> {
    fn deref_mut(&mut self) -> &mut Snapshot<'a> {
        &mut self.snapshot
    }
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(mut snapshot: Snapshot<'a>, provenance: Provenance) -> Result<Self, Fault> {
        let head = snapshot.head()?;
        Ok(Self {
            snapshot,
            provenance,
            head,
            hooks: None,
            last: None,
            wrote: false,
            ended_a_wait: None,
            bound: Vec::new(),
            touched: Vec::new(),
        })
    }

    /// The end of the log, with what this transaction has recorded.
    pub fn head(&self) -> Head {
        self.head
    }

    /// A new id for a task.
    pub fn new_task_id(&self) -> Result<TaskId, Fault> {
        Ok(TaskId::from_parts(self.now(), random_bits()?))
    }

    /// Ties everything recorded from here on together, unless it is already; returns by what.
    pub fn correlate(&mut self) -> Result<CorrelationId, Fault> {
        let correlation = match self.provenance.correlation {
            Some(correlation) => correlation,
            None => CorrelationId::from_parts(self.now(), random_bits()?),
        };
        self.provenance.correlation = Some(correlation);
        Ok(correlation)
    }

    /// A new id for a project.
    pub fn new_project_id(&self) -> Result<ProjectId, Fault> {
        Ok(ProjectId::from_parts(self.now(), random_bits()?))
    }

    /// Records the first events of a new task or project.
    pub fn create(
        &mut self,
        stream: impl Into<Stream>,
        event: impl Into<Event>,
    ) -> Result<(), Error> {
        self.act(stream.into(), 0, vec![event.into()])
    }

    /// Records what happened to a task and returns the task as it is now.
    pub fn record_task(
        &mut self,
        task: &Task,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Task, Error> {
        self.act(task.id.into(), task.version, events.into_iter().collect())?;
        let left = || Fault::bug(format!("task {} left its view", task.id));
        Ok(self.task(task.id)?.ok_or_else(left)?)
    }

    /// Records what happened to a project and returns the project as it is now.
    pub fn record_project(
        &mut self,
        project: &Project,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Project, Error> {
        self.act(project.id.into(), project.version, events.into_iter().collect())?;
        let after = self.project(project.id)?;
        if after.name != project.name {
            self.rename_in_hooks(&project.name, &after.name)?;
        }
        Ok(after)
    }

    /// Records what the caller does, if it may.
    pub(crate) fn act(
        &mut self,
        stream: Stream,
        version: u64,
        events: Vec<Event>,
    ) -> Result<(), Error> {
        self.refuse_outside(stream, &events)?;
        Ok(self.record(stream, version, events)?)
    }

    /// Records what happened, also what follows from the doing of the caller.
    pub(crate) fn record(
        &mut self,
        stream: Stream,
        version: u64,
        events: Vec<Event>,
    ) -> Result<(), Fault> {
        self.touched.extend(Touched::by(stream, &events));
        let listening = self.listen(stream, &events)?;
        let mut recorded = Vec::with_capacity(events.len());
        for (stream_seq, event) in (version + 1..).zip(events) {
            let may_end_a_wait = may_end_a_wait(&event);
            let (id, at) = (None, self.now());
            let happened = Happened { id, at, stream, provenance: self.provenance.clone(), event };
            let next = self.next(happened, stream_seq)?;
            self.ended_a_wait = may_end_a_wait.then_some(next.header.id).or(self.ended_a_wait);
            recorded.push(next);
        }
        self.store_all(&recorded)?;
        match listening {
            Some(listening) => self.enqueue(listening, &recorded),
            None => Ok(()),
        }
    }

    /// The next event of the log, which must then be stored.
    fn next(&mut self, happened: Happened, stream_seq: u64) -> Result<Recorded, Fault> {
        let next = happened.after(&self.head, stream_seq)?;
        self.head = next.head();
        self.last = Some(next.header.id);
        Ok(next)
    }

    /// Records the first events of streams.
    pub(crate) fn append_all(&mut self, happened: Vec<Happened>) -> Result<(), Fault> {
        self.append_known(happened.into_iter().map(|first| (1, first)).collect(), Vec::new())
    }

    /// Records events with their places in their streams. The deliveries they are about need not be
    /// looked up again.
    pub(crate) fn append_known(
        &mut self,
        happened: Vec<(u64, Happened)>,
        known: Vec<Delivery>,
    ) -> Result<(), Fault> {
        let mut recorded = Vec::with_capacity(happened.len());
        for (stream_seq, happened) in happened {
            recorded.push(self.next(happened, stream_seq)?);
        }
        self.store_known(&recorded, known)
    }

    /// Ends the pauses that are over, now that everything else was recorded. Whatever settled the
    /// last thing a task waits for, it goes on in the same transaction.
    pub(crate) fn unpause(&mut self) -> Result<(), Fault> {
        let Some(cause) = self.ended_a_wait.take() else {
            return Ok(());
        };
        for task in self.snapshot.store.pause_over()? {
            if let Some(over) = unpause(&task) {
                self.provenance.causation = Some(cause);
                self.record(task.id.into(), task.version, vec![over])?;
            }
        }
        Ok(())
    }

    /// Begins to record many events, which are written many at a time.
    pub fn bulk(&mut self) -> Result<Bulk<'_>, Error> {
        self.refuse_if_bound()?;
        Ok(Bulk {
            views: Views::for_many(self.snapshot.store),
            next: self.head,
            head: &mut self.head,
            last: &mut self.last,
            wrote: &mut self.wrote,
            ended_a_wait: &mut self.ended_a_wait,
            waiting: Vec::new(),
        })
    }

    /// Takes a settled task out of the ledger: it leaves the views, its events keep only their
    /// headers, and what was answered about it under op ids is forgotten. Returns how many events of
    /// its own were emptied.
    pub fn prune(&mut self, task: &Task) -> Result<u64, Error> {
        let pruned = TaskPruned { project: Some(task.project) };
        self.act(task.id.into(), task.version, vec![pruned.into()])?;
        self.forget_deliveries_of(task.id)?;
        self.forget_answers_about(task.id)?;
        Ok(self.forget(task.id.into())?)
    }

    /// Forgets the executions that changed a task: their answers show it.
    fn forget_answers_about(&mut self, task: TaskId) -> Result<(), Fault> {
        let history = self.whole_history(task.into())?;
        let ids = history.into_iter().filter_map(|event| event.header.provenance.op);
        for op_id in ids.collect::<BTreeSet<_>>() {
            if let Some(record) = self.snapshot.store.op(&op_id)? {
                self.forget_op(&record)?;
            }
        }
        Ok(())
    }

    /// Takes a task out of the views for good, in whatever status it is. Its events stay as they
    /// are.
    pub fn delete(&mut self, task: &Task, event: TaskDeleted) -> Result<(), Error> {
        self.act(task.id.into(), task.version, vec![event.into()])
    }

    /// Takes the data of a stream's events away, but of the one that prunes it; returns of how many.
    fn forget(&mut self, stream: Stream) -> Result<u64, Fault> {
        let mut history = self.whole_history(stream)?;
        let pruned = Kind::TaskPruned.as_str();
        history.retain(|event| event.data.is_some() && event.header.kind != pruned);
        for event in &history {
            self.snapshot.store.empty_event(event)?;
        }
        Ok(history.len() as u64)
    }

    /// Appends events that another ledger recorded. Their chain must go on from the end of this one.
    pub(crate) fn append(&mut self, recorded: &[Recorded]) -> Result<(), Fault> {
        if let Some(last) = recorded.last() {
            self.head = last.head();
            self.last = Some(last.header.id);
        }
        self.store_all(recorded)?;
        // What was pruned there is forgotten here too, by a ledger that took it in earlier.
        let pruned = Kind::TaskPruned.as_str();
        for event in recorded.iter().filter(|event| event.header.kind == pruned) {
            self.forget_deliveries_of(event.header.stream.task())?;
            self.forget(event.header.stream)?;
        }
        let deliveries = recorded.iter().filter(|event| event.is_about(Subject::Delivery));
        let ids: Vec<_> = deliveries.map(|event| event.header.stream.delivery()).collect();
        self.forget_deliveries(&ids)
    }

    fn store_all(&mut self, recorded: &[Recorded]) -> Result<(), Fault> {
        self.store_known(recorded, Vec::new())
    }

    fn store_known(&mut self, recorded: &[Recorded], known: Vec<Delivery>) -> Result<(), Fault> {
        self.wrote |= !recorded.is_empty();
        self.snapshot.store.insert_events(recorded)?;
        let mut views = Views::new(self.snapshot.store);
        views.know(known);
        for event in recorded {
            views.apply(event)?;
        }
        views.flush()
    }

    pub(crate) fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The hooks in force, asked for once.
    pub(crate) fn hooks_once(&mut self) -> Result<Arc<[Hook]>, Fault> {
        let hooks = match self.hooks.take() {
            Some(hooks) => hooks,
            None => self.definitions()?.into(),
        };
        Ok(Arc::clone(self.hooks.insert(hooks)))
    }

    /// The hooks must be asked for again.
    pub(crate) fn definitions_changed(&mut self) {
        self.hooks = None;
    }

    /// There is something to commit, though no event.
    pub(crate) fn changed_working_rows(&mut self) {
        self.wrote = true;
    }

    /// Everything recorded from here on happens under this op id.
    pub fn act_under(&mut self, op_id: &OpId) {
        self.provenance.op = Some(op_id.as_str().to_owned());
    }

    /// Records what was answered under the op id; its stream is the correlation of the execution.
    pub fn complete_op(&mut self, completed: OpCompleted) -> Result<(), Error> {
        let correlation = self.correlate()?;
        let bytes = completed.result.to_string().len();
        if bytes > ANSWER_BYTES {
            return Err(answer_too_long(bytes).into());
        }
        let op_id = self.provenance.op.clone().unwrap_or_default();
        if let Some(expired) = self.snapshot.store.op(&op_id)? {
            self.forget_op(&expired)?;
        }
        Ok(self.record(correlation.into(), 0, vec![completed.into()])?)
    }

    /// Forgets executions that are too old to be remembered: their rows, and the data of their
    /// events. Returns how many, at most `limit`.
    pub fn expire_ops(&mut self, limit: u64) -> Result<u64, Fault> {
        let until = self.now().before(KEPT);
        let expired = self.snapshot.store.ops_until(until, limit)?;
        expired.iter().try_for_each(|record| self.forget_op(record))?;
        Ok(expired.len() as u64)
    }

    fn forget_op(&mut self, record: &OpRecord) -> Result<(), Fault> {
        self.wrote = true;
        let recorded = self.snapshot.store.events_after(record.seq - 1, 1)?;
        for event in recorded.iter().filter(|event| event.data.is_some()) {
            self.snapshot.store.empty_event(event)?;
        }
        self.snapshot.store.delete_op(&record.op_id)
    }

    /// Says what the world must do because of the events recorded so far.
    pub fn demand(&mut self, host: &str, kind: &str, data: &str) -> Result<(), Fault> {
        let effect = Effect {
            id: 0,
            event_seq: self.head.seq,
            host: host.to_owned(),
            kind: kind.to_owned(),
            data: data.to_owned(),
        };
        self.wrote = true;
        self.snapshot.store.insert_effect(&effect)
    }

    /// An effect was performed; its result is recorded by this same transaction.
    pub fn settle(&mut self, effect: &Effect) -> Result<(), Fault> {
        self.wrote = true;
        self.snapshot.store.delete_effect(effect.id)
    }

    /// What there is to commit.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome { head: self.head, last: self.last, wrote: self.wrote }
    }
}

fn answer_too_long(bytes: usize) -> Refusal {
    let message = format!("an answer of {bytes} bytes is too long to be kept under an op id");
    Refusal::new(Code::InvalidValue, message)
        .hint("do it in smaller parts, each with an op id of its own; nothing was changed")
        .detail("field", "op_id")
        .detail("limit", ANSWER_BYTES)
        .detail("given", bytes)
}

/// Something that happened, here or elsewhere, on its way into the log.
#[derive(Debug, Clone)]
pub struct Happened {
    /// A new id is made when there is none.
    pub id: Option<EventId>,
    pub at: Time,
    pub stream: Stream,
    pub provenance: Provenance,
    pub event: Event,
}

impl Happened {
    /// The next event of the log.
    fn after(self, head: &Head, stream_seq: u64) -> Result<Recorded, Fault> {
        let id = match self.id {
            Some(id) => id,
            None => EventId::from_parts(self.at, random_bits()?),
        };
        let header = Header {
            seq: head.seq + 1,
            id,
            at: self.at,
            stream: self.stream,
            stream_seq,
            kind: self.event.kind().as_str().to_owned(),
            version: self.event.kind().version(),
            provenance: self.provenance,
        };
        let data = self.event.encode()?;
        let data_hash = Hash::of(data.as_bytes());
        let hash = header.hash(&head.hash, &data_hash);
        Ok(Recorded { header, data: Some(data), pruned: None, hash })
    }
}

/// Many events on their way into the ledger. Nothing is there before [`Bulk::finish`].
pub struct Bulk<'a> {
    views: Views<'a>,
    /// The end of the log with what was recorded; the transaction's own when it is finished.
    next: Head,
    head: &'a mut Head,
    last: &'a mut Option<EventId>,
    wrote: &'a mut bool,
    ended_a_wait: &'a mut Option<EventId>,
    waiting: Vec<Recorded>,
}

impl std::fmt::Debug for Bulk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bulk").field("head", &self.head).finish_non_exhaustive()
    }
}

impl Bulk<'_> {
    /// Events and touched tasks kept in memory before they are written.
    const EVENTS: usize = 1_000;
    const TASKS: usize = 10_000;

    /// The task as it is after all that was recorded so far.
    pub fn task(&mut self, id: TaskId) -> Result<Option<Task>, Fault> {
        Ok(self.views.find(id)?.cloned())
    }

    pub fn record(&mut self, happened: Happened) -> Result<(), Fault> {
        let version = self.views.version(happened.stream, &happened.event)?;
        let may_end_a_wait = may_end_a_wait(&happened.event);
        let next = happened.after(&self.next, version + 1)?;
        self.views.apply(&next)?;
        self.next = next.head();
        *self.last = Some(next.header.id);
        *self.wrote = true;
        if may_end_a_wait {
            *self.ended_a_wait = Some(next.header.id);
        }
        self.waiting.push(next);
        if self.waiting.len() >= Self::EVENTS {
            self.write_events()?;
        }
        if self.views.waiting() >= Self::TASKS {
            self.views.flush()?;
        }
        Ok(())
    }

    fn write_events(&mut self) -> Result<(), Fault> {
        self.views.insert_events(&std::mem::take(&mut self.waiting))
    }

    /// Writes what still waits.
    pub fn finish(mut self) -> Result<(), Fault> {
        self.write_events()?;
        self.views.flush()?;
        *self.head = self.next;
        Ok(())
    }
}

/// The end of the log if a transaction commits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) head: Head,
    /// Its last event, by which a commit of unknown fate is recognised.
    pub(crate) last: Option<EventId>,
    pub(crate) wrote: bool,
}
