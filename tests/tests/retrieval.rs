//! Whether a search finds the right notes: 651 chunks of an invented product as agents write them,
//! with near-duplicates, updates, and matches by tag, name or gotcha alone, and 299 questions with
//! the chunks that answer them (`tests/retrieval`).
//!
//! The floors are a little below what was measured. Whoever changes the ranking looks at the figures
//! of half of the questions only, and at the others when it is done.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use windlass_domain::chain::Provenance;
use windlass_domain::chunk::event::{ChunkSuperseded, ChunkWritten};
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::{Author, Owner};
use windlass_ledger::{Ledger, Location, Options};
use windlass_ops::context::Surroundings;
use windlass_ops::settings::Resolved;
use windlass_ops::table::Entry;
use windlass_ops::{Context, Workplace};
use windlass_testkit::Home;
use windlass_testkit::retrieval::Figures;

const CHUNKS: &str = include_str!("../retrieval/chunks.jsonl");
const QUESTIONS: &str = include_str!("../retrieval/questions.jsonl");

/// What each kind of question must reach at least: R@1, R@10, MRR.
const FLOORS: [(&str, f64, f64, f64); 8] = [
    ("all", 65.0, 80.0, 0.70),
    ("duplicate", 88.0, 95.0, 0.91),
    ("gotcha", 80.0, 93.0, 0.87),
    ("identifier", 94.0, 99.0, 0.96),
    ("paraphrase", 20.0, 44.0, 0.28),
    ("tag", 81.0, 97.0, 0.88),
    ("update", 68.0, 93.0, 0.78),
    ("words", 96.0, 99.0, 0.97),
];

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn written(given: &Value) -> ChunkWritten {
    ChunkWritten {
        chunk_type: text(&given["type"]).parse().unwrap(),
        owner: Owner::Org,
        query_key: text(&given["key"]).try_into().unwrap(),
        title: text(&given["title"]),
        content: text(&given["content"]),
        tags: texts(&given["tags"]),
        fields: Map::new(),
        audience: None,
        gotchas: texts(&given["gotchas"]),
        related: Vec::new(),
        visibility: Visibility::Private,
        source: None,
        expires_at: None,
        task: None,
        by: Author { name: "writer".into(), session: None, run: None },
    }
}

/// A ledger with all chunks of the set.
fn ledger(home: &Home) -> Location {
    let location = Location::Sqlite(home.data().join("ledger.db"));
    let mut ledger = Ledger::open(&location, Options::default()).unwrap();
    let by = Provenance { actor: "writer".into(), ..Provenance::default() };
    let given = lines(CHUNKS);
    let load = |tx: &mut windlass_ledger::Transaction<'_>| {
        let mut chunks = BTreeMap::new();
        for given in &given {
            chunks.insert(text(&given["key"]), tx.begin_chunk(written(given))?);
        }
        for given in given.iter().filter(|given| given.get("superseded_by").is_some()) {
            let (reason, by) = ("it is newer".to_owned(), "writer".to_owned());
            let with = chunks[&text(&given["superseded_by"])].id;
            let old = &chunks[&text(&given["key"])];
            tx.record_chunk(old, [ChunkSuperseded { with, reason, by }.into()])?;
        }
        Ok(())
    };
    ledger.write(&by, load).unwrap();
    location
}

/// The query keys that a search answers with, the best first.
fn found(cx: &mut Context, question: &str) -> Vec<String> {
    let input = json!({"question": question});
    let request = Entry::named("chunk.search").unwrap().from_json(input).unwrap();
    let answer: Value = serde_json::from_str(&request.run(cx).unwrap().json().unwrap()).unwrap();
    let chunks = answer["chunks"].as_array().unwrap();
    chunks.iter().map(|chunk| text(&chunk["query_key"])).collect()
}

#[test]
fn a_search_finds_the_right_notes() {
    let home = Home::new();
    let surroundings = Surroundings { user: "reader".into(), ..Surroundings::default() };
    let workplace = Workplace::new(ledger(&home));
    let mut cx = Context::new(workplace, surroundings, Resolved::default());
    let mut figures: BTreeMap<String, Figures> = BTreeMap::new();
    for asked in lines(QUESTIONS) {
        let expected = texts(&asked["expected"]);
        let found = found(&mut cx, &text(&asked["question"]));
        let before = found.iter().position(|key| expected.contains(key));
        figures.entry(text(&asked["kind"])).or_default().count(before);
        figures.entry("all".into()).or_default().count(before);
    }
    let mut missed = Vec::new();
    for (kind, first, ten, mrr) in FLOORS {
        let reached = figures[kind];
        let is_missed =
            reached.recall_at_1() < first || reached.recall_at_10() < ten || reached.mrr() < mrr;
        missed.extend(is_missed.then(|| format!("{kind}: {reached}")));
    }
    assert!(missed.is_empty(), "{missed:#?} of {figures:#?}");
    assert_eq!(figures.len(), FLOORS.len(), "every kind of question has its floor");
}

#[test]
fn every_question_expects_chunks_that_are_there_and_hold() {
    let chunks = lines(CHUNKS);
    let holds = |key: &String| {
        chunks
            .iter()
            .any(|chunk| text(&chunk["key"]) == *key && chunk.get("superseded_by").is_none())
    };
    for asked in lines(QUESTIONS) {
        let expected = texts(&asked["expected"]);
        assert!(!expected.is_empty() && expected.iter().all(holds), "{asked}");
    }
}
