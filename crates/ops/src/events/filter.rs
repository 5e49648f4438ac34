//! Which events of the log somebody wants to see.

use windlass_domain::event::Kind;
use windlass_domain::near::near;
use windlass_domain::{Code, ProjectId, Refusal, Stream, TaskId};
use windlass_ledger::{Error, Fault, Recorded, Snapshot};

use super::home::{Home, Homes};
use super::sight::Sight;

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
