//! Where a chunk got what it says: lines of a file, with the digest they had then.

use serde::{Deserialize, Serialize};

use crate::chain::Hash;
use crate::{Code, Refusal, text};

/// A file, or lines of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub file: String,
    /// The first line and the last, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Of the lines as they were read; nothing when nobody could read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Hash>,
}

impl Source {
    /// Checks what somebody wrote.
    pub fn checked(mut self) -> Result<Self, Refusal> {
        self.file = text::line("source_file", &self.file, text::LINK_CHARS)?;
        match self.lines {
            Some((first, last)) if first == 0 || last < first => {
                let message = format!("lines {first} to {last} are no lines of a file");
                Err(Refusal::new(Code::InvalidValue, message)
                    .hint("give the first line and the last, counted from 1")
                    .detail("field", "source_lines")
                    .detail("given", (first, last)))
            }
            Some(_) | None => Ok(self),
        }
    }

    /// The digest of the lines that it is about, in a file as it is now.
    pub fn digest_of(&self, content: &str) -> Hash {
        match self.lines {
            None => Hash::of(content.as_bytes()),
            Some((first, last)) => {
                let place = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
                let skipped = place(first).saturating_sub(1);
                let count = place(last).saturating_sub(skipped);
                let lines = content.split_inclusive('\n').skip(skipped).take(count);
                Hash::of(lines.collect::<String>().trim_end_matches(['\n', '\r']).as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(lines: Option<(u32, u32)>) -> Source {
        Source { file: "src/a.rs".into(), lines, digest: None }
    }

    #[test]
    fn lines_that_are_none_are_refused() {
        for lines in [(0, 3), (4, 3)] {
            assert!(source(Some(lines)).checked().is_err(), "{lines:?}");
        }
        assert!(source(Some((3, 3))).checked().is_ok());
    }

    #[test]
    fn only_the_lines_it_is_about_are_in_the_digest() {
        let source = source(Some((2, 3)));
        let digest = source.digest_of("a\nb\nc\nd\n");
        assert_eq!(digest, source.digest_of("x\nb\nc\ny"));
        assert_ne!(digest, source.digest_of("a\nb\nC\nd\n"));
    }

    #[test]
    fn the_last_line_is_the_same_with_and_without_its_end() {
        let source = source(Some((1, 2)));
        assert_eq!(source.digest_of("a\nb"), source.digest_of("a\nb\nc\n"));
    }
}
