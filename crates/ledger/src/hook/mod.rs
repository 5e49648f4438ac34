//! Hooks in the ledger: their definitions, the deliveries they set off, and the outbox.
//!
//! What was enqueued and what became of it are events, and `deliveries` is a view of them. How an
//! attempt goes is not: `outbox` holds a working row for each delivery that is not over, with the
//! attempts made, when the next one is due, and who is at it.

mod enqueue;
mod look;
mod outbox;
mod seam;

use windlass_domain::duration::Span;
use windlass_domain::hook::{Delivery, Hook};
use windlass_domain::{DeliveryId, HookId, Time};

pub use look::Shown;
pub use outbox::{Again, Attempt, Claimed, Claims, Sent, Settled};
#[cfg(test)]
pub(crate) use seam::{
    DUE_NEXT, EXPIRE_NEXT, IN_STATE, LOCKED_FROM_TO, OVERDUE, RECLAIM, claim_due,
};
pub(crate) use seam::{
    Hooks, PUT_BACK, PUT_DELIVERY, QUEUE_DELIVERY, delivery_cells, queue_cells, waiting_cells,
};

/// A hook as it is defined somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defined {
    pub hook: Hook,
    /// The definition in the ledger; none when it is in the settings.
    pub in_ledger: Option<InLedger>,
}

/// Where in the ledger a hook is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InLedger {
    pub id: HookId,
    /// How many events its stream has.
    pub version: u64,
    pub updated_at: Time,
}

/// A delivery with how its attempts go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    pub delivery: Delivery,
    /// Its row in the outbox, while it is not over.
    pub waiting: Option<Waiting>,
}

/// A delivery in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub attempts: u32,
    pub next_attempt_at: Time,
    pub expires_at: Time,
    pub last_error: Option<String>,
    /// Somebody is sending it.
    pub sending: Option<Sending>,
}

/// Who is sending a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    pub lock: Lock,
    pub worker: String,
    pub since: Time,
}

impl Sending {
    /// Whether the worker still has the delivery, of which it may hold each for `lock_for`. One that
    /// would hold it for longer from now on had a clock that was ahead.
    pub fn holds(&self, now: Time, lock_for: Span) -> bool {
        self.since > now.before(lock_for) && self.since <= now.plus(lock_for)
    }
}

/// What a worker holds a delivery by. A delivery that was taken from it has another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lock(pub(crate) [u8; 16]);

impl std::fmt::Debug for Lock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&DeliveryId::from_bytes(self.0), f)
    }
}

/// How far the outbox is behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// How many deliveries are not over.
    pub deliveries: u64,
    /// Since when the oldest of them waits.
    pub oldest_at: Option<Time>,
    /// How many were given up, and wait for somebody to decide.
    pub failed: u64,
}

/// How many deliveries there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HookCounts {
    /// They wait to be sent.
    pub queued: u64,
    /// They are being sent.
    pub processing: u64,
    pub delivered: u64,
    pub failed: u64,
    pub discarded: u64,
}
