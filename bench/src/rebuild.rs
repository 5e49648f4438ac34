//! How fast the views are rebuilt from the log, beside bare inserts of the very same rows.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use windlass_ledger::{Ledger, Location, Options};

use crate::Failure;
use crate::programs::Place;
use crate::report::{Judged, Row, seconds};
use crate::scale::Scale;
use crate::seed::{Content, fill};
use crate::stopwatch::Samples;
use crate::story::Story;

/// Percent of the rate of bare inserts.
const LEAST: f64 = 30.0;
/// How often both are timed, in turns.
const ROUNDS: usize = 3;
/// What is not a view: the log and the working rows.
const NOT_VIEWS: &str = "'events', 'migrations', 'effects'";
/// The tables in which FTS5 keeps its index; it fills them itself.
const BEHIND_THE_INDEX: &str = "'search_data', 'search_idx', 'search_docsize', 'search_config'";
/// The words of each task, as they were put into the index.
const INDEXED: &str = "SELECT doc, group_concat(term, ' ') FILTER (WHERE col = 'title'), \
     group_concat(term, ' ') FILTER (WHERE col = 'body'), \
     group_concat(term, ' ') FILTER (WHERE col = 'notes') FROM search_words GROUP BY doc";
const INDEX: &str = "INSERT INTO search (rowid, title, body, notes) VALUES (?, ?, ?, ?)";

/// Rebuilds tasks with one event each, for which the bound is set, and tasks with many events.
pub fn measure(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let lives = scale.rebuilt.div_ceil(10);
    let mixed = compare(place, "mixed", Content::of(Story::Mixed, scale.rebuilt))?;
    let mut life = compare(place, "life", Content::of(Story::Life, lives))?;
    life.judged.bound = None;
    Ok(vec![mixed, life])
}

fn compare(place: &Place, name: &str, content: Content) -> Result<Row, Failure> {
    let path = place.file(name);
    let filled = fill(Location::Sqlite(path.clone()), content)?;
    let (mut bare, mut replayed) = (Vec::new(), Vec::new());
    let mut events = 0;
    for round in 0..ROUNDS {
        let empty = place.file(&format!("{name}-{round}"));
        bare.push(bare_inserts(&path, &empty)?);
        let mut ledger = Ledger::open(&filled.location, Options::default())?;
        let start = Instant::now();
        let rebuilt = ledger.rebuild()?;
        replayed.push(start.elapsed());
        events = rebuilt.events;
        if !rebuilt.differences.is_empty() {
            return Err(format!("the rebuilt views differ: {:?}", rebuilt.differences).into());
        }
    }
    let (bare, replayed) = (Samples::from(bare).median(), Samples::from(replayed).median());
    let percent = 100.0 * bare.as_secs_f64() / replayed.as_secs_f64();
    Ok(Row::new(
        format!("rebuild of {} tasks from {events} events", content.tasks),
        seconds(replayed),
        format!("bare inserts {}", seconds(bare)),
        Judged::at_least(percent, " %", LEAST),
    ))
}

/// The time to insert all rows of the views into an empty file of the same schema, with prepared
/// statements, in one transaction.
fn bare_inserts(ledger: &Path, empty: &Path) -> Result<Duration, Failure> {
    let from = Connection::open(ledger)?;
    let into = Connection::open(empty)?;
    into.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")?;
    let tables = views(&from)?;
    copy_schema(&from, &into)?;
    let mut rows: Vec<Table> =
        tables.iter().map(|name| Table::read(&from, name)).collect::<Result<_, _>>()?;
    rows.push(Table { rows: all_rows(&from, INDEXED)?, insert: INDEX.to_owned() });
    let start = Instant::now();
    into.execute_batch("BEGIN IMMEDIATE")?;
    for table in &rows {
        table.insert(&into)?;
    }
    into.execute_batch("COMMIT")?;
    Ok(start.elapsed())
}

fn views(from: &Connection) -> rusqlite::Result<Vec<String>> {
    let text = format!(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ({NOT_VIEWS}) \
         AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search%' ORDER BY rowid"
    );
    from.prepare(&text)?.query_map([], |row| row.get(0))?.collect()
}

fn copy_schema(from: &Connection, into: &Connection) -> rusqlite::Result<()> {
    let text = format!(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL \
         AND tbl_name NOT IN ({NOT_VIEWS}, {BEHIND_THE_INDEX}) ORDER BY rowid"
    );
    let mut statement = from.prepare(&text)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        into.execute_batch(&row.get::<_, String>(0)?)?;
    }
    Ok(())
}

fn all_rows(from: &Connection, text: &str) -> rusqlite::Result<Vec<Vec<Value>>> {
    let mut statement = from.prepare(text)?;
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|index| row.get(index)).collect())?;
    rows.collect()
}

struct Table {
    insert: String,
    rows: Vec<Vec<Value>>,
}

impl Table {
    fn read(from: &Connection, name: &str) -> rusqlite::Result<Self> {
        let text = format!("SELECT * FROM {name}");
        let values = vec!["?"; from.prepare(&text)?.column_count()].join(", ");
        let rows = all_rows(from, &text)?;
        Ok(Self { insert: format!("INSERT INTO {name} VALUES ({values})"), rows })
    }

    fn insert(&self, into: &Connection) -> rusqlite::Result<()> {
        let mut statement = into.prepare(&self.insert)?;
        for row in &self.rows {
            statement.execute(params_from_iter(row))?;
        }
        Ok(())
    }
}
