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
use windlass_bench::{Failure, commands, decay, growth, memory, race, rebuild, size};
use windlass_ledger::{Clock as _, Location, SystemClock};
use windlass_testkit::with_causes;

const USAGE: &str = "usage: windlass-bench [--quick | --full] [--postgres URL] [PART…]
parts: commands decay growth postgres race size rebuild; all of them by default";

/// The parts, in the order of the table.
const PARTS: [&str; 7] = ["commands", "decay", "growth", "postgres", "race", "size", "rebuild"];

fn main() -> ExitCode {
    let asked = match Asked::parse(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(wrong) => {
            say(&format!("{wrong}\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    match measure(&asked) {
        Ok(report) => {
            let stamp = SystemClock.now();
            let missed = report.missed();
            let written = writeln!(
                io::stdout().lock(),
                "Measured with `{}` at {stamp}.\n\n{report}\n{missed} of {} figures miss their bound.",
                asked.scale.name,
                report.rows.len(),
            );
            ExitCode::from(u8::from(written.is_err()))
        }
        Err(failure) => {
            say(&with_causes(failure.as_ref()));
            ExitCode::FAILURE
        }
    }
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
                part if PARTS.contains(&part) => asked.parts.push(word),
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
    let scale = &asked.scale;
    let mut report = Report::default();
    for part in PARTS.iter().filter(|part| asked.wants(part)) {
        let start = Instant::now();
        // A new home for each, so that large ledgers are gone as soon as they are measured.
        let place = Place::new(&programs);
        report.rows.extend(take(part, &place, asked, scale)?);
        say(&format!("{part}: {}", seconds(start.elapsed())));
    }
    Ok(report)
}

fn take(part: &str, place: &Place, asked: &Asked, scale: &Scale) -> Result<Vec<Row>, Failure> {
    match part {
        "commands" => {
            let filled = fill(
                Location::Sqlite(place.file("ledger")),
                Content { held: commands::held(scale), ..Content::of(Story::Mixed, scale.tasks) },
            )?;
            let mut rows = commands::writing(place, &filled, scale)?;
            rows.extend(commands::reading(place, &filled, scale)?);
            rows.extend(memory::measure(place, &filled, scale)?);
            Ok(rows)
        }
        "decay" => decay::measure(place, scale),
        "growth" => {
            let mut rows = growth::on_sqlite(place, scale)?;
            rows.extend(growth::of_projects(place, scale)?);
            Ok(rows)
        }
        "postgres" => match Databases::find(asked.postgres.as_deref()) {
            Ok(databases) => growth::on_postgres(place, &databases, scale),
            Err(failure) => {
                say(&format!("PostgreSQL is left out: {}", with_causes(failure.as_ref())));
                Ok(Vec::new())
            }
        },
        "race" => race::measure(place, scale),
        "size" => size::measure(place, scale),
        "rebuild" => rebuild::measure(place, scale),
        _ => Err(format!("there is no part '{part}'").into()),
    }
}

/// Progress and failures go where the table does not.
fn say(text: &str) {
    // Nobody is left to be told that nobody can be told.
    writeln!(io::stderr().lock(), "{text}").ok();
}
