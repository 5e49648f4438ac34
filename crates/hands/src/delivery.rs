//! Delivering hooks: one attempt to hand a message to a target, and what came of it.
//!
//! When to try again is the outbox's affair. What a target's headers and secret stand for is looked
//! up when a message is handed over and kept nowhere: no text and no `Debug` output here shows it.

mod attempt;
mod clients;
mod courier;
mod post;
mod program;
mod queue;
mod redirect;
mod retry_after;
mod signature;
mod variables;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::reason;
pub use courier::{Courier, NotReady, Ready, Stopper};

/// Where a hook goes.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    pub address: Address,
    /// What messages are signed with.
    pub secret: Option<Secret>,
    /// How long one attempt may take.
    pub limit: Duration,
}

/// Who receives a message: whoever answers at a URL, or a program.
#[derive(Clone, PartialEq, Eq)]
pub enum Address {
    /// The values of the headers may name variables: `$NAME` or `${NAME}`; `$$` is a dollar.
    Url { url: String, headers: Vec<(String, String)> },
    /// A program and its arguments; no shell reads them.
    Command { argv: Vec<String> },
}

/// A secret, or where it is found.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// The name of the variable that holds it.
    Variable(String),
    /// It stands here as it is, whatever characters it has.
    Itself(String),
}

/// What is delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The same on every attempt, so that a receiver can tell a repetition.
    pub id: String,
    /// When this attempt is made, in seconds since 1970.
    pub timestamp: i64,
    /// JSON.
    pub body: String,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Delivered {
        /// What the URL answered; nothing for a program.
        status: Option<u16>,
    },
    Failed {
        /// One line of at most 280 characters without any secret.
        reason: String,
        /// How long the receiver asks to be left alone.
        retry_after: Option<Duration>,
        /// The receiver wants no more of these.
        for_good: bool,
    },
    /// It could not even be tried, for the same kind of reason: a variable is not set, a URL is none.
    Unsendable { reason: String },
    /// The courier was stopped before it got to this one, or got to it too late: no attempt was made.
    NotSent,
}

/// The environment of the caller: what headers and secrets may name, and what programs get.
pub type Variables = BTreeMap<String, String>;

/// Asked when there is room for an attempt: whether it may still be made.
pub type InTime = Box<dyn Fn() -> bool + Send>;

impl Outcome {
    fn failed(reason: impl AsRef<str>) -> Self {
        Self::Failed {
            reason: reason::one_line(reason.as_ref()),
            retry_after: None,
            for_good: false,
        }
    }

    fn unsendable(reason: impl AsRef<str>) -> Self {
        Self::Unsendable { reason: reason::one_line(reason.as_ref()) }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, secret, limit } = self;
        f.debug_struct("Target")
            .field("address", address)
            .field("signed", &secret.is_some())
            .field("limit", limit)
            .finish()
    }
}

/// The name of a variable is no secret.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "${name}"),
            Self::Itself(_) => f.write_str("set"),
        }
    }
}

/// A URL may carry a password, a value a token: only what is surely public is shown.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { url, headers } => {
                let origin = reqwest::Url::parse(url).map(|url| url.origin().ascii_serialization());
                let headers: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
                f.debug_struct("Url")
                    .field("origin", &origin.ok())
                    .field("headers", &headers)
                    .finish()
            }
            Self::Command { argv } => {
                f.debug_struct("Command").field("program", &argv.first()).finish_non_exhaustive()
            }
        }
    }
}
