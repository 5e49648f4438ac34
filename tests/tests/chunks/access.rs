//! What an agent keeps for itself, and what is of another project, in every path.

use serde_json::{Value, json};
use windlass_tests::ledgers::{error_of, text};

use crate::door::Door;
use crate::shelf::{Shelf, on_both};

/// Every command that names a chunk; it stands where `IT` is.
const PATHS: [&[&str]; 18] = [
    &["chunk", "show", "IT"],
    &["chunk", "show", "IT", "--version", "1"],
    &["chunk", "versions", "IT"],
    &["chunk", "diff", "IT"],
    &["chunk", "chain", "IT"],
    &["chunk", "update", "IT", "--content", "mine"],
    &["chunk", "supersede", "IT", "--with", "OWN", "--reason", "r"],
    &["chunk", "supersede", "OWN", "--with", "IT", "--reason", "r"],
    &["chunk", "pin", "IT"],
    &["chunk", "unpin", "IT"],
    &["chunk", "expire", "IT", "1d"],
    &["chunk", "delete", "IT"],
    &["chunk", "check-source", "IT", "--gone"],
    &["chunk", "link", "IT", "OWN", "--reason", "r"],
    &["chunk", "link", "OWN", "IT", "--reason", "r"],
    &["chunk", "unlink", "IT", "OWN", "--reason", "r"],
    &["chunk", "review", "IT", "--usefulness", "1", "--correctness", "1", "--action", "outdated"],
    &["chunk", "dismiss", "IT"],
];

/// A path with the chunks that it is about.
fn named<'a>(path: &[&'a str], it: &'a str, own: &'a str) -> Vec<&'a str> {
    let word = |word: &&'a str| match *word {
        "IT" => it,
        "OWN" => own,
        word => word,
    };
    path.iter().map(word).collect()
}

#[test]
fn the_memory_of_another_agent_is_not_there_in_any_path() {
    on_both(|shelf| {
        let (it, own) = (shelf.remembers("w2", "a secret"), shelf.remembers("w1", "my own"));
        for path in PATHS {
            for name in [it.as_str(), &it[20..], "a-secret"] {
                let command = [&named(path, name, &own)[..], &["--agent", "w1"]].concat();
                let error = shelf.refuses(&command, "chunk_not_found", 4);
                let missing = named(path, "ZZZZZZ", &own);
                let never_was = shelf.tries(&[&missing[..], &["--agent", "w1"]].concat());
                let never_was = error_of(&never_was, "chunk_not_found", 4);
                let said = text(&never_was["message"]).replace("ZZZZZZ", name);
                assert_eq!((text(&error["message"]), &error["hint"]), (said, &never_was["hint"]));
            }
        }
    });
}

#[test]
fn a_person_reads_and_keeps_in_order_what_agents_remember() {
    on_both(|shelf| {
        let it = shelf.remembers("w1", "something wrong");
        assert_eq!(shelf.shows(&it)["agent"], "w1");
        shelf.does(&["chunk", "update", &it, "--content", "something right"]);
        shelf.does(&["chunk", "delete", &it]);
    });
}

#[test]
fn a_query_key_is_free_for_everybody_who_cannot_see_the_other() {
    on_both(|shelf| {
        shelf.remembers("w2", "the same words");
        let kept = shelf.does(&["remember", "the same words", "--agent", "w1"]);
        assert_eq!(kept["query_key"], "the-same-words");
    });
}

#[test]
fn an_agent_writes_no_memory_of_another() {
    on_both(|shelf| {
        let write = ["chunk", "write", "memory", "a", "b", "--owner", "w2"];
        shelf.refuses(&[&write[..], &["--agent", "w1"]].concat(), "not_allowed", 7);
        assert_eq!(shelf.does(&write)["agent"], "w2");
    });
}

#[test]
fn a_key_for_a_project_neither_sees_nor_changes_another() {
    on_both(|shelf| {
        let write = ["chunk", "write", "knowledge", "Of web", "x", "-P", "web"];
        let it = text(&shelf.does(&write)["chunk_id"]);
        let own = shelf.knows("Of api", "x");
        let door = Door::of(shelf);
        for (operation, arguments) in [
            ("chunk.show", json!({"chunk": it})),
            ("chunk.show", json!({"chunk": "of-web"})),
            ("chunk.versions", json!({"chunk": it})),
            ("chunk.diff", json!({"chunk": it})),
            ("chunk.chain", json!({"chunk": it})),
            ("chunk.update", json!({"chunk": it, "content": "y"})),
            ("chunk.supersede", json!({"chunk": own, "with": it, "reason": "r"})),
            ("chunk.pin", json!({"chunk": it})),
            ("chunk.unpin", json!({"chunk": it})),
            ("chunk.expire", json!({"chunk": it, "until": "1d"})),
            ("chunk.delete", json!({"chunk": it})),
            ("chunk.check-source", json!({"chunk": it, "gone": true})),
            ("chunk.link", json!({"chunk": own, "to": it, "reason": "r"})),
            ("chunk.unlink", json!({"chunk": it, "to": own, "reason": "r"})),
            (
                "chunk.review",
                json!({"chunk": it, "usefulness": 1, "correctness": 1, "action": "useful"}),
            ),
            ("chunk.dismiss", json!({"chunk": it})),
        ] {
            let _refused = door.asks(operation, &arguments).refused("chunk_not_found", 404);
        }
        assert_eq!(
            door.asks("chunk.show", &json!({"chunk": own})).ok().json()["chunk"]["chunk_id"],
            own
        );
    });
}

#[test]
fn c93_a_key_for_a_project_writes_for_nobody_else() {
    on_both(|shelf| {
        let door = Door::of(shelf);
        let write = |more: Value| {
            let mut given = json!({"chunk_type": "knowledge", "title": "a", "content": "b"});
            given.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            door.asks("chunk.write", &given)
        };
        assert_eq!(write(json!({"project": "api"})).ok().json()["author"]["name"], "w1");
        let _refused = write(json!({"project": "web"})).refused("not_allowed", 403);
        let _refused = write(json!({"scope": "org"})).refused("not_allowed", 403);
        let other = json!({"chunk_type": "memory", "scope": "agent", "owner": "w2"});
        let _refused = write(other).refused("not_allowed", 403);
        let named = json!({"project": "api", "agent": "w2"});
        let _refused = write(named).refused("not_allowed", 403);
    });
}

#[test]
fn an_agent_changes_no_types() {
    on_both(|shelf| {
        let door = Door::of(shelf);
        for (operation, arguments) in [
            ("chunk.type.set", json!({"slug": "risk", "definition": {}})),
            ("chunk.type.hide", json!({"slug": "lesson"})),
            ("chunk.type.remove", json!({"slug": "lesson"})),
        ] {
            let _refused = door.asks(operation, &arguments).refused("not_allowed", 403);
        }
    });
}

/// C32: what an agent is, no argument says, and the agent itself does not.
#[test]
fn whoever_is_named_as_an_agent_defines_nothing_and_registers_nobody() {
    on_both(|shelf| {
        for args in [
            &["chunk", "type", "set", "risk", "--definition", "{}"][..],
            &["chunk", "type", "hide", "lesson"],
            &["agent", "type", "remove", "dev"],
            &["lifecycle", "hide", "dev"],
            &["agent", "register", "w1", "--type", "dev_assistant"],
            &["agent", "register", "w1", "--type", "dev_assistant", "--author", "anna"],
            &["agent", "unregister", "w1"],
        ] {
            let tried = shelf.ledger.windlass(args).env("WINDLASS_AGENT", "w1").run();
            assert_eq!(error_of(&tried, "not_allowed", 7)["code"], "not_allowed");
        }
    });
}

#[test]
fn the_inbox_shows_nobody_what_they_may_not_read() {
    on_both(|shelf| {
        let it = shelf.remembers("w2", "a secret");
        let flag = ["chunk", "review", &it, "--usefulness", "1", "--correctness", "1", "--action"];
        shelf.does(&[&flag[..], &["incorrect", "--agent", "w2"]].concat());
        assert_eq!(shelf.does(&["chunk", "inbox", "--agent", "w1"])["chunks"], json!([]));
        assert_eq!(shelf.does(&["chunk", "inbox"])["chunks"][0]["chunk_id"], json!(it));
    });
}

#[test]
fn links_and_chains_show_nobody_what_they_may_not_read() {
    on_both(|shelf| {
        let shared = shelf.knows("Shared", "x");
        let secret = shelf.remembers("w2", "a secret");
        let link = ["chunk", "link", &secret, &shared, "--reason", "about it", "--agent", "w2"];
        shelf.does(&link);
        for (who, count) in [("w1", 0), ("w2", 1)] {
            let shown = shelf.does(&["chunk", "show", &shared, "--agent", who]);
            assert_eq!(shown["incoming"].as_array().unwrap().len(), count, "{who}");
            let chain = shelf.does(&["chunk", "chain", &shared, "--agent", who]);
            assert_eq!(chain["basis_of"].as_array().unwrap().len(), count, "{who}");
        }
    });
}

#[test]
fn whoever_may_read_a_chunk_may_say_what_they_found_and_change_nothing_of_it() {
    on_both(|shelf| {
        let write = ["chunk", "write", "principle", "Small steps", "x", "--source-digest"];
        let digest = "0".repeat(64);
        let source = [digest.as_str(), "--source-file", "steps.md"];
        let it = text(&shelf.does(&[&write[..], &source].concat())["chunk_id"]);
        let door = Door::of(shelf);
        let review = json!({
            "chunk": it, "usefulness": 2, "correctness": 1, "action": "incorrect",
        });
        let reviewed = door.asks("chunk.review", &review).ok().json();
        assert_eq!(reviewed["signals"], json!(["agent_flag", "low_score"]));
        let checked = door.asks("chunk.check-source", &json!({"chunk": it, "gone": true}));
        assert_eq!(checked.ok().json()["changed"], true);
        for (operation, arguments) in [
            ("chunk.dismiss", json!({"chunk": it})),
            ("chunk.update", json!({"chunk": it, "content": "y"})),
            ("chunk.pin", json!({"chunk": it})),
            ("chunk.delete", json!({"chunk": it})),
        ] {
            let _refused = door.asks(operation, &arguments).refused("not_allowed", 403);
        }
        assert_eq!(shelf.shows(&it)["version"], 1);
    });
}

/// Agent w2 points from a shared chunk to its memory.
fn with_hidden_end(shelf: &Shelf) -> (String, String) {
    let (shared, secret) = (shelf.knows("Shared", "x"), shelf.remembers("w2", "a secret"));
    let link = ["chunk", "link", &shared, &secret, "--reason", "see there", "--agent", "w2"];
    shelf.does(&link);
    (shared, secret)
}

#[test]
fn a_link_to_what_somebody_may_not_read_is_not_there() {
    on_both(|shelf| {
        let (shared, secret) = with_hidden_end(shelf);
        for command in [
            &["chunk", "show", &shared][..],
            &["chunk", "list"],
            &["chunk", "update", &shared, "--content", "y"],
            &["chunk", "link", &shared, "commit:0123abc", "--reason", "r"],
            &["chunk", "unlink", &shared, "commit:0123abc", "--reason", "r"],
            &["chunk", "pin", &shared],
        ] {
            let answer = shelf.does(&[command, &["--agent", "w1"]].concat());
            assert!(!answer.to_string().contains(&secret), "{command:?}: {answer}");
        }
        let unlink = ["chunk", "unlink", &shared, &format!("chunk:{secret}"), "--reason", "r"];
        shelf.refuses(&[&unlink[..], &["--agent", "w1"]].concat(), "chunk_not_found", 4);
        assert_eq!(shelf.shows(&shared)["links"][0]["to"], format!("chunk:{secret}"));
    });
}

#[test]
fn a_link_to_what_another_agent_forgot_is_not_there() {
    on_both(|shelf| {
        let (shared, secret) = with_hidden_end(shelf);
        let forget = ["chunk", "delete", &secret, "--force", "--reason", "r"];
        shelf.does(&[&forget[..], &["--agent", "w2"]].concat());
        let shown = |who: &str| shelf.does(&["chunk", "show", &shared, "--agent", who]);
        assert_eq!(shown("w1")["chunk"]["links"], json!([]));
        assert_eq!(shown("w2")["chunk"]["links"][0]["to"], format!("chunk:{secret}"));
    });
}

#[test]
fn hidden_links_neither_hinder_a_deletion_nor_are_counted() {
    on_both(|shelf| {
        let (shared, secret) = (shelf.knows("Shared", "x"), shelf.remembers("w2", "a secret"));
        let link = ["chunk", "link", &secret, &shared, "--reason", "about it", "--agent", "w2"];
        shelf.does(&link);
        shelf.refuses(&["chunk", "delete", &shared, "--agent", "w2"], "links_incoming", 3);
        let deleted = shelf.does(&["chunk", "delete", &shared, "--agent", "w1"]);
        assert_eq!(deleted["incoming"], 0);
    });
}
