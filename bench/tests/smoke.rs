//! Every figure can still be taken, at a scale that says nothing about speed.

use windlass_bench::databases::Databases;
use windlass_bench::programs::{Place, Programs};
use windlass_bench::report::{Report, Row};
use windlass_bench::scale::Scale;
use windlass_bench::seed::{Content, fill};
use windlass_bench::story::Story;
use windlass_bench::{
    arrival, chunks, commands, decay, draining, following, growth, memory, race, rebuild, size,
};
use windlass_ledger::Location;
use windlass_testkit::{home, machine};

const SCALE: Scale = Scale::SMOKE;

fn place() -> Place {
    Place::new(&Programs {
        windlass: home::binary(),
        yardstick: env!("CARGO_BIN_EXE_yardstick").into(),
        poster: env!("CARGO_BIN_EXE_poster").into(),
    })
}

#[track_caller]
fn figures(rows: Vec<Row>, count: usize) {
    assert_eq!(rows.len(), count);
    for row in &rows {
        assert!(row.judged.value.is_finite() && row.judged.value >= 0.0, "{row:?}");
    }
    assert_eq!(Report { rows, ..Report::default() }.to_string().lines().count(), count + 2);
}

#[test]
fn every_story_gives_a_sound_ledger() {
    let place = place();
    for (name, story) in [("mixed", Story::Mixed), ("ready", Story::Ready), ("life", Story::Life)] {
        let content = Content { held: 3, ..Content::of(story, SCALE.tasks) };
        let filled = fill(Location::Sqlite(place.file(name)), content).unwrap();
        assert_eq!(filled.held.len(), 3);
        let _sound = place.windlass(&filled.location, "doctor --rebuild").run().ok();
    }
}

#[test]
fn single_commands_have_figures() {
    let place = place();
    let content =
        Content { held: commands::held(&SCALE), ..Content::of(Story::Mixed, SCALE.tasks) };
    let filled = fill(Location::Sqlite(place.file("ledger")), content).unwrap();
    figures(commands::writing(&place, &filled, &SCALE).unwrap(), 4);
    figures(commands::reading(&place, &filled, &SCALE).unwrap(), 4);
    figures(memory::measure(&place, &filled, SCALE.tasks).unwrap(), 1);
}

#[test]
fn wear_and_growth_have_figures() {
    figures(decay::measure(&place(), &SCALE).unwrap(), 2);
    figures(growth::on_sqlite(&place(), &SCALE).unwrap(), 4);
    figures(growth::of_projects(&place(), &SCALE).unwrap(), 1);
}

#[test]
fn growth_on_postgresql_has_figures() {
    if machine::find("initdb").is_none() {
        assert!(!machine::in_ci(), "PostgreSQL is not installed: run `cargo xtask setup`");
        return;
    }
    let databases = Databases::find(None).unwrap();
    figures(growth::on_postgres(&place(), &databases, &SCALE).unwrap(), 3);
    figures(arrival::on_postgres(&place(), &databases, &SCALE).unwrap(), 8);
    figures(following::on_postgres(&place(), &databases, &SCALE).unwrap(), 1);
    figures(draining::on_postgres(&place(), &databases, &SCALE).unwrap(), 1);
    figures(chunks::on_postgres(&place(), &databases, &SCALE).unwrap(), 14);
}

#[test]
fn a_race_claims_every_task_once() {
    let place = place();
    let queue = race::queue(&place, &SCALE).unwrap();
    let outcome = race::run(&place, &queue.location, &SCALE).unwrap();
    assert_eq!(outcome.wrong(SCALE.queue), 0, "{outcome:?}");
    figures(race::measure(&self::place(), &SCALE).unwrap(), 2);
}

#[test]
fn importing_and_finding_have_figures() {
    figures(arrival::on_sqlite(&place(), &SCALE).unwrap(), 8);
    figures(following::on_sqlite(&place(), &SCALE).unwrap(), 1);
}

#[test]
fn chunks_have_figures() {
    figures(chunks::on_sqlite(&place(), &SCALE).unwrap(), 14);
}

#[test]
fn draining_has_figures() {
    figures(draining::on_sqlite(&place(), &SCALE).unwrap(), 1);
}

#[test]
fn size_and_rebuild_have_figures() {
    figures(size::measure(&place(), &SCALE).unwrap(), 2);
    figures(rebuild::measure(&place(), &SCALE).unwrap(), 2);
}
