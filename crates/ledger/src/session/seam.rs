//! What the sessions ask of an open transaction, with its SQL, the same in both dialects.

use windlass_domain::session::Session;
use windlass_domain::session::state::SessionStatus;
use windlass_domain::{RunKey, SessionId, Time};

use super::{KeptSession, SessionFilter};
use crate::cell::{Cell, Columns};
use crate::fault::Fault;
use crate::record::{from_json, to_json};
use crate::store::{Statements, all, first};

/// Where some of what is read may not be wanted, so many sessions are read at a time at least.
const PAGE: u64 = 100;

const INSERT_SESSION: &str = "INSERT INTO sessions (created_seq, id, tail, agent, run_id, status, \
     expires_at, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
/// By the primary key. Whose it is and of which run never changes.
const UPDATE_SESSION: &str =
    "UPDATE sessions SET status = $1, expires_at = $2, state = $3 WHERE created_seq = $4";

macro_rules! sessions {
    ($condition:literal) => {
        concat!("SELECT created_seq, state FROM sessions ", $condition)
    };
}

/// By the unique index on `id`.
pub(crate) const SESSION: &str = sessions!("WHERE id = $1");
/// By the unique index on `id`.
pub(crate) const SESSIONS_WITH_PREFIX: &str =
    sessions!("WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3");
/// By `sessions_tail`.
pub(crate) const SESSIONS_WITH_SUFFIX: &str =
    sessions!("WHERE tail BETWEEN $1 AND $2 ORDER BY tail LIMIT $3");
/// By the primary key, backwards.
pub(crate) const SESSIONS: &str =
    sessions!("WHERE created_seq < $1 ORDER BY created_seq DESC LIMIT $2");
/// By `sessions_run`, backwards.
pub(crate) const SESSIONS_OF_RUN: &str =
    sessions!("WHERE run_id = $1 AND created_seq < $2 ORDER BY created_seq DESC LIMIT $3");
/// By `sessions_agent`, backwards.
pub(crate) const SESSIONS_OF_AGENT: &str =
    sessions!("WHERE agent = $1 AND created_seq < $2 ORDER BY created_seq DESC LIMIT $3");
/// By `sessions_open`, backwards. Only a session that is not over has a time when it runs out.
pub(crate) const SESSIONS_OPEN: &str = sessions!(
    "WHERE agent = $1 AND expires_at IS NOT NULL AND created_seq < $2 \
     ORDER BY created_seq DESC LIMIT $3"
);
/// By `sessions_status`, backwards.
pub(crate) const SESSIONS_WITH: &str =
    sessions!("WHERE status = $1 AND created_seq < $2 ORDER BY created_seq DESC LIMIT $3");
/// By `sessions_expiry`.
pub(crate) const SESSIONS_OVERDUE: &str =
    sessions!("WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2");
/// By `sessions_expiry`.
pub(crate) const SESSION_EXPIRY_NEXT: &str =
    "SELECT expires_at FROM sessions WHERE expires_at IS NOT NULL ORDER BY expires_at LIMIT 1";

/// The part of the seam that is about sessions.
pub(crate) trait Sessions: Statements {
    fn insert_session(&mut self, kept: &KeptSession) -> Result<(), Fault> {
        let KeptSession { created_seq, session } = kept;
        let (run, state) = (session.run.map(RunKey::to_bytes), to_json(session));
        let cells = [
            Cell::count(*created_seq),
            Cell::Bytes(&session.id.to_bytes()),
            Cell::Int(session.id.tail()),
            Cell::Text(&session.agent),
            run.as_ref().map_or(Cell::Null, |id| Cell::Bytes(id)),
            Cell::Text(session.status.as_str()),
            Cell::int_or_null(end(session)),
            Cell::Text(&state),
        ];
        self.run(INSERT_SESSION, &cells).map(drop)
    }

    fn update_session(&mut self, kept: &KeptSession) -> Result<(), Fault> {
        let KeptSession { created_seq, session } = kept;
        let state = to_json(session);
        let cells = [
            Cell::Text(session.status.as_str()),
            Cell::int_or_null(end(session)),
            Cell::Text(&state),
            Cell::count(*created_seq),
        ];
        self.run(UPDATE_SESSION, &cells).map(drop)
    }

    fn session(&mut self, id: SessionId) -> Result<Option<KeptSession>, Fault> {
        first(self, SESSION, &[Cell::Bytes(&id.to_bytes())], read_session)
    }

    /// Sessions whose id lies in the range, at most `limit`.
    fn sessions_with_prefix(
        &mut self,
        range: ([u8; 16], [u8; 16]),
        limit: u64,
    ) -> Result<Vec<KeptSession>, Fault> {
        let cells = [Cell::Bytes(&range.0), Cell::Bytes(&range.1), Cell::count(limit)];
        all(self, SESSIONS_WITH_PREFIX, &cells, read_session)
    }

    /// Sessions whose tail key lies in the range, at most `limit`.
    fn sessions_with_suffix(
        &mut self,
        range: (i64, i64),
        limit: u64,
    ) -> Result<Vec<KeptSession>, Fault> {
        let cells = [Cell::Int(range.0), Cell::Int(range.1), Cell::count(limit)];
        all(self, SESSIONS_WITH_SUFFIX, &cells, read_session)
    }

    fn session_expiry_next(&mut self) -> Result<Option<Time>, Fault> {
        first(self, SESSION_EXPIRY_NEXT, &[], |row| Ok(Time::from_millis(row.int(0)?)))
    }

    fn sessions_overdue(&mut self, now: Time, limit: u64) -> Result<Vec<KeptSession>, Fault> {
        let cells = [Cell::Int(now.as_millis()), Cell::count(limit)];
        all(self, SESSIONS_OVERDUE, &cells, read_session)
    }

    /// The newest first, by what is recorded of them. One of the conditions selects an index, the
    /// others are checked one by one.
    fn sessions(&mut self, filter: &SessionFilter, now: Time) -> Result<Vec<KeptSession>, Fault> {
        let mut before = Cell::count(filter.before.unwrap_or(u64::MAX));
        let mut found: Vec<KeptSession> = Vec::new();
        loop {
            let size = filter.limit.saturating_sub(found.len() as u64).max(PAGE);
            let page = self.page_of_sessions(filter, before, size)?;
            let Some(last) = page.last() else { break };
            before = Cell::count(last.created_seq);
            let is_last = (page.len() as u64) < size;
            found.extend(page.into_iter().filter(|kept| filter.admits(&kept.session, now)));
            if is_last || found.len() as u64 >= filter.limit {
                break;
            }
        }
        found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        Ok(found)
    }

    fn page_of_sessions(
        &mut self,
        filter: &SessionFilter,
        before: Cell<'_>,
        limit: u64,
    ) -> Result<Vec<KeptSession>, Fault> {
        let limit = Cell::count(limit);
        match filter {
            SessionFilter { run: Some(run), .. } => {
                let run = RunKey::to_bytes(*run);
                all(self, SESSIONS_OF_RUN, &[Cell::Bytes(&run), before, limit], read_session)
            }
            SessionFilter { agent: Some(agent), status: Some(SessionStatus::Active), .. } => {
                all(self, SESSIONS_OPEN, &[Cell::Text(agent), before, limit], read_session)
            }
            SessionFilter { agent: Some(agent), .. } => {
                all(self, SESSIONS_OF_AGENT, &[Cell::Text(agent), before, limit], read_session)
            }
            SessionFilter { status: Some(status), .. } => {
                let cells = [Cell::Text(status.as_str()), before, limit];
                all(self, SESSIONS_WITH, &cells, read_session)
            }
            SessionFilter { .. } => all(self, SESSIONS, &[before, limit], read_session),
        }
    }
}

/// When the time of a session runs out that is not over.
fn end(session: &Session) -> Option<i64> {
    let is_active = session.status == SessionStatus::Active;
    is_active.then(|| session.expires_at.as_millis())
}

impl SessionFilter {
    pub(super) fn admits(&self, session: &Session, now: Time) -> bool {
        self.status.is_none_or(|status| session.status_at(now) == status)
            && self.agent.as_ref().is_none_or(|agent| session.agent == *agent)
            && self.run.is_none_or(|run| session.run == Some(run))
            && self.project.is_none_or(|project| session.project == Some(project))
            && self.lifecycle.as_ref().is_none_or(|lifecycle| session.lifecycle == *lifecycle)
    }
}

fn read_session(row: &dyn Columns) -> Result<KeptSession, Fault> {
    Ok(KeptSession { created_seq: row.count(0)?, session: from_json(&row.text(1)?)? })
}
