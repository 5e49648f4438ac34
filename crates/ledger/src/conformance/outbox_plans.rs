//! Query plans of the outbox with 100,000 deliveries that wait for later and as many that are over:
//! what a drain asks for must not grow with them.

use super::Bed;
use super::plans::{rows_touched, steps_and_sorts};
use crate::cell::Cell;
use crate::{Location, hook};

const MANY: i64 = 100_000;
/// More instructions than a page of probes needs, fewer than a scan.
const STEPS: i32 = 6_000;
const ROWS: f64 = 200.0;
/// What is due is due before this.
const NOW: i64 = 1_000;
const LATER: i64 = 1_000_000;

/// The statements that fill the tables. Of all rows, 20 are due, 20 are held, 20 are too old.
fn rows(id: &str) -> String {
    let numbers = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {})",
        2 * MANY
    );
    let state = format!("CASE WHEN n > {MANY} THEN 'delivered' ELSE 'queued' END");
    let held = "n BETWEEN 21 AND 40";
    format!(
        "INSERT INTO deliveries (enqueued_seq, id, tail, version, hook, trigger_name, task_id, \
         state, attempts, max_attempts, enqueued_at, queued_at) {numbers} \
         SELECT n, {id}, n, 1, 'on_done', 'on_done', {id}, {state}, 0, 5, 0, 0 FROM numbers; \
         INSERT INTO outbox (delivery, hook, enqueued_seq, attempts, max_attempts, \
         next_attempt_at, expires_at, lock_token, worker, locked_at) {numbers} \
         SELECT {id}, 'on_done', n, 0, 5, CASE WHEN n <= 20 THEN n ELSE {LATER} + n END, \
         CASE WHEN n BETWEEN 41 AND 60 THEN 1 ELSE {LATER} + n END, \
         CASE WHEN {held} THEN {id} END, CASE WHEN {held} THEN 'w' END, \
         CASE WHEN {held} THEN 1 END FROM numbers WHERE n <= {MANY}"
    )
}

/// What a drain asks for, by name, with one hook known.
fn asked() -> Vec<(&'static str, String, Vec<Cell<'static>>)> {
    let lock: &[u8] = &[7; 16];
    let known = |text: &str, number: usize| text.replace('?', &format!("${number}"));
    let (now, name, limit) = (Cell::Int(NOW), Cell::Text("on_done"), Cell::Int(20));
    let plain = |text: &str| text.to_owned();
    vec![
        ("too old", plain(hook::OVERDUE), vec![now, limit]),
        ("taken back", plain(hook::RECLAIM), vec![now, now, Cell::Int(LATER)]),
        ("due", hook::claim_due(1), vec![Cell::Bytes(lock), Cell::Text("w"), now, name, limit]),
        ("due next", known(hook::DUE_NEXT, 1), vec![name]),
        ("too old next", plain(hook::EXPIRE_NEXT), vec![]),
        ("held longest", plain(hook::LOCKED_FROM_TO), vec![]),
        ("a page of a state", plain(hook::IN_STATE), vec![Cell::Text("delivered"), limit]),
    ]
}

#[test]
fn a_drain_takes_few_steps_on_sqlite() {
    let mut bed = Bed::sqlite();
    bed.project("api");
    let Location::Sqlite(path) = &bed.location else { panic!() };
    let raw = rusqlite::Connection::open(path).unwrap();
    raw.execute_batch(&rows("CAST(printf('%016d', n) AS BLOB)")).unwrap();
    let mut many = Vec::new();
    for (name, text, cells) in asked() {
        let (steps, _) = steps_and_sorts(&raw, &text, &cells);
        many.extend((steps >= STEPS).then_some((name, steps)));
    }
    assert_eq!(many, Vec::new());
}

#[test]
fn a_drain_touches_few_rows_on_postgres() {
    let Some(bed) = Bed::postgres() else { return };
    let Location::Postgres(url) = &bed.location else { panic!() };
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    client.batch_execute(&rows("decode(lpad(to_hex(n), 32, '0'), 'hex')")).unwrap();
    client.batch_execute("ANALYZE").unwrap();
    let mut many = Vec::new();
    for (name, text, cells) in asked() {
        let rows = rows_touched(&mut client, &text, &cells);
        many.extend((rows > ROWS).then_some((name, rows)));
    }
    assert_eq!(many, Vec::new());
}
