//! `hook worker`: sends hooks as they fall due, until it is asked to end.
//!
//! It waits for the ledger to change, for the next attempt, for the next lease that runs out and the
//! next answer that is overdue, which it puts on record. A database that goes away is waited for.

use std::time::{Duration, Instant};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::{Code, Time};
use windlass_ledger::{Error, Fault};

use super::dispatch::{Dispatch, LOCK_FOR};
use super::drain::Drained;
use super::view::Unknown;
use crate::context::Context;
use crate::gc::{and_settled, expire_claims, expire_sessions, notice_overdue};
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Sheet, counted};

/// How often to look whether we were asked to end, and what time it is.
const GLANCE: Duration = Duration::from_millis(200);
/// How long to wait for the ledger without asking either.
const STRETCH: Duration = Duration::from_secs(1);
/// The longest time between two looks at everything.
const ROUND: Span = Span::from_millis(60_000);
/// Before looking again at something that is due and could not be had.
const BREATH: Span = Span::from_millis(1_000);
/// Between two tries to reach the database: doubled from the one to the other.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// Sends hooks as they fall due, and records leases and sessions that run out and answers that are
/// overdue, until it is asked to end.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
pub struct Worker {}

/// What a worker did in its life.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Worked {
    #[serde(flatten)]
    pub drained: Drained,
    /// Leases that it recorded as run out.
    pub claims_expired: u64,
    /// Answers of people, waited for by runs, that it recorded as overdue.
    pub gates_overdue: u64,
    /// Sessions that it recorded as expired.
    pub sessions_expired: u64,
}

impl Operation for Worker {
    type Output = Worked;
    const NAME: &'static str = "hook.worker";
    const ABOUT: &'static str = "Send hooks as they fall due, until asked to end (SIGTERM, Ctrl-C)";
    const EXAMPLE: &'static str = "windlass hook worker";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<Worked, Error> {
        let started = Instant::now();
        // What is wrong from the beginning will not pass by waiting.
        cx.read(|snapshot| snapshot.head().map_err(Error::from))?;
        let mut life = Life {
            dispatch: Dispatch::new(cx)?,
            claims_expired: 0,
            gates_overdue: 0,
            sessions_expired: 0,
        };
        let mut pause = PAUSES.0;
        while !life.dispatch.is_stopped() {
            match life.round(cx) {
                Ok(()) => pause = PAUSES.0,
                Err(Error::Failed(fault)) if may_pass(&fault) => {
                    let seconds = pause.as_secs();
                    cx.notice(&format!("warning: {fault}; trying again in {seconds} s"));
                    life.sleep(pause);
                    pause = (pause * 2).min(PAUSES.1);
                }
                Err(error) => return Err(error),
            }
        }
        life.dispatch.send(cx, 0)?;
        let Life { dispatch, claims_expired, gates_overdue, sessions_expired } = life;
        let unknown = cx.read(|snapshot| Ok(Unknown::all(snapshot)?))?;
        let drained = Drained { unknown, ..Drained::of(&dispatch, started) };
        Ok(Worked { drained, claims_expired, gates_overdue, sessions_expired })
    }
}

/// A worker at work.
struct Life {
    dispatch: Dispatch,
    claims_expired: u64,
    gates_overdue: u64,
    sessions_expired: u64,
}

/// What one look at the ledger says about the next round.
struct Look {
    /// The end of the log.
    seq: u64,
    now: Time,
    hook: Option<Time>,
    lease: Option<Time>,
    answer: Option<Time>,
    session: Option<Time>,
}

impl Life {
    /// Does all there is to do, and waits for more.
    fn round(&mut self, cx: &mut Context) -> Result<(), Error> {
        let look = look(cx)?;
        let is_due = |time: Option<Time>| time.is_some_and(|time| time <= look.now);
        if is_due(look.lease) {
            let (actor, _) = cx.identity(None)?;
            self.claims_expired += cx.write_part(&actor, expire_claims)?;
        }
        if is_due(look.answer) {
            let (actor, _) = cx.identity(None)?;
            self.gates_overdue += notice_overdue(cx, &actor)?;
        }
        if is_due(look.session) {
            let (actor, _) = cx.identity(None)?;
            self.sessions_expired += expire_sessions(cx, &actor)?;
        }
        let before = self.dispatch.tally;
        if is_due(look.hook) || self.dispatch.is_busy() {
            self.dispatch.send(cx, u64::MAX)?;
        }
        let settled = [look.lease, look.answer, look.session];
        if settled.into_iter().any(is_due) || self.dispatch.tally != before {
            return Ok(());
        }
        // What is due and could not be had is left alone for a moment.
        let next = settled.into_iter().chain([look.hook]).flatten().min();
        let until = next.unwrap_or(look.now.plus(ROUND)).min(look.now.plus(ROUND));
        let time = until.max(look.now.plus(BREATH)).millis_since(look.now);
        self.wait(cx, look.seq, Span::from_millis(time))
    }

    /// Waits until the ledger goes beyond `seq`, or for that time by the clock of this machine, which
    /// may be set meanwhile.
    fn wait(&self, cx: &mut Context, seq: u64, time: Span) -> Result<(), Error> {
        let (clock, begun) = (cx.clock(), Instant::now());
        let end = clock.now().plus(time);
        let most = Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(0));
        while !self.dispatch.is_stopped() && clock.now() < end && begun.elapsed() < most {
            if cx.ledger()?.wait_beyond(seq, STRETCH)? {
                break;
            }
        }
        Ok(())
    }

    /// Lets time pass, unless we are asked to end.
    fn sleep(&self, time: Duration) {
        let deadline = Instant::now() + time;
        while !self.dispatch.is_stopped() && Instant::now() < deadline {
            std::thread::sleep(GLANCE);
        }
    }
}

fn look(cx: &mut Context) -> Result<Look, Error> {
    cx.read(|snapshot| {
        let held = snapshot.held()?.into_iter().filter(|task| !task.lease_expired);
        Ok(Look {
            seq: snapshot.head()?.seq,
            now: snapshot.now(),
            hook: snapshot.next_hook_due(LOCK_FOR)?,
            lease: held.filter_map(|task| task.lease_until).min(),
            answer: snapshot.next_answer_due()?,
            session: snapshot.next_session_expiry()?,
        })
    })
}

/// Whether waiting may help.
fn may_pass(fault: &Fault) -> bool {
    matches!(
        fault.code,
        Code::LedgerUnreachable | Code::LedgerLocked | Code::LedgerFull | Code::StorageFailed
    )
}

impl Output for Worked {
    fn sheet(&self, now: Time) -> Sheet {
        let sheet = self.drained.sheet(now);
        let sheet = match self.claims_expired {
            0 => sheet,
            expired => sheet.and_line(format!("{} recorded as run out", counted(expired, "lease"))),
        };
        and_settled(sheet, self.gates_overdue, self.sessions_expired)
    }
}
