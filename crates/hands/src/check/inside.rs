//! Paths that must stay inside a folder, by their words and by the links they lead through.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Why a path leads to nothing that may be looked at.
#[derive(Debug)]
pub(super) enum NotInside {
    /// It leads out of the folder.
    Outside,
    Missing,
    /// It could not be followed.
    Unusable(io::Error),
}

/// What a path stands for, behind all links. It may be absolute, if it is inside all the same.
pub(super) fn resolve(root: &Path, path: &Path) -> Result<PathBuf, NotInside> {
    let real_root = fs::canonicalize(root).map_err(NotInside::of)?;
    let relative = match path.is_absolute() {
        false => path,
        true => path
            .strip_prefix(root)
            .or_else(|_| path.strip_prefix(&real_root))
            .map_err(|_| NotInside::Outside)?,
    };
    if leaves(relative) {
        return Err(NotInside::Outside);
    }
    let real = fs::canonicalize(real_root.join(relative)).map_err(NotInside::of)?;
    if real.starts_with(&real_root) { Ok(real) } else { Err(NotInside::Outside) }
}

/// Whether its words, taken one by one, ever lead above where they begin.
fn leaves(relative: &Path) -> bool {
    let mut depth = 0_usize;
    for component in relative.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

impl NotInside {
    fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Unusable(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A root with a file, a folder, and links to places in and out of it.
    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("root/docs")).unwrap();
        fs::write(at("root/file"), "").unwrap();
        fs::write(at("secret"), "").unwrap();
        symlink("../file", at("root/docs/in")).unwrap();
        symlink(at("root/file"), at("root/docs/in-absolute")).unwrap();
        symlink("../../secret", at("root/docs/out")).unwrap();
        symlink("..", at("root/up")).unwrap();
        symlink("nowhere", at("root/dangling")).unwrap();
        place
    }

    #[test]
    fn what_is_inside_is_found() {
        let place = place();
        let root = place.path().join("root");
        let real = fs::canonicalize(root.join("file")).unwrap();
        let absolute = root.join("file");
        let ways = ["file", "./docs/../file", "docs/in", "docs/in-absolute"];
        for path in ways.map(Path::new).into_iter().chain([absolute.as_path()]) {
            assert_eq!(resolve(&root, path).unwrap(), real, "{}", path.display());
        }
        assert!(resolve(&root, Path::new(".")).is_ok());
    }

    #[test]
    fn what_leads_out_is_not_looked_at() {
        let place = place();
        let root = place.path().join("root");
        let words = ["../secret", "docs/../../secret", "../root/file", "/etc/passwd", "../nowhere"];
        for path in words.into_iter().chain(["docs/out", "up/secret", "up"]) {
            let found = resolve(&root, Path::new(path));
            assert!(matches!(found, Err(NotInside::Outside)), "{path}: {found:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_missing() {
        let place = place();
        for path in ["no", "dangling", "file/below", "no/such/file"] {
            let found = resolve(&place.path().join("root"), Path::new(path));
            assert!(matches!(found, Err(NotInside::Missing)), "{path}: {found:?}");
        }
    }
}
