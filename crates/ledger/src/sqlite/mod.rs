//! The ledger in one SQLite file: the embedded default.
//!
//! Many short processes share the file. Writers queue on a kernel lock beside it, so that they
//! wait in turn instead of polling, and an error can name who holds it.

mod lock;
mod open;
mod store;
mod watch;

use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::{Connection, ErrorCode};
use windlass_domain::Code;
use windlass_domain::chain::Head;

use crate::fault::Fault;
use crate::known::Known;
use crate::store::Store as _;
use crate::{Access, Synchronous};

pub(crate) use open::{Settings, open};
pub(crate) use store::SqliteStore;
use store::Wal;
#[cfg(test)]
pub(crate) use store::{
    ANY_OUT, HAS_ROUTED, INDEX, OPEN_FRONT, QUEUE_FRONT, QUEUE_FRONT_TAGGED, RAN_OUT, ROUTED_FRONT,
};

/// So many pages of the WAL are moved into the file at a time by whoever writes groups.
const WAL_PAGES: u32 = 4_096;

/// Pages that whoever writes groups keeps in memory: enough for what a busy server touches again and
/// again, and more than a command should have.
const CACHE_KB: u32 = 16 * 1024;

/// An open ledger file.
pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
    known: Known,
    /// There is no file: an empty ledger in memory stands in for it.
    is_stand_in: bool,
    lock: Option<lock::WriterLock>,
    wal: Wal,
    /// The lock of a transaction that is written part by part.
    group: Option<lock::Held>,
    watch: Option<watch::Watch>,
    settings: Settings,
}

impl Database {
    pub(crate) fn begin(&mut self, access: Access) -> Result<SqliteStore<'_>, Fault> {
        let held = match access {
            Access::Read => None,
            Access::Write => Some(self.wait_for_turn()?),
        };
        let begin = match access {
            Access::Read => "BEGIN",
            Access::Write => "BEGIN IMMEDIATE",
        };
        self.connection.execute_batch(begin).map_err(|error| fault(&self.path, error))?;
        let store = SqliteStore::new(&self.connection, &self.path, &mut self.known, held);
        Ok(store.leaving(self.wal))
    }

    /// Begins a transaction that is written part by part.
    pub(crate) fn begin_group(&mut self) -> Result<Head, Fault> {
        let turn = self.wait_for_turn()?;
        let begin = match self.wal {
            Wal::Long => "BEGIN IMMEDIATE".to_owned(),
            Wal::Short => format!(
                "PRAGMA wal_autocheckpoint = {WAL_PAGES}; PRAGMA cache_size = -{CACHE_KB}; \
                 BEGIN IMMEDIATE"
            ),
        };
        self.wal = Wal::Long;
        self.connection.execute_batch(&begin).map_err(|error| fault(&self.path, error))?;
        let mut whole = SqliteStore::new(&self.connection, &self.path, &mut self.known, None);
        let head = whole.head();
        whole.keep_open();
        drop(whole);
        self.group = Some(turn);
        head
    }

    /// Begins the next part of it, which undoes only itself.
    pub(crate) fn begin_part(&mut self, head: Head) -> Result<SqliteStore<'_>, Fault> {
        let mut part = self.go_on(head);
        part.mark()?;
        Ok(part)
    }

    /// Goes on with it without a mark to go back to.
    pub(crate) fn go_on(&mut self, head: Head) -> SqliteStore<'_> {
        SqliteStore::part(&self.connection, &self.path, &mut self.known, head)
    }

    /// All of it, to be committed or rolled back.
    pub(crate) fn whole_group(&mut self) -> SqliteStore<'_> {
        let held = self.group.take();
        SqliteStore::new(&self.connection, &self.path, &mut self.known, held).leaving(self.wal)
    }

    /// SQLite itself gave the transaction up, with all its parts.
    pub(crate) fn gave_group_up(&self) -> bool {
        self.connection.is_autocommit()
    }

    fn wait_for_turn(&mut self) -> Result<lock::Held, Fault> {
        let lock = match self.lock.take() {
            Some(lock) => lock,
            None => lock::WriterLock::beside(&self.path)?,
        };
        let held = lock.acquire(self.settings.wait, &self.settings.purpose);
        self.lock = Some(lock);
        held
    }

    /// Waits until somebody may have written, at most until `deadline`. The first call begins to
    /// watch and returns soon, so that nothing is missed in between.
    pub(crate) fn wait_for_change(&mut self, deadline: Instant) -> Result<(), Fault> {
        let watch = self.watch.take();
        let mut watch = watch.unwrap_or_else(|| watch::Watch::on(&self.path));
        watch.wait(deadline);
        self.open_if_made()?;
        self.watch = Some(watch);
        Ok(())
    }

    /// Nobody waits for changes any more.
    pub(crate) fn look_away(&mut self) {
        self.watch = None;
    }

    /// Leaves a short WAL to whoever opens the ledger next.
    pub(crate) fn tidy(&self) {
        // Where a reader is in the way, a later commit does it.
        let _or_later = store::empty_wal(&self.connection);
    }

    pub(crate) fn is_stand_in(&self) -> bool {
        self.is_stand_in
    }

    /// A ledger that does not exist yet, for finding out whether a request would be refused.
    pub(crate) fn rehearsal(&mut self) -> Option<SqliteStore<'_>> {
        if !self.is_stand_in || self.connection.execute_batch("BEGIN").is_err() {
            return None;
        }
        Some(SqliteStore::new(&self.connection, &self.path, &mut self.known, None))
    }

    /// Writes a consistent copy to a new file.
    pub(crate) fn backup(&self, to: &Path) -> Result<(), Fault> {
        if self.is_stand_in {
            return Err(Fault::new(
                Code::LedgerUnreachable,
                format!("there is no ledger at {} yet", self.path.display()),
            )
            .hint("name the ledger with --db, or make one: windlass project create NAME"));
        }
        backup(&self.connection, &self.path, to)
    }
}

/// Copies beside the target first, so that the target is whole and durable once it is there.
fn backup(connection: &Connection, path: &Path, to: &Path) -> Result<(), Fault> {
    let unusable = |error: &std::io::Error| {
        Fault::new(Code::FileUnusable, format!("{} cannot be written: {error}", to.display()))
            .hint("check the path, its permissions and the space left")
            .detail("file", to.display().to_string())
    };
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(|error| unusable(&error))?;
    }
    let target = partial.to_str().ok_or_else(|| {
        Fault::new(Code::FileUnusable, format!("the path {} is not valid UTF-8", to.display()))
            .hint("name a file whose path is UTF-8")
    })?;
    connection.execute("VACUUM INTO ?1", [target]).map_err(|error| {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) => fault(path, error),
            _ => unusable(&std::io::Error::other(error)),
        }
    })?;
    std::fs::File::open(&partial)
        .and_then(|file| file.sync_all())
        .and_then(|()| std::fs::rename(&partial, to))
        .map_err(|error| unusable(&error))
}

fn synchronous(mode: Synchronous) -> &'static str {
    match mode {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
    }
}

/// What an error of SQLite means for the person in front of it.
fn fault(path: &Path, error: rusqlite::Error) -> Fault {
    let shown = path.display();
    let code = match &error {
        // The file that processes share in memory could not be made longer.
        rusqlite::Error::SqliteFailure(failure, _)
            if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE =>
        {
            Some(ErrorCode::DiskFull)
        }
        other => other.sqlite_error_code(),
    };
    let fault = match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Fault::new(
            Code::LedgerLocked,
            format!("{shown} is locked by a program that is not windlass"),
        )
        .hint("close other programs that have the file open, then try again"),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Fault::new(Code::LedgerReadOnly, format!("{shown} cannot be written"))
                .hint("check the permissions of the file and its folder")
        }
        Some(ErrorCode::DiskFull) => {
            Fault::new(Code::LedgerFull, format!("there is no space left for {shown}"))
                .hint("free some space and try again; nothing was changed")
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            Fault::new(Code::LedgerCorrupt, format!("{shown} is damaged"))
                .hint("restore a backup, or export what can be read: windlass export FILE")
        }
        Some(ErrorCode::NotADatabase) => not_a_ledger(path),
        Some(ErrorCode::CannotOpen) => {
            Fault::new(Code::LedgerUnreachable, format!("{shown} cannot be opened"))
                .hint("check that the folder exists and that you may write there")
        }
        _ => Fault::new(Code::StorageFailed, format!("{shown}: {error}"))
            .hint("check the disk and the file: windlass doctor"),
    };
    fault.detail("path", shown.to_string()).because(error)
}

fn not_a_ledger(path: &Path) -> Fault {
    Fault::new(Code::NotALedger, format!("{} is not a ledger of windlass", path.display()))
        .hint("name another file with --db, or move this one away")
        .detail("path", path.display().to_string())
}
