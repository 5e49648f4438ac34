//! Git for operations: in the caller's environment, its words told as refusals.

use std::path::{Path, PathBuf};

use windlass_domain::{Code, Refusal};
use windlass_hands::check::Environment;
use windlass_hands::git::{Git, NotDone};
use windlass_ledger::{Error, Fault};

use crate::context::Context;

/// Git in a folder, as the caller would run it.
pub(super) fn git_in(cx: &Context, folder: impl Into<PathBuf>) -> Git {
    Git::new(folder, &Environment::of_caller(cx.surroundings.variables.all()))
}

/// The folder that the caller is in.
pub(super) fn folder(cx: &Context) -> Result<PathBuf, Fault> {
    cx.surroundings.folder.clone().ok_or_else(|| {
        Fault::new(Code::FileUnusable, "the folder you are in is not there any more")
            .hint("cd to a folder that exists")
    })
}

/// The commit of the checkout that a folder is in, if it is in one.
pub(super) fn head_in(cx: &Context, folder: &Path) -> Option<String> {
    folder.ancestors().find(|above| above.join(".git").exists())?;
    git_in(cx, folder).head().ok()?.commit().map(str::to_owned)
}

/// What git said no to.
pub(super) fn refused(not_done: NotDone) -> Error {
    let refusal = Refusal::new(Code::GitRefused, not_done.in_words());
    match &not_done {
        NotDone::NotRun(_) => refusal.hint("install it, or put it on your PATH"),
        NotDone::NoFolder { folder } => refusal
            .hint("see whether it was moved or removed")
            .detail("folder", folder.display().to_string()),
        NotDone::Refused { command, code, said } => refusal
            .hint("see to what it says, then try again")
            .detail("command", command)
            .detail("exit_code", code)
            .detail("said", said),
        NotDone::TookTooLong { command, .. } => refusal
            .hint(format!("see whether a hook or a password keeps `{command}` waiting"))
            .detail("command", command),
        NotDone::Odd { command, answer } => refusal
            .hint("git 2.38 or later is needed; see whether `git fsck` finds something")
            .detail("command", command)
            .detail("answer", answer),
    }
    .into()
}

/// A path as JSON can carry it.
pub(super) fn text(path: &Path) -> Result<String, Refusal> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("{} is not text in UTF-8", path.display());
        Refusal::new(Code::InvalidValue, message).hint("rename the folder or the file")
    })
}

/// A path as somebody in that folder would write it, unless it is far away.
pub(super) fn seen_from(here: &Path, path: &Path) -> String {
    const FAR: usize = 3;
    let up = here.ancestors().take(FAR).position(|above| path.starts_with(above));
    let Some(up) = up else { return path.display().to_string() };
    let above = here.ancestors().nth(up).unwrap_or(here);
    let inside = path.strip_prefix(above).unwrap_or(path);
    let way: PathBuf = std::iter::repeat_n(Path::new(".."), up).chain([inside]).collect();
    match way.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => way.display().to_string().trim_end_matches('/').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_seen_from_where_one_is() {
        let here = Path::new("/home/ada/work");
        for (path, expected) in [
            ("/home/ada/work", "."),
            ("/home/ada/work/deep/er", "deep/er"),
            ("/home/ada", ".."),
            ("/home/ada/.hotl-worktrees/work/x", "../.hotl-worktrees/work/x"),
            ("/srv/x", "/srv/x"),
        ] {
            assert_eq!(seen_from(here, Path::new(path)), expected);
        }
    }
}
