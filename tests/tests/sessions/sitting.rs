//! A session from its start to its end.

use serde_json::{Value, json};
use windlass_domain::Code;

use crate::room::{FILE, Room, on_both, titles};

fn begin_run(room: &mut Room<'_>, folder: &str) -> Value {
    let begin = json!({"text": FILE, "workflow_path": "/w.md", "folder": folder, "machine": "m"});
    room.does("run.begin", begin)["run"].clone()
}

/// A run that works on a task of a project.
fn begin_run_on_a_task(room: &mut Room<'_>, project: &str) -> Value {
    let add = json!({"title": "say it", "project": project, "status": "ready"});
    let task = room.does("task.add", add)["task_id"].clone();
    let begin = json!({
        "text": FILE, "workflow_path": "/w.md", "folder": "/one", "machine": "m",
        "task": task, "agent": "coder",
    });
    room.does("run.begin", begin)["run"].clone()
}

#[test]
fn a_session_lasts_as_long_as_its_lifecycle_says() {
    on_both(|room| {
        let session = room.sits("coder", json!({"lifecycle": "admin"}));
        assert_eq!(
            (&session["lifecycle"], &session["status"]),
            (&json!("admin"), &json!("active"))
        );
        room.office.after_minutes(4 * 60);
        let shown = room.at("session.show", &session, json!({}));
        assert_eq!(shown["status"], "expired");
    });
}

#[test]
fn an_agent_that_nobody_registered_sits_under_the_default_lifecycle() {
    on_both(|room| {
        let session = room.sits("visitor", json!({}));
        assert_eq!(
            (&session["lifecycle"], &session["agent_type"]),
            (&json!("default"), &Value::Null)
        );
    });
}

#[test]
fn r13_a_run_has_one_session_and_an_agent_one_in_each_of_its_runs() {
    on_both(|room| {
        let (one, other) = (begin_run(room, "/one"), begin_run(room, "/other"));
        let session = room.sits("coder", json!({"run": one}));
        room.sits("coder", json!({"run": other}));
        let again = json!({"agent": "coder", "run": one});
        let refusal = room.refuses("session.start", again, Code::SessionOpen);
        assert_eq!(refusal.details["session"], session["session_id"]);
    });
}

/// The session in which an agent that calls in a run remembers something.
fn written_in(room: &mut Room<'_>, run: &Value) -> Value {
    room.office.in_run(run);
    let said = json!({"text": "it hangs", "agent": "coder"});
    let written = room.does("remember", said);
    json!([written["author"]["session_id"], written["author"]["run"]])
}

#[test]
fn r13_agents_of_one_name_each_write_in_the_session_of_their_run() {
    on_both(|room| {
        let runs = [begin_run(room, "/one"), begin_run(room, "/other")];
        let sessions = runs.clone().map(|run| room.sits("coder", json!({"run": run})));
        for (run, session) in runs.iter().zip(&sessions) {
            assert_eq!(written_in(room, run), json!([session["session_id"], run]));
        }
    });
}

#[test]
fn r13_the_session_of_another_run_is_nobody_elses() {
    on_both(|room| {
        let (one, other) = (begin_run(room, "/one"), begin_run(room, "/other"));
        room.sits("coder", json!({"run": one}));
        assert_eq!(written_in(room, &other), json!([null, null]));
        room.refuses("session.show", json!({"agent": "coder"}), Code::SessionNotFound);
    });
}

#[test]
fn in_a_run_without_a_session_that_of_no_run_is_meant() {
    on_both(|room| {
        let (one, other) = (begin_run(room, "/one"), begin_run(room, "/other"));
        room.sits("coder", json!({"run": one}));
        let free = room.sits("coder", json!({}));
        assert_eq!(written_in(room, &other), json!([free["session_id"], null]));
    });
}

#[test]
fn nobody_guesses_in_which_of_several_sessions_something_is_written() {
    on_both(|room| {
        let sessions = [0, 1].map(|_| room.sits("coder", json!({})));
        let said = json!({"text": "it hangs", "agent": "coder"});
        let refusal = room.refuses("remember", said.clone(), Code::IdAmbiguous);
        assert_eq!(refusal.suggestions.len(), 2);
        room.at("session.end", &sessions[1], json!({}));
        let written = room.does("remember", said);
        assert_eq!(written["author"]["session_id"], sessions[0]["session_id"]);
    });
}

#[test]
fn a_session_is_not_part_of_a_run_of_another_project() {
    on_both(|room| {
        let run = begin_run_on_a_task(room, "web");
        let start = |project: &str| json!({"agent": "coder", "run": run, "project": project});
        let refusal = room.refuses("session.start", start("api"), Code::InvalidValue);
        assert_eq!(refusal.message, "the run works on a task of another project");
        assert_eq!(room.does("session.start", start("web"))["run"], run);
    });
}

#[test]
fn the_session_of_an_agent_that_died_blocks_nobody() {
    on_both(|room| {
        let run = begin_run(room, "/one");
        let dead = room.sits("coder", json!({"run": run}));
        room.office.after_minutes(8 * 60);
        let next = room.sits("coder", json!({"run": run}));
        assert_ne!(next["session_id"], dead["session_id"]);
        let shown = room.at("session.show", &dead, json!({}));
        assert_eq!(shown["status"], "expired");
        assert_eq!(
            room.does("session.list", json!({"status": "expired"}))["sessions"][0]["session_id"],
            dead["session_id"]
        );
    });
}

#[test]
fn a_session_that_expired_is_listed_as_such_before_and_after_somebody_sweeps() {
    on_both(|room| {
        let session = room.sits("coder", json!({}));
        room.office.after_minutes(8 * 60);
        let expired = |room: &mut Room<'_>| {
            let listed = room.does("session.list", json!({"status": "expired"}));
            listed["sessions"][0]["session_id"].clone()
        };
        assert_eq!(expired(room), session["session_id"]);
        assert_eq!(room.does("gc", json!({}))["sessions_expired"], 1);
        assert_eq!(expired(room), session["session_id"]);
        assert_eq!(room.does("gc", json!({}))["sessions_expired"], 0);
        assert_eq!(room.does("session.list", json!({"status": "active"}))["sessions"], json!([]));
    });
}

#[test]
fn a_session_that_is_resumed_begins_its_time_anew_and_is_given_everything_again() {
    on_both(|room| {
        room.writes("convention", "style", json!({"project": "api"}));
        let session = room.sits("coder", json!({"project": "api"}));
        room.office.after_minutes(60);
        let resumed = room.at("session.resume", &session, json!({}));
        assert_eq!(titles(&resumed), ["style"]);
        assert_eq!(resumed["resume_count"], 1);
        assert!(resumed["expires_at"].as_str() > session["expires_at"].as_str());
    });
}

#[test]
fn nothing_goes_on_in_a_session_that_is_over() {
    on_both(|room| {
        let session = room.sits("coder", json!({}));
        room.at("session.end", &session, json!({}));
        let at = json!({"session": session["session_id"], "agent": "coder"});
        for name in ["session.resume", "session.take", "session.end"] {
            room.refuses(name, at.clone(), Code::SessionOver);
        }
    });
}

#[test]
fn a_focus_injects_what_is_for_its_tags_and_returns_it() {
    on_both(|room| {
        let rule = json!({"rules": [{"focus_tags": ["auth"], "agent_types": ["dev"]}]});
        room.does("agent.register", json!({"name": "dev-1", "type": "dev"}));
        for (title, project) in [("tokens", "api"), ("elsewhere", "web")] {
            let more = json!({"project": project, "audience": rule});
            room.writes("knowledge", title, more);
        }
        let session = room.sits("dev-1", json!({"project": "api"}));
        assert_eq!(titles(&session), Vec::<String>::new());
        let on = json!({"task": "fix the login", "tags": ["auth"]});
        let focused = room.at("session.focus", &session, on);
        assert_eq!(focused["focus"], json!({"task": "fix the login", "tags": ["auth"]}));
        assert_eq!(titles(&focused), ["elsewhere", "tokens"]);
    });
}

#[test]
fn a_write_before_the_focus_is_refused_with_what_to_do() {
    on_both(|room| {
        room.does("agent.register", json!({"name": "dev-1", "type": "dev"}));
        let session = room.sits("dev-1", json!({"project": "api"}));
        assert_eq!(session["missing_steps"], json!(["register_focus"]));
        let remember = json!({"text": "it hangs", "agent": "dev-1"});
        let refusal = room.refuses("remember", remember.clone(), Code::StepRequired);
        assert!(refusal.hint.unwrap().contains("windlass session focus"));
        room.at("session.focus", &session, json!({"task": "the login"}));
        room.does("remember", remember);
    });
}

#[test]
fn a_session_is_named_by_a_part_of_its_id() {
    on_both(|room| {
        let session = room.sits("coder", json!({}));
        let id = session["session_id"].as_str().unwrap();
        for part in [&id[..10], &id[20..]] {
            let shown = room.does("session.show", json!({"session": part}));
            assert_eq!(shown["session_id"], session["session_id"]);
        }
        room.refuses("session.show", json!({"session": &id[23..]}), Code::IdTooShort);
    });
}

#[test]
fn the_only_open_session_of_an_agent_need_not_be_named() {
    on_both(|room| {
        let me = json!({"agent": "coder"});
        room.refuses("session.show", me.clone(), Code::SessionNotFound);
        let session = room.sits("coder", json!({}));
        assert_eq!(room.does("session.show", me.clone())["session_id"], session["session_id"]);
        room.sits("coder", json!({}));
        let refusal = room.refuses("session.show", me, Code::IdAmbiguous);
        assert_eq!(refusal.suggestions.len(), 2);
    });
}

#[test]
fn sessions_are_listed_by_project_and_lifecycle_page_by_page() {
    on_both(|room| {
        let api: Vec<Value> =
            (0..3).map(|_| room.sits("coder", json!({"project": "api"}))).collect();
        room.sits("coder", json!({"project": "web"}));
        room.sits("planner", json!({"project": "api"}));
        let mut asked = json!({"project": "api", "lifecycle": "dev_coding", "limit": 2});
        let first = room.does("session.list", asked.clone());
        asked["cursor"] = first["next_cursor"].clone();
        let second = room.does("session.list", asked.clone());
        let ids = |listed: &Value| -> Vec<Value> {
            let sessions = listed["sessions"].as_array().unwrap();
            sessions.iter().map(|session| session["session_id"].clone()).collect()
        };
        let found = [ids(&first), ids(&second)].concat();
        let newest_first: Vec<Value> =
            api.iter().rev().map(|session| session["session_id"].clone()).collect();
        assert_eq!(found, newest_first);
        assert_eq!((&first["has_more"], &second["has_more"]), (&json!(true), &json!(false)));
        asked["project"] = json!("web");
        room.refuses("session.list", asked, Code::InvalidValue);
    });
}

#[test]
fn what_is_no_session_is_refused_with_what_to_do() {
    on_both(|room| {
        room.refuses("session.start", json!({}), Code::AgentRequired);
        let start = |more: Value| {
            let mut start = json!({"agent": "coder"});
            start.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            start
        };
        for (more, code) in [
            (json!({"project": "nowhere"}), Code::ProjectNotFound),
            (json!({"lifecycle": "dev_codin"}), Code::LifecycleNotFound),
            (json!({"lifecycle": "no slug"}), Code::InvalidValue),
            (json!({"run": "nothing"}), Code::RunNotFound),
        ] {
            room.refuses("session.start", start(more), code);
        }
        let session = room.sits("coder", json!({}));
        let focus = json!({"session": session["session_id"], "agent": "coder", "task": " "});
        room.refuses("session.focus", focus, Code::InvalidValue);
        room.refuses("session.list", json!({"status": "sideways"}), Code::InvalidValue);
    });
}
