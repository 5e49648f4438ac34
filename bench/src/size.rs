//! How large a ledger is.

use std::fs;

use windlass_ledger::Location;

use crate::Failure;
use crate::programs::Place;
use crate::report::{Judged, Row, megabytes, quotient};
use crate::scale::Scale;
use crate::seed::{Content, fill};
use crate::story::{EVENTS_OF_A_LIFE, Story};

/// Bytes that a task with a typical life may take: 4 KB.
const MOST: f64 = 4_096.0;

/// The file after a checkpoint, divided by its tasks.
pub fn measure(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let size_bytes = |name: &str, story, tasks| -> Result<u64, Failure> {
        fill(Location::Sqlite(place.file(name)), Content::of(story, tasks))?;
        Ok(fs::metadata(place.file(name))?.len())
    };
    let lives = size_bytes("lives", Story::Life, scale.lives)?;
    let waiting = size_bytes("waiting", Story::Ready, scale.waiting)?;
    let per_task = quotient(lives, u64::try_from(scale.lives)?);
    Ok(vec![
        Row::new(
            format!("size per task with {EVENTS_OF_A_LIFE} events, {} tasks", scale.lives),
            format!("{:.1} MB in all", megabytes(lives)),
            "",
            Judged::at_most(per_task, " bytes", MOST),
        ),
        Row::new(
            format!("size of {} `ready` tasks, described in 180 characters", scale.waiting),
            "the file",
            "",
            Judged::told(megabytes(waiting), " MB"),
        ),
    ])
}
