//! Sending what waits in the outbox: what `hook drain` does once and `hook worker` again and again.
//!
//! One transaction writes down what came of earlier attempts and claims more; the courier delivers
//! meanwhile. A lock outlives the attempt that is made under it: what cannot be begun in time is
//! given back untried.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_domain::Time;
use windlass_domain::duration::Span;
use windlass_domain::hook::{Hook, Target as Where};
use windlass_hands::delivery::{
    Address, Courier, InTime, Message, NotReady, Outcome, Ready, Secret, Target,
};
use windlass_ledger::{
    Again, Attempt, Claimed, Claims, Clock, Error, Fault, Sent, Settled, Transaction,
};

use crate::context::{Context, Step, Surroundings};

/// Attempts at the same time.
const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(16).unwrap();
/// How long a worker may hold a delivery.
pub(crate) const LOCK_FOR: Span = Span::from_millis(120_000);
/// What an attempt may take beyond its limit, with writing down what came of it.
const MARGIN: Span = Span::from_millis(10_000);
/// Deliveries that are held at the same time, so that the courier need not wait for a commit: few at
/// first, so that a slow receiver does not keep other workers from the rest, more when it is quick.
const AHEAD: (u64, u64) = (64, 2_048);
/// How long outcomes wait for others to be written down with.
const PATIENCE: Duration = Duration::from_millis(50);
/// So many are written down without waiting for more: a worker that is killed takes them along, and
/// they are sent again.
const ENOUGH: usize = 512;
/// Whoever takes longer for what was held is not quick.
const QUICK: Duration = Duration::from_secs(1);

/// One worker on the outbox.
pub(crate) struct Dispatch {
    pub(crate) worker: String,
    pub(crate) tally: Tally,
    courier: Courier,
    /// What the courier has, by the key it was handed over under.
    under_way: HashMap<usize, Claimed>,
    next_key: usize,
    /// How many may be held, and since when that many are.
    ahead: u64,
    claimed_at: Instant,
    /// What came of attempts, to be written down.
    finished: Vec<(Claimed, Outcome)>,
}

/// What one transaction took out of the outbox, counted.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    /// To be sent.
    claimed: u64,
    /// Not to be sent: somebody answered meanwhile.
    answered: u64,
}

/// What became of deliveries, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) claimed: u64,
    pub(crate) attempted: u64,
    pub(crate) delivered: u64,
    pub(crate) retried: u64,
    pub(crate) failed: u64,
    pub(crate) reclaimed: u64,
    pub(crate) reclaimed_failed: u64,
    pub(crate) preflight_failed: u64,
    pub(crate) lost: u64,
    pub(crate) answered: u64,
}

impl Tally {
    /// What there is to tell beside deliveries that arrived.
    pub(crate) fn trouble(&self) -> Vec<String> {
        let told = [
            (self.retried, "will be tried again"),
            (self.failed + self.reclaimed_failed, "failed for good"),
            (self.reclaimed, "taken back from a worker that was gone"),
            (self.preflight_failed, "could not be sent at all"),
            (self.lost, "taken over by another worker"),
            (self.answered, "not sent, because somebody answered before"),
        ];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        told.map(|(count, what)| format!("{count} {what}")).collect()
    }
}

impl Dispatch {
    pub(crate) fn new(cx: &Context) -> Result<Self, Error> {
        let courier = Courier::new(CONCURRENCY).map_err(not_ready)?;
        courier.stop_on_signals().map_err(not_ready)?;
        let Surroundings { user, host, .. } = &cx.surroundings;
        let worker = format!("{user}@{host}-{}", std::process::id());
        Ok(Self {
            worker,
            tally: Tally::default(),
            courier,
            under_way: HashMap::new(),
            next_key: 0,
            ahead: AHEAD.0,
            claimed_at: Instant::now(),
            finished: Vec::new(),
        })
    }

    /// Somebody asked the process to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.courier.is_stopped()
    }

    /// Something was claimed and is not settled: the last transaction failed.
    pub(crate) fn is_busy(&self) -> bool {
        !self.under_way.is_empty() || !self.finished.is_empty()
    }

    /// Sends what is due, at most `limit`, until nothing is due or under way any more.
    pub(crate) fn send(&mut self, cx: &mut Context, limit: u64) -> Result<(), Error> {
        let mut left = limit;
        loop {
            let wanted = self.wanted().min(left);
            let mut taken = Taken::default();
            if wanted > 0 || !self.finished.is_empty() {
                taken = self.turn(cx, wanted)?;
                left -= taken.claimed;
            }
            if !self.is_busy() {
                // What was discarded may have kept something else back.
                if taken.answered > 0 {
                    continue;
                }
                return Ok(());
            }
            self.hear();
            let step = |done| Step { doing: "sending", done, of: None, unit: "hooks" };
            cx.step(step(self.tally.attempted));
        }
    }

    /// How many more to claim: many at once, or none.
    fn wanted(&mut self) -> u64 {
        let held = self.under_way.len() as u64;
        if self.is_stopped() || held * 2 > self.ahead {
            return 0;
        }
        self.ahead = match self.claimed_at.elapsed() < QUICK {
            true => (self.ahead * 4).min(AHEAD.1),
            false => AHEAD.0,
        };
        self.claimed_at = Instant::now();
        self.ahead - held
    }

    /// One transaction: what came of attempts is written down, and as many are claimed.
    fn turn(&mut self, cx: &mut Context, wanted: u64) -> Result<Taken, Error> {
        let (actor, _) = cx.identity(None)?;
        let clock = cx.clock();
        let Self { worker, finished, .. } = &*self;
        let (settled, claims, since) = cx.write_part(&actor, |tx| {
            // Not later than the ledger's, so that nothing is taken to last longer than it does.
            let since = Since { instant: Instant::now(), time: clock.now() };
            let settled = settle(tx, finished)?;
            let claims = match wanted {
                0 => Claims::default(),
                wanted => tx.claim_hooks(worker, wanted, LOCK_FOR)?,
            };
            Ok((settled, claims, since))
        })?;
        self.count(&settled, &claims);
        self.finished.clear();
        let taken = Taken { claimed: claims.claimed.len() as u64, answered: claims.answered };
        self.hand_over(cx, claims.claimed, since);
        Ok(taken)
    }

    /// Targets are made ready anew for each claim, so that changed variables count.
    fn hand_over(&mut self, cx: &Context, claimed: Vec<Claimed>, since: Since) {
        let variables = cx.surroundings.variables.all();
        let timestamp = cx.now().as_millis().div_euclid(1_000);
        let clock = cx.clock();
        let mut targets: HashMap<String, Result<Ready, Outcome>> = HashMap::new();
        for mut claimed in claimed {
            let hook = &claimed.hook;
            let ready = targets
                .entry(hook.name.clone())
                .or_insert_with(|| self.courier.prepare(&target(hook), variables));
            let ready = match ready {
                Ok(ready) => ready,
                Err(outcome) => {
                    self.finished.push((claimed, outcome.clone()));
                    continue;
                }
            };
            let body = std::mem::take(&mut claimed.payload);
            let message = Message { id: claimed.delivery.to_string(), timestamp, body };
            let in_time = since.leaves_time_for(claimed.hook.timeout(), Arc::clone(&clock));
            let key = self.next_key;
            self.next_key += 1;
            self.under_way.insert(key, claimed);
            self.courier.hand_over(key, ready, message, in_time);
        }
    }

    /// Waits for outcomes.
    fn hear(&mut self) {
        let half = usize::try_from(self.ahead / 2).unwrap_or(usize::MAX);
        for (key, outcome) in self.courier.many_outcomes(half.min(ENOUGH), PATIENCE) {
            if let Some(claimed) = self.under_way.remove(&key) {
                self.finished.push((claimed, outcome));
            }
        }
    }

    fn count(&mut self, settled: &[Settled], claims: &Claims) {
        let tally = &mut self.tally;
        for settled in settled {
            tally.attempted += 1;
            match settled {
                Settled::Delivered => tally.delivered += 1,
                Settled::Queued { .. } => tally.retried += 1,
                Settled::Failed => tally.failed += 1,
                Settled::Lost => tally.lost += 1,
            }
        }
        let is_unsendable =
            |(_, outcome): &&(Claimed, Outcome)| matches!(outcome, Outcome::Unsendable { .. });
        tally.preflight_failed += self.finished.iter().filter(is_unsendable).count() as u64;
        tally.claimed += claims.claimed.len() as u64;
        tally.reclaimed += claims.reclaimed;
        tally.reclaimed_failed += claims.failed;
        tally.answered += claims.answered;
    }
}

/// Since when deliveries are held, by the clocks of this machine.
#[derive(Debug, Clone, Copy)]
struct Since {
    instant: Instant,
    time: Time,
}

impl Since {
    /// Whether an attempt can still end before its lock does. Both clocks are asked: one stands still
    /// while the machine sleeps, the other can be set.
    fn leaves_time_for(self, limit: Span, clock: Arc<dyn Clock>) -> InTime {
        let latest = LOCK_FOR.as_millis() - MARGIN.as_millis() - limit.as_millis();
        Box::new(move || {
            let passed = i64::try_from(self.instant.elapsed().as_millis()).unwrap_or(i64::MAX);
            passed.max(clock.now().millis_since(self.time)) <= latest
        })
    }
}

/// Writes down what came of attempts; what was not tried is given back.
fn settle(
    tx: &mut Transaction<'_>,
    finished: &[(Claimed, Outcome)],
) -> Result<Vec<Settled>, Fault> {
    let mut attempts = Vec::with_capacity(finished.len());
    for (Claimed { delivery, lock, .. }, outcome) in finished {
        let (delivery, lock) = (*delivery, *lock);
        match sent(outcome) {
            Some(sent) => attempts.push(Attempt { delivery, lock, sent }),
            None => drop(tx.unclaim_hook(delivery, lock)?),
        }
    }
    tx.settle_hooks(&attempts)
}

/// How an attempt went, if it was made.
fn sent(outcome: &Outcome) -> Option<Sent> {
    let failed = |reason: &str, retry_after, again| {
        Some(Sent::Failed { reason: reason.to_owned(), retry_after, again })
    };
    match outcome {
        Outcome::Delivered { .. } => Some(Sent::Delivered),
        Outcome::Failed { reason, retry_after, for_good } => {
            let again = if *for_good { Again::Never } else { Again::ByTheSchedule };
            failed(reason, retry_after.map(span), again)
        }
        Outcome::Unsendable { reason } => failed(reason, None, Again::ByTheSchedule),
        Outcome::NotSent => None,
    }
}

fn span(time: Duration) -> Span {
    Span::from_millis(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

/// The hook as the courier knows targets.
fn target(hook: &Hook) -> Target {
    let address = match &hook.target {
        Where::Url { url, headers } => {
            let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone()));
            Address::Url { url: url.clone(), headers: headers.collect() }
        }
        Where::Command { argv } => Address::Command { argv: argv.clone() },
    };
    let limit = Duration::from_millis(u64::try_from(hook.timeout_ms).unwrap_or(0));
    let secret = hook.secret.as_ref().map(|secret| match secret.variable() {
        Some(name) => Secret::Variable(name.to_owned()),
        None => Secret::Itself(secret.as_written().to_owned()),
    });
    Target { address, secret, limit }
}

fn not_ready(error: NotReady) -> Fault {
    Fault::new(windlass_domain::Code::StorageFailed, error.to_string()).because(error)
}
