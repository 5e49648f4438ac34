//! A storm: a receiver that fails, stalls and disappears, several drains at once, drains killed at
//! random moments. Whatever happens, every hook arrives, and none is in two hands.
//!
//! The clock stands while drains run and is moved between: so a lock that was taken in a round can
//! only grow old when its worker is gone.

use std::process::Child;
use std::thread;
use std::time::Duration;

use serde_json::json;
use windlass_domain::hook::{Hook, State};
use windlass_ledger::Clock as _;
use windlass_testkit::receiver::Receiver;
use windlass_testkit::{Outcome, Run};
use windlass_tests::random::Random;

use crate::course::Course;
use crate::outbox::{HOUR, MINUTE, Outbox, SECOND, url};
use crate::plan::{Arrivals, moody};

/// What passes between the rounds: enough for every gap of the schedule, less than a day in all.
const PASSES: [i64; 16] = [
    40 * SECOND,
    40 * SECOND,
    130 * SECOND,
    40 * SECOND,
    150 * SECOND,
    150 * SECOND,
    13 * MINUTE,
    2 * MINUTE,
    13 * MINUTE,
    13 * MINUTE,
    75 * MINUTE,
    2 * MINUTE,
    75 * MINUTE,
    75 * MINUTE,
    8 * HOUR,
    8 * HOUR,
];
/// In this round nobody is there; in that one the receiver goes away and comes back.
const AWAY: usize = 1;
const COMES_AND_GOES: usize = 3;
const DRAINS: usize = 4;
/// Nobody is killed in the last rounds, so that they can finish.
const PEACE: usize = 3;
const LONGEST_DELAY_MICROS: u64 = 80_000;

/// What was seen in a storm.
#[derive(Default)]
struct Seen {
    killed: usize,
    lost: u64,
}

fn storm(outbox: &Outbox, hooks: usize, mut random: Random) {
    eprintln!("WINDLASS_SEED={} repeats this run", random.seed());
    let (receiver, arrivals) = moody(outbox.clock.clone(), random);
    outbox.define(Hook { max_attempts: 20, timeout_ms: 200, ..url(receiver.url("/hook")) });
    let mut seen = Seen::default();
    let mut course = Course::default();
    for (round, passes) in PASSES.into_iter().enumerate() {
        // Tasks are finished in the first rounds, a part in each.
        if round < 4 {
            outbox.finish(hooks / 4);
        }
        play(outbox, &receiver, round, &mut random, &mut seen);
        course.goes_on(outbox.clock.now(), &outbox.deliveries(), &arrivals.lock().unwrap());
        outbox.advance(passes);
    }
    let _last = outbox.drain();
    course.goes_on(outbox.clock.now(), &outbox.deliveries(), &arrivals.lock().unwrap());
    let arrivals = arrivals.lock().unwrap();
    judge(outbox, hooks, &arrivals, &seen);
}

/// One round: drains at once, some of them killed.
fn play(outbox: &Outbox, receiver: &Receiver, round: usize, random: &mut Random, seen: &mut Seen) {
    if round == AWAY {
        receiver.disappear();
    }
    let limit = 50 + random.below(300);
    let run = outbox.operation("hook.drain", &json!({"limit": limit}));
    let children: Vec<Child> = (0..DRAINS).map(|_| run.spawn()).collect();
    if round == COMES_AND_GOES {
        pause(random);
        receiver.disappear();
        pause(random);
        receiver.come_back();
    }
    let is_peace = round + PEACE >= PASSES.len();
    for (number, mut child) in children.into_iter().enumerate() {
        let is_spared = is_peace || random.below(DRAINS as u64) == number as u64;
        if !is_spared {
            pause(random);
            // It may have ended before.
            drop(child.kill());
        }
        heard(&run, run.finish(child), is_spared, seen);
    }
    receiver.come_back();
    // What a drain sent before it was killed arrives in its round.
    receiver.settle();
}

fn heard(run: &Run, outcome: Outcome, is_spared: bool, seen: &mut Seen) {
    match outcome.signal {
        Some(9) if !is_spared => seen.killed += 1,
        _ => {
            let drained = outcome.ok().json();
            seen.lost += drained["lost"].as_u64().unwrap();
            assert!(drained["claimed"].as_u64().unwrap() <= 350, "{run:?}");
        }
    }
}

fn pause(random: &mut Random) {
    thread::sleep(Duration::from_micros(random.below(LONGEST_DELAY_MICROS)));
}

#[track_caller]
fn judge(outbox: &Outbox, hooks: usize, arrivals: &Arrivals, seen: &Seen) {
    let deliveries = outbox.deliveries();
    assert_eq!(deliveries.len(), hooks);
    for tracked in &deliveries {
        let id = tracked.delivery.id.to_string();
        assert_eq!(tracked.delivery.state, State::Delivered, "{tracked:?}");
        let all = arrivals.get(&id).unwrap_or_else(|| panic!("{id} never arrived"));
        assert!(all.iter().any(|one| one.was_answered_well), "{id}: {all:?}");
        assert!(all.iter().all(|one| one.body == all[0].body), "{id} came in two versions");
    }
    assert_eq!(arrivals.len(), hooks, "a delivery arrived that there is not");
    assert_eq!(seen.lost, 0, "a lock was lost while the clock stood");
    let again = arrivals.values().filter(|all| all.len() > 1).count();
    eprintln!("{} killed, {again} of {hooks} arrived more than once", seen.killed);
    assert!(seen.killed > 0, "nobody was killed in time");
}

#[test]
fn no_hook_is_lost_or_in_two_hands_when_drains_are_killed_and_the_receiver_fails_on_sqlite() {
    storm(&Outbox::on_sqlite(), 1_000, Random::new());
}

#[test]
fn no_hook_is_lost_or_in_two_hands_when_drains_are_killed_and_the_receiver_fails_on_postgres() {
    if let Some(outbox) = Outbox::on_postgres() {
        storm(&outbox, 200, Random::new());
    }
}

#[test]
#[ignore = "takes minutes: cargo test -p windlass-tests --test drain -- --ignored"]
fn no_hook_is_lost_or_in_two_hands_in_thirty_storms_in_which_drains_are_killed() {
    let mut random = Random::new();
    for _ in 0..30 {
        random.next();
        storm(&Outbox::on_sqlite(), 1_000, random);
    }
}
