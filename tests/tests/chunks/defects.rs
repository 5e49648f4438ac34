//! What Hizal does wrong in this area, each as a test (contract, section 1.9).

use serde_json::json;
use windlass_tests::ledgers::text;

use crate::shelf::on_both;

#[test]
fn defect_8_an_identity_can_be_written() {
    on_both(|shelf| {
        let write = ["chunk", "write", "identity", "Who I am", "A careful coder", "--agent", "w1"];
        let written = shelf.does(&write);
        assert_eq!((&written["agent"], &written["scope"]), (&json!("w1"), &json!("agent")));
    });
}

#[test]
fn defect_13_a_useful_review_is_no_sign_of_anything_stale() {
    on_both(|shelf| {
        let id = shelf.knows("a", "b");
        let review = ["chunk", "review", &id, "--usefulness", "5", "--correctness", "5"];
        let reviewed = shelf.does(&[&review[..], &["--action", "useful"]].concat());
        assert_eq!(reviewed["signals"], json!([]));
    });
}

#[test]
fn defect_17_a_version_is_what_was_said_then_and_all_parts_have_versions() {
    on_both(|shelf| {
        let id = shelf.knows("First", "one");
        shelf.does(&["chunk", "update", &id, "--title", "Second", "-t", "x"]);
        let first = shelf.does(&["chunk", "show", &id, "--version", "1"])["chunk"].clone();
        assert_eq!((&first["title"], &first["tags"]), (&json!("First"), &json!([])));
        let second = shelf.does(&["chunk", "show", &id, "--version", "2"])["chunk"].clone();
        assert_eq!((&second["title"], &second["tags"]), (&json!("Second"), &json!(["x"])));
    });
}

#[test]
fn defect_18_an_error_says_what_was_wrong() {
    on_both(|shelf| {
        let error =
            shelf.refuses(&["chunk", "update", "nothing", "--content", "x"], "chunk_not_found", 4);
        assert_eq!(error["message"], "there is no chunk 'nothing'");
    });
}

#[test]
fn defect_19_a_chunk_has_an_author() {
    on_both(|shelf| {
        let id = shelf.remembers("w1", "something");
        shelf.does(&["chunk", "update", &id, "--content", "else"]);
        let shown = shelf.shows(&id);
        assert_eq!(shown["created_by"]["name"], "w1");
        assert_ne!(shown["author"]["name"], "w1");
    });
}

/// In Hizal an update of a chunk that is no project's writes a version and then fails.
#[test]
fn chunks_of_every_scope_are_updated() {
    on_both(|shelf| {
        for (of, more) in [("memory", &[][..]), ("principle", &[]), ("knowledge", &["-P", "api"])] {
            let write = [&["chunk", "write", of, "a", "b"][..], more].concat();
            let id = text(&shelf.does(&write)["chunk_id"]);
            assert_eq!(shelf.does(&["chunk", "update", &id, "--content", "c"])["version"], 2);
        }
    });
}

/// In Hizal tags cannot be written at all.
#[test]
fn tags_are_written_and_changed() {
    on_both(|shelf| {
        let write = ["chunk", "write", "knowledge", "a", "b", "-P", "api", "-t", "one,two"];
        let id = text(&shelf.does(&write)["chunk_id"]);
        let after = shelf.does(&["chunk", "update", &id, "--tag", "two", "--tag", "three"]);
        assert_eq!(after["tags"], json!(["two", "three"]));
    });
}
