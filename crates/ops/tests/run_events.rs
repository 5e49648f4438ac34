//! Runs in the log: whoever reads it hears of them, by project, by task and in the words of others.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use serde_json::{Value, json};
use windlass_domain::TaskId;
use windlass_domain::chain::{Hash, Provenance};
use windlass_domain::run::event::{Place, RunStarted, Tie};
use windlass_domain::run::file::parse;
use windlass_domain::run::name::RunId;
use windlass_domain::run::word::{Authority, Door, Gates};
use windlass_domain::run::{Caller, step};
use windlass_ledger::{Error, Location};
use windlass_ops::context::Surroundings;
use windlass_ops::settings::Resolved;
use windlass_ops::table::Entry;
use windlass_ops::{Context, Workplace};

const FILE: &str = "---\nintent: try it\nsuccess_criteria: it works\nrisk_level: low\n---\n\n\
- [ ] **Step 1: Build**\naction: build it\nloop: until it builds\nverify: make\n";

/// Two tasks in two projects; a run of the first, and one of no task.
struct Stage {
    cx: Context,
    task: String,
    _folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("ledger.db"));
        let surroundings = Surroundings { user: "user".into(), ..Surroundings::default() };
        let cx = Context::new(Workplace::new(location), surroundings, Resolved::default());
        let mut stage = Self { cx, task: String::new(), _folder: folder };
        for project in ["api", "web"] {
            stage.does("project.create", json!({"name": project}));
            let added = stage.does("task.add", json!({"title": "t", "project": project}));
            if project == "api" {
                added["task_id"].as_str().unwrap().clone_into(&mut stage.task);
            }
        }
        let task = stage.task.parse().unwrap();
        stage.start("boat-1", Some(task));
        stage.start("boat-2", None);
        stage
    }

    /// Begins a run and its first step.
    fn start(&mut self, name: &str, task: Option<TaskId>) {
        let by = Provenance { actor: "worker-1".into(), ..Provenance::default() };
        let agent = Caller {
            name: "worker-1".into(),
            is_named: true,
            authority: Authority::Attested,
            door: Door::Own,
            token_sha256: None,
        };
        let begun = self.cx.ledger().unwrap().write(&by, |tx| {
            let kept = tx.begin_run(started(name, task))?;
            let events = step::start(&kept.run, 1, &agent, tx.now()).unwrap();
            tx.record_run(&kept, events)
        });
        begun.unwrap();
    }

    fn does(&mut self, name: &str, input: Value) -> Value {
        let request = Entry::named(name).unwrap().from_json(input).unwrap();
        let answer = match request.run(&mut self.cx) {
            Ok(answer) => answer,
            Err(Error::Refused(refusal)) => panic!("{name}: {refusal}"),
            Err(Error::Failed(fault)) => panic!("{name}: {fault}"),
        };
        serde_json::from_str(&answer.json().unwrap()).unwrap()
    }

    /// One field of each event of a run that is shown.
    fn told(&mut self, input: Value, field: &str) -> Vec<String> {
        let page = self.does("events", input);
        let events = page["events"].as_array().unwrap();
        let texts = events.iter().map(|event| event[field].as_str().unwrap().to_owned());
        texts.collect()
    }
}

fn started(name: &str, task: Option<TaskId>) -> RunStarted {
    RunStarted {
        name: RunId::try_from(name.to_owned()).unwrap(),
        file: parse(FILE).unwrap().file,
        file_sha256: Hash::of(FILE.as_bytes()),
        place: Place {
            workflow_path: "/repo/boat-workflow.md".into(),
            source_workflow_path: "/repo/boat-workflow.md".into(),
            source_branch: None,
            source_head: None,
            stash: None,
            rescue: None,
            workflow_slug: "boat".into(),
            branch: "hotl/boat".into(),
            repo_root: "/repo".into(),
            execution_root: "/repo".into(),
            worktree_path: None,
            executor_mode: "loop".into(),
            driver: "generic".into(),
            host: "fallback".into(),
            folder: "/repo".into(),
            machine: "harbour".into(),
        },
        gates: Gates::Attested,
        require_owner: false,
        tie: task.map(|task| Tie { task, fence: 1 }),
        gate_timeout: None,
        head: None,
    }
}

const RUN: [&str; 2] = ["run_started", "step_started"];

#[test]
fn the_log_tells_of_every_run() {
    let kinds = Stage::new().told(json!({}), "kind");
    assert_eq!(kinds[4..], [RUN, RUN].concat());
}

#[test]
fn the_runs_of_a_project_are_those_of_its_tasks() {
    let mut stage = Stage::new();
    let kinds = stage.told(json!({"project": "api"}), "kind");
    assert_eq!(kinds, ["project_created", "task_created", "run_started", "step_started"]);
    let kinds = stage.told(json!({"project": "web"}), "kind");
    assert_eq!(kinds, ["project_created", "task_created"]);
}

#[test]
fn the_runs_of_a_task_are_told_with_it() {
    let mut stage = Stage::new();
    let task = stage.task.clone();
    let kinds = stage.told(json!({"task": task}), "kind");
    assert_eq!(kinds, ["task_created", "run_started", "step_started"]);
}

#[test]
fn one_kind_of_all_runs_can_be_read_alone() {
    let kinds = Stage::new().told(json!({"kind": ["run_started"]}), "kind");
    assert_eq!(kinds, ["run_started", "run_started"]);
}

#[test]
fn to_readers_of_hzl_a_run_is_about_the_task_it_works_on() {
    let mut stage = Stage::new();
    let task = stage.task.clone();
    let input = json!({"compat": "hzl", "kind": ["step_started"]});
    assert_eq!(stage.told(input.clone(), "task_id"), [task.as_str(), "__project__"]);
    assert_eq!(stage.told(input, "type"), ["step_started", "step_started"]);
}

#[test]
fn what_somebody_did_to_a_run_shows_its_task() {
    let mut stage = Stage::new();
    let log = stage.does("agent.log", json!({"agent": "worker-1"}));
    let events = log["events"].as_array().unwrap();
    let shown: Vec<(&Value, &Value)> =
        events.iter().map(|event| (&event["type"], &event["taskTitle"])).collect();
    assert_eq!(
        shown,
        [
            (&json!("step_started"), &Value::Null),
            (&json!("run_started"), &Value::Null),
            (&json!("step_started"), &json!("t")),
            (&json!("run_started"), &json!("t")),
        ]
    );
}
