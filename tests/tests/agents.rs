//! `agent status`, `agent log`, `stats` and `task stuck`: keys and numbers for a small history, and
//! who has gone quiet.
//!
//! They follow contract HZL, section 1.2, rows of these commands, and section 2.5 (stuck and stale).
//! Where time has to pass, the operations run in this process under a clock that the test moves.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_tests::ledgers::{Ledger, error_of, rows, text};
use windlass_tests::office::{Office, in_office};

/// The silent tasks by title, with the minutes of their silence.
#[track_caller]
fn stale(office: &mut Office) -> String {
    let listed = office.run("task.list", json!({}));
    let stale = listed["tasks"].as_array().unwrap().iter().filter(|task| task["stale"] == true);
    let said = stale.map(|task| format!("{} {}", text(&task["title"]), task["stale_minutes"]));
    said.collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn on_both(check: impl Fn(&Ledger)) {
    check(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        check(&ledger);
    }
}

fn keys(value: &Value) -> Vec<String> {
    let keys: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
    keys.into_iter().collect()
}

// Who has gone quiet

#[test]
fn a_holder_who_says_nothing_for_ten_minutes_is_stale() {
    in_office(|office| {
        office.held("quiet", "ada", json!({}));
        assert_eq!(stale(office.after_minutes(9)), "");
        assert_eq!(stale(office.after_minutes(1)), "quiet 10");
        assert_eq!(stale(office.after_minutes(35)), "quiet 45");
    });
}

/// In HZL one early checkpoint makes a task never stale again: it does not see who went quiet.
#[test]
fn a_checkpoint_and_then_silence_is_stale_again() {
    in_office(|office| {
        let task = office.held("went quiet", "ada", json!({}));
        office.after_minutes(5);
        office.run("task.checkpoint", json!({"task": task, "name": "half", "agent": "ada"}));
        assert_eq!(stale(office.after_minutes(9)), "");
        assert_eq!(stale(office.after_minutes(1)), "went quiet 10");
    });
}

#[test]
fn every_sign_of_life_ends_the_silence() {
    for (sign, input) in [
        ("task.comment", json!({"text": "still at it", "author": "ada"})),
        ("task.checkpoint", json!({"name": "half", "agent": "ada"})),
        ("task.progress", json!({"progress": 50, "agent": "ada"})),
        ("task.renew", json!({"lease": "2h", "agent": "ada"})),
        ("task.steal", json!({"agent": "bob", "force": true})),
    ] {
        let mut office = Office::on(Ledger::on_sqlite());
        let task = office.held("alive", "ada", json!({}));
        assert_eq!(stale(office.after_minutes(20)), "alive 20");
        let mut input = input;
        input["task"] = json!(task);
        office.run(sign, input);
        assert_eq!(stale(&mut office), "", "{sign}");
        assert_eq!(stale(office.after_minutes(10)), "alive 10", "{sign}");
    }
}

#[test]
fn only_a_task_in_progress_is_stale() {
    let mut office = Office::on(Ledger::on_sqlite());
    for (operation, input) in [
        ("task.release", json!({"agent": "ada"})),
        ("task.block", json!({"agent": "ada"})),
        ("task.complete", json!({"agent": "ada"})),
    ] {
        let task = office.held(operation, "ada", json!({}));
        office.after_minutes(60);
        let mut input = input;
        input["task"] = json!(task);
        office.run(operation, input);
    }
    assert_eq!(stale(&mut office), "");
}

#[test]
fn a_task_may_have_a_limit_of_its_own_and_0_is_never() {
    in_office(|office| {
        office.held("patient", "ada", json!({"stale_after": "30m"}));
        office.held("hasty", "bob", json!({"stale_after": "5m"}));
        office.held("never", "eve", json!({"stale_after": "0"}));
        assert_eq!(stale(office.after_minutes(5)), "hasty 5");
        assert_eq!(stale(office.after_minutes(24)), "hasty 29");
        assert_eq!(stale(office.after_minutes(1)), "patient 30, hasty 30");
    });
}

#[test]
fn the_caller_may_set_the_limit_and_turn_it_off() {
    let mut office = Office::on(Ledger::on_sqlite());
    office.held("quiet", "ada", json!({}));
    office.held("hasty", "bob", json!({"stale_after": "5m"}));
    office.after_minutes(15);
    let mut stale = |minutes: u32| {
        let listed = office.run("task.list", json!({"stale_threshold": minutes}));
        let tasks = listed["tasks"].as_array().unwrap();
        tasks.iter().filter(|task| task["stale"] == true).count()
    };
    assert_eq!([stale(0), stale(10), stale(15), stale(16)], [0, 2, 2, 1]);
}

// task stuck

#[test]
fn stuck_lists_leases_that_ran_out_and_only_counts_the_silent() {
    in_office(|office| {
        let expired = office.held("expired", "ada", json!({}));
        office.after_minutes(30);
        office.held("silent", "bob", json!({}));
        assert_eq!(
            office.run("task.stuck", json!({})),
            json!({"tasks": [], "total": 0, "silent": 1})
        );
        office.after_minutes(35);
        let stuck = office.run("task.stuck", json!({}));
        assert_eq!((&stuck["total"], &stuck["silent"]), (&json!(1), &json!(1)));
        let task = &stuck["tasks"][0];
        assert_eq!((text(&task["task_id"]), &task["reason"]), (expired, &json!("lease_expired")));
        assert_eq!((&task["expired_for_ms"], &task["agent"]), (&json!(300_000), &json!("ada")));
        assert_eq!((&task["stale_minutes"], &task["fence"]), (&json!(65), &json!(1)));
        let wanted = "agent,claimed_at,expired_for_ms,fence,last_activity_at,lease_until,project,\
            reason,stale_after_minutes,stale_minutes,task_id,title";
        assert_eq!(keys(task).join(","), wanted);
    });
}

#[test]
fn stuck_with_stale_lists_the_silent_too() {
    in_office(|office| {
        office.held("expired", "ada", json!({}));
        office.after_minutes(50);
        office.held("silent", "bob", json!({}));
        office.after_minutes(15);
        let mut reasons = |input: Value| {
            let stuck = office.run("task.stuck", input);
            let tasks = stuck["tasks"].as_array().unwrap();
            assert_eq!(stuck["total"], tasks.len());
            let said = tasks.iter().map(|task| {
                format!(
                    "{} {} {}",
                    text(&task["title"]),
                    text(&task["reason"]),
                    task["stale_minutes"]
                )
            });
            said.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(reasons(json!({"stale": true})), "expired lease_expired 65, silent stale 15");
        assert_eq!(
            reasons(json!({"stale": true, "stale_threshold": 20})),
            "expired lease_expired 65"
        );
        let off = json!({"stale": true, "stale_threshold": 0});
        assert_eq!(reasons(off), "expired lease_expired null", "a lease is no matter of silence");
    });
}

#[test]
fn stuck_may_wait_a_while_and_look_at_one_project() {
    let mut office = Office::on(Ledger::on_sqlite());
    office.run("project.create", json!({"name": "api"}));
    office.held("here", "ada", json!({"project": "api"}));
    office.held("there", "bob", json!({}));
    office.after_minutes(70);
    let mut total = |input: Value| office.run("task.stuck", input)["total"].clone();
    assert_eq!(total(json!({"older_than": 10})), 2);
    assert_eq!(total(json!({"older_than": 11})), 0);
    assert_eq!(total(json!({"project": "api"})), 1);
}

#[test]
fn stuck_forgets_a_claim_that_was_taken_over() {
    let mut office = Office::on(Ledger::on_sqlite());
    let task = office.held("expired", "ada", json!({}));
    office.after_minutes(61);
    let taken = office.run("task.claim", json!({"next": true, "agent": "bob", "lease": "1h"}));
    assert_eq!(text(&taken["task_id"]), task);
    assert_eq!(office.run("task.stuck", json!({"stale": true}))["total"], 0);
}

// stats

/// What happens before the numbers are looked at; the minutes pass before each line.
const HISTORY: &str = "
minutes | operation       | agent | task
--------|-----------------|-------|------
0       | task.claim      | ada   | first
0       | task.claim      | bob   | second
10      | task.complete   | ada   | first
20      | task.complete   | bob   | second
0       | task.claim      | ada   | third
0       | task.claim      | bob   | fourth
5       | task.block      | ada   | third
0       | task.set-status | done  | fifth
";

/// An office after the history, with a task for each name and some more.
fn after_history(office: &mut Office) {
    for project in ["api", "web"] {
        office.run("project.create", json!({ "name": project }));
    }
    let mut ids = std::collections::BTreeMap::new();
    for name in ["first", "second", "third", "fourth", "fifth", "sixth"] {
        let project = if name == "second" { "web" } else { "api" };
        let added =
            office.run("task.add", json!({"title": name, "project": project, "status": "ready"}));
        ids.insert(name, text(&added["task_id"]));
    }
    office.run("task.add", json!({"title": "later", "project": "web"}));
    for [minutes, operation, agent, task] in rows(HISTORY) {
        office.after_minutes(minutes.parse().unwrap());
        let mut input = json!({"task": ids[task], "agent": agent});
        if operation == "task.set-status" {
            input = json!({"task": ids[task], "status": agent});
        }
        office.run(operation, input);
    }
}

#[test]
fn stats_count_the_queue_as_it_is_and_what_was_finished_in_the_window() {
    in_office(|office| {
        after_history(office);
        let stats = office.run("stats", json!({}));
        let expected = "completions,cycle_time_ms,execution_time_ms,generated_at,lead_time_ms,\
                        projects,queue,queue_age_ms,throughput,window";
        assert_eq!(keys(&stats).join(","), expected);
        assert_eq!((&stats["window"], &stats["projects"]), (&json!("24h"), &json!(["api", "web"])));
        let queue = json!({
            "backlog": 1, "ready": 1, "in_progress": 1, "blocked": 1, "done": 3, "archived": 0,
            "available": 1, "stale": 0, "expired_leases": 0,
        });
        assert_eq!(stats["queue"], queue);
        let completions = json!({"total": 3, "by_agent": {"ada": 1, "bob": 1}});
        assert_eq!(stats["completions"], completions);
        let times = json!({
            "count": 2, "mean": 1_200_000, "min": 600_000, "max": 1_800_000,
            "excluded_without_start": 1,
        });
        assert_eq!(stats["execution_time_ms"], times);
    });
}

#[test]
fn stats_look_at_one_project_and_back_as_far_as_the_window() {
    in_office(|office| {
        after_history(office);
        let web = office.run("stats", json!({"project": "web"}));
        assert_eq!((&web["projects"], &web["queue"]["done"]), (&json!(["web"]), &json!(1)));
        assert_eq!(web["completions"], json!({"total": 1, "by_agent": {"bob": 1}}));
        office.after_minutes(30);
        let total = |window: &str| {
            office.run("stats", json!({"window": window}))["completions"]["total"].clone()
        };
        assert_eq!(["30m", "35m", "54m", "55m", "7d"].map(total), [1, 2, 2, 3, 3]);
        let empty = office.run("stats", json!({"window": "1m"}));
        let none = json!({"count": 0, "mean": null, "min": null, "max": null, "excluded_without_start": 0});
        assert_eq!(empty["execution_time_ms"], none);
    });
}

#[test]
fn stats_see_who_is_silent_and_whose_lease_ran_out() {
    let mut office = Office::on(Ledger::on_sqlite());
    office.held("expired", "ada", json!({}));
    office.after_minutes(59);
    office.held("fresh", "bob", json!({}));
    office.after_minutes(1);
    let queue = office.run("stats", json!({}))["queue"].clone();
    assert_eq!((&queue["in_progress"], &queue["stale"]), (&json!(2), &json!(1)));
    assert_eq!(queue["expired_leases"], 1);
}

#[test]
fn stats_do_not_count_what_was_opened_again() {
    let mut office = Office::on(Ledger::on_sqlite());
    let task = office.held("again", "ada", json!({}));
    office.run("task.complete", json!({"task": task, "agent": "ada"}));
    office.run("task.reopen", json!({"task": task}));
    assert_eq!(office.run("stats", json!({}))["completions"]["total"], 0);
    office.after_minutes(100);
    office.run("task.claim", json!({"task": task, "agent": "bob"}));
    office.after_minutes(3);
    office.run("task.complete", json!({"task": task, "agent": "bob"}));
    let stats = office.run("stats", json!({}));
    assert_eq!(stats["completions"], json!({"total": 1, "by_agent": {"bob": 1}}));
    assert_eq!(stats["execution_time_ms"]["mean"], 180_000, "from the claim after it was reopened");
}

#[test]
fn stats_refuse_a_window_that_is_none() {
    let ledger = Ledger::on_sqlite();
    for window in ["0", "0h", "soon", "-1h", "", "11y"] {
        let outcome = ledger.windlass(&["stats", "--window", window]).run();
        let _refused = error_of(&outcome, "invalid_value", 3);
    }
    let _unknown =
        error_of(&ledger.windlass(&["stats", "-P", "nowhere"]).run(), "project_not_found", 4);
}

#[test]
fn nothing_in_a_frozen_project_counts_as_available() {
    let ledger = Ledger::on_sqlite();
    ledger.answer(&["project", "create", "api"]);
    ledger.add(&["-P", "api", "-s", "ready"]);
    ledger.answer(&["project", "freeze", "api"]);
    let queue = ledger.answer(&["stats"])["queue"].clone();
    assert_eq!((&queue["ready"], &queue["available"]), (&json!(1), &json!(0)));
}

// agent status

#[test]
fn status_shows_who_is_at_work_the_longest_first_and_then_the_idle() {
    in_office(|office| {
        let first = office.held("first", "zoe", json!({}));
        office.after_minutes(10);
        office.held("second", "zoe", json!({}));
        office.held("third", "ada", json!({}));
        office.run("task.progress", json!({"task": first, "progress": 40, "agent": "zoe"}));
        let done = office.held("fourth", "idle", json!({}));
        office.run("task.complete", json!({"task": done, "agent": "idle"}));
        office.after_minutes(55);
        let status = office.run("agent.status", json!({}));
        let agent = |agent: &Value| {
            let tasks = agent["tasks"].as_array().unwrap();
            let titles: Vec<String> = tasks.iter().map(|task| text(&task["title"])).collect();
            format!("{} {} {}", text(&agent["agent"]), agent["activeDurationMs"], titles.join("+"))
        };
        let agents: Vec<String> = status["agents"].as_array().unwrap().iter().map(agent).collect();
        let expected =
            ["zoe 3900000 first+second", "ada 3300000 third", "idle null ", "user null "];
        assert_eq!(agents, expected);
        assert_eq!(status["summary"], json!({"total": 4, "active": 2, "idle": 2}));
        let zoe = &status["agents"][0];
        let wanted = ["activeDurationMs", "agent", "isActive", "lastActivity", "tasks"];
        assert_eq!(keys(zoe), wanted);
        let held = &zoe["tasks"][0];
        let wanted =
            "activeAt,claimedAt,fence,leaseExpired,leaseUntil,progress,project,taskId,title";
        assert_eq!(keys(held).join(","), wanted);
        assert_eq!((&held["progress"], &held["leaseExpired"]), (&json!(40), &json!(true)));
        assert_eq!(zoe["tasks"][1]["leaseExpired"], false);
        assert_eq!(zoe["lastActivity"], "2026-11-15T09:40:00.000Z");
    });
}

#[test]
fn status_counts_the_tasks_of_each_agent_when_asked() {
    in_office(|office| {
        after_history(office);
        office.run("task.add", json!({"title": "routed", "project": "web", "agent": "ada"}));
        let status = office.run("agent.status", json!({"agent": "ada", "stats": true}));
        let counts = json!({
            "backlog": 1, "ready": 0, "in_progress": 0, "blocked": 1, "done": 1, "archived": 0,
        });
        assert_eq!(status["agents"][0]["stats"], json!({"total": 3, "counts": counts}));
        let only = json!({"agent": "ada", "stats": true, "project": "web"});
        assert_eq!(office.run("agent.status", only)["agents"][0]["stats"]["total"], 1);
    });
}

#[test]
fn status_narrows_to_an_agent_and_to_a_project() {
    on_both(|ledger| {
        for (project, agent) in [("api", "ada"), ("web", "bob")] {
            ledger.answer(&["project", "create", project]);
            ledger.add(&["-P", project, "-s", "in_progress", "--agent", agent]);
        }
        ledger.add(&["-P", "api", "-s", "done", "--agent", "eve", "--author", "ada"]);
        let agents = |flags: &[&str]| {
            let status = ledger.answer(&[&["agent", "status"], flags].concat());
            let agents = status["agents"].as_array().unwrap().clone();
            assert_eq!(status["summary"]["total"], agents.len());
            agents.iter().map(|agent| text(&agent["agent"])).collect::<Vec<_>>().join(" ")
        };
        let everybody = agents(&[]);
        assert!(everybody.starts_with("ada bob "), "and who made the tasks: {everybody}");
        assert_eq!(agents(&["-a", "bob"]), "bob");
        assert_eq!(agents(&["-P", "api"]), "ada eve", "eve has finished there");
        assert_eq!(agents(&["-P", "web"]), "bob");
        assert_eq!(agents(&["-a", "bob", "-P", "api"]), "");
        assert_eq!(agents(&["-a", "nobody"]), "");
        let unknown = ledger.windlass(&["agent", "status", "-P", "nowhere"]).run();
        let _unknown = error_of(&unknown, "project_not_found", 4);
    });
}

#[test]
fn status_of_a_ledger_without_any_history_is_empty() {
    let status = Ledger::on_sqlite().answer(&["agent", "status"]);
    assert_eq!(status, json!({"agents": [], "summary": {"total": 0, "active": 0, "idle": 0}}));
}

// agent log

/// In HZL the log of an agent leaves out what it did to tasks that are not its own now.
#[test]
fn log_tells_all_that_somebody_did_the_newest_first() {
    on_both(|ledger| {
        let task = ledger.add(&["-s", "ready", "--author", "ada"]);
        ledger.answer(&["task", "claim", &task, "--agent", "ada"]);
        ledger.answer(&["task", "release", &task, "--agent", "ada"]);
        ledger.answer(&["task", "claim", &task, "--agent", "bob"]);
        ledger.answer(&["task", "comment", &task, "hm", "--author", "ada"]);
        let log = ledger.answer(&["agent", "log", "ada"]);
        let types: Vec<String> =
            log["events"].as_array().unwrap().iter().map(|event| text(&event["type"])).collect();
        // The inbox was made for the first task.
        let expected =
            ["comment_added", "task_released", "task_claimed", "task_created", "project_created"];
        assert_eq!(
            (types.as_slice(), &log["total"]),
            (&expected.map(str::to_owned)[..], &json!(5))
        );
        let event = &log["events"][0];
        let wanted = "author,data,eventId,id,taskId,taskStatus,taskTitle,timestamp,type";
        assert_eq!(keys(event).join(","), wanted);
        assert_eq!((text(&event["taskId"]), &event["id"]), (task, &json!(6)));
        assert_eq!(
            (&event["taskStatus"], &event["taskTitle"]),
            (&json!("in_progress"), &json!("a task"))
        );
        assert_eq!(log["events"][4]["taskId"], Value::Null, "of a project");
    });
}

#[test]
fn log_is_read_page_by_page_backwards() {
    on_both(|ledger| {
        let task = ledger.add(&[]);
        for text in ["one", "two", "three"] {
            ledger.answer(&["task", "comment", &task, text, "--author", "ada"]);
            ledger.answer(&["task", "comment", &task, text, "--author", "bob"]);
        }
        let page = |flags: &[&str]| {
            let log = ledger.answer(&[&["agent", "log", "ada"], flags].concat());
            assert_eq!(log["total"], 3);
            let events = log["events"].as_array().unwrap().clone();
            events.iter().map(|event| event["id"].as_u64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(page(&[]), [7, 5, 3]);
        assert_eq!(page(&["-l", "2"]), [7, 5]);
        assert_eq!(page(&["--before", "5"]), [3]);
        assert_eq!(page(&["--before", "3"]), Vec::<u64>::new());
    });
}

#[test]
fn log_refuses_what_is_no_name_or_no_number() {
    let ledger = Ledger::on_sqlite();
    for args in [
        &[""][..],
        &["  "],
        &["ada", "-l", "0"],
        &["ada", "-l", "10001"],
        &["ada", "--before", "x"],
    ] {
        let outcome = ledger.windlass(&[&["agent", "log"], args].concat()).run();
        let _refused = error_of(&outcome, "invalid_value", 3);
    }
    assert_eq!(ledger.answer(&["agent", "log", "nobody"]), json!({"events": [], "total": 0}));
}

#[test]
fn pages_for_people_say_who_is_at_work() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["-s", "ready"]);
    ledger.answer(&["task", "claim", &task, "--agent", "ada"]);
    let page = |args: &[&str]| ledger.windlass(args).run().ok().stdout;
    let status = page(&["agent", "status", "--format", "text"]);
    assert!(status.contains("1 of 2 at work"), "{status}");
    assert!(status.contains(&task[20..]), "{status}");
    let log = page(&["agent", "log", "ada", "--format", "text"]);
    assert!(log.contains("task_claimed"), "{log}");
    assert_eq!(page(&["task", "stuck", "--format", "text"]), "no task is stuck\n");
    assert!(page(&["stats", "--format", "text"]).contains("the last 24h"));
}
