//! The machine below the tests: the one place that starts programs and reads the environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian keeps `initdb` and `postgres`, in a folder a version, off everybody's `PATH`.
const POSTGRES_VERSIONS: &str = "/usr/lib/postgresql";

/// A command that inherits everything, as `std` makes it.
#[expect(clippy::disallowed_methods, reason = "the one place where tests and tools make a command")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// A variable of our own environment; an empty one counts as absent.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where tests and tools read the environment"
)]
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Whether this run is the one that decides: there, a skipped test is a failed test.
pub fn in_ci() -> bool {
    variable("CI").is_some_and(|value| value == "true" || value == "1")
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The path of a program, looked for on `PATH` and then among the PostgreSQL of Debian.
pub fn find(program: &str) -> Option<PathBuf> {
    search_path().into_iter().map(|folder| folder.join(program)).find(|path| is_program(path))
}

/// The folders of `PATH`, followed by the one that holds the newest PostgreSQL of Debian.
pub fn search_path() -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    env::split_paths(&path).chain(newest_postgres()).collect()
}

fn newest_postgres() -> Option<PathBuf> {
    fs::read_dir(POSTGRES_VERSIONS)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .max()
        .map(|(_, folder)| folder)
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_path_is_found_and_a_missing_one_is_not() {
        assert!(find("sh").is_some());
        assert_eq!(find("no-such-program-anywhere"), None);
    }

    #[test]
    fn a_folder_is_not_a_program() {
        assert!(!is_program(Path::new("/tmp")));
    }
}
