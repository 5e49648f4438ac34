//! Files of somebody else, changed whole: they are as before or as wanted, never in between.
//!
//! All new texts are written beside their files first and moved into place last, so that what
//! cannot be written is noticed before anything has changed. A link is followed: the file that it
//! leads to is changed, and the link stays.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file, what it held when it was looked at, and what it shall hold. Nothing stands for no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Why a file was not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    #[error("{}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    /// Somebody changed the file after it was looked at.
    #[error("{} was changed meanwhile", path.display())]
    Changed { path: PathBuf },
}

impl NotDone {
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::Unusable { path: path.to_owned(), source }
    }

    /// What is neither a file nor absent.
    fn no_file(path: &Path, what: &str) -> Self {
        Self::at(path)(io::Error::new(ErrorKind::InvalidInput, what.to_owned()))
    }
}

/// The text of a file; nothing when it is not there.
pub fn read(path: &Path) -> Result<Option<String>, NotDone> {
    let Some(found) = look(path)? else { return Ok(None) };
    fs::read_to_string(found.path).map(Some).map_err(NotDone::at(path))
}

/// A file that is there, behind all links.
struct Found {
    path: PathBuf,
    metadata: Metadata,
}

fn look(path: &Path) -> Result<Option<Found>, NotDone> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match path.is_symlink() {
                true => Err(NotDone::no_file(path, "it is a link to a file that is not there")),
                false => Ok(None),
            };
        }
        Err(error) => return Err(NotDone::at(path)(error)),
    };
    if !metadata.is_file() {
        return Err(NotDone::no_file(path, "it is not a file"));
    }
    let path = fs::canonicalize(path).map_err(NotDone::at(path))?;
    Ok(Some(Found { path, metadata }))
}

/// Makes all changes, or none: only the last steps, which move what is ready into place, come one
/// after the other.
pub fn change(changes: &[Change]) -> Result<(), NotDone> {
    let mut made = Made(Vec::new());
    let mut staged = Vec::with_capacity(changes.len());
    for change in changes {
        staged.push(Staged::new(change, &mut made)?);
    }
    for change in changes {
        if read(&change.path)? != change.before {
            return Err(NotDone::Changed { path: change.path.clone() });
        }
    }
    for staged in staged {
        staged.put_in_place()?;
    }
    made.0.clear();
    Ok(())
}

/// Folders that were made for files, and go again unless the files come.
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _is_empty = fs::remove_dir(folder);
        }
    }
}

impl Made {
    /// Makes a folder and all above it.
    fn folder(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> =
            folder.ancestors().take_while(|above| !above.exists() && !above.is_symlink()).collect();
        for folder in missing.into_iter().rev().filter(|folder| *folder != Path::new("")) {
            fs::create_dir(folder)?;
            self.0.push(folder.to_owned());
        }
        Ok(())
    }
}

/// A change that is ready to be put in place.
struct Staged {
    /// Behind all links.
    path: PathBuf,
    text: Text,
}

enum Text {
    New(NamedTempFile),
    /// There was a file.
    Instead(NamedTempFile),
    None,
}

impl Staged {
    fn new(change: &Change, made: &mut Made) -> Result<Self, NotDone> {
        let unusable = || NotDone::at(&change.path);
        let found = look(&change.path)?;
        let path = found.as_ref().map_or(&change.path, |found| &found.path).clone();
        let Some(text) = &change.after else { return Ok(Self { path, text: Text::None }) };
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        made.folder(&folder).map_err(unusable())?;
        let text = written(&folder, text, found.as_ref()).map_err(unusable())?;
        let text = if found.is_some() { Text::Instead(text) } else { Text::New(text) };
        Ok(Self { path, text })
    }

    fn put_in_place(self) -> Result<(), NotDone> {
        let Self { path, text } = self;
        let done = match text {
            Text::New(file) => file.persist_noclobber(&path).map(drop).map_err(|error| error.error),
            Text::Instead(file) => file.persist(&path).map(drop).map_err(|error| error.error),
            Text::None => fs::remove_file(&path),
        };
        let folder = path.parent().unwrap_or(Path::new("/"));
        done.and_then(|()| File::open(folder)?.sync_all()).map_err(NotDone::at(&path))
    }
}

/// A text beside its file, on disk, with the owner and the permissions of the file.
fn written(folder: &Path, text: &str, found: Option<&Found>) -> io::Result<NamedTempFile> {
    let usual = Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new()
        .prefix(OsStr::new(".windlass-"))
        .permissions(if found.is_some() { Permissions::from_mode(0o600) } else { usual })
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(Found { metadata, .. }) = found {
        let own = file.as_file().metadata()?;
        if (own.uid(), own.gid()) != (metadata.uid(), metadata.gid()) {
            fchown(file.as_file(), Some(metadata.uid()), Some(metadata.gid()))?;
        }
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// Removes folders that are empty, from the innermost up to, and without, `top`.
pub fn remove_empty_folders(innermost: &Path, top: &Path) {
    let inside = innermost.ancestors().take_while(|folder| folder.starts_with(top));
    for folder in inside.filter(|folder| *folder != top) {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn changed(path: &Path, before: Option<&str>, after: Option<&str>) -> Change {
        let text = |text: Option<&str>| text.map(str::to_owned);
        Change { path: path.to_owned(), before: text(before), after: text(after) }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_made_changed_and_removed_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "a").unwrap();
        fs::write(path("gone"), "b").unwrap();
        change(&[
            changed(&path("in/new"), None, Some("x")),
            changed(&path("old"), Some("a"), Some("y")),
            changed(&path("gone"), Some("b"), None),
        ])
        .unwrap();
        assert_eq!(names(folder.path()), ["in", "old"]);
        assert_eq!(names(&path("in")), ["new"]);
        assert_eq!(read(&path("old")).unwrap().unwrap(), "y");
    }

    #[test]
    fn permissions_stay_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "a").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        change(&[changed(&link, Some("a"), Some("b"))]).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "b");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    fn when_one_file_cannot_be_written_none_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "a").unwrap();
        let below_a_file = changed(&path("file/x"), None, Some("x"));
        let changes = [changed(&path("new/y"), None, Some("y")), below_a_file];
        assert!(matches!(change(&changes), Err(NotDone::Unusable { .. })));
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "theirs").unwrap();
        for before in [Some("old"), None] {
            let refused = change(&[changed(&path, before, Some("ours"))]);
            assert!(matches!(refused, Err(NotDone::Changed { .. })), "{refused:?}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        symlink("nowhere", folder.path().join("link")).unwrap();
        assert!(read(&folder.path().join("link")).is_err());
        assert!(read(folder.path()).is_err());
        assert_eq!(read(&folder.path().join("no/file")).unwrap(), None);
    }

    #[test]
    fn empty_folders_go_up_to_the_top_and_full_ones_stay() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(top.path().join("a/file"), "").unwrap();
        remove_empty_folders(&inner, top.path());
        assert_eq!(names(top.path()), ["a"]);
        assert_eq!(names(&top.path().join("a")), ["file"]);
    }
}
