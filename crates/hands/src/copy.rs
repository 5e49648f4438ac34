//! Files that are copied from one folder to another: plain files alone, and nothing that a link leads
//! to, since who wrote them need not be trusted.

use std::fs::{self, DirEntry, File};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::files::NotDone;

/// Copies the files that are in the folder `inside` of `from`, and not in folders below it, to the same
/// folder of `to`. Nothing happens where there is no such folder, or only a link to one.
pub fn plain_files(from: &Path, to: &Path, inside: &Path) -> Result<(), NotDone> {
    let (source, to) = (from.join(inside), to.join(inside));
    let expected = fs::canonicalize(from).map(|from| from.join(inside));
    match (fs::canonicalize(&source), expected) {
        (Ok(found), Ok(expected)) if found == expected && found.is_dir() => {}
        (Ok(_) | Err(_), _) => return Ok(()),
    }
    for entry in fs::read_dir(&source).map_err(unusable(&source))? {
        let entry = entry.map_err(unusable(&source))?;
        if entry.file_type().map_err(unusable(&entry.path()))?.is_file() {
            plain_file(&entry, &to).map_err(unusable(&entry.path()))?;
        }
    }
    Ok(())
}

/// The copy is there whole or not at all, and replaces what has its name.
fn plain_file(entry: &DirEntry, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let mut copy = NamedTempFile::new_in(to)?;
    io::copy(&mut File::open(entry.path())?, &mut copy)?;
    copy.as_file().set_permissions(entry.metadata()?.permissions())?;
    copy.persist(to.join(entry.file_name())).map(drop).map_err(|error| error.error)
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> NotDone {
    |source| NotDone::Unusable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn plain_files_are_copied_and_links_and_folders_are_not() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = from.path().join("logs/a");
        fs::create_dir_all(folder.join("below")).unwrap();
        fs::write(folder.join("one.log"), [0xff, 0]).unwrap();
        fs::write(from.path().join("secret"), "x").unwrap();
        symlink("../../secret", folder.join("link.log")).unwrap();
        for _again in 0..2 {
            plain_files(from.path(), to.path(), Path::new("logs/a")).unwrap();
        }
        let copies = fs::read_dir(to.path().join("logs/a")).unwrap();
        let names: Vec<_> = copies.map(|copy| copy.unwrap().file_name()).collect();
        assert_eq!(names, ["one.log"]);
        assert_eq!(fs::read(to.path().join("logs/a/one.log")).unwrap(), [0xff, 0]);
    }

    #[test]
    fn a_folder_behind_a_link_is_not_copied() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(from.path().join("real")).unwrap();
        fs::write(from.path().join("real/file"), "x").unwrap();
        symlink("real", from.path().join("link")).unwrap();
        for inside in ["link", "gone"] {
            plain_files(from.path(), to.path(), Path::new(inside)).unwrap();
            assert!(!to.path().join(inside).exists(), "{inside}");
        }
    }
}
