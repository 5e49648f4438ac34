//! Whose something is: what Hizal's tools gave away to whoever had any key (contract, section 1.9,
//! defects 1 to 7).

use serde_json::{Value, json};
use windlass_testkit::server::Served;
use windlass_tests::ledgers::{Ledger, text};

use crate::http::{Session, key, serve};

/// A server with the projects api and web.
fn house() -> (Ledger, Served) {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let _created = ledger.answer(&["project", "create", "web"]);
    (ledger, served)
}

/// An agent with a key of its own that may see project api alone.
fn guest<'a>(ledger: &Ledger, served: &'a Served, name: &str) -> Session<'a> {
    let secret = key(ledger, &format!("agent:{name}"), &["-P", "api", "--tools", "hizal"]);
    Session::begin(served, "/mcp", &secret)
}

fn remembered(ledger: &Ledger, agent: &str) -> String {
    text(&ledger.answer(&["remember", "the cache is slow", "--agent", agent])["chunk_id"])
}

fn known_in(ledger: &Ledger, project: &str, of: &str) -> String {
    let write = ["chunk", "write", of, "The cache", "It is slow.", "-P", project];
    text(&ledger.answer(&write)["chunk_id"])
}

#[track_caller]
fn code(session: &Session<'_>, tool: &str, given: Value) -> String {
    let result = session.call(tool, given);
    assert_eq!(result["isError"], true, "{result}");
    text(&result["structuredContent"]["code"])
}

#[test]
fn defect_1_what_another_organisation_holds_is_in_another_ledger() {
    let (other, _served) = house();
    let principle = ["chunk", "write", "principle", "Ours", "We do it so."];
    let _written = other.answer(&principle);
    let (ledger, served) = house();
    let started = guest(&ledger, &served, "w1").call("start_session", json!({}));
    assert_eq!(started["structuredContent"]["injected_chunks"], json!([]), "{started}");
}

#[test]
fn defect_2_a_session_in_a_project_of_others_is_refused() {
    let (ledger, served) = house();
    known_in(&ledger, "web", "convention");
    let w1 = guest(&ledger, &served, "w1");
    assert_eq!(code(&w1, "start_session", json!({"project_id": "web"})), "not_allowed");
}

#[test]
fn defect_3_what_an_agent_keeps_for_itself_is_not_found_by_others() {
    let (ledger, served) = house();
    remembered(&ledger, "w2");
    let w1 = guest(&ledger, &served, "w1");
    for tool in ["search_context", "compact_context"] {
        let found = w1.call(tool, json!({"query": "cache", "org_id": "another"}));
        let found = found["structuredContent"].to_string();
        assert!(!found.contains("slow"), "{found}");
        let asked = json!({"query": "cache", "agent_id": "w2"});
        assert_eq!(code(&w1, tool, asked), "not_allowed");
    }
    assert_eq!(code(&w1, "list_chunks", json!({"agent_id": "w2"})), "not_allowed");
}

#[test]
fn who_decided_a_principle_is_the_person_who_stores_it() {
    let (ledger, served) = house();
    let anna = key(&ledger, "person:anna", &["--tools", "hizal"]);
    let anna = Session::begin(&served, "/mcp", &anna);
    let given = |who: &str| {
        json!({"query_key": "honesty", "title": "Honesty", "content": "We say what is.",
               "promoted_by_user_id": who})
    };
    assert_eq!(code(&anna, "store_principle", given("ben")), "not_allowed");
    anna.call("store_principle", given("anna"));
    let read = anna.call("read_context", json!({"query_key": "honesty"}));
    let read = &read["structuredContent"];
    assert_eq!(
        (&read["tags"], &read["created_by"]),
        (&json!(["promoted-by:anna"]), &json!("anna"))
    );
}

#[test]
fn a_person_finds_what_an_agent_keeps() {
    let (ledger, served) = house();
    remembered(&ledger, "w2");
    let anna = key(&ledger, "person:anna", &["--tools", "hizal"]);
    let anna = Session::begin(&served, "/mcp", &anna);
    let found = anna.call("search_context", json!({"query": "cache", "agent_id": "w2"}));
    assert_eq!(found["structuredContent"]["results"][0]["agent_id"], "w2", "{found}");
}

#[test]
fn defect_4_what_is_another_agents_or_projects_is_not_there_whatever_id_is_given() {
    let (ledger, served) = house();
    let w1 = guest(&ledger, &served, "w1");
    for id in [remembered(&ledger, "w2"), known_in(&ledger, "web", "knowledge")] {
        for (tool, given) in [
            ("read_context", json!({"id": id})),
            ("get_context_versions", json!({"id": id})),
            ("update_context", json!({"id": id, "content": "x", "change_note": "y"})),
            ("delete_context", json!({"id": id, "project_id": "api"})),
            (
                "review_context",
                json!({"chunk_id": id, "usefulness": 1, "correctness": 1, "action": "incorrect"}),
            ),
            ("link_chunks", json!({"from_id": id, "to_id": id, "reason": "x"})),
        ] {
            assert_eq!(code(&w1, tool, given), "chunk_not_found", "{tool}");
        }
    }
}

#[test]
fn defect_6_nothing_is_written_for_another_agent_or_project() {
    let (ledger, served) = house();
    let w1 = guest(&ledger, &served, "w1");
    let said = |more: Value| {
        let mut said = json!({"query_key": "k", "title": "t", "content": "c"});
        said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        said
    };
    for tool in ["write_memory", "write_identity"] {
        assert_eq!(code(&w1, tool, said(json!({"agent_id": "w2"}))), "not_allowed", "{tool}");
    }
    for tool in ["write_knowledge", "write_convention", "write_context"] {
        assert_eq!(code(&w1, tool, said(json!({"project_id": "web"}))), "not_allowed", "{tool}");
    }
    assert_eq!(code(&w1, "write_org_knowledge", said(json!({"org_id": "o"}))), "not_allowed");
}

#[test]
fn defect_7_what_a_filter_says_is_text_and_never_a_statement() {
    let (ledger, served) = house();
    known_in(&ledger, "web", "knowledge");
    let w1 = guest(&ledger, &served, "w1");
    let given = json!({"query": "cache", "query_key": "x' OR '1'='1"});
    let result = w1.call("search_context", given);
    assert!(!result.to_string().contains("slow"), "{result}");
}

#[test]
fn c122_the_tools_of_a_key_are_those_it_may_use() {
    let (ledger, served) = house();
    let names = |secret: &str| {
        let session = Session::begin(&served, "/mcp?tools=all", secret);
        let listed = session.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| text(&tool["name"])).collect::<Vec<_>>()
    };
    let worker = names(&key(&ledger, "agent:w1", &[]));
    assert!(worker.contains(&"task_claim".to_owned()), "{worker:?}");
    for tool in ["key_create", "agent_register"] {
        assert!(!worker.contains(&tool.to_owned()), "{tool}");
        assert!(names(&served.token()).contains(&tool.to_owned()), "{tool}");
    }
}
