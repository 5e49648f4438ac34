//! Injection is a pure function of the store and the session (contract C59).

use serde_json::{Value, json};

use crate::room::{Room, on_both};

const TIMES: usize = 1_000;

/// Chunks of every scope, some of them written at the same moment.
fn furnish(room: &mut Room<'_>) {
    room.writes("identity", "who I am", json!({"owner": "orchestrator"}));
    for number in 0..20 {
        room.writes("principle", &format!("principle {number}"), json!({"scope": "org"}));
        room.writes("convention", &format!("convention {number}"), json!({"project": "api"}));
        room.writes("constraint", &format!("constraint {number}"), json!({"project": "api"}));
        room.remembers("orchestrator", &format!("memory {number}"));
    }
    let pinned = room.writes("convention", "pinned", json!({"project": "api"}));
    room.does("chunk.pin", json!({"chunk": pinned}));
}

/// What the orchestrator would be given, byte by byte.
fn given(room: &mut Room<'_>) -> String {
    let asked = json!({"agent": "orchestrator", "project": "api", "max_tokens": 200});
    room.office.answer("inject.preview", asked).unwrap()
}

#[test]
fn c59_the_same_store_gives_the_same_bytes_a_thousand_times_and_after_a_rebuild() {
    on_both(|room| {
        furnish(room);
        let first = given(room);
        let parsed: Value = serde_json::from_str(&first).unwrap();
        assert!(parsed["injected"].as_array().unwrap().len() > 10 && parsed["cut"][0].is_object());
        for _ in 0..TIMES {
            assert_eq!(given(room), first);
        }
        assert_eq!(room.does("doctor", json!({"rebuild": true}))["healthy"], true);
        assert_eq!(given(room), first);
    });
}

#[test]
fn c2_c59_every_session_that_starts_alike_is_given_the_same() {
    on_both(|room| {
        furnish(room);
        let mut starts = || {
            let started = room.sits("orchestrator", json!({"project": "api"}));
            (started["injected"].to_string(), started["text"].clone())
        };
        assert_eq!(starts(), starts());
    });
}

/// The same events make the same injection on both databases.
#[test]
fn c59_both_databases_choose_the_same_in_the_same_order() {
    let chosen = std::cell::RefCell::new(Vec::new());
    on_both(|room| {
        furnish(room);
        let given: Value = serde_json::from_str(&given(room)).unwrap();
        let titles: Vec<Value> =
            given["injected"].as_array().unwrap().iter().map(|one| one["title"].clone()).collect();
        chosen.borrow_mut().push(titles);
    });
    let chosen = chosen.into_inner();
    assert!(chosen.iter().all(|titles| *titles == chosen[0]));
}
