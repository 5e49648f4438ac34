//! The log as a stream: page after page, and with `--follow` every new event as it comes.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use windlass_domain::{Code, Exit};
use windlass_ledger::Error;
use windlass_ops::Context;
use windlass_ops::events::Events;
use windlass_ops::settings::Format;
use windlass_ops::table::{Answer, Request};

use crate::report;
use crate::terminal::{Reader, Terminal};

/// How long to wait for the next event before looking whether anybody still reads.
const WATCH: Duration = Duration::from_secs(1);

/// Writes the events that were asked for, and ends when there are no more to come.
pub(crate) fn stream(
    terminal: &Terminal,
    mut events: Events,
    cx: &mut Context,
) -> std::io::Result<Exit> {
    let has_limit = events.limit.is_some();
    let mut has_written = false;
    let mut patience = Patience::Untried;
    loop {
        let answer = match Request::run(&events, cx) {
            Ok(answer) => answer,
            Err(error) if events.follow && patience.holds(terminal, &error) => match is_heard() {
                true => continue,
                false => return Ok(Exit::Done),
            },
            Err(error) => return report::error(terminal, error),
        };
        patience = Patience::Ready;
        let Some(lines) = answer.lines() else {
            return Ok(Exit::Done);
        };
        if !lines.documents.is_empty() {
            let text = match terminal.format() {
                Format::Json => lines.documents.join("\n"),
                Format::Text if has_written => without_names(&page(terminal, &*answer, cx)),
                Format::Text => page(terminal, &*answer, cx),
            };
            has_written = true;
            if terminal.out(&text)? == Reader::Gone {
                return Ok(Exit::Done);
            }
        }
        events.from = Some(lines.next);
        match (events.follow, lines.has_more) {
            (true, true) => {}
            (false, true) if !has_limit => {}
            (false, _) => return Ok(Exit::Done),
            (true, false) => match wait(lines.next, cx) {
                Ok(Reader::There) => {}
                Ok(Reader::Gone) => return Ok(Exit::Done),
                Err(error) => return report::error(terminal, error),
            },
        }
        // A limit bounds the first page; what comes after it is what --follow asks for.
        events.limit = None;
    }
}

fn page(terminal: &Terminal, answer: &dyn Answer, cx: &Context) -> String {
    terminal.paper().render(&answer.sheet(cx.now()))
}

/// Whether a server that cannot be reached is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// It never answered: perhaps it is not there at all.
    Untried,
    /// It answered a moment ago.
    Ready,
    /// It is waited for, which was said.
    Waiting,
}

impl Patience {
    /// Who follows goes on where it stopped when the server is there again.
    fn holds(&mut self, terminal: &Terminal, error: &Error) -> bool {
        let is_passing = matches!(error.code(), Code::ServerUnreachable | Code::ServerBusy);
        if !is_passing || *self == Self::Untried {
            return false;
        }
        if *self == Self::Ready {
            terminal.warn(&format!("{error}; waiting for it"));
        }
        *self = Self::Waiting;
        true
    }
}

/// The names of the columns are told once.
fn without_names(page: &str) -> String {
    page.split_once('\n').map_or(page, |(_, rows)| rows).to_owned()
}

/// Waits for an event after `seq`, as long as somebody listens.
fn wait(seq: u64, cx: &mut Context) -> Result<Reader, Error> {
    loop {
        if cx.wait_beyond(seq, WATCH)? {
            return Ok(Reader::There);
        }
        if !is_heard() {
            return Ok(Reader::Gone);
        }
    }
}

/// Whether anybody still has the other end of the standard output open.
fn is_heard() -> bool {
    let out = rustix::stdio::stdout();
    let mut descriptors = [PollFd::new(&out, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut descriptors, Some(&at_once)) {
        Ok(_) => !descriptors.iter().any(|out| out.revents().contains(PollFlags::ERR)),
        Err(_) => true,
    }
}
