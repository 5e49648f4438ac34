//! A run: one program with everything it is given, and the outcome it leaves.
//!
//! A run is a plain description, unlike [`Command`], whose settings cannot be read back: so it can
//! be repeated, held behind a barrier or put under `strace` without losing any of them.

#![expect(clippy::panic, reason = "a run that cannot start or answers wrongly ends its test")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use serde_json::Value;

use crate::machine;

/// The environment of every run; nothing else of ours gets through.
const FIXED_ENVIRONMENT: [(&str, &str); 2] = [("TZ", "UTC"), ("LANG", "C.UTF-8")];

/// One program, its arguments, its whole environment, its folder and its standard input.
#[derive(Clone, Debug)]
#[must_use = "a run does nothing until it is run"]
pub struct Run {
    program: OsString,
    args: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
    cwd: Option<PathBuf>,
    stdin: Option<Vec<u8>>,
}

impl Run {
    /// A run with an environment of `PATH`, `TZ` and `LANG` and an empty standard input.
    pub fn of(program: impl AsRef<OsStr>) -> Self {
        let path = machine::variable("PATH").map(|value| (OsString::from("PATH"), value));
        let fixed = FIXED_ENVIRONMENT.map(|(name, value)| (name.into(), value.into()));
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: fixed.into_iter().chain(path).collect(),
            cwd: None,
            stdin: None,
        }
    }

    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
        self
    }

    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.remove(name.as_ref());
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    pub fn cwd(mut self, folder: impl AsRef<Path>) -> Self {
        self.cwd = Some(folder.as_ref().to_owned());
        self
    }

    /// Points the run at a ledger: a path or a `postgres://` URL, given as `WINDLASS_DB`.
    pub fn db(self, url_or_path: impl AsRef<OsStr>) -> Self {
        self.env("WINDLASS_DB", url_or_path)
    }

    /// Runs to the end.
    #[track_caller]
    pub fn run(&self) -> Outcome {
        self.finish(self.spawn())
    }

    /// Starts with output in pipes; [`Run::finish`] or `Child`'s own methods collect it.
    #[track_caller]
    #[must_use]
    pub fn spawn(&self) -> Child {
        match self.command().spawn() {
            Ok(child) => child,
            Err(error) => panic!("cannot start {}: {error}", self.line()),
        }
    }

    /// Waits for a child that [`Run::spawn`] or a barrier started from this run.
    #[track_caller]
    pub fn finish(&self, child: Child) -> Outcome {
        match child.wait_with_output() {
            Ok(output) => Outcome::of(self.line(), output.status, &output.stdout, &output.stderr),
            Err(error) => panic!("cannot wait for {}: {error}", self.line()),
        }
    }

    /// The same as a [`Command`] with output in pipes, for tests that need raw control.
    #[track_caller]
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = machine::command(&self.program);
        command.args(&self.args).env_clear().envs(&self.env);
        command.stdin(self.input()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &self.cwd {
            command.current_dir(folder);
        }
        command
    }

    /// The same run as the last words of another program's arguments (`sh -c …`, `strace …`).
    pub(crate) fn through<A: Into<OsString>>(
        &self,
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        let own = std::iter::once(self.program.clone()).chain(self.args.iter().cloned());
        let args = args.into_iter().map(Into::into).chain(own).collect();
        Self { program: program.into(), args, ..self.clone() }
    }

    /// What is given on standard input.
    pub(crate) fn typed(&self) -> &[u8] {
        self.stdin.as_deref().unwrap_or_default()
    }

    /// A pipe, as in life; a thread fills it, since a pipe holds only so much at a time.
    fn input(&self) -> Stdio {
        let Some(bytes) = self.stdin.clone() else {
            return Stdio::null();
        };
        match io::pipe() {
            Ok((reader, mut writer)) => {
                // A program may well end without reading what it was given.
                thread::spawn(move || writer.write_all(&bytes).ok());
                Stdio::from(reader)
            }
            Err(error) => panic!("cannot make a pipe for {}: {error}", self.line()),
        }
    }

    pub(crate) fn line(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }
}

/// What a program left when it ended.
#[derive(Clone, Debug)]
#[must_use = "an outcome that nobody looks at proves nothing"]
pub struct Outcome {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    line: String,
}

impl Outcome {
    pub(crate) fn of(line: String, status: ExitStatus, stdout: &[u8], stderr: &[u8]) -> Self {
        Self {
            code: status.code(),
            signal: status.signal(),
            stdout: String::from_utf8_lossy(stdout).into_owned(),
            stderr: String::from_utf8_lossy(stderr).into_owned(),
            line,
        }
    }

    /// The outcome itself, once it is known to be a success.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "expected success\n{self}");
        self
    }

    /// The one JSON document on standard output.
    #[track_caller]
    #[must_use]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(document) => document,
            Err(error) => panic!("standard output is not one JSON document: {error}\n{self}"),
        }
    }

    /// The document of a refusal, once its code and the exit code are known to be the given ones.
    #[track_caller]
    #[must_use]
    pub fn refused(&self, code: &str, exit: i32) -> Value {
        assert_eq!(self.code, Some(exit), "expected exit code {exit} for {code}\n{self}");
        let document = self.json();
        let found = document.pointer("/error/code").and_then(Value::as_str);
        assert_eq!(found, Some(code), "expected another error code\n{self}");
        document
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, signal, stdout, stderr, line } = self;
        writeln!(f, "$ {line}")?;
        writeln!(f, "exit code {code:?}, signal {signal:?}")?;
        write!(f, "--- stdout\n{stdout}\n--- stderr\n{stderr}\n---")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Run {
        Run::of("/bin/sh").args(["-c", script])
    }

    #[test]
    fn the_environment_is_cleared_but_for_the_path_the_zone_and_the_language() {
        let outcome = Run::of("env").env("OWN", "yes").run().ok();
        let mut names: Vec<_> =
            outcome.stdout.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["LANG", "OWN", "PATH", "TZ"]);
    }

    #[test]
    fn code_signal_and_both_outputs_are_kept() {
        let outcome = shell("echo out; echo err >&2; exit 7").run();
        assert_eq!((outcome.code, outcome.signal), (Some(7), None));
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(shell("kill -KILL $$").run().signal, Some(9));
    }

    #[test]
    fn standard_input_may_be_larger_than_a_pipe_and_may_be_left_unread() {
        let megabyte = vec![b'x'; 1 << 20];
        assert_eq!(shell("wc -c").stdin(megabyte.clone()).run().ok().stdout.trim(), "1048576");
        assert_eq!(shell("true").stdin(megabyte).run().code, Some(0));
        assert_eq!(shell("wc -c").run().ok().stdout.trim(), "0");
    }

    #[test]
    fn a_refusal_is_told_by_its_code_and_exit() {
        let outcome = shell(r#"echo '{"ok":false,"error":{"code":"stale_claim"}}'; exit 3"#).run();
        assert_eq!(outcome.refused("stale_claim", 3)["ok"], false);
    }

    #[test]
    #[should_panic(expected = "not one JSON document")]
    fn two_documents_are_not_one() {
        let _two = shell("echo '{}{}'").run().json();
    }

    #[test]
    #[should_panic(expected = "--- stderr\nthe reason")]
    fn a_failure_shows_what_the_program_said() {
        let _never = shell("echo the reason >&2; exit 1").run().ok();
    }
}
