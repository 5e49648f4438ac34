//! The step of a run that is worked on, in two or three lines: what it is, and what was last heard.
//!
//! Everything of others is made harmless: what a program writes may try to move the cursor.

use std::time::Duration;

use unicode_width::UnicodeWidthStr as _;
use windlass_ops::context::Driven;

use crate::wrap::cut;

/// Less of a name than this says nothing.
const SHORTEST_NAME: usize = 16;

/// The view, no line wider than `width`.
pub(super) fn lines(step: &Driven<'_>, width: usize, has_colour: bool) -> Vec<String> {
    let mut lines = facts(step, width);
    let last = plain(step.last);
    let heard = match last.is_empty() {
        true => cut(&format!("  {}…", step.doing), width),
        false => cut(&format!("  {}: {last}", step.doing), width),
    };
    lines.push(if has_colour { format!("\u{1b}[2m{heard}\u{1b}[0m") } else { heard });
    lines
}

/// In one line where the name has room in it, or else in two.
fn facts(step: &Driven<'_>, width: usize) -> Vec<String> {
    let Driven { step: number, of, attempt, of_attempts, .. } = step;
    let name = plain(step.name);
    let before = format!("step {number} of {of}: ");
    let after = format!("attempt {attempt} of {of_attempts} · {}", clock(step.elapsed));
    let room = width.saturating_sub(before.width() + " · ".width() + after.width());
    match room >= name.width().min(SHORTEST_NAME) {
        true => vec![cut(&format!("{before}{} · {after}", cut(&name, room)), width)],
        false => {
            vec![cut(&format!("{before}{name}"), width), cut(&format!("  {after}"), width)]
        }
    }
}

/// `0:42`, `12:05`, `1:00:00`.
fn clock(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// One line of text without what a terminal would obey: the sequences that begin with an escape,
/// control characters, and what turns the direction of writing.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_sequence(&mut letters),
            '\t' => plain.push(' '),
            letter if letter.is_control() || turns_direction(letter) => {}
            letter => plain.push(letter),
        }
    }
    plain.trim().to_owned()
}

/// What follows an escape: `[…m` up to its last letter, `]…` up to its end, `(B` with what stands
/// between, or one letter.
fn skip_sequence(letters: &mut std::str::Chars<'_>) {
    match letters.next() {
        Some('[') => {
            let _last = letters.find(|letter| ('\u{40}'..='\u{7e}').contains(letter));
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let last = letters.find(|letter| matches!(letter, '\u{7}' | '\u{1b}' | '\u{9c}'));
            if last == Some('\u{1b}') {
                let _backslash = letters.next();
            }
        }
        Some('\u{20}'..='\u{2f}') => {
            let _last = letters.find(|letter| !('\u{20}'..='\u{2f}').contains(letter));
        }
        Some(_) | None => {}
    }
}

fn turns_direction(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Driven<'_> = Driven {
        step: 2,
        of: 5,
        name: "Fix the greeting of people without a name",
        attempt: 1,
        of_attempts: 4,
        doing: "agent",
        elapsed: Duration::from_secs(102),
        last: "reading greet.sh",
    };

    fn seen(step: &Driven<'_>, columns: usize) -> String {
        lines(step, columns - 1, false).join("\n")
    }

    #[test]
    fn a_wide_window_shows_the_step_in_one_line() {
        let expected = "\
step 2 of 5: Fix the greeting of people without a name · attempt 1 of 4 · 1:42
  agent: reading greet.sh";
        assert_eq!(seen(&STEP, 100), expected);
    }

    #[test]
    fn a_name_is_cut_before_anything_else() {
        let expected = "\
step 2 of 5: Fix the greeting of people without a na… · attempt 1 of 4 · 1:42
  agent: reading greet.sh";
        assert_eq!(seen(&STEP, 78), expected);
    }

    #[test]
    fn a_narrow_window_shows_the_step_in_two_lines() {
        let step = Driven { doing: "check 1 of 2", last: "", ..STEP };
        let expected = "\
step 2 of 5: Fix the greeting of people…
  attempt 1 of 4 · 1:42
  check 1 of 2…";
        assert_eq!(seen(&step, 41), expected);
    }

    #[test]
    fn no_line_is_wider_than_the_window() {
        let last = "日本語 ".repeat(80);
        for (columns, name) in (1..160).flat_map(|columns| [(columns, STEP.name), (columns, "")]) {
            let step = Driven { last: &last, name, ..STEP };
            for line in lines(&step, columns - 1, false) {
                assert!(line.width() < columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn what_was_written_cannot_move_the_cursor() {
        for (last, shown) in [
            ("\u{1b}[32mok\u{1b}[0m 1", "ok 1"),
            ("a\u{1b}[2J\u{1b}[1;1Hb", "ab"),
            ("\u{1b}]0;title\u{7}done", "done"),
            ("\u{1b}]8;;http://x\u{1b}\\link", "link"),
            ("half\u{1b}[", "half"),
            ("\u{1b}(Bplain\u{1b}[m\u{1b}(B", "plain"),
            ("\u{1b}$(Cx\u{1b}(", "x"),
            ("bell\u{7}\u{8}\u{0}", "bell"),
            ("\u{9b}2Jx", "2Jx"),
            ("a\u{202e}b", "ab"),
            ("\ta\tb ", "a b"),
            ("\u{1b}", ""),
        ] {
            assert_eq!(plain(last), shown, "{last:?}");
        }
    }

    #[test]
    fn time_is_told_as_on_a_clock() {
        let told = [0, 59, 725, 3_600].map(|seconds| clock(Duration::from_secs(seconds)));
        assert_eq!(told, ["0:00", "0:59", "12:05", "1:00:00"]);
    }

    #[test]
    fn colours_are_for_who_wants_them() {
        assert!(!seen(&STEP, 80).contains('\u{1b}'));
        assert!(lines(&STEP, 79, true).join("").contains("\u{1b}[2m  agent: reading"));
    }
}
