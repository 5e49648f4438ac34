//! The ledger: an append-only log of events and the views derived from it, in one transaction, on
//! SQLite or PostgreSQL.
//!
//! [`Ledger::write`] is the one way in: it locks the end of the log, lets the caller read and
//! decide, appends the events, applies them to the views, and commits all of it or nothing.

mod audit;
mod cell;
mod chunk;
#[cfg(test)]
mod conformance;
mod definition;
mod edges;
mod exchange;
mod fault;
mod front;
mod group;
mod hook;
mod hzl;
mod key;
mod known;
mod lately;
mod location;
mod migration;
mod postgres;
mod rebuild;
mod record;
mod run;
mod search;
mod session;
mod snapshot;
mod sql;
mod sqlite;
mod store;
mod transaction;
mod views;
mod world;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_domain::chain::Provenance;
use windlass_domain::hook::Hook;
use windlass_domain::{Code, Refusal, Time};

pub use audit::{Audit, audit};
pub use chunk::{
    ChunkFilter, ChunkOrder, ChunkPage, ChunkPlace, ChunkState, Direction, FoundChunk, NearChunk,
    Range, is_filterable, is_sortable,
};
pub use definition::{DefinitionKind, KeptDefinition};
pub use edges::{Edge, EdgeFilter, End, EndFilter, EndTask};
pub use exchange::{Imported, export, export_tasks, import};
pub use fault::{Error, Fault};
pub use group::{Fate, Undo};
pub use hook::{
    Again, Attempt, Backlog, Claimed, Claims, Defined, HookCounts, InLedger, Lock, Sending, Sent,
    Settled, Shown, Tracked, Waiting,
};
pub use hzl::{HZL_PROJECTS, Hzl, HzlEvent, HzlHook, HzlOp};
pub use key::{REFUSALS_KEPT, Refused};
pub use lately::{Added, Turn};
pub use location::Location;
pub use rebuild::Rebuilt;
pub use record::{Details, Recorded};
pub use run::{KeptRun, RunFilter, owner_token};
pub use search::SearchFilter;
pub use session::{KeptSession, SessionFilter};
pub use snapshot::{Listener, Snapshot};
pub use store::{Agent, Candidate, Difference, Effect, ListFilter, Order, Place, QueueFilter};
pub use transaction::{Bulk, Happened, Transaction};
pub use world::{Clock, SystemClock};

use group::{Group, Wrote};
use store::Store;
use transaction::Outcome;

/// How often work is tried again after a lost connection.
const ATTEMPTS: u32 = 5;

/// How many old records of executions any writer takes along.
const OPS_EXPIRED: u64 = 10;

/// Whether a transaction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// When a commit counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// When it survives a power failure.
    #[default]
    Full,
    /// When it survives the end of the process; a power failure may take the last commits.
    Normal,
}

/// How a ledger is opened.
pub struct Options {
    /// How long to wait for another writer.
    pub wait: Duration,
    pub synchronous: Synchronous,
    /// What this process does, for others who wait.
    pub purpose: String,
    /// Instead of the machine's or the database's clock.
    pub clock: Option<Arc<dyn Clock>>,
    /// Hooks of the settings. A ledger on PostgreSQL is shared, so only its own count there.
    pub hooks: Vec<Hook>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(30),
            synchronous: Synchronous::Full,
            purpose: "windlass".to_owned(),
            clock: None,
            hooks: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("wait", &self.wait)
            .field("synchronous", &self.synchronous)
            .field("purpose", &self.purpose)
            .finish_non_exhaustive()
    }
}

/// An open ledger.
pub struct Ledger {
    database: Database,
    clock: Option<Arc<dyn Clock>>,
    listener: Option<Listener>,
    hooks: Arc<[Hook]>,
    /// The transaction whose parts are being written.
    group: Option<Group>,
}

enum Database {
    Sqlite(sqlite::Database),
    Postgres(postgres::Database),
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.database {
            Database::Sqlite(_) => "Ledger(SQLite)",
            Database::Postgres(_) => "Ledger(PostgreSQL)",
        })
    }
}

impl Database {
    fn begin(&mut self, access: Access) -> Result<Box<dyn Store + '_>, Fault> {
        Ok(match self {
            Self::Sqlite(database) => Box::new(database.begin(access)?),
            Self::Postgres(database) => Box::new(database.begin(access)?),
        })
    }
}

impl Ledger {
    /// Opens the ledger at `location`. A SQLite file is brought up to date on the way, and made by
    /// the first write; a PostgreSQL database must have been prepared by [`Ledger::migrate`].
    pub fn open(location: &Location, options: Options) -> Result<Self, Fault> {
        let database = match location {
            Location::Sqlite(path) => {
                let settings = sqlite::Settings {
                    wait: options.wait,
                    synchronous: options.synchronous,
                    purpose: options.purpose,
                    now: now(options.clock.as_deref()),
                };
                Database::Sqlite(sqlite::open(path, &settings)?)
            }
            Location::Postgres(url) => {
                let settings = postgres::Settings {
                    url: url.clone(),
                    wait: options.wait,
                    purpose: options.purpose,
                };
                Database::Postgres(postgres::open(&settings)?)
            }
        };
        let hooks = match location {
            Location::Sqlite(_) => options.hooks.into(),
            Location::Postgres(_) => Arc::default(),
        };
        Ok(Self { database, clock: options.clock, listener: None, hooks, group: None })
    }

    /// Lets somebody hear how far operations over the whole log have come.
    pub fn tell(&mut self, listener: Option<Listener>) {
        self.listener = listener;
    }

    /// Brings the ledger at `location` up to date; returns how many migrations were applied.
    pub fn migrate(location: &Location, options: Options) -> Result<usize, Fault> {
        match location {
            Location::Sqlite(_) => {
                Self::open(location, options)?.make()?;
                Ok(0)
            }
            Location::Postgres(url) => {
                let settings = postgres::Settings {
                    url: url.clone(),
                    wait: options.wait,
                    purpose: options.purpose,
                };
                postgres::migrate(&settings, now(options.clock.as_deref()))
            }
        }
    }

    /// Reads from one consistent state of the ledger.
    pub fn read<T>(
        &mut self,
        mut look: impl FnMut(&mut Snapshot<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut attempt = 1;
        loop {
            let result = self.try_read(&mut look);
            match result {
                Err(error) if self.group.is_some() => {
                    self.note_failure(&error, Access::Read, Wrote::Nothing);
                    return Err(error);
                }
                Err(error) if error.is_lost() && attempt < ATTEMPTS => {
                    attempt += 1;
                    self.reconnect()?;
                }
                result => return result,
            }
        }
    }

    fn try_read<T>(
        &mut self,
        look: &mut impl FnMut(&mut Snapshot<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let clock = self.clock.as_deref();
        let (mut store, now) = self.database.begin_at(self.group.as_ref(), clock, Access::Read)?;
        let snapshot = Snapshot::new(&mut *store, now).heard_by(self.listener.clone());
        look(&mut snapshot.with_hooks(&self.hooks))
    }

    /// Runs `work` in one writing transaction. After a lost connection it runs again, so it must
    /// do nothing but read and record.
    pub fn write<T>(
        &mut self,
        provenance: &Provenance,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.rehearse(provenance, &mut work)?;
        let mut attempt = 1;
        loop {
            let tried = self.try_write(provenance, &mut work);
            match tried {
                Ok(Tried::Committed(value)) => return Ok(value),
                Ok(Tried::Unknown(value, outcome, fault)) => {
                    if self.was_committed(&outcome)? {
                        return Ok(value);
                    }
                    if attempt == ATTEMPTS {
                        return Err(fault.into());
                    }
                }
                Err(error) if self.group.is_some() => {
                    self.note_failure(&error, Access::Write, Wrote::Nothing);
                    return Err(error);
                }
                Err(error) if error.is_lost() && attempt < ATTEMPTS => self.reconnect()?,
                Err(error) => return Err(error),
            }
            attempt += 1;
        }
    }

    /// A ledger file that does not exist yet is made only for work that is not refused.
    fn rehearse<T>(
        &mut self,
        provenance: &Provenance,
        work: &mut impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<(), Error> {
        if let Database::Sqlite(database) = &mut self.database
            && let Some(mut store) = database.rehearsal()
        {
            let now = transaction_time(self.clock.as_deref(), &mut store)?;
            let snapshot = Snapshot::new(&mut store, now).with_hooks(&self.hooks);
            let mut tx = Transaction::new(snapshot, provenance.clone())?;
            work(&mut tx)?;
        }
        Ok(self.make()?)
    }

    /// Makes the file of a ledger that is not there yet.
    pub fn make(&mut self) -> Result<(), Fault> {
        match &mut self.database {
            Database::Sqlite(database) if database.is_stand_in() => database.make(),
            Database::Sqlite(_) | Database::Postgres(_) => Ok(()),
        }
    }

    fn try_write<T>(
        &mut self,
        provenance: &Provenance,
        work: &mut impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<Tried<T>, Error> {
        let clock = self.clock.as_deref();
        let (mut store, now) = self.database.begin_at(self.group.as_ref(), clock, Access::Write)?;
        let snapshot = Snapshot::new(&mut *store, now).heard_by(self.listener.clone());
        let mut tx = Transaction::new(snapshot.with_hooks(&self.hooks), provenance.clone())?;
        let begins = self.group.as_ref().is_none_or(Group::is_empty);
        let done = work(&mut tx).and_then(|value| {
            if tx.outcome().wrote {
                tx.unpause()?;
                tx.follow_tasks()?;
                if begins {
                    tx.expire_ops(OPS_EXPIRED)?;
                }
            }
            Ok(value)
        });
        let outcome = tx.outcome();
        let value = match done {
            Ok(value) if outcome.wrote => value,
            Ok(value) => return Ok(Tried::Committed(value)),
            Err(error) => {
                drop(store);
                let wrote = if outcome.wrote { Wrote::Something } else { Wrote::Nothing };
                self.note_failure(&error, Access::Write, wrote);
                return Err(error);
            }
        };
        match store.commit(outcome.head) {
            Ok(()) => {
                drop(store);
                if let Some(group) = &mut self.group {
                    group.add(&outcome);
                }
                Ok(Tried::Committed(value))
            }
            Err(fault) if fault.lost && self.group.is_none() => {
                Ok(Tried::Unknown(value, outcome, fault))
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Waits until the log goes beyond `seq`, at most for `time`; says whether it does.
    pub fn wait_beyond(&mut self, seq: u64, time: Duration) -> Result<bool, Error> {
        let deadline = Instant::now() + time;
        loop {
            if self.read(|snapshot| Ok(snapshot.head()?.seq > seq))? {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            let waited = match &mut self.database {
                Database::Sqlite(database) => database.wait_for_change(deadline),
                Database::Postgres(database) => database.wait_for_change(deadline),
            };
            match waited {
                Err(fault) if fault.lost => self.reconnect()?,
                waited => waited?,
            }
        }
    }

    /// Nobody waits with [`Ledger::wait_beyond`] for a while: writers need not tell of changes.
    pub fn look_away(&mut self) {
        if let Database::Sqlite(database) = &mut self.database {
            database.look_away();
        }
    }

    /// Leaves the ledger so that the next process opens it fast. For whoever wrote groups, before
    /// it goes.
    pub fn tidy(&self) {
        if let Database::Sqlite(database) = &self.database {
            database.tidy();
        }
    }

    /// Replays the log into fresh views, and says where the old ones were different.
    pub fn rebuild(&mut self) -> Result<Rebuilt, Error> {
        self.make()?;
        let clock = self.clock.as_deref();
        let (mut store, _) = self.database.begin_at(self.group.as_ref(), clock, Access::Write)?;
        let head = store.head()?;
        let rebuilt = rebuild::rebuild(&mut *store, self.listener.as_ref())
            .and_then(|rebuilt| store.commit(head).map(|()| rebuilt));
        drop(store);
        let rebuilt = match rebuilt {
            Ok(rebuilt) => rebuilt,
            Err(fault) => {
                let error = Error::from(fault);
                self.note_failure(&error, Access::Write, Wrote::Something);
                return Err(error);
            }
        };
        if let Some(group) = &mut self.group {
            group.add(&Outcome { head, last: None, wrote: true });
        }
        Ok(rebuilt)
    }

    /// Writes a consistent copy of a SQLite ledger to a new file.
    pub fn backup(&mut self, to: &Path) -> Result<(), Error> {
        match &self.database {
            Database::Sqlite(database) => Ok(database.backup(to)?),
            Database::Postgres(_) => Err(Refusal::new(
                Code::InvalidValue,
                "a ledger on PostgreSQL is backed up by PostgreSQL's own tools",
            )
            .hint("use pg_dump, or: windlass export FILE")
            .into()),
        }
    }

    fn reconnect(&mut self) -> Result<(), Fault> {
        match &mut self.database {
            Database::Sqlite(_) => Ok(()),
            Database::Postgres(database) => database.reconnect(),
        }
    }

    /// The fate of a commit that was sent but never answered, asked for on a new connection.
    fn was_committed(&mut self, outcome: &Outcome) -> Result<bool, Fault> {
        let found = self.reconnect().and_then(|()| match (&mut self.database, outcome.last) {
            (Database::Postgres(database), Some(id)) => database.has_event(outcome.head.seq, id),
            (Database::Postgres(_) | Database::Sqlite(_), _) => Ok(false),
        });
        found.map_err(Fault::of_unknown_fate)
    }
}

enum Tried<T> {
    Committed(T),
    /// The connection was lost while the commit was under way.
    Unknown(T, Outcome, Fault),
}

fn now(clock: Option<&dyn Clock>) -> Time {
    clock.map_or_else(|| SystemClock.now(), Clock::now)
}

fn transaction_time(clock: Option<&dyn Clock>, store: &mut dyn Store) -> Result<Time, Fault> {
    if let Some(clock) = clock {
        return Ok(clock.now());
    }
    Ok(store.database_time()?.unwrap_or_else(|| SystemClock.now()))
}
