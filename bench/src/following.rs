//! How soon somebody who follows the log sees what another process wrote.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Instant;

use windlass_ledger::{Ledger, Location, Options};

use crate::Failure;
use crate::databases::Databases;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds};
use crate::scale::Scale;
use crate::stopwatch::{Samples, time};

/// A follower shall be woken within so many milliseconds.
const MOST: f64 = 100.0;
/// Writes and wakes nobody up for more than one event.
const WRITE: &str = "task add something -P bench";

pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    measure(place, &Location::Sqlite(place.file("followed")), "SQLite", scale)
}

pub fn on_postgres(
    place: &Place,
    databases: &Databases,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    let database = databases.make()?;
    let location = Location::Postgres(database.url().to_owned());
    Ledger::migrate(&location, Options::default())?;
    measure(place, &location, "PostgreSQL", scale)
}

fn measure(
    place: &Place,
    location: &Location,
    database: &str,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    time(&place.windlass(location, "project create bench"))?;
    let mut command = place.windlass(location, "events --from 0 --follow").command();
    let mut follower = Follower(command.stdout(Stdio::piped()).spawn()?);
    let output = follower.0.stdout.take().ok_or("the follower has no output")?;
    let mut lines = BufReader::new(output).lines();
    let mut next = || lines.next().ok_or("the follower ended")?.map_err(Failure::from);
    next()?;
    let (mut waits, mut writes) = (Vec::new(), Vec::new());
    for _ in 0..scale.repetitions {
        let start = Instant::now();
        let write = time(&place.windlass(location, WRITE))?;
        next()?;
        // An event that is seen before its writer has ended was not waited for.
        waits.push(start.elapsed().saturating_sub(write));
        writes.push(write);
    }
    let (waits, writes) = (Samples::from(waits), Samples::from(writes));
    Ok(vec![Row::new(
        format!("an event is seen by a follower after its writer has ended, {database}"),
        format!(
            "{}, nearly all within {}",
            milliseconds(waits.median()),
            milliseconds(waits.most())
        ),
        format!("the writer took {}", milliseconds(writes.median())),
        Judged::at_most(waits.most().as_secs_f64() * 1_000.0, " ms", MOST),
    )])
}

/// Ends with the measurement.
struct Follower(Child);

impl Drop for Follower {
    fn drop(&mut self) {
        // Whoever is gone already needs no end.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
