//! Filling a ledger: real tasks, recorded as commands record them, many to a transaction.

use postgres::{Client, NoTls};
use rusqlite::Connection;
use windlass_domain::TaskId;
use windlass_domain::chain::Provenance;
use windlass_ledger::{Clock as _, Ledger, Location, Options, Synchronous, SystemClock};

use crate::Failure;
use crate::story::{HOLDER, Story, Teller};

/// Tasks recorded in one transaction.
const BATCH: usize = 2_000;
/// Ids kept of a ledger, spread over all of it.
const KEPT: usize = 500;

/// A ledger full of tasks.
#[derive(Debug, Clone)]
pub struct Filled {
    pub location: Location,
    /// Some of its tasks, from the first to the last.
    pub some: Vec<TaskId>,
    /// Tasks held by [`HOLDER`].
    pub held: Vec<TaskId>,
}

impl Filled {
    /// One of its tasks, another one in each round.
    pub fn one(&self, round: usize) -> Result<String, Failure> {
        nth(&self.some, round * 7)
    }

    /// One of the held tasks, another one in each round.
    pub fn held(&self, round: usize) -> Result<String, Failure> {
        nth(&self.held, round)
    }
}

fn nth(ids: &[TaskId], index: usize) -> Result<String, Failure> {
    let id = ids.get(index % ids.len().max(1));
    Ok(id.ok_or("the ledger has no such task")?.to_string())
}

/// What a ledger is filled with.
#[derive(Debug, Clone, Copy)]
pub struct Content {
    pub story: Story,
    pub tasks: usize,
    /// So many more tasks that are held.
    pub held: usize,
    /// Among which the tasks are spread.
    pub projects: usize,
}

impl Content {
    pub fn of(story: Story, tasks: usize) -> Self {
        Self { story, tasks, held: 0, projects: 8 }
    }
}

/// Makes a ledger.
pub fn fill(location: Location, content: Content) -> Result<Filled, Failure> {
    let Content { story, tasks, held, projects } = content;
    Ledger::migrate(&location, options())?;
    let mut ledger = Ledger::open(&location, options())?;
    let author = Provenance { actor: HOLDER.to_owned(), ..Provenance::default() };
    let now = SystemClock.now();
    let mut teller = ledger.write(&author, |tx| Teller::new(tx, projects, now))?;
    let held = ledger.write(&author, |tx| {
        let made = (0..held).map(|_| teller.hold(tx));
        made.collect::<Result<Vec<_>, _>>()
    })?;
    let mut some = Vec::new();
    for first in (0..tasks).step_by(BATCH) {
        let made = ledger.write(&author, |tx| {
            let made = (first..tasks.min(first + BATCH)).map(|_| teller.tell(tx, story));
            made.collect::<Result<Vec<_>, _>>()
        })?;
        some.extend(made.into_iter().step_by(tasks.div_ceil(KEPT)));
    }
    drop(ledger);
    settle(&location)?;
    Ok(Filled { location, some, held })
}

pub(crate) fn options() -> Options {
    Options {
        synchronous: Synchronous::Normal,
        purpose: "windlass-bench".to_owned(),
        ..Options::default()
    }
}

/// Leaves a ledger as time would: all of it in the file, so that it can be copied and its size
/// means something; on PostgreSQL without the thousands of dead rows that only a transaction as
/// large as ours leaves where the counters of a project are.
pub(crate) fn settle(location: &Location) -> Result<(), Failure> {
    match location {
        Location::Sqlite(path) => {
            let connection = Connection::open(path)?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        }
        Location::Postgres(url) => {
            let mut client = Client::connect(url, NoTls)?;
            for statement in ["VACUUM FULL projects", "VACUUM ANALYZE"] {
                client.batch_execute(statement)?;
            }
        }
    }
    Ok(())
}
