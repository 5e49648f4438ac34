//! The MCP door, entered with the client that others wrote: the package `mcp` of Python.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use serde_json::{Value, json};
use windlass_testkit::home::binary;
use windlass_testkit::{Home, Served, Tool};

const VISIT: &str = include_str!("../fixtures/mcp_visit.py");
const ANSWERS: &str = include_str!("../fixtures/mcp_answers.py");

const TOOLS: [&str; 12] = [
    "start",
    "claim",
    "checkpoint",
    "complete",
    "block",
    "handoff",
    "delegate",
    "add",
    "list",
    "show",
    "search",
    "why",
];

/// A home with a project and a task that is ready.
fn home_with_a_task() -> (Home, String) {
    let home = Home::new();
    let _done = home.windlass(&["project", "create", "api"]).run().ok();
    let add = ["task", "add", "Do it", "-P", "api", "-s", "ready", "--json"];
    let added = home.windlass(&add).run().ok().json();
    let task = added["task_id"].as_str().unwrap().to_owned();
    (home, task)
}

/// How a client starts `windlass mcp` in this home.
fn standard_streams(home: &Home, args: &[&str]) -> Value {
    let args = [&["mcp", "--agent", "worker-1"], args].concat();
    let folder = |path: std::path::PathBuf| path.display().to_string();
    let env = json!({
        "HOME": folder(home.path().to_owned()),
        "XDG_DATA_HOME": folder(home.data()),
        "XDG_CONFIG_HOME": folder(home.config()),
    });
    json!({"command": folder(binary()), "args": args, "env": env})
}

/// What the script told, or nothing when this run has no Python.
#[track_caller]
fn python(home: &Home, script: &str, asked: &Value) -> Option<Value> {
    let python = Tool::Python.program()?;
    let run = home.program(python).args(["-W", "ignore", "-c", script]).stdin(asked.to_string());
    let outcome = run.run().ok();
    assert_eq!(outcome.stderr, "", "the client complains");
    Some(outcome.json())
}

#[track_caller]
fn assert_all_well(home: &Home, task: &str, told: &Value) {
    assert_eq!(told["name"], "windlass");
    assert!(told["instructions"].as_str().unwrap().contains("Begin with start"), "{told:#}");
    assert_eq!(told["tools"], json!(TOOLS));
    assert_eq!(told["read_only"], json!(["list", "show", "search", "why"]));
    let work = &told["work"];
    assert_eq!((&work["started"], &work["saved"]), (&json!(task), &json!("half way")));
    assert_eq!((&work["done"], &work["text"]), (&json!("done"), &json!("done")));
    assert_eq!(work["again"]["is_error"], true);
    assert_eq!(work["again"]["code"], "invalid_transition", "{told:#}");
    assert!(!work["again"]["hint"].as_str().unwrap().is_empty());
    let templates = json!(["windlass://task/{id}", "windlass://project/{name}/board"]);
    assert_eq!((&told["templates"], &told["resource"]), (&templates, &json!("done")));
    assert_eq!(told["told"], true);
    assert_eq!(told["prompts"], json!(["work", "handoff", "plan"]));
    assert!(told["prompt"].as_str().unwrap().contains("start"), "{told:#}");
    for nothing in ["no_tool", "no_resource", "no_prompt"] {
        assert!(told[nothing].is_i64(), "{nothing}: {told:#}");
    }
    let shown = home.windlass(&["task", "show", task, "--json"]).run().ok().json();
    assert_eq!(shown["task"]["status"], "done");
    assert_eq!(shown["task"]["agent"], "worker-1");
    assert_eq!(shown["checkpoints"][0]["author"], "worker-1");
}

#[track_caller]
fn on_the_standard_streams(mode: &str) -> Option<Value> {
    let (home, task) = home_with_a_task();
    let way = standard_streams(&home, &[]);
    let asked = json!({"way": way, "mode": mode, "task": task, "project": "api"});
    let told = python(&home, VISIT, &asked)?;
    assert_all_well(&home, &task, &told);
    Some(told)
}

#[track_caller]
fn over_http(mode: &str) -> Option<Value> {
    let (home, task) = home_with_a_task();
    let served = Served::start(&home, &[]);
    let create = ["key", "create", "--for", "agent:worker-1", "--role", "worker", "--json"];
    let key = home.windlass(&create).run().ok().json();
    let bearer = format!("Bearer {}", key["key"].as_str().unwrap());
    let way = json!({"url": served.url("/mcp"), "headers": {"Authorization": bearer}});
    let asked = json!({"way": way, "mode": mode, "task": task, "project": "api"});
    let told = python(&home, VISIT, &asked)?;
    assert_all_well(&home, &task, &told);
    Some(told)
}

#[test]
fn a_client_that_greets_works_on_the_standard_streams() {
    let Some(told) = on_the_standard_streams("legacy") else { return };
    assert_eq!(told["version"], "2025-11-25");
}

#[test]
fn a_client_of_the_newest_version_works_on_the_standard_streams() {
    let Some(told) = on_the_standard_streams("auto") else { return };
    assert_eq!(told["version"], "2026-07-28");
}

#[test]
fn a_client_that_greets_works_over_http() {
    let Some(told) = over_http("legacy") else { return };
    assert_eq!(told["version"], "2025-11-25");
}

#[test]
fn a_client_of_the_newest_version_works_over_http() {
    let Some(told) = over_http("auto") else { return };
    assert_eq!(told["version"], "2026-07-28");
}

/// The client checks each answer against the promised schema by itself.
#[test]
fn every_tool_that_looks_answers_as_its_schema_promises() {
    let (home, task) = home_with_a_task();
    let hook = ["hook", "set", "on-done", "--on", "on_done", "--url", "http://127.0.0.1:9/"];
    let _done = home.windlass(&hook).run().ok();
    let file = "---\nintent: say it\nsuccess_criteria: said\nrisk_level: low\n---\n\
                ### 1. Say\naction: say\nloop: false\nverify: true\n";
    let begin = ["run", "begin", "--text", file, "--workflow-path", "/w.md", "--folder", "/work"];
    let answer = home.windlass(&begin).args(["--machine", "m", "--json"]).run().ok().json();
    let of_run = json!({"run_id": answer["run"]});
    let start = ["session", "start", "--agent", "worker-1", "--json"];
    let session = home.windlass(&start).run().ok().json();
    let of_task = json!({"task": task});
    let write = ["chunk", "write", "principle", "Say it", "in short", "--key", "say-it"];
    let _written = home.windlass(&write).run().ok();
    let of_chunk = json!({"chunk": "say-it"});
    let arguments = json!({
        "run_show": of_run,
        "run_evidence": of_run,
        "run_files": of_run,
        "run_summary": of_run,
        "run_reconcile": of_run,
        "run_receipt_show": of_run,
        "run_owner_status": of_run,
        "task_show": of_task,
        "task_history": of_task,
        "dep_tree": of_task,
        "why": of_task,
        "task_search": {"query": "it"},
        "hook_show": {"name": "on-done"},
        "project_show": {"name": "api"},
        "workflow_show": {"name": "start"},
        "agent_log": {"agent": "worker-1"},
        "agent_type_show": {"slug": "dev_coder"},
        "lifecycle_show": {"slug": "dev_coding"},
        "session_show": {"session": session["session_id"]},
        "inject_preview": {"agent": "worker-1"},
        "explain": {"code": "stale_claim"},
        "chunk_search": {"question": "short"},
        "chunk_show": of_chunk,
        "chunk_versions": of_chunk,
        "chunk_diff": of_chunk,
        "chunk_chain": of_chunk,
        "chunk_type_show": {"slug": "dev_spec"},
    });
    let way = standard_streams(&home, &["--tools", "all"]);
    let asked = json!({"way": way, "arguments": arguments});
    let Some(told) = python(&home, ANSWERS, &asked) else { return };
    let answers = told.as_object().unwrap().iter();
    let (kept, other): (Vec<_>, Vec<_>) = answers.partition(|(_, answer)| *answer == "kept");
    assert!(kept.len() > 25, "{told:#}");
    // What HZL has and we do not is refused, whatever is asked.
    let names: Vec<_> = other.iter().map(|(name, answer)| format!("{name} {answer}")).collect();
    let never = ["lock", "sample_project", "sync"].map(|name| format!("{name} \"not_here\""));
    assert_eq!(names, never);
}
