//! `import hzl`: the tasks of HZL with their whole history.
//!
//! HZL's events are read in its order and recorded here as what they mean, under their own ids and
//! times, many to a transaction. An import that was cut off, or one of a database that HZL went on
//! with, takes up where the last one ended.

mod ids;
mod leftover;
mod projects;
mod relations;
mod take;
mod translate;

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_ledger::{Error, Hzl as Files};

use super::notes::{Note, already_here, with_notes};
use crate::context::{Context, Step};
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Sheet, counted};
use leftover::Leftover;
use take::Taking;

/// Events of HZL that are recorded in one transaction.
const CHUNK: u64 = 20_000;

const NO_CACHE: &str = "caches of HZL that are missing: no hooks and op records were looked at";
const MISSING: &str = "dependencies on tasks that are not there: kept, they hold nothing up";

/// Brings the tasks of HZL here.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Hzl {
    /// The folder of HZL, or its events.db
    pub path: PathBuf,
}

/// What was brought here.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct HzlImported {
    pub source: String,
    /// Projects that were made.
    pub projects: u64,
    /// Tasks that were made.
    pub tasks: u64,
    /// Events that HZL has.
    pub events_read: u64,
    /// Events that were recorded here.
    pub events_recorded: u64,
    /// Events of HZL that were here already.
    pub already_here: u64,
    /// Notifications that HZL had not delivered, and that are in the outbox here now.
    pub hooks: u64,
    /// Op ids under which HZL ran a workflow: for 7 days from then, nothing else runs under them.
    pub ops: u64,
    /// What could not be carried as it was.
    pub notes: Vec<Note>,
    pub seq: u64,
    pub hash: String,
}

impl Operation for Hzl {
    type Output = HzlImported;
    const NAME: &'static str = "import.hzl";
    const ABOUT: &'static str = "Bring the tasks of HZL here with their whole history";
    const EXAMPLE: &'static str = "windlass import hzl ~/.local/share/hzl";
    const ACCESS: Access = Access::Admin;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<HzlImported, Error> {
        let hzl = Files::open(&self.path)?;
        let (actor, _) = cx.identity(None)?;
        let of = Some(hzl.count()?);
        let mut taking = Taking::new(&hzl.project_events()?);
        let mut row = 0;
        loop {
            let chunk = hzl.events_after(row, CHUNK)?;
            let Some(last) = chunk.last() else { break };
            row = last.row;
            // A transaction may be tried again, each time from the state before it.
            taking = cx.write_part(&actor, |tx| {
                let mut next = taking.clone();
                next.take(tx, &hzl, &chunk)?;
                Ok(next)
            })?;
            let done = taking.counts.read;
            cx.step(Step { doing: "importing from HZL", done, of, unit: "events" });
        }
        let left = if let (Some(hooks), Some(ops)) = (hzl.hooks()?, hzl.ops()?) {
            cx.write_part(&actor, |tx| leftover::carry(tx, &hooks, &ops))?
        } else {
            taking.notes.add(NO_CACHE, "cache.db");
            Leftover::default()
        };
        self.answer(cx, taking, left)
    }
}

impl Hzl {
    fn answer(
        &self,
        cx: &mut Context,
        mut taking: Taking,
        left: Leftover,
    ) -> Result<HzlImported, Error> {
        taking.notes.extend(left.notes);
        let head = cx.read(|snapshot| {
            for (task, on) in snapshot.orphan_edges()? {
                if taking.has(task) {
                    taking.notes.add(MISSING, format_args!("{task} waits for {on}"));
                }
            }
            Ok(snapshot.head()?)
        })?;
        Ok(HzlImported {
            source: self.path.display().to_string(),
            projects: taking.counts.projects,
            tasks: taking.counts.tasks,
            events_read: taking.counts.read,
            events_recorded: taking.counts.recorded,
            already_here: taking.counts.here,
            hooks: left.hooks,
            ops: left.ops,
            notes: taking.notes.into_list(),
            seq: head.seq,
            hash: head.hash.to_string(),
        })
    }
}

impl Output for HzlImported {
    fn sheet(&self, _now: Time) -> Sheet {
        let left = match (self.hooks, self.ops) {
            (0, 0) => String::new(),
            (hooks, ops) => {
                format!("; {} and {} carried", counted(hooks, "hook"), counted(ops, "op id"))
            }
        };
        let sheet = Sheet::line(format!(
            "{} and {} made from {} of HZL; {} recorded{}{left}",
            counted(self.tasks, "task"),
            counted(self.projects, "project"),
            counted(self.events_read, "event"),
            counted(self.events_recorded, "event"),
            already_here(self.already_here)
        ));
        with_notes(sheet, &self.notes)
    }
}
