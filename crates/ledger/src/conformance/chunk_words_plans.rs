//! Query plans of the index of words with 100,000 chunks that all have one word and another that no
//! other has: what a search reads must not grow with them.

use windlass_domain::chunk::Owner;

use super::Bed;
use super::chunk_scene::{write, written};
use super::plans::{rows_touched, steps_and_sorts};
use crate::Location;
use crate::cell::Cell;
use crate::chunk::{POSTGRES, SQLITE, Texts};

const MANY: i64 = 100_000;
/// More instructions than the rows that are asked for need, fewer than a scan.
const STEPS: i32 = 20_000;
const ROWS: f64 = 300.0;

/// One chunk to be found.
fn one_chunk(bed: &mut Bed) {
    let mut event = written("knowledge", Owner::Org, "rare");
    event.title = "halyard".into();
    write(bed, &event);
}

/// A word that is everywhere, words that begin alike, each in one chunk, and trigrams that words
/// share, as many as in any language.
fn copies(padded: &str, trigram: &str) -> Vec<String> {
    let numbers = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY})"
    );
    let insert = |table: &str, values: &str| {
        format!("INSERT INTO {table} {numbers} SELECT {values} FROM numbers")
    };
    vec![
        insert(
            "chunk_words (word, owner, created_seq, places, length)",
            "'everywhere', 1, n + 1000, 4096, 9",
        ),
        insert(
            "chunk_words (word, owner, created_seq, places, length)",
            &format!("'word' || {padded}, 1, n + 1000, 4096, 9"),
        ),
        insert(
            "chunk_vocabulary (word, owner, chunks, times)",
            &format!("'word' || {padded}, 1, 1, 1"),
        ),
        insert("chunk_trigrams (trigram, word)", &format!("{trigram}, 'word' || {padded}")),
    ]
}

const RARE: &str = r#"[["halyard"],["halyards"],["hal"]]"#;
const OWNERS: &str = "[[1]]";
const TRIGRAMS: &str = r#"[["hal"],["aly"],["lya"],["yar"],["ard"]]"#;
const PLACES: &str = "[[1,1500],[1,1501],[1,1502],[1,99000]]";

/// What a search asks, by name.
fn asked(texts: &Texts) -> Vec<(&'static str, &'static str, Vec<Cell<'static>>)> {
    vec![
        ("spreads", texts.spreads, vec![Cell::Text(RARE)]),
        ("unknown words", texts.unknown, vec![Cell::Text(RARE)]),
        (
            "words that begin alike",
            texts.beginning,
            vec![Cell::Text("wor"), Cell::Text("wos"), Cell::Text(OWNERS), Cell::Int(200)],
        ),
        (
            "words that are spelt alike",
            texts.spelt_like,
            vec![Cell::Text(TRIGRAMS), Cell::Int(3), Cell::Text(OWNERS), Cell::Int(40)],
        ),
        ("a rare word", texts.postings, vec![Cell::Text(r#"[[0,"halyard",1]]"#)]),
        (
            "the newest of many",
            texts.newest_postings,
            vec![Cell::Text("everywhere"), Cell::Int(1), Cell::Int(100)],
        ),
        (
            "a common word in some chunks",
            texts.postings_of,
            vec![Cell::Text(r#"[[0,"everywhere"],[1,"halyard"]]"#), Cell::Text(PLACES)],
        ),
    ]
}

#[test]
fn words_are_found_in_few_steps_on_sqlite() {
    let mut bed = Bed::sqlite();
    one_chunk(&mut bed);
    let Location::Sqlite(path) = &bed.location else { panic!() };
    let raw = rusqlite::Connection::open(path).unwrap();
    for copy in copies("printf('%06d', n)", "printf('%03x', n % 4096)") {
        raw.execute_batch(&copy).unwrap();
    }
    let mut many = Vec::new();
    for (name, text, cells) in asked(&SQLITE) {
        let (steps, _) = steps_and_sorts(&raw, text, &cells);
        many.extend((steps >= STEPS).then_some((name, steps)));
    }
    assert_eq!(many, Vec::new());
}

#[test]
fn words_touch_few_rows_on_postgres() {
    let Some(mut bed) = Bed::postgres() else { return };
    one_chunk(&mut bed);
    let Location::Postgres(url) = &bed.location else { panic!() };
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    for copy in copies("lpad(n::text, 6, '0')", "lpad(to_hex(n % 4096), 3, '0')") {
        client.batch_execute(&copy).unwrap();
    }
    client.batch_execute("ANALYZE").unwrap();
    let mut many = Vec::new();
    for (name, text, cells) in asked(&POSTGRES) {
        let rows = rows_touched(&mut client, text, &cells);
        many.extend((rows > ROWS).then_some((name, rows)));
    }
    assert_eq!(many, Vec::new());
}
