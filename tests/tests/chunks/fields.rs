//! Fields: values of every kind, and of every wrong kind.

use serde_json::{Value, json};
use windlass_tests::ledgers::text;

use crate::shelf::{Shelf, on_both};

/// A type with a field of every kind.
const EVERY_KIND: &str = r#"{"fields": [
    {"name": "level", "type": "enum", "values": ["high", "low"]},
    {"name": "words", "type": "text"},
    {"name": "address", "type": "url"},
    {"name": "count", "type": "number"},
    {"name": "done", "type": "boolean"},
    {"name": "day", "type": "date"},
    {"name": "names", "type": "string_list"},
    {"name": "about", "type": "chunk_reference"},
    {"name": "extra", "type": "json"}
]}"#;

fn with_every_kind(check: impl Fn(&Shelf)) {
    on_both(|shelf| {
        shelf.does(&["chunk", "type", "set", "sample", "--definition", EVERY_KIND]);
        check(shelf);
    });
}

fn write(fields: &Value) -> Vec<String> {
    let fields = fields.to_string();
    let args = ["chunk", "write", "sample", "a", "b", "-P", "api", "--fields", &fields];
    args.map(str::to_owned).to_vec()
}

fn args(given: &[String]) -> Vec<&str> {
    given.iter().map(String::as_str).collect()
}

#[test]
fn c18_values_of_every_kind_are_kept() {
    with_every_kind(|shelf| {
        let id = shelf.knows("a", "b");
        let fields = json!({
            "level": "low", "words": "any\ntext", "address": "https://a.b/c?d=e", "count": 1.5,
            "done": false, "day": "2026-11-15", "names": ["one", "two"], "about": id,
            "extra": {"a": [1, null]},
        });
        let written = shelf.does(&args(&write(&fields)));
        assert_eq!(written["fields"], fields);
        assert_eq!(shelf.shows(&text(&written["chunk_id"]))["fields"], fields);
    });
}

#[test]
fn c18_values_are_typed_on_a_command_line_as_their_fields_read_them() {
    with_every_kind(|shelf| {
        let written = shelf.does(&[
            "chunk",
            "write",
            "sample",
            "a",
            "b",
            "-P",
            "api",
            "--field",
            "count=2",
            "--field",
            "done=true",
            "--field",
            "names=one,two",
            "--field",
            "extra={\"a\":1}",
            "--field",
            "words=1=1",
        ]);
        let fields = &written["fields"];
        assert_eq!((&fields["count"], &fields["done"]), (&json!(2), &json!(true)));
        assert_eq!(
            (&fields["names"], &fields["extra"]),
            (&json!(["one", "two"]), &json!({"a": 1}))
        );
        assert_eq!((&fields["words"], &fields["level"]), (&json!("1=1"), &Value::Null));
    });
}

#[test]
fn c21_values_of_every_wrong_kind_are_refused_and_nothing_is_written() {
    let wrong = [
        ("level", vec![json!("middle"), json!(1), json!(["low"]), json!("LOW")]),
        ("words", vec![json!(1), json!(true), json!({}), json!("bell\u{7}")]),
        ("address", vec![json!("ftp://a.b"), json!("a.b"), json!("javascript:x"), json!(1)]),
        ("count", vec![json!("1"), json!(true), json!([])]),
        ("done", vec![json!("true"), json!(1), json!(0)]),
        ("day", vec![json!("soon"), json!("2026-13-01"), json!(20_261_115)]),
        ("names", vec![json!("one"), json!([1]), json!([["a"]]), json!([null])]),
        ("about", vec![json!(1), json!(["a"]), json!("")]),
    ];
    with_every_kind(|shelf| {
        for (field, values) in &wrong {
            for value in values {
                let given = write(&json!({ *field: value }));
                let error = shelf.refuses(&args(&given), "invalid_value", 3);
                assert_eq!(error["details"]["field"], *field, "{value}");
            }
        }
    });
}

#[test]
fn a_reference_names_a_chunk_as_every_command_does_and_is_kept_as_its_id() {
    with_every_kind(|shelf| {
        let id = shelf.knows("Limits", "b");
        let lower = id.to_lowercase();
        for named in ["limits", id.as_str(), &lower, &id[20..]] {
            let written = shelf.does(&args(&write(&json!({"about": named}))));
            assert_eq!(written["fields"]["about"], json!(id), "{named}");
        }
    });
}

#[test]
fn a_reference_to_a_chunk_that_the_writer_cannot_read_is_refused() {
    with_every_kind(|shelf| {
        let secret = shelf.remembers("w2", "a secret");
        for about in [secret.as_str(), "01M7JJGR1TJW8K7GGKYD79J098", "nothing"] {
            let given = write(&json!({"about": about}));
            let by_w1 = [args(&given), vec!["--agent", "w1"]].concat();
            let error = shelf.refuses(&by_w1, "chunk_not_found", 4);
            assert_eq!(error["details"]["field"], "about", "{about}");
        }
    });
}

#[test]
fn a_reference_outlives_its_chunk_and_is_not_given_anew() {
    with_every_kind(|shelf| {
        let gone = shelf.knows("Limits", "b");
        let about = json!({"about": gone}).to_string();
        let written = shelf.does(&args(&write(&json!({"about": gone}))));
        let id = text(&written["chunk_id"]);
        shelf.does(&["chunk", "delete", &gone]);
        let same = ["chunk", "update", &id, "--fields", &about, "--title", "Still"];
        assert_eq!(shelf.does(&same)["fields"]["about"], json!(gone));
        shelf.refuses(&args(&write(&json!({"about": gone}))), "chunk_not_found", 4);
    });
}

#[test]
fn c21_an_unknown_field_is_refused_with_the_nearest() {
    with_every_kind(|shelf| {
        let error = shelf.refuses(&args(&write(&json!({"levl": "low"}))), "unknown_field", 3);
        assert_eq!(error["suggestions"], json!(["level"]));
        let typed = ["chunk", "write", "sample", "a", "b", "-P", "api", "--field", "levl=low"];
        shelf.refuses(&typed, "unknown_field", 3);
        let unnamed = ["chunk", "write", "sample", "a", "b", "-P", "api", "--field", "level"];
        shelf.refuses(&unnamed, "invalid_value", 3);
    });
}

#[test]
fn c20_a_spec_without_fields_is_new_and_of_medium_priority() {
    on_both(|shelf| {
        let spec = shelf.does(&["chunk", "write", "dev_spec", "Log in", "By mail", "-P", "api"]);
        let expected = json!({"status": "new", "priority": "medium", "blocked_reason": null,
            "previous_status": null, "ticket_url": null});
        assert_eq!(spec["fields"], expected);
    });
}

#[test]
fn c22_a_required_field_is_never_emptied() {
    on_both(|shelf| {
        let write = ["chunk", "write", "dev_spec", "Log in", "By mail", "-P", "api", "--key", "s"];
        shelf.does(&write);
        let error = shelf.refuses(
            &["chunk", "update", "s", "--fields", r#"{"priority": null}"#],
            "invalid_value",
            3,
        );
        assert_eq!(error["details"]["field"], "priority");
        shelf.refuses(&["chunk", "update", "s", "--field", "priority="], "invalid_value", 3);
    });
}

#[test]
fn c22_a_required_field_says_something_through_every_door() {
    on_both(|shelf| {
        let definition = r#"{"fields": [{"name": "why", "type": "text", "required": true},
            {"name": "names", "type": "string_list", "required": true, "default": ["one"]}]}"#;
        shelf.does(&["chunk", "type", "set", "risk", "--definition", definition]);
        let write = ["chunk", "write", "risk", "a", "b", "-P", "api"];
        for (fields, field) in [
            (r#"{"why": ""}"#, "why"),
            (r#"{"why": " \n"}"#, "why"),
            (r#"{"why": "x", "names": []}"#, "names"),
        ] {
            let given = [&write[..], &["--fields", fields]].concat();
            let error = shelf.refuses(&given, "invalid_value", 3);
            assert_eq!(error["details"]["field"], field, "{fields}");
        }
        shelf.refuses(&[&write[..], &["--field", "why="]].concat(), "invalid_value", 3);
    });
}

#[test]
fn a_field_that_is_given_twice_in_an_object_is_refused() {
    with_every_kind(|shelf| {
        let write = ["chunk", "write", "sample", "a", "b", "-P", "api", "--fields"];
        let twice = r#"{"level": "low", "level": "high"}"#;
        shelf.refuses(&[&write[..], &[twice]].concat(), "invalid_value", 3);
    });
}

#[test]
fn a_field_for_json_takes_only_json() {
    with_every_kind(|shelf| {
        let write = ["chunk", "write", "sample", "a", "b", "-P", "api", "--field"];
        for wrong in ["extra={bad", "extra=word"] {
            let error = shelf.refuses(&[&write[..], &[wrong]].concat(), "invalid_value", 3);
            assert_eq!(error["details"]["field"], "extra");
        }
        let quoted = shelf.does(&[&write[..], &["extra=\"word\""]].concat());
        assert_eq!(quoted["fields"]["extra"], "word");
    });
}

#[test]
fn c23_a_field_that_changes_is_in_the_history_with_author_and_both_values() {
    with_every_kind(|shelf| {
        let id = text(&shelf.does(&args(&write(&json!({"level": "low"}))))["chunk_id"]);
        shelf.does(&["chunk", "update", &id, "--field", "level=high", "--agent", "w1"]);
        shelf.does(&["chunk", "update", &id, "--field", "level=", "--agent", "w2"]);
        let versions = shelf.does(&["chunk", "versions", &id])["versions"].clone();
        let told = |version: usize| {
            let version = &versions[version];
            let field = &version["fields"][0];
            (text(&version["author"]["name"]), field["before"].clone(), field["after"].clone())
        };
        assert_eq!(told(1), ("w1".to_owned(), json!("low"), json!("high")));
        assert_eq!(told(2), ("w2".to_owned(), json!("high"), Value::Null));
    });
}
