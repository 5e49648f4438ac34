//! The files of one verification: another one of the same attempt may be going on, and the ledger
//! names the files of the one that is heard. Those that it does not name are nobody's, and removed.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use windlass_hands::evidence;
use windlass_ledger::Error;

use crate::exchange::unusable;

/// Where a verification puts its logs and pictures. Unless they are kept, they go with it.
pub(super) struct Drawer {
    place: PathBuf,
    files: RefCell<Vec<PathBuf>>,
    is_kept: Cell<bool>,
}

impl Drawer {
    pub(super) fn new(place: PathBuf) -> Self {
        Self { place, files: RefCell::default(), is_kept: Cell::new(false) }
    }

    /// A file for this verification alone.
    pub(super) fn claim(&self, name: &str, kind: &str) -> Result<PathBuf, Error> {
        let file = std::fs::create_dir_all(&self.place)
            .and_then(|()| evidence::claim(&self.place, name, kind))
            .map_err(|error| unusable(&self.place, &error))?;
        self.files.borrow_mut().push(file.clone());
        Ok(file)
    }

    /// Takes away a file into which nothing was put. From then on its name is free for others.
    pub(super) fn discard(&self, file: &Path) {
        self.files.borrow_mut().retain(|claimed| claimed != file);
        std::fs::remove_file(file).ok();
    }

    /// The ledger may name them from now on.
    pub(super) fn keep(&self) {
        self.is_kept.set(true);
    }
}

impl Drop for Drawer {
    fn drop(&mut self) {
        if self.is_kept.get() {
            return;
        }
        for file in self.files.get_mut() {
            // One that cannot be removed misleads nobody: no record names it.
            std::fs::remove_file(file).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_kept_go_with_their_drawer() {
        let folder = tempfile::tempdir().unwrap();
        let names = [false, true].map(|is_kept| {
            let drawer = Drawer::new(folder.path().join("evidence"));
            let file = drawer.claim("a", "log").unwrap();
            if is_kept {
                drawer.keep();
            }
            file
        });
        assert_eq!(names[0], names[1], "the name is free again");
        assert!(names[1].exists());
    }

    #[test]
    fn a_file_that_was_taken_away_is_nobody_s_and_its_name_another_s() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = [(); 2].map(|()| Drawer::new(folder.path().to_owned()));
        let file = one.claim("a", "png").unwrap();
        one.discard(&file);
        assert_eq!(other.claim("a", "png").unwrap(), file);
        drop(one);
        assert!(file.exists());
    }
}
