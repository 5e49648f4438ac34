//! Specs by their tasks, and how they follow them.

use windlass_domain::chunk::followed::is_followed;
use windlass_domain::chunk::tie::{accompany, follow, is_tied, refuse_alone};
use windlass_domain::chunk::{Author, Chunk, Owner};
use windlass_domain::definition::find;
use windlass_domain::event::ChunkEvent;
use windlass_domain::{Event, Stream, Task, TaskId};

use super::seam::read_chunk;
use crate::cell::Cell;
use crate::fault::{Error, Fault};
use crate::snapshot::Snapshot;
use crate::store::{Statements, first};
use crate::transaction::Transaction;

/// By `chunks_task`.
pub(crate) const SPEC_OF_TASK: &str = "SELECT state FROM chunks WHERE task_id = $1";

/// The part of the seam that finds specs by their tasks.
pub(crate) trait TiedChunks: Statements {
    fn spec_of_task(&mut self, task: TaskId) -> Result<Option<Chunk>, Fault> {
        first(self, SPEC_OF_TASK, &[Cell::Bytes(&task.to_bytes())], read_chunk)
    }
}

/// A task to which something happened in a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Touched {
    task: TaskId,
    /// Why it was blocked, if it was, the last time.
    reason: Option<String>,
}

impl Touched {
    /// The task of a stream, if a spec has to follow these events.
    pub(crate) fn by(stream: Stream, events: &[Event]) -> Option<Self> {
        let mut reasons = events.iter().filter_map(|event| match event {
            Event::TaskBlocked(data) => data.reason.clone(),
            _ => None,
        });
        events
            .iter()
            .any(is_followed)
            .then(|| Self { task: stream.task(), reason: reasons.next_back() })
    }
}

impl Snapshot<'_> {
    /// The spec that a task is the task of.
    pub fn spec_of_task(&mut self, task: TaskId) -> Result<Option<Chunk>, Fault> {
        self.store.spec_of_task(task)
    }
}

impl Transaction<'_> {
    /// Lets specs show what became of their tasks, now that everything else was recorded: whatever
    /// door the task was changed through, the two agree when the transaction ends.
    pub(crate) fn follow_tasks(&mut self) -> Result<(), Error> {
        for Touched { task, reason } in std::mem::take(&mut self.touched) {
            let Some(task) = self.task(task)?.filter(is_tied) else { continue };
            let Some(spec) = self.spec_of_task(task.id)? else {
                refuse_alone(&task)?;
                continue;
            };
            let by = Author { name: self.provenance().actor.clone(), session: None, run: None };
            let spec = self.accompany(spec, &task, &by)?;
            let types = self.chunk_types()?;
            let shown = spec.shown(find(&types, &spec.chunk_type)?);
            if let Some(updated) = follow(&spec, &shown, &task, reason.as_deref(), by)? {
                let event = Event::from(ChunkEvent::from(updated));
                self.record(spec.id.into(), spec.events, vec![event])?;
            }
        }
        Ok(())
    }

    /// Lets a spec be where its task is.
    fn accompany(&mut self, spec: Chunk, task: &Task, by: &Author) -> Result<Chunk, Error> {
        let there = Owner::Project(task.project);
        if spec.owner == there {
            return Ok(spec);
        }
        let taken = self.keys_taken(&spec, &there, &spec.chunk_type)?;
        let moved = accompany(&spec, task, &taken, by.clone());
        self.record(spec.id.into(), spec.events, vec![ChunkEvent::from(moved).into()])?;
        let left = || Fault::bug(format!("chunk {} left its view", spec.id));
        Ok(self.chunk(spec.id)?.ok_or_else(left)?)
    }
}
