//! A real coding agent from npm works on a task of ours. What it decides is written down here; that it
//! understands our tools, calls them and reads their answers is its own.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use windlass_testkit::agent::{sitting, tool};
use windlass_testkit::home::binary;
use windlass_testkit::model::{Model, Turn};
use windlass_testkit::{Home, Served, machine};

fn add(home: &Home, title: &str) -> String {
    let add = home.windlass(&["task", "add", title, "-s", "ready", "--json"]).run().ok().json();
    add["task_id"].as_str().unwrap().to_owned()
}

fn call(name: &str, input: Value) -> Turn {
    Turn::call(&tool("windlass", name), input)
}

/// What the model does: from the first call to the last word.
fn plan(task: &str) -> Vec<Turn> {
    vec![
        call("start", json!({"lease": "30m"})),
        call(
            "checkpoint",
            json!({"task": task, "name": "half way", "data": {"file": "a.rs"}, "progress": 50}),
        ),
        call("complete", json!({"task": task, "comment": "checked by hand"})),
        Turn::say("It is done."),
    ]
}

#[track_caller]
fn assert_done_by(home: &Home, task: &str, agent: &str) {
    let shown =
        home.windlass(&["task", "show", task, "--view", "full", "--json"]).run().ok().json();
    assert_eq!(
        (&shown["task"]["status"], &shown["task"]["agent"]),
        (&json!("done"), &json!(agent))
    );
    let checkpoint = &shown["checkpoints"][0];
    assert_eq!((&checkpoint["name"], &checkpoint["author"]), (&json!("half way"), &json!(agent)));
    assert_eq!(checkpoint["data"], json!({"file": "a.rs"}));
    assert_eq!(shown["comments"][0]["text"], "checked by hand");
}

#[test]
fn an_agent_takes_a_task_from_start_to_done() {
    let home = Home::new();
    let task = add(&home, "Mend the winch");
    let model = Model::start(plan(&task));
    let command = binary().display().to_string();
    let servers = json!({"windlass": {"command": command, "args": ["mcp", "--agent", "worker-1"]}});
    let Some(run) = sitting(&home, &model, &servers, "Work on the next task.") else { return };
    let answer = run.run().ok().json();
    assert_eq!((&answer["result"], &answer["is_error"]), (&json!("It is done."), &json!(false)));
    assert_done_by(&home, &task, "worker-1");

    let offered: Vec<_> =
        model.tools().into_iter().filter(|name| name.starts_with("mcp__windlass__")).collect();
    assert_eq!(offered.len(), 12, "{offered:?}");
    let results = model.results();
    assert_eq!(results.len(), 3, "{results:#?}");
    assert!(results[0].contains("Mend the winch"), "{results:#?}");
}

#[test]
fn an_agent_that_is_refused_reads_why_and_what_to_do() {
    let home = Home::new();
    let task = add(&home, "Taken");
    let _done = home.windlass(&["task", "claim", &task, "--agent", "anna"]).run().ok();
    let model = Model::start(vec![call("claim", json!({"task": task})), Turn::say("It is taken.")]);
    let command = binary().display().to_string();
    let servers = json!({"windlass": {"command": command, "args": ["mcp", "--agent", "worker-1"]}});
    let Some(run) = sitting(&home, &model, &servers, "Take it.") else { return };
    let _done = run.run().ok();
    let results = model.results();
    assert!(results[0].contains("already_claimed"), "{results:#?}");
    assert!(results[0].contains("next"), "{results:#?}");
}

#[test]
fn an_agent_elsewhere_works_over_http_with_its_key() {
    let home = Home::new();
    let task = add(&home, "Far away");
    let served = Served::start(&home, &[]);
    let create = ["key", "create", "--for", "agent:worker-2", "--role", "worker", "--json"];
    let key = home.windlass(&create).run().ok().json();
    let bearer = format!("Bearer {}", key["key"].as_str().unwrap());
    let headers = json!({"Authorization": bearer});
    let servers =
        json!({"windlass": {"type": "http", "url": served.url("/mcp"), "headers": headers}});
    let model = Model::start(plan(&task));
    let Some(run) = sitting(&home, &model, &servers, "Work on the next task.") else { return };
    let _done = run.run().ok();
    assert_done_by(&home, &task, "worker-2");
}

/// The entry is the one that `windlass setup` wrote, found as the agent finds it: on the path.
#[test]
fn an_agent_that_was_set_up_by_setup_finds_its_tools() {
    let home = Home::new();
    let task = add(&home, "As set up");
    let programs = home.path().join("bin");
    fs::create_dir_all(&programs).unwrap();
    symlink(binary(), programs.join("windlass")).unwrap();
    let folders = [programs].into_iter().chain(machine::search_path());
    let path = std::env::join_paths(folders).unwrap();
    let _done = home
        .windlass(&["setup", "claude", "--agent", "worker-3", "--yes"])
        .env("PATH", &path)
        .run()
        .ok();
    let written = fs::read_to_string(home.work().join(".mcp.json")).unwrap();
    let written: Value = serde_json::from_str(&written).unwrap();
    assert!(fs::read_to_string(home.work().join("CLAUDE.md")).unwrap().contains("windlass"));

    let model = Model::start(plan(&task));
    let Some(run) = sitting(&home, &model, &written["mcpServers"], "Work.") else { return };
    let _done = run.env("PATH", &path).run().ok();
    assert_done_by(&home, &task, "worker-3");
}
