//! The debugging protocol: orders and answers as JSON, each ended by a zero byte.
//!
//! Whoever waits for an answer reads what comes before it too and keeps it for its page.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

use crate::wait;

/// The two ends of the pipe, shared by the browser and its pages.
#[derive(Debug)]
pub(super) struct Wire {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    orders: ChildStdin,
    answers: Receiver<Value>,
    given: u64,
    /// What happened in each session and nobody has asked for yet.
    events: HashMap<String, Vec<Event>>,
}

/// Something that happened without an order.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) details: Value,
}

impl Wire {
    pub(super) fn new(orders: ChildStdin, answers: ChildStdout) -> Arc<Self> {
        let (tell, heard) = mpsc::channel();
        thread::spawn(move || {
            let messages = BufReader::new(answers).split(0).map_while(Result::ok);
            for message in messages.filter_map(|bytes| serde_json::from_slice(&bytes).ok()) {
                // The browser outlives nobody who asks.
                tell.send(message).ok();
            }
        });
        let state = State { orders, answers: heard, given: 0, events: HashMap::new() };
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// Gives an order, to a page or to the browser itself, and waits for the answer.
    pub(super) fn call(
        &self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<Value, String> {
        let mut state = self.state();
        let number = state.order(session, method, parameters)?;
        loop {
            let message = state.next()?;
            if message.get("id").and_then(Value::as_u64) != Some(number) {
                state.keep(message)?;
            } else if let Some(error) = message.get("error") {
                return Err(format!("{method}: {error}"));
            } else {
                return Ok(message.get("result").cloned().unwrap_or_default());
            }
        }
    }

    /// What happened in a session since this was last asked, as far as it was heard.
    pub(super) fn events(&self, session: &str) -> Vec<Event> {
        self.state().events.remove(session).unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn order(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<u64, String> {
        self.given += 1;
        let mut order = json!({"id": self.given, "method": method, "params": parameters});
        if let (Some(session), Some(order)) = (session, order.as_object_mut()) {
            order.insert("sessionId".into(), session.into());
        }
        let bytes = format!("{order}\0");
        let sent = self.orders.write_all(bytes.as_bytes());
        sent.map_err(|error| format!("{method}: the browser is gone: {error}"))?;
        Ok(self.given)
    }

    fn next(&self) -> Result<Value, String> {
        self.answers.recv_timeout(wait::LIMIT).map_err(|error| format!("the browser: {error}"))
    }

    /// Keeps an event for its page. A dialog is closed at once, since its page stands still.
    fn keep(&mut self, message: Value) -> Result<(), String> {
        let text = |key| message.get(key).and_then(Value::as_str);
        let (Some(session), Some(name)) = (text("sessionId"), text("method")) else {
            return Ok(());
        };
        let (session, name) = (session.to_owned(), name.to_owned());
        if name == "Page.javascriptDialogOpening" {
            self.order(Some(&session), "Page.handleJavaScriptDialog", json!({"accept": false}))?;
        }
        let details = message.get("params").cloned().unwrap_or_default();
        self.events.entry(session).or_default().push(Event { name, details });
        Ok(())
    }
}
