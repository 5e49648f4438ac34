//! Versions: what each said, who wrote it, and what two writers do to one another.

use serde_json::{Value, json};
use windlass_testkit::barrier::start_together;
use windlass_tests::ledgers::{error_of, text};

use crate::shelf::{Shelf, on_both};

#[test]
fn what_changes_makes_a_version_and_what_does_not_makes_none() {
    on_both(|shelf| {
        let id = shelf.knows("One database", "sqlite");
        let changed = shelf.does(&["chunk", "update", &id, "--content", "postgres", "-t", "db"]);
        assert_eq!(
            (&changed["version"], &changed["changed"]),
            (&json!(2), &json!(["content", "tags"]))
        );
        let same = shelf.does(&["chunk", "update", &id, "--content", "postgres"]);
        assert_eq!((&same["version"], &same["changed"]), (&json!(2), &json!([])));
        shelf.refuses(&["chunk", "update", &id], "usage", 2);
        shelf.is_sound();
    });
}

#[test]
fn an_empty_text_takes_away_what_was_there() {
    on_both(|shelf| {
        let everybody = r#"{"rules":[{"all":true}]}"#;
        let write = [
            "chunk",
            "write",
            "knowledge",
            "a",
            "b",
            "-P",
            "api",
            "--key",
            "k",
            "-t",
            "x",
            "--gotcha",
            "g",
            "--related",
            "r",
            "--audience",
            everybody,
        ];
        shelf.does(&write);
        let update = [
            "chunk",
            "update",
            "k",
            "--tag",
            "",
            "--gotcha",
            "",
            "--related",
            "",
            "--audience",
            "",
        ];
        let after = shelf.does(&update);
        let parts = ["tags", "gotchas", "related"].map(|part| after[part].clone());
        assert_eq!(parts, [json!([]), json!([]), json!([])]);
        assert_eq!(after["audience"], Value::Null);
    });
}

#[test]
fn a_version_is_read_back_as_it_was() {
    on_both(|shelf| {
        let id = shelf.knows("First", "one");
        shelf.does(&["chunk", "update", &id, "--title", "Second", "--content", "two"]);
        shelf.does(&["chunk", "update", &id, "--content", "three"]);
        let said = |version: &str| {
            let shown = shelf.does(&["chunk", "show", &id, "--version", version]);
            [&shown["chunk"]["title"], &shown["chunk"]["content"]].map(text)
        };
        assert_eq!(said("1"), ["First", "one"]);
        assert_eq!(said("2"), ["Second", "two"]);
        assert_eq!(said("3"), ["Second", "three"]);
        for version in ["0", "4"] {
            shelf.refuses(&["chunk", "show", &id, "--version", version], "invalid_value", 3);
        }
    });
}

#[test]
fn every_version_has_its_author_and_what_it_changed() {
    on_both(|shelf| {
        let id = shelf.knows("a", "b");
        let update = ["chunk", "update", &id, "--content", "c", "--note", "b was wrong"];
        shelf.does(&[&update[..], &["--agent", "w1"]].concat());
        let versions = shelf.does(&["chunk", "versions", &id])["versions"].clone();
        assert_eq!(
            (&versions[0]["change"], &versions[1]["change"]),
            (&json!("written"), &json!("updated"))
        );
        assert_eq!(
            (&versions[1]["author"]["name"], &versions[1]["note"]),
            (&json!("w1"), &json!("b was wrong"))
        );
        assert_eq!(versions[1]["changed"], json!(["content"]));
    });
}

#[test]
fn two_versions_are_compared_line_by_line() {
    on_both(|shelf| {
        let write = ["chunk", "write", "knowledge", "Old", "a\nb\nc\n", "-P", "api", "-t", "x"];
        let id = text(&shelf.does(&write)["chunk_id"]);
        shelf.does(&[
            "chunk",
            "update",
            &id,
            "--title",
            "New",
            "--content",
            "a\nB\nc\n",
            "-t",
            "y",
        ]);
        let diff = shelf.does(&["chunk", "diff", &id]);
        assert_eq!((&diff["from"], &diff["to"]), (&json!(1), &json!(2)));
        assert_eq!(diff["title"], json!(["Old", "New"]));
        assert_eq!((&diff["tags_added"], &diff["tags_removed"]), (&json!(["y"]), &json!(["x"])));
        let lines = diff["lines"].as_array().unwrap();
        let changed = lines.iter().filter(|line| line["before"] != line["after"]);
        let changed: Vec<(String, Value)> =
            changed.map(|line| (text(&line["text"]), line["before"].clone())).collect();
        assert_eq!(changed, [("b".to_owned(), json!(2)), ("B".to_owned(), Value::Null)]);
        let same = shelf.does(&["chunk", "diff", &id, "--from", "2", "--to", "2"]);
        assert_eq!(same["lines"], json!([]));
        shelf.refuses(&["chunk", "diff", &id, "--from", "7"], "invalid_value", 3);
    });
}

#[test]
fn who_read_an_older_version_is_answered_with_the_one_there_is() {
    on_both(|shelf| {
        let id = shelf.knows("a", "one");
        let update = |content: &str| {
            let args = ["chunk", "update", &id, "--content", content, "--if-version", "1"];
            shelf.ledger.windlass(&args).run()
        };
        assert_eq!(update("two").ok().json()["version"], 2);
        let error = error_of(&update("other"), "edit_conflict", 3);
        assert_eq!(
            (&error["details"]["version"], &error["details"]["content"]),
            (&json!(2), &json!("two"))
        );
        assert_eq!(shelf.shows(&id)["content"], "two");
    });
}

#[test]
fn of_many_writers_on_one_version_one_wins() {
    on_both(|shelf| {
        let id = shelf.knows("a", "begun");
        let runs: Vec<_> = (0..8)
            .map(|number| {
                let content = format!("by {number}");
                let args = ["chunk", "update", &id, "--content", &content, "--if-version", "1"];
                shelf.ledger.windlass(&args)
            })
            .collect();
        let children = start_together(&runs);
        let outcomes = runs.iter().zip(children).map(|(run, child)| run.finish(child));
        let won = outcomes.filter(|outcome| outcome.code == Some(0)).count();
        assert_eq!(won, 1);
        assert_eq!(shelf.shows(&id)["version"], 2);
    });
}

#[test]
fn c112_what_happened_to_a_chunk_is_in_the_log_in_order_from_any_place() {
    on_both(|shelf| {
        let id = shelf.knows("a", "one");
        let place = shelf.ledger.events();
        shelf.does(&["chunk", "update", &id, "--content", "two"]);
        shelf.does(&["chunk", "pin", &id]);
        shelf.does(&["chunk", "delete", &id]);
        let events = shelf.ledger.events_after(place);
        let told: Vec<(String, u64)> = events
            .iter()
            .filter(|event| event["stream"] == json!(id))
            .map(|event| (text(&event["kind"]), event["stream_seq"].as_u64().unwrap()))
            .collect();
        let expected = [("chunk_updated", 2), ("chunk_pinned", 3), ("chunk_deleted", 4)];
        assert_eq!(told, expected.map(|(kind, place)| (kind.to_owned(), place)));
    });
}

/// Agent w1 remembers something, says it better, and promotes it to project api.
fn promoted(shelf: &Shelf) -> String {
    let start = ["session", "start", "--agent", "w1", "-P", "api"];
    let session = text(&shelf.does(&start)["session_id"]);
    let it = shelf.remembers("w1", "the secret");
    shelf.does(&["chunk", "update", &it, "--content", "known to all", "--agent", "w1"]);
    shelf.does(&["chunk", "update", &it, "--title", "Known", "--agent", "w1"]);
    shelf.does(&["session", "end", &session, "--agent", "w1"]);
    shelf.does(&["session", "consolidate", &session, "--promote", &it, "--agent", "w1"]);
    it
}

#[test]
fn a_promotion_does_not_publish_what_was_said_before() {
    on_both(|shelf| {
        let it = promoted(shelf);
        let by = |who: &'static str, command: &[&str]| {
            shelf.tries(&[command, &["--agent", who]].concat())
        };
        let (all, first) = (["chunk", "versions", &it, "--full"], ["chunk", "show", &it]);
        let first = [&first[..], &["--version", "1"]].concat();
        assert!(by("w1", &all).ok().stdout.contains("the secret"));
        let said = by("w2", &all).ok();
        assert!(!said.stdout.contains("the secret"), "{said}");
        assert_eq!(said.json()["versions"][0]["change"], "promoted");
        let _shown = by("w1", &first).ok();
        let _refused = error_of(&by("w2", &first), "invalid_value", 3);
        let diff = ["chunk", "diff", &it];
        assert_eq!(by("w2", &diff).ok().json()["lines"], json!([]));
        let from_first = [&diff[..], &["--from", "1"]].concat();
        let _refused = error_of(&by("w2", &from_first), "invalid_value", 3);
    });
}

#[test]
fn the_log_does_not_tell_others_what_was_said_before_a_promotion() {
    on_both(|shelf| {
        promoted(shelf);
        let log = |who: &str| {
            let run = shelf.ledger.windlass(&["events"]).env("WINDLASS_AGENT", who);
            run.run().ok().stdout
        };
        assert!(log("w1").contains("the secret"));
        assert!(!log("w2").contains("the secret"));
        assert!(log("w2").contains("chunk_promoted"));
    });
}
