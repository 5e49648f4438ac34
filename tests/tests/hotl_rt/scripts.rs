//! The helper scripts of HOTL that look, say and prepare.

use std::fs;

use serde_json::{Value, json};

use crate::place::{FILE, Place, WORKFLOW, error};

#[test]
fn a_workflow_is_normalized_without_a_trace() {
    let place = Place::new();
    let normalized = place.json(&["normalize", FILE, "--json"]);
    assert_eq!(normalized["schema"], "hotl.workflow/v1");
    let steps = &normalized["workflow"]["steps"];
    assert_eq!((&steps[0]["loop"], &steps[1]["loop"]), (&json!(false), &json!("until heard")));
    assert_eq!(steps[0]["verify"].get("passed"), None);
    assert!(!place.home.work().join(".hotl").exists());
}

#[test]
fn a_decision_is_logged_where_the_settings_of_hotl_say() {
    let place = Place::new();
    assert_eq!(place.ok(&["log-decision", "{}"]), "");
    fs::create_dir_all(place.home.work().join(".hotl")).unwrap();
    place.write(".hotl/config.yml", "decision_log_path: decisions.jsonl\n");
    place.ok(&["log-decision", r#"{"a":1}"#]);
    place.ok(&["log-decision", r#"{"b":2}"#]);
    let log = fs::read_to_string(place.home.work().join("decisions.jsonl")).unwrap();
    assert_eq!(log, "{\"a\":1}\n{\"b\":2}\n");
}

#[test]
fn a_decision_that_is_no_json_is_refused_wherever_it_would_be_logged() {
    let place = Place::new();
    for config in ["", "decision_log_path: decisions.jsonl\n"] {
        fs::create_dir_all(place.home.work().join(".hotl")).unwrap();
        place.write(".hotl/config.yml", config);
        let said = place.refused(&["log-decision", "nojson"]);
        assert!(said.starts_with("the decision is no JSON"), "{said}");
    }
    assert!(!place.home.work().join("decisions.jsonl").exists());
}

#[test]
fn the_lint_of_hotl_says_what_it_always_said() {
    let place = Place::new();
    let passed = place.windlass(&["hotl", "lint", FILE]).run().ok();
    assert_eq!((passed.stdout, passed.stderr), (format!("LINT PASSED: {FILE}\n"), String::new()));
    place.write(FILE, &WORKFLOW.replace("risk_level: low\n", ""));
    let failed = place.windlass(&["hotl", "lint", FILE]).run();
    let said = format!(
        "FAIL: Frontmatter missing 'risk_level:' field\nLINT FAILED: 1 error(s) in {FILE}\n"
    );
    assert_eq!((failed.code, failed.stdout, failed.stderr), (Some(1), String::new(), said));
    let skipped = place.windlass(&["hotl", "lint", "nothing.md"]).run();
    assert_eq!((skipped.code, skipped.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_run_is_finalized_and_summed_up_for_a_chat() {
    let place = Place::new();
    let run = place.init(FILE);
    place.work();
    place.ok(&["step", "3", "start"]);
    place.ok(&["step", "3", "verify"]);
    place.ok(&["gate", "3", "approved", "--mode", "auto"]);
    let shown = place.windlass(&["hotl", "finalize-codex", &run]).run().ok();
    let expected = "\
Execution Summary

✓ Step 1: Say hello - Done (1 attempt)
✓ Step 2: Say it louder - Done (1 attempt)
⚡ Step 3: Ask - Auto-approved (-)
";
    assert_eq!(shown.stdout, expected);
    assert_eq!(place.state(&run)["status"], "ready_to_finish");
    place.write("summary.json", &place.ok(&["summary", &run]));
    let platform = ["hotl", "render-summary", "--platform"];
    let lines = place.windlass(&[&platform[..], &["codex", "summary.json"]].concat()).run().ok();
    assert_eq!(lines.stdout, expected);
    let table = place.windlass(&[&platform[..], &["cline", "summary.json"]].concat()).run().ok();
    assert!(table.stdout.ends_with("| 3 | Ask | ⚡ Auto-approved | - |\n"), "{table}");
    let other = place.windlass(&[&platform[..], &["paper", "summary.json"]].concat()).run();
    assert_eq!(error(&other), "Unsupported platform: paper");
    let missing = place.windlass(&[&platform[..], &["codex", "nothing.json"]].concat()).run();
    assert_eq!(error(&missing), "Summary JSON not found: nothing.json");
}

#[test]
fn a_run_is_located_until_it_has_ended() {
    let place = Place::new();
    let run = place.init(FILE);
    let locate = |words: &[&str]| {
        place.windlass(&[&["hotl", "locate-run"][..], words].concat()).run().ok().json()
    };
    let found = locate(&["--workflow", FILE]);
    assert_eq!(found[0]["run_id"], run);
    assert_eq!(found[0]["state_file"], json!(place.state_file(&run).canonicalize().unwrap()));
    assert_eq!(locate(&["--run-id", "nobody"]), json!([]));
    place.finalize();
    place.ok(&["finish", "kept"]);
    assert_eq!(locate(&[]), json!([]));
    assert_eq!(locate(&["--all"])[0]["status"], "completed");
}

#[test]
fn the_root_of_an_execution_is_prepared_and_told_as_json() {
    let place = Place::new();
    let told = place.windlass(&["hotl", "prepare-root", FILE]).run().ok();
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    let work = fs::canonicalize(place.home.work()).unwrap();
    assert_eq!(told["execution_root"], json!(work));
    assert_eq!((&told["branch"], &told["source_head"]), (&json!("hotl/greeting"), &Value::Null));
}
