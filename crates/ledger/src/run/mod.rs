//! Runs in the ledger: one row each, with everything that followed from their events.

mod seam;

use windlass_domain::chain::Hash;
use windlass_domain::event::RunEvent;
use windlass_domain::run::name::RunId;
use windlass_domain::run::word::RunStatus;
use windlass_domain::run::{Run, gate};
use windlass_domain::{Code, Event, Refusal, RunKey, TaskId, Time};

use crate::fault::{Error, Fault};
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;
use crate::world::{random_bits, random_bytes};

pub(crate) use seam::Runs;
#[cfg(test)]
pub(crate) use seam::{
    ANSWER_DUE_NEXT, RUN, RUN_NAMED, RUNS, RUNS_AT, RUNS_CALLED, RUNS_OF_TASK, RUNS_OVERDUE,
    RUNS_WITH,
};

/// A run with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRun {
    pub created_seq: u64,
    pub run: Run,
}

/// Which runs a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFilter {
    pub status: Option<RunStatus>,
    /// Only those of this machine and folder.
    pub at: Option<(String, String)>,
    pub task: Option<TaskId>,
    /// Only those that were begun before this place of the log.
    pub before: Option<u64>,
    pub limit: u64,
}

/// A token for the owner of a run: 64 hexadecimal digits that nobody can guess.
pub fn owner_token() -> Result<String, Fault> {
    Ok(Hash::from_bytes(random_bytes()?).to_string())
}

impl Snapshot<'_> {
    pub fn run(&mut self, key: RunKey) -> Result<Option<KeptRun>, Fault> {
        self.store.run_of(key)
    }

    /// The run of that name in a folder of a machine; a name is unique only there.
    pub fn run_named(
        &mut self,
        machine: &str,
        folder: &str,
        name: &RunId,
    ) -> Result<Option<KeptRun>, Fault> {
        self.store.run_named(machine, folder, name)
    }

    /// The two newest runs of that name, wherever they are; one where no other folder has it.
    pub fn runs_called(&mut self, name: &RunId) -> Result<Vec<KeptRun>, Fault> {
        self.store.runs_called(name)
    }

    /// The newest runs first.
    pub fn runs(&mut self, filter: &RunFilter) -> Result<Vec<KeptRun>, Fault> {
        self.store.runs(filter)
    }
}

impl Snapshot<'_> {
    /// When the next answer of a person is overdue that a run waits for.
    pub fn next_answer_due(&mut self) -> Result<Option<Time>, Fault> {
        self.store.answer_due_next()
    }
}

impl Transaction<'_> {
    /// Records of up to `limit` runs that the answer they wait for is overdue; returns of how many
    /// answers. It is the doing of time and not of the caller, so no bound of theirs is asked.
    pub fn notice_overdue(&mut self, limit: u64) -> Result<u64, Fault> {
        let mut noticed = 0;
        let now = self.now();
        for KeptRun { run, .. } in self.store.runs_overdue(now, limit)? {
            let events: Vec<Event> =
                gate::overdue(&run, now).into_iter().map(Event::from).collect();
            noticed += events.len() as u64;
            self.record(run.key.into(), run.version, events)?;
        }
        Ok(noticed)
    }

    /// Records the first event of a run.
    pub fn begin_run(&mut self, event: impl Into<RunEvent>) -> Result<KeptRun, Error> {
        let key = RunKey::from_parts(self.now(), random_bits()?);
        let (event, created_seq) = (event.into(), self.head().seq + 1);
        let run = Run::begun(key, &event, self.now()).map_err(Fault::from)?;
        self.create(key, event)?;
        Ok(KeptRun { created_seq, run })
    }

    /// Records what happened to a run and returns the run as it is now. What was decided about an
    /// older state of it is refused.
    pub fn record_run(
        &mut self,
        kept: &KeptRun,
        events: impl IntoIterator<Item = RunEvent>,
    ) -> Result<KeptRun, Error> {
        let (key, version) = (kept.run.key, kept.run.version);
        let left = || Fault::bug(format!("run {key} left its view"));
        let mut after = self.run(key)?.ok_or_else(left)?;
        if after.run.version != version {
            return Err(moved_on(&after.run).into());
        }
        let mut happened = Vec::new();
        for event in events {
            after.run.fold(&event, self.now()).map_err(Fault::from)?;
            happened.push(event.into());
        }
        self.act(key.into(), version, happened)?;
        Ok(after)
    }
}

fn moved_on(run: &Run) -> Refusal {
    let name = run.name.as_str();
    Refusal::new(Code::EditConflict, format!("run {name} was changed by somebody else meanwhile"))
        .hint(format!("see how it is now, then do it again: windlass run reconcile {name}"))
        .detail("run_id", name)
        .detail("version", run.version)
}
