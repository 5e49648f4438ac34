//! What Hizal does wrong with sessions, each as a test (contract, section 1.9).

use serde_json::json;
use windlass_domain::Code;
use windlass_tests::ledgers::text;

use crate::room::{on_both, titles};

#[test]
fn defect_11_a_session_whose_time_ran_out_does_not_block_the_next() {
    on_both(|room| {
        room.sits("coder", json!({}));
        room.office.after_minutes(9 * 60);
        room.sits("coder", json!({}));
        let active = room.does("session.list", json!({"status": "active"}));
        assert_eq!(active["sessions"].as_array().unwrap().len(), 1);
    });
}

/// In Hizal only chunks that carry the agent's id come up.
#[test]
fn defect_12_what_a_session_wrote_for_a_project_is_surfaced_too() {
    on_both(|room| {
        let session = room.sits("coder", json!({"project": "api"}));
        for chunk_type in ["research", "plan", "spec"] {
            room.writes(chunk_type, chunk_type, json!({"agent": "coder", "project": "api"}));
        }
        let ended = room.at("session.end", &session, json!({}));
        assert_eq!(ended["surfaced"].as_array().unwrap().len(), 3);
    });
}

/// In Hizal a focus sees chunks of the organisation alone, and asks nothing else of a rule.
#[test]
fn defect_14_a_focus_sees_every_scope_and_asks_every_predicate() {
    on_both(|room| {
        let audience =
            |agent: &str| json!({"rules": [{"focus_tags": ["auth"], "agent_ids": [agent]}]});
        for (title, agent) in [("mine", "visitor"), ("not mine", "somebody")] {
            let more = json!({"project": "api", "audience": audience(agent)});
            room.writes("knowledge", title, more);
        }
        let session = room.sits("visitor", json!({"project": "api"}));
        let focused = json!({"task": "the login", "tags": ["auth"]});
        assert_eq!(titles(&room.at("session.focus", &session, focused)), ["mine"]);
    });
}

#[test]
fn defect_15_what_is_public_is_never_injected() {
    on_both(|room| {
        let more = json!({"scope": "org", "visibility": "public"});
        room.writes("principle", "published", more);
        assert_eq!(room.would_give("visitor", json!({})), Vec::<String>::new());
    });
}

#[test]
fn the_sessions_and_injections_of_another_agent_are_not_there() {
    on_both(|room| {
        let session = room.sits("coder", json!({}));
        let id = session["session_id"].clone();
        let other = json!({"session": id, "agent": "planner"});
        for name in ["session.show", "session.resume", "session.take", "session.end"] {
            let refusal = room.refuses(name, other.clone(), Code::SessionNotFound);
            assert_eq!(refusal.message, format!("there is no session '{}'", text(&id)));
        }
        let listed = room.does("session.list", json!({"agent": "planner"}));
        assert_eq!(listed["sessions"], json!([]));
    });
}
