//! What a receiver does with each delivery, by a seed; and whether what came follows the schedule.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use windlass_domain::Time;
use windlass_ledger::Clock as _;
use windlass_testkit::receiver::{Answer, Received, Receiver};
use windlass_tests::clock::FileClock;
use windlass_tests::random::Random;

use crate::outbox::{HOUR, MINUTE, SECOND};

/// A delivery fails so often or less, apart from when nobody is there.
const MOST_FAILURES: u64 = 3;
/// The least time after the first, second, … failure that is on record.
const LEAST_GAPS: [i64; 5] = [24 * SECOND, 96 * SECOND, 8 * MINUTE, 48 * MINUTE, 288 * MINUTE];
/// How long a delivery stays with a worker that is gone.
const LOCK: i64 = 2 * MINUTE;

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

/// What may be on record of a delivery: so many failures, and nothing new before then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Recorded {
    failures: usize,
    not_before: Time,
}

impl Recorded {
    /// After a failure at that time that was recorded.
    fn failed(self, at: Time) -> Self {
        let gap = LEAST_GAPS[self.failures.min(LEAST_GAPS.len() - 1)];
        Self { failures: self.failures + 1, not_before: later(at, gap) }
    }

    /// After an attempt at that time whose worker was killed: its lock must grow old.
    fn unheard_of(self, at: Time) -> Self {
        Self { not_before: later(at, LOCK), ..self }
    }
}

fn later(time: Time, millis: i64) -> Time {
    Time::from_millis(time.as_millis() + millis)
}

/// Whether the requests of one delivery can have come by the schedule, when nobody was there at
/// those times. If two workers had it at once, two requests would come closer than any gap.
pub(crate) fn follows_the_schedule(arrivals: &[Arrival], all_away: &[Time]) -> bool {
    let mut possible = vec![Recorded { failures: 0, not_before: Time::from_millis(0) }];
    let mut away = all_away.iter().copied().peekable();
    for arrival in arrivals {
        while let Some(at) = away.next_if(|at| *at <= arrival.at) {
            let tried: Vec<Recorded> =
                possible.iter().copied().filter(|one| one.not_before <= at).collect();
            possible.extend(tried.iter().flat_map(|one| [one.failed(at), one.unheard_of(at)]));
        }
        possible.retain(|one| one.not_before <= arrival.at);
        // The receiver may have gone away before its answer arrived.
        let may_fail = !arrival.was_answered_well || all_away.contains(&arrival.at);
        possible = possible
            .iter()
            .flat_map(|one| {
                let failed = may_fail.then(|| one.failed(arrival.at));
                failed.into_iter().chain([one.unheard_of(arrival.at)])
            })
            .collect();
        possible.sort_unstable();
        possible.dedup();
    }
    !possible.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64, was_answered_well: bool) -> Arrival {
        Arrival { at: Time::from_millis(millis), body: String::new(), was_answered_well }
    }

    #[test]
    fn the_schedule_allows_its_gaps_and_old_locks_and_nothing_closer() {
        let follows = |second: i64| follows_the_schedule(&[at(0, false), at(second, true)], &[]);
        assert!(!follows(0) && !follows(23 * SECOND) && follows(24 * SECOND));
        let after_well = |second: i64| follows_the_schedule(&[at(0, true), at(second, true)], &[]);
        assert!(!after_well(119 * SECOND) && after_well(120 * SECOND));
    }

    #[test]
    fn an_answer_that_did_not_arrive_counts_as_a_failure() {
        let twice = [at(0, true), at(24 * SECOND, true)];
        assert!(!follows_the_schedule(&twice, &[]));
        assert!(follows_the_schedule(&twice, &[Time::from_millis(0)]));
    }

    #[test]
    fn what_nobody_saw_counts_too() {
        let all = [at(HOUR, false), at(HOUR + 24 * SECOND, true)];
        assert!(follows_the_schedule(&all, &[]));
        let minute = Time::from_millis(MINUTE);
        // It need not have been tried then, so this is possible as well.
        assert!(follows_the_schedule(&all, &[minute]));
    }
}
