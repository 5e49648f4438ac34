//! How long a chunk holds.

use serde_json::json;
use windlass_tests::ledgers::text;
use windlass_tests::office::in_office;

use crate::shelf::on_both;

#[test]
fn a_superseded_chunk_stays_readable_and_says_by_what() {
    on_both(|shelf| {
        let (old, new) = (shelf.knows("Old", "x"), shelf.knows("New", "y"));
        shelf.does(&["chunk", "supersede", &old, "--with", &new, "--reason", "we moved"]);
        let shown = shelf.shows(&old);
        assert_eq!((&shown["current"], &shown["superseded"]["by"]), (&json!(false), &json!(new)));
        assert_eq!(
            (&shown["superseded"]["reason"], &shown["content"]),
            (&json!("we moved"), &json!("x"))
        );
        let itself = ["chunk", "supersede", &new, "--with", &new, "--reason", "r"];
        shelf.refuses(&itself, "invalid_value", 3);
        let by_older = ["chunk", "supersede", &new, "--with", &old, "--reason", "r"];
        shelf.refuses(&by_older, "invalid_value", 3);
        let unsaid = ["chunk", "supersede", &old, "--with", &new, "--reason", " "];
        shelf.refuses(&unsaid, "reason_required", 3);
    });
}

#[test]
fn a_chunk_expires_unless_it_is_pinned() {
    in_office(|office| {
        let write =
            json!({"chunk_type": "principle", "title": "a", "content": "b", "expires": "1h"});
        let id = text(&office.run("chunk.write", write)["chunk_id"]);
        let is_current = |office: &mut windlass_tests::office::Office| {
            office.run("chunk.show", json!({"chunk": id}))["chunk"]["current"].clone()
        };
        assert_eq!(is_current(office), true);
        assert_eq!(is_current(office.after_minutes(60)), false);
        office.run("chunk.pin", json!({"chunk": id}));
        assert_eq!(is_current(office), true);
        office.run("chunk.unpin", json!({"chunk": id}));
        office.run("chunk.expire", json!({"chunk": id, "until": "never"}));
        assert_eq!(is_current(office), true);
    });
}

#[test]
fn when_a_chunk_expires_is_a_time() {
    on_both(|shelf| {
        let id = shelf.knows("a", "b");
        for until in ["soon", "30", "", "-1d"] {
            shelf.refuses(&["chunk", "expire", &id, &format!("--until={until}")], "usage", 2);
        }
        for until in ["soon", "30"] {
            shelf.refuses(&["chunk", "expire", &id, until], "invalid_value", 3);
        }
    });
}

#[test]
fn what_is_deleted_is_gone_and_its_key_is_free() {
    on_both(|shelf| {
        let id = shelf.knows("One database", "x");
        shelf.does(&["chunk", "delete", &id]);
        for name in [id.as_str(), "one-database"] {
            shelf.refuses(&["chunk", "show", name], "chunk_not_found", 4);
        }
        let again = shelf.knows("One database", "y");
        assert_eq!(shelf.shows("one-database")["chunk_id"], json!(again));
        shelf.is_sound();
    });
}

#[test]
fn c58_a_chunk_that_others_point_to_is_deleted_only_with_a_reason() {
    on_both(|shelf| {
        let (plan, spec) = (shelf.knows("Plan", "x"), shelf.knows("Spec", "y"));
        shelf.does(&["chunk", "link", &plan, &spec, "--reason", "Plan for this"]);
        let error = shelf.refuses(&["chunk", "delete", &spec], "links_incoming", 3);
        assert_eq!(error["details"]["links"], 1);
        shelf.refuses(&["chunk", "delete", &spec, "--force"], "reason_required", 3);
        let forced = ["chunk", "delete", &spec, "--force", "--reason", "never built"];
        assert_eq!(shelf.does(&forced)["incoming"], 1);
        shelf.does(&["chunk", "delete", &plan]);
    });
}

#[test]
fn a_chunk_is_not_superseded_by_one_that_fewer_may_read() {
    on_both(|shelf| {
        let (shared, own) = (shelf.knows("Shared", "x"), shelf.remembers("w1", "better"));
        let supersede = ["chunk", "supersede", "--reason", "r", "--agent", "w1"];
        let narrower = [&supersede[..], &[&shared, "--with", &own]].concat();
        shelf.refuses(&narrower, "invalid_value", 3);
        shelf.does(&[&supersede[..], &[&own, "--with", &shared]].concat());
    });
}

#[test]
fn a_chunk_that_supersedes_another_is_deleted_only_by_force() {
    on_both(|shelf| {
        let (old, new) = (shelf.knows("Old", "x"), shelf.knows("New", "y"));
        shelf.does(&["chunk", "supersede", &old, "--with", &new, "--reason", "we moved"]);
        let delete = ["chunk", "delete", &new];
        let error = shelf.refuses(&delete, "links_incoming", 3);
        assert_eq!(error["details"]["supersedes"], json!([old]));
        shelf.does(&[&delete[..], &["--force", "--reason", "both are wrong"]].concat());
    });
}
