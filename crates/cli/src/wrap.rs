//! Breaking text into lines of a given width, and cutting it.
//!
//! Width is what a terminal uses: a letter of Chinese, Japanese or Korean and most emoji take two
//! columns, a combining mark none.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What becomes of a word that is wider than its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongWord {
    /// It stays in one piece and stands out, so that it can still be copied.
    Whole,
    /// It goes on in the next line: nothing may stand out of a column.
    Broken,
}

/// Text of others without what moves the cursor or changes colours; tabs become spaces.
pub(crate) fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => harmless.push('\n'),
            '\t' => harmless.push_str("    "),
            letter if letter.is_control() => harmless.push(char::REPLACEMENT_CHARACTER),
            letter => harmless.push(letter),
        }
    }
    harmless
}

/// One line as several, the first at most `first` and the others at most `rest` columns wide.
pub(crate) fn wrap(line: &str, first: usize, rest: usize, long: LongWord) -> Vec<String> {
    if line.width() <= first {
        return vec![line.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    let mut current = String::new();
    let pieces = words(line).into_iter().flat_map(|word| match long {
        LongWord::Broken if word.trim_end().width() > rest => clusters(word),
        LongWord::Broken | LongWord::Whole => vec![word],
    });
    for piece in pieces {
        let room = if lines.is_empty() { first } else { rest };
        let grown = format!("{current}{piece}");
        // The next line has no more room for a word that is alone on its line already.
        let is_alone = current.is_empty() && room >= rest;
        if is_alone || grown.trim_end().width() <= room {
            current = grown;
        } else {
            lines.push(current.trim_end().to_owned());
            piece.clone_into(&mut current);
        }
    }
    lines.push(current.trim_end().to_owned());
    lines
}

/// Cuts at `width` columns and shows that something is missing. Line breaks become spaces.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let line = text.replace('\n', " ");
    if line.width() <= width {
        return line;
    }
    if width == 0 {
        return String::new();
    }
    let mut kept = String::new();
    for cluster in clusters(&line) {
        if kept.width() + cluster.width() + 1 > width {
            break;
        }
        kept.push_str(cluster);
    }
    kept.push('…');
    kept
}

/// Fills up to `width` columns with spaces.
pub(crate) fn fill(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The pieces between which a line may be broken, each with the spaces after it: words, and in
/// writing without spaces every letter.
fn words(line: &str) -> Vec<&str> {
    split_where(line, |before, after| {
        let is_wide = |letter: char| letter.width() == Some(2);
        let ends_word = before == ' ' && after != ' ';
        ends_word || (after != ' ' && !joins(before, after) && (is_wide(before) || is_wide(after)))
    })
}

/// What a person sees as one letter, together with its marks.
fn clusters(text: &str) -> Vec<&str> {
    split_where(text, |before, after| !joins(before, after))
}

fn split_where(text: &str, may_split: impl Fn(char, char) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    let letters = text.char_indices().zip(text.chars().skip(1));
    let mut start = 0;
    for ((index, before), after) in letters {
        if may_split(before, after) {
            let (part, behind) = rest.split_at(index + before.len_utf8() - start);
            parts.push(part);
            rest = behind;
            start = index + before.len_utf8();
        }
    }
    parts.push(rest);
    parts
}

/// Whether two neighbours are shown as one: a letter and its mark, the parts of an emoji.
fn joins(before: char, after: char) -> bool {
    const JOINER: char = '\u{200d}';
    let is_skin_tone = ('\u{1f3fb}'..='\u{1f3ff}').contains(&after);
    let is_flag = |letter| ('\u{1f1e6}'..='\u{1f1ff}').contains(&letter);
    before == JOINER
        || after.width() == Some(0)
        || is_skin_tone
        || (is_flag(before) && is_flag(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(line: &str, width: usize) -> Vec<String> {
        wrap(line, width, width, LongWord::Whole)
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("see the log of Tuesday", 11), ["see the log", "of Tuesday"]);
    }

    #[test]
    fn a_line_that_fits_is_kept_as_it_is() {
        assert_eq!(wrapped("ok    files", 11), ["ok    files"]);
    }

    #[test]
    fn a_long_word_stays_whole_in_a_line_and_is_broken_in_a_column() {
        let line = "at https://example.org/1";
        assert_eq!(wrapped(line, 10), ["at", "https://example.org/1"]);
        let broken = wrap(line, 10, 10, LongWord::Broken);
        assert_eq!(broken, ["at https:/", "/example.o", "rg/1"]);
    }

    #[test]
    fn a_word_that_fits_only_into_the_next_line_begins_there() {
        assert_eq!(wrap("database.url", 5, 12, LongWord::Broken), ["", "database.url"]);
    }

    #[test]
    fn writing_without_spaces_is_broken_between_its_letters() {
        assert_eq!(wrapped("日本語の題名", 5), ["日本", "語の", "題名"]);
    }

    #[test]
    fn what_is_seen_as_one_letter_is_never_parted() {
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(cut(&format!("{family}{family}"), 3), format!("{family}…"));
        assert_eq!(clusters("e\u{301}🇩🇪x👍\u{1f3fd}"), ["e\u{301}", "🇩🇪", "x", "👍\u{1f3fd}"]);
    }

    #[test]
    fn a_cut_counts_wide_letters_twice() {
        assert_eq!(cut("日本語の題名", 7), "日本語…");
        assert_eq!(cut("日本語の題名", 6), "日本…");
        assert_eq!([1, 0].map(|width| cut("日本", width)), ["…", ""]);
    }

    #[test]
    fn nothing_is_lost_when_lines_are_broken() {
        let line = "a title  with 日本語 and 🚀 words, some-of-them-longer-than-a-narrow-page";
        let letters = |text: &str| text.replace(' ', "");
        for width in 1..90 {
            for long in [LongWord::Whole, LongWord::Broken] {
                let lines = wrap(line, width, width, long);
                assert_eq!(letters(&lines.concat()), letters(line), "{width} {long:?}");
            }
        }
    }
}
