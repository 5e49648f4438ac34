//! The characters of a text in the form in which they are compared, each with its place.
//!
//! This is compatibility decomposition without accents, then canonical composition. It is done
//! here step by step because the library forgets where a character came from.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, compose};

/// A normalised character; its case is still as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glyph {
    pub(super) letter: char,
    /// The bytes of the text that it stands for.
    pub(super) from: usize,
    pub(super) to: usize,
}

pub(super) fn glyphs(text: &str) -> Vec<Glyph> {
    // Most texts of most ledgers, in a fraction of the time.
    if text.is_ascii() {
        let plain = |(from, letter)| Glyph { letter: char::from(letter), from, to: from + 1 };
        return text.bytes().enumerate().map(plain).collect();
    }
    let mut glyphs = decomposed(text);
    let is_mark = |glyph: &Glyph| canonical_combining_class(glyph.letter) != 0;
    for marks in glyphs.chunk_by_mut(|one, next| is_mark(one) && is_mark(next)) {
        marks.sort_by_key(|glyph| canonical_combining_class(glyph.letter));
    }
    composed(glyphs)
}

fn decomposed(text: &str) -> Vec<Glyph> {
    let mut glyphs: Vec<Glyph> = Vec::with_capacity(text.len());
    for (from, written) in text.char_indices() {
        let to = from + written.len_utf8();
        for letter in written.nfkd() {
            if !is_dropped(letter) {
                glyphs.push(Glyph { letter, from, to });
            } else if let Some(last) = glyphs.last_mut() {
                // What is shown of the text must not separate a letter from its accent.
                last.to = to;
            }
        }
    }
    glyphs
}

/// Accents, and characters that are not seen and mean nothing to a search.
fn is_dropped(letter: char) -> bool {
    matches!(
        letter,
        '\u{300}'..='\u{36f}' // accents
        | '\u{20d0}'..='\u{20ff}' // frames around signs, as in keycaps
        | '\u{ad}' | '\u{61c}' | '\u{200c}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' // variants of a character
    )
}

/// Joins a letter with the marks after it, and the parts of a Hangul syllable.
fn composed(glyphs: Vec<Glyph>) -> Vec<Glyph> {
    let mut done: Vec<Glyph> = Vec::with_capacity(glyphs.len());
    let mut base = 0;
    let mut last_class = 0;
    for glyph in glyphs {
        let class = canonical_combining_class(glyph.letter);
        // A mark reaches its letter over marks of a lower class only.
        let reaches = done.len() == base + 1 || last_class < class;
        if let Some(base) = done.get_mut(base).filter(|_| reaches)
            && let Some(letter) = compose(base.letter, glyph.letter)
        {
            *base = Glyph { letter, from: base.from, to: base.to.max(glyph.to) };
            continue;
        }
        if class == 0 {
            base = done.len();
        }
        last_class = class;
        done.push(glyph);
    }
    done
}

/// Writes a letter so that its cases meet, those of `ß`, `ς` and the dotless `ı` too.
pub(super) fn fold(letter: char, into: &mut String) {
    if letter.is_ascii() {
        into.push(letter.to_ascii_lowercase());
        return;
    }
    // Small letters first: the capital `ẞ` has no other way to `ss`.
    let small = letter.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    for letter in small {
        match cousin(letter) {
            "" => into.push(letter),
            cousin => into.push_str(cousin),
        }
    }
}

/// What people type for a letter whose stroke or ligature is no accent.
fn cousin(letter: char) -> &'static str {
    match letter {
        'æ' => "ae",
        'ƀ' => "b",
        'đ' | 'ð' => "d",
        'ǥ' => "g",
        'ħ' => "h",
        'ɨ' => "i",
        'ĸ' => "k",
        'ł' | 'ƚ' => "l",
        'ŋ' => "n",
        'ø' | 'ɵ' => "o",
        'œ' => "oe",
        'ŧ' => "t",
        'þ' => "th",
        'ʉ' => "u",
        'ƶ' => "z",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::words::properties::texts;

    proptest! {
        #[test]
        fn characters_are_normalised_as_the_library_does(text in texts()) {
            let kept = text.nfkd().filter(|&letter| !is_dropped(letter));
            let expected: String = kept.nfc().collect();
            let found: String = glyphs(&text).iter().map(|glyph| glyph.letter).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn every_character_knows_its_place(text in texts()) {
            for glyph in glyphs(&text) {
                let place = text.get(glyph.from..glyph.to);
                prop_assert!(place.is_some_and(|place| !place.is_empty()), "{glyph:?}");
            }
        }
    }
}
