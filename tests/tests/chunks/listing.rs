//! Lists of chunks: exactly what is asked for, in a steady order, of what the asker may read.

use serde_json::{Map, Value, json};
use windlass_domain::chain::Provenance;
use windlass_domain::chunk::event::ChunkWritten;
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::{Author, Owner};
use windlass_tests::ledgers::text;
use windlass_tests::office::{Office, in_office};

use crate::shelf::{Shelf, on_both};

const STATUSES: [&str; 6] = ["blocked", "verified", "implemented", "planned", "researched", "new"];
const PRIORITIES: [&str; 4] = ["critical", "high", "medium", "low"];

/// Specs as a pipeline leaves them: one of every status and priority, the least urgent first.
fn pipeline(office: &mut Office) {
    let by = Author { name: "tester".into(), session: None, run: None };
    let written = |status: &str, priority: &str| ChunkWritten {
        chunk_type: "dev_spec".parse().unwrap(),
        owner: Owner::Org,
        query_key: format!("{status}-{priority}").try_into().unwrap(),
        title: status.into(),
        content: "x".into(),
        tags: Vec::new(),
        fields: Map::from_iter([
            ("status".to_owned(), Value::from(status)),
            ("priority".to_owned(), Value::from(priority)),
        ]),
        audience: None,
        gotchas: Vec::new(),
        related: Vec::new(),
        visibility: Visibility::Private,
        source: None,
        expires_at: None,
        task: None,
        by: by.clone(),
    };
    let provenance = Provenance { actor: "tester".into(), ..Provenance::default() };
    office
        .ledger()
        .write(&provenance, |tx| {
            for priority in PRIORITIES.iter().rev() {
                for status in STATUSES {
                    tx.begin_chunk(written(status, priority))?;
                }
            }
            Ok(())
        })
        .unwrap();
}

fn keys(listed: &Value) -> Vec<String> {
    let chunks = listed["chunks"].as_array().unwrap().iter();
    chunks.map(|chunk| text(&chunk["query_key"])).collect()
}

#[test]
fn c51_the_six_queries_of_the_heartbeat_answer_by_status_and_priority() {
    in_office(|office| {
        pipeline(office);
        for status in STATUSES {
            let asked =
                json!({"type": "dev_spec", "fields": {"status": status}, "sort": "priority"});
            let listed = office.run("chunk.list", asked);
            let expected: Vec<String> =
                PRIORITIES.iter().map(|priority| format!("{status}-{priority}")).collect();
            assert_eq!(keys(&listed), expected);
            assert_eq!((&listed["total"], &listed["has_more"]), (&json!(4), &json!(false)));
        }
    });
}

#[test]
fn c48_the_other_way_round_a_list_is_the_exact_reverse() {
    in_office(|office| {
        pipeline(office);
        let mut listed =
            |sort: &str| keys(&office.run("chunk.list", json!({"type": "dev_spec", "sort": sort})));
        for sort in ["priority", "status", "created", "updated"] {
            let mut there = listed(sort);
            there.reverse();
            assert_eq!(listed(&format!("-{sort}")), there, "{sort}");
        }
    });
}

#[test]
fn c47_c49_a_field_takes_one_value_or_several_and_fields_combine() {
    in_office(|office| {
        pipeline(office);
        let fields = json!({"status": ["new", "blocked"], "priority": "high"});
        let asked = json!({"type": "dev_spec", "fields": fields, "sort": "status"});
        for _ in 0..3 {
            let listed = office.run("chunk.list", asked.clone());
            assert_eq!(keys(&listed), ["new-high", "blocked-high"]);
        }
    });
}

#[test]
fn c49_a_cursor_goes_on_where_a_page_ended_whatever_comes_meanwhile() {
    in_office(|office| {
        pipeline(office);
        let mut asked = json!({"type": "dev_spec", "sort": "-priority", "limit": 5});
        let (mut found, mut pages) = (Vec::new(), 0);
        loop {
            let listed = office.run("chunk.list", asked.clone());
            assert_eq!(listed["total"], 24);
            found.extend(keys(&listed));
            pages += 1;
            if listed["next_cursor"].is_null() {
                break;
            }
            asked["cursor"] = listed["next_cursor"].clone();
        }
        assert_eq!(pages, 5);
        let all = office.run("chunk.list", json!({"type": "dev_spec", "sort": "-priority"}));
        assert_eq!(found, keys(&all));
        asked["sort"] = json!("priority");
        let refusal = office.refused("chunk.list", asked);
        assert!(refusal.contains("is of a list with other filters"), "{refusal}");
    });
}

fn titles(shelf: &Shelf, args: &[&str]) -> Vec<String> {
    let listed = shelf.does(&[&["chunk", "list"], args].concat());
    let chunks = listed["chunks"].as_array().unwrap().iter();
    chunks.map(|chunk| text(&chunk["title"])).collect()
}

#[test]
fn c47_chunks_are_listed_by_owner_tag_key_and_link() {
    on_both(|shelf| {
        let one = shelf.knows("One", "x");
        shelf.does(&["chunk", "write", "principle", "Two", "x", "-t", "db,sql", "--key", "p/two"]);
        shelf.does(&["chunk", "write", "lesson", "Three", "x", "-P", "web", "-t", "db"]);
        shelf.does(&["chunk", "link", "three", &one, "--reason", "learned there"]);
        shelf.remembers("w1", "Four");
        assert_eq!(titles(shelf, &[]), ["One", "Two", "Three", "Four"]);
        for (args, expected) in [
            (["-P", "api"], vec!["One"]),
            (["--scope", "org"], vec!["Two"]),
            (["--scope", "project"], vec!["One", "Three"]),
            (["--owner", "agent:w1"], vec!["Four"]),
            (["--owner", "project:web"], vec!["Three"]),
            (["--tag", "db,sql"], vec!["Two"]),
            (["--tags-any", "db,sql"], vec!["Two", "Three"]),
            (["--linked-to", "one"], vec!["Three"]),
            (["--key-prefix", "p/"], vec!["Two"]),
            (["--created-before", "2020-01-01"], vec![]),
            (["--updated-after", "2020-01-01"], vec!["One", "Two", "Three", "Four"]),
            (["--sort", "-created"], vec!["Four", "Three", "Two", "One"]),
        ] {
            assert_eq!(titles(shelf, &args), expected, "{args:?}");
        }
    });
}

#[test]
fn c52_nobody_is_listed_what_they_may_not_read() {
    on_both(|shelf| {
        shelf.knows("Shared", "x");
        shelf.remembers("w1", "Mine");
        assert_eq!(titles(shelf, &["--agent", "w1"]), ["Shared", "Mine"]);
        assert_eq!(titles(shelf, &["--agent", "w2"]), ["Shared"]);
        let others = ["chunk", "list", "--owner", "agent:w1", "--agent", "w2"];
        shelf.refuses(&others, "not_allowed", 7);
        let listed = shelf.does(&["chunk", "list", "--agent", "w2"]);
        assert_eq!(listed["total"], 1);
    });
}

#[test]
fn what_does_not_hold_any_more_is_listed_when_it_is_asked_for() {
    on_both(|shelf| {
        let (old, new) = (shelf.knows("Old", "x"), shelf.knows("New", "x"));
        shelf.does(&["chunk", "supersede", &old, "--with", &new, "--reason", "better"]);
        assert_eq!(titles(shelf, &[]), ["New"]);
        assert_eq!(titles(shelf, &["--state", "superseded"]), ["Old"]);
        assert_eq!(titles(shelf, &["--state", "all"]), ["Old", "New"]);
    });
}

#[test]
fn only_the_parts_that_are_asked_for_are_shown() {
    on_both(|shelf| {
        shelf.does(&["chunk", "write", "dev_spec", "Log in", "By mail", "-P", "api"]);
        let show = ["chunk", "list", "--type", "dev_spec", "--show", "title,status,content"];
        let chunk = shelf.does(&show)["chunks"][0].clone();
        let parts: Vec<&String> = chunk.as_object().unwrap().keys().collect();
        assert_eq!(parts, ["chunk_id", "content", "fields", "title"]);
        assert_eq!(chunk["fields"], json!({"status": "new"}));
        let usual = shelf.does(&["chunk", "list"])["chunks"][0].clone();
        assert_eq!(usual.get("content"), None, "what may be long is not listed unasked");
    });
}

#[test]
fn c50_what_cannot_be_listed_by_is_refused_with_the_nearest() {
    on_both(|shelf| {
        let suggested = |args: &[&str], code: &str| {
            let error = shelf.refuses(&[&["chunk", "list"], args].concat(), code, 3);
            error["suggestions"].clone()
        };
        let spec = ["--type", "dev_spec"];
        let with = |more: &[&'static str]| [&spec, more].concat();
        assert_eq!(suggested(&with(&["--field", "statu=new"]), "unknown_field"), json!(["status"]));
        assert_eq!(suggested(&with(&["--field", "status=nwe"]), "invalid_value"), json!(["new"]));
        assert_eq!(suggested(&with(&["--sort", "-prioriy"]), "unknown_field"), json!(["priority"]));
        assert_eq!(suggested(&with(&["--show", "titel"]), "unknown_field"), json!(["title"]));
        assert_eq!(suggested(&["--state", "supersede"], "invalid_value"), json!(["superseded"]));
        let missing =
            shelf.refuses(&["chunk", "list", "--type", "dev_spek"], "chunk_type_not_found", 4);
        assert_eq!(missing["suggestions"], json!(["dev_spec"]));
        shelf.refuses(&["chunk", "list", "--field", "status=new"], "usage", 2);
        shelf.refuses(&["chunk", "list", "--limit", "0"], "invalid_value", 3);
    });
}

#[test]
fn a_search_takes_tags_as_a_list_does() {
    on_both(|shelf| {
        for (title, tags) in [("One", "db"), ("Two", "db,sql"), ("Three", "sql")] {
            let write = ["chunk", "write", "knowledge", title, "the same words", "-P", "api", "-t"];
            shelf.does(&[&write[..], &[tags]].concat());
        }
        for command in [["chunk", "list", "-t", "sql,db"], ["chunk", "search", "same", "-tsql,db"]]
        {
            let found = shelf.does(&command)["chunks"].clone();
            let titles: Vec<_> =
                found.as_array().unwrap().iter().map(|one| &one["title"]).collect();
            assert_eq!(titles, ["Two"], "{command:?}");
        }
    });
}
