//! What a prompt written for HZL relies on, once `hzl` is replaced by `windlass`: its commands and
//! flags, the keys of its answers, the meaning of its exit codes.
//!
//! The tests follow the tables of contract HZL, sections 1.1, 1.2 and 6; every name says which row.
//! Where HZL itself fails a check of section 6, the comment says so.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape ends its test"
)]

use serde_json::{Value, json};
use windlass_domain::Time;
use windlass_testkit::postgres::shared;
use windlass_testkit::{Home, Outcome};
use windlass_tests::ledgers::{Ledger, error_of, rows, text};

/// Looks like an id, but nobody has it.
const NOBODYS_ID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// The run of a line as somebody would type it, with words replaced.
#[track_caller]
fn run(ledger: &Ledger, line: &str, words: &[(&str, &str)]) -> Outcome {
    let meant = |word| words.iter().find(|(name, _)| *name == word).map_or(word, |(_, is)| *is);
    ledger.windlass(&line.split_whitespace().map(meant).collect::<Vec<_>>()).run()
}

/// The answer to a line that must succeed.
#[track_caller]
fn answer(ledger: &Ledger, line: &str, words: &[(&str, &str)]) -> Value {
    run(ledger, line, words).ok().json()
}

/// All of these keys are there; there may be more.
#[track_caller]
fn has(value: &Value, keys: &str) {
    for key in keys.split(',') {
        assert!(value.get(key).is_some(), "no {key} in {value}");
    }
}

/// The answer to a line, known to have these keys.
#[track_caller]
fn answer_with(ledger: &Ledger, line: &str, words: &[(&str, &str)], keys: &str) -> Value {
    let answer = answer(ledger, line, words);
    has(&answer, keys);
    answer
}

/// A task in that status; in progress and blocked ones are ada's.
#[track_caller]
fn task_in(ledger: &Ledger, status: &str) -> String {
    match status {
        "in_progress" => ledger.add(&["-s", "in_progress", "--agent", "ada"]),
        "blocked" => {
            let task = task_in(ledger, "in_progress");
            answer(ledger, "task block TASK", &[("TASK", &task)]);
            task
        }
        other => ledger.add(&["-s", other]),
    }
}

/// Milliseconds from one time to another.
#[track_caller]
fn span(from: &Value, to: &Value) -> i64 {
    let time = |value: &Value| Time::parse("time", value.as_str().unwrap()).unwrap();
    time(to).millis_since(time(from))
}

/// The ids of an array of tasks.
fn ids(tasks: &Value) -> Vec<String> {
    tasks.as_array().into_iter().flatten().map(|task| text(&task["task_id"])).collect()
}

// 1.1 Global

#[test]
fn global_a_success_is_one_object_on_one_line_without_an_envelope() {
    let ledger = Ledger::on_sqlite();
    let outcome = ledger.windlass(&["task", "add", "a task"]).run().ok();
    assert_eq!(outcome.stdout.lines().count(), 1, "{outcome}");
    let answer = outcome.json();
    assert!(answer["task_id"].is_string(), "{answer}");
    assert_eq!((&answer["ok"], &answer["data"]), (&Value::Null, &Value::Null), "{answer}");
}

#[test]
fn global_an_error_is_one_object_on_stdout_with_its_code_message_details_and_suggestions() {
    let ledger = Ledger::on_sqlite();
    let outcome = ledger.windlass(&["task", "show", NOBODYS_ID]).run();
    assert_eq!(outcome.stdout.lines().count(), 1, "{outcome}");
    let document = outcome.json();
    has(&document, "schema_version,ok,error");
    assert_eq!(document["ok"], false);
    has(&document["error"], "code,message,details,suggestions");
    assert_eq!(outcome.stderr, "", "{outcome}");
}

#[test]
fn global_options_stand_before_or_after_the_command() {
    let home = Home::new();
    let db = home.work().join("own.db").display().to_string();
    for line in [["--db", &db, "which-db"], ["which-db", "--db", &db]] {
        let which = home.windlass(&line).run().ok().json();
        assert_eq!(which["eventsDbPath"], db.as_str());
    }
}

#[test]
fn global_json_is_taken_as_a_flag() {
    let ledger = Ledger::on_sqlite();
    has(&answer(&ledger, "task list --json", &[]), "tasks");
}

#[test]
fn global_a_time_is_utc_with_milliseconds() {
    let ledger = Ledger::on_sqlite();
    let added = answer(&ledger, "task add x", &[]);
    let at = text(&added["created_at"]);
    assert!(at.len() == "2026-01-01T00:00:00.000Z".len() && at.ends_with('Z'), "{at}");
}

/// Section 6, prefix resolution, ambiguity, empty prefix. HZL fails this check: it takes the empty
/// prefix.
#[test]
fn global_ids_a_unique_prefix_will_do_and_an_ambiguous_or_empty_one_will_not() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&[]);
    for prefix in [task[..8].to_owned(), task[..12].to_lowercase()] {
        let shown = answer(&ledger, "task show ID", &[("ID", &prefix)]);
        assert_eq!(shown["task"]["task_id"], task.as_str());
    }
    let before = ledger.events();
    let outcome = run(&ledger, "task add x --depends-on EMPTY", &[("EMPTY", "")]);
    let _error = error_of(&outcome, "id_too_short", 3);

    let other = ledger.add(&[]);
    let outcome = run(&ledger, "task complete ID", &[("ID", &task[..4])]);
    let error = error_of(&outcome, "id_ambiguous", 3);
    let message = text(&error["message"]);
    assert!(message.contains(&task) && message.contains(&other), "{message}");
    assert_eq!(error["suggestions"].as_array().map(Vec::len), Some(2), "{error}");
    // Only the two `task add` were recorded, the first with its inbox.
    assert_eq!(ledger.events(), before + 1);
}

#[test]
fn global_a_bare_number_is_minutes_in_a_lease_and_in_stale_after() {
    let ledger = Ledger::on_sqlite();
    for (given, minutes) in [("30", 30), ("30m", 30), ("2h", 120)] {
        let added = answer(&ledger, "task add x -s ready --stale-after SPAN", &[("SPAN", given)]);
        assert_eq!(added["stale_after_minutes"], minutes, "{given}");
        let words = [("TASK", text(&added["task_id"])), ("SPAN", given.to_owned())];
        let words = words.each_ref().map(|(name, is)| (*name, is.as_str()));
        let claimed = answer(&ledger, "task claim TASK --agent ada -l SPAN", &words);
        let task = &claimed["task"];
        assert_eq!(span(&task["claimed_at"], &task["lease_until"]), minutes * 60_000, "{given}");
    }
}

/// Section 1.1, exit codes, as far as they mean the same. READY, HELD and DONE are tasks.
const EXITS: &str = "
command                                 | exit
----------------------------------------|-----
project list                            | 0
task list                               | 0
task claim --next --agent a -P empty    | 0
                                        | 2
task                                    | 2
tusk list                               | 2
task add                                | 2
task add x --colour red                 | 2
task claim --agent a                    | 2
task add x -s sideways                  | 3
task add x -p 9                         | 3
task list --limit 0                     | 3
task list --page 0                      | 3
task claim READY --agent a --lease soon | 3
task claim HELD --agent b               | 3
task complete READY                     | 3
task release READY                      | 3
task unblock READY                      | 3
task reopen READY                       | 3
task add-dep READY READY                | 3
task steal HELD --if-expired --agent b  | 3
task show 01ARZ3NDEKTSV4RRFFQ69G5FAV    | 4
task complete 01ARZ3NDEKTSV4RRFFQ69G5FAV | 4
project show nowhere                    | 4
";

#[test]
fn exit_codes_0_2_3_and_4_mean_what_they_mean_in_hzl() {
    let ledger = Ledger::on_sqlite();
    answer(&ledger, "project create empty", &[]);
    let [ready, held, done] =
        ["ready", "in_progress", "done"].map(|status| task_in(&ledger, status));
    let words = [("READY", ready.as_str()), ("HELD", &held), ("DONE", &done)];
    for [line, exit] in rows(EXITS) {
        let outcome = run(&ledger, line, &words);
        assert_eq!(outcome.code.map(|code| code.to_string()).as_deref(), Some(exit), "{outcome}");
    }
}

// 1.2 Setup and health

#[track_caller]
fn init_is_idempotent(ledger: &Ledger, created: bool) {
    let keys = "eventsDbPath,cacheDbPath,created,source,mode,encrypted";
    let first = answer_with(ledger, "init", &[], keys);
    assert_eq!((&first["created"], &first["source"]), (&json!(created), &json!("env")), "{first}");
    let second = answer(ledger, "init --local --yes", &[]);
    assert_eq!(second["created"], false, "{second}");
    assert_eq!(ledger.events(), 0);
}

#[test]
fn init_makes_the_ledger_once_and_says_where() {
    init_is_idempotent(&Ledger::on_sqlite(), true);
    if let Some(ledger) = Ledger::on_postgres() {
        init_is_idempotent(&ledger, false);
    }
}

#[test]
fn init_points_to_db_migrate_where_the_database_is_shared() {
    let Some(server) = shared() else { return };
    let (home, database) = (Home::new(), server.empty_database());
    let error = error_of(&home.windlass(&["init"]).db(&database.url).run(), "ledger_unmigrated", 5);
    assert!(text(&error["hint"]).contains("windlass db migrate"), "{error}");
    let which = home.windlass(&["which-db"]).db(&database.url).run().ok().json();
    assert_eq!(which["exists"], false, "{which}");
}

#[test]
fn init_refuses_what_it_would_not_do_and_repeats_no_secret() {
    let ledger = Ledger::on_sqlite();
    for flags in [
        &["--force"][..],
        &["-f", "-y"],
        &["--reset-config"],
        &["--sync-url", "libsql://canary"],
        &["--auth-token", "canary"],
        &["--encryption-key", "canary"],
    ] {
        let outcome = ledger.windlass(&[&["init"], flags].concat()).run();
        let error = error_of(&outcome, "not_here", 2);
        assert!(!error.to_string().contains("canary"), "{error}");
    }
    assert_eq!(answer(&ledger, "which-db", &[])["exists"], false);
}

#[test]
fn which_db_names_the_ledger_and_what_decided() {
    let keys = "eventsDbPath,cacheDbPath,eventsDbExists,cacheDbExists";
    let ledger = Ledger::on_sqlite();
    let which = answer_with(&ledger, "which-db", &[], keys);
    assert_eq!(which["eventsDbPath"], ledger.address.as_str());
    assert_eq!(which["eventsDbExists"], false);
    assert_eq!((&which["source"], &which["origin"]), (&json!("env"), &json!("WINDLASS_DB")));
    ledger.add(&[]);
    assert_eq!(answer(&ledger, "which-db", &[])["eventsDbExists"], true);

    let default = Home::new().windlass(&["which-db"]).run().ok().json();
    assert_eq!(default["source"], "default", "{default}");
    let gone = ["--db", "postgres://ada:canary@127.0.0.1:1/x", "which-db"];
    let gone = Home::new().windlass(&gone).run().ok().json();
    assert_eq!((&gone["source"], &gone["exists"]), (&json!("cli"), &Value::Null), "{gone}");
    assert!(!gone.to_string().contains("canary"), "{gone}");
}

#[track_caller]
fn status_counts(ledger: &Ledger) {
    task_in(ledger, "ready");
    task_in(ledger, "done");
    let status = answer_with(ledger, "status", &[], "success,data");
    let data = &status["data"];
    has(data, "mode,eventsDb,cacheDb");
    assert_eq!(status["success"], true);
    assert_eq!((&data["projects"], &data["tasks"]["ready"]), (&json!(1), &json!(1)), "{data}");
    assert_eq!(data["head"], ledger.answer(&["audit", "head"]), "{data}");
}

#[test]
fn status_shows_mode_database_head_and_tasks() {
    let ledger = Ledger::on_sqlite();
    let before = &answer(&ledger, "status", &[])["data"];
    assert_eq!((&before["exists"], &before["size_bytes"]), (&json!(false), &json!(0)));
    status_counts(&ledger);
    assert!(answer(&ledger, "status", &[])["data"]["size_bytes"].as_u64() > Some(0));
    if let Some(ledger) = Ledger::on_postgres() {
        status_counts(&ledger);
        assert_eq!(answer(&ledger, "status", &[])["data"]["mode"], "remote-only");
    }
}

#[test]
fn config_answers_db_with_value_and_source() {
    let ledger = Ledger::on_sqlite();
    let config = answer(&ledger, "config", &[]);
    assert_eq!(config["db"], json!({ "value": ledger.address, "source": "WINDLASS_DB" }));
}

#[test]
fn doctor_answers_success_status_mode_and_checks_by_name() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&[]);
    let examined = answer_with(&ledger, "doctor", &[], "success,status,mode,checks");
    assert_eq!(examined["status"], "healthy");
    for (name, check) in examined["checks"].as_object().unwrap() {
        assert_eq!(check["status"], "pass", "{name}");
    }
}

#[test]
fn validate_answers_is_valid_issues_cycles_and_missing_deps() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&[]);
    let validated = answer_with(&ledger, "validate", &[], "isValid,issues,cycles,missingDeps");
    assert_eq!(validated["isValid"], true);
}

#[test]
fn guide_is_text_for_an_agent() {
    let ledger = Ledger::on_sqlite();
    let guide = text(&answer(&ledger, "guide", &[])["guide"]);
    for word in ["claim", "fence", "checkpoint", "complete", "stale_claim"] {
        assert!(guide.contains(word), "{word}");
    }
    let printed = run(&ledger, "guide --format text", &[]).ok().stdout;
    assert_eq!(printed.trim(), guide.trim());
}

/// The words of a line with quotes around some of them.
fn shell_words(line: &str) -> Vec<&str> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

#[test]
fn guide_has_only_commands_that_there_are() {
    let ledger = Ledger::on_sqlite();
    answer(&ledger, "project create api", &[]);
    let (task, other) = (ledger.add(&["-P", "api", "-s", "ready"]), ledger.add(&[]));
    let words = [("TASK", task.as_str()), ("OTHER", &other), ("PROJECT", "api")];
    let guide = text(&answer(&ledger, "guide", &[])["guide"]);
    let lines: Vec<&str> =
        guide.lines().filter_map(|line| line.strip_prefix("    windlass ")).collect();
    assert!(lines.len() >= 8, "{lines:?}");
    for line in lines {
        let meant = |word| words.iter().find(|(name, _)| *name == word).map_or(word, |(_, is)| *is);
        let given: Vec<&str> = shell_words(line).into_iter().map(meant).collect();
        let outcome = ledger.windlass(&given).env("WINDLASS_AGENT", "ada").run();
        // What comes later in the guide may be refused because of what came before.
        assert!(matches!(outcome.code, Some(0 | 3)), "{outcome}");
    }
}

#[test]
fn sync_lock_and_sample_project_say_what_to_use_instead_whatever_follows() {
    let ledger = Ledger::on_sqlite();
    for (line, instead) in [
        ("sync", "PostgreSQL"),
        ("sync --conflict-strategy discard-local --force", "windlass export"),
        ("lock status", "windlass doctor"),
        ("lock clear -f", "windlass doctor"),
        ("sample-project create", "windlass demo"),
        ("sample-project reset", "windlass demo"),
    ] {
        let error = error_of(&run(&ledger, line, &[]), "not_here", 2);
        assert!(text(&error["hint"]).contains(instead), "{error}");
    }
}

// 1.2 Projects

#[test]
fn project_create_list_show_and_rename_answer_with_their_keys() {
    let ledger = Ledger::on_sqlite();
    let keys = "name,description,is_protected,created_at";
    let created = answer_with(&ledger, "project create research -d notes", &[], keys);
    assert_eq!(
        (&created["name"], &created["description"]),
        (&json!("research"), &json!("notes")),
        "{created}"
    );
    answer(&ledger, "task add x -P research -s blocked", &[]);
    let listed = answer_with(&ledger, "project list", &[], "projects");
    let keys = "name,description,is_protected,task_count,archived_task_count,active_task_count";
    has(&listed["projects"][0], keys);
    let shown = answer_with(&ledger, "project show research", &[], "project,statuses");
    has(&shown["project"], "name,description,created_at,is_protected");
    has(&shown["statuses"], "backlog,ready,in_progress,blocked,done,archived");
    assert_eq!(shown["statuses"]["blocked"], 1);
    let renamed = answer(&ledger, "project rename research library", &[]);
    assert_eq!(renamed, json!({ "old_name": "research", "new_name": "library" }));
}

#[test]
fn project_inbox_is_made_at_first_use_and_protected() {
    let ledger = Ledger::on_sqlite();
    assert_eq!(answer(&ledger, "task add x", &[])["project"], "inbox");
    assert_eq!(answer(&ledger, "project show inbox", &[])["project"]["is_protected"], true);
    let _error = error_of(&run(&ledger, "project rename inbox x", &[]), "project_protected", 3);
    let _error = error_of(&run(&ledger, "task add x -P nowhere", &[]), "project_not_found", 4);
}

// 1.2 Tasks

#[test]
fn task_add_takes_every_flag_and_answers_with_its_keys() {
    let ledger = Ledger::on_sqlite();
    answer(&ledger, "project create api", &[]);
    let first = ledger.add(&["-P", "api"]);
    let line = "task add title -P api -d text -l a.md,b.md -t x,y -p 2 --depends-on FIRST \
                -s ready --agent ada --author bob --comment hello --stale-after 2h";
    let keys = "task_id,title,project,status,priority,tags,parent_id,agent";
    let added = answer_with(&ledger, line, &[("FIRST", &first)], keys);
    let expected = json!({
        "title": "title", "project": "api", "status": "ready", "priority": 2,
        "tags": ["x", "y"], "parent_id": null, "agent": "ada",
        "links": ["a.md", "b.md"], "description": "text", "stale_after_minutes": 120,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&added[key], value, "{key}");
    }
    let shown = answer(&ledger, "task show TASK", &[("TASK", &text(&added["task_id"]))]);
    let comment = &shown["comments"][0];
    assert_eq!((&comment["text"], &comment["author"]), (&json!("hello"), &json!("bob")));
}

#[test]
fn task_add_with_a_parent_goes_to_the_project_of_the_parent() {
    let ledger = Ledger::on_sqlite();
    answer(&ledger, "project create api", &[]);
    let parent = ledger.add(&["-P", "api"]);
    let added = answer(&ledger, "task add x --parent PARENT", &[("PARENT", &parent)]);
    assert_eq!((&added["project"], &added["parent_id"]), (&json!("api"), &json!(parent)));
}

#[test]
fn task_add_in_progress_belongs_to_the_agent_or_else_the_author() {
    let ledger = Ledger::on_sqlite();
    for (line, agent) in [
        ("task add x -s in_progress --agent ada --author bob", "ada"),
        ("task add x -s in_progress --assignee ada", "ada"),
        ("task add x -s in_progress --author bob", "bob"),
    ] {
        assert_eq!(answer(&ledger, line, &[])["agent"], agent, "{line}");
    }
}

#[test]
fn task_add_and_update_take_the_progress_that_the_help_of_hzl_promises() {
    let ledger = Ledger::on_sqlite();
    let added = answer(&ledger, "task add x -s in_progress --agent ada --progress 20", &[]);
    assert_eq!(added["progress"], 20);
    let task = text(&added["task_id"]);
    let updated = answer(&ledger, "task update TASK --progress 40", &[("TASK", &task)]);
    assert_eq!((&updated["progress"], &updated["changed"]), (&json!(40), &json!(["progress"])));
    // Progress is a word of the holder, also by this way.
    let line = "task update TASK --progress 60 --author bob";
    let _error = error_of(&run(&ledger, line, &[("TASK", &task)]), "stale_claim", 3);
    for line in ["task add x --progress 101", "task add x -s done --progress 50"] {
        let _error = error_of(&run(&ledger, line, &[]), "invalid_value", 3);
    }
}

#[test]
fn task_claim_answers_with_its_keys_and_a_decision_trace() {
    let ledger = Ledger::on_sqlite();
    let task = task_in(&ledger, "ready");
    let next: Vec<String> = (0..4).map(|_| task_in(&ledger, "ready")).collect();
    let keys = "task_id,title,status,agent,lease_until,task,decision_trace";
    let line = "task claim --next --agent ada --lease 30 --no-stagger";
    let claimed = answer_with(&ledger, line, &[], keys);
    assert_eq!((&claimed["task_id"], &claimed["agent"]), (&json!(task), &json!("ada")));
    has(&claimed["task"], "task_id,title,project,status,priority,agent,due_at,tags,lease_until");
    let trace = &claimed["decision_trace"];
    has(trace, "version,mode,filters,eligibility,outcome,alternatives");
    assert_eq!((&trace["version"], &trace["mode"]), (&json!("v1"), &json!("next")));
    let required = "status_ready_required,dependencies_done_required,leaf_only_required";
    has(&trace["eligibility"], required);
    has(&trace["outcome"], "selected,reason_code,reason,task_id");
    assert_eq!(trace["outcome"]["reason_code"], "claimed");
    assert_eq!(ids(&trace["alternatives"]), next[..3]);
    has(&trace["alternatives"][0], "task_id,reason_code,reason");
    assert_eq!(trace["alternatives"][0]["reason_code"], "eligible");
}

#[test]
fn task_claim_by_id_is_explicit_and_start_is_the_same() {
    let ledger = Ledger::on_sqlite();
    for line in ["task claim TASK --agent ada", "task start TASK --agent ada -l 30"] {
        let task = task_in(&ledger, "ready");
        let claimed = answer(&ledger, line, &[("TASK", &task)]);
        assert_eq!(claimed["status"], "in_progress");
        assert_eq!(claimed["decision_trace"]["mode"], "explicit");
    }
}

#[test]
fn task_claim_with_nothing_available_is_all_null_but_the_trace_and_exits_0() {
    let ledger = Ledger::on_sqlite();
    let claimed = answer(&ledger, "task claim --next --agent ada", &[]);
    for key in ["task_id", "title", "status", "agent", "lease_until", "task"] {
        assert_eq!(claimed.get(key), Some(&Value::Null), "{key}");
    }
    let outcome = &claimed["decision_trace"]["outcome"];
    assert_eq!(
        (&outcome["selected"], &outcome["reason_code"]),
        (&json!(false), &json!("no_candidates"))
    );
}

#[test]
fn task_claim_refused_has_the_trace_in_the_details_of_the_error() {
    let ledger = Ledger::on_sqlite();
    let open = task_in(&ledger, "ready");
    let waiting = ledger.add(&["-s", "ready", "--depends-on", &open]);
    let parent = task_in(&ledger, "ready");
    ledger.add(&["--parent", &parent]);
    for (task, code, exit, reason) in [
        (task_in(&ledger, "backlog"), "invalid_transition", 3, "not_ready"),
        (task_in(&ledger, "in_progress"), "already_claimed", 3, "not_ready"),
        (waiting, "dependencies_open", 3, "dependency_blocked"),
        (parent, "children_open", 3, "has_children"),
        (NOBODYS_ID.to_owned(), "task_not_found", 4, "not_found"),
    ] {
        let outcome = run(&ledger, "task claim TASK --agent bob", &[("TASK", &task)]);
        let error = error_of(&outcome, code, exit);
        let trace = &error["details"]["decision_trace"];
        assert_eq!(trace["outcome"]["reason_code"], reason, "{error}");
        assert_eq!(trace["filters"], json!({ "task_id": task }), "{error}");
        let first = (reason == "dependency_blocked").then(|| open.clone());
        assert_eq!(ids(&trace["alternatives"]), Vec::from_iter(first), "{error}");
    }
}

#[test]
fn task_claim_and_start_take_an_agent_id_as_the_session_or_else_as_the_agent() {
    let ledger = Ledger::on_sqlite();
    for (line, agent) in [
        ("task claim TASK --agent ada --agent-id sitting-1", "ada"),
        ("task start TASK --agent ada --agent-id sitting-1", "ada"),
        ("task start TASK --agent-id sitting-1", "sitting-1"),
    ] {
        let task = task_in(&ledger, "ready");
        assert_eq!(answer(&ledger, line, &[("TASK", &task)])["agent"], agent, "{line}");
        let event = ledger.newest_event(&task);
        assert_eq!(
            (&event["session"], &event["agent_id"]),
            (&json!("sitting-1"), &event["session"])
        );
    }
}

#[test]
fn task_complete_release_reopen_block_unblock_and_archive_answer_with_the_new_status() {
    let ledger = Ledger::on_sqlite();
    for (from, line, to) in [
        ("in_progress", "task complete TASK --author ada --comment done", "done"),
        ("in_progress", "task release TASK --comment later --author ada", "ready"),
        ("done", "task reopen TASK", "ready"),
        ("done", "task reopen TASK -s backlog --comment again --author ada", "backlog"),
        ("in_progress", "task block TASK --comment why --author ada", "blocked"),
        ("blocked", "task unblock TASK --comment now --author ada", "in_progress"),
        ("blocked", "task unblock TASK --release", "ready"),
        ("done", "task archive TASK --comment old --author ada", "archived"),
    ] {
        let task = task_in(&ledger, from);
        let keys = "task_id,title,status,agent";
        let changed = answer_with(&ledger, line, &[("TASK", &task)], keys);
        assert_eq!((&changed["task_id"], &changed["status"]), (&json!(task), &json!(to)), "{line}");
    }
}

#[test]
fn task_set_status_answers_with_the_previous_status() {
    let ledger = Ledger::on_sqlite();
    let task = task_in(&ledger, "backlog");
    let keys = "task_id,title,status,previous_status";
    let words = [("TASK", task.as_str())];
    let set = answer_with(&ledger, "task set-status TASK ready --author ada", &words, keys);
    assert_eq!((&set["previous_status"], &set["status"]), (&json!("backlog"), &json!("ready")));
    let before = ledger.events();
    answer(&ledger, "task set-status TASK ready", &words);
    assert_eq!(ledger.events(), before);
}

#[test]
fn task_steal_answers_with_whom_it_was_stolen_from() {
    let ledger = Ledger::on_sqlite();
    let keys = "task_id,title,status,agent,stolen_from,lease_until";
    for line in [
        "task steal TASK --force --agent bob -l 30",
        "task steal TASK --force --owner bob --lease 30",
        "task steal TASK --force --author bob --lease 30",
    ] {
        let task = task_in(&ledger, "in_progress");
        let stolen = answer_with(&ledger, line, &[("TASK", &task)], keys);
        assert_eq!((&stolen["agent"], &stolen["stolen_from"]), (&json!("bob"), &json!("ada")));
        assert!(stolen["lease_until"].is_string(), "{stolen}");
    }
}

#[test]
fn task_update_takes_every_flag_and_empty_text_clears() {
    let ledger = Ledger::on_sqlite();
    let parent = ledger.add(&[]);
    let task = ledger.add(&[]);
    let words = [("TASK", task.as_str()), ("PARENT", &parent), ("EMPTY", "")];
    let keys = "task_id,title,description,links,priority,tags";
    let line = "task update TASK --title new --desc text -l a.md -p 3 --parent PARENT \
                --stale-after 30 --author ada";
    let updated = answer_with(&ledger, line, &words, keys);
    assert_eq!(
        (&updated["description"], &updated["priority"], &updated["stale_after_minutes"]),
        (&json!("text"), &json!(3), &json!(30))
    );
    // An option takes one value, so the task may stand behind it.
    let updated = answer(&ledger, "task update -t a,b TASK", &words);
    assert_eq!(updated["tags"], json!(["a", "b"]));
    let line = "task update TASK --desc EMPTY -l EMPTY -t EMPTY --parent EMPTY --clear-stale-after";
    let cleared = answer(&ledger, line, &words);
    assert_eq!((&cleared["links"], &cleared["tags"]), (&json!([]), &json!([])));
    assert_eq!(cleared["parent_id"], Value::Null);
    assert_eq!(cleared["stale_after_minutes"], Value::Null);
    assert!(cleared["description"].as_str().unwrap_or_default().is_empty(), "{cleared}");
}

#[test]
fn task_update_parent_moves_a_task_to_the_project_of_its_parent() {
    let ledger = Ledger::on_sqlite();
    answer(&ledger, "project create api", &[]);
    let (parent, task) = (ledger.add(&["-P", "api"]), ledger.add(&[]));
    let words = [("TASK", task.as_str()), ("PARENT", &parent)];
    let updated = answer(&ledger, "task update TASK --parent PARENT", &words);
    assert_eq!((&updated["project"], &updated["parent_id"]), (&json!("api"), &json!(parent)));
    assert_eq!(answer(&ledger, "project show inbox", &[])["project"]["task_count"], 0);
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
}

#[test]
fn task_add_dep_and_remove_dep_answer_with_both_ends() {
    let ledger = Ledger::on_sqlite();
    let (task, on) = (ledger.add(&[]), ledger.add(&[]));
    let words = [("TASK", task.as_str()), ("ON", &on)];
    let added = answer(&ledger, "task add-dep TASK ON --author ada", &words);
    assert_eq!(added, json!({ "task_id": task, "depends_on_id": on, "added": true }));
    let removed = answer(&ledger, "task remove-dep TASK ON --author ada", &words);
    assert_eq!(removed, json!({ "task_id": task, "depends_on_id": on, "removed": true }));
}

#[test]
fn task_comment_checkpoint_and_progress_answer_with_what_was_said() {
    let ledger = Ledger::on_sqlite();
    let task = task_in(&ledger, "in_progress");
    let words = [("TASK", task.as_str()), ("DATA", r#"{"next":"tests"}"#)];
    let said = answer(&ledger, "task comment TASK hello --author bob", &words);
    assert_eq!(said, json!({ "task_id": task, "text": "hello", "author": "bob" }));
    let line = "task checkpoint TASK half --data DATA --progress 50 --author ada";
    let saved = answer(&ledger, line, &words);
    let data = json!({ "next": "tests" });
    assert_eq!(saved, json!({ "task_id": task, "name": "half", "data": data, "progress": 50 }));
    let line = "task checkpoint TASK half --data [1]";
    let _error = error_of(&run(&ledger, line, &words), "invalid_value", 3);
    let keys = "task_id,title,progress";
    let progress = answer_with(&ledger, "task progress TASK 75 --author ada", &words, keys);
    assert_eq!(progress["progress"], 75);
}

#[test]
fn task_history_answers_with_the_events_and_their_time_author_and_data() {
    let ledger = Ledger::on_sqlite();
    let task = task_in(&ledger, "in_progress");
    answer(&ledger, "task comment TASK hello --author bob", &[("TASK", &task)]);
    let history =
        answer_with(&ledger, "task history TASK -l 10", &[("TASK", &task)], "task_id,events");
    let last = history["events"].as_array().unwrap().last().unwrap();
    has(last, "timestamp,author,data");
    assert_eq!((&last["author"], &last["data"]["text"]), (&json!("bob"), &json!("hello")));
}

// Section 6: checks for any binary with this command line

#[track_caller]
fn live_through(ledger: &Ledger) {
    answer(ledger, "project create coding", &[]);
    let added = answer(ledger, "task add feature -P coding -s ready -p 1", &[]);
    let task = text(&added["task_id"]);
    let words = [("TASK", task.as_str())];
    let status = |line: &str| text(&answer(ledger, line, &words)["status"]);

    let listed = answer(ledger, "task list -P coding --available", &[]);
    has(&listed, "tasks,total,page,limit,has_more");
    assert_eq!(ids(&listed["tasks"]), [task.as_str()]);
    assert_eq!(status("task claim --next -P coding --agent ada --lease 30"), "in_progress");
    answer(ledger, "task checkpoint TASK milestone --progress 50", &words);
    let shown = answer(ledger, "task show TASK --view standard", &words);
    has(&shown, "task,comments,checkpoints,subtasks");
    assert_eq!(shown["checkpoints"][0]["name"], "milestone");
    assert_eq!(status("task complete TASK --author ada"), "done");
    assert_eq!(status("task archive TASK"), "archived");
    assert_eq!(answer(ledger, "task list -P coding", &[])["total"], 0);
}

#[test]
fn check_lifecycle_round_trip_add_list_claim_checkpoint_complete_archive() {
    live_through(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        live_through(&ledger);
    }
}

#[track_caller]
fn give_out_in_order(ledger: &Ledger) {
    let low = ledger.add(&["-s", "ready"]);
    let second = ledger.add(&["-s", "ready", "-p", "2"]);
    let third = ledger.add(&["-s", "ready", "-p", "2"]);
    let due_later = ledger.add(&["-s", "ready", "-p", "2", "--due", "2031-01-01"]);
    let due = ledger.add(&["-s", "ready", "-p", "2", "--due", "2030-01-01"]);
    let high = ledger.add(&["-s", "ready", "-p", "3"]);
    let claim = || text(&answer(ledger, "task claim --next --agent ada", &[])["task_id"]);
    let given: Vec<String> = (0..6).map(|_| claim()).collect();
    assert_eq!(given, [high, due, due_later, second, third, low]);
}

#[test]
fn check_ranking_by_priority_then_due_then_created() {
    give_out_in_order(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        give_out_in_order(&ledger);
    }
}

#[test]
fn check_ranking_dependencies_gate_a_claim_until_they_are_done() {
    let ledger = Ledger::on_sqlite();
    let first = task_in(&ledger, "ready");
    let waiting = ledger.add(&["-s", "ready", "-p", "3", "--depends-on", &first]);
    let next = || answer(&ledger, "task claim --next --agent ada", &[])["task_id"].clone();
    assert_eq!(next(), first.as_str());
    assert_eq!(next(), Value::Null);
    answer(&ledger, "task complete TASK", &[("TASK", &first)]);
    assert_eq!(next(), waiting.as_str());
}

#[test]
fn check_ranking_only_leaves_are_given_out() {
    let ledger = Ledger::on_sqlite();
    let parent = ledger.add(&["-s", "ready", "-p", "3"]);
    let child = ledger.add(&["-s", "ready", "--parent", &parent]);
    let next = |line: &str| answer(&ledger, line, &[("PARENT", &parent)])["task_id"].clone();
    assert_eq!(next("task claim --next --parent PARENT --agent ada"), child.as_str());
    assert_eq!(next("task claim --next --agent ada"), Value::Null);
}

#[test]
fn check_ranking_a_claim_wants_all_of_the_tags() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&["-s", "ready", "-p", "3", "-t", "api"]);
    let both = ledger.add(&["-s", "ready", "-t", "api,web,slow"]);
    let claimed = answer(&ledger, "task claim --next -t api,web --agent ada", &[]);
    assert_eq!(claimed["task_id"], both.as_str());
    assert_eq!(claimed["decision_trace"]["filters"]["tags"], json!(["api", "web"]));
}

/// Whatever is refused, by the rules or by the limits; LONG is too long for any text. READY, HELD,
/// DONE and AWAY are tasks, WAITS waits for READY.
const REFUSED: &str = "
command                                            | code
---------------------------------------------------|-------------------
task add x --comment LONG                          | invalid_value
task add LONG                                      | invalid_value
task add x -d LONG                                 | invalid_value
task add x --depends-on 01ARZ3NDEKTSV4RRFFQ69G5FAV | task_not_found
task add x --parent 01ARZ3NDEKTSV4RRFFQ69G5FAV     | task_not_found
task add x -P nowhere                              | project_not_found
task add x -p 7                                    | invalid_value
task add x -s archived                             | invalid_value
task add x --progress 101                          | invalid_value
task add x -s in_progress                          | agent_required
task complete HELD --comment LONG                  | invalid_value
task complete HELD --author bob                    | stale_claim
task complete READY                                | invalid_transition
task release HELD --comment LONG                   | invalid_value
task release READY                                 | invalid_transition
task block HELD --comment LONG                     | invalid_value
task block DONE                                    | invalid_transition
task unblock HELD --comment LONG                   | invalid_value
task unblock READY                                 | invalid_transition
task reopen DONE --comment LONG                    | invalid_value
task reopen DONE -s done                           | invalid_value
task reopen READY                                  | invalid_transition
task archive READY --comment LONG                  | invalid_value
task archive AWAY                                  | invalid_transition
task set-status READY sideways                     | invalid_value
task set-status AWAY ready                         | invalid_transition
task set-status WAITS done                         | dependencies_open
task claim HELD --agent bob                        | already_claimed
task claim WAITS --agent bob                       | dependencies_open
task claim DONE --agent bob                        | invalid_transition
task claim READY                                   | agent_required
task claim READY --agent bob --agent-id LONG       | invalid_value
task claim READY --agent bob --lease 0             | invalid_value
task start HELD --agent bob                        | already_claimed
task steal HELD --agent bob --if-expired           | lease_not_expired
task steal READY --agent bob --force               | invalid_transition
task steal HELD --agent bob                        | usage
task update READY --title LONG                     | invalid_value
task update READY --parent READY                   | dependency_cycle
task update HELD --progress 10 --author bob        | stale_claim
task update AWAY --title x                         | task_archived
task add-dep READY READY                           | dependency_cycle
task add-dep READY WAITS                           | dependency_cycle
task add-dep READY 01ARZ3NDEKTSV4RRFFQ69G5FAV      | task_not_found
task remove-dep READY 01ARZ3NDEKTSV4RRFFQ69G5FAV   | task_not_found
task comment READY LONG                            | invalid_value
task comment 01ARZ3NDEKTSV4RRFFQ69G5FAV x          | task_not_found
task checkpoint READY LONG                         | invalid_value
task checkpoint HELD x --progress 200              | invalid_value
task checkpoint AWAY x                             | task_archived
task progress HELD 101                             | invalid_value
project create inbox                               | project_protected
project create LONG                                | invalid_value
project rename inbox x                             | project_protected
project rename nowhere x                           | project_not_found
init --force                                       | not_here
sync                                               | not_here
";

#[track_caller]
fn leave_no_trace(ledger: &Ledger) {
    let [ready, held, done, away] =
        ["ready", "in_progress", "done", "ready"].map(|status| task_in(ledger, status));
    answer(ledger, "task archive TASK", &[("TASK", &away)]);
    let waits = ledger.add(&["-s", "ready", "--depends-on", &ready]);
    let long = "x".repeat(17_000);
    let words = [
        ("READY", ready.as_str()),
        ("HELD", &held),
        ("DONE", &done),
        ("AWAY", &away),
        ("WAITS", &waits),
        ("LONG", &long),
    ];
    let before = ledger.answer(&["audit", "head"]);
    for [line, code] in rows(REFUSED) {
        let outcome = run(ledger, line, &words);
        assert_eq!(outcome.json()["error"]["code"], code, "{outcome}");
        assert_eq!(ledger.answer(&["audit", "head"]), before, "{line}");
    }
    // And no event is waiting to appear: the views are what the log says.
    assert_eq!(ledger.answer(&["doctor", "--rebuild"])["healthy"], true);
}

/// HZL fails this check: an over-long comment leaves its events in the log.
#[test]
fn check_a_failed_command_leaves_no_trace() {
    leave_no_trace(&Ledger::on_sqlite());
    if let Some(ledger) = Ledger::on_postgres() {
        leave_no_trace(&ledger);
    }
}

#[test]
fn check_dependencies_on_oneself_in_a_circle_or_on_nothing_are_refused() {
    let ledger = Ledger::on_sqlite();
    let first = ledger.add(&[]);
    let second = ledger.add(&["--depends-on", &first]);
    let third = ledger.add(&["--depends-on", &second]);
    let words = [("FIRST", first.as_str()), ("THIRD", &third), ("NOBODY", NOBODYS_ID)];
    for (line, code, exit) in [
        ("task add-dep FIRST FIRST", "dependency_cycle", 3),
        ("task add-dep FIRST THIRD", "dependency_cycle", 3),
        ("task add-dep FIRST NOBODY", "task_not_found", 4),
        ("task add x --depends-on NOBODY", "task_not_found", 4),
    ] {
        let _error = error_of(&run(&ledger, line, &words), code, exit);
    }
    assert_eq!(answer(&ledger, "validate", &[])["isValid"], true);
}

#[test]
fn check_dependencies_across_projects_gate_a_claim() {
    let ledger = Ledger::on_sqlite();
    for project in ["api", "web"] {
        answer(&ledger, "project create NAME", &[("NAME", project)]);
    }
    let api = ledger.add(&["-P", "api", "-s", "ready"]);
    let web = ledger.add(&["-P", "web", "-s", "ready"]);
    let words = [("API", api.as_str()), ("WEB", &web)];
    answer(&ledger, "task add-dep WEB API", &words);
    let next = || answer(&ledger, "task claim --next -P web --agent ada", &[])["task_id"].clone();
    assert_eq!(next(), Value::Null);
    answer(&ledger, "task set-status API done", &words);
    assert_eq!(next(), web.as_str());
}

/// What HZL repairs, by a prefix or a distance of two letters, into something of another meaning.
const NEAR_MISSES: &str = "
command
----------------------------
task done TASK
task mov TASK inbox
task ne
task add x --duee 2026-01-01
task add x --d 2026-01-01
task add x --dp own.db
task add x --ta a
task list --pag 1
task list --pages 1
task list -status ready
task complete TASK --comet x
task clam TASK --agent ada
hel task
";

/// HZL fails this check: it takes `task add x --due 2026-01-01` for `--db 2026-01-01` and writes to
/// a new file of that name.
#[test]
fn check_argument_repair_never_changes_a_flag_and_an_unknown_one_exits_2() {
    let ledger = Ledger::on_sqlite();
    let task = task_in(&ledger, "ready");
    let before = ledger.answer(&["audit", "head"]);
    for [line] in rows(NEAR_MISSES) {
        let _error = error_of(&run(&ledger, line, &[("TASK", &task)]), "usage", 2);
        assert_eq!(ledger.answer(&["audit", "head"]), before, "{line}");
    }
    let made = std::fs::read_dir(ledger.home.work()).unwrap().count();
    assert_eq!(made, 0, "a file was made");
    let added = answer(&ledger, "task add x --due 2026-01-01", &[]);
    assert_eq!(added["due_at"], "2026-01-01T00:00:00.000Z");
}
