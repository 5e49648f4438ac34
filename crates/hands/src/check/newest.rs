//! The newest line of an output that comes in pieces.
//!
//! A line that is being written counts as soon as there is something in it, and one that is written
//! over and over, as bars of progress are, counts each time.

/// As much of a line as anybody looks at.
const LONGEST_BYTES: usize = 1 << 10;

#[derive(Debug, Default)]
pub(super) struct Newest {
    /// The last line that has ended, and says something.
    ended: Vec<u8>,
    /// What has come of the next.
    begun: Vec<u8>,
}

impl Newest {
    pub(super) fn take(&mut self, piece: &[u8]) {
        let mut lines = piece.split(|byte| matches!(byte, b'\n' | b'\r')).peekable();
        while let Some(line) = lines.next() {
            let room = LONGEST_BYTES.saturating_sub(self.begun.len());
            self.begun.extend(line.get(..room).unwrap_or(line));
            if lines.peek().is_some() {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        if says_something(&self.begun) {
            std::mem::swap(&mut self.ended, &mut self.begun);
        }
        self.begun.clear();
    }

    /// The line; nothing as long as nothing was written.
    pub(super) fn text(&self) -> String {
        let line = if says_something(&self.begun) { &self.begun } else { &self.ended };
        String::from_utf8_lossy(line).into_owned()
    }
}

fn says_something(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest(pieces: &[&[u8]]) -> String {
        let mut newest = Newest::default();
        for piece in pieces {
            newest.take(piece);
        }
        newest.text()
    }

    #[test]
    fn the_newest_line_is_the_same_in_whatever_pieces_it_comes() {
        for (whole, line) in [
            (&b""[..], ""),
            (b"one", "one"),
            (b"one\n", "one"),
            (b"one\ntwo", "two"),
            (b"one\ntwo\n\n  \n", "two"),
            (b"one\r\ntwo\r\n", "two"),
            (b"10%\r20%\r", "20%"),
            (b"one\n   ", "one"),
            (b"\n\n", ""),
        ] {
            for size in 1..=whole.len().max(1) {
                let pieces: Vec<&[u8]> = whole.chunks(size).collect();
                assert_eq!(newest(&pieces), line, "{whole:?} by {size}");
            }
        }
    }

    #[test]
    fn of_a_line_without_end_only_the_beginning_is_kept() {
        let flood = vec![b'a'; 1 << 20];
        assert_eq!(newest(&[&flood, &flood]).len(), LONGEST_BYTES);
        assert_eq!(newest(&[&flood, b"\n", b"b\n"]), "b");
    }

    #[test]
    fn what_is_no_text_is_told_as_far_as_it_is() {
        assert_eq!(newest(&[b"a\xffb"]), "a\u{fffd}b");
    }
}
