//! Steps that can never be done, and gates behind them that nobody is ever asked.
//!
//! Steps run in order, and a gate is asked when its step is done. So a gate is out of reach when its
//! step, or one before it, can never be done: it waits for a step that is not there or comes later,
//! may be tried no time, or has a check that cannot be made. Each of these is an error of its own;
//! here it is said what they hide. A gate that `auto_approve` answers is in reach: that is its use.

use std::ops::Range;

use crate::run::file::WorkflowFile;
use crate::run::file::check::{AssertKind, Check};
use crate::run::file::finding::{Finding, Findings};
use crate::run::file::front::Risk;
use crate::run::file::place::{Places, StepPlace};
use crate::run::file::step::{Gate, Step};

pub(super) fn rules(file: &WorkflowFile, places: &Places, found: &mut Findings) {
    let count = file.steps.len();
    let mut stuck: Option<Range<usize>> = None;
    for (step, place) in file.steps.iter().zip(&places.steps) {
        dependencies(step, place, count, found);
        if stuck.is_none() && cannot_be_done(step) {
            stuck = Some(place.header.clone());
        }
        let Some(gate) = place.fields.span("gate").filter(|_| step.gate.is_some()) else {
            continue;
        };
        if let Some(stuck) = &stuck {
            found.push(
                Finding::warning("gate_unreachable", gate.clone(), "this gate is never reached")
                    .related(stuck.clone(), "this step can never be done"),
            );
        }
        if step.gate == Some(Gate::Auto) && file.front.risk == Some(Risk::High) {
            let message = "at high risk no gate is approved by itself";
            found.push(
                Finding::warning("gate_auto_at_high_risk", gate.clone(), message)
                    .label("a person is asked all the same")
                    .suggest(gate, "human"),
            );
        }
    }
}

/// Only an earlier step can come first.
fn dependencies(step: &Step, place: &StepPlace, count: usize, found: &mut Findings) {
    let span = place.fields.span("depends_on").unwrap_or_default();
    for number in step.depends_on.iter().filter(|number| **number == 0 || **number >= step.number) {
        let is_there = (1..=count).contains(&usize::try_from(*number).unwrap_or(usize::MAX));
        let message = match (*number == step.number, is_there) {
            (true, _) => format!("step {number} waits for itself"),
            (false, true) => {
                format!("step {} waits for step {number}, which comes later", step.number)
            }
            (false, false) => {
                format!("step {} waits for step {number}, which is not there", step.number)
            }
        };
        found.push(Finding::error("depends_on", span.clone(), message).label("name earlier steps"));
    }
}

fn cannot_be_done(step: &Step) -> bool {
    let waits = step.depends_on.iter().any(|number| *number == 0 || *number >= step.number);
    waits || step.max_iterations == 0 || step.checks.iter().any(cannot_be_made)
}

fn cannot_be_made(check: &Check) -> bool {
    match check {
        // Without a command there is nothing to fail.
        Check::Shell { .. } | Check::Review { .. } => false,
        Check::Browser { url, check, .. } => url.is_none() || check.is_none(),
        Check::Unknown { .. } => true,
        Check::Artifact { path, assert, .. } => {
            let Some(assert) = assert else { return true };
            let value = assert.value.as_deref();
            path.is_none()
                || match assert.kind {
                    AssertKind::Exists => false,
                    AssertKind::Contains => value.is_none(),
                    AssertKind::MatchesGlob => value.is_none_or(|glob| glob.contains('/')),
                    AssertKind::Other(_) | AssertKind::Missing => true,
                }
        }
    }
}
