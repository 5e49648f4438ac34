//! The bound of a transaction: somebody who may change only some projects.
//!
//! What a caller does is held against it before it is recorded, wherever it comes from. What follows
//! from that by itself (a pause that ends, a hook that is set off) may be elsewhere.

use windlass_domain::chunk::Owner;
use windlass_domain::event::{ChunkEvent, RunEvent, SessionEvent, Subject};
use windlass_domain::{Code, Event, ProjectId, Refusal, Stream, TaskId};

use crate::fault::{Error, Fault};
use crate::transaction::Transaction;

impl Transaction<'_> {
    /// From here on only tasks and projects of these may be changed; with none, everything.
    pub fn bound_to(&mut self, projects: &[ProjectId]) {
        projects.clone_into(&mut self.bound);
    }

    /// The projects that may be changed; all when empty.
    pub fn bound(&self) -> &[ProjectId] {
        &self.bound
    }

    /// Refuses what concerns the whole ledger.
    pub(crate) fn refuse_if_bound(&mut self) -> Result<(), Error> {
        match self.bound.is_empty() {
            true => Ok(()),
            false => Err(self.outside()?.into()),
        }
    }

    /// Refuses events of a stream that is not of these projects, or leaves them.
    pub(crate) fn refuse_outside(&mut self, stream: Stream, events: &[Event]) -> Result<(), Error> {
        if self.bound.is_empty() {
            return Ok(());
        }
        for event in events {
            let concerned = self.concerned(stream, event)?;
            if concerned.is_empty() || !concerned.iter().all(|id| self.bound.contains(id)) {
                return Err(self.outside()?.into());
            }
        }
        Ok(())
    }

    /// The projects that an event changes; none when it changes what is no part of any.
    fn concerned(&mut self, stream: Stream, event: &Event) -> Result<Vec<ProjectId>, Fault> {
        let goes_to = match event {
            Event::TaskCreated(data) => Some(data.project),
            Event::TaskMoved(data) => Some(data.project),
            _ => None,
        };
        let is_in = match event.kind().subject() {
            Subject::Project => Some(stream.project()),
            Subject::Task => self.task(stream.task())?.map(|task| task.project),
            Subject::Delivery => match self.store.deliveries(&[stream.delivery()])?.pop() {
                Some(tracked) => self.project_of(tracked.delivery.task)?,
                None => None,
            },
            Subject::Run => {
                let task = self.task_of_run(stream, event)?;
                self.project_of(task)?
            }
            Subject::Chunk => return self.concerned_by_chunk(stream, event),
            Subject::Session => return self.concerned_by_session(stream, event),
            Subject::Op | Subject::Hook | Subject::Key | Subject::Definition => None,
        };
        Ok(is_in.into_iter().chain(goes_to).collect())
    }

    /// Of a chunk the project whose it is and becomes. What is an agent's own is no part of any
    /// project, and whoever may write it may; whoever may read a chunk may say what they found.
    fn concerned_by_chunk(
        &mut self,
        stream: Stream,
        event: &Event,
    ) -> Result<Vec<ProjectId>, Fault> {
        let becomes = match event {
            Event::Chunk(event) => match &**event {
                ChunkEvent::ChunkWritten(data) => Some(data.owner.clone()),
                ChunkEvent::ChunkPromoted(data) => Some(data.owner.clone()),
                ChunkEvent::ChunkMoved(data) => Some(Owner::Project(data.project)),
                // What readers find of a chunk changes nothing that it says.
                ChunkEvent::ChunkReviewed(_) | ChunkEvent::SourceChecked(_) => {
                    return Ok(self.bound.clone());
                }
                _ => None,
            },
            _ => None,
        };
        let is = self.chunk(stream.chunk())?.map(|chunk| chunk.owner);
        let mut concerned = Vec::new();
        for owner in is.into_iter().chain(becomes) {
            match owner {
                Owner::Org => return Ok(Vec::new()),
                Owner::Project(id) => concerned.push(id),
                Owner::Agent(_) => concerned.extend(&self.bound),
            }
        }
        Ok(concerned)
    }

    /// Of a session its project; one that has none is its agent's own.
    fn concerned_by_session(
        &mut self,
        stream: Stream,
        event: &Event,
    ) -> Result<Vec<ProjectId>, Fault> {
        let project = match event {
            Event::Session(event) => match &**event {
                SessionEvent::SessionStarted(data) => data.project,
                _ => self.session(stream.session())?.and_then(|kept| kept.session.project),
            },
            _ => None,
        };
        Ok(project.map_or_else(|| self.bound.clone(), |id| vec![id]))
    }

    fn project_of(&mut self, task: Option<TaskId>) -> Result<Option<ProjectId>, Fault> {
        match task {
            Some(task) => Ok(self.task(task)?.map(|task| task.project)),
            None => Ok(None),
        }
    }

    /// The task that a run works on.
    fn task_of_run(&mut self, stream: Stream, event: &Event) -> Result<Option<TaskId>, Fault> {
        let tie = match event {
            Event::Run(event) => match &**event {
                RunEvent::RunStarted(data) => data.tie,
                _ => self.run(stream.run())?.and_then(|kept| kept.run.tie),
            },
            _ => None,
        };
        Ok(tie.map(|tie| tie.task))
    }

    fn outside(&mut self) -> Result<Refusal, Fault> {
        let mut names = Vec::new();
        for id in self.bound.clone() {
            names.extend(self.store.project(id)?.map(|project| project.name));
        }
        let message = format!("this key may change nothing outside {}", names.join(", "));
        Ok(Refusal::new(Code::NotAllowed, message)
            .hint("name a project of the key, or use a key for the other one")
            .detail("projects", names))
    }
}
