//! The outbox: who may send what when, and what becomes of it.

use std::cell::RefCell;
use std::collections::HashMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use windlass_domain::duration::Span;
use windlass_domain::event::HookDiscarded;
use windlass_domain::hook::{Hook, State, TTL, Trigger};
use windlass_domain::{Code, DeliveryId, Status, Time};

use super::hooks::{all, define, hook};
use super::{Bed, on_both};
use crate::{Again, Attempt, Backlog, Claimed, Claims, Clock as _, Lock, Sent, Settled, Shown};

on_both! {
    a_claim_takes_what_is_due_oldest_first_and_no_more_than_asked
    what_one_worker_holds_no_other_gets
    what_a_dead_worker_held_is_due_again_with_its_attempts
    a_worker_that_lost_its_lock_cannot_settle
    what_was_locked_by_a_clock_that_was_ahead_is_due_again
    what_a_dead_worker_holds_can_be_discarded_and_tried_again
    a_clock_that_goes_back_a_little_takes_nothing_from_a_worker
    a_delivery_that_waits_for_its_next_attempt_can_be_due_now
    deliveries_of_hooks_that_are_not_defined_here_are_counted
    an_attempt_is_settled_once
    what_failed_is_tried_again_by_the_schedule
    a_delivery_fails_when_its_attempts_are_used_up
    a_delivery_fails_when_its_time_is_over
    a_next_attempt_after_the_end_is_not_waited_for
    what_the_receiver_never_wants_fails_at_once
    a_receiver_may_ask_for_more_time
    what_was_not_tried_goes_back_as_it_was
    a_hook_that_is_not_defined_here_is_left_alone
    what_a_worker_sends_is_the_hook_as_it_is_defined_now
    an_error_is_kept_as_one_line_that_is_not_too_long
    a_retried_delivery_begins_anew_under_the_same_id
    a_delivery_that_is_being_sent_cannot_be_discarded
    a_discarded_delivery_is_not_sent
    the_next_time_to_look_is_known
    deliveries_are_counted_and_listed_by_state
    the_backlog_tells_how_many_wait_since_when_and_how_many_failed
    a_delivery_is_found_by_a_part_of_its_id
    a_rebuild_keeps_the_lock_of_a_delivery_that_was_put_back
    a_claim_that_finds_nothing_writes_nothing
    no_interleaving_lets_two_workers_hold_a_delivery
}

pub(super) const LOCK_FOR: Span = Span::from_millis(300_000);
const MINUTE: i64 = 60_000;

/// So many deliveries, a millisecond apart.
fn enqueued(bed: &mut Bed, count: usize) -> Vec<DeliveryId> {
    define(bed, hook("on_done", Trigger::OnDone));
    let project = bed.project("api");
    for _ in 0..count {
        bed.clock.advance(1);
        bed.add(project, |task| task.status = Status::Done);
    }
    let mut deliveries: Vec<_> = all(bed).iter().map(|tracked| tracked.delivery.id).collect();
    deliveries.reverse();
    deliveries
}

pub(super) fn claims(bed: &mut Bed, worker: &str, limit: u64) -> Claims {
    bed.write(|tx| Ok(tx.claim_hooks(worker, limit, LOCK_FOR)?)).unwrap()
}

fn claim(bed: &mut Bed, limit: u64) -> Vec<Claimed> {
    claims(bed, "w", limit).claimed
}

pub(super) fn failed(reason: &str) -> Sent {
    Sent::Failed { reason: reason.to_owned(), retry_after: None, again: Again::ByTheSchedule }
}

pub(super) fn settle(bed: &mut Bed, claimed: &Claimed, sent: Sent) -> Settled {
    let attempt = Attempt { delivery: claimed.delivery, lock: claimed.lock, sent };
    bed.write(|tx| Ok(tx.settle_hooks(std::slice::from_ref(&attempt))?)).unwrap()[0]
}

/// Sends what is due, at most `limit`; says how many arrived.
pub(super) fn send(bed: &mut Bed, limit: u64, arrives: impl Fn(usize) -> bool) -> usize {
    let claimed = claim(bed, limit);
    let attempt = |(index, claimed): (usize, &Claimed)| Attempt {
        delivery: claimed.delivery,
        lock: claimed.lock,
        sent: if arrives(index) { Sent::Delivered } else { failed("no answer") },
    };
    let attempts: Vec<Attempt> = claimed.iter().enumerate().map(attempt).collect();
    let settled = bed.write(|tx| Ok(tx.settle_hooks(&attempts)?)).unwrap();
    settled.iter().filter(|settled| **settled == Settled::Delivered).count()
}

fn state(bed: &mut Bed, id: DeliveryId) -> State {
    all(bed).iter().find(|tracked| tracked.delivery.id == id).unwrap().delivery.state
}

fn ids(claimed: &[Claimed]) -> Vec<DeliveryId> {
    claimed.iter().map(|claimed| claimed.delivery).collect()
}

fn a_claim_takes_what_is_due_oldest_first_and_no_more_than_asked(bed: &mut Bed) {
    let deliveries = enqueued(bed, 3);
    let claimed = claim(bed, 2);
    assert_eq!(ids(&claimed), deliveries[..2]);
    assert_eq!(claimed[0].attempts, 0);
    assert!(claimed[0].payload.contains("\"trigger\":\"on_done\""), "{}", claimed[0].payload);
    assert_eq!(ids(&claim(bed, 9)), deliveries[2..]);
}

fn what_one_worker_holds_no_other_gets(bed: &mut Bed) {
    enqueued(bed, 3);
    assert_eq!(claims(bed, "one", 9).claimed.len(), 3);
    assert_eq!(claims(bed, "two", 9), Claims::default());
    let tracked = all(bed).remove(0);
    let sending = tracked.waiting.unwrap().sending.unwrap();
    assert_eq!((sending.worker.as_str(), sending.since), ("one", bed.clock.now()));
}

fn what_a_dead_worker_held_is_due_again_with_its_attempts(bed: &mut Bed) {
    enqueued(bed, 1);
    let first = claim(bed, 1).remove(0);
    settle(bed, &first, failed("no answer"));
    bed.clock.advance(MINUTE);
    let held = claim(bed, 1).remove(0);
    assert_eq!(held.attempts, 1);
    bed.clock.advance(LOCK_FOR.as_millis() - 1);
    assert_eq!(claims(bed, "two", 9), Claims::default());
    bed.clock.advance(1);
    let taken = claims(bed, "two", 9);
    assert_eq!((taken.reclaimed, taken.claimed[0].attempts), (1, 1));
    assert_ne!(taken.claimed[0].lock, held.lock);
}

fn a_worker_that_lost_its_lock_cannot_settle(bed: &mut Bed) {
    enqueued(bed, 1);
    let slow = claim(bed, 1).remove(0);
    bed.clock.advance(LOCK_FOR.as_millis());
    let other = claims(bed, "two", 1).claimed.remove(0);
    assert_eq!(settle(bed, &slow, Sent::Delivered), Settled::Lost);
    assert_eq!(settle(bed, &slow, failed("late")), Settled::Lost);
    let given_back = bed.write(|tx| Ok(tx.unclaim_hook(slow.delivery, slow.lock)?)).unwrap();
    assert!(!given_back);
    assert_eq!(settle(bed, &other, Sent::Delivered), Settled::Delivered);
}

fn what_was_locked_by_a_clock_that_was_ahead_is_due_again(bed: &mut Bed) {
    enqueued(bed, 1);
    bed.clock.advance(60 * MINUTE);
    let ahead = claim(bed, 1).remove(0);
    bed.clock.advance(-60 * MINUTE);
    let next = bed.ledger.read(|snapshot| Ok(snapshot.next_hook_due(LOCK_FOR)?)).unwrap();
    assert_eq!(next, Some(bed.clock.now()));
    let taken = claims(bed, "two", 9);
    assert_eq!((taken.reclaimed, taken.claimed.len()), (1, 1));
    assert_eq!(settle(bed, &ahead, Sent::Delivered), Settled::Lost);
}

fn what_a_dead_worker_holds_can_be_discarded_and_tried_again(bed: &mut Bed) {
    let deliveries = enqueued(bed, 1);
    for millis in [LOCK_FOR.as_millis(), -LOCK_FOR.as_millis() - 1] {
        let held = claim(bed, 1).remove(0);
        bed.clock.advance(millis);
        bed.write(|tx| {
            let tracked = tx.deliveries(Shown::Processing, 1)?;
            tx.retry_hooks(&tracked, LOCK_FOR)
        })
        .unwrap();
        assert_eq!(settle(bed, &held, Sent::Delivered), Settled::Lost);
    }
    claim(bed, 1);
    bed.clock.advance(LOCK_FOR.as_millis());
    bed.write(|tx| {
        let tracked = tx.deliveries(Shown::Processing, 1)?;
        tx.discard_hooks(&tracked, None, LOCK_FOR)
    })
    .unwrap();
    assert_eq!(state(bed, deliveries[0]), State::Discarded);
}

fn a_clock_that_goes_back_a_little_takes_nothing_from_a_worker(bed: &mut Bed) {
    enqueued(bed, 1);
    let held = claim(bed, 1).remove(0);
    bed.clock.advance(-1_000);
    assert_eq!(claims(bed, "two", 9), Claims::default());
    assert_eq!(settle(bed, &held, Sent::Delivered), Settled::Delivered);
}

fn a_delivery_that_waits_for_its_next_attempt_can_be_due_now(bed: &mut Bed) {
    enqueued(bed, 1);
    let first = claim(bed, 1).remove(0);
    settle(bed, &first, failed("no answer"));
    let head = bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    bed.write(|tx| {
        let tracked = tx.deliveries(Shown::Waiting, 1)?;
        tx.retry_hooks(&tracked, LOCK_FOR)
    })
    .unwrap();
    let again = claim(bed, 1).remove(0);
    assert_eq!((again.attempts, again.expires_at), (1, first.expires_at));
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap(), head);
    let refused = bed.write(|tx| {
        let tracked = tx.deliveries(Shown::Processing, 1)?;
        tx.retry_hooks(&tracked, LOCK_FOR)
    });
    assert_eq!(refused.unwrap_err().code(), Code::InvalidTransition);
}

fn deliveries_of_hooks_that_are_not_defined_here_are_counted(bed: &mut Bed) {
    let unknown =
        |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.waiting_for_unknown()?)).unwrap();
    enqueued(bed, 2);
    assert_eq!(unknown(bed), []);
    bed.write(|tx| {
        let defined = tx.hook_named("on_done")?;
        tx.remove_hook(&defined)
    })
    .unwrap();
    assert_eq!(unknown(bed), [("on_done".to_owned(), 2)]);
}

fn an_attempt_is_settled_once(bed: &mut Bed) {
    enqueued(bed, 1);
    let claimed = claim(bed, 1).remove(0);
    let attempt = Attempt { delivery: claimed.delivery, lock: claimed.lock, sent: Sent::Delivered };
    let twice = [attempt.clone(), attempt];
    let settled = bed.write(|tx| Ok(tx.settle_hooks(&twice)?)).unwrap();
    assert_eq!(settled, [Settled::Delivered, Settled::Lost]);
    assert_eq!(settle(bed, &claimed, Sent::Delivered), Settled::Lost);
}

fn what_failed_is_tried_again_by_the_schedule(bed: &mut Bed) {
    enqueued(bed, 1);
    let gaps = [30_000, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE];
    for (attempts, gap) in (0..).zip(gaps) {
        let claimed = claim(bed, 1).remove(0);
        assert_eq!(claimed.attempts, attempts);
        let Settled::Queued { next_attempt_at } = settle(bed, &claimed, failed("no answer")) else {
            panic!("not tried again")
        };
        let waited = next_attempt_at.millis_since(bed.clock.now());
        assert!((gap * 4 / 5..=gap * 6 / 5).contains(&waited), "{attempts}: {waited}");
        bed.clock.advance(waited - 1);
        assert_eq!(claim(bed, 1), []);
        bed.clock.advance(1);
    }
    let waiting = all(bed).remove(0).waiting.unwrap();
    assert_eq!((waiting.attempts, waiting.last_error.as_deref()), (4, Some("no answer")));
}

fn a_delivery_fails_when_its_attempts_are_used_up(bed: &mut Bed) {
    define(bed, Hook { max_attempts: 2, ..hook("on_done", Trigger::OnDone) });
    let project = bed.project("api");
    bed.add(project, |task| task.status = Status::Done);
    let first = claim(bed, 1).remove(0);
    settle(bed, &first, failed("one"));
    bed.clock.advance(MINUTE);
    let last = claim(bed, 1).remove(0);
    assert_eq!(settle(bed, &last, failed("two")), Settled::Failed);
    let tracked = all(bed).remove(0);
    assert_eq!(tracked.waiting, None);
    let delivery = tracked.delivery;
    assert_eq!((delivery.state, delivery.attempts), (State::Failed, 2));
    assert_eq!(
        (delivery.error.as_deref(), delivery.ended_at),
        (Some("two"), Some(bed.clock.now()))
    );
}

fn a_delivery_fails_when_its_time_is_over(bed: &mut Bed) {
    let deliveries = enqueued(bed, 2);
    let claimed = claim(bed, 1).remove(0);
    settle(bed, &claimed, failed("no answer"));
    bed.clock.advance(TTL.as_millis());
    let found = claims(bed, "w", 9);
    assert_eq!((found.claimed.len(), found.failed), (0, 2));
    let errors: Vec<_> = all(bed).into_iter().map(|t| t.delivery.error.unwrap()).collect();
    assert_eq!(errors, ["it was not sent within 1d", "no answer"]);
    assert_eq!(state(bed, deliveries[0]), State::Failed);
}

fn a_next_attempt_after_the_end_is_not_waited_for(bed: &mut Bed) {
    enqueued(bed, 1);
    bed.clock.advance(TTL.as_millis() - 20_000);
    let claimed = claim(bed, 1).remove(0);
    assert_eq!(settle(bed, &claimed, failed("no answer")), Settled::Failed);
}

fn what_the_receiver_never_wants_fails_at_once(bed: &mut Bed) {
    enqueued(bed, 1);
    let claimed = claim(bed, 1).remove(0);
    let gone = Sent::Failed { reason: "410".into(), retry_after: None, again: Again::Never };
    assert_eq!(settle(bed, &claimed, gone), Settled::Failed);
}

fn a_receiver_may_ask_for_more_time(bed: &mut Bed) {
    enqueued(bed, 1);
    let claimed = claim(bed, 1).remove(0);
    let busy = Sent::Failed {
        reason: "503".into(),
        retry_after: Some(Span::from_millis(7 * MINUTE)),
        again: Again::ByTheSchedule,
    };
    let next_attempt_at = bed.clock.now().plus(Span::from_millis(7 * MINUTE));
    assert_eq!(settle(bed, &claimed, busy), Settled::Queued { next_attempt_at });
}

fn what_was_not_tried_goes_back_as_it_was(bed: &mut Bed) {
    enqueued(bed, 1);
    let before = all(bed);
    let claimed = claim(bed, 1).remove(0);
    let given_back = bed.write(|tx| Ok(tx.unclaim_hook(claimed.delivery, claimed.lock)?)).unwrap();
    assert!(given_back);
    assert_eq!(all(bed), before);
}

fn a_hook_that_is_not_defined_here_is_left_alone(bed: &mut Bed) {
    let deliveries = enqueued(bed, 1);
    define(bed, hook("other", Trigger::OnGate));
    bed.write(|tx| {
        let defined = tx.hook_named("on_done")?;
        tx.remove_hook(&defined)
    })
    .unwrap();
    assert_eq!(claim(bed, 9), []);
    bed.clock.advance(TTL.as_millis());
    assert_eq!(claims(bed, "w", 9).failed, 1);
    assert_eq!(state(bed, deliveries[0]), State::Failed);
}

fn what_a_worker_sends_is_the_hook_as_it_is_defined_now(bed: &mut Bed) {
    enqueued(bed, 1);
    let changed = Hook { timeout_ms: 1_000, ..hook("on_done", Trigger::OnDone) };
    define(bed, changed.clone());
    assert_eq!(*claim(bed, 1)[0].hook, changed);
}

fn an_error_is_kept_as_one_line_that_is_not_too_long(bed: &mut Bed) {
    enqueued(bed, 1);
    let claimed = claim(bed, 1).remove(0);
    settle(bed, &claimed, failed(&format!("a\nb\0{}", "ü".repeat(5_000))));
    let error = all(bed).remove(0).waiting.unwrap().last_error.unwrap();
    assert!(error.starts_with("a b ü"), "{error}");
    assert_eq!(error.chars().count(), 1_024);
}

fn a_retried_delivery_begins_anew_under_the_same_id(bed: &mut Bed) {
    let deliveries = enqueued(bed, 1);
    bed.clock.advance(TTL.as_millis());
    claims(bed, "w", 9);
    bed.write(|tx| {
        let tracked = tx.delivery_named(&deliveries[0].to_string())?;
        tx.retry_hooks(&[tracked], LOCK_FOR)
    })
    .unwrap();
    let claimed = claim(bed, 9).remove(0);
    assert_eq!((claimed.delivery, claimed.attempts), (deliveries[0], 0));
    assert_eq!(claimed.expires_at, bed.clock.now().plus(TTL));
    settle(bed, &claimed, Sent::Delivered);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(state(bed, deliveries[0]), State::Delivered);
}

fn a_delivery_that_is_being_sent_cannot_be_discarded(bed: &mut Bed) {
    enqueued(bed, 1);
    claim(bed, 1);
    let refused = bed.write(|tx| {
        let tracked = tx.deliveries(Shown::Processing, 1)?.remove(0);
        tx.discard_hooks(&[tracked], None, LOCK_FOR)
    });
    assert_eq!(refused.unwrap_err().code(), Code::InvalidTransition);
}

fn a_discarded_delivery_is_not_sent(bed: &mut Bed) {
    let deliveries = enqueued(bed, 1);
    bed.write(|tx| {
        let tracked = tx.deliveries(Shown::Waiting, 1)?.remove(0);
        tx.discard_hooks(&[tracked], Some("nobody cares"), LOCK_FOR)
    })
    .unwrap();
    assert_eq!(claim(bed, 1), []);
    assert_eq!(state(bed, deliveries[0]), State::Discarded);
    let event = bed.ledger.read(|s| Ok(s.history(deliveries[0].into(), 1)?)).unwrap().remove(0);
    let expected = HookDiscarded { reason: Some("nobody cares".into()) };
    assert_eq!(event.event().unwrap(), Some(expected.into()));
}

fn the_next_time_to_look_is_known(bed: &mut Bed) {
    let next =
        |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.next_hook_due(LOCK_FOR)?)).unwrap();
    assert_eq!(next(bed), None);
    enqueued(bed, 1);
    let now = bed.clock.now();
    assert_eq!(next(bed), Some(now));
    let claimed = claim(bed, 1).remove(0);
    assert_eq!(next(bed), Some(now.plus(LOCK_FOR)));
    let Settled::Queued { next_attempt_at } = settle(bed, &claimed, failed("no")) else { panic!() };
    assert_eq!(next(bed), Some(next_attempt_at));
    bed.write(|tx| {
        let defined = tx.hook_named("on_done")?;
        tx.remove_hook(&defined)
    })
    .unwrap();
    assert_eq!(next(bed), Some(now.plus(TTL)), "nobody here can send it, but it fails then");
}

fn deliveries_are_counted_and_listed_by_state(bed: &mut Bed) {
    let deliveries = enqueued(bed, 5);
    assert_eq!(send(bed, 1, |_| true), 1);
    let gone = Sent::Failed { reason: "410".into(), retry_after: None, again: Again::Never };
    let claimed = claim(bed, 1).remove(0);
    settle(bed, &claimed, gone);
    bed.write(|tx| {
        let tracked = tx.delivery_named(&deliveries[2].to_string())?;
        tx.discard_hooks(&[tracked], None, LOCK_FOR)
    })
    .unwrap();
    claim(bed, 1);
    let counts = bed.ledger.read(|snapshot| Ok(snapshot.hook_counts()?)).unwrap();
    assert_eq!((counts.delivered, counts.failed, counts.discarded), (1, 1, 1));
    assert_eq!((counts.processing, counts.queued), (1, 1));
    let shown = [
        Shown::Ended(State::Delivered),
        Shown::Ended(State::Failed),
        Shown::Ended(State::Discarded),
        Shown::Processing,
        Shown::Waiting,
    ];
    for (index, shown) in shown.into_iter().enumerate() {
        let found = bed.ledger.read(|snapshot| Ok(snapshot.deliveries(shown, 9)?)).unwrap();
        assert_eq!(found.len(), 1, "{shown:?}");
        assert_eq!(found[0].delivery.id, deliveries[index], "{shown:?}");
    }
    let told = |bed: &mut Bed, shown| {
        let found = bed.ledger.read(|snapshot| Ok(snapshot.deliveries(shown, 9)?)).unwrap();
        found.iter().map(|tracked| (tracked.delivery.id, tracked.delivery.task)).collect::<Vec<_>>()
    };
    let (id, task) = told(bed, Shown::Processing)[0];
    assert_eq!(told(bed, Shown::OfTask(task.unwrap())), [(id, task)]);
    let newest = bed.ledger.read(|snapshot| Ok(snapshot.deliveries(Shown::All, 2)?)).unwrap();
    assert_eq!(newest[0].delivery.id, deliveries[4]);
    assert_eq!(newest.len(), 2);
}

fn the_backlog_tells_how_many_wait_since_when_and_how_many_failed(bed: &mut Bed) {
    let began = bed.clock.now();
    let deliveries = enqueued(bed, 3);
    let oldest_at = Some(Time::from_millis(began.as_millis() + 1));
    let backlog = |bed: &mut Bed| bed.ledger.read(|snapshot| Ok(snapshot.backlog()?)).unwrap();
    assert_eq!(backlog(bed), Backlog { deliveries: 3, oldest_at, failed: 0 });
    let claimed = claim(bed, 1);
    assert_eq!(ids(&claimed), deliveries[..1]);
    let never = Sent::Failed { reason: "no".into(), retry_after: None, again: Again::Never };
    assert_eq!(settle(bed, &claimed[0], never), Settled::Failed);
    let oldest_at = Some(Time::from_millis(began.as_millis() + 2));
    assert_eq!(backlog(bed), Backlog { deliveries: 2, oldest_at, failed: 1 });
}

fn a_delivery_is_found_by_a_part_of_its_id(bed: &mut Bed) {
    let deliveries = enqueued(bed, 2);
    let mut found =
        |text: &str| bed.ledger.read(|snapshot| Ok(snapshot.delivery_named(text)?.delivery.id));
    assert_eq!(found(&deliveries[1].to_string()).unwrap(), deliveries[1]);
    assert_eq!(found(&deliveries[1].short()).unwrap(), deliveries[1]);
    let same = &deliveries[0].to_string()[..6];
    assert_eq!(found(same).unwrap_err().code(), Code::IdAmbiguous);
    assert_eq!(found("ZZZZ").unwrap_err().code(), Code::DeliveryNotFound);
    assert_eq!(found("x").unwrap_err().code(), Code::IdTooShort);
}

fn a_rebuild_keeps_the_lock_of_a_delivery_that_was_put_back(bed: &mut Bed) {
    enqueued(bed, 1);
    bed.clock.advance(TTL.as_millis());
    claims(bed, "w", 9);
    bed.write(|tx| {
        let tracked = tx.deliveries(Shown::Ended(State::Failed), 1)?.remove(0);
        tx.retry_hooks(&[tracked], LOCK_FOR)
    })
    .unwrap();
    let held = claim(bed, 1).remove(0);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(claims(bed, "two", 9), Claims::default());
    assert_eq!(settle(bed, &held, Sent::Delivered), Settled::Delivered);
}

fn a_claim_that_finds_nothing_writes_nothing(bed: &mut Bed) {
    enqueued(bed, 1);
    claim(bed, 1);
    let head = bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap();
    assert_eq!(claims(bed, "two", 9), Claims::default());
    assert_eq!(bed.ledger.read(|snapshot| Ok(snapshot.head()?)).unwrap(), head);
}

/// One step of some worker.
#[derive(Debug, Clone, Copy)]
enum Step {
    Claim(u8),
    Deliver(u8),
    Fail(u8),
    GiveBack(u8),
    Wait(u32),
    Rebuild,
}

fn some_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u8..3).prop_map(Step::Claim),
        2 => (0_u8..3).prop_map(Step::Deliver),
        3 => (0_u8..3).prop_map(Step::Fail),
        1 => (0_u8..3).prop_map(Step::GiveBack),
        3 => (1_u32..900_000).prop_map(Step::Wait),
        1 => Just(Step::Rebuild),
    ];
    proptest::collection::vec(step, 1..40)
}

/// Who holds what, as the workers themselves believe.
#[derive(Default)]
struct Workers {
    /// By delivery: the lock of who claimed it last, and since when.
    holders: HashMap<DeliveryId, (Lock, Time)>,
    held: HashMap<u8, Vec<Claimed>>,
    arrived: HashMap<DeliveryId, u32>,
}

impl Workers {
    fn step(&mut self, bed: &mut Bed, step: Step) {
        match step {
            Step::Wait(millis) => bed.clock.advance(i64::from(millis)),
            Step::Rebuild => {
                assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
            }
            Step::Claim(worker) => {
                let now = bed.clock.now();
                // Whoever claims takes from all that have held something too long.
                self.holders.retain(|_, (_, since)| since.plus(LOCK_FOR) > now);
                for claimed in claims(bed, &worker.to_string(), 2).claimed {
                    let before = self.holders.insert(claimed.delivery, (claimed.lock, now));
                    assert_eq!(before, None, "two hold {}", claimed.delivery);
                    self.held.entry(worker).or_default().push(claimed);
                }
            }
            Step::Deliver(worker) => self.settle(bed, worker, &Sent::Delivered),
            Step::Fail(worker) => self.settle(bed, worker, &failed("no answer")),
            Step::GiveBack(worker) => {
                if let Some(claimed) = self.held.entry(worker).or_default().pop() {
                    let (id, lock) = (claimed.delivery, claimed.lock);
                    let was_held = bed.write(|tx| Ok(tx.unclaim_hook(id, lock)?)).unwrap();
                    assert_eq!(was_held, self.take(id, lock));
                }
            }
        }
    }

    fn settle(&mut self, bed: &mut Bed, worker: u8, sent: &Sent) {
        let Some(claimed) = self.held.entry(worker).or_default().pop() else { return };
        let settled = settle(bed, &claimed, sent.clone());
        assert_eq!(settled != Settled::Lost, self.take(claimed.delivery, claimed.lock));
        if settled == Settled::Delivered {
            *self.arrived.entry(claimed.delivery).or_default() += 1;
        }
    }

    /// Only who claimed it last still holds it, until it is settled, given back or taken away.
    fn take(&mut self, delivery: DeliveryId, lock: Lock) -> bool {
        let holds = self.holders.get(&delivery).is_some_and(|(held, _)| *held == lock);
        if holds {
            self.holders.remove(&delivery);
        }
        holds
    }
}

fn no_interleaving_lets_two_workers_hold_a_delivery(bed: &mut Bed) {
    let deliveries = enqueued(bed, 3);
    let cases = Config { cases: 12, failure_persistence: None, ..Config::default() };
    let bed = RefCell::new(bed);
    TestRunner::new(cases)
        .run(&some_steps(), |steps| {
            let bed = &mut **bed.borrow_mut();
            let mut workers = Workers::default();
            for step in steps {
                workers.step(bed, step);
            }
            assert!(workers.arrived.values().all(|times| *times == 1));
            let strays = bed.ledger.read(|snapshot| Ok(snapshot.outbox_strays()?)).unwrap();
            assert_eq!(strays, (0, 0));
            begin_anew(bed, &deliveries);
            Ok(())
        })
        .unwrap();
}

/// Ends whatever is under way and puts all of it back, for the next case.
fn begin_anew(bed: &mut Bed, deliveries: &[DeliveryId]) {
    bed.clock.advance(TTL.as_millis() + LOCK_FOR.as_millis());
    claims(bed, "end", 9);
    let project = bed.ledger.read(|snapshot| Ok(snapshot.project_named("api")?.id)).unwrap();
    for _ in deliveries {
        bed.add(project, |task| task.status = Status::Done);
    }
}
