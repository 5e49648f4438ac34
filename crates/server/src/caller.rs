//! Who calls, as far as a door knows.

use windlass_domain::chain::Hash;
use windlass_ops::context::{Presence, Wishes};

/// Somebody who was let in.
#[derive(Debug, Clone)]
pub enum Caller {
    /// The user of this machine, or an agent that it started. Names are taken as they are given.
    Local(Local),
    /// Whoever has the key with this digest. It is looked up, and its rights are checked, when the
    /// operation is done.
    Key {
        digest: Hash,
        /// A task and the fence under which the caller works on it.
        fence: Option<(String, u64)>,
        /// What it has set where it is.
        wishes: Wishes,
    },
}

/// On whose account a call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// Whoever has the machine.
    Machine,
    /// Whoever has the key with this digest.
    Key(Hash),
}

impl Caller {
    pub(crate) fn owner(&self) -> Owner {
        match self {
            Self::Local(_) => Owner::Machine,
            Self::Key { digest, .. } => Owner::Key(*digest),
        }
    }
}

/// What the user of this machine says about the call.
#[derive(Debug, Clone)]
pub struct Local {
    /// The agent that acts when the arguments name none.
    pub agent: Option<String>,
    pub user: String,
    /// A task and the fence under which the caller works on it.
    pub fence: Option<(String, u64)>,
    /// What it has set where it is.
    pub wishes: Wishes,
    /// Whether a person is there.
    pub presence: Presence,
}
