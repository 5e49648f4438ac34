//! Runs that wait for a person: who hears of it, and when the answer is overdue. A gate never decides
//! itself.

use std::process::Child;

use serde_json::{Value, json};
use windlass_testkit::barrier::start_together;
use windlass_testkit::receiver::{Answer, Receiver};
use windlass_testkit::{Run, Served, wait};
use windlass_tests::ledgers::text;
use windlass_tests::office::Office;

use crate::site::{GATED, Gates, LOW, REVIEWED, Site};

/// Minutes beyond any clock.
const DECADES: i64 = 50_000_000;
const SOON: &str = "risk_level: low\ngate_timeout: 1s\n";

/// A run whose first step waits for its gate, or for a review, with a hook that hears of it.
#[track_caller]
fn asking(receiver: &Receiver, front: &str, steps: &str) -> Site {
    let site = Site::with(Gates::Enforced, front, steps);
    site.ledger.answer(&["hook", "set", "on_gate", "--url", &receiver.url("/")]);
    let _started = site.says("run step start 1");
    let _verified = site.call("run step verify 1").run();
    site
}

#[track_caller]
fn until_overdue(site: &Site) {
    let is_overdue = || !site.does("run list")["runs"][0]["overdue_since"].is_null();
    wait::until("the answer is overdue", is_overdue);
}

/// What the receiver was told, in the order in which it happened.
fn told(receiver: &Receiver) -> Vec<Value> {
    let all = receiver.received();
    let bodies = all.iter().map(|one| serde_json::from_str(&one.body).unwrap());
    let mut bodies: Vec<Value> = bodies.collect();
    bodies.sort_by_key(|body| text(&body["timestamp"]));
    bodies
}

fn states(receiver: &Receiver) -> Vec<String> {
    told(receiver).iter().map(|body| text(&body["state"])).collect()
}

#[test]
fn a_gate_is_told_when_it_waits_and_when_the_answer_is_overdue() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, SOON, GATED);
    site.does("hook drain");
    until_overdue(&site);
    site.does("hook drain");
    site.does("hook drain");
    assert_eq!(states(&receiver), ["waiting", "overdue"]);
    let body = &told(&receiver)[1];
    assert_eq!((&body["step"], &body["name"]), (&json!(1), &json!("Plan")));
    assert_eq!(text(&body["folder"]), site.folder().display().to_string());
    assert_eq!((&body["gate_timeout"], &body["task"]), (&json!("1s"), &Value::Null));
    let shown = site.does("run show");
    assert_eq!(shown["waiting"][0]["overdue_since"], body["overdue_since"]);
    assert_eq!(shown["status"], "paused", "nobody decided");
    assert_eq!(site.does("run reconcile")["overdue"][0]["step"], 1);
    assert_eq!(site.count("gate_overdue"), 1);
    site.person("run gate 1 approved");
    site.agrees();
}

#[test]
fn a_review_is_told_with_its_question() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, LOW, REVIEWED);
    site.does("hook drain");
    let [body] = &told(&receiver)[..] else { panic!("not told once") };
    assert_eq!((&body["state"], &body["question"]), (&json!("waiting"), &json!("is it blue?")));
    assert_eq!(body["gate_timeout"], Value::Null);
}

#[test]
fn of_eight_that_look_at_once_one_notices_that_an_answer_is_overdue() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, SOON, GATED);
    until_overdue(&site);
    let calls = ["gc", "hook drain"].into_iter().cycle().take(8);
    let runs: Vec<Run> =
        calls.map(|line| site.call(line).env("WINDLASS_DATABASE_WAIT", "60s")).collect();
    for (run, child) in runs.iter().zip(start_together(&runs)) {
        let _ended = run.finish(child).ok();
    }
    site.does("hook drain");
    assert_eq!(states(&receiver), ["waiting", "overdue"]);
    assert_eq!(site.count("gate_overdue"), 1);
}

#[test]
fn what_one_server_noticed_the_next_one_does_not_notice_again() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, SOON, GATED);
    let first = Served::start(&site.ledger.home, &[]);
    until_overdue(&site);
    assert_eq!(first.op("gc", &json!({})).ok().json()["gates_overdue"], 1);
    first.kill();
    let second = Served::start(&site.ledger.home, &[]);
    assert_eq!(second.op("gc", &json!({})).ok().json()["gates_overdue"], 0);
    assert!(second.stop().success());
    site.does("hook drain");
    assert_eq!(states(&receiver), ["waiting", "overdue"]);
}

/// A worker that is gone with its test.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be gone already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_worker_notices_by_itself_that_an_answer_is_overdue() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, SOON, GATED);
    let _worker = Worker(site.call("hook worker").spawn());
    wait::until("both are told", || states(&receiver) == ["waiting", "overdue"]);
}

#[test]
fn an_answer_that_comes_late_is_recorded_as_late_and_nobody_is_asked_for_it() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, SOON, GATED);
    until_overdue(&site);
    site.person("run gate 1 approved");
    site.does("hook drain");
    assert_eq!(states(&receiver), [""; 0]);
    let kinds = site.kinds();
    let late = kinds.iter().position(|kind| kind == "gate_overdue").unwrap();
    assert_eq!(kinds[late + 1], "gate_decided");
}

#[test]
fn a_question_that_was_answered_before_it_was_sent_is_discarded_and_says_why() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, LOW, GATED);
    site.person("run gate 1 approved");
    assert_eq!(site.does("hook drain")["answered"], 1);
    assert_eq!(states(&receiver), [""; 0]);
    let discarded = &site.does("hook list --state discarded")["deliveries"][0];
    assert_eq!(discarded["last_error"], "it was answered before it was sent");
}

#[test]
fn a_question_that_was_not_heard_is_not_asked_again_once_it_is_answered() {
    let receiver = Receiver::answering(503);
    let site = asking(&receiver, LOW, GATED);
    assert_eq!(site.does("hook drain")["retried"], 1);
    site.person("run gate 1 approved");
    let delivery = text(&site.does("hook list --state queued")["deliveries"][0]["delivery_id"]);
    site.does(&format!("hook retry {delivery}"));
    assert_eq!(site.does("hook drain")["answered"], 1);
    assert_eq!(states(&receiver), ["waiting"]);
}

#[test]
fn what_is_told_of_a_run_is_told_in_the_order_in_which_it_happened() {
    let receiver = Receiver::start(|request| match request.number {
        0 => Answer::status(503),
        _ => Answer::status(204),
    });
    let site = asking(&receiver, LOW, GATED);
    for target in ["a", "b"] {
        site.does(&format!("run action request external_write --target {target}"));
    }
    assert_eq!(site.does("hook drain")["retried"], 1);
    assert_eq!(receiver.received().len(), 1, "the others wait for the first");
    let first = text(&site.does("hook list --state queued")["deliveries"][2]["delivery_id"]);
    site.does(&format!("hook retry {first}"));
    assert_eq!(site.does("hook drain")["delivered"], 3);
    let requests = receiver.received();
    let bodies = requests.iter().map(|one| serde_json::from_str::<Value>(&one.body).unwrap());
    let subjects: Vec<String> = bodies.map(|body| text(&body["subject"])).collect();
    assert_eq!(subjects, ["gate:1", "gate:1", "action:action-1", "action:action-2"]);
}

#[test]
fn an_action_and_a_budget_are_told_with_the_commands_that_answer_them() {
    let receiver = Receiver::answering(204);
    let site = Site::with(Gates::Enforced, "risk_level: low\nmax_cost_usd: 1.5\n", GATED);
    site.ledger.answer(&["hook", "set", "on_gate", "--url", &receiver.url("/")]);
    site.does("run action request external_write --target mail");
    site.does("run budget record cost_usd 1.6");
    site.does("hook drain");
    let [action, budget] = &told(&receiver)[..] else { panic!("not told twice") };
    assert_eq!(action["question"], "may this be done (external write): mail");
    assert_eq!(budget["question"], "1.6 of 1.5 used. May the run use more?");
    let way = |told: &Value, words: &str| {
        let expected = format!("windlass run {words} --run-id {}", text(&told["run_id"]));
        assert_eq!(told["ways"][0], expected);
    };
    way(action, "action decide action-1 approved");
    way(budget, "budget raise cost_usd LIMIT --reason TEXT");
}

#[test]
fn an_answer_in_time_is_never_overdue() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, "risk_level: low\ngate_timeout: 4h\n", GATED);
    site.person("run gate 1 approved");
    let mut office = Office::on(site.ledger);
    let swept = office.after_minutes(DECADES).run("gc", json!({}));
    assert_eq!(swept["gates_overdue"], 0);
}

#[test]
fn of_a_run_that_was_discarded_no_answer_is_waited_for_or_overdue() {
    let receiver = Receiver::answering(204);
    let site = asking(&receiver, "risk_level: low\ngate_timeout: 4h\n", REVIEWED);
    assert_eq!(site.says("run finalize"), "Run finalized: blocked");
    site.does("hotl-rt finish discarded");
    let mut office = Office::on(site.ledger);
    let listed = &office.after_minutes(DECADES).run("run.list", json!({}))["runs"][0];
    assert_eq!((&listed["status"], &listed["waiting"]), (&json!("blocked"), &json!(0)));
    assert_eq!(listed["overdue_since"], Value::Null);
    assert_eq!(office.run("gc", json!({}))["gates_overdue"], 0);
}

#[test]
fn the_setting_counts_where_the_file_says_nothing() {
    for (front, expected) in [(LOW, 1), ("risk_level: low\ngate_timeout: never\n", 0)] {
        let site = Site::empty(Gates::Enforced);
        site.has("hotl-workflow-demo.md", &crate::site::workflow(front, GATED));
        let start = site.call("run start hotl-workflow-demo.md");
        let _started = start.env("WINDLASS_RUNS_GATE_TIMEOUT", "4h").run().ok();
        site.completes(1);
        let mut office = Office::on(site.ledger);
        let swept = office.after_minutes(DECADES).run("gc", json!({}));
        assert_eq!(swept["gates_overdue"], expected, "{front}");
    }
}

#[test]
fn a_timeout_that_is_none_is_pointed_at() {
    let site = Site::empty(Gates::Enforced);
    for (value, said) in [("4", "has no unit"), ("soon", "is not a duration"), ("0m", "longer")] {
        let front = format!("risk_level: low\ngate_timeout: {value}\n");
        site.has("hotl-workflow-demo.md", &crate::site::workflow(&front, GATED));
        let linted = site.call("run lint hotl-workflow-demo.md").run();
        assert_eq!(linted.code, Some(6), "{linted}");
        assert!(linted.stdout.contains(said), "{linted}");
    }
}
