//! Evidence: the logs and pictures of checks, in `.hotl/evidence/<run id>` of the folder of a run.
//!
//! Who recorded a run chose its folder, so nothing is read that a link leads to, and no more than was
//! asked for.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Why a file cannot be had.
#[derive(Debug)]
pub enum Unfit {
    Missing,
    /// It is no regular file at its own place: a link, or a name with a way in it.
    Misplaced,
    /// It has so many bytes.
    TooLarge(u64),
    Unreadable(io::Error),
}

/// Where the evidence of a run is.
pub fn place(folder: &Path, run_id: &str) -> PathBuf {
    folder.join(".hotl").join("evidence").join(run_id)
}

/// A file of that name, if it has no more than `most_bytes`.
pub fn read(folder: &Path, run_id: &str, name: &str, most_bytes: u64) -> Result<Vec<u8>, Unfit> {
    let file = File::open(find(folder, run_id, name)?).map_err(Unfit::of)?;
    let size = file.metadata().map_err(Unfit::of)?.len();
    if size > most_bytes {
        return Err(Unfit::TooLarge(size));
    }
    let mut bytes = Vec::new();
    file.take(most_bytes).read_to_end(&mut bytes).map_err(Unfit::of)?;
    Ok(bytes)
}

/// Where a file of that name is, behind no link.
pub fn find(folder: &Path, run_id: &str, name: &str) -> Result<PathBuf, Unfit> {
    let is_plain = |word: &str| {
        !word.is_empty() && !word.starts_with('.') && !word.contains(['/', '\\', '\0'])
    };
    if !is_plain(run_id) || !is_plain(name) {
        return Err(Unfit::Misplaced);
    }
    let real = fs::canonicalize(folder).map_err(Unfit::of)?;
    let expected = place(&real, run_id).join(name);
    let found = fs::canonicalize(&expected).map_err(Unfit::of)?;
    match found == expected && found.is_file() {
        true => Ok(found),
        false => Err(Unfit::Misplaced),
    }
}

impl Unfit {
    fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Unreadable(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn drawer() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path(), "boat-1");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("a.log"), "hello").unwrap();
        (folder, place)
    }

    #[test]
    fn a_file_is_read_up_to_the_size_that_is_wanted() {
        let (folder, _) = drawer();
        assert_eq!(read(folder.path(), "boat-1", "a.log", 5).unwrap(), b"hello");
        let large = read(folder.path(), "boat-1", "a.log", 4);
        assert!(matches!(large, Err(Unfit::TooLarge(5))), "{large:?}");
    }

    #[test]
    fn what_is_not_there_is_missing() {
        let (folder, _) = drawer();
        for (run, name) in [("boat-1", "b.log"), ("boat-2", "a.log")] {
            let found = read(folder.path(), run, name, 9);
            assert!(matches!(found, Err(Unfit::Missing)), "{run} {name} {found:?}");
        }
        assert!(matches!(read(Path::new("/nowhere"), "r", "a", 9), Err(Unfit::Missing)));
    }

    #[test]
    fn no_name_and_no_link_leads_elsewhere() {
        let (folder, place) = drawer();
        fs::write(folder.path().join("secret"), "x").unwrap();
        symlink(folder.path().join("secret"), place.join("link.log")).unwrap();
        symlink(&place, place.with_file_name("boat-9")).unwrap();
        fs::create_dir(place.join("sub")).unwrap();
        let rows = [
            ("boat-1", "../../../secret"),
            ("boat-1", ".."),
            ("..", "a.log"),
            ("boat-1", "/etc/hostname"),
            ("boat-1", ""),
            ("boat-1", "link.log"),
            ("boat-9", "a.log"),
            ("boat-1", "sub"),
        ];
        for (run, name) in rows {
            let found = read(folder.path(), run, name, 9);
            assert!(matches!(found, Err(Unfit::Misplaced)), "{run} {name} {found:?}");
        }
    }
}
