//! What a command writes: its beginning and its end, its size and its digest, and all of it in a log.
//!
//! Bytes are kept as they are; only who asks for text gets text.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use crate::reason;
use crate::regular::AT_ONCE;

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub head_bytes: usize,
    pub tail_bytes: usize,
    pub log_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head_bytes: 64 << 10, tail_bytes: 64 << 10, log_bytes: 64 << 20 }
    }
}

/// All that a command wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub stdout: Stream,
    pub stderr: Stream,
    pub log: Log,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    pub size_bytes: u64,
    pub sha256: String,
    /// The beginning.
    pub head: Vec<u8>,
    /// The end, as far as it is not in the beginning.
    pub tail: Vec<u8>,
}

/// Both as they came, in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub path: PathBuf,
    pub size_bytes: u64,
    /// What is in the file: less than came when that was too much, or could not be written.
    pub stored_bytes: u64,
    /// Of what is in the file.
    pub sha256: String,
    /// Why it could not be written.
    pub trouble: Option<String>,
}

/// What is shown of one of the two, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    pub first: String,
    pub last: String,
    /// How many bytes, as they came, are in neither.
    pub left_out_bytes: u64,
}

impl Stream {
    /// How many bytes are neither in the head nor in the tail.
    pub fn left_out_bytes(&self) -> u64 {
        let kept = self.head.len() + self.tail.len();
        self.size_bytes.saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX))
    }

    /// Beginning and end, in whole letters, each a text of no more than `length` bytes.
    pub fn ends(&self, length: usize) -> Ends {
        let known = match self.left_out_bytes() {
            0 => [self.head.as_slice(), &self.tail].concat(),
            _ => self.head.clone(),
        };
        let (first, shown) = fitting(letters(&known), length);
        let rest = match self.left_out_bytes() {
            0 => known.get(shown..).unwrap_or_default(),
            _ => &self.tail,
        };
        let backwards = letters(rest).collect::<Vec<_>>().into_iter().rev();
        let (last, shown_too) = fitting(backwards, length);
        let shown = u64::try_from(shown + shown_too).unwrap_or(u64::MAX);
        Ends {
            first: first.into_iter().collect(),
            last: last.into_iter().rev().collect(),
            left_out_bytes: self.size_bytes.saturating_sub(shown),
        }
    }
}

/// Bytes as letters, and of how many bytes each was made.
fn letters(bytes: &[u8]) -> impl Iterator<Item = (char, usize)> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let strange = Some(chunk.invalid().len()).filter(|length| *length > 0);
        let strange = strange.map(|length| (char::REPLACEMENT_CHARACTER, length));
        chunk.valid().chars().map(|letter| (letter, letter.len_utf8())).chain(strange)
    })
}

/// As many letters as fit in a text of that length, and of how many bytes they were made.
fn fitting(letters: impl Iterator<Item = (char, usize)>, length: usize) -> (Vec<char>, usize) {
    let (mut room, mut bytes) = (length, 0);
    let fitting = letters.map_while(|(letter, made_of)| {
        room = room.checked_sub(letter.len_utf8())?;
        bytes += made_of;
        Some(letter)
    });
    (fitting.collect(), bytes)
}

/// Which of the two a command wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    Stdout,
    Stderr,
}

/// An [`Output`] that grows.
pub(super) struct Recorder {
    stdout: Growing,
    stderr: Growing,
    log: Writer,
    limits: Limits,
}

impl Recorder {
    pub(super) fn new(log: &Path, limits: Limits) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).custom_flags(AT_ONCE);
        let file = options.open(log)?;
        let log = Writer {
            path: log.to_owned(),
            file,
            size_bytes: 0,
            stored_bytes: 0,
            digest: Digest::default(),
            trouble: None,
        };
        Ok(Self { stdout: Growing::default(), stderr: Growing::default(), log, limits })
    }

    pub(super) fn take(&mut self, channel: Channel, piece: &[u8]) {
        let stream = match channel {
            Channel::Stdout => &mut self.stdout,
            Channel::Stderr => &mut self.stderr,
        };
        stream.take(piece, self.limits);
        self.log.take(piece, self.limits.log_bytes);
    }

    pub(super) fn output(self) -> Output {
        let Self { stdout, stderr, log, .. } = self;
        Output { stdout: stdout.stream(), stderr: stderr.stream(), log: log.log() }
    }
}

#[derive(Default)]
struct Growing {
    size_bytes: u64,
    digest: Digest,
    head: Vec<u8>,
    tail: VecDeque<u8>,
}

impl Growing {
    fn take(&mut self, piece: &[u8], limits: Limits) {
        self.size_bytes += bytes(piece);
        self.digest.take(piece);
        let room = limits.head_bytes.saturating_sub(self.head.len()).min(piece.len());
        let (first, rest) = piece.split_at(room);
        self.head.extend(first);
        let (_, last) = rest.split_at(rest.len().saturating_sub(limits.tail_bytes));
        let too_many = (self.tail.len() + last.len()).saturating_sub(limits.tail_bytes);
        self.tail.drain(..too_many.min(self.tail.len()));
        self.tail.extend(last);
    }

    fn stream(self) -> Stream {
        let Self { size_bytes, digest, head, tail } = self;
        Stream { size_bytes, sha256: digest.text(), head, tail: tail.into() }
    }
}

struct Writer {
    path: PathBuf,
    file: File,
    size_bytes: u64,
    stored_bytes: u64,
    digest: Digest,
    trouble: Option<String>,
}

impl Writer {
    /// A log that cannot be written does not change what the command does.
    fn take(&mut self, piece: &[u8], limit: u64) {
        self.size_bytes += bytes(piece);
        let room = usize::try_from(limit - self.stored_bytes.min(limit)).unwrap_or(usize::MAX);
        let mut left = piece.get(..room).unwrap_or(piece);
        while self.trouble.is_none() && !left.is_empty() {
            match self.file.write(left) {
                Ok(0) => self.trouble = Some("it takes no more".to_owned()),
                Ok(length) => {
                    let (stored, rest) = left.split_at(length.min(left.len()));
                    self.stored_bytes += bytes(stored);
                    self.digest.take(stored);
                    left = rest;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.trouble = Some(reason::root_cause(&error)),
            }
        }
    }

    fn log(self) -> Log {
        let Self { path, size_bytes, stored_bytes, digest, trouble, .. } = self;
        Log { path, size_bytes, sha256: digest.text(), stored_bytes, trouble }
    }
}

fn bytes(piece: &[u8]) -> u64 {
    u64::try_from(piece.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SMALL: Limits = Limits { head_bytes: 4, tail_bytes: 3, log_bytes: 8 };

    fn recorded(pieces: &[&[u8]]) -> (Output, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut recorder = Recorder::new(&path, SMALL).unwrap();
        for piece in pieces {
            recorder.take(Channel::Stdout, piece);
        }
        (recorder.output(), fs::read(&path).unwrap())
    }

    #[test]
    fn beginning_and_end_are_the_same_in_whatever_pieces_it_comes() {
        let whole = b"abcdefghijklmnop";
        let (expected, _) = recorded(&[whole]);
        assert_eq!(
            (expected.stdout.head.as_slice(), expected.stdout.tail.as_slice()),
            (&b"abcd"[..], &b"nop"[..])
        );
        for size in 1..whole.len() {
            let pieces: Vec<&[u8]> = whole.chunks(size).collect();
            assert_eq!(recorded(&pieces).0.stdout, expected.stdout, "{size}");
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        assert_eq!(recorded(&[b"abcdefg"]).0.stdout.left_out_bytes(), 0);
        assert_eq!(recorded(&[b"abcdefghi"]).0.stdout.left_out_bytes(), 2);
    }

    #[test]
    fn a_log_ends_at_its_limit_and_the_rest_is_counted() {
        let (output, log) = recorded(&[b"abcdef", b"ghij", b"k"]);
        assert_eq!(log, b"abcdefgh");
        assert_eq!((output.log.size_bytes, output.log.stored_bytes), (11, 8));
        let mut digest = Digest::default();
        digest.take(&log);
        assert_eq!(output.log.sha256, digest.text());
    }

    #[test]
    fn letters_on_the_border_between_head_and_tail_stay_whole() {
        assert_eq!(recorded(&["abcä".as_bytes()]).0.stdout.ends(4096).first, "abcä");
    }

    fn ends(bytes: &[u8], length: usize) -> (String, String, u64) {
        let limits = Limits { head_bytes: 12, tail_bytes: 12, log_bytes: 0 };
        let mut stream = Growing::default();
        stream.take(bytes, limits);
        let Ends { first, last, left_out_bytes } = stream.stream().ends(length);
        (first, last, left_out_bytes)
    }

    #[test]
    fn what_is_shown_ends_with_a_whole_letter_and_the_rest_is_counted_as_it_came() {
        let shown = |first: &str, last: &str, left_out| (first.into(), last.into(), left_out);
        assert_eq!(ends(b"abc", 4), shown("abc", "", 0));
        assert_eq!(ends(b"abcdef", 4), shown("abcd", "ef", 0));
        assert_eq!(ends(b"abcdefghij", 4), shown("abcd", "ghij", 2));
        assert_eq!(ends("abcädefäghi".as_bytes(), 4), shown("abc", "ghi", 7));
        assert_eq!(ends(b"a\xff\xff\xff\xff", 4), shown("a\u{fffd}", "\u{fffd}", 2));
        assert_eq!(ends(&[b'x'; 100], 4), shown("xxxx", "xxxx", 92));
    }

    #[test]
    fn a_full_disk_is_told_and_stops_nothing() {
        let mut recorder = Recorder::new(Path::new("/dev/full"), SMALL).unwrap();
        recorder.take(Channel::Stderr, b"abc");
        recorder.take(Channel::Stderr, b"def");
        let output = recorder.output();
        assert_eq!(output.log.trouble.as_deref(), Some("no space left on device"));
        assert_eq!((output.log.size_bytes, output.log.stored_bytes), (6, 0));
        assert_eq!(output.stderr.ends(4096).first, "abcdef");
    }
}
