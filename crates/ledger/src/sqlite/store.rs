//! The seam, answered by SQLite.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Row, ToSql, params_from_iter};
use windlass_domain::chain::Head;
use windlass_domain::words::Asked;
use windlass_domain::{ProjectId, Time};

use super::fault;
use super::lock::Held;
use crate::cell::{Cell, Columns};
use crate::chunk::{
    self, ChunkInbox, ChunkWords, Chunks, ChunksOfType, Facets, NamedChunks, TiedChunks,
};
use crate::definition::Definitions;
use crate::fault::{Fault, unreadable};
use crate::front::{Front, Queue};
use crate::hook::Hooks;
use crate::key::Keys;
use crate::known::{Known, Standing};
use crate::record::{Recorded, read_candidate, to_json};
use crate::run::Runs;
use crate::search::{Within, Words, joined};
use crate::session::Sessions;
use crate::sql::{self, Index};
use crate::store::{
    Candidate, Extent, QueueFilter, RELEASE, SAVEPOINT, Statements, Store, all, first,
};

/// The last row of the log is its head; nobody else writes while a writing transaction is open.
const HEAD: &str = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1";

/// Unfrozen projects that have something for a caller; one row each, so no index is needed.
const STANDING: &str = "SELECT id, claimable > 0, in_progress > 0 FROM projects \
     WHERE frozen = 0 AND (claimable > 0 OR in_progress > 0)";

/// The first rows of one range of the queue.
macro_rules! front {
    ($agent:literal, $tagged:literal, $limit:literal) => {
        concat!(
            "SELECT * FROM (SELECT created_seq, urgency, due_key, agent FROM queue \
             WHERE tag = $1 AND project_id = $2 AND role = $3 AND ",
            $agent,
            $tagged,
            " ORDER BY urgency, due_key, created_seq LIMIT ",
            $limit,
            ")"
        )
    };
}

/// What is routed to the caller, and what to nobody.
macro_rules! fronts {
    ($tagged:literal, $limit:literal) => {
        concat!(
            front!("agent = $4", $tagged, $limit),
            " UNION ALL ",
            front!("agent = '' AND $4 <> ''", $tagged, $limit)
        )
    };
}

/// By the primary key of `queue`: the first rows of two ranges, no sort.
pub(crate) const QUEUE_FRONT: &str = fronts!("", "$5");

/// The same, with more tags to check row by row.
pub(crate) const QUEUE_FRONT_TAGGED: &str = fronts!(
    " AND NOT EXISTS (SELECT 1 FROM json_each($5) AS wanted WHERE NOT EXISTS \
         (SELECT 1 FROM task_tags \
          WHERE tag = wanted.value AND task_tags.created_seq = queue.created_seq))",
    "$6"
);

/// By the primary key of `queue`: what is routed to nobody.
pub(crate) const OPEN_FRONT: &str = "SELECT created_seq, urgency, due_key, agent FROM queue \
     WHERE tag = $1 AND project_id = $2 AND role = $3 AND agent = '' \
     ORDER BY urgency, due_key, created_seq LIMIT $4";

/// By the primary key of `queue`: whether something is routed to somebody.
pub(crate) const HAS_ROUTED: &str = "SELECT EXISTS (SELECT 1 FROM queue \
     WHERE tag = $1 AND project_id = $2 AND role = $3 AND agent > '')";

/// By the primary key of `queue`: what is routed to the caller.
pub(crate) const ROUTED_FRONT: &str = "SELECT created_seq, urgency, due_key, agent FROM queue \
     WHERE tag = $1 AND project_id = $2 AND role = $3 AND agent = $4 \
     ORDER BY urgency, due_key, created_seq LIMIT $5";

/// The claim of one urgency that ran out first.
macro_rules! first_out {
    ($urgency:literal, $tagged:literal) => {
        concat!(
            "SELECT * FROM (SELECT created_seq, urgency, coalesce(due_at, 9223372036854775807), '' \
             FROM tasks WHERE project_id = $1 AND role = $2 AND urgency = ",
            $urgency,
            " AND lease_until IS NOT NULL AND lease_until <= $3 AND agent <> $4 \
             AND open_dependencies = 0 AND open_children = 0",
            $tagged,
            " ORDER BY lease_until LIMIT 1)"
        )
    };
}

macro_rules! ran_out {
    ($tagged:literal) => {
        concat!(
            first_out!("0", $tagged),
            " UNION ALL ",
            first_out!("1", $tagged),
            " UNION ALL ",
            first_out!("2", $tagged),
            " UNION ALL ",
            first_out!("3", $tagged)
        )
    };
}

/// By `tasks_leases`: the first row of one range for each urgency, no sort.
pub(crate) const RAN_OUT: &str = ran_out!("");

/// The same, with tags to check row by row.
const RAN_OUT_TAGGED: &str = ran_out!(
    " AND NOT EXISTS (SELECT 1 FROM json_each($5) AS wanted WHERE NOT EXISTS \
         (SELECT 1 FROM task_tags \
          WHERE tag = wanted.value AND task_tags.created_seq = tasks.created_seq))"
);

/// Whether a claim of one urgency ran out, whoever holds it.
macro_rules! any_out {
    ($urgency:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM tasks WHERE project_id = $1 AND role = $2 AND urgency = ",
            $urgency,
            " AND lease_until IS NOT NULL AND lease_until <= $3)"
        )
    };
}

/// By `tasks_leases`: one probe for each urgency.
pub(crate) const ANY_OUT: &str = concat!(
    "SELECT ",
    any_out!("0"),
    " OR ",
    any_out!("1"),
    " OR ",
    any_out!("2"),
    " OR ",
    any_out!("3")
);

/// So much of a queue is read for the claims of a group.
const READ_AHEAD: usize = 16;

pub(crate) const INDEX: Index = Index {
    key: "rowid",
    compare: "search MATCH ?",
    readable: "search_words",
    clear: "INSERT INTO search (search) VALUES ('delete-all')",
    kept: "NOT MATERIALIZED",
};

const ADD_WORDS: &str = "INSERT INTO search (rowid, title, body, notes) VALUES ($1, $2, $3, $4)";
const REPLACE_WORDS: &str =
    "INSERT OR REPLACE INTO search (rowid, title, body, notes) VALUES ($1, $2, $3, $4)";
const REMOVE_WORDS: &str = "DELETE FROM search WHERE rowid = $1";

/// A commit that leaves the WAL longer than this moves it into the file: short, because every
/// process that opens the ledger alone reads all of it.
const WAL_BYTES: u64 = 512 * 1024;

/// The write-ahead log of a ledger file.
fn wal_of(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    PathBuf::from(wal)
}

/// Moves all of the WAL into the file, unless a reader is in the way.
pub(super) fn empty_wal(connection: &Connection) -> rusqlite::Result<()> {
    let wait: i64 = connection.query_row("PRAGMA busy_timeout", [], |row| row.get(0))?;
    connection.busy_timeout(Duration::ZERO)?;
    let busy: rusqlite::Result<bool> =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(Duration::from_millis(wait.unsigned_abs()))?;
    match busy? {
        false => Ok(()),
        true => Err(rusqlite::Error::ExecuteReturnedResults),
    }
}

/// What becomes of the WAL after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wal {
    /// It is kept short for the next process.
    Short,
    /// SQLite moves it into the file from time to time and begins it anew without giving its space
    /// back: for whoever keeps the ledger open and commits group after group.
    Long,
}

/// An open transaction, or a part of one. Dropped without a commit, it is rolled back.
pub(crate) struct SqliteStore<'a> {
    connection: &'a Connection,
    path: &'a Path,
    known: &'a mut Known,
    wal: Wal,
    open: bool,
    extent: Extent,
    /// Let go only after the transaction has ended.
    _lock: Option<Held>,
}

impl<'a> SqliteStore<'a> {
    pub(super) fn new(
        connection: &'a Connection,
        path: &'a Path,
        known: &'a mut Known,
        lock: Option<Held>,
    ) -> Self {
        known.forget_all();
        let (wal, extent) = (Wal::Short, Extent::Whole);
        Self { connection, path, known, wal, open: true, extent, _lock: lock }
    }

    /// A part of a transaction that others keep open. Nothing of it is undone alone until it is
    /// marked.
    pub(super) fn part(
        connection: &'a Connection,
        path: &'a Path,
        known: &'a mut Known,
        head: Head,
    ) -> Self {
        let (wal, extent) = (Wal::Long, Extent::Part(head));
        Self { connection, path, known, wal, open: false, extent, _lock: None }
    }

    /// Marks where the part begins.
    pub(super) fn mark(&mut self) -> Result<(), Fault> {
        let marked = self.run(SAVEPOINT, &[]).map(drop);
        self.open = marked.is_ok();
        marked
    }

    /// Leaves the transaction to whoever goes on with it.
    pub(super) fn keep_open(&mut self) {
        self.open = false;
    }

    /// The same transaction, which leaves the WAL like this.
    pub(super) fn leaving(mut self, wal: Wal) -> Self {
        self.wal = wal;
        self
    }

    /// Ends a transaction that changed the schema.
    pub(super) fn commit_schema(&mut self) -> Result<(), Fault> {
        self.run("COMMIT", &[])?;
        self.open = false;
        Ok(())
    }

    /// A commit that failed may still stand in the WAL, whole, for the next process to find. So
    /// the WAL is emptied; where even that fails nobody can say what became of it.
    fn take_back(&mut self, fault: Fault) -> Fault {
        let _rolled_back = self.connection.execute_batch("ROLLBACK");
        self.open = false;
        if empty_wal(self.connection).is_ok() {
            return fault;
        }
        let message = format!("{}; it may or may not have been recorded", fault.message);
        Fault { message, ..fault }.hint("look before you try again: windlass events")
    }

    /// Moves a long WAL into the file. A process that opens the ledger alone reads all of the WAL
    /// first and forgets what was moved before, so it must begin anew, not only be moved. Readers
    /// may be in the way; then a later commit does it.
    fn keep_wal_short(&self) {
        let length = std::fs::metadata(wal_of(self.path)).map_or(0, |wal| wal.len());
        if length > WAL_BYTES {
            let _or_later = empty_wal(self.connection);
        }
    }

    fn put_words(&mut self, sql: &str, words: &[Words]) -> Result<(), Fault> {
        for words in words {
            let [title, body, notes] = [&words.title, &words.body, &words.notes].map(joined);
            let texts = [Cell::Text(&title), Cell::Text(&body), Cell::Text(&notes)];
            let [title, body, notes] = texts;
            self.run(sql, &[Cell::count(words.created_seq), title, body, notes])?;
        }
        Ok(())
    }

    fn wrong(&self, error: rusqlite::Error) -> Fault {
        fault(self.path, error)
    }

    /// The wanted projects, or all, that stand like this.
    fn projects_standing(
        &mut self,
        wanted: &[ProjectId],
        stands: impl Fn(&Standing) -> bool,
    ) -> Result<Vec<ProjectId>, Fault> {
        if self.known.standing().is_none() {
            let found = all(self, STANDING, &[], Standing::read)?;
            self.known.meet_standing(found);
        }
        let all = self.known.standing().into_iter().flatten();
        let is_wanted = |id: ProjectId| wanted.is_empty() || wanted.contains(&id);
        let found = all.filter(|standing| is_wanted(standing.project) && stands(standing));
        Ok(found.map(|standing| standing.project).collect())
    }

    /// The first tasks of a queue for somebody, read for the next claims of the group too.
    fn front_for(
        &mut self,
        agent: &str,
        queue: &Queue,
        limit: u64,
    ) -> Result<Vec<Candidate>, Fault> {
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        if self.known.fronts.of(queue, wanted).is_none() {
            let front = self.read_front(queue, wanted.saturating_add(READ_AHEAD))?;
            self.known.fronts.meet(queue.clone(), front);
        }
        let Some(front) = self.known.fronts.of(queue, wanted) else {
            return Err(Fault::bug("the front of a queue is not kept"));
        };
        let mut found: Vec<Candidate> = front.open.iter().take(wanted).copied().collect();
        if front.has_routed && !agent.is_empty() {
            let project = queue.project.to_bytes();
            let [tag, project, role] = place(queue, &project);
            let cells = [tag, project, role, Cell::Text(agent), Cell::count(limit)];
            found.append(&mut all(self, ROUTED_FRONT, &cells, read_candidate)?);
        }
        Ok(found)
    }

    /// So many tasks at the front of a queue.
    fn read_front(&mut self, queue: &Queue, most: usize) -> Result<Front, Fault> {
        let project = queue.project.to_bytes();
        let [tag, project, role] = place(queue, &project);
        let cells = [tag, project, role, Cell::count(most as u64)];
        let open = all(self, OPEN_FRONT, &cells, read_candidate)?;
        let routed = first(self, HAS_ROUTED, &[tag, project, role], |row| row.flag(0))?;
        let (is_all, has_routed) = (open.len() < most, routed.unwrap_or(true));
        Ok(Front { open: open.into(), is_all, has_routed })
    }

    /// Whether no claim of a project and role had run out by then.
    fn is_calm(&mut self, project: ProjectId, role: &str, now: Time) -> Result<bool, Fault> {
        let queue = Queue { tag: String::new(), project, role: role.to_owned() };
        if self.known.fronts.is_calm(&queue, now) {
            return Ok(true);
        }
        let project = project.to_bytes();
        let cells = [Cell::Bytes(&project), Cell::Text(role), Cell::Int(now.as_millis())];
        let is_calm = first(self, ANY_OUT, &cells, |row| row.flag(0))? == Some(false);
        if is_calm {
            self.known.fronts.meet_calm(queue, now);
        }
        Ok(is_calm)
    }
}

impl Drop for SqliteStore<'_> {
    fn drop(&mut self) {
        if self.open {
            self.known.forget_all();
            // If even this fails the connection is unusable, and closing it rolls back.
            let _rolled_back = self.connection.execute_batch(self.extent.undo());
        }
    }
}

impl Statements for SqliteStore<'_> {
    fn run(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, Fault> {
        let mut statement =
            self.connection.prepare_cached(sql).map_err(|error| self.wrong(error))?;
        let changed =
            statement.execute(params_from_iter(cells)).map_err(|error| self.wrong(error))?;
        Ok(changed as u64)
    }

    fn query(
        &mut self,
        sql: &str,
        cells: &[Cell<'_>],
        each: &mut dyn FnMut(&dyn Columns) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut statement =
            self.connection.prepare_cached(sql).map_err(|error| self.wrong(error))?;
        let mut rows =
            statement.query(params_from_iter(cells)).map_err(|error| self.wrong(error))?;
        while let Some(row) = rows.next().map_err(|error| self.wrong(error))? {
            each(row)?;
        }
        Ok(())
    }

    fn known(&mut self) -> &mut Known {
        self.known
    }
}

impl Hooks for SqliteStore<'_> {}

impl Keys for SqliteStore<'_> {}

impl Runs for SqliteStore<'_> {}
impl Chunks for SqliteStore<'_> {}
impl ChunkInbox for SqliteStore<'_> {}
impl ChunksOfType for SqliteStore<'_> {}
impl NamedChunks for SqliteStore<'_> {}
impl TiedChunks for SqliteStore<'_> {}
impl Facets for SqliteStore<'_> {}

impl ChunkWords for SqliteStore<'_> {
    fn texts(&self) -> &'static chunk::Texts {
        &chunk::SQLITE
    }
}

impl Sessions for SqliteStore<'_> {}
impl Definitions for SqliteStore<'_> {}

impl Store for SqliteStore<'_> {
    fn head(&mut self) -> Result<Head, Fault> {
        if let Extent::Part(head) = self.extent {
            return Ok(head);
        }
        let last =
            first(self, HEAD, &[], |row| Ok(Head { seq: row.count(0)?, hash: row.hash(1)? }))?;
        Ok(last.unwrap_or(Head::EMPTY))
    }

    fn database_time(&mut self) -> Result<Option<Time>, Fault> {
        Ok(None)
    }

    fn queue_front(&mut self, filter: &QueueFilter, limit: u64) -> Result<Vec<Candidate>, Fault> {
        let (tag, others) = filter.split_tags();
        let mut found = Vec::new();
        for project in
            self.projects_standing(&filter.projects, |standing| standing.has_claimable)?
        {
            for role in roles(filter) {
                let queue = Queue { tag: tag.to_owned(), project, role: role.to_owned() };
                let project = project.to_bytes();
                let [tag, project, role] = place(&queue, &project);
                let (agent, most) = (Cell::Text(&filter.agent), Cell::count(limit));
                found.append(&mut match (filter.tags.len(), self.extent) {
                    (0 | 1, Extent::Part(_)) => self.front_for(&filter.agent, &queue, limit)?,
                    (0 | 1, Extent::Whole) => {
                        let cells = [tag, project, role, agent, most];
                        all(self, QUEUE_FRONT, &cells, read_candidate)?
                    }
                    _ => {
                        let cells = [tag, project, role, agent, Cell::Text(&others), most];
                        all(self, QUEUE_FRONT_TAGGED, &cells, read_candidate)?
                    }
                });
            }
        }
        Ok(found)
    }

    fn ran_out(&mut self, filter: &QueueFilter, now: Time) -> Result<Vec<Candidate>, Fault> {
        let tags = to_json(&filter.tags);
        let mut found = Vec::new();
        for project in self.projects_standing(&filter.projects, |standing| standing.has_held)? {
            for role in roles(filter) {
                if let Extent::Part(_) = self.extent
                    && self.is_calm(project, role, now)?
                {
                    continue;
                }
                let (project, role) = (Cell::Bytes(&project.to_bytes()), Cell::Text(role));
                let (now, agent) = (Cell::Int(now.as_millis()), Cell::Text(&filter.agent));
                let cells = [project, role, now, agent, Cell::Text(&tags)];
                found.append(&mut match (filter.tags.is_empty(), cells.split_last()) {
                    (true, Some((_, plain))) => all(self, RAN_OUT, plain, read_candidate)?,
                    _ => all(self, RAN_OUT_TAGGED, &cells, read_candidate)?,
                });
            }
        }
        Ok(found)
    }

    fn insert_events(&mut self, recorded: &[Recorded]) -> Result<(), Fault> {
        for event in recorded {
            event.cells(|cells| match cells {
                [_, but_seq @ ..] => self.run(sql::APPEND_EVENT, but_seq),
                [] => Err(Fault::bug("an event has no columns")),
            })?;
            if u64::try_from(self.connection.last_insert_rowid()) != Ok(event.header.seq) {
                return Err(Fault::bug("an event does not follow the one before"));
            }
        }
        Ok(())
    }

    fn add_words(&mut self, words: &[Words]) -> Result<(), Fault> {
        self.put_words(ADD_WORDS, words)
    }

    fn replace_words(&mut self, words: &[Words]) -> Result<(), Fault> {
        self.put_words(REPLACE_WORDS, words)
    }

    fn remove_words(&mut self, created_seq: u64) -> Result<(), Fault> {
        self.run(REMOVE_WORDS, &[Cell::count(created_seq)]).map(drop)
    }

    fn question(&self, asked: &[Asked], within: Within) -> String {
        let columns = match within {
            Within::Title => "{title}",
            Within::Text => "{title body}",
            Within::Everything => "{title body notes}",
        };
        // No word contains a quote.
        let either = |asked: &Asked| {
            let words: Vec<String> = asked.any.iter().map(|word| format!("\"{word}\"*")).collect();
            format!("({})", words.join(" OR "))
        };
        let words: Vec<String> = asked.iter().map(either).collect();
        format!("{columns} : ({})", words.join(" AND "))
    }

    fn index(&self) -> Index {
        INDEX
    }

    fn integrity(&mut self) -> Result<Vec<String>, Fault> {
        let found = all(self, "PRAGMA quick_check(20)", &[], |row| row.text(0))?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }

    fn commit(&mut self, _head: Head) -> Result<(), Fault> {
        if let Extent::Part(_) = self.extent {
            if self.open {
                self.run(RELEASE, &[])?;
                self.open = false;
            }
            return Ok(());
        }
        if let Err(fault) = self.run("COMMIT", &[]) {
            return Err(self.take_back(fault));
        }
        self.open = false;
        if self.wal == Wal::Short {
            self.keep_wal_short();
        }
        Ok(())
    }
}

/// The cells that lead to a queue.
fn place<'a>(queue: &'a Queue, project: &'a [u8; 16]) -> [Cell<'a>; 3] {
    [Cell::Text(&queue.tag), Cell::Bytes(project), Cell::Text(&queue.role)]
}

/// No role, and the caller's own when there is one.
fn roles(filter: &QueueFilter) -> impl Iterator<Item = &str> {
    let own = filter.role.as_deref().filter(|own| !own.is_empty());
    std::iter::once("").chain(own)
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match *self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Int(number) => ToSqlOutput::Owned(Value::Integer(number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

impl Columns for Row<'_> {
    fn maybe_int(&self, column: usize) -> Result<Option<i64>, Fault> {
        self.get(column).map_err(unreadable)
    }

    fn maybe_text(&self, column: usize) -> Result<Option<String>, Fault> {
        self.get(column).map_err(unreadable)
    }

    fn maybe_bytes(&self, column: usize) -> Result<Option<Vec<u8>>, Fault> {
        self.get(column).map_err(unreadable)
    }
}
