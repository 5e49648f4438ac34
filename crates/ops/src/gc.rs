//! `gc`: what time has settled is put on record, and what is too old to be remembered goes.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::claim::ran_out;
use windlass_ledger::{Error, Fault, Snapshot, Transaction};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, counted};

/// Old records of executions that go in one transaction, so that nobody waits long for it.
const OPS: u64 = 500;

/// Answers to runs that are recorded as overdue in one transaction.
const ANSWERS: u64 = 500;

/// Sessions that are recorded as expired in one transaction.
const SESSIONS: u64 = 500;

/// Forgets old op ids, and records leases and sessions that ran out and answers that are overdue.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Gc {}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Swept {
    /// Op ids that were used more than 7 days ago.
    pub ops_expired: u64,
    /// Leases that nobody had seen running out.
    pub claims_expired: u64,
    /// Answers of people, waited for by runs, that nobody had noticed to be overdue.
    pub gates_overdue: u64,
    /// Sessions whose time ran out and that nobody had ended.
    pub sessions_expired: u64,
}

impl Operation for Gc {
    type Output = Swept;
    const NAME: &'static str = "gc";
    const ABOUT: &'static str = "Forget old op ids; record what ran out and what is overdue";
    const EXAMPLE: &'static str = "windlass gc";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Swept, Error> {
        let (actor, _) = cx.identity(None)?;
        let ops_expired = expire_ops(cx, &actor)?;
        let gates_overdue = notice_overdue(cx, &actor)?;
        let sessions_expired = expire_sessions(cx, &actor)?;
        cx.write(&actor, |tx| {
            let claims_expired = expire_claims(tx)?;
            Ok(Swept { ops_expired, claims_expired, gates_overdue, sessions_expired })
        })
    }
}

/// Forgets every op id that is old, part by part; returns how many.
fn expire_ops(cx: &mut Context, actor: &str) -> Result<u64, Error> {
    let mut expired = 0;
    loop {
        let part = cx.write_part(actor, |tx| Ok(tx.expire_ops(OPS)?))?;
        expired += part;
        if part < OPS {
            return Ok(expired);
        }
    }
}

/// Records every answer that is overdue, part by part; returns how many.
pub(crate) fn notice_overdue(cx: &mut Context, actor: &str) -> Result<u64, Error> {
    let next = |snapshot: &mut Snapshot<'_>| snapshot.next_answer_due();
    record_due(cx, actor, next, |tx| tx.notice_overdue(ANSWERS))
}

/// Records every session whose time ran out, part by part; returns how many.
pub(crate) fn expire_sessions(cx: &mut Context, actor: &str) -> Result<u64, Error> {
    let next = |snapshot: &mut Snapshot<'_>| snapshot.next_session_expiry();
    record_due(cx, actor, next, |tx| tx.expire_sessions(SESSIONS))
}

/// Records what time has settled, as long as something is due; returns of how much. Whether there is
/// any is looked up first, which locks nobody out.
fn record_due(
    cx: &mut Context,
    actor: &str,
    next: impl Fn(&mut Snapshot<'_>) -> Result<Option<Time>, Fault>,
    record: impl Fn(&mut Transaction<'_>) -> Result<u64, Fault>,
) -> Result<u64, Error> {
    let mut recorded = 0;
    while cx.read(|snapshot| {
        let now = snapshot.now();
        Ok(next(snapshot)?.is_some_and(|due| due <= now))
    })? {
        let part = cx.write_part(actor, |tx| Ok(record(tx)?))?;
        recorded += part;
        // Somebody else was quicker, or the clock was set back.
        if part == 0 {
            break;
        }
    }
    Ok(recorded)
}

/// Records every lease that ran out and was not recorded yet; returns how many.
pub(crate) fn expire_claims(tx: &mut Transaction<'_>) -> Result<u64, Error> {
    let mut expired = 0;
    for task in tx.held()? {
        if let Some(event) = ran_out(&task, tx.now()) {
            tx.record_task(&task, [event])?;
            expired += 1;
        }
    }
    Ok(expired)
}

impl Output for Swept {
    fn sheet(&self, _now: Time) -> Sheet {
        let ops = counted(self.ops_expired, "old op id");
        let claims = counted(self.claims_expired, "lease");
        let sheet = Sheet::line(format!("{ops} forgotten, {claims} recorded as run out"));
        and_settled(sheet, self.gates_overdue, self.sessions_expired)
    }
}

/// What time has settled, as far as it has.
pub(crate) fn and_settled(sheet: Sheet, gates_overdue: u64, sessions_expired: u64) -> Sheet {
    let sheet = match gates_overdue {
        0 => sheet,
        overdue => sheet.and_line(format!("{} recorded as overdue", counted(overdue, "answer"))),
    };
    match sessions_expired {
        0 => sheet,
        expired => sheet.and_line(format!("{} recorded as expired", counted(expired, "session"))),
    }
}
