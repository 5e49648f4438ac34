//! Sessions in the ledger: one row each, with everything that followed from their events.

mod seam;

use std::cmp::Reverse;

use windlass_domain::chunk::{ChunkType, Slug};
use windlass_domain::event::SessionEvent;
use windlass_domain::id::Fragment;
use windlass_domain::session::event::SessionStarted;
use windlass_domain::session::state::SessionStatus;
use windlass_domain::session::{Session, sit};
use windlass_domain::{Code, Event, ProjectId, Refusal, RunKey, SessionId, Time};

use crate::fault::{Error, Fault};
use crate::snapshot::Snapshot;
use crate::transaction::Transaction;
use crate::world::random_bits;

pub(crate) use seam::Sessions;
#[cfg(test)]
pub(crate) use seam::{
    SESSION, SESSION_EXPIRY_NEXT, SESSIONS, SESSIONS_OF_AGENT, SESSIONS_OF_RUN, SESSIONS_OPEN,
    SESSIONS_OVERDUE, SESSIONS_WITH, SESSIONS_WITH_PREFIX, SESSIONS_WITH_SUFFIX,
};

/// How many sessions are looked at that a part of an id may mean.
const ALIKE: u64 = 1_000;

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
    pub project: Option<ProjectId>,
    pub lifecycle: Option<Slug>,
    /// Only those that were started before this place of the log.
    pub before: Option<u64>,
    pub limit: u64,
}

impl Snapshot<'_> {
    pub fn session(&mut self, id: SessionId) -> Result<Option<KeptSession>, Fault> {
        self.store.session(id)
    }

    /// The sessions that a whole id or a part of one may mean, a few at most.
    pub fn sessions_like(&mut self, given: &Fragment) -> Result<Vec<KeptSession>, Fault> {
        let (part, prefix, suffix) = match given {
            Fragment::Whole(bytes) => {
                return Ok(self.session(SessionId::from_bytes(*bytes))?.into_iter().collect());
            }
            Fragment::Part { text, prefix, suffix } => (text, prefix, suffix),
        };
        let mut found = match prefix {
            Some(range) => self.store.sessions_with_prefix(*range, ALIKE)?,
            None => Vec::new(),
        };
        found.extend(self.store.sessions_with_suffix(*suffix, ALIKE)?);
        // The tail key covers only the end of a long suffix.
        found.retain(|kept| kept.session.id.matches(part));
        found.sort_by_key(|kept| kept.session.id);
        found.dedup_by_key(|kept| kept.session.id);
        Ok(found)
    }

    /// The newest sessions first. One whose time ran out is expired, whether anybody noticed it or
    /// not.
    pub fn sessions(&mut self, filter: &SessionFilter) -> Result<Vec<KeptSession>, Fault> {
        let now = self.now();
        let mut found = self.store.sessions(filter, now)?;
        if filter.status == Some(SessionStatus::Expired) {
            // The oldest come first here, and the newest are wanted. They are few: somebody notices.
            let overdue = self.store.sessions_overdue(now, u64::MAX)?;
            let is_before =
                |kept: &KeptSession| filter.before.is_none_or(|seq| kept.created_seq < seq);
            let wanted = |kept: &KeptSession| is_before(kept) && filter.admits(&kept.session, now);
            found.extend(overdue.into_iter().filter(wanted));
            found.sort_by_key(|kept| Reverse(kept.created_seq));
            // Where the status did not select them they were there already.
            found.dedup_by_key(|kept| kept.created_seq);
            found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        }
        Ok(found)
    }

    /// Sessions whose time ran out by then and of which nobody has noticed it, at most so many.
    pub fn sessions_overdue(&mut self, now: Time, limit: u64) -> Result<Vec<KeptSession>, Fault> {
        self.store.sessions_overdue(now, limit)
    }

    /// When the time of the next session runs out that nobody has ended.
    pub fn next_session_expiry(&mut self) -> Result<Option<Time>, Fault> {
        self.store.session_expiry_next()
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

    /// Records of up to `limit` sessions that their time ran out; returns of how many. It is the
    /// doing of time and not of the caller, so no bound of theirs is asked.
    pub fn expire_sessions(&mut self, limit: u64) -> Result<u64, Fault> {
        let now = self.now();
        let overdue = self.sessions_overdue(now, limit)?;
        if overdue.is_empty() {
            return Ok(0);
        }
        let types = self.chunk_types()?;
        for KeptSession { session, .. } in &overdue {
            self.expire(session, &types)?;
        }
        Ok(overdue.len() as u64)
    }

    /// Records of one session that its time ran out, if it did and nobody has noticed.
    pub fn expire_session(&mut self, kept: KeptSession) -> Result<KeptSession, Fault> {
        let session = &kept.session;
        if session.status_at(self.now()) == session.status {
            return Ok(kept);
        }
        let types = self.chunk_types()?;
        self.expire(session, &types)?;
        let id = session.id;
        self.session(id)?.ok_or_else(|| Fault::bug(format!("session {id} left its view")))
    }

    fn expire(&mut self, session: &Session, types: &[ChunkType]) -> Result<(), Fault> {
        let wrote = self.chunks_of_session(session.id)?;
        let events = sit::expire(session, &wrote, types, self.now());
        let events = events.into_iter().map(Event::from).collect();
        self.record(session.id.into(), session.events, events)
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
