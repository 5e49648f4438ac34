//! A server elsewhere, which does operations for this caller.
//!
//! What is sent is sent again when the connection is lost, as far as the caller allows it. Nothing
//! here knows what an operation is: it carries texts.

mod address;
mod client;
mod credential;
mod line;
mod pause;
mod watch;

use std::fmt;

pub use address::{Address, NotAnAddress};
pub use client::Client;
pub use credential::Credential;
pub use line::Line;

/// The version of this program, which a server compares with its own.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How a reason ends when the other side was asked for TLS and answered something else.
pub const NO_TLS: &str = "TLS is not spoken there";

/// A server, and what every request to it shows.
#[derive(Debug, Clone)]
pub struct Server {
    pub address: Address,
    pub credential: Credential,
    /// What is known of the caller, by the names of headers.
    pub headers: Vec<(&'static str, String)>,
}

/// One operation to be done there.
#[derive(Debug, Clone)]
pub struct Request {
    /// The name of the operation.
    pub name: &'static str,
    /// Its arguments, as JSON.
    pub body: String,
    /// Under which it happens once.
    pub op_id: Option<String>,
    /// The sitting of the agent that asks for it.
    pub session: Option<String>,
    pub again: Again,
}

/// When a request may be sent a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// Whatever became of the first: it asks only, or happens once however often it is sent.
    Always,
    /// As long as no attempt can have reached the server.
    Unarrived,
}

/// What was answered, by the server or by somebody on the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// The version of the server; none when it is no server of ours.
    pub version: Option<String>,
    pub body: String,
    /// It asks to be asked again.
    may_help_to_wait: bool,
}

/// No answer came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// One line, without any secret.
    pub reason: String,
    /// Whether the server may have got the request all the same.
    pub may_have_arrived: bool,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Lost {}

/// A key that nobody else has made, for a request that shall happen once.
pub fn fresh_key() -> Result<String, Lost> {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Lost {
        reason: format!("the system has no random bytes: {error}"),
        may_have_arrived: false,
    })?;
    Ok(format!("sent_{}", URL_SAFE_NO_PAD.encode(bytes)))
}
