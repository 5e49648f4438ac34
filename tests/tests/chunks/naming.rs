//! How a chunk is named, and that nobody learns of what they may not read.

use serde_json::json;
use windlass_tests::ledgers::text;

use crate::shelf::on_both;

#[test]
fn a_chunk_is_named_by_its_key_its_id_and_either_end_of_it() {
    on_both(|shelf| {
        let id = shelf.knows("One database", "x");
        let ends = [&id[..], &id[..20], &id[20..], &id[22..], "one-database"];
        for name in ends.into_iter().map(str::to_owned).chain([id[20..].to_lowercase()]) {
            assert_eq!(shelf.shows(&name)["chunk_id"], json!(id), "{name}");
        }
        for name in [&id[23..], "one-databas", "ZZZZZZ", "", "../x", "'; DROP TABLE chunks; --"] {
            let error = shelf.refuses(&["chunk", "show", name], "chunk_not_found", 4);
            assert_eq!(error["details"]["given"], json!(name));
        }
    });
}

#[test]
fn a_name_that_several_chunks_have_is_refused_with_all_of_them() {
    on_both(|shelf| {
        let one = shelf.knows("Same", "x");
        let lesson = ["chunk", "write", "lesson", "Same", "x", "-P", "api"];
        let other = text(&shelf.does(&lesson)["chunk_id"]);
        let error = shelf.refuses(&["chunk", "show", "same"], "id_ambiguous", 3);
        let mut candidates = [one.clone(), other];
        let mut told: Vec<String> =
            error["details"]["candidates"].as_array().unwrap().iter().map(text).collect();
        candidates.sort();
        told.sort();
        assert_eq!(told, candidates);
        // All ids of one minute begin alike.
        shelf.refuses(&["chunk", "show", &one[..4]], "id_ambiguous", 3);
    });
}

#[test]
fn what_nobody_may_read_makes_no_name_ambiguous() {
    on_both(|shelf| {
        shelf.remembers("w2", "the same words");
        let own = shelf.remembers("w1", "the same words");
        let shown = shelf.does(&["chunk", "show", "the-same-words", "--agent", "w1"]);
        assert_eq!(shown["chunk"]["chunk_id"], json!(own));
    });
}

#[test]
fn nobody_takes_the_name_of_another_chunk_by_giving_theirs_its_id_as_a_key() {
    on_both(|shelf| {
        let id = shelf.knows("Never force push", "x");
        let evil = |key: &str| {
            ["chunk", "write", "lesson", "Evil", "y", "-P", "api", "--key", key].map(str::to_owned)
        };
        let taken = evil(&id);
        let error = shelf.refuses(&taken.each_ref().map(String::as_str), "invalid_value", 3);
        assert_eq!(error["details"]["field"], "query_key");
        shelf.does(&evil(&id[20..]).each_ref().map(String::as_str));
        shelf.refuses(&["chunk", "show", &id[20..]], "id_ambiguous", 3);
        assert_eq!(shelf.shows(&id)["chunk_id"], json!(id));
    });
}
