//! Several at once: processes in one session, keys that are bound to projects, and who listens.

use serde_json::{Value, json};
use windlass_testkit::barrier::start_together;
use windlass_testkit::http::{Request, follow};
use windlass_testkit::{Home, Served};
use windlass_tests::ledgers::{Ledger, error_of, text};

use crate::room::FILE;

/// The answer of a command that must succeed.
#[track_caller]
fn does(home: &Home, args: &[&str]) -> Value {
    home.windlass(&[args, &["--json"]].concat()).run().ok().json()
}

#[test]
fn two_processes_that_resume_one_session_both_have_it() {
    let check = |ledger: &Ledger| {
        let start = ["session", "start", "--agent", "coder"];
        let session = text(&ledger.answer(&start)["session_id"]);
        let resume = ["session", "resume", &session, "--agent", "coder"];
        let runs: Vec<_> = (0..2).map(|_| ledger.windlass(&resume)).collect();
        let children = start_together(&runs);
        let mut counts: Vec<u64> = runs
            .iter()
            .zip(children)
            .map(|(run, child)| run.finish(child).ok().json()["resume_count"].as_u64().unwrap())
            .collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2]);
        assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
    };
    check(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        check(&ledger);
    }
}

#[test]
fn the_environment_names_the_session() {
    let ledger = Ledger::on_sqlite();
    let start = ["session", "start", "--agent", "coder"];
    let (first, _second) = (ledger.answer(&start), ledger.answer(&start));
    let session = text(&first["session_id"]);
    let show = || ledger.windlass(&["session", "show", "--agent", "coder"]);
    let refused = error_of(&show().run(), "id_ambiguous", 3);
    assert!(text(&refused["message"]).contains(&session), "{refused}");
    let shown = show().env("WINDLASS_SESSION", &session).run().ok().json();
    assert_eq!(shown["session_id"], first["session_id"]);
}

#[test]
fn r13_the_environment_names_the_run_here_and_for_a_server() {
    let ledger = Ledger::on_sqlite();
    let serve = ledger.windlass(&["serve", "--listen", "127.0.0.1:0"]);
    let served = Served::from_run(&ledger.home, &serve);
    let begin = ["run", "begin", "--text", FILE, "--workflow-path", "/w.md", "--machine", "m"];
    let sits = |folder: &str| {
        let run = text(&ledger.answer(&[&begin[..], &["--folder", folder]].concat())["run"]);
        let start = ledger.windlass(&["session", "start", "--agent", "coder"]);
        let session = start.env("WINDLASS_RUN", &run).run().ok().json()["session_id"].clone();
        (run, session)
    };
    let sittings = [sits("/one"), sits("/other")];
    let remember = ["remember", "it hangs", "--agent", "coder"];
    let url = served.url("");
    let there = [&remember[..], &["--server", &url]].concat();
    for (run, session) in sittings {
        for command in [ledger.windlass(&remember), ledger.home.windlass(&there)] {
            let written = command.env("WINDLASS_RUN", &run).run().ok().json();
            assert_eq!(written["author"]["session_id"], session, "{written}");
        }
    }
}

/// Two projects, an agent and a key of it that is bound to one of them.
fn with_bound_key(home: &Home) -> String {
    for project in ["api", "web"] {
        does(home, &["project", "create", project]);
    }
    does(home, &["agent", "register", "coder", "--type", "dev_coder"]);
    let create = ["key", "create", "--for", "agent:coder", "--role", "worker", "-P", "api"];
    text(&does(home, &create)["key"])
}

#[track_caller]
fn asks(
    served: &Served,
    key: &str,
    name: &str,
    arguments: &Value,
) -> windlass_testkit::http::Response {
    served.send(&Request::json(&format!("/v1/ops/{name}"), arguments).bearer(key))
}

#[test]
fn defect_2_a_session_is_started_only_in_a_project_that_the_key_is_for() {
    let home = Home::new();
    let key = with_bound_key(&home);
    let write = ["chunk", "write", "convention", "style", "so"];
    for project in ["api", "web"] {
        does(&home, &[&write[..], &["-P", project]].concat());
    }
    let served = Served::start(&home, &[]);
    let start = |project: &str| asks(&served, &key, "session.start", &json!({"project": project}));
    let refused = start("web").refused("not_allowed", 403);
    assert!(!refused.to_string().contains("style"));
    assert_eq!(start("api").ok().json()["injected"].as_array().unwrap().len(), 1);
}

#[test]
fn a_preview_shows_what_the_agent_would_see_and_no_other_agent_may_ask() {
    let home = Home::new();
    let key = with_bound_key(&home);
    let other = ["key", "create", "--for", "agent:planner", "--role", "worker"];
    let other = text(&does(&home, &other)["key"]);
    let served = Served::start(&home, &[]);
    let preview = json!({"agent": "coder", "project": "web"});
    asks(&served, &other, "inject.preview", &preview).refused("not_allowed", 403);
    asks(&served, &key, "inject.preview", &preview).refused("not_allowed", 403);
    let as_another = json!({"agent_type": "dev_qa"});
    asks(&served, &key, "inject.preview", &as_another).refused("not_allowed", 403);
    // A person who looks is shown what the key of the agent lets it see.
    served.op("inject.preview", &preview).refused("not_allowed", 403);
}

#[test]
fn an_agent_defines_nothing_with_its_own_key() {
    let home = Home::new();
    let key = with_bound_key(&home);
    let served = Served::start(&home, &[]);
    for (name, arguments) in [
        ("agent.register", json!({"name": "coder", "type": "dev_qa"})),
        ("agent.unregister", json!({"name": "coder"})),
        ("agent.type.hide", json!({"slug": "dev_coder"})),
        ("lifecycle.hide", json!({"slug": "dev_coding"})),
    ] {
        asks(&served, &key, name, &arguments).refused("not_allowed", 403);
    }
}

/// R30: what comes up while a session is open is heard by who listens for it, and by nobody else.
#[test]
fn r30_a_follower_hears_of_the_chunks_that_mean_its_session() {
    let home = Home::new();
    does(&home, &["project", "create", "api"]);
    does(&home, &["agent", "register", "ops", "--type", "dev_operations"]);
    let key = ["key", "create", "--for", "agent:ops", "--role", "worker"];
    let key = text(&does(&home, &key)["key"]);
    let session = does(&home, &["session", "start", "--agent", "ops", "-P", "api"]);
    let session = text(&session["session_id"]);
    let served = Served::start(&home, &[]);
    let path = format!("/v1/events/stream?session={session}");
    let heard = follow(served.address(), &Request::get(&path).bearer(&key));
    let write = |chunk_type: &str, title: &str| {
        let words = ["chunk", "write", chunk_type, title, "it burns", "-P", "api"];
        text(&does(&home, &words)["chunk_id"])
    };
    write("knowledge", "nothing to hear");
    let incident = write("dev_incident", "an incident");
    let event = heard.event().unwrap();
    assert_eq!((event.kind.as_str(), &event.json()["stream"]), ("chunk_written", &json!(incident)));
    does(&home, &["session", "take", &session, "--agent", "ops"]);
    assert_eq!(heard.event().unwrap().kind, "chunks_injected");
}

#[test]
fn nobody_listens_for_the_session_of_another_agent() {
    let home = Home::new();
    let session = does(&home, &["session", "start", "--agent", "ops"]);
    let key = ["key", "create", "--for", "agent:coder", "--role", "worker"];
    let key = text(&does(&home, &key)["key"]);
    let served = Served::start(&home, &[]);
    let path = format!("/v1/events/stream?session={}", text(&session["session_id"]));
    served.send(&Request::get(&path).bearer(&key)).refused("session_not_found", 404);
}

#[test]
fn defect_16_an_agent_starts_a_session_over_http_with_its_own_key() {
    let home = Home::new();
    let key = with_bound_key(&home);
    let served = Served::start(&home, &[]);
    let started = asks(&served, &key, "session.start", &json!({"project": "api"})).ok().json();
    assert_eq!((&started["agent"], &started["status"]), (&json!("coder"), &json!("active")));
}

/// Nobody calls once the session is open: the server hears of the end by itself.
#[test]
fn a_session_whose_time_ran_out_is_recorded_by_the_server() {
    let home = Home::new();
    let short = r#"{"ttl": "1s", "consolidation_threshold": 5}"#;
    does(&home, &["lifecycle", "set", "short", "--definition", short]);
    let served = Served::start(&home, &[]);
    let start = json!({"agent": "coder", "lifecycle": "short"});
    let session = served.op("session.start", &start).ok().json();
    let path = format!("/v1/events/stream?after=0&session={}", text(&session["session_id"]));
    let heard = follow(served.address(), &Request::get(&path).bearer(&served.token()));
    let kinds = [heard.event().unwrap().kind, heard.event().unwrap().kind];
    assert_eq!(kinds, ["session_started", "session_expired"]);
}
