//! Hooks: what sets them off, what they say, where they are defined, and the outbox they wait in.
//! How they are sent is told elsewhere.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::fs;

use serde_json::{Value, json};
use windlass_testkit::{Run, wait};
use windlass_tests::ledgers::{Ledger, error_of, text};

/// Nobody listens there.
const NOBODY: &str = "http://127.0.0.1:9/hook";

/// Runs a check on both databases.
#[track_caller]
fn on_both(check: impl Fn(&Ledger)) {
    check(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        check(&ledger);
    }
}

#[track_caller]
fn set(ledger: &Ledger, name: &str, rest: &[&str]) {
    ledger.answer(&[&["hook", "set", name, "--url", NOBODY], rest].concat());
}

/// All deliveries, oldest first.
#[track_caller]
fn deliveries(ledger: &Ledger) -> Vec<Value> {
    let listed = ledger.answer(&["hook", "list", "--state", "all", "--limit", "1000"]);
    listed["deliveries"].as_array().unwrap().iter().rev().cloned().collect()
}

/// What the newest delivery says.
#[track_caller]
fn newest(ledger: &Ledger) -> Value {
    let id = text(&deliveries(ledger).last().unwrap()["delivery_id"]);
    ledger.answer(&["hook", "show", &id])["message"].clone()
}

/// A run with a file of settings.
fn with_settings(ledger: &Ledger, content: &str, args: &[&str]) -> Run {
    let folder = ledger.home.config().join("windlass");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), content).unwrap();
    ledger.windlass(args)
}

#[test]
fn complete_asks_for_work_in_hand_and_set_status_does_not_rows_k1_k2_k3() {
    on_both(|ledger| {
        let task = ledger.add(&["-s", "ready"]);
        let refused = ledger.windlass(&["task", "complete", &task]).run();
        let _error = error_of(&refused, "invalid_transition", 3);
        ledger.answer(&["task", "set-status", &task, "done"]);
        assert_eq!(ledger.status(&task), "done");
        let blocked = ledger.add(&["-s", "blocked"]);
        ledger.answer(&["task", "complete", &blocked]);
        assert_eq!(ledger.status(&blocked), "done");
    });
}

#[test]
fn every_way_to_done_enqueues_once_and_staying_done_nothing_rows_k4_k5_c1() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let mut enqueued = 0;
        let mut leads_to_done = |commands: &[&[&str]]| {
            let task = ledger.add(&["-s", "ready", "-P", "inbox"]);
            for command in commands {
                let words: Vec<&str> =
                    command.iter().map(|word| if *word == "ID" { &task } else { *word }).collect();
                ledger.answer(&words);
            }
            enqueued += 1;
            let all = deliveries(ledger);
            assert_eq!(all.len(), enqueued, "{commands:?}");
            assert_eq!(all[enqueued - 1]["task_id"], json!(task), "{commands:?}");
        };
        let claim = &["task", "claim", "ID", "--agent", "w"][..];
        leads_to_done(&[claim, &["task", "complete", "ID", "--agent", "w"]]);
        leads_to_done(&[&["task", "block", "ID"], &["task", "complete", "ID"]]);
        leads_to_done(&[&["task", "set-status", "ID", "done"]]);
        leads_to_done(&[
            &["task", "set-status", "ID", "done"],
            &["task", "set-status", "ID", "done"],
        ]);
        let handoff = &["workflow", "run", "handoff", "--from", "ID", "--title", "next"][..];
        let pool = &["--project", "inbox", "--author", "w"][..];
        leads_to_done(&[claim, &[handoff, pool].concat()]);
        ledger.add(&["-s", "done"]);
        assert_eq!(deliveries(ledger).len(), enqueued + 1);
    });
}

#[test]
fn putting_away_is_not_being_done_row_c1() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let task = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "archive", &task]);
        assert_eq!(deliveries(ledger), Vec::<Value>::new());
    });
}

#[test]
fn other_triggers_hear_of_their_own() {
    on_both(|ledger| {
        for name in ["on_blocked", "on_status_changed", "on_claim_expired", "on_gate"] {
            set(ledger, name, &[]);
        }
        let task = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "claim", &task, "--agent", "w", "--lease", "1s"]);
        wait::until("a lease has run out", || ledger.answer(&["task", "stuck"])["total"] != 0);
        ledger.answer(&["gc"]);
        ledger.answer(&["task", "block", &task]);
        let triggers: Vec<String> =
            deliveries(ledger).iter().map(|delivery| text(&delivery["trigger"])).collect();
        let expected = ["on_status_changed", "on_claim_expired", "on_blocked", "on_status_changed"];
        assert_eq!(triggers, expected);
    });
}

/// What deliveries beyond the first so many tell: their task, and from where to where it went.
#[track_caller]
fn told(ledger: &Ledger, known: usize) -> Vec<[String; 3]> {
    let new = deliveries(ledger).split_off(known);
    let told = new.iter().map(|delivery| {
        let id = text(&delivery["delivery_id"]);
        let payload = ledger.answer(&["hook", "show", &id])["message"]["payload"].clone();
        let transition = &payload["transition"];
        [&payload["task"]["task_id"], &transition["from"], &transition["to"]].map(text)
    });
    let mut told: Vec<[String; 3]> = told.collect();
    told.sort();
    told
}

/// What a command makes a hook on every change of status tell, as `TASK FROM TO` in any order.
#[track_caller]
fn tells(ledger: &Ledger, command: &[&str], expected: &[[&str; 3]]) {
    let known = deliveries(ledger).len();
    ledger.answer(command);
    let mut expected: Vec<[String; 3]> =
        expected.iter().map(|words| words.map(str::to_owned)).collect();
    expected.sort();
    assert_eq!(told(ledger, known), expected, "{command:?}");
}

#[test]
fn the_end_of_a_pause_is_told_with_what_ended_it_row_k5() {
    on_both(|ledger| {
        set(ledger, "on_status_changed", &[]);
        let source = ledger.add(&["-s", "in_progress", "--agent", "w"]);
        let delegate = ["workflow", "run", "delegate", "--from", &source, "--title", "part"];
        let known = deliveries(ledger).len();
        let paused =
            ledger.answer(&[&delegate[..], &["--pause-parent", "--auto-unpause"]].concat());
        let blocked = [source.clone(), "in_progress".into(), "blocked".into()];
        assert_eq!(told(ledger, known), [blocked]);
        let part = text(&paused["delegated"]["task_id"]);
        tells(
            ledger,
            &["task", "set-status", &part, "done"],
            &[[&part, "ready", "done"], [&source, "blocked", "ready"]],
        );
    });
}

#[test]
fn what_is_put_away_or_brought_back_with_others_is_told_of_each_row_k5() {
    on_both(|ledger| {
        set(ledger, "on_status_changed", &[]);
        ledger.answer(&["project", "create", "api"]);
        let parent = ledger.add(&["-s", "ready", "-P", "api"]);
        let child = ledger.add(&["--parent", &parent]);
        let archived = [[&*parent, "ready", "archived"], [&child, "backlog", "archived"]];
        tells(ledger, &["task", "archive", &parent, "--cascade"], &archived);
        tells(ledger, &["task", "restore", &parent], &[[&parent, "archived", "ready"]]);
        tells(ledger, &["task", "restore", &child], &[[&child, "archived", "backlog"]]);
        tells(ledger, &["project", "delete", "api", "--archive-tasks"], &archived);
    });
}

#[test]
fn whoever_takes_over_a_lease_that_ran_out_tells_of_it_row_k5() {
    on_both(|ledger| {
        set(ledger, "on_claim_expired", &[]);
        let task = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "claim", &task, "--agent", "w", "--lease", "1s"]);
        wait::until("a lease has run out", || ledger.answer(&["task", "stuck"])["total"] != 0);
        ledger.answer(&["task", "claim", &task, "--agent", "other"]);
        let heard: Vec<(String, String)> = deliveries(ledger)
            .iter()
            .map(|delivery| (text(&delivery["trigger"]), text(&delivery["task_id"])))
            .collect();
        assert_eq!(heard, [("on_claim_expired".to_owned(), task)]);
        let context = newest(ledger)["payload"]["context"].clone();
        assert_eq!((&context["author"], &context["agent"]), (&json!("other"), &json!("w")));
    });
}

#[test]
fn every_task_of_a_file_that_is_added_as_done_is_told_of_rows_k4_c1() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let add = ledger.windlass(&["task", "add", "--from", "-", "-s", "done"]);
        let _added = add.stdin("one\ntwo\nthree\n").run().ok();
        let titles: Vec<String> = deliveries(ledger)
            .iter()
            .map(|delivery| {
                let shown = ledger.answer(&["hook", "show", &text(&delivery["delivery_id"])]);
                text(&shown["message"]["payload"]["task"]["title"])
            })
            .collect();
        assert_eq!(titles, ["one", "two", "three"]);
    });
}

#[test]
fn a_hook_hears_only_of_its_projects_and_tags() {
    on_both(|ledger| {
        ledger.answer(&["project", "create", "api"]);
        set(ledger, "here", &["--on", "on_done", "-P", "api", "--tag", "x", "--tag", "y"]);
        ledger.add(&["-s", "done", "-P", "api", "--tags", "x"]);
        ledger.add(&["-s", "done", "--tags", "x,y"]);
        assert_eq!(deliveries(ledger), Vec::<Value>::new());
        ledger.add(&["-s", "done", "-P", "api", "--tags", "y,x,z"]);
        assert_eq!(deliveries(ledger).len(), 1);
    });
}

#[test]
fn the_value_of_a_variable_in_a_header_is_nowhere_row_c4() {
    on_both(|ledger| {
        let header = "Authorization: Bearer $OPENCLAW_GATEWAY_TOKEN";
        let rest = ["--header", header, "--secret", "$HOOK_SECRET"];
        let secretly = |args: &[&str]| {
            let run = ledger.windlass(args).env("OPENCLAW_GATEWAY_TOKEN", "canary-token");
            run.env("HOOK_SECRET", "canary-secret").run().ok()
        };
        let set = secretly(&[&["hook", "set", "on_done", "--url", NOBODY][..], &rest].concat());
        let added = secretly(&["task", "add", "x", "-s", "done"]);
        let shown = secretly(&["hook", "show", "on_done"]);
        assert_eq!(
            shown.json()["hook"]["headers"]["Authorization"],
            "Bearer $OPENCLAW_GATEWAY_TOKEN"
        );
        assert_eq!(shown.json()["hook"]["secret"], "$HOOK_SECRET");
        let listed = secretly(&["hook", "list", "--state", "all"]);
        let log = secretly(&["events"]);
        for outcome in [set, added, shown, listed, log] {
            assert!(!outcome.stdout.contains("canary"), "{outcome}");
        }
    });
}

#[test]
fn a_hook_of_the_settings_hears_of_every_project_row_c5() {
    let ledger = Ledger::on_sqlite();
    ledger.answer(&["project", "create", "api"]);
    let settings = format!("[hooks.on_done]\nurl = '{NOBODY}'\n");
    for project in ["inbox", "api"] {
        let args = ["task", "add", "x", "-s", "done", "-P", project];
        let _added = with_settings(&ledger, &settings, &args).run().ok();
    }
    assert_eq!(deliveries(&ledger).len(), 2);
    let listed = ledger.answer(&["hook", "list"]);
    let file = ledger.home.config().join("windlass/config.toml").display().to_string();
    assert_eq!(listed["hooks"][0]["source"], json!(file));
}

#[test]
fn on_a_shared_ledger_only_its_own_hooks_count() {
    let Some(ledger) = Ledger::on_postgres() else { return };
    let settings = format!("[hooks.on_done]\nurl = '{NOBODY}'\n");
    let add = ["task", "add", "x", "-s", "done"];
    let _added = with_settings(&ledger, &settings, &add).run().ok();
    let listed = ledger.answer(&["hook", "list", "--state", "all"]);
    assert_eq!((&listed["hooks"], &listed["deliveries"]), (&json!([]), &json!([])));
}

#[test]
fn the_ledger_wins_over_the_settings_by_name() {
    let ledger = Ledger::on_sqlite();
    let settings = "[hooks.on_done]\nurl = 'http://settings.example/'\n";
    set(&ledger, "on_done", &[]);
    let listed = with_settings(&ledger, settings, &["hook", "list"]).run().ok().json();
    assert_eq!(listed["hooks"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed["hooks"][0]["url"], &listed["hooks"][0]["source"]),
        (&json!(NOBODY), &json!("ledger"))
    );
    ledger.answer(&["hook", "remove", "on_done"]);
    let listed = ledger.answer(&["hook", "list"]);
    assert_eq!(listed["hooks"][0]["url"], "http://settings.example/");
    let refused = ledger.windlass(&["hook", "remove", "on_done"]).run();
    let error = error_of(&refused, "invalid_value", 3);
    assert!(text(&error["hint"]).contains("[hooks.on_done]"), "{refused}");
}

#[test]
fn the_payload_tells_the_task_and_its_transition_row_c6() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let task = ledger.add(&["-s", "ready", "--tags", "a", "--priority", "2"]);
        ledger.answer(&["task", "set-status", &task, "done"]);
        let payload = newest(ledger)["payload"].clone();
        assert_eq!(payload["trigger"], "on_done");
        assert_eq!(payload["hook"], "on_done");
        let expected = json!({
            "task_id": task, "title": "a task", "project": "inbox", "status": "done",
            "priority": 2, "tags": ["a"], "agent": null, "lease_until": null,
        });
        assert_eq!(payload["task"], expected);
        assert_eq!(payload["transition"], json!({ "from": "ready", "to": "done" }));
        let event = ledger.newest_event(&task);
        assert_eq!(payload["timestamp"], event["at"], "{event}");
    });
}

#[test]
fn the_payload_tells_who_did_it_and_who_held_the_task_row_c7() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let task = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "claim", &task, "--agent", "w"]);
        ledger.answer(&["task", "complete", &task, "--author", "w"]);
        let context = newest(ledger)["payload"]["context"].clone();
        assert_eq!((&context["author"], &context["agent"]), (&json!("w"), &json!("w")));
        let unheld = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "set-status", &unheld, "done", "--author", "ada"]);
        let context = newest(ledger)["payload"]["context"].clone();
        assert_eq!((&context["author"], &context["agent"]), (&json!("ada"), &Value::Null));
    });
}

#[test]
fn the_payload_tells_the_ids_of_its_connection_row_c8() {
    on_both(|ledger| {
        set(ledger, "on_status_changed", &[]);
        let task = ledger.add(&["-s", "ready"]);
        let session = ["--agent", "w", "--agent-id", "session-7", "--op-id", "op-7"];
        ledger.answer(&[&["task", "claim", &task], &session[..]].concat());
        let context = newest(ledger)["payload"]["context"].clone();
        let event = ledger.newest_event(&task);
        assert_eq!(context["session_id"], "session-7");
        assert_eq!(context["op_id"], "op-7");
        assert!(context["correlation_id"].is_string(), "{context}");
        assert_eq!(context["correlation_id"], event["correlation_id"]);
        assert_eq!(context["event_id"], event["event_id"]);
        assert_eq!(context["causation_id"], event["causation_id"]);
        assert_eq!(context["agent_id"], "w");
    });
}

#[test]
fn a_transition_and_its_hook_are_recorded_together_or_not_at_all_row_c9() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let before = ledger.add(&["-s", "ready"]);
        let task = ledger.add(&["-s", "ready", "--depends-on", &before]);
        let seq = ledger.events();
        let refused = ledger.windlass(&["task", "set-status", &task, "done"]).run();
        let _error = error_of(&refused, "dependencies_open", 3);
        assert_eq!((ledger.events(), deliveries(ledger).len()), (seq, 0));
        ledger.answer(&["task", "set-status", &before, "done"]);
        let events = ledger.events_after(seq);
        let kinds: Vec<String> = events.iter().map(|event| text(&event["kind"])).collect();
        assert_eq!(kinds, ["status_set", "hook_enqueued"]);
        assert_eq!(events[1]["causation_id"], events[0]["event_id"]);
    });
}

#[test]
fn a_receiver_that_nobody_reaches_fails_no_command_row_c11() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        ledger.answer(&["hook", "set", "mine", "--on", "on_done", "--command", "/no/such/program"]);
        ledger.add(&["-s", "done"]);
        assert_eq!(deliveries(ledger).len(), 2);
    });
}

#[test]
fn there_is_no_hook_that_fails_a_command_row_c12() {
    let ledger = Ledger::on_sqlite();
    let settings = format!("[hooks.on_done]\nurl = '{NOBODY}'\nfailure_policy = 'fail_closed'\n");
    let refused = with_settings(&ledger, &settings, &["task", "list"]).run();
    let error = error_of(&refused, "settings_invalid", 3);
    assert!(text(&error["message"]).contains("line 3: 'failure_policy'"), "{refused}");
}

#[test]
fn what_is_enqueued_waits_in_the_outbox_without_any_other_process_rows_c13_c14() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let task = ledger.add(&["-s", "done"]);
        let listed = ledger.answer(&["hook", "list", "--state", "queued"]);
        let [delivery] = &listed["deliveries"].as_array().unwrap()[..] else { panic!("{listed}") };
        assert_eq!((&delivery["state"], &delivery["task_id"]), (&json!("queued"), &json!(task)));
        assert_eq!((&delivery["attempts"], &delivery["max_attempts"]), (&json!(0), &json!(5)));
        assert_eq!(delivery["next_attempt_at"], delivery["enqueued_at"]);
        assert_eq!(listed["counts"]["queued"], 1);
        assert_eq!(ledger.answer(&["status"])["data"]["outbox"]["queued"], 1);
        assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
        assert_eq!(deliveries(ledger), std::slice::from_ref(delivery));
    });
}

#[test]
fn a_hook_carries_the_op_id_and_a_replay_enqueues_nothing_rows_i2_i5() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        let task = ledger.add(&["-s", "ready"]);
        let command = ["task", "set-status", &task, "done", "--op-id", "once"];
        let seq = ledger.events();
        let first = ledger.answer(&command);
        let again = ledger.answer(&command);
        assert_eq!((&first["replayed"], &again["replayed"]), (&json!(false), &json!(true)));
        assert_eq!(deliveries(ledger).len(), 1);
        let message = newest(ledger);
        assert_eq!(
            (&message["op_id"], &message["payload"]["context"]["op_id"]),
            (&json!("once"), &json!("once"))
        );
        for event in ledger.events_after(seq) {
            assert_eq!(event["op_id"], "once", "{event}");
        }
    });
}

#[test]
fn a_delivery_is_discarded_and_tried_again_under_the_same_id() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        ledger.add(&["-s", "done"]);
        let id = text(&deliveries(ledger)[0]["delivery_id"]);
        let part = &id[20..];
        ledger.answer(&["hook", "discard", part, "--reason", "nobody cares"]);
        let shown = ledger.answer(&["hook", "show", part]);
        assert_eq!(shown["delivery"]["state"], "discarded");
        assert_eq!(shown["delivery"]["last_error"], "nobody cares");
        let retried = ledger.answer(&["hook", "retry", part]);
        assert_eq!(retried, json!({ "count": 1, "delivery_ids": [id] }));
        assert_eq!(deliveries(ledger)[0]["state"], "queued");
        assert_eq!(ledger.answer(&["hook", "retry", "--all-failed"])["count"], 0);
    });
}

#[test]
fn what_a_hook_cannot_be_is_refused_and_leaves_no_trace() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&["-s", "ready"]);
    let seq = ledger.events();
    let long = "x".repeat(65);
    let wrong: &[(&[&str], &str, i32)] = &[
        (&["set", "mine", "--url", NOBODY], "invalid_value", 3),
        (&["set", "on_done"], "usage", 2),
        (&["set", "on_done", "--url", NOBODY, "--command", "x"], "usage", 2),
        (&["set", "on_done", "--header", "a: b", "--command", "x"], "usage", 2),
        (&["set", "on_done", "--on", "on_blocked", "--url", NOBODY], "invalid_value", 3),
        (&["set", "mine", "--on", "done", "--url", NOBODY], "invalid_value", 3),
        (&["set", "on_done", "--url", "ftp://example.org"], "invalid_value", 3),
        (&["set", "on_done", "--url", "http://a:canary@example.org"], "invalid_value", 3),
        (&["set", "on_done", "--url", "http://"], "invalid_value", 3),
        (&["set", "on_done", "--url", ""], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--secret", "canary"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--header", "canary"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--header", "a b: c"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--header", "a: canary\nx: y"], "invalid_value", 3),
        (
            &["set", "on_done", "--url", NOBODY, "--header", "a: b", "--header", "a: c"],
            "invalid_value",
            3,
        ),
        (&["set", "on_done", "--url", NOBODY, "--max-attempts", "0"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--max-attempts", "21"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--max-attempts", "many"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--timeout", "2m"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--timeout", "soon"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "-P", "nowhere"], "project_not_found", 4),
        (&["set", "on_done", "--url", NOBODY, "--tag", ""], "invalid_value", 3),
        (&["set", &long, "--on", "on_done", "--url", NOBODY], "invalid_value", 3),
        (&["set", "a b", "--on", "on_done", "--url", NOBODY], "invalid_value", 3),
        (&["set", "on_done", "--command", " "], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--header", "Host: x"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--header", "X: $"], "invalid_value", 3),
        (&["set", "on_done", "--url", NOBODY, "--header", "X: canary ${A"], "invalid_value", 3),
        (&["remove", "nothing"], "hook_not_found", 4),
        (&["show", "no"], "hook_not_found", 4),
        (&["show", "zzzz"], "delivery_not_found", 4),
        (&["show", "not an id"], "hook_not_found", 4),
        (&["list", "--state", "lost"], "invalid_value", 3),
        (&["list", "--limit", "-1"], "invalid_value", 3),
        (&["list", "--limit", "0"], "invalid_value", 3),
        (&["drain", "--limit", "0"], "invalid_value", 3),
        (&["retry"], "usage", 2),
        (&["retry", "zzzz", "--all-failed"], "usage", 2),
        (&["retry", "zzzz"], "delivery_not_found", 4),
        (&["retry", "x"], "id_too_short", 3),
        (&["discard"], "usage", 2),
        (&["discard", "zzzz", "--all-failed"], "usage", 2),
        (&["discard", "zzzz"], "delivery_not_found", 4),
    ];
    for (args, code, exit) in wrong {
        let refused = ledger.windlass(&[&["hook"], *args].concat()).run();
        let error = error_of(&refused, code, *exit);
        assert!(!error.to_string().contains("canary"), "a secret is repeated\n{refused}");
    }
    assert_eq!(ledger.events(), seq);
}

#[test]
fn a_hook_in_a_repository_is_ignored_and_said() {
    let ledger = Ledger::on_sqlite();
    let folder = ledger.home.work().join(".windlass");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "[hooks.on_done]\ncommand = ['touch', 'run']\n").unwrap();
    let added = ledger.windlass(&["task", "add", "x", "-s", "done", "--format", "text"]).run().ok();
    assert!(added.stderr.contains("'hooks.on_done' is ignored"), "{added}");
    assert_eq!(deliveries(&ledger), Vec::<Value>::new());
}

#[test]
fn config_shows_hooks_without_what_they_keep_secret() {
    let ledger = Ledger::on_sqlite();
    let settings = "[hooks.on_done]\nurl = 'http://example.org/a?key=canary'\n\
                    secret = 'whsec_canary'\nheaders = { Authorization = 'Bearer canary' }\n";
    for args in [&["config"][..], &["hook", "show", "on_done"], &["hook", "list"]] {
        let shown = with_settings(&ledger, settings, args).run().ok();
        assert!(shown.stdout.contains("http://example.org/a?…"), "{shown}");
        let is_hidden = !shown.stdout.contains("whsec") && !shown.stdout.contains("key=");
        assert!(is_hidden, "{shown}");
    }
    for args in [&["config"][..], &["hook", "show", "on_done"], &["hook", "list"]] {
        let shown = ledger.windlass(args).run().ok();
        assert!(!shown.stdout.contains("canary"), "{shown}");
    }
}

#[test]
fn what_may_not_be_as_it_was_meant_is_said_when_a_hook_is_set() {
    on_both(|ledger| {
        let warnings = |rest: &[&str]| {
            let answer = ledger.answer(&[&["hook", "set"], rest].concat());
            answer["warnings"].as_array().unwrap().iter().map(text).collect::<Vec<_>>()
        };
        let plain = ["on_done", "--url", NOBODY, "--header", "X-Team: web"];
        assert_eq!(warnings(&plain), Vec::<String>::new());
        let named = ["on_done", "--url", NOBODY, "--header", "Authorization: Bearer $TOKEN"];
        assert_eq!(warnings(&named), Vec::<String>::new());
        for header in ["Authorization: Bearer canary", "X-Api-Key: canary", "X-A: Basic canary"] {
            let said = warnings(&["on_done", "--url", NOBODY, "--header", header]);
            assert!(said.concat().contains("kept in the ledger for ever"), "{said:?}");
            assert!(!said.concat().contains("canary"), "{said:?}");
        }
        let said = warnings(&["on_done", "--command", "notify", "--timeout", "5s"]);
        assert!(said.concat().starts_with("--timeout is an argument of the command"), "{said:?}");
        assert_eq!(warnings(&["on_gate", "--url", NOBODY]), Vec::<String>::new());
    });
}

#[test]
fn a_hook_that_is_set_again_is_replaced_and_it_is_said() {
    on_both(|ledger| {
        let command = ["hook", "set", "on_done", "--url", NOBODY];
        assert_eq!(ledger.answer(&command)["replaced"], false);
        assert_eq!(ledger.answer(&command)["replaced"], true);
    });
}

#[test]
fn a_bad_name_of_a_hook_is_told_by_its_rule() {
    let ledger = Ledger::on_sqlite();
    let refused = ledger.windlass(&["hook", "set", "bad name", "--url", NOBODY]).run();
    let error = error_of(&refused, "invalid_value", 3);
    assert_eq!(error["message"], "'bad name' is not a name of a hook");
    let refused = ledger.windlass(&["hook", "set", "mine", "--url", NOBODY]).run();
    let error = error_of(&refused, "invalid_value", 3);
    assert!(text(&error["hint"]).contains("--on"), "{refused}");
}

#[test]
fn what_waits_for_a_hook_that_is_not_defined_here_is_said() {
    on_both(|ledger| {
        set(ledger, "on_done", &[]);
        ledger.add(&["-s", "done"]);
        ledger.answer(&["hook", "remove", "on_done"]);
        let unknown = json!([{ "hook": "on_done", "waiting": 1 }]);
        assert_eq!(ledger.answer(&["hook", "list"])["unknown"], unknown);
        assert_eq!(ledger.answer(&["hook", "drain"])["unknown"], unknown);
        let drained = ledger.windlass(&["hook", "drain", "--format", "text"]).run().ok();
        let sentence = "1 delivery waits for hook on_done, which is not defined here";
        assert!(drained.stdout.contains(sentence), "{drained}");
        let id = text(&deliveries(ledger)[0]["delivery_id"]);
        let shown = ledger.windlass(&["hook", "show", &id, "--format", "text"]).run().ok();
        assert!(shown.stdout.contains("not from here: hook on_done is not defined"), "{shown}");
        set(ledger, "on_done", &[]);
        assert_eq!(ledger.answer(&["hook", "list"])["unknown"], json!([]));
    });
}

#[test]
fn hooks_of_the_settings_that_do_not_count_are_told() {
    let Some(ledger) = Ledger::on_postgres() else { return };
    let settings = format!("[hooks.on_done]\nurl = '{NOBODY}'\n");
    let added = with_settings(&ledger, &settings, &["task", "add", "x", "-s", "done"]).run().ok();
    assert!(added.stderr.contains("'hooks.on_done' is ignored: on PostgreSQL"), "{added}");
}

#[test]
fn a_hook_of_a_project_goes_on_when_the_project_is_renamed() {
    on_both(|ledger| {
        ledger.answer(&["project", "create", "api"]);
        set(ledger, "on_done", &["-P", "api"]);
        ledger.answer(&["project", "rename", "api", "web"]);
        ledger.add(&["-s", "done", "-P", "web"]);
        assert_eq!(deliveries(ledger).len(), 1);
        assert_eq!(ledger.answer(&["hook", "list"])["hooks"][0]["projects"], json!(["web"]));
    });
}

#[test]
fn a_list_says_how_many_there_are_and_all_that_failed_are_discarded_together() {
    on_both(|ledger| {
        ledger.answer(&["hook", "set", "on_done", "--max-attempts", "1", "--command", "false"]);
        for _ in 0..3 {
            ledger.add(&["-s", "done"]);
        }
        ledger.answer(&["hook", "drain"]);
        let listed = ledger.answer(&["hook", "list", "--limit", "2"]);
        let shown = listed["deliveries"].as_array().unwrap().len();
        assert_eq!((shown, &listed["total"], &listed["has_more"]), (2, &json!(3), &json!(true)));
        let discarded = ledger.answer(&["hook", "discard", "--all-failed", "--reason", "old"]);
        assert_eq!(discarded["count"], 3);
        let listed = ledger.answer(&["hook", "list", "--state", "discarded"]);
        assert_eq!((&listed["total"], &listed["has_more"]), (&json!(3), &json!(false)));
    });
}

#[test]
fn a_delivery_that_waits_for_its_next_attempt_is_sent_at_once_if_asked() {
    on_both(|ledger| {
        ledger.answer(&["hook", "set", "on_done", "--command", "false"]);
        ledger.add(&["-s", "done"]);
        assert_eq!(ledger.answer(&["hook", "drain"])["retried"], 1);
        assert_eq!(ledger.answer(&["hook", "drain"])["attempted"], 0);
        let id = text(&deliveries(ledger)[0]["delivery_id"]);
        ledger.answer(&["hook", "retry", &id]);
        assert_eq!(ledger.answer(&["hook", "drain"])["attempted"], 1);
        assert_eq!(deliveries(ledger)[0]["attempts"], 2);
    });
}

#[test]
fn a_command_has_the_environment_of_the_drain() {
    let ledger = Ledger::on_sqlite();
    let file = ledger.home.work().join("got");
    let script = format!("echo $COLOUR:$WINDLASS_HOOK_ID > {}", file.display());
    ledger.answer(&["hook", "set", "on_done", "--command", "sh", "-c", &script]);
    ledger.add(&["-s", "done"]);
    let _drained = ledger.windlass(&["hook", "drain"]).env("COLOUR", "blue").run().ok();
    let id = text(&deliveries(&ledger)[0]["delivery_id"]);
    assert_eq!(fs::read_to_string(file).unwrap().trim(), format!("blue:{id}"));
}
