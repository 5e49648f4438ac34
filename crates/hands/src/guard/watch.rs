//! The guard's own process.

use std::ffi::OsString;
use std::future::poll_fn;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream as Socket;
use std::process::ExitCode;
use std::task::{Context, Poll};

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, setsid, wait};
use tokio::net::UnixStream;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, timeout};

use super::line::{Ended, Word};
use super::order::Order;
use super::{GLANCE, GRACE, LAST_WAIT, processes};

/// Each of these asks a guard to end.
const REQUESTS: fn() -> [SignalKind; 4] =
    || [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::quit()];

/// The arguments after the first: a token by which the guard is known, for others to see.
pub(super) fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    if arguments.next().is_none() {
        return ExitCode::from(2);
    }
    if guard().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn guard() -> io::Result<()> {
    // One that leads a group, started by hand, has to do with the session it is in.
    setsid().ok();
    set_child_subreaper(Some(getpid()))?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut line = Socket::from(io::stdin().as_fd().try_clone_to_owned()?);
    match Order::receive(&mut line)? {
        Some(order) => runtime.block_on(async { Watch::new(line)?.over(order).await }),
        None => Ok(()),
    }
}

struct Watch {
    line: UnixStream,
    /// The same, to speak at any time.
    voice: Socket,
    requests: [Signal; 4],
    children: Signal,
    program: Option<Pid>,
}

/// What a guard wakes up for.
enum Event {
    /// All is to end.
    Cut,
    /// Some child has ended.
    Child,
}

impl Watch {
    fn new(line: Socket) -> io::Result<Self> {
        line.set_nonblocking(true)?;
        let [terminate, interrupt, hangup, quit] = REQUESTS().map(signal);
        Ok(Self {
            voice: line.try_clone()?,
            line: UnixStream::from_std(line)?,
            requests: [terminate?, interrupt?, hangup?, quit?],
            children: signal(SignalKind::child())?,
            program: None,
        })
    }

    async fn over(mut self, order: Order) -> io::Result<()> {
        let mut command = order.program.guarded(order.stdout, order.stderr);
        self.say(Word::Ready);
        match command.spawn() {
            Ok(child) => {
                self.program = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                while let Event::Child = self.next().await
                    && self.reap() == Left::Program
                {}
                self.end_all().await;
            }
            Err(error) => self.say(Word::NotStarted(error.raw_os_error().unwrap_or_default())),
        }
        if let Some(folder) = order.rubbish {
            std::fs::remove_dir_all(folder).ok();
        }
        self.say(Word::Over);
        Ok(())
    }

    async fn next(&mut self) -> Event {
        poll_fn(|cx| {
            let is_asked = self.requests.iter_mut().any(|asked| asked.poll_recv(cx).is_ready());
            if is_asked || self.is_cut(cx) {
                return Poll::Ready(Event::Cut);
            }
            self.children.poll_recv(cx).map(|_| Event::Child)
        })
        .await
    }

    fn is_cut(&self, cx: &mut Context<'_>) -> bool {
        while self.line.poll_read_ready(cx).is_ready() {
            match self.line.try_read(&mut [0; 64]) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return true,
            }
        }
        false
    }

    /// Takes leave of every child that has ended, and tells how the program did.
    fn reap(&mut self) -> Left {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((id, status))) if Some(id) == self.program => {
                    self.program = None;
                    if let Some(ended) = Ended::of(status) {
                        self.say(Word::Ended(ended));
                    }
                }
                Ok(None) if self.program.is_some() => return Left::Program,
                Ok(None) => return Left::NotTheProgram,
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Err(_) => return Left::Nothing,
            }
        }
    }

    /// Asks all that is left to end, waits a little, and kills the rest. Whoever loses its parent
    /// becomes a child of the guard, so when there is no child, there is nobody.
    async fn end_all(&mut self) {
        let start = Instant::now();
        let own = getpid().as_raw_pid();
        let mut is_asked = false;
        while self.reap() != Left::Nothing && start.elapsed() < GRACE + LAST_WAIT {
            if start.elapsed() > GRACE {
                processes::kill(&processes::below(own));
            } else if !is_asked {
                processes::ask_to_end(&processes::below(own));
                is_asked = true;
            }
            // A signal may stand for several children.
            drop(timeout(GLANCE, self.children.recv()).await);
        }
    }

    /// A parent that is gone hears nothing.
    fn say(&self, word: Word) {
        (&self.voice).write_all(word.line().as_bytes()).ok();
    }
}

/// Who is left of a guard's children.
#[derive(PartialEq, Eq)]
enum Left {
    Program,
    NotTheProgram,
    Nothing,
}
