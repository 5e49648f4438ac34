//! What a receiver does with each delivery, by a seed, and what came to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use windlass_domain::Time;
use windlass_ledger::Clock as _;
use windlass_testkit::receiver::{Answer, Received, Receiver};
use windlass_tests::clock::FileClock;
use windlass_tests::random::Random;

/// A delivery fails so often or less, apart from when nobody is there.
const MOST_FAILURES: u64 = 3;
/// A request that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) at: Time,
    pub(crate) body: String,
    pub(crate) was_answered_well: bool,
}

/// All requests by their `webhook-id`.
pub(crate) type Arrivals = BTreeMap<String, Vec<Arrival>>;

/// A receiver that fails and stalls by a seed, and the requests it got.
pub(crate) fn moody(clock: FileClock, random: Random) -> (Receiver, Arc<Mutex<Arrivals>>) {
    let arrivals = Arc::new(Mutex::new(Arrivals::new()));
    let seen = Arc::clone(&arrivals);
    let receiver = Receiver::start(move |request| {
        let id = request.header("webhook-id").unwrap().to_owned();
        let mut seen = seen.lock().unwrap();
        let before = seen.entry(id.clone()).or_default();
        let answer = answer(random.of(&id), before.len() as u64);
        before.push(arrival(&clock, request, &answer));
        answer
    });
    (receiver, arrivals)
}

fn arrival(clock: &FileClock, request: &Received, answer: &Answer) -> Arrival {
    let was_answered_well = *answer == Answer::status(204);
    Arrival { at: clock.now(), body: request.body.clone(), was_answered_well }
}

/// The answer to a delivery that came so often before.
fn answer(mut random: Random, before: u64) -> Answer {
    if before >= random.below(MOST_FAILURES + 1) {
        return Answer::status(204);
    }
    match random.of(&before.to_string()).below(10) {
        0..4 => Answer::status(500),
        4..6 => Answer::Hangup,
        6 => Answer::Garbage,
        7 => Answer::with_header(503, "retry-after", "20"),
        8 => Answer::status(404),
        _ => Answer::Stall,
    }
}
