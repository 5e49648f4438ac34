//! Links to programs: looked at, made and removed without ever following them.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// What is at the place of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    Nothing,
    /// A link to this, whether that is there or not.
    Link(PathBuf),
    /// A file, a folder or something else.
    Other,
}

pub fn look(path: &Path) -> io::Result<At> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::read_link(path).map(At::Link),
        Ok(_) => Ok(At::Other),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(At::Nothing),
        Err(error) => Err(error),
    }
}

/// Makes a link, and the folder for it. A link that is there gives way; nothing else does.
pub fn make(path: &Path, target: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    match look(path)? {
        At::Nothing => symlink(target, path),
        At::Other => Err(ErrorKind::AlreadyExists.into()),
        At::Link(_) => {
            // There is one at every moment.
            let beside = tempfile::Builder::new()
                .prefix(".windlass-")
                .make_in(folder, |beside| symlink(target, beside))?;
            fs::rename(beside.path(), path)?;
            beside.into_temp_path().keep().map(drop).map_err(|error| error.error)
        }
    }
}

/// Removes a link, and nothing but a link.
pub fn remove(path: &Path) -> io::Result<()> {
    match look(path)? {
        At::Nothing => Ok(()),
        At::Link(_) => fs::remove_file(path),
        At::Other => Err(ErrorKind::InvalidInput.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_made_moved_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bin/tool");
        make(&path, Path::new("one")).unwrap();
        make(&path, Path::new("two")).unwrap();
        assert_eq!(look(&path).unwrap(), At::Link("two".into()));
        assert_eq!(fs::read_dir(folder.path().join("bin")).unwrap().count(), 1);
        remove(&path).unwrap();
        assert_eq!(look(&path).unwrap(), At::Nothing);
    }

    #[test]
    fn what_is_no_link_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        fs::write(&path, "theirs").unwrap();
        assert!(make(&path, Path::new("one")).is_err() && remove(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }
}
