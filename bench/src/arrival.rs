//! Moving in: how fast many tasks are imported, and how fast a few are found among them.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde_json::json;
use windlass_ledger::{Ledger, Location, Options};

use crate::Failure;
use crate::databases::Databases;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds, quotient, seconds};
use crate::scale::Scale;
use crate::stopwatch::{take_turns, time};
use crate::story::DESCRIPTION;

/// So many tasks shall arrive within a minute.
const MANY: f64 = 200_000.0;
const MINUTE: f64 = 60.0;

/// What is looked for, and how. One task in a thousand carries the rare word and tag.
const FINDING: [(&str, &str); 7] = [
    ("all", "task list"),
    ("by project and status", "task list -P bench -s ready"),
    ("by a rare tag", "task list --tags rare"),
    ("by two tags", "task list --tags area-1,kind-2"),
    ("a rare word", "task search needle"),
    ("a common word", "task search button"),
    ("two words", "task search slow/phone"),
];

pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    measure(place, &Location::Sqlite(place.file("arrival")), "SQLite", scale)
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
    let file = place.file("beads").with_extension("jsonl");
    write_beads(&file, scale.imported)?;
    let import = place.windlass(location, "import beads -P bench").args([&file]);
    let taken = time(&import)?;
    let rate = quotient(scale.imported as u64, 1) / taken.as_secs_f64();
    let mut rows = vec![Row::new(
        format!("`import beads`, {} tasks, {database}", scale.imported),
        seconds(taken),
        format!("{rate:.0} tasks a second"),
        Judged::at_most(MANY / rate, " s for 200,000", MINUTE),
    )];
    for (what, line) in FINDING {
        let [version, found] = take_turns(
            scale.repetitions,
            [&mut |_| Ok(place.version()), &mut |_| Ok(place.windlass(location, line))],
        )?;
        let (version, found) = (version.median(), found.median());
        rows.push(Row::new(
            format!("{what}: `{line}`, {} tasks, {database}", scale.imported),
            milliseconds(found),
            format!("`--version` {}", milliseconds(version)),
            Judged::told(found.as_secs_f64() / version.as_secs_f64(), "×"),
        ));
    }
    Ok(rows)
}

/// Tasks as beads exports them: with labels, some finished, some waiting for the one before.
fn write_beads(file: &Path, count: usize) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::fs::File::create(file)?);
    for number in 0..count {
        let minute = number / 60 % 60;
        let at = format!("2026-{:02}-15T10:{minute:02}:{:02}Z", 1 + number % 10, number % 60);
        let rare = number % 1_000 == 500;
        let mut labels = vec![format!("area-{}", number % 7), format!("kind-{}", number % 5)];
        labels.extend(rare.then(|| "rare".to_owned()));
        let dependencies: Vec<_> = (number % 10 == 9)
            .then(|| {
                json!({
                    "issue_id": format!("bd-{number}"),
                    "depends_on_id": format!("bd-{}", number - 1),
                    "type": "blocks",
                    "created_at": at,
                    "created_by": "ada",
                })
            })
            .into_iter()
            .collect();
        let line = json!({
            "id": format!("bd-{number}"),
            "title": format!("Repair the {} of part {number}", if rare { "needle" } else { "button" }),
            "description": DESCRIPTION,
            "status": if number % 4 == 3 { "closed" } else { "open" },
            "priority": number % 5,
            "issue_type": "task",
            "labels": labels,
            "created_at": at,
            "updated_at": at,
            "dependencies": dependencies,
            "comments": [{ "id": 1, "author": "bob", "text": "seen again today", "created_at": at }],
        });
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(())
}
