//! Agent types, lifecycles and registered agents (contract C6, C7 and C12).

use serde_json::{Value, json};
use windlass_domain::Code;

use crate::room::{Room, defining, on_both, titles};

fn slugs(room: &mut Room<'_>, name: &str) -> Vec<String> {
    let listed = room.does(name, json!({}));
    let definitions = listed["definitions"].as_array().unwrap().iter();
    definitions.map(|one| one["slug"].as_str().unwrap().to_owned()).collect()
}

/// A lifecycle that injects constraints alone.
fn constraints() -> Value {
    json!({"ttl": "2h", "consolidation_threshold": 1,
           "inject": [{"chunk_type": "constraint", "owner": "project"}]})
}

#[test]
fn c6_the_eight_agent_types_of_the_pipeline_have_their_lifecycles() {
    on_both(|room| {
        for (agent_type, lifecycle) in [
            ("dev_assistant", "dev_assisting"),
            ("dev_orchestrator", "dev_orchestration"),
            ("dev_researcher", "dev_research"),
            ("dev_planner", "dev_planning"),
            ("dev_coder", "dev_coding"),
            ("dev_qa", "dev_verification"),
            ("dev_delivery", "dev_delivery"),
            ("dev_operations", "dev_operations"),
        ] {
            let shown = room.does("agent.type.show", json!({"slug": agent_type}));
            assert_eq!(shown["definition"]["lifecycle"], lifecycle);
            room.does("lifecycle.show", json!({"slug": lifecycle}));
        }
    });
}

#[test]
fn c7_one_slug_with_underscores_may_be_a_chunk_type_an_agent_type_and_a_lifecycle() {
    on_both(|room| {
        room.does("lifecycle.show", json!({"slug": "dev_research"}));
        let definition = json!({"lifecycle": "dev_research"});
        room.defines("agent.type.set", "dev_research", definition);
        room.writes("dev_research", "found out", json!({"project": "api"}));
    });
}

#[test]
fn c12_agent_types_and_lifecycles_are_added_without_code_and_narrow_what_is_given() {
    on_both(|room| {
        room.writes("convention", "style", json!({"project": "api"}));
        room.writes("constraint", "limits", json!({"project": "api"}));
        room.defines("lifecycle.set", "careful", constraints());
        let definition = json!({"lifecycle": "careful"});
        room.defines("agent.type.set", "tester", definition);
        room.does("agent.register", json!({"name": "t1", "type": "tester"}));
        let session = room.sits("t1", json!({"project": "api"}));
        assert_eq!(
            (titles(&session), &session["lifecycle"]),
            (vec!["limits".to_owned()], &json!("careful"))
        );
    });
}

#[test]
fn what_is_brought_along_is_replaced_and_comes_back() {
    on_both(|room| {
        let of_coding = json!({"slug": "dev_coding"});
        let set = room.defines("lifecycle.set", "dev_coding", constraints());
        assert_eq!(set["origin"], "replaced");
        assert_eq!(room.does("lifecycle.remove", of_coding.clone())["restored"], true);
        assert_eq!(room.does("lifecycle.show", of_coding)["origin"], "built_in");
    });
}

#[test]
fn what_is_hidden_is_left_out_of_the_list_and_works_on() {
    on_both(|room| {
        room.does("lifecycle.hide", json!({"slug": "dev_coding"}));
        assert!(!slugs(room, "lifecycle.list").contains(&"dev_coding".to_owned()));
        let all = room.does("lifecycle.list", json!({"all": true}));
        assert_eq!((all["definitions"].as_array().unwrap().len(), &all["hidden"]), (12, &json!(1)));
        assert_eq!(room.sits("coder", json!({}))["lifecycle"], "dev_coding");
    });
}

#[test]
fn what_others_refer_to_is_not_removed() {
    on_both(|room| {
        room.defines("lifecycle.set", "careful", constraints());
        let definition = json!({"lifecycle": "careful"});
        room.defines("agent.type.set", "tester", definition);
        room.does("agent.register", json!({"name": "t1", "type": "tester"}));
        let careful = json!({"slug": "careful"});
        let refusal = room.refuses("lifecycle.remove", careful.clone(), Code::DefinitionInUse);
        assert_eq!(refusal.details["used_by"], json!(["agent type tester"]));
        let tester = json!({"slug": "tester"});
        room.refuses("agent.type.remove", tester.clone(), Code::DefinitionInUse);
        let session = room.sits("t1", json!({}));
        room.does("agent.unregister", json!({"name": "t1"}));
        room.refuses("agent.type.remove", tester.clone(), Code::DefinitionInUse);
        room.at("session.end", &session, json!({}));
        room.does("agent.type.remove", tester);
        room.does("lifecycle.remove", careful);
    });
}

#[test]
fn a_definition_that_makes_no_sense_is_refused_and_nothing_is_changed() {
    on_both(|room| {
        let lifecycle = |more: Value| {
            let mut definition = json!({"ttl": "1h", "consolidation_threshold": 1});
            definition.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            defining("mine", &definition)
        };
        let rule = |rule: Value| lifecycle(json!({"inject": [rule]}));
        for (input, code) in [
            (rule(json!({"chunk_type": "nothing", "owner": "org"})), Code::ChunkTypeNotFound),
            (rule(json!({"chunk_type": "memory", "owner": "them"})), Code::InvalidValue),
            (rule(json!({"chunk_type": "memory", "owner": "any"})), Code::InvalidValue),
            (
                rule(json!({"chunk_type": "memory", "owner": "self", "lates": 1})),
                Code::InvalidValue,
            ),
            (
                rule(json!({"chunk_type": "memory", "owner": "self", "fields": {"state": "x"}})),
                Code::UnknownField,
            ),
            (lifecycle(json!({"injekt": []})), Code::InvalidValue),
            (lifecycle(json!({"ttl": "soon"})), Code::InvalidValue),
            (lifecycle(json!({"required_steps": ["dance"]})), Code::InvalidValue),
        ] {
            room.refuses("lifecycle.set", input, code);
        }
        for (definition, code) in [
            (json!({"lifecycle": "nothing"}), Code::LifecycleNotFound),
            (json!({}), Code::InvalidValue),
            (json!({"lifecycle": "dev", "search": {"scopes": ["org"]}}), Code::InvalidValue),
        ] {
            room.refuses("agent.type.set", defining("mine", &definition), code);
        }
        room.refuses("agent.type.remove", json!({"slug": "dev"}), Code::InvalidValue);
        room.refuses("agent.type.show", json!({"slug": "dev_codr"}), Code::AgentTypeNotFound);
    });
}

#[test]
fn a_registered_agent_is_seen_among_those_who_act() {
    on_both(|room| {
        let search = json!({"include_scopes": ["project"]});
        let register = json!({"name": "t1", "type": "dev_qa", "tags": ["rust", "rust "],
                              "description": "checks", "search": search});
        room.does("agent.register", register);
        let status = room.does("agent.status", json!({"agent": "t1"}));
        let expected = json!({"name": "t1", "agent_type": "dev_qa", "tags": ["rust"],
            "description": "checks", "search_filter_overrides": search});
        assert_eq!(status["agents"][0]["registered"], expected);
        room.does("agent.unregister", json!({"name": "t1"}));
        room.refuses("agent.unregister", json!({"name": "t1"}), Code::InvalidValue);
    });
}

#[test]
fn an_agent_that_cannot_be_registered_is_refused() {
    on_both(|room| {
        for (input, code) in [
            (json!({"name": "t1", "type": "dev_q"}), Code::AgentTypeNotFound),
            (json!({"name": "", "type": "dev_qa"}), Code::InvalidValue),
            (json!({"name": "t1", "type": "dev_qa", "search": {"x": 1}}), Code::InvalidValue),
        ] {
            room.refuses("agent.register", input, code);
        }
    });
}

/// What a session was started with holds; what it is given next follows the definition as it is then.
#[test]
fn a_lifecycle_that_is_changed_while_a_session_is_open_counts_from_the_next_injection() {
    on_both(|room| {
        room.writes("convention", "style", json!({"project": "api"}));
        room.writes("constraint", "limits", json!({"project": "api"}));
        let session = room.sits("coder", json!({"project": "api"}));
        assert_eq!(titles(&session), ["style", "limits"]);
        let mut changed = constraints();
        changed["required_steps"] = json!(["register_focus"]);
        room.defines("lifecycle.set", "dev_coding", changed);
        let resumed = room.at("session.resume", &session, json!({}));
        assert_eq!(titles(&resumed), ["limits"]);
        assert_eq!(resumed["missing_steps"], json!([]));
        room.remembers("coder", "no focus was asked for when I sat down");
    });
}

#[test]
fn a_chunk_type_that_is_changed_while_a_session_is_open_counts_from_the_next_injection() {
    on_both(|room| {
        room.writes("knowledge", "how it is", json!({"project": "api"}));
        let session = room.sits("visitor", json!({"project": "api"}));
        assert_eq!(titles(&session), Vec::<String>::new());
        let definition = json!({"audience": {"rules": [{"all": true}]}});
        room.defines("chunk.type.set", "knowledge", definition);
        assert_eq!(titles(&room.at("session.take", &session, json!({}))), ["how it is"]);
    });
}
