//! Programs: the one place of the product that starts them.
//!
//! A [`Program`] gets what it is given and nothing else: no variable, no folder and no input of
//! ours. It stays in our process group, so what interrupts us at the terminal interrupts it too,
//! unless it is a hook's, which gets a group of its own that can be ended as a whole.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::RwLock;
use std::thread;

use crate::guard::has_ended;

/// Whether no process of this machine lives under that number. One that has ended and that its parent
/// does not reap is gone; one that we may not ask is there.
pub fn is_gone(number: i32) -> bool {
    let process = rustix::process::Pid::from_raw(number);
    process.is_some_and(|process| {
        rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
            || has_ended(number)
    })
}

/// One program with its arguments, its whole environment and the folder it runs in.
#[derive(Clone)]
#[must_use = "a program does nothing until it is run"]
pub struct Program {
    path: PathBuf,
    folder: PathBuf,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
}

/// The environment may hold secrets: only the names of variables are shown.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, folder, arguments, variables } = self;
        let names: Vec<_> = variables.iter().map(|(name, _)| name).collect();
        f.debug_struct("Program")
            .field("path", path)
            .field("folder", folder)
            .field("arguments", arguments)
            .field("variables", &names)
            .finish()
    }
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Nothing when a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A program could not be run.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {}", program.display())]
pub struct NotRun {
    program: PathBuf,
    source: io::Error,
}

impl Program {
    pub fn new(path: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            folder: folder.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
        }
    }

    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub fn arguments(self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        arguments.into_iter().fold(self, Self::argument)
    }

    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Runs it to its end.
    pub fn run(&self) -> Result<Ended, NotRun> {
        match self.command().output() {
            Ok(Output { status, stdout, stderr }) => Ok(Ended {
                code: status.code(),
                stdout: String::from_utf8_lossy(&stdout).into_owned(),
                stderr: String::from_utf8_lossy(&stderr).into_owned(),
            }),
            Err(source) => Err(self.not_run(source)),
        }
    }

    fn command(&self) -> Command {
        let mut command = command(&self.path);
        command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null());
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// To be started with its output in pipes.
    pub(crate) fn piped(&self) -> Command {
        let mut command = self.command();
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// To be started in a process group of its own, with a pipe as its input and its output dropped.
    pub(crate) fn in_its_own_group(&self) -> Command {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0);
        command
    }

    /// To be started by a guard: in a group of its own, so that a program that signals its group does
    /// not mean its guard.
    pub(crate) fn guarded(&self, stdout: OwnedFd, stderr: OwnedFd) -> Command {
        let mut command = self.command();
        command.stdout(stdout).stderr(stderr).process_group(0);
        command
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its arguments.
    pub(crate) fn words(&self) -> &[OsString] {
        &self.arguments
    }

    pub(crate) fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn not_run(&self, source: io::Error) -> NotRun {
        NotRun { program: self.path.clone(), source }
    }
}

/// A program at the same terminal and in the same world as ourselves.
pub(crate) fn at_the_terminal(path: &str) -> Command {
    command(Path::new(path))
}

#[expect(clippy::disallowed_methods, reason = "the one place where the product starts a program")]
pub(crate) fn command(path: &Path) -> Command {
    Command::new(path)
}

impl NotRun {
    pub(crate) fn new(program: &str, source: io::Error) -> Self {
        Self { program: PathBuf::from(program), source }
    }
}

/// Runs all of them to their ends, started at the same moment; the answers are in their order.
pub fn run_together(programs: &[Program]) -> Result<Vec<Ended>, NotRun> {
    let gate = RwLock::new(());
    thread::scope(|scope| {
        let closed = gate.write();
        let mut runners = Vec::with_capacity(programs.len());
        for program in programs {
            let at_the_gate = || {
                drop(gate.read());
                program.run()
            };
            let runner = thread::Builder::new().spawn_scoped(scope, at_the_gate);
            runners.push((program, runner.map_err(|source| program.not_run(source))?));
        }
        drop(closed);
        let ended = runners.into_iter().map(|(program, runner)| {
            runner.join().unwrap_or_else(|_| Err(program.not_run(io::Error::other("it panicked"))))
        });
        ended.collect()
    })
}

#[cfg(test)]
mod tests {
    use windlass_testkit::wait;

    use super::*;

    fn shell(script: &str) -> Program {
        Program::new("/bin/sh", "/").arguments(["-c", script])
    }

    #[test]
    fn a_program_gets_only_the_variables_it_is_given() {
        let ended = Program::new("/usr/bin/env", "/").variable("OWN", "mine").run().unwrap();
        assert_eq!(ended.stdout, "OWN=mine\n");
    }

    #[test]
    fn a_program_has_no_input_and_runs_in_its_folder() {
        let ended = shell("cat; pwd").run().unwrap();
        assert_eq!(ended.stdout, "/\n");
    }

    #[test]
    fn how_it_ended_and_what_it_said_is_kept() {
        let ended = shell("echo out; echo err >&2; exit 7").run().unwrap();
        let expected =
            Ended { code: Some(7), stdout: "out\n".to_owned(), stderr: "err\n".to_owned() };
        assert_eq!(ended, expected);
    }

    #[test]
    fn a_program_that_a_signal_ended_has_no_code() {
        assert_eq!(shell("kill -KILL $$").run().unwrap().code, None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let not_run = Program::new("/no/such/program", "/").run().unwrap_err();
        assert_eq!(not_run.to_string(), "cannot run /no/such/program");
    }

    #[test]
    fn a_process_that_nobody_reaps_is_gone_once_it_has_ended() {
        let mut child = shell("read line").piped().stdin(Stdio::piped()).spawn().unwrap();
        let number = i32::try_from(child.id()).unwrap();
        assert!(!is_gone(number));
        drop(child.stdin.take());
        wait::until("it has ended", || is_gone(number));
        child.wait().unwrap();
    }

    #[test]
    fn programs_that_run_together_run_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display();
        let made = shell(&format!("/usr/bin/mkfifo {path}/a {path}/b")).run().unwrap();
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        // Each waits for the other: one after the other, neither would ever come to an end.
        let left = shell(&format!("echo left >{path}/a; read line <{path}/b; echo $line"));
        let right = shell(&format!("read line <{path}/a; echo right >{path}/b; echo $line"));
        let ended = run_together(&[left, right]).unwrap();
        let said: Vec<&str> = ended.iter().map(|ended| ended.stdout.trim()).collect();
        assert_eq!(said, ["right", "left"]);
    }
}
