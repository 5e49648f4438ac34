//! How many transitions a server records in a second for many clients, beside bare inserts of the
//! same rows for as many clients, which share their commits in the same way.
//!
//! Clients and server share the machine, over HTTP; the inserts need no second process.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::types::Value as Cell;
use rusqlite::{Connection, params_from_iter};
use serde_json::{Value, json};
use windlass_ledger::{Ledger, Location, Options};

use crate::Failure;
use crate::databases::Databases;
use crate::programs::Place;
use crate::report::{Judged, Row, quotient, seconds};
use crate::scale::Scale;
use crate::seed::{Content, fill};
use crate::story::Story;

/// Percent of the rate of bare inserts.
const LEAST: f64 = 50.0;
/// Claimed, a checkpoint saved, completed.
const TRANSITIONS: usize = 3;

pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let path = place.file("served");
    let filled = fill(Location::Sqlite(path.clone()), Content::of(Story::Ready, scale.served))?;
    let before = head(&filled.location)?;
    let (time, batch) = work(place, &filled.location, scale)?;
    let bare = bare_inserts(&path, &place.file("bare"), before, scale.clients)?;
    Ok(vec![row("SQLite", scale, time, &batch, Some(bare))])
}

pub fn on_postgres(
    place: &Place,
    databases: &Databases,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    let database = databases.make()?;
    let location = Location::Postgres(database.url().to_owned());
    Ledger::migrate(&location, Options::default())?;
    let scale = &Scale { served: scale.served / 4, ..*scale };
    let filled = fill(location, Content::of(Story::Ready, scale.served))?;
    let (time, batch) = work(place, &filled.location, scale)?;
    Ok(vec![row("PostgreSQL", scale, time, &batch, None)])
}

fn row(
    database: &str,
    scale: &Scale,
    time: Duration,
    batch: &str,
    bare: Option<(Duration, f64)>,
) -> Row {
    let (clients, served) = (scale.clients, rate(scale.served, time));
    let (beside, judged) = match bare {
        Some((time, shared)) => {
            let inserted = rate(scale.served, time);
            let told = format!("{}, {inserted:.0} a second, {shared:.0} a commit", seconds(time));
            let judged = Judged::at_least(100.0 * served / inserted, " %", LEAST);
            (format!("bare inserts for as many clients: {told}"), judged)
        }
        None => ("told alone".to_owned(), Judged::told(served, " a second")),
    };
    Row::new(
        format!("transitions through one server, {clients} clients, {database}"),
        format!("{}, {served:.0} a second, {batch}", seconds(time)),
        beside,
        judged,
    )
}

fn rate(tasks: usize, time: Duration) -> f64 {
    quotient((tasks * TRANSITIONS) as u64, 1) / time.as_secs_f64()
}

fn head(location: &Location) -> Result<u64, Failure> {
    let mut ledger = Ledger::open(location, Options::default())?;
    Ok(ledger.read(|snapshot| Ok(snapshot.head()?.seq))?)
}

/// Lets all clients work until the queue is empty.
fn work(place: &Place, location: &Location, scale: &Scale) -> Result<(Duration, String), Failure> {
    let served = place.serve(location);
    let (address, token) = (served.address(), served.token());
    let start = Barrier::new(scale.clients + 1);
    let time = thread::scope(|scope| {
        let clients: Vec<_> = (0..scale.clients)
            .map(|number| {
                let (start, token) = (&start, token.as_str());
                scope.spawn(move || Client::connect(address, token, number)?.work(start))
            })
            .collect();
        start.wait();
        let began = Instant::now();
        let mut done = 0;
        for client in clients {
            done += client.join().map_err(|_| "a client ended early")??;
        }
        let time = began.elapsed();
        match done == scale.served {
            true => Ok(time),
            false => Err(Failure::from(format!("{done} of {} tasks were done", scale.served))),
        }
    })?;
    Ok((time, batches(&served.get("/metrics").text())))
}

/// How many commands shared a commit on average, by the server's own count.
fn batches(metrics: &str) -> String {
    let value = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse::<f64>().ok())
    };
    match (value("windlass_commit_commands_sum "), value("windlass_commit_commands_count ")) {
        (Some(sum), Some(count)) if count > 0.0 => {
            format!("{:.0} commands a commit", sum / count)
        }
        _ => "batches not told".to_owned(),
    }
}

/// One connection, kept open.
struct Client<'a> {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    token: &'a str,
    agent: String,
}

impl<'a> Client<'a> {
    fn connect(address: SocketAddr, token: &'a str, number: usize) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let agent = format!("client-{number}");
        Ok(Self { stream: BufReader::new(stream), address, token, agent })
    }

    /// Claims, saves a checkpoint and completes, until nothing is left; says how many.
    fn work(&mut self, start: &Barrier) -> Result<usize, Failure> {
        start.wait();
        let agent = self.agent.clone();
        let mut done = 0;
        loop {
            let claimed = self.op("task.claim", &json!({ "next": true, "agent": agent }))?;
            let Some(task) = claimed.pointer("/task/task_id").and_then(Value::as_str) else {
                return Ok(done);
            };
            let fence = claimed.pointer("/task/fence");
            let saved = json!({ "task": task, "name": "half", "agent": agent, "fence": fence });
            self.op("task.checkpoint", &saved)?;
            let finished = json!({ "task": task, "agent": agent, "fence": fence });
            self.op("task.complete", &finished)?;
            done += 1;
        }
    }

    fn op(&mut self, name: &str, arguments: &Value) -> Result<Value, Failure> {
        let body = arguments.to_string();
        let request = format!(
            "POST /v1/ops/{name} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut line) = (0, String::new());
        let mut status = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            match line.trim_end() {
                "" => break,
                head if status.is_empty() => head.clone_into(&mut status),
                header => {
                    if let Some(value) = header.strip_prefix("content-length: ") {
                        length = value.parse()?;
                    }
                }
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        match status.split_whitespace().nth(1) {
            Some("200") => Ok(serde_json::from_slice(&body)?),
            _ => Err(format!("{name}: {status}: {}", String::from_utf8_lossy(&body)).into()),
        }
    }
}

/// The time to insert the rows that the transitions wrote into an empty file of the same schema: as
/// many clients hand in the rows of one transition each and wait until they are durable, and one
/// thread inserts all that wait with prepared statements and shares the commit.
fn bare_inserts(
    ledger: &Path,
    empty: &Path,
    before: u64,
    clients: usize,
) -> Result<(Duration, f64), Failure> {
    let from = Connection::open(ledger)?;
    let into = Connection::open(empty)?;
    into.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")?;
    let named: Vec<String> = WRITTEN.iter().map(|written| format!("'{}'", written.table)).collect();
    let schema = format!(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index') \
         AND tbl_name IN ({}) ORDER BY rowid",
        named.join(", ")
    );
    for text in rows(&from, &schema, 0)? {
        if let Some(Cell::Text(text)) = text.first() {
            into.execute_batch(text)?;
        }
    }
    let mut transitions: BTreeMap<i64, Bundle> = BTreeMap::new();
    for written in &WRITTEN {
        for (seq, row) in written.rows(&from, before)? {
            let insert = written.insert(row.len());
            transitions.entry(seq).or_default().push((insert, row));
        }
    }
    let mut shares: Vec<Vec<Bundle>> = (0..clients).map(|_| Vec::new()).collect();
    for (number, (_, bundle)) in transitions.into_iter().enumerate() {
        if let Some(share) = shares.get_mut(number % clients) {
            share.push(bundle);
        }
    }
    let (hand_in, waiting) = mpsc::channel::<(Bundle, mpsc::SyncSender<()>)>();
    let start = Barrier::new(clients + 1);
    thread::scope(|scope| {
        for share in shares {
            let (start, hand_in) = (&start, hand_in.clone());
            scope.spawn(move || {
                start.wait();
                for bundle in share {
                    let (durable, done) = mpsc::sync_channel(1);
                    if hand_in.send((bundle, durable)).is_err() || done.recv().is_err() {
                        return;
                    }
                }
            });
        }
        drop(hand_in);
        start.wait();
        let began = Instant::now();
        let batch = commit_what_waits(&into, &waiting)?;
        Ok((began.elapsed(), batch))
    })
}

/// The rows of one transition, each with its statement.
type Bundle = Vec<(String, Vec<Cell>)>;

/// Inserts until nobody hands in any more; says how many transitions shared a commit on average.
fn commit_what_waits(
    into: &Connection,
    waiting: &mpsc::Receiver<(Bundle, mpsc::SyncSender<()>)>,
) -> Result<f64, Failure> {
    let (mut commits, mut transitions) = (0, 0);
    while let Ok(first) = waiting.recv() {
        into.execute_batch("BEGIN IMMEDIATE")?;
        let mut answers = Vec::new();
        for (bundle, durable) in std::iter::once(first).chain(waiting.try_iter()) {
            for (insert, row) in &bundle {
                into.prepare_cached(insert)?.execute(params_from_iter(row))?;
            }
            answers.push(durable);
        }
        into.execute_batch("COMMIT")?;
        commits += 1;
        transitions += answers.len() as u64;
        for durable in answers {
            // Whoever waits is there.
            let _heard = durable.send(());
        }
    }
    Ok(quotient(transitions, commits))
}

/// Rows of a table that transitions write, and which of them.
struct Written {
    table: &'static str,
    select: &'static str,
}

/// Every transition writes its event, the row of its task and who did it; a claim and a completion
/// write the counters of the project, a checkpoint the details and the words of the task. (A claim
/// also takes a row out of the queue.)
const WRITTEN: [Written; 6] = [
    Written { table: "events", select: "SELECT seq, * FROM events WHERE seq > ?1" },
    Written {
        table: "tasks",
        select: "SELECT events.seq, tasks.* FROM events JOIN tasks ON tasks.id = events.stream \
             WHERE events.seq > ?1",
    },
    Written { table: "activity", select: "SELECT seq, * FROM activity WHERE seq > ?1" },
    Written {
        table: "projects",
        select: "SELECT events.seq, projects.* FROM events \
             JOIN tasks ON tasks.id = events.stream JOIN projects ON projects.id = tasks.project_id \
             WHERE events.seq > ?1 AND events.kind <> 'checkpoint_recorded'",
    },
    Written {
        table: "task_details",
        select: "SELECT events.seq, task_details.* FROM events \
             JOIN tasks ON tasks.id = events.stream \
             JOIN task_details ON task_details.created_seq = tasks.created_seq \
             WHERE events.seq > ?1 AND events.kind = 'checkpoint_recorded'",
    },
    Written {
        table: "search",
        select: "SELECT events.seq, tasks.created_seq, tasks.title, '', 'half' FROM events \
             JOIN tasks ON tasks.id = events.stream \
             WHERE events.seq > ?1 AND events.kind = 'checkpoint_recorded'",
    },
];

impl Written {
    /// The rows, each with the event that wrote it.
    fn rows(&self, from: &Connection, before: u64) -> Result<Vec<(i64, Vec<Cell>)>, Failure> {
        let mut numbered = Vec::new();
        for mut row in rows(from, self.select, before)? {
            match row.remove(0) {
                Cell::Integer(seq) => numbered.push((seq, row)),
                other => return Err(format!("an event has the number {other:?}").into()),
            }
        }
        Ok(numbered)
    }

    /// A row takes the place of the one before, as it does in a transition.
    fn insert(&self, columns: usize) -> String {
        match self.table {
            "search" => SEARCH.to_owned(),
            table => {
                let places = vec!["?"; columns].join(", ");
                format!("INSERT OR REPLACE INTO {table} VALUES ({places})")
            }
        }
    }
}

const SEARCH: &str =
    "INSERT OR REPLACE INTO search (rowid, title, body, notes) VALUES (?, ?, ?, ?)";

fn rows(from: &Connection, text: &str, after: u64) -> Result<Vec<Vec<Cell>>, Failure> {
    let mut statement = from.prepare(text)?;
    let columns = statement.column_count();
    let bound: Vec<i64> = match statement.parameter_count() {
        0 => Vec::new(),
        _ => vec![i64::try_from(after)?],
    };
    let found = statement.query_map(params_from_iter(bound), |row| {
        (0..columns).map(|column| row.get(column)).collect::<Result<Vec<Cell>, _>>()
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}
