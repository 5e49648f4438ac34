//! What the next attempt at a step is told of the last one.

use windlass_domain::run::word::VerdictWord;
use windlass_ledger::Error;

use super::evidence::{AttemptView, Evidence};
use super::target::Target;
use super::view::StepView;
use crate::context::Context;

/// How an attempt failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Failure {
    /// The check that did not pass.
    pub(super) check: Option<String>,
    /// What the checks wrote.
    pub(super) written: Vec<String>,
}

impl Failure {
    /// Of a step that stands as its last attempt left it.
    pub(super) fn of_step(step: &StepView) -> Self {
        let written = step.troubles().map(str::to_owned).collect();
        Self { check: step.failed_check.clone(), written }
    }

    /// The last one of a step of which the next attempt has begun, and forgot it: the evidence has it.
    pub(super) fn recalled(cx: &mut Context, target: &Target, step: u32) -> Result<Self, Error> {
        let asked = Evidence { run: None, step: Some(step), target: target.clone() };
        let attempts = cx.perform(&asked)?.attempts;
        let failed = attempts.iter().rev().find(|seen| seen.verdict == VerdictWord::Failed);
        Ok(failed.map(Self::of_attempt).unwrap_or_default())
    }

    fn of_attempt(attempt: &AttemptView) -> Self {
        let checks = &attempt.checks;
        let stderr = checks
            .iter()
            .flat_map(|seen| seen.stderr.texts().into_iter().chain(seen.ending.clone()));
        let stdout = checks.iter().flat_map(|seen| seen.stdout.texts());
        let written = [stderr.collect::<Vec<_>>(), stdout.collect()];
        let written = written.map(|texts| texts.join("\n")).into_iter();
        Self {
            check: attempt.failed_check.clone(),
            written: written.filter(|text| !text.is_empty()).collect(),
        }
    }
}
