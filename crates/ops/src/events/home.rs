//! Where the events of the log belong.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use windlass_domain::chunk::Owner;
use windlass_domain::event::{Event, Kind, Subject};
use windlass_domain::{ChunkId, ProjectId, RunKey, Stream, TaskId};
use windlass_ledger::{Fault, Recorded, Snapshot};

/// The projects that an event belongs to, and whose it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Home {
    /// The task that a run works on.
    pub(super) task: Option<TaskId>,
    project: Option<ProjectId>,
    /// The one that was left, where the event tells of a move.
    left: Option<ProjectId>,
    /// Whose it is, where that decides who may read it.
    pub(super) owner: Option<Owner>,
}

impl Home {
    /// Of a chunk.
    fn of_owner(owner: Option<Owner>) -> Self {
        let project = match &owner {
            Some(Owner::Project(id)) => Some(*id),
            Some(Owner::Org | Owner::Agent(_)) | None => None,
        };
        Self { project, owner, ..Self::default() }
    }

    /// Of what an agent keeps for itself.
    fn kept_by(agent: String) -> Self {
        Self { owner: Some(Owner::Agent(agent)), ..Self::default() }
    }

    pub(super) fn is_in(&self, project: ProjectId) -> bool {
        [self.project, self.left].contains(&Some(project))
    }
}

/// The projects of tasks and the tasks of runs, each looked up once.
#[derive(Debug, Default)]
pub struct Homes {
    projects: BTreeMap<TaskId, Option<ProjectId>>,
    tasks: BTreeMap<RunKey, Option<TaskId>>,
    /// Whose a chunk was, each from a place in the log on.
    owners: BTreeMap<ChunkId, BTreeMap<u64, Owner>>,
}

impl Homes {
    /// Where an event belongs: for a task, to the project it is in now, or was in when it went. That
    /// it moved belongs to both ends. A run belongs to the task it works on, what happened to a chunk
    /// to its owner at that time, a session to its agent. What was answered about chunks under an op id
    /// belongs to whoever asked.
    pub fn of(&mut self, snapshot: &mut Snapshot<'_>, recorded: &Recorded) -> Result<Home, Fault> {
        let stream = recorded.header.stream;
        let kind = Kind::from_text(&recorded.header.kind);
        match kind.map(Kind::subject) {
            Some(Subject::Project) => {
                Ok(Home { project: Some(stream.project()), ..Home::default() })
            }
            Some(Subject::Task) => {
                let project = self.project(snapshot, stream.task())?;
                let left = (kind == Some(Kind::TaskMoved)).then(|| left(recorded)).flatten();
                Ok(Home { project, left, ..Home::default() })
            }
            Some(Subject::Run) => {
                let Some(task) = self.task(snapshot, stream.run())? else {
                    return Ok(Home::default());
                };
                let project = self.project(snapshot, task)?;
                Ok(Home { task: Some(task), project, ..Home::default() })
            }
            Some(Subject::Chunk) => {
                let seq = recorded.header.seq;
                Ok(Home::of_owner(self.owner(snapshot, stream.chunk(), seq)?))
            }
            Some(Subject::Session) => {
                let Some(kept) = snapshot.session(stream.session())? else {
                    return Ok(Home::default());
                };
                let project = kept.session.project;
                Ok(Home { project, ..Home::kept_by(kept.session.agent) })
            }
            Some(Subject::Op) => {
                let asker = || Home::kept_by(recorded.header.provenance.actor.clone());
                Ok(holds_chunks(recorded).then(asker).unwrap_or_default())
            }
            _ => Ok(Home::default()),
        }
    }

    fn project(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        task: TaskId,
    ) -> Result<Option<ProjectId>, Fault> {
        let project = match self.projects.get(&task) {
            Some(known) => *known,
            None => of_task(snapshot, task.into())?,
        };
        self.projects.insert(task, project);
        Ok(project)
    }

    /// Whose a chunk was when something happened to it: a promotion does not publish what was before.
    fn owner(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        chunk: ChunkId,
        seq: u64,
    ) -> Result<Option<Owner>, Fault> {
        let owners = match self.owners.entry(chunk) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(owners(snapshot, chunk)?),
        };
        Ok(owners.range(..=seq).next_back().map(|(_, owner)| owner.clone()))
    }

    /// The task that an event is about, or that the run it is about works on.
    pub(crate) fn task_of(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        recorded: &Recorded,
    ) -> Result<Option<TaskId>, Fault> {
        let stream = recorded.header.stream;
        match Kind::from_text(&recorded.header.kind).map(Kind::subject) {
            Some(Subject::Task) => Ok(Some(stream.task())),
            Some(Subject::Run) => self.task(snapshot, stream.run()),
            _ => Ok(None),
        }
    }

    /// The task that a run works on.
    fn task(&mut self, snapshot: &mut Snapshot<'_>, run: RunKey) -> Result<Option<TaskId>, Fault> {
        let task = match self.tasks.get(&run) {
            Some(known) => *known,
            None => snapshot.run(run)?.and_then(|kept| kept.run.tie).map(|tie| tie.task),
        };
        self.tasks.insert(run, task);
        Ok(task)
    }
}

/// The project of a task. One that is gone was in the one that its last event names.
fn of_task(snapshot: &mut Snapshot<'_>, stream: Stream) -> Result<Option<ProjectId>, Fault> {
    if let Some(task) = snapshot.task(stream.task())? {
        return Ok(Some(task.project));
    }
    let last = snapshot.history(stream, 1)?.pop();
    Ok(match last.and_then(|last| last.event().ok().flatten()) {
        Some(Event::TaskDeleted(gone)) => gone.project,
        Some(Event::TaskPruned(gone)) => gone.project,
        _ => None,
    })
}

/// Whose a chunk was, each from a place in the log on.
fn owners(snapshot: &mut Snapshot<'_>, chunk: ChunkId) -> Result<BTreeMap<u64, Owner>, Fault> {
    let versions = snapshot.versions(chunk)?.into_iter();
    Ok(versions.map(|version| (version.seq, version.chunk.owner)).collect())
}

/// Whether an answer may hold what chunks say.
fn holds_chunks(answered: &Recorded) -> bool {
    match answered.event().ok().flatten() {
        Some(Event::OpCompleted(data)) => {
            let group = data.operation.split('.').next().unwrap_or_default();
            ["chunk", "remember", "session", "inject"].contains(&group)
        }
        _ => false,
    }
}

fn left(moved: &Recorded) -> Option<ProjectId> {
    match moved.event().ok().flatten() {
        Some(Event::TaskMoved(moved)) => moved.from,
        _ => None,
    }
}
