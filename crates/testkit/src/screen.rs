//! What stands on a screen after all that was shown on it: lines that were written over are gone.

#![expect(clippy::indexing_slicing, reason = "a screen of another shape ends its test")]

/// The lines of a screen of any size on which this was shown, without those at its end that are
/// empty. It knows what Windlass uses: the ends of lines, going up, and emptying lines.
pub fn screen(shown: &str) -> String {
    screen_of(usize::MAX, shown)
}

/// The same on a screen of so many columns: what is longer goes on in the next line. Every letter
/// takes one column.
pub fn screen_of(columns: usize, shown: &str) -> String {
    let mut screen = Screen { lines: vec![String::new()], line: 0 };
    let mut rest = shown;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\n' => screen.go_down(),
            '\r' => {}
            '\u{1b}' => rest = screen.obey(rest),
            letter => {
                if screen.here().chars().count() >= columns {
                    screen.go_down();
                }
                screen.here().push(letter);
            }
        }
    }
    screen.lines.join("\n").trim_end().to_owned()
}

struct Screen {
    lines: Vec<String>,
    line: usize,
}

impl Screen {
    fn here(&mut self) -> &mut String {
        while self.lines.len() <= self.line {
            self.lines.push(String::new());
        }
        &mut self.lines[self.line]
    }

    fn go_down(&mut self) {
        self.line += 1;
        let _there = self.here();
    }

    /// What an escape asks for, and what follows it. Colours change nothing.
    fn obey<'t>(&mut self, text: &'t str) -> &'t str {
        let end = text.find(|letter: char| letter.is_ascii_alphabetic());
        let (sequence, rest) = text.split_at(end.map_or(text.len(), |end| end + 1));
        match sequence {
            "[2K" => self.here().clear(),
            "[J" => {
                self.here().clear();
                self.lines.truncate(self.line + 1);
            }
            up if up.ends_with('A') => {
                let count = up.trim_matches(|letter: char| !letter.is_ascii_digit());
                self.line = self.line.saturating_sub(count.parse().unwrap_or(1));
            }
            _ => {}
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_over_is_gone() {
        assert_eq!(screen("a\nb\r\u{1b}[2Kc\n"), "a\nc");
        assert_eq!(screen("a\nb\nc\r\u{1b}[1A\u{1b}[Jd"), "a\nd");
        assert_eq!(screen("\u{1b}[2ma\u{1b}[0m\n\n"), "a");
    }

    #[test]
    fn a_line_that_is_too_long_goes_on_in_the_next() {
        assert_eq!(screen_of(3, "abc\nabcd\r\u{1b}[2Ke"), "abc\nabc\ne");
    }
}
