//! A scripted model on loopback for a real coding agent: it says and calls what the test wrote down,
//! turn by turn, and remembers what it was asked.
//!
//! It speaks the messages of Anthropic, streamed, which the agent of [`crate::agent`] asks for. How
//! far the script has come is read from the conversation itself, so that a request sent twice is
//! answered alike.

#![expect(clippy::panic, reason = "a model that cannot listen ends its test")]

mod stream;

use std::io::{self, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use crate::receiver::{Received, wire};

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Text, with which the agent comes to rest.
    Say(String),
    /// Calls of tools, whose results the agent brings back.
    Call(Vec<Call>),
}

/// A tool by its name, and what it is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub tool: String,
    pub input: Value,
}

impl Turn {
    pub fn say(text: &str) -> Self {
        Self::Say(text.to_owned())
    }

    /// A call of a single tool.
    pub fn call(tool: &str, input: Value) -> Self {
        Self::Call(vec![Call { tool: tool.to_owned(), input }])
    }
}

/// Listens on a port of its own at 127.0.0.1 until it is dropped.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    script: Arc<Script>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Script {
    turns: Vec<Turn>,
    asked: Mutex<Vec<Value>>,
    over: AtomicBool,
}

impl Model {
    /// A model that takes these turns; past the last one it has nothing to say.
    #[track_caller]
    pub fn start(turns: Vec<Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0");
        let listener = listener.unwrap_or_else(|error| panic!("no port for a model: {error}"));
        let address = listener.local_addr();
        let address = address.unwrap_or_else(|error| panic!("no address: {error}"));
        let script =
            Arc::new(Script { turns, asked: Mutex::default(), over: AtomicBool::new(false) });
        let own = Arc::clone(&script);
        let listening = Some(thread::spawn(move || listen(&listener, &own)));
        Self { address, script, listening }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests that offered tools, in the order they came.
    pub fn asked(&self) -> Vec<Value> {
        self.script.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The names of the tools that the agent offered in its last request.
    pub fn tools(&self) -> Vec<String> {
        let asked = self.asked();
        let tools = asked.last().and_then(|body| body.get("tools")).and_then(Value::as_array);
        let names = tools.into_iter().flatten().filter_map(|tool| tool.get("name"));
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// What the tools answered, as far as the agent told, in the order of the calls.
    pub fn results(&self) -> Vec<String> {
        let asked = self.asked();
        let blocks = asked.last().into_iter().flat_map(|body| blocks(body, "tool_result"));
        blocks.map(|block| text_of(block.get("content").unwrap_or(&Value::Null))).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.script.over.store(true, Ordering::Relaxed);
        // The listener looks up only when somebody comes.
        drop(TcpStream::connect(self.address));
        drop(self.listening.take().map(JoinHandle::join));
    }
}

impl Script {
    /// The turn after as many as the conversation already holds.
    fn turn(&self, body: &Value) -> Turn {
        let taken = messages(body)
            .filter(|message| kinds_of(message).any(|kind| kind == "tool_use"))
            .count();
        self.turns.get(taken).cloned().unwrap_or_else(|| Turn::say("nothing more to do"))
    }
}

fn listen(listener: &TcpListener, script: &Arc<Script>) {
    while let Ok((connection, _)) = listener.accept() {
        if script.over.load(Ordering::Relaxed) {
            return;
        }
        let script = Arc::clone(script);
        // An agent that breaks off is none of our concern.
        thread::spawn(move || drop(serve(&connection, &script)));
    }
}

fn serve(mut connection: &TcpStream, script: &Script) -> io::Result<()> {
    let Some(request) = wire::read(&mut BufReader::new(connection))? else {
        return Ok(());
    };
    let (kind, body) = answer(&request, script);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    connection.write_all(format!("{head}{body}").as_bytes())
}

fn answer(request: &Received, script: &Script) -> (&'static str, String) {
    let path = request.path.split('?').next().unwrap_or_default();
    let document: Value = serde_json::from_str(&request.body).unwrap_or_default();
    if path.ends_with("/count_tokens") {
        return ("application/json", json!({"input_tokens": 1}).to_string());
    }
    if !path.ends_with("/messages") {
        return ("application/json", json!({}).to_string());
    }
    // Agents also ask for titles and the like, on which no script should be spent.
    let side = document.get("tools").and_then(Value::as_array).is_none_or(Vec::is_empty);
    let turn = if side {
        Turn::say("a side answer")
    } else {
        let turn = script.turn(&document);
        script.asked.lock().unwrap_or_else(PoisonError::into_inner).push(document.clone());
        turn
    };
    if document.get("stream") == Some(&Value::Bool(true)) {
        ("text/event-stream", stream::events(&document, &turn))
    } else {
        ("application/json", stream::whole(&document, &turn).to_string())
    }
}

fn messages(body: &Value) -> impl Iterator<Item = &Value> {
    body.get("messages").and_then(Value::as_array).into_iter().flatten()
}

/// All blocks of a kind in a conversation.
fn blocks<'a>(body: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let content = messages(body).filter_map(|message| message.get("content")?.as_array());
    content.flatten().filter(move |block| block.get("type").is_some_and(|known| known == kind))
}

fn kinds_of(message: &Value) -> impl Iterator<Item = &Value> {
    let content = message.get("content").and_then(Value::as_array).into_iter().flatten();
    content.filter_map(|block| block.get("type"))
}

/// The text of a content, which is a string or a list of blocks.
fn text_of(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| block.get("text")?.as_str());
    content.as_str().map_or_else(|| texts.collect::<Vec<_>>().join("\n"), str::to_owned)
}

#[cfg(test)]
mod tests;
