//! Lines become fields: a key, what stands beside it, and the lines that belong to it.

use std::ops::Range;

use super::finding::{Finding, Findings};
use super::lines::{Line, is_blank, trimmed};
use super::place::{FieldPlace, Fields};
use super::scalar::{Indicator, Kind, Value, value};
use crate::near::edits;

pub(super) const FRONT_KEYS: [&str; 15] = [
    "intent",
    "success_criteria",
    "risk_level",
    "auto_approve",
    "branch",
    "worktree",
    "progress",
    "report_detail",
    "dirty_worktree",
    "policy_profile",
    "gate_timeout",
    "max_total_attempts",
    "max_agents",
    "max_cost_usd",
    "max_elapsed_minutes",
];
pub(super) const STEP_KEYS: [&str; 6] =
    ["action", "loop", "max_iterations", "verify", "gate", "depends_on"];
pub(super) const CHECK_KEYS: [&str; 10] =
    ["type", "command", "url", "check", "prompt", "path", "assert", "kind", "value", "timeout"];

/// A field as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'t> {
    pub(super) key: &'static str,
    /// Where the key begins.
    pub(super) key_start: usize,
    /// How long it is in the text, with its colon. A list item has its dash instead.
    pub(super) key_bytes: usize,
    /// Blanks before the key.
    pub(super) indent: usize,
    /// What stands beside the key, without blanks around it.
    pub(super) inline: &'t str,
    pub(super) inline_start: usize,
    /// The lines that belong to it.
    pub(super) below: &'t [Line<'t>],
}

impl Field<'_> {
    pub(super) fn key_span(&self) -> Range<usize> {
        self.key_start..self.key_start + self.key_bytes.min(self.key.len())
    }

    /// Behind the colon.
    pub(super) fn key_end(&self) -> usize {
        self.key_start + self.key_bytes
    }

    pub(super) fn inline_span(&self) -> Range<usize> {
        self.inline_start..self.inline_start + self.inline.len()
    }

    pub(super) fn says_nothing_inline(&self) -> bool {
        self.inline.is_empty() || self.inline.starts_with('#')
    }

    /// Where its last line ends.
    pub(super) fn end(&self) -> usize {
        self.below.last().map_or(self.inline_span().end, |line| line.span().end)
    }
}

/// What lines that are no fields mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// Nothing: they are prose.
    Prose,
    /// They do not belong there; the name says where.
    Mapping(&'static str),
}

/// The fields among some lines. A key that is given again is refused, and the first one counts.
pub(super) fn fields<'t>(
    lines: &'t [Line<'t>],
    keys: &'static [&'static str],
    around: Around,
    found: &mut Findings,
) -> Vec<Field<'t>> {
    let mut fields: Vec<Field<'t>> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at + 1..).unwrap_or_default();
        at += 1;
        if line.is_blank() || line.is_fenced || around != Around::Prose && line.is_comment() {
            continue;
        }
        let Some(field) = field(line, rest, keys) else {
            at += strange(line, rest, keys, around, found);
            continue;
        };
        at += field.below.len();
        match fields.iter().find(|earlier| earlier.key == field.key) {
            Some(earlier) => found.push(twice(earlier, &field)),
            None => fields.push(field),
        }
    }
    fields
}

fn twice(earlier: &Field<'_>, field: &Field<'_>) -> Finding {
    let message = format!("`{}` is given twice", field.key);
    Finding::error("duplicate_key", field.key_span(), message)
        .label("given again here")
        .related(earlier.key_span(), "first given here")
}

fn field<'t>(
    line: &Line<'t>,
    rest: &'t [Line<'t>],
    keys: &'static [&'static str],
) -> Option<Field<'t>> {
    let (key, after) = known(line.body, keys)?;
    let inline = trimmed(after);
    let before_inline = after.len() - after.trim_start_matches(is_blank).len();
    let inline_start = line.body_start() + (line.body.len() - after.len()) + before_inline;
    let key_start = line.body_start();
    let key_bytes = key.len() + 1;
    let indent = line.indent;
    let bare = Field { key, key_start, key_bytes, indent, inline, inline_start, below: &[] };
    Some(Field { below: below(&bare, rest, keys), ..bare })
}

/// The lines that belong to a field: deeper ones, and blank ones between. A block takes them all;
/// otherwise another field ends it, and so does fenced code.
fn below<'t>(
    field: &Field<'_>,
    rest: &'t [Line<'t>],
    keys: &'static [&'static str],
) -> &'t [Line<'t>] {
    let is_block = Indicator::of(field.inline).is_some();
    let takes_items = field.key == "verify" && field.says_nothing_inline();
    let belongs = |line: &Line<'_>| {
        let is_item = takes_items && line.indent == field.indent && is_check_item(line);
        let is_deeper = line.indent > field.indent || is_item;
        let is_other = line.is_fenced || known(line.body, keys).is_some();
        line.is_blank() && !line.is_fenced || is_deeper && (is_block || !is_other)
    };
    // A block inside takes its lines as well, whatever they look like.
    let mut inner: Option<usize> = None;
    let mut is_taken = |line: &Line<'_>| {
        if inner.is_some_and(|indent| line.is_blank() || line.indent > indent) {
            return true;
        }
        inner = opens_block(line);
        belongs(line)
    };
    let count = rest.iter().take_while(|line| is_taken(line)).count();
    let taken = rest.get(..count).unwrap_or_default();
    let filled = taken.iter().rposition(|line| !line.is_blank()).map_or(0, |last| last + 1);
    taken.get(..filled).unwrap_or_default()
}

/// How deep a key stands that begins a block of lines.
pub(super) fn opens_block(line: &Line<'_>) -> Option<usize> {
    let item = line.after_dash();
    let line = item.as_ref().unwrap_or(line);
    if item.is_some() && Indicator::of(line.body).is_some() {
        return Some(line.indent.saturating_sub(1));
    }
    let (_, after) = known(line.body, &STEP_KEYS).or_else(|| known(line.body, &CHECK_KEYS))?;
    Indicator::of(trimmed(after)).map(|_| line.indent)
}

/// A list item that begins with a key of a check: in a list as deep as its key this is how it is
/// told from a list of Markdown.
fn is_check_item(line: &Line<'_>) -> bool {
    line.after_dash().is_some_and(|item| known(item.body, &CHECK_KEYS).is_some())
}

/// The known key that a line begins with, and what follows its colon.
pub(super) fn known<'t>(
    body: &'t str,
    keys: &'static [&'static str],
) -> Option<(&'static str, &'t str)> {
    let (word, after) = key(body)?;
    let key = keys.iter().find(|key| key.eq_ignore_ascii_case(word))?;
    Some((key, after))
}

/// The word before a colon, and what follows.
pub(super) fn key(body: &str) -> Option<(&str, &str)> {
    let end =
        body.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_-".contains(letter))?;
    let (word, rest) = body.split_at_checked(end)?;
    let starts_well = word.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let after = rest.strip_prefix(':')?;
    starts_well.then_some((word, after))
}

/// A key that stands at the beginning of a line without its colon: `action do it`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Colonless {
    pub(super) key: &'static str,
    span: Range<usize>,
}

impl Colonless {
    pub(super) fn finding(&self) -> Finding {
        let Self { key, span } = self;
        Finding::error("colon_missing", span.clone(), format!("`{key}` has no colon"))
            .label(format!("write `{key}:`"))
            .suggest(span.end..span.end, ":")
    }
}

/// The key without a colon that a line begins with. Prose begins with a capital letter.
pub(super) fn without_colon(line: &Line<'_>, keys: &'static [&'static str]) -> Option<Colonless> {
    let word = line.body.split(is_blank).next()?;
    let key = keys.iter().find(|key| **key == word)?;
    let start = line.body_start();
    Some(Colonless { key, span: start..start + word.len() })
}

/// A line that is no field. Says how many lines after it are of no interest either.
fn strange(
    line: &Line<'_>,
    rest: &[Line<'_>],
    keys: &'static [&'static str],
    around: Around,
    found: &mut Findings,
) -> usize {
    let word = key(line.body).filter(|(_, after)| after.is_empty() || after.starts_with(is_blank));
    let Around::Mapping(place) = around else {
        if let Some((word, _)) = word
            && let Some(meant) = meant(word, keys)
        {
            found.push(unknown(line, word, Some(meant), "a step"));
        }
        return 0;
    };
    let Some((word, _)) = word else {
        let message = format!("this line of {place} is not `key: value`");
        let not_a_field = Finding::error("not_a_field", line.span(), message);
        found.push(match without_colon(line, keys) {
            Some(word) => word.finding(),
            None => not_a_field.label("expected a key"),
        });
        return 0;
    };
    found.push(unknown(line, word, meant(word, keys), place));
    rest.iter().take_while(|below| below.is_blank() || below.indent > line.indent).count()
}

fn unknown(line: &Line<'_>, word: &str, meant: Option<String>, place: &str) -> Finding {
    let span = line.body_start()..line.body_start() + word.len();
    let message = format!("`{word}` is not a key of {place}");
    let finding = Finding::warning("unknown_key", span.clone(), message).suggest_word(span, meant);
    if finding.label.is_empty() { finding.label("not read") } else { finding }
}

/// The key that a word may have been meant for. Prose has words like `Note:` or `Date:`, so the
/// first letter must be right, and in a short word all but one.
pub(super) fn meant(word: &str, keys: &[&str]) -> Option<String> {
    let word = word.to_ascii_lowercase().replace('-', "_");
    let near = keys.iter().filter(|key| key.starts_with(word.get(..1).unwrap_or("?")));
    let near = near.map(|key| (edits(&word, key), *key));
    let near = near.filter(|(edits, key)| *edits <= if key.len() < 8 { 1 } else { 2 });
    near.min().map(|(_, key)| key.to_owned())
}

/// Fields that are read one after the other, noting where each stands.
#[derive(Debug)]
pub(super) struct Mapping<'t> {
    fields: Vec<Field<'t>>,
    pub(super) places: Fields,
}

impl<'t> Mapping<'t> {
    pub(super) fn of(fields: Vec<Field<'t>>) -> Self {
        Self { fields, places: Fields::default() }
    }

    pub(super) fn field(&self, key: &str) -> Option<Field<'t>> {
        self.fields.iter().find(|field| field.key == key).copied()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> + '_ {
        self.fields.iter().map(|field| (field.key, field.key_span()))
    }

    pub(super) fn take(
        &mut self,
        kind: Kind,
        key: &'static str,
        found: &mut Findings,
    ) -> Option<Value> {
        let field = self.field(key)?;
        let value = value(kind, &field, found);
        self.note(&field, value.as_ref().map(|value| value.span.clone()));
        value
    }

    pub(super) fn note(&mut self, field: &Field<'_>, value: Option<Range<usize>>) {
        let key_span = field.key_span();
        self.places.push(FieldPlace { key: field.key, key_span, value });
    }

    pub(super) fn text(&mut self, key: &'static str, found: &mut Findings) -> Option<String> {
        self.take(Kind::Text, key, found).map(|value| value.text)
    }

    pub(super) fn word(&mut self, key: &'static str, found: &mut Findings) -> Option<String> {
        self.take(Kind::Word, key, found).map(|value| value.text)
    }
}
