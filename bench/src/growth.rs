//! Whether a command costs the same on a large ledger as on a small one.

use windlass_ledger::Location;

use crate::Failure;
use crate::commands::{ADD, CLAIM};
use crate::databases::Databases;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds};
use crate::scale::Scale;
use crate::seed::{Filled, fill};
use crate::stopwatch::take_turns;
use crate::story::Story;

/// A command may cost so many times what it costs on the small ledger.
const MOST: f64 = 1.3;

/// On SQLite.
pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let (small, large) = scale.growth;
    let file = |name| Location::Sqlite(place.file(name));
    let small = fill(file("small"), Story::Mixed, small, 1)?;
    let large = fill(file("large"), Story::Mixed, large, 1)?;
    compare(place, scale, [&small, &large], &title("SQLite", scale.growth))
}

/// On PostgreSQL.
pub fn on_postgres(
    place: &Place,
    databases: &Databases,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    let (small, large) = (databases.make()?, databases.make()?);
    let location = |url: &str| Location::Postgres(url.to_owned());
    let (few, many) = scale.growth_on_postgres;
    let few = fill(location(small.url()), Story::Mixed, few, 1)?;
    let many = fill(location(large.url()), Story::Mixed, many, 1)?;
    compare(place, scale, [&few, &many], &title("PostgreSQL", scale.growth_on_postgres))
}

fn title(database: &str, (small, large): (usize, usize)) -> String {
    format!("{database}, {small} → {large} tasks")
}

fn compare(
    place: &Place,
    scale: &Scale,
    [small, large]: [&Filled; 2],
    title: &str,
) -> Result<Vec<Row>, Failure> {
    let windlass = |on: &Filled, line: &str| Ok(place.windlass(&on.location, line));
    let show = |on: &Filled, round| windlass(on, &format!("task show {}", on.one(round)?));
    let times = take_turns(
        scale.repetitions,
        [
            &mut |_| windlass(small, CLAIM),
            &mut |_| windlass(large, CLAIM),
            &mut |round| show(small, round),
            &mut |round| show(large, round),
            &mut |_| windlass(small, ADD),
            &mut |_| windlass(large, ADD),
        ],
    )?;
    let [claim_small, claim_large, show_small, show_large, add_small, add_large] =
        times.map(|samples| samples.median());
    let row = |name: &str, small, large| {
        Row::new(
            format!("`{name}`, {title}"),
            milliseconds(large),
            milliseconds(small),
            Judged::times(large, small, MOST),
        )
    };
    Ok(vec![
        row("task claim --next", claim_small, claim_large),
        row("task show", show_small, show_large),
        row("task add", add_small, add_large),
    ])
}
