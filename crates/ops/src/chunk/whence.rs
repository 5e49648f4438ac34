//! Where the file of a chunk is. Its path is kept as the repository has it, so that it means the same
//! file wherever in the repository somebody asks.

use std::path::{Component, Path, PathBuf};

use crate::context::Context;

/// The path of a file that the caller names, as it is kept.
pub(super) fn kept(cx: &Context, file: &str) -> String {
    let inside = repository(cx).and_then(|(root, here)| {
        let path = plain(&here.join(file))?;
        path.strip_prefix(&root).ok()?.to_str().map(str::to_owned)
    });
    inside.unwrap_or_else(|| file.to_owned())
}

/// Where a file with that path is now, if it is there.
pub(super) fn found(cx: &Context, kept: &str) -> Option<String> {
    let in_repository = repository(cx).map(|(root, _)| root.join(kept));
    let places = in_repository.into_iter().chain([PathBuf::from(kept)]);
    places.filter(|place| place.exists()).find_map(|place| place.to_str().map(str::to_owned))
}

/// The repository that the caller is in, and where in it they are.
fn repository(cx: &Context) -> Option<(PathBuf, PathBuf)> {
    let here = cx.surroundings.folder.clone()?;
    let root = here.ancestors().find(|above| above.join(".git").exists())?.to_owned();
    Some((root, here))
}

/// The same path without `.` and `..`, whatever is there.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => plain.pop().then_some(())?,
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_made_plain_without_looking_at_what_is_there() {
        let plain = |path: &str| plain(Path::new(path)).unwrap();
        assert_eq!(plain("/a/./b/../c"), Path::new("/a/c"));
        assert_eq!(plain("/a/b"), Path::new("/a/b"));
    }
}
