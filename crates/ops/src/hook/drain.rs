//! `hook drain`: sends what is due, and ends.

use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_ledger::Error;

use super::dispatch::{Dispatch, LOCK_FOR, Tally};
use super::view::Unknown;
use crate::context::Context;
use crate::gc::{expire_sessions, notice_overdue};
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Cell, Sheet, counted};
use crate::view::limit;

/// Deliveries in one run when no limit is given.
const USUAL: u64 = 500;

/// Sends the hooks that are due, best effort: what fails is tried again by a later run. Answers that
/// are overdue are recorded before. Let a timer run it every 1 to 5 minutes.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
pub struct Drain {
    /// At most this many deliveries in this run; 500 if not given
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub limit: Option<u64>,
}

/// What became of the deliveries that were due.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Drained {
    /// Who held them meanwhile.
    pub worker_id: String,
    pub claimed: u64,
    /// Attempts that were made.
    pub attempted: u64,
    pub delivered: u64,
    /// They failed and will be tried again.
    pub retried: u64,
    /// They failed for good, at the last attempt.
    pub failed: u64,
    /// Taken back from workers that ended without a word.
    pub reclaimed: u64,
    /// They failed because their time was over before they could be sent.
    pub reclaimed_failed: u64,
    /// Attempts that failed before anything was sent: a variable is not set.
    pub preflight_failed: u64,
    /// Attempts that took so long that somebody else took the delivery over.
    pub lost: u64,
    /// They asked for an answer that somebody gave before they were sent.
    #[serde(default)]
    pub answered: u64,
    /// What waits for hooks that are not defined here.
    pub unknown: Vec<Unknown>,
    pub duration_ms: u64,
}

impl Operation for Drain {
    type Output = Drained;
    const NAME: &'static str = "hook.drain";
    const ABOUT: &'static str = "Send the hooks that are due; let a timer run it every 1-5 minutes";
    const EXAMPLE: &'static str = "windlass hook drain --limit 100";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<Drained, Error> {
        let limit = limit(self.limit.unwrap_or(USUAL))
            .map_err(|refusal| refusal.hint(format!("give --limit {USUAL}")))?;
        let started = Instant::now();
        let (actor, _) = cx.identity(None)?;
        // Whoever sends looks first, so that what is overdue is told by a timer alone.
        notice_overdue(cx, &actor)?;
        expire_sessions(cx, &actor)?;
        let mut dispatch = Dispatch::new(cx)?;
        if is_due(cx)? {
            dispatch.send(cx, limit)?;
        }
        let unknown = cx.read(|snapshot| Ok(Unknown::all(snapshot)?))?;
        Ok(Drained { unknown, ..Drained::of(&dispatch, started) })
    }
}

/// Whether there is anything to do; to look is cheap and locks nobody out.
fn is_due(cx: &mut Context) -> Result<bool, Error> {
    cx.read(|snapshot| {
        let now = snapshot.now();
        Ok(snapshot.next_hook_due(LOCK_FOR)?.is_some_and(|due| due <= now))
    })
}

impl Drained {
    pub(crate) fn of(dispatch: &Dispatch, started: Instant) -> Self {
        let Tally {
            claimed,
            attempted,
            delivered,
            retried,
            failed,
            reclaimed,
            reclaimed_failed,
            preflight_failed,
            lost,
            answered,
        } = dispatch.tally;
        Self {
            worker_id: dispatch.worker.clone(),
            claimed,
            attempted,
            delivered,
            retried,
            failed,
            reclaimed,
            reclaimed_failed,
            preflight_failed,
            lost,
            answered,
            unknown: Vec::new(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn tally(&self) -> Tally {
        Tally {
            claimed: self.claimed,
            attempted: self.attempted,
            delivered: self.delivered,
            retried: self.retried,
            failed: self.failed,
            reclaimed: self.reclaimed,
            reclaimed_failed: self.reclaimed_failed,
            preflight_failed: self.preflight_failed,
            lost: self.lost,
            answered: self.answered,
        }
    }
}

impl Output for Drained {
    fn sheet(&self, _now: Time) -> Sheet {
        let trouble = self.tally().trouble();
        let sheet = match self.attempted == 0 && trouble.is_empty() {
            true => Sheet::line("no hook was due"),
            false => Sheet::line(format!("{} delivered", counted(self.delivered, "hook"))),
        };
        let sheet = match trouble.is_empty() {
            true => sheet,
            false => sheet.and_line(Cell::dim(trouble.join(", "))),
        };
        self.unknown.iter().map(Unknown::in_words).fold(sheet, Sheet::and_line)
    }
}
