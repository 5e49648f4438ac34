//! A program under guard, as its parent sees it.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read as _};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::thread::sleep;
use std::time::Instant;

use super::line::{Ended, Word};
use super::{Belongings, GLANCE, GRACE, Guard, LAST_WAIT, MARK, WORD, survivors};
use crate::process::{NotRun, Program};

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

impl Guarded {
    pub(super) fn start(
        guard: &Guard,
        program: &Program,
        belongings: Belongings<'_>,
    ) -> Result<Self, NotRun> {
        // A folder that is gone would look like a program that is.
        let folder = program.folder();
        if !folder.is_dir() {
            let missing = format!("the folder {} is not there", folder.display());
            return Err(program.not_run(io::Error::new(ErrorKind::NotFound, missing)));
        }
        let (mark, Belongings { stdout, stderr, folder }) = (guard.mark(), belongings);
        let not_run = |error| program.not_run(error);
        let (line, theirs) = UnixStream::pair().map_err(not_run)?;
        line.set_nonblocking(true).map_err(not_run)?;
        let rubbish = folder.map(|folder| folder.as_os_str().to_owned()).unwrap_or_default();
        let words = [OsString::from(WORD), OsString::from(&mark), rubbish];
        let mut command = program.through(&guard.program, words);
        command.env(MARK, &mark).stdin(OwnedFd::from(theirs)).stdout(stdout).stderr(stderr);
        let guard = command.spawn().map_err(not_run)?;
        Ok(Self { guard, line, mark, heard: Vec::new(), state: State::Guarded })
    }

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
