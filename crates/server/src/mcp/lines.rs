//! Messages as lines: one JSON document each, on two streams.
//!
//! Whatever comes in, something comes out: what is no message, is too long, or comes before its
//! time is answered with an error, and the next line is read.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta as _, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::MESSAGE_BYTES;
use super::outline::Outline;

/// The two streams, and how far the conversation has come.
pub(super) struct Lines<R, W> {
    read: BufReader<R>,
    /// A line that has not ended yet.
    line: Vec<u8>,
    /// The line is too long: its rest is skipped, but for the id by which its sender waits.
    skipped: Option<Outline>,
    write: Arc<Mutex<W>>,
    /// The answer to a bad line, on its way. Nothing is read before it is gone, so that whoever
    /// writes without reading is not answered without end.
    answering: Option<JoinHandle<io::Result<()>>>,
    began: bool,
}

/// What a line turned out to be.
pub(super) enum Line {
    Message(Box<ClientJsonRpcMessage>),
    Wrong(ErrorData, Option<RequestId>),
    /// Nobody waits for an answer.
    Nothing,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    pub(super) fn new(read: R, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            skipped: None,
            write: Arc::new(Mutex::new(write)),
            answering: None,
            began: false,
        }
    }

    /// The next line, or nothing when there are no more. May be dropped while it waits: what was
    /// read stays.
    async fn next(&mut self) -> Option<Line> {
        loop {
            let part = self.read.fill_buf().await.ok()?;
            if part.is_empty() {
                if let Some(outline) = self.skipped.take() {
                    return Some(too_long(outline));
                }
                // The last line need not end like the others; half a line is nobody's any more.
                let last = understood(&std::mem::take(&mut self.line));
                return Some(last).filter(|line| matches!(line, Line::Message(_)));
            }
            let end = part.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(part.len(), |end| end + 1);
            let (part, _) = part.split_at_checked(taken).unwrap_or((part, &[]));
            if self.skipped.is_none() && self.line.len() + taken > MESSAGE_BYTES {
                let outline = self.skipped.insert(Outline::default());
                outline.read(&std::mem::take(&mut self.line));
            }
            match &mut self.skipped {
                Some(outline) => outline.read(part),
                None => self.line.extend(part),
            }
            self.read.consume(taken);
            if let Some(outline) = self.skipped.take_if(|_| end.is_some()) {
                return Some(too_long(outline));
            }
            if end.is_some() && !self.line.is_empty() {
                return Some(understood(&std::mem::take(&mut self.line)));
            }
        }
    }

    /// What may not be said yet. Without this, the conversation would end with it.
    fn early(&mut self, message: ClientJsonRpcMessage) -> Line {
        let ClientJsonRpcMessage::Request(request) = message else { return Line::Nothing };
        let is_allowed = match &request.request {
            ClientRequest::InitializeRequest(_) => {
                self.began = true;
                true
            }
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => true,
            // Newer clients begin without a greeting, and say with each request who they are.
            other => {
                self.began = other.get_meta().protocol_version().is_some();
                self.began
            }
        };
        match (is_allowed, &request.request) {
            (true, _) => Line::Message(Box::new(ClientJsonRpcMessage::Request(request))),
            (false, ClientRequest::CustomRequest(custom)) if custom.method == "initialize" => {
                let message = "initialize needs protocolVersion, capabilities and clientInfo";
                Line::Wrong(ErrorData::invalid_params(message, None), Some(request.id))
            }
            (false, _) => {
                let message = "the conversation begins with initialize";
                Line::Wrong(ErrorData::invalid_request(message, None), Some(request.id))
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut text = serde_json::to_vec(&message)?;
            text.push(b'\n');
            let mut write = write.lock().await;
            write.write_all(&text).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answering) = &mut self.answering {
                let sent = answering.await;
                self.answering = None;
                sent.ok()?.ok()?;
            }
            let line = match self.next().await? {
                Line::Message(message) if !self.began => self.early(*message),
                line => line,
            };
            match line {
                Line::Message(message) => return Some(*message),
                Line::Wrong(error, id) => {
                    let answer = self.send(ServerJsonRpcMessage::error(error, id));
                    self.answering = Some(tokio::spawn(answer));
                }
                Line::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.flush().await
    }
}

fn too_long(outline: Outline) -> Line {
    let message = format!("a message has at most {MESSAGE_BYTES} bytes");
    Line::Wrong(ErrorData::invalid_request(message, None), outline.id())
}

/// What a message says.
pub(super) fn understood(line: &[u8]) -> Line {
    if line.trim_ascii().is_empty() {
        return Line::Nothing;
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(wrong) => {
            let message = format!("the message is not JSON: {wrong}");
            return Line::Wrong(ErrorData::parse_error(message, None), None);
        }
    };
    let id = value.get("id").cloned();
    let is_notification = id.is_none() && value.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value) {
        Ok(message) => Line::Message(Box::new(message)),
        Err(_) if is_notification => Line::Nothing,
        Err(_) => {
            let error = ErrorData::invalid_request("the message is not JSON-RPC 2.0", None);
            Line::Wrong(error, id.and_then(|id| serde_json::from_value(id).ok()))
        }
    }
}
