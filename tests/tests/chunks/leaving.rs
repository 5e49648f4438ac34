//! What becomes of the chunks of a project that is deleted.

use serde_json::json;
use windlass_tests::ledgers::text;

use crate::shelf::on_both;

#[test]
fn a_project_with_nothing_but_chunks_is_not_deleted_without_a_word() {
    on_both(|shelf| {
        shelf.knows("Limits", "60 a minute");
        let error = shelf.refuses(&["project", "delete", "api"], "usage", 2);
        assert_eq!(error["details"]["chunk_count"], 1);
        for way in ["--move-to", "--delete-chunks"] {
            assert!(text(&error["hint"]).contains(way), "{error}");
        }
        let both = ["project", "delete", "api", "--move-to", "web", "--delete-chunks"];
        shelf.refuses(&both, "usage", 2);
    });
}

#[test]
fn chunks_go_where_the_tasks_of_their_project_go() {
    on_both(|shelf| {
        let it = shelf.knows("Limits", "60 a minute");
        shelf.does(&["chunk", "write", "knowledge", "Limits", "None", "-P", "web"]);
        let deleted = shelf.does(&["project", "delete", "api", "--move-to", "web"]);
        assert_eq!((&deleted["chunk_count"], &deleted["moved_to"]), (&json!(1), &json!("web")));
        let shown = shelf.shows(&it);
        assert_eq!(
            (&shown["project"], &shown["query_key"], &shown["version"]),
            (&json!("web"), &json!("limits-2"), &json!(2))
        );
        shelf.is_sound();
    });
}

#[test]
fn chunks_are_deleted_with_their_project_if_that_is_said() {
    on_both(|shelf| {
        let it = shelf.knows("Limits", "60 a minute");
        let other = shelf.remembers("w1", "limits");
        shelf.does(&["chunk", "link", &other, &it, "--reason", "about it"]);
        shelf.does(&["project", "delete", "api", "--delete-chunks"]);
        shelf.refuses(&["chunk", "show", &it], "chunk_not_found", 4);
        let found = shelf.does(&["chunk", "search", "minute"]);
        assert_eq!(found["chunks"], json!([]));
        shelf.is_sound();
    });
}

#[test]
fn tasks_that_are_deleted_take_no_chunks_along_but_their_specs() {
    on_both(|shelf| {
        shelf.does(&["chunk", "write", "dev_spec", "Log in", "By mail", "-P", "api"]);
        shelf.knows("Limits", "60 a minute");
        let delete = ["project", "delete", "api", "--delete-tasks"];
        let error = shelf.refuses(&delete, "usage", 2);
        assert_eq!(error["details"]["chunk_count"], 1);
        let deleted = shelf.does(&[&delete[..], &["--delete-chunks"]].concat());
        assert_eq!(deleted["chunk_count"], 2);
        shelf.is_sound();
    });
}
