//! What differs between two versions, by signs as well as by colours.

use maud::{Markup, html};
use windlass_ops::chunk::{Differs, LineView};

use super::super::look::empty;
use super::facts::written;

/// How a line came to be where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Added,
    Removed,
    Stayed,
}

impl Fate {
    fn of(line: &LineView) -> Self {
        match (line.before, line.after) {
            (None, Some(_)) => Self::Added,
            (Some(_), None) => Self::Removed,
            (Some(_), Some(_)) | (None, None) => Self::Stayed,
        }
    }

    fn class(self) -> Option<&'static str> {
        match self {
            Self::Added => Some("added"),
            Self::Removed => Some("removed"),
            Self::Stayed => None,
        }
    }
}

pub(super) fn diff(differs: &Differs) -> Markup {
    let is_same = differs.title.is_none()
        && differs.tags_added.is_empty()
        && differs.tags_removed.is_empty()
        && differs.fields.is_empty()
        && differs.others.is_empty()
        && differs.lines.is_empty();
    html! {
        @if is_same { (empty("Nothing differs in what it says.")) } @else {
            div.diff {
                @if let Some((before, after)) = &differs.title { (part("Title", before, after)) }
                @if !differs.tags_added.is_empty() || !differs.tags_removed.is_empty() {
                    (part("Tags", &differs.tags_removed.join(", "), &differs.tags_added.join(", ")))
                }
                @for field in differs.fields.iter().chain(&differs.others) {
                    (part(&field.name.replace('_', " "), &written(&field.before), &written(&field.after)))
                }
                @if !differs.lines.is_empty() { (lines(&differs.lines)) }
            }
        }
    }
}

/// A part that is not made of lines: what it was, and what it is.
fn part(name: &str, before: &str, after: &str) -> Markup {
    html! {
        dl.facts {
            dt { (name) }
            dd {
                @if !before.is_empty() { p.removed { span.sign { "−" } " " del { (before) } } }
                @if !after.is_empty() { p.added { span.sign { "+" } " " ins { (after) } } }
            }
        }
    }
}

fn lines(lines: &[LineView]) -> Markup {
    html! {
        table.lines {
            caption.unseen { "Lines of the content: where each was, where it is, whether it was added or removed" }
            colgroup { col.number; col.number; col.between; col; }
            thead.unseen { tr { th { "Was" } th { "Is" } th { "Change" } th { "Line" } } }
            tbody {
                @for (at, line) in lines.iter().enumerate() {
                    @if is_apart(at.checked_sub(1).and_then(|last| lines.get(last)), line) {
                        tr.apart { td colspan="4" { "…" } }
                    }
                    (one(line))
                }
            }
        }
    }
}

fn one(line: &LineView) -> Markup {
    let fate = Fate::of(line);
    html! {
        tr class=[fate.class()] {
            td.rank { @if let Some(before) = line.before { (before) } }
            td.rank { @if let Some(after) = line.after { (after) } }
            td.sign {
                @match fate { Fate::Added => "+", Fate::Removed => "−", Fate::Stayed => "" }
            }
            td.text {
                @match fate {
                    Fate::Added => ins { (line.text) },
                    Fate::Removed => del { (line.text) },
                    Fate::Stayed => (line.text),
                }
            }
        }
    }
}

/// Lines that stayed are left out between the two.
fn is_apart(last: Option<&LineView>, next: &LineView) -> bool {
    let Some(last) = last else { return false };
    let jumps = |before: Option<usize>, after: Option<usize>| {
        before.zip(after).is_some_and(|(before, after)| after > before + 1)
    };
    jumps(last.before, next.before) || jumps(last.after, next.after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(before: Option<usize>, after: Option<usize>, text: &str) -> LineView {
        LineView { before, after, text: text.to_owned() }
    }

    #[test]
    fn a_line_is_told_by_a_sign_and_by_an_element_not_by_its_colour_alone() {
        let said =
            lines(&[line(Some(1), None, "<b>old"), line(None, Some(1), "new")]).into_string();
        assert!(
            said.contains("<td class=\"sign\">−</td><td class=\"text\"><del>&lt;b&gt;old</del>"),
            "{said}"
        );
        assert!(
            said.contains("<td class=\"sign\">+</td><td class=\"text\"><ins>new</ins>"),
            "{said}"
        );
    }

    #[test]
    fn lines_that_are_left_out_are_marked() {
        let near = line(Some(3), Some(3), "a");
        assert!(!is_apart(Some(&near), &line(Some(4), None, "b")));
        assert!(!is_apart(None, &near));
        assert!(is_apart(Some(&near), &line(Some(9), Some(9), "c")));
    }
}
