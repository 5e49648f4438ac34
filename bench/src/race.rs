//! Many processes that claim one queue at the same time: every task exactly once, no error.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use windlass_ledger::{Ledger, Location, Options};

use crate::Failure;
use crate::programs::Place;
use crate::report::{Judged, Row, quotient, seconds};
use crate::scale::Scale;
use crate::seed::{Content, Filled, fill};
use crate::stopwatch::take_turns;
use crate::story::Story;

/// A claimer that fails so often gives up.
const PATIENCE: usize = 10;

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The tasks that were answered, in no order; twice if it was claimed twice.
    pub claimed: Vec<String>,
    /// What was said by processes that failed.
    pub errors: Vec<String>,
    pub took: Duration,
    /// Claims that the log knows of.
    pub recorded: usize,
}

impl Outcome {
    pub fn distinct(&self) -> usize {
        self.claimed.iter().collect::<BTreeSet<_>>().len()
    }

    /// Claims that were lost, doubled or not recorded, and processes that failed.
    pub fn wrong(&self, tasks: usize) -> usize {
        let counts = [self.claimed.len(), self.distinct(), self.recorded];
        let off: usize = counts.iter().map(|count| count.abs_diff(tasks)).sum();
        off + self.errors.len()
    }
}

/// A queue for the race.
pub fn queue(place: &Place, scale: &Scale) -> Result<Filled, Failure> {
    let file = Location::Sqlite(place.file("race"));
    fill(file, Content::of(Story::Ready, scale.queue))
}

/// Lets the claimers empty the queue, one process a claim, all of them at once.
pub fn run(place: &Place, ledger: &Location, scale: &Scale) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let parts: Vec<Outcome> = thread::scope(|scope| {
        let start = |number| scope.spawn(move || claim_until_nothing(place, ledger, number));
        let claimers: Vec<_> = (0..scale.claimers).map(start).collect();
        let ended = claimers.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(Result::unwrap_or_default).collect()
    });
    let mut outcome =
        Outcome { took: start.elapsed(), recorded: recorded(ledger)?, ..Outcome::default() };
    for part in parts {
        outcome.claimed.extend(part.claimed);
        outcome.errors.extend(part.errors);
    }
    Ok(outcome)
}

/// The race as lines of the report.
pub fn measure(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let queue = queue(place, scale)?;
    let copy = place.yardstick_copy(&queue.location)?;
    let [yardstick] = take_turns(scale.repetitions, [&mut |_| Ok(place.yardstick(&copy))])?;
    let outcome = run(place, &queue.location, scale)?;
    let what = format!("{} processes claim one queue of {}", scale.claimers, scale.queue);
    let wrong = u64::try_from(outcome.wrong(scale.queue))?;
    let claims = quotient(u64::try_from(outcome.claimed.len())?, 1);
    Ok(vec![
        Row::new(
            format!("{what}: claims lost, doubled or failed"),
            format!("{claims} answers, {} distinct", outcome.distinct()),
            format!("{} errors", outcome.errors.len()),
            Judged::at_most(quotient(wrong, 1), "", 0.0),
        ),
        Row::new(
            format!("{what}: throughput"),
            seconds(outcome.took),
            format!("the yardstick alone {:.0} rows/s", 1.0 / yardstick.median().as_secs_f64()),
            Judged::told(claims / outcome.took.as_secs_f64(), " claims/s"),
        ),
    ])
}

fn claim_until_nothing(place: &Place, ledger: &Location, number: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let line = format!("task claim --next --agent claimer-{number}");
    let claim = place.windlass(ledger, &line);
    while outcome.errors.len() < PATIENCE {
        let ended = claim.run();
        let answer: Option<Value> = serde_json::from_str(&ended.stdout).ok();
        match (ended.code, answer) {
            (Some(0), Some(answer)) => match answer.get("task_id").and_then(Value::as_str) {
                Some(id) => outcome.claimed.push(id.to_owned()),
                None => break,
            },
            _ => outcome.errors.push(ended.to_string()),
        }
    }
    outcome
}

fn recorded(ledger: &Location) -> Result<usize, Failure> {
    let mut ledger = Ledger::open(ledger, Options::default())?;
    Ok(ledger.read(|snapshot| {
        let (mut seq, mut claims) = (0, 0);
        loop {
            let events = snapshot.events_after(seq, 1_000)?;
            let Some(last) = events.last() else {
                return Ok(claims);
            };
            seq = last.header.seq;
            let is_claim = |kind: &str| kind == "task_claimed";
            claims += events.iter().filter(|event| is_claim(&event.header.kind)).count();
        }
    })?)
}
