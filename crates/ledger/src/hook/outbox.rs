//! The outbox: workers claim deliveries, send them, and settle what became of them.
//!
//! Claiming and settling are transactions of their own, with the sending between them, so no
//! transaction waits for the world. A worker that dies leaves its lock; after a while the next claim
//! takes the delivery from it, and whatever it still reports comes too late.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_domain::duration::Span;
use windlass_domain::event::{HookDelivered, HookDiscarded, HookFailed, HookRetried};
use windlass_domain::hook::{Delivery, Failed, Hook, Sought, TTL, next_attempt};
use windlass_domain::{Code, DeliveryId, Event, Kind, Refusal, TaskId, Time};

use super::seam::ClaimedRow;
use super::{Lock, Sending, Tracked, Waiting};
use crate::fault::{Error, Fault, unreadable};
use crate::transaction::{Happened, Transaction};
use crate::world::random_bits;

/// Deliveries that fail in one claim because their time is over; more of them wait for the next.
const OVERDUE: u64 = 10_000;
/// Why a question is not sent any more.
const ANSWERED: &str = "it was answered before it was sent";
/// Longer errors are cut.
const ERROR_CHARS: usize = 1_024;

/// What a worker has to send.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    pub delivery: DeliveryId,
    /// The definition in force now, not when it was enqueued.
    pub hook: Arc<Hook>,
    /// What it says, as JSON; the same bytes on every attempt.
    pub payload: String,
    /// Attempts before this one.
    pub attempts: u32,
    pub lock: Lock,
    pub expires_at: Time,
}

/// What a claim found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Claims {
    pub claimed: Vec<Claimed>,
    /// Deliveries taken from workers that held them too long.
    pub reclaimed: u64,
    /// Deliveries that failed because their time was over.
    pub failed: u64,
    /// Deliveries that ask for an answer which somebody gave meanwhile: they are not sent.
    pub answered: u64,
}

/// One attempt that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub delivery: DeliveryId,
    pub lock: Lock,
    pub sent: Sent,
}

/// How an attempt went.
#[derive(Debug, Clone, PartialEq)]
pub enum Sent {
    Delivered,
    Failed {
        /// Without secrets: it is kept and shown.
        reason: String,
        /// How long the receiver asks to be left alone.
        retry_after: Option<Span>,
        again: Again,
    },
}

/// Whether a failed delivery may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    ByTheSchedule,
    /// The receiver does not want it, ever.
    Never,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    Delivered,
    /// It is tried again.
    Queued {
        next_attempt_at: Time,
    },
    Failed,
    /// Somebody else has it, or it is over: nothing was recorded.
    Lost,
}

impl Transaction<'_> {
    /// Takes up to `limit` deliveries that are due, oldest first, so that nobody else sends them
    /// for `lock_for`. Before, what was held longer than that is due again, and what is too old has
    /// failed; what asks for an answer that is there is discarded. Deliveries of hooks that are not defined here are left to those who know them.
    pub fn claim_hooks(
        &mut self,
        worker: &str,
        limit: u64,
        lock_for: Span,
    ) -> Result<Claims, Fault> {
        let now = self.now();
        let reclaimed = self.store.reclaim(now, lock_for)?;
        let failed = self.fail_overdue()?;
        let hooks = self.hooks_once()?;
        let sending = Sending { lock: new_lock()?, worker: worker.to_owned(), since: now };
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
        let rows = match names.is_empty() {
            true => Vec::new(),
            false => self.store.claim_due(&names, &sending, limit)?,
        };
        let hooks: Vec<Arc<Hook>> = hooks.iter().cloned().map(Arc::new).collect();
        let (mut claimed, mut answered) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows {
            let Some(hook) = hooks.iter().find(|hook| hook.name == row.hook) else {
                return Err(Fault::bug("a hook was claimed that was not asked for"));
            };
            let payload = payload(&row)?;
            if row.tells_of_a_run && self.is_answered(&payload)? {
                answered.push(row.delivery);
                continue;
            }
            claimed.push(Claimed {
                payload,
                delivery: row.delivery,
                hook: Arc::clone(hook),
                attempts: row.attempts,
                lock: sending.lock,
                expires_at: row.expires_at,
            });
        }
        if reclaimed > 0 || !claimed.is_empty() {
            self.changed_working_rows();
        }
        self.discard_answered(&answered)?;
        Ok(Claims { claimed, reclaimed, failed, answered: answered.len() as u64 })
    }

    /// Nobody is to be asked for this any more: the answer is there, or the run is not.
    fn is_answered(&mut self, payload: &str) -> Result<bool, Fault> {
        // A message of an older version does not say which answer it seeks.
        let Ok(sought) = serde_json::from_str::<Sought>(payload) else { return Ok(false) };
        let kept = self.store.run_of(sought.run)?;
        Ok(kept.is_none_or(|kept| !sought.is_open(&kept.run)))
    }

    fn discard_answered(&mut self, answered: &[DeliveryId]) -> Result<(), Fault> {
        let discarded = || Event::from(HookDiscarded { reason: Some(ANSWERED.to_owned()) });
        let found = self.store.deliveries(answered)?.into_iter();
        self.record_deliveries(found.map(|tracked| (tracked.delivery, discarded())).collect())
    }

    /// Deliveries whose time is over fail with the last error there was.
    fn fail_overdue(&mut self) -> Result<u64, Fault> {
        let now = self.now();
        let overdue = self.store.overdue(now, OVERDUE)?;
        let mut ended = Vec::with_capacity(overdue.len());
        for Tracked { delivery, waiting } in overdue {
            let (attempts, last) =
                waiting.map_or((0, None), |waiting| (waiting.attempts, waiting.last_error));
            let error = last.unwrap_or_else(|| format!("it was not sent within {TTL}"));
            ended.push((delivery, HookFailed { attempts, error }.into()));
        }
        let count = ended.len() as u64;
        self.record_deliveries(ended)?;
        Ok(count)
    }

    /// Records what became of attempts, each in its place. An attempt counts only while its
    /// delivery is held under its lock.
    pub fn settle_hooks(&mut self, attempts: &[Attempt]) -> Result<Vec<Settled>, Fault> {
        let ids: Vec<DeliveryId> = attempts.iter().map(|attempt| attempt.delivery).collect();
        let found = self.store.deliveries(&ids)?;
        let mut held: HashMap<DeliveryId, Tracked> =
            found.into_iter().map(|tracked| (tracked.delivery.id, tracked)).collect();
        let now = self.now();
        let (mut settled, mut ended, mut back) = (Vec::new(), Vec::new(), Vec::new());
        for attempt in attempts {
            let Some((delivery, waiting)) = take_held(&mut held, attempt) else {
                settled.push(Settled::Lost);
                continue;
            };
            let (became, event) = after_attempt(&delivery, &waiting, &attempt.sent, now);
            settled.push(became);
            match (became, event) {
                (_, Some(event)) => ended.push((delivery, event)),
                (Settled::Queued { next_attempt_at }, None) => {
                    let attempts = waiting.attempts + 1;
                    let last_error = error_of(&attempt.sent);
                    let sending = None;
                    let waiting =
                        Waiting { attempts, next_attempt_at, last_error, sending, ..waiting };
                    back.push((delivery, waiting));
                }
                (Settled::Delivered | Settled::Failed | Settled::Lost, None) => {}
            }
        }
        self.put_back(&back)?;
        self.record_deliveries(ended)?;
        Ok(settled)
    }

    fn put_back(&mut self, back: &[(Delivery, Waiting)]) -> Result<(), Fault> {
        if back.is_empty() {
            return Ok(());
        }
        let rows: Vec<(&Delivery, Waiting)> =
            back.iter().map(|(delivery, waiting)| (delivery, waiting.clone())).collect();
        self.changed_working_rows();
        self.store.put_back(&rows)
    }

    /// Gives a delivery back that was not tried; says whether it was still held under this lock.
    pub fn unclaim_hook(&mut self, delivery: DeliveryId, lock: Lock) -> Result<bool, Fault> {
        let was_held = self.store.unclaim(delivery, lock)?;
        if was_held {
            self.changed_working_rows();
        }
        Ok(was_held)
    }

    /// Puts deliveries back into the outbox, as if they were new. Those that still wait there are due
    /// at once, with the attempts and the time they have left; one that is being sent is refused.
    pub fn retry_hooks(&mut self, deliveries: &[Tracked], lock_for: Span) -> Result<(), Error> {
        let now = self.now();
        let (mut retried, mut back) = (Vec::new(), Vec::new());
        for tracked in deliveries {
            self.refuse_outside(tracked.delivery.id.into(), &[HookRetried {}.into()])?;
            free(tracked, now, lock_for)?;
            let Tracked { delivery, waiting } = tracked.clone();
            if let Some(waiting) = waiting {
                let waiting = Waiting { next_attempt_at: now, sending: None, ..waiting };
                back.push((delivery, waiting));
            } else {
                let event = delivery.retry()?;
                retried.push((delivery, event));
            }
        }
        self.put_back(&back)?;
        Ok(self.record_deliveries(retried)?)
    }

    /// Takes deliveries out of the outbox; one that is being sent is refused.
    pub fn discard_hooks(
        &mut self,
        deliveries: &[Tracked],
        reason: Option<&str>,
        lock_for: Span,
    ) -> Result<(), Error> {
        let mut discarded = Vec::with_capacity(deliveries.len());
        for tracked in deliveries {
            let event = tracked.delivery.discard(reason.map(str::to_owned))?;
            self.refuse_outside(tracked.delivery.id.into(), std::slice::from_ref(&event))?;
            free(tracked, self.now(), lock_for)?;
            discarded.push((tracked.delivery.clone(), event));
        }
        Ok(self.record_deliveries(discarded)?)
    }

    /// Records the next events of deliveries, whose rows are known.
    fn record_deliveries(&mut self, next: Vec<(Delivery, Event)>) -> Result<(), Fault> {
        if next.is_empty() {
            return Ok(());
        }
        let (mut known, mut happened) = (Vec::new(), Vec::new());
        for (delivery, event) in next {
            let (id, at) = (None, self.now());
            let provenance = self.provenance().clone();
            let stream = delivery.id.into();
            happened.push((delivery.version + 1, Happened { id, at, stream, provenance, event }));
            known.push(delivery);
        }
        let ids: Vec<DeliveryId> = known.iter().map(|delivery| delivery.id).collect();
        self.append_known(happened, known)?;
        self.forget_deliveries(&ids)
    }

    /// Forgets what deliveries said that are over, when their task was pruned: so it leaves nothing in
    /// the outbox either. A task that was only deleted keeps all that was said of it.
    pub(crate) fn forget_deliveries(&mut self, ids: &[DeliveryId]) -> Result<(), Fault> {
        let seqs = self.store.over_for_good(ids)?;
        self.forget_enqueued(&seqs)
    }

    /// The same for all deliveries about a task.
    pub(crate) fn forget_deliveries_of(&mut self, task: TaskId) -> Result<(), Fault> {
        let seqs = self.store.over_for_good_of(task)?;
        self.forget_enqueued(&seqs)
    }

    fn forget_enqueued(&mut self, seqs: &[u64]) -> Result<(), Fault> {
        for seq in seqs {
            for event in self.store.events_after(seq - 1, 1)? {
                if event.data.is_some() {
                    self.store.empty_event(&event)?;
                }
            }
            self.store.delete_delivery(*seq)?;
        }
        Ok(())
    }
}

/// What a delivery says, as it stands in the event that enqueued it.
fn payload(row: &ClaimedRow) -> Result<String, Fault> {
    let lost = || Fault::bug(format!("delivery {} has no payload", row.delivery));
    let data = row.data.as_deref().ok_or_else(lost)?;
    if row.kind == Kind::HookEnqueued.as_str() && row.version == Kind::HookEnqueued.version() {
        // The rest of it is not needed, and this is done for every delivery.
        let said: Said<'_> = serde_json::from_str(data).map_err(unreadable)?;
        return Ok(said.payload.get().to_owned());
    }
    match Event::decode(&row.kind, row.version, data)? {
        Event::HookEnqueued(data) => Ok(data.payload.to_string()),
        _ => Err(lost()),
    }
}

/// The part of a [`windlass_domain::event::HookEnqueued`] that is sent.
#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow)]
    payload: &'a RawValue,
}

/// A delivery that is held under the lock of this attempt; each is settled once.
fn take_held(
    held: &mut HashMap<DeliveryId, Tracked>,
    attempt: &Attempt,
) -> Option<(Delivery, Waiting)> {
    let is_held = |waiting: &Waiting| {
        waiting.sending.as_ref().is_some_and(|sending| sending.lock == attempt.lock)
    };
    let tracked = held.get(&attempt.delivery)?;
    tracked.waiting.as_ref().filter(|waiting| is_held(waiting))?;
    let Tracked { delivery, waiting } = held.remove(&attempt.delivery)?;
    Some((delivery, waiting?))
}

/// What an attempt makes of a delivery, and the event of it unless it goes back to the outbox.
fn after_attempt(
    delivery: &Delivery,
    waiting: &Waiting,
    sent: &Sent,
    now: Time,
) -> (Settled, Option<Event>) {
    let attempts = waiting.attempts + 1;
    match sent {
        Sent::Delivered => (Settled::Delivered, Some(HookDelivered { attempts }.into())),
        Sent::Failed { retry_after, again, .. } => {
            let failed = Failed {
                delivery: delivery.id,
                attempts,
                max_attempts: delivery.max_attempts,
                at: now,
                expires_at: waiting.expires_at,
                retry_after: *retry_after,
            };
            let next = match again {
                Again::ByTheSchedule => next_attempt(&failed),
                Again::Never => None,
            };
            if let Some(next_attempt_at) = next {
                return (Settled::Queued { next_attempt_at }, None);
            }
            let error = error_of(sent).unwrap_or_default();
            (Settled::Failed, Some(HookFailed { attempts, error }.into()))
        }
    }
}

/// The reason of a failure as it is kept: one line, not too long.
fn error_of(sent: &Sent) -> Option<String> {
    match sent {
        Sent::Delivered => None,
        Sent::Failed { reason, .. } => {
            let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
            Some(reason.chars().map(plain).take(ERROR_CHARS).collect())
        }
    }
}

fn new_lock() -> Result<Lock, Fault> {
    Ok(Lock(random_bits()?.to_be_bytes()))
}

/// Refuses a delivery that somebody is sending.
fn free(tracked: &Tracked, now: Time, lock_for: Span) -> Result<(), Refusal> {
    let sending = tracked.waiting.as_ref().and_then(|waiting| waiting.sending.as_ref());
    match sending.filter(|sending| sending.holds(now, lock_for)) {
        Some(sending) => Err(being_sent(&tracked.delivery, sending)),
        None => Ok(()),
    }
}

fn being_sent(delivery: &Delivery, sending: &Sending) -> Refusal {
    let Sending { worker, since, .. } = sending;
    Refusal::new(
        Code::InvalidTransition,
        format!("delivery {} is being sent by {worker} since {since}", delivery.id),
    )
    .hint(format!("wait, then look again: windlass hook show {}", delivery.id))
    .detail("delivery_id", delivery.id)
    .detail("worker", worker)
    .detail("locked_at", since)
}
