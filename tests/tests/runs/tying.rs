//! Runs that work on a task: under its claim, and for its end.

use serde_json::Value;
use windlass_tests::ledgers::{error_of, text};

use crate::site::{FILE, GATED, Gates, LOW, Site, THREE, workflow};

/// A run on a task that worker-1 holds by it, and the task.
#[track_caller]
fn tied(gates: Gates, steps: &str) -> (Site, String) {
    let site = Site::empty(gates);
    site.has(FILE, &workflow(LOW, steps));
    let task = text(&site.does("task add work -s ready")["task_id"]);
    let gates = if gates == Gates::Enforced { "enforced" } else { "attested" };
    site.does(&format!("run start {FILE} --gates {gates} --task {task} --agent worker-1"));
    (site, task)
}

#[track_caller]
fn task(site: &Site, task: &str) -> Value {
    site.does(&format!("task show {task}"))["task"].clone()
}

/// Does all of [`THREE`].
#[track_caller]
fn works_through(site: &Site) {
    for (step, file) in [(1, "one"), (2, "two"), (3, "three")] {
        site.has(file, "");
        site.completes(step);
    }
    site.does("run finalize");
}

#[test]
fn starting_a_run_claims_its_task() {
    let (site, id) = tied(Gates::Enforced, THREE);
    let task = task(&site, &id);
    assert_eq!((&task["status"], &task["agent"]), (&"in_progress".into(), &"worker-1".into()));
}

#[test]
fn a_task_that_the_caller_holds_is_worked_on_under_its_claim() {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, THREE));
    let id = text(&site.does("task add work -s ready")["task_id"]);
    site.does(&format!("task claim {id} --agent worker-1"));
    site.does(&format!("run start {FILE} --task {id} --agent worker-1"));
    assert_eq!(task(&site, &id)["fence"], 1);
}

#[test]
fn a_task_of_somebody_else_is_not_taken_by_a_run() {
    let site = Site::empty(Gates::Enforced);
    site.has(FILE, &workflow(LOW, THREE));
    let id = text(&site.does("task add work -s ready")["task_id"]);
    site.does(&format!("task claim {id} --agent worker-2"));
    let started = site.call(&format!("run start {FILE} --task {id} --agent worker-1")).run();
    let _refused = error_of(&started, "already_claimed", 3);
    assert_eq!(site.does("run list")["runs"], Value::Array(Vec::new()));
}

#[test]
fn nothing_is_done_under_a_claim_that_is_over() {
    let (site, id) = tied(Gates::Enforced, THREE);
    let steal = ["task", "steal", &id, "--agent", "worker-2", "--force", "--reason", "gone"];
    let _stolen = site.ledger.windlass(&steal).run().ok();
    site.refuses("run step start 1", "stale_claim");
}

#[test]
fn a_run_whose_claim_is_over_can_be_given_up() {
    let (site, id) = tied(Gates::Enforced, THREE);
    let steal = ["task", "steal", &id, "--agent", "worker-2", "--force", "--reason", "gone"];
    let _stolen = site.ledger.windlass(&steal).run().ok();
    let before = task(&site, &id);
    site.does("run step block 1 --reason lost");
    site.does("run finalize");
    site.does("run finished discarded");
    assert_eq!(task(&site, &id), before, "the task is the other one's");
}

#[test]
fn whoever_says_another_name_does_not_complete_the_task() {
    let (site, id) = tied(Gates::Enforced, THREE);
    works_through(&site);
    site.refuses("run finished kept --complete-task --agent worker-2", "stale_claim");
    site.does("run finished kept --complete-task --agent worker-1");
    assert_eq!(task(&site, &id)["status"], "done");
}

#[test]
fn a_run_that_is_proven_completes_its_task_with_the_receipt() {
    let (site, id) = tied(Gates::Enforced, THREE);
    works_through(&site);
    site.does("run finished kept --complete-task");
    assert_eq!(task(&site, &id)["status"], "done");
    let shown = site.does(&format!("task show {id} --view full"));
    let evidence = &shown["checkpoints"][0]["data"]["receipt"]["schema"];
    assert_eq!(evidence, "hotl.receipt/v1", "{shown:#}");
}

#[test]
fn a_run_whose_gates_rest_on_the_word_of_the_caller_completes_no_task() {
    let (site, id) = tied(Gates::Attested, GATED);
    site.completes(1);
    site.does("run gate 1 approved");
    site.completes(2);
    site.does("run finalize");
    let said = site.refuses("run finished kept --complete-task", "evidence_missing");
    assert!(said.contains("gate_attested_only"), "{said}");
    assert_eq!(task(&site, &id)["status"], "in_progress");
}

#[test]
fn a_blocked_run_blocks_its_task_until_it_goes_on() {
    let (site, id) = tied(Gates::Enforced, THREE);
    let block = ["run", "step", "block", "1", "--reason", "the key is missing"];
    let _blocked = site.ledger.windlass(&block).run().ok();
    assert_eq!(task(&site, &id)["status"], "blocked");
    let shown = site.does(&format!("task show {id} --view full")).to_string();
    assert!(shown.contains("the key is missing"), "{shown}");
    site.does("run step unblock 1 --reason there");
    assert_eq!(task(&site, &id)["status"], "in_progress");
}

#[test]
fn a_task_that_somebody_else_blocked_stays_blocked_when_its_run_goes_on() {
    let (site, id) = tied(Gates::Enforced, THREE);
    site.does(&format!("task block {id} --agent worker-1"));
    site.does("run step block 1 --reason stuck");
    site.does("run step unblock 1 --reason there");
    assert_eq!(task(&site, &id)["status"], "blocked");
}

#[test]
fn a_run_without_a_task_completes_none() {
    let site = Site::with(Gates::Enforced, LOW, THREE);
    works_through(&site);
    site.refuses("run finished kept --complete-task", "invalid_value");
}
