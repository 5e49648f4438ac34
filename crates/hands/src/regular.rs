//! Regular files, and nothing else in their place: a pipe or a device that somebody put there is not
//! waited for.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Does not wait for whoever is at the other end of a pipe.
pub(crate) const AT_ONCE: i32 = OFlags::NONBLOCK.bits().cast_signed();

/// Opens a file to read it.
pub fn open(path: &Path) -> io::Result<File> {
    opened(OpenOptions::new().read(true), path)
}

/// All that a file holds.
pub fn content(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Keeps others away who ask for the same file, until it is dropped.
pub fn lock(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = opened(OpenOptions::new().create(true).append(true), path)?;
    file.lock()?;
    Ok(file)
}

/// Makes a file say this, whole or not at all. Whoever calls this is alone.
pub fn put(path: &Path, text: &str) -> io::Result<()> {
    if content(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.new"));
    let mut file = anew(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    fs::rename(&beside, path)
}

/// What is looked at is what was opened, since another one could be put there meanwhile.
fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(AT_ONCE).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file")),
    }
}

/// A new file, instead of what a killed process left under its name.
fn anew(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        made => made,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    fn pipe(path: &Path) {
        mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
    }

    #[test]
    fn what_is_no_file_is_neither_read_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        pipe(&path("pipe"));
        fs::create_dir(path("folder")).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        for path in [path("pipe"), path("folder"), path("socket"), "/dev/zero".into()] {
            assert!(content(&path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_lock_in_whose_place_a_pipe_is_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        pipe(&path);
        assert!(lock(&path).is_err());
    }

    #[test]
    fn a_text_takes_the_place_of_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        pipe(&path);
        pipe(&folder.path().join(".file.new"));
        put(&path, "said").unwrap();
        assert_eq!(content(&path).unwrap(), b"said");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
