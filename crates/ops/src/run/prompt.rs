//! What an agent is told about the step that it works on.

use std::fmt::Write as _;

use super::failure::Failure;
use super::view::{RunView, StepView};

/// The prompt for one attempt at a step. After a failure it says what the checks showed.
pub(super) fn prompt(run: &RunView, step: &StepView, attempt: u32, last: &Failure) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    line(format!("# Step {} of {}: {}", step.step, run.steps.len(), step.name));
    line(String::new());
    line(format!("The whole work: {}", run.intent));
    if !run.success_criteria.is_empty() {
        line(format!("It succeeds when: {}", run.success_criteria));
    }
    line(String::new());
    line("Do only this step, in this folder:".to_owned());
    line(String::new());
    line(step.action.clone());
    line(String::new());
    line(
        "In a git checkout, commit what you have made: what is not committed is not merged."
            .to_owned(),
    );
    line(
        "When you have ended, these checks are run; none of them believes what you say:".to_owned(),
    );
    line(String::new());
    for check in &step.checks {
        line(format!("- {check}"));
    }
    if step.checks.is_empty() {
        line("- none".to_owned());
    }
    if attempt > 1 {
        line(String::new());
        line(format!("This is attempt {attempt} of {}. The last one failed:", step.max_attempts));
        line(String::new());
        if let Some(failed) = &last.check {
            line(failed.clone());
        }
        for written in &last.written {
            line(format!("```\n{written}\n```"));
        }
    }
    // A program cannot be given it as an argument, and what checks wrote may hold anything.
    text.replace('\0', "\u{fffd}")
}
