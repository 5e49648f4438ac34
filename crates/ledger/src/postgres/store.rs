//! The seam, answered by PostgreSQL.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Row};
use windlass_domain::chain::Head;
use windlass_domain::hook::Delivery;
use windlass_domain::words::Asked;
use windlass_domain::{ProjectId, Task, TaskId, Time};

use super::{CHANNEL, fault};
use crate::Access;
use crate::cell::{Cell, Columns};
use crate::chunk::{
    self, ChunkInbox, ChunkWords, Chunks, ChunksOfType, Facets, NamedChunks, TiedChunks,
};
use crate::definition::Definitions;
use crate::fault::{Fault, unreadable};
use crate::hook::{self, Hooks, Waiting};
use crate::key::Keys;
use crate::known::Known;
use crate::record::{Details, Recorded, queue_cells, read_candidate, task_cells, to_json};
use crate::run::Runs;
use crate::search::{Within, Words};
use crate::session::Sessions;
use crate::sql::{self, Index};
use crate::store::{Candidate, Extent, QueueFilter, RELEASE, Statements, Store, all, first};

const HEAD: &str = "SELECT seq, hash FROM head";
/// The lock of the one writer.
const LOCKED_HEAD: &str = "SELECT seq, hash FROM head FOR UPDATE";
const MOVE_HEAD: &str = "UPDATE head SET seq = $1, hash = $2";
const TIME: &str = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// For each unfrozen project, role and route: by the primary key of `queue`, the first rows of one
/// range, no sort.
pub(crate) const QUEUE_FRONT: &str = "SELECT front.created_seq, front.urgency, front.due_key, front.agent \
     FROM projects \
     CROSS JOIN (SELECT ''::text AS role UNION SELECT $2::text) AS roles \
     CROSS JOIN (SELECT ''::text AS agent UNION SELECT $3::text) AS routes \
     CROSS JOIN LATERAL (SELECT created_seq, urgency, due_key, agent FROM queue \
         WHERE tag = $1 AND project_id = projects.id AND role = roles.role AND agent = routes.agent \
         AND ($4::text = '[]' OR json_array_length($4::json) = (SELECT count(*) FROM task_tags \
             WHERE task_tags.tag = ANY (ARRAY (SELECT json_array_elements_text($4::json))) \
             AND task_tags.created_seq = queue.created_seq)) \
         ORDER BY urgency, due_key, created_seq LIMIT $5) AS front \
     WHERE frozen = 0 AND claimable > 0 AND ($6::bytea IS NULL OR projects.id = $6)";

/// For each unfrozen project, role and urgency: by `tasks_leases`, the first row of one range.
pub(crate) const RAN_OUT: &str = "SELECT front.created_seq, front.urgency, front.due_key, ''::text \
     FROM projects \
     CROSS JOIN (SELECT ''::text AS role UNION SELECT $1::text) AS roles \
     CROSS JOIN generate_series(0::bigint, 3::bigint) AS urgencies (urgency) \
     CROSS JOIN LATERAL (SELECT created_seq, urgency, \
             coalesce(due_at, 9223372036854775807) AS due_key FROM tasks \
         WHERE project_id = projects.id AND role = roles.role AND urgency = urgencies.urgency \
         AND lease_until IS NOT NULL AND lease_until <= $2 AND agent <> $3 \
         AND open_dependencies = 0 AND open_children = 0 \
         AND ($4::text = '[]' OR json_array_length($4::json) = (SELECT count(*) FROM task_tags \
             WHERE task_tags.tag = ANY (ARRAY (SELECT json_array_elements_text($4::json))) \
             AND task_tags.created_seq = tasks.created_seq)) \
         ORDER BY lease_until LIMIT 1) AS front \
     WHERE frozen = 0 AND in_progress > 0 AND ($5::bytea IS NULL OR projects.id = $5)";

pub(crate) const INDEX: Index = Index {
    key: "created_seq",
    compare: "search.words @@ CAST(? AS tsquery)",
    readable: "search",
    clear: "DELETE FROM search",
    kept: "MATERIALIZED",
};

const ADD_WORDS: &str = "INSERT INTO search (created_seq, words) VALUES ($1, $2::text::tsvector)";
const REMOVE_WORDS: &str = "DELETE FROM search WHERE created_seq = $1";

/// By the primary key, many at once.
const TAKE_OFF: &str = "DELETE FROM chunk_facets USING (VALUES ($1, $2, $3)) \
     AS gone (facet, rank, created_seq) WHERE chunk_facets.facet = gone.facet \
     AND chunk_facets.rank = gone.rank AND chunk_facets.created_seq = gone.created_seq";
/// By the primary key, many at once.
const FORGET_EMPTY: &str = "DELETE FROM facet_counts USING (VALUES ($1)) AS gone (facet) \
     WHERE facet_counts.facet = gone.facet AND chunks = 0";

/// An open transaction, or a part of one. Dropped without a commit, it is rolled back.
pub(crate) struct PostgresStore<'a> {
    client: &'a mut Client,
    known: &'a mut Known,
    access: Access,
    open: bool,
    extent: Extent,
}

impl<'a> PostgresStore<'a> {
    pub(super) fn new(client: &'a mut Client, known: &'a mut Known, access: Access) -> Self {
        known.forget_all();
        Self { client, known, access, open: true, extent: Extent::Whole }
    }

    /// A part of a transaction that others keep open. The row of the head is moved at its end only.
    /// Nothing of it is undone alone until it is marked.
    pub(super) fn part(client: &'a mut Client, known: &'a mut Known, head: Head) -> Self {
        Self { client, known, access: Access::Write, open: false, extent: Extent::Part(head) }
    }

    /// There is a savepoint where the part begins.
    pub(super) fn is_marked(&mut self) {
        self.open = true;
    }

    /// What a query finds in each of these projects, or in all; the project is its last parameter.
    fn in_projects(
        &mut self,
        projects: &[ProjectId],
        sql: &str,
        cells: &[Cell<'_>],
    ) -> Result<Vec<Candidate>, Fault> {
        let ids: Vec<[u8; 16]> = projects.iter().map(|id| id.to_bytes()).collect();
        let mut places: Vec<Cell<'_>> = ids.iter().map(|id| Cell::Bytes(id)).collect();
        if places.is_empty() {
            places.push(Cell::Null);
        }
        let mut found = Vec::new();
        for place in places {
            let cells: Vec<Cell<'_>> = cells.iter().copied().chain([place]).collect();
            found.append(&mut all(self, sql, &cells, read_candidate)?);
        }
        Ok(found)
    }

    /// Sends a statement about facets and ranks of a chunk, many rows at once.
    fn of_a_chunk(
        &mut self,
        text: &'static str,
        created_seq: u64,
        facets: &[(&str, &str)],
    ) -> Result<(), Fault> {
        let mut rows = Rows::new(text);
        for (facet, rank) in facets {
            rows.add(self, &[Cell::Text(facet), Cell::Text(rank), Cell::count(created_seq)])?;
        }
        rows.send(self)
    }

    /// Leaves the transaction to whoever began it.
    pub(super) fn keep_open(&mut self) {
        self.open = false;
    }
}

impl Drop for PostgresStore<'_> {
    fn drop(&mut self) {
        if self.open {
            self.known.forget_all();
            // On a lost connection the server rolls back by itself.
            let _rolled_back = self.client.batch_execute(self.extent.undo());
        }
    }
}

impl Statements for PostgresStore<'_> {
    fn run(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, Fault> {
        self.client.execute_typed(sql, &typed(cells)).map_err(fault)
    }

    fn query(
        &mut self,
        sql: &str,
        cells: &[Cell<'_>],
        each: &mut dyn FnMut(&dyn Columns) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        for row in self.client.query_typed(sql, &typed(cells)).map_err(fault)? {
            each(&row)?;
        }
        Ok(())
    }

    fn known(&mut self) -> &mut Known {
        self.known
    }
}

impl Hooks for PostgresStore<'_> {
    fn put_deliveries(&mut self, deliveries: &[&Delivery]) -> Result<(), Fault> {
        let mut rows = Rows::new(hook::PUT_DELIVERY);
        for delivery in deliveries {
            hook::delivery_cells(delivery, |cells| rows.add(self, cells))?;
        }
        rows.send(self)
    }

    /// Many at once, as if they were new.
    fn update_deliveries(&mut self, deliveries: &[&Delivery]) -> Result<(), Fault> {
        self.put_deliveries(deliveries)
    }

    fn queue_deliveries(&mut self, deliveries: &[&Delivery]) -> Result<(), Fault> {
        let mut rows = Rows::new(hook::QUEUE_DELIVERY);
        for delivery in deliveries {
            hook::queue_cells(delivery, |cells| rows.add(self, cells))?;
        }
        rows.send(self)
    }

    fn put_back(&mut self, waiting: &[(&Delivery, Waiting)]) -> Result<(), Fault> {
        let mut rows = Rows::new(hook::PUT_BACK);
        for (delivery, waiting) in waiting {
            hook::waiting_cells(delivery, waiting, |cells| rows.add(self, cells))?;
        }
        rows.send(self)
    }
}

impl Keys for PostgresStore<'_> {}

impl Runs for PostgresStore<'_> {}
impl Chunks for PostgresStore<'_> {}
impl ChunkInbox for PostgresStore<'_> {}
impl ChunksOfType for PostgresStore<'_> {}
impl NamedChunks for PostgresStore<'_> {}
impl TiedChunks for PostgresStore<'_> {}

impl Facets for PostgresStore<'_> {
    fn put_on(&mut self, created_seq: u64, rows: &[(&str, &str)]) -> Result<(), Fault> {
        self.of_a_chunk(chunk::PUT_ON, created_seq, rows)
    }

    fn take_off(&mut self, created_seq: u64, rows: &[(&str, &str)]) -> Result<(), Fault> {
        self.of_a_chunk(TAKE_OFF, created_seq, rows)
    }

    fn count_on(&mut self, changes: &[(&str, i64)]) -> Result<(), Fault> {
        let mut rows = Rows::new(chunk::COUNT);
        for (facet, change) in changes {
            rows.add(self, &[Cell::Text(facet), Cell::Int(*change)])?;
        }
        rows.send(self)
    }

    fn forget_empty(&mut self, facets: &[&str]) -> Result<(), Fault> {
        let mut rows = Rows::new(FORGET_EMPTY);
        for facet in facets {
            rows.add(self, &[Cell::Text(facet)])?;
        }
        rows.send(self)
    }
}

impl ChunkWords for PostgresStore<'_> {
    fn texts(&self) -> &'static chunk::Texts {
        &chunk::POSTGRES
    }
}

impl Sessions for PostgresStore<'_> {}
impl Definitions for PostgresStore<'_> {}

impl Store for PostgresStore<'_> {
    fn head(&mut self) -> Result<Head, Fault> {
        if let Extent::Part(head) = self.extent {
            return Ok(head);
        }
        let text = match self.access {
            Access::Read => HEAD,
            Access::Write => LOCKED_HEAD,
        };
        first(self, text, &[], |row| Ok(Head { seq: row.count(0)?, hash: row.hash(1)? }))?
            .ok_or_else(|| Fault::bug("the head of the log is missing"))
    }

    fn database_time(&mut self) -> Result<Option<Time>, Fault> {
        first(self, TIME, &[], |row| Ok(Time::from_millis(row.int(0)?)))
    }

    fn queue_front(&mut self, filter: &QueueFilter, limit: u64) -> Result<Vec<Candidate>, Fault> {
        let (tag, others) = filter.split_tags();
        let cells = [
            Cell::Text(tag),
            Cell::Text(filter.role.as_deref().unwrap_or_default()),
            Cell::Text(&filter.agent),
            Cell::Text(&others),
            Cell::count(limit),
        ];
        self.in_projects(&filter.projects, QUEUE_FRONT, &cells)
    }

    fn ran_out(&mut self, filter: &QueueFilter, now: Time) -> Result<Vec<Candidate>, Fault> {
        let tags = to_json(&filter.tags);
        let cells = [
            Cell::Text(filter.role.as_deref().unwrap_or_default()),
            Cell::Int(now.as_millis()),
            Cell::Text(&filter.agent),
            Cell::Text(&tags),
        ];
        self.in_projects(&filter.projects, RAN_OUT, &cells)
    }

    fn insert_events(&mut self, recorded: &[Recorded]) -> Result<(), Fault> {
        let mut rows = Rows::new(sql::INSERT_EVENT);
        for event in recorded {
            event.cells(|cells| rows.add(self, cells))?;
        }
        rows.send(self)
    }

    fn insert_tasks(&mut self, tasks: &[(&Task, &Details)]) -> Result<(), Fault> {
        let mut rows = Rows::new(sql::INSERT_TASK);
        for (task, _) in tasks {
            task_cells(task, |cells| rows.add(self, cells))?;
        }
        rows.send(self)?;
        let mut rows = Rows::new(sql::INSERT_DETAILS);
        for (task, details) in tasks {
            details.cells(task.created_seq, |cells| rows.add(self, cells))?;
        }
        rows.send(self)
    }

    fn add_tags(&mut self, tags: &[(&str, u64)]) -> Result<(), Fault> {
        let mut rows = Rows::new(sql::INSERT_TAG);
        for (tag, created_seq) in tags {
            rows.add(self, &[Cell::Text(tag), Cell::count(*created_seq)])?;
        }
        rows.send(self)
    }

    fn enqueue_all(&mut self, places: &[(&Task, &str)]) -> Result<(), Fault> {
        let mut rows = Rows::new(sql::ENQUEUE);
        for (task, tag) in places {
            queue_cells(tag, task, |cells| rows.add(self, cells))?;
        }
        rows.send(self)
    }

    fn add_edges(&mut self, edges: &[(TaskId, TaskId)]) -> Result<(), Fault> {
        let mut rows = Rows::new(sql::ADD_EDGE);
        for (task, on) in edges {
            rows.add(self, &[Cell::Bytes(&task.to_bytes()), Cell::Bytes(&on.to_bytes())])?;
        }
        rows.send(self)
    }

    fn add_numbered_activity(&mut self, activity: &[(u64, u64)]) -> Result<(), Fault> {
        let mut rows = Rows::new(sql::ADD_ACTIVITY);
        for (number, seq) in activity {
            rows.add(self, &[Cell::count(*number), Cell::count(*seq)])?;
        }
        rows.send(self)
    }

    fn add_words(&mut self, words: &[Words]) -> Result<(), Fault> {
        let mut rows = Rows::new(ADD_WORDS);
        for words in words {
            rows.add(self, &[Cell::count(words.created_seq), Cell::Text(&vector(words))])?;
        }
        rows.send(self)
    }

    fn replace_words(&mut self, words: &[Words]) -> Result<(), Fault> {
        for words in words {
            self.remove_words(words.created_seq)?;
        }
        self.add_words(words)
    }

    fn remove_words(&mut self, created_seq: u64) -> Result<(), Fault> {
        self.run(REMOVE_WORDS, &[Cell::count(created_seq)]).map(drop)
    }

    fn question(&self, asked: &[Asked], within: Within) -> String {
        let weights = match within {
            Within::Title => "A",
            Within::Text => "AB",
            Within::Everything => "ABC",
        };
        // No word contains a quote.
        let either = |asked: &Asked| {
            let word = |word: &String| format!("'{word}':*{weights}");
            format!("({})", asked.any.iter().map(word).collect::<Vec<_>>().join(" | "))
        };
        asked.iter().map(either).collect::<Vec<_>>().join(" & ")
    }

    fn index(&self) -> Index {
        INDEX
    }

    /// PostgreSQL checks its files itself when they are read.
    fn integrity(&mut self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }

    fn commit(&mut self, head: Head) -> Result<(), Fault> {
        if let Extent::Part(_) = self.extent {
            if self.open {
                self.client.batch_execute(RELEASE).map_err(fault)?;
                self.open = false;
            }
            return Ok(());
        }
        self.run(MOVE_HEAD, &[Cell::count(head.seq), Cell::Bytes(head.hash.as_bytes())])?;
        self.client.batch_execute(&format!("NOTIFY {CHANNEL}; COMMIT")).map_err(fault)?;
        self.open = false;
        Ok(())
    }
}

/// The words of a task and where they stand, as PostgreSQL writes them.
fn vector(words: &Words) -> String {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (place, set) in [("1A", &words.title), ("2B", &words.body), ("3C", &words.notes)] {
        for word in set {
            places.entry(word).or_default().push(place);
        }
    }
    let each = places.iter().map(|(word, places)| format!("'{word}':{}", places.join(",")));
    each.collect::<Vec<_>>().join(" ")
}

/// Rows for one INSERT, sent many at a time: a row of its own would be a round trip of its own.
struct Rows {
    /// The statement up to its values, the values of one row, and what follows them.
    parts: (&'static str, &'static str, &'static str),
    cells: Vec<Kept>,
    count: usize,
}

/// A value that waits to be sent.
enum Kept {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Rows {
    /// At most this many values in one statement; the protocol allows 65,535.
    const MOST: usize = 16_000;

    /// For a statement that ends in the values of one row.
    fn new(insert: &'static str) -> Self {
        let (before, row) = insert.split_once("VALUES ").unwrap_or((insert, ""));
        let end = row.find(')').map_or(row.len(), |end| end + 1);
        let (row, after) = row.split_at(end);
        Self { parts: (before, row, after), cells: Vec::new(), count: 0 }
    }

    fn add(&mut self, store: &mut PostgresStore<'_>, cells: &[Cell<'_>]) -> Result<(), Fault> {
        if self.cells.len() + cells.len() > Self::MOST {
            self.send(store)?;
        }
        self.count += 1;
        self.cells.extend(cells.iter().map(|cell| match *cell {
            Cell::Null => Kept::Null,
            Cell::Int(number) => Kept::Int(number),
            Cell::Text(text) => Kept::Text(text.to_owned()),
            Cell::Bytes(bytes) => Kept::Bytes(bytes.to_vec()),
        }));
        Ok(())
    }

    fn send(&mut self, store: &mut PostgresStore<'_>) -> Result<(), Fault> {
        let cells = std::mem::take(&mut self.cells);
        let count = std::mem::take(&mut self.count);
        let Some(width) = cells.len().checked_div(count) else {
            return Ok(());
        };
        let (before, row, after) = self.parts;
        let rows: Vec<String> = (0..count).map(|index| renumbered(row, index * width)).collect();
        let cells: Vec<Cell<'_>> = cells.iter().map(Kept::cell).collect();
        store.run(&format!("{before}VALUES {}{after}", rows.join(", ")), &cells).map(drop)
    }
}

impl Kept {
    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Null,
            Self::Int(number) => Cell::Int(*number),
            Self::Text(text) => Cell::Text(text),
            Self::Bytes(bytes) => Cell::Bytes(bytes),
        }
    }
}

/// The parameters of a row, counted on from `by`.
fn renumbered(row: &str, by: usize) -> String {
    let mut text = String::new();
    for (index, part) in row.split('$').enumerate() {
        if index == 0 {
            text.push_str(part);
            continue;
        }
        let digits = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        let number = number.parse::<usize>().unwrap_or_default() + by;
        let _infallible = write!(text, "${number}{rest}");
    }
    text
}

pub(crate) fn typed<'a>(cells: &'a [Cell<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    cells
        .iter()
        .map(|cell| {
            let kind = match cell {
                Cell::Null => Type::UNKNOWN,
                Cell::Int(_) => Type::INT8,
                Cell::Text(_) => Type::TEXT,
                Cell::Bytes(_) => Type::BYTEA,
            };
            (cell as &(dyn ToSql + Sync), kind)
        })
        .collect()
}

impl ToSql for Cell<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl Columns for Row {
    fn maybe_int(&self, column: usize) -> Result<Option<i64>, Fault> {
        self.try_get(column).map_err(unreadable)
    }

    fn maybe_text(&self, column: usize) -> Result<Option<String>, Fault> {
        self.try_get(column).map_err(unreadable)
    }

    fn maybe_bytes(&self, column: usize) -> Result<Option<Vec<u8>>, Fault> {
        self.try_get(column).map_err(unreadable)
    }
}
