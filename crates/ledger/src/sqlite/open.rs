//! Opening a ledger file: what it may be, how it is made, how it is brought up to date.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use windlass_domain::{Code, Time};

use super::lock::WriterLock;
use super::{Database, SqliteStore, Wal, backup, fault, not_a_ledger, synchronous};
use crate::fault::Fault;
use crate::known::Known;
use crate::migration::{self, About, MIGRATIONS, Migration, NEWEST};
use crate::{Synchronous, rebuild};

/// Marks a SQLite file as a ledger: "WNDL".
const APPLICATION_ID: i64 = 0x574e_444c;
/// More than there are different statements, so that none is prepared twice.
const STATEMENTS: usize = 256;

/// How to open a ledger file.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) wait: Duration,
    pub(crate) synchronous: Synchronous,
    pub(crate) purpose: String,
    pub(crate) now: Time,
}

/// Opens a ledger file. One that does not exist yet is made by [`Database::make`], when there is
/// something to write.
pub(crate) fn open(path: &Path, settings: &Settings) -> Result<Database, Fault> {
    refuse_what_is_no_file(path)?;
    let exists = path.try_exists().map_err(|error| {
        let message = format!("{} cannot be reached: {error}", path.display());
        Fault::new(Code::LedgerUnreachable, message)
            .hint("check the permissions of the folders above it")
            .detail("path", path.display().to_string())
            .because(error)
    })?;
    if exists { open_file(path, settings) } else { empty(path, settings) }
}

impl Database {
    /// Opens the file that this empty ledger stands in for, if somebody has made it.
    pub(crate) fn open_if_made(&mut self) -> Result<(), Fault> {
        if self.is_stand_in && self.path.exists() {
            *self = open_file(&self.path, &self.settings)?;
        }
        Ok(())
    }

    /// Makes the file that this empty ledger stands in for.
    pub(crate) fn make(&mut self) -> Result<(), Fault> {
        let folder = folder_of(&self.path);
        make_folder(&folder).map_err(|error| {
            Fault::new(Code::LedgerUnreachable, format!("{} cannot be created", folder.display()))
                .hint("check the path of --db, WINDLASS_DB or database.url")
                .detail("path", self.path.display().to_string())
                .because(error)
        })?;
        *self = open_file(&self.path, &self.settings)?;
        Ok(())
    }
}

fn open_file(path: &Path, settings: &Settings) -> Result<Database, Fault> {
    refuse_network(&folder_of(path))?;
    refuse_foreign(path)?;
    let connection = connect(path, settings)?;
    let mut database = Database {
        connection,
        path: path.to_owned(),
        known: Known::default(),
        is_stand_in: false,
        lock: None,
        wal: Wal::Short,
        group: None,
        watch: None,
        settings: settings.clone(),
    };
    if state(&database.connection, path)? != State::Current {
        database.lock = Some(WriterLock::beside(path)?);
        make_current(&mut database)?;
    }
    Ok(database)
}

/// Looks at the file without opening it as a database, which would leave files beside that of
/// another program. A ledger that was just made has its mark and its tables in the WAL still; both
/// reach the file with its first page, so whoever sees tables looks for the mark once more.
fn refuse_foreign(path: &Path) -> Result<(), Fault> {
    if !is_unmarked(path) || has_no_tables(path) || !is_unmarked(path) {
        return Ok(());
    }
    Err(not_a_ledger(path))
}

/// It is a database of SQLite and its first page does not carry our mark.
fn is_unmarked(path: &Path) -> bool {
    let mut header = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(100).read_to_end(&mut header));
    read.is_ok()
        && header.starts_with(b"SQLite format 3\0")
        && header.get(68..72) != Some(&APPLICATION_ID.to_be_bytes()[4..])
}

fn has_no_tables(path: &Path) -> bool {
    let escaped =
        path.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let found = Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags).and_then(
        |file| file.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)),
    );
    // What cannot be read so is for the usual way of opening to explain.
    found.map_or(true, |tables: i64| tables == 0)
}

/// SQLite would take these for ledgers that vanish when the command ends.
fn refuse_what_is_no_file(path: &Path) -> Result<(), Fault> {
    let text = path.as_os_str();
    if !text.is_empty() && text != ":memory:" {
        return Ok(());
    }
    Err(Fault::new(Code::NotALedger, format!("'{}' is not the path of a file", path.display()))
        .hint("name a file with --db, WINDLASS_DB or database.url"))
}

/// Makes a folder and those above it, and makes sure that they are there after a power failure.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = folder_of(folder);
    make_folder(&above)?;
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => std::fs::File::open(above)?.sync_all(),
    }
}

/// A ledger that does not exist yet reads as an empty one; no file is made for that.
fn empty(path: &Path, settings: &Settings) -> Result<Database, Fault> {
    let connection = Connection::open_in_memory().map_err(|error| fault(path, error))?;
    for migration in &MIGRATIONS {
        apply(&connection, path, migration, settings.now)?;
    }
    Ok(Database {
        connection,
        path: path.to_owned(),
        known: Known::default(),
        is_stand_in: true,
        lock: None,
        wal: Wal::Short,
        group: None,
        watch: None,
        settings: settings.clone(),
    })
}

fn connect(path: &Path, settings: &Settings) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let wrong = |error| fault(path, error);
    let connection = Connection::open_with_flags(path, flags).map_err(wrong)?;
    // First of all: everything after this waits instead of failing.
    connection.busy_timeout(settings.wait).map_err(wrong)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(wrong)?;
    // Plans do not depend on the values that are bound, so no statement is prepared a second time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(wrong)?;
    connection
        .execute_batch(&format!(
            "PRAGMA synchronous = {}; PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY;",
            synchronous(settings.synchronous)
        ))
        .map_err(wrong)?;
    Ok(connection)
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    New,
    Older(i64),
    Current,
}

fn state(connection: &Connection, path: &Path) -> Result<State, Fault> {
    let number = |pragma: &str| -> Result<i64, Fault> {
        connection
            .query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
            .map_err(|error| fault(path, error))
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    match (application, version) {
        (APPLICATION_ID, NEWEST) => Ok(State::Current),
        (APPLICATION_ID, version) if version < NEWEST => Ok(State::Older(version)),
        (APPLICATION_ID, version) => Err(Fault::new(
            Code::LedgerNewer,
            format!("{} has schema {version}, this windlass knows {NEWEST}", path.display()),
        )
        .hint("use a newer windlass")
        .detail("path", path.display().to_string())
        .detail("schema", version)
        .detail("known", NEWEST)),
        (0, 0) if is_empty(connection, path)? => Ok(State::New),
        _ => Err(not_a_ledger(path)),
    }
}

fn is_empty(connection: &Connection, path: &Path) -> Result<bool, Fault> {
    connection
        .query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| fault(path, error))
}

/// Makes a new ledger, or migrates an older one after copying it.
fn make_current(database: &mut Database) -> Result<(), Fault> {
    let settings = database.settings.clone();
    let path = database.path.clone();
    let wrong = |error| fault(&path, error);
    let Some(lock) = &database.lock else {
        return Ok(());
    };
    let held = lock.acquire(settings.wait, &settings.purpose)?;
    // Somebody else may have done it while we waited for the lock.
    let from = match state(&database.connection, &path)? {
        State::Current => return Ok(()),
        State::New => {
            database.connection.execute_batch("PRAGMA journal_mode = WAL").map_err(wrong)?;
            0
        }
        State::Older(version) => {
            back_up_before_migration(&database.connection, &path, version)?;
            version
        }
    };
    database.connection.execute_batch("BEGIN IMMEDIATE").map_err(wrong)?;
    let mut store = SqliteStore::new(&database.connection, &path, &mut database.known, Some(held));
    let pending = MIGRATIONS.iter().filter(|migration| migration.number > from);
    let mut views_are_new = false;
    for migration in pending {
        apply(&database.connection, &path, migration, settings.now)?;
        views_are_new |= migration.about == About::Views;
    }
    if views_are_new && from > 0 {
        rebuild::replay(&mut store, None)?;
    }
    database
        .connection
        .execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {NEWEST};"
        ))
        .map_err(wrong)?;
    store.commit_schema()
}

fn apply(
    connection: &Connection,
    path: &Path,
    migration: &Migration,
    now: Time,
) -> Result<(), Fault> {
    let wrong = |error| fault(path, error);
    connection.execute_batch(migration.sqlite).map_err(wrong)?;
    let hash = migration::hash(migration.sqlite);
    connection
        .execute(
            migration::NOTE,
            rusqlite::params![migration.number, migration.name, hash, now.as_millis()],
        )
        .map_err(wrong)?;
    Ok(())
}

fn back_up_before_migration(
    connection: &Connection,
    path: &Path,
    version: i64,
) -> Result<(), Fault> {
    let mut copy = path.as_os_str().to_owned();
    copy.push(format!(".schema-{version}.backup"));
    backup(connection, path, &PathBuf::from(copy))
}

pub(super) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Locks and shared memory do not work reliably over a network.
fn refuse_network(folder: &Path) -> Result<(), Fault> {
    const NETWORK: [(i64, &str); 8] = [
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB2"),
        (0x0102_1997, "9P"),
        (0x5346_414f, "AFS"),
        (0x00c3_6400, "Ceph"),
        (0x0bd0_0bd0, "Lustre"),
    ];
    let Ok(stat) = rustix::fs::statfs(folder) else {
        return Ok(());
    };
    let kind = stat.f_type;
    let Some((_, name)) = NETWORK.iter().find(|(magic, _)| *magic == kind) else {
        return Ok(());
    };
    Err(Fault::new(
        Code::NetworkFileSystem,
        format!("{} is on a network file system ({name})", folder.display()),
    )
    .hint("keep the ledger on a local disk, or use PostgreSQL for several machines")
    .detail("path", folder.display().to_string()))
}
