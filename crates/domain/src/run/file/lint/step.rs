//! Rules of a step, its checks apart.

use crate::near::near;
use crate::run::file::finding::{Finding, Findings};
use crate::run::file::place::StepPlace;
use crate::run::file::scan::Colonless;
use crate::run::file::step::{Gate, Loop, Step};

pub(super) fn rules(step: &Step, place: &StepPlace, found: &mut Findings) {
    for key in ["action", "loop"] {
        required(key, step, place, found);
    }
    for key in ["max_iterations", "verify", "gate", "depends_on"] {
        optional(key, place, found);
    }
    repeat(step, place, found);
    gate(step, place, found);
    depends_on(step, place, found);
    if step.max_iterations == 0 {
        let span = place.fields.span("max_iterations").unwrap_or_default();
        let finding = Finding::error("no_iterations", span.clone(), "the step can never be tried");
        found.push(finding.label("at least 1").suggest(span, "1"));
    }
}

fn required(key: &str, step: &Step, place: &StepPlace, found: &mut Findings) {
    let name = &step.name;
    let Some(field) = place.fields.get(key) else {
        let missing = || {
            Finding::error("field_missing", place.header.clone(), format!("`{key}` is missing"))
                .label(format!("add `{key}: …` to this step"))
        };
        let finding = place.colonless(key).map_or_else(missing, Colonless::finding);
        found.push(finding.in_hotl(format!("Step '{name}' missing '{key}:' field")));
        return;
    };
    if field.value.is_none() {
        let message = format!("`{key}` is empty");
        found.push(Finding::error("empty_value", field.key_span.clone(), message));
    }
}

fn repeat(step: &Step, place: &StepPlace, found: &mut Findings) {
    let span = place.fields.span("loop").unwrap_or_default();
    if let Loop::Other(text) = &step.repeat {
        let message = format!("loop must be false or until … (got: '{text}')");
        let finding = Finding::error("loop_word", span.clone(), message);
        let meant = match text.to_ascii_lowercase().as_str() {
            "until" => None,
            "no" | "off" | "none" | "never" | "once" => Some("false".to_owned()),
            other => near(other, ["false"]).into_iter().next(),
        };
        found.push(finding.suggest_word(span.clone(), meant));
    }
    // HOTL asks for the word anywhere in the value.
    if !step.repeat.to_string().to_ascii_lowercase().contains("until") {
        return;
    }
    for key in ["verify", "max_iterations"] {
        if place.fields.get(key).is_none() {
            let message = format!("the step loops until something holds, and has no `{key}`");
            let missing = Finding::error("until_without", span.clone(), message);
            found.push(missing.related(place.header.clone(), format!("add `{key}: …`")).in_hotl(
                format!("Step '{}' has loop:until but missing '{key}:' field", step.name),
            ));
        }
    }
}

fn gate(step: &Step, place: &StepPlace, found: &mut Findings) {
    let span = place.fields.span("gate").unwrap_or_default();
    if let Some(Gate::Other(given)) = &step.gate {
        let message = format!("gate must be human or auto (got: '{given}')");
        let near = near(&given.to_ascii_lowercase(), Gate::KNOWN.iter().copied());
        let finding = Finding::error("gate_word", span.clone(), message);
        found.push(finding.suggest_word(span, near.into_iter().next()));
    } else if let Some(field) = place.fields.get("gate").filter(|field| field.value.is_none()) {
        let finding = Finding::warning("empty_value", field.key_span.clone(), "`gate` is empty");
        found.push(finding.label("the step has no gate"));
    }
}

/// A field that may be left out was perhaps not meant to be.
fn optional(key: &str, place: &StepPlace, found: &mut Findings) {
    if let Some(word) = place.colonless(key) {
        found.push(word.finding().warned());
    }
}

/// Whether the steps are there and earlier is looked at where reach is.
fn depends_on(step: &Step, place: &StepPlace, found: &mut Findings) {
    let span = place.fields.span("depends_on").unwrap_or_default();
    for (at, number) in step.depends_on.iter().enumerate() {
        let repeats = step.depends_on.iter().take(at).any(|earlier| earlier == number);
        if repeats {
            let message = format!("step {number} is listed twice");
            found.push(Finding::warning("depends_twice", span.clone(), message));
        }
    }
}
