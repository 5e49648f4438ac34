//! The debugging protocol: orders and answers as JSON, each ended by a zero byte.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::pulse::{Pulse, Wake};
use crate::guard::{Guarded, Heard};

/// More than any picture takes.
const LONGEST: usize = 64 << 20;

/// A browser that takes no orders for so long hangs.
const ORDER: Duration = Duration::from_secs(5);

/// What a page is asked to report is heard; all else, of which there may be very much, is not kept.
const EVENTS: [&str; 5] = [
    "Inspector.targetCrashed",
    "Log.entryAdded",
    "Network.responseReceived",
    "Page.loadEventFired",
    "Runtime.exceptionThrown",
];

const MOST_EVENTS: usize = 1000;

/// A browser that runs, and whoever waits for it.
pub(super) struct Wire<'a> {
    guarded: Guarded,
    socket: UnixStream,
    pulse: Pulse<'a>,
    given: u64,
    /// What came of a message that is not whole yet.
    unread: Vec<u8>,
    messages: VecDeque<Value>,
    events: VecDeque<Event>,
    /// Dropped last: only then nobody writes to it.
    _profile: TempDir,
}

/// Something that happened without an order.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) details: Value,
}

/// What came of an order.
struct Answer {
    /// The number of the order.
    to: u64,
    message: Value,
}

impl Answer {
    fn result(self, method: &str) -> Result<Value, Lost> {
        match self.message.pointer("/error/message") {
            Some(error) => Err(Lost::Refused(error.as_str().unwrap_or(method).to_owned())),
            None => Ok(self.message.get("result").cloned().unwrap_or_default()),
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Lost {
    TimeIsOver,
    Stopped,
    /// The answer is an error.
    Refused(String),
    Gone(String),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeIsOver => f.write_str("it did not answer in time"),
            Self::Stopped => f.write_str("stopped"),
            Self::Refused(why) | Self::Gone(why) => f.write_str(why),
        }
    }
}

impl<'a> Wire<'a> {
    pub(super) fn new(
        guarded: Guarded,
        socket: UnixStream,
        pulse: Pulse<'a>,
        profile: TempDir,
    ) -> Self {
        Self {
            guarded,
            socket,
            pulse,
            given: 0,
            unread: Vec::new(),
            messages: VecDeque::new(),
            events: VecDeque::new(),
            _profile: profile,
        }
    }

    /// Gives an order, to a page or to the browser itself, and waits for the answer.
    pub(super) fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
        until: Instant,
    ) -> Result<Value, Lost> {
        let number = self.order(session, method, parameters)?;
        self.first_answer(&[number], until)?.result(method)
    }

    /// The same for an order whose answer may be long in coming from a page that is well, as that of
    /// a promise is. Nothing when its time is over, and the page answers other orders meanwhile.
    pub(super) fn call_patiently(
        &mut self,
        session: &str,
        method: &str,
        parameters: Value,
        until: Instant,
    ) -> Result<Option<Value>, Lost> {
        let number = self.order(Some(session), method, parameters)?;
        let sign_of_life =
            self.order(Some(session), "Runtime.evaluate", json!({"expression": "0"}))?;
        let mut answer = self.first_answer(&[number, sign_of_life], until)?;
        if answer.to == sign_of_life {
            answer = match self.first_answer(&[number], until) {
                Err(Lost::TimeIsOver) => return Ok(None),
                answer => answer?,
            };
        }
        answer.result(method).map(Some)
    }

    /// The answer to one of these orders that comes first.
    fn first_answer(&mut self, orders: &[u64], until: Instant) -> Result<Answer, Lost> {
        loop {
            let message = self.next(until)?.ok_or(Lost::TimeIsOver)?;
            let to = message.get("id").and_then(Value::as_u64);
            match to.filter(|to| orders.contains(to)) {
                Some(to) => return Ok(Answer { to, message }),
                None => self.keep(message)?,
            }
        }
    }

    /// Hears what happens, for a while.
    pub(super) fn listen(&mut self, until: Instant) -> Result<(), Lost> {
        while let Some(message) = self.next(until)? {
            self.keep(message)?;
        }
        Ok(())
    }

    /// What happened since this was last asked.
    pub(super) fn events(&mut self) -> VecDeque<Event> {
        std::mem::take(&mut self.events)
    }

    fn order(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<u64, Lost> {
        self.given += 1;
        let mut order = json!({"id": self.given, "method": method, "params": parameters});
        if let (Some(session), Some(order)) = (session, order.as_object_mut()) {
            order.insert("sessionId".into(), session.into());
        }
        let bytes = format!("{order}\0");
        let sent = self
            .socket
            .set_write_timeout(Some(ORDER))
            .and_then(|()| self.socket.write_all(bytes.as_bytes()));
        sent.map_err(|error| gone(&error))?;
        Ok(self.given)
    }

    /// The next message, or nothing when the time is over.
    fn next(&mut self, until: Instant) -> Result<Option<Value>, Lost> {
        loop {
            if let Some(message) = self.messages.pop_front() {
                return Ok(Some(message));
            }
            let sources = [self.socket.as_fd(), self.guarded.as_fd()];
            match self.pulse.wait(&sources, until).map_err(|error| gone(&error))? {
                Wake::TimeIsOver => return Ok(None),
                Wake::Stopped => return Err(Lost::Stopped),
                Wake::Ready(ready) => match ready.as_slice() {
                    [true, ..] => self.read()?,
                    _ => self.hear()?,
                },
            }
        }
    }

    fn read(&mut self) -> Result<(), Lost> {
        let mut piece = [0; 16 << 10];
        let length = match self.socket.read(&mut piece) {
            Ok(0) => return Err(Lost::Gone("it closed the line".to_owned())),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(error) => return Err(gone(&error)),
        };
        for part in piece.get(..length).unwrap_or_default().split_inclusive(|byte| *byte == 0) {
            match part.split_last() {
                Some((0, end)) => {
                    self.unread.extend(end);
                    self.messages.extend(serde_json::from_slice::<Value>(&self.unread).ok());
                    self.unread.clear();
                }
                _ => self.unread.extend(part),
            }
        }
        match self.unread.len() > LONGEST {
            true => Err(Lost::Gone("it says too much at once".to_owned())),
            false => Ok(()),
        }
    }

    fn hear(&mut self) -> Result<(), Lost> {
        match self.guarded.hear() {
            Heard::Nothing | Heard::Ready => Ok(()),
            Heard::NotStarted(error) => Err(gone(&error)),
            Heard::Ended(ended) => Err(Lost::Gone(ended.to_string())),
            Heard::Over => Err(Lost::Gone("its guard is gone".to_owned())),
        }
    }

    /// Keeps an event. A dialog is closed at once, since its page stands still.
    fn keep(&mut self, message: Value) -> Result<(), Lost> {
        let text = |key| message.get(key).and_then(Value::as_str);
        let (Some(session), Some(name)) = (text("sessionId"), text("method")) else {
            return Ok(());
        };
        let (session, name) = (session.to_owned(), name.to_owned());
        if name == "Page.javascriptDialogOpening" {
            self.order(Some(&session), "Page.handleJavaScriptDialog", json!({"accept": false}))?;
        }
        if EVENTS.contains(&name.as_str()) && self.events.len() < MOST_EVENTS {
            let details = message.get("params").cloned().unwrap_or_default();
            self.events.push_back(Event { name, details });
        }
        Ok(())
    }
}

fn gone(error: &io::Error) -> Lost {
    Lost::Gone(crate::reason::root_cause(error))
}
