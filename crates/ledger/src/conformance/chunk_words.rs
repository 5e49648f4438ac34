//! The index of words: a question finds the same chunks in the same order on both databases, and
//! what a search may not look at changes nothing of its answer.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Map;
use windlass_domain::ProjectId;
use windlass_domain::chunk::access::{Reader, Standing};
use windlass_domain::chunk::audience::Audience;
use windlass_domain::chunk::event::{
    ChunkPinned, ChunkPromoted, ChunkReviewed, ChunkSuperseded, ChunkUpdated, ChunkWritten,
};
use windlass_domain::chunk::review::{Action, Review};
use windlass_domain::chunk::{Chunk, Owner, Scope};
use windlass_domain::event::ChunkEvent;
use windlass_domain::search::{
    AskedFor, Corpus, Question, Sight, Spread, Terms, Texts, Vocabulary, Weighed, hits, score,
};

use super::bulk::rows;
use super::chunk_scene::{self, author, deleted};
use super::{Bed, on_both};
use crate::chunk::Bounds;
use crate::{Clock as _, FoundChunk};

on_both! {
    a_word_is_found_in_every_place_and_counts_by_it
    what_was_changed_is_found_by_its_new_words_only
    what_is_superseded_or_deleted_is_found_no_more
    what_was_promoted_is_found_by_others
    a_name_is_found_by_its_parts_its_beginning_its_inside_and_its_misspelling
    what_ran_out_is_not_found_and_what_is_pinned_is
    what_readers_thought_counts_before_the_cut
    every_filter_narrows_a_search
    what_an_agent_keeps_for_itself_is_not_found_by_others_and_does_not_change_their_scores
    words_survive_a_rebuild_row_by_row
    any_question_finds_what_a_scan_of_everything_finds
    a_bounded_search_finds_nearly_what_a_scan_of_everything_finds
    the_nearest_chunks_are_those_that_say_nearly_the_same
    nothing_is_near_to_what_is_about_something_new
    the_nearest_chunks_of_a_draft_are_among_what_its_writer_may_read
}

fn reader(name: &str) -> Reader {
    Reader { name: name.into(), standing: Standing::Agent(None), projects: Vec::new() }
}

fn written(owner: Owner, title: &str, content: &str) -> ChunkWritten {
    let (title, content) = (title.to_owned(), content.to_owned());
    ChunkWritten { title, content, ..chunk_scene::written("knowledge", owner, "k") }
}

/// Writes a chunk under a key of its own.
fn write(bed: &mut Bed, event: ChunkWritten) -> Chunk {
    let seq = bed.ledger.read(|snapshot| Ok(snapshot.head()?.seq)).unwrap();
    let key = format!("{}{seq}", event.query_key.as_str()).try_into().unwrap();
    let event = ChunkWritten { query_key: key, ..event };
    bed.write(|tx| tx.begin_chunk(event.clone())).unwrap()
}

fn say(bed: &mut Bed, title: &str, content: &str) -> Chunk {
    write(bed, written(Owner::Org, title, content))
}

fn happen(bed: &mut Bed, chunk: &Chunk, event: impl Into<ChunkEvent>) -> Chunk {
    chunk_scene::happen(bed, chunk.id, event)
}

fn search(bed: &mut Bed, query: &str, sight: &Sight<'_>, limit: usize) -> Vec<FoundChunk> {
    let question = Question::parse(query).unwrap();
    bed.ledger.read(|snapshot| Ok(snapshot.search_chunks(&question, sight, limit)?)).unwrap()
}

/// The titles that somebody who sees everything finds, the best first.
fn found(bed: &mut Bed, query: &str) -> Vec<String> {
    let reader = reader("w1");
    titles(&search(bed, query, &Sight::of(&reader), 10))
}

fn titles(found: &[FoundChunk]) -> Vec<String> {
    found.iter().map(|found| found.chunk.title.clone()).collect()
}

fn a_word_is_found_in_every_place_and_counts_by_it(bed: &mut Bed) {
    let gotchas = vec!["mind the halyard".to_owned()];
    write(bed, ChunkWritten { gotchas, ..written(Owner::Org, "gotcha", "mast and sail") });
    say(bed, "content", "halyard, mast and sail");
    let query_key = "halyard".to_owned().try_into().unwrap();
    write(bed, ChunkWritten { query_key, ..written(Owner::Org, "key", "mast and sail") });
    let tags = vec!["halyard".to_owned()];
    write(bed, ChunkWritten { tags, ..written(Owner::Org, "tag", "mast and sail") });
    say(bed, "halyard", "mast and sail");
    let found = found(bed, "halyards");
    assert_eq!(found.get(..2).unwrap(), ["halyard", "tag"]);
    assert_eq!(BTreeSet::from_iter(&found).len(), 5);
}

fn updated(version: u32) -> ChunkUpdated {
    ChunkUpdated {
        version,
        title: None,
        content: None,
        tags: None,
        fields: Vec::new(),
        audience: None,
        gotchas: None,
        related: None,
        visibility: None,
        source: None,
        note: None,
        by: author(None),
    }
}

fn what_was_changed_is_found_by_its_new_words_only(bed: &mut Bed) {
    let chunk = say(bed, "anchor", "galvanised chain");
    happen(bed, &chunk, ChunkUpdated { content: Some("nylon rope".into()), ..updated(2) });
    happen(bed, &chunk, ChunkUpdated { tags: Some(vec!["stern".into()]), ..updated(3) });
    let gotchas = Some(vec!["chafes".into()]);
    happen(bed, &chunk, ChunkUpdated { title: Some("mooring".into()), gotchas, ..updated(4) });
    for (word, count) in
        [("anchor", 0), ("mooring", 1), ("chain", 0), ("nylon", 1), ("stern", 1), ("chafe", 1)]
    {
        assert_eq!(found(bed, word).len(), count, "{word}");
    }
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn what_is_superseded_or_deleted_is_found_no_more(bed: &mut Bed) {
    let (old, new, gone) =
        (say(bed, "old", "keel"), say(bed, "new", "keel"), say(bed, "gone", "keel"));
    let by = "tester".to_owned();
    let superseded = ChunkSuperseded { with: new.id, reason: "newer".into(), by };
    happen(bed, &old, superseded);
    happen(bed, &gone, deleted());
    assert_eq!(found(bed, "keel"), ["new"]);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn what_was_promoted_is_found_by_others(bed: &mut Bed) {
    let own = Owner::Agent("w2".into());
    let chunk = write(bed, written(own, "bilge", "pump it daily"));
    assert_eq!(found(bed, "bilge"), Vec::<String>::new());
    let promoted = ChunkPromoted {
        version: 2,
        owner: Owner::Org,
        chunk_type: chunk.chunk_type.clone(),
        query_key: chunk.query_key.clone(),
        fields: Map::new(),
        by: author(None),
    };
    happen(bed, &chunk, promoted);
    assert_eq!(found(bed, "bilge"), ["bilge"]);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
}

fn a_name_is_found_by_its_parts_its_beginning_its_inside_and_its_misspelling(bed: &mut Bed) {
    say(bed, "error", "raised as `RetryBudgetExceeded` in crates/quay/src/limits.rs, QY-4290");
    say(bed, "other", "a dict of the harbour master");
    for query in [
        "RetryBudget",
        "retrybudget",
        "budgetexceed",
        "retry_budget_exceeded",
        "retrybudgetexeeded",
        "limits.rs",
        "quay/src",
        "4290",
        "QY4290",
    ] {
        assert_eq!(found(bed, query).first().map(String::as_str), Some("error"), "{query}");
    }
    assert_eq!(found(bed, "dictionary"), ["other"]);
    assert_eq!(found(bed, "harbourmaster"), ["other"]);
    assert_eq!(found(bed, "429"), Vec::<String>::new());
}

fn what_ran_out_is_not_found_and_what_is_pinned_is(bed: &mut Bed) {
    let expires_at = Some(bed.clock.now().plus(windlass_domain::duration::Span::from_days(1)));
    let ends = |title| ChunkWritten { expires_at, ..written(Owner::Org, title, "caulk") };
    write(bed, ends("ends"));
    let pinned = write(bed, ends("pinned"));
    happen(bed, &pinned, ChunkPinned { by: "tester".into() });
    assert_eq!(found(bed, "caulk"), ["pinned", "ends"]);
    bed.clock.advance(2 * 86_400_000);
    assert_eq!(found(bed, "caulk"), ["pinned"]);
}

fn what_readers_thought_counts_before_the_cut(bed: &mut Bed) {
    say(bed, "old", "varnish the deck");
    bed.clock.advance(80 * 86_400_000);
    let wrong = say(bed, "wrong", "varnish the deck");
    say(bed, "right", "varnish the deck");
    say(bed, "longer", "varnish the deck, twice");
    let review = Review {
        usefulness: 4,
        correctness: 4,
        action: Action::Incorrect,
        task: None,
        usefulness_note: None,
        correctness_note: None,
    };
    happen(bed, &wrong, ChunkReviewed { review, by: "tester".into() });
    let reader = reader("w1");
    let best = search(bed, "varnish deck", &Sight::of(&reader), 2);
    assert_eq!(titles(&best), ["right", "longer"]);
    assert_eq!(found(bed, "varnish deck"), ["right", "longer", "old", "wrong"]);
}

fn every_filter_narrows_a_search(bed: &mut Bed) {
    let project = ProjectId::from_bytes([1; 16]);
    let tags = vec!["paint".to_owned(), "hull".to_owned()];
    say(bed, "org", "antifouling");
    write(bed, written(Owner::Agent("w1".into()), "own", "antifouling"));
    write(bed, ChunkWritten { tags, ..written(Owner::Project(project), "tagged", "antifouling") });
    let chunk_type = "decision".parse().unwrap();
    let decided = written(Owner::Project(project), "decided", "antifouling");
    let audience = Some(Audience::all());
    let decided = write(bed, ChunkWritten { chunk_type, audience, ..decided });
    let reader = reader("w1");
    let all = Sight::of(&reader);
    let mut found = |sight: Sight<'_>| {
        let found: BTreeSet<String> =
            titles(&search(bed, "antifouling", &sight, 10)).into_iter().collect();
        found.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(all.clone()), "decided org own tagged");
    assert_eq!(found(Sight { scopes: vec![Scope::Org], ..all.clone() }), "org");
    assert_eq!(found(Sight { project: Some(project), ..all.clone() }), "decided tagged");
    let chunk_types = vec!["decision".parse().unwrap()];
    assert_eq!(found(Sight { chunk_types, ..all.clone() }), "decided");
    assert_eq!(found(Sight { tags: vec!["hull".into()], ..all.clone() }), "tagged");
    let owner = Some(Owner::Agent("w1".into()));
    assert_eq!(found(Sight { owner, ..all.clone() }), "own");
    let query_key = Some(decided.query_key);
    assert_eq!(found(Sight { query_key, ..all.clone() }), "decided");
    assert_eq!(found(Sight { injected: true, ..all.clone() }), "decided");
    let filter = serde_json::from_str(r#"{"exclude_chunk_types":["decision"]}"#).unwrap();
    assert_eq!(found(Sight { filter, ..all }), "org own tagged");
}

fn what_an_agent_keeps_for_itself_is_not_found_by_others_and_does_not_change_their_scores(
    bed: &mut Bed,
) {
    say(bed, "shared", "the sextant is in the chart room");
    say(bed, "other", "the almanac is not");
    let other = reader("w1");
    let before = search(bed, "sextant almanac sextan", &Sight::of(&other), 10);
    for number in 0..5 {
        let own = Owner::Agent("w2".into());
        write(
            bed,
            written(own, &format!("sextant {number}"), "sextants sextans sextantly almanac"),
        );
    }
    assert_eq!(search(bed, "sextant almanac sextan", &Sight::of(&other), 10), before);
    let own = reader("w2");
    assert_eq!(search(bed, "sextant", &Sight::of(&own), 10).len(), 6);
}

fn words_survive_a_rebuild_row_by_row(bed: &mut Bed) {
    let chunk = say(bed, "Größe 数据库", "parseHTTPRequest fails");
    write(bed, written(Owner::Agent("w1".into()), "memory", "of the database"));
    happen(bed, &chunk, ChunkUpdated { content: Some("parseRequest".into()), ..updated(2) });
    let before = rows(bed);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(rows(bed), before);
}

/// All words of some chunks.
struct Words(BTreeMap<String, Spread>);

impl Vocabulary for Words {
    fn words(&self) -> impl Iterator<Item = (&str, Spread)> {
        self.0.iter().map(|(word, spread)| (word.as_str(), *spread))
    }

    fn spread(&self, word: &str) -> Option<Spread> {
        self.0.get(word).copied()
    }
}

/// What a scan of all these chunks finds, by rules alone.
fn scanned(chunks: &[Chunk], query: &str, limit: usize) -> Vec<String> {
    let all: Vec<Terms> = chunks.iter().map(|chunk| Terms::of(Texts::from(chunk))).collect();
    let mut corpus = Corpus { chunks: all.len() as u64, ..Corpus::default() };
    let mut vocabulary: BTreeMap<String, Spread> = BTreeMap::new();
    for terms in &all {
        corpus.length += u64::from(terms.length);
        corpus.postings += terms.words.len() as u64;
        for (word, counts) in &terms.words {
            let spread = vocabulary.entry(word.clone()).or_default();
            spread.chunks += 1;
            spread.times += u64::from(counts.total());
        }
    }
    let vocabulary = Words(vocabulary);
    let weigh = |asked: &AskedFor| Weighed::new(asked, &corpus, &vocabulary);
    let question: Vec<Weighed> = Question::parse(query).unwrap().words.iter().map(weigh).collect();
    let mut scored: Vec<(f64, u64, String)> = Vec::new();
    for (chunk, terms) in chunks.iter().zip(&all) {
        let hits = hits(&question, terms);
        if !hits.is_empty() {
            let score = score(&question, corpus.mean_length(), &hits, terms.length);
            scored.push((score, chunk.created_seq, chunk.title.clone()));
        }
    }
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    scored.into_iter().take(limit).map(|(_, _, title)| title).collect()
}

const WORDS: &str = "lease|leases|claim|claims|rateLimit|rate_limit|ratelimits|dictionary|dict|数据库|\
     据库|Größe|grosse|429|4290|retry|retries|retryBudget|budget|tide|tides|lock|locks|locked|barge";

fn said(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let all: Vec<&str> = WORDS.split('|').collect();
    prop::collection::vec(prop::sample::select(all), words).prop_map(|words| words.join(" "))
}

fn any_question_finds_what_a_scan_of_everything_finds(bed: &mut Bed) {
    let cases = (prop::collection::vec((said(1..3), said(1..9)), 1..12), said(1..5));
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() };
    let chunks = RefCell::new(Vec::new());
    let bed = RefCell::new(bed);
    TestRunner::new(config)
        .run(&cases, |(texts, query)| {
            let (mut bed, mut chunks) = (bed.borrow_mut(), chunks.borrow_mut());
            for (title, content) in texts {
                let title = format!("{title} n{}", chunks.len());
                chunks.push(say(&mut bed, &title, &content));
            }
            prop_assert_eq!(found(&mut bed, &query), scanned(&chunks, &query, 10), "{}", query);
            Ok(())
        })
        .unwrap();
}

fn a_bounded_search_finds_nearly_what_a_scan_of_everything_finds(bed: &mut Bed) {
    let mut runner = TestRunner::deterministic();
    let mut draw = |words| {
        let tree = said(words).new_tree(&mut runner).unwrap();
        proptest::strategy::ValueTree::current(&tree)
    };
    let mut chunks = Vec::new();
    for number in 0..300 {
        // Most chunks have some word that few others have.
        let title = format!("the {} n{number} r{}", draw(1..3), number % 40);
        let content = format!("the {}", draw(4..20));
        chunks.push(say(bed, &title, &content));
    }
    let reader = reader("w1");
    let (mut expected, mut met) = (0, 0);
    for number in 0..40 {
        let query = format!("the {} r{number}", draw(2..4));
        let question = Question::parse(&query).unwrap();
        let bounds = Bounds { rows: 60, rescored: 40 };
        let found = bed
            .ledger
            .read(|snapshot| {
                let sight = Sight::of(&reader);
                Ok(snapshot.search_chunks_within(bounds, &question, &sight, 5)?)
            })
            .unwrap();
        let scanned: BTreeSet<String> = scanned(&chunks, &query, 5).into_iter().collect();
        expected += scanned.len();
        met += titles(&found).iter().filter(|title| scanned.contains(*title)).count();
    }
    assert!(met * 10 >= expected * 9, "{met} of {expected}");
}

fn near(bed: &mut Bed, reader: &Reader, title: &str, content: &str) -> Vec<(String, f64)> {
    let draft = Texts { title, tags: &[], query_key: "", content, gotchas: &[] };
    let found = bed.ledger.read(|snapshot| Ok(snapshot.nearest_chunks(draft, reader, 3)?)).unwrap();
    found.into_iter().map(|near| (near.chunk.title, near.likeness)).collect()
}

fn the_nearest_chunks_are_those_that_say_nearly_the_same(bed: &mut Bed) {
    say(bed, "Rate limit of the API", "Every key has 600 requests a minute, see limits.rs");
    say(bed, "Tides at the lock", "The lock keeper waits for slack water");
    say(bed, "Invoices", "VAT is 21 per cent in the Netherlands");
    let reader = reader("w1");
    let text = "Every key has 900 requests a minute now, see limits.rs";
    let near = near(bed, &reader, "Rate limit of the API", text);
    let (title, likeness) = near.first().unwrap();
    assert_eq!(title, "Rate limit of the API");
    assert!(*likeness > 0.6, "{likeness}");
    assert!(near.iter().skip(1).all(|(_, likeness)| *likeness < 0.5), "{near:?}");
}

fn nothing_is_near_to_what_is_about_something_new(bed: &mut Bed) {
    for number in 0..30 {
        say(bed, &format!("Rule {number}"), "The office keeps every key of the API for a minute");
    }
    assert_eq!(near(bed, &reader("w1"), "Holiday party", "The office closes on Friday"), []);
}

fn the_nearest_chunks_of_a_draft_are_among_what_its_writer_may_read(bed: &mut Bed) {
    write(bed, written(Owner::Agent("w2".into()), "My sextant", "is in the chart room"));
    let mut nearest = |name| near(bed, &reader(name), "My sextant", "is in the chart room").len();
    assert_eq!((nearest("w1"), nearest("w2")), (0, 1));
}
