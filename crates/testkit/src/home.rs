//! A hermetic home to run the binary in: nothing of the developer's gets in, nothing stays behind.

#![expect(clippy::panic, reason = "a home that cannot be made ends its test")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::machine;
use crate::run::Run;

/// A temporary home folder with a `work` folder in it, where the binary is run.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
}

impl Home {
    #[track_caller]
    #[expect(clippy::new_without_default, reason = "making a folder is no default value")]
    pub fn new() -> Self {
        let made = tempfile::Builder::new().prefix("windlass-home-").tempdir();
        let folder = match made {
            Ok(folder) => folder,
            Err(error) => panic!("cannot make a home: {error}"),
        };
        let home = Self { folder };
        for part in [home.config(), home.data(), home.work()] {
            if let Err(error) = fs::create_dir_all(&part) {
                panic!("cannot make {}: {error}", part.display());
            }
        }
        home
    }

    /// The folder that `HOME` names.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder that `XDG_CONFIG_HOME` names.
    pub fn config(&self) -> PathBuf {
        self.path().join(".config")
    }

    /// The folder that `XDG_DATA_HOME` names.
    pub fn data(&self) -> PathBuf {
        self.path().join(".local/share")
    }

    /// The folder that runs start in.
    pub fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    /// A run of the binary under test.
    #[track_caller]
    pub fn windlass(&self, args: &[&str]) -> Run {
        self.program(binary()).args(args)
    }

    /// A run of another program (`git`, `sh`) in the same home.
    pub fn program(&self, program: impl AsRef<Path>) -> Run {
        Run::of(program.as_ref())
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.config())
            .env("XDG_DATA_HOME", self.data())
            .cwd(self.work())
    }
}

/// The binary under test: `WINDLASS_BIN`, or the release build of this workspace.
#[track_caller]
pub fn binary() -> PathBuf {
    let path = machine::variable("WINDLASS_BIN")
        .map_or_else(|| target_folder().join("release/windlass"), PathBuf::from);
    assert!(
        path.is_file(),
        "{} does not exist: run `cargo xtask test` or `cargo build --release -p windlass`",
        path.display()
    );
    path
}

/// The folder this test was itself built in, which cargo marks with a `CACHEDIR.TAG`.
fn target_folder() -> PathBuf {
    let own = env::current_exe().unwrap_or_default();
    let marked = own.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    marked.map_or(usual, Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_sees_only_its_own_home() {
        let home = Home::new();
        let script = r#"echo "$HOME|$XDG_CONFIG_HOME|$XDG_DATA_HOME|$PWD""#;
        let outcome = home.program("/bin/sh").args(["-c", script]).run().ok();
        let path = home.path().display();
        let expected = format!("{path}|{path}/.config|{path}/.local/share|{path}/work\n");
        assert_eq!(outcome.stdout, expected);
    }

    #[test]
    fn a_home_leaves_nothing_behind() {
        let home = Home::new();
        let path = home.path().to_owned();
        fs::write(home.work().join("file"), "x").unwrap();
        drop(home);
        assert!(!path.exists());
    }

    #[test]
    fn the_target_folder_is_the_one_this_test_was_built_in() {
        assert!(env::current_exe().unwrap().starts_with(target_folder()));
    }
}
