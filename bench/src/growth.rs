//! Whether a command costs the same on a large ledger as on a small one.

use windlass_ledger::Location;

use crate::Failure;
use crate::commands::{ADD, CLAIM};
use crate::databases::Databases;
use crate::memory;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds};
use crate::scale::Scale;
use crate::seed::{Content, Filled, fill};
use crate::stopwatch::take_turns;
use crate::story::Story;

/// A command may cost so many times what it costs on the small ledger.
const MOST: f64 = 1.3;

/// On SQLite, with more tasks.
pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.growth;
    let file = |name| Location::Sqlite(place.file(name));
    let small = fill(file("small"), Content::of(Story::Mixed, few))?;
    let large = fill(file("large"), Content::of(Story::Mixed, many))?;
    let title = format!("SQLite, {few} → {many} tasks");
    let mut rows = compare(place, scale, [&small, &large], &title)?;
    rows.extend(memory::measure(place, &large, many)?);
    Ok(rows)
}

/// On PostgreSQL, with more tasks.
pub fn on_postgres(
    place: &Place,
    databases: &Databases,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.growth_on_postgres;
    let database = (databases.make()?, databases.make()?);
    let at = |url: &str| Location::Postgres(url.to_owned());
    let small = fill(at(database.0.url()), Content::of(Story::Mixed, few))?;
    let large = fill(at(database.1.url()), Content::of(Story::Mixed, many))?;
    let title = format!("PostgreSQL, {few} → {many} tasks");
    compare(place, scale, [&small, &large], &title)
}

/// A claim of any project, with more projects; no bound is set for it.
pub fn of_projects(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.projects;
    let content = |projects| Content {
        projects,
        held: projects * 16,
        ..Content::of(Story::Mixed, scale.tasks)
    };
    let file = |name| Location::Sqlite(place.file(name));
    let small = fill(file("few-projects"), content(few))?;
    let large = fill(file("many-projects"), content(many))?;
    let claim = |on: &Filled| Ok(place.windlass(&on.location, CLAIM));
    let [small, large] =
        take_turns(scale.repetitions, [&mut |_| claim(&small), &mut |_| claim(&large)])?;
    let (small, large) = (small.median(), large.median());
    Ok(vec![Row::new(
        format!("`task claim --next`, SQLite, {few} → {many} projects"),
        milliseconds(large),
        milliseconds(small),
        Judged::told(large.as_secs_f64() / small.as_secs_f64(), "×"),
    )])
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
