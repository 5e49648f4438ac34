//! The views: every change to them is here, and follows from an event.
//!
//! Tasks and projects touched by a run of events are kept in memory until [`Views::flush`], so a
//! row is written once however many events changed it. A live command flushes after each record,
//! a rebuild after many thousand events; both run the same code.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use windlass_domain::event::{TaskCreated, TaskUpdated};
use windlass_domain::project::Project;
use windlass_domain::task::Broken;
use windlass_domain::{Event, ProjectId, Task, TaskId};

use crate::fault::Fault;
use crate::record::{Details, Recorded};
use crate::store::Store;

pub(crate) struct Views<'a> {
    store: &'a mut dyn Store,
    tasks: BTreeMap<TaskId, Touched>,
    projects: BTreeMap<ProjectId, Project>,
}

struct Touched {
    /// The row as it is in the database; nothing when the task is new.
    stored: Option<Task>,
    now: Task,
    /// The long texts, when they are new or changed.
    details: Option<Details>,
}

impl<'a> Views<'a> {
    pub(crate) fn new(store: &'a mut dyn Store) -> Self {
        Self { store, tasks: BTreeMap::new(), projects: BTreeMap::new() }
    }

    /// The next events of the log, for a rebuild.
    pub(crate) fn events_after(&mut self, seq: u64, limit: u64) -> Result<Vec<Recorded>, Fault> {
        self.store.events_after(seq, limit)
    }

    /// How many rows wait to be written.
    pub(crate) fn waiting(&self) -> usize {
        self.tasks.len()
    }

    /// Applies the next event of the log.
    pub(crate) fn apply(&mut self, recorded: &Recorded) -> Result<(), Fault> {
        // The data of a pruned event are gone, and so is everything that followed from them.
        let Some(event) = recorded.event()? else {
            return Ok(());
        };
        let header = &recorded.header;
        match &event {
            Event::ProjectCreated(data) => {
                let id = header.stream.project();
                let project = Project::created(id, data, header.seq, header.at);
                self.store.insert_project(&project)?;
                self.projects.insert(id, project);
                Ok(())
            }
            Event::ProjectRenamed(_) | Event::ProjectFrozen(_) | Event::ProjectUnfrozen(_) => {
                let id = header.stream.project();
                let project = self.project(id)?;
                expect_next(project.version, header.stream_seq, &header.stream)?;
                project.fold(&event, header.at)?;
                // Written at once: names are unique, so their changes must keep their order.
                let project = project.clone();
                self.store.update_project(&project)
            }
            Event::TaskCreated(data) => self.create(recorded, data),
            Event::DependencyAdded(data) => {
                let id = header.stream.task();
                self.fold(recorded, &event)?;
                if self.store.add_edge(id, data.on)? && self.is_open(data.on)? {
                    self.task(id)?.open_dependencies += 1;
                }
                Ok(())
            }
            Event::DependencyRemoved(data) => {
                let id = header.stream.task();
                self.fold(recorded, &event)?;
                if self.store.remove_edge(id, data.on)? && self.is_open(data.on)? {
                    let task = self.task(id)?;
                    task.open_dependencies = shifted(task.open_dependencies, -1)?;
                }
                Ok(())
            }
            Event::TaskUpdated(data) => {
                self.update_details(header.stream.task(), data)?;
                self.fold(recorded, &event)
            }
            Event::TaskClaimed(_)
            | Event::ClaimRenewed(_)
            | Event::ClaimExpired(_)
            | Event::TaskReleased(_)
            | Event::TaskBlocked(_)
            | Event::TaskUnblocked(_)
            | Event::TaskCompleted(_)
            | Event::TaskReopened(_)
            | Event::StatusSet(_)
            | Event::TaskArchived(_)
            | Event::TaskRestored(_)
            | Event::CommentAdded(_)
            | Event::CheckpointRecorded(_)
            | Event::ProgressSet(_) => self.fold(recorded, &event),
        }
    }

    fn create(&mut self, recorded: &Recorded, data: &TaskCreated) -> Result<(), Fault> {
        let header = &recorded.header;
        let mut task = Task::created(header.stream.task(), data, header.seq, header.at);
        for on in &data.depends_on {
            if self.store.add_edge(task.id, *on)? && self.is_open(*on)? {
                task.open_dependencies += 1;
            }
        }
        let details = Details {
            description: data.description.clone(),
            links: data.links.clone(),
            metadata: data.metadata.clone(),
        };
        let (id, parent, is_open) = (task.id, task.parent, !task.status.is_settled());
        self.tasks.insert(id, Touched { stored: None, now: task, details: Some(details) });
        if is_open {
            self.shift_waiting(id, parent, 1)?;
        }
        Ok(())
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
        for dependent in self.store.dependents(id)? {
            let task = self.task(dependent)?;
            task.open_dependencies = shifted(task.open_dependencies, by)?;
        }
        self.shift_children(parent, by)
    }

    fn shift_children(&mut self, parent: Option<TaskId>, by: i64) -> Result<(), Fault> {
        if let Some(parent) = parent {
            let task = self.task(parent)?;
            task.open_children = shifted(task.open_children, by)?;
        }
        Ok(())
    }

    fn update_details(&mut self, id: TaskId, data: &TaskUpdated) -> Result<(), Fault> {
        if data.description.is_none() && data.links.is_none() && data.metadata.is_none() {
            return Ok(());
        }
        let created_seq = self.task(id)?.created_seq;
        let known = self.tasks.get_mut(&id).and_then(|touched| touched.details.take());
        let mut details = match known {
            Some(details) => details,
            None => self.store.details(created_seq)?.unwrap_or_default(),
        };
        if let Some(description) = &data.description {
            details.description = Some(description.clone()).filter(|text| !text.is_empty());
        }
        if let Some(links) = &data.links {
            details.links.clone_from(links);
        }
        if let Some(metadata) = &data.metadata {
            details.metadata.clone_from(metadata);
        }
        if let Some(touched) = self.tasks.get_mut(&id) {
            touched.details = Some(details);
        }
        Ok(())
    }

    /// A task nothing waits for any more: settled, or not in this ledger.
    fn is_open(&mut self, id: TaskId) -> Result<bool, Fault> {
        if let Some(touched) = self.tasks.get(&id) {
            return Ok(!touched.now.status.is_settled());
        }
        Ok(self.store.task(id)?.is_some_and(|task| !task.status.is_settled()))
    }

    fn task(&mut self, id: TaskId) -> Result<&mut Task, Fault> {
        let touched = match self.tasks.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let task = self.store.task(id)?.ok_or_else(|| {
                    Broken(format!("the log speaks of task {id} before it is created"))
                })?;
                unknown.insert(Touched { stored: Some(task.clone()), now: task, details: None })
            }
        };
        Ok(&mut touched.now)
    }

    fn project(&mut self, id: ProjectId) -> Result<&mut Project, Fault> {
        Ok(match self.projects.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.store.project(id)?.ok_or_else(|| {
                Broken(format!("the log speaks of project {id} before it is created"))
            })?),
        })
    }

    /// Writes every touched row.
    pub(crate) fn flush(&mut self) -> Result<(), Fault> {
        for (_, touched) in std::mem::take(&mut self.tasks) {
            self.write_task(&touched)?;
        }
        for (_, project) in std::mem::take(&mut self.projects) {
            self.store.update_project(&project)?;
        }
        Ok(())
    }

    fn write_task(&mut self, touched: &Touched) -> Result<(), Fault> {
        let now = &touched.now;
        match (&touched.stored, &touched.details) {
            (None, details) => {
                self.store.insert_task(now, details.as_ref().unwrap_or(&Details::default()))?;
            }
            (Some(_), details) => {
                self.store.update_task(now)?;
                if let Some(details) = details {
                    self.store.update_details(now.created_seq, details)?;
                }
            }
        }
        self.write_tags(touched)?;
        self.write_queue(touched)?;
        self.count(touched)
    }

    fn write_tags(&mut self, touched: &Touched) -> Result<(), Fault> {
        let old = touched.stored.as_ref().map_or(&[][..], |task| &task.tags);
        let new = &touched.now.tags;
        for tag in old.iter().filter(|tag| !new.contains(tag)) {
            self.store.delete_tag(tag, touched.now.created_seq)?;
        }
        for tag in new.iter().filter(|tag| !old.contains(tag)) {
            self.store.insert_tag(tag, touched.now.created_seq)?;
        }
        Ok(())
    }

    fn write_queue(&mut self, touched: &Touched) -> Result<(), Fault> {
        let queued = touched.stored.as_ref().filter(|task| task.is_claimable());
        let wanted = Some(&touched.now).filter(|task| task.is_claimable());
        if let (Some(old), Some(new)) = (queued, wanted)
            && place(old) == place(new)
        {
            return Ok(());
        }
        if let Some(old) = queued {
            for tag in queue_tags(old) {
                self.store.dequeue(tag, old)?;
            }
        }
        if let Some(new) = wanted {
            for tag in queue_tags(new) {
                self.store.enqueue(tag, new)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, touched: &Touched) -> Result<(), Fault> {
        let (old, new) = (touched.stored.as_ref(), &touched.now);
        let was_claimable = old.is_some_and(Task::is_claimable);
        let same_status = old.is_some_and(|old| old.status == new.status);
        if same_status && was_claimable == new.is_claimable() {
            return Ok(());
        }
        let counts = &mut self.project(new.project)?.counts;
        if let Some(old) = old {
            *counts.of_mut(old.status) -= 1;
        }
        *counts.of_mut(new.status) += 1;
        counts.claimable += i64::from(new.is_claimable()) - i64::from(was_claimable);
        Ok(())
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

fn queue_tags(task: &Task) -> impl Iterator<Item = &str> {
    std::iter::once("").chain(task.tags.iter().map(String::as_str))
}

fn shifted(counter: u64, by: i64) -> Result<u64, Fault> {
    counter
        .checked_add_signed(by)
        .ok_or_else(|| Fault::bug("a counter of open tasks fell below zero"))
}

fn expect_next(
    version: u64,
    stream_seq: u64,
    stream: &windlass_domain::Stream,
) -> Result<(), Broken> {
    if stream_seq == version + 1 {
        return Ok(());
    }
    Err(Broken(format!("event {stream_seq} of {stream} follows event {version}")))
}
