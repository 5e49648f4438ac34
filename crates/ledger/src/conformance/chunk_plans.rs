//! Query plans of chunks, sessions and definitions with tens of thousands of others around them:
//! what is asked for must not grow with them, and is never sorted.

use windlass_domain::chunk::condition::Conditions;
use windlass_domain::chunk::{ChunkType, Field, OwnedBy, Owner};
use windlass_domain::duration::Span;
use windlass_domain::inject::Injection;
use windlass_domain::session::event::SessionStarted;
use windlass_domain::{ProjectId, Time};

use super::Bed;
use super::chunk_scene::{
    author, define, happen, linked, linked_task, project, report, slug, write, written,
};
use super::plans::{bytes_on_postgres, bytes_on_sqlite, rows_touched, steps_and_sorts};
use crate::cell::{Cell, Columns};
use crate::definition::Definitions;
use crate::known::Known;
use crate::store::{Statements, Store};
use crate::{
    ChunkFilter, ChunkOrder, ChunkPlace, ChunkState, Clock as _, Direction, Fault, Location, Range,
    chunk, definition, session,
};

const MANY: i64 = 50_000;
/// More instructions than a page of probes needs, fewer than a scan.
const STEPS: i32 = 6_000;
const ROWS: f64 = 60.0;
const LIMIT: u64 = 20;
/// The place of the first copy.
const COPIES: i64 = 1_000_000;
const KEY: [u8; 16] = *b"0000000000025000";
const NEXT: [u8; 16] = *b"0000000000025009";
const TAIL: i64 = MANY / 2;

/// A type with one field, so that there are few facets to copy.
fn slim() -> ChunkType {
    let fields = vec![Field::one_of("status", &["new", "done"]).always("new")];
    ChunkType { slug: slug("slim"), fields, ..report() }
}

/// One chunk to be copied, and few others that differ from it: one is done, one has a tag that no
/// other has, one points to a task, one is expired, one is superseded.
fn few(bed: &mut Bed) -> u64 {
    define(bed, &slim());
    let here = Owner::Project(project(1));
    let mut common = written("slim", here.clone(), "common");
    common.tags = vec!["common".into()];
    common.by = author(Some(windlass_domain::SessionId::from_bytes([5; 16])));
    let copied = write(bed, &common).created_seq;
    common.by = author(None);
    let mut other =
        |key: &str, change: &dyn Fn(&mut windlass_domain::chunk::event::ChunkWritten)| {
            let mut event = common.clone();
            event.query_key = key.to_owned().try_into().unwrap();
            change(&mut event);
            write(bed, &event)
        };
    other("done", &|event| drop(event.fields.insert("status".into(), "done".into())));
    other("tagged", &|event| event.tags.push("rare".into()));
    let points = other("points", &|_| ()).id;
    let past = Time::from_millis(1);
    other("over", &|event| event.expires_at = Some(past));
    happen(bed, points, linked(linked_task()));
    let data = SessionStarted {
        agent: "me".into(),
        agent_type: None,
        lifecycle: slug("dev"),
        project: None,
        run: None,
        max_tokens: None,
        ttl: Span::from_millis(1),
        expires_at: Time::from_millis(7),
        required_steps: Vec::new(),
        consolidation_threshold: 3,
        injection: Injection::default(),
    };
    bed.write(|tx| {
        let id = tx.new_session_id()?;
        tx.begin_session(id, data.clone())
    })
    .unwrap();
    copied
}

/// Copies the chunk with its facets, the session and the definition, row by row.
fn copies(copied: u64, bytes: impl Fn(&str) -> String) -> String {
    let id = bytes("n");
    let numbers = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY})"
    );
    format!(
        "INSERT INTO chunks (created_seq, id, events, owner, chunk_type, query_key, session_id, \
             created_at, updated_at, expires_at, tail, task_id, superseded_by, is_flagged, touched_at, state) {numbers} \
         SELECT {COPIES} + n, {id}, events, owner, chunk_type, query_key || n, \
             CASE WHEN n % 5000 = 0 THEN session_id END, created_at + n, updated_at + n, \
             expires_at, n, task_id, CASE WHEN n % 5000 = 0 THEN {id} END, is_flagged, \
             touched_at + n, state \
             FROM numbers, chunks WHERE created_seq = {copied}; \
         INSERT INTO chunk_facets (facet, rank, created_seq) {numbers} \
         SELECT facet, rank, {COPIES} + n FROM numbers, chunk_facets WHERE created_seq = {copied}; \
         UPDATE facet_counts SET chunks = chunks + {MANY} - 1 \
         WHERE facet IN (SELECT facet FROM chunk_facets WHERE created_seq = {copied}); \
         INSERT INTO chunk_links (to_end, created_seq) {numbers} \
         SELECT 'task:' || n, {COPIES} + n FROM numbers; \
         INSERT INTO facet_counts (facet, chunks) {numbers} SELECT 'other ' || n, n FROM numbers; \
         INSERT INTO sessions (created_seq, id, tail, agent, run_id, status, expires_at, state) {numbers} \
         SELECT {COPIES} + n, {id}, n, CASE WHEN n % 1000 = 0 THEN 'rare' ELSE agent END, \
             CASE WHEN n % 1000 = 0 THEN id END, \
             CASE WHEN n % 1000 = 0 THEN 'expired' WHEN n % 2 = 0 THEN 'ended' ELSE status END, \
             expires_at + n, state FROM numbers, sessions; \
         INSERT INTO definitions (created_seq, id, events, kind, name, definition) {numbers} \
         SELECT {COPIES} + n, {id}, events, 'agent', name || n, definition FROM numbers, definitions"
    )
}

fn all() -> ChunkFilter {
    ChunkFilter {
        owned_by: vec![OwnedBy::Org, OwnedBy::AnyProject, OwnedBy::AnyAgent],
        limit: LIMIT,
        ..ChunkFilter::default()
    }
}

/// Lists by name, each of few or of many chunks, from the front and from the middle.
fn lists(now: Time) -> Vec<(&'static str, ChunkFilter)> {
    let of_type = ChunkFilter { chunk_type: Some(slug("slim")), ..all() };
    let with =
        |status: &str| ChunkFilter { fields: Conditions::is("status", status), ..of_type.clone() };
    let by_status = ChunkOrder::Field("status".into());
    let late = Range { from: Some(Time::from_millis(now.as_millis() + MANY - 9)), before: None };
    let of = |id: ProjectId| ChunkFilter { owned_by: vec![OwnedBy::Project(id)], ..all() };
    let tagged = |tag: &str| ChunkFilter { tags: vec![tag.to_owned()], ..all() };
    let mut lists = vec![
        ("all", all()),
        ("all that were ever", ChunkFilter { state: ChunkState::All, ..all() }),
        ("of a type", of_type.clone()),
        ("of a project", of(project(1))),
        ("of a project without", of(project(2))),
        ("many with a status", with("new")),
        ("few with a status", with("done")),
        ("by status", ChunkFilter { order: by_status.clone(), ..of_type.clone() }),
        ("many with a status by status", ChunkFilter { order: by_status.clone(), ..with("new") }),
        ("by time of update", ChunkFilter { order: ChunkOrder::Updated, ..all() }),
        ("few with a status by update", ChunkFilter { order: ChunkOrder::Updated, ..with("done") }),
        ("many with a status by update", ChunkFilter { order: ChunkOrder::Updated, ..with("new") }),
        ("tagged as many", tagged("common")),
        ("tagged as few", tagged("rare")),
        ("with a status and a rare tag", ChunkFilter { tags: vec!["rare".into()], ..with("new") }),
        ("pointing to a task", ChunkFilter { linked_to: Some(linked_task()), ..with("new") }),
        ("with a rare key", ChunkFilter { key_prefix: Some("tagg".into()), ..with("new") }),
        ("written lately", ChunkFilter { created: late, ..with("new") }),
        ("changed lately", ChunkFilter { updated: late, ..of_type }),
        ("superseded", ChunkFilter { state: ChunkState::Superseded, ..all() }),
    ];
    let backwards: Vec<_> = lists
        .iter()
        .map(|(name, filter)| {
            let after = ChunkPlace { rank: "~~".into(), created_seq: 1_025_000 };
            let after = match filter.order {
                ChunkOrder::Created => ChunkPlace { rank: String::new(), ..after },
                ChunkOrder::Updated | ChunkOrder::Field(_) => after,
            };
            let direction = Direction::Descending;
            (*name, ChunkFilter { direction, after: Some(after), ..filter.clone() })
        })
        .collect();
    lists.extend(backwards);
    lists
}

/// A statement, with its values.
type Said = (String, Vec<Value>);

#[derive(Clone)]
enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    fn of(cell: &Cell<'_>) -> Self {
        match *cell {
            Cell::Null => Self::Null,
            Cell::Int(number) => Self::Int(number),
            Cell::Text(text) => Self::Text(text.to_owned()),
            Cell::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Null,
            Self::Int(number) => Cell::Int(*number),
            Self::Text(text) => Cell::Text(text),
            Self::Bytes(bytes) => Cell::Bytes(bytes),
        }
    }
}

/// A store that remembers what it was asked.
struct Overheard<'a> {
    store: &'a mut dyn Store,
    said: Vec<Said>,
}

impl Statements for Overheard<'_> {
    fn run(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, Fault> {
        self.store.run(sql, cells)
    }

    fn query(
        &mut self,
        sql: &str,
        cells: &[Cell<'_>],
        each: &mut dyn FnMut(&dyn Columns) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.said.push((sql.to_owned(), cells.iter().map(Value::of).collect()));
        self.store.query(sql, cells, each)
    }

    fn known(&mut self) -> &mut Known {
        self.store.known()
    }
}

impl Definitions for Overheard<'_> {}

/// Everything that is asked of the database, by the name of the question.
fn asked(bed: &mut Bed) -> Vec<(String, Said)> {
    let now = bed.clock.now();
    let mut asked = Vec::new();
    for (name, filter) in lists(now) {
        let said = bed
            .ledger
            .read(|snapshot| {
                let mut overheard = Overheard { store: snapshot.store, said: Vec::new() };
                chunk::page(&mut overheard, &filter, now, crate::store::DEPTH_CAP)?;
                Ok(overheard.said)
            })
            .unwrap();
        asked.extend(said.into_iter().map(|said| (format!("list {name}"), said)));
    }
    let session = Cell::Bytes(&[5; 16]);
    let (late, tail, limit) = (Cell::Int(i64::MAX), Cell::Int(TAIL), Cell::Int(20));
    let owner = Owner::Project(project(1)).to_string();
    let owner = Cell::Text(&owner);
    let (slim, text) = (Cell::Text("slim"), Cell::Text);
    let end = linked_task().to_string();
    let states = bed.ledger.read(|snapshot| Ok(snapshot.store.texts().states)).unwrap();
    let fixed: Vec<(&str, &str, Vec<Cell<'_>>)> = vec![
        ("a chunk", chunk::CHUNK, vec![Cell::Bytes(&KEY)]),
        ("a chunk by key", chunk::CHUNK_WITH_KEY, vec![owner, slim, text("common7")]),
        ("chunks called", chunk::CHUNKS_CALLED, vec![text("common7")]),
        ("chunks by their places in the log", states, vec![text("[[1],[2],[3]]")]),
        ("chunks of a session", chunk::CHUNKS_OF_SESSION, vec![session]),
        ("how many chunks of a session", chunk::COUNT_OF_SESSION, vec![session]),
        ("chunks superseded", chunk::CHUNKS_SUPERSEDED_BY, vec![Cell::Bytes(&KEY)]),
        ("chunks linked to", chunk::CHUNKS_LINKED_TO, vec![text(&end), limit]),
        ("a session", session::SESSION, vec![Cell::Bytes(&KEY)]),
        (
            "sessions by the beginning of an id",
            session::SESSIONS_WITH_PREFIX,
            vec![Cell::Bytes(&KEY), Cell::Bytes(&NEXT), limit],
        ),
        (
            "sessions by its end",
            session::SESSIONS_WITH_SUFFIX,
            vec![tail, Cell::Int(TAIL + 9), limit],
        ),
        ("sessions", session::SESSIONS, vec![late, limit]),
        ("sessions of a run", session::SESSIONS_OF_RUN, vec![Cell::Bytes(&KEY), late, limit]),
        ("sessions of an agent", session::SESSIONS_OF_AGENT, vec![text("rare"), late, limit]),
        ("open sessions of an agent", session::SESSIONS_OPEN, vec![text("rare"), late, limit]),
        ("sessions with a status", session::SESSIONS_WITH, vec![text("expired"), late, limit]),
        ("sessions overdue", session::SESSIONS_OVERDUE, vec![late, limit]),
        ("the next session to run out", session::SESSION_EXPIRY_NEXT, vec![]),
        ("a definition", definition::DEFINITION, vec![Cell::Bytes(&KEY)]),
        ("a definition by name", definition::DEFINITION_NAMED, vec![text("chunk_type"), slim]),
        ("definitions", definition::DEFINITIONS, vec![text("chunk_type")]),
    ];
    let said = fixed.into_iter().map(|(name, sql, cells)| {
        (name.to_owned(), (sql.to_owned(), cells.iter().map(Value::of).collect()))
    });
    asked.extend(said);
    asked
}

#[test]
fn c25_chunks_are_found_in_few_steps_on_sqlite() {
    let mut bed = Bed::sqlite();
    let copied = few(&mut bed);
    let Location::Sqlite(path) = &bed.location else { panic!() };
    let raw = rusqlite::Connection::open(path).unwrap();
    raw.execute_batch(&copies(copied, bytes_on_sqlite)).unwrap();
    let mut many = Vec::new();
    for (name, (text, values)) in asked(&mut bed) {
        let cells: Vec<Cell<'_>> = values.iter().map(Value::cell).collect();
        let (steps, sorts) = steps_and_sorts(&raw, &text, &cells);
        many.extend((steps >= STEPS || sorts > 0).then_some((name, text, steps, sorts)));
    }
    assert_eq!(many, Vec::new());
}

#[test]
fn c25_chunks_touch_few_rows_on_postgres() {
    let Some(mut bed) = Bed::postgres() else { return };
    let copied = few(&mut bed);
    let Location::Postgres(url) = &bed.location else { panic!() };
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    client.batch_execute(&copies(copied, bytes_on_postgres)).unwrap();
    client.batch_execute("ANALYZE").unwrap();
    let mut many = Vec::new();
    for (name, (text, values)) in asked(&mut bed) {
        let cells: Vec<Cell<'_>> = values.iter().map(Value::cell).collect();
        let rows = rows_touched(&mut client, &text, &cells);
        many.extend((rows > ROWS).then_some((name, text, rows)));
    }
    assert_eq!(many, Vec::new());
}
