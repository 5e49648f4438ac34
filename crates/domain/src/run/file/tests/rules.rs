//! The rules of our own, and where they point.

use super::*;

/// What is found, and what it points at.
#[track_caller]
fn found(text: &str) -> Vec<(&'static str, &str)> {
    let parsed = parse(text).unwrap_or_else(|found| panic!("{found:#?}"));
    lint(text, &parsed).into_iter().map(|finding| (finding.code, &text[finding.span])).collect()
}

fn artifact(assert: &str) -> String {
    sound(&format!("verify:\n  type: artifact\n  path: p\n  assert:\n{assert}"))
}

#[test]
fn an_assert_kind_that_means_nothing_is_found_with_the_one_that_was_meant() {
    let text = artifact("    kind: matches_glob\n    value: x\n");
    assert_eq!(found(&text), [("assert_kind", "matches_glob")]);
    let finding = inspect(&text).remove(0);
    assert_eq!(inspect(&patched(&text, &finding)), []);
}

#[test]
fn an_assert_that_needs_a_value_says_so() {
    assert_eq!(found(&artifact("    kind: contains\n")), [("assert_value", "contains")]);
    assert_eq!(found(&artifact("    kind: matches-glob\n")), [("assert_value", "matches-glob")]);
    let unused = artifact("    kind: exists\n    value: x\n");
    assert_eq!(found(&unused), [("assert_value_unused", "x")]);
}

#[test]
fn a_glob_with_folders_is_found() {
    let text = artifact("    kind: matches-glob\n    value: src/*.rs\n");
    assert_eq!(found(&text), [("glob_separator", "src/*.rs")]);
}

#[test]
fn a_gate_that_means_nothing_is_found_with_the_one_that_was_meant() {
    let text = sound("gate: humna\n");
    assert_eq!(found(&text), [("gate_word", "humna")]);
    assert_eq!(inspect(&text)[0].suggestion.clone().unwrap().replacement, "human");
}

#[test]
fn a_key_of_a_step_without_its_colon_is_found_with_the_place_to_put_it() {
    let text = step_text("action do it\nloop: false\n");
    assert_eq!(found(&text), [("colon_missing", "action")]);
    let finding = inspect(&text).remove(0);
    assert_eq!(finding.severity, Severity::Error);
    assert_eq!(inspect(&patched(&text, &finding)), []);
}

#[test]
fn a_field_that_may_be_left_out_and_has_no_colon_is_warned_of() {
    for line in ["gate human", "verify make", "max_iterations 3", "depends_on [1]"] {
        let text = sound(&format!("{line}\n"));
        let key = line.split(' ').next().unwrap();
        assert_eq!(found(&text), [("colon_missing", key)]);
        assert_eq!(inspect(&text)[0].severity, Severity::Warning, "{line}");
    }
}

#[test]
fn prose_that_begins_like_a_field_is_no_field_without_a_colon() {
    for line in ["Verify that it works.", "gated", "```\ngate human\n```"] {
        assert_eq!(found(&sound(&format!("{line}\n"))), [], "{line}");
    }
    assert_eq!(found(&sound("verify: make\nverify once more\n")), []);
}

#[test]
fn a_loop_that_means_nothing_is_found() {
    let text = step_text("action: x\nloop: forever\n");
    assert_eq!(found(&text), [("loop_word", "forever")]);
    let text = step_text("action: x\nloop: no\n");
    assert_eq!(inspect(&text)[0].suggestion.clone().unwrap().replacement, "false");
}

#[test]
fn budgets_that_let_nothing_begin_are_found() {
    let text = sound("").replace("low\n", "low\nmax_total_attempts: 0\nmax_agents: 1.5\n");
    assert_eq!(found(&text), [("budget_zero", "0"), ("budget_whole", "1.5")]);
}

#[test]
fn a_step_that_may_be_tried_no_time_is_found() {
    assert_eq!(found(&sound("max_iterations: 0\n")), [("no_iterations", "0")]);
}

#[test]
fn a_dependency_on_a_step_that_is_not_earlier_is_found() {
    for (number, message) in [
        ("1", "step 1 waits for itself"),
        ("2", "step 1 waits for step 2, which comes later"),
        ("9", "step 1 waits for step 9, which is not there"),
        ("0", "step 1 waits for step 0, which is not there"),
    ] {
        let second = "### 2. Two\naction: x\nloop: false\n";
        let text = sound(&format!("depends_on: {number}\n{second}"));
        assert_eq!(inspect(&text)[0].message, message);
    }
}

#[test]
fn a_gate_behind_a_step_that_can_never_be_done_is_found() {
    let text = sound("verify:\n  type: magic\n### 2. Two\naction: x\nloop: false\ngate: human\n");
    assert_eq!(found(&text), [("check_type", "magic"), ("gate_unreachable", "human")]);
}

#[test]
fn a_gate_that_auto_approve_answers_is_in_reach() {
    let text = sound("gate: human\n").replace("low\n", "low\nauto_approve: true\n");
    assert_eq!(found(&text), []);
}

#[test]
fn an_automatic_gate_at_high_risk_is_found() {
    let text = sound("gate: auto\n").replace("risk_level: low", "risk_level: high");
    assert_eq!(found(&text), [("gate_auto_at_high_risk", "auto")]);
}

#[test]
fn security_is_looked_for_by_words() {
    let high = |lines: &str| sound(lines).replace("risk_level: low", "risk_level: high");
    assert_eq!(found(&high("The author is told.\n")), []);
    let text = high("Store the API token.\n");
    assert_eq!(found(&text), [("security_gate", "token")]);
}

#[test]
fn what_is_there_and_empty_is_found() {
    let text = "---\nintent:\nsuccess_criteria: ''\nrisk_level: # low\n---\n### 1. One\n\
                action:\nloop:\ngate:\n";
    let found: Vec<_> =
        found(text).into_iter().filter(|(code, _)| *code == "empty_value").collect();
    let keys: Vec<_> = found.into_iter().map(|(_, key)| key).collect();
    assert_eq!(keys, ["intent", "success_criteria", "risk_level", "action", "loop", "gate"]);
}

#[test]
fn the_rules_are_applied_to_a_file_that_is_refused_too() {
    let codes: Vec<_> =
        inspect("### 2. One\naction: x\n").into_iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["front_missing", "field_missing", "step_number"]);
}
