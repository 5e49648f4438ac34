//! What happened lately: who took and gave back tasks, what was added, and how long the queue waits.
//! What a question costs is bounded by its window, not by the length of the log.

use windlass_domain::duration::Span;
use windlass_domain::{Event, ProjectId, TaskId, Time};

use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::snapshot::Snapshot;
use crate::store::all;

/// The condition of `events_holding`, which a statement repeats to be answered by it.
macro_rules! is_holding {
    () => {
        "(kind = 'task_created' OR kind = 'task_claimed' OR kind = 'task_released' \
         OR kind = 'task_blocked' OR kind = 'task_unblocked' OR kind = 'task_completed' \
         OR kind = 'status_set' OR kind = 'task_archived' OR kind = 'task_deleted')"
    };
}

macro_rules! turns_since {
    () => {
        concat!(
            "SELECT seq, at, stream, kind, v, data FROM events WHERE at >= $1 \
             AND data IS NOT NULL AND kind <> 'task_created' AND ",
            is_holding!()
        )
    };
}

/// By `events_holding`.
pub(crate) const TURNS_SINCE: &str = turns_since!();

/// By `events_holding`, each task looked up by `tasks_id`.
pub(crate) const TURNS_SINCE_IN: &str = concat!(
    turns_since!(),
    " AND EXISTS (SELECT 1 FROM tasks WHERE id = stream AND project_id = $2)"
);

/// By `events_holding`, each task looked up by the primary key.
pub(crate) const ADDED_SINCE: &str = concat!(
    "SELECT project_id, ($1 - at) / $2 AS step, count(*) \
     FROM events JOIN tasks ON created_seq = seq \
     WHERE at >= $3 AND kind = 'task_created' AND ",
    is_holding!(),
    " GROUP BY project_id, step"
);

/// By `tasks_project_status`, which holds all it asks for.
pub(crate) const READY_SINCE: &str =
    "SELECT created_at FROM tasks WHERE project_id = $1 AND status = 'ready'";

/// An event by which somebody came to hold a task, or held it no longer.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub seq: u64,
    pub at: Time,
    pub task: TaskId,
    pub event: Event,
}

impl Turn {
    fn read(row: &dyn Columns) -> Result<Self, Fault> {
        let version = u32::try_from(row.int(4)?).unwrap_or(u32::MAX);
        Ok(Self {
            seq: row.count(0)?,
            at: Time::from_millis(row.int(1)?),
            task: TaskId::from_bytes(row.id(2)?),
            event: Event::decode(&row.text(3)?, version, &row.text(5)?)?,
        })
    }
}

/// Tasks of a project that were added during one step of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    pub project: ProjectId,
    /// How many whole steps ago; what is dated later than now happens now.
    pub steps_ago: u64,
    pub count: u64,
}

impl Added {
    fn read(row: &dyn Columns) -> Result<Self, Fault> {
        Ok(Self {
            project: ProjectId::from_bytes(row.id(0)?),
            steps_ago: u64::try_from(row.int(1)?).unwrap_or(0),
            count: row.count(2)?,
        })
    }
}

impl Snapshot<'_> {
    /// Everything since then by which a holding began or ended, in the order of the log; of a
    /// project, of the tasks that are in it now. What was pruned is left out.
    pub fn turns_since(
        &mut self,
        time: Time,
        project: Option<ProjectId>,
    ) -> Result<Vec<Turn>, Fault> {
        let since = Cell::Int(time.as_millis());
        let mut turns = match project.map(ProjectId::to_bytes) {
            None => all(self.store, TURNS_SINCE, &[since], Turn::read)?,
            Some(id) => all(self.store, TURNS_SINCE_IN, &[since, Cell::Bytes(&id)], Turn::read)?,
        };
        turns.sort_by_key(|turn| turn.seq);
        Ok(turns)
    }

    /// How many tasks that are still here were added since then, by steps back from now.
    pub fn added_since(&mut self, time: Time, step: Span) -> Result<Vec<Added>, Fault> {
        let now = self.now().as_millis();
        let cells = [now, step.as_millis(), time.as_millis()].map(Cell::Int);
        all(self.store, ADDED_SINCE, &cells, Added::read)
    }

    /// When the ready tasks of a project were added, in no order.
    pub fn ready_since(&mut self, project: ProjectId) -> Result<Vec<Time>, Fault> {
        let cells = [Cell::Bytes(&project.to_bytes())];
        all(self.store, READY_SINCE, &cells, |row| Ok(Time::from_millis(row.int(0)?)))
    }
}
