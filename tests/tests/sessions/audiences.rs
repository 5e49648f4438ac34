//! Audiences that mean nobody, everybody or somebody, where the lifecycle leaves it to them.

use serde_json::{Value, json};

use crate::room::{Room, on_both};

/// Somebody whose lifecycle has no rules.
fn visitor(room: &mut Room<'_>) -> Vec<String> {
    let asked = json!({"project": "api", "focus_tags": ["auth"]});
    room.would_give("visitor", asked)
}

fn aimed(audience: Value) -> Value {
    json!({"project": "api", "audience": audience})
}

#[test]
fn rules_that_match_nothing_inject_nothing_and_rules_that_match_everything_always_do() {
    on_both(|room| {
        room.writes("knowledge", "no rules", aimed(json!({"rules": []})));
        let nobody = json!({"rules": [{"agent_ids": ["nobody"]}, {"agent_types": ["admin"]}]});
        room.writes("knowledge", "nobody", aimed(nobody));
        let contradiction = json!({"rules": [{"agent_ids": ["visitor"], "focus_tags": ["no"]}]});
        room.writes("knowledge", "contradiction", aimed(contradiction));
        room.writes("knowledge", "everybody", aimed(json!({"rules": [{"all": true}]})));
        room.writes("knowledge", "an empty rule", aimed(json!({"rules": [{}]})));
        assert_eq!(visitor(room), ["an empty rule", "everybody"]);
    });
}

#[test]
fn every_predicate_of_a_rule_is_asked() {
    on_both(|room| {
        let register = json!({"name": "visitor", "type": "dev", "tags": ["rust"]});
        room.does("agent.register", register);
        for (title, rule) in [
            ("by name", json!({"agent_ids": ["visitor"]})),
            ("by type", json!({"agent_types": ["dev"]})),
            ("by lifecycle", json!({"lifecycle_types": ["dev"]})),
            ("by tag", json!({"agent_tags": ["go", "rust"]})),
            ("by focus", json!({"focus_tags": ["auth"]})),
            ("by project", json!({"project_ids": ["api"]})),
            ("by organisation", json!({"org_ids": ["org"]})),
        ] {
            room.writes("knowledge", title, aimed(json!({"rules": [rule.clone()]})));
            assert_eq!(visitor(room)[0], title, "{rule}");
        }
        assert_eq!(room.would_give("coder", json!({"lifecycle": "default"})), ["by organisation"]);
    });
}

/// A lifecycle of the pipeline is an exact allow list (R23).
#[test]
fn r23_an_audience_adds_nothing_to_a_lifecycle_with_rules() {
    on_both(|room| {
        room.writes("knowledge", "everybody", aimed(json!({"rules": [{"all": true}]})));
        assert_eq!(room.would_give("coder", json!({"project": "api"})), Vec::<String>::new());
    });
}

#[test]
fn what_a_type_of_agents_excludes_is_not_injected() {
    on_both(|room| {
        let everybody = json!({"rules": [{"all": true}]});
        for (title, key) in
            [("kept", "a-note"), ("cut by key", "b-note"), ("cut by prefix", "tmp-x")]
        {
            let mut more = aimed(everybody.clone());
            more["query_key"] = json!(key);
            room.writes("knowledge", title, more);
        }
        room.writes("decision", "cut by type", aimed(everybody));
        let inject = json!({"exclude_chunk_types": ["decision"], "exclude_query_keys": ["b-note"],
                            "exclude_query_key_prefixes": ["tmp-"]});
        let definition = json!({"lifecycle": "default", "inject": inject});
        room.defines("agent.type.set", "picky", definition);
        room.does("agent.register", json!({"name": "visitor", "type": "picky"}));
        assert_eq!(visitor(room), ["kept"]);
    });
}
