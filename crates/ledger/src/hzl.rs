//! Reading the files of HZL, for `import hzl`.
//!
//! HZL keeps its log in `events.db` and, beside it, a cache that also holds queued hooks and op
//! records. Opening a database of SQLite in place may write beside it, even for reading, so the
//! files are copied first, with the WAL that belongs to them; the originals are only read.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};
use tempfile::TempDir;
use windlass_domain::{Code, Refusal};

use crate::fault::{Error, Fault};

/// What HZL writes instead of a task into events about projects.
pub const HZL_PROJECTS: &str = "__project__";
/// The newest shape of events that is known here.
const SCHEMA: i64 = 1;
/// More than this is not kept in memory at once, however few events it is.
const BYTES_AT_ONCE: usize = 32 * 1024 * 1024;
/// How often a file that changes while it is copied is copied again.
const ATTEMPTS: u32 = 10;

const COLUMNS: &str = "id, event_id, task_id, type, data, author, agent_id, session_id, \
     correlation_id, causation_id, timestamp";
/// By the primary key.
const AFTER: &str = "WHERE id > ?1 ORDER BY id LIMIT ?2";
/// By HZL's index on (`task_id`, id).
const OF_TASK: &str = "SELECT id, event_id FROM events WHERE task_id = ?1 ORDER BY id";
const ABOUT_PROJECTS: &str = "WHERE task_id = '__project__' ORDER BY id";
const NEWER: &str = "SELECT coalesce(max(schema_version), 0) FROM events";
/// Addresses and headers may hold secrets and are never read.
const OUTBOX: &str = "SELECT id, hook_name, status, payload, attempts, last_error, created_at \
     FROM hook_outbox ORDER BY id";
const OPS: &str = "SELECT op_id, workflow_name, state, result_payload, updated_at \
     FROM workflow_ops ORDER BY created_at, op_id";

/// One event of HZL, as it is stored there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HzlEvent {
    /// Its place in HZL's order.
    pub row: i64,
    pub id: String,
    /// The task, or [`HZL_PROJECTS`].
    pub task: String,
    pub kind: String,
    /// JSON.
    pub data: String,
    pub author: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub correlation: Option<String>,
    pub causation: Option<String>,
    pub at: String,
}

/// A notification that HZL queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HzlHook {
    pub row: i64,
    pub name: String,
    /// `queued`, `processing`, `delivered` or `failed`.
    pub status: String,
    /// JSON.
    pub payload: String,
    pub attempts: i64,
    pub error: Option<String>,
    pub at: String,
}

/// What HZL remembers of one execution under an op id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HzlOp {
    pub id: String,
    pub workflow: String,
    /// `processing`, `completed` or `failed`.
    pub state: String,
    /// What it answered, as JSON.
    pub result: Option<String>,
    pub at: String,
}

/// A copy of HZL's files, open for reading.
#[derive(Debug)]
pub struct Hzl {
    /// Where they were copied from.
    path: PathBuf,
    events: Connection,
    cache: Option<Connection>,
    /// Goes away with this.
    _copy: TempDir,
}

impl Hzl {
    /// Opens a folder of HZL, its `events.db`, or a database of another name with its cache beside.
    pub fn open(given: &Path) -> Result<Self, Error> {
        let path = if given.is_dir() { given.join("events.db") } else { given.to_owned() };
        if given.is_dir() && !path.exists() {
            return Err(invalid(given, "there is no events.db in this folder").into());
        }
        let copy = tempfile::Builder::new()
            .prefix("windlass-hzl-")
            .tempdir()
            .map_err(|error| uncopied(&path, &error))?;
        let events = open_copy(&path, &copy.path().join("events.db"))?;
        refuse_other_tables(&events, &path)?;
        let cache = cache_of(&path);
        let cache = match cache.is_file() {
            true => Some(open_copy(&cache, &copy.path().join("cache.db"))?),
            false => None,
        };
        Ok(Self { path, events, cache, _copy: copy })
    }

    /// How many events there are.
    pub fn count(&self) -> Result<u64, Error> {
        let count = self.events.query_row("SELECT count(*) FROM events", [], |row| row.get(0));
        let count: i64 = count.map_err(|error| self.broken(error))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The next events after that row, in HZL's order: at most `limit`, and fewer when they are
    /// large.
    pub fn events_after(&self, row: i64, limit: u64) -> Result<Vec<HzlEvent>, Error> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!("SELECT {COLUMNS} FROM events {AFTER}");
        let few = || -> rusqlite::Result<Vec<HzlEvent>> {
            let mut statement = self.events.prepare_cached(&sql)?;
            let mut rows = statement.query([row, limit])?;
            let (mut found, mut bytes) = (Vec::new(), 0);
            while bytes < BYTES_AT_ONCE
                && let Some(row) = rows.next()?
            {
                let event = event(row)?;
                bytes += event.data.len();
                found.push(event);
            }
            Ok(found)
        };
        few().map_err(|error| self.broken(error))
    }

    /// All events about projects, in HZL's order; they are few.
    pub fn project_events(&self) -> Result<Vec<HzlEvent>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM events {ABOUT_PROJECTS}");
        self.rows(&self.events, &sql, &[], event)
    }

    /// The rows and ids of a task's events, in HZL's order.
    pub fn ids_of(&self, task: &str) -> Result<Vec<(i64, String)>, Error> {
        let read = |row: &Row<'_>| Ok((row.get(0)?, text(row, 1)?));
        self.rows(&self.events, OF_TASK, &[&task], read)
    }

    /// The queued hooks; nothing when there is no cache.
    pub fn hooks(&self) -> Result<Option<Vec<HzlHook>>, Error> {
        self.of_cache("hook_outbox", OUTBOX, |row| {
            Ok(HzlHook {
                row: row.get(0)?,
                name: text(row, 1)?,
                status: text(row, 2)?,
                payload: text(row, 3)?,
                attempts: row.get(4)?,
                error: maybe_text(row, 5)?,
                at: text(row, 6)?,
            })
        })
    }

    /// The op records; nothing when there is no cache.
    pub fn ops(&self) -> Result<Option<Vec<HzlOp>>, Error> {
        self.of_cache("workflow_ops", OPS, |row| {
            Ok(HzlOp {
                id: text(row, 0)?,
                workflow: text(row, 1)?,
                state: text(row, 2)?,
                result: maybe_text(row, 3)?,
                at: text(row, 4)?,
            })
        })
    }

    /// The rows of a table of the cache, which an older HZL may not have.
    fn of_cache<T>(
        &self,
        table: &str,
        sql: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<Vec<T>>, Error> {
        let Some(cache) = &self.cache else {
            return Ok(None);
        };
        if columns(cache, table).map_err(|error| self.broken(error))?.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.rows(cache, sql, &[], read).map(Some)
    }

    fn rows<T>(
        &self,
        connection: &Connection,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        let rows = || -> rusqlite::Result<Vec<T>> {
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_map(values, |row| read(row))?;
            found.collect()
        };
        rows().map_err(|error| self.broken(error))
    }

    fn broken(&self, error: rusqlite::Error) -> Error {
        unreadable(&self.path, error)
    }
}

/// Where HZL keeps the cache of a database, unless it is told otherwise.
fn cache_of(events: &Path) -> PathBuf {
    let name = events.file_name().unwrap_or_default().to_string_lossy();
    let cache = match name.as_ref() {
        "events.db" => "cache.db".to_owned(),
        other => format!("{}-cache.db", other.strip_suffix(".db").unwrap_or(other)),
    };
    events.with_file_name(cache)
}

fn open_copy(path: &Path, copy: &Path) -> Result<Connection, Error> {
    refuse_other_files(path)?;
    copy_database(path, copy)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(copy, flags).map_err(|error| unreadable(path, error))
}

fn refuse_other_files(path: &Path) -> Result<(), Error> {
    let mut opening = Vec::new();
    File::open(path)
        .and_then(|file| file.take(16).read_to_end(&mut opening))
        .map_err(|error| uncopied(path, &error))?;
    if opening == b"SQLite format 3\0" {
        return Ok(());
    }
    Err(invalid(path, "this is not a database, or it is encrypted").into())
}

/// A program that writes meanwhile could leave a copy that never existed, so a file that changed
/// while it was copied is copied again.
fn copy_database(path: &Path, copy: &Path) -> Result<(), Error> {
    for _ in 0..ATTEMPTS {
        let before = (state_of(path), state_of(&wal_of(path)));
        copy_file(path, copy).map_err(|error| uncopied(path, &error))?;
        match copy_file(&wal_of(path), &wal_of(copy)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(uncopied(&wal_of(path), &error).into()),
            Ok(()) => {}
        }
        if before == (state_of(path), state_of(&wal_of(path))) {
            return Ok(());
        }
        let _gone = fs::remove_file(wal_of(copy));
    }
    Err(Fault::new(
        Code::FileUnusable,
        format!("{} changes all the time while it is copied", path.display()),
    )
    .hint("stop the programs that use HZL, then import again")
    .detail("file", path.display().to_string())
    .into())
}

/// Not `fs::copy`, which would make the copy of a read-only file read-only.
fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut from = File::open(from)?;
    std::io::copy(&mut from, &mut File::create(to)?).map(drop)
}

fn wal_of(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    PathBuf::from(wal)
}

/// What changes when a file is written to.
fn state_of(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// A database of somebody else is told by its tables.
fn refuse_other_tables(events: &Connection, path: &Path) -> Result<(), Error> {
    let wrong = |error| unreadable(path, error);
    let found = columns(events, "events").map_err(wrong)?;
    let missing = COLUMNS.split(", ").find(|name| !found.iter().any(|found| found == name));
    if missing.is_some() {
        let is_cache = !columns(events, "tasks_current").map_err(wrong)?.is_empty();
        let why = match is_cache {
            true => "this is HZL's cache; name the events.db that belongs to it",
            false => "this database is not one of HZL's",
        };
        return Err(invalid(path, why).into());
    }
    let newest: i64 = events.query_row(NEWER, [], |row| row.get(0)).map_err(wrong)?;
    if newest > SCHEMA {
        let why = format!("its events have schema {newest}, this windlass knows {SCHEMA}");
        return Err(invalid(path, &why).into());
    }
    Ok(())
}

/// The columns of a table; none when there is no such table.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    names.collect()
}

fn event(row: &Row<'_>) -> rusqlite::Result<HzlEvent> {
    Ok(HzlEvent {
        row: row.get(0)?,
        id: text(row, 1)?,
        task: text(row, 2)?,
        kind: text(row, 3)?,
        data: text(row, 4)?,
        author: maybe_text(row, 5)?,
        agent: maybe_text(row, 6)?,
        session: maybe_text(row, 7)?,
        correlation: maybe_text(row, 8)?,
        causation: maybe_text(row, 9)?,
        at: text(row, 10)?,
    })
}

fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(maybe_text(row, column)?.unwrap_or_default())
}

/// Whatever is in the cell, as text; bytes that are not UTF-8 become U+FFFD.
fn maybe_text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    })
}

fn invalid(path: &Path, why: &str) -> Refusal {
    Refusal::new(Code::ImportInvalid, format!("{}: {why}", path.display()))
        .hint("`hzl which-db` says where HZL keeps its files; nothing was imported")
        .detail("file", path.display().to_string())
}

fn unreadable(path: &Path, error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            invalid(path, "this is not a database, or it is encrypted").into()
        }
        Some(ErrorCode::DatabaseCorrupt) => invalid(path, "the database is damaged").into(),
        _ => Fault::new(Code::FileUnusable, format!("{} cannot be read: {error}", path.display()))
            .hint("check the file: hzl doctor")
            .detail("file", path.display().to_string())
            .because(error)
            .into(),
    }
}

fn uncopied(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileUnusable, format!("{} cannot be copied: {error}", path.display()))
        .hint("check the path, its permissions and the space left in the temporary folder")
        .detail("file", path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database as HZL makes it, as far as it is read here.
    const TABLES: &str = "
        CREATE TABLE events (
            id INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,
            task_id TEXT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL,
            schema_version INTEGER NOT NULL DEFAULT 1, author TEXT, agent_id TEXT,
            session_id TEXT, correlation_id TEXT, causation_id TEXT,
            timestamp TEXT NOT NULL DEFAULT '2026-11-15T09:30:00.000Z'
        );
        INSERT INTO events (event_id, task_id, type, data) VALUES ('e1', 't1', 'task_created', '{}');
    ";

    fn database(folder: &Path, name: &str) -> Connection {
        let connection = Connection::open(folder.join(name)).unwrap();
        connection.execute_batch(&format!("PRAGMA journal_mode = WAL; {TABLES}")).unwrap();
        connection
    }

    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap())
            .map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap()))
            .collect();
        files.sort();
        files
    }

    #[test]
    fn the_cache_is_beside_the_database_under_hzls_name_for_it() {
        for (events, cache) in
            [("events.db", "cache.db"), ("x.db", "x-cache.db"), ("x", "x-cache.db")]
        {
            assert_eq!(cache_of(&Path::new("/f").join(events)), Path::new("/f").join(cache));
        }
    }

    #[test]
    fn what_is_still_in_the_wal_is_read_and_nothing_is_written_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let open = database(folder.path(), "events.db");
        let before = files(folder.path());
        assert!(before.iter().any(|(name, bytes)| name == "events.db-wal" && !bytes.is_empty()));
        let hzl = Hzl::open(folder.path()).unwrap();
        assert_eq!(hzl.events_after(0, 10).unwrap()[0].id, "e1");
        assert_eq!(files(folder.path()), before);
        drop(open);
    }

    #[test]
    fn a_read_only_folder_is_read() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        drop(database(folder.path(), "events.db"));
        let mode = |mode| fs::Permissions::from_mode(mode);
        fs::set_permissions(folder.path().join("events.db"), mode(0o444)).unwrap();
        fs::set_permissions(folder.path(), mode(0o555)).unwrap();
        let count = Hzl::open(&folder.path().join("events.db")).unwrap().count();
        fs::set_permissions(folder.path(), mode(0o755)).unwrap();
        assert_eq!(count.unwrap(), 1);
    }

    #[test]
    fn a_missing_cache_is_no_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        drop(database(folder.path(), "x.db"));
        assert_eq!(Hzl::open(&folder.path().join("x.db")).unwrap().hooks().unwrap(), None);
        drop(database(folder.path(), "x-cache.db"));
        let hzl = Hzl::open(&folder.path().join("x.db")).unwrap();
        assert_eq!(hzl.hooks().unwrap(), Some(Vec::new()));
        assert_eq!(hzl.ops().unwrap(), Some(Vec::new()));
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.db");
        let code = || Hzl::open(folder.path()).unwrap_err().code();
        assert_eq!(code(), Code::ImportInvalid);
        fs::write(&path, "no database").unwrap();
        assert_eq!(code(), Code::ImportInvalid);
        fs::write(&path, [b"SQLite format 3\0".as_slice(), &[7; 5_000]].concat()).unwrap();
        assert_eq!(code(), Code::ImportInvalid);
        fs::remove_file(&path).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE events (id, data)").unwrap();
        drop(other);
        assert_eq!(code(), Code::ImportInvalid);
        fs::remove_file(&path).unwrap();
        let newer = database(folder.path(), "events.db");
        newer.execute("UPDATE events SET schema_version = 2", []).unwrap();
        assert_eq!(code(), Code::ImportInvalid);
    }

    #[test]
    fn a_file_that_is_not_there_is_a_fault() {
        let missing = Hzl::open(Path::new("/nowhere/events.db"));
        assert_eq!(missing.unwrap_err().code(), Code::FileUnusable);
    }
}
