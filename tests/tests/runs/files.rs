//! The files in `.hotl`: every key and line after every call, and whatever happens to them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_testkit::trace::{Hit, Trace};
use windlass_tests::ledgers::{error_of, text};

use crate::site::{FILE, GATED, Gates, LOW, Site, THREE, attested, enforced, one_step, workflow};

const KEYS: &str = "run_id workflow_path source_workflow_path source_branch source_head \
    workflow_slug intent success_criteria risk_level auto_approve branch repo_root execution_root \
    worktree_path executor_mode driver host policy budgets external_actions policy_pauses \
    controller ownership_required ownership_history revision started_at last_update completed_at \
    status current_step total_steps report_path finish steps";

const STEP_KEYS: &str = "number name action status attempts max_iterations loop started_at \
    completed_at verify gate gate_result gate_mode block_reason";

/// The keys that stand at this depth, in the order of the file.
fn keys_at(state: &str, indent: usize) -> Vec<&str> {
    let begin = format!("{}\"", " ".repeat(indent));
    let key = |line: &'_ str| line.strip_prefix(&begin)?.split_once('"').map(|(key, _)| key.len());
    let found = state.lines().filter_map(|line| {
        let length = key(line)?;
        line.get(begin.len()..begin.len() + length)
    });
    found.collect()
}

#[test]
fn a_state_file_has_every_key_in_its_order_after_every_call() {
    let site = enforced(&one_step("verify: \"true\"\n"));
    let expected: Vec<&str> = KEYS.split_whitespace().collect();
    let step: Vec<&str> = STEP_KEYS.split_whitespace().collect();
    for line in ["run list", "run step start 1", "run step verify 1"] {
        site.does(line);
        assert_eq!(keys_at(&site.state_text(), 2), expected, "{line}");
        let state = site.state_text();
        let (_, steps) = state.split_once("\n  \"steps\": [").unwrap();
        assert_eq!(keys_at(steps, 6), step, "{line}");
    }
    site.does("run finalize");
    let mut with_end = expected;
    with_end.insert(28, "finalized_at");
    assert_eq!(keys_at(&site.state_text(), 2), with_end);
}

#[test]
fn a_state_file_begins_with_revision_0_and_counts_every_call_that_changes_something() {
    let site = attested(GATED);
    let revision = || site.state()["revision"].as_u64().unwrap();
    assert_eq!(revision(), 0);
    let lines = ["run step start 1", "run step verify 1", "run gate 1 approved"];
    for (expected, line) in (1..).zip(lines) {
        site.does(line);
        assert_eq!(revision(), expected, "{line}");
    }
    site.does("run show");
    assert_eq!(revision(), 3);
}

#[test]
fn a_state_file_says_where_the_run_is() {
    let site = enforced(THREE);
    let state = site.state();
    let folder = text(&json!(site.folder().canonicalize().unwrap()));
    assert_eq!(state["workflow_path"], format!("{folder}/{FILE}"));
    assert_eq!(state["source_workflow_path"], state["workflow_path"]);
    assert_eq!((&state["repo_root"], &state["execution_root"]), (&json!(folder), &json!(folder)));
    let run = text(&state["run_id"]);
    assert_eq!(state["report_path"], format!("{folder}/.hotl/reports/{run}.md"));
    assert_eq!((&state["workflow_slug"], &state["branch"]), (&json!("demo"), &json!("hotl/demo")));
    assert!(run.starts_with("demo-") && run.ends_with('Z'), "{run}");
}

/// Puts something else in the place of a file.
#[track_caller]
fn replace(site: &Site, path: &Path, program: &str) {
    fs::remove_file(path).unwrap();
    let _made = site.ledger.home.program(program).args([path]).run().ok();
}

#[test]
fn what_is_no_file_in_the_place_of_a_state_file_is_another_hands_and_not_waited_for() {
    for (program, remove) in [("mkfifo", "rm"), ("mkdir", "rmdir")] {
        let site = enforced(THREE);
        let path = site.path("state");
        replace(&site, &path, program);
        let _refused = error_of(&site.call("run step start 1").run(), "run_edited", 3);
        let _removed = site.ledger.home.program(remove).args([&path]).run().ok();
        site.does("run step start 1");
        site.agrees();
    }
}

#[test]
fn a_pipe_in_the_place_of_a_report_is_not_waited_for() {
    let site = enforced(THREE);
    replace(&site, &site.path("reports"), "mkfifo");
    site.does("run step start 1");
    site.agrees();
}

#[test]
fn a_pipe_in_the_place_of_a_workflow_file_is_not_waited_for() {
    let site = enforced(THREE);
    replace(&site, &site.folder().join(FILE), "mkfifo");
    for line in ["run lint", "run start"] {
        let refused = site.call(&format!("{line} {FILE}")).run();
        let _refused = error_of(&refused, "file_unusable", 5);
    }
    site.does("run step start 1");
}

#[test]
fn what_another_program_writes_is_linted() {
    let site = enforced(THREE);
    let _sound = site.call("run lint /dev/stdin").stdin(workflow(LOW, THREE)).run().ok();
}

#[test]
fn times_are_whole_seconds_of_utc() {
    let site = enforced(THREE);
    let started = text(&site.state()["started_at"]);
    let form: String =
        started.chars().map(|letter| if letter.is_ascii_digit() { '9' } else { letter }).collect();
    assert_eq!(form, "9999-99-99T99:99:99+99:99");
    assert!(started.ends_with("+00:00"), "{started}");
}

/// The row of a step, and the last line of the log without its time.
#[track_caller]
fn told(site: &Site, step: usize) -> (String, String) {
    let report = site.report();
    let row = report.lines().find(|line| line.starts_with(&format!("|  {step}   |"))).unwrap();
    let log = report.lines().rfind(|line| line.starts_with("**[")).unwrap_or_default();
    let said = log.split_once("]** ").map_or("", |(_, said)| said);
    (row.to_owned(), said.to_owned())
}

#[test]
fn a_report_tells_every_transition_in_its_row_and_its_log() {
    let site = attested(THREE);
    assert_eq!(told(&site, 1), ("|  1   | Build | · Pending | - |".into(), String::new()));
    let rows = [
        ("run step start 1", "→ Running | 1", "→ Step 1: Build"),
        ("run step verify 1", "✗ Failed | 1", "✗ Step 1: Failed (1 attempt(s))"),
        ("run step retry 1", "↻ Retrying | 2", "↻ Step 1: Retrying (2/3)"),
        ("run step start 1", "→ Running | 2", "→ Step 1: Build"),
        ("run step block 1 --reason stuck", "✗ Blocked | -", "✗ Step 1: Blocked — stuck"),
        ("run step unblock 1 --reason found", "→ Running | 2", "Step 1: Unblocked — found"),
    ];
    for (line, cells, said) in rows {
        let _outcome = site.call(line).run();
        assert_eq!(told(&site, 1), (format!("|  1   | Build | {cells} |"), said.into()), "{line}");
    }
    site.has("one", "");
    let rows = [
        ("run step verify 1", "✓ Done | 2", "✓ Step 1: Done (2 attempt(s))"),
        ("run gate 1 approved", "✓ Approved | -", "Gate Step 1: approved (human)"),
        ("run gate 1 approved --mode auto", "⚡ Auto-approved | -", "Gate Step 1: approved (auto)"),
        ("run gate 1 rejected", "✗ Rejected | -", "Gate Step 1: rejected (human)"),
    ];
    for (line, cells, said) in rows {
        site.does(line);
        assert_eq!(told(&site, 1), (format!("|  1   | Build | {cells} |"), said.into()), "{line}");
    }
    site.does("run finalize");
    assert_eq!(told(&site, 1).1, "Run finalized: blocked");
    site.does("run finished kept --notes later");
    assert_eq!(told(&site, 1).1, "Finish recorded: kept");
    let outcome = site.report();
    let (_, outcome) = outcome.split_once("\n## Finish Outcome\n\n").unwrap();
    assert!(outcome.starts_with("**Disposition:** kept\n**Recorded:** "), "{outcome}");
    assert!(outcome.ends_with("**Notes:** later\n"), "{outcome}");
}

#[test]
fn a_report_has_its_lines_in_their_order_and_shows_what_a_failed_check_wrote() {
    let site = attested(&one_step("verify: echo seen; echo wrong >&2; exit 3\n"));
    site.does("run step start 1");
    let _failed = site.finds("run step verify 1");
    let report = site.report();
    let bold = report.lines().filter_map(|line| line.strip_prefix("**")?.split_once(":**"));
    let names: Vec<&str> = bold.map(|(name, _)| name).collect();
    let expected = "Workflow,Source Workflow,Intent,Branch,Executor,Execution Root,Started,Updated,\
                    Status";
    assert_eq!(names.join(","), expected);
    let run = text(&site.state()["run_id"]);
    assert!(report.starts_with(&format!("# Execution Report: {run}\n\n")), "{report}");
    assert!(report.contains("\n| Step | Name | Status | Iterations |\n"), "{report}");
    let shown = "✗ Step 1: Failed (1 attempt(s))\n  verify stderr: wrong\n  verify stdout: seen\n";
    assert!(report.contains(shown), "{report}");
}

#[test]
fn a_report_with_every_detail_shows_what_a_check_wrote_that_passed() {
    let front = "risk_level: low\nreport_detail: full\n";
    let site = Site::with(Gates::Enforced, front, &one_step("verify: echo seen\n"));
    site.completes(1);
    assert!(site.report().contains("  verify stdout: seen\n"), "{}", site.report());
}

/// Kills a call at the moment in which it puts a file of that kind into its place.
#[track_caller]
fn kill_before_rename(site: &Site, line: &str, kind: &str) {
    let new = beside(&site.path(kind));
    let trace = Trace::of(site.call(line)).calls(&["rename"]).only_on(new);
    assert_eq!(trace.kill_at("rename", 1).hit, Hit::Killed);
}

#[test]
fn files_that_a_killed_call_left_behind_are_repaired_by_the_next() {
    for kind in ["state", "reports"] {
        let site = enforced(THREE);
        let before = site.state_text();
        kill_before_rename(&site, "run step start 1", kind);
        assert_eq!(site.state_text(), before, "{kind}: the file is old and whole");
        site.has("one", "");
        site.does("run step verify 1");
        site.agrees();
        assert_eq!(
            (&site.step(1)["status"], &site.step(1)["attempts"]),
            (&json!("done"), &json!(1))
        );
        assert_eq!(site.count("step_started"), 1);
    }
}

#[test]
fn files_that_a_killed_call_left_behind_are_repaired_even_by_a_call_that_is_refused() {
    for kind in ["state", "reports"] {
        let site = enforced(THREE);
        kill_before_rename(&site, "run step start 1", kind);
        let outcome = site.call("run step start 1").run();
        let _refused = error_of(&outcome, "invalid_transition", 3);
        assert_eq!(site.step(1)["status"], "in_progress", "{kind}");
        site.agrees();
    }
}

#[test]
fn a_report_that_was_deleted_cut_or_replaced_is_written_again() {
    let site = enforced(THREE);
    let report = site.path("reports");
    let spoil: [fn(&Path); 4] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "# Exec").unwrap(),
        |path| fs::write(path, b"\xff\xfe of another").unwrap(),
        |path| {
            let mut read_only = fs::metadata(path).unwrap().permissions();
            read_only.set_readonly(true);
            fs::set_permissions(path, read_only).unwrap();
        },
    ];
    for spoil in spoil {
        spoil(&report);
        site.does("run step block 2 --reason x");
        site.agrees();
    }
}

#[test]
fn a_state_file_that_was_deleted_is_written_again() {
    let site = enforced(THREE);
    fs::remove_file(site.path("state")).unwrap();
    site.does("run step start 1");
    site.agrees();
    fs::remove_file(site.path("state")).unwrap();
    // A call that is refused puts it back, too.
    let outcome = site.call("run step start 1").run();
    let _refused = error_of(&outcome, "invalid_transition", 3);
    site.agrees();
}

#[test]
fn a_folder_that_was_removed_and_made_again_has_its_run_again() {
    let site = enforced(THREE);
    site.does("run step start 1");
    let folder = site.folder();
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    site.has("one", "");
    site.does("run step verify 1");
    site.agrees();
    assert_eq!(site.step(1)["attempts"], 1);
}

/// Whether a check passes in an empty folder says nothing of the one that is gone.
#[test]
fn a_folder_that_is_gone_is_told_and_not_made_again() {
    let site = enforced(&one_step("verify: \"true\"\n"));
    let run = text(&site.state()["run_id"]);
    let elsewhere = |line: &str| {
        site.call(&format!("{line} --run-id {run}")).cwd(site.ledger.home.path()).run()
    };
    site.does("run step start 1");
    fs::remove_dir_all(site.folder()).unwrap();
    let error = error_of(&elsewhere("run step verify 1"), "file_unusable", 5);
    assert!(text(&error["message"]).ends_with("work: No such file or directory"), "{error}");
    assert!(!site.folder().exists());
    assert_eq!(elsewhere("run show").ok().json()["steps"][0]["status"], "in_progress");
    let _blocked = elsewhere("run step block 1 --reason gone").ok();
    assert!(!site.folder().exists());
    fs::create_dir(site.folder()).unwrap();
    let _unblocked = elsewhere("run step unblock 1 --reason back").ok();
    assert_eq!(site.says("run step verify 1"), "pass");
    site.agrees();
}

#[test]
fn a_call_elsewhere_finds_no_run() {
    let site = enforced(THREE);
    let call = site.call("run step start 1").cwd(site.ledger.home.path());
    let error = error_of(&call.run(), "run_not_found", 4);
    assert_eq!(error["message"], "No active HOTL run found in .hotl/state/");
}

/// Puts another text in the place of a part of the state file.
#[track_caller]
fn edit(site: &Site, from: &str, to: &str) {
    let state = site.state_text();
    assert!(state.contains(from), "{state}");
    fs::write(site.path("state"), state.replacen(from, to, 1)).unwrap();
}

#[test]
fn an_outside_edit_is_refused_recorded_once_and_its_difference_is_named() {
    let site = enforced(THREE);
    edit(&site, "\"status\": \"pending\"", "\"status\": \"done\"");
    let edited = site.state_text();
    for _ in 0..3 {
        let outcome = site.call("run step start 2").run();
        let error = error_of(&outcome, "run_edited", 3);
        assert_eq!(error["details"]["changed"], json!([".steps[0].status"]));
    }
    assert_eq!(site.count("run_edited"), 1);
    let events = site.ledger.events_after(0);
    let event = events.iter().find(|event| event["kind"] == "run_edited").unwrap();
    let difference = &event["data"]["difference"][0];
    let expected = json!({"path": ".steps[0].status", "before": "pending", "after": "done"});
    assert_eq!(difference, &expected);
    assert_eq!(site.state_text(), edited, "what another hand wrote is evidence");
    assert_eq!(site.does("run show")["steps"][0]["status"], "pending");

    fs::remove_file(site.path("state")).unwrap();
    let message = site.call("run step start 2").run();
    let _in_order = error_of(&message, "step_order", 3);
    site.does("run step start 1");
    site.agrees();
}

#[test]
fn another_outside_edit_is_recorded_too() {
    let site = enforced(THREE);
    for status in ["done", "failed"] {
        let was = if status == "done" { "pending" } else { "done" };
        edit(&site, &format!("\"status\": \"{was}\""), &format!("\"status\": \"{status}\""));
        let outcome = site.call("run step start 1").run();
        let _refused = error_of(&outcome, "run_edited", 3);
    }
    assert_eq!(site.count("run_edited"), 2);
}

#[test]
fn a_state_file_that_is_cut_or_of_something_else_is_an_outside_edit() {
    let contents: [&[u8]; 5] = [b"", b"{\"run_id\": \"demo", b"[1, 2]", b"null", b"\xff\xfe\x00"];
    for content in contents {
        let site = enforced(THREE);
        fs::write(site.path("state"), content).unwrap();
        let outcome = site.call("run step start 1").run();
        let _refused = error_of(&outcome, "run_edited", 3);
        assert_eq!(fs::read(site.path("state")).unwrap(), content);
        assert_eq!(site.count("run_edited"), 1);
        assert_eq!(site.count("step_started"), 0);
    }
}

#[test]
fn an_outside_edit_is_adopted_where_the_settings_say_so() {
    let site = enforced(THREE);
    edit(&site, "\"status\": \"pending\"", "\"status\": \"done\"");
    let adopt = |line: &str| site.call(line).env("WINDLASS_RUNS_OUTSIDE_EDITS", "adopt");
    let started = adopt("run step start 2").run().ok().json();
    assert_eq!(started["done"], "started step 2");
    assert_eq!(site.step(1)["status"], "done");
    assert_eq!(site.count("run_edited"), 1);
    site.agrees();
    assert!(
        site.report().contains("State file changed by another hand, taken over: .steps[0].status")
    );
    // The same hand again, on what was written since.
    site.does("run step block 2 --reason x");
    site.agrees();
}

#[test]
fn what_is_no_state_file_is_not_adopted() {
    let site = enforced(THREE);
    fs::write(site.path("state"), "{}").unwrap();
    let outcome = site.call("run step start 1").env("WINDLASS_RUNS_OUTSIDE_EDITS", "adopt").run();
    let _refused = error_of(&outcome, "import_invalid", 3);
    assert_eq!(site.count("step_started"), 0);
}

#[test]
fn marks_in_the_workflow_file_are_no_outside_edit() {
    let site = enforced(THREE);
    let file = site.folder().join(FILE);
    site.has("one", "");
    site.completes(1);
    let ticked = fs::read_to_string(&file).unwrap().replacen("- [ ]", "- [x]", 1);
    fs::write(&file, ticked).unwrap();
    let started = site.call("run step start 2").run().ok();
    assert_eq!(started.stderr, "", "{started}");
    site.agrees();
}

/// As HOTL writes it: no key of a later version, and one that nobody knows.
fn foreign(folder: &Path) -> Value {
    let folder = folder.canonicalize().unwrap();
    let step = |number: u32, status: &str, attempts: u32| {
        json!({
            "number": number, "name": format!("Step {number}"), "action": "work",
            "status": status, "attempts": attempts, "max_iterations": 3, "loop": "until green",
            "started_at": null, "completed_at": null,
            "verify": {"type": "shell", "command": "test -e one", "passed": null,
                "stdout": null, "stderr": null},
            "gate": null, "gate_result": null, "gate_mode": null, "block_reason": null,
        })
    };
    json!({
        "run_id": "old-20260501T101500Z", "workflow_path": folder.join("old.md"),
        "source_workflow_path": folder.join("old.md"), "source_branch": "main",
        "source_head": "4b825dc", "workflow_slug": "old", "intent": "try it",
        "success_criteria": "it works", "risk_level": "low", "auto_approve": false,
        "branch": "hotl/old", "repo_root": folder, "execution_root": folder,
        "worktree_path": null, "executor_mode": "loop", "started_at": "2026-05-01T10:15:00+00:00",
        "last_update": "2026-05-01T10:16:00+00:00", "completed_at": null, "status": "running",
        "current_step": 1, "total_steps": 2, "a_key_of_tomorrow": 1,
        "report_path": folder.join(".hotl/reports/old-20260501T101500Z.md"),
        "steps": [step(1, "in_progress", 1), step(2, "pending", 0)],
    })
}

#[track_caller]
fn put_state(site: &Site, name: &str, content: &str) -> PathBuf {
    let folder = site.folder().join(".hotl/state");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.json"));
    fs::write(&path, content).unwrap();
    path
}

const OLD: &str = "old-20260501T101500Z";

#[test]
fn a_run_that_only_its_state_file_knows_is_taken_over_and_goes_on() {
    let site = Site::empty(Gates::Attested);
    put_state(&site, OLD, &foreign(&site.folder()).to_string());
    site.has("one", "");
    let verified = site.does("run step verify 1");
    assert_eq!((&verified["done"], &verified["run_id"]), (&json!("pass"), &json!(OLD)));
    assert_eq!(site.step(1)["attempts"], 1);
    site.does("run step start 2");
    assert_eq!(site.count("run_imported"), 1);
    assert!(site.report().contains("Run imported from its state file"));
    site.agrees();
}

#[test]
fn steps_that_a_state_file_calls_done_are_counted_as_done() {
    let site = Site::empty(Gates::Attested);
    let mut state = foreign(&site.folder());
    for step in state["steps"].as_array_mut().unwrap() {
        step["status"] = json!("done");
    }
    put_state(&site, OLD, &state.to_string());
    let _taken_over = site.does("run show");
    assert_eq!(site.does("run list")["runs"][0]["completed_steps"], 2);
}

#[test]
fn a_run_that_only_its_state_file_knows_is_taken_over_by_its_name() {
    let site = Site::empty(Gates::Attested);
    put_state(&site, OLD, &foreign(&site.folder()).to_string());
    site.does(&format!("run step block 2 --reason x --run-id {OLD}"));
    assert_eq!(site.count("run_imported"), 1);
    site.agrees();
}

#[test]
fn a_file_that_is_no_state_file_hinders_no_other_run() {
    let site = enforced(THREE);
    let broken = put_state(&site, "broken", "");
    let outcome = site.call("run step start 1").run().ok();
    assert!(outcome.stderr.contains("broken.json was passed over"), "{outcome}");
    assert_eq!(fs::read_to_string(broken).unwrap(), "");
}

#[test]
fn a_file_that_is_no_state_file_is_told_where_there_is_no_other() {
    let site = Site::empty(Gates::Enforced);
    put_state(&site, "broken", "");
    let _refused = error_of(&site.call("run step start 1").run(), "import_invalid", 3);
}

#[test]
fn two_runs_in_one_folder_are_told_apart_by_their_ids() {
    let site = enforced(THREE);
    let first = text(&site.state()["run_id"]);
    site.has("hotl-workflow-other.md", &workflow(LOW, THREE));
    let second = site.begin("hotl-workflow-other.md");
    let message = site.refuses("run step start 1", "id_ambiguous");
    let expected = "Multiple HOTL runs found in .hotl/state/. Select one with --run-id <run-id> or \
                    HOTL_RUN_ID.";
    assert_eq!(message, expected);
    let started = site.does(&format!("run step start 1 --run-id {second}"));
    assert_eq!(started["run_id"], second);
    let started = site.call("run step start 1").env("HOTL_RUN_ID", &first).run().ok().json();
    assert_eq!(started["run_id"], first);
    // What is said on purpose counts more.
    let line = format!("run step block 1 --reason x --run-id {second}");
    let blocked = site.call(&line).env("HOTL_RUN_ID", &first).run().ok().json();
    assert_eq!(blocked["run_id"], second);
}

#[test]
fn runs_that_begin_in_one_second_have_names_of_their_own() {
    let site = enforced(THREE);
    let mut names = vec![text(&site.state()["run_id"])];
    names.extend((0..6).map(|_| site.begin(FILE)));
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
    assert!(names.iter().any(|name| name.ends_with("Z-2")), "{names:?}");
}

#[test]
fn an_id_that_leads_elsewhere_is_refused() {
    let site = enforced(THREE);
    for id in ["../../etc/passwd", "a/b", ".hidden", "-"] {
        site.refuses(&format!("run step start 1 --run-id={id}"), "invalid_value");
    }
    site.refuses("run step start 1 --run-id no-such-run", "run_not_found");
}

/// A call whose system calls of that name on a file fail, which does not keep it from its work.
#[track_caller]
fn goes_on_without(site: &Site, line: &str, call: &str, file: &Path, errno: &str) {
    let trace = Trace::of(site.call(line)).calls(&[call]).only_on(file);
    let injected = trace.fail_from(call, 1, errno);
    assert_eq!(injected.hit, Hit::Failed, "{line} {call}");
    let outcome = injected.outcome.ok();
    assert!(outcome.stderr.contains("recorded, but the files of run"), "{outcome}");
}

/// The file that is written before it takes the place of another.
fn beside(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}.new", path.file_name().unwrap().to_str().unwrap()))
}

#[test]
fn a_full_disk_or_a_folder_that_may_not_be_written_costs_only_the_files_until_the_next_call() {
    for (call, errno) in
        [("write", "ENOSPC"), ("fdatasync", "EIO"), ("openat", "EROFS"), ("openat", "EACCES")]
    {
        for kind in ["state", "reports"] {
            let site = enforced(THREE);
            let file = site.path(kind);
            let old = fs::read_to_string(&file).unwrap();
            goes_on_without(&site, "run step start 1", call, &beside(&file), errno);
            assert_eq!(fs::read_to_string(&file).unwrap(), old, "{call} {kind}: old and whole");
            assert_eq!(site.count("step_started"), 1);
            site.has("one", "");
            assert_eq!(site.says("run step verify 1"), "pass");
            site.agrees();
        }
    }
}

#[test]
fn a_report_folder_that_is_none_is_told_and_hinders_nothing() {
    let site = enforced(THREE);
    let reports = site.folder().join(".hotl/reports");
    fs::remove_dir_all(&reports).unwrap();
    fs::write(&reports, "").unwrap();
    let outcome = site.call("run step start 1").run().ok();
    assert!(outcome.stderr.contains("were not written"), "{outcome}");
    site.has("one", "");
    let outcome = site.call("run step verify 1").run().ok();
    assert_eq!(outcome.stderr.matches("were not written").count(), 1, "{outcome}");
    fs::remove_file(&reports).unwrap();
    site.does("run step block 1 --reason x");
    site.agrees();
}

#[test]
fn a_disk_that_is_full_under_the_ledger_changes_nothing() {
    let site = enforced(THREE);
    let before = (site.ledger.events(), site.files());
    let wal = format!("{}-wal", site.ledger.address);
    let trace = Trace::of(site.call("run step start 1")).calls(&["pwrite64"]).only_on(wal);
    let injected = trace.fail_from("pwrite64", 1, "ENOSPC");
    assert_eq!(injected.hit, Hit::Failed);
    let _told = error_of(&injected.outcome, "ledger_full", 5);
    assert_eq!((site.ledger.events(), site.files()), before);
    site.does("run step start 1");
    assert_eq!(site.step(1)["attempts"], 1);
}
