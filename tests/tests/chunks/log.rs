//! What the log tells of chunks and sessions: to nobody more than the operations themselves.

use serde_json::{Value, json};
use windlass_tests::ledgers::text;

use crate::door::Door;
use crate::shelf::{Shelf, on_both};

const OF_API: &str = "known in api";
const OF_WEB: &str = "known in web";
const MEMORY: &str = "w2 remembers";
const FOCUS: &str = "w2 looks into it";

/// Agent w2 writes for two projects and for itself, in a session with a focus.
fn w2_works(shelf: &Shelf) {
    let session = shelf.does(&["session", "start", "--agent", "w2", "-P", "web"]);
    let session = text(&session["session_id"]);
    shelf.does(&["session", "focus", &session, FOCUS, "--agent", "w2"]);
    for (project, content) in [("api", OF_API), ("web", OF_WEB)] {
        let write = ["chunk", "write", "knowledge", content, content, "-P", project];
        shelf.does(&[&write[..], &["--agent", "w2"]].concat());
    }
    shelf.remembers("w2", MEMORY);
}

/// Which of these words were told.
fn told(said: &str) -> Vec<&'static str> {
    [OF_API, OF_WEB, MEMORY, FOCUS].into_iter().filter(|words| said.contains(words)).collect()
}

#[test]
fn the_log_tells_a_key_for_a_project_nothing_that_others_know() {
    on_both(|shelf| {
        w2_works(shelf);
        let door = Door::of(shelf);
        for (operation, arguments) in [("events", json!({})), ("agent.log", json!({"agent": "w2"}))]
        {
            let answer = door.asks(operation, &arguments).ok().text();
            assert_eq!(told(&answer), [OF_API], "{operation}");
        }
    });
}

#[test]
fn the_stream_tells_a_key_for_a_project_nothing_that_others_know() {
    on_both(|shelf| {
        w2_works(shelf);
        let door = Door::of(shelf);
        shelf.does(&["project", "create", "the-end"]);
        let kinds = ["chunk_written", "session_started", "focus_registered", "project_renamed"];
        shelf.does(&["project", "rename", "the-end", "ended"]);
        let heard = door.hears(&kinds[..3], kinds[3]);
        assert_eq!(told(&Value::from(heard).to_string()), [OF_API]);
    });
}

#[test]
fn the_log_tells_an_agent_without_a_key_nothing_that_others_keep() {
    on_both(|shelf| {
        w2_works(shelf);
        for command in [&["events"][..], &["agent", "log", "w2"]] {
            let said = |agent: &str| {
                let run = shelf.ledger.windlass(command).env("WINDLASS_AGENT", agent);
                told(&run.run().ok().stdout)
            };
            assert_eq!(said("w1"), [OF_API, OF_WEB], "{command:?}");
            assert_eq!(said("w2"), [OF_API, OF_WEB, MEMORY, FOCUS], "{command:?}");
        }
    });
}

#[test]
fn a_person_reads_the_whole_log() {
    on_both(|shelf| {
        w2_works(shelf);
        let said = shelf.tries(&["events"]).ok().stdout;
        assert_eq!(told(&said), [OF_API, OF_WEB, MEMORY, FOCUS]);
    });
}

#[test]
fn what_is_hidden_in_the_log_is_not_counted() {
    on_both(|shelf| {
        w2_works(shelf);
        let door = Door::of(shelf);
        let log = door.asks("agent.log", &json!({"agent": "w2"})).ok().json();
        assert_eq!((log["events"].as_array().unwrap().len(), &log["total"]), (1, &json!(1)));
    });
}
