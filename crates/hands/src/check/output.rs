//! What a command writes: its beginning and its end, its size and its digest, and all of it in a log.
//!
//! Bytes are kept as they are; only who asks for text gets text.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use crate::reason;

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
    /// Of all that came, whether it is in the file or not.
    pub sha256: String,
    /// What is in the file: less than came when that was too much, or could not be written.
    pub stored_bytes: u64,
    /// Why it could not be written.
    pub trouble: Option<String>,
}

impl Stream {
    /// How many bytes are neither in the head nor in the tail.
    pub fn left_out_bytes(&self) -> u64 {
        let kept = self.head.len() + self.tail.len();
        self.size_bytes.saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX))
    }

    /// Head and tail as text, with a word on what is missing between them.
    pub fn text(&self) -> String {
        match self.left_out_bytes() {
            0 => String::from_utf8_lossy(&[self.head.as_slice(), &self.tail].concat()).into_owned(),
            left_out => {
                let [head, tail] =
                    [&self.head, &self.tail].map(|part| String::from_utf8_lossy(part));
                format!("{head}\n… {left_out} bytes left out …\n{tail}")
            }
        }
    }

    /// The first bytes as text, of the head at most.
    pub fn first(&self, length: usize) -> String {
        let first = self.head.get(..length).unwrap_or(&self.head);
        String::from_utf8_lossy(first).into_owned()
    }

    /// The last bytes as text, without the first ones that are shown elsewhere.
    pub fn last(&self, length: usize, shown: usize) -> String {
        let (known, shown) = match self.left_out_bytes() {
            0 => ([self.head.as_slice(), &self.tail].concat(), shown),
            _ => (self.tail.clone(), 0),
        };
        let from = known.len().saturating_sub(length).max(shown);
        String::from_utf8_lossy(known.get(from..).unwrap_or_default()).into_owned()
    }
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
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(log)?;
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
        self.digest.take(piece);
        let room = usize::try_from(limit - self.stored_bytes.min(limit)).unwrap_or(usize::MAX);
        let stored = piece.get(..room).unwrap_or(piece);
        if self.trouble.is_some() || stored.is_empty() {
            return;
        }
        match self.file.write_all(stored) {
            Ok(()) => self.stored_bytes += bytes(stored),
            Err(error) => {
                self.trouble = Some(reason::root_cause(&error));
                self.stored_bytes = self.file.metadata().map_or(0, |file| file.len());
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
    fn what_is_left_out_is_told() {
        assert_eq!(recorded(&[b"abcdefg"]).0.stdout.text(), "abcdefg");
        assert_eq!(recorded(&[b"abcdefghi"]).0.stdout.text(), "abcd\n… 2 bytes left out …\nghi");
    }

    #[test]
    fn a_log_ends_at_its_limit_and_the_rest_is_counted() {
        let (output, log) = recorded(&[b"abcdef", b"ghij", b"k"]);
        assert_eq!(log, b"abcdefgh");
        assert_eq!((output.log.size_bytes, output.log.stored_bytes), (11, 8));
        assert_eq!(output.log.sha256, output.stdout.sha256);
    }

    #[test]
    fn letters_on_the_border_between_head_and_tail_stay_whole() {
        assert_eq!(recorded(&["abcä".as_bytes()]).0.stdout.text(), "abcä");
        assert_eq!(recorded(&["abcä".as_bytes()]).0.stdout.first(4), "abc\u{fffd}");
    }

    #[test]
    fn a_full_disk_is_told_and_stops_nothing() {
        let mut recorder = Recorder::new(Path::new("/dev/full"), SMALL).unwrap();
        recorder.take(Channel::Stderr, b"abc");
        recorder.take(Channel::Stderr, b"def");
        let output = recorder.output();
        assert_eq!(output.log.trouble.as_deref(), Some("no space left on device"));
        assert_eq!((output.log.size_bytes, output.log.stored_bytes), (6, 0));
        assert_eq!(output.stderr.text(), "abcdef");
    }
}
