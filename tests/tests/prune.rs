//! `task prune`: which tasks go, what stays of them, and that nothing goes by accident.
//!
//! This is contract HZL, section 6, check "Prune" with the rules of 2.6. The ages are told by
//! `--as-of`, since the binary has no clock that a test could move.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use windlass_testkit::Outcome;
use windlass_tests::ledgers::{Ledger, error_of, text};

/// Long after everything here.
const LATER: &str = "2099-01-01";

#[track_caller]
fn on_both(check: impl Fn(&Ledger)) {
    let with_projects = |ledger: Ledger| {
        for project in ["api", "web"] {
            ledger.answer(&["project", "create", project]);
        }
        ledger
    };
    check(&with_projects(Ledger::on_sqlite()));
    if let Some(ledger) = Ledger::on_postgres() {
        check(&with_projects(ledger));
    }
}

#[track_caller]
fn prune(ledger: &Ledger, flags: &[&str]) -> Outcome {
    ledger.windlass(&[&["task", "prune"], flags].concat()).run()
}

/// The ids of what would go as of a time, of all projects and any age.
#[track_caller]
fn would_go(ledger: &Ledger, as_of: &str) -> Vec<String> {
    let flags = ["--all", "--older-than", "0", "--as-of", as_of, "--dry-run"];
    let answer = prune(ledger, &flags).ok().json();
    let ids = ids(&answer["wouldPrune"]);
    assert_eq!(answer["count"], ids.len());
    ids
}

fn ids(tasks: &Value) -> Vec<String> {
    tasks.as_array().unwrap().iter().map(|task| text(&task["task_id"])).collect()
}

/// When a task became done or archived.
#[track_caller]
fn finished_at(ledger: &Ledger, task: &str) -> String {
    text(&ledger.answer(&["task", "show", task])["task"]["finished_at"])
}

#[track_caller]
fn set(ledger: &Ledger, task: &str, status: &str) {
    ledger.answer(&["task", "set-status", task, status]);
}

// Nothing goes by accident

#[test]
fn check_a_prune_must_be_told_of_which_project_and_meant() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&["-s", "done"]);
    let before = ledger.events();
    for flags in [
        &["--yes"][..],
        &["--all"],
        &["-P", "inbox"],
        &["-P", "inbox", "--all", "--yes"],
        &["-P", "inbox", "--all", "--dry-run"],
        &["--dry-run"],
        &["--all", "--dry-run", "--export", "old.ndjson"],
    ] {
        let _refused = error_of(&prune(&ledger, flags), "usage", 2);
    }
    for (flags, code, exit) in [
        (&["--all", "--yes", "--older-than", "soon"][..], "invalid_value", 3),
        (&["--all", "--yes", "--older-than", "-1d"], "invalid_value", 3),
        (&["--all", "--yes", "--as-of", "tomorrow"], "invalid_value", 3),
        (&["-P", "nowhere", "--yes"], "project_not_found", 4),
    ] {
        let _refused = error_of(&prune(&ledger, flags), code, exit);
    }
    assert_eq!(ledger.events(), before);
}

#[test]
fn check_nothing_to_prune_is_an_answer() {
    on_both(|ledger| {
        let open = ledger.add(&["-s", "ready"]);
        ledger.add(&["-s", "done"]);
        let before = ledger.events();
        let answer = prune(ledger, &["--all", "--yes"]).ok().json();
        let nothing = json!({"pruned": [], "count": 0, "eventsDeleted": 0});
        assert_eq!(answer, nothing, "nothing is 30 days old");
        assert_eq!((ledger.events(), ledger.status(&open)), (before, "ready".to_owned()));
    });
}

// What goes

#[test]
fn check_what_was_finished_before_the_time_goes_and_what_was_finished_after_it_stays() {
    on_both(|ledger| {
        let first = ledger.add(&["-s", "done"]);
        let second = ledger.add(&["-s", "ready"]);
        let open = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "archive", &second]);
        let third = ledger.add(&["-s", "done"]);
        let at = |task: &str| finished_at(ledger, task);
        assert_eq!(would_go(ledger, "2020-01-01"), Vec::<String>::new());
        assert_eq!(would_go(ledger, &at(&first)), [first.as_str()], "to the millisecond");
        assert_eq!(would_go(ledger, &at(&second)), [first.as_str(), second.as_str()]);
        assert_eq!(would_go(ledger, LATER), [first.as_str(), &second, &third]);
        set(ledger, &first, "ready");
        assert_eq!(would_go(ledger, LATER), [second.as_str(), &third], "open again");
        assert_eq!(ledger.status(&open), "ready");
    });
}

#[test]
fn check_the_age_counts_back_from_the_time_that_is_given() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["-s", "done"]);
    let at = windlass_domain::Time::parse("at", &finished_at(&ledger, &task)).unwrap();
    let count = |days_later: i64, flags: &[&str]| {
        let day = windlass_domain::duration::Span::from_millis(days_later * 86_400_000);
        let as_of = at.plus(day).to_string();
        let all = [&["--all", "--dry-run", "--as-of", &as_of], flags].concat();
        prune(&ledger, &all).ok().json()["count"].clone()
    };
    assert_eq!((count(29, &[]), count(30, &[])), (json!(0), json!(1)), "30 days unless told");
    let week = ["--older-than", "7d"];
    assert_eq!((count(6, &week), count(7, &week)), (json!(0), json!(1)));
    let hours = ["--older-than", "48h"];
    assert_eq!((count(1, &hours), count(2, &hours)), (json!(0), json!(1)));
}

#[test]
fn check_a_family_goes_as_a_whole_or_not_at_all() {
    on_both(|ledger| {
        let parent = ledger.add(&["-s", "ready"]);
        let child = ledger.add(&["--parent", &parent, "-s", "ready"]);
        let other = ledger.add(&["--parent", &parent, "-s", "ready"]);
        set(ledger, &child, "done");
        assert_eq!(would_go(ledger, LATER), Vec::<String>::new(), "its parent is open");
        set(ledger, &other, "done");
        set(ledger, &parent, "done");
        let last = finished_at(ledger, &other);
        assert_eq!(would_go(ledger, &last), Vec::<String>::new(), "the parent is younger");
        assert_eq!(would_go(ledger, LATER), [parent.as_str(), &child, &other]);
        set(ledger, &child, "ready");
        assert_eq!(would_go(ledger, LATER), Vec::<String>::new(), "a child is open again");
    });
}

#[test]
fn check_what_an_open_task_of_any_project_waits_for_stays() {
    on_both(|ledger| {
        let waited_for = ledger.add(&["-P", "api", "-s", "done"]);
        let waits = ledger.add(&["-P", "web", "-s", "ready", "--depends-on", &waited_for]);
        let of_project = ["-P", "api", "--older-than", "0", "--as-of", LATER, "--dry-run"];
        let count = || prune(ledger, &of_project).ok().json()["count"].clone();
        assert_eq!(count(), 0);
        for status in ["backlog", "blocked"] {
            set(ledger, &waits, status);
            assert_eq!(count(), 0, "{status}");
        }
        set(ledger, &waits, "done");
        assert_eq!(count(), 1);
        assert_eq!(would_go(ledger, LATER), [waited_for.as_str(), &waits], "both at once");
    });
}

#[test]
fn check_what_waits_for_a_subtask_keeps_the_whole_family() {
    let ledger = Ledger::on_sqlite();
    let parent = ledger.add(&["-s", "ready"]);
    let child = ledger.add(&["--parent", &parent, "-s", "ready"]);
    ledger.add(&["-s", "ready", "--depends-on", &child]);
    set(&ledger, &child, "done");
    set(&ledger, &parent, "done");
    assert_eq!(would_go(&ledger, LATER), Vec::<String>::new());
}

#[test]
fn check_only_the_named_project_is_pruned_and_no_family_that_reaches_out_of_it() {
    on_both(|ledger| {
        let here = ledger.add(&["-P", "api", "-s", "done"]);
        let elsewhere = ledger.add(&["-P", "web", "-s", "done"]);
        let parent = ledger.add(&["-P", "api", "-s", "ready"]);
        let child = ledger.add(&["--parent", &parent, "-s", "ready"]);
        ledger.answer(&["task", "move", &child, "web"]);
        set(ledger, &child, "done");
        set(ledger, &parent, "done");
        for (project, expected) in [("api", &here), ("web", &elsewhere)] {
            let flags = ["-P", project, "--older-than", "0", "--as-of", LATER, "--dry-run"];
            let answer = prune(ledger, &flags).ok().json();
            assert_eq!(ids(&answer["wouldPrune"]), [expected.as_str()], "{project}");
        }
        assert_eq!(would_go(ledger, LATER).len(), 4, "with --all it goes");
    });
}

#[test]
fn check_the_dry_run_names_exactly_what_the_real_run_takes() {
    on_both(|ledger| {
        for status in ["done", "ready", "done", "backlog", "done"] {
            ledger.add(&["-s", status, "-P", "api"]);
        }
        let parent = ledger.add(&["-s", "ready", "-P", "web"]);
        let child = ledger.add(&["-s", "done", "--parent", &parent]);
        ledger.answer(&["task", "archive", &parent]);
        let before = ledger.events();
        let flags = ["--all", "--older-than", "0", "--as-of", LATER];
        let dry = prune(ledger, &[&flags[..], &["--dry-run"]].concat()).ok().json();
        assert_eq!(ledger.events(), before, "a dry run records nothing");
        assert!(dry.get("pruned").is_none());
        let real = prune(ledger, &[&flags[..], &["--yes"]].concat()).ok().json();
        assert_eq!(real["pruned"], dry["wouldPrune"]);
        assert_eq!(real["eventsDeleted"], dry["eventsDeleted"]);
        assert_eq!((&real["count"], &real["eventsDeleted"]), (&json!(5), &json!(6)));
        assert!(ids(&real["pruned"]).contains(&child));
        for key in ["task_id", "title", "project", "status", "terminal_since", "parent_id"] {
            assert!(real["pruned"][0].get(key).is_some(), "{key}");
        }
        assert_eq!(would_go(ledger, LATER), Vec::<String>::new(), "and nothing is left of it");
    });
}

// What stays

/// A ledger in which one task with a history was pruned, and that task.
#[track_caller]
fn pruned(ledger: &Ledger) -> String {
    let title = "Кладовая";
    let added = ledger.answer(&["task", "add", title, "-P", "api", "-s", "ready", "-t", "attic"]);
    let task = text(&added["task_id"]);
    ledger.answer(&["task", "claim", &task, "--agent", "ada"]);
    ledger.answer(&["task", "comment", &task, "dusty", "--author", "ada"]);
    ledger.answer(&["task", "complete", &task, "--agent", "ada"]);
    let flags = ["-P", "api", "--older-than", "0", "--yes", "--author", "janitor"];
    let answer = prune(ledger, &flags).ok().json();
    assert_eq!(ids(&answer["pruned"]), [task.as_str()]);
    task
}

#[test]
fn check_a_pruned_task_is_not_found_any_more() {
    on_both(|ledger| {
        let task = pruned(ledger);
        for args in [
            &["task", "show", &task][..],
            &["task", "history", &task],
            &["task", "comment", &task, "still there?"],
            &["task", "restore", &task],
            &["task", "show", &task[20..]],
            &["why", &task],
        ] {
            let _gone = error_of(&ledger.windlass(args).run(), "task_not_found", 4);
        }
        for args in [
            &["task", "list", "--archived"][..],
            &["task", "search", "кладовая"],
            &["task", "search", "dusty"],
            &["task", "list", "--tags", "attic"],
        ] {
            assert_eq!(ledger.answer(args)["total"], 0, "{args:?}");
        }
        let projects = ledger.answer(&["project", "list"]);
        let counts = projects["projects"].as_array().unwrap().iter();
        assert!(counts.map(|project| &project["task_count"]).all(|count| *count == 0));
    });
}

#[test]
fn check_the_log_keeps_the_headers_of_a_pruned_task_and_who_pruned_it() {
    on_both(|ledger| {
        let task = pruned(ledger);
        let events = ledger.events_after(0);
        let of_task: Vec<&Value> = events.iter().filter(|event| event["stream"] == *task).collect();
        let kinds: Vec<String> = of_task.iter().map(|event| text(&event["kind"])).collect();
        let expected =
            ["task_created", "task_claimed", "comment_added", "task_completed", "task_pruned"];
        assert_eq!(kinds, expected);
        let (last, before) = of_task.split_last().unwrap();
        assert!(before.iter().all(|event| event["data"].is_null()), "{before:?}");
        let told: Vec<&str> =
            last["data"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((&last["actor"], told), (&json!("janitor"), vec!["project"]));
        let verified = ledger.answer(&["audit", "verify"]);
        assert_eq!((&verified["sound"], &verified["pruned"]), (&json!(true), &json!(4)));
        let compat = ledger.windlass(&["events", "--compat", "hzl"]).run().ok();
        assert_eq!(compat.stdout.lines().count(), events.len());
        let log = ledger.answer(&["agent", "log", "ada"]);
        assert_eq!((&log["total"], &log["events"][0]["taskTitle"]), (&json!(3), &Value::Null));
    });
}

#[test]
fn check_a_pruned_ledger_is_healthy_and_rebuilds_to_the_same() {
    on_both(|ledger| {
        let kept = ledger.add(&["-P", "web", "-s", "done"]);
        let task = pruned(ledger);
        let dependent = ledger.add(&["-P", "web", "-s", "ready", "--depends-on", &kept]);
        let before = ledger.answer(&["task", "list", "--view", "full"]);
        let doctor = ledger.answer(&["doctor", "--rebuild"]);
        assert_eq!(doctor["healthy"], true, "{doctor}");
        assert_eq!(ledger.answer(&["task", "list", "--view", "full"]), before);
        assert_eq!(ledger.answer(&["validate"])["isValid"], true);
        let head = ledger.answer(&["audit", "head"]);
        let [file, copy] = ["log.ndjson", "copy.db"].map(|name| ledger.home.work().join(name));
        ledger.answer(&["export", file.to_str().unwrap()]);
        let run = ledger
            .home
            .windlass(&["import", "ledger", file.to_str().unwrap()])
            .db(&copy)
            .run()
            .ok();
        assert_eq!(run.json()["hash"], head["hash"], "export and import keep the hashes");
        let gone = ledger.home.windlass(&["task", "show", &task]).db(&copy).run();
        let _gone = error_of(&gone, "task_not_found", 4);
        let there = ledger.home.windlass(&["task", "show", &dependent]).db(&copy).run().ok();
        assert_eq!(there.json()["task"]["claimable"], true);
    });
}

#[test]
fn check_a_settled_task_that_waited_for_a_pruned_one_says_that_it_is_missing() {
    on_both(|ledger| {
        let waited_for = ledger.add(&["-P", "api", "-s", "done"]);
        let waits = ledger.add(&["-P", "web", "-s", "done", "--depends-on", &waited_for]);
        let taken = prune(ledger, &["-P", "api", "--older-than", "0", "--yes"]).ok().json();
        assert_eq!(taken["count"], 1);
        let missing = ledger.answer(&["task", "show", &waits])["dependencies"][0].clone();
        assert_eq!(text(&missing["task_id"]), waited_for);
        assert_eq!((&missing["title"], &missing["settled"]), (&Value::Null, &json!(true)));
        ledger.answer(&["task", "reopen", &waits]);
        let claimed = ledger.answer(&["task", "claim", &waits, "--agent", "ada"]);
        assert_eq!(claimed["status"], "in_progress", "it holds nothing up");
    });
}

// The export

#[test]
fn check_the_export_holds_what_goes_with_the_hashes_of_the_log() {
    on_both(|ledger| {
        let first = ledger.add(&["-s", "done", "-d", "Ärger \"quoted\" \\ 数据"]);
        ledger.answer(&["task", "comment", &first, "line\nbreak"]);
        let second = ledger.add(&["-s", "done"]);
        ledger.add(&["-s", "ready"]);
        let before: BTreeMap<u64, Value> = ledger
            .events_after(0)
            .into_iter()
            .map(|event| (event["seq"].as_u64().unwrap(), event))
            .collect();
        let file = ledger.home.work().join("old.ndjson");
        let path = file.to_str().unwrap();
        let flags = ["--all", "--older-than", "0", "--export", path, "--yes"];
        let answer = prune(ledger, &flags).ok().json();
        assert_eq!((&answer["exported"], &answer["eventsDeleted"]), (&json!(path), &json!(3)));
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0], json!({"format": "windlass-tasks", "version": 1}));
        let streams: Vec<&Value> = lines[1..].iter().map(|line| &line["stream"]).collect();
        assert_eq!(streams, [&json!(first), &json!(first), &json!(second)]);
        for line in &lines[1..] {
            let logged = &before[&line["seq"].as_u64().unwrap()];
            for key in ["hash", "data", "kind", "at", "actor", "stream_seq"] {
                assert_eq!(line[key], logged[key], "{key}");
            }
            assert!(line["data"].is_object());
        }
        let after: Vec<Value> = ledger.events_after(0);
        for event in after {
            let known = before.get(&event["seq"].as_u64().unwrap());
            assert!(known.is_none_or(|known| known["hash"] == event["hash"]), "{event}");
        }
    });
}

#[test]
fn check_no_file_is_overwritten_and_nothing_is_pruned_without_its_export() {
    on_both(|ledger| {
        ledger.add(&["-s", "done"]);
        let before = ledger.events();
        let work = ledger.home.work();
        let there = work.join("there.ndjson");
        fs::write(&there, "precious").unwrap();
        for (file, code, exit) in [
            (there.clone(), "file_exists", 3),
            (work.clone(), "file_exists", 3),
            (work.join("no/such/folder.ndjson"), "file_unusable", 5),
        ] {
            let path = file.to_str().unwrap();
            let flags = ["--all", "--older-than", "0", "--yes", "--export", path];
            let _refused = error_of(&prune(ledger, &flags), code, exit);
        }
        assert_eq!(fs::read_to_string(&there).unwrap(), "precious");
        assert_eq!(ledger.events(), before);
    });
}

#[test]
fn a_refused_prune_leaves_no_file() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&["-s", "done"]);
    let file = ledger.home.work().join("old.ndjson");
    let export = ["--export", file.to_str().unwrap()];
    let refused = prune(&ledger, &[&["-P", "nowhere", "--yes"], &export[..]].concat());
    let _refused = error_of(&refused, "project_not_found", 4);
    assert!(!file.exists());
    let dry = ["--all", "--older-than", "0", "--dry-run"];
    let _refused = error_of(&prune(&ledger, &[&dry[..], &export].concat()), "usage", 2);
    assert!(!file.exists());
}

#[test]
fn more_tasks_than_one_transaction_takes_go_at_once() {
    on_both(|ledger| {
        let lines: Vec<String> = (0..1_200)
            .map(|number| json!({"title": format!("t{number}"), "status": "done"}).to_string())
            .collect();
        let run = ledger.windlass(&["task", "add", "--from", "-"]).stdin(lines.join("\n"));
        let _added = run.run().ok();
        let flags = ["--all", "--older-than", "0", "--as-of", LATER];
        let dry = prune(ledger, &[&flags[..], &["--dry-run"]].concat()).ok().json();
        let real = prune(ledger, &[&flags[..], &["--yes"]].concat()).ok().json();
        assert_eq!((&real["count"], &real["eventsDeleted"]), (&json!(1_200), &json!(1_200)));
        assert!(real["pruned"] == dry["wouldPrune"], "another order, or others");
        assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
    });
}
