//! Who has which session. One belongs to whoever began it; for all others it is not there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::transport::common::server_side_http::SessionId;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use windlass_domain::Refusal;

use crate::caller::Owner;
use crate::shares::{Share, Shares};

/// Most sessions at once. Each costs a small task and what it watches.
const MOST: usize = 1_024;
/// Most sessions of one key.
const MOST_EACH: usize = 128;

/// The sessions of a server.
#[derive(Debug)]
pub(super) struct Sessions {
    inside: Arc<LocalSessionManager>,
    shares: Shares,
    owners: Mutex<HashMap<SessionId, (Owner, Share)>>,
}

impl Sessions {
    pub(super) fn new(inside: Arc<LocalSessionManager>) -> Self {
        let shares = Shares::new("MCP sessions", MOST, MOST_EACH);
        Self { inside, shares, owners: Mutex::default() }
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<SessionId, (Owner, Share)>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Room for one more session of `owner`.
    pub(super) async fn room(&self, owner: Owner) -> Result<Share, Refusal> {
        let there = self.inside.sessions.read().await;
        self.owners().retain(|id, _| there.contains_key(id));
        drop(there);
        self.shares.take(owner)
    }

    /// A session began in the room that was kept for it.
    pub(super) fn began(&self, id: &str, owner: Owner, room: Share) {
        self.owners().insert(id.into(), (owner, room));
    }

    pub(super) fn is_of(&self, id: &str, owner: Owner) -> bool {
        self.owners().get(id).is_some_and(|(own, _)| *own == owner)
    }

    /// Ends a session, with everything that it watches.
    pub(super) async fn end(&self, id: &str) {
        // It may have ended by itself.
        let _ended = self.inside.close_session(&id.into()).await;
        self.owners().remove(id);
    }
}
