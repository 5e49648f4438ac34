//! What the runtime of HOTL writes and says, key by key and word by word.

use std::fs;

use crate::place::{FILE, Place, keys};

#[test]
fn a_summary_has_the_keys_of_hotl_in_their_order() {
    let place = Place::new();
    let run = place.init(FILE);
    let expected = [
        "run_id",
        "workflow_path",
        "source_workflow_path",
        "source_branch",
        "source_head",
        "workflow_slug",
        "intent",
        "branch",
        "repo_root",
        "execution_root",
        "worktree_path",
        "executor_mode",
        "driver",
        "host",
        "status",
        "started_at",
        "last_update",
        "completed_at",
        "total_steps",
        "completed_steps",
        "failed_steps",
        "blocked_steps",
        "finish",
        "steps",
    ];
    assert_eq!(keys(&place.ok(&["summary", &run])), expected);
    assert_eq!(place.ok(&["summary", &run]), place.ok(&["summary", &run, "--json"]));
}

#[test]
fn a_state_file_has_the_keys_of_hotl_in_their_order() {
    let place = Place::new();
    let run = place.init(FILE);
    let expected = [
        "run_id",
        "workflow_path",
        "source_workflow_path",
        "source_branch",
        "source_head",
        "workflow_slug",
        "intent",
        "success_criteria",
        "risk_level",
        "auto_approve",
        "branch",
        "repo_root",
        "execution_root",
        "worktree_path",
        "executor_mode",
        "driver",
        "host",
        "policy",
        "budgets",
        "external_actions",
        "policy_pauses",
        "controller",
        "ownership_required",
        "ownership_history",
        "revision",
        "started_at",
        "last_update",
        "completed_at",
        "status",
        "current_step",
        "total_steps",
        "report_path",
        "finish",
        "steps",
    ];
    assert_eq!(keys(&fs::read_to_string(place.state_file(&run)).unwrap()), expected);
}

#[test]
fn without_a_command_the_usage_is_told() {
    let place = Place::new();
    for words in [&[][..], &["dance"], &["init"], &["step"], &["step", "1"], &["gate", "1"]] {
        let outcome = place.rt(words).run();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        assert!(outcome.stderr.starts_with("Usage: hotl-rt "), "{outcome}");
    }
    assert!(place.ok(&["help"]).starts_with("Usage: hotl-rt "));
}

#[test]
fn what_makes_no_sense_before_a_run_is_refused() {
    let place = Place::new();
    for (words, told) in [
        (&["init", "nowhere.md"][..], "Workflow file not found: nowhere.md"),
        (&["normalize", "nowhere.md"], "Workflow file not found: nowhere.md"),
        (&["init", FILE, "--colour", "red"], "Unknown argument: --colour"),
        (&["init", FILE, "--branch"], "--branch requires a value"),
        (&["step", "one", "start"], "Invalid step number: one"),
        (&["step", "1", "start"], "No active HOTL run found in .hotl/state/"),
        (&["finalize"], "No active HOTL run found in .hotl/state/"),
        (&["summary", "nobody"], "there is no run nobody"),
        (&["summary", "../../victim"], "invalid run id: '../../victim'"),
    ] {
        assert_eq!(place.refused(words), told, "{words:?}");
    }
    assert!(!place.home.work().join(".hotl").exists());
}

#[test]
fn a_file_without_steps_is_refused_and_leaves_nothing() {
    let place = Place::new();
    place.write("empty.md", "---\nintent: nothing\n---\n# Empty\n");
    for command in ["init", "normalize"] {
        assert!(place.refused(&[command, "empty.md"]).contains("No steps found"));
    }
    assert!(!place.home.work().join(".hotl").exists());
}
