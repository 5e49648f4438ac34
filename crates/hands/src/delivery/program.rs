//! A message to a program: on its standard input, and its exit code is the answer.
//!
//! It has the environment of whoever sends, and knows which message it got. What it writes goes
//! nowhere, so it can neither block nor fill anything with it.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::{Message, Outcome, Variables, reason};
use crate::process::Program;

/// Between asking a program to end and ending it.
const GRACE: Duration = Duration::from_secs(1);
const GLANCE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Run {
    name: String,
    program: Program,
    body: String,
}

/// The name of a program, and what it gets with every message.
pub(super) fn prepared(
    argv: &[String],
    variables: &Variables,
) -> Result<(String, Program), String> {
    let [name, arguments @ ..] = argv else {
        return Err("the command names no program".to_owned());
    };
    let home = variables.get("HOME").filter(|home| Path::new(home).is_dir());
    let mut program = Program::new(name, home.map_or("/", String::as_str)).arguments(arguments);
    // A hook may lead to another: what was said of the first does not pass for the second.
    let theirs = variables.iter().filter(|(name, _)| !name.starts_with("WINDLASS_HOOK_"));
    for (variable, value) in theirs {
        program = program.variable(variable, value);
    }
    Ok((name.to_owned(), program))
}

impl Run {
    pub(super) fn new(
        name: String,
        mut program: Program,
        message: Message,
        signature: Option<String>,
    ) -> Self {
        program = program
            .variable("WINDLASS_HOOK_ID", message.id)
            .variable("WINDLASS_HOOK_TIMESTAMP", message.timestamp.to_string());
        if let Some(signature) = signature {
            program = program.variable("WINDLASS_HOOK_SIGNATURE", signature);
        }
        Self { name, program, body: message.body }
    }

    pub(super) async fn finish(self, limit: Duration) -> Outcome {
        let mut command = Command::from(self.program.in_its_own_group());
        let mut child = match command.kill_on_drop(true).spawn() {
            Ok(child) => child,
            Err(error) => {
                return Outcome::failed(format!("cannot run {}: {}", self.name, why(&error)));
            }
        };
        let mut group = Group::of(&child);
        let feeding = feed(&mut child, self.body);
        let ended = timeout(limit, child.wait()).await;
        feeding.abort();
        if let Ok(ended) = ended {
            group.leave();
            return ended.map_or_else(|error| Outcome::failed(why(&error)), outcome);
        }
        group.end(&mut child).await;
        Outcome::failed(format!("timed out after {limit:?}"))
    }
}

/// Gives it the message for as long as it listens: whether it does is its own affair.
fn feed(child: &mut Child, body: String) -> JoinHandle<()> {
    let input = child.stdin.take();
    tokio::spawn(async move {
        if let Some(mut input) = input {
            input.write_all(body.as_bytes()).await.ok();
        }
    })
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "not found".to_owned(),
        io::ErrorKind::PermissionDenied => "not executable".to_owned(),
        _ => reason::root_cause(error),
    }
}

fn outcome(ended: ExitStatus) -> Outcome {
    match (ended.code(), ended.signal()) {
        (Some(0), _) => Outcome::Delivered { status: None },
        (Some(code), _) => Outcome::failed(format!("ended with code {code}")),
        (None, Some(signal)) => Outcome::failed(format!("ended by signal {signal}")),
        (None, None) => Outcome::failed("ended in an unknown way"),
    }
}

/// The process group of a program. Dropped before its end, it is killed: nothing is left behind when
/// a courier goes away.
#[derive(Debug)]
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }

    /// What the program left running on purpose may go on.
    fn leave(&mut self) {
        self.0 = None;
    }

    /// Asks all of it to end, waits a little, and kills what is left.
    async fn end(&mut self, child: &mut Child) {
        self.signal(Signal::TERM);
        let gone = async {
            // Until it is waited for, the program counts as a member of the group.
            drop(child.wait().await);
            while self.is_there() {
                sleep(GLANCE).await;
            }
        };
        if timeout(GRACE, gone).await.is_err() {
            self.signal(Signal::KILL);
            drop(child.wait().await);
        }
        self.leave();
    }

    fn is_there(&self) -> bool {
        self.0.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    /// One that is gone already has nothing to hear.
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.0 {
            kill_process_group(group, signal).ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}
