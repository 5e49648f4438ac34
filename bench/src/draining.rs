//! How fast a drain empties the outbox, beside a bare loop of requests to the same receiver.
//!
//! Receiver, drain and loop share the machine: what the receiver costs, it costs both.

use std::collections::BTreeMap;
use std::time::Duration;

use windlass_domain::chain::Provenance;
use windlass_domain::hook::{Hook, MAX_ATTEMPTS, TIMEOUT, Target, Trigger};
use windlass_ledger::{Ledger, Location, Options};
use windlass_testkit::receiver::Receiver;

use crate::Failure;
use crate::databases::Databases;
use crate::programs::Place;
use crate::report::{Judged, Row, quotient, seconds};
use crate::scale::Scale;
use crate::stopwatch::{Samples, time};

/// A drain of a ledger file shall deliver at this share of the rate of the loop, or faster. One on
/// PostgreSQL shares the machine with the server and is only told.
const LEAST_PERCENT: f64 = 50.0;
/// Each round fills a ledger anew.
const ROUNDS: usize = 3;
/// Tasks that become done in one command.
const BATCH: usize = 1_000;

pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let fresh = |round| Ok(Location::Sqlite(place.file(&format!("drained-{round}"))));
    let judge = |percent| Judged::at_least(percent, " %", LEAST_PERCENT);
    measure(place, fresh, "SQLite", scale.hooks, judge)
}

pub fn on_postgres(
    place: &Place,
    databases: &Databases,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    let mut made = Vec::new();
    let fresh = |_| {
        let database = databases.make()?;
        let location = Location::Postgres(database.url().to_owned());
        made.push(database);
        Ledger::migrate(&location, Options::default())?;
        Ok(location)
    };
    // Filling it takes far longer than draining it.
    measure(place, fresh, "PostgreSQL", scale.hooks / 5, |percent| Judged::told(percent, " %"))
}

fn measure(
    place: &Place,
    mut fresh: impl FnMut(usize) -> Result<Location, Failure>,
    database: &str,
    hooks: usize,
    judge: impl Fn(f64) -> Judged,
) -> Result<Vec<Row>, Failure> {
    let (mut drains, mut loops) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let receiver = Receiver::answering(204);
        let location = fresh(round)?;
        fill(place, &location, &receiver, hooks)?;
        let drain = format!("hook drain --limit {hooks}");
        drains.push(time(&place.windlass(&location, &drain))?);
        let bodies: Vec<String> = receiver.received().into_iter().map(|one| one.body).collect();
        if bodies.len() != hooks {
            return Err(format!("{} of {} hooks arrived", bodies.len(), hooks).into());
        }
        loops.push(time(&place.poster(&receiver.url("/hook"), &bodies))?);
    }
    let (drain, bare) = (Samples::from(drains).median(), Samples::from(loops).median());
    let rate = |time: Duration| quotient(hooks as u64, 1) / time.as_secs_f64();
    Ok(vec![Row::new(
        format!("`hook drain` of {hooks} hooks to a local receiver, {database}"),
        format!("{}, {:.0} a second", seconds(drain), rate(drain)),
        format!("a bare loop of requests {}, {:.0} a second", seconds(bare), rate(bare)),
        judge(100.0 * rate(drain) / rate(bare)),
    )])
}

/// So many tasks become done, and a hook tells of each.
fn fill(
    place: &Place,
    location: &Location,
    receiver: &Receiver,
    count: usize,
) -> Result<(), Failure> {
    let hook = Hook {
        name: Trigger::OnDone.as_str().to_owned(),
        on: Trigger::OnDone,
        target: Target::Url { url: receiver.url("/hook"), headers: BTreeMap::new() },
        projects: Vec::new(),
        tags: Vec::new(),
        secret: None,
        max_attempts: MAX_ATTEMPTS,
        timeout_ms: TIMEOUT.as_millis(),
    };
    let author = Provenance { actor: "bench".to_owned(), ..Provenance::default() };
    let mut ledger = Ledger::open(location, Options::default())?;
    ledger.write(&author, |tx| tx.set_hook(hook.clone()))?;
    for first in (0..count).step_by(BATCH) {
        let titles: Vec<String> =
            (first..count.min(first + BATCH)).map(|number| format!("task {number}")).collect();
        let add = place.windlass(location, "task add --from - -s done");
        time(&add.stdin(titles.join("\n")))?;
    }
    Ok(())
}
