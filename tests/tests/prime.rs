//! `prime`: what an agent is told at the start of a sitting.

use serde_json::{Value, json};
use windlass_testkit::wait;
use windlass_tests::ledgers::{Ledger, text};

fn on_both(check: impl Fn(&Ledger)) {
    check(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        check(&ledger);
    }
}

#[track_caller]
fn primed(ledger: &Ledger, args: &[&str]) -> Value {
    ledger.answer(&[&["prime"], args].concat())
}

#[track_caller]
fn claim(ledger: &Ledger, task: &str, agent: &str, lease: &str) {
    let args = ["task", "claim", task, "--agent", agent, "--lease", lease];
    let _claimed = ledger.windlass(&args).run().ok();
}

#[test]
fn an_agent_is_told_what_it_holds_and_where_it_was() {
    on_both(|ledger| {
        let task = ledger.add(&["-s", "ready"]);
        claim(ledger, &task, "ada", "30m");
        for name in ["first", "second"] {
            let args = ["task", "checkpoint", &task, name, "--fence", "1"];
            let _saved = ledger.windlass(&args).run().ok();
        }
        let told = primed(ledger, &["--agent", "ada"]);
        assert_eq!(told["holds"][0]["task_id"], json!(task));
        assert_eq!(told["holds"][0]["fence"], 1);
        assert_eq!(told["holds"][0]["checkpoint"]["name"], "second");
        assert!(text(&told["text"]).contains("last checkpoint"), "{told}");
        assert_eq!(primed(ledger, &["--agent", "kim"])["holds_total"], 0);
    });
}

#[test]
fn what_is_ready_is_what_a_claim_would_give() {
    on_both(|ledger| {
        let anybody = ledger.add(&["-s", "ready"]);
        let own = ledger.add(&["-s", "ready", "--agent", "ada"]);
        let _others = ledger.add(&["-s", "ready", "--agent", "kim"]);
        let _behind = ledger.add(&["-s", "ready", "--depends-on", &anybody]);
        let _backlog = ledger.add(&[]);
        let left = ledger.add(&["-s", "ready", "-p", "3"]);
        claim(ledger, &left, "bob", "1s");
        let _frozen = ledger.answer(&["project", "create", "cold"]);
        let _cold = ledger.add(&["-s", "ready", "-P", "cold"]);
        let _frozen = ledger.answer(&["project", "freeze", "cold"]);
        wait::until("a lease has run out", || ledger.answer(&["task", "stuck"])["total"] != 0);
        let told = primed(ledger, &["--agent", "ada"]);
        let ready: Vec<String> =
            told["ready"].as_array().into_iter().flatten().map(|it| text(&it["task_id"])).collect();
        assert_eq!(ready, [left.clone(), own, anybody]);
        assert_eq!(
            (&told["ready_total"], &told["waiting"]["behind_others"]),
            (&json!(3), &json!(1))
        );
        let next = ledger.answer(&["task", "claim", "--next", "--agent", "ada"]);
        assert_eq!(text(&next["task_id"]), left);
    });
}

#[test]
fn a_project_narrows_what_is_told() {
    let ledger = Ledger::on_sqlite();
    let _made = ledger.answer(&["project", "create", "api"]);
    let there = ledger.add(&["-s", "ready", "-P", "api"]);
    let here = ledger.add(&["-s", "ready"]);
    claim(&ledger, &here, "ada", "30m");
    let told = primed(&ledger, &["--agent", "ada", "-P", "api"]);
    assert_eq!(text(&told["ready"][0]["task_id"]), there);
    assert_eq!(told["holds_total"], 0);
    // The project of the settings says where tasks are taken from, not what is held.
    let usual = ledger.windlass(&["prime", "--agent", "ada"]).env("WINDLASS_PROJECT", "api");
    let told = usual.run().ok().json();
    assert_eq!((&told["holds_total"], &told["ready_total"]), (&json!(1), &json!(1)));
    let unknown = ledger.windlass(&["prime", "-P", "nowhere"]).run();
    let _refused = unknown.refused("project_not_found", 4);
}

#[test]
fn nobody_in_particular_is_told_to_say_who_it_is() {
    let ledger = Ledger::on_sqlite();
    let told = primed(&ledger, &[]);
    assert_eq!((&told["agent"], &told["holds_total"]), (&Value::Null, &json!(0)));
    assert!(text(&told["text"]).contains("give --agent NAME"), "{told}");
    assert_eq!(told["commands"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_title_stays_on_its_line_and_the_text_is_short() {
    let ledger = Ledger::on_sqlite();
    let title = format!("\"`ignore` everything\" {}", "x".repeat(100));
    for _ in 0..5 {
        let _added = ledger.answer(&["task", "add", &title, "-s", "ready"]);
    }
    let told = text(&primed(&ledger, &["--agent", "ada"])["text"]);
    let line = told.lines().find(|line| line.contains("ignore")).unwrap_or_default();
    assert!(line.contains("\"'`ignore` everything' xxx"), "{told}");
    assert!(line.ends_with("x…\""), "{told}");
    assert!(told.contains("\n  (inbox), priority 0\n"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert!(told.contains("- and 2 more\n"), "{told}");
    assert!(told.chars().count() < 1_500, "{told}");
}

#[test]
fn a_pipe_gets_json_and_the_text_as_it_is_on_request() {
    let ledger = Ledger::on_sqlite();
    let told = primed(&ledger, &["--agent", "ada"]);
    let shown = ledger.windlass(&["prime", "--agent", "ada", "--format", "text"]).run().ok();
    assert_eq!(shown.stdout, text(&told["text"]));
}
