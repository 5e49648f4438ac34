//! The guard: a process of our own between Windlass and a program, so that nothing of the program
//! outlives either.
//!
//! It is the same binary once more (`windlass __guard`), in a session of its own, and is told over a
//! line what to start; so it can be there before that is known. All that the program
//! starts, and leaves behind, becomes a child of the guard. When the program has ended, or when the
//! line to Windlass is cut, because Windlass wants it so or is no more, the guard ends all of them:
//! those that left the group or the session too. Should the guard itself be killed, what it guarded is
//! found by its session and by a mark in the environment.

mod guarded;
mod line;
mod order;
mod processes;
mod survivors;
mod watch;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use guarded::Waiting;
pub(crate) use guarded::{Guarded, Heard};
pub use line::Ended;
pub(crate) use processes::{has_ended, kill_family};
pub use survivors::end_survivors;

use crate::process::{NotRun, Program};
use order::Order;

/// The first argument of a guard.
const WORD: &str = "__guard";

/// The variable that marks what is guarded.
const MARK: &str = "WINDLASS_GUARD";

/// Between asking processes to end and ending them.
const GRACE: Duration = Duration::from_secs(1);

/// How long processes may take to go once they are killed; one that hangs in the kernel stays.
const LAST_WAIT: Duration = Duration::from_secs(4);

const GLANCE: Duration = Duration::from_millis(10);

/// This program, also when its file was replaced meanwhile.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// What puts programs under guard.
#[derive(Debug)]
pub struct Guard {
    program: PathBuf,
    owner: String,
    /// For the first program.
    waiting: Mutex<Option<Waiting>>,
}

/// Where a program's output goes, and what goes with it.
#[derive(Debug)]
pub(crate) struct Belongings<'a> {
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    /// A folder that is removed when all has ended, however that came.
    pub(crate) folder: Option<&'a Path>,
}

impl Guard {
    /// Under the binary `program`, whose `main` calls [`entered`] first. Whatever the owner (the id of
    /// a run, without a slash) leaves behind is found by its name: see [`end_survivors`].
    pub fn new(program: impl Into<PathBuf>, owner: impl Into<String>) -> Self {
        let (program, owner) = (program.into(), owner.into());
        Self { program, owner, waiting: Mutex::new(None) }
    }

    /// Under this program itself. A guard that waits already guards the first program.
    pub fn of_this_program(owner: impl Into<String>, waiting: Option<Waiting>) -> Self {
        Self { waiting: Mutex::new(waiting), ..Self::new(THIS_PROGRAM, owner) }
    }

    /// Starts a program under a guard of its own.
    pub(crate) fn start(
        &self,
        program: &Program,
        belongings: Belongings<'_>,
    ) -> Result<Guarded, NotRun> {
        // A folder that is gone would look like a program that is.
        let folder = program.folder();
        if !folder.is_dir() {
            let missing = format!("the folder {} is not there", folder.display());
            return Err(program.not_run(io::Error::new(io::ErrorKind::NotFound, missing)));
        }
        let Belongings { stdout, stderr, folder } = belongings;
        let rubbish = folder.map(Path::to_owned);
        let order = Order { program: program.clone(), stdout, stderr, rubbish };
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let waiting = waiting.map_or_else(|| Waiting::start(&self.program), Ok);
        let guarded = waiting.and_then(|waiting| waiting.guard(&self.owner, order));
        guarded.map_err(|error| program.not_run(error))
    }
}

/// Guards, when that is what the arguments of the process ask for, and returns when all is over.
///
/// To be called before anything else is done: a guard opens, reads and prints nothing.
pub fn entered(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    (arguments.nth(1)? == WORD).then(|| watch::run(arguments))
}
