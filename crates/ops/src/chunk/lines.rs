//! Which lines of a text changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::TextDiff;

use crate::sheet::{Cell, Tone};

/// So many lines that stayed are shown around those that changed.
const AROUND: usize = 3;
/// Where more lines than these may have changed, none of them is looked for among the others: that
/// would take as long as both numbers multiplied.
const MOST: usize = 4_000;

/// A line of the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineView {
    /// Where it was, from 1; null for one that was added.
    pub before: Option<usize>,
    /// Where it is now; null for one that was removed.
    pub after: Option<usize>,
    pub text: String,
}

/// The lines that changed, with some around them.
pub(super) fn lines(before: &str, after: &str) -> Vec<LineView> {
    let (old, new) = (split(before), split(after));
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let start = old.iter().zip(&new).take_while(same).count();
    let shorter = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(same).count();
    let changed = |lines: &[&str]| start..lines.len() - end;
    match changed(&old).len().max(changed(&new).len()) {
        0 => Vec::new(),
        1..=MOST => compared(before, after),
        _ => replaced(&old, &new, start, end),
    }
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn compared(before: &str, after: &str) -> Vec<LineView> {
    let diff = TextDiff::from_lines(before, after);
    let groups = diff.grouped_ops(AROUND);
    let changes = groups.iter().flatten().flat_map(|op| diff.iter_changes(op));
    changes
        .map(|change| LineView::new(change.old_index(), change.new_index(), change.value()))
        .collect()
}

/// All lines between those that are alike at the start and at the end, as gone and as new.
fn replaced(old: &[&str], new: &[&str], start: usize, end: usize) -> Vec<LineView> {
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let (old, new) = (|| old.iter().enumerate(), || new.iter().enumerate());
    let first = old().take(start).skip(start.saturating_sub(AROUND));
    let gone = old().take(old_end).skip(start);
    let added = new().take(new_end).skip(start);
    let last = old().skip(old_end).zip(new().skip(new_end)).take(AROUND);
    first
        .map(|(at, text)| LineView::new(Some(at), Some(at), text))
        .chain(gone.map(|(at, text)| LineView::new(Some(at), None, text)))
        .chain(added.map(|(at, text)| LineView::new(None, Some(at), text)))
        .chain(last.map(|((was, text), (is, _))| LineView::new(Some(was), Some(is), text)))
        .collect()
}

impl LineView {
    /// A line by where it was and is, from 0.
    fn new(before: Option<usize>, after: Option<usize>, text: &str) -> Self {
        let place = |index: Option<usize>| index.map(|index| index + 1);
        let text = text.trim_end_matches(['\n', '\r']).to_owned();
        Self { before: place(before), after: place(after), text }
    }

    pub(super) fn drawn(&self) -> Cell {
        let (mark, tone) = match (self.before, self.after) {
            (Some(_), None) => ('-', Tone::Bad),
            (None, Some(_)) => ('+', Tone::Good),
            (Some(_), Some(_)) | (None, None) => (' ', Tone::Dim),
        };
        Cell::toned(format!("{mark} {}", self.text), tone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_with_where_they_were_and_are() {
        let found = lines("a\nb\nc", "a\nx\nc\n");
        let told: Vec<(Option<usize>, Option<usize>, &str)> =
            found.iter().map(|line| (line.before, line.after, line.text.as_str())).collect();
        assert_eq!(
            told,
            [
                (Some(1), Some(1), "a"),
                (Some(2), None, "b"),
                (Some(3), None, "c"),
                (None, Some(2), "x"),
                (None, Some(3), "c"),
            ]
        );
    }

    #[test]
    fn what_did_not_change_has_no_lines() {
        assert!(lines("a\nb\n", "a\nb\n").is_empty());
    }

    /// Where lines were and are.
    fn places(found: &[LineView]) -> Vec<(Option<usize>, Option<usize>)> {
        found.iter().map(|line| (line.before, line.after)).collect()
    }

    #[test]
    fn long_texts_that_have_nothing_in_common_are_told_as_gone_and_new() {
        let text = |mark: &str| -> String {
            let lines = (0..=MOST).map(|number| format!("{mark}{number}\n"));
            format!("first\n{}last\n", lines.collect::<String>())
        };
        let found = lines(&text("a"), &text("b"));
        let (start, end) = (2, MOST + 2);
        let expected = [(Some(1), Some(1))]
            .into_iter()
            .chain((start..=end).map(|at| (Some(at), None)))
            .chain((start..=end).map(|at| (None, Some(at))))
            .chain([(Some(end + 1), Some(end + 1))]);
        assert_eq!(places(&found), expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_line_in_a_long_text_is_told_alone() {
        let text = "a line\n".repeat(10 * MOST);
        assert_eq!(
            places(&lines(&text, &format!("{text}more\n"))).last(),
            Some(&(None, Some(10 * MOST + 1)))
        );
        assert_eq!(lines(&text, &format!("{text}more\n")).len(), AROUND + 1);
    }
}
