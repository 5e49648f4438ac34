//! What a key opens, and what it does not, whatever the door.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use windlass_domain::chain::Hash;
use windlass_domain::op::OpId;
use windlass_domain::{Code, Key, Refusal, Status, Time};
use windlass_ledger::{Clock, Error, Location, Recorded, Synchronous};
use windlass_ops::context::Surroundings;
use windlass_ops::settings::Resolved;
use windlass_ops::table::{Entry, TABLE};
use windlass_ops::{Access, Context, Workplace};

const DAY: i64 = 24 * 60 * 60 * 1_000;

struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A ledger with two projects, and a context whose caller changes.
struct Stage {
    cx: Context,
    clock: Arc<Hand>,
    _folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut workplace = Workplace::new(Location::Sqlite(folder.path().join("ledger.db")));
        let clock = Arc::new(Hand(AtomicI64::new(1_794_735_000_000)));
        workplace.clock = Some(Arc::clone(&clock) as Arc<dyn Clock>);
        workplace.synchronous = Synchronous::Normal;
        let surroundings = Surroundings {
            user: "user".into(),
            agent: Some("from-the-surroundings".into()),
            ..Surroundings::default()
        };
        let mut settings = Resolved::default();
        settings.settings.project = Some("web".into());
        let cx = Context::new(workplace, surroundings, settings);
        let mut stage = Self { cx, clock, _folder: folder };
        for name in ["api", "web"] {
            stage.does("project.create", json!({"name": name}));
        }
        stage
    }

    /// Runs an operation as whoever is calling now.
    fn try_to(&mut self, name: &str, input: Value) -> Result<Value, Error> {
        let request = Entry::named(name).unwrap().from_json(input).unwrap();
        let answer = request.run(&mut self.cx)?;
        Ok(serde_json::from_str(&answer.json().unwrap()).unwrap())
    }

    fn does(&mut self, name: &str, input: Value) -> Value {
        self.try_to(name, input).unwrap_or_else(|error| panic!("{name}: {error:?}"))
    }

    /// The code with which it is refused, and that this leaves nothing.
    fn refused(&mut self, name: &str, input: Value) -> Code {
        self.refusal(name, input).code
    }

    fn refusal(&mut self, name: &str, input: Value) -> Refusal {
        let before = self.events().len();
        let Err(Error::Refused(refusal)) = self.try_to(name, input) else {
            panic!("{name} is not refused");
        };
        assert_eq!(self.events().len(), before, "{name} left something");
        refusal
    }

    /// Makes a key as the user of the machine; returns its text.
    fn make(&mut self, input: Value) -> String {
        let caller = self.cx.key.take();
        let given = self.does("key.create", input);
        self.cx.key = caller;
        given["key"].as_str().unwrap().to_owned()
    }

    /// From here on calls somebody who shows this key.
    fn enter(&mut self, text: &str) {
        let digest = Hash::of(text.as_bytes());
        let found = self.look(|snapshot| snapshot.key_by_digest(&digest));
        self.cx.key = Some(found.unwrap());
    }

    fn enters_with(&mut self, input: Value) -> String {
        let text = self.make(input);
        self.enter(&text);
        text
    }

    /// Does something as the user of the machine.
    fn behind_the_scenes(&mut self, name: &str, input: Value) -> Value {
        let key = self.cx.key.take();
        let answer = self.does(name, input);
        self.cx.key = key;
        answer
    }

    fn look<T>(
        &mut self,
        look: impl Fn(&mut windlass_ledger::Snapshot<'_>) -> Result<T, windlass_ledger::Fault>,
    ) -> T {
        self.cx.ledger().unwrap().read(|snapshot| Ok(look(snapshot)?)).unwrap()
    }

    fn events(&mut self) -> Vec<Recorded> {
        self.look(|snapshot| snapshot.events_after(0, 1_000))
    }

    fn last_actor(&mut self) -> String {
        self.events().pop().unwrap().header.provenance.actor
    }

    fn add(&mut self, input: Value) -> String {
        self.behind_the_scenes("task.add", input)["task_id"].as_str().unwrap().to_owned()
    }

    fn ready(&mut self, project: &str) -> String {
        self.add(json!({"title": "a task", "project": project, "status": "ready"}))
    }

    fn pass(&self, millis: i64) {
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }
}

fn worker() -> Value {
    json!({"for": "agent:worker-1", "role": "worker"})
}

fn worker_in_api() -> Value {
    json!({"for": "agent:worker-1", "role": "worker", "project": ["api"]})
}

fn admin() -> Value {
    json!({"for": "person:anna", "role": "admin"})
}

/// Operations with what they need at least, of all that an admin alone may do.
fn for_admins() -> Vec<(&'static str, Value)> {
    vec![
        ("project.delete", json!({"name": "api"})),
        ("doctor", json!({})),
        ("hook.set", json!({"name": "on_done", "command": ["true"]})),
        ("hook.remove", json!({"name": "on_done"})),
        ("key.create", worker()),
        ("key.list", json!({})),
        ("key.rotate", json!({"key": "wl_00000000"})),
        ("key.revoke", json!({"key": "wl_00000000"})),
        ("key.refusals", json!({})),
    ]
}

#[test]
fn what_is_for_admins_is_closed_to_every_other_key() {
    let others = [
        json!({"for": "agent:worker-1", "role": "worker"}),
        json!({"for": "agent:worker-1", "role": "reviewer"}),
        json!({"for": "person:anna", "role": "worker"}),
        json!({"for": "person:anna", "role": "approver"}),
    ];
    for other in others {
        let mut stage = Stage::new();
        stage.enters_with(other);
        for (name, input) in for_admins() {
            assert_eq!(Entry::named(name).unwrap().access, Access::Admin, "{name}");
            assert_eq!(stage.refused(name, input), Code::NotAllowed, "{name}");
        }
    }
}

#[test]
fn everything_about_keys_is_for_admins() {
    for entry in TABLE.iter().filter(|entry| entry.name.starts_with("key.")) {
        assert_eq!(entry.access, Access::Admin, "{}", entry.name);
    }
}

#[test]
fn an_admin_key_makes_keys_in_its_owners_name() {
    let mut stage = Stage::new();
    stage.enters_with(admin());
    let given = stage.does("key.create", worker());
    assert_eq!(stage.last_actor(), "anna");
    let prefix = given["prefix"].as_str().unwrap().to_owned();
    stage.does("key.revoke", json!({"key": prefix}));
}

#[test]
fn what_is_done_with_a_key_is_done_by_its_owner() {
    let mut stage = Stage::new();
    let task = stage.ready("api");
    stage.enters_with(worker());
    let claimed = stage.does("task.claim", json!({"task": task}));
    assert_eq!(
        (claimed["agent"].as_str(), stage.last_actor().as_str()),
        (Some("worker-1"), "worker-1")
    );
    stage.does("task.complete", json!({"task": task, "agent": "worker-1"}));
    assert_eq!(stage.last_actor(), "worker-1");
}

#[test]
fn a_key_acts_under_no_other_name() {
    let mut stage = Stage::new();
    let task = stage.ready("api");
    stage.enters_with(worker());
    for (name, input) in [
        ("task.claim", json!({"task": task, "agent": "worker-2"})),
        ("task.claim", json!({"task": task, "author": "worker-2"})),
        ("task.comment", json!({"task": task, "text": "so", "author": "anna"})),
        ("task.add", json!({"title": "one", "status": "in_progress", "agent": "worker-2"})),
        ("workflow.run.start", json!({"agent": "worker-2"})),
    ] {
        assert_eq!(stage.refused(name, input), Code::NotAllowed, "{name}");
    }
}

#[test]
fn a_key_may_ask_about_others_and_send_work_to_them() {
    let mut stage = Stage::new();
    stage.enters_with(worker());
    stage.does("why", json!({"agent": "worker-2"}));
    stage.does("task.add", json!({"title": "one", "project": "api", "agent": "worker-2"}));
}

/// Operations with a `--force`, each of them used.
fn forceful(task: &str) -> Vec<(&'static str, Value)> {
    let by = |name: &'static str| (name, json!({"task": task}));
    let mut all: Vec<(&str, Value)> = [
        "task.renew",
        "task.complete",
        "task.release",
        "task.block",
        "task.unblock",
        "task.steal",
        "task.archive",
    ]
    .map(by)
    .into();
    all.extend([
        ("project.delete", json!({"name": "api"})),
        ("task.add", json!({"title": "one", "status": "done"})),
        ("task.checkpoint", json!({"task": task, "name": "half"})),
        ("task.progress", json!({"task": task, "progress": 5})),
        ("task.set-status", json!({"task": task, "status": "ready"})),
        ("workflow.run.handoff", json!({"from": task, "title": "next", "project": "api"})),
        ("workflow.run.delegate", json!({"from": task, "title": "part"})),
        ("chunk.delete", json!({"chunk": "one"})),
        ("run.finished", json!({"disposition": "kept"})),
        ("run.owner.takeover", json!({"owner": "worker-1"})),
    ]);
    for (name, input) in &mut all {
        input["force"] = true.into();
        if *name != "run.finished" {
            input["reason"] = "because".into();
        }
    }
    all
}

#[test]
fn an_agents_key_overrides_no_rule() {
    let mut stage = Stage::new();
    let task = stage.ready("api");
    stage.enters_with(worker());
    let forceful = forceful(&task);
    for (name, input) in &forceful {
        assert_eq!(stage.refused(name, input.clone()), Code::NotAllowed, "{name}");
    }
    let with_force =
        TABLE.iter().filter(|entry| entry.fields().iter().any(|field| field == "force"));
    for entry in with_force {
        assert!(forceful.iter().any(|(name, _)| *name == entry.name), "{} is missing", entry.name);
    }
}

#[test]
fn a_persons_key_may_override_a_rule() {
    let mut stage = Stage::new();
    let task = stage.ready("api");
    stage.behind_the_scenes("task.claim", json!({"task": task, "agent": "worker-1"}));
    stage.enters_with(json!({"for": "person:anna", "role": "worker"}));
    stage.does("task.release", json!({"task": task, "force": true, "reason": "it is gone"}));
}

#[test]
fn a_key_for_a_project_changes_nothing_elsewhere() {
    let mut stage = Stage::new();
    let (own, other) = (stage.ready("api"), stage.ready("web"));
    stage.behind_the_scenes("task.claim", json!({"task": own, "agent": "worker-1"}));
    stage.enters_with(worker_in_api());
    for (name, input) in [
        ("task.claim", json!({"task": other})),
        ("task.claim", json!({"next": true, "project": "web"})),
        ("task.comment", json!({"task": other, "text": "so"})),
        ("task.update", json!({"task": other, "title": "mine"})),
        ("task.archive", json!({"task": other})),
        ("task.add", json!({"title": "one", "project": "web"})),
        ("task.add", json!({"title": "one"})),
        ("task.move", json!({"tasks": [own], "project": "web"})),
        ("task.move", json!({"tasks": [other], "project": "api"})),
        ("task.add-dep", json!({"task": other, "depends_on": own})),
        ("project.create", json!({"name": "mine"})),
        ("project.freeze", json!({"name": "web"})),
        ("workflow.run.handoff", json!({"from": own, "title": "next", "project": "web"})),
    ] {
        assert_eq!(stage.refused(name, input), Code::NotAllowed, "{name}");
    }
    stage.does("task.show", json!({"task": other}));
    stage.does("task.comment", json!({"task": own, "text": "so"}));
    stage.does("task.add", json!({"title": "one", "project": "api"}));
    stage.does("task.add-dep", json!({"task": own, "depends_on": other}));
}

#[test]
fn an_admin_of_a_project_changes_nothing_that_is_for_all() {
    let mut stage = Stage::new();
    let delivery = {
        stage.does("hook.set", json!({"name": "on_done", "command": ["true"]}));
        stage.add(json!({"title": "done", "project": "web", "status": "done"}));
        let listed = stage.does("hook.list", json!({"state": "all"}));
        listed["deliveries"][0]["delivery_id"].as_str().unwrap().to_owned()
    };
    stage.ready("api");
    let text =
        stage.enters_with(json!({"for": "person:anna", "role": "admin", "project": ["api"]}));
    for (name, input) in [
        ("key.create", admin()),
        ("key.rotate", json!({"key": text})),
        ("key.revoke", json!({"key": text})),
        ("hook.set", json!({"name": "on_blocked", "command": ["true"]})),
        ("hook.remove", json!({"name": "on_done"})),
        ("hook.retry", json!({"ids": [delivery]})),
        ("hook.discard", json!({"ids": [delivery]})),
        ("project.delete", json!({"name": "web", "archive_tasks": true})),
        ("project.delete", json!({"name": "api", "move_to": "web"})),
    ] {
        assert_eq!(stage.refused(name, input), Code::NotAllowed, "{name}");
    }
    stage.does("project.rename", json!({"old_name": "api", "new_name": "core"}));
}

#[test]
fn the_next_task_of_a_key_is_the_best_of_its_projects() {
    let mut stage = Stage::new();
    stage.does("project.create", json!({"name": "docs"}));
    let with = |project: &str, priority: u8| json!({"title": "t", "project": project, "status": "ready", "priority": priority});
    stage.add(with("web", 3));
    let second = stage.add(with("api", 1));
    let first = stage.add(with("docs", 2));
    stage.enters_with(
        json!({"for": "agent:worker-1", "role": "worker", "project": ["api", "docs"]}),
    );
    for wanted in [first.as_str().into(), second.as_str().into(), Value::Null] {
        let claimed = stage.does("task.claim", json!({"next": true}));
        assert_eq!(claimed["task_id"], wanted);
    }
}

#[test]
fn a_start_goes_on_with_nothing_outside_the_projects_of_the_key() {
    let mut stage = Stage::new();
    let held = stage.ready("web");
    stage.behind_the_scenes("task.claim", json!({"task": held, "agent": "worker-1"}));
    let own = stage.ready("api");
    stage.enters_with(worker_in_api());
    let started = stage.does("workflow.run.start", json!({}));
    assert_eq!(
        (started["mode"].as_str(), started["selected"]["task_id"].as_str()),
        (Some("claim_next"), Some(own.as_str()))
    );
    let again = stage.does("workflow.run.start", json!({}));
    assert_eq!(again["in_progress_count"], 1);
}

#[test]
fn what_follows_by_itself_may_be_elsewhere() {
    let mut stage = Stage::new();
    let other = stage.ready("web");
    stage.behind_the_scenes("task.claim", json!({"task": other, "agent": "worker-2"}));
    let delegated = stage.behind_the_scenes(
        "workflow.run.delegate",
        json!({"from": other, "author": "worker-2", "title": "part", "project": "api", "pause_parent": true,
            "auto_unpause": true}),
    );
    let own = delegated["delegated"]["task_id"].as_str().unwrap().to_owned();
    stage.enters_with(worker_in_api());
    stage.does("task.claim", json!({"task": own}));
    stage.does("task.complete", json!({"task": own}));
    let other = other.parse().unwrap();
    let after = stage.look(|snapshot| snapshot.task(other)).unwrap();
    assert_eq!(after.status, Status::Ready, "its pause is over");
}

#[test]
fn a_key_that_expired_opens_nothing() {
    let mut stage = Stage::new();
    let task = stage.ready("api");
    stage.enters_with(json!({"for": "agent:worker-1", "role": "worker", "expires": "1d"}));
    stage.pass(DAY - 1);
    stage.does("task.comment", json!({"task": task, "text": "so"}));
    stage.pass(1);
    for (name, input) in [
        ("task.comment", json!({"task": task, "text": "so"})),
        ("task.show", json!({"task": task})),
    ] {
        assert_eq!(stage.refused(name, input), Code::KeyRequired, "{name}");
    }
}

/// A key ends while its caller is inside: what counts is the ledger, not what was looked up before.
fn ends_at_once(how: &str) {
    let mut stage = Stage::new();
    let task = stage.ready("api");
    let text = stage.enters_with(worker());
    stage.cx.op_id = Some(OpId::parse("k").unwrap());
    stage.does("task.comment", json!({"task": task, "text": "so"}));
    stage.behind_the_scenes(how, json!({"key": text}));
    assert_eq!(stage.refused("task.show", json!({"task": task})), Code::KeyRequired);
    stage.cx.op_id = Some(OpId::parse("k").unwrap());
    let again = stage.refused("task.comment", json!({"task": task, "text": "so"}));
    assert_eq!(again, Code::KeyRequired, "not even what it did before is told again");
}

#[test]
fn a_revoked_key_opens_nothing_from_then_on() {
    ends_at_once("key.revoke");
}

#[test]
fn the_old_text_of_a_rotated_key_opens_nothing_from_then_on() {
    ends_at_once("key.rotate");
}

#[test]
fn a_rotated_key_is_the_same_key_with_another_text() {
    let mut stage = Stage::new();
    let old = stage.make(worker_in_api());
    let given = stage.does("key.rotate", json!({"key": old}));
    let new = given["key"].as_str().unwrap().to_owned();
    assert_ne!(new, old);
    stage.enter(&new);
    let Key { owner, projects, version, .. } = stage.cx.key.clone().unwrap();
    assert_eq!((owner.to_string().as_str(), projects.len(), version), ("agent:worker-1", 1, 2));
    let digest = Hash::of(old.as_bytes());
    assert_eq!(stage.look(|snapshot| snapshot.key_by_digest(&digest)), None);
}

#[test]
fn a_text_is_answered_once_and_kept_nowhere() {
    let mut stage = Stage::new();
    let first = stage.make(worker());
    let second = stage.does("key.rotate", json!({"key": first}));
    let second = second["key"].as_str().unwrap().to_owned();
    stage.does("key.revoke", json!({"key": second, "reason": "it was in a log"}));
    let mut said: Vec<String> = stage.events().into_iter().filter_map(|event| event.data).collect();
    said.push(stage.does("key.list", json!({"all": true})).to_string());
    said.push(stage.does("events", json!({})).to_string());
    for text in [first, second] {
        let guarded = text.get(12..).unwrap();
        assert!(said.iter().all(|said| !said.contains(guarded)));
    }
    assert!(!said.iter().any(|said| said.contains("\"keys\"") && said.contains("digest")));
}

#[test]
fn a_wrong_key_is_not_repeated_whole() {
    let mut stage = Stage::new();
    let text = format!("wl_00000000_{}", "x".repeat(43));
    let Err(error) = stage.try_to("key.revoke", json!({"key": text})) else { panic!() };
    assert_eq!(error.code(), Code::KeyNotFound);
    assert!(!format!("{error:?}").contains("xxx"));
}

#[test]
fn an_answer_with_a_text_is_kept_under_no_op_id() {
    let mut stage = Stage::new();
    let text = stage.make(worker());
    for (name, input) in [("key.create", worker()), ("key.rotate", json!({"key": text}))] {
        assert!(Entry::named(name).unwrap().secret_answer, "{name}");
        stage.cx.op_id = Some(OpId::parse("k").unwrap());
        assert_eq!(stage.refused(name, input), Code::Usage, "{name}");
    }
}

#[test]
fn an_agent_gets_no_key_that_approves_or_administers() {
    let mut stage = Stage::new();
    for role in ["approver", "admin"] {
        let input = json!({"for": "agent:worker-1", "role": role});
        assert_eq!(stage.refused("key.create", input), Code::InvalidValue, "{role}");
    }
}

#[test]
fn the_time_a_key_holds_is_a_span_or_a_time_to_come() {
    let mut stage = Stage::new();
    for (given, expires_at) in
        [("30d", "2026-12-15T09:30:00.000Z"), ("2027-01-01", "2027-01-01T00:00:00.000Z")]
    {
        let given = json!({"for": "agent:a", "role": "worker", "expires": given});
        assert_eq!(stage.does("key.create", given)["expires_at"], expires_at);
    }
    for given in ["0d", "soon", "2020-01-01", "-1d", "30", ""] {
        let input = json!({"for": "agent:a", "role": "worker", "expires": given});
        assert_eq!(stage.refused("key.create", input), Code::InvalidValue, "{given}");
    }
}

#[test]
fn a_bare_number_is_no_time_that_a_key_holds() {
    let mut stage = Stage::new();
    let input = |expires: &str| json!({"for": "agent:a", "role": "worker", "expires": expires});
    let refusal = stage.refusal("key.create", input("30"));
    let hint = refusal.hint.unwrap();
    assert_eq!(hint, "write how long it holds, such as 30d, or until which day: YYYY-MM-DD");
    stage.does("key.create", input("30d"));
}

#[test]
fn a_key_is_made_for_tools_there_are() {
    let mut stage = Stage::new();
    let input = |tools: &str| json!({"for": "agent:a", "role": "worker", "tools": tools});
    for tools in ["nope", "default,nope", ""] {
        let refusal = stage.refusal("key.create", input(tools));
        assert_eq!(refusal.code, Code::InvalidValue, "{tools}");
        let hint = refusal.hint.unwrap();
        assert!(hint.starts_with("use all, default, hizal, agent, "), "{hint}");
    }
    assert_eq!(stage.does("key.create", input("default,dep"))["tools"], "default,dep");
}

#[test]
fn a_list_leaves_out_what_opens_nothing_unless_all_is_wanted() {
    let mut stage = Stage::new();
    let lost = stage.make(worker());
    stage.make(worker());
    stage.does("key.revoke", json!({"key": lost}));
    let listed = stage.does("key.list", json!({}));
    assert_eq!((listed["keys"].as_array().unwrap().len(), &listed["left_out"]), (1, &json!(1)));
    let all = stage.does("key.list", json!({"all": true}));
    assert_eq!(
        (&all["keys"][0]["state"], &all["keys"][1]["state"]),
        (&json!("revoked"), &json!("valid"))
    );
}

/// What two agents keep for themselves, and what everybody may know: the words of each. In the end
/// a person calls.
fn with_secrets(stage: &mut Stage) -> [&'static str; 3] {
    for agent in ["w1", "w2"] {
        stage.enters_with(json!({"for": format!("agent:{agent}"), "role": "worker"}));
        stage.cx.op_id = Some(OpId::parse(&format!("remembered by {agent}")).unwrap());
        stage.does("remember", json!({"text": format!("the secret of {agent}")}));
        stage.cx.op_id = None;
    }
    stage.enters_with(json!({"for": "person:anna", "role": "worker"}));
    let shared = json!({"chunk_type": "principle", "title": "Tides", "content": "known to all"});
    stage.does("chunk.write", shared);
    ["the secret of w1", "the secret of w2", "known to all"]
}

/// Which of these words an answer has.
fn told(answer: &Value, words: [&'static str; 3]) -> Vec<&'static str> {
    let answer = answer.to_string();
    words.into_iter().filter(|words| answer.contains(words)).collect()
}

#[test]
fn the_log_shows_an_agent_nothing_that_another_keeps_for_itself() {
    let mut stage = Stage::new();
    let words = with_secrets(&mut stage);
    stage.enters_with(json!({"for": "agent:w1", "role": "worker"}));
    assert_eq!(told(&stage.does("events", json!({})), words), [words[0], words[2]]);
    let of_other = stage.does("agent.log", json!({"agent": "w2"}));
    assert_eq!(told(&of_other, words), [""; 0]);
}

#[test]
fn the_log_shows_a_person_what_agents_keep() {
    let mut stage = Stage::new();
    let words = with_secrets(&mut stage);
    assert_eq!(told(&stage.does("events", json!({})), words), words);
}

#[test]
fn what_another_agent_forgot_stays_hidden() {
    let mut stage = Stage::new();
    let words = with_secrets(&mut stage);
    let found = stage.does("chunk.list", json!({"owner": "agent:w2"}));
    let chunk = found["chunks"][0]["chunk_id"].clone();
    stage.does("chunk.delete", json!({"chunk": chunk}));
    stage.enters_with(json!({"for": "agent:w1", "role": "worker"}));
    assert_eq!(told(&stage.does("events", json!({})), words), [words[0], words[2]]);
}

#[test]
fn a_sitting_is_told_of_no_work_that_the_key_cannot_take() {
    let mut stage = Stage::new();
    let own = stage.ready("api");
    let _others = stage.ready("web");
    stage.enters_with(worker_in_api());
    let told = stage.does("prime", json!({}));
    assert_eq!(told["ready"][0]["task_id"], own);
    assert_eq!((&told["ready_total"], &told["ready"][1]), (&json!(1), &Value::Null));
}
