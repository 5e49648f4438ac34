//! Chunk types: what people add, change, hide and take back.

use serde_json::{Value, json};
use windlass_tests::ledgers::text;

use crate::shelf::{Shelf, on_both};

/// A type whose level is one of these.
fn of_levels(values: &[&str]) -> Value {
    json!({"fields": [{"name": "level", "type": "enum", "values": values}]})
}

fn set(shelf: &Shelf, slug: &str, definition: &Value) -> Value {
    shelf.does(&["chunk", "type", "set", slug, "--definition", &definition.to_string()])
}

fn write(shelf: &Shelf, level: &str) -> String {
    let field = format!("level={level}");
    let write = ["chunk", "write", "risk", "a", "b", "-P", "api", "--field", &field];
    text(&shelf.does(&write)["chunk_id"])
}

fn slugs(shelf: &Shelf, more: &[&str]) -> Vec<String> {
    let listed = shelf.does(&[&["chunk", "type", "list"], more].concat());
    let types = listed["definitions"].as_array().unwrap();
    types.iter().map(|known| text(&known["slug"])).collect()
}

#[test]
fn c13_c14_the_types_of_hizal_and_of_the_pipeline_are_there_and_no_blocker() {
    on_both(|shelf| {
        let slugs = slugs(shelf, &[]);
        assert_eq!(slugs.len(), 22);
        for slug in ["dev_spec", "dev_package", "dev_incident", "dev_rollback", "memory", "lesson"]
        {
            assert!(slugs.iter().any(|known| known == slug), "{slug}");
        }
        assert!(!slugs.iter().any(|known| known == "dev_blocker"));
    });
}

#[test]
fn c12_a_type_is_added_without_code_and_used_at_once() {
    on_both(|shelf| {
        let work = shelf.ledger.home.work();
        let toml = "scope = 'org'\n[[fields]]\nname = 'level'\ntype = 'enum'\n\
                    values = ['high', 'low']\ndefault = 'low'\n[[template.headings]]\n\
                    title = 'What'\n";
        std::fs::write(work.join("risk.toml"), toml).unwrap();
        let set = ["chunk", "type", "set", "risk", "--from", "risk.toml"];
        let set = shelf.ledger.windlass(&set).cwd(&work).run().ok();
        assert_eq!(set.json()["origin"], "added");
        let written = shelf.does(&["chunk", "write", "RISK", "a", "# What\nFire"]);
        assert_eq!(
            (&written["scope"], &written["fields"]["level"]),
            (&json!("org"), &json!("low"))
        );
        let piped = shelf.ledger.windlass(&["chunk", "type", "set", "risk", "--from", "-"]);
        let _same = piped.stdin(toml).run().ok();
        shelf.is_sound();
    });
}

#[test]
fn c17_a_field_is_shown_with_all_that_defines_it() {
    on_both(|shelf| {
        let field = json!({"name": "level", "type": "enum", "required": true, "default": "low",
            "values": ["high", "low"], "description": "how bad"});
        set(shelf, "risk", &json!({"fields": [field]}));
        let shown = shelf.does(&["chunk", "type", "show", "risk"]);
        assert_eq!(shown["definition"]["fields"], json!([field]));
    });
}

#[test]
fn a_definition_that_is_none_is_refused() {
    on_both(|shelf| {
        for (definition, code, exit) in [
            (json!({"fields": [{"name": "title", "type": "text"}]}), "invalid_value", 3),
            (json!({"scop": "org"}), "invalid_value", 3),
            (json!({"scope": "team"}), "invalid_value", 3),
            (json!({"fields": [{"name": "x", "type": "colour"}]}), "invalid_value", 3),
            (json!({"fields": [{"name": "x", "type": "enum"}]}), "invalid_value", 3),
            (json!({"audience": {"rules": [{"nobody": true}]}}), "invalid_value", 3),
            (json!({"creators": ["dev_codr"]}), "agent_type_not_found", 4),
        ] {
            let definition = definition.to_string();
            let set = ["chunk", "type", "set", "risk", "--definition", &definition];
            shelf.refuses(&set, code, exit);
        }
        shelf.refuses(&["chunk", "type", "set", "a b", "--definition", "{}"], "invalid_value", 3);
        shelf.refuses(&["chunk", "type", "set", "risk"], "usage", 2);
        let broken = shelf.ledger.windlass(&["chunk", "type", "set", "risk", "--from", "-"]);
        assert_eq!(broken.stdin("scope =").run().code, Some(3));
    });
}

#[test]
fn what_is_shown_is_set_under_another_name() {
    on_both(|shelf| {
        let shown = shelf.does(&["chunk", "type", "show", "dev_incident"])["definition"].clone();
        let copied = set(shelf, "outage", &shown);
        assert_eq!(
            (&copied["slug"], &copied["definition"]["fields"]),
            (&json!("outage"), &shown["fields"])
        );
    });
}

#[test]
fn c24_a_value_that_is_in_use_stays_and_one_that_is_not_may_go() {
    on_both(|shelf| {
        set(shelf, "risk", &of_levels(&["high", "middle", "low"]));
        let id = write(shelf, "low");
        let without = of_levels(&["high"]).to_string();
        let change = ["chunk", "type", "set", "risk", "--definition", &without];
        let error = shelf.refuses(&change, "type_in_use", 3);
        assert_eq!(
            (&error["details"]["value"], &error["details"]["chunks"]),
            (&json!("low"), &json!(1))
        );
        set(shelf, "risk", &of_levels(&["high", "low"]));
        shelf.does(&["chunk", "update", &id, "--field", "level=high"]);
        shelf.does(&change);
    });
}

#[test]
fn c24_a_new_field_with_a_default_shows_on_old_chunks() {
    on_both(|shelf| {
        set(shelf, "risk", &of_levels(&["low"]));
        let id = write(shelf, "low");
        let fields = json!([
            {"name": "level", "type": "enum", "values": ["low"]},
            {"name": "area", "type": "text", "required": true, "default": "everywhere"},
        ]);
        set(shelf, "risk", &json!({ "fields": fields }));
        assert_eq!(shelf.shows(&id)["fields"], json!({"level": "low", "area": "everywhere"}));
        assert_eq!(shelf.shows(&id)["version"], 1);
    });
}

#[test]
fn a_hidden_type_is_not_offered_and_its_chunks_stay() {
    on_both(|shelf| {
        let lesson = ["chunk", "write", "lesson", "a", "b", "-P", "api"];
        let id = text(&shelf.does(&lesson)["chunk_id"]);
        shelf.does(&["chunk", "type", "hide", "lesson"]);
        shelf.refuses(&lesson, "chunk_type_not_found", 4);
        assert_eq!(shelf.shows(&id)["content"], "b");
        assert_eq!((slugs(shelf, &[]).len(), slugs(shelf, &["--all"]).len()), (21, 22));
        shelf.does(&["chunk", "type", "remove", "lesson"]);
        shelf.does(&lesson);
    });
}

#[test]
fn what_was_added_is_taken_back_and_what_is_brought_along_is_not() {
    on_both(|shelf| {
        set(shelf, "risk", &of_levels(&["low"]));
        let id = write(shelf, "low");
        shelf.refuses(&["chunk", "type", "remove", "risk"], "definition_in_use", 3);
        shelf.does(&["chunk", "delete", &id]);
        assert_eq!(shelf.does(&["chunk", "type", "remove", "risk"])["restored"], false);
        shelf.refuses(&["chunk", "type", "show", "risk"], "chunk_type_not_found", 4);
        shelf.refuses(&["chunk", "type", "remove", "lesson"], "invalid_value", 3);
        set(shelf, "lesson", &json!({"name": "Lehre"}));
        assert_eq!(shelf.does(&["chunk", "type", "remove", "lesson"])["restored"], true);
        assert_eq!(shelf.does(&["chunk", "type", "show", "lesson"])["name"], "Lesson");
        shelf.is_sound();
    });
}

#[test]
fn what_is_brought_along_returns_only_if_the_chunks_fit_it() {
    on_both(|shelf| {
        let states = ["pending", "merged", "deployed", "abandoned", "lost"];
        let state = json!({"name": "state", "type": "enum", "values": states, "default": "lost"});
        set(shelf, "dev_package", &json!({ "fields": [state] }));
        shelf.does(&["chunk", "write", "dev_package", "a", "b", "-P", "api"]);
        shelf.refuses(&["chunk", "type", "remove", "dev_package"], "type_in_use", 3);
    });
}

#[test]
fn what_a_spec_shows_of_its_task_is_not_redefined() {
    on_both(|shelf| {
        let fields = json!({"fields": [{"name": "team", "type": "text"}]}).to_string();
        let set = ["chunk", "type", "set", "dev_spec", "--definition", &fields];
        shelf.refuses(&set, "type_in_use", 3);
    });
}

#[test]
fn c7_one_slug_is_in_several_namespaces() {
    on_both(|shelf| {
        assert_eq!(shelf.does(&["chunk", "type", "show", "dev_research"])["slug"], "dev_research");
        assert_eq!(shelf.does(&["lifecycle", "show", "dev_research"])["slug"], "dev_research");
    });
}

#[test]
fn the_audience_of_a_type_names_projects() {
    on_both(|shelf| {
        let set = |project: &str| {
            let definition = json!({
                "scope": "org", "audience": {"rules": [{"project_ids": [project]}]},
            });
            definition.to_string()
        };
        let define = ["chunk", "type", "set", "risk", "--definition"];
        let defined = shelf.does(&[&define[..], &[&set("api")]].concat());
        let aimed = json!({"rules": [{"project_ids": ["api"]}]});
        assert_eq!(defined["definition"]["audience"], aimed);
        shelf.does(&["project", "rename", "api", "harbour"]);
        let shown = shelf.does(&["chunk", "type", "show", "risk"]);
        let again = shown["definition"].to_string();
        assert_eq!(
            shelf.does(&[&define[..], &[&again]].concat())["definition"],
            shown["definition"]
        );
        shelf.refuses(&[&define[..], &[&set("wep")]].concat(), "project_not_found", 4);
    });
}

#[test]
fn what_was_hidden_is_offered_again_as_it_was() {
    on_both(|shelf| {
        let type_of = |slug: &str| {
            let shown = shelf.does(&["chunk", "type", "show", slug]);
            [shown["origin"].clone(), shown["hidden"].clone()]
        };
        shelf.does(&["chunk", "type", "set", "risk", "--definition", r#"{"scope": "org"}"#]);
        for (slug, origin) in [("risk", "added"), ("lesson", "built_in")] {
            shelf.does(&["chunk", "type", "hide", slug]);
            assert_eq!(type_of(slug)[1], true);
            shelf.does(&["chunk", "type", "hide", slug, "--undo"]);
            assert_eq!(type_of(slug), [json!(origin), json!(false)]);
        }
        let before = shelf.ledger.events();
        shelf.does(&["chunk", "type", "hide", "lesson", "--undo"]);
        assert_eq!(shelf.ledger.events(), before, "what is shown already is not recorded again");
        shelf.is_sound();
    });
}
