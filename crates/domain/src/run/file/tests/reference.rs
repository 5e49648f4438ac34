//! Every example of the format's reference reads as it says there.

use super::*;

const EXAMPLE: &str = "\
---
intent: Add rate limiting to the API
success_criteria: Rate limit tests pass, no existing tests broken
risk_level: low
auto_approve: true
---

## Steps

- [ ] **Step 1: Write failing tests**
action: Write tests for rate limit behavior (429 response after N requests)
loop: false
verify: pytest tests/test_rate_limit.py -v

- [ ] **Step 2: Implement rate limiting**
action: Add rate limiting middleware
loop: until tests pass
max_iterations: 5
verify: pytest tests/test_rate_limit.py -v

- [ ] **Step 3: Full regression check**
action: Run complete test suite
loop: false
verify: pytest -v

- [ ] **Step 4: Final approval**
action: Summarize what was implemented
loop: false
gate: human";

#[test]
fn the_example_reads_as_it_is_meant() {
    let file = accepted(EXAMPLE);
    assert_eq!(file.front.intent.as_deref(), Some("Add rate limiting to the API"));
    assert_eq!((file.front.risk, file.front.auto_approve), (Some(Risk::Low), true));
    let names: Vec<_> = file.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Write failing tests",
            "Implement rate limiting",
            "Full regression check",
            "Final approval",
        ]
    );
    let second = &file.steps[1];
    assert_eq!((&second.repeat, second.max_iterations), (&Loop::Until("tests pass".into()), 5));
    assert_eq!(file.steps[2].checks, [shell("pytest -v")]);
    assert_eq!((file.steps[3].form, &file.steps[3].gate), (Form::None, &Some(Gate::Human)));
}

#[test]
fn nothing_is_wrong_with_the_example() {
    assert_eq!(inspect(EXAMPLE), []);
}

#[test]
fn both_forms_of_a_header_mean_the_same() {
    let fields = "action: Write tests\nloop: false\nverify: pytest tests/test_rate_limit.py -v\n";
    let ticked = accepted(&format!("- [ ] **Step 1: Write failing tests**\n{fields}"));
    assert_eq!(ticked, accepted(&format!("### 1. Write failing tests\n{fields}")));
}

#[test]
fn both_forms_of_a_header_may_be_mixed() {
    let file = accepted("### 1. One\n- [ ] **Step 2: Two**\n### 3. Three\n");
    assert_eq!(file.steps.iter().map(|step| step.number).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn a_command_is_short_for_a_shell_check() {
    let short = step("verify: pytest tests/");
    assert_eq!(short.checks, [shell("pytest tests/")]);
    let long = step("verify:\n  type: shell\n  command: pytest tests/\n");
    assert_eq!(long, short);
}

#[test]
fn a_browser_check_has_an_address_and_a_sentence() {
    let step = step(
        "verify:\n  type: browser\n  url: http://localhost:3000/dashboard\n  \
         check: priority badge is visible with correct color\n",
    );
    assert_eq!(
        step.checks,
        [Check::Browser {
            url: Some("http://localhost:3000/dashboard".into()),
            check: Some("priority badge is visible with correct color".into()),
            timeout: None,
        }]
    );
}

#[test]
fn a_human_review_has_a_prompt() {
    let step = step(
        "verify:\n  type: human-review\n  prompt: Check that colors match the approved design\n",
    );
    let prompt = Some("Check that colors match the approved design".into());
    assert_eq!(step.checks, [Check::Review { prompt }]);
}

#[test]
fn an_artifact_has_a_path_and_an_assert() {
    let step = step(
        "verify:\n  type: artifact\n  path: migrations\n  assert:\n    kind: matches-glob\n    \
         value: \"*.sql\"\n",
    );
    let assert = Some(Assert { kind: AssertKind::MatchesGlob, value: Some("*.sql".into()) });
    let path = Some("migrations".into());
    assert_eq!(step.checks, [Check::Artifact { path, assert, timeout: None }]);
}

#[test]
fn a_list_holds_several_checks() {
    let text = "verify:
  - type: shell
    command: npm test
  - type: browser
    url: http://localhost:3000
    check: login page renders correctly
  - type: artifact
    path: coverage/lcov.info
    assert:
      kind: exists
";
    let step = step(text);
    let kinds: Vec<_> = step.checks.iter().map(Check::kind).collect();
    assert_eq!((step.form, kinds), (Form::Many, vec!["shell", "browser", "artifact"]));
    assert_eq!(inspect(&sound(text)), []);
}

#[test]
fn every_assert_kind_of_the_reference_is_known() {
    for kind in ["exists", "contains", "matches-glob"] {
        assert!(!matches!(AssertKind::from(kind.to_owned()), AssertKind::Other(_)), "{kind}");
    }
}

#[test]
fn every_field_of_the_frontmatter_is_read() {
    let front = front(
        "intent: a\nsuccess_criteria: b\nrisk_level: medium\nauto_approve: true\nbranch: feat/x\n\
         worktree: host\nprogress: verbose\nreport_detail: full\ndirty_worktree: allow\n\
         policy_profile: strict\ngate_timeout: 4h\nmax_total_attempts: 10\nmax_agents: 2\nmax_cost_usd: 1.5\n\
         max_elapsed_minutes: 90",
    );
    let amount = Amount::parse;
    let expected = Front {
        intent: Some("a".into()),
        success_criteria: Some("b".into()),
        risk: Some(Risk::Medium),
        auto_approve: true,
        branch: Some("feat/x".into()),
        worktree: Some(Worktree::Host),
        progress: Some(Progress::Verbose),
        report_detail: Some(ReportDetail::Full),
        dirty: Some(Dirty::Allow),
        policy_profile: Some("strict".into()),
        gate_timeout: Some(GateTimeout::After(crate::duration::Span::parse("x", "4h").unwrap())),
        budgets: Budgets {
            total_attempts: amount("10"),
            agents: amount("2"),
            cost_usd: amount("1.5"),
            elapsed_minutes: amount("90"),
        },
    };
    assert_eq!(front, expected);
}

#[test]
fn a_worktree_is_one_of_three() {
    for (word, expected) in
        [("true", Worktree::Isolated), ("false", Worktree::Here), ("host", Worktree::Host)]
    {
        assert_eq!(front(&format!("worktree: {word} # why")).worktree, Some(expected));
    }
}

#[test]
fn what_is_not_said_is_what_the_reference_says() {
    let front = front("intent: a");
    assert_eq!((front.auto_approve, front.branch, front.worktree), (false, None, None));
    assert_eq!((front.progress, front.report_detail, front.dirty), (None, None, None));
    let step = step("action: Write\nloop: until done\n");
    assert_eq!((step.max_iterations, step.gate, step.form), (3, None, Form::None));
}
