//! Rules of checks, each for itself.

use std::ops::Range;

use crate::near::near;
use crate::run::file::check::{Assert, AssertKind, Check};
use crate::run::file::finding::{Finding, Findings};
use crate::run::file::place::{CheckPlace, StepPlace};
use crate::run::file::step::Step;

pub(super) fn rules(step: &Step, place: &StepPlace, found: &mut Findings) {
    if let Some(field) = place.fields.get("verify").filter(|_| step.checks.is_empty()) {
        found.push(
            Finding::error("verify_empty", field.key_span.clone(), "`verify` says nothing")
                .label("write a command beside it, or a check below")
                .in_hotl(format!("Step '{}' has empty verify block", step.name)),
        );
    }
    for (check, place) in step.checks.iter().zip(&place.checks).filter(|(_, at)| !at.is_scalar) {
        Rules { name: &step.name, place, found }.check(check);
    }
}

struct Rules<'a> {
    name: &'a str,
    place: &'a CheckPlace,
    found: &'a mut Findings,
}

impl Rules<'_> {
    fn check(&mut self, check: &Check) {
        if !self.place.fields.has_value("type") {
            let compat = "has structured verify block but missing 'type:' field";
            let finding = self.missing("type", compat.to_owned());
            self.found.push(finding);
            return;
        }
        let kind = check.kind();
        match check {
            Check::Shell { command, .. } => self.required(kind, "command", command.as_ref()),
            Check::Browser { url, check, .. } => {
                self.required(kind, "url", url.as_ref());
                self.required(kind, "check", check.as_ref());
            }
            Check::Review { prompt } => self.required(kind, "prompt", prompt.as_ref()),
            Check::Artifact { path, assert, .. } => {
                self.required(kind, "path", path.as_ref());
                self.assert(assert.as_ref());
            }
            Check::Unknown { kind } => self.unknown(kind),
        }
    }

    fn missing(&self, key: &str, compat: String) -> Finding {
        Finding::error(
            "check_field_missing",
            self.place.span.clone(),
            format!("`{key}` is missing"),
        )
        .label(format!("add `{key}: …` to this check"))
        .in_hotl(format!("Step '{}' {compat}", self.name))
    }

    fn required(&mut self, kind: &str, key: &str, value: Option<&String>) {
        if value.is_none() {
            let finding = self.missing(key, format!("verify type:{kind} missing '{key}:' field"));
            self.found.push(finding);
        }
    }

    fn unknown(&mut self, kind: &str) {
        let span = self.place.fields.span("type").unwrap_or_default();
        let expected = "expected: shell, browser, human-review, artifact";
        let word = kind.to_ascii_lowercase().replace('_', "-");
        let near = match word.as_str() {
            "human" | "review" => Some("human-review".to_owned()),
            "file" => Some("artifact".to_owned()),
            "command" | "bash" | "sh" => Some("shell".to_owned()),
            word => near(word, Check::KNOWN).into_iter().next(),
        };
        let message = format!("there is no check of type '{kind}' ({expected})");
        let compat = format!("Step '{}' has invalid verify type '{kind}' ({expected})", self.name);
        let finding = Finding::error("check_type", span.clone(), message).in_hotl(compat);
        self.found.push(finding.suggest_word(span, near));
    }

    fn assert(&mut self, assert: Option<&Assert>) {
        let missing = Assert { kind: AssertKind::Missing, value: None };
        let Assert { kind, value } = assert.unwrap_or(&missing);
        match kind {
            AssertKind::Missing => {
                let compat = "verify type:artifact missing 'assert.kind' field".to_owned();
                let finding = self.missing("assert.kind", compat);
                self.found.push(finding.label("add `assert:` with `kind: exists` below it"));
            }
            AssertKind::Other(given) => self.unknown_kind(given),
            AssertKind::Exists => self.value_unused(value.as_ref()),
            AssertKind::Contains => self.value_needed(kind, value.as_ref()),
            AssertKind::MatchesGlob => {
                self.value_needed(kind, value.as_ref());
                self.glob(value.as_deref().unwrap_or_default());
            }
        }
    }

    fn kind_span(&self) -> Range<usize> {
        let fields = &self.place.fields;
        fields.span("kind").or_else(|| fields.span("assert")).unwrap_or_default()
    }

    fn unknown_kind(&mut self, given: &str) {
        let span = self.kind_span();
        let word = given.to_ascii_lowercase().replace('_', "-");
        let near = match word.as_str() {
            "glob" | "matches" => Some("matches-glob".to_owned()),
            "exist" | "file-exists" => Some("exists".to_owned()),
            word => near(word, AssertKind::KNOWN).into_iter().next(),
        };
        let known = AssertKind::KNOWN.join(", ");
        let message = format!("there is no assert kind '{given}' (expected: {known})");
        let finding = Finding::error("assert_kind", span.clone(), message);
        self.found.push(finding.suggest_word(span, near));
    }

    fn value_needed(&mut self, kind: &AssertKind, value: Option<&String>) {
        if value.is_none() {
            let message = format!("assert kind {} needs a `value`", kind.as_str());
            let finding = Finding::error("assert_value", self.kind_span(), message);
            self.found.push(finding.label("add `value: …` below"));
        }
    }

    fn value_unused(&mut self, value: Option<&String>) {
        if value.is_some() {
            let span = self.place.fields.span("value").unwrap_or_default();
            let message = "assert kind exists looks at no `value`";
            let finding = Finding::warning("assert_value_unused", span, message);
            self.found.push(finding.label("for a text in the file, the kind is contains"));
        }
    }

    fn glob(&mut self, value: &str) {
        if value.contains(['/', '\\']) {
            let span = self.place.fields.span("value").unwrap_or_default();
            let message = "matches-glob takes a glob for file names, without folders";
            let finding = Finding::error("glob_separator", span, message);
            self.found.push(finding.label("put the folder into `path`"));
        }
    }
}
