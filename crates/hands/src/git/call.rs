//! One call of git: its environment, its arguments, what it answers, and the end of its time.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{Git, NotDone};
use crate::check::Environment;
use crate::guard::kill_family;
use crate::process::{NotRun, Program};

/// Of git's own variables only those that say who somebody is, how others are reached, and where
/// the person keeps settings. All others would lead git elsewhere.
const KEPT: [&str; 15] = [
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
];

/// Nobody is asked, nothing is shown page by page, and git's words are those that we know.
const FIXED: [(&str, &str); 8] = [
    ("GIT_ASKPASS", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("SSH_ASKPASS", "true"),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// How long the pipes of a git that has ended are read: a hook may have left somebody behind who
/// holds them open.
const DRAINING: Duration = Duration::from_secs(1);

/// Of a long speech only the end is kept.
const SAID_BYTES: usize = 4_000;

/// The environment of git.
pub(super) fn variables(environment: &Environment) -> Vec<(OsString, OsString)> {
    let is_passed_on = |name: &OsStr| {
        let name = name.to_string_lossy();
        let is_fixed = FIXED.iter().any(|(fixed, _)| *fixed == name);
        !is_fixed && (!name.starts_with("GIT_") || KEPT.contains(&&*name))
    };
    let of_caller = environment.iter().filter(|(name, _)| is_passed_on(name));
    let of_caller = of_caller.map(|(name, value)| (name.clone(), value.clone()));
    let fixed = FIXED.into_iter().map(|(name, value)| (name.into(), value.into()));
    of_caller.chain(fixed).collect()
}

/// Whether a call may change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Look,
    Change,
    /// A change at which no hook is called: it takes back what we did.
    TakeBack,
}

/// What git answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) command: String,
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Git {
    /// Looks at something.
    pub(super) fn look<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Answer, NotDone> {
        self.call(Kind::Look, arguments)
    }

    /// Changes something; anything but success is an error.
    pub(super) fn change<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<(), NotDone> {
        self.call(Kind::Change, arguments)?.done().map(drop)
    }

    /// The same without hooks.
    pub(super) fn take_back<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<(), NotDone> {
        self.call(Kind::TakeBack, arguments)?.done().map(drop)
    }

    /// Runs the client of a forge in the same way.
    pub(super) fn ask_forge<A: AsRef<OsStr>>(
        &self,
        client: &str,
        arguments: &[A],
    ) -> Result<Answer, NotDone> {
        self.run(client, Program::new(client, &self.folder), arguments)
    }

    fn call<A: AsRef<OsStr>>(&self, kind: Kind, arguments: &[A]) -> Result<Answer, NotDone> {
        let program = Program::new("git", &self.folder).argument("--no-pager");
        let program = match kind {
            Kind::Look => program.variable("GIT_OPTIONAL_LOCKS", "0"),
            Kind::Change => program,
            Kind::TakeBack => program.arguments(["-c", "core.hooksPath=/dev/null"]),
        };
        self.run("git", program, arguments)
    }

    fn run<A: AsRef<OsStr>>(
        &self,
        name: &str,
        mut program: Program,
        arguments: &[A],
    ) -> Result<Answer, NotDone> {
        let command = format!("{name} {}", named(arguments));
        for (name, value) in &self.variables {
            program = program.variable(name, value);
        }
        program = program.arguments(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        let child = program.piped().spawn().map_err(|error| self.not_run(name, error))?;
        let mut listening = Listening::new(child, self.limit);
        let ended = listening.hear_all().map_err(|error| self.not_run(name, error))?;
        let [stdout, stderr] = listening.outputs.map(|output| output.heard);
        match ended {
            Some(status) => Ok(Answer { command, code: status.code(), stdout, stderr }),
            None => Err(NotDone::TookTooLong { command, limit: self.limit }),
        }
    }

    /// A folder that is gone would look like a program that is.
    fn not_run(&self, program: &str, error: io::Error) -> NotDone {
        match self.folder.is_dir() {
            true => NotDone::NotRun(NotRun::new(program, error)),
            false => NotDone::NoFolder { folder: self.folder.clone() },
        }
    }
}

/// The command and what follows it, as long as it is a word that people know.
fn named<A: AsRef<OsStr>>(arguments: &[A]) -> String {
    let words = arguments.iter().map(|argument| argument.as_ref().to_string_lossy());
    let plain =
        |word: &str| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
    let groups = ["worktree", "stash", "pr"];
    let mut named: Vec<String> = Vec::new();
    for word in words.map(Cow::into_owned) {
        let is_second = named.first().is_some_and(|first| groups.contains(&first.as_str()));
        if !plain(&word) || named.len() == 2 || !(named.is_empty() || is_second) {
            break;
        }
        named.push(word);
    }
    named.join(" ")
}

impl Answer {
    /// The answer itself, once it is known that git did what it was asked.
    pub(super) fn done(self) -> Result<Self, NotDone> {
        if self.code == Some(0) { Ok(self) } else { Err(self.refused()) }
    }

    pub(super) fn refused(self) -> NotDone {
        let Self { command, code, .. } = &self;
        NotDone::Refused { command: command.clone(), code: *code, said: self.said() }
    }

    /// What it said to people, which is on either output.
    pub(super) fn said(&self) -> String {
        let both = [&self.stderr, &self.stdout].map(|bytes| {
            let from = bytes.len().saturating_sub(SAID_BYTES);
            String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()).trim().to_owned()
        });
        let [stderr, stdout] = &both;
        match (stderr.as_str(), stdout.as_str()) {
            ("", "") => match self.code {
                Some(code) => format!("exit code {code}"),
                None => "a signal ended it".to_owned(),
            },
            ("", only) | (only, _) => plain(only),
        }
    }

    /// The one line of an answer.
    pub(super) fn line(&self) -> OsString {
        let line = self.stdout.strip_suffix(b"\n").unwrap_or(&self.stdout);
        OsStr::from_bytes(line).to_owned()
    }

    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(self.line())
    }

    /// The one line, as text.
    pub(super) fn text(&self) -> Result<String, NotDone> {
        String::from_utf8(self.line().into_vec()).map_err(|_| self.odd())
    }

    pub(super) fn odd(&self) -> NotDone {
        let answer = String::from_utf8_lossy(&self.stdout).trim().to_owned();
        NotDone::Odd { command: self.command.clone(), answer }
    }
}

/// Without what a terminal would obey.
fn plain(said: &str) -> String {
    said.chars().filter(|letter| !letter.is_control() || *letter == '\n').collect()
}

/// A git that runs, its outputs, and when its time is over.
struct Listening {
    child: Child,
    until: Instant,
    ended: Option<ExitStatus>,
    outputs: [Output; 2],
}

struct Output {
    pipe: Option<PipeReader>,
    heard: Vec<u8>,
}

impl Listening {
    fn new(mut child: Child, limit: Duration) -> Self {
        let now = Instant::now();
        let until = now.checked_add(limit).unwrap_or(now + Duration::from_hours(24));
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        let outputs = [stdout, stderr]
            .map(|pipe| Output { pipe: pipe.map(PipeReader::from), heard: Vec::new() });
        Self { child, until, ended: None, outputs }
    }

    /// Hears all it says, and how it ended; nothing when its time was over before.
    fn hear_all(&mut self) -> io::Result<Option<ExitStatus>> {
        let process = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let process = process.ok_or_else(|| io::Error::other("a process without a number"))?;
        let ending = pidfd_open(process, PidfdFlags::empty())?;
        while self.ended.is_none() || self.outputs.iter().any(|output| output.pipe.is_some()) {
            let pipes = self.outputs.iter().filter_map(|output| output.pipe.as_ref());
            let ends = self.ended.is_none().then(|| ending.as_fd());
            let mut waited: Vec<PollFd<'_>> = pipes
                .map(PipeReader::as_fd)
                .chain(ends)
                .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
                .collect();
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            match poll(&mut waited, Some(&timespec(left))) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready: Vec<bool> = waited.iter().map(|fd| !fd.revents().is_empty()).collect();
            self.hear(&ready)?;
        }
        if self.ended.is_none() {
            kill_family(&mut self.child);
        }
        Ok(self.ended)
    }

    fn hear(&mut self, ready: &[bool]) -> io::Result<()> {
        let mut ready = ready.iter();
        for output in &mut self.outputs {
            if output.pipe.is_some() && ready.next() == Some(&true) {
                output.hear()?;
            }
        }
        if self.ended.is_none() && ready.next() == Some(&true) {
            self.ended = self.child.try_wait()?;
            self.until = self.until.min(Instant::now() + DRAINING);
        }
        Ok(())
    }
}

impl Output {
    fn hear(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        let mut piece = [0; 16 * 1024];
        match pipe.read(&mut piece) {
            Ok(0) => self.pipe = None,
            Ok(length) => self.heard.extend(piece.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn timespec(pause: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(pause.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: pause.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sees(name: &str, value: &str) -> bool {
        let environment = Environment::of_caller([(name, value)]);
        variables(&environment).contains(&(name.into(), value.into()))
    }

    #[test]
    fn what_would_lead_git_elsewhere_is_not_passed_on() {
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_TRACE"]
        {
            assert!(!sees(name, "x"), "{name}");
        }
        assert!(!sees("LC_ALL", "de_DE.UTF-8"));
    }

    #[test]
    fn who_somebody_is_and_where_programs_are_is_passed_on() {
        for name in ["PATH", "HOME", "SSH_AUTH_SOCK", "GIT_AUTHOR_EMAIL", "GIT_SSH_COMMAND"] {
            assert!(sees(name, "x"), "{name}");
        }
    }

    #[test]
    fn a_command_is_named_by_its_first_words() {
        assert_eq!(named(&["worktree", "add", "-b", "x"]), "worktree add");
        assert_eq!(named(&["switch", "main"]), "switch");
        assert_eq!(named(&["rev-parse", "--verify"]), "rev-parse");
    }

    #[test]
    fn a_git_that_hangs_is_ended_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment::of_caller([("PATH", "/usr/bin:/bin")]);
        let git = Git::new(folder.path(), &environment).within(Duration::from_millis(200));
        let hangs = git.look(&["-c", "alias.hang=!exec sleep 600", "hang"]).unwrap_err();
        assert!(matches!(hangs, NotDone::TookTooLong { .. }), "{hangs:?}");
    }

    #[test]
    fn a_folder_that_is_gone_is_not_taken_for_a_git_that_is() {
        let git = Git::new("/nowhere", &Environment::of_caller([("PATH", "/usr/bin:/bin")]));
        let gone = git.look(&["version"]).unwrap_err();
        assert_eq!(gone.in_words(), "the folder /nowhere is not there");
    }

    #[test]
    fn a_git_that_is_not_there_is_told() {
        let git = Git::new("/", &Environment::of_caller([("PATH", "/nowhere")]));
        let missing = git.look(&["version"]).unwrap_err();
        assert_eq!(missing.in_words(), "cannot run git: no such file or directory");
    }
}
