//! The guard: a process of our own between Windlass and a program, so that nothing of the program
//! outlives either.
//!
//! It is the same binary once more (`windlass __guard`), in a session of its own. All that the program
//! starts, and leaves behind, becomes a child of the guard. When the program has ended, or when the
//! line to Windlass is cut, because Windlass wants it so or is no more, the guard ends all of them:
//! those that left the group or the session too. Should the guard itself be killed, what it guarded is
//! found by its session and by a mark in the environment.

mod guarded;
mod line;
mod processes;
mod survivors;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

pub(crate) use guarded::{Guarded, Heard};
pub use line::Ended;
pub(crate) use processes::{has_ended, kill_family};
pub use survivors::end_survivors;

use crate::process::{NotRun, Program};

/// The first argument of a guard.
const WORD: &str = "__guard";

/// The variable that marks what is guarded.
const MARK: &str = "WINDLASS_GUARD";

/// Between asking processes to end and ending them.
const GRACE: Duration = Duration::from_secs(1);

/// How long processes may take to go once they are killed; one that hangs in the kernel stays.
const LAST_WAIT: Duration = Duration::from_secs(4);

const GLANCE: Duration = Duration::from_millis(10);

/// What puts programs under guard.
#[derive(Debug, Clone)]
pub struct Guard {
    program: PathBuf,
    owner: String,
}

/// Where a program's output goes, and what goes with it.
#[derive(Debug)]
pub(crate) struct Belongings<'a> {
    pub(crate) stdout: Stdio,
    pub(crate) stderr: Stdio,
    /// A folder that is removed when all has ended, however that came.
    pub(crate) folder: Option<&'a Path>,
}

impl Guard {
    /// Under the binary `program`, whose `main` calls [`entered`] first. Whatever the owner (the id of
    /// a run, without a slash) leaves behind is found by its name: see [`end_survivors`].
    pub fn new(program: impl Into<PathBuf>, owner: impl Into<String>) -> Self {
        Self { program: program.into(), owner: owner.into() }
    }

    /// Under this program itself, also when its file was replaced meanwhile.
    pub fn of_this_program(owner: impl Into<String>) -> Self {
        Self::new("/proc/self/exe", owner)
    }

    /// Starts a program under a guard of its own.
    pub(crate) fn start(
        &self,
        program: &Program,
        belongings: Belongings<'_>,
    ) -> Result<Guarded, NotRun> {
        Guarded::start(self, program, belongings)
    }

    /// Different for every program.
    fn mark(&self) -> String {
        let mut random = [0; 8];
        // Without randomness it is still one of this owner's, at this moment.
        let _is_random = getrandom::fill(&mut random);
        format!("{}/{:016x}", self.owner, u64::from_be_bytes(random))
    }
}

/// Guards, when that is what the arguments of the process ask for, and returns when all is over.
///
/// To be called before anything else is done: a guard opens, reads and prints nothing.
pub fn entered(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    (arguments.nth(1)? == WORD).then(|| watch::run(arguments))
}
