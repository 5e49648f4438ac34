//! A program under guard, as its parent sees it.

use std::io::{self, ErrorKind, Read as _};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Instant;

use super::line::{Ended, Word};
use super::order::Order;
use super::{GLANCE, GRACE, LAST_WAIT, THIS_PROGRAM, WORD, survivors};
use crate::process::command;

/// A program that runs, with all it starts. Dropped, it is ended first.
#[derive(Debug)]
pub(crate) struct Guarded {
    guard: Child,
    line: UnixStream,
    mark: String,
    heard: Vec<u8>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Guarded,
    /// The guard has said that nothing is left.
    Over,
    /// The guard has gone without a word, or was killed since it did not answer.
    Lost,
    /// The guard is waited for, and nothing is left.
    Finished,
}

/// What the guard has told.
#[derive(Debug)]
pub(crate) enum Heard {
    Nothing,
    /// The guard is there, and starts the program next.
    Ready,
    NotStarted(io::Error),
    /// The program has ended; what it left behind is about to.
    Ended(Ended),
    /// Nothing is left, or nobody is there to tell.
    Over,
}

/// A guard that has nothing to guard yet. Dropped, it ends.
#[derive(Debug)]
pub struct Waiting {
    /// Nothing once it has its order.
    idle: Option<(Child, UnixStream)>,
    token: String,
}

impl Waiting {
    /// A guard that is this program itself, also when its file was replaced meanwhile.
    pub fn of_this_program() -> io::Result<Self> {
        Self::start(Path::new(THIS_PROGRAM))
    }

    /// It gets nothing of ours: what it guards has an environment and a folder of its own.
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let token = token();
        let (line, theirs) = UnixStream::pair()?;
        let mut command = command(program);
        command.args([WORD, &token]).env_clear().current_dir("/");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { idle: Some((command.spawn()?, line)), token })
    }

    /// Gives it something to guard for an owner.
    pub(super) fn guard(mut self, owner: &str, order: Order) -> io::Result<Guarded> {
        let Some((guard, mut line)) = self.idle.take() else {
            return Err(io::Error::other("a guard guards one program"));
        };
        let mark = format!("{owner}/{}", self.token);
        // One that has gone already will be heard of as any that goes without a word.
        let sent = order.send(&mark, &mut line);
        let is_gone = |error: &io::Error| {
            matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
        };
        match sent.and_then(|()| line.set_nonblocking(true)) {
            Err(error) if !is_gone(&error) => {
                self.idle = Some((guard, line));
                Err(error)
            }
            Ok(()) | Err(_) => {
                line.set_nonblocking(true)?;
                Ok(Guarded { guard, line, mark, heard: Vec::new(), state: State::Guarded })
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((mut guard, line)) = self.idle.take() {
            drop(line);
            guard.wait().ok();
        }
    }
}

/// Different for every guard.
fn token() -> String {
    let mut random = [0; 8];
    // Without randomness it is still one of this process, at this moment.
    let _is_random = getrandom::fill(&mut random);
    format!("{:016x}", u64::from_be_bytes(random))
}

impl Guarded {
    /// Takes the next word of the guard, if there is one. To be called again until there is none.
    pub(crate) fn hear(&mut self) -> Heard {
        if self.state != State::Guarded {
            return Heard::Over;
        }
        loop {
            if let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return self.understand(String::from_utf8_lossy(&line).trim_end());
            }
            let mut bytes = [0; 64];
            match self.line.read(&mut bytes) {
                Ok(0) => return self.lose(),
                Ok(length) => self.heard.extend(bytes.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Heard::Nothing,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return self.lose(),
            }
        }
    }

    fn understand(&mut self, line: &str) -> Heard {
        match line.parse() {
            Ok(Word::Ready) => Heard::Ready,
            Ok(Word::NotStarted(number)) => Heard::NotStarted(io::Error::from_raw_os_error(number)),
            Ok(Word::Ended(ended)) => Heard::Ended(ended),
            Ok(Word::Over) => {
                self.state = State::Over;
                Heard::Over
            }
            Err(_) => self.lose(),
        }
    }

    fn lose(&mut self) -> Heard {
        self.state = State::Lost;
        Heard::Over
    }

    /// Counts on the guard no longer: what follows is done without it.
    pub(crate) fn give_up(&mut self) {
        if self.state == State::Guarded {
            self.state = State::Lost;
        }
    }

    /// Tells the guard to end everything.
    pub(crate) fn cut(&self) {
        // One that is gone needs not be told.
        self.line.shutdown(Shutdown::Write).ok();
    }

    /// Ends everything, unless it has ended, and waits for it.
    pub(crate) fn finish(&mut self) {
        if self.state == State::Finished {
            return;
        }
        self.cut();
        let start = Instant::now();
        while !matches!(self.hear(), Heard::Over) {
            if start.elapsed() > GRACE + LAST_WAIT + GRACE {
                self.state = State::Lost;
            }
            sleep(GLANCE);
        }
        if self.state == State::Lost {
            self.guard.kill().ok();
            // As long as it is not waited for, no other process can have its number.
            let id = i32::try_from(self.guard.id()).unwrap_or_default();
            survivors::end_without_guard(id, &self.mark);
        }
        self.guard.wait().ok();
        self.state = State::Finished;
    }
}

/// Something to read there means something to [`Guarded::hear`].
impl AsFd for Guarded {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.finish();
    }
}
