//! Many at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use windlass_hands::delivery::{InTime, Message, Outcome};
use windlass_testkit::receiver::{Answer, Receiver};
use windlass_testkit::wait;

use super::{courier, hand_over, message, url, variables};

const DELIVERED: Outcome = Outcome::Delivered { status: Some(204) };

fn stalling() -> Receiver {
    Receiver::start(|request| match request.path.as_str() {
        "/stall" => Answer::Stall,
        _ => Answer::status(204),
    })
}

#[test]
fn each_of_many_messages_has_exactly_one_outcome() {
    let receiver = Receiver::answering(204);
    let mut courier = courier(8);
    for key in 0..1_000 {
        let message = Message { id: format!("msg_{key}"), ..message() };
        hand_over(&mut courier, key, &url(receiver.url("/")), message);
    }
    let mut keys = Vec::new();
    while courier.under_way() > 0 {
        for (key, outcome) in courier.outcomes() {
            assert_eq!(outcome, DELIVERED);
            keys.push(key);
        }
    }
    keys.sort_unstable();
    assert_eq!(keys, (0..1_000).collect::<Vec<_>>());
    let ids: BTreeSet<_> =
        receiver.received().iter().map(|one| one.header("webhook-id").map(str::to_owned)).collect();
    assert_eq!((ids.len(), receiver.count()), (1_000, 1_000));
    assert!(receiver.connections() <= 8, "{}", receiver.connections());
}

#[test]
fn outcomes_come_while_other_deliveries_go_on() {
    let receiver = stalling();
    let mut courier = courier(2);
    hand_over(&mut courier, 7, &url(receiver.url("/stall")), message());
    hand_over(&mut courier, 8, &url(receiver.url("/")), message());
    assert_eq!(courier.outcomes(), [(8, DELIVERED)]);
    wait::until("the other is there", || receiver.count() == 2);
    receiver.go_on();
    assert_eq!(courier.outcomes(), [(7, DELIVERED)]);
}

#[test]
fn without_anything_under_way_there_is_nothing_to_wait_for() {
    assert_eq!(courier(1).outcomes(), []);
}

#[test]
fn a_courier_that_is_stopped_finishes_what_it_began_and_begins_no_more() {
    let receiver = stalling();
    let mut courier = courier(2);
    for key in 0..4 {
        hand_over(&mut courier, key, &url(receiver.url("/stall")), message());
    }
    wait::until("two are there", || receiver.count() == 2);
    courier.stopper().stop();
    hand_over(&mut courier, 4, &url(receiver.url("/")), message());
    let mut outcomes = Vec::new();
    while outcomes.len() < 3 {
        outcomes.extend(courier.outcomes());
    }
    outcomes.sort_by_key(|(key, _)| *key);
    assert_eq!(outcomes, [2, 3, 4].map(|key| (key, Outcome::NotSent)));
    receiver.go_on();
    while outcomes.len() < 5 {
        outcomes.extend(courier.outcomes());
    }
    outcomes.sort_by_key(|(key, _)| *key);
    assert_eq!(outcomes[..2], [(0, DELIVERED), (1, DELIVERED)]);
    assert_eq!((courier.under_way(), receiver.count()), (0, 2));
}

#[test]
fn a_message_that_is_late_when_there_is_room_for_it_is_not_sent() {
    let receiver = stalling();
    let mut courier = courier(1);
    let is_late = Arc::new(AtomicBool::new(false));
    let in_time = || -> InTime {
        let is_late = Arc::clone(&is_late);
        Box::new(move || !is_late.load(Ordering::SeqCst))
    };
    let ready = |path| courier.prepare(&url(receiver.url(path)), &variables()).unwrap();
    let (stalls, answers) = (ready("/stall"), ready("/"));
    courier.hand_over(0, &stalls, message(), in_time());
    wait::until("the first is there", || receiver.count() == 1);
    courier.hand_over(1, &answers, message(), in_time());
    is_late.store(true, Ordering::SeqCst);
    receiver.go_on();
    let outcomes = courier.many_outcomes(2, wait::LIMIT);
    assert_eq!(outcomes, [(0, DELIVERED), (1, Outcome::NotSent)]);
    assert_eq!(receiver.count(), 1);
}

#[test]
fn a_target_that_cannot_be_sent_to_says_so_before_anything_is_sent() {
    let refused = courier(1).prepare(&url("nonsense"), &variables()).unwrap_err();
    assert!(matches!(refused, Outcome::Unsendable { .. }), "{refused:?}");
}

#[test]
fn many_outcomes_are_waited_for_until_there_are_enough() {
    let receiver = stalling();
    let mut courier = courier(4);
    for key in 0..3 {
        hand_over(&mut courier, key, &url(receiver.url("/")), message());
    }
    hand_over(&mut courier, 3, &url(receiver.url("/stall")), message());
    assert_eq!(courier.many_outcomes(3, wait::LIMIT).len(), 3);
    receiver.go_on();
    assert_eq!(courier.many_outcomes(3, wait::LIMIT), [(3, DELIVERED)]);
}

#[test]
fn a_courier_is_stopped_by_a_signal() {
    let courier = courier(1);
    courier.stop_on_signals().unwrap();
    assert!(!courier.is_stopped());
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM)
        .unwrap();
    wait::until("it is stopped", || courier.is_stopped());
}
