//! A finding as a person reads it: where it is, the line itself, and what to write instead.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use windlass_domain::run::file::{Finding, Severity, place};

/// Longer lines are cut around the place.
const COLUMNS: usize = 100;

/// Whether colours are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Plain,
    Colour,
}

/// A finding in a file of that name.
pub fn shown(name: &str, text: &str, finding: &Finding, look: Look) -> String {
    let window = Window::around(text, finding);
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let label = Some(finding.label.as_str()).filter(|label| !label.is_empty());
    let primary = AnnotationKind::Primary.span(window.inside(&finding.span)).label(label);
    let related = finding.related.iter().map(|(span, label)| {
        AnnotationKind::Context.span(window.inside(span)).label(label.as_str())
    });
    let snippet = window.snippet().path(name).annotation(primary).annotations(related);
    let mut report = vec![level.primary_title(&finding.message).id(finding.code).element(snippet)];
    report.extend(finding.suggestion.as_ref().map(|suggestion| {
        let patch = Patch::new(window.inside(&suggestion.span), suggestion.replacement.as_str());
        let snippet = Snippet::source(window.text).line_start(window.line).patch(patch);
        Group::with_title(Level::HELP.secondary_title("write instead")).element(snippet)
    }));
    let renderer = match look {
        Look::Plain => Renderer::plain(),
        Look::Colour => Renderer::styled(),
    };
    renderer.term_width(COLUMNS).render(&report)
}

/// The lines that a finding is about.
struct Window<'t> {
    text: &'t str,
    /// Where they begin.
    start: usize,
    /// The number of the first.
    line: usize,
}

impl<'t> Window<'t> {
    fn around(text: &'t str, finding: &Finding) -> Self {
        let suggested = finding.suggestion.iter().map(|suggestion| &suggestion.span);
        let related = finding.related.iter().map(|(span, _)| span);
        let spans: Vec<&Range<usize>> = suggested.chain(related).chain([&finding.span]).collect();
        let first = spans.iter().map(|span| span.start).min().unwrap_or(0);
        let last = spans.iter().map(|span| span.end).max().unwrap_or(first);
        let before = text.get(..first).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let after = text.get(last..).unwrap_or_default();
        let end = last + after.find('\n').unwrap_or(after.len());
        let text = text.get(start..end).unwrap_or_default();
        Self { text, start, line: place(before, first).0 }
    }

    fn inside(&self, span: &Range<usize>) -> Range<usize> {
        span.start.saturating_sub(self.start)..span.end.saturating_sub(self.start)
    }

    fn snippet(&self) -> Snippet<'t, annotate_snippets::Annotation<'t>> {
        Snippet::source(self.text).line_start(self.line)
    }
}

#[cfg(test)]
mod tests {
    use windlass_domain::run::file::inspect;

    use super::*;

    fn first(text: &str) -> String {
        shown("x.md", text, &inspect(text)[0], Look::Plain)
    }

    #[test]
    fn a_finding_is_shown_with_its_line_and_what_to_write() {
        let text = "---\nintent: x\nsuccess_criteria: y\nrisk_level: hihg\n---\n### 1. A\n";
        let expected = "\
error[risk_word]: risk_level must be low, medium, or high (got: 'hihg')
 --> x.md:4:13
  |
4 | risk_level: hihg
  |             ^^^^ did you mean `high`?
  |
help: write instead
  |
4 - risk_level: hihg
4 + risk_level: high
  |";
        assert_eq!(first(text), expected);
    }

    #[test]
    fn a_finding_is_shown_with_the_other_place() {
        let text =
            "---\nintent: x\nrisk_level: low\nintent: y\nsuccess_criteria: z\n---\n### 1. A\n";
        let expected = "\
error[duplicate_key]: `intent` is given twice
 --> x.md:4:1
  |
2 | intent: x
  | ------ first given here
3 | risk_level: low
4 | intent: y
  | ^^^^^^ given again here";
        assert_eq!(first(text), expected);
    }

    #[test]
    fn a_finding_about_an_empty_file_or_its_end_is_shown() {
        for text in ["", "\u{feff}", "x", "---\r\n---\r\n"] {
            for finding in inspect(text) {
                let shown = shown("x.md", text, &finding, Look::Plain);
                assert!(shown.contains("--> x.md:"), "{shown}");
            }
        }
    }

    #[test]
    fn colours_are_given_where_they_are_wanted() {
        let finding = inspect("").remove(0);
        assert!(shown("x.md", "", &finding, Look::Colour).contains("\u{1b}["));
        assert!(!shown("x.md", "", &finding, Look::Plain).contains('\u{1b}'));
    }
}
