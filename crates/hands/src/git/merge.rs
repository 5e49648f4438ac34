//! Merges: tried without touching anything, then made, and taken back when they fail.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::{Git, NotDone};

/// What became of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    Clean,
    /// These files would have to be resolved by hand.
    Conflicts(Vec<PathBuf>),
}

impl Git {
    /// What a merge would come to; it changes nothing.
    pub fn try_merge(&self, branch: &str, into: &str) -> Result<Merged, NotDone> {
        let arguments = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"];
        let (into, branch) = (format!("refs/heads/{into}"), format!("refs/heads/{branch}"));
        let arguments: Vec<&str> = arguments.into_iter().chain([&*into, &*branch]).collect();
        let answer = self.look(&arguments)?;
        match answer.code {
            Some(0) => Ok(Merged::Clean),
            Some(1) => {
                // The first part is the tree.
                let names = answer.stdout.split(|byte| *byte == 0).skip(1);
                let names = names.filter(|name| !name.is_empty());
                let files = names.map(|name| PathBuf::from(OsStr::from_bytes(name)));
                Ok(Merged::Conflicts(files.collect()))
            }
            _ => Err(answer.refused()),
        }
    }

    /// Merges a branch into what is checked out here, as a commit of its own. A merge that fails is
    /// aborted, and the checkout is as before.
    pub fn merge(&self, branch: &str, message: &str) -> Result<Merged, NotDone> {
        let reference = format!("refs/heads/{branch}");
        let words = ["merge", "--quiet", "--no-ff", "--no-edit", "--no-autostash", "-m", message];
        let arguments: Vec<&str> = words.into_iter().chain([&*reference]).collect();
        let Err(failed) = self.change(&arguments) else { return Ok(Merged::Clean) };
        let conflicts = self.unmerged()?;
        if self.commit("MERGE_HEAD")?.is_some() {
            self.take_back(&["merge", "--abort"])?;
        }
        match conflicts.is_empty() {
            true => Err(failed),
            false => Ok(Merged::Conflicts(conflicts)),
        }
    }

    fn unmerged(&self) -> Result<Vec<PathBuf>, NotDone> {
        let changed = self.status()?.into_iter();
        let unmerged = changed.filter(|changed| changed.status == super::Status::Unmerged);
        Ok(unmerged.map(|changed| changed.path).collect())
    }
}
