//! A ledger of one test, on SQLite or on PostgreSQL, reached only through the binary.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use serde_json::Value;
use windlass_testkit::postgres::{Database, Server, shared};
use windlass_testkit::{Home, Outcome, Run};

/// The template every PostgreSQL ledger of these tests is copied from.
const TEMPLATE: &str = "ledger";

/// A home with a ledger in it, and the ways to look at that ledger from outside.
#[derive(Debug)]
pub struct Ledger {
    pub home: Home,
    /// A path, or the URL of the database below.
    pub address: String,
    database: Option<Database>,
}

impl Ledger {
    /// A ledger in a file that does not exist yet.
    #[track_caller]
    pub fn on_sqlite() -> Self {
        let home = Home::new();
        let address = home.data().join("windlass/ledger.db").display().to_string();
        Self { home, address, database: None }
    }

    /// An empty ledger on the PostgreSQL of this run; nothing when there is none.
    #[track_caller]
    pub fn on_postgres() -> Option<Self> {
        shared().map(|server| Self::on(&server))
    }

    /// An empty ledger on that server.
    #[track_caller]
    pub fn on(server: &Server) -> Self {
        let home = Home::new();
        let migrate = |url: &str| {
            let _migrated = home.windlass(&["db", "migrate"]).db(url).run().ok();
        };
        let database = server.database_from(TEMPLATE, migrate);
        Self { home, address: database.url.clone(), database: Some(database) }
    }

    /// The database, of a ledger on PostgreSQL.
    pub fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// A run of the binary on this ledger.
    ///
    /// It does not wait for the disk: who cares for power loss runs [`Home::windlass`].
    #[track_caller]
    pub fn windlass(&self, args: &[&str]) -> Run {
        let run = self.home.windlass(args).db(&self.address);
        run.env("WINDLASS_DATABASE_SYNCHRONOUS", "normal")
    }

    /// The answer of a command that must succeed.
    #[track_caller]
    pub fn answer(&self, args: &[&str]) -> Value {
        self.windlass(args).run().ok().json()
    }

    /// Adds a task with these further arguments, and gives its id.
    #[track_caller]
    pub fn add(&self, args: &[&str]) -> String {
        let added = self.answer(&[&["task", "add", "a task"], args].concat());
        text(&added["task_id"])
    }

    /// How many events there are.
    #[track_caller]
    pub fn events(&self) -> u64 {
        self.answer(&["audit", "head"])["seq"].as_u64().unwrap()
    }

    /// The status of a task.
    #[track_caller]
    pub fn status(&self, task: &str) -> String {
        text(&self.answer(&["task", "show", task, "--view", "summary"])["task"]["status"])
    }

    /// The events after that one.
    #[track_caller]
    pub fn events_after(&self, seq: u64) -> Vec<Value> {
        let log = self.windlass(&["events", "--from", &seq.to_string()]).run().ok();
        let events = log.stdout.lines().map(serde_json::from_str);
        events.collect::<Result<_, _>>().unwrap()
    }

    /// The newest event of a task.
    #[track_caller]
    pub fn newest_event(&self, task: &str) -> Value {
        self.answer(&["task", "history", task, "--limit", "1"])["events"][0].clone()
    }
}

/// The body of an error, once everything that holds for every error is known to hold for this one:
/// exactly these keys, a hint, nothing on standard error.
#[track_caller]
#[must_use]
pub fn error_of(outcome: &Outcome, code: &str, exit: i32) -> Value {
    let document = outcome.refused(code, exit);
    assert_eq!(keys(&document), ["error", "ok", "schema_version"], "{outcome}");
    assert_eq!(document["ok"], false, "{outcome}");
    let error = &document["error"];
    let expected = ["code", "details", "hint", "message", "suggestions"];
    assert_eq!(keys(error), expected, "{outcome}");
    for said in ["message", "hint"] {
        let is_said = error[said].as_str().is_some_and(|text| !text.trim().is_empty());
        assert!(is_said, "no {said}\n{outcome}");
    }
    assert!(error["details"].is_object(), "{outcome}");
    assert!(error["suggestions"].is_array(), "{outcome}");
    assert_eq!(outcome.stderr, "", "{outcome}");
    error.clone()
}

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let keys = value.as_object().into_iter().flat_map(|object| object.keys());
    let mut keys: Vec<&str> = keys.map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The rows of a table that is written as text: a line of headings, a line of dashes, then a line a
/// row, its cells parted by `|`.
#[track_caller]
pub fn rows<const COLUMNS: usize>(
    table: &'static str,
) -> impl Iterator<Item = [&'static str; COLUMNS]> {
    table.trim().lines().skip(2).map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        cells.try_into().unwrap()
    })
}

/// A JSON string as it is, anything else as JSON.
pub fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
