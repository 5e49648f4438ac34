//! How much of the log somebody may see.

use windlass_domain::chunk::access::Reader;
use windlass_domain::event::{Kind, Subject};

use super::home::Home;

/// How much of the log somebody may see; all of it unless something is said here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sight {
    /// Without who was let in by which key: that is for those who may list keys.
    pub without_keys: bool,
    /// Only what this agent may read. People read everything.
    pub of_agent: Option<Reader>,
}

impl Sight {
    /// Whether nothing is hidden.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }

    /// Whether events of this kind may be shown.
    pub fn reaches(&self, kind: &str) -> bool {
        !self.without_keys || Kind::from_text(kind).map(Kind::subject) != Some(Subject::Key)
    }

    /// Whether what belongs there may be shown.
    pub fn reaches_home(&self, home: &Home) -> bool {
        match (&self.of_agent, &home.owner) {
            (Some(reader), Some(owner)) => reader.reads(owner),
            (None, _) | (_, None) => true,
        }
    }

    /// Whether it depends on where an event belongs.
    pub(super) const fn asks_for_home(&self) -> bool {
        self.of_agent.is_some()
    }
}
