//! Op ids: what is asked for again under one happens once.
//!
//! Who is killed while executing is in `kill.rs`, records that expire are in the tests of the
//! operations, where the clock can be set.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "an answer of another shape ends its test"
)]

use std::fs::File;

use rusqlite::Connection;
use serde_json::{Value, json};
use windlass_testkit::barrier::start_together;
use windlass_testkit::{Outcome, Run};
use windlass_tests::ledgers::{Ledger, error_of, text};

const CALLERS: usize = 32;

fn with_project(ledger: Ledger) -> Ledger {
    let _created = ledger.answer(&["project", "create", "api"]);
    ledger
}

fn on_sqlite() -> Ledger {
    with_project(Ledger::on_sqlite())
}

fn run(ledger: &Ledger, line: &str) -> Run {
    ledger.windlass(&line.split(' ').collect::<Vec<_>>())
}

/// The answer to a command line of words without spaces.
#[track_caller]
fn answer(ledger: &Ledger, line: &str) -> Value {
    run(ledger, line).run().ok().json()
}

/// A task that `w1` holds.
fn held(ledger: &Ledger) -> String {
    let task = ledger.add(&["-P", "api", "-s", "ready"]);
    let _claimed = answer(ledger, &format!("task claim {task} --agent w1"));
    task
}

fn handoff(source: &str, rest: &str) -> String {
    format!("workflow run handoff --from {source} --title next -P api --author w1 {rest}")
}

/// An answer without the word that says whether it is the first.
fn without_replayed(mut answer: Value) -> Value {
    let fields = answer.as_object_mut().unwrap();
    fields.remove("replayed");
    fields.remove("idempotency");
    answer
}

/// Gives a command twice: the second time is answered like the first, and does nothing.
#[track_caller]
fn twice(ledger: &Ledger, line: &str) -> Value {
    let first = answer(ledger, line);
    assert_eq!(first["replayed"], false, "{first}");
    let events = ledger.events();
    let second = answer(ledger, line);
    assert_eq!(ledger.events(), events, "the second did something");
    assert_eq!(second["replayed"], true, "{second}");
    assert_eq!(second["idempotency"]["op_id"], second["op_id"]);
    assert_eq!(without_replayed(first.clone()), without_replayed(second));
    first
}

fn follow_ons(ledger: &Ledger) -> usize {
    let listed = ledger.answer(&["task", "list", "--limit", "1000"]);
    let tasks = listed["tasks"].as_array().unwrap();
    tasks.iter().filter(|task| task["title"] == "next").count()
}

#[test]
fn every_workflow_takes_an_op_id_row_i1() {
    let ledger = on_sqlite();
    let _ready = ledger.add(&["-P", "api", "-s", "ready"]);
    let started = twice(&ledger, "workflow run start --agent w1 --op-id one");
    assert_eq!(started["op_id"], "one");
    let task = text(&started["selected"]["task_id"]);
    let delegate =
        format!("workflow run delegate --from {task} --title part --no-depends --op-id two");
    twice(&ledger, &delegate);
    twice(&ledger, &handoff(&task, "--op-id three"));
}

#[test]
fn every_other_operation_that_writes_takes_an_op_id_too_row_i3() {
    let ledger = on_sqlite();
    let added = twice(&ledger, "task add title -P api -s ready --op-id a");
    let task = text(&added["task_id"]);
    for (number, line) in
        ["claim TASK --agent w1", "checkpoint TASK half", "complete TASK --agent w1"]
            .into_iter()
            .enumerate()
    {
        twice(&ledger, &format!("task {} --op-id {number}", line.replace("TASK", &task)));
    }
    let error = error_of(&run(&ledger, "config --op-id x").run(), "usage", 2);
    assert!(text(&error["message"]).contains("takes no op id"), "{error}");
}

#[test]
fn a_completed_execution_answers_again_and_does_nothing_row_i4() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let line = handoff(&task, "--op-id k");
    let first = twice(&ledger, &line);
    let _changed = answer(&ledger, &format!("task reopen {task}"));
    let later = answer(&ledger, &line);
    assert_eq!(without_replayed(later), without_replayed(first), "what was answered then");
    assert_eq!((ledger.status(&task).as_str(), follow_ons(&ledger)), ("ready", 1));
}

#[test]
fn every_event_of_an_execution_carries_its_op_id_row_i5() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let _noted = answer(&ledger, &format!("task checkpoint {task} found-it"));
    let before = ledger.events();
    let handed = answer(&ledger, &handoff(&task, "--op-id k"));
    let events = ledger.events_after(before);
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    let expected =
        ["task_created", "checkpoint_recorded", "task_completed", "workflow_ran", "op_completed"];
    assert_eq!(kinds, expected);
    for event in &events {
        assert_eq!(event["op_id"], "k", "{event}");
        assert_eq!(event["correlation_id"], handed["correlation_id"], "{event}");
    }
}

#[test]
fn the_record_of_an_execution_tells_what_was_asked_and_answered_row_i6() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let handed = answer(&ledger, &handoff(&task, "--op-id k"));
    let raw = Connection::open(&ledger.address).unwrap();
    let columns = "workflow, state, length(input_hash), result, created_at > 0, updated_at > 0";
    let select = format!("SELECT {columns} FROM workflow_ops WHERE op_id = 'k'");
    let (workflow, state, hash_bytes, result, created, updated) = raw
        .query_row(&select, [], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, String>(3)?,
                row.get::<_, bool>(4)?,
                row.get::<_, bool>(5)?,
            ))
        })
        .unwrap();
    assert_eq!((workflow.as_str(), state.as_str()), ("workflow.run.handoff", "completed"));
    assert_eq!((hash_bytes, created, updated), (32, true, true));
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["follow_on"]["task_id"], handed["follow_on"]["task_id"]);
}

/// Runs all at the same moment.
fn race(runs: &[Run]) -> Vec<Outcome> {
    let children = start_together(runs);
    runs.iter().zip(children).map(|(run, child)| run.finish(child)).collect()
}

/// Lets 32 processes give the same command; one executes, the others replay the same answer.
#[track_caller]
fn all_at_once(ledger: &Ledger, line: &str) -> Value {
    let runs = vec![run(ledger, line); CALLERS];
    let answers: Vec<Value> = race(&runs).into_iter().map(|outcome| outcome.ok().json()).collect();
    let executed = answers.iter().filter(|answer| answer["replayed"] == false).count();
    assert_eq!(executed, 1);
    let first = without_replayed(answers[0].clone());
    for answer in answers {
        assert_eq!(without_replayed(answer), first);
    }
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
    first
}

#[test]
fn of_thirty_two_processes_with_one_op_id_one_hands_off_on_sqlite_row_i8() {
    hand_off_at_once(&on_sqlite());
}

#[test]
fn of_thirty_two_processes_with_one_op_id_one_hands_off_on_postgresql_row_i8() {
    if let Some(ledger) = Ledger::on_postgres() {
        hand_off_at_once(&with_project(ledger));
    }
}

fn hand_off_at_once(ledger: &Ledger) {
    let task = held(ledger);
    all_at_once(ledger, &handoff(&task, "--op-id k"));
    assert_eq!(follow_ons(ledger), 1);
}

#[test]
fn of_thirty_two_processes_with_one_op_id_one_starts_on_sqlite_row_i8() {
    start_at_once(&on_sqlite());
}

#[test]
fn of_thirty_two_processes_with_one_op_id_one_starts_on_postgresql_row_i8() {
    if let Some(ledger) = Ledger::on_postgres() {
        start_at_once(&with_project(ledger));
    }
}

fn start_at_once(ledger: &Ledger) {
    for _ in 0..CALLERS {
        ledger.add(&["-P", "api", "-s", "ready"]);
    }
    all_at_once(ledger, "workflow run start --agent w1 --op-id k");
    assert_eq!(answer(ledger, "task list -s in_progress")["total"], 1);
}

#[test]
fn of_thirty_two_processes_known_by_their_request_one_hands_off_on_sqlite_rows_i8_i12() {
    hand_off_by_request_at_once(&on_sqlite());
}

#[test]
fn of_thirty_two_processes_known_by_their_request_one_hands_off_on_postgresql_rows_i8_i12() {
    if let Some(ledger) = Ledger::on_postgres() {
        hand_off_by_request_at_once(&with_project(ledger));
    }
}

fn hand_off_by_request_at_once(ledger: &Ledger) {
    let task = held(ledger);
    all_at_once(ledger, &handoff(&task, "--auto-op-id"));
    assert_eq!(follow_ons(ledger), 1);
}

#[test]
fn whoever_waits_too_long_for_another_is_told_to_repeat_row_i8() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let lock = File::options().read(true).write(true).open(format!("{}.lock", ledger.address));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let line = handoff(&task, "--op-id k");
    let impatient = run(&ledger, &line).env("WINDLASS_DATABASE_WAIT", "0");
    let error = error_of(&impatient.run(), "op_running", 8);
    assert!(text(&error["hint"]).contains("same op id"), "{error}");
    assert_eq!(error["details"]["op_id"], "k");
    let by_request = run(&ledger, &handoff(&task, "--auto-op-id"));
    let error = error_of(&by_request.env("WINDLASS_DATABASE_WAIT", "0").run(), "op_running", 8);
    assert!(text(&error["hint"]).starts_with("repeat the same command:"), "{error}");
    lock.unlock().unwrap();
    twice(&ledger, &line);
}

#[test]
fn another_request_under_the_same_op_id_is_refused_row_i9() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let handed = answer(&ledger, &handoff(&task, "--op-id k"));
    let before = ledger.events();
    let others = [
        handoff(&task, "--op-id k --carry-checkpoints 1"),
        handoff(&task, "--op-id k").replace("--author w1", "--author w2"),
        format!("workflow run delegate --from {task} --title next -P api --author w1 --op-id k"),
        "task add title --op-id k".to_owned(),
    ];
    for line in others {
        let error = error_of(&run(&ledger, &line).run(), "op_conflict", 3);
        assert_eq!(error["details"]["operation"], "workflow.run.handoff");
        let said = error.to_string();
        assert!(!said.contains(&text(&handed["follow_on"]["task_id"])), "somebody else's: {said}");
    }
    assert_eq!(ledger.events(), before);
}

#[test]
fn an_op_id_stays_on_one_line_of_the_message() {
    let ledger = on_sqlite();
    let add = |title: &str| ledger.windlass(&["task", "add", title, "--op-id", "a\nb"]).run();
    let _added = add("one").ok();
    let error = error_of(&add("other"), "op_conflict", 3);
    assert!(text(&error["message"]).contains("'a\\nb'"), "{error}");
}

#[test]
fn an_op_id_that_is_no_text_is_named_and_told_what_is_allowed() {
    use std::os::unix::ffi::OsStrExt as _;
    let ledger = on_sqlite();
    let wrong = std::ffi::OsStr::from_bytes(b"k\xff");
    let error = error_of(
        &ledger.windlass(&["task", "add", "one", "--op-id"]).args([wrong]).run(),
        "invalid_value",
        3,
    );
    assert!(text(&error["message"]).starts_with("--op-id is not valid UTF-8"), "{error}");
    assert!(text(&error["hint"]).contains("200 bytes"), "{error}");
}

#[test]
fn a_refusal_is_not_recorded_and_a_retry_decides_anew_row_i10() {
    let ledger = on_sqlite();
    let task = ledger.add(&["-P", "api", "-s", "ready"]);
    let line = handoff(&task, "--op-id k");
    let before = ledger.events();
    let _not_yet = error_of(&run(&ledger, &line).run(), "invalid_transition", 3);
    assert_eq!(ledger.events(), before);
    let _claimed = answer(&ledger, &format!("task claim {task} --agent w1"));
    twice(&ledger, &line);
}

#[test]
fn without_an_op_id_the_same_command_happens_again_row_i11() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let line = format!("workflow run delegate --from {task} --title next");
    for _ in 0..2 {
        let delegated = answer(&ledger, &line);
        assert_eq!(delegated.get("op_id"), None);
    }
    assert_eq!(follow_ons(&ledger), 2);
}

#[test]
fn a_request_is_known_by_itself_where_that_is_asked_for_row_i12() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    for rest in ["", " --no-depends", " --pause-parent"] {
        let line = format!(
            "workflow run delegate --from {task} --title part --author w1 --auto-op-id{rest}"
        );
        let delegated = twice(&ledger, &line);
        let op_id = text(&delegated["op_id"]);
        assert!(op_id.starts_with("auto_workflow_run_delegate_"), "{op_id}");
    }
    let task = held(&ledger);
    twice(&ledger, &handoff(&task, "--auto-op-id"));
    let both = handoff(&task, "--auto-op-id --op-id k");
    let _one_of_them = error_of(&run(&ledger, &both).run(), "usage", 2);
}

#[test]
fn the_same_task_typed_in_another_way_is_the_same_request_row_i13() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let first = answer(&ledger, &handoff(&task, "--auto-op-id"));
    for typed in [task[20..].to_owned(), task.to_lowercase()] {
        let again = answer(&ledger, &handoff(&typed, "--auto-op-id"));
        assert_eq!((&again["replayed"], &again["op_id"]), (&json!(true), &first["op_id"]));
    }
    let other = answer(&ledger, &format!("task comment {task} hello"));
    assert_eq!(other["task_id"], task);
    let after_a_comment = answer(&ledger, &handoff(&task, "--auto-op-id"));
    assert_eq!(after_a_comment["replayed"], true, "a comment does not change the fingerprint");
}

#[test]
fn after_a_turn_of_the_source_the_same_request_is_a_new_one_row_i13() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let line = handoff(&task, "--auto-op-id");
    let first = twice(&ledger, &line);
    let _reopened = answer(&ledger, &format!("task reopen {task}"));
    let _claimed = answer(&ledger, &format!("task claim {task} --agent w1"));
    let second = twice(&ledger, &line);
    assert_ne!(first["op_id"], second["op_id"]);
    assert_eq!(follow_ons(&ledger), 2);
}

#[test]
fn start_refuses_to_be_known_by_its_request_row_i14() {
    let ledger = on_sqlite();
    let before = ledger.events();
    let line = "workflow run start --agent w1 --auto-op-id";
    let error = error_of(&run(&ledger, line).run(), "invalid_value", 3);
    let message = text(&error["message"]);
    assert!(message.contains("the same input rightly gives different results"), "{message}");
    assert!(text(&error["hint"]).contains("--op-id"), "{error}");
    assert_eq!(ledger.events(), before);
}

#[test]
fn an_op_id_may_be_of_any_characters() {
    let ledger = on_sqlite();
    for (number, op_id) in
        [" ", "\n", "--json", "é🐙\u{202e}", "'; DROP TABLE events; --", "auto_x"]
            .into_iter()
            .enumerate()
    {
        let title = format!("title {number}");
        let op_id = format!("--op-id={op_id}");
        let add = ["task", "add", &title, &op_id];
        let first = ledger.answer(&add);
        let second = ledger.answer(&add);
        assert_eq!((&first["replayed"], &second["replayed"]), (&json!(false), &json!(true)));
        assert_eq!(first["task_id"], second["task_id"]);
    }
    let longest = "x".repeat(200);
    let _taken = ledger.answer(&["task", "add", "long", "--op-id", &longest]);
    for wrong in [String::new(), "x".repeat(201)] {
        let op_id = format!("--op-id={wrong}");
        let outcome = ledger.windlass(&["task", "add", "x", &op_id]).run();
        assert!([Some(2), Some(3)].contains(&outcome.code), "{outcome}");
    }
}

#[test]
fn a_replay_says_so_to_people_too() {
    let ledger = on_sqlite();
    let task = held(&ledger);
    let line = handoff(&task, "--op-id k --format text");
    let first = run(&ledger, &line).run().ok().stdout;
    let second = run(&ledger, &line).run().ok().stdout;
    let rest = second.strip_prefix(first.as_str()).unwrap_or_else(|| panic!("{first}\n{second}"));
    assert!(rest.contains("replayed: it was done before"), "{rest}");
}
