//! The workflow files in `examples/workflows`, each run to its end as its page in the guide tells.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "an answer of another shape ends its test"
)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use windlass_tests::ledgers::{Ledger, error_of};

/// A window of a usual width.
const COLUMNS: u16 = 80;
/// The exit code of a verification that did not pass.
const NOT_PASSED: i32 = 6;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/workflows")
}

/// A run of an example, in a folder of its own.
struct Example {
    ledger: Ledger,
}

impl Example {
    #[track_caller]
    fn start(file: &str) -> Self {
        let ledger = Ledger::on_sqlite();
        fs::copy(examples().join(file), ledger.home.work().join(file)).unwrap();
        assert_eq!(ledger.answer(&["run", "lint", file])["sound"], true);
        let started = ledger.answer(&["run", "start", file, "--agent", "worker-1"]);
        assert_eq!(started["status"], "running");
        Self { ledger }
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.ledger.home.work().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What an agent does, and what it is answered.
    #[track_caller]
    fn agent(&self, command: &str) -> Value {
        self.ledger.answer(&words(command))
    }

    #[track_caller]
    fn refused(&self, command: &str, code: &str) {
        let _error = error_of(&self.ledger.windlass(&words(command)).run(), code, 3);
    }

    /// What a person does at a terminal.
    #[track_caller]
    fn person(&self, command: &str) {
        let _decided = self.ledger.windlass(&words(command)).at_terminal(COLUMNS).ok();
    }

    /// Works on a step once, and verifies it.
    #[track_caller]
    fn does(&self, step: u32, work: impl Fn()) -> Value {
        let _started = self.agent(&format!("run step start {step} --agent worker-1"));
        work();
        self.agent(&format!("run step verify {step}"))
    }

    /// The verification of a step whose checks do not all pass.
    #[track_caller]
    fn does_not_pass(&self, step: u32) -> Value {
        let verified = self.ledger.windlass(&["run", "step", "verify", &step.to_string()]).run();
        assert_eq!(verified.code, Some(NOT_PASSED), "{verified}");
        verified.json()
    }

    /// Ends the run; what it proves is enough.
    #[track_caller]
    fn ends(&self) {
        assert_eq!(self.agent("run finalize")["status"], "ready_to_finish");
        assert_eq!(self.agent("run finished kept")["status"], "completed");
        let receipt = self.agent("run receipt show");
        assert_eq!(receipt["sufficiency"]["sufficient"], true, "{receipt}");
    }
}

fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

#[test]
fn every_example_has_nothing_that_lint_finds() {
    let ledger = Ledger::on_sqlite();
    for file in fs::read_dir(examples()).unwrap() {
        let file = file.unwrap().path().display().to_string();
        let linted = ledger.answer(&["run", "lint", &file]);
        assert_eq!(linted["files"][0]["findings"], serde_json::json!([]), "{file}");
    }
}

#[test]
fn a_bug_is_shown_fixed_and_approved_by_the_file_itself() {
    let example = Example::start("fix-a-bug-workflow.md");
    example.write("greet.sh", "echo \"Hello, $1\"\n");
    let shown = example.does(1, || {
        example.write("tests/empty-name.sh", "test \"$(sh greet.sh)\" = 'Hello, you'\n");
    });
    assert_eq!(shown["done"], "pass");

    let _started = example.agent("run step start 2");
    assert_eq!(example.does_not_pass(2)["done"], "fail");
    let retried = example.agent("run step retry 2");
    assert_eq!(retried["done"], "retrying step 2 (attempt 2/4)");
    example.write("greet.sh", "echo \"Hello, ${1:-you}\"\n");
    assert_eq!(example.agent("run step verify 2")["done"], "pass");

    assert_eq!(example.does(3, || {})["done"], "pass");
    let summed_up = example.does(4, || {});
    assert_eq!(summed_up["done"], "pass (no verify command)");
    assert_eq!(summed_up["step"]["authority"], "rule");
    assert_eq!(summed_up["status"], "running");
    example.ends();
}

#[test]
fn a_key_is_rotated_under_the_eyes_of_a_person() {
    let example = Example::start("rotate-a-key-workflow.md");
    example.write("keys/current", "old");
    let made = example.does(1, || {
        example.write("keys/new", &"k".repeat(64));
        let new = example.ledger.home.work().join("keys/new");
        fs::set_permissions(new, Permissions::from_mode(0o600)).unwrap();
    });
    assert_eq!(made["status"], "paused");
    example.refused("run step start 2", "gate_undecided");
    example.refused("run gate 1 approved --mode auto", "person_required");
    example.refused("run gate 1 approved", "person_required");
    example.person("run gate 1 approved");

    let _started = example.agent("run step start 2");
    let keys = example.ledger.home.work().join("keys");
    fs::rename(keys.join("current"), keys.join("old")).unwrap();
    fs::copy(keys.join("new"), keys.join("current")).unwrap();
    let waits = example.does_not_pass(2);
    assert_eq!(waits["waiting"][0]["step"], 2);
    example.person("run gate 2 approved");
    // The check behind the question is made too: the new key was copied, not moved.
    let failed = example.does_not_pass(2);
    assert_eq!(failed["step"]["block_reason"], "checks failed in 1 of 1 attempts");
    example.refused("run step unblock 2 --reason again", "person_required");
    example.person("run step unblock 2 --reason again");
    let _retried = example.agent("run step retry 2");
    fs::remove_file(keys.join("new")).unwrap();
    let _waits = example.does_not_pass(2);
    example.person("run gate 2 approved");
    // Who answered the question has not seen what the check behind it showed.
    let passed = example.agent("run step verify 2");
    assert_eq!((&passed["done"], &passed["status"]), (&"pass".into(), &"paused".into()));
    example.person("run gate 2 approved");
    example.ends();
}

#[test]
fn notes_are_written_by_two_agents_within_a_budget() {
    let example = Example::start("release-notes-workflow.md");
    assert_eq!(example.agent("run show")["branch"], "docs/notes-2");
    let collected = example.does(1, || example.write("notes/changes.txt", "faster\nsafer\n"));
    assert_eq!(collected["done"], "pass");

    let _server = example.agent("run step start 2 --agent worker-1");
    let _client = example.agent("run step start 3 --agent worker-2");
    example.refused("run step start 3 --agent worker-1", "invalid_transition");
    example.write("notes/server-2.md", "Version 1\n");
    let _failed = example.does_not_pass(2);
    example.write("notes/client-2.md", "Version 2 is safer\n");
    assert_eq!(example.agent("run step verify 3")["done"], "pass");
    let _retried = example.agent("run step retry 2");
    example.write("notes/server-2.md", "Version 2 is faster\n");
    assert_eq!(example.agent("run step verify 2")["done"], "pass");

    example.refused("run step start 4", "budget_exceeded");
    example.refused("run budget raise total_attempts 6 --reason more", "person_required");
    example.person("run budget raise total_attempts 6 --reason more");
    let indexed = example.does(4, || example.write("notes/INDEX", "server\nclient\n"));
    assert_eq!(indexed["status"], "paused");
    example.person("run gate 4 approved");
    example.ends();
}
