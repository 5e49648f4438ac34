//! The ledger on PostgreSQL: the same ledger for many machines.
//!
//! The one writer is whoever has locked the row of `head`. Time limits make sure that a client
//! that dies or freezes in mid-transaction loses that lock.

mod connect;
mod store;

use std::time::Instant;

use postgres::Client;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator as _;
use windlass_domain::chain::Head;
use windlass_domain::{Code, EventId};

use crate::Access;
use crate::fault::Fault;
use crate::known::Known;
use crate::store::{SAVEPOINT, Store as _};

pub(crate) use connect::{Settings, migrate, open};
pub(crate) use store::PostgresStore;
#[cfg(test)]
pub(crate) use store::{INDEX, QUEUE_FRONT, RAN_OUT, typed};

/// Where every commit is announced.
pub(crate) const CHANNEL: &str = "windlass";
/// How long a frozen client may keep everybody waiting.
const IDLE_MS: u64 = 10_000;

/// A connection to a ledger.
pub(crate) struct Database {
    client: Client,
    known: Known,
    settings: Settings,
    /// The server tells this connection about commits.
    listens: bool,
}

impl Database {
    pub(crate) fn begin(&mut self, access: Access) -> Result<PostgresStore<'_>, Fault> {
        let begin = match access {
            Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_owned(),
            // Zero would mean to wait for ever.
            Access::Write => format!(
                "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {}; \
                 SET LOCAL idle_in_transaction_session_timeout = {IDLE_MS}",
                self.settings.wait.as_millis().max(1)
            ),
        };
        self.client.batch_execute(&begin).map_err(fault)?;
        Ok(PostgresStore::new(&mut self.client, &mut self.known, access))
    }

    /// Begins a transaction that is written part by part.
    pub(crate) fn begin_group(&mut self) -> Result<Head, Fault> {
        let mut whole = self.begin(Access::Write)?;
        let head = whole.head()?;
        whole.keep_open();
        Ok(head)
    }

    /// Begins the next part of it, which undoes only itself.
    pub(crate) fn begin_part(&mut self, head: Head) -> Result<PostgresStore<'_>, Fault> {
        self.client.batch_execute(SAVEPOINT).map_err(fault)?;
        let mut part = self.go_on(head);
        part.is_marked();
        Ok(part)
    }

    /// Goes on with it without a mark to go back to.
    pub(crate) fn go_on(&mut self, head: Head) -> PostgresStore<'_> {
        PostgresStore::part(&mut self.client, &mut self.known, head)
    }

    /// All of it, to be committed or rolled back.
    pub(crate) fn whole_group(&mut self) -> PostgresStore<'_> {
        PostgresStore::new(&mut self.client, &mut self.known, Access::Write)
    }

    /// Connects again after a lost connection.
    pub(crate) fn reconnect(&mut self) -> Result<(), Fault> {
        self.client = connect::connect(&self.settings)?;
        self.listens = false;
        Ok(())
    }

    /// Waits until somebody may have written, at most until `deadline`. The first call begins to
    /// listen and returns at once, so that nothing is missed in between.
    pub(crate) fn wait_for_change(&mut self, deadline: Instant) -> Result<(), Fault> {
        if !self.listens {
            self.client.batch_execute(&format!("LISTEN {CHANNEL}")).map_err(fault)?;
            self.listens = true;
            return Ok(());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let mut notifications = self.client.notifications();
        notifications.timeout_iter(left).next().map_err(fault)?;
        // One look answers all commits so far.
        notifications.iter().count().map(drop).map_err(fault)
    }

    /// Whether an event of a transaction whose commit was never answered is there. The server
    /// may still be working on that commit, so this waits for the lock it holds.
    pub(crate) fn has_event(&mut self, seq: u64, id: EventId) -> Result<bool, Fault> {
        let mut store = self.begin(Access::Write)?;
        store.head()?;
        let found = store.events_after(seq - 1, 1)?;
        Ok(found.first().is_some_and(|event| event.header.id == id))
    }
}

/// What an error of PostgreSQL means for the person in front of it.
fn fault(error: postgres::Error) -> Fault {
    let state = error.code().cloned();
    let said = error
        .as_db_error()
        .map_or_else(|| error.to_string(), |database| database.message().to_owned());
    let fault = match state {
        None => {
            Fault::new(Code::LedgerUnreachable, format!("PostgreSQL cannot be reached: {said}"))
                .hint("check that the server runs and the address is right")
                .lost()
        }
        Some(
            SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ) => {
            Fault::new(Code::LedgerUnreachable, format!("PostgreSQL ended the connection: {said}"))
                .hint("try again")
                .lost()
        }
        Some(SqlState::LOCK_NOT_AVAILABLE) => {
            Fault::new(Code::LedgerLocked, "another client is writing and does not end")
                .hint("see who: SELECT pid, application_name, state FROM pg_stat_activity")
        }
        Some(SqlState::DISK_FULL) => {
            Fault::new(Code::LedgerFull, "the database server has no space left")
                .hint("free some space and try again; nothing was changed")
        }
        Some(SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE) => {
            Fault::new(Code::LedgerReadOnly, format!("the database refuses to be written: {said}"))
                .hint("connect to the primary, as a user who may write")
        }
        Some(SqlState::UNDEFINED_TABLE) => unmigrated(),
        Some(
            SqlState::INVALID_CATALOG_NAME
            | SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        ) => Fault::new(Code::LedgerUnreachable, said)
            .hint("check user, password and database of the address"),
        Some(SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED) => {
            Fault::new(Code::LedgerCorrupt, format!("the database is damaged: {said}"))
                .hint("restore a backup of the database")
        }
        Some(_) => Fault::new(Code::StorageFailed, format!("PostgreSQL: {said}"))
            .hint("check the ledger: windlass doctor"),
    };
    fault.because(error)
}

fn unmigrated() -> Fault {
    Fault::new(Code::LedgerUnmigrated, "this database holds no ledger of this version yet")
        .hint("prepare it once: windlass db migrate")
}
