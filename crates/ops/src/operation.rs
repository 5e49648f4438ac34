//! What an operation is.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
pub use windlass_domain::key::Access;
use windlass_domain::{Exit, Refusal, Time};
use windlass_ledger::Error;

use crate::context::Context;
use crate::sheet::Sheet;

/// Where an operation can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// One transaction of the ledger: through every door.
    Ledger,
    /// Where the caller is: it needs local files.
    Workplace,
}

/// What becomes of an operation when its caller uses a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remotely {
    /// The server does it.
    Sent,
    /// It is done where the caller is, and asks the server for what it needs.
    Here,
    /// It cannot be done: it needs the ledger and local files alike.
    Refused,
}

impl Remotely {
    const fn by(place: Place) -> Self {
        match place {
            Place::Ledger => Self::Sent,
            Place::Workplace => Self::Refused,
        }
    }
}

/// What an operation asks of the ledger when a server does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// It may write.
    Write,
    /// It looks something up.
    Look,
    /// It reads all there is, which takes long, and changes nothing.
    Whole,
}

impl Load {
    const fn by(access: Access) -> Self {
        match access {
            Access::Read => Self::Look,
            Access::Write | Access::Approve | Access::Admin => Self::Write,
        }
    }
}

/// One capability. The fields of the struct are its arguments.
pub trait Operation: Args + Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    type Output: Output;

    /// The name on the wire; on the command line its words are subcommands.
    const NAME: &'static str;
    /// One line that says what it does.
    const ABOUT: &'static str;
    /// A command line that shows it.
    const EXAMPLE: &'static str;
    const ACCESS: Access;
    const LOAD: Load = Load::by(Self::ACCESS);
    const PLACE: Place = Place::Ledger;
    /// Its answer holds a secret that is shown once: it is kept under no op id.
    const SECRET_ANSWER: bool = false;
    const REMOTELY: Remotely = Remotely::by(Self::PLACE);
    /// The languages of its own in which it can answer with a document: values of its argument
    /// `format`, beside those that every command takes.
    const FORMATS: &'static [&'static str] = &[];

    fn run(&self, cx: &mut Context) -> Result<Self::Output, Error>;

    /// The same operation as a server takes it, with the texts of local files instead of their names
    /// and without words that only a command line has; nothing when it takes it as it is.
    fn for_a_server(&self, _cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(None)
    }

    /// What is done where the caller is, with its own files, once the ledger has answered.
    fn afterwards(&self, _answer: &Self::Output, _cx: &mut Context) {}

    /// The same when it was refused: a refusal may leave a trace.
    fn afterwards_refused(&self, _refusal: &Refusal, _cx: &mut Context) {}

    /// The sitting of the agent, where a command line names one. It is no field of the operation.
    fn session(&self) -> Option<&str> {
        None
    }
}

/// What an operation answers.
pub trait Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// The answer as a person reads it.
    fn sheet(&self, now: Time) -> Sheet;

    /// How a process ends that got this answer.
    fn exit(&self) -> Exit {
        Exit::Done
    }

    /// The answer as a text for another program, which is written as it is wherever a person would
    /// be shown a page.
    fn document(&self) -> Option<&str> {
        None
    }

    /// That text was asked for word by word: a program gets it too, unless it asks for JSON.
    fn is_verbatim(&self) -> bool {
        false
    }

    /// The answer as lines of JSON, for answers that are a stream of documents.
    fn lines(&self) -> Option<Lines> {
        None
    }
}

/// A part of a stream of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// One JSON document each.
    pub documents: Vec<String>,
    /// Where the next part begins.
    pub next: u64,
    /// There is a next part already.
    pub has_more: bool,
}
