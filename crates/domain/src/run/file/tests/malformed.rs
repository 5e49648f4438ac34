//! The malformed files that made HOTL write a broken state, or none, by their row in its contract.

use super::*;

#[test]
fn malformed_01_a_quoted_loop_is_unquoted() {
    assert_eq!(step("loop: \"until tests pass\"").repeat, Loop::Until("tests pass".into()));
}

#[test]
fn malformed_02_a_comment_after_max_iterations_is_no_part_of_it() {
    assert_eq!(step("max_iterations: 5 # five").max_iterations, 5);
}

#[test]
fn malformed_02_max_iterations_that_is_no_number_is_an_error_with_its_place() {
    let text = step_text("max_iterations: abc");
    let (error, place) = refused(&text);
    assert_eq!((error.code, place), ("not_a_number", "abc"));
    assert!(error.message.contains("'abc'"));
}

#[test]
fn malformed_03_intent_given_twice_is_an_error() {
    let text = "---\nintent: one\nintent: two\n---\n### 1. One\n";
    let (error, place) = refused(text);
    assert_eq!((error.code, place, error.span.start), ("duplicate_key", "intent", 16));
    assert_eq!(error.related.unwrap().0, 4..10);
}

#[test]
fn malformed_04_a_tab_in_a_name_or_an_action_is_kept() {
    let file = accepted("### 1. One\tstep\naction: Do\tit\n");
    assert_eq!(file.steps[0].name, "One\tstep");
    assert_eq!(file.steps[0].action.as_deref(), Some("Do\tit"));
}

#[test]
fn malformed_05_a_file_with_crlf_reads_as_one_with_lf() {
    let text = "---\nintent: x\nrisk_level: high\n---\n\n- [ ] **Step 1: One**\naction: Do\n\
                verify:\n  - type: shell\n    command: |\n      a\n      b\n";
    let file = accepted(&text.replace('\n', "\r\n"));
    assert_eq!(file, accepted(text));
    assert_eq!(file.front.risk, Some(Risk::High));
}

#[test]
fn malformed_06_a_comment_after_risk_level_is_no_part_of_it() {
    assert_eq!(front("risk_level: low # note").risk, Some(Risk::Low));
}

#[test]
fn malformed_07_auto_approve_in_capitals_is_accepted() {
    assert!(front("auto_approve: True").auto_approve);
    assert!(front("auto_approve: TRUE").auto_approve);
    assert!(!front("auto_approve: False").auto_approve);
}

#[test]
fn malformed_07_auto_approve_yes_is_refused_with_the_word_to_write() {
    let text = "---\nauto_approve: yes\n---\n### 1. One\n";
    let (error, place) = refused(text);
    assert_eq!((error.code, place), ("auto_approve_word", "yes"));
    assert!(accepted(&patched(text, &error)).front.auto_approve);
}

#[test]
fn malformed_08_quotes_around_intent_branch_and_action_are_removed() {
    let front = front("intent: \"Add it\"\nbranch: 'feat/x'");
    assert_eq!(front.intent.as_deref(), Some("Add it"));
    assert_eq!(front.branch.as_deref(), Some("feat/x"));
    assert_eq!(step("action: \"Do it\"").action.as_deref(), Some("Do it"));
}

#[test]
fn malformed_09_only_the_first_block_is_the_frontmatter() {
    let file = accepted("---\nintent: x\n---\n\n---\nbranch: from-body\n---\n\n### 1. One\n");
    assert_eq!(file.front.branch, None);
}

#[test]
fn malformed_10_a_header_in_fenced_code_is_no_step() {
    let file = accepted("```\n### 1. Not me\n```\n~~~~ md\n~~~\n### 2. Nor me\n~~~~\n### 1. One\n");
    assert_eq!(file.steps.len(), 1);
    assert_eq!(file.steps[0].name, "One");
}

#[test]
fn malformed_11_steps_numbered_with_gaps_are_refused() {
    let found = parse("### 5. Five\n### 7. Seven\n").unwrap_err();
    let messages: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        messages,
        ["the first step has the number 5 instead of 1", "step 7 follows step 5; 6 is missing",]
    );
}

#[test]
fn malformed_12_a_block_of_lines_is_a_command() {
    let step = step("verify: |\n  cd web\n  npm test\n\ngate: human");
    assert_eq!(step.checks, [shell("cd web\nnpm test")]);
    assert_eq!(step.gate, Some(Gate::Human));
}

#[test]
fn malformed_13_a_key_inside_a_command_is_no_key() {
    let step = step("verify:\n  - command: grep \"content-type: json\" f\n    type: shell\n");
    assert_eq!(step.checks, [shell("grep \"content-type: json\" f")]);
    assert_eq!(step.form, Form::Many);
}

#[test]
fn malformed_14_a_bar_in_a_name_is_kept() {
    assert_eq!(accepted("### 1. Read | write\n").steps[0].name, "Read | write");
}

#[test]
fn malformed_15_a_ticked_box_is_kept_as_a_mark() {
    let file = accepted("- [x] **Step 1: One**\n- [X] **Step 2: Two**\n- [ ] **Step 3: Three**\n");
    let ticked: Vec<_> = file.steps.iter().map(|step| step.ticked).collect();
    assert_eq!(ticked, [true, true, false]);
}

#[test]
fn malformed_17_a_file_without_steps_is_refused() {
    let (error, _) = refused("---\nintent: x\n---\n");
    assert_eq!(error.code, "no_steps");
}
