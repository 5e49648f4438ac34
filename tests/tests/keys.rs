//! Keys, made with the command line and shown to a server.

#![expect(clippy::unwrap_used, reason = "an answer of another shape ends its test")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use windlass_testkit::http::{Request, Response};
use windlass_testkit::{Served, wait};
use windlass_tests::ledgers::{Ledger, error_of, text};

/// Characters of a key before those that nobody may see.
const SHOWN: usize = 12;

/// Makes a key for an agent and returns all that was answered.
#[track_caller]
fn make(ledger: &Ledger, rest: &[&str]) -> Value {
    let worker = ["key", "create", "--for", "agent:worker-1", "--role", "worker"];
    ledger.answer(&[&worker, rest].concat())
}

fn served(ledger: &Ledger) -> Served {
    let run = ledger.windlass(&["serve", "--listen", "127.0.0.1:0"]);
    Served::from_run(&ledger.home, &run)
}

/// Asks a server for an operation with a key.
#[track_caller]
fn ask(served: &Served, key: &str, operation: &str, arguments: &Value) -> Response {
    served.send(&Request::json(&format!("/v1/ops/{operation}"), arguments).bearer(key))
}

/// All bytes of all files below a folder.
fn bytes_below(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => bytes.extend(bytes_below(&path)),
            false => bytes.extend(fs::read(path).unwrap_or_default()),
        }
    }
    bytes
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn the_text_of_a_key_is_in_its_answer_and_nowhere_else() {
    let ledger = Ledger::on_sqlite();
    let made = text(&make(&ledger, &[])["key"]);
    let rotated = text(&ledger.answer(&["key", "rotate", &made[..SHOWN - 1]])["key"]);
    let mut kept = bytes_below(ledger.home.path());
    let commands: [&[&str]; 4] = [
        &["events", "--json"],
        &["key", "list", "--all", "--json"],
        &["key", "list", "--all"],
        &["export", "-"],
    ];
    for command in commands {
        kept.extend(ledger.windlass(command).run().stdout.into_bytes());
    }
    let prefix = &rotated[..SHOWN - 1];
    assert!(holds(&kept, prefix), "what may be shown is there: {prefix}");
    for secret in [made, rotated] {
        assert!(!holds(&kept, &secret[SHOWN..]), "{} can be read", &secret[..SHOWN]);
    }
}

#[test]
fn a_list_shows_neither_the_text_nor_its_hash() {
    let ledger = Ledger::on_sqlite();
    make(&ledger, &[]);
    let listed = ledger.answer(&["key", "list"]);
    let fields: Vec<&String> = listed["keys"][0].as_object().unwrap().keys().collect();
    for secret in ["key", "digest", "secret"] {
        assert!(!fields.iter().any(|field| *field == secret), "{fields:?}");
    }
}

#[test]
fn an_answer_with_a_key_is_kept_under_no_op_id() {
    let ledger = Ledger::on_sqlite();
    let create = ["key", "create", "--for", "agent:a", "--role", "worker", "--op-id", "k"];
    let refused = ledger.windlass(&create).run();
    let _error = error_of(&refused, "usage", 2);
    assert_eq!(ledger.answer(&["key", "list"])["keys"], json!([]));
}

#[test]
fn keys_are_the_same_on_both_databases() {
    let check = |ledger: &Ledger| {
        ledger.answer(&["project", "create", "api"]);
        let made = make(ledger, &["-P", "api", "--expires", "30d", "--tools", "all"]);
        let id = text(&made["key_id"]);
        ledger.answer(&["key", "rotate", &id]);
        ledger.answer(&["key", "revoke", &id, "--reason", "lost"]);
        let doctor = ledger.answer(&["doctor", "--rebuild"]);
        assert_eq!(doctor["checks"]["views"]["findings"], json!([]), "{doctor}");
        let listed = ledger.answer(&["key", "list", "--all"]);
        let key = &listed["keys"][0];
        assert_eq!((&key["state"], &key["projects"]), (&json!("revoked"), &json!(["api"])));
        let error = ledger.windlass(&["key", "rotate", &id]).run();
        let _refused = error_of(&error, "invalid_transition", 3);
    };
    check(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        check(&ledger);
    }
}

#[test]
fn what_is_done_with_a_key_is_done_by_its_owner() {
    let ledger = Ledger::on_sqlite();
    let key = text(&make(&ledger, &[])["key"]);
    let task = ledger.add(&["-s", "ready"]);
    let served = served(&ledger);
    let claimed = ask(&served, &key, "task.claim", &json!({"next": true})).ok().json();
    assert_eq!(claimed["agent"], "worker-1");
    assert_eq!(ledger.newest_event(&task)["actor"], "worker-1");
    let other =
        ask(&served, &key, "task.comment", &json!({"task": task, "text": "so", "author": "x"}));
    let _problem = other.refused("not_allowed", 403);
}

#[test]
fn a_worker_makes_no_keys_and_what_it_tried_is_seen() {
    let ledger = Ledger::on_sqlite();
    let made = make(&ledger, &[]);
    let (key, prefix) = (text(&made["key"]), &made["prefix"]);
    let served = served(&ledger);
    let wanted = json!({"for": "person:me", "role": "admin"});
    let _problem = ask(&served, &key, "key.create", &wanted).refused("not_allowed", 403);
    wait::until("the refusal is kept", || {
        !ledger.answer(&["key", "refusals"])["refusals"].as_array().unwrap().is_empty()
    });
    let seen = &ledger.answer(&["key", "refusals"])["refusals"][0];
    assert_eq!((&seen["prefix"], &seen["operation"]), (prefix, &json!("key.create")));
    assert_eq!(seen["owner"], "agent:worker-1");
    assert!(!seen.to_string().contains(&key[SHOWN..]));
}

#[test]
fn a_key_of_another_project_is_refused_and_a_wrong_or_ended_one_is_not_let_in() {
    let ledger = Ledger::on_sqlite();
    ledger.answer(&["project", "create", "api"]);
    let made = make(&ledger, &["-P", "api"]);
    let key = text(&made["key"]);
    let task = ledger.add(&["-s", "ready"]);
    let served = served(&ledger);
    let comment = json!({"task": task, "text": "so"});
    let _outside = ask(&served, &key, "task.comment", &comment).refused("not_allowed", 403);
    let _shown = ask(&served, &key, "task.show", &json!({"task": task})).ok();
    let mut wrong = key.clone();
    wrong.replace_range(SHOWN.., &"x".repeat(key.len() - SHOWN));
    let unknown = ask(&served, &wrong, "task.list", &json!({})).refused("key_required", 401);
    ledger.answer(&["key", "revoke", &text(&made["key_id"])]);
    let revoked = ask(&served, &key, "task.list", &json!({})).refused("key_required", 401);
    let said = |problem: &Value| {
        (problem["title"].clone(), problem["detail"].clone(), problem["hint"].clone())
    };
    assert_eq!(said(&unknown), said(&revoked), "who guesses learns nothing");
}

#[test]
fn a_rotated_key_lets_in_with_its_new_text_alone() {
    let ledger = Ledger::on_sqlite();
    let made = make(&ledger, &[]);
    let served = served(&ledger);
    let old = text(&made["key"]);
    let _in = ask(&served, &old, "task.list", &json!({})).ok();
    let new = text(&ledger.answer(&["key", "rotate", &text(&made["key_id"])])["key"]);
    let _out = ask(&served, &old, "task.list", &json!({})).refused("key_required", 401);
    let _in = ask(&served, &new, "task.list", &json!({})).ok();
}
