//! Sessions in the ledger: one row each, with everything that followed from their events.

mod seam;

use windlass_domain::event::SessionEvent;
use windlass_domain::session::Session;
use windlass_domain::session::event::SessionStarted;
use windlass_domain::session::state::SessionStatus;
use windlass_domain::{Code, Refusal, RunKey, SessionId, Time};

use crate::fault::{Error, Fault};
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;
use crate::world::random_bits;

pub(crate) use seam::Sessions;
#[cfg(test)]
pub(crate) use seam::{
    SESSION, SESSIONS, SESSIONS_OF_AGENT, SESSIONS_OF_RUN, SESSIONS_OVERDUE, SESSIONS_WITH,
};

/// A session with its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSession {
    pub created_seq: u64,
    pub session: Session,
}

/// Which sessions a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    pub agent: Option<String>,
    pub status: Option<SessionStatus>,
    pub run: Option<RunKey>,
    /// Only those that were started before this place of the log.
    pub before: Option<u64>,
    pub limit: u64,
}

impl Snapshot<'_> {
    pub fn session(&mut self, id: SessionId) -> Result<Option<KeptSession>, Fault> {
        self.store.session(id)
    }

    /// The newest sessions first.
    pub fn sessions(&mut self, filter: &SessionFilter) -> Result<Vec<KeptSession>, Fault> {
        self.store.sessions(filter)
    }

    /// Sessions whose time ran out by then and of which nobody has noticed it, at most so many.
    pub fn sessions_overdue(&mut self, now: Time, limit: u64) -> Result<Vec<KeptSession>, Fault> {
        self.store.sessions_overdue(now, limit)
    }
}

impl Transaction<'_> {
    /// A new id for a session.
    pub fn new_session_id(&self) -> Result<SessionId, Fault> {
        Ok(SessionId::from_parts(self.now(), random_bits()?))
    }

    /// Records that a session started.
    pub fn begin_session(
        &mut self,
        id: SessionId,
        data: SessionStarted,
    ) -> Result<KeptSession, Error> {
        let created_seq = self.head().seq + 1;
        let session = Session::started(id, &data, self.now());
        self.create(id, SessionEvent::from(data))?;
        Ok(KeptSession { created_seq, session })
    }

    /// Records what happened to a session and returns the session as it is now. What was decided
    /// about an older state of it is refused.
    pub fn record_session(
        &mut self,
        kept: &KeptSession,
        events: impl IntoIterator<Item = SessionEvent>,
    ) -> Result<KeptSession, Error> {
        let (id, version) = (kept.session.id, kept.session.events);
        let left = || Fault::bug(format!("session {id} left its view"));
        let mut after = self.session(id)?.ok_or_else(left)?;
        if after.session.events != version {
            return Err(moved_on(&after.session).into());
        }
        let mut happened = Vec::new();
        for event in events {
            after.session.fold(&event, self.now()).map_err(Fault::from)?;
            happened.push(event.into());
        }
        self.act(id.into(), version, happened)?;
        Ok(after)
    }
}

fn moved_on(session: &Session) -> Refusal {
    let id = session.id;
    Refusal::new(Code::EditConflict, format!("session {id} was changed by somebody else meanwhile"))
        .hint(format!("see how it is now, then do it again: windlass session show {id}"))
        .detail("session", id)
        .detail("status", session.status)
}
