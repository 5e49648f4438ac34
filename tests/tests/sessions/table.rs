//! What each lifecycle of the pipeline is given (contract C60 to C67), row by row.

use serde_json::{Value, json};

use crate::room::{Room, on_both, titles};

fn everybody() -> Value {
    json!({"scope": "org"})
}

fn here() -> Value {
    json!({"project": "api"})
}

fn tagged(tag: &str) -> Value {
    json!({"project": "api", "tags": [tag]})
}

fn aimed_at(agent_type: &str) -> Value {
    json!({"project": "web", "audience": {"rules": [{"agent_types": [agent_type]}]}})
}

/// One chunk of everything that somebody could be given or not.
fn furnish(room: &mut Room<'_>, agent: &str) {
    for owner in [agent, "somebody else"] {
        let title = format!("identity of {owner}");
        room.writes("identity", &title, json!({"owner": owner}));
        for memory in ["old", "last"] {
            room.remembers(owner, &format!("{memory} memory of {owner}"));
        }
    }
    room.writes("principle", "principle", everybody());
    room.writes("convention", "convention", here());
    room.writes("convention", "convention elsewhere", json!({"project": "web"}));
    room.writes("constraint", "constraint", here());
    room.writes("convention", "testing standard", tagged("testing"));
    room.writes("convention", "deployment procedure", tagged("deployment"));
    room.writes("convention", "infrastructure", tagged("infrastructure"));
    for other in ["knowledge", "decision", "dev_research", "dev_plan", "dev_implementation"] {
        room.writes(other, other, here());
    }
    for number in 1..=4 {
        room.writes("dev_deployment", &format!("deployment {number}"), here());
    }
    let blocked = room.writes("dev_spec", "blocked spec", aimed_at("dev_assistant"));
    let fields = json!({"status": "blocked", "blocked_reason": "which key?"});
    room.does("chunk.update", json!({"chunk": blocked, "fields": fields}));
    room.writes("dev_spec", "open spec", aimed_at("dev_assistant"));
    room.writes("dev_package", "pending package", json!({"project": "web"}));
    room.writes("dev_incident", "active incident", here());
    let old = json!({"project": "api", "fields": {"state": "resolved"}});
    room.writes("dev_incident", "old incident", old);
}

/// What an agent of the table is given beside its identity.
#[track_caller]
fn assert_given(agent: &str, expected: &[&str]) {
    on_both(|room| {
        furnish(room, agent);
        let session = room.sits(agent, json!({"project": "api"}));
        let given = titles(&session);
        assert_eq!(given[0], format!("identity of {agent}"));
        assert_eq!(given[1..], *expected, "{agent}");
        assert_eq!(room.would_give(agent, json!({"project": "api"})), given);
    });
}

#[test]
fn c60_the_assistant_is_given_its_last_memory_and_what_is_aimed_at_it() {
    let expected = ["last memory of assistant", "blocked spec", "pending package"];
    assert_given("assistant", &expected);
}

#[test]
fn c60_the_orchestrator_is_given_memory_principles_conventions_and_constraints() {
    let expected = ["last memory of orchestrator", "principle", "convention", "constraint"];
    assert_given("orchestrator", &expected);
}

#[test]
fn c60_the_researcher_is_given_principles_conventions_and_constraints() {
    assert_given("researcher", &["principle", "convention", "constraint"]);
}

#[test]
fn c60_the_planner_is_given_the_same() {
    assert_given("planner", &["principle", "convention", "constraint"]);
}

#[test]
fn c60_c61_c62_the_coder_is_given_conventions_and_constraints_and_nothing_else() {
    assert_given("coder", &["convention", "constraint"]);
}

#[test]
fn c60_qa_is_given_the_testing_standards_too() {
    assert_given("qa", &["convention", "constraint", "testing standard"]);
}

#[test]
fn c60_delivery_is_given_conventions_and_deployment_procedures() {
    assert_given("delivery", &["convention", "deployment procedure"]);
}

#[test]
fn c60_operations_is_given_infrastructure_the_last_deployments_and_active_incidents() {
    let expected =
        ["infrastructure", "deployment 4", "deployment 3", "deployment 2", "active incident"];
    assert_given("operations", &expected);
}

#[test]
fn c63_c64_a_newer_memory_displaces_the_last_one_by_itself() {
    on_both(|room| {
        room.remembers("orchestrator", "first");
        assert_eq!(room.would_give("orchestrator", json!({})), ["first"]);
        room.remembers("orchestrator", "second");
        assert_eq!(room.would_give("orchestrator", json!({})), ["second"]);
    });
}

#[test]
fn c63_an_old_memory_that_is_edited_does_not_displace_the_newest() {
    on_both(|room| {
        let old = room.remembers("orchestrator", "old");
        room.remembers("orchestrator", "newest");
        room.does(
            "chunk.update",
            json!({"chunk": old, "content": "more", "agent": "orchestrator"}),
        );
        assert_eq!(room.would_give("orchestrator", json!({})), ["newest"]);
    });
}

#[test]
fn c63_the_latest_none_is_none_and_fewer_than_asked_are_all() {
    on_both(|room| {
        room.remembers("coder", "one");
        room.remembers("coder", "two");
        for (latest, expected) in [(0, vec![]), (3, vec!["two", "one"])] {
            let rule = json!({"chunk_type": "memory", "owner": "self", "latest": latest});
            let definition = json!({"ttl": "1h", "consolidation_threshold": 1, "inject": [rule]});
            room.defines("lifecycle.set", "mine", definition);
            assert_eq!(room.would_give("coder", json!({"lifecycle": "mine"})), expected);
        }
    });
}

#[test]
fn c65_what_is_aimed_at_somebody_stops_with_its_state() {
    on_both(|room| {
        let spec = room.writes("dev_spec", "spec", aimed_at("dev_assistant"));
        let package = room.writes("dev_package", "package", json!({"project": "web"}));
        let incident = room.writes("dev_incident", "incident", here());
        let mut sets = |chunk: &str, fields: Value| {
            room.does("chunk.update", json!({"chunk": chunk, "fields": fields}));
            let assistant = room.would_give("assistant", json!({}));
            (assistant, room.would_give("operations", here()))
        };
        let blocked = json!({"status": "blocked", "blocked_reason": "which?"});
        let (assistant, operations) = sets(&spec, blocked);
        assert_eq!(
            (assistant.join(" "), operations.join(" ")),
            ("spec package".into(), "incident".into())
        );
        assert_eq!(sets(&spec, json!({"status": "new"})).0, ["package"]);
        assert_eq!(sets(&package, json!({"state": "merged"})).0, Vec::<String>::new());
        assert_eq!(sets(&incident, json!({"state": "mitigated"})).1, Vec::<String>::new());
    });
}

#[test]
fn c66_the_assistant_is_given_chunks_of_projects_although_it_sits_in_none() {
    on_both(|room| {
        room.writes("dev_package", "package", json!({"project": "web"}));
        let session = room.sits("assistant", json!({}));
        assert_eq!(
            (titles(&session), &session["project"]),
            (vec!["package".to_owned()], &Value::Null)
        );
    });
}

#[test]
fn c67_an_incident_reaches_operations_while_they_sit() {
    on_both(|room| {
        let session = room.sits("operations", here());
        assert_eq!(titles(&session), Vec::<String>::new());
        let incident = room.writes("dev_incident", "it burns", here());
        assert_eq!(room.at("session.show", &session, json!({}))["pending"], json!([incident]));
        assert_eq!(titles(&room.at("session.take", &session, json!({}))), ["it burns"]);
        assert_eq!(titles(&room.at("session.take", &session, json!({}))), Vec::<String>::new());
        let shown = room.at("session.show", &session, json!({}));
        assert_eq!(
            (&shown["pending"], &shown["injected"][0]["chunk_id"]),
            (&json!([]), &json!(incident))
        );
    });
}

/// R24: a convention with a reserved tag goes only to lifecycles that name the tag.
#[test]
fn r24_an_infrastructure_convention_of_everybody_reaches_operations_without_a_project() {
    on_both(|room| {
        let of_org = json!({"scope": "org", "tags": ["infrastructure"]});
        room.writes("convention", "network", of_org);
        assert_eq!(room.would_give("operations", json!({})), ["network"]);
        assert_eq!(room.would_give("coder", here()), Vec::<String>::new());
    });
}
