//! What is wrong with a file, where, and what to write instead.

use std::ops::Range;

/// Reading goes on after this many findings of a severity, without listing more.
pub(super) const MOST: usize = 100;

/// Something wrong at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A word that never changes its meaning.
    pub code: &'static str,
    pub severity: Severity,
    /// The bytes of the text it is about.
    pub span: Range<usize>,
    /// A sentence that stands alone.
    pub message: String,
    /// A few words under the place; may be empty.
    pub label: String,
    /// Another place that has to do with it.
    pub related: Option<(Range<usize>, String)>,
    pub suggestion: Option<Suggestion>,
    compat: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file can be used, but something in it may not be meant so.
    Warning,
    /// The file is refused.
    Error,
}

/// What to write at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub span: Range<usize>,
    pub replacement: String,
}

impl Finding {
    pub(super) fn error(
        code: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Error,
            span,
            message: message.into(),
            label: String::new(),
            related: None,
            suggestion: None,
            compat: None,
        }
    }

    pub(super) fn warning(
        code: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// The same as an error with another message.
    #[must_use]
    pub(super) fn refused(self, message: &str) -> Self {
        Self { severity: Severity::Error, message: message.to_owned(), ..self }
    }

    /// The same as a warning.
    #[must_use]
    pub(super) fn warned(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    #[must_use]
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    #[must_use]
    pub(super) fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }

    #[must_use]
    pub(super) fn suggest(mut self, span: Range<usize>, replacement: impl Into<String>) -> Self {
        self.suggestion = Some(Suggestion { span, replacement: replacement.into() });
        self
    }

    /// The same, if there is a word to suggest.
    #[must_use]
    pub(super) fn suggest_word(self, span: Range<usize>, word: Option<String>) -> Self {
        match word {
            Some(word) => {
                let label = format!("did you mean `{word}`?");
                let labelled = if self.label.is_empty() { self.label(label) } else { self };
                labelled.suggest(span, word)
            }
            None => self,
        }
    }

    #[must_use]
    pub(super) fn in_hotl(mut self, text: impl Into<String>) -> Self {
        self.compat = Some(text.into());
        self
    }

    /// The text that HOTL's lint has for it, without its `FAIL: `; nothing where HOTL checks nothing.
    pub fn compat(&self) -> Option<String> {
        self.compat.clone()
    }
}

/// The line and the column of a byte, both from 1. Columns count characters.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let begun = before.rsplit('\n').next().unwrap_or_default();
    (line, begun.trim_start_matches('\u{feff}').chars().count() + 1)
}

/// Findings as they are collected: bounded, and an error is never forgotten.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    errors: usize,
    warnings: usize,
}

impl Findings {
    pub(super) fn push(&mut self, finding: Finding) {
        let count = match finding.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MOST {
            self.list.push(finding);
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// In the order of their places.
    pub(super) fn sorted(mut self) -> Vec<Finding> {
        self.list.sort_by_key(|finding| finding.span.start);
        self.list
    }
}
