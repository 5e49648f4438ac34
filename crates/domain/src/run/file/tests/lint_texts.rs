//! Each text that HOTL's lint has, and when.

use super::*;

const NAME: &str = "docs/plans/2026-01-01-x-workflow.md";

/// What is said of a text that fails, without the last line.
#[track_caller]
fn fails(text: &str) -> Vec<String> {
    let report = compat_lint(NAME, text);
    assert_eq!((report.verdict, report.stdout.len()), (Verdict::Failed, 0));
    let (last, failures) = report.stderr.split_last().unwrap();
    let count = failures.len();
    assert_eq!(*last, format!("LINT FAILED: {count} error(s) in 2026-01-01-x-workflow.md"));
    failures.iter().map(|line| line.strip_prefix("FAIL: ").unwrap().to_owned()).collect()
}

#[test]
fn a_sound_file_passes() {
    let report = compat_lint(NAME, &sound("verify: true\n"));
    assert_eq!(report.stderr, [] as [String; 0]);
    assert_eq!(report.stdout, ["LINT PASSED: 2026-01-01-x-workflow.md"]);
    assert_eq!(report.verdict, Verdict::Passed);
}

#[test]
fn the_kind_of_a_file_follows_from_its_path() {
    let text = sound("");
    for path in ["hotl-workflow-x.md", "a/hotl-workflow-x.md", "a/docs/plans/x-workflow.md"] {
        assert_eq!(compat_lint(path, &text).verdict, Verdict::Passed, "{path}");
    }
    for path in ["x.md", "x-workflow.md", "mydocs/plans/x-workflow.md", "hotl-workflow-x.txt"] {
        let report = compat_lint(path, &text);
        let name = path.rsplit('/').next().unwrap();
        let said = format!("SKIP: {name} is not a HOTL design doc or workflow file");
        assert_eq!((report.verdict, report.stderr), (Verdict::Skipped, vec![said]), "{path}");
    }
    for path in ["docs/designs/x.md", "x-design.md", "docs/plans/x-plan.md"] {
        assert_eq!(compat_lint(path, &text).verdict, Verdict::Skipped, "{path}");
    }
}

#[test]
fn a_file_that_is_not_there_fails() {
    assert_eq!(CompatReport::not_found("a/x.md").stderr, ["FAIL: File not found: a/x.md"]);
}

#[test]
fn a_missing_frontmatter_is_said_once() {
    assert_eq!(
        fails("### 1. One\naction: x\nloop: false\n"),
        ["Missing YAML frontmatter (file must start with ---)"]
    );
}

#[test]
fn each_missing_field_of_the_frontmatter_is_said() {
    assert_eq!(
        fails("---\n---\n### 1. One\naction: x\nloop: false\n"),
        [
            "Frontmatter missing 'intent:' field",
            "Frontmatter missing 'success_criteria:' field",
            "Frontmatter missing 'risk_level:' field",
        ]
    );
}

#[test]
fn words_of_the_frontmatter_that_mean_nothing_are_said() {
    let text = sound("").replace(
        "risk_level: low\n",
        "risk_level: Extreme danger\nprogress: Loud\nreport_detail: some # x\nworktree: maybe\n\
         dirty_worktree: deny\n",
    );
    assert_eq!(
        fails(&text),
        [
            "risk_level must be low, medium, or high (got: 'extreme')",
            "progress must be 'verbose' if set (got: 'loud')",
            "report_detail must be 'full' if set (got: 'some')",
            "worktree must be true, false, or host if set (got: 'maybe')",
            "dirty_worktree must be 'allow' if set (got: 'deny')",
        ]
    );
}

#[test]
fn a_file_without_steps_is_said() {
    assert_eq!(
        fails(FRONT),
        ["No steps found (expected either '### N. Step name' or '- [ ] **Step N: Step name**')"]
    );
}

#[test]
fn a_step_without_action_and_loop_is_said() {
    assert_eq!(
        fails(&step_text("")),
        ["Step 'One' missing 'action:' field", "Step 'One' missing 'loop:' field"]
    );
    let without_colon = step_text("action do it\nloop: false\n");
    assert_eq!(fails(&without_colon), ["Step 'One' missing 'action:' field"]);
}

#[test]
fn a_loop_without_verify_and_max_iterations_is_said() {
    assert_eq!(
        fails(&step_text("action: x\nloop: until y\n")),
        [
            "Step 'One' has loop:until but missing 'verify:' field",
            "Step 'One' has loop:until but missing 'max_iterations:' field",
        ]
    );
}

#[test]
fn an_empty_verify_is_said() {
    assert_eq!(fails(&sound("verify:\n")), ["Step 'One' has empty verify block"]);
}

#[test]
fn a_check_without_a_type_is_said() {
    assert_eq!(
        fails(&sound("verify:\n  command: x\n")),
        ["Step 'One' has structured verify block but missing 'type:' field"]
    );
}

#[test]
fn each_field_that_a_type_needs_is_said() {
    for (kind, said) in [
        ("shell", vec!["verify type:shell missing 'command:' field"]),
        (
            "browser",
            vec![
                "verify type:browser missing 'url:' field",
                "verify type:browser missing 'check:' field",
            ],
        ),
        ("human-review", vec!["verify type:human-review missing 'prompt:' field"]),
        (
            "artifact",
            vec![
                "verify type:artifact missing 'path:' field",
                "verify type:artifact missing 'assert.kind' field",
            ],
        ),
    ] {
        let said: Vec<_> = said.iter().map(|said| format!("Step 'One' {said}")).collect();
        assert_eq!(fails(&sound(&format!("verify:\n  type: {kind}\n"))), said);
    }
}

#[test]
fn a_type_that_means_nothing_is_said() {
    assert_eq!(
        fails(&sound("verify:\n  type: magic\n")),
        ["Step 'One' has invalid verify type 'magic' \
             (expected: shell, browser, human-review, artifact)"]
    );
}

#[test]
fn each_item_of_a_list_is_looked_at_by_itself() {
    let checks = "verify:\n  - type: shell\n    command: x\n  - type: shell\n";
    assert_eq!(fails(&sound(checks)), ["Step 'One' verify type:shell missing 'command:' field"]);
}

#[test]
fn security_at_high_risk_without_a_gate_is_said() {
    let text = sound("The author is told.\n").replace("risk_level: low", "risk_level: high");
    assert_eq!(
        fails(&text),
        ["Step 'One' has security keywords with risk_level:high but missing 'gate: human'"]
    );
    let gated = text.replace("loop: false", "loop: false\ngate: human");
    assert_eq!(compat_lint(NAME, &gated).verdict, Verdict::Passed);
}

#[test]
fn what_hotl_passes_and_cannot_be_run_fails_with_its_line() {
    let text = sound("max_iterations: abc\n");
    assert_eq!(fails(&text), ["line 10: max_iterations must be a whole number (got: 'abc')"]);
}

#[test]
fn rules_that_hotl_does_not_have_are_left_out() {
    let text = sound("gate: whatever\n");
    assert!(!inspect(&text).is_empty());
    assert_eq!(compat_lint(NAME, &text).verdict, Verdict::Passed);
}
