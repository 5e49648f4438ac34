//! Which events of the log somebody wants to see.

use std::collections::BTreeMap;

use windlass_domain::event::{Event, Kind, Subject};
use windlass_domain::near::near;
use windlass_domain::{Code, ProjectId, Refusal, Stream, TaskId};
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

impl Asked {
    /// The same, as the ledger knows it.
    pub fn resolve(&self, snapshot: &mut Snapshot<'_>) -> Result<Filter, Error> {
        for kind in &self.kinds {
            if Kind::from_text(kind).is_none() {
                return Err(unknown(kind).into());
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
        Ok(Filter { project, task, kinds: self.kinds.clone() })
    }
}

fn unknown(kind: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("there are no events of the kind '{kind}'"))
        .hint("kinds are written as in: task_claimed")
        .suggest(near(kind, Kind::ALL.iter().map(|kind| kind.as_str())))
        .detail("field", "kind")
        .detail("given", kind)
}

/// Which events are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    project: Option<ProjectId>,
    task: Option<TaskId>,
    kinds: Vec<String>,
}

impl Filter {
    /// Whether an event is wanted that belongs to `home`.
    pub fn wants(&self, kind: &str, stream: Stream, home: Home) -> bool {
        self.project.is_none_or(|wanted| home.is_in(wanted))
            && self.task.is_none_or(|wanted| stream == wanted.into())
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
            let home = match self.project {
                Some(_) => homes.of(snapshot, &recorded)?,
                None => Home::default(),
            };
            if self.wants(&recorded.header.kind, recorded.header.stream, home) {
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

/// The projects that an event belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Home {
    project: Option<ProjectId>,
    /// The one that was left, where the event tells of a move.
    left: Option<ProjectId>,
}

impl Home {
    fn is_in(self, project: ProjectId) -> bool {
        [self.project, self.left].contains(&Some(project))
    }
}

/// The projects of streams, each looked up once.
#[derive(Debug, Default)]
pub struct Homes(BTreeMap<Stream, Option<ProjectId>>);

impl Homes {
    /// Where an event belongs: for a task, to the project it is in now, or was in when it went. That
    /// it moved belongs to both ends.
    pub fn of(&mut self, snapshot: &mut Snapshot<'_>, recorded: &Recorded) -> Result<Home, Fault> {
        let stream = recorded.header.stream;
        let kind = Kind::from_text(&recorded.header.kind);
        match kind.map(Kind::subject) {
            Some(Subject::Project) => Ok(Home { project: Some(stream.project()), left: None }),
            Some(Subject::Task) => {
                let project = match self.0.get(&stream) {
                    Some(known) => *known,
                    None => of_task(snapshot, stream)?,
                };
                self.0.insert(stream, project);
                let left = (kind == Some(Kind::TaskMoved)).then(|| left(recorded)).flatten();
                Ok(Home { project, left })
            }
            _ => Ok(Home::default()),
        }
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

fn left(moved: &Recorded) -> Option<ProjectId> {
    match moved.event().ok().flatten() {
        Some(Event::TaskMoved(moved)) => moved.from,
        _ => None,
    }
}
