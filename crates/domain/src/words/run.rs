//! Where words begin and end.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::WORD_CHARS;
use super::glyph::{Glyph, fold};
use super::stem::stem;

/// Characters that belong together.
#[derive(Debug, Clone, Copy)]
pub(super) enum Run<'a> {
    /// Of a script that writes words apart.
    Letters(&'a [Glyph]),
    /// Of a script that does not, searched by pairs of characters.
    Cjk(&'a [Glyph]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Letter,
    /// Goes on with a word, such as an Indic vowel sign, but does not begin one.
    Mark,
    Cjk,
    Separator,
}

pub(super) fn runs(glyphs: &[Glyph]) -> impl Iterator<Item = Run<'_>> {
    glyphs.chunk_by(|one, next| are_joined(one.letter, next.letter)).filter_map(|run| {
        let begin = run.iter().position(|glyph| sort(glyph.letter) != Sort::Mark)?;
        let run = run.get(begin..)?;
        match sort(run.first()?.letter) {
            Sort::Letter => Some(Run::Letters(run)),
            Sort::Cjk => Some(Run::Cjk(run)),
            Sort::Mark | Sort::Separator => None,
        }
    })
}

fn are_joined(one: char, next: char) -> bool {
    match (sort(one), sort(next)) {
        (Sort::Letter | Sort::Mark, Sort::Letter | Sort::Mark) | (Sort::Cjk, Sort::Cjk) => true,
        (Sort::Separator, _)
        | (_, Sort::Separator)
        | (Sort::Cjk, Sort::Letter | Sort::Mark)
        | (Sort::Letter | Sort::Mark, Sort::Cjk) => false,
    }
}

fn sort(letter: char) -> Sort {
    if letter.is_ascii_alphanumeric() {
        Sort::Letter
    } else if letter.is_ascii() {
        Sort::Separator
    } else if is_combining_mark(letter) {
        Sort::Mark
    } else if !letter.is_alphanumeric() || is_letter_emoji(letter) {
        Sort::Separator
    } else if is_cjk(letter) {
        Sort::Cjk
    } else {
        Sort::Letter
    }
}

/// Letters in squares and circles, which count as alphabetic.
fn is_letter_emoji(letter: char) -> bool {
    matches!(letter, '\u{1f100}'..='\u{1f1ff}')
}

/// Han, Hiragana, Katakana and Hangul, as far as they are letters.
fn is_cjk(letter: char) -> bool {
    matches!(
        letter,
        '\u{1100}'..='\u{11ff}' // Hangul, letters
        | '\u{2e80}'..='\u{2fdf}' // radicals
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{303c}'
        | '\u{3041}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{1aff0}'..='\u{1b16f}' // Kana, older
        | '\u{20000}'..='\u{3ffff}' // Han, rarer
    )
}

/// The parts of a name such as `parseHTTPRequest`; the whole where there are none.
pub(super) fn parts(run: &[Glyph]) -> Vec<&[Glyph]> {
    // An id in capitals has digits before its capitals, but no parts.
    if !run.iter().any(|glyph| glyph.letter.is_lowercase()) {
        return vec![run];
    }
    let mut parts = Vec::new();
    let mut rest = run;
    while let Some(at) = (1..rest.len()).find(|&at| begins_part(rest, at)) {
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

fn begins_part(run: &[Glyph], at: usize) -> bool {
    let is = |at: usize, what: fn(char) -> bool| run.get(at).is_some_and(|it| what(it.letter));
    if !is(at, char::is_uppercase) {
        return false;
    }
    // `URLs` is a plural and not `UR` with `Ls`.
    let is_plural = is(at + 1, |letter| letter == 's') && !is(at + 2, char::is_lowercase);
    !is(at - 1, char::is_uppercase) || (is(at + 1, char::is_lowercase) && !is_plural)
}

/// The pairs of characters that are indexed, and the last character alone, so that every
/// character is the beginning of something.
pub(super) fn pairs(run: &[Glyph]) -> impl Iterator<Item = &[Glyph]> {
    run.windows(2).chain(run.last().map(std::slice::from_ref))
}

/// A word as it is compared, and its stem.
pub(super) fn forms(word: &[Glyph]) -> [String; 2] {
    let word = folded(word);
    let stem = stem(&word);
    [word, stem]
}

/// The same for an ASCII word.
pub(super) fn plain_forms(word: &str) -> [String; 2] {
    let word = word.to_ascii_lowercase();
    let stem = stem(&word);
    [word, stem]
}

pub(super) fn folded(word: &[Glyph]) -> String {
    let mut folded = String::with_capacity(word.len());
    for glyph in word.iter().take(WORD_CHARS) {
        fold(glyph.letter, &mut folded);
    }
    if let Some((end, _)) = folded.char_indices().nth(WORD_CHARS) {
        folded.truncate(end);
    }
    folded
}

/// The bytes of the text that a word stands for.
pub(super) fn range(word: &[Glyph]) -> Range<usize> {
    let from = word.iter().map(|glyph| glyph.from).min().unwrap_or_default();
    let to = word.iter().map(|glyph| glyph.to).max().unwrap_or_default();
    from..to
}
