//! Reads the checks of a step: a command, one mapping, or a list of either.

use std::ops::Range;

use crate::duration::Span;
use crate::run::file::check::{Assert, Check};
use crate::run::file::finding::{Finding, Findings};
use crate::run::file::lines::Line;
use crate::run::file::place::{CheckPlace, Fields};
use crate::run::file::scalar::{Kind, value};
use crate::run::file::scan::{Around, CHECK_KEYS, Field, Mapping, fields, key, known};
use crate::run::file::step::Form;

type Checks = (Form, Vec<Check>, Vec<CheckPlace>);

pub(super) fn checks(field: &Field<'_>, found: &mut Findings) -> Checks {
    if !field.says_nothing_inline() {
        return one(command(field, found));
    }
    let first = field.below.iter().find(|line| !line.is_blank() && !line.is_comment());
    match first {
        None => one(None),
        Some(first) if first.after_dash().is_some() => list(field.below, first.indent, found),
        Some(first) if !is_mapping(first) => one(command(field, found)),
        Some(first) => one(Some(mapping(field.below, first.span(), found))),
    }
}

fn one(read: Option<(Check, CheckPlace)>) -> Checks {
    match read {
        Some((check, place)) => (Form::One, vec![check], vec![place]),
        None => (Form::None, Vec::new(), Vec::new()),
    }
}

/// A line that begins with a key, known or not.
fn is_mapping(line: &Line<'_>) -> bool {
    let any = key(line.body).is_some_and(|(_, after)| after.is_empty() || after.starts_with(' '));
    any || known(line.body, &CHECK_KEYS).is_some()
}

/// A command without a key of its own.
fn command(field: &Field<'_>, found: &mut Findings) -> Option<(Check, CheckPlace)> {
    let value = value(Kind::Command, field, found)?;
    let place = CheckPlace { span: value.span, is_scalar: true, fields: Fields::default() };
    Some((Check::Shell { command: Some(value.text), timeout: None }, place))
}

fn list(lines: &[Line<'_>], indent: usize, found: &mut Findings) -> Checks {
    let is_item = |line: &Line<'_>| line.indent <= indent && line.after_dash().is_some();
    let mut starts: Vec<usize> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if is_item(line) {
            starts.push(at);
        }
    }
    let mut read = (Form::Many, Vec::new(), Vec::new());
    for (position, start) in starts.iter().enumerate() {
        let end = starts.get(position + 1).copied().unwrap_or(lines.len());
        if let Some((check, place)) = item(lines.get(*start..end).unwrap_or_default(), found) {
            read.1.push(check);
            read.2.push(place);
        }
    }
    if read.1.is_empty() {
        read.0 = Form::None;
    }
    read
}

fn item(lines: &[Line<'_>], found: &mut Findings) -> Option<(Check, CheckPlace)> {
    let (dash, rest) = lines.split_first()?;
    let first = dash.after_dash()?;
    if first.is_blank() {
        let first = rest.iter().find(|line| !line.is_blank())?;
        return Some(mapping(rest, first.span(), found));
    }
    if is_mapping(&first) {
        let mut lines = lines.to_vec();
        if let Some(line) = lines.first_mut() {
            *line = first;
        }
        return Some(mapping(&lines, first.span(), found));
    }
    let field = Field {
        key: "verify",
        key_start: dash.body_start(),
        key_bytes: 1,
        indent: dash.indent,
        inline: first.body,
        inline_start: first.body_start(),
        below: rest,
    };
    command(&field, found)
}

/// A check written as keys and values. Without a type it is a command, as in HOTL.
fn mapping(lines: &[Line<'_>], span: Range<usize>, found: &mut Findings) -> (Check, CheckPlace) {
    let mut mapping = Mapping::of(fields(lines, &CHECK_KEYS, Around::Mapping("a check"), found));
    let from = &mut mapping;
    let kind = from.word("type", found).unwrap_or_else(|| "shell".to_owned());
    let check = match kind.to_ascii_lowercase().as_str() {
        "shell" => {
            let command = from.take(Kind::Command, "command", found).map(|value| value.text);
            Check::Shell { command, timeout: timeout(from, found) }
        }
        "browser" => Check::Browser {
            url: from.word("url", found),
            check: from.text("check", found),
            timeout: timeout(from, found),
        },
        "artifact" => Check::Artifact {
            path: from.word("path", found),
            assert: assert(from, found),
            timeout: timeout(from, found),
        },
        "human-review" => Check::Review { prompt: from.text("prompt", found) },
        _ => Check::Unknown { kind },
    };
    if !matches!(check, Check::Unknown { .. }) {
        unused(from, &check, found);
    }
    (check, CheckPlace { span, is_scalar: false, fields: mapping.places })
}

/// `kind` and `value` below `assert`, or beside it; `assert: exists` in short.
fn assert(from: &mut Mapping<'_>, found: &mut Findings) -> Option<Assert> {
    let short = from.word("assert", found);
    let kind = from.word("kind", found).or(short);
    let value = from.take(Kind::Text, "value", found).map(|value| value.text);
    if kind.is_none() && value.is_none() {
        return None;
    }
    Some(Assert { kind: kind.unwrap_or_default().into(), value })
}

/// A number alone is refused: somebody means seconds, somebody else minutes.
fn timeout(from: &mut Mapping<'_>, found: &mut Findings) -> Option<Span> {
    let value = from.take(Kind::Word, "timeout", found)?;
    let span = Span::parse("timeout", &value.text);
    if value.text.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("timeout '{}' has no unit", value.text);
        let finding = Finding::error("timeout", value.span.clone(), message);
        found.push(finding.suggest(value.span.end..value.span.end, "s"));
        return None;
    }
    span.map_err(|refusal| {
        let finding = Finding::error("timeout", value.span, refusal.message);
        found.push(finding.label("write a number and a unit, such as 90s or 5m"));
    })
    .ok()
}

/// Keys that mean nothing in a check of this type.
fn unused(from: &mut Mapping<'_>, check: &Check, found: &mut Findings) {
    let unread: Vec<_> = from.keys().filter(|(key, _)| from.places.get(key).is_none()).collect();
    for (key, span) in unread {
        let message = format!("`{key}` means nothing in a check of type {}", check.kind());
        found.push(Finding::warning("unused_key", span, message).label("not read"));
    }
}
