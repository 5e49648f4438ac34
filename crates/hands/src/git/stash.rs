//! Stashes: changes that are put aside, with the commit that keeps them.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::{Git, NotDone};
use crate::process::NotRun;

impl Git {
    /// Puts all changes aside, untracked files too, but those of some files, and says in which
    /// commit they are: `git stash apply` takes it, whatever is stashed later. To be called at the
    /// top of a checkout.
    pub fn stash(&self, all_but: &[PathBuf], message: &str) -> Result<String, NotDone> {
        let unusable = |error| NotDone::NotRun(NotRun::new("git stash", error));
        // More names than a command line takes are no rarity here. Among the files that are put
        // aside, the list would be one of them.
        let folder = self.look(&["rev-parse", "--absolute-git-dir"])?.done()?.path();
        let mut list = tempfile::NamedTempFile::new_in(folder).map_err(unusable)?;
        let mut write = |bytes: &[u8]| list.write_all(bytes).map_err(unusable);
        write(b".\0")?;
        for path in all_but {
            write(b":(exclude,top,literal)")?;
            write(path.as_os_str().as_bytes())?;
            write(b"\0")?;
        }
        let before = self.commit("refs/stash")?;
        let mut from = OsString::from("--pathspec-from-file=");
        from.push(list.path());
        let words = ["stash", "push", "--quiet", "--include-untracked", "-m", message];
        let words = words.map(OsStr::new).into_iter();
        let arguments: Vec<&OsStr> =
            words.chain([OsStr::new("--pathspec-file-nul"), from.as_os_str()]).collect();
        self.change(&arguments)?;
        match self.commit("refs/stash")? {
            Some(commit) if Some(&commit) != before.as_ref() => Ok(commit),
            Some(_) | None => Err(NotDone::Odd {
                command: "git stash push".to_owned(),
                answer: "nothing was stashed".to_owned(),
            }),
        }
    }

    /// Brings back what is in a stash that was just made, and forgets the stash.
    pub fn unstash(&self, commit: &str) -> Result<(), NotDone> {
        if self.commit("refs/stash")?.as_deref() == Some(commit) {
            return self.take_back(&["stash", "pop", "--quiet", "--index"]);
        }
        self.take_back(&["stash", "apply", "--quiet", "--index", commit])
    }
}
