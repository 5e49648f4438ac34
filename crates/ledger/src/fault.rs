//! Faults: the world failed, not the request. Each says whether trying again can help.

use serde_json::{Map, Value};
use windlass_domain::event::Unreadable;
use windlass_domain::task::Broken;
use windlass_domain::{Code, Refusal};

/// The detail of a fault that came between a commit and its answer.
const MAY_BE_DONE: &str = "may_be_done";

/// A failure of storage, or a bug.
#[derive(Debug)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
    pub details: Map<String, Value>,
    /// The connection was lost; the same work may succeed on a new one.
    pub lost: bool,
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            details: Map::new(),
            lost: false,
            source: None,
        }
    }

    /// What cannot happen, happened.
    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Code::Bug, message)
            .hint("please report this, with the output of: windlass doctor")
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    #[must_use]
    pub fn lost(mut self) -> Self {
        self.lost = true;
        self
    }

    /// It is not known whether the work was committed.
    #[must_use]
    pub(crate) fn of_unknown_fate(mut self) -> Self {
        self.message.push_str("; what was asked for may have been done");
        self.hint("look before you repeat it; under an op id it happens once at most")
            .detail(MAY_BE_DONE, true)
    }

    /// Whether a fault with these details leaves open if the work was done.
    pub fn may_be_done(details: &Map<String, Value>) -> bool {
        details.get(MAY_BE_DONE) == Some(&Value::Bool(true))
    }

    #[must_use]
    pub fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

/// A request was denied, or the world failed.
#[derive(Debug)]
pub enum Error {
    Refused(Refusal),
    Failed(Fault),
}

impl Error {
    pub fn code(&self) -> Code {
        match self {
            Self::Refused(refusal) => refusal.code,
            Self::Failed(fault) => fault.code,
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Self::Failed(fault) if fault.lost)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Failed(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl From<Broken> for Fault {
    fn from(broken: Broken) -> Self {
        Self::new(Code::LedgerCorrupt, broken.to_string())
            .hint("see how far the log is sound: windlass audit verify")
    }
}

impl From<Unreadable> for Fault {
    fn from(unreadable: Unreadable) -> Self {
        let code = match unreadable {
            Unreadable::Kind(_) | Unreadable::Version(..) => Code::LedgerNewer,
            Unreadable::Data(..) => Code::LedgerCorrupt,
        };
        Self::new(code, unreadable.to_string())
            .hint("use a newer windlass, or see how far the log is sound: windlass audit verify")
    }
}

/// A row of the database that does not hold what it should.
pub(crate) fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> Fault {
    Fault::new(Code::LedgerCorrupt, format!("a row cannot be read: {error}"))
        .hint("check the ledger: windlass doctor")
        .because(error)
}
