//! `events`: the log in its order, from a place on, as it grows, and in the words of HZL.
//!
//! This is contract HZL, section 6, check "events: order, --from, --limit, --follow, EPIPE", and
//! the table of events of its section 2.3.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};
use windlass_testkit::wait;
use windlass_tests::ledgers::{Ledger, error_of, text};

#[track_caller]
fn on_both(check: impl Fn(&Ledger)) {
    check(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        check(&ledger);
    }
}

#[track_caller]
fn events(ledger: &Ledger, flags: &[&str]) -> Vec<Value> {
    let outcome = ledger.windlass(&[&["events"], flags].concat()).run().ok();
    outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn seqs(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}

/// Adds that many tasks in one command.
#[track_caller]
fn add_many(ledger: &Ledger, count: u32) {
    let titles: Vec<String> = (0..count).map(|number| format!("task {number}")).collect();
    let titles = titles.join("\n");
    let _added = ledger.windlass(&["task", "add", "--from", "-"]).stdin(titles).run().ok();
}

// What there is

#[test]
fn check_events_come_in_the_order_of_the_log_one_a_line() {
    on_both(|ledger| {
        let task = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "claim", &task, "--agent", "ada"]);
        ledger.answer(&["task", "complete", &task, "--agent", "ada"]);
        let all = events(ledger, &[]);
        assert_eq!(seqs(&all), [1, 2, 3, 4]);
        let kinds: Vec<String> = all.iter().map(|event| text(&event["kind"])).collect();
        assert_eq!(kinds, ["project_created", "task_created", "task_claimed", "task_completed"]);
        for key in ["event_id", "at", "stream", "stream_seq", "v", "actor", "data", "hash"] {
            assert!(all.iter().all(|event| event.get(key).is_some()), "{key}");
        }
    });
}

#[test]
fn check_from_is_exclusive_and_a_limit_counts_from_there() {
    on_both(|ledger| {
        add_many(ledger, 4);
        for (flags, expected) in [
            (&["--from", "0"][..], &[1, 2, 3, 4, 5][..]),
            (&["--from", "3"], &[4, 5]),
            (&["--from", "5"], &[]),
            (&["--from", "99"], &[]),
            (&["--limit", "2"], &[1, 2]),
            (&["--from", "1", "-l", "2"], &[2, 3]),
            (&["--from", "4", "--limit", "9"], &[5]),
        ] {
            assert_eq!(seqs(&events(ledger, flags)), expected, "{flags:?}");
        }
    });
}

#[test]
fn check_a_place_or_a_limit_that_is_none_is_refused() {
    let ledger = Ledger::on_sqlite();
    for flags in [
        ["--limit", "0"],
        ["--limit", "-1"],
        ["--limit", "10001"],
        ["--from", "-1"],
        ["--from", "last"],
        ["--compat", "jira"],
    ] {
        let outcome = ledger.windlass(&[&["events"], &flags[..]].concat()).run();
        let _refused = error_of(&outcome, "invalid_value", 3);
    }
}

#[test]
fn check_a_log_longer_than_a_page_is_read_to_its_end() {
    on_both(|ledger| {
        add_many(ledger, 1_200);
        let all = events(ledger, &[]);
        assert_eq!(seqs(&all), (1..=1_201).collect::<Vec<u64>>());
        assert_eq!(events(ledger, &["--limit", "1100"]).len(), 1_100);
    });
}

#[test]
fn check_a_ledger_that_does_not_exist_has_no_events() {
    let ledger = Ledger::on_sqlite();
    assert_eq!(events(&ledger, &[]), Vec::<Value>::new());
    assert!(!std::path::Path::new(&ledger.address).exists(), "and is not made");
}

/// HZL fails this check: it crashes with an unhandled EPIPE.
#[test]
fn check_a_reader_that_has_enough_ends_it_quietly() {
    let ledger = Ledger::on_sqlite();
    add_many(&ledger, 600);
    let run = ledger.windlass(&["events"]);
    let mut child = run.spawn();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"seq\":1,"), "{line}");
    drop(out);
    let outcome = run.finish(child);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
}

// What comes

/// A run of `events --follow`, and the lines it writes as they come.
struct Follower {
    child: Child,
    lines: Receiver<String>,
}

impl Follower {
    #[track_caller]
    fn of(ledger: &Ledger, flags: &[&str]) -> Self {
        let mut child = ledger.windlass(&[&["events", "--follow"], flags].concat()).spawn();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            let told = out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
            // Nobody listens any more when the test is over.
            drop(told);
        });
        Self { child, lines }
    }

    /// The next event, when it comes.
    #[track_caller]
    fn next(&self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(wait::LIMIT).unwrap()).unwrap()
    }

    #[track_caller]
    fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _waited = self.child.wait();
    }
}

#[test]
fn check_a_follower_sees_what_another_process_writes() {
    on_both(|ledger| {
        let task = ledger.add(&[]);
        let mut follower = Follower::of(ledger, &["--from", "1"]);
        assert_eq!(follower.next()["kind"], "task_created", "what was there comes first");
        for round in 0..3 {
            ledger.answer(&["task", "comment", &task, &format!("round {round}")]);
            assert_eq!(follower.next()["data"]["text"], format!("round {round}"));
        }
        assert!(follower.is_alive());
    });
}

#[test]
fn check_a_follower_without_a_place_begins_with_what_comes_next() {
    on_both(|ledger| {
        let task = ledger.add(&[]);
        let before = ledger.events();
        let follower = Follower::of(ledger, &[]);
        // It cannot be seen when it has begun, so there is something to see until it sees it.
        let mut first = None;
        wait::until("the follower sees an event", || {
            ledger.answer(&["task", "comment", &task, "are you there?"]);
            first = follower.lines.try_recv().ok();
            first.is_some()
        });
        let first: Value = serde_json::from_str(&first.unwrap()).unwrap();
        assert!(first["seq"].as_u64().unwrap() > before, "{first}");
        ledger.answer(&["task", "comment", &task, "good"]);
        let next = follower.next()["seq"].as_u64();
        assert_eq!(next, first["seq"].as_u64().map(|seq| seq + 1), "and misses none");
    });
}

#[test]
fn check_a_limit_bounds_only_what_was_there_when_following_began() {
    let ledger = Ledger::on_sqlite();
    add_many(&ledger, 5);
    let follower = Follower::of(&ledger, &["--from", "0", "--limit", "2"]);
    let seen: Vec<Value> = (0..6).map(|_| follower.next()).collect();
    assert_eq!(seqs(&seen), [1, 2, 3, 4, 5, 6], "then it goes on");
}

#[test]
fn check_a_follower_ends_when_its_reader_goes_away() {
    on_both(|ledger| {
        ledger.add(&[]);
        let run = ledger.windlass(&["events", "--follow", "--from", "0"]);
        let mut child = run.spawn();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        drop(out);
        // Nothing more is written, so it must look by itself.
        wait::until("the follower has ended", || child.try_wait().unwrap().is_some());
        let outcome = run.finish(child);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
    });
}

#[test]
fn check_a_follower_may_come_before_the_ledger() {
    let ledger = Ledger::on_sqlite();
    let mut follower = Follower::of(&ledger, &["--from", "0"]);
    assert!(follower.is_alive());
    ledger.answer(&["project", "create", "api"]);
    assert_eq!(follower.next()["data"]["name"], "api");
    ledger.answer(&["project", "create", "web"]);
    assert_eq!(follower.next()["data"]["name"], "web");
}

#[test]
fn check_followers_of_one_ledger_all_see_the_same() {
    on_both(|ledger| {
        ledger.add(&[]);
        let followers = [(); 3].map(|()| Follower::of(ledger, &["--from", "0"]));
        add_many(ledger, 10);
        let seen = followers
            .each_ref()
            .map(|follower| (0..12).map(|_| text(&follower.next()["hash"])).collect::<Vec<_>>());
        assert_eq!((&seen[0], &seen[1]), (&seen[1], &seen[2]));
    });
}

#[test]
fn a_follower_writes_a_table_for_people_with_its_heading_once() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&[]);
    let follower = Follower::of(&ledger, &["--from", "0", "--format", "text"]);
    let line = || follower.lines.recv_timeout(wait::LIMIT).unwrap();
    assert!(line().starts_with("SEQ"));
    assert!(line().contains("project_created") && line().contains("task_created"));
    ledger.answer(&["task", "comment", &task, "hello"]);
    assert!(line().contains("comment_added"));
}

#[test]
fn a_follower_in_the_words_of_hzl_goes_on_in_them() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["-s", "ready"]);
    let follower = Follower::of(&ledger, &["--from", "1", "--compat", "hzl"]);
    let types = [follower.next(), follower.next()].map(|event| text(&event["type"]));
    assert_eq!(types, ["task_created", "status_changed"]);
    ledger.answer(&["task", "claim", &task, "--agent", "ada"]);
    let claimed = follower.next();
    assert_eq!(claimed["data"], json!({"from": "ready", "to": "in_progress", "agent": "ada"}));
}

#[test]
fn a_follower_that_is_interrupted_ends() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&[]);
    let mut follower = Follower::of(&ledger, &["--from", "0"]);
    follower.next();
    let id = rustix::process::Pid::from_child(&follower.child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    wait::until("the follower has ended", || !follower.is_alive());
    let mut said = String::new();
    follower.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

// In the words of HZL

/// A story that makes every kind of event. TASK, OTHER and PART stand for tasks; `told` is what
/// `events --compat hzl` tells of each command: types with the keys of their data.
const STORY: &str = "
command                                                  | told
---------------------------------------------------------|---------------------------------------
project create api -d boats                              | project_created(description,name)
project create web                                       | project_created(name)
task add OTHER -P web                                    | task_created(priority,project,title)
task add TASK -P api -s ready -p 2 -t a,b -l http://x -d long --due 2026-12-01 --metadata {\"k\":1} --stale-after 30m --agent ada --depends-on OTHER | task_created(agent,depends_on,description,due_at,links,metadata,priority,project,stale_after_minutes,tags,title) status_changed(from,to)
task add PART --parent TASK --comment hello              | task_created(parent_id,priority,project,title) comment_added(text)
task update TASK --title new                             | task_updated(field,new_value)
task update TASK -p 3 -t c --due= --agent=               | task_updated(field,new_value) task_updated(field,new_value) task_updated(field,new_value) task_updated(field,new_value)
task remove-dep TASK OTHER                               | dependency_removed(depends_on_id)
task add-dep PART OTHER                                  | dependency_added(depends_on_id)
task set-status OTHER done                               | status_changed(from,to)
task set-status PART done                                | status_changed(from,to)
task claim TASK --agent ada --lease 30m                  | status_changed(agent,from,lease_until,to)
task renew TASK --agent ada --lease 2h                   | status_changed(agent,from,lease_until,to)
task comment TASK hi                                     | comment_added(text)
task checkpoint TASK half --agent ada --data {\"n\":1} --progress 50 | checkpoint_recorded(data,name,progress)
task progress TASK 70 --agent ada                        | checkpoint_recorded(name,progress)
task steal TASK --agent bob --force                      | status_changed(agent,from,reason,to)
task block TASK --agent bob --comment why                | status_changed(from,to) comment_added(text)
task unblock TASK --agent bob                            | status_changed(from,to)
task release TASK --agent bob                            | status_changed(from,to)
task start TASK --agent eve                              | status_changed(agent,from,to)
task complete TASK --agent eve --comment done            | status_changed(from,to) comment_added(text)
task reopen TASK                                         | status_changed(from,to)
task set-status TASK in_progress --agent zoe             | status_changed(agent,from,to)
task move TASK web                                       | task_moved(from_project,to_project) task_moved(from_project,to_project)
task archive TASK --agent zoe                            | task_archived()
task restore TASK                                        | status_changed(from,to)
project rename web site                                  | project_renamed(new_name,old_name)
project freeze api                                       | project_frozen()
project unfreeze api                                     | project_unfrozen()
task prune -P site --older-than 0 --yes                  | task_pruned(project)
";

/// Plays the story and gives what each command was told as.
#[track_caller]
fn play(ledger: &Ledger, mut each: impl FnMut(&str, &str, &[Value])) {
    let mut ids: Vec<(&str, String)> = Vec::new();
    for line in STORY.trim().lines().skip(2) {
        let (command, told) = line.split_once(" | ").unwrap();
        let before = ledger.events();
        let named = |word: &str| {
            let id = ids.iter().find(|(name, _)| *name == word).map(|(_, id)| id.clone());
            id.unwrap_or_else(|| word.to_owned())
        };
        let words: Vec<String> = command.split_whitespace().map(named).collect();
        let answer = ledger.answer(&words.iter().map(String::as_str).collect::<Vec<_>>());
        if let ["task", "add", name, ..] = command.split_whitespace().collect::<Vec<_>>()[..] {
            ids.push((name, text(&answer["task_id"])));
        }
        let from = before.to_string();
        each(command.trim(), told.trim(), &events(ledger, &["--compat", "hzl", "--from", &from]));
    }
}

#[test]
fn compat_each_event_has_the_type_and_the_keys_that_hzl_gives_it() {
    on_both(|ledger| {
        play(ledger, |command, expected, events| {
            let told = |event: &Value| {
                let keys = event["data"].as_object().unwrap().keys().cloned();
                let keys: BTreeSet<String> = keys.collect();
                let keys: Vec<String> = keys.into_iter().collect();
                format!("{}({})", text(&event["type"]), keys.join(","))
            };
            let told: Vec<String> = events.iter().map(told).collect();
            assert_eq!(told.join(" "), expected, "{command}");
        });
    });
}

#[test]
fn compat_an_event_is_told_alone_as_it_is_told_among_the_others() {
    let ledger = Ledger::on_sqlite();
    play(&ledger, |_, _, _| {});
    let all = events(&ledger, &["--compat", "hzl"]);
    let mut alone = Vec::new();
    for seq in 0..ledger.events() {
        let from = seq.to_string();
        alone.extend(events(&ledger, &["--compat", "hzl", "--from", &from, "--limit", "1"]));
    }
    assert_eq!(alone, all);
    let ids: BTreeSet<String> = all.iter().map(|event| text(&event["event_id"])).collect();
    assert_eq!(ids.len(), all.len(), "each has an id of its own");
}

#[test]
fn compat_the_outside_of_an_event_has_the_keys_of_hzl() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--author", "ada"]);
    let all = events(&ledger, &["--compat", "hzl"]);
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    let expected = ["rowid", "event_id", "task_id", "type", "data", "author", "timestamp"];
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), 7);
    assert!(expected.iter().all(|key| all[0].get(*key).is_some()), "{}", all[0]);
    assert_eq!((&all[0]["task_id"], &all[0]["rowid"]), (&json!("__project__"), &json!(1)));
    assert_eq!((&all[1]["task_id"], &all[1]["author"]), (&json!(task), &json!("ada")));
    let data = json!({"name": "inbox", "is_protected": true});
    assert_eq!((&all[0]["type"], &all[0]["data"]), (&json!("project_created"), &data));
}

#[test]
fn compat_a_change_names_the_status_before_and_after_and_who_has_the_task() {
    on_both(|ledger| {
        let task = ledger.add(&["-s", "ready"]);
        ledger.answer(&["task", "claim", &task, "--agent", "ada", "--lease", "1s"]);
        wait::until("the lease has run out", || {
            let taken = ledger.windlass(&["task", "claim", "--next", "--agent", "bob"]).run();
            taken.ok().json()["task_id"].is_string()
        });
        ledger.answer(&["task", "set-status", &task, "backlog", "--agent", "bob"]);
        ledger.answer(&["task", "set-status", &task, "in_progress", "--agent", "eve"]);
        ledger.answer(&["task", "complete", &task, "--agent", "eve"]);
        let change = |event: &Value| {
            let data = &event["data"];
            let said = ["from", "to", "agent", "reason"].map(|key| data.get(key).map(text));
            said.into_iter().flatten().collect::<Vec<_>>().join(" ")
        };
        let told = events(ledger, &["--compat", "hzl", "--from", "2"]);
        let changes: Vec<String> =
            told.iter().filter(|event| event["type"] == "status_changed").map(change).collect();
        let expected = [
            "ready in_progress ada",
            "in_progress in_progress bob stolen",
            "in_progress backlog",
            "backlog in_progress eve",
            "in_progress done",
        ];
        assert_eq!(changes, expected);
        assert!(told.iter().any(|event| event["type"] == "claim_expired"), "ours, as it is");
    });
}

#[test]
fn compat_a_project_is_told_by_the_name_it_had_then() {
    on_both(|ledger| {
        ledger.answer(&["project", "create", "old"]);
        ledger.answer(&["project", "create", "other"]);
        let task = ledger.add(&["-P", "old"]);
        ledger.answer(&["task", "move", &task, "other"]);
        ledger.answer(&["project", "rename", "old", "new"]);
        ledger.answer(&["task", "move", &task, "new"]);
        let told = events(ledger, &["--compat", "hzl"]);
        let data: Vec<&Value> = told[2..].iter().map(|event| &event["data"]).collect();
        assert_eq!(data[0]["project"], "old");
        assert_eq!(data[1], &json!({"from_project": "old", "to_project": "other"}));
        assert_eq!(data[2], &json!({"old_name": "old", "new_name": "new"}));
        assert_eq!(data[3], &json!({"from_project": "other", "to_project": "new"}));
    });
}

#[test]
fn compat_the_fields_of_an_update_are_told_one_by_one() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["--due", "2026-12-01"]);
    ledger.answer(&["task", "update", &task, "--title", "x", "--due", "", "-t", "a,b"]);
    let told = events(&ledger, &["--compat", "hzl", "--from", "2"]);
    let fields: Vec<(String, &Value)> = told
        .iter()
        .map(|event| (text(&event["data"]["field"]), &event["data"]["new_value"]))
        .collect();
    let expected = [
        ("title".to_owned(), &json!("x")),
        ("tags".to_owned(), &json!(["a", "b"])),
        ("due_at".to_owned(), &Value::Null),
    ];
    assert_eq!(fields, expected);
}

#[test]
fn compat_is_the_same_log_as_ours_event_for_event() {
    let ledger = Ledger::on_sqlite();
    play(&ledger, |_, _, _| {});
    let places = |events: &[Value], key: &str| {
        events.iter().map(|event| event[key].as_u64().unwrap()).collect::<BTreeSet<_>>()
    };
    let (ours, theirs) = (events(&ledger, &[]), events(&ledger, &["--compat", "hzl"]));
    assert_eq!(places(&ours, "seq"), places(&theirs, "rowid"));
}
