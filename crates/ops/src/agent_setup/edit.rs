//! What changing a text comes to. The text belongs to somebody else: what is not ours keeps every
//! byte, and where that cannot be, nothing is changed.

use std::ops::Range;

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Edited {
    /// It is as it should be.
    Same,
    Text(String),
    /// Only we had written in it, so nothing is left of the file.
    Gone,
}

impl Edited {
    /// The new text, unless it is the old one.
    pub(super) fn of(before: &str, after: String) -> Self {
        if before == after { Self::Same } else { Self::Text(after) }
    }
}

/// Why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It is not what such a file should be.
    Broken { line: usize, what: String },
    /// It has an entry of our name that we did not write.
    Foreign { theirs: String },
    /// What is not ours would have to change.
    Unsafe { what: String },
}

/// What is to happen to an entry of our name that we did not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    Keep,
    Replace,
}

/// A piece of a text and what stands there instead.
pub(super) type Splice = (Range<usize>, String);

/// The text with all splices, given in any order.
pub(super) fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| range.start);
    let mut after = String::with_capacity(text.len());
    let mut from = 0;
    for (range, instead) in splices {
        after.push_str(text.get(from..range.start).unwrap_or_default());
        after.push_str(&instead);
        from = range.end;
    }
    after.push_str(text.get(from..).unwrap_or_default());
    after
}

/// The number of the line at that byte, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

/// How a text ends its lines, by the first of them.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
