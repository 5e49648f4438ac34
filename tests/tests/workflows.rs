//! Workflows: `start`, `handoff` and `delegate`, and what can be known about them.
//!
//! A test says at the end of its name which rows of `docs/coordination.md` it shows.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "an answer of another shape ends its test"
)]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_testkit::barrier::start_together;
use windlass_testkit::{Outcome, Run, wait};
use windlass_tests::ledgers::{Ledger, error_of, text};

/// A ledger with the projects `api` and `web`.
fn ledger() -> Ledger {
    let ledger = Ledger::on_sqlite();
    for project in ["api", "web"] {
        let _created = ledger.answer(&["project", "create", project]);
    }
    ledger
}

fn run(ledger: &Ledger, line: &str) -> Run {
    ledger.windlass(&line.split(' ').collect::<Vec<_>>())
}

/// The answer to a command line of words without spaces.
#[track_caller]
fn answer(ledger: &Ledger, line: &str) -> Value {
    run(ledger, line).run().ok().json()
}

/// The error of a command line that must leave no trace.
#[track_caller]
fn refused(ledger: &Ledger, line: &str, code: &str, exit: i32) -> Value {
    let before = ledger.events();
    let error = error_of(&run(ledger, line).run(), code, exit);
    assert_eq!(ledger.events(), before, "a refusal left an event");
    error
}

/// A ready task of `api`.
fn ready(ledger: &Ledger, args: &[&str]) -> String {
    ledger.add(&[&["-P", "api", "-s", "ready"], args].concat())
}

/// A task that `w1` holds.
fn held(ledger: &Ledger, args: &[&str]) -> String {
    let task = ready(ledger, args);
    let _claimed = ledger.answer(&["task", "claim", &task, "--agent", "w1"]);
    task
}

fn start(ledger: &Ledger, rest: &str) -> Value {
    answer(ledger, format!("workflow run start --agent w1 {rest}").trim_end())
}

fn task(ledger: &Ledger, id: &str) -> Value {
    ledger.answer(&["task", "show", id])["task"].clone()
}

fn selected(started: &Value) -> String {
    text(&started["selected"]["task_id"])
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

// Done and complete

#[test]
fn complete_asks_for_more_than_the_status_done_rows_k1_k2() {
    let ledger = ledger();
    let task = ready(&ledger, &[]);
    let error = refused(&ledger, &format!("task complete {task}"), "invalid_transition", 3);
    assert_eq!(error["details"]["allowed_from"], json!(["in_progress", "blocked"]));
    let _claimed = answer(&ledger, &format!("task claim {task} --agent w1"));
    assert_eq!(answer(&ledger, &format!("task complete {task}"))["status"], "done");
    let blocked = held(&ledger, &[]);
    let _blocked = answer(&ledger, &format!("task block {blocked}"));
    assert_eq!(answer(&ledger, &format!("task complete {blocked}"))["status"], "done");
}

#[test]
fn a_status_set_by_hand_reaches_done_from_ready_row_k3() {
    let ledger = ledger();
    let task = ready(&ledger, &[]);
    assert_eq!(answer(&ledger, &format!("task set-status {task} done"))["status"], "done");
}

#[test]
fn a_task_can_begin_done_row_k4() {
    let ledger = ledger();
    let task = ledger.add(&["-s", "done"]);
    assert_eq!(ledger.status(&task), "done");
}

// What can be known about workflows

#[test]
fn workflow_list_names_them_with_what_they_do_row_n1() {
    let listed = ledger().answer(&["workflow", "list"]);
    let names: Vec<String> =
        listed["workflows"].as_array().unwrap().iter().map(|one| text(&one["name"])).collect();
    assert_eq!(names, ["start", "handoff", "delegate"]);
    assert!(!text(&listed["workflows"][0]["description"]).is_empty());
}

#[test]
fn workflow_show_lists_every_argument_that_its_command_takes_row_n2() {
    let ledger = ledger();
    for name in ["start", "handoff", "delegate"] {
        let shown = answer(&ledger, &format!("workflow show {name}"))["workflow"].clone();
        let args = shown["args"].as_array().unwrap();
        for arg in args {
            assert!(!text(&arg["description"]).is_empty(), "{arg}");
            assert!(!text(&arg["type"]).is_empty() && arg["required"].is_boolean(), "{arg}");
        }
        let shown: BTreeSet<String> = args.iter().map(|arg| flag(&text(&arg["name"]))).collect();
        let help = run(&ledger, &format!("workflow run {name} --help")).run().ok().stdout;
        let of_all = ["--db", "--server", "--format", "--json", "--help"];
        let taken: BTreeSet<String> = help
            .lines()
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
            .map(flag)
            .filter(|flag| !of_all.contains(&flag.as_str()))
            .collect();
        assert!(!taken.is_empty());
        let missing: Vec<_> = taken.difference(&shown).collect();
        assert_eq!(missing, Vec::<&String>::new(), "{name} takes what is not shown");
    }
    let error = refused(&ledger, "workflow show strat", "workflow_not_found", 4);
    assert_eq!(error["suggestions"], json!(["start"]));
}

/// The flag of `--include-others[=<BOOL>]`.
fn flag(word: &str) -> String {
    word.split(['[', '=', ' ', '`']).next().unwrap().to_owned()
}

#[test]
fn workflow_show_tells_defaults_and_what_is_required_row_n2() {
    let shown = ledger().answer(&["workflow", "show", "handoff"]);
    let arg = |name: &str| {
        let args = shown["workflow"]["args"].as_array().unwrap();
        args.iter().find(|arg| text(&arg["name"]).starts_with(name)).unwrap().clone()
    };
    assert_eq!(
        (&arg("--from")["required"], &arg("--from")["type"]),
        (&json!(true), &json!("task"))
    );
    assert_eq!(arg("--carry-max-chars")["default"], "4000");
    assert_eq!(arg("--agent").get("default"), None);
    assert_eq!(arg("--project")["short"], "-P");
    let printed = ledger().windlass(&["workflow", "show", "start", "--format", "text"]).run().ok();
    for shown in ["-P, --project <NAME>", "(first|latest|priority; default priority)"] {
        assert!(printed.stdout.contains(shown), "{shown}\n{}", printed.stdout);
    }
}

#[test]
fn workflow_run_runs_a_workflow_by_its_name_row_n3() {
    let ledger = ledger();
    let task = held(&ledger, &[]);
    assert_eq!(start(&ledger, "")["workflow"], "start");
    let delegate = format!("workflow run delegate --from {task} --title part --no-depends");
    assert_eq!(answer(&ledger, &delegate)["workflow"], "delegate");
    let handoff = format!("workflow run handoff --from {task} --title next -P web");
    assert_eq!(answer(&ledger, &handoff)["workflow"], "handoff");
    let error = refused(&ledger, "workflow run handof --from x", "usage", 2);
    assert!(text(&error["suggestions"]).contains("windlass workflow run handoff"), "{error}");
    let error = refused(&ledger, "workflow run nope", "usage", 2);
    assert_eq!(error["hint"], "use one of start, handoff, delegate");
}

#[test]
fn workflow_show_start_says_why_it_has_no_automatic_op_id_row_n4() {
    let shown = ledger().answer(&["workflow", "show", "start"])["workflow"].clone();
    assert_eq!(shown["supports_auto_op_id"], false);
    let notes = text(&shown["notes"]);
    assert!(notes.contains("--auto-op-id is unsupported"), "{notes}");
    assert!(notes.contains("the same input rightly gives different results"), "{notes}");
}

// start

#[test]
fn a_task_in_progress_is_resumed_before_another_is_claimed_row_s1() {
    let ledger = ledger();
    let mine = held(&ledger, &[]);
    ready(&ledger, &["-p", "3"]);
    let started = start(&ledger, "");
    assert_eq!(started["mode"], "resume");
    assert_eq!(selected(&started), mine);
    assert_eq!(started["selected"]["fence"], 1);
}

#[test]
fn a_task_whose_lease_ran_out_is_resumed_by_its_own_agent_row_s1() {
    let ledger = ledger();
    let mine = ready(&ledger, &[]);
    let _claimed = answer(&ledger, &format!("task claim {mine} --agent w1 --lease 1s"));
    let stuck = run(&ledger, "task stuck");
    wait::until("the lease has run out", || stuck.run().ok().json()["total"] != 0);
    let started = start(&ledger, "--lease 30m");
    assert_eq!((&started["mode"], selected(&started)), (&json!("resume"), mine));
    assert_eq!(run(&ledger, "task stuck").run().ok().json()["total"], 0);
}

/// Three tasks of `w1`, claimed in this order: plain, urgent and due, urgent.
fn three_in_hand(ledger: &Ledger) -> [String; 3] {
    let plain = held(ledger, &["-p", "1"]);
    let due = held(ledger, &["-p", "3", "--due", "2027-01-01"]);
    let urgent = held(ledger, &["-p", "3"]);
    [plain, due, urgent]
}

#[test]
fn the_most_urgent_task_is_resumed_and_of_those_the_one_due_first_row_s2() {
    let ledger = ledger();
    let [_, due, _] = three_in_hand(&ledger);
    assert_eq!(selected(&start(&ledger, "")), due);
    assert_eq!(selected(&start(&ledger, "--resume-policy priority")), due);
}

#[test]
fn other_policies_go_by_the_claim_and_an_unknown_one_is_refused_row_s11() {
    let ledger = ledger();
    let [plain, _, urgent] = three_in_hand(&ledger);
    assert_eq!(selected(&start(&ledger, "--resume-policy first")), plain);
    assert_eq!(selected(&start(&ledger, "--resume-policy latest")), urgent);
    let line = "workflow run start --agent w1 --resume-policy oldest";
    let error = refused(&ledger, line, "invalid_value", 3);
    assert!(text(&error["hint"]).contains("first, latest, priority"), "{error}");
}

#[test]
fn the_answer_tells_of_the_others_by_id_and_title_rows_s3_s6() {
    let ledger = ledger();
    let [plain, due, urgent] = three_in_hand(&ledger);
    let started = start(&ledger, "");
    assert_eq!(selected(&started), due);
    assert_eq!((&started["in_progress_count"], &started["others_total"]), (&json!(3), &json!(2)));
    let title = "a task";
    let other = |id: &str| json!({ "task_id": id, "title": title });
    assert_eq!(started["others"], json!([other(&urgent), other(&plain)]));
}

#[test]
fn a_task_that_was_claimed_just_now_counts_as_in_progress_row_s6() {
    let ledger = ledger();
    let task = ready(&ledger, &[]);
    let started = start(&ledger, "");
    assert_eq!((&started["mode"], selected(&started)), (&json!("claim_next"), task));
    assert_eq!((&started["in_progress_count"], &started["others_total"]), (&json!(1), &json!(0)));
}

#[test]
fn a_lease_is_refreshed_and_the_claim_stays_the_same_row_s4() {
    let ledger = ledger();
    let mine = held(&ledger, &[]);
    let before = task(&ledger, &mine);
    let without = start(&ledger, "");
    assert_eq!(without["selected"]["lease_until"], Value::Null);
    let with = start(&ledger, "--lease 30m");
    assert!(with["selected"]["lease_until"].is_string(), "{with}");
    assert_eq!(with["selected"]["claimed_at"], before["claimed_at"]);
    assert_eq!(with["selected"]["fence"], before["fence"]);
    let again = start(&ledger, "--lease 40m");
    let lease = |started: &Value| text(&started["selected"]["lease_until"]);
    assert!(lease(&again) > lease(&with), "the lease counts from now");
}

#[test]
fn by_the_settings_too_a_lease_is_refreshed_row_s4() {
    let ledger = ledger();
    held(&ledger, &[]);
    let run = run(&ledger, "workflow run start --agent w1").env("WINDLASS_CLAIMS_LEASE", "1h");
    assert!(run.run().ok().json()["selected"]["lease_until"].is_string());
}

#[test]
fn the_next_task_is_the_one_that_claim_next_would_give_row_s5() {
    let ledger = ledger();
    ready(&ledger, &["-p", "3", "--agent", "somebody-else"]);
    let prerequisite = ready(&ledger, &["-p", "1"]);
    ready(&ledger, &["-p", "3", "--depends-on", &prerequisite]);
    let mine = ready(&ledger, &["-p", "1", "--agent", "w1"]);
    let started = start(&ledger, "");
    assert_eq!((&started["mode"], selected(&started)), (&json!("claim_next"), mine));
    let trace = &started["decision_trace"]["outcome"];
    assert_eq!(trace["reason_code"], "claimed");
}

#[test]
fn of_sixteen_agents_that_start_at_once_each_gets_a_task_of_its_own_on_sqlite_row_s5() {
    start_at_once(&ledger());
}

#[test]
fn of_sixteen_agents_that_start_at_once_each_gets_a_task_of_its_own_on_postgresql_row_s5() {
    if let Some(ledger) = Ledger::on_postgres() {
        let _created = ledger.answer(&["project", "create", "api"]);
        start_at_once(&ledger);
    }
}

fn start_at_once(ledger: &Ledger) {
    for _ in 0..16 {
        ready(ledger, &[]);
    }
    let runs: Vec<Run> = (0..16)
        .map(|number| run(ledger, &format!("workflow run start --agent a{number} -P api")))
        .collect();
    let children = start_together(&runs);
    let outcomes = runs.iter().zip(children).map(|(run, child)| run.finish(child).ok());
    let tasks: BTreeSet<String> =
        outcomes.map(|outcome: Outcome| selected(&outcome.json())).collect();
    assert_eq!(tasks.len(), 16);
}

#[test]
fn start_needs_an_agent_row_s7() {
    let error = refused(&ledger(), "workflow run start", "usage", 2);
    assert!(text(&error["message"]).contains("--agent"), "{error}");
}

#[test]
fn the_agent_of_the_surroundings_begins_where_none_is_given_row_s7() {
    let ledger = ledger();
    let task = ready(&ledger, &[]);
    let run = ledger.windlass(&["workflow", "run", "start"]).env("WINDLASS_AGENT", "w7");
    let started = run.run().ok().json();
    assert_eq!((selected(&started), &started["selected"]["agent"]), (task, &json!("w7")));
}

#[test]
fn a_project_narrows_what_is_resumed_and_what_is_claimed_row_s8() {
    let ledger = ledger();
    let other = ledger.add(&["-P", "web", "-s", "ready"]);
    let started = start(&ledger, "-P api");
    assert_eq!(
        (&started["mode"], &started["filters"]),
        (&json!("none"), &json!({"project": "api"}))
    );
    assert_eq!(selected(&start(&ledger, "")), other, "without one, all projects count");
    let mine = ready(&ledger, &[]);
    let narrowed = start(&ledger, "-P api");
    assert_eq!((&narrowed["mode"], selected(&narrowed)), (&json!("claim_next"), mine));
    let _unknown =
        refused(&ledger, "workflow run start --agent w1 -P none", "project_not_found", 4);
}

#[test]
fn any_project_counts_even_where_the_settings_name_one_row_s8() {
    let ledger = ledger();
    let other = ledger.add(&["-P", "web", "-s", "ready"]);
    let line = "workflow run start --agent w1";
    let of_api = run(&ledger, line).env("WINDLASS_PROJECT", "api").run().ok().json();
    assert_eq!(of_api["mode"], "none");
    let line = format!("{line} --any-project");
    let of_any = run(&ledger, &line).env("WINDLASS_PROJECT", "api").run().ok().json();
    assert_eq!(selected(&of_any), other);
    let _both = refused(&ledger, &format!("{line} -P api"), "usage", 2);
}

#[test]
fn all_tags_must_match_row_s9() {
    let ledger = ledger();
    let one = held(&ledger, &["-t", "red", "-p", "3"]);
    let both = held(&ledger, &["-t", "red,blue"]);
    assert_eq!(selected(&start(&ledger, "--tags red")), one);
    assert_eq!(selected(&start(&ledger, "--tags red,blue")), both);
    let other = ready(&ledger, &["-t", "green"]);
    ready(&ledger, &["-p", "3"]);
    assert_eq!(selected(&start(&ledger, "--tags green")), other);
}

#[test]
fn a_lease_is_given_in_minutes_or_with_its_unit_row_s10() {
    let ledger = ledger();
    ready(&ledger, &[]);
    let claimed = start(&ledger, "--lease 30");
    let lease = &claimed["selected"]["lease_until"];
    assert!(lease.is_string(), "{claimed}");
    let stuck = answer(&ledger, "task stuck");
    assert_eq!(stuck["total"], 0);
    for wrong in ["0", "-5", "soon"] {
        let line = format!("workflow run start --agent w1 --lease {wrong}");
        let _wrong = refused(&ledger, &line, "invalid_value", 3);
    }
}

#[test]
fn the_others_are_told_of_unless_they_are_not_wanted_row_s12() {
    let ledger = ledger();
    three_in_hand(&ledger);
    let count = |rest: &str| {
        let started = start(&ledger, rest);
        assert_eq!(started["others_total"], 2, "{rest}");
        started["others"].as_array().unwrap().len()
    };
    assert_eq!(count(""), 2);
    assert_eq!(count("--include-others"), 2);
    assert_eq!(count("--no-include-others"), 0);
    assert_eq!(count("--include-others=false"), 0);
    assert_eq!(count("--include-others false"), 0);
}

#[test]
fn five_others_are_told_of_by_default_and_all_on_request_rows_s13_s14() {
    let ledger = ledger();
    for _ in 0..8 {
        held(&ledger, &[]);
    }
    let others = |rest: &str| {
        let started = start(&ledger, rest);
        assert_eq!(started["others_total"], 7, "{rest}");
        let others = started["others"].as_array().unwrap().clone();
        for other in &others {
            let keys: Vec<&String> = other.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["task_id", "title"]);
        }
        others.len()
    };
    assert_eq!(others(""), 5);
    assert_eq!(others("--others-limit 2"), 2);
    assert_eq!(others("--others-limit 0"), 0);
    assert_eq!(others("--others-limit all"), 7);
    for wrong in ["-1", "many", ""] {
        let line = format!("workflow run start --agent w1 --others-limit={wrong}");
        let code = run(&ledger, &line).run().code.unwrap();
        assert!([2, 3].contains(&code), "{wrong}: exit {code}");
    }
}

#[test]
fn having_nothing_to_do_is_no_failure_row_s15() {
    let ledger = ledger();
    ready(&ledger, &["--agent", "somebody-else"]);
    let before = ledger.events();
    let started = start(&ledger, "");
    assert_eq!((&started["mode"], &started["selected"]), (&json!("none"), &Value::Null));
    assert_eq!((&started["in_progress_count"], &started["others"]), (&json!(0), &json!([])));
    assert_eq!(ledger.events(), before);
}

#[test]
fn a_start_leaves_its_mark_on_the_task() {
    let ledger = ledger();
    let task = ready(&ledger, &[]);
    start(&ledger, "");
    let newest = ledger.newest_event(&task);
    assert_eq!(
        (&newest["kind"], &newest["data"]["workflow"]),
        (&json!("workflow_ran"), &json!("start"))
    );
    assert!(newest["correlation_id"].is_string());
}

#[test]
fn polling_leaves_nothing_but_a_renewal_now_and_then() {
    let ledger = ledger();
    let task = held(&ledger, &[]);
    let before = ledger.events();
    start(&ledger, "");
    assert_eq!(ledger.events(), before, "nothing changed");
    start(&ledger, "--lease 30m");
    assert_eq!(kinds(&ledger.events_after(before)), ["claim_renewed", "workflow_ran"]);
    let before = ledger.events();
    let again = start(&ledger, "--lease 30m");
    assert_eq!((selected(&again), ledger.events()), (task, before), "most of it is left");
}

// handoff

fn handoff(ledger: &Ledger, source: &str, rest: &str) -> Value {
    answer(ledger, &format!("workflow run handoff --from {source} --title next {rest}"))
}

#[test]
fn a_source_that_cannot_become_done_is_not_handed_off_row_h1() {
    let ledger = ledger();
    let refuse = |source: &str, rest: &str, code: &str| {
        let line = format!("workflow run handoff --from {source} --title next -P web{rest}");
        refused(&ledger, &line, code, 3)
    };
    refuse(&ready(&ledger, &[]), "", "invalid_transition");
    refuse(&ledger.add(&["-P", "api"]), "", "invalid_transition");
    refuse(&ledger.add(&["-P", "api", "-s", "done"]), "", "invalid_transition");
    let other = ready(&ledger, &[]);
    let waits = held(&ledger, &[]);
    let _added = answer(&ledger, &format!("task add-dep {waits} {other}"));
    refuse(&waits, "", "dependencies_open");
    let mine = held(&ledger, &[]);
    refuse(&mine, " --author w2", "stale_claim");
    refuse(&mine, " --fence 9", "stale_claim");
    let forced =
        format!("workflow run handoff --from {waits} --title next -P web --force --reason late");
    assert_eq!(answer(&ledger, &forced)["source_status"], "done");
}

#[test]
fn the_source_is_done_and_the_follow_on_is_ready_rows_h2_h3() {
    let ledger = ledger();
    let source = held(&ledger, &["-p", "2", "-t", "red"]);
    let handed = handoff(&ledger, &source, "--agent w2 --author w1 --fence 1");
    assert_eq!(
        (&handed["source_task_id"], &handed["source_status"]),
        (&json!(source), &json!("done"))
    );
    assert_eq!(ledger.status(&source), "done");
    let next = task(&ledger, &text(&handed["follow_on"]["task_id"]));
    assert_eq!((&next["status"], &next["project"]), (&json!("ready"), &json!("api")));
    assert_eq!((&next["agent"], &next["title"]), (&json!("w2"), &json!("next")));
    assert_eq!((&next["priority"], &next["tags"]), (&json!(2), &json!([])), "urgent, untagged");
}

#[test]
fn a_blocked_source_is_handed_off_to_the_pool_of_another_project_row_h3() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let _blocked = answer(&ledger, &format!("task block {source}"));
    let handed = handoff(&ledger, &source, "-P web");
    let next = &handed["follow_on"];
    assert_eq!((&next["project"], &next["agent"]), (&json!("web"), &Value::Null));
    assert_eq!(next["claimable"], true);
}

#[test]
fn the_follow_on_of_a_subtask_is_a_subtask_where_its_parent_is() {
    let ledger = ledger();
    let parent = ready(&ledger, &[]);
    let [one, other] = [(); 2].map(|()| {
        let child = ledger.add(&["--parent", &parent, "-s", "ready"]);
        let _claimed = answer(&ledger, &format!("task claim {child} --agent w1"));
        child
    });
    let beside = handoff(&ledger, &one, "--agent w2");
    assert_eq!(beside["follow_on"]["parent_id"], parent);
    let elsewhere = handoff(&ledger, &other, "-P web");
    assert_eq!(elsewhere["follow_on"]["parent_id"], Value::Null);
}

/// A source with these checkpoints.
fn with_checkpoints(ledger: &Ledger, texts: &[&str]) -> String {
    let source = held(ledger, &[]);
    for (number, said) in texts.iter().enumerate() {
        let (name, data) = (format!("point-{number}"), json!({ "log": said }).to_string());
        let words = ["task", "checkpoint", &source, &name, "--data", &data];
        let _saved = ledger.answer(&words);
    }
    source
}

/// The description of the follow-on, and the text and missing characters of its checkpoint, if it
/// has one.
fn carried(ledger: &Ledger, handed: &Value) -> (String, String, u64) {
    let shown = ledger.answer(&["task", "show", &text(&handed["follow_on"]["task_id"])]);
    let description = text(&shown["task"]["description"]);
    assert!(description.contains(&text(&handed["source_task_id"])), "{description}");
    let Some(checkpoint) = shown["checkpoints"].get(0) else {
        return (description, String::new(), handed["left_out_chars"].as_u64().unwrap());
    };
    let data = &checkpoint["data"];
    assert_eq!(data["source_task_id"], handed["source_task_id"]);
    (description, text(&data["text"]), data["left_out_chars"].as_u64().unwrap())
}

#[test]
fn the_last_checkpoints_are_in_the_description_and_in_a_checkpoint_rows_h4_h5() {
    let ledger = ledger();
    let source = with_checkpoints(&ledger, &["zero", "one", "two", "three"]);
    let handed = handoff(&ledger, &source, "-P api");
    let (description, same, left_out) = carried(&ledger, &handed);
    assert!(description.contains(same.trim_end()), "both hold the same:\n{description}\n{same}");
    let at = |said: &str| same.find(said).unwrap();
    assert!(at("log: three") < at("log: two") && at("log: two") < at("log: one"), "{same}");
    assert_eq!((&handed["carried_checkpoint_count"], left_out), (&json!(3), 0));
    assert_eq!(handed["carried_chars"], same.chars().count());
}

#[test]
fn every_event_of_a_run_shares_its_correlation_id_row_h6() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let _noted = answer(&ledger, &format!("task checkpoint {source} found-it"));
    let before = ledger.events();
    let handed = handoff(&ledger, &source, "-P api --author w1");
    let events = ledger.events_after(before);
    let expected = ["task_created", "checkpoint_recorded", "task_completed", "workflow_ran"];
    assert_eq!(kinds(&events), expected);
    let correlation = text(&handed["correlation_id"]);
    assert!(events.iter().all(|event| event["correlation_id"] == correlation.as_str()));
    let ran = &events[3];
    assert_eq!(ran["stream"], source);
    assert_eq!(ran["data"], json!({"workflow": "handoff", "made": handed["follow_on"]["task_id"]}));
    let log = run(&ledger, &format!("events --correlation {correlation}")).run().ok().stdout;
    let found: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found, events, "and is found by it");
}

#[test]
fn with_nothing_to_carry_no_checkpoint_is_made() {
    let ledger = ledger();
    let plain = held(&ledger, &[]);
    let noted = with_checkpoints(&ledger, &["one"]);
    for (source, rest) in [(plain, "-P api"), (noted, "-P api --carry-checkpoints 0")] {
        let handed = handoff(&ledger, &source, rest);
        let id = text(&handed["follow_on"]["task_id"]);
        assert_eq!(ledger.answer(&["task", "show", &id])["checkpoints"], json!([]));
        assert_eq!(ledger.newest_event(&id)["kind"], "task_created");
    }
}

#[test]
fn a_source_that_cannot_be_finished_is_refused_in_words_of_the_handoff() {
    let ledger = ledger();
    let source = ready(&ledger, &[]);
    let line = format!("workflow run handoff --from {source} --title next -P api");
    let error = refused(&ledger, &line, "invalid_transition", 3);
    assert!(text(&error["message"]).starts_with("handoff finishes its source: "), "{error}");
}

#[test]
fn who_must_say_who_is_calling_is_told_to_give_the_author() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    for line in [
        format!("workflow run handoff --from {source} --title next -P api"),
        format!("workflow run delegate --from {source} --title part --pause-parent"),
    ] {
        let asked = run(&ledger, &line).env("WINDLASS_CLAIMS_REQUIRE", "identity").run();
        let error = error_of(&asked, "agent_required", 3);
        assert!(text(&error["hint"]).contains("--author"), "{error}");
    }
}

#[test]
fn a_handoff_that_fails_at_its_end_leaves_nothing_row_h7() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let line = format!("workflow run handoff --from {source} --title next -P none");
    let _unknown = refused(&ledger, &line, "project_not_found", 4);
    assert_eq!(ledger.status(&source), "in_progress");
    let long = "x".repeat(129);
    let line = format!("workflow run handoff --from {source} --title {long} -P api");
    let _long = refused(&ledger, &line, "invalid_value", 3);
}

#[test]
fn handoff_needs_a_source_and_a_title_row_h8() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let _no_source = refused(&ledger, "workflow run handoff --title next -P api", "usage", 2);
    let line = format!("workflow run handoff --from {source} -P api");
    let _no_title = refused(&ledger, &line, "usage", 2);
    let by_both = handoff(&ledger, &source, "-P web --agent w2");
    assert_eq!(by_both["follow_on"]["project"], "web");
}

#[test]
fn three_checkpoints_go_along_by_default_and_none_with_0_row_h9() {
    let ledger = ledger();
    let texts = ["zero", "one", "two", "three", "four"];
    let count = |rest: &str| {
        let source = with_checkpoints(&ledger, &texts);
        let handed = handoff(&ledger, &source, &format!("-P api{rest}"));
        let (description, _, _) = carried(&ledger, &handed);
        assert_eq!(description.contains("log: four"), handed["carried_chars"] != 0);
        handed["carried_checkpoint_count"].as_u64().unwrap()
    };
    assert_eq!(count(""), 3);
    assert_eq!(count(" --carry-checkpoints 0"), 0);
    assert_eq!(count(" --carry-checkpoints 1"), 1);
    assert_eq!(count(" --carry-checkpoints 100"), 5);
    let source = with_checkpoints(&ledger, &[]);
    for wrong in ["-1", "1001", "x"] {
        let line = format!(
            "workflow run handoff --from {source} --title next -P api --carry-checkpoints {wrong}"
        );
        let _wrong = refused(&ledger, &line, "invalid_value", 3);
    }
}

#[test]
fn four_thousand_characters_go_along_by_default_rows_h10_h11() {
    let ledger = ledger();
    let source = with_checkpoints(&ledger, &["x".repeat(9_000).as_str()]);
    let handed = handoff(&ledger, &source, "-P api");
    let (description, same, left_out) = carried(&ledger, &handed);
    assert_eq!((&handed["carried_chars"], same.len()), (&json!(2_500), 1_500));
    let all = 2_500 + handed["left_out_chars"].as_u64().unwrap();
    assert_eq!(left_out, all - 1_500);
    assert!(description.contains(&format!("Left out: {} of {all}", all - 2_500)), "{description}");
}

#[test]
fn another_budget_is_split_in_the_same_proportion_row_h11() {
    let ledger = ledger();
    for (budget, description_chars, checkpoint_chars) in
        [("0", 0, 0), ("1", 1, 0), ("8", 5, 3), ("800", 500, 300), ("1000000", 9_000, 9_000)]
    {
        let source = with_checkpoints(&ledger, &["x".repeat(9_000).as_str()]);
        let handed = handoff(&ledger, &source, &format!("-P api --carry-max-chars {budget}"));
        let (_, same, _) = carried(&ledger, &handed);
        let in_description = handed["carried_chars"].as_u64().unwrap();
        match budget {
            "1000000" => {
                assert!(in_description > description_chars && same.len() > checkpoint_chars);
                assert_eq!(handed["left_out_chars"], 0);
            }
            _ => {
                assert_eq!((in_description, same.len()), (description_chars, checkpoint_chars));
            }
        }
    }
}

#[test]
fn no_character_is_cut_and_the_limits_of_a_task_hold_row_h12() {
    let ledger = ledger();
    let long = "é🐙\"\\\u{1b}".repeat(1_000);
    for budget in ["7", "97", "4001", "1000000"] {
        let source = with_checkpoints(&ledger, &[&long, &long, &long]);
        let handed = handoff(&ledger, &source, &format!("-P api --carry-max-chars {budget}"));
        let (description, same, _) = carried(&ledger, &handed);
        let most: usize = budget.parse().unwrap();
        let in_description = handed["carried_chars"].as_u64().unwrap();
        assert!(usize::try_from(in_description).unwrap() + same.chars().count() <= most);
        assert!(description.chars().count() <= 16_384);
        assert!(!description.contains('\u{1b}'));
    }
}

#[test]
fn workflow_show_handoff_explains_the_pool_row_h13() {
    let notes = text(&ledger().answer(&["workflow", "show", "handoff"])["workflow"]["notes"]);
    assert!(notes.contains("Without --agent the follow-on goes to the pool on purpose"), "{notes}");
    assert!(notes.contains("any eligible agent can claim it from its project"), "{notes}");
}

#[test]
fn without_an_agent_a_project_is_required_in_these_words_rows_h14_h15() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let line = format!("workflow run handoff --from {source} --title next");
    let error = refused(&ledger, &line, "invalid_value", 3);
    assert_eq!(
        error["message"],
        "handoff requires --agent, --project, or both. Omitting --agent creates a pool-routed task \
         - specify --project to define the queue."
    );
    assert_eq!(handoff(&ledger, &source, "--agent w2")["follow_on"]["project"], "api");
}

// delegate

fn delegate(ledger: &Ledger, source: &str, rest: &str) -> Value {
    let line = format!("workflow run delegate --from {source} --title part {rest}");
    answer(ledger, line.trim_end())
}

fn delegated(answer: &Value) -> String {
    text(&answer["delegated"]["task_id"])
}

#[test]
fn the_delegated_task_is_a_sibling_or_a_subtask_row_d1() {
    let ledger = ledger();
    let source = held(&ledger, &["-p", "2", "-t", "red"]);
    let beside = delegate(&ledger, &source, "");
    let part = task(&ledger, &delegated(&beside));
    assert_eq!((&part["status"], &part["parent_id"]), (&json!("ready"), &Value::Null));
    assert_eq!((&part["priority"], &part["tags"]), (&json!(2), &json!([])));
    let below = delegate(&ledger, &source, "--as-subtask");
    assert_eq!(below["delegated"]["parent_id"], source);
    assert_eq!(below["dependency_added"], true);
    let deeper =
        format!("workflow run delegate --from {} --title x --as-subtask", delegated(&below));
    let _depth = refused(&ledger, &deeper, "subtask_depth", 3);
    let away = format!("workflow run delegate --from {source} --title x --as-subtask -P web");
    let _elsewhere = refused(&ledger, &away, "invalid_value", 3);
}

#[test]
fn the_source_waits_for_the_delegated_task_unless_told_not_to_rows_d2_d5() {
    let ledger = ledger();
    let source = ready(&ledger, &[]);
    let waits = delegate(&ledger, &source, "");
    assert_eq!(waits["dependency_added"], true);
    assert_eq!(task(&ledger, &source)["open_dependencies"], 1);
    let _refused =
        refused(&ledger, &format!("task claim {source} --agent w1"), "dependencies_open", 3);
    let free = ready(&ledger, &[]);
    assert_eq!(delegate(&ledger, &free, "--no-depends")["dependency_added"], false);
    assert_eq!(task(&ledger, &free)["open_dependencies"], 0);
}

#[test]
fn a_checkpoint_tells_of_the_delegation_rows_d3_d6() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    assert_eq!(delegate(&ledger, &source, "")["checkpoint_added"], false);
    let noted = delegate(&ledger, &source, "--checkpoint ask-ada --author w1");
    assert_eq!(noted["checkpoint_added"], true);
    let shown = ledger.answer(&["task", "show", &source]);
    let checkpoints = shown["checkpoints"].as_array().unwrap();
    assert_eq!(checkpoints.len(), 1);
    assert_eq!(checkpoints[0]["name"], "Delegated follow-on created");
    let data = json!({
        "delegated_task_id": delegated(&noted),
        "delegated_title": "part",
        "note": "ask-ada",
    });
    assert_eq!(checkpoints[0]["data"], data);
}

#[test]
fn delegate_needs_a_source_and_a_title_row_d4() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let _no_source = refused(&ledger, "workflow run delegate --title part", "usage", 2);
    let line = format!("workflow run delegate --from {source}");
    let _no_title = refused(&ledger, &line, "usage", 2);
    let elsewhere = delegate(&ledger, &source, "-P web --agent w2");
    let part = &elsewhere["delegated"];
    assert_eq!((&part["project"], &part["agent"]), (&json!("web"), &json!("w2")));
    let here = delegate(&ledger, &source, "");
    let part = &here["delegated"];
    assert_eq!((&part["project"], &part["agent"]), (&json!("api"), &Value::Null));
}

#[test]
fn a_paused_source_is_blocked_for_a_reason_that_names_the_task_row_d7() {
    let ledger = ledger();
    for source in [held(&ledger, &[]), ready(&ledger, &[])] {
        let paused = delegate(&ledger, &source, "--pause-parent");
        assert_eq!(
            (&paused["parent_paused"], &paused["source_status"]),
            (&json!(true), &json!("blocked"))
        );
        let why = text(&ledger.answer(&["why", &source]));
        assert!(
            why.contains(&format!("paused for delegated task {}", delegated(&paused))),
            "{why}"
        );
        let again = delegate(&ledger, &source, "--pause-parent");
        let why = text(&ledger.answer(&["why", &source]));
        assert!(why.contains(&delegated(&again)), "a second pause adds its reason: {why}");
    }
    let backlog = ledger.add(&["-P", "api"]);
    let line = format!("workflow run delegate --from {backlog} --title part --pause-parent");
    let _backlog = refused(&ledger, &line, "invalid_transition", 3);
    assert_eq!(delegate(&ledger, &backlog, "")["source_status"], "backlog");
}

#[test]
fn only_the_holder_pauses_a_source_row_d7() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    for rest in ["--pause-parent", "--checkpoint mine"] {
        let line = format!("workflow run delegate --from {source} --title part {rest} --author w2");
        let _stale = refused(&ledger, &line, "stale_claim", 3);
    }
    let by_fence = delegate(&ledger, &source, "--pause-parent --author w2 --fence 1");
    assert_eq!(by_fence["parent_paused"], true);
}

#[test]
fn waiting_alone_does_not_stop_a_source_in_progress_row_d8() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let waits = delegate(&ledger, &source, "");
    assert_eq!(
        (&waits["parent_paused"], &waits["source_status"]),
        (&json!(false), &json!("in_progress"))
    );
    let notes = text(&ledger.answer(&["workflow", "show", "delegate"])["workflow"]["notes"]);
    assert!(notes.contains("The dependency gates availability only"), "{notes}");
    assert!(notes.contains("--pause-parent"), "{notes}");
}

#[test]
fn a_paused_source_stays_blocked_until_somebody_unblocks_it_row_d9() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let part = delegated(&delegate(&ledger, &source, "--pause-parent"));
    let _done = answer(&ledger, &format!("task set-status {part} done"));
    assert_eq!(ledger.status(&source), "blocked");
    assert_eq!(answer(&ledger, &format!("task unblock {source}"))["status"], "in_progress");
}

#[test]
fn done_asks_for_settled_dependencies_row_d10() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let part = delegated(&delegate(&ledger, &source, ""));
    for line in [format!("task complete {source}"), format!("task set-status {source} done")] {
        let error = refused(&ledger, &line, "dependencies_open", 3);
        assert_eq!(error["details"]["open_dependencies"], json!([part]));
    }
    let _archived = answer(&ledger, &format!("task archive {part}"));
    assert_eq!(answer(&ledger, &format!("task complete {source}"))["status"], "done");
}

#[test]
fn a_paused_source_goes_on_by_itself_however_the_last_part_is_settled_row_d10() {
    let ledger = ledger();
    let ways = [
        "claim PART --agent w2;complete PART",
        "set-status PART done",
        "archive PART",
        "remove-dep SOURCE PART",
    ];
    for way in ways {
        let source = held(&ledger, &[]);
        let paused = delegate(&ledger, &source, "--pause-parent --auto-unpause");
        assert_eq!(paused["auto_unpause"], true);
        let part = delegated(&paused);
        for step in way.split(';') {
            let step = step.replace("PART", &part).replace("SOURCE", &source);
            let _done = answer(&ledger, &format!("task {step}"));
        }
        let after = task(&ledger, &source);
        assert_eq!((&after["status"], &after["agent"]), (&json!("ready"), &json!("w1")), "{way}");
        assert_eq!((&after["claimed_at"], &after["lease_until"]), (&Value::Null, &Value::Null));
        let newest = ledger.newest_event(&source);
        assert_eq!(newest["kind"], "task_unblocked", "{way}");
        assert_eq!(selected(&start(&ledger, "")), source, "its former owner gets it: {way}");
        let _done = answer(&ledger, &format!("task set-status {source} done"));
    }
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
}

/// A source that `w1` holds, paused until its part in `web` is settled, and that part.
fn paused(ledger: &Ledger) -> (String, String) {
    let source = held(ledger, &[]);
    let delegated_to_web = delegate(ledger, &source, "-P web --pause-parent --auto-unpause");
    (source, delegated(&delegated_to_web))
}

/// Its pause ended in the transaction of the newest events.
#[track_caller]
fn goes_on(ledger: &Ledger, source: &str, why: &str) {
    let after = task(ledger, source);
    assert_eq!((&after["status"], &after["agent"]), (&json!("ready"), &json!("w1")), "{why}");
    let over = ledger.newest_event(source);
    assert_eq!(over["kind"], "task_unblocked", "{why}");
    let newest = ledger.events_after(ledger.events() - 1);
    assert_eq!(over["correlation_id"], newest[0]["correlation_id"], "{why}");
}

#[test]
fn a_paused_source_goes_on_when_the_project_of_its_part_goes_row_d10() {
    let ledger = ledger();
    let _created = answer(&ledger, "project create shelf");
    let settled = ledger.add(&["-P", "api", "-s", "done"]);
    let ways = [
        "project delete web --archive-tasks --edges keep",
        "project delete web --archive-tasks --edges settle",
        "project delete web --archive-tasks --rewrite-deps DONE",
        "project delete web --delete-tasks --edges keep",
        "project delete web --delete-tasks --edges settle",
        "project delete web --delete-tasks --rewrite-deps DONE",
        "project delete web --move-to shelf --edges settle",
        "project delete web --move-to shelf --rewrite-deps DONE",
        "task move --all-from web shelf --edges settle",
        "task move --all-from web shelf --rewrite-deps DONE",
    ];
    for way in ways {
        let (source, _) = paused(&ledger);
        let _gone = answer(&ledger, &way.replace("DONE", &settled));
        goes_on(&ledger, &source, way);
        if way.starts_with("project") {
            let _again = answer(&ledger, "project create web");
        }
    }
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
}

#[test]
fn a_paused_source_stays_so_while_what_it_waits_for_is_open_wherever_that_goes_row_d10() {
    let ledger = ledger();
    let _created = answer(&ledger, "project create shelf");
    let open = ledger.add(&["-P", "api"]);
    let (moved, part) = paused(&ledger);
    let _gone = answer(&ledger, "project delete web --move-to shelf --edges keep");
    let _again = answer(&ledger, "project create web");
    let (rewritten, _) = paused(&ledger);
    let line = format!("project delete web --delete-tasks --rewrite-deps {open}");
    let _gone = answer(&ledger, &line);
    for (source, waits_for) in [(moved, part), (rewritten, open)] {
        assert_eq!(ledger.status(&source), "blocked");
        let _done = answer(&ledger, &format!("task set-status {waits_for} done"));
        goes_on(&ledger, &source, "now it is settled");
    }
}

#[test]
fn a_paused_source_goes_on_when_its_part_is_handed_off_row_d10() {
    let ledger = ledger();
    let (source, part) = paused(&ledger);
    let _claimed = answer(&ledger, &format!("task claim {part} --agent w2"));
    let handed = handoff(&ledger, &part, "-P web --author w2");
    goes_on(&ledger, &source, "handoff");
    assert_eq!(ledger.newest_event(&source)["correlation_id"], handed["correlation_id"]);
    assert_eq!(task(&ledger, &source)["open_dependencies"], 0, "not on the follow-on");
}

#[test]
fn a_paused_source_goes_on_only_when_its_last_part_is_settled_row_d10() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let parts =
        [(); 2].map(|()| delegated(&delegate(&ledger, &source, "--pause-parent --auto-unpause")));
    let _first = answer(&ledger, &format!("task set-status {} done", parts[0]));
    assert_eq!(ledger.status(&source), "blocked");
    let _second = answer(&ledger, &format!("task set-status {} done", parts[1]));
    assert_eq!(ledger.status(&source), "ready");
}

#[test]
fn by_the_settings_every_pause_ends_by_itself_row_d10() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let line = format!("workflow run delegate --from {source} --title part --pause-parent");
    let paused =
        run(&ledger, &line).env("WINDLASS_WORKFLOWS_AUTO_UNPAUSE", "true").run().ok().json();
    assert_eq!(paused["auto_unpause"], true);
    let _done = answer(&ledger, &format!("task archive {}", delegated(&paused)));
    assert_eq!(ledger.status(&source), "ready");
}

#[test]
fn a_source_blocked_by_hand_is_unblocked_by_hand_row_d10() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let _blocked = answer(&ledger, &format!("task block {source}"));
    let paused = delegate(&ledger, &source, "--pause-parent --auto-unpause");
    assert_eq!(paused["auto_unpause"], false, "something else stops it too");
    assert!(text(&paused["note"]).contains("by hand"), "{paused}");
    let events = ledger.events_after(0);
    let blocked = events.iter().rfind(|event| event["kind"] == "task_blocked").unwrap();
    assert!(text(&blocked["data"]["reason"]).starts_with("paused for delegated"), "{blocked}");
    let _done = answer(&ledger, &format!("task archive {}", delegated(&paused)));
    assert_eq!(ledger.status(&source), "blocked");
}

#[test]
fn a_plain_pause_that_cancels_an_earlier_auto_unpause_says_so_row_d10() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let first = delegate(&ledger, &source, "--pause-parent --auto-unpause");
    assert_eq!(first["note"], Value::Null);
    let second = delegate(&ledger, &source, "--pause-parent");
    assert_eq!(second["auto_unpause"], false);
    assert!(text(&second["note"]).contains("earlier pause"), "{second}");
}

#[test]
fn a_subtask_that_cannot_have_one_is_shown_a_way_that_delegate_has_row_d2() {
    let ledger = ledger();
    let parent = ready(&ledger, &[]);
    let source = ledger.add(&["--parent", &parent]);
    let line = format!("workflow run delegate --from {source} --title part --as-subtask");
    let error = refused(&ledger, &line, "subtask_depth", 3);
    assert!(text(&error["hint"]).contains("--as-subtask"), "{error}");
}

#[test]
fn a_pause_that_cannot_end_by_itself_is_refused_row_d10() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    for rest in ["--auto-unpause", "--auto-unpause --pause-parent --no-depends"] {
        let line = format!("workflow run delegate --from {source} --title part {rest}");
        let _wrong = refused(&ledger, &line, "usage", 2);
    }
}

#[test]
fn a_finished_source_gives_nothing_away_and_nothing_is_left_row_d11() {
    let ledger = ledger();
    let done = ledger.add(&["-P", "api", "-s", "done"]);
    let archived = ready(&ledger, &[]);
    let _archived = answer(&ledger, &format!("task archive {archived}"));
    for source in [done, archived] {
        for rest in ["", " --no-depends", " --as-subtask", " --pause-parent"] {
            let line = format!("workflow run delegate --from {source} --title part{rest}");
            let _finished = refused(&ledger, &line, "invalid_transition", 3);
        }
    }
}

#[test]
fn a_delegation_is_one_transaction_row_d11() {
    let ledger = ledger();
    let source = held(&ledger, &[]);
    let before = ledger.events();
    let made = delegate(&ledger, &source, "--pause-parent --checkpoint note --author w1");
    let events = ledger.events_after(before);
    let expected =
        ["task_created", "dependency_added", "checkpoint_recorded", "task_blocked", "workflow_ran"];
    assert_eq!(kinds(&events), expected);
    assert!(events.iter().all(|event| event["correlation_id"] == made["correlation_id"]));
    assert!(events.iter().all(|event| event["at"] == events[0]["at"]), "at one moment");
}
