//! What becomes of what a session wrote.

use serde_json::{Value, json};
use windlass_domain::Code;
use windlass_tests::ledgers::text;

use crate::room::{Room, on_both};

/// A session of the coder that wrote three memories and is over.
fn over(room: &mut Room<'_>) -> (Value, Vec<String>) {
    let session = room.sits("coder", json!({"project": "api"}));
    let memories: Vec<String> =
        ["one", "two", "three"].map(|said| room.remembers("coder", said)).to_vec();
    (room.at("session.end", &session, json!({})), memories)
}

fn ids(surfaced: &Value) -> Vec<String> {
    surfaced.as_array().unwrap().iter().map(|one| text(&one["chunk_id"])).collect()
}

#[test]
fn the_end_of_a_session_surfaces_what_it_wrote() {
    on_both(|room| {
        let (ended, memories) = over(room);
        assert_eq!(ids(&ended["surfaced"]), memories);
        assert_eq!((&ended["chunks_written"], &ended["status"]), (&json!(3), &json!("ended")));
    });
}

#[test]
fn from_its_threshold_on_a_lifecycle_asks_for_decisions() {
    on_both(|room| {
        let definition = json!({"ttl": "1h", "consolidation_threshold": 2});
        room.defines("lifecycle.set", "mine", definition);
        for (said, asks) in [(vec!["one"], false), (vec!["two", "three"], true)] {
            let session = room.sits("coder", json!({"lifecycle": "mine"}));
            for said in said {
                room.remembers("coder", said);
            }
            let ended = room.at("session.end", &session, json!({}));
            assert_eq!(ended["asks_for_consolidation"], asks);
        }
    });
}

#[test]
fn what_is_decided_is_done_to_the_chunks() {
    on_both(|room| {
        let (ended, memories) = over(room);
        let decided = json!({"keep": [memories[0]], "promote": [memories[1]],
                             "discard": [memories[2]]});
        let decided = room.at("session.consolidate", &ended, decided);
        assert_eq!(decided["undecided"], 0);
        let shown = |room: &mut Room<'_>, id: &str| {
            room.does("chunk.show", json!({"chunk": id}))["chunk"].clone()
        };
        assert_eq!(shown(room, &memories[0])["scope"], "agent");
        let promoted = shown(room, &memories[1]);
        assert_eq!(
            (&promoted["chunk_type"], &promoted["project"]),
            (&json!("knowledge"), &json!("api"))
        );
        let gone = json!({"chunk": memories[2]});
        room.refuses("chunk.show", gone, Code::ChunkNotFound);
    });
}

#[test]
fn a_person_decides_for_an_agent_and_another_agent_does_not() {
    on_both(|room| {
        let (ended, memories) = over(room);
        let decide = json!({"session": ended["session_id"], "keep": [memories[0]]});
        let mut other = decide.clone();
        other["agent"] = json!("planner");
        room.refuses("session.consolidate", other, Code::SessionNotFound);
        assert_eq!(room.does("session.consolidate", decide)["undecided"], 2);
    });
}

#[test]
fn what_is_promoted_to_everybody_is_injected_to_everybody() {
    on_both(|room| {
        let (ended, memories) = over(room);
        let promote =
            json!({"session": ended["session_id"], "promote": [memories[0]], "to": "org"});
        room.does("session.consolidate", promote);
        assert_eq!(room.would_give("planner", json!({})), ["one"]);
    });
}

#[test]
fn nothing_becomes_everybodys_without_a_word() {
    on_both(|room| {
        let session = room.sits("coder", json!({}));
        let memory = room.remembers("coder", "one");
        let ended = room.at("session.end", &session, json!({}));
        let promote = json!({"session": ended["session_id"], "promote": [memory]});
        room.refuses("session.consolidate", promote, Code::InvalidValue);
    });
}

#[test]
fn a_coder_makes_no_principle_of_what_it_remembers() {
    on_both(|room| {
        let (ended, memories) = over(room);
        let promote = json!({"session": ended["session_id"], "agent": "coder",
                             "promote": [memories[0]], "to": "org"});
        room.refuses("session.consolidate", promote, Code::NotAllowed);
    });
}

#[test]
fn a_refused_decision_leaves_all_of_them_undone() {
    on_both(|room| {
        let (ended, memories) = over(room);
        let at = |more: Value| {
            let mut at = json!({"session": ended["session_id"], "agent": "coder"});
            at.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            at
        };
        let with_unknown = at(json!({"discard": [memories[0], "ZZZZZZ"]}));
        room.refuses("session.consolidate", with_unknown, Code::ChunkNotFound);
        let twice = at(json!({"keep": [memories[0]], "discard": [memories[0]]}));
        room.refuses("session.consolidate", twice, Code::InvalidTransition);
        room.refuses("session.consolidate", at(json!({})), Code::Usage);
        let sideways = at(json!({"promote": [memories[0]], "to": "agent"}));
        room.refuses("session.consolidate", sideways, Code::InvalidValue);
        room.at("session.consolidate", &ended, json!({"discard": [memories[0]]}));
        room.at("session.consolidate", &ended, json!({"discard": [memories[0]]}));
    });
}

#[test]
fn nothing_is_decided_about_a_session_that_goes_on() {
    on_both(|room| {
        let session = room.sits("coder", json!({}));
        let memory = room.remembers("coder", "one");
        let keep = json!({"session": session["session_id"], "agent": "coder", "keep": [memory]});
        room.refuses("session.consolidate", keep, Code::ChunkNotFound);
    });
}

#[test]
fn what_an_expired_session_wrote_can_be_decided_about() {
    on_both(|room| {
        let session = room.sits("coder", json!({"project": "api"}));
        let memory = room.remembers("coder", "one");
        room.office.after_minutes(8 * 60);
        let decided = room.at("session.consolidate", &session, json!({"promote": [memory]}));
        assert_eq!((&decided["status"], &decided["undecided"]), (&json!("expired"), &json!(0)));
    });
}

#[test]
fn what_was_deleted_before_anybody_decided_can_be_discarded() {
    on_both(|room| {
        let (ended, memories) = over(room);
        room.does("chunk.delete", json!({"chunk": memories[0]}));
        let keep = json!({"session": ended["session_id"], "keep": [memories[0]]});
        let refusal = room.refuses("session.consolidate", keep, Code::ChunkNotFound);
        assert!(refusal.hint.unwrap().contains("--discard"));
        let rest = json!({"discard": [memories[0]], "keep": [memories[1], memories[2]]});
        assert_eq!(room.at("session.consolidate", &ended, rest)["undecided"], 0);
    });
}

#[test]
fn what_an_expired_session_wrote_can_be_decided_about_behind_many_that_nobody_noticed() {
    on_both(|room| {
        for _ in 0..25 {
            room.sits("planner", json!({}));
        }
        let session = room.sits("coder", json!({"project": "api"}));
        let memory = room.remembers("coder", "one");
        room.office.after_minutes(8 * 60);
        let decided = room.at("session.consolidate", &session, json!({"keep": [memory]}));
        assert_eq!((&decided["status"], &decided["undecided"]), (&json!("expired"), &json!(0)));
    });
}
