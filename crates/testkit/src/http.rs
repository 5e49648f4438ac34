//! A small HTTP/1.1 client for tests that blocks: one request a connection, and an answer that is
//! whole or a stream of server-sent events.

#![expect(clippy::panic, reason = "an answer of the wrong form ends its test")]

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::wait;

/// What is asked of a server.
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub fn new(method: &str, path: &str) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { method, path, headers: Vec::new(), body: Vec::new() }
    }

    pub fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub fn post(path: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new("POST", path).body(body)
    }

    /// A JSON document, posted.
    pub fn json(path: &str, document: &Value) -> Self {
        Self::post(path, document.to_string()).header("content-type", "application/json")
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Shows a key or a token.
    pub fn bearer(self, secret: &str) -> Self {
        self.header("authorization", format!("Bearer {secret}"))
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// A header that the test gives itself is not given a second time.
    fn bytes(&self, address: SocketAddr) -> Vec<u8> {
        let usual = [
            ("host", address.to_string()),
            ("content-length", self.body.len().to_string()),
            ("connection", "close".to_owned()),
        ];
        let given = |name: &str| self.headers.iter().any(|(known, _)| known == name);
        let usual =
            usual.iter().filter(|(name, _)| !given(name)).map(|(name, value)| (*name, value));
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value));
        let lines: Vec<String> =
            usual.chain(own).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{} {} HTTP/1.1\r\n{}\r\n", self.method, self.path, lines.concat());
        [head.as_bytes(), &self.body].concat()
    }
}

/// What a server answered.
#[derive(Debug, Clone)]
#[must_use = "an answer that nobody looks at proves nothing"]
pub struct Response {
    pub status: u16,
    /// In the order they came, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// The first value of a header, whose name is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(document) => document,
            Err(error) => panic!("the answer is not one JSON document: {error}\n{self}"),
        }
    }

    /// The answer itself, once it is known to be a success.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.status, 200, "expected success\n{self}");
        self
    }

    /// The document of a refusal, once its code and the status are known to be the given ones.
    #[track_caller]
    pub fn refused(&self, code: &str, status: u16) -> Value {
        assert_eq!(self.status, status, "expected status {status} for {code}\n{self}");
        let document = self.json();
        let found = document.get("code").and_then(Value::as_str);
        assert_eq!(found, Some(code), "expected another code\n{self}");
        document
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "{name}: {value}")?;
        }
        write!(f, "\n{}", self.text())
    }
}

/// Sends a request and reads the whole answer.
pub fn send(address: SocketAddr, request: &Request) -> io::Result<Response> {
    let (status, headers, mut body) = begin(address, request)?;
    let mut whole = Vec::new();
    body.read_to_end(&mut whole)?;
    Ok(Response { status, headers, body: whole })
}

/// Sends a request and reads the events of the answer as they come.
#[track_caller]
pub fn follow(address: SocketAddr, request: &Request) -> Stream {
    let begun = try_follow(address, request);
    begun.unwrap_or_else(|error| panic!("cannot follow {}: {error}", request.path))
}

/// The same, from a server that may be away. One that answers something else than a stream ends the
/// test all the same.
#[track_caller]
pub fn try_follow(address: SocketAddr, request: &Request) -> io::Result<Stream> {
    follow_unread(address, request)?.read()
}

/// The same for a test that reads when it likes.
#[track_caller]
pub fn follow_unread(address: SocketAddr, request: &Request) -> io::Result<Unread> {
    let (status, headers, mut body) = begin(address, request)?;
    let kind = find(&headers, "content-type").unwrap_or_default();
    if status != 200 || !kind.starts_with("text/event-stream") {
        let mut whole = Vec::new();
        body.read_to_end(&mut whole).ok();
        panic!("this is no stream of events:\n{}", Response { status, headers, body: whole });
    }
    Ok(Unread { headers, body })
}

/// A stream of events that nobody reads; dropping it hangs up.
#[derive(Debug)]
pub struct Unread {
    headers: Vec<(String, String)>,
    body: Body,
}

impl Unread {
    /// Reads it from here on.
    pub fn read(self) -> io::Result<Stream> {
        let Self { headers, body } = self;
        let socket = body.socket()?;
        let (tell, heard) = mpsc::channel();
        thread::spawn(move || listen(BufReader::new(body), &tell));
        Ok(Stream { headers, heard, socket })
    }
}

/// One thing that came through a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    Event(Event),
    /// A line for nobody, which keeps the connection open.
    Comment(String),
    /// How many milliseconds to wait before a new try.
    Retry(String),
}

/// One event, as the server wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    pub id: String,
    /// What the line `event:` says.
    pub kind: String,
    pub data: String,
}

impl Event {
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.data) {
            Ok(document) => document,
            Err(error) => panic!("the event is not one JSON document: {error}\n{}", self.data),
        }
    }
}

/// A stream of events; dropping it hangs up.
#[derive(Debug)]
pub struct Stream {
    pub headers: Vec<(String, String)>,
    heard: Receiver<Heard>,
    socket: TcpStream,
}

impl Stream {
    /// The next of anything, or why there is none: too late, or the stream has ended.
    pub fn heard(&self, within: Duration) -> Result<Heard, RecvTimeoutError> {
        self.heard.recv_timeout(within)
    }

    /// The next event, and nothing when the stream has ended.
    #[track_caller]
    pub fn event(&self) -> Option<Event> {
        loop {
            match self.heard(wait::LIMIT) {
                Ok(Heard::Event(event)) => return Some(event),
                Ok(Heard::Comment(_) | Heard::Retry(_)) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("no event within {:?}", wait::LIMIT),
            }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The other side may have hung up before.
        self.socket.shutdown(Shutdown::Both).ok();
    }
}

/// Puts lines together until the stream ends or nobody asks any more.
fn listen(input: impl BufRead, tell: &Sender<Heard>) {
    let mut event = Event::default();
    for line in input.lines().map_while(Result::ok) {
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        let told = match field {
            "" if line.is_empty() && event == Event::default() => Ok(()),
            "" if line.is_empty() => tell.send(Heard::Event(std::mem::take(&mut event))),
            "" => tell.send(Heard::Comment(value)),
            "retry" => tell.send(Heard::Retry(value)),
            _ => {
                take(&mut event, field, &value);
                Ok(())
            }
        };
        if told.is_err() {
            return;
        }
    }
}

fn take(event: &mut Event, field: &str, value: &str) {
    match field {
        "id" => value.clone_into(&mut event.id),
        "event" => value.clone_into(&mut event.kind),
        "data" if event.data.is_empty() => value.clone_into(&mut event.data),
        "data" => event.data = format!("{}\n{value}", event.data),
        // A reader skips what it does not know.
        _ => {}
    }
}

type Begun = (u16, Vec<(String, String)>, Body);

/// Sends the request and reads as far as the body begins.
fn begin(address: SocketAddr, request: &Request) -> io::Result<Begun> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(wait::LIMIT))?;
    // A server may answer and hang up before it has read all: the answer tells.
    let sent = socket.write_all(&request.bytes(address));
    let mut input = BufReader::new(socket);
    let (status, headers) = loop {
        let head = head(&mut input).map_err(|error| sent.as_ref().err().map_or(error, repeat))?;
        // What begins with 1 only announces the answer.
        if head.0 >= 200 {
            break head;
        }
    };
    let empty = request.method == "HEAD" || status == 204 || status == 304;
    let rest = if empty { Rest::Bytes(0) } else { Rest::of(&headers) };
    Ok((status, headers, Body { input, rest }))
}

fn repeat(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

fn head(input: &mut impl BufRead) -> io::Result<(u16, Vec<(String, String)>)> {
    let first = line(input)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidData, format!("no status in {first:?}"))
    })?;
    let mut headers = Vec::new();
    loop {
        let line = line(input)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    Ok((status, headers))
}

/// A line without its end; the end of the input is an error, since a line is due.
fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The body of an answer, without the frames it is sent in.
#[derive(Debug)]
struct Body {
    input: BufReader<TcpStream>,
    rest: Rest,
}

/// How much of a body is still to come.
#[derive(Debug)]
enum Rest {
    Bytes(u64),
    /// This much of the current chunk, then more chunks.
    Chunks(u64),
    UntilTheEnd,
}

impl Rest {
    fn of(headers: &[(String, String)]) -> Self {
        let length = find(headers, "content-length").and_then(|length| length.parse().ok());
        match length {
            _ if find(headers, "transfer-encoding") == Some("chunked") => Self::Chunks(0),
            Some(length) => Self::Bytes(length),
            None => Self::UntilTheEnd,
        }
    }
}

impl Body {
    fn socket(&self) -> io::Result<TcpStream> {
        self.input.get_ref().try_clone()
    }

    /// The size of the next chunk; the last one has none.
    fn next_chunk(&mut self) -> io::Result<u64> {
        let size = line(&mut self.input)?;
        let size = size.split(';').next().unwrap_or_default();
        u64::from_str_radix(size, 16)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Rest::Chunks(0) = self.rest {
            let size = self.next_chunk()?;
            self.rest = if size == 0 { Rest::Bytes(0) } else { Rest::Chunks(size) };
        }
        let (Rest::Bytes(left) | Rest::Chunks(left)) = &mut self.rest else {
            return self.input.read(buffer);
        };
        let read = self.input.by_ref().take(*left).read(buffer)?;
        if read == 0 && *left > 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        *left -= u64::try_from(read).unwrap_or(*left);
        if let Rest::Chunks(0) = self.rest {
            line(&mut self.input)?;
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
