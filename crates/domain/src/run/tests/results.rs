//! What whoever runs the checks may say of them.

use super::scene::{LOW, Scene, agent, enforced, refused};
use crate::Code;
use crate::run::check::{CheckResult, Outcome, SHOWN_BYTES};
use crate::run::step;
use crate::run::word::StepStatus;

fn step_with(verify: &str) -> Scene {
    let mut scene = enforced(LOW, &format!("### 1. Do\naction: x\nloop: false\nverify:\n{verify}"));
    scene.start(1).unwrap();
    scene
}

fn passed(check: usize) -> CheckResult {
    CheckResult { exit_code: Some(0), ..CheckResult::new(check, Outcome::Passed) }
}

fn tell(scene: &mut Scene, results: Vec<CheckResult>) -> Result<(), crate::Refusal> {
    let told = step::verified(&scene.run, 1, 1, results, &agent(), scene.now);
    scene.take(told)
}

#[test]
fn what_only_a_person_or_nobody_can_decide_does_not_pass_by_the_word_of_a_worker() {
    for last in [
        "  - type: human-review\n    prompt: look\n",
        "  - type: magic\n",
        "  - type: artifact\n    path: x\n    assert:\n      kind: is-nice\n",
        "  - type: browser\n    check: \"title: x\"\n",
    ] {
        let mut scene = step_with(&format!("  - make\n{last}"));
        let (code, message) = refused(tell(&mut scene, vec![passed(0), passed(1)]));
        assert_eq!(code, Code::InvalidValue, "{last}");
        assert_eq!(message, "check 2 of step 1 cannot have that result", "{last}");
        assert_eq!(scene.step_status(1), StepStatus::InProgress, "{last}");
    }
}

#[test]
fn a_command_passes_only_with_the_exit_code_0() {
    for exit_code in [None, Some(1), Some(200)] {
        let mut scene = step_with("  - make\n");
        let result = CheckResult { exit_code, ..passed(0) };
        assert_eq!(refused(tell(&mut scene, vec![result])).0, Code::InvalidValue);
    }
    let mut scene = step_with("  - make\n");
    tell(&mut scene, vec![passed(0)]).unwrap();
    assert_eq!(scene.step_status(1), StepStatus::Done);
}

#[test]
fn what_is_too_large_is_kept_within_bounds() {
    let mut scene = step_with("  - make\n");
    let mut result = CheckResult::new(0, Outcome::Undecided("x".repeat(SHOWN_BYTES * 2)));
    result.stdout.text = "y".repeat(SHOWN_BYTES * 2);
    result.stdout.left_out_bytes = u64::MAX;
    tell(&mut scene, vec![result]).unwrap();
    let block = scene.step(1).block.clone().unwrap();
    assert_eq!(block.reason.len(), SHOWN_BYTES);
}
