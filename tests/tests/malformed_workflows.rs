//! Workflow files that are odd or wrong, given to the real program. A test is named after its row in
//! `docs/hotl-rows.md`; what the parser makes of each row is tested beside it.

#![expect(clippy::unwrap_used, reason = "a file that cannot be written ends its test")]

use std::fs;

use windlass_tests::ledgers::{Ledger, error_of, text};

fn given(file: &str, content: &str) -> Ledger {
    let ledger = Ledger::on_sqlite();
    fs::write(ledger.home.work().join(file), content).unwrap();
    ledger
}

#[test]
fn malformed_05_a_file_with_crlf_keeps_its_risk() {
    let ledger = given(
        "keys-workflow.md",
        "---\r\nintent: x\r\nsuccess_criteria: y\r\nrisk_level: high\r\n---\r\n### 1. One\r\n\
         action: do\r\nloop: false\r\nverify: true\r\ngate: human\r\n",
    );
    let _started = ledger.answer(&["run", "start", "keys-workflow.md"]);
    assert_eq!(ledger.answer(&["run", "show"])["risk_level"], "high");
}

#[test]
fn malformed_14_a_bar_in_a_name_stays_in_the_report() {
    let ledger = given("rw-workflow.md", "### 1. Read | write\nverify: true\n");
    let started = ledger.answer(&["run", "start", "rw-workflow.md", "--no-lint"]);
    let _begun = ledger.answer(&["run", "step", "start", "1"]);
    let report = format!(".hotl/reports/{}.md", text(&started["run_id"]));
    let report = fs::read_to_string(ledger.home.work().join(report)).unwrap();
    assert!(report.contains("|  1   | Read \\| write | → Running | 1 |"), "{report}");
}

#[test]
fn malformed_16_a_file_with_a_space_in_its_name_is_run() {
    let ledger = given("add auth-workflow.md", "### 1. One\nverify: true\n");
    let started = ledger.answer(&["run", "start", "add auth-workflow.md", "--no-lint"]);
    assert!(text(&started["run_id"]).starts_with("add-auth-"), "{started}");
}

#[test]
fn malformed_17_a_file_without_steps_leaves_nothing_behind() {
    let ledger = given("empty-workflow.md", "---\nintent: x\n---\nNothing to do.\n");
    let started = ledger.windlass(&["run", "start", "empty-workflow.md", "--no-lint"]).run();
    let _error = error_of(&started, "file_invalid", 3);
    assert!(!ledger.home.work().join(".hotl").exists());
}

/// Everything that begins with a workflow file.
const READERS: [&[&str]; 4] = [
    &["run", "lint"],
    &["run", "start"],
    &["run", "prepare"],
    &["run", "exec", "--harness", "true"],
];

#[test]
fn a_workflow_file_that_is_not_there_is_told_with_names_like_it() {
    let ledger = given("hotl-workflow-add-auth.md", "### 1. One\nverify: true\n");
    for (given, meant) in [
        ("hotl-workflow-ad-auth.md", Some("hotl-workflow-add-auth.md")),
        ("./add-auth.md", Some("./hotl-workflow-add-auth.md")),
        ("nothing-like-it.md", None),
        ("no/such/folder.md", None),
        ("hotl-workflow-add-auth.md/inside.md", None),
    ] {
        for reader in READERS {
            let outcome = ledger.windlass(&[reader, &[given]].concat()).run();
            let error = error_of(&outcome, "path_not_found", 4);
            assert_eq!(error["suggestions"], serde_json::json!(meant.as_slice()), "{outcome}");
            let looked_at = format!("windlass run lint {}", meant.unwrap_or("FILE"));
            assert!(text(&error["hint"]).contains(&looked_at), "{outcome}");
        }
    }
    assert!(!ledger.home.work().join(".hotl").exists());
}

#[test]
fn a_folder_is_no_workflow_file() {
    let ledger = given("hotl-workflow-add-auth.md", "### 1. One\nverify: true\n");
    for reader in READERS {
        let outcome = ledger.windlass(&[reader, &["."]].concat()).run();
        let error = error_of(&outcome, "invalid_value", 3);
        assert_eq!(error["message"], ". is a folder, and no workflow file");
        assert!(text(&error["hint"]).ends_with("run lint ./hotl-workflow-add-auth.md"));
    }
}

const SOUND: &str = "---\nintent: x\nsuccess_criteria: y\nrisk_level: low\n---\n### 1. One\n\
                     action: do\nloop: false\nverify: true\n";

#[test]
fn of_several_files_each_is_told_though_one_is_not_there() {
    let ledger = given("hotl-workflow-one.md", SOUND);
    let outcome = ledger.windlass(&["run", "lint", "nofile.md", "hotl-workflow-one.md"]).run();
    assert_eq!(outcome.code, Some(6), "{outcome}");
    let linted = outcome.json();
    let files = linted["files"].as_array().unwrap();
    let told: Vec<String> = files.iter().map(|file| text(&file["file"])).collect();
    assert_eq!(told, ["nofile.md", "hotl-workflow-one.md"]);
    let errors: Vec<u64> = files.iter().map(|file| file["errors"].as_u64().unwrap()).collect();
    assert_eq!(errors, [1, 0]);
}

#[test]
fn the_lines_of_hotls_lint_are_the_same_in_a_pipe() {
    let ledger = given("hotl-workflow-one.md", SOUND);
    let lint = ["run", "lint", "--compat", "hotl-workflow-one.md"];
    let piped = ledger.windlass(&lint).run().ok();
    assert_eq!(piped.stdout, "LINT PASSED: hotl-workflow-one.md\n");
    let asked = ledger.windlass(&lint).args(["--json"]).run().ok();
    assert_eq!(asked.json()["sound"], true);
}
