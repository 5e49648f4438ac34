//! `task add --from`: many tasks of a file or the standard input, all or none.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use serde_json::Value;
use windlass_testkit::Outcome;
use windlass_tests::ledgers::{Ledger, text};

#[track_caller]
fn on_both(test: impl Fn(&Ledger)) {
    test(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        test(&ledger);
    }
}

/// Adds what is on the standard input.
fn add(ledger: &Ledger, input: &str, flags: &[&str]) -> Outcome {
    let args = [&["task", "add", "--from", "-"], flags].concat();
    ledger.windlass(&args).stdin(input).run()
}

fn titles(ledger: &Ledger) -> Vec<String> {
    let listed = ledger.windlass(&["task", "list"]).run().ok().json();
    listed["tasks"].as_array().unwrap().iter().map(|task| text(&task["title"])).collect()
}

#[test]
fn later_lines_name_earlier_tasks_by_their_keys() {
    on_both(|ledger| {
        let input = r#"{"key": "epic", "title": "the login"}
            {"key": "schema", "title": "the schema", "parent": "epic", "priority": 2}

            {"title": "the page", "parent": "epic", "depends_on": ["schema"], "tags": ["web"]}"#;
        let added = add(ledger, input, &["-s", "ready"]).ok().json();
        assert_eq!(added["count"], 3);
        let ids: Vec<String> =
            added["tasks"].as_array().unwrap().iter().map(|task| text(&task["task_id"])).collect();
        let page = ledger.windlass(&["task", "show", &ids[2]]).run().ok().json();
        assert_eq!(page["task"]["parent_id"], ids[0].as_str());
        assert_eq!(page["dependencies"][0]["task_id"], ids[1].as_str());
        assert_eq!(page["task"]["status"], "ready", "what the command line says holds for all");
    });
}

#[test]
fn one_bad_task_refuses_all_and_is_named_by_its_place() {
    on_both(|ledger| {
        for (input, place) in [
            ("{\"title\": \"a\"}\n\n{\"title\": \"\"}\n", "line 3"),
            ("{\"title\": \"a\"}\n{\"title\": \"b\"", "line 2"),
            ("{\"title\": \"a\"}\nplain\n", "line 2"),
            ("{\"title\": \"a\"}\n{\"titel\": \"b\"}\n", "line 2"),
            ("{\"title\": \"a\"}\n{\"title\": \"b\", \"author\": \"bob\"}\n", "line 2"),
            ("{\"title\": \"a\", \"key\": \"k\"}\n{\"title\": \"b\", \"key\": \"k\"}\n", "line 2"),
            ("{\"title\": \"a\"}\n{\"title\": \"b\", \"priority\": 7}\n", "line 2"),
            ("[{\"title\": \"a\"}, {\"title\": \"b\", \"status\": \"archived\"}]", "item 2"),
        ] {
            let refused = add(ledger, input, &[]);
            assert_eq!(refused.code, Some(3), "{refused}");
            let error: Value = refused.json()["error"].clone();
            assert!(text(&error["message"]).starts_with(place), "{error}");
            assert_eq!(titles(ledger), Vec::<String>::new(), "{place} of {input}");
        }
        let missing = "{\"title\": \"a\"}\n{\"title\": \"b\", \"depends_on\": [\"zzzz\"]}\n";
        let _refused = add(ledger, missing, &[]).refused("task_not_found", 4);
        assert_eq!(titles(ledger), Vec::<String>::new());
    });
}

#[test]
fn plain_lines_are_titles_also_when_they_begin_with_a_bracket() {
    let ledger = Ledger::on_sqlite();
    let _added = add(&ledger, "[bug] fix the login\n\n  {draft} write it  \n", &["-t", "x"]).ok();
    assert_eq!(titles(&ledger), ["[bug] fix the login", "{draft} write it"]);
}

#[test]
fn nothing_to_add_and_a_title_beside_a_file_are_wrong_usage() {
    let ledger = Ledger::on_sqlite();
    let _empty = add(&ledger, " \n", &[]).refused("usage", 2);
    let _both = add(&ledger, "a\n", &["a title"]).refused("usage", 2);
    let missing = ledger.windlass(&["task", "add", "--from", "no-such-file"]).run();
    let _missing = missing.refused("file_unusable", 5);
}
