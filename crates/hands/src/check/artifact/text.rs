//! A fixed text, looked for in what comes in pieces.

use memchr::memmem::Finder;

pub(super) struct Text<'a> {
    finder: Finder<'a>,
    /// The end of what came, in which the text may have begun.
    before: Vec<u8>,
    is_found: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { finder: Finder::new(text), before: Vec::new(), is_found: false }
    }

    pub(super) fn take(&mut self, piece: &[u8]) {
        if self.is_found {
            return;
        }
        let overlap = self.finder.needle().len().saturating_sub(1);
        // Only around the border both are needed in one.
        let (start, _) = piece.split_at(overlap.min(piece.len()));
        self.before.extend(start);
        self.is_found =
            self.finder.find(&self.before).is_some() || self.finder.find(piece).is_some();
        let (_, rest) = piece.split_at(start.len());
        let (_, end) = rest.split_at(rest.len().saturating_sub(overlap));
        self.before.extend(end);
        self.before.drain(..self.before.len().saturating_sub(overlap));
    }

    pub(super) fn is_found(&self) -> bool {
        self.is_found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(text: &str, whole: &str, size: usize) -> bool {
        let mut text = Text::new(text.as_bytes());
        for piece in whole.as_bytes().chunks(size) {
            text.take(piece);
        }
        text.is_found()
    }

    #[test]
    fn a_text_is_found_across_any_borders() {
        for size in 1..20 {
            assert!(is_found("needle", "in the hay a nneedle is", size), "{size}");
            assert!(is_found("aab", "aaaaaaab", size), "{size}");
            assert!(!is_found("needle", "in the hay a needl e is", size), "{size}");
            assert!(
                !is_found("abab", "abxababxab".replace("abab", "aab").as_str(), size),
                "{size}"
            );
        }
    }
}
