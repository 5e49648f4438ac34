//! Reviews, and the inbox of what somebody should look at.

use serde_json::{Value, json};
use windlass_tests::ledgers::text;
use windlass_tests::office::{Office, in_office};

use crate::shelf::on_both;

fn review(chunk: &str, marks: [u8; 2], action: &str) -> Value {
    json!({"chunk": chunk, "usefulness": marks[0], "correctness": marks[1], "action": action})
}

/// A principle, by its id.
fn principle(office: &mut Office, title: &str) -> String {
    let write = json!({"chunk_type": "principle", "title": title, "content": "x"});
    text(&office.run("chunk.write", write)["chunk_id"])
}

/// What the inbox shows: titles and why.
fn inbox(office: &mut Office) -> Vec<(String, Value)> {
    let shown = office.run("chunk.inbox", json!({}));
    let chunks = shown["chunks"].as_array().unwrap().iter();
    chunks.map(|chunk| (text(&chunk["title"]), chunk["signals"].clone())).collect()
}

#[test]
fn what_readers_think_is_averaged() {
    in_office(|office| {
        let id = principle(office, "a");
        office.run("chunk.review", review(&id, [5, 4], "useful"));
        let reviews = office.run("chunk.review", review(&id, [2, 4], "useful"))["reviews"].clone();
        assert_eq!(
            reviews,
            json!({"count": 2, "usefulness": 3.5, "correctness": 4.0, "last_action": "useful"})
        );
    });
}

#[test]
fn a_review_that_is_none_is_refused() {
    on_both(|shelf| {
        let id = shelf.knows("a", "b");
        for (marks, action) in
            [(["0", "1"], "useful"), (["1", "6"], "useful"), (["1", "1"], "nice")]
        {
            let args = [
                "chunk",
                "review",
                &id,
                "--usefulness",
                marks[0],
                "--correctness",
                marks[1],
                "--action",
                action,
            ];
            shelf.refuses(&args, "invalid_value", 3);
        }
    });
}

#[test]
fn flagged_and_badly_marked_chunks_are_in_the_inbox_until_somebody_dismisses_it() {
    in_office(|office| {
        let (wrong, weak) = (principle(office, "wrong"), principle(office, "weak"));
        principle(office, "fine");
        office.after_minutes(1);
        office.run("chunk.review", review(&wrong, [5, 5], "incorrect"));
        office.run("chunk.review", review(&weak, [2, 5], "useful"));
        assert_eq!(
            inbox(office),
            [("weak".into(), json!(["low_score"])), ("wrong".into(), json!(["agent_flag"]))]
        );
        office.after_minutes(1).run("chunk.dismiss", json!({"chunk": wrong}));
        assert_eq!(inbox(office), [("weak".into(), json!(["low_score"]))]);
        office.after_minutes(1).run("chunk.review", review(&wrong, [5, 5], "outdated"));
        assert_eq!(inbox(office).len(), 2);
    });
}

#[test]
fn what_nobody_touched_for_sixty_days_is_aging() {
    in_office(|office| {
        let old = principle(office, "old");
        office.after_minutes(59 * 24 * 60);
        principle(office, "new");
        assert_eq!(inbox(office), []);
        assert_eq!(inbox(office.after_minutes(24 * 60)), [("old".into(), json!(["aging"]))]);
        office.run("chunk.review", review(&old, [5, 5], "useful"));
        assert_eq!(inbox(office), []);
    });
}

#[test]
fn the_inbox_shows_what_is_asked_for_and_says_when_there_is_more() {
    on_both(|shelf| {
        let flag = |id: &str| {
            let marks = ["--usefulness", "4", "--correctness", "4", "--action", "needs_update"];
            shelf.does(&[&["chunk", "review", id][..], &marks].concat());
        };
        let write = ["chunk", "write", "knowledge", "Of web", "x", "-P", "web"];
        flag(&text(&shelf.does(&write)["chunk_id"]));
        flag(&shelf.knows("One", "x"));
        flag(&shelf.knows("Two", "x"));
        let shown = |more: &[&str]| {
            let shown = shelf.does(&[&["chunk", "inbox"], more].concat());
            (shown["chunks"].as_array().unwrap().len(), shown["has_more"].clone())
        };
        assert_eq!(shown(&[]), (3, json!(false)));
        assert_eq!(shown(&["-P", "api"]), (2, json!(false)));
        assert_eq!(shown(&["-P", "api", "--limit", "1"]), (1, json!(true)));
        assert_eq!(shown(&["--signal", "low_score"]), (0, json!(false)));
        shelf.refuses(&["chunk", "inbox", "--signal", "loud"], "invalid_value", 3);
        shelf.refuses(&["chunk", "inbox", "--limit", "0"], "invalid_value", 3);
        shelf.refuses(&["chunk", "inbox", "-P", "nowhere"], "project_not_found", 4);
    });
}

#[test]
fn what_does_not_hold_any_more_is_in_no_inbox() {
    on_both(|shelf| {
        let (old, new) = (shelf.knows("Old", "x"), shelf.knows("New", "y"));
        let marks = ["--usefulness", "1", "--correctness", "1", "--action", "outdated"];
        shelf.does(&[&["chunk", "review", &old][..], &marks].concat());
        shelf.does(&["chunk", "supersede", &old, "--with", &new, "--reason", "r"]);
        assert_eq!(shelf.does(&["chunk", "inbox"])["chunks"], json!([]));
    });
}
