//! What is written in a session.

use serde_json::json;
use windlass_tests::ledgers::text;

use crate::shelf::{Shelf, on_both};

fn start(shelf: &Shelf, more: &[&str]) -> String {
    let start = ["session", "start", "--agent", "w1", "-P", "api"];
    text(&shelf.does(&[&start[..], more].concat())["session_id"])
}

#[test]
fn what_is_written_in_a_session_says_so_and_is_of_its_project() {
    on_both(|shelf| {
        let session = start(shelf, &[]);
        let write = ["chunk", "write", "lesson", "a", "b", "--agent", "w1"];
        let written = shelf.does(&write);
        assert_eq!(
            (&written["author"]["session_id"], &written["project"]),
            (&json!(session), &json!("api"))
        );
        let by_other = shelf.does(&["remember", "elsewhere", "--agent", "w2"]);
        assert_eq!(by_other["author"], json!({"name": "w2"}));
    });
}

#[test]
fn nothing_is_written_before_the_focus_that_a_lifecycle_demands() {
    on_both(|shelf| {
        let own = shelf.remembers("w1", "from before");
        let session = start(shelf, &["--lifecycle", "dev"]);
        for command in [
            &["remember", "too early"][..],
            &["chunk", "write", "lesson", "a", "b", "-P", "api"],
            &["chunk", "update", &own, "--content", "x"],
            &["chunk", "pin", &own],
            &["chunk", "delete", &own],
            &["chunk", "link", &own, "commit:0123abc", "--reason", "r"],
            &["chunk", "dismiss", &own],
        ] {
            shelf.refuses(&[command, &["--agent", "w1"]].concat(), "step_required", 3);
        }
        shelf.does(&["session", "focus", &session, "the login", "--agent", "w1"]);
        shelf.does(&["remember", "in time", "--agent", "w1"]);
    });
}

#[test]
fn what_a_reader_finds_is_said_without_any_focus() {
    on_both(|shelf| {
        let own = shelf.remembers("w1", "from before");
        start(shelf, &["--lifecycle", "dev"]);
        let review = ["chunk", "review", &own, "--usefulness", "5", "--correctness", "5"];
        shelf.does(&[&review[..], &["--action", "useful", "--agent", "w1"]].concat());
    });
}

#[test]
fn a_session_of_another_agent_is_not_there() {
    on_both(|shelf| {
        let session = start(shelf, &[]);
        let write = ["remember", "mine", "--agent", "w2", "--session", &session];
        shelf.refuses(&write, "session_not_found", 4);
        shelf.does(&["session", "end", &session, "--agent", "w1"]);
        let over = ["remember", "late", "--agent", "w1", "--session", &session];
        shelf.refuses(&over, "session_over", 3);
        shelf.does(&["remember", "on my own", "--agent", "w1"]);
    });
}
