//! Worktrees: checkouts of one repository beside each other.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Git, NotDone};

/// One checkout, as the repository knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Worktree {
    pub path: PathBuf,
    pub commit: Option<String>,
    /// Nothing where no branch is checked out.
    pub branch: Option<String>,
    /// It is the repository itself, without a checkout.
    pub is_bare: bool,
    /// Why nobody may remove it.
    pub locked: Option<String>,
    /// Why git would forget it: its folder is gone.
    pub gone: Option<String>,
}

/// The branch that a checkout gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnBranch<'a> {
    /// One that is not there yet, beginning at a commit.
    New { name: &'a str, commit: &'a str },
    /// One that is there.
    Old { name: &'a str },
    /// One that is there, and begins again at a commit.
    Again { name: &'a str, commit: &'a str },
}

impl Git {
    /// Every checkout of the repository; the first is the one it began with.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, NotDone> {
        let answer = self.look(&["worktree", "list", "--porcelain", "-z"])?.done()?;
        Ok(read(&answer.stdout))
    }

    /// Makes a checkout. When git fails, what it has made until then may still be there.
    pub fn add_worktree(&self, path: &Path, on: OnBranch<'_>) -> Result<(), NotDone> {
        let mut arguments: Vec<OsString> = ["worktree", "add", "--quiet"].map(Into::into).into();
        let (options, start) = match on {
            OnBranch::New { name, commit } => (vec!["--no-track", "-b", name], commit),
            OnBranch::Old { name } => (Vec::new(), name),
            OnBranch::Again { name, commit } => (vec!["--no-track", "-B", name], commit),
        };
        arguments.extend(options.into_iter().map(OsString::from));
        arguments.extend(["--".into(), path.as_os_str().to_owned(), start.into()]);
        self.change(&arguments)
    }

    /// Removes a checkout that holds nothing of its own, or is gone already.
    pub fn remove_worktree(&self, path: &Path) -> Result<(), NotDone> {
        self.change(&[OsStr::new("worktree"), "remove".as_ref(), "--".as_ref(), path.as_ref()])
    }

    /// Removes a checkout with all that is in it.
    pub fn discard_worktree(&self, path: &Path) -> Result<(), NotDone> {
        let words = ["worktree", "remove", "--force", "--"].map(OsStr::new);
        let arguments: Vec<&OsStr> = words.into_iter().chain([path.as_os_str()]).collect();
        self.take_back(&arguments)
    }
}

fn read(answer: &[u8]) -> Vec<Worktree> {
    let mut all = Vec::new();
    for line in answer.split(|byte| *byte == 0) {
        let at = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        let (word, rest) = line.split_at(at);
        let rest = rest.get(1..).unwrap_or_default();
        let text = || String::from_utf8_lossy(rest).into_owned();
        if word == b"worktree" {
            let path = Path::new(OsStr::from_bytes(rest)).to_owned();
            all.push(Worktree { path, ..Worktree::default() });
        }
        let Some(last) = all.last_mut() else { continue };
        match word {
            b"HEAD" => {
                last.commit = Some(text()).filter(|commit| !commit.trim_matches('0').is_empty());
            }
            b"branch" => last.branch = text().strip_prefix("refs/heads/").map(str::to_owned),
            b"bare" => last.is_bare = true,
            b"locked" => last.locked = Some(text()),
            b"prunable" => last.gone = Some(text()),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktrees_are_read_with_what_is_odd_about_them() {
        let answer = b"worktree /a b\0HEAD 12\0branch refs/heads/x/y\0\0worktree /c\nd\0HEAD 00\0\
            detached\0locked on a disk\0\0worktree /e\0bare\0\0worktree /f\0HEAD 34\0\
            detached\0prunable gitdir file points to non-existent location\0\0";
        let [a, c, e, f] = <[Worktree; 4]>::try_from(read(answer)).unwrap();
        assert_eq!((a.path.as_path(), a.branch.as_deref()), (Path::new("/a b"), Some("x/y")));
        assert_eq!((c.path.as_path(), c.commit, c.branch), (Path::new("/c\nd"), None, None));
        assert_eq!(c.locked.as_deref(), Some("on a disk"));
        assert!(e.is_bare && !f.is_bare);
        assert!(f.gone.unwrap().starts_with("gitdir"));
    }
}
