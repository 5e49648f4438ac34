//! Which events of the log somebody wants to see.

use std::collections::BTreeMap;

use windlass_domain::chunk::Owner;
use windlass_domain::event::{Event, Kind, Subject};
use windlass_domain::near::near;
use windlass_domain::{ChunkId, Code, ProjectId, Refusal, RunKey, Stream, TaskId};
use windlass_ledger::{Error, Fault, Recorded, Snapshot};

/// How many events are looked through for one answer. Whoever wants more asks for the next.
const LOOKED_THROUGH: u64 = 50_000;
/// How many are read at a time.
const BATCH: u64 = 1_000;

/// What was asked for, in the caller's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub project: Option<String>,
    pub task: Option<String>,
    pub kinds: Vec<String>,
}

/// How much of the log somebody may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sight {
    #[default]
    Whole,
    /// All but who was let in by which key: that is for those who may list keys.
    WithoutKeys,
    /// The same for this agent, without what other agents keep for themselves.
    OfAgent(String),
}

impl Sight {
    /// Whether events of this kind may be shown.
    pub fn reaches(&self, kind: &str) -> bool {
        match self {
            Self::Whole => true,
            Self::WithoutKeys | Self::OfAgent(_) => {
                Kind::from_text(kind).map(Kind::subject) != Some(Subject::Key)
            }
        }
    }

    /// Whether what belongs there may be shown.
    pub fn reaches_home(&self, home: &Home) -> bool {
        match self {
            Self::Whole | Self::WithoutKeys => true,
            Self::OfAgent(name) => home.kept_by.as_ref().is_none_or(|keeper| keeper == name),
        }
    }

    /// Whether it depends on where an event belongs.
    const fn asks_for_home(&self) -> bool {
        match self {
            Self::Whole | Self::WithoutKeys => false,
            Self::OfAgent(_) => true,
        }
    }
}

impl Asked {
    /// The same, as the ledger knows it, for somebody who may see so much.
    pub fn resolve(&self, snapshot: &mut Snapshot<'_>, sight: &Sight) -> Result<Filter, Error> {
        for kind in &self.kinds {
            if Kind::from_text(kind).is_none() {
                return Err(unknown(kind).into());
            }
            if !sight.reaches(kind) {
                return Err(hidden(kind).into());
            }
        }
        let project = match &self.project {
            Some(name) => Some(snapshot.project_named(name)?.id),
            None => None,
        };
        let task = match &self.task {
            Some(text) => Some(snapshot.task_named(text)?.id),
            None => None,
        };
        Ok(Filter { project, task, kinds: self.kinds.clone(), sight: sight.clone() })
    }
}

fn unknown(kind: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("there are no events of the kind '{kind}'"))
        .hint("kinds are written as in: task_claimed")
        .suggest(near(kind, Kind::ALL.iter().map(|kind| kind.as_str())))
        .detail("field", "kind")
        .detail("given", kind)
}

fn hidden(kind: &str) -> Refusal {
    Refusal::new(Code::NotAllowed, format!("events of the kind {kind} are shown to admins alone"))
        .hint("ask somebody with an admin key, or leave the kind out")
        .detail("field", "kind")
        .detail("given", kind)
}

/// Which events are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    project: Option<ProjectId>,
    task: Option<TaskId>,
    kinds: Vec<String>,
    sight: Sight,
}

impl Filter {
    /// Whether an event is wanted that belongs to `home`.
    pub fn wants(&self, kind: &str, stream: Stream, home: &Home) -> bool {
        self.sight.reaches(kind)
            && self.sight.reaches_home(home)
            && self.project.is_none_or(|wanted| home.is_in(wanted))
            && self.task.is_none_or(|wanted| stream == wanted.into() || home.task == Some(wanted))
            && (self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind))
    }

    fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Those of `found` that are wanted.
    pub(super) fn of(
        &self,
        snapshot: &mut Snapshot<'_>,
        found: Vec<Recorded>,
    ) -> Result<Vec<Recorded>, Fault> {
        let mut homes = Homes::default();
        let mut wanted = Vec::new();
        for recorded in found {
            let asks_for_home =
                self.project.is_some() || self.task.is_some() || self.sight.asks_for_home();
            let home = match asks_for_home {
                false => Home::default(),
                true => homes.of(snapshot, &recorded)?,
            };
            if self.wants(&recorded.header.kind, recorded.header.stream, &home) {
                wanted.push(recorded);
            }
        }
        Ok(wanted)
    }

    /// The first of them after `from`, at most `limit`, and how far the log was looked through.
    pub(super) fn after(
        &self,
        snapshot: &mut Snapshot<'_>,
        from: u64,
        limit: u64,
    ) -> Result<(Vec<Recorded>, u64), Fault> {
        if self.is_all() {
            let found = snapshot.events_after(from, limit)?;
            let next = found.last().map_or(from, |last| last.header.seq);
            return Ok((found, next));
        }
        let (mut wanted, mut next) = (Vec::new(), from);
        while next - from < LOOKED_THROUGH && (wanted.len() as u64) < limit {
            let batch = snapshot.events_after(next, BATCH)?;
            let Some(last) = batch.last() else { break };
            next = last.header.seq;
            wanted.extend(self.of(snapshot, batch)?);
        }
        if let Some(beyond) = usize::try_from(limit).ok().filter(|limit| wanted.len() > *limit) {
            wanted.truncate(beyond);
            next = wanted.last().map_or(next, |last: &Recorded| last.header.seq);
        }
        Ok((wanted, next))
    }
}

/// The projects that an event belongs to, or the agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Home {
    /// The task that a run works on.
    task: Option<TaskId>,
    project: Option<ProjectId>,
    /// The one that was left, where the event tells of a move.
    left: Option<ProjectId>,
    /// The agent that keeps it for itself.
    kept_by: Option<String>,
}

impl Home {
    fn of_owner(owner: Option<Owner>) -> Self {
        match owner {
            Some(Owner::Project(id)) => Self { project: Some(id), ..Self::default() },
            Some(Owner::Agent(name)) => Self { kept_by: Some(name), ..Self::default() },
            Some(Owner::Org) | None => Self::default(),
        }
    }

    fn is_in(&self, project: ProjectId) -> bool {
        [self.project, self.left].contains(&Some(project))
    }
}

/// The projects of tasks and the tasks of runs, each looked up once.
#[derive(Debug, Default)]
pub struct Homes {
    projects: BTreeMap<TaskId, Option<ProjectId>>,
    tasks: BTreeMap<RunKey, Option<TaskId>>,
    owners: BTreeMap<ChunkId, Option<Owner>>,
}

impl Homes {
    /// Where an event belongs: for a task, to the project it is in now, or was in when it went. That
    /// it moved belongs to both ends. A run belongs to the task it works on, a chunk to its owner. What
    /// was answered about chunks under an op id belongs to whoever asked.
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
            Some(Subject::Chunk) => Ok(Home::of_owner(self.owner(snapshot, stream.chunk())?)),
            Some(Subject::Session) => {
                let kept = snapshot.session(stream.session())?;
                let project = kept.and_then(|kept| kept.session.project);
                Ok(Home { project, ..Home::default() })
            }
            Some(Subject::Op) => {
                let asker = || recorded.header.provenance.actor.clone();
                Ok(Home { kept_by: holds_chunks(recorded).then(asker), ..Home::default() })
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

    /// Whose a chunk is, or was when it went.
    fn owner(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        chunk: ChunkId,
    ) -> Result<Option<Owner>, Fault> {
        if let Some(known) = self.owners.get(&chunk) {
            return Ok(known.clone());
        }
        let owner = match snapshot.chunk(chunk)? {
            Some(chunk) => Some(chunk.owner),
            None => snapshot.versions(chunk)?.pop().map(|version| version.chunk.owner),
        };
        self.owners.insert(chunk, owner.clone());
        Ok(owner)
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
