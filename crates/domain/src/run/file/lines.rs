//! The lines of a text, each with its place.

use std::ops::Range;

/// A line, or what follows the dash of a list item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// Where the line begins in the text.
    pub(super) start: usize,
    /// Blanks before the body; a tab counts as one.
    pub(super) indent: usize,
    /// The line without blanks around it and without its end.
    pub(super) body: &'t str,
    /// The line with its indentation, without its end.
    pub(super) whole: &'t str,
    /// It belongs to fenced code.
    pub(super) is_fenced: bool,
}

pub(super) fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t')
}

/// Without blanks at either end. Other white space is text.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

impl<'t> Line<'t> {
    fn new(start: usize, whole: &'t str) -> Self {
        let body = whole.trim_start_matches(is_blank);
        let indent = whole.len() - body.len();
        Self { start, indent, body: body.trim_end_matches(is_blank), whole, is_fenced: false }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.body.is_empty()
    }

    pub(super) fn is_comment(&self) -> bool {
        self.body.starts_with('#')
    }

    pub(super) fn body_start(&self) -> usize {
        self.start + self.indent
    }

    /// The place of the body.
    pub(super) fn span(&self) -> Range<usize> {
        self.body_start()..self.body_start() + self.body.len()
    }

    /// What follows the dash of a list item, as if the dash were a blank.
    pub(super) fn after_dash(&self) -> Option<Self> {
        let rest = self.body.strip_prefix('-')?;
        if !rest.is_empty() && !rest.starts_with(is_blank) {
            return None;
        }
        let body = rest.trim_start_matches(is_blank);
        let indent = self.indent + self.body.len() - body.len();
        Some(Self { indent, body, ..*self })
    }
}

/// Lines end in LF or CR LF. A byte order mark at the beginning is no part of the text.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut start, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (text.len() - rest.len(), rest),
        None => (0, text),
    };
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let whole = line.strip_suffix('\n').unwrap_or(line);
        lines.push(Line::new(start, whole.strip_suffix('\r').unwrap_or(whole)));
        start += line.len();
    }
    lines
}
