//! What an operation answered under an op id is answered again, for seven days.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use windlass_domain::chain::Provenance;
use windlass_domain::duration::Span;
use windlass_domain::op::OpId;
use windlass_domain::run::edit::OutsideEdits;
use windlass_domain::{Code, Time};
use windlass_ledger::{
    Again, Attempt, Clock, Error, Location, Recorded, Sent, Settled, Synchronous,
};
use windlass_ops::context::Surroundings;
use windlass_ops::settings::Resolved;
use windlass_ops::sheet::Sheet;
use windlass_ops::table::{Answer, Entry, TABLE};
use windlass_ops::{Access, Context, Place, Workplace};
use windlass_testkit::postgres;

const DAY: i64 = 24 * 60 * 60 * 1_000;

struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A ledger with a project and a task in every status, whose clock can be set.
struct Stage {
    cx: Context,
    clock: Arc<Hand>,
    /// The ids of tasks, deliveries and a key by name.
    tasks: Vec<(&'static str, String)>,
    _folder: tempfile::TempDir,
}

impl Stage {
    fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("ledger.db"));
        Self::at(location, folder)
    }

    fn at(location: Location, folder: tempfile::TempDir) -> Self {
        let clock = Arc::new(Hand(AtomicI64::new(1_794_735_000_000)));
        let mut workplace = Workplace::new(location);
        workplace.clock = Some(Arc::clone(&clock) as Arc<dyn Clock>);
        workplace.synchronous = Synchronous::Normal;
        let surroundings = Surroundings { user: "user".into(), ..Surroundings::default() };
        let mut resolved = Resolved::default();
        resolved.settings.runs_outside_edits = OutsideEdits::Adopt;
        let cx = Context::new(workplace, surroundings, resolved);
        let mut stage = Self { cx, clock, tasks: Vec::new(), _folder: folder };
        stage.prepare();
        stage
    }

    fn prepare(&mut self) {
        for name in ["api", "web"] {
            self.does("project.create", json!({"name": name}));
        }
        self.does("project.freeze", json!({"name": "web"}));
        for (name, status) in [
            ("READY", "ready"),
            ("HELD", "in_progress"),
            ("BLOCKED", "blocked"),
            ("DONE", "done"),
            ("ARCHIVED", "ready"),
            ("PARENT", "ready"),
        ] {
            self.add(
                name,
                &json!({"title": name, "project": "api", "status": status, "agent": "w1"}),
            );
        }
        self.does("task.archive", json!({"task": "ARCHIVED"}));
        self.add("CHILD", &json!({"title": "child", "parent": "PARENT"}));
        self.does("task.add-dep", json!({"task": "PARENT", "depends_on": "READY"}));
        self.does("task.checkpoint", json!({"task": "HELD", "name": "half", "data": {"a": [1]}}));
        self.does("hook.set", json!({"name": "on_done", "command": ["true"]}));
        for name in ["FAILED", "WAITING", "DISCARDED"] {
            self.does("task.add", json!({"title": "a hook", "status": "done"}));
            let listed = self.does("hook.list", json!({"state": "all"})).json().unwrap();
            let listed: Value = serde_json::from_str(&listed).unwrap();
            let ids = listed["deliveries"].as_array().unwrap().iter();
            let mut ids = ids.map(|one| one["delivery_id"].as_str().unwrap().to_owned());
            let new = ids.find(|id| self.tasks.iter().all(|(_, known)| known != id));
            self.tasks.push((name, new.unwrap()));
            if name == "FAILED" {
                self.fail_what_waits();
            }
        }
        self.does("hook.discard", json!({"ids": ["DISCARDED"]}));
        let given = self.does("key.create", json!({"for": "agent:w1", "role": "worker"}));
        let given: Value = serde_json::from_str(&given.json().unwrap()).unwrap();
        self.tasks.push(("KEY", given["key_id"].as_str().unwrap().to_owned()));
        self.start_runs();
        self.sit_down();
        self.write_chunks();
    }

    /// Sessions, one that goes on and one that left a memory behind, and definitions.
    fn sit_down(&mut self) {
        self.does("agent.register", json!({"name": "w1", "type": "dev_coder"}));
        let definition = json!({"ttl": "1h", "consolidation_threshold": 1});
        for slug in ["mine", "unused"] {
            self.does("lifecycle.set", json!({"slug": slug, "definition": definition}));
        }
        let definition = json!({"lifecycle": "mine"});
        self.does("agent.type.set", json!({"slug": "own", "definition": definition}));
        for name in ["SITS", "SAT"] {
            let started = self.does("session.start", json!({"agent": "w1", "project": "api"}));
            let started: Value = serde_json::from_str(&started.json().unwrap()).unwrap();
            self.tasks.push((name, started["session_id"].as_str().unwrap().to_owned()));
        }
        let remember = json!({"text": "it hangs", "agent": "w1", "session": "SAT"});
        let memory = self.does("remember", remember);
        let memory: Value = serde_json::from_str(&memory.json().unwrap()).unwrap();
        self.tasks.push(("MEMORY", memory["chunk_id"].as_str().unwrap().to_owned()));
        self.does("session.end", json!({"session": "SAT", "agent": "w1"}));
    }

    /// Chunks, known by their query keys.
    fn write_chunks(&mut self) {
        for key in ["first", "other", "flagged"] {
            let write = json!({"chunk_type": "knowledge", "title": key, "content": "x",
                               "project": "api", "query_key": key, "source_file": "a.rs",
                               "source_digest": "0".repeat(64)});
            self.does("chunk.write", write);
        }
        self.does("chunk.link", json!({"chunk": "first", "to": "other", "reason": "so"}));
        self.does("chunk.pin", json!({"chunk": "other"}));
        self.does("chunk.review", review("flagged"));
        self.does("chunk.type.set", json!({"slug": "risk", "definition": {}}));
    }

    /// Runs, each as far as its name says.
    fn start_runs(&mut self) {
        for name in ["BEGUN", "STARTED", "FAILED RUN", "HALTED", "PASSED", "DECIDED", "ENDED"] {
            self.begin(name);
        }
        for run in ["STARTED", "FAILED RUN", "PASSED", "DECIDED", "ENDED"] {
            self.does("run.step.start", json!({"step": 1, "run_id": run}));
        }
        for (run, outcome) in [
            ("FAILED RUN", "failed"),
            ("PASSED", "passed"),
            ("DECIDED", "passed"),
            ("ENDED", "passed"),
        ] {
            self.does("run.step.checked", checked(run, outcome));
        }
        for run in ["DECIDED", "ENDED"] {
            self.does("run.gate", json!({"step": 1, "decision": "approved", "run_id": run}));
        }
        self.does("run.step.block", json!({"step": 1, "reason": "stuck", "run_id": "HALTED"}));
        self.does("run.finalize", json!({"run_id": "ENDED"}));
        for (name, far) in [("ASKED", 0), ("ALLOWED", 1), ("UNDER WAY", 2)] {
            self.begin(name);
            let asked = json!({"kind": "external_write", "what": "publish", "idempotency_key": "k",
                               "run_id": name});
            self.does("run.action.request", asked);
            if far > 0 {
                let decided = json!({"action": "action-1", "decision": "approved", "run_id": name});
                self.does("run.action.decide", decided);
            }
            if far > 1 {
                let begun = json!({"action": "action-1", "idempotency_key": "k", "run_id": name});
                self.does("run.action.begin", begun);
            }
        }
        self.begin("OWNED");
        let owned = self.does("run.owner.claim", json!({"owner": "w1", "run_id": "OWNED"}));
        let owned: Value = serde_json::from_str(&owned.json().unwrap()).unwrap();
        self.tasks.push(("TOKEN", owned["token"].as_str().unwrap().to_owned()));
        let files = self.does("run.files", json!({"run_id": "BEGUN"})).json().unwrap();
        let files: Value = serde_json::from_str(&files).unwrap();
        let state = files["state"].as_str().unwrap().replace("Say hello", "Say goodbye");
        let escaped = Value::from(state).to_string();
        self.tasks.push(("STATE", escaped.trim_matches('"').to_owned()));
    }

    fn begin(&mut self, name: &'static str) {
        let begun = self.does("run.begin", run(name));
        let begun: Value = serde_json::from_str(&begun.json().unwrap()).unwrap();
        self.tasks.push((name, begun["run"].as_str().unwrap().to_owned()));
    }

    /// The receiver of all that waits in the outbox says that it is gone.
    fn fail_what_waits(&mut self) {
        let lock_for = Span::from_millis(120_000);
        let ledger = self.cx.ledger().unwrap();
        let settled = ledger.write(&Provenance::default(), |tx| {
            let claimed = tx.claim_hooks("a worker", 10, lock_for)?.claimed;
            let gone =
                Sent::Failed { reason: "410 Gone".into(), retry_after: None, again: Again::Never };
            let attempts: Vec<Attempt> = claimed
                .into_iter()
                .map(|one| Attempt { delivery: one.delivery, lock: one.lock, sent: gone.clone() })
                .collect();
            Ok(tx.settle_hooks(&attempts)?)
        });
        assert_eq!(settled.unwrap(), [Settled::Failed]);
    }

    fn add(&mut self, name: &'static str, input: &Value) {
        let added = self.does("task.add", input.clone());
        let added: Value = serde_json::from_str(&added.json().unwrap()).unwrap();
        self.tasks.push((name, added["task_id"].as_str().unwrap().to_owned()));
    }

    fn does(&mut self, name: &str, input: Value) -> Box<dyn Answer> {
        match self.try_to(name, input) {
            Ok(answer) => answer,
            Err(error) => panic!("{name}: {error:?}"),
        }
    }

    /// Runs an operation; tasks are named in capitals.
    fn try_to(&mut self, name: &str, input: Value) -> Result<Box<dyn Answer>, Error> {
        let mut text = input.to_string();
        for (name, id) in &self.tasks {
            text = text.replace(&format!("\"{name}\""), &format!("\"{id}\""));
        }
        let request = Entry::named(name).unwrap().from_json(serde_json::from_str(&text).unwrap());
        request.unwrap().run(&mut self.cx)
    }

    fn under(&mut self, op_id: &str, name: &str, input: Value) -> Result<Box<dyn Answer>, Error> {
        self.cx.op_id = Some(OpId::parse(op_id).unwrap());
        self.try_to(name, input)
    }

    fn events(&mut self) -> Vec<Recorded> {
        self.cx.read(|snapshot| Ok(snapshot.events_after(0, 1_000)?)).unwrap()
    }

    fn rebuilds_as_it_is(&mut self) {
        assert_eq!(self.cx.ledger().unwrap().rebuild().unwrap().differences, Vec::new());
    }

    fn days_pass(&self, millis: i64) {
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }
}

/// A run of one step, whose gates the caller decides.
fn run(folder: &str) -> Value {
    let text = "---\nintent: Say hello\nsuccess_criteria: Said\nrisk_level: low\nmax_agents: 5\n---\n\
                ### 1. Say it\naction: Say it\nloop: until said\nmax_iterations: 3\n\
                verify: true\ngate: human\n";
    json!({"text": text, "workflow_path": "/w.md", "folder": format!("/{folder}"),
           "machine": "m", "gates": "attested"})
}

fn checked(run: &str, outcome: &str) -> Value {
    let exit_code = i32::from(outcome != "passed");
    let results = json!([{"check": 0, "outcome": outcome, "exit_code": exit_code}]);
    json!({"step": 1, "attempt": 1, "results": results, "run_id": run})
}

/// Every operation that changes a run in one transaction.
fn samples_of_runs() -> Vec<(&'static str, Value)> {
    let step = |run: &str| json!({"step": 1, "run_id": run});
    let why = |run: &str| json!({"step": 1, "reason": "so", "run_id": run});
    let action = |run: &str| json!({"action": "action-1", "outcome": "succeeded", "evidence_ref": "seen", "run_id": run});
    vec![
        ("run.begin", run("new")),
        ("run.step.start", step("BEGUN")),
        ("run.step.checks", step("STARTED")),
        ("run.step.checked", checked("STARTED", "passed")),
        ("run.step.retry", step("FAILED RUN")),
        ("run.step.block", why("BEGUN")),
        ("run.step.unblock", why("HALTED")),
        ("run.unblock", json!({"reason": "so", "run_id": "HALTED"})),
        ("run.gate", json!({"step": 1, "decision": "rejected", "run_id": "PASSED"})),
        ("run.reopen", why("DECIDED")),
        ("run.finalize", json!({"run_id": "DECIDED"})),
        ("run.finished", json!({"disposition": "kept", "run_id": "ENDED"})),
        ("run.owner.heartbeat", json!({"owner_token": "TOKEN", "run_id": "OWNED"})),
        ("run.owner.release", json!({"owner_token": "TOKEN", "run_id": "OWNED"})),
        ("run.action.request", json!({"kind": "local_write", "what": "edit", "run_id": "BEGUN"})),
        (
            "run.action.decide",
            json!({"action": "action-1", "decision": "approved", "run_id": "ASKED"}),
        ),
        (
            "run.action.begin",
            json!({"action": "action-1", "idempotency_key": "k", "run_id": "ALLOWED"}),
        ),
        ("run.action.complete", action("UNDER WAY")),
        ("run.action.reconcile", action("UNDER WAY")),
        ("run.budget.check", json!({"run_id": "BEGUN"})),
        ("run.budget.record", json!({"metric": "agents", "observed": "2", "run_id": "BEGUN"})),
        (
            "run.budget.raise",
            json!({"metric": "agents", "limit": "9", "reason": "so", "run_id": "BEGUN"}),
        ),
        ("run.edited", json!({"state": "STATE", "run_id": "BEGUN"})),
        ("run.import", json!({"state": "STATE", "folder": "/elsewhere", "machine": "m"})),
    ]
}

/// Every operation that changes a session or a definition.
fn samples_of_sessions() -> Vec<(&'static str, Value)> {
    let sits = json!({"session": "SITS", "agent": "w1"});
    let definition = json!({"ttl": "2h", "consolidation_threshold": 3});
    vec![
        ("session.start", json!({"agent": "w1", "lifecycle": "dev", "run": "BEGUN"})),
        ("session.resume", sits.clone()),
        ("session.focus", json!({"session": "SITS", "task": "the login", "agent": "w1"})),
        ("session.take", sits.clone()),
        ("session.end", sits),
        (
            "session.consolidate",
            json!({"session": "SAT", "promote": ["MEMORY"], "to": "project", "agent": "w1"}),
        ),
        ("lifecycle.set", json!({"slug": "mine", "definition": definition})),
        ("lifecycle.hide", json!({"slug": "dev_coding"})),
        ("lifecycle.remove", json!({"slug": "unused"})),
        ("agent.register", json!({"name": "w2", "type": "own", "tags": ["rust"]})),
        ("agent.unregister", json!({"name": "w1"})),
        ("agent.type.set", json!({"slug": "own", "definition": {"lifecycle": "dev"}})),
        ("agent.type.hide", json!({"slug": "research"})),
        ("agent.type.remove", json!({"slug": "own"})),
    ]
}

fn review(chunk: &str) -> Value {
    json!({"chunk": chunk, "usefulness": 2, "correctness": 4, "action": "outdated"})
}

/// Every operation that changes chunks or their types.
fn samples_of_chunks() -> Vec<(&'static str, Value)> {
    let of = |chunk: &str| json!({ "chunk": chunk });
    let link = |to: &str| json!({"chunk": "first", "to": to, "reason": "so"});
    vec![
        (
            "chunk.write",
            json!({"chunk_type": "dev_spec", "title": "Log in", "content": "x", "project": "api"}),
        ),
        ("remember", json!({"text": "é\n🐙", "tags": ["a"]})),
        ("chunk.update", json!({"chunk": "first", "content": "y", "tags": ["a"], "note": "so"})),
        ("chunk.supersede", json!({"chunk": "first", "with": "other", "reason": "so"})),
        ("chunk.pin", of("first")),
        ("chunk.unpin", of("other")),
        ("chunk.expire", json!({"chunk": "first", "until": "30d"})),
        ("chunk.delete", of("first")),
        ("chunk.check-source", json!({"chunk": "first", "gone": true})),
        ("chunk.link", link("flagged")),
        ("chunk.unlink", link("other")),
        ("chunk.review", review("first")),
        ("chunk.dismiss", of("flagged")),
        ("chunk.type.set", json!({"slug": "idea", "definition": {}})),
        ("chunk.type.hide", json!({"slug": "lesson"})),
        ("chunk.type.remove", json!({"slug": "risk"})),
    ]
}

/// Every operation that changes the ledger in one transaction, with arguments that do something.
fn samples() -> Vec<(&'static str, Value)> {
    vec![
        ("project.create", json!({"name": "ops", "description": "new"})),
        ("project.rename", json!({"old_name": "api", "new_name": "core"})),
        ("project.freeze", json!({"name": "api", "reason": "holidays"})),
        ("project.unfreeze", json!({"name": "web"})),
        (
            "project.delete",
            json!({"name": "api", "move_to": "web", "force": true, "reason": "moved"}),
        ),
        (
            "task.add",
            json!({"title": "one more", "project": "api", "tags": ["a"], "comment": "so"}),
        ),
        ("task.claim", json!({"next": true, "agent": "w1", "lease": "30m", "view": "full"})),
        ("task.start", json!({"task": "READY", "agent": "w1"})),
        ("task.renew", json!({"task": "HELD", "agent": "w1", "lease": "1h"})),
        ("task.checkpoint", json!({"task": "HELD", "name": "more", "data": {"a": 1.5, "b": null}})),
        ("task.progress", json!({"task": "HELD", "progress": 50})),
        ("task.comment", json!({"task": "HELD", "text": "é\n🐙"})),
        ("task.complete", json!({"task": "HELD", "agent": "w1"})),
        ("task.release", json!({"task": "HELD"})),
        ("task.block", json!({"task": "HELD", "comment": "stuck"})),
        ("task.unblock", json!({"task": "BLOCKED"})),
        ("task.steal", json!({"task": "HELD", "force": true, "reason": "gone", "agent": "w2"})),
        ("task.reopen", json!({"task": "DONE"})),
        ("task.set-status", json!({"task": "READY", "status": "backlog"})),
        ("task.update", json!({"task": "READY", "title": "better", "priority": 3})),
        ("task.move", json!({"tasks": ["READY"], "project": "web"})),
        ("task.add-dep", json!({"task": "HELD", "depends_on": "READY"})),
        ("task.remove-dep", json!({"task": "PARENT", "depends_on": "READY"})),
        ("task.archive", json!({"task": "PARENT", "cascade": true})),
        ("task.restore", json!({"task": "ARCHIVED"})),
        ("workflow.run.start", json!({"agent": "w1", "lease": "30m"})),
        ("workflow.run.handoff", json!({"from": "HELD", "title": "next", "agent": "w2"})),
        (
            "workflow.run.delegate",
            json!({"from": "HELD", "title": "part", "pause_parent": true, "checkpoint": "so"}),
        ),
        ("gc", json!({})),
        ("hook.set", json!({"name": "on_blocked", "command": ["true"], "tag": ["a"]})),
        ("hook.remove", json!({"name": "on_done"})),
        ("hook.retry", json!({"ids": ["DISCARDED", "FAILED"]})),
        ("hook.retry", json!({"all_failed": true})),
        ("hook.discard", json!({"ids": ["WAITING", "FAILED"], "reason": "not wanted"})),
        ("key.revoke", json!({"key": "KEY", "reason": "lost"})),
    ]
}

/// These repair what is there, and end alike however often they run.
const REPAIRS: [&str; 1] = ["doctor"];
/// These change nothing, and are for admins all the same.
const LOOKS: [&str; 2] = ["key.list", "key.refusals"];

#[test]
fn what_every_operation_answered_is_answered_again_in_both_forms_row_i3() {
    let mut samples = samples();
    samples.extend(samples_of_runs());
    samples.extend(samples_of_sessions());
    samples.extend(samples_of_chunks());
    for (name, input) in &samples {
        let mut stage = Stage::on_sqlite();
        let mut run =
            || stage.under("k", name, input.clone()).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let (first, second) = (run(), run());
        let json = |answer: &dyn Answer| {
            answer.json().unwrap().replace("\"replayed\":true", "\"replayed\":false")
        };
        assert!(second.json().unwrap().contains("\"replayed\":true"), "{name} was executed again");
        assert_eq!(json(&*first), json(&*second), "{name}");
        let now = stage.clock.now();
        let Sheet { blocks: mut again } = second.sheet(now);
        assert!(again.pop().is_some(), "{name} says that it is replayed");
        assert_eq!(first.sheet(now).blocks, again, "{name}");
        stage.rebuilds_as_it_is();
    }
    let wanted = TABLE.iter().filter(|entry| {
        entry.access != Access::Read
            && entry.place == Place::Ledger
            && !entry.secret_answer
            && !REPAIRS.contains(&entry.name)
            && !LOOKS.contains(&entry.name)
    });
    for entry in wanted {
        let is_shown = samples.iter().any(|(name, _)| *name == entry.name);
        assert!(is_shown, "{} has no sample", entry.name);
    }
}

const HANDOFF: &str = "workflow.run.handoff";

fn handoff() -> Value {
    json!({"from": "HELD", "title": "next", "project": "api"})
}

fn op_rows(stage: &mut Stage) -> usize {
    stage.cx.read(|snapshot| Ok(snapshot.op(&OpId::parse("k")?)?.into_iter().count())).unwrap()
}

/// The data of the event that records an execution.
fn recorded(stage: &mut Stage) -> Vec<bool> {
    let events = stage.events();
    let ops = events.iter().filter(|event| event.header.kind == "op_completed");
    ops.map(|event| event.data.is_some()).collect()
}

fn kept_for_seven_days(mut stage: Stage) {
    let first = stage.under("k", HANDOFF, handoff()).unwrap().json().unwrap();
    stage.days_pass(7 * DAY - 1);
    let replayed = stage.under("k", HANDOFF, handoff()).unwrap().json().unwrap();
    assert_eq!(replayed, first.replace("\"replayed\":false", "\"replayed\":true"));
    stage.rebuilds_as_it_is();
    assert_eq!((op_rows(&mut stage), recorded(&mut stage)), (1, vec![true]));

    stage.days_pass(1);
    let Err(Error::Refused(anew)) = stage.under("k", HANDOFF, handoff()) else { panic!() };
    assert_eq!(anew.code, Code::InvalidTransition, "it is decided anew: the source is done");
    assert_eq!(recorded(&mut stage), [true], "a refusal changes nothing");
    stage.does("task.comment", json!({"task": "READY", "text": "any write takes it along"}));
    assert_eq!((op_rows(&mut stage), recorded(&mut stage)), (0, vec![false]));
    stage.rebuilds_as_it_is();
}

#[test]
fn an_op_id_is_remembered_for_seven_days_on_sqlite_row_i15() {
    kept_for_seven_days(Stage::on_sqlite());
}

#[test]
fn an_op_id_is_remembered_for_seven_days_on_postgresql_row_i15() {
    let Some(server) = postgres::shared() else { return };
    let database = server.database_from("windlass_ledger", |url| {
        windlass_ledger::Ledger::migrate(
            &Location::parse(url),
            windlass_ledger::Options::default(),
        )
        .unwrap();
    });
    let location = Location::parse(&database.url);
    kept_for_seven_days(Stage::at(location, tempfile::tempdir().unwrap()));
}

#[test]
fn after_seven_days_an_op_id_executes_again_and_the_old_record_is_gone_row_i15() {
    let mut stage = Stage::on_sqlite();
    let add = || json!({"title": "one more"});
    let id = |stage: &mut Stage| {
        let added: Value =
            serde_json::from_str(&stage.under("k", "task.add", add()).unwrap().json().unwrap())
                .unwrap();
        added["task_id"].as_str().unwrap().to_owned()
    };
    let first = id(&mut stage);
    assert_eq!(id(&mut stage), first);
    stage.days_pass(7 * DAY);
    let second = id(&mut stage);
    assert_ne!(second, first);
    assert_eq!(id(&mut stage), second);
    assert_eq!(recorded(&mut stage), [false, true], "what the first answered is no longer kept");
    stage.rebuilds_as_it_is();
}

#[test]
fn gc_forgets_what_is_old_row_i15() {
    let mut stage = Stage::on_sqlite();
    for number in 0..30 {
        let input = json!({"title": "one more"});
        stage.under(&format!("k{number}"), "task.add", input).unwrap();
    }
    stage.days_pass(7 * DAY);
    let swept: Value = serde_json::from_str(&stage.does("gc", json!({})).json().unwrap()).unwrap();
    assert_eq!(swept["ops_expired"], 30);
    assert!(recorded(&mut stage).iter().all(|has_data| !has_data));
    stage.rebuilds_as_it_is();
}

#[test]
fn a_request_known_by_itself_is_forgotten_as_well_row_i15() {
    let mut stage = Stage::on_sqlite();
    let delegate =
        || json!({"from": "HELD", "title": "part", "no_depends": true, "auto_op_id": true});
    let run = |stage: &mut Stage| {
        let answer = stage.does("workflow.run.delegate", delegate());
        serde_json::from_str::<Value>(&answer.json().unwrap()).unwrap()["replayed"] == true
    };
    assert_eq!((run(&mut stage), run(&mut stage)), (false, true));
    stage.days_pass(7 * DAY);
    assert_eq!((run(&mut stage), run(&mut stage)), (false, true));
    stage.rebuilds_as_it_is();
}
