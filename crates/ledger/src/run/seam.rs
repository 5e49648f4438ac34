//! What the runs ask of an open transaction, with its SQL, the same in both dialects.

use windlass_domain::run::Run;
use windlass_domain::run::name::RunId;
use windlass_domain::{RunKey, TaskId, Time};

use super::{KeptRun, RunFilter};
use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::record::{from_json, to_json};
use crate::store::{Statements, all, first};

/// Where some of what is read may not be wanted, so many runs are read at a time at least.
const PAGE: u64 = 100;

const INSERT_RUN: &str = "INSERT INTO runs (id, version, machine, folder, name, status, task_id, \
     answer_due, state, created_seq) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
/// By the unique index on `id`. Where a run is and what it is called never changes.
const UPDATE_RUN: &str = "UPDATE runs SET version = $1, status = $2, answer_due = $3, \
     state = $4 WHERE id = $5";

macro_rules! runs {
    ($condition:literal) => {
        concat!("SELECT created_seq, state FROM runs ", $condition)
    };
}

/// By the unique index on `id`.
pub(crate) const RUN: &str = runs!("WHERE id = $1");
/// By `runs_place`.
pub(crate) const RUN_NAMED: &str = runs!("WHERE machine = $1 AND folder = $2 AND name = $3");
/// By `runs_name`, backwards. Two are enough to know that a name is not one run's alone.
pub(crate) const RUNS_CALLED: &str = runs!("WHERE name = $1 ORDER BY created_seq DESC LIMIT 2");
/// By the primary key, backwards.
pub(crate) const RUNS: &str = runs!("WHERE created_seq < $1 ORDER BY created_seq DESC LIMIT $2");
/// By `runs_status`, backwards.
pub(crate) const RUNS_WITH: &str =
    runs!("WHERE status = $1 AND created_seq < $2 ORDER BY created_seq DESC LIMIT $3");
/// By `runs_folder`, backwards.
pub(crate) const RUNS_AT: &str = runs!(
    "WHERE machine = $1 AND folder = $2 AND created_seq < $3 ORDER BY created_seq DESC LIMIT $4"
);
/// By `runs_task`, backwards.
pub(crate) const RUNS_OF_TASK: &str =
    runs!("WHERE task_id = $1 AND created_seq < $2 ORDER BY created_seq DESC LIMIT $3");

/// By `runs_answer_due`.
pub(crate) const RUNS_OVERDUE: &str = runs!("WHERE answer_due <= $1 ORDER BY answer_due LIMIT $2");
/// By `runs_answer_due`.
pub(crate) const ANSWER_DUE_NEXT: &str =
    "SELECT min(answer_due) FROM runs WHERE answer_due IS NOT NULL";

/// The part of the seam that is about runs.
pub(crate) trait Runs: Statements {
    fn insert_run(&mut self, kept: &KeptRun) -> Result<(), Fault> {
        let KeptRun { created_seq, run } = kept;
        let (task, state) = (run.tie.map(|tie| tie.task.to_bytes()), to_json(run));
        let cells = [
            Cell::Bytes(&run.key.to_bytes()),
            Cell::count(run.version),
            Cell::Text(&run.place.machine),
            Cell::Text(&run.place.folder),
            Cell::Text(run.name.as_str()),
            Cell::Text(run.status().as_str()),
            task.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::int_or_null(run.answer_due().map(Time::as_millis)),
            Cell::Text(&state),
            Cell::count(*created_seq),
        ];
        self.run(INSERT_RUN, &cells).map(drop)
    }

    fn update_run(&mut self, kept: &KeptRun) -> Result<(), Fault> {
        let KeptRun { run, .. } = kept;
        let state = to_json(run);
        let cells = [
            Cell::count(run.version),
            Cell::Text(run.status().as_str()),
            Cell::int_or_null(run.answer_due().map(Time::as_millis)),
            Cell::Text(&state),
            Cell::Bytes(&run.key.to_bytes()),
        ];
        self.run(UPDATE_RUN, &cells).map(drop)
    }

    fn run_of(&mut self, key: RunKey) -> Result<Option<KeptRun>, Fault> {
        first(self, RUN, &[Cell::Bytes(&key.to_bytes())], read_run)
    }

    fn run_named(
        &mut self,
        machine: &str,
        folder: &str,
        name: &RunId,
    ) -> Result<Option<KeptRun>, Fault> {
        let cells = [Cell::Text(machine), Cell::Text(folder), Cell::Text(name.as_str())];
        first(self, RUN_NAMED, &cells, read_run)
    }

    fn runs_called(&mut self, name: &RunId) -> Result<Vec<KeptRun>, Fault> {
        all(self, RUNS_CALLED, &[Cell::Text(name.as_str())], read_run)
    }

    /// Runs that wait for an answer which is overdue since then or longer, and of which nobody has
    /// noticed it.
    fn runs_overdue(&mut self, now: Time, limit: u64) -> Result<Vec<KeptRun>, Fault> {
        all(self, RUNS_OVERDUE, &[Cell::Int(now.as_millis()), Cell::count(limit)], read_run)
    }

    /// When the next answer is overdue.
    fn answer_due_next(&mut self) -> Result<Option<Time>, Fault> {
        let due = first(self, ANSWER_DUE_NEXT, &[], |row| row.maybe_int(0))?.flatten();
        Ok(due.map(Time::from_millis))
    }

    /// The newest first. One of the conditions selects an index, the others are checked run by run.
    fn runs(&mut self, filter: &RunFilter) -> Result<Vec<KeptRun>, Fault> {
        let fewest = if filter.has_several_conditions() { PAGE } else { 0 };
        let mut before = Cell::count(filter.before.unwrap_or(u64::MAX));
        let mut found = Vec::new();
        loop {
            let size = filter.limit.saturating_sub(found.len() as u64).max(fewest);
            let page = self.page_of_runs(filter, before, size)?;
            let Some(last) = page.last() else { break };
            before = Cell::count(last.created_seq);
            let is_last = (page.len() as u64) < size;
            found.extend(page.into_iter().filter(|kept| filter.admits(&kept.run)));
            if is_last || found.len() as u64 >= filter.limit {
                break;
            }
        }
        found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        Ok(found)
    }

    fn page_of_runs(
        &mut self,
        filter: &RunFilter,
        before: Cell<'_>,
        limit: u64,
    ) -> Result<Vec<KeptRun>, Fault> {
        let limit = Cell::count(limit);
        match filter {
            RunFilter { task: Some(task), .. } => {
                let task = TaskId::to_bytes(*task);
                all(self, RUNS_OF_TASK, &[Cell::Bytes(&task), before, limit], read_run)
            }
            RunFilter { at: Some((machine, folder)), .. } => {
                let cells = [Cell::Text(machine), Cell::Text(folder), before, limit];
                all(self, RUNS_AT, &cells, read_run)
            }
            RunFilter { status: Some(status), .. } => {
                all(self, RUNS_WITH, &[Cell::Text(status.as_str()), before, limit], read_run)
            }
            RunFilter { .. } => all(self, RUNS, &[before, limit], read_run),
        }
    }
}

impl RunFilter {
    fn has_several_conditions(&self) -> bool {
        let Self { status, at, task, before: _, limit: _ } = self;
        [status.is_some(), at.is_some(), task.is_some()].into_iter().filter(|set| *set).count() > 1
    }

    fn admits(&self, run: &Run) -> bool {
        let place = &run.place;
        let is_there = |(machine, folder): &(String, String)| {
            *machine == place.machine && *folder == place.folder
        };
        self.status.is_none_or(|status| run.status() == status)
            && self.at.as_ref().is_none_or(is_there)
            && self.task.is_none_or(|task| run.tie.is_some_and(|tie| tie.task == task))
    }
}

fn read_run(row: &dyn Columns) -> Result<KeptRun, Fault> {
    let run = from_json(&row.text(1)?)?;
    Ok(KeptRun { created_seq: row.count(0)?, run })
}
