//! A piece of a text that shows what was found.

use std::ops::Range;

use serde::Serialize;
use unicode_normalization::char::is_combining_mark;

use super::Asked;
use super::glyph::{Glyph, glyphs};
use super::run::{self, Run};

/// One line out of a text, with the words that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snippet {
    pub text: String,
    /// Bytes of `text`, in order and apart from each other.
    pub marks: Vec<Range<usize>>,
    pub cut_before: bool,
    pub cut_after: bool,
}

/// A piece of `text` around the first place where one of the asked words is found, at most `width`
/// characters; nothing when none is found. Line ends and tabs are shown as spaces.
pub fn snippet(text: &str, asked: &[Asked], width: usize) -> Option<Snippet> {
    let marks = marks(text, asked);
    let piece = piece(text, marks.first()?, width);
    let (before, after) = (text.get(..piece.start)?, text.get(piece.end..)?);
    let clip = |mark: Range<usize>| {
        let from = mark.start.max(piece.start) - piece.start;
        let to = mark.end.min(piece.end).saturating_sub(piece.start);
        (from < to).then_some(from..to)
    };
    Some(Snippet {
        text: text.get(piece.clone())?.replace(|letter: char| letter.is_ascii_control(), " "),
        cut_before: !before.trim().is_empty(),
        cut_after: !after.trim().is_empty(),
        marks: marks.into_iter().filter_map(clip).collect(),
    })
}

/// The places of all that is found, in order; what touches is one.
fn marks(text: &str, asked: &[Asked]) -> Vec<Range<usize>> {
    let glyphs = glyphs(text);
    let mut marks: Vec<Range<usize>> = Vec::new();
    for found in run::runs(&glyphs).flat_map(|run| found(run, asked)) {
        match marks.last_mut().filter(|last| found.start <= last.end) {
            Some(last) => last.end = last.end.max(found.end),
            None => marks.push(found),
        }
    }
    marks
}

fn found(run: Run<'_>, asked: &[Asked]) -> Vec<Range<usize>> {
    let is_found = |word: &&[Glyph]| {
        run::forms(word).iter().any(|form| asked.iter().any(|asked| asked.finds(form)))
    };
    match run {
        Run::Letters(letters) => {
            let parts = run::parts(letters).into_iter().filter(is_found);
            let parts: Vec<_> = parts.map(run::range).collect();
            if parts.is_empty() && is_found(&letters) {
                return vec![run::range(letters)];
            }
            parts
        }
        Run::Cjk(letters) => run::pairs(letters).filter_map(|pair| in_pair(pair, asked)).collect(),
    }
}

/// The pair when it was asked for, or its first character when only that was.
fn in_pair(pair: &[Glyph], asked: &[Asked]) -> Option<Range<usize>> {
    let folded = run::folded(pair);
    if asked.iter().any(|asked| asked.any.contains(&folded)) {
        return Some(run::range(pair));
    }
    let is_found = asked.iter().any(|asked| asked.finds(&folded));
    is_found.then(|| run::range(pair.get(..1).unwrap_or_default()))
}

/// Where to cut: some text before the mark and more after it.
fn piece(text: &str, mark: &Range<usize>, width: usize) -> Range<usize> {
    let count = |range: Range<usize>| text.get(range).map_or(0, |text| text.chars().count());
    let room = width.saturating_sub(count(mark.clone()));
    let after = count(mark.end..text.len());
    let start =
        start(text.get(..mark.start).unwrap_or_default(), room.saturating_sub(after).max(room / 3));
    start..end(text, start, mark.end, width)
}

/// Goes back over `lead` characters, and not into the middle of a word if there is a space.
fn start(before: &str, lead: usize) -> usize {
    let start = before.char_indices().rev().take(lead).last().map_or(before.len(), |(at, _)| at);
    let (cut, mut kept) = before.split_at(start);
    if !cut.is_empty() && !cut.ends_with(is_space) {
        let space = kept.find(is_space).unwrap_or_default();
        kept = kept.get(space..).unwrap_or_default();
    }
    let kept = kept.trim_start_matches(|letter| is_combining_mark(letter) || is_space(letter));
    before.len() - kept.len()
}

/// Goes `width` characters from the start, less where that would end in the middle of a word.
fn end(text: &str, start: usize, marked: usize, width: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.char_indices().nth(width).map_or(text.len(), |(at, _)| start + at);
    let is_inside =
        text.get(end..).is_some_and(|cut| !cut.is_empty() && !cut.starts_with(is_space));
    let space = text.get(marked..end).and_then(|tail| tail.rfind(is_space));
    let end = space.filter(|_| is_inside).map_or(end, |space| marked + space);
    start + text.get(start..end).map_or(0, |kept| kept.trim_end().len())
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::asked;

    /// The snippet with its marks in brackets and its cuts as dots.
    fn shown(text: &str, query: &str, width: usize) -> String {
        let Some(found) = snippet(text, &asked(query).unwrap(), width) else {
            return "nothing".to_owned();
        };
        let mut shown = found.text;
        for mark in found.marks.iter().rev() {
            shown.insert(mark.end, ']');
            shown.insert(mark.start, '[');
        }
        let dots = |cut| if cut { ".." } else { "" };
        format!("{}{shown}{}", dots(found.cut_before), dots(found.cut_after))
    }

    const TEXT: &str =
        "When the lease of a claim runs out,\nanother agent may claim the task again.";

    #[test]
    fn the_words_that_match_are_marked() {
        for (text, query, expected) in [
            ("Fix the Migrations", "migrating", "Fix the [Migrations]"),
            ("call parseHTTPRequest", "http", "call parse[HTTP]Request"),
            ("call parseHTTPRequest", "parsehttp", "call [parseHTTPRequest]"),
            ("un cafe\u{301} noir", "café", "un [cafe\u{301}] noir"),
            ("die Größe", "GROSSE", "die [Größe]"),
            ("修复数据库连接", "数据库", "修复[数据库]连接"),
            ("修复数据库连接", "据", "修复数[据]库连接"),
            ("a ½ b", "1", "a [½] b"),
            ("nothing here", "lease", "nothing"),
        ] {
            assert_eq!(shown(text, query, 80), expected);
        }
    }

    #[test]
    fn a_piece_is_cut_between_words() {
        assert_eq!(shown(TEXT, "claims", 40), "..lease of a [claim] runs out, another agent..");
        assert_eq!(shown(TEXT, "when", 20), "[When] the lease of a..");
        assert_eq!(shown(TEXT, "again", 20), "..the task [again].");
    }

    #[test]
    fn a_word_wider_than_the_piece_is_cut() {
        assert_eq!(shown("a dependency", "depend", 6), "..[depend]..");
        assert_eq!(shown("a dependency", "depend", 0), "....");
    }

    #[test]
    fn text_without_spaces_is_cut_anywhere() {
        assert_eq!(shown("一二三四五六七八九十", "五六", 5), "..四[五六]七八..");
    }
}
