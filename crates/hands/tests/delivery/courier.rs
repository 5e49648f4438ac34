//! Many at once.

use std::collections::BTreeSet;

use windlass_hands::delivery::{Message, Outcome};
use windlass_testkit::receiver::{Answer, Receiver};
use windlass_testkit::wait;

use super::{courier, lookup, message, url};

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
        courier.hand_over(key, &url(receiver.url("/")), message, &lookup);
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
    courier.hand_over(7, &url(receiver.url("/stall")), message(), &lookup);
    courier.hand_over(8, &url(receiver.url("/")), message(), &lookup);
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
        courier.hand_over(key, &url(receiver.url("/stall")), message(), &lookup);
    }
    wait::until("two are there", || receiver.count() == 2);
    courier.stopper().stop();
    courier.hand_over(4, &url(receiver.url("/")), message(), &lookup);
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
fn a_message_that_cannot_be_sent_does_not_hold_up_the_others() {
    let receiver = Receiver::answering(204);
    let mut courier = courier(1);
    courier.hand_over(0, &url("nonsense"), message(), &lookup);
    courier.hand_over(1, &url(receiver.url("/")), message(), &lookup);
    let mut outcomes = Vec::new();
    while courier.under_way() > 0 {
        outcomes.extend(courier.outcomes());
    }
    assert_eq!(outcomes.len(), 2);
    assert_eq!(outcomes[1], (1, DELIVERED));
}
