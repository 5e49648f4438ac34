//! Query plans of what is asked of chunks one by one, with 100,000 others around them: it must not
//! grow with them, and is never sorted.

use windlass_domain::chunk::Owner;

use super::Bed;
use super::chunk_scene::{write, written};
use super::plans::{Query, bytes_on_postgres, bytes_on_sqlite, slow_on_sqlite, wide_on_postgres};
use crate::cell::Cell;
use crate::chunk;

const MANY: i64 = 100_000;
/// More instructions than a page of probes needs, fewer than a scan.
const STEPS: i32 = 3_000;
const ROWS: f64 = 60.0;
const FIRST: [u8; 16] = *b"0000000000050000";
const LAST: [u8; 16] = *b"0000000000050009";

/// Copies the one chunk of the ledger. Every hundredth has a task, one in a thousand is flagged, and
/// each was touched later than the one before.
fn copies(bytes: impl Fn(&str) -> String) -> String {
    let (id, task) = (bytes("n"), bytes("n"));
    format!(
        "INSERT INTO chunks (created_seq, id, events, owner, chunk_type, query_key, session_id, \
         created_at, updated_at, expires_at, tail, task_id, is_flagged, touched_at, state) \
         WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY}) \
         SELECT n, {id}, 1, owner, CASE WHEN n % 2 = 0 THEN 'lesson' ELSE chunk_type END, \
         'key-' || n, NULL, n, n, NULL, n, CASE WHEN n % 100 = 0 THEN {task} END, \
         CASE WHEN n % 1000 = 0 THEN 1 ELSE 0 END, n, state FROM numbers, chunks"
    )
}

/// What is asked of chunks, by name.
fn asked() -> Vec<Query> {
    let (middle, limit) = (Cell::Int(MANY / 2), Cell::Int(20));
    let (first, last) = (Cell::Bytes(&FIRST), Cell::Bytes(&LAST));
    vec![
        ("by the beginning of an id", chunk::CHUNKS_WITH_PREFIX, vec![first, last, limit]),
        ("by its end", chunk::CHUNKS_WITH_SUFFIX, vec![middle, Cell::Int(MANY / 2 + 9), limit]),
        ("of a task", chunk::SPEC_OF_TASK, vec![first]),
        ("of a task without", chunk::SPEC_OF_TASK, vec![last]),
        ("flagged", chunk::CHUNKS_FLAGGED, vec![middle, limit]),
        ("flagged, the newest", chunk::CHUNKS_FLAGGED, vec![Cell::Int(i64::MAX), limit]),
        ("aging", chunk::CHUNKS_AGING, vec![middle, Cell::Int(100), Cell::Int(100), limit]),
        (
            "none that is aging",
            chunk::CHUNKS_AGING,
            vec![Cell::Int(-1), Cell::Int(i64::MIN), Cell::Int(0), limit],
        ),
        ("of a type", chunk::CHUNKS_OF_TYPE, vec![Cell::Text("lesson"), middle, limit]),
    ]
}

fn one_chunk(bed: &mut Bed) {
    write(bed, &written("knowledge", Owner::Org, "one"));
}

#[test]
fn chunks_are_found_in_few_steps_on_sqlite() {
    let mut bed = Bed::sqlite();
    one_chunk(&mut bed);
    let slow = slow_on_sqlite(&bed, &copies(bytes_on_sqlite), asked(), STEPS);
    assert_eq!(slow, Vec::new());
}

#[test]
fn chunks_touch_few_rows_on_postgres() {
    let Some(mut bed) = Bed::postgres() else { return };
    one_chunk(&mut bed);
    let wide = wide_on_postgres(&bed, &copies(bytes_on_postgres), asked(), ROWS);
    assert_eq!(wide, Vec::new());
}
