//! The table of transitions and what checks come to, row by row, where gates are enforced and where
//! they are attested.

use serde_json::{Value, json};
use windlass_tests::ledgers::{error_of, text};

use crate::site::{
    FILE, GATED, Gates, HIGH, LOW, REVIEWED, Site, THREE, attested, both, enforced, one_step,
    workflow,
};

#[test]
fn row_8_start_makes_a_pending_step_run_and_counts_the_attempt() {
    for site in both(LOW, THREE) {
        let answer = site.does("run step start 1 --agent w1");
        assert_eq!(answer["done"], "started step 1");
        assert_eq!(answer["step"]["started_by"], "w1");
        let (state, step) = (site.state(), site.step(1));
        assert_eq!((&step["status"], &step["attempts"]), (&json!("in_progress"), &json!(1)));
        assert!(step["started_at"].is_string());
        assert_eq!((&state["current_step"], &state["status"]), (&json!(1), &json!("running")));
    }
}

#[test]
fn row_8_start_of_a_step_that_runs_is_done_or_failed_is_refused() {
    for site in both(LOW, THREE) {
        let refused = |site: &Site| site.refuses("run step start 1", "invalid_transition");
        site.says("run step start 1");
        assert_eq!(refused(&site), "Step 1 is 'in_progress', expected 'pending'");
        assert_eq!(site.finds("run step verify 1"), "fail");
        assert_eq!(refused(&site), "Step 1 is 'failed', expected 'pending'");
        site.has("one", "");
        site.says("run step retry 1");
        site.says("run step verify 1");
        assert_eq!(refused(&site), "Step 1 is 'done', expected 'pending'");
    }
}

#[test]
fn row_8_start_needs_all_earlier_steps_done() {
    for site in both(LOW, THREE) {
        let message = site.refuses("run step start 3", "step_order");
        assert_eq!(message, "step 1 must be done before step 3 can start");
        site.has("one", "");
        site.completes(1);
        let message = site.refuses("run step start 3", "step_order");
        assert_eq!(message, "step 2 must be done before step 3 can start");
    }
}

#[test]
fn row_8_start_needs_attempts_left() {
    let site = attested(&one_step("max_iterations: 0\nverify: make\n"));
    let message = site.refuses("run step start 1", "attempts_exhausted");
    assert_eq!(message, "Step 1 reached maximum iterations (0)");
}

#[test]
fn row_8_start_needs_a_budget_with_one_more_attempt() {
    for gates in [Gates::Enforced, Gates::Attested] {
        let site = Site::with(gates, "risk_level: low\nmax_total_attempts: 1\n", THREE);
        site.says("run step start 1");
        site.finds("run step verify 1");
        let outcome = site.call("run step retry 1").run();
        let error = error_of(&outcome, "budget_exceeded", 3);
        assert!(text(&error["message"]).contains("total_attempts"), "{outcome}");
        // It is no refusal without a trace: the run is paused, and says so.
        assert_eq!(site.state()["status"], "paused");
        assert_eq!(site.state()["budgets"]["exceeded"], json!(["total_attempts"]));
        assert_eq!(site.step(1)["attempts"], 1);
        let message = site.refuses("run step retry 1", "run_not_running");
        let begin = "Run is 'paused'; resolve gates, policy pauses, or budgets before step retry";
        assert_eq!(message, begin);
    }
}

#[test]
fn row_8_a_step_that_is_not_there_is_refused() {
    for site in both(LOW, THREE) {
        for line in ["run step start 0", "run step verify 4", "run step retry 9"] {
            let message = site.refuses(line, "step_not_found");
            assert!(message.starts_with("Invalid step number: "), "{message}");
        }
        site.refuses("run gate 4 approved", "step_not_found");
        site.refuses("run step block 4 --reason why", "step_not_found");
    }
}

#[test]
fn row_8_a_run_that_does_not_run_takes_no_start_verify_or_retry() {
    for site in both(LOW, THREE) {
        site.says("run step block 1 --reason stuck");
        for what in ["start", "verify", "retry"] {
            let message = site.refuses(&format!("run step {what} 1"), "run_not_running");
            let expected = format!(
                "Run is 'blocked'; resolve gates, policy pauses, or budgets before step {what}"
            );
            assert_eq!(message, expected);
        }
    }
}

#[test]
fn row_8_verify_that_passes_makes_the_step_done() {
    for site in both(LOW, &one_step("verify: echo seen\n")) {
        site.says("run step start 1");
        let answer = site.does("run step verify 1");
        assert_eq!((&answer["done"], &answer["status"]), (&json!("pass"), &json!("running")));
        let step = site.step(1);
        assert_eq!((&step["status"], &step["attempts"]), (&json!("done"), &json!(1)));
        assert!(step["completed_at"].is_string());
        let verify = json!({"type": "shell", "command": "echo seen", "passed": true,
            "stdout": "seen\n", "stderr": "\n"});
        assert_eq!(step["verify"], verify);
    }
}

#[test]
fn row_8_verify_that_fails_makes_the_step_failed_and_the_run_goes_on() {
    for site in both(LOW, THREE) {
        site.says("run step start 1");
        assert_eq!(site.finds("run step verify 1"), "fail");
        let step = site.step(1);
        assert_eq!((&step["status"], &step["verify"]["passed"]), (&json!("failed"), &json!(false)));
        assert_eq!(step["completed_at"], Value::Null);
        assert_eq!(site.state()["status"], "running");
    }
}

#[test]
fn row_8_verify_that_needs_a_person_blocks_the_step_and_pauses_the_run() {
    for site in both(LOW, REVIEWED) {
        site.says("run step start 1");
        let said = site.finds("run step verify 1");
        assert_eq!(said, "blocked: human review required: is it blue?");
        let step = site.step(1);
        assert_eq!(step["status"], "blocked");
        assert_eq!(step["block_reason"], "human review required: is it blue?");
        assert_eq!(site.state()["status"], "paused");
    }
}

#[test]
fn row_8_verify_that_cannot_be_decided_blocks_the_step_and_the_run() {
    for site in both(LOW, &one_step("verify:\n  type: magic\n")) {
        site.says("run step start 1");
        let said = site.finds("run step verify 1");
        assert_eq!(said, "blocked: unsupported verify type: magic");
        assert_eq!((&site.step(1)["status"], &site.state()["status"]), blocked());
    }
}

fn blocked() -> (&'static Value, &'static Value) {
    static BLOCKED: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| json!("blocked"));
    (&BLOCKED, &BLOCKED)
}

#[test]
fn row_8_verify_of_a_step_without_a_check_passes_and_says_so() {
    for site in both(LOW, &one_step("")) {
        site.says("run step start 1");
        assert_eq!(site.says("run step verify 1"), "pass (no verify command)");
        assert_eq!(site.step(1)["status"], "done");
        assert!(site.report().contains("✓ Step 1: Done (no verify, 1 attempt(s))"));
    }
}

#[test]
fn row_8_verify_needs_a_step_in_progress() {
    for site in both(LOW, THREE) {
        let refused = || site.refuses("run step verify 1", "invalid_transition");
        assert_eq!(refused(), "Step 1 must be in_progress before verify");
        site.has("one", "");
        site.completes(1);
        assert_eq!(refused(), "Step 1 must be in_progress before verify");
    }
}

#[test]
fn row_8_retry_makes_a_failed_step_run_again_and_clears_what_was_seen() {
    for site in both(LOW, &THREE.replace("test -e one", "echo seen; test -e one")) {
        site.says("run step start 1");
        site.finds("run step verify 1");
        assert_eq!(site.step(1)["verify"]["stdout"], "seen\n");
        assert_eq!(site.says("run step retry 1"), "retrying step 1 (attempt 2/3)");
        let step = site.step(1);
        assert_eq!((&step["status"], &step["attempts"]), (&json!("in_progress"), &json!(2)));
        let verify = &step["verify"];
        let seen = [&verify["passed"], &verify["stdout"], &verify["stderr"]];
        assert_eq!(seen, [&Value::Null; 3]);
    }
}

#[test]
fn row_8_retry_needs_a_failed_step() {
    for site in both(LOW, THREE) {
        site.says("run step start 1");
        let message = site.refuses("run step retry 1", "invalid_transition");
        assert_eq!(message, "Step 1 is 'in_progress', expected 'failed' for retry");
    }
}

#[test]
fn row_8_retry_needs_attempts_left() {
    let site = attested(THREE);
    site.has("one", "");
    site.completes(1);
    site.says("run step start 2");
    site.finds("run step verify 2");
    site.says("run step retry 2");
    assert_eq!(site.finds("run step verify 2"), "fail");
    let message = site.refuses("run step retry 2", "attempts_exhausted");
    assert_eq!(message, "Step 2 reached maximum iterations (2)");
}

#[test]
fn row_8_attempts_that_are_used_up_block_the_step_where_loops_are_enforced() {
    let site = enforced(THREE);
    site.has("one", "");
    site.completes(1);
    site.says("run step start 2");
    site.finds("run step verify 2");
    site.says("run step retry 2");
    // A start after a retry does not count again.
    site.says("run step start 2");
    assert_eq!(site.step(2)["attempts"], 2);
    let said = site.finds("run step verify 2");
    assert_eq!(said, "blocked: checks failed in 2 of 2 attempts");
    assert_eq!((&site.step(2)["status"], &site.state()["status"]), blocked());
}

#[test]
fn row_8_block_stops_a_step_and_the_run_whatever_they_are() {
    for number in 1..=3 {
        for site in both(LOW, THREE) {
            site.has("one", "");
            site.completes(1);
            let said = site.says(&format!("run step block {number} --reason stuck"));
            assert_eq!(said, format!("blocked step {number}: stuck"));
            assert_eq!(site.step(number)["block_reason"], "stuck");
            assert_eq!((&site.step(number)["status"], &site.state()["status"]), blocked());
        }
    }
}

#[test]
fn row_8_block_needs_a_reason() {
    for site in both(LOW, THREE) {
        let message = site.refuses("run step block 1", "reason_required");
        assert_eq!(message, "--reason is required for block");
    }
}

#[test]
fn row_8_block_of_a_completed_run_is_believed_where_gates_are_attested_and_refused_else() {
    for site in both(LOW, &one_step("verify: \"true\"\n")) {
        site.completes(1);
        site.says("run finalize");
        site.says("run finished kept");
        let line = "run step block 1 --reason late";
        match site.gates {
            Gates::Enforced => drop(site.refuses(line, "invalid_transition")),
            Gates::Attested => assert_eq!(site.says(line), "blocked step 1: late"),
        }
    }
}

#[test]
fn row_8_gate_approved_ends_a_review_and_the_run_goes_on() {
    for site in both(LOW, REVIEWED) {
        site.says("run step start 1");
        site.finds("run step verify 1");
        let said = site.decides("run gate 1 approved");
        assert_eq!(said, "human-review 1: approved (human)");
        let step = site.step(1);
        assert_eq!((&step["status"], &step["verify"]["passed"]), (&json!("done"), &json!(true)));
        assert_eq!(step["verify"]["stdout"], "human review approved");
        assert_eq!(step["block_reason"], Value::Null);
        assert_eq!(site.state()["status"], "running");
    }
}

#[test]
fn row_8_gate_approved_of_a_review_leaves_a_pause_that_has_another_cause() {
    for site in both(LOW, REVIEWED) {
        site.says("run step start 1");
        site.finds("run step verify 1");
        site.does("run action request external_write --target mail");
        site.decides("run gate 1 approved");
        assert_eq!(
            (&site.step(1)["status"], &site.state()["status"]),
            (&json!("done"), &json!("paused"))
        );
    }
}

#[test]
fn row_8_gate_rejected_keeps_a_review_blocked_and_blocks_the_run() {
    for site in both(LOW, REVIEWED) {
        site.says("run step start 1");
        site.finds("run step verify 1");
        let said = site.decides("run gate 1 rejected --reason green");
        assert_eq!(said, "human-review 1: rejected (human)");
        let step = site.step(1);
        assert_eq!(step["block_reason"], "human review rejected");
        assert_eq!(step["verify"]["passed"], false);
        assert_eq!((&step["status"], &site.state()["status"]), blocked());
    }
}

#[test]
fn row_8_gate_approved_of_a_done_step_is_recorded_and_the_next_one_starts() {
    for site in both(LOW, GATED) {
        site.completes(1);
        assert_eq!(site.decides("run gate 1 approved"), "gate 1: approved (human)");
        let step = site.step(1);
        let recorded = (&step["gate_result"], &step["gate_mode"]);
        assert_eq!(recorded, (&json!("approved"), &json!("human")));
        assert_eq!(site.state()["status"], "running");
        site.says("run step start 2");
    }
}

#[test]
fn row_8_gate_approved_leaves_a_pause_that_has_another_cause() {
    for gates in [Gates::Enforced, Gates::Attested] {
        let site = Site::with(gates, "risk_level: low\nmax_agents: 1\n", GATED);
        site.completes(1);
        site.does("run budget record agents 2");
        site.decides("run gate 1 approved");
        assert_eq!(site.step(1)["gate_result"], "approved");
        assert_eq!(site.state()["status"], "paused");
    }
}

#[test]
fn row_8_gate_rejected_of_a_done_step_blocks_the_run() {
    for site in both(LOW, GATED) {
        site.completes(1);
        assert_eq!(site.decides("run gate 1 rejected --reason no"), "gate 1: rejected (human)");
        let step = site.step(1);
        assert_eq!((&step["status"], &step["gate_result"]), (&json!("done"), &json!("rejected")));
        assert_eq!(site.state()["status"], "blocked");
    }
}

#[test]
fn row_8_gate_of_a_step_that_is_not_done_is_refused() {
    for site in both(LOW, GATED) {
        let begin = "Step 1 must be done before its gate can be recorded (current status: ";
        let message = site.refuses("run gate 1 approved", "invalid_transition");
        assert_eq!(message, format!("{begin}pending)"));
        site.says("run step start 1");
        let message = site.refuses("run gate 1 rejected --reason no", "invalid_transition");
        assert_eq!(message, format!("{begin}in_progress)"));
    }
}

#[test]
fn row_8_gate_of_high_risk_takes_no_automatic_answer() {
    for site in both(HIGH, GATED) {
        site.completes(1);
        let message = site.refuses("run gate 1 approved --mode auto", "person_required");
        assert_eq!(message, "High-risk workflows require human gate decisions");
    }
}

#[test]
fn row_8_no_step_starts_before_an_enforced_gate_and_no_agent_decides_it() {
    let site = enforced(GATED);
    site.completes(1);
    let message = site.refuses("run step start 2", "gate_undecided");
    assert!(message.contains("Run is 'paused'"), "{message}");
    let message = site.refuses("run gate 1 approved", "person_required");
    assert_eq!(message, "a gate needs a person");
    site.refuses("run gate 1 approved --mode auto", "person_required");
    site.decides("run gate 1 approved");
    site.says("run step start 2");
}

#[test]
fn row_8_the_next_step_may_start_before_an_attested_gate() {
    let site = attested(GATED);
    site.completes(1);
    site.says("run step start 2");
    assert_eq!(site.says("run gate 1 approved --mode auto"), "gate 1: approved (auto)");
}

#[test]
fn row_8_finalize_with_a_failed_or_blocked_step_ends_the_run_as_blocked() {
    for site in both(LOW, THREE) {
        site.says("run step start 1");
        site.finds("run step verify 1");
        assert_eq!(site.says("run finalize"), "Run finalized: blocked");
        let state = site.state();
        assert_eq!(state["status"], "blocked");
        assert!(state["finalized_at"].is_string() && state["completed_at"].is_string());
    }
}

#[test]
fn row_8_finalize_with_steps_left_is_refused() {
    for site in both(LOW, THREE) {
        site.has("one", "");
        site.completes(1);
        let message = site.refuses("run finalize", "run_unfinished");
        assert_eq!(message, "Cannot finalize run with unfinished steps (2 remaining)");
    }
}

#[test]
fn row_8_finalize_without_what_it_needs_is_refused_with_its_own_words() {
    let gated = one_step("verify: \"true\"\ngate: human\n");
    let site = attested(&gated);
    site.completes(1);
    let refused = |site: &Site| site.refuses("run finalize", "evidence_missing");
    assert_eq!(refused(&site), "Cannot finalize without required gate evidence");
    site.says("run gate 1 approved");
    site.does("run action request external_write --target mail --idempotency-key k");
    assert_eq!(refused(&site), "Cannot finalize with unresolved sensitive action decisions");
    site.does("run action decide action-1 approved");
    let without = "Cannot finalize without terminal sensitive-action effect evidence";
    assert_eq!(refused(&site), without);
    site.does("run action begin action-1 --idempotency-key k");
    assert_eq!(refused(&site), without);
    site.does("run action complete action-1 succeeded --evidence-ref mail-7");
    assert_eq!(site.says("run finalize"), "Run finalized: ready_to_finish");
}

#[test]
fn row_8_finalize_of_a_run_that_is_done_and_proven_makes_it_ready_once() {
    for site in both(LOW, &one_step("verify: \"true\"\n")) {
        site.completes(1);
        assert_eq!(site.says("run finalize"), "Run finalized: ready_to_finish");
        assert_eq!(site.state()["status"], "ready_to_finish");
        let (state, events) = (site.state_text(), site.ledger.events());
        assert_eq!(site.says("run finalize"), "Run finalized: ready_to_finish");
        assert_eq!((site.state_text(), site.ledger.events()), (state, events));
        site.says("run finished kept");
        assert_eq!(site.says("run finalize"), "Run finalized: completed");
        assert_eq!(site.state()["status"], "completed");
    }
}

#[test]
fn row_8_finish_completes_a_run_that_is_ready_once_unless_it_is_forced() {
    for disposition in ["kept", "merged", "published", "discarded"] {
        let site = enforced(&one_step("verify: \"true\"\n"));
        site.completes(1);
        site.says("run finalize");
        let said = site.says(&format!("run finished {disposition}"));
        assert_eq!(said, format!("Finish recorded: {disposition}"));
        let state = site.state();
        assert_eq!(state["status"], "completed");
        assert_eq!(state["finish"]["disposition"], disposition);
        let message = site.refuses("run finished kept", "invalid_transition");
        let expected =
            format!("Finish outcome already recorded: {disposition}. Use --force to replace it.");
        assert_eq!(message, expected);
        site.says("run finished discarded --force");
        assert_eq!(site.state()["finish"]["disposition"], "discarded");
    }
}

#[test]
fn row_8_finish_of_a_blocked_run_keeps_or_discards_and_does_not_land() {
    for site in both(LOW, THREE) {
        site.says("run step block 1 --reason stuck");
        for disposition in ["merged", "published"] {
            let message =
                site.refuses(&format!("run finished {disposition}"), "invalid_transition");
            let expected = format!(
                "Finish disposition '{disposition}' requires a completed run. Current status: blocked"
            );
            assert_eq!(message, expected);
        }
        site.says("run finished kept");
        assert_eq!(site.state()["finish"]["disposition"], "kept");
    }
}

#[test]
fn row_8_finish_of_a_run_that_goes_on_is_refused() {
    for site in both(LOW, THREE) {
        let message = site.refuses("run finished kept", "invalid_transition");
        let expected =
            "Finish disposition 'kept' requires a finalized run. Current status: running";
        assert_eq!(message, expected);
    }
}

#[test]
fn row_8_blocked_is_no_dead_end() {
    for site in both(LOW, THREE) {
        site.says("run step start 1");
        site.says("run step block 1 --reason stuck");
        site.says("run step unblock 1 --reason found");
        assert_eq!(site.state()["status"], "running");
        site.has("one", "");
        assert_eq!(site.says("run step verify 1"), "pass");
        site.says("run step block 2 --reason stuck");
        site.says("run finalize");
        site.decides("run unblock --reason more");
        site.decides("run step unblock 2 --reason found");
        site.says("run step start 2");
    }
}

#[test]
fn row_8_a_rejected_gate_is_no_dead_end() {
    for site in both(LOW, GATED) {
        site.completes(1);
        site.decides("run gate 1 rejected --reason no");
        site.decides("run reopen 1 --reason again");
        site.decides("run gate 1 approved");
        site.says("run step start 2");
    }
}

#[test]
fn row_8_a_budget_that_is_used_up_is_no_dead_end() {
    for gates in [Gates::Enforced, Gates::Attested] {
        let site = Site::with(gates, "risk_level: low\nmax_agents: 1\n", GATED);
        site.does("run budget record agents 2");
        site.refuses("run step start 1", "run_not_running");
        let raise = "run budget raise agents 3 --reason more";
        match gates {
            Gates::Enforced => drop(site.person(raise)),
            Gates::Attested => drop(site.does(raise)),
        }
        site.says("run step start 1");
    }
}

#[test]
fn row_9_checks_run_in_their_order_and_stop_at_the_first_that_fails() {
    let checks = "verify:\n  - type: shell\n    command: echo a >>order\n  - type: shell\n    \
                  command: echo b >>order; exit 1\n  - type: shell\n    command: echo c >>order\n";
    for site in both(LOW, &one_step(checks)) {
        site.says("run step start 1");
        let _failed = site.finds("run step verify 1");
        let order = std::fs::read_to_string(site.folder().join("order")).unwrap();
        assert_eq!(order, "a\nb\n");
    }
}

#[test]
fn row_9_all_checks_of_a_list_must_pass_and_their_outputs_are_joined() {
    let checks = "verify:\n  - type: shell\n    command: echo a; echo x >&2\n  - type: shell\n    \
                  command: \"true\"\n  - type: shell\n    command: echo b\n";
    for site in both(LOW, &one_step(checks)) {
        site.completes(1);
        let verify = site.step(1)["verify"].clone();
        assert_eq!((&verify["type"], &verify["command"]), (&json!("multi"), &Value::Null));
        assert_eq!((&verify["stdout"], &verify["stderr"]), (&json!("a\nb\n"), &json!("x\n")));
        assert_eq!(verify["checks"].as_array().unwrap().len(), 3);
        assert_eq!(verify["checks"][0]["passed"], Value::Null);
    }
}

/// Unlike HOTL, whose own options get in.
#[test]
fn row_9_a_command_runs_in_the_folder_with_the_options_of_a_plain_shell() {
    let script = "echo \"$UNSET\"; false | true && test \"$(pwd -P)\" = \"$ROOT\"";
    for site in both(LOW, &one_step(&format!("verify: {script}\n"))) {
        site.says("run step start 1");
        let root = site.folder().canonicalize().unwrap();
        let answer = site.call("run step verify 1").env("ROOT", root).run().ok().json();
        assert_eq!(answer["done"], "pass");
    }
}

#[test]
fn row_9_a_state_file_shows_the_first_4096_bytes_and_cuts_no_character() {
    let site = enforced(&one_step("verify: head -c 4095 /dev/zero | tr '\\0' x; echo äöü\n"));
    site.completes(1);
    let shown = text(&site.step(1)["verify"]["stdout"]);
    assert_eq!(shown, format!("{}\n", "x".repeat(4095)));
}

#[test]
fn row_9_empty_output_is_one_line_break_and_others_are_trimmed_to_one() {
    let site = enforced(&one_step("verify: printf 'a\\n\\n\\n'\n"));
    site.completes(1);
    let verify = &site.step(1)["verify"];
    assert_eq!((&verify["stdout"], &verify["stderr"]), (&json!("a\n"), &json!("\n")));
}

fn artifact(path: &str, kind: &str, value: Option<&str>) -> String {
    let value = value.map(|value| format!("      value: \"{value}\"\n")).unwrap_or_default();
    one_step(&format!(
        "verify:\n  type: artifact\n  path: {path}\n  assert:\n      kind: {kind}\n{value}"
    ))
}

#[test]
fn row_9_an_artifact_is_told_in_the_words_of_hotl() {
    let rows = [
        ("out/a.txt", "exists", None, true, "artifact exists: out/a.txt"),
        ("out", "exists", None, true, "artifact exists: out"),
        ("gone", "exists", None, false, "artifact missing: gone"),
        (
            "out/a.txt",
            "contains",
            Some("needle"),
            true,
            "artifact contains expected text: out/a.txt",
        ),
        (
            "out/a.txt",
            "contains",
            Some("n.*e"),
            false,
            "artifact missing expected text in out/a.txt",
        ),
        ("gone", "contains", Some("needle"), false, "artifact missing: gone"),
        ("out", "matches-glob", Some("*.txt"), true, "artifact matches glob: out/*.txt"),
        ("out", "matches-glob", Some("*.md"), false, "no artifact matches *.md in out"),
        ("gone", "matches-glob", Some("*.txt"), false, "artifact directory missing: gone"),
    ];
    for (path, kind, value, passes, said) in rows {
        let site = enforced(&artifact(path, kind, value));
        std::fs::create_dir(site.folder().join("out")).unwrap();
        site.has("out/a.txt", "a needle in it");
        site.says("run step start 1");
        let outcome = site.call("run step verify 1").run();
        assert_eq!(outcome.code, Some(if passes { 0 } else { 6 }), "{outcome}");
        let verify = &site.step(1)["verify"];
        assert_eq!(verify["stdout"], format!("{said}\n"), "{path} {kind}");
        assert_eq!((&verify["command"], &verify["path"]), (&Value::Null, &json!(path)));
    }
}

#[test]
fn row_9_a_check_that_lacks_something_blocks_in_the_words_of_hotl() {
    let checks = |fields: &str| one_step(&format!("verify:\n{fields}"));
    let rows = [
        (checks("  type: artifact\n  assert:\n    kind: exists\n"), "artifact verify missing path"),
        (artifact("a", "contains", None), "artifact assert kind contains requires value"),
        (artifact("a", "matches-glob", None), "artifact assert kind matches-glob requires value"),
        (
            artifact("a", "matches-glob", Some("b/*")),
            "artifact assert kind matches-glob expects a filename glob; put the directory in path",
        ),
        (artifact("a", "shines", None), "unsupported artifact assert kind: shines"),
        (checks("  type: magic\n"), "unsupported verify type: magic"),
        (checks("  type: browser\n  check: text:a\n"), "browser verify missing url"),
        (checks("  type: browser\n  url: http://127.0.0.1/\n"), "browser verify missing check"),
    ];
    for (steps, reason) in rows {
        let site = enforced(&steps);
        site.says("run step start 1");
        assert_eq!(site.finds("run step verify 1"), format!("blocked: {reason}"));
        assert_eq!((&site.step(1)["status"], &site.state()["status"]), blocked());
    }
}

/// Unlike HOTL, which forgets them.
#[test]
fn row_9_checks_after_a_person_are_run_once_it_is_approved() {
    let checks = "verify:\n  - type: shell\n    command: echo first\n  - type: human-review\n    \
                  prompt: nice?\n  - type: artifact\n    path: out\n    assert:\n      kind: exists\n";
    for site in both(LOW, &one_step(checks)) {
        site.says("run step start 1");
        let said = site.finds("run step verify 1");
        assert_eq!(said, "blocked: human review required: nice?");
        site.decides("run gate 1 approved");
        assert_eq!(site.step(1)["status"], "in_progress");
        site.has("out", "");
        assert_eq!(site.says("run step verify 1"), "pass");
        assert_eq!(site.step(1)["attempts"], 1);
        let stdout = text(&site.step(1)["verify"]["stdout"]);
        assert_eq!(stdout, "first\nhuman review approved\nartifact exists: out\n");
    }
}

#[test]
fn who_asks_for_gates_that_the_settings_do_not_allow_is_told() {
    let site = Site::empty(Gates::Attested);
    site.has(FILE, &workflow(LOW, GATED));
    let start = site.call(&format!("run start {FILE} --gates attested"));
    let done = text(&start.env("WINDLASS_RUNS_GATES", "enforced").run().ok().json()["done"]);
    assert!(done.ends_with("; its gates are enforced, as the settings want them"), "{done}");
}
