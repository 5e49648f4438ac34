//! The table against the operations, and what becomes of arguments.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_domain::{Code, Refusal};
use windlass_ops::table::Entry;

use super::TOOLS;
use super::tool::Tool;

/// What Hizal's own schemas ask for, but for ids that have no meaning here.
const NEEDED: [(&str, &[&str]); 25] = [
    ("start_session", &[]),
    ("get_active_session", &[]),
    ("resume_session", &["session_id"]),
    ("register_focus", &["session_id", "task"]),
    ("end_session", &["session_id"]),
    ("search_context", &["query"]),
    ("read_context", &[]),
    ("write_chunk", &["type", "query_key", "title", "content"]),
    ("update_context", &["id", "change_note"]),
    ("get_context_versions", &["id"]),
    ("list_chunks", &[]),
    ("link_chunks", &["from_id", "to_id", "reason"]),
    ("review_context", &["chunk_id", "usefulness", "correctness", "action"]),
    ("delete_context", &["id"]),
    ("compact_context", &["query"]),
    ("write_memory", &["query_key", "title", "content"]),
    ("write_identity", &["query_key", "title", "content"]),
    ("write_knowledge", &["project_id", "query_key", "title", "content"]),
    ("write_convention", &["project_id", "query_key", "title", "content"]),
    ("write_org_knowledge", &["query_key", "title", "content"]),
    ("store_principle", &["promoted_by_user_id", "query_key", "title", "content"]),
    ("write_context", &["project_id", "query_key", "title", "content"]),
    ("list_projects", &[]),
    ("create_project", &["name"]),
    ("list_agents", &[]),
];

fn tool(name: &str) -> &'static Tool {
    TOOLS.iter().find(|tool| tool.name == name).unwrap()
}

fn translated(name: &str, given: Value) -> Result<Value, Refusal> {
    tool(name).arguments(given.as_object().unwrap().clone())
}

#[test]
fn every_tool_is_there_with_what_it_needs() {
    for (tool, (name, needed)) in TOOLS.iter().zip(NEEDED) {
        let asked = tool.fields().filter(|field| field.is_needed).map(|field| field.name);
        assert_eq!((tool.name, asked.collect::<Vec<_>>()), (name, needed.to_vec()));
    }
    assert_eq!(TOOLS.len(), NEEDED.len());
}

#[test]
fn every_field_is_one_of_the_operation() {
    for tool in &TOOLS {
        let entry = Entry::named(tool.operation).unwrap();
        let ours = entry.fields();
        let fields = tool.fields().filter_map(|field| field.to);
        for to in fields.chain(tool.usual.iter().map(|(to, _)| *to)) {
            assert!(ours.contains(&to.to_owned()), "{}: {to} of {}", tool.name, entry.name);
        }
    }
}

#[test]
fn what_an_operation_needs_every_tool_of_it_gives() {
    for tool in &TOOLS {
        let schema = (Entry::named(tool.operation).unwrap().input)().to_value();
        for needed in schema["required"].as_array().into_iter().flatten() {
            let is_usual = tool.usual.iter().any(|(to, _)| needed == to);
            let is_given = tool.fields().any(|field| field.to.is_some_and(|to| needed == to));
            assert!(is_usual || is_given, "{}: {needed}", tool.name);
        }
    }
}

#[test]
fn no_field_is_there_twice() {
    for tool in &TOOLS {
        let names: BTreeSet<&str> = tool.fields().map(|field| field.name).collect();
        assert_eq!(names.len(), tool.fields().count(), "{}", tool.name);
    }
}

#[test]
fn arguments_are_those_of_the_operation() {
    let given = json!({
        "type": "DECISION", "query_key": "k", "title": "t", "content": "c", "project_id": "api",
        "scope": "PROJECT", "org_id": "o-1", "source_lines": [1, 2],
        "inject_audience": r#"{"rules":[{"all":true}]}"#, "custom_fields": {"a": 1}, "tags": null,
    });
    assert_eq!(
        translated("write_chunk", given).unwrap(),
        json!({
            "chunk_type": "decision", "query_key": "k", "title": "t", "content": "c",
            "project": "api", "scope": "project", "source_lines": [1, 2],
            "audience": {"rules": [{"all": true}]}, "fields": {"a": 1},
        })
    );
}

#[test]
fn what_was_not_given_is_said() {
    let refusal = translated("write_chunk", json!({"type": "plan", "title": null})).unwrap_err();
    assert_eq!(refusal.code, Code::Usage);
    assert_eq!(refusal.message, "the tool write_chunk needs query_key, title, content");
    assert_eq!(translated("read_context", json!({})).unwrap_err().code, Code::Usage);
}

#[test]
fn a_chunk_that_is_no_projects_has_no_project() {
    let said = |of: &str, scope: Value| {
        let given = json!({
            "type": of, "scope": scope, "query_key": "k", "title": "t", "content": "c",
            "project_id": "api",
        });
        translated("write_chunk", given).unwrap().get("project").is_some()
    };
    assert!(said("DECISION", Value::Null) && said("of-our-own", Value::Null));
    assert!(!said("MEMORY", Value::Null) && !said("DECISION", json!("ORG")));
    assert!(said("MEMORY", json!("PROJECT")));
}

#[test]
fn a_chunk_is_read_by_its_id_or_by_a_key_of_a_project() {
    let read = |given| translated("read_context", given).unwrap();
    assert_eq!(read(json!({"id": "A", "project_id": "api"})), json!({"chunk": "A"}));
    assert_eq!(
        read(json!({"query_key": "k", "project_id": "api"})),
        json!({"chunk": "k", "project": "api"})
    );
}

#[test]
fn a_project_is_called_by_its_slug() {
    let made = translated("create_project", json!({"name": "The API", "slug": "api"}));
    assert_eq!(made.unwrap(), json!({"name": "api"}));
}
