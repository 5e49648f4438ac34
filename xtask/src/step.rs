//! A step: one program, run in the workspace, that must succeed for the command to go on.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Output, Stdio};

use serde_json::Value;
use windlass_testkit::{machine, postgres};

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(&'static str),
    #[error("cannot start {0}")]
    Start(String, #[source] io::Error),
    #[error("{0}: {1}")]
    Status(String, ExitStatus),
    #[error("cannot understand what `{0}` printed: {1}")]
    Output(String, String),
    #[error("cannot write {}", .0.display())]
    Write(PathBuf, #[source] io::Error),
    #[error("no server for the tests")]
    Postgres(#[from] postgres::Error),
    #[error("{0} is missing, and there is no apt-get to install it")]
    NotInstalled(String),
    #[error("the dependencies break a rule:\n{}", .0.join("\n"))]
    Hygiene(Vec<String>),
    #[error("fuzzing found something in: {}", .0.join(", "))]
    Fuzz(Vec<String>),
}

impl Failure {
    /// That of the program that failed, so that a caller sees what `nextest` said.
    pub(crate) fn exit_code(&self) -> ExitCode {
        let code = match self {
            Self::Usage(_) => Some(2),
            Self::Status(_, status) => status.code().and_then(|code| u8::try_from(code).ok()),
            Self::Start(..)
            | Self::Output(..)
            | Self::Write(..)
            | Self::Postgres(_)
            | Self::NotInstalled(_)
            | Self::Hygiene(_)
            | Self::Fuzz(_) => None,
        };
        code.map_or(ExitCode::FAILURE, ExitCode::from)
    }
}

/// A line for the person who waits.
#[expect(
    clippy::print_stderr,
    reason = "a tool of the terminal, and the one place where it speaks"
)]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// The cargo that runs us.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = machine::command(machine::variable("CARGO").unwrap_or("cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Shows the step and runs it to its end.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let line = line(command);
    say(&format!("$ {line}"));
    let status = command.status().map_err(|error| Failure::Start(line.clone(), error))?;
    if status.success() { Ok(()) } else { Err(Failure::Status(line, status)) }
}

/// Whether the step succeeds; nothing of it is shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// What `cargo metadata` says, with these arguments besides.
pub(crate) fn metadata(args: &[&str]) -> Result<Value, Failure> {
    let mut command = cargo(&["metadata", "--format-version=1"]);
    command.args(args).stderr(Stdio::inherit());
    let line = line(&command);
    let Output { status, stdout, .. } =
        command.output().map_err(|error| Failure::Start(line.clone(), error))?;
    if !status.success() {
        return Err(Failure::Status(line, status));
    }
    serde_json::from_slice(&stdout).map_err(|error| Failure::Output(line, error.to_string()))
}

/// Where cargo builds, and where we may keep what can be had again.
pub(crate) fn target_folder() -> Result<PathBuf, Failure> {
    let metadata = metadata(&["--no-deps"])?;
    let folder = metadata.get("target_directory").and_then(Value::as_str);
    let missing = || Failure::Output("cargo metadata".into(), "no target_directory".into());
    folder.map(PathBuf::from).ok_or_else(missing)
}

fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().map(OsString::from);
    let words = program.into_iter().chain(command.get_args().map(OsString::from));
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
