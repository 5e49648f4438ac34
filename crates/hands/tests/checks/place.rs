//! A folder to run checks in. When it goes, nothing may be left of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use windlass_hands::check::{Environment, Limits, Outcome, Shell, Stop, Watch};
use windlass_hands::guard::Guard;
use windlass_testkit::machine;

pub(crate) struct Place {
    folder: TempDir,
    guard: Guard,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::with_guard(env!("CARGO_BIN_EXE_guarded-check"))
    }

    pub(crate) fn with_guard(program: impl Into<PathBuf>) -> Self {
        let folder = tempfile::Builder::new().prefix("windlass-check-").tempdir().unwrap();
        let guard = Guard::new(program, owner(folder.path()));
        Self { folder, guard }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn guard(&self) -> &Guard {
        &self.guard
    }

    pub(crate) fn shell(&self, command: &str) -> Shell {
        let path = machine::variable("PATH").unwrap_or_default();
        Shell {
            command: command.to_owned(),
            folder: self.folder().to_owned(),
            timeout: Duration::from_mins(5),
            environment: Environment::of_caller([("PATH", path)]),
            log: self.folder().join("log"),
            limits: Limits::default(),
        }
    }

    pub(crate) fn run(&self, command: &str) -> Outcome {
        self.follow(&self.shell(command))
    }

    pub(crate) fn follow(&self, shell: &Shell) -> Outcome {
        let stop = Stop::new().unwrap();
        let outcome = shell.run(&self.guard, Watch { beat: &mut |_| Duration::MAX, stop: &stop });
        assert_eq!(self.left(), 0, "{outcome:?}");
        outcome
    }

    /// How many processes of this place there are.
    pub(crate) fn left(&self) -> usize {
        marked(&owner(self.folder())).len()
    }
}

/// A name that no other place has.
pub(crate) fn owner(folder: &Path) -> String {
    folder.file_name().unwrap().to_str().unwrap().to_owned()
}

/// The numbers of the processes that carry the mark of an owner, as the kernel tells them: a way of
/// its own, since the guard's is what is tested.
pub(crate) fn marked(owner: &str) -> Vec<String> {
    let mark = format!("WINDLASS_GUARD={owner}/");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let is_marked = |id: &String| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(mark.as_bytes()))
    };
    processes
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(is_marked)
        .collect()
}
