//! The log as a stream: page after page, and with `--follow` every new event as it comes.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use windlass_domain::Exit;
use windlass_ops::Context;
use windlass_ops::events::Events;
use windlass_ops::settings::Format;
use windlass_ops::table::{Answer, Request};

use crate::terminal::Terminal;
use crate::{page, report};

/// How long to wait for the next event before looking whether anybody still reads.
const WATCH: Duration = Duration::from_secs(1);

/// Writes the events that were asked for, and ends when there are no more to come.
pub(crate) fn stream(
    terminal: &mut Terminal,
    mut events: Events,
    cx: &mut Context,
) -> std::io::Result<Exit> {
    let has_limit = events.limit.is_some();
    let mut is_first = true;
    loop {
        let answer = match Request::run(&events, cx) {
            Ok(answer) => answer,
            Err(error) => return report::error(terminal, error),
        };
        let Some(lines) = answer.lines() else {
            return Ok(Exit::Done);
        };
        if !lines.documents.is_empty() {
            write(terminal, answer.as_ref(), &lines.documents, (is_first, cx))?;
            is_first = false;
        }
        events.from = Some(lines.next);
        match (events.follow, lines.has_more) {
            (true, true) => {}
            (false, true) if !has_limit => {}
            (false, _) => return Ok(Exit::Done),
            (true, false) => {
                if let Err(error) = wait(lines.next, cx)? {
                    return report::error(terminal, error);
                }
            }
        }
        // A limit bounds the first page; what comes after it is what --follow asks for.
        events.limit = None;
    }
}

fn write(
    terminal: &Terminal,
    answer: &dyn Answer,
    documents: &[String],
    (is_first, cx): (bool, &Context),
) -> std::io::Result<()> {
    match terminal.format() {
        Format::Json => terminal.out(&documents.join("\n")),
        Format::Text => {
            let sheet = answer.sheet(cx.now());
            let page = page::render(&sheet, terminal.width(), terminal.has_colour());
            // The names of the columns are told once.
            match (is_first, page.split_once('\n')) {
                (false, Some((_, rows))) => terminal.out(rows),
                _ => terminal.out(&page),
            }
        }
    }
}

/// Waits for an event after `seq`. A reader that went away ends it as a broken pipe would.
fn wait(seq: u64, cx: &mut Context) -> std::io::Result<Result<(), windlass_ledger::Error>> {
    loop {
        let came = match cx.ledger() {
            Ok(ledger) => ledger.wait_beyond(seq, WATCH),
            Err(fault) => Err(fault.into()),
        };
        match came {
            Ok(true) => return Ok(Ok(())),
            Ok(false) if !is_heard() => {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            Ok(false) => {}
            Err(error) => return Ok(Err(error)),
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
