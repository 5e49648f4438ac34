//! The views: every change to them is here, and follows from an event.
//!
//! Tasks and projects touched by a run of events are kept in memory until [`Views::flush`], so a
//! row is written once however many events changed it. A live command flushes after each record,
//! a rebuild or an import after many thousand events; all of them run the same code.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use windlass_domain::chunk::{Chunk, Slug};
use windlass_domain::event::{
    ChunkEvent, DefinitionEvent, RunEvent, SessionEvent, TaskCreated, TaskUpdated,
};
use windlass_domain::hook::{Delivery, State};
use windlass_domain::project::Project;
use windlass_domain::run::Run;
use windlass_domain::session::Session;
use windlass_domain::task::Broken;
use windlass_domain::{DeliveryId, Event, HookId, Key, ProjectId, Stream, Task, TaskId};

use crate::chunk::facets;
use crate::definition::{DefinitionKind, KeptDefinition, defined};
use crate::fault::Fault;
use crate::hook::{Defined, InLedger};
use crate::record::{Details, Recorded};
use crate::run::KeptRun;
use crate::search::{Words, with_words_of};
use crate::session::KeptSession;
use crate::store::Store;

/// So many new tasks make it worth to look up all edges to missing tasks, which reads every edge.
const MANY: usize = 100;

pub(crate) struct Views<'a> {
    store: &'a mut dyn Store,
    tasks: BTreeMap<TaskId, Touched>,
    projects: BTreeMap<ProjectId, Counted>,
    deliveries: BTreeMap<DeliveryId, Delivery>,
    outbox: Outbox,
    edges: Edges,
    /// Who did which event.
    activity: Vec<(String, u64)>,
}

struct Touched {
    /// The row as it is in the database; nothing when the task is new.
    stored: Option<Task>,
    now: Task,
    /// The long texts, when they are new or were needed.
    details: Option<Details>,
    /// The long texts differ from their row.
    details_changed: bool,
    /// The words of the task differ from the index.
    words_changed: bool,
}

/// A project of which the counts or more may have changed.
struct Counted {
    /// The row as it is in the database.
    stored: Project,
    now: Project,
}

impl Counted {
    fn stored(project: Project) -> Self {
        Self { now: project.clone(), stored: project }
    }
}

/// What becomes of the outbox when deliveries change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outbox {
    /// It follows them.
    Follows,
    /// It stays as it is until the whole log was replayed: what failed once and was put back must
    /// not lose its attempts and its lock on the way.
    Stays,
}

/// Edges that are not written yet, and what is known about who waits for whom.
struct Edges {
    new: Vec<(TaskId, TaskId)>,
    /// The same, by what is waited for.
    new_dependents: HashMap<TaskId, Vec<TaskId>>,
    /// Tasks that something may wait for: targets of all edges added here, and of the edges to
    /// missing tasks once those were looked up.
    targets: HashSet<TaskId>,
    stored: Stored,
}

/// What is known of the edges that were in the database before.
enum Stored {
    /// Nothing, and it is not worth finding out.
    Unknown,
    /// Nothing so far; this many tasks were created without knowing.
    NotYet { created: usize },
    /// All edges to tasks that were missing are among the targets. Tasks created since then have
    /// no others.
    Known { fresh: HashSet<TaskId> },
}

impl<'a> Views<'a> {
    /// For a few events.
    pub(crate) fn new(store: &'a mut dyn Store) -> Self {
        Self::knowing(store, Stored::Unknown)
    }

    /// For any number of events: when they create many tasks, it is looked up once what waits for
    /// tasks that are missing, and then need not be asked for each new one.
    pub(crate) fn for_many(store: &'a mut dyn Store) -> Self {
        Self::knowing(store, Stored::NotYet { created: 0 })
    }

    /// For all events of a log: the views are empty, so nothing waits for anything.
    pub(crate) fn from_nothing(store: &'a mut dyn Store) -> Self {
        let views = Self::knowing(store, Stored::Known { fresh: HashSet::new() });
        Self { outbox: Outbox::Stays, ..views }
    }

    fn knowing(store: &'a mut dyn Store, stored: Stored) -> Self {
        Self {
            store,
            tasks: BTreeMap::new(),
            projects: BTreeMap::new(),
            deliveries: BTreeMap::new(),
            outbox: Outbox::Follows,
            edges: Edges {
                new: Vec::new(),
                new_dependents: HashMap::new(),
                targets: HashSet::new(),
                stored,
            },
            activity: Vec::new(),
        }
    }

    /// The next events of the log, for a rebuild.
    pub(crate) fn events_after(&mut self, seq: u64, limit: u64) -> Result<Vec<Recorded>, Fault> {
        self.store.events_after(seq, limit)
    }

    pub(crate) fn insert_events(&mut self, recorded: &[Recorded]) -> Result<(), Fault> {
        self.store.insert_events(recorded)
    }

    /// How many rows wait to be written.
    pub(crate) fn waiting(&self) -> usize {
        self.tasks.len() + self.deliveries.len()
    }

    /// Deliveries that were just read need not be read again.
    pub(crate) fn know(&mut self, deliveries: Vec<Delivery>) {
        self.deliveries.extend(deliveries.into_iter().map(|delivery| (delivery.id, delivery)));
    }

    /// How many events a stream has.
    pub(crate) fn version(&mut self, stream: Stream, event: &Event) -> Result<u64, Fault> {
        match event {
            Event::ProjectCreated(_)
            | Event::TaskCreated(_)
            | Event::OpCompleted(_)
            | Event::HookEnqueued(_)
            | Event::KeyCreated(_) => Ok(0),
            Event::Run(event) if event.begins() => Ok(0),
            Event::Run(_) => Ok(self.run(stream)?.run.version),
            Event::KeyRotated(_) | Event::KeyRevoked(_) => Ok(self.key(stream)?.version),
            Event::Chunk(event) if event.begins() => Ok(0),
            Event::Chunk(_) => Ok(self.chunk(stream)?.events),
            Event::Session(event) if event.begins() => Ok(0),
            Event::Session(_) => Ok(self.session(stream)?.session.events),
            Event::Definition(_) => {
                Ok(self.store.definition(stream.definition())?.map_or(0, |kept| kept.events))
            }
            Event::ProjectRenamed(_)
            | Event::ProjectFrozen(_)
            | Event::ProjectUnfrozen(_)
            | Event::ProjectDeleted(_) => Ok(self.project(stream.project())?.version),
            Event::HookSet(_) | Event::HookRemoved(_) => {
                Ok(self.hook(stream.hook())?.map_or(0, |hook| hook.version))
            }
            Event::HookDelivered(_)
            | Event::HookFailed(_)
            | Event::HookDiscarded(_)
            | Event::HookRetried(_) => {
                Ok(self.delivery(stream.delivery())?.map_or(0, |delivery| delivery.version))
            }
            _ => Ok(self.task(stream.task())?.version),
        }
    }

    /// Applies the next event of the log.
    pub(crate) fn apply(&mut self, recorded: &Recorded) -> Result<(), Fault> {
        let header = &recorded.header;
        self.activity.push((header.provenance.actor.clone(), header.seq));
        // The data of a pruned event are gone, and so is everything that followed from them.
        let Some(event) = recorded.event()? else {
            return Ok(());
        };
        match &event {
            Event::ProjectCreated(data) => {
                let id = header.stream.project();
                let project = Project::created(id, data, header.seq, header.at);
                self.store.insert_project(&project)?;
                self.projects.insert(id, Counted::stored(project));
                Ok(())
            }
            Event::ProjectRenamed(_)
            | Event::ProjectFrozen(_)
            | Event::ProjectUnfrozen(_)
            | Event::ProjectDeleted(_) => {
                let id = header.stream.project();
                let project = self.project(id)?;
                expect_next(project.version, header.stream_seq, &header.stream)?;
                project.fold(&event, header.at)?;
                // Written at once: names are unique, so their changes must keep their order.
                self.flush_projects()
            }
            Event::TaskCreated(data) => self.create(recorded, data),
            Event::TaskPruned(_) => self.prune(recorded, &event),
            Event::TaskDeleted(_) => self.remove(recorded, &event),
            Event::DependencyAdded(data) => {
                let id = header.stream.task();
                self.fold(recorded, &event)?;
                self.flush_edges()?;
                if self.store.add_edge(id, data.on)? {
                    self.edges.targets.insert(data.on);
                    if self.is_open(data.on)? {
                        self.task(id)?.open_dependencies += 1;
                    }
                }
                Ok(())
            }
            Event::DependencyRemoved(data) => {
                let id = header.stream.task();
                self.fold(recorded, &event)?;
                self.flush_edges()?;
                if self.store.remove_edge(id, data.on)? && self.is_open(data.on)? {
                    let task = self.task(id)?;
                    task.open_dependencies = shifted(task.open_dependencies, -1)?;
                }
                Ok(())
            }
            Event::TaskUpdated(data) => {
                self.fold(recorded, &event)?;
                self.update_details(header.stream.task(), data)
            }
            Event::CommentAdded(data) => {
                self.fold(recorded, &event)?;
                self.note(header.stream.task(), &data.text)
            }
            Event::CheckpointRecorded(data) => {
                self.fold(recorded, &event)?;
                self.note(header.stream.task(), &data.said())
            }
            Event::TaskBlocked(data) => {
                self.fold(recorded, &event)?;
                self.note(header.stream.task(), data.reason.as_deref().unwrap_or_default())
            }
            Event::TaskClaimed(_)
            | Event::ClaimRenewed(_)
            | Event::ClaimExpired(_)
            | Event::TaskReleased(_)
            | Event::TaskUnblocked(_)
            | Event::TaskCompleted(_)
            | Event::TaskReopened(_)
            | Event::StatusSet(_)
            | Event::TaskArchived(_)
            | Event::TaskRestored(_)
            | Event::TaskMoved(_)
            | Event::DependencyKept(_)
            | Event::ProgressSet(_)
            | Event::WorkflowRan(_) => self.fold(recorded, &event),
            Event::OpCompleted(data) => self.store.insert_op(header, data),
            Event::HookSet(_)
            | Event::HookRemoved(_)
            | Event::HookEnqueued(_)
            | Event::HookDelivered(_)
            | Event::HookFailed(_)
            | Event::HookDiscarded(_)
            | Event::HookRetried(_) => self.apply_to_hooks(recorded, &event),
            Event::KeyCreated(_) | Event::KeyRotated(_) | Event::KeyRevoked(_) => {
                self.apply_to_key(recorded, &event)
            }
            Event::Run(event) => self.apply_to_run(recorded, event),
            Event::Chunk(event) => self.apply_to_chunk(recorded, event),
            Event::Session(event) => self.apply_to_session(recorded, event),
            Event::Definition(event) => self.apply_to_definition(recorded, event),
        }
    }

    fn apply_to_key(&mut self, recorded: &Recorded, event: &Event) -> Result<(), Fault> {
        let header = &recorded.header;
        if let Event::KeyCreated(data) = event {
            let key = Key::created(header.stream.key(), data, header.at);
            return self.store.insert_key(header.seq, &key);
        }
        let mut key = self.key(header.stream)?;
        expect_next(key.version, header.stream_seq, &header.stream)?;
        key.fold(event, header.at)?;
        self.store.update_key(&key)
    }

    fn apply_to_run(&mut self, recorded: &Recorded, event: &RunEvent) -> Result<(), Fault> {
        let header = &recorded.header;
        if event.begins() {
            let run = Run::begun(header.stream.run(), event, header.at)?;
            return self.store.insert_run(&KeptRun { created_seq: header.seq, run });
        }
        let mut kept = self.run(header.stream)?;
        expect_next(kept.run.version, header.stream_seq, &header.stream)?;
        kept.run.fold(event, header.at)?;
        self.store.update_run(&kept)
    }

    fn run(&mut self, stream: Stream) -> Result<KeptRun, Fault> {
        self.store.run_of(stream.run())?.ok_or_else(|| {
            Broken(format!("the log speaks of run {stream} before it is started")).into()
        })
    }

    fn apply_to_chunk(&mut self, recorded: &Recorded, event: &ChunkEvent) -> Result<(), Fault> {
        let header = &recorded.header;
        if event.begins() {
            let chunk = Chunk::begun(header.stream.chunk(), event, header.seq, header.at)?;
            self.store.insert_chunk(&chunk)?;
            let on = self.facets_of(&chunk)?;
            self.store.move_between(chunk.created_seq, &BTreeMap::new(), &on)?;
            return self.store.index_chunk(None, &chunk);
        }
        let stored = self.chunk(header.stream)?;
        expect_next(stored.events, header.stream_seq, &header.stream)?;
        let mut now = stored.clone();
        now.fold(event, header.at)?;
        self.store.update_chunk(&stored, &now)?;
        let (before, after) = (self.facets_of(&stored)?, self.facets_of(&now)?);
        self.store.move_between(now.created_seq, &before, &after)?;
        self.store.index_chunk(Some(&stored), &now)
    }

    /// The facets that a chunk is on, as its type is now.
    fn facets_of(&mut self, chunk: &Chunk) -> Result<BTreeMap<String, String>, Fault> {
        let chunk_type = self.store.chunk_type(&chunk.chunk_type)?;
        Ok(facets(chunk, chunk_type.as_deref()))
    }

    fn chunk(&mut self, stream: Stream) -> Result<Chunk, Fault> {
        self.store.chunk(stream.chunk())?.ok_or_else(|| {
            Broken(format!("the log speaks of chunk {stream}, which is not there")).into()
        })
    }

    fn apply_to_session(&mut self, recorded: &Recorded, event: &SessionEvent) -> Result<(), Fault> {
        let header = &recorded.header;
        if let SessionEvent::SessionStarted(data) = event {
            let session = Session::started(header.stream.session(), data, header.at);
            return self.store.insert_session(&KeptSession { created_seq: header.seq, session });
        }
        let mut kept = self.session(header.stream)?;
        expect_next(kept.session.events, header.stream_seq, &header.stream)?;
        kept.session.fold(event, header.at)?;
        self.store.update_session(&kept)
    }

    fn session(&mut self, stream: Stream) -> Result<KeptSession, Fault> {
        self.store.session(stream.session())?.ok_or_else(|| {
            Broken(format!("the log speaks of session {stream} before it is started")).into()
        })
    }

    fn apply_to_definition(
        &mut self,
        recorded: &Recorded,
        event: &DefinitionEvent,
    ) -> Result<(), Fault> {
        let header = &recorded.header;
        let stored = self.store.definition(header.stream.definition())?;
        let events = stored.as_ref().map_or(0, |kept| kept.events);
        expect_next(events, header.stream_seq, &header.stream)?;
        match (stored, defined(event)) {
            (Some(kept), None) => self.redefine(&kept, |store| store.delete_definition(&kept)),
            (Some(kept), Some((_, _, definition))) => {
                let kept = KeptDefinition { events: header.stream_seq, definition, ..kept };
                self.redefine(&kept, |store| store.update_definition(&kept))
            }
            (None, Some((kind, name, definition))) => {
                let kept = KeptDefinition {
                    created_seq: header.seq,
                    id: header.stream.definition(),
                    events: header.stream_seq,
                    kind: kind.as_str().to_owned(),
                    name,
                    definition,
                };
                self.redefine(&kept, |store| store.insert_definition(&kept))
            }
            (None, None) => {
                Err(Broken(format!("the log takes back {}, which is not there", header.stream))
                    .into())
            }
        }
    }

    /// Changes a definition. Where that is a chunk type, the chunks that have it are put on the
    /// facets that follow from it now.
    fn redefine(
        &mut self,
        kept: &KeptDefinition,
        change: impl FnOnce(&mut dyn Store) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if kept.kind != DefinitionKind::ChunkType.as_str() {
            return change(self.store);
        }
        let slug = Slug::try_from(kept.name.clone()).map_err(|refusal| Broken(refusal.message))?;
        let before = self.store.chunk_type(&slug)?;
        change(self.store)?;
        let after = self.store.chunk_type(&slug)?;
        if before == after {
            return Ok(());
        }
        let mut seq = 0;
        loop {
            let page = self.store.chunks_of_type(&slug, seq)?;
            let Some(last) = page.last() else { return Ok(()) };
            seq = last.created_seq;
            for chunk in &page {
                let (old, new) =
                    (facets(chunk, before.as_deref()), facets(chunk, after.as_deref()));
                self.store.move_between(chunk.created_seq, &old, &new)?;
            }
        }
    }

    fn apply_to_hooks(&mut self, recorded: &Recorded, event: &Event) -> Result<(), Fault> {
        let header = &recorded.header;
        match event {
            Event::HookSet(data) => {
                let id = header.stream.hook();
                let version = self.hook(id)?.map_or(0, |hook| hook.version);
                expect_next(version, header.stream_seq, &header.stream)?;
                let known = InLedger { id, version: version + 1, updated_at: header.at };
                let hook = data.definition.clone();
                self.store.put_hook(header.seq, &Defined { hook, in_ledger: Some(known) })
            }
            Event::HookRemoved(_) => self.store.delete_hook(header.stream.hook()),
            Event::HookEnqueued(data) => {
                let id = header.stream.delivery();
                let delivery = Delivery::enqueued(id, data, header.seq, header.at);
                self.deliveries.insert(id, delivery);
                Ok(())
            }
            ended_or_retried => {
                // A rebuild meets the end of a delivery whose beginning is gone already.
                if let Some(delivery) = self.delivery(header.stream.delivery())? {
                    expect_next(delivery.version, header.stream_seq, &header.stream)?;
                    delivery.fold(ended_or_retried, header.at)?;
                }
                Ok(())
            }
        }
    }

    /// The definition of a hook in the ledger.
    fn hook(&mut self, id: HookId) -> Result<Option<InLedger>, Fault> {
        let known = self.store.hooks()?.into_iter().filter_map(|defined| defined.in_ledger);
        Ok(known.into_iter().find(|known| known.id == id))
    }

    fn key(&mut self, stream: Stream) -> Result<Key, Fault> {
        self.store.key(stream.key())?.ok_or_else(|| {
            Broken(format!("the log speaks of key {stream} before it is created")).into()
        })
    }

    /// A delivery as it is after all events so far.
    fn delivery(&mut self, id: DeliveryId) -> Result<Option<&mut Delivery>, Fault> {
        Ok(match self.deliveries.entry(id) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(unknown) => {
                let stored = self.store.deliveries(&[id])?.pop();
                stored.map(|tracked| unknown.insert(tracked.delivery))
            }
        })
    }

    fn create(&mut self, recorded: &Recorded, data: &TaskCreated) -> Result<(), Fault> {
        let header = &recorded.header;
        let mut task = Task::created(header.stream.task(), data, header.seq, header.at);
        for on in &data.depends_on {
            if self.edges.add_new(task.id, *on) && self.is_open(*on)? {
                task.open_dependencies += 1;
            }
        }
        let details = Details {
            description: data.description.clone(),
            links: data.links.clone(),
            metadata: data.metadata.clone(),
            note_words: String::new(),
        };
        let (id, parent, is_open) = (task.id, task.parent, !task.status.is_settled());
        let touched = Touched {
            stored: None,
            now: task,
            details: Some(details),
            details_changed: true,
            words_changed: true,
        };
        self.tasks.insert(id, touched);
        self.meet(id)?;
        if is_open {
            self.shift_waiting(id, parent, 1)?;
        }
        Ok(())
    }

    /// Remembers that a task was created here, where that spares a question later.
    fn meet(&mut self, id: TaskId) -> Result<(), Fault> {
        match &mut self.edges.stored {
            Stored::Unknown => {}
            Stored::Known { fresh } => {
                fresh.insert(id);
            }
            Stored::NotYet { created } => {
                *created += 1;
                if *created >= MANY {
                    // Those created before may be in the database by now, where edges to them are
                    // no longer edges to missing tasks. So they do not count as fresh.
                    let missing = self.store.orphan_edges()?;
                    self.edges.targets.extend(missing.into_iter().map(|(_, target)| target));
                    self.edges.stored = Stored::Known { fresh: HashSet::new() };
                }
            }
        }
        Ok(())
    }

    /// Takes a task out of the views of which the data are gone or will be.
    fn prune(&mut self, recorded: &Recorded, event: &Event) -> Result<(), Fault> {
        let id = recorded.header.stream.task();
        // A rebuild meets the end of a task whose earlier events are gone already.
        match self.find(id)?.is_some() {
            true => self.remove(recorded, event),
            false => Ok(()),
        }
    }

    /// Takes a task out of the views with its last event, which settles it. Edges to it stay: they
    /// show that something was there. So do edges from it that somebody wanted to keep; they hold
    /// nothing up.
    fn remove(&mut self, recorded: &Recorded, event: &Event) -> Result<(), Fault> {
        self.fold(recorded, event)?;
        self.flush()?;
        let Some(task) = self.store.task(recorded.header.stream.task())? else {
            return Err(Fault::bug("a task that leaves its view is not there"));
        };
        self.store.delete_task(&task)?;
        if let Event::TaskDeleted(data) = event {
            let kept: Vec<_> = data.kept.iter().map(|on| (task.id, *on)).collect();
            self.store.add_edges(&kept)?;
        }
        self.store.remove_words(task.created_seq)?;
        for tag in &task.tags {
            self.store.delete_tag(tag, task.created_seq)?;
        }
        *self.project(task.project)?.counts.of_mut(task.status) -= 1;
        self.flush()
    }

    /// Applies an event to its task, and what follows from it to the tasks that wait for it.
    fn fold(&mut self, recorded: &Recorded, event: &Event) -> Result<(), Fault> {
        let header = &recorded.header;
        let id = header.stream.task();
        let task = self.task(id)?;
        expect_next(task.version, header.stream_seq, &header.stream)?;
        let (was_open, old_parent) = (!task.status.is_settled(), task.parent);
        task.fold(event, header.at)?;
        let (is_open, new_parent) = (!task.status.is_settled(), task.parent);
        if old_parent != new_parent && was_open {
            self.shift_children(old_parent, -1)?;
            self.shift_children(new_parent, 1)?;
        }
        match (was_open, is_open) {
            (true, false) => self.shift_waiting(id, new_parent, -1),
            (false, true) => self.shift_waiting(id, new_parent, 1),
            (true, true) | (false, false) => Ok(()),
        }
    }

    /// A task became open (+1) or settled (-1): all that wait for it count that.
    fn shift_waiting(&mut self, id: TaskId, parent: Option<TaskId>, by: i64) -> Result<(), Fault> {
        for dependent in self.dependents(id)? {
            // What was deleted counts nothing any more, though its edges may be kept.
            if let Some(task) = self.find(dependent)? {
                task.open_dependencies = shifted(task.open_dependencies, by)?;
            }
        }
        self.shift_children(parent, by)
    }

    fn dependents(&mut self, id: TaskId) -> Result<Vec<TaskId>, Fault> {
        let mut found = match self.edges.may_be_stored(id) {
            true => self.store.dependents(id)?,
            false => Vec::new(),
        };
        found.extend(self.edges.new_dependents.get(&id).into_iter().flatten());
        Ok(found)
    }

    fn shift_children(&mut self, parent: Option<TaskId>, by: i64) -> Result<(), Fault> {
        // A parent that was pruned counts nothing any more.
        if let Some(parent) = parent
            && let Some(task) = self.find(parent)?
        {
            task.open_children = shifted(task.open_children, by)?;
        }
        Ok(())
    }

    fn update_details(&mut self, id: TaskId, data: &TaskUpdated) -> Result<(), Fault> {
        let has_details =
            data.description.is_some() || data.links.is_some() || data.metadata.is_some();
        let has_words = data.title.is_some() || data.tags.is_some() || data.description.is_some();
        if has_details {
            let details = self.details(id)?;
            if let Some(description) = &data.description {
                details.description = Some(description.clone()).filter(|text| !text.is_empty());
            }
            if let Some(links) = &data.links {
                details.links.clone_from(links);
            }
            if let Some(metadata) = &data.metadata {
                details.metadata.clone_from(metadata);
            }
        }
        if let Some(touched) = self.tasks.get_mut(&id) {
            touched.details_changed |= has_details;
            touched.words_changed |= has_words;
        }
        Ok(())
    }

    /// Makes what was said findable.
    fn note(&mut self, id: TaskId, text: &str) -> Result<(), Fault> {
        if text.is_empty() {
            return Ok(());
        }
        let details = self.details(id)?;
        if let Some(words) = with_words_of(&details.note_words, text) {
            details.note_words = words;
            if let Some(touched) = self.tasks.get_mut(&id) {
                touched.details_changed = true;
                touched.words_changed = true;
            }
        }
        Ok(())
    }

    /// The long texts of a task that was touched.
    fn details(&mut self, id: TaskId) -> Result<&mut Details, Fault> {
        let created_seq = self.task(id)?.created_seq;
        let missing = || Fault::bug("a touched task is not kept");
        let touched = self.tasks.get_mut(&id).ok_or_else(missing)?;
        let details = match touched.details.take() {
            Some(details) => details,
            None => self.store.details(created_seq)?.unwrap_or_default(),
        };
        Ok(touched.details.insert(details))
    }

    /// A task nothing waits for any more: settled, or not in this ledger.
    fn is_open(&mut self, id: TaskId) -> Result<bool, Fault> {
        if let Some(touched) = self.tasks.get(&id) {
            return Ok(!touched.now.status.is_settled());
        }
        Ok(self.store.task(id)?.is_some_and(|task| !task.status.is_settled()))
    }

    /// The task as it is after all events so far.
    pub(crate) fn find(&mut self, id: TaskId) -> Result<Option<&mut Task>, Fault> {
        Ok(match self.tasks.entry(id) {
            Entry::Occupied(known) => Some(&mut known.into_mut().now),
            Entry::Vacant(unknown) => self.store.task(id)?.map(|task| {
                let touched = Touched {
                    stored: Some(task.clone()),
                    now: task,
                    details: None,
                    details_changed: false,
                    words_changed: false,
                };
                &mut unknown.insert(touched).now
            }),
        })
    }

    fn task(&mut self, id: TaskId) -> Result<&mut Task, Fault> {
        self.find(id)?.ok_or_else(|| {
            Broken(format!("the log speaks of task {id} before it is created")).into()
        })
    }

    fn project(&mut self, id: ProjectId) -> Result<&mut Project, Fault> {
        Ok(match self.projects.entry(id) {
            Entry::Occupied(known) => &mut known.into_mut().now,
            Entry::Vacant(unknown) => {
                let missing =
                    || Broken(format!("the log speaks of project {id} before it is created"));
                let stored = self.store.project(id)?.ok_or_else(missing)?;
                &mut unknown.insert(Counted::stored(stored)).now
            }
        })
    }

    /// Writes every touched row.
    pub(crate) fn flush(&mut self) -> Result<(), Fault> {
        self.flush_edges()?;
        let tasks: Vec<Touched> = std::mem::take(&mut self.tasks).into_values().collect();
        self.write_tasks(&tasks)?;
        self.flush_projects()?;
        self.flush_deliveries()?;
        let activity = std::mem::take(&mut self.activity);
        self.store.add_activity(&activity)
    }

    fn flush_projects(&mut self) -> Result<(), Fault> {
        for (_, Counted { stored, now }) in std::mem::take(&mut self.projects) {
            self.store.update_project(&stored, &now)?;
        }
        Ok(())
    }

    fn flush_deliveries(&mut self) -> Result<(), Fault> {
        if self.deliveries.is_empty() {
            return Ok(());
        }
        let deliveries = std::mem::take(&mut self.deliveries);
        if self.outbox == Outbox::Stays {
            return self.store.put_deliveries(&deliveries.values().collect::<Vec<_>>());
        }
        let (new, changed): (Vec<&Delivery>, Vec<&Delivery>) =
            deliveries.values().partition(|delivery| delivery.version == 1);
        self.store.put_deliveries(&new)?;
        self.store.update_deliveries(&changed)?;
        let (waiting, over): (Vec<&Delivery>, Vec<&Delivery>) =
            deliveries.values().partition(|delivery| delivery.state == State::Queued);
        self.store.queue_deliveries(&waiting)?;
        let over: Vec<DeliveryId> = over.iter().map(|delivery| delivery.id).collect();
        self.store.unqueue_deliveries(&over)
    }

    fn flush_edges(&mut self) -> Result<(), Fault> {
        let new = std::mem::take(&mut self.edges.new);
        self.edges.new_dependents.clear();
        self.store.add_edges(&new)
    }

    fn write_tasks(&mut self, tasks: &[Touched]) -> Result<(), Fault> {
        let none = Details::default();
        let new = |touched: &&Touched| touched.stored.is_none();
        let rows: Vec<(&Task, &Details)> = tasks
            .iter()
            .filter(new)
            .map(|touched| (&touched.now, touched.details.as_ref().unwrap_or(&none)))
            .collect();
        self.store.insert_tasks(&rows)?;
        for touched in tasks {
            let Some(stored) = &touched.stored else { continue };
            self.store.update_task(stored, &touched.now)?;
            if let (Some(details), true) = (&touched.details, touched.details_changed) {
                self.store.update_details(touched.now.created_seq, details)?;
            }
        }
        self.write_words(tasks)?;
        self.write_tags(tasks)?;
        self.write_queue(tasks)?;
        tasks.iter().try_for_each(|touched| self.count(touched))
    }

    fn write_words(&mut self, tasks: &[Touched]) -> Result<(), Fault> {
        let none = Details::default();
        let (mut new, mut changed) = (Vec::new(), Vec::new());
        for touched in tasks.iter().filter(|touched| touched.words_changed) {
            let stored = match touched.details {
                Some(_) => None,
                None => self.store.details(touched.now.created_seq)?,
            };
            let details = touched.details.as_ref().or(stored.as_ref()).unwrap_or(&none);
            let words = Words::of(&touched.now, details);
            match touched.stored {
                None => new.push(words),
                Some(_) => changed.push(words),
            }
        }
        self.store.add_words(&new)?;
        self.store.replace_words(&changed)
    }

    fn write_tags(&mut self, tasks: &[Touched]) -> Result<(), Fault> {
        let mut added = Vec::new();
        for touched in tasks {
            let old = touched.stored.as_ref().map_or(&[][..], |task| &task.tags);
            let (new, created_seq) = (&touched.now.tags, touched.now.created_seq);
            for tag in old.iter().filter(|tag| !new.contains(tag)) {
                self.store.delete_tag(tag, created_seq)?;
            }
            let missing = new.iter().filter(|tag| !old.contains(tag));
            added.extend(missing.map(|tag| (tag.as_str(), created_seq)));
        }
        self.store.add_tags(&added)
    }

    fn write_queue(&mut self, tasks: &[Touched]) -> Result<(), Fault> {
        let mut entering = Vec::new();
        for touched in tasks {
            let queued = touched.stored.as_ref().filter(|task| task.is_claimable());
            let wanted = Some(&touched.now).filter(|task| task.is_claimable());
            if let (Some(old), Some(new)) = (queued, wanted)
                && place(old) == place(new)
            {
                continue;
            }
            for (old, tag) in queued.into_iter().flat_map(queue_places) {
                self.store.dequeue(tag, old)?;
            }
            entering.extend(wanted.into_iter().flat_map(queue_places));
        }
        self.store.enqueue_all(&entering)
    }

    fn count(&mut self, touched: &Touched) -> Result<(), Fault> {
        let (old, new) = (touched.stored.as_ref(), &touched.now);
        let same = |old: &Task| {
            old.status == new.status
                && old.project == new.project
                && old.is_claimable() == new.is_claimable()
        };
        if old.is_some_and(same) {
            return Ok(());
        }
        if let Some(old) = old {
            let counts = &mut self.project(old.project)?.counts;
            *counts.of_mut(old.status) -= 1;
            counts.claimable -= i64::from(old.is_claimable());
        }
        let counts = &mut self.project(new.project)?.counts;
        *counts.of_mut(new.status) += 1;
        counts.claimable += i64::from(new.is_claimable());
        Ok(())
    }
}

impl Edges {
    /// Adds an edge of a task that is being created; false when it was added already.
    fn add_new(&mut self, task: TaskId, on: TaskId) -> bool {
        let dependents = self.new_dependents.entry(on).or_default();
        if dependents.contains(&task) {
            return false;
        }
        dependents.push(task);
        self.new.push((task, on));
        self.targets.insert(on);
        true
    }

    /// The database may know tasks that wait for this one.
    fn may_be_stored(&self, id: TaskId) -> bool {
        match &self.stored {
            Stored::Unknown | Stored::NotYet { .. } => true,
            Stored::Known { fresh } => !fresh.contains(&id) || self.targets.contains(&id),
        }
    }
}

/// What decides where a claimable task stands in the queue.
fn place(task: &Task) -> impl PartialEq {
    (
        task.project,
        task.role.clone(),
        task.agent.clone(),
        task.priority,
        task.due_at,
        task.tags.clone(),
    )
}

/// A claimable task stands in the queue of all, and in that of each tag.
fn queue_places(task: &Task) -> impl Iterator<Item = (&Task, &str)> {
    let tags = std::iter::once("").chain(task.tags.iter().map(String::as_str));
    tags.map(move |tag| (task, tag))
}

fn shifted(counter: u64, by: i64) -> Result<u64, Fault> {
    counter
        .checked_add_signed(by)
        .ok_or_else(|| Fault::bug("a counter of open tasks fell below zero"))
}

fn expect_next(version: u64, stream_seq: u64, stream: &Stream) -> Result<(), Broken> {
    if stream_seq == version + 1 {
        return Ok(());
    }
    Err(Broken(format!("event {stream_seq} of {stream} follows event {version}")))
}
