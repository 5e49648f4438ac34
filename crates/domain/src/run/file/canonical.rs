//! A file in the one form that says the same: what [`parse`](super::parse) reads from it is equal.

use std::fmt::Write as _;

use super::WorkflowFile;
use super::check::{Assert, AssertKind, Check};
use super::finding::Findings;
use super::front::Front;
use super::lines::{is_blank, trimmed};
use super::scalar::{Kind, in_quotes, value};
use super::scan::Field;
use super::step::{Form, ITERATIONS, Loop, Step};
use crate::duration::Span;

/// Writes a file. Prose, comments and keys without a meaning are not part of one.
pub fn canonical(file: &WorkflowFile) -> String {
    let mut page = Page::default();
    if file.front != Front::default() {
        front(&file.front, &mut page);
    }
    for step in &file.steps {
        page.gap();
        write_step(step, &mut page);
    }
    page.text
}

#[derive(Debug, Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// A field, if it says something. `before` is the indentation, with the dash of a list item.
    fn field(&mut self, before: &str, key: &str, kind: Kind, value: Option<&str>) {
        let Some(value) = value else { return };
        let _infallible = write!(self.text, "{before}{key}:");
        if value.contains('\n') && is_block(kind, value) {
            let deeper = " ".repeat(before.len() + 2);
            self.line(" |");
            for line in value.split('\n') {
                let indent = if line.is_empty() { "" } else { &deeper };
                self.line(&format!("{indent}{line}"));
            }
        } else {
            self.line(&format!(" {}", written(kind, value)));
        }
    }
}

/// Plain if that reads back as it is, else in quotes.
fn written(kind: Kind, text: &str) -> String {
    let inline = trimmed(text);
    let field = Field {
        key: "verify",
        key_start: 0,
        key_bytes: 0,
        indent: 0,
        inline,
        inline_start: 0,
        below: &[],
    };
    let mut found = Findings::default();
    let read = value(kind, &field, &mut found);
    let is_plain =
        !text.contains('\n') && !found.has_errors() && read.is_some_and(|value| value.text == text);
    if is_plain { text.to_owned() } else { in_quotes(text) }
}

/// The lines of a text can stand below a `|` without losing anything.
fn is_block(kind: Kind, text: &str) -> bool {
    let has_edges = text.starts_with('\n') || text.ends_with('\n') || text.starts_with(is_blank);
    let is_empty = |line: &str| !line.is_empty() && trimmed(line).is_empty();
    kind != Kind::Word && !has_edges && !text.split('\n').any(is_empty)
}

fn front(front: &Front, page: &mut Page) {
    page.line("---");
    let (text, word) = (Kind::Text, Kind::Word);
    page.field("", "intent", text, front.intent.as_deref());
    page.field("", "success_criteria", text, front.success_criteria.as_deref());
    page.field("", "risk_level", word, front.risk.map(super::Risk::as_str));
    page.field("", "auto_approve", word, front.auto_approve.then_some("true"));
    page.field("", "branch", word, front.branch.as_deref());
    page.field("", "worktree", word, front.worktree.as_ref().map(super::Worktree::as_str));
    page.field("", "progress", word, front.progress.as_ref().map(super::Progress::as_str));
    let detail = front.report_detail.as_ref().map(super::ReportDetail::as_str);
    page.field("", "report_detail", word, detail);
    page.field("", "dirty_worktree", word, front.dirty.as_ref().map(super::Dirty::as_str));
    page.field("", "policy_profile", word, front.policy_profile.as_deref());
    let timeout = front.gate_timeout.map(|timeout| timeout.to_string());
    page.field("", "gate_timeout", word, timeout.as_deref());
    let budgets = [
        ("max_total_attempts", front.budgets.total_attempts),
        ("max_agents", front.budgets.agents),
        ("max_cost_usd", front.budgets.cost_usd),
        ("max_elapsed_minutes", front.budgets.elapsed_minutes),
    ];
    for (key, amount) in budgets {
        page.field("", key, word, amount.map(|amount| amount.to_string()).as_deref());
    }
    page.line("---");
}

fn write_step(step: &Step, page: &mut Page) {
    let mark = if step.ticked { 'x' } else { ' ' };
    page.line(&format!("- [{mark}] **Step {}: {}**", step.number, step.name));
    page.field("", "action", Kind::Text, step.action.as_deref());
    page.field("", "loop", Kind::Text, Some(&step.repeat.to_string()));
    let is_default = step.max_iterations == ITERATIONS && step.repeat == Loop::Once;
    let iterations = (!is_default).then(|| step.max_iterations.to_string());
    page.field("", "max_iterations", Kind::Word, iterations.as_deref());
    match (step.form, step.checks.as_slice()) {
        (Form::None, _) | (_, []) => {}
        (Form::One, [Check::Shell { command: Some(command), timeout: None }, ..]) => {
            page.field("", "verify", Kind::Command, Some(command));
        }
        (Form::One, [check, ..]) => {
            page.line("verify:");
            write_check(check, ["  ", "  "], page);
        }
        (Form::Many, checks) => {
            page.line("verify:");
            for check in checks {
                write_check(check, ["  - ", "    "], page);
            }
        }
    }
    page.field("", "gate", Kind::Word, step.gate.as_ref().map(super::Gate::as_str));
    if !step.depends_on.is_empty() {
        let numbers: Vec<String> = step.depends_on.iter().map(ToString::to_string).collect();
        page.line(&format!("depends_on: [{}]", numbers.join(", ")));
    }
}

fn write_check(check: &Check, [first, next]: [&str; 2], page: &mut Page) {
    page.field(first, "type", Kind::Word, Some(check.kind()));
    let mut field = |key: &str, kind: Kind, value: &Option<String>| {
        page.field(next, key, kind, value.as_deref());
    };
    let timeout = match check {
        Check::Shell { command, timeout } => {
            field("command", Kind::Command, command);
            timeout
        }
        Check::Artifact { path, assert, timeout } => {
            field("path", Kind::Word, path);
            if let Some(assert) = assert {
                write_assert(assert, next, page);
            }
            timeout
        }
        Check::Browser { url, check, timeout } => {
            field("url", Kind::Word, url);
            field("check", Kind::Text, check);
            timeout
        }
        Check::Review { prompt } => {
            field("prompt", Kind::Text, prompt);
            &None
        }
        Check::Unknown { .. } => &None,
    };
    let timeout = timeout.as_ref().map(Span::to_string);
    page.field(next, "timeout", Kind::Word, timeout.as_deref());
}

fn write_assert(assert: &Assert, before: &str, page: &mut Page) {
    page.line(&format!("{before}assert:"));
    let below = format!("{before}  ");
    let kind = (assert.kind != AssertKind::Missing).then_some(assert.kind.as_str());
    page.field(&below, "kind", Kind::Word, kind);
    page.field(&below, "value", Kind::Text, assert.value.as_deref());
}
