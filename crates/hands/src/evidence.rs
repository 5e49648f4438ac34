//! Evidence: the logs and pictures of checks, in `.hotl/evidence/<run id>` of the folder of a run.
//!
//! Who recorded a run chose its folder, so nothing is read that a link leads to, and no more than was
//! asked for.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

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

/// Whether a name stands for a file in its place, and leads nowhere.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

/// A new file that nobody else writes to: by that name, or with a number where it is taken.
pub fn claim(place: &Path, name: &str, kind: &str) -> io::Result<PathBuf> {
    let numbered = (2..).map(|number: u64| format!("{name}-again-{number}.{kind}"));
    for file in std::iter::once(format!("{name}.{kind}")).chain(numbered) {
        let path = place.join(file);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A file of that name, if it has no more than `most_bytes`.
pub fn read(folder: &Path, run_id: &str, name: &str, most_bytes: u64) -> Result<Vec<u8>, Unfit> {
    let file = find(folder, run_id, name, most_bytes)?;
    let mut bytes = Vec::new();
    file.take(most_bytes).read_to_end(&mut bytes).map_err(Unfit::of)?;
    Ok(bytes)
}

/// The same file, open, with nothing read of it.
fn find(folder: &Path, run_id: &str, name: &str, most_bytes: u64) -> Result<File, Unfit> {
    if !is_plain(run_id) || !is_plain(name) {
        return Err(Unfit::Misplaced);
    }
    let expected = place(&fs::canonicalize(folder).map_err(Unfit::of)?, run_id);
    if fs::canonicalize(&expected).map_err(Unfit::of)? != expected {
        return Err(Unfit::Misplaced);
    }
    let (file, size) = open(&expected.join(name))?;
    match size > most_bytes {
        true => Err(Unfit::TooLarge(size)),
        false => Ok(file),
    }
}

/// A regular file and its size. What is looked at is what was opened, since another one could be put
/// there meanwhile; and it does not wait for whoever writes to a pipe.
fn open(path: &Path) -> Result<(File, u64), Unfit> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = flags.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(Unfit::of)?;
    let found = file.metadata().map_err(Unfit::of)?;
    match found.is_file() {
        true => Ok((file, found.len())),
        false => Err(Unfit::Misplaced),
    }
}

impl Unfit {
    fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ if Errno::from_io_error(&error) == Some(Errno::LOOP) => Self::Misplaced,
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
    fn nobody_waits_for_a_pipe_that_was_put_in_the_place_of_a_file() {
        let (_folder, place) = drawer();
        let pipe = place.join("b.log");
        let (mode, kind) = (rustix::fs::Mode::RWXU, rustix::fs::FileType::Fifo);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
        let found = open(&pipe);
        assert!(matches!(found, Err(Unfit::Misplaced)), "{found:?}");
    }

    #[test]
    fn whoever_claims_a_name_that_is_taken_gets_another_one() {
        let (_folder, place) = drawer();
        symlink("/nowhere", place.join("a-again-2.log")).unwrap();
        let claimed = [(); 2].map(|()| claim(&place, "a", "log").unwrap());
        assert_eq!(claimed, ["a-again-3.log", "a-again-4.log"].map(|name| place.join(name)));
        assert_eq!(fs::read_to_string(place.join("a.log")).unwrap(), "hello");
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
