//! The words in which an attempt to reach somebody says why it failed: one short line, whatever others wrote into it.

use std::error::Error;

const LONGEST: usize = 280;

/// The text as one line that a terminal and a table can show.
pub(crate) fn one_line(text: &str) -> String {
    let mut letters = text.chars().map(|letter| if is_shown(letter) { letter } else { '\u{fffd}' });
    let mut line: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// Neither a control character nor one that breaks a line or turns its direction.
fn is_shown(letter: char) -> bool {
    let moves = matches!(letter,
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !letter.is_control() && !moves
}

/// The innermost cause, worded as a part of a sentence.
pub(crate) fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let text = cause.to_string();
    // The number says nothing that the words do not.
    let text = text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words);
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn control_characters_do_not_get_through() {
        assert_eq!(one_line("a\nb\u{1b}[31m\u{202e}c"), "a\u{fffd}b\u{fffd}[31m\u{fffd}c");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(one_line(&"ä".repeat(280)), "ä".repeat(280));
        assert_eq!(one_line(&"ä".repeat(281)), format!("{}…", "ä".repeat(279)));
    }

    #[test]
    fn a_cause_reads_as_a_part_of_a_sentence() {
        let refused = io::Error::from_raw_os_error(111);
        assert_eq!(root_cause(&refused), "connection refused");
    }
}
