//! What files mean, row by row.

mod grammar;
mod lint_texts;
mod malformed;
mod reference;
mod rules;

use super::*;

const FRONT: &str = "---\nintent: Do it\nsuccess_criteria: It is done\nrisk_level: low\n---\n\n";

/// A file of one step with these lines in it.
fn step_text(lines: &str) -> String {
    format!("{FRONT}- [ ] **Step 1: One**\n{lines}")
}

/// A file of one step that nothing is wrong with, and these lines.
fn sound(lines: &str) -> String {
    step_text(&format!("action: Do\nloop: false\n{lines}"))
}

#[track_caller]
fn accepted(text: &str) -> WorkflowFile {
    let file = parse(text).unwrap_or_else(|found| panic!("{found:#?}")).file;
    assert_eq!(parse(&canonical(&file)).unwrap().file, file, "{}", canonical(&file));
    file
}

/// The only step.
#[track_caller]
fn step(lines: &str) -> Step {
    let mut steps = accepted(&step_text(lines)).steps;
    assert_eq!(steps.len(), 1);
    steps.remove(0)
}

#[track_caller]
fn front(lines: &str) -> Front {
    accepted(&format!("---\n{lines}\n---\n### 1. One\n")).front
}

/// The only error, and what it points at.
#[track_caller]
fn refused(text: &str) -> (Finding, &str) {
    let found = parse(text).unwrap_err();
    let mut errors = found.into_iter().filter(|finding| finding.severity == Severity::Error);
    let error = errors.next().unwrap();
    assert_eq!(errors.next(), None);
    let place = &text[error.span.clone()];
    (error, place)
}

#[track_caller]
fn warnings(text: &str) -> Vec<(&'static str, &str)> {
    let parsed = parse(text).unwrap_or_else(|found| panic!("{found:#?}"));
    let place = |finding: Finding| (finding.code, &text[finding.span]);
    parsed.warnings.into_iter().map(place).collect()
}

/// The text with the suggestion taken.
fn patched(text: &str, finding: &Finding) -> String {
    let Suggestion { span, replacement } = finding.suggestion.clone().unwrap();
    format!("{}{replacement}{}", &text[..span.start], &text[span.end..])
}

fn shell(command: &str) -> Check {
    Check::Shell { command: Some(command.to_owned()), timeout: None }
}
