//! `windlass-bench`: takes every figure in one run and prints them as a table.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use windlass_bench::databases::Databases;
use windlass_bench::programs::{Place, Programs};
use windlass_bench::report::{Report, Row, seconds};
use windlass_bench::scale::Scale;
use windlass_bench::seed::{Content, fill};
use windlass_bench::story::Story;
use windlass_bench::{
    Failure, arrival, chunks, commands, decay, draining, followers, following, growth, memory,
    race, rebuild, runs, serving, size,
};
use windlass_ledger::{Clock as _, Location, SystemClock};
use windlass_testkit::{machine, with_causes};

const USAGE: &str = "usage: windlass-bench [--quick | --full] [--postgres URL] [PART…]
parts: commands runs decay growth postgres race size rebuild following arrival draining
       following-postgres arrival-postgres draining-postgres serving serving-postgres chunks chunks-postgres
       followers; all by default";

/// The parts, in the order of the table.
const PARTS: [(&str, Part); 19] = [
    ("commands", single_commands),
    ("runs", runs_of_files),
    ("decay", |place, asked| decay::measure(place, &asked.scale)),
    ("growth", growth_on_sqlite),
    ("postgres", growth_on_postgres),
    ("race", |place, asked| race::measure(place, &asked.scale)),
    ("size", |place, asked| size::measure(place, &asked.scale)),
    ("rebuild", |place, asked| rebuild::measure(place, &asked.scale)),
    ("following", |place, asked| following::on_sqlite(place, &asked.scale)),
    ("following-postgres", following_on_postgres),
    ("arrival", |place, asked| arrival::on_sqlite(place, &asked.scale)),
    ("arrival-postgres", arrival_on_postgres),
    ("draining", |place, asked| draining::on_sqlite(place, &asked.scale)),
    ("draining-postgres", draining_on_postgres),
    ("serving", |place, asked| serving::on_sqlite(place, &asked.scale)),
    ("serving-postgres", serving_on_postgres),
    ("chunks", |place, asked| chunks::on_sqlite(place, &asked.scale)),
    ("chunks-postgres", chunks_on_postgres),
    ("followers", |place, asked| followers::measure(place, &asked.scale)),
];

/// Takes some of the figures.
type Part = fn(&Place, &Asked) -> Result<Vec<Row>, Failure>;

fn main() -> ExitCode {
    let asked = match Asked::parse(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(wrong) => {
            say(&format!("{wrong}\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    match measure(&asked).and_then(|report| print(&asked, &report)) {
        Ok(code) => code,
        Err(failure) => {
            say(&told(&failure));
            ExitCode::FAILURE
        }
    }
}

/// A missed bound is a figure like any other; only what could not be measured is a failure.
fn print(asked: &Asked, report: &Report) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    let (mode, now) = (asked.scale.name, SystemClock.now());
    writeln!(out, "Measured with `{mode}` at {now}.\n\n{report}")?;
    writeln!(out, "{} of {} figures miss their bound.", report.missed(), report.rows.len())?;
    for failure in &report.failures {
        say(failure);
    }
    Ok(if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the command line says.
struct Asked {
    scale: Scale,
    postgres: Option<String>,
    parts: Vec<String>,
}

impl Asked {
    fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut asked = Self { scale: Scale::QUICK, postgres: None, parts: Vec::new() };
        let mut words = words;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => asked.scale = Scale::QUICK,
                "--full" => asked.scale = Scale::FULL,
                "--postgres" => {
                    asked.postgres = Some(words.next().ok_or("--postgres needs an address")?);
                }
                part if PARTS.iter().any(|(name, _)| *name == part) => asked.parts.push(word),
                _ => return Err(format!("'{word}' is not known")),
            }
        }
        Ok(asked)
    }

    fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }
}

fn measure(asked: &Asked) -> Result<Report, Failure> {
    if cfg!(debug_assertions) {
        return Err("a debug build says nothing: cargo run --release -p windlass-bench".into());
    }
    let programs = Programs::built()?;
    let mut report = Report::default();
    for (name, part) in PARTS.iter().filter(|(name, _)| asked.wants(name)) {
        let start = Instant::now();
        // A new home for each, so that large ledgers are gone as soon as they are measured.
        match part(&Place::new(&programs), asked) {
            Ok(rows) => report.rows.extend(rows),
            Err(failure) => report.failures.push(format!("{name}: {}", told(&failure))),
        }
        say(&format!("{name}: {}", seconds(start.elapsed())));
    }
    Ok(report)
}

fn single_commands(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let scale = &asked.scale;
    let content = Content { held: commands::held(scale), ..Content::of(Story::Mixed, scale.tasks) };
    let filled = fill(Location::Sqlite(place.file("ledger")), content)?;
    let mut rows = commands::writing(place, &filled, scale)?;
    rows.extend(commands::reading(place, &filled, scale)?);
    rows.extend(memory::measure(place, &filled, scale.tasks)?);
    Ok(rows)
}

fn runs_of_files(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let content = Content::of(Story::Mixed, asked.scale.tasks);
    let filled = fill(Location::Sqlite(place.file("ledger")), content)?;
    runs::measure(place, &filled, &asked.scale)
}

fn growth_on_sqlite(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let mut rows = growth::on_sqlite(place, &asked.scale)?;
    rows.extend(growth::of_projects(place, &asked.scale)?);
    Ok(rows)
}

fn growth_on_postgres(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let Some(databases) = databases(asked)? else {
        return Ok(Vec::new());
    };
    growth::on_postgres(place, &databases, &asked.scale)
}

fn following_on_postgres(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let Some(databases) = databases(asked)? else {
        return Ok(Vec::new());
    };
    following::on_postgres(place, &databases, &asked.scale)
}

fn arrival_on_postgres(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let Some(databases) = databases(asked)? else {
        return Ok(Vec::new());
    };
    arrival::on_postgres(place, &databases, &asked.scale)
}

fn draining_on_postgres(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let Some(databases) = databases(asked)? else {
        return Ok(Vec::new());
    };
    draining::on_postgres(place, &databases, &asked.scale)
}

fn serving_on_postgres(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let Some(databases) = databases(asked)? else {
        return Ok(Vec::new());
    };
    serving::on_postgres(place, &databases, &asked.scale)
}

fn chunks_on_postgres(place: &Place, asked: &Asked) -> Result<Vec<Row>, Failure> {
    let Some(databases) = databases(asked)? else {
        return Ok(Vec::new());
    };
    chunks::on_postgres(place, &databases, &asked.scale)
}

fn databases(asked: &Asked) -> Result<Option<Databases>, Failure> {
    if asked.postgres.is_none() && machine::find("initdb").is_none() {
        say("left out, because PostgreSQL is not installed");
        return Ok(None);
    }
    Ok(Some(Databases::find(asked.postgres.as_deref())?))
}

fn told(failure: &Failure) -> String {
    with_causes(failure.as_ref())
}

/// Progress and failures go where the table does not.
fn say(text: &str) {
    // Nobody is left to be told that nobody can be told.
    writeln!(io::stderr().lock(), "{text}").ok();
}
