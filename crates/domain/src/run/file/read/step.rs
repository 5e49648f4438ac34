//! Reads a step.

use std::collections::BTreeMap;
use std::ops::Range;

use super::LONGEST_NAME_CHARS;
use super::check::checks;
use crate::run::file::finding::{Finding, Findings};
use crate::run::file::lines::{Line, is_blank, trimmed};
use crate::run::file::outline::Header;
use crate::run::file::place::StepPlace;
use crate::run::file::scalar::{Kind, is_forbidden};
use crate::run::file::scan::{Around, Mapping, STEP_KEYS, fields, without_colon};
use crate::run::file::step::{Form, ITERATIONS, Step};
use crate::text::is_bidi_override;

/// Steps are numbered from 1 without gaps: a number is an address, and must not be a riddle.
pub(super) fn number(headers: &[Header<'_>], found: &mut Findings) {
    let mut seen: BTreeMap<u32, &Header<'_>> = BTreeMap::new();
    let mut expected: u32 = 1;
    for header in headers {
        let number = header.number.parse::<u32>().ok();
        if number != Some(expected) {
            let earlier = number.and_then(|number| seen.get(&number));
            found.push(misnumbered(header, expected, earlier.copied()));
        }
        let number = number.unwrap_or(expected);
        seen.entry(number).or_insert(header);
        expected = number.max(expected.saturating_sub(1)).saturating_add(1);
    }
}

fn misnumbered(header: &Header<'_>, expected: u32, earlier: Option<&Header<'_>>) -> Finding {
    let given = header.number.trim_start_matches('0');
    let given = if given.is_empty() { "0" } else { given };
    let span = header.number_span.clone();
    let finding = |message: String| {
        Finding::error("step_number", span.clone(), message)
            .label(format!("expected {expected}"))
            .suggest(span.clone(), expected.to_string())
    };
    if let Some(earlier) = earlier {
        return finding(format!("there are two steps with the number {given}"))
            .related(earlier.number_span.clone(), "the first one");
    }
    if expected == 1 {
        return finding(format!("the first step has the number {given} instead of 1"));
    }
    finding(format!("step {given} follows step {}; {expected} is missing", expected - 1))
}

pub(super) fn step(
    position: usize,
    header: &Header<'_>,
    lines: &[Line<'_>],
    found: &mut Findings,
) -> (Step, StepPlace) {
    name(header, found);
    let mut mapping = Mapping::of(fields(lines, &STEP_KEYS, Around::Prose, found));
    let from = &mut mapping;
    let number = u32::try_from(position + 1).unwrap_or(u32::MAX);
    let (form, checks, places) = match from.field("verify") {
        Some(field) => {
            let read = checks(&field, found);
            let span = read.2.first().map(|check| check.span.clone());
            from.note(&field, span);
            read
        }
        None => (Form::None, Vec::new(), Vec::new()),
    };
    let step = Step {
        ticked: header.ticked,
        action: from.text("action", found),
        repeat: from.text("loop", found).map(Into::into).unwrap_or_default(),
        max_iterations: iterations(from, found),
        checks,
        form,
        gate: from.word("gate", found).map(Into::into),
        depends_on: depends_on(from, found),
        ..Step::new(number, header.name)
    };
    let start = header.line.span().end;
    let body = start..lines.last().map_or(start, |line| line.span().end);
    let at_the_edge = lines.iter().filter(|line| line.indent == 0 && !line.is_fenced);
    let place = StepPlace {
        header: header.line.span(),
        body,
        fields: mapping.places,
        colonless: at_the_edge.filter_map(|line| without_colon(line, &STEP_KEYS)).collect(),
        checks: places,
    };
    (step, place)
}

fn name(header: &Header<'_>, found: &mut Findings) {
    let span = header.name_span.clone();
    let length = header.name.chars().count();
    if length == 0 {
        let finding = Finding::error("name_missing", header.line.span(), "the step has no name");
        found.push(finding.label("say in a few words what it is"));
    }
    if length > LONGEST_NAME_CHARS {
        let message =
            format!("the name has {length} characters, the limit is {LONGEST_NAME_CHARS}");
        found.push(Finding::error("name_too_long", span.clone(), message));
    }
    let strange = |letter: &char| is_forbidden(*letter) || is_bidi_override(*letter);
    if let Some((at, letter)) = header.name.char_indices().find(|(_, letter)| strange(letter)) {
        let at = span.start + at;
        let message = format!("the name holds the character U+{:04X}", u32::from(letter));
        let span = at..at + letter.len_utf8();
        found.push(Finding::error("control_character", span.clone(), message).suggest(span, ""));
    }
}

fn iterations(from: &mut Mapping<'_>, found: &mut Findings) -> u32 {
    let Some(value) = from.take(Kind::Word, "max_iterations", found) else { return ITERATIONS };
    value.text.parse().unwrap_or_else(|_| {
        let message = format!("max_iterations must be a whole number (got: '{}')", value.text);
        found.push(Finding::error("not_a_number", value.span, message).label("such as 3"));
        ITERATIONS
    })
}

/// `[1, 2]`, `1, 2`, or a list below.
fn depends_on(from: &mut Mapping<'_>, found: &mut Findings) -> Vec<u32> {
    let Some(field) = from.field("depends_on") else { return Vec::new() };
    let mut words: Vec<(String, Range<usize>)> = Vec::new();
    if field.says_nothing_inline() {
        for line in field.below.iter().filter(|line| !line.is_blank() && !line.is_comment()) {
            let item = line.after_dash().unwrap_or(*line);
            words.push((item.body.to_owned(), item.span()));
        }
        from.note(&field, words.first().map(|(_, span)| span.clone()));
    } else if let Some(value) = from.take(Kind::Word, "depends_on", found) {
        let inner = value.text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let list = trimmed(inner.unwrap_or(&value.text)).to_owned();
        if list.is_empty() {
            // It would be read as nothing said, and then the step waits for all earlier ones.
            let message = "depends_on names no step";
            let finding = Finding::error("depends_on", value.span, message);
            found.push(finding.label("name earlier steps; without it the step waits for all"));
            return Vec::new();
        }
        let parts = list.split(',');
        words.extend(parts.map(|part| (trimmed(part).to_owned(), value.span.clone())));
    }
    let mut numbers = Vec::new();
    for (word, span) in words {
        let word = word.split(is_blank).next().unwrap_or_default();
        if let Ok(number) = word.parse::<u32>() {
            numbers.push(number);
        } else {
            let message = format!("depends_on lists numbers of steps (got: '{word}')");
            let finding = Finding::error("not_a_number", span, message);
            found.push(finding.label("such as [1, 2]"));
        }
    }
    numbers
}
