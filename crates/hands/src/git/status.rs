//! What differs from the last commit, read from `git status --porcelain -z`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Git, NotDone};

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// From the top of the checkout. Names are whatever the file system takes.
    pub path: PathBuf,
    /// Where it was before it was renamed or copied.
    pub from: Option<PathBuf>,
    pub status: Status,
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Untracked,
    /// In the middle of a merge that is not resolved.
    Unmerged,
    Changed,
}

impl Git {
    /// All that differs, untracked files included, one by one.
    pub fn status(&self) -> Result<Vec<Changed>, NotDone> {
        let answer =
            self.look(&["status", "--porcelain=v1", "-z", "--untracked-files=all"])?.done()?;
        read(&answer.stdout).ok_or_else(|| answer.odd())
    }
}

fn read(answer: &[u8]) -> Option<Vec<Changed>> {
    let mut parts = answer.split(|byte| *byte == 0);
    let mut all = Vec::new();
    while let Some(part) = parts.next().filter(|part| !part.is_empty()) {
        let (&[x, y, b' '], path) = part.split_first_chunk()? else { return None };
        let is_moved = [x, y].iter().any(|letter| matches!(letter, b'R' | b'C'));
        let from = if is_moved { Some(path_of(parts.next()?)) } else { None };
        let status = match (x, y) {
            (b'?', b'?') => Status::Untracked,
            (b'U', _) | (_, b'U') | (b'A', b'A') | (b'D', b'D') => Status::Unmerged,
            _ => Status::Changed,
        };
        all.push(Changed { path: path_of(path), from, status });
    }
    Some(all)
}

fn path_of(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(path: &str, from: Option<&str>, status: Status) -> Changed {
        Changed { path: path.into(), from: from.map(PathBuf::from), status }
    }

    #[test]
    fn odd_names_and_renames_are_read() {
        let answer = b" M a b\0?? line\nbreak\0R  new\0old\0UU x\0 D \xc3\xa4\0";
        let expected = [
            changed("a b", None, Status::Changed),
            changed("line\nbreak", None, Status::Untracked),
            changed("new", Some("old"), Status::Changed),
            changed("x", None, Status::Unmerged),
            changed("ä", None, Status::Changed),
        ];
        assert_eq!(read(answer), Some(expected.to_vec()));
        assert_eq!(read(b""), Some(Vec::new()));
    }

    #[test]
    fn what_is_no_status_is_not_understood() {
        assert_eq!(read(b"M\0"), None);
        assert_eq!(read(b"R  new\0"), Some(vec![changed("new", Some(""), Status::Changed)]));
    }
}
