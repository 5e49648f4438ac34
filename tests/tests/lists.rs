//! `task list`, `task show` and `task move`: the tables below say which task a filter lists, what an
//! answer holds and where a task goes, on both databases.
//!
//! They follow contract HZL, section 1.2, rows of these commands, and the check "Project
//! delete/rename/move" of section 6.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use windlass_testkit::Outcome;
use windlass_tests::ledgers::{Ledger, error_of, rows, text};

/// The tasks of most tests here, by name; `agent` holds those in progress, else they are routed.
/// `rudder` waits for `keel`, `plank` is a part of `keel`.
const TASKS: &str = "
name   | project | status      | pri | tags        | agent   | due        | description
-------|---------|-------------|-----|-------------|---------|------------|-------------------
hull   | api     | ready       | 0   | paint,wood  |         | 2026-11-20 | sand, then varnish
mast   | api     | in_progress | 3   | wood        | ada     | 2026-11-25 | spruce
sail   | web     | ready       | 1   | cloth       | Bob-2   |            | Größe 12
keel   | web     | ready       | 2   | iron,paint  |         | 2026-12-01 | 修复数据库连接
plank  | web     | backlog     | 0   | wood        |         |            | a part of the keel
rudder | web     | ready       | 0   | iron        | bob     | 2026-11-20 | varnish it
lamp   | api     | done        | 0   |             | ada     |            | paint nothing
rope   | api     | archived    | 3   | cloth       |         |            | varnish
";

/// Which flags list which tasks, in the order of the list.
const FILTERS: &str = "
flags                                              | tasks
---------------------------------------------------|------------------------------------
                                                   | mast keel sail hull plank rudder lamp
-P api                                             | mast hull lamp
-P web                                             | keel sail plank rudder
-s ready                                           | keel sail hull rudder
-s READY                                           | invalid_value
-s done                                            | lamp
-s archived                                        | rope
--archived                                         | mast rope keel sail hull plank rudder lamp
--archived -P api                                  | mast rope hull lamp
--archived -s ready                                | keel sail hull rudder
-t wood                                            | mast hull plank
--tags wood,paint                                  | hull
--tags wood --tags paint                           | hull
-t wood,paint,iron                                 |
-t Wood                                            |
--tags-any cloth,iron                              | keel sail rudder
--tags-any cloth,iron --archived                   | rope keel sail rudder
--tags-any cloth,iron --tags paint                 | keel
--agent ada                                        | mast lamp
--agent bob                                        | rudder
--agent nobody                                     |
--agent-pattern b*                                 | sail rudder
--agent-pattern BOB                                | rudder
--agent-pattern *-2                                | sail
--agent-pattern *                                  | mast sail rudder lamp
--agent-pattern *o*                                | sail rudder
--agent-pattern b_b                                |
--text varnish                                     | hull rudder
--text VARNISH_sand                                | hull
--text varn --archived                             | rope hull rudder
--text grosse                                      | sail
--text 数据库                                      | keel
--text paint                                       | keel hull lamp
--parent KEEL                                      | plank
--parent HULL                                      |
--root                                             | mast keel sail hull rudder lamp
-a                                                 | sail hull
--available -P api                                 | hull
--available -s ready                               | sail hull
--available -s done                                | invalid_value
--due-after 2026-11-25                             | mast keel
--due-before 2026-11-25                            | hull rudder
--due-after 2026-11-20 --due-before 2026-11-26     | mast hull rudder
--due-after 2026-11-20T00:00:00.001Z               | mast keel
--due-after 2026-12-01 --due-before 2026-11-01     |
-P api -s ready -t wood                            | hull
-P web --root --text varnish --agent bob           | rudder
-P api --tags-any wood --due-before 2026-12-01 -a  | hull
--agent ada --agent-pattern a*                     | usage
-P nowhere                                         | project_not_found
--parent ZZZZZZ                                    | task_not_found
-s nearly                                          | invalid_value
--due-after someday                                | invalid_value
--text !?                                          | invalid_value
--limit 0                                          | invalid_value
--limit 10001                                      | invalid_value
--limit -5                                         | invalid_value
--page 0                                           | invalid_value
--view everything                                  | invalid_value
--tags a,,b                                        | invalid_value
--tags ,                                           | invalid_value
--tags-any a,                                      | invalid_value
--cursor 3-2-none                                  | invalid_value
--cursor garbage                                   | invalid_value
--cursor 3-2-none --page 2                         | usage
";

/// A ledger with the tasks of the table, and their ids by name.
struct Yard {
    ledger: Ledger,
    ids: BTreeMap<&'static str, String>,
}

impl Yard {
    #[track_caller]
    fn on(ledger: Ledger) -> Self {
        for project in ["api", "web"] {
            ledger.answer(&["project", "create", project]);
        }
        let mut yard = Self { ledger, ids: BTreeMap::new() };
        for [name, project, status, priority, tags, agent, due, description] in rows(TASKS) {
            let mut args = vec!["task", "add", name, "-P", project, "-p", priority];
            args.extend(["-d", description]);
            let begins = if status == "archived" { "ready" } else { status };
            args.extend(["-s", begins]);
            for (flag, value) in [("-t", tags), ("--agent", agent), ("--due", due)] {
                args.extend([flag, value].into_iter().filter(|_| !value.is_empty()));
            }
            if name == "plank" {
                args.extend(["--parent", yard.id("keel")]);
            }
            if name == "rudder" {
                args.extend(["--depends-on", yard.id("keel")]);
            }
            let id = text(&yard.ledger.answer(&args)["task_id"]);
            if status == "archived" {
                yard.ledger.answer(&["task", "archive", &id]);
            }
            yard.ids.insert(name, id);
        }
        yard
    }

    #[track_caller]
    fn id(&self, name: &str) -> &str {
        &self.ids[name]
    }

    #[track_caller]
    fn list(&self, flags: &str) -> Outcome {
        let (keel, hull) = (self.ids.get("keel"), self.ids.get("hull"));
        let word = |word: &str| match word {
            "KEEL" => keel.unwrap().clone(),
            "HULL" => hull.unwrap().clone(),
            word => word.replace('_', if word == "b_b" { "_" } else { " " }),
        };
        let words: Vec<String> = flags.split_whitespace().map(word).collect();
        let words = ["task", "list"].into_iter().chain(words.iter().map(String::as_str));
        self.ledger.windlass(&words.collect::<Vec<_>>()).run()
    }
}

/// The titles of the tasks of an answer.
fn titles(answer: &Value) -> Vec<String> {
    answer["tasks"].as_array().unwrap().iter().map(|task| text(&task["title"])).collect()
}

#[track_caller]
fn on_both(check: impl Fn(Ledger)) {
    check(Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        check(ledger);
    }
}

#[test]
fn each_filter_lists_what_the_table_says() {
    on_both(|ledger| {
        let yard = Yard::on(ledger);
        for [flags, expected] in rows(FILTERS) {
            let listed = yard.list(flags);
            match expected {
                "usage" => drop(error_of(&listed, expected, 2)),
                "invalid_value" => drop(error_of(&listed, expected, 3)),
                "project_not_found" | "task_not_found" => drop(error_of(&listed, expected, 4)),
                expected => {
                    let answer = listed.ok().json();
                    assert_eq!(titles(&answer).join(" "), expected, "{flags}");
                    assert_eq!(answer["total"], titles(&answer).len(), "{flags}");
                }
            }
        }
    });
}

#[test]
fn tags_are_trimmed_and_each_counts_once() {
    let yard = Yard::on(Ledger::on_sqlite());
    let list = |flag: &str, tags: &str| {
        titles(&yard.ledger.answer(&["task", "list", flag, tags])).join(" ")
    };
    assert_eq!(list("--tags", " wood , paint "), "hull");
    assert_eq!(list("--tags", "wood,paint,wood, paint"), "hull");
    assert_eq!(list("--tags-any", " iron ,iron"), "keel rudder");
    assert_eq!(list("--tags", "wood paint"), "", "a comma parts them, a space does not");
}

#[test]
fn a_list_may_ask_for_a_hundred_tags_and_no_more() {
    let yard = Yard::on(Ledger::on_sqlite());
    let tags = |count: u32| {
        let all: Vec<String> = (0..count).map(|number| format!("t{number}")).collect();
        yard.ledger.windlass(&["task", "list", "--tags-any", &format!("wood,{}", all.join(","))])
    };
    assert_eq!(titles(&tags(99).run().ok().json()).join(" "), "mast hull plank");
    let _refused = error_of(&tags(100).run(), "invalid_value", 3);
}

#[test]
fn a_pattern_or_an_agent_must_be_a_name_of_usual_length() {
    let ledger = Ledger::on_sqlite();
    for flag in ["--agent", "--agent-pattern"] {
        for name in ["", "  ", &"*a".repeat(30_000)] {
            let listed = ledger.windlass(&["task", "list", flag, name]).run();
            let _refused = error_of(&listed, "invalid_value", 3);
        }
    }
}

// Paging

#[test]
fn pages_are_counted_from_one_and_say_whether_more_follow() {
    on_both(|ledger| {
        let yard = Yard::on(ledger);
        let page = |number: &str| yard.list(&format!("--limit 3 --page {number}")).ok().json();
        for (number, expected, has_more) in
            [("1", "mast keel sail", true), ("2", "hull plank rudder", true), ("3", "lamp", false)]
        {
            let answer = page(number);
            assert_eq!(titles(&answer).join(" "), expected);
            assert_eq!((&answer["total"], &answer["limit"]), (&Value::from(7), &Value::from(3)));
            assert_eq!(text(&answer["page"]), number);
            assert_eq!(answer["has_more"], has_more);
            assert_eq!(answer["next_cursor"].is_string(), has_more);
        }
        let beyond = page("9");
        assert_eq!((titles(&beyond).len(), &beyond["has_more"]), (0, &Value::from(false)));
        let _refused = error_of(&yard.list("--page 9223372036854775807"), "invalid_value", 3);
    });
}

#[test]
fn a_cursor_visits_every_task_once_while_others_come_and_go() {
    on_both(|ledger| {
        let add = |priority: &str| ledger.add(&["-s", "ready", "-p", priority]);
        let there: Vec<String> = ["0", "1", "2", "3"].repeat(4).into_iter().map(add).collect();
        let mut seen = Vec::new();
        let mut cursor = None;
        for round in 0.. {
            let mut args = vec!["task", "list", "--limit", "3"];
            args.extend(cursor.iter().flat_map(|cursor: &String| ["--cursor", cursor]));
            let answer = ledger.answer(&args);
            let page = answer["tasks"].as_array().unwrap();
            seen.extend(page.iter().map(|task| text(&task["task_id"])));
            // Between two pages one is added at each end, and one of each side is finished.
            add("3");
            add("0");
            ledger.answer(&["task", "archive", seen.last().unwrap()]);
            let unseen = there.iter().rev().find(|id| !seen.contains(id));
            if let (Some(unseen), true) = (unseen, round % 2 == 0) {
                ledger.answer(&["task", "set-status", unseen, "done"]);
            }
            cursor = answer["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        let once: BTreeSet<&String> = seen.iter().collect();
        assert_eq!(once.len(), seen.len(), "none is seen twice");
        assert!(there.iter().all(|id| once.contains(id)), "none that stays is missed");
    });
}

#[test]
fn a_cursor_belongs_to_its_filters_but_not_to_how_much_is_shown() {
    let yard = Yard::on(Ledger::on_sqlite());
    let first = yard.list("-s ready --limit 1").ok().json();
    let cursor = text(&first["next_cursor"]);
    for flags in ["", "-s backlog", "-s ready -P web", "-s ready --archived", "-s ready --root"] {
        let _refused =
            error_of(&yard.list(&format!("{flags} --cursor {cursor}")), "invalid_value", 3);
    }
    let flags = "-s ready --limit 9 --view full --group-by-agent --stale-threshold 5 --cursor";
    let rest = yard.list(&format!("{flags} {cursor}")).ok().json();
    assert_eq!(titles(&rest).join(" "), "sail hull rudder");
    assert_eq!(rest["total"], 4, "of all pages");
    let both = yard.list(&format!("-s ready --cursor {cursor} --page 2"));
    let _refused = error_of(&both, "usage", 2);
}

#[test]
fn a_cursor_that_somebody_made_up_is_refused() {
    let yard = Yard::on(Ledger::on_sqlite());
    let good = text(&yard.list("--limit 1").ok().json()["next_cursor"]);
    let print = good.rsplit('-').next().unwrap();
    for cursor in ["", "-", "1-2", "x-2-abc", "3-x-abc", &good[..good.len() - 1], "3-2-", "3--1-x"]
    {
        let listed = yard.ledger.windlass(&["task", "list", "--cursor", cursor]).run();
        let _refused = error_of(&listed, "invalid_value", 3);
    }
    // A place beyond everything is a place.
    let far = format!("0-{}-{print}", u64::MAX);
    assert_eq!(titles(&yard.list(&format!("--cursor {far}")).ok().json()).len(), 0);
}

// Groups and views

#[test]
fn groups_hold_the_tasks_of_each_agent_and_count_those_of_other_pages() {
    on_both(|ledger| {
        let yard = Yard::on(ledger);
        let answer = yard.list("--group-by-agent --limit 3").ok().json();
        let group = |group: &Value| {
            let tasks = titles(group).join(" ");
            format!("{}: {tasks} of {}", text(&group["agent"]), group["total"])
        };
        let groups: Vec<String> = answer["groups"].as_array().unwrap().iter().map(group).collect();
        assert_eq!(groups, ["null: keel of 3", "Bob-2: sail of 1", "ada: mast of 2", "bob:  of 1"]);
        assert_eq!(answer["total_tasks"], 7);
        assert_eq!(titles(&answer).join(" "), "mast keel sail");
        let plain = yard.list("").ok().json();
        assert!(plain.get("groups").is_none() && plain.get("total_tasks").is_none());
    });
}

/// The keys that HZL has, and ours beside them.
const SUMMARY: &str = "task_id,title,project,status,priority,agent,parent_id,created_at,stale,\
    stale_minutes,fence,claimable";
const STANDARD: &str = "due_at,tags,lease_until,claimed_at,progress";
const FULL: &str = "description,links,metadata,stale_after_minutes,assignee,open_dependencies,\
    open_children,pipeline,stage,role,updated_at,finished_at,version";

#[test]
fn each_view_shows_its_keys_and_no_others() {
    let yard = Yard::on(Ledger::on_sqlite());
    for (view, keys) in [
        ("", vec![SUMMARY]),
        ("--view summary", vec![SUMMARY]),
        ("--view standard", vec![SUMMARY, STANDARD]),
        ("--view full", vec![SUMMARY, STANDARD, FULL]),
    ] {
        let answer = yard.list(view).ok().json();
        let wanted: BTreeSet<&str> = keys.iter().flat_map(|keys| keys.split(',')).collect();
        for task in answer["tasks"].as_array().unwrap() {
            let found: BTreeSet<&str> =
                task.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(found, wanted, "{view}");
        }
    }
}

#[test]
fn a_full_view_shows_what_was_written() {
    let yard = Yard::on(Ledger::on_sqlite());
    let answer = yard.list("--view full -P api -t paint").ok().json();
    let hull = &answer["tasks"][0];
    assert_eq!(hull["description"], "sand, then varnish");
    assert_eq!(hull["tags"], serde_json::json!(["paint", "wood"]));
    assert_eq!(hull["due_at"], "2026-11-20T00:00:00.000Z");
    assert_eq!((&hull["agent"], &hull["claimable"]), (&Value::Null, &Value::from(true)));
}

#[test]
fn nothing_of_a_frozen_project_is_available() {
    on_both(|ledger| {
        let yard = Yard::on(ledger);
        yard.ledger.answer(&["project", "freeze", "api"]);
        assert_eq!(titles(&yard.list("--available").ok().json()).join(" "), "sail");
        assert_eq!(titles(&yard.list("-s ready -P api").ok().json()).join(" "), "hull");
        yard.ledger.answer(&["doctor"]);
    });
}

#[test]
fn a_list_for_people_goes_on_by_its_cursor() {
    let yard = Yard::on(Ledger::on_sqlite());
    let page = yard.list("--limit 2 --format text").ok().stdout;
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines.len(), 4, "{page}");
    assert!(lines[3].starts_with("2 of 7 tasks; go on with --cursor "), "{page}");
    let cursor = lines[3].rsplit(' ').next().unwrap();
    let next = yard.list(&format!("--limit 2 --format text --cursor {cursor}")).ok().stdout;
    assert!(next.contains("sail") && next.contains("hull"), "{next}");
}

// task show

#[test]
fn show_tells_what_a_task_waits_for_and_what_waits_for_it() {
    on_both(|ledger| {
        let yard = Yard::on(ledger);
        let rudder = yard.ledger.answer(&["task", "show", yard.id("rudder")]);
        let on = &rudder["dependencies"][0];
        assert_eq!((text(&on["task_id"]), &on["title"]), (yard.id("keel").into(), &"keel".into()));
        assert_eq!((&on["status"], &on["settled"]), (&"ready".into(), &false.into()));
        assert_eq!(rudder["task"]["open_dependencies"], 1);
        let keel = yard.ledger.answer(&["task", "show", yard.id("keel")]);
        assert_eq!(keel["dependents"][0]["title"], "rudder");
        assert_eq!(keel["subtasks"][0]["title"], "plank");
        assert_eq!(keel["task"]["open_children"], 1);
        yard.ledger.answer(&["task", "set-status", yard.id("plank"), "done"]);
        yard.ledger.answer(&["task", "set-status", yard.id("keel"), "done"]);
        let rudder = yard.ledger.answer(&["task", "show", yard.id("rudder")]);
        assert_eq!(rudder["dependencies"][0]["settled"], true);
        assert_eq!(rudder["task"]["open_dependencies"], 0);
    });
}

#[test]
fn show_deep_tells_all_of_each_subtask_and_what_it_is_blocked_by() {
    let yard = Yard::on(Ledger::on_sqlite());
    yard.ledger.answer(&["task", "add-dep", yard.id("plank"), yard.id("hull")]);
    yard.ledger.answer(&["task", "add-dep", yard.id("plank"), yard.id("lamp")]);
    let show =
        |flags: &[&str]| yard.ledger.answer(&[&["task", "show", yard.id("keel")], flags].concat());
    let plank = &show(&["--deep"])["subtasks"][0];
    assert_eq!(plank["description"], "a part of the keel");
    assert_eq!(plank["blocked_by"], serde_json::json!([yard.id("hull")]), "lamp is done");
    assert_eq!(show(&[])["subtasks"][0].get("description"), None);
    assert_eq!(show(&["--no-subtasks"])["subtasks"], serde_json::json!([]));
    assert_eq!(show(&["--no-subtasks", "--deep"])["subtasks"], serde_json::json!([]));
}

#[test]
fn show_tells_every_claim_from_its_beginning_to_how_it_ended() {
    on_both(|ledger| {
        let task = ledger.add(&["-s", "ready"]);
        for line in [
            "claim TASK --agent ada --lease 30m",
            "renew TASK --agent ada --lease 2h",
            "renew TASK --agent ada --lease 8h",
            "release TASK --agent ada",
            "claim TASK --agent bob",
            "block TASK --agent bob --comment key",
            "unblock TASK --agent bob",
            "steal TASK --agent eve --force",
            "set-status TASK backlog --agent eve",
            "set-status TASK in_progress --agent zoe",
            "complete TASK --agent zoe",
            "reopen TASK",
            "claim TASK --agent ada",
        ] {
            let line = line.replace("TASK", &task);
            ledger.answer(&["task"].into_iter().chain(line.split(' ')).collect::<Vec<_>>());
        }
        let shown = ledger.answer(&["task", "show", &task]);
        let claim = |claim: &Value| {
            assert_eq!(claim["ended_at"].is_null(), claim["ended"].is_null(), "{claim}");
            let [agent, ended] = ["agent", "ended"].map(|key| text(&claim[key]));
            format!("{} {agent} {ended} {}", claim["fence"], claim["renewals"])
        };
        let claims: Vec<String> = shown["claims"].as_array().unwrap().iter().map(claim).collect();
        let expected = [
            "1 ada released 2",
            "2 bob stolen 0",
            "3 eve set_aside 0",
            "4 zoe completed 0",
            "5 ada null 0",
        ];
        assert_eq!(claims, expected);
    });
}

#[test]
fn show_keeps_comments_checkpoints_and_claims_for_those_who_want_to_see_them() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["-s", "in_progress", "--agent", "ada", "--comment", "first"]);
    ledger.answer(&["task", "checkpoint", &task, "half", "--agent", "ada", "--data", "{\"n\":1}"]);
    ledger.answer(&["task", "block", &task, "--agent", "ada", "--comment", "no key"]);
    let counts = |view: &str| {
        let shown = ledger.answer(&["task", "show", &task, "--view", view]);
        ["comments", "checkpoints", "claims"].map(|key| shown[key].as_array().unwrap().len())
    };
    assert_eq!(counts("summary"), [0, 0, 0]);
    assert_eq!(counts("standard"), [2, 1, 0]);
    assert_eq!(counts("full"), [2, 1, 1]);
    let shown = ledger.answer(&["task", "show", &task]);
    let said: Vec<String> =
        shown["comments"].as_array().unwrap().iter().map(|said| text(&said["text"])).collect();
    assert_eq!(said, ["first", "no key"], "the reason of a block is a comment");
    assert_eq!(shown["checkpoints"][0]["data"], serde_json::json!({"n": 1}));
}

// task move, contract check "Project delete/rename/move"

/// How many tasks a project has.
#[track_caller]
fn count(ledger: &Ledger, project: &str) -> Value {
    let listed = ledger.answer(&["project", "list"]);
    let all = listed["projects"].as_array().unwrap();
    all.iter().find(|found| found["name"] == project).unwrap()["task_count"].clone()
}

#[test]
fn check_a_moved_task_takes_its_subtasks_its_edges_and_its_place_in_the_counts_along() {
    on_both(|ledger| {
        let yard = Yard::on(ledger);
        assert_eq!((count(&yard.ledger, "api"), count(&yard.ledger, "web")), (4.into(), 4.into()));
        let moved = yard.ledger.answer(&["task", "move", yard.id("keel"), "api"]);
        assert_eq!((&moved["from_project"], &moved["to_project"]), (&"web".into(), &"api".into()));
        assert_eq!(moved["subtask_count"], 1);
        assert_eq!((count(&yard.ledger, "api"), count(&yard.ledger, "web")), (6.into(), 2.into()));
        assert_eq!(titles(&yard.list("-P web").ok().json()).join(" "), "sail rudder");
        let rudder = yard.ledger.answer(&["task", "show", yard.id("rudder")]);
        assert_eq!(rudder["dependencies"][0]["project"], "api", "and rudder waits across projects");
        yard.ledger.answer(&["doctor", "--rebuild"]);
    });
}

#[test]
fn check_a_subtask_may_move_away_from_its_parent() {
    let yard = Yard::on(Ledger::on_sqlite());
    let moved = yard.ledger.answer(&["task", "move", yard.id("plank"), "api"]);
    assert_eq!(moved["subtask_count"], 0);
    let shown = yard.ledger.answer(&["task", "show", yard.id("plank")]);
    assert_eq!(shown["task"]["project"], "api");
    assert_eq!(text(&shown["task"]["parent_id"]), yard.id("keel"));
}

#[test]
fn check_a_move_to_where_it_is_records_nothing() {
    let yard = Yard::on(Ledger::on_sqlite());
    let before = yard.ledger.events();
    let moved = yard.ledger.answer(&["task", "move", yard.id("keel"), "web"]);
    assert_eq!((&moved["subtask_count"], yard.ledger.events()), (&0.into(), before));
}

#[test]
fn check_a_move_to_an_unknown_project_is_refused_with_4() {
    let yard = Yard::on(Ledger::on_sqlite());
    let before = yard.ledger.events();
    let moved = yard.ledger.windlass(&["task", "move", yard.id("keel"), "wep"]).run();
    let error = error_of(&moved, "project_not_found", 4);
    assert_eq!(error["suggestions"], serde_json::json!(["web"]));
    assert_eq!(yard.ledger.events(), before);
}

#[test]
fn check_a_renamed_project_keeps_its_tasks_and_their_edges() {
    on_both(|ledger| {
        let yard = Yard::on(ledger);
        yard.ledger.answer(&["project", "rename", "web", "site"]);
        assert_eq!(titles(&yard.list("-P site").ok().json()).join(" "), "keel sail plank rudder");
        let _gone = error_of(&yard.list("-P web"), "project_not_found", 4);
        let rudder = yard.ledger.answer(&["task", "show", yard.id("rudder")]);
        assert_eq!(rudder["dependencies"][0]["project"], "site");
        yard.ledger.answer(&["doctor", "--rebuild"]);
    });
}
