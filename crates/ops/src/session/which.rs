//! Which session a call is about.

use windlass_domain::chunk::access::Reader;
use windlass_domain::id::Fragment;
use windlass_domain::session::sit::not_found;
use windlass_domain::session::state::SessionStatus;
use windlass_domain::{Code, Refusal, RunKey, SessionId};
use windlass_ledger::{Error, KeptSession, SessionFilter, Snapshot};

use crate::context::{Context, Files};

/// So many open sessions of an agent are looked at.
const OPEN: u64 = 100;
/// More sessions than this are not listed when it is not clear which is meant.
const LISTED: usize = 5;

/// The session that a caller names, if any, and the run in which it calls.
#[derive(Debug, Clone)]
pub(crate) struct Which {
    session: Option<String>,
    run: Option<RunKey>,
}

impl Which {
    /// By an argument, by what a caller elsewhere has set, or by the environment. Others call their
    /// sittings sessions too, so that what a caller has set counts only if it is an id.
    pub(crate) fn of(given: Option<&String>, cx: &Context) -> Self {
        let wished = cx.surroundings.wishes.session.as_ref();
        let wished = wished.filter(|text| text.parse::<SessionId>().is_ok());
        Self {
            session: given.or(wished).cloned().or_else(|| variable(cx)),
            run: cx.surroundings.wishes.run.as_ref().and_then(|text| text.parse().ok()),
        }
    }

    /// The name itself, as a server takes it.
    pub(crate) fn named(self) -> Option<String> {
        self.session
    }

    /// The session that is named, or else the only one that can be meant.
    pub(crate) fn find(
        &self,
        snapshot: &mut Snapshot<'_>,
        reader: &Reader,
    ) -> Result<KeptSession, Error> {
        let found = self.sitting(snapshot, reader)?;
        found.ok_or_else(|| none_open(&reader.name).into())
    }

    /// The same, where somebody may also sit in no session. One whose time ran out hinders nobody,
    /// even if nobody noticed it yet.
    pub(crate) fn sitting(
        &self,
        snapshot: &mut Snapshot<'_>,
        reader: &Reader,
    ) -> Result<Option<KeptSession>, Error> {
        if let Some(text) = &self.session {
            return named(snapshot, text, reader).map(Some);
        }
        let mut open = self.meant(open(snapshot, &reader.name)?);
        match open.len() {
            0 | 1 => Ok(open.pop()),
            _ => Err(several(&open).into()),
        }
    }

    /// Of the sessions that an agent has open, those in which it may be calling. Agents that share a
    /// name are told apart by their runs: in a run its own session counts, never that of another.
    fn meant(&self, mut open: Vec<KeptSession>) -> Vec<KeptSession> {
        let Some(run) = self.run else { return open };
        let has_own = open.iter().any(|kept| kept.session.run == Some(run));
        let wanted = has_own.then_some(run);
        open.retain(|kept| kept.session.run == wanted);
        open
    }
}

/// The variable of the caller. That of a server says nothing of whom it serves.
fn variable(cx: &Context) -> Option<String> {
    match cx.surroundings.files {
        Files::Servers => None,
        Files::Callers => cx.surroundings.variables.session().map(str::to_owned),
    }
}

/// The session of an id or a part of one. What the caller may not know of is not there.
fn named(snapshot: &mut Snapshot<'_>, text: &str, reader: &Reader) -> Result<KeptSession, Error> {
    let part = Fragment::parse(text).map_err(|refusal| {
        refusal.hint("list the sessions: windlass session list").detail("field", "session")
    })?;
    let mut found = snapshot.sessions_like(&part)?;
    found.retain(|kept| kept.session.admit(reader).is_ok());
    match found.len() {
        0 => Err(not_found(text).into()),
        1 => found.pop().ok_or_else(|| not_found(text).into()),
        _ => Err(ambiguous(text, &found).into()),
    }
}

/// The sessions that an agent has open.
fn open(snapshot: &mut Snapshot<'_>, agent: &str) -> Result<Vec<KeptSession>, Error> {
    let filter = SessionFilter {
        agent: Some(agent.to_owned()),
        status: Some(SessionStatus::Active),
        limit: OPEN,
        ..SessionFilter::default()
    };
    Ok(snapshot.sessions(&filter)?)
}

fn none_open(name: &str) -> Refusal {
    Refusal::new(Code::SessionNotFound, format!("{name} has no open session"))
        .hint("say which session, or start one: windlass session start --agent NAME")
        .detail("agent", name)
}

fn several(open: &[KeptSession]) -> Refusal {
    Refusal::new(Code::IdAmbiguous, format!("several sessions are open: {}", listed(open)))
        .hint("say which, or set WINDLASS_SESSION")
        .detail("candidates", ids(open))
        .suggest(ids(open))
}

fn ambiguous(text: &str, found: &[KeptSession]) -> Refusal {
    Refusal::new(Code::IdAmbiguous, format!("'{text}' could be {}", listed(found)))
        .hint("give more characters of the id")
        .detail("given", text)
        .detail("candidates", ids(found))
        .suggest(ids(found))
}

fn listed(sessions: &[KeptSession]) -> String {
    let more = if sessions.len() > LISTED { " and more" } else { "" };
    format!("{}{more}", ids(sessions).join(", "))
}

fn ids(sessions: &[KeptSession]) -> Vec<String> {
    sessions.iter().take(LISTED).map(|kept| kept.session.id.to_string()).collect()
}
