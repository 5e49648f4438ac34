//! Whether a ledger grows slow by being used: the same command on a copy of the ledger from before
//! many short writing processes, and on the ledger they left.

use windlass_ledger::Location;

use crate::Failure;
use crate::commands::ADD;
use crate::programs::Place;
use crate::report::{Judged, Row, megabytes, milliseconds};
use crate::scale::Scale;
use crate::seed::{Content, fill};
use crate::stopwatch::{take_turns, time};
use crate::story::Story;

/// A command may cost so many times what it cost before.
const MOST: f64 = 1.3;
/// The WAL that is kept short, and the largest commit of a command on top of it.
const WAL_MEGABYTES: f64 = 0.8;

/// Times `task list` before and after, and looks at the WAL.
pub fn measure(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let file = Location::Sqlite(place.file("unused"));
    let before = fill(file, Content::of(Story::Mixed, scale.growth.0))?;
    let after = Location::Sqlite(place.file("used"));
    std::fs::copy(place.file("unused"), place.file("used"))?;
    for _ in 0..scale.wear {
        time(&place.windlass(&after, ADD))?;
    }
    let wal = place.file("used").with_extension("db-wal");
    let wal_bytes = wal.metadata().map_or(0, |data| data.len());
    let list = "task list";
    let [unused, used] = take_turns(
        scale.repetitions,
        [&mut |_| Ok(place.windlass(&before.location, list)), &mut |_| {
            Ok(place.windlass(&after, list))
        }],
    )?;
    Ok(vec![
        Row::new(
            format!("`task list` after {} more writing processes", scale.wear),
            milliseconds(used.median()),
            format!("before {}", milliseconds(unused.median())),
            Judged::times(used.median(), unused.median(), MOST),
        ),
        Row::new(
            format!("WAL after {} writing processes", scale.wear),
            "its length",
            "",
            Judged::at_most(megabytes(wal_bytes), " MB", WAL_MEGABYTES),
        ),
    ])
}
