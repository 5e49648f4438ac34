//! The HTTP API against its own description: schemathesis reads `/openapi.json` and sends what fits it
//! and what does not. No answer is a 5xx, and none is one that the document does not tell of.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;

use serde_json::{Value, json};
use windlass_testkit::{Home, Served, Tool};

const HOOKS: &str = include_str!("../fixtures/schemathesis_hooks.py");
const SETTINGS: &str = "hooks = \"hooks.py\"\n";

/// How many requests are made up for each path beside those that cover the schema.
const EXAMPLES: &str = "8";
const SEED: &str = "20261115";
#[track_caller]
fn run(served: &Served, operation: &str, arguments: &Value) -> Value {
    served.op(operation, arguments).ok().json()
}

/// A ledger with something in it, and the names of what is there by the fields that take them.
fn furnish(served: &Served) -> Value {
    run(served, "project.create", &json!({"name": "api"}));
    let add = |title: &str, more: Value| {
        let mut task =
            json!({"title": title, "project": "api", "status": "ready", "tags": ["deep"]});
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        run(served, "task.add", &task)["task_id"].as_str().unwrap().to_owned()
    };
    let tasks: Vec<String> =
        (1..=6).map(|number| add(&format!("Task {number}"), json!({}))).collect();
    let last = add("Last", json!({"depends_on": tasks, "description": "the end"}));
    let by = |task: &str| json!({"task": task, "agent": "stoker", "lease": "1h"});
    run(served, "task.claim", &by(&tasks[0]));
    run(served, "task.claim", &by(&tasks[1]));
    run(served, "task.complete", &json!({"task": tasks[1], "author": "stoker"}));
    run(served, "task.block", &json!({"task": tasks[2], "comment": "no wind"}));
    run(
        served,
        "hook.set",
        &json!({"name": "on-done", "on": "on_done", "url": "http://127.0.0.1:9/"}),
    );
    let all = [tasks, vec![last]].concat();
    let mut known = json!({
        "project": ["api", "inbox"],
        "name": ["api", "on-done", "start"],
        "agent": ["stoker", "lookout"],
        "code": ["stale_claim", "task_not_found"],
        "status": ["ready", "in_progress", "blocked", "done"],
        "lease": ["30m", "1h"],
    });
    for field in ["id", "task", "tasks", "from", "parent", "depends_on"] {
        known[field] = json!(all);
    }
    known
}

#[test]
fn every_answer_is_one_that_the_document_tells_of() {
    let Some(python) = Tool::Python.program() else { return };
    let home = Home::new();
    let served = Served::start(&home, &[]);
    let known = furnish(&served);
    let files =
        [("hooks.py", HOOKS), ("known.json", &known.to_string()), ("schemathesis.toml", SETTINGS)];
    for (name, text) in files {
        fs::write(home.work().join(name), text).unwrap();
    }
    let bearer = format!("Authorization: Bearer {}", served.token());
    let storm = home
        .program(python)
        .args(["-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run"])
        .args([&served.url("/openapi.json"), "--header", &bearer])
        .args(["--seed", SEED, "--max-examples", EXAMPLES])
        // All but two: that a request fits its schema does not mean that its task exists, and after some
        // wrong keys an address is told to wait instead of being told that they are wrong.
        .args(["--checks", "all", "--exclude-checks", "positive_data_acceptance,ignored_auth"])
        // The stream of events has no end.
        .args(["--exclude-path", "/v1/events/stream", "--phases", "coverage,fuzzing"])
        .args(["--suppress-health-check", "all", "--continue-on-failure", "--no-shrink"])
        // One at a time: CPython 3.11 counts the depth of parsed code for all threads together, and now
        // and then stops one of two with "recursion depth mismatch".
        .args(["--warnings", "off", "--workers", "1", "--no-color"])
        .run();
    assert_eq!(storm.code, Some(0), "{storm}");
    assert!(storm.stdout.contains("No issues found"), "{storm}");

    // Whatever was asked for, the ledger is whole.
    let verified = home.windlass(&["audit", "verify", "--json"]).run().ok().json();
    assert_eq!(verified["sound"], true);
    let _done = home.windlass(&["validate"]).run().ok();
    assert!(served.stop().success());
}
