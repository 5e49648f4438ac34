//! Whether finding chunks and starting a session cost the same among many chunks as among few.

mod filled;

use std::time::{Duration, Instant};

use windlass_domain::built_in;
use windlass_domain::chunk::access::{Reader, Standing};
use windlass_domain::chunk::audience::Listener;
use windlass_domain::inject::{Asked, inject};
use windlass_domain::session::Lifecycle;
use windlass_ledger::{Ledger, Location};

use self::filled::{AGENT, Filled, PROJECT, RARE, STATUSES, word};
use crate::Failure;
use crate::databases::Databases;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds};
use crate::scale::Scale;
use crate::seed::options;
use crate::stopwatch::{Samples, take_turns};

/// A list may cost so many times what it costs among few chunks.
const LIST: f64 = 2.0;
/// A session is told what it needs within so many milliseconds.
const INJECTION: f64 = 20.0;

/// Sessions with rules of their lifecycle, with what is aimed at them, and by audiences.
const LIFECYCLES: [&str; 3] = ["dev_orchestration", "dev_assisting", "default"];

pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.chunks;
    let small = Filled::new(Location::Sqlite(place.file("few-chunks")), few)?;
    let large = Filled::new(Location::Sqlite(place.file("many-chunks")), many)?;
    compare(place, scale, [&small, &large], "SQLite")
}

pub fn on_postgres(
    place: &Place,
    databases: &Databases,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.chunks;
    let database = (databases.make()?, databases.make()?);
    let small = Filled::new(Location::Postgres(database.0.url().to_owned()), few)?;
    let large = Filled::new(Location::Postgres(database.1.url().to_owned()), many)?;
    compare(place, scale, [&small, &large], "PostgreSQL")
}

fn compare(
    place: &Place,
    scale: &Scale,
    ledgers: [&Filled; 2],
    database: &str,
) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.chunks;
    let title = format!("{database}, {few} → {many} chunks");
    let both = |line: &str| -> Result<[Duration; 2], Failure> {
        let [small, large] = ledgers;
        let run = |on: &Filled| Ok(place.windlass(&on.location, line));
        let times = take_turns(scale.repetitions, [&mut |_| run(small), &mut |_| run(large)])?;
        Ok(times.map(|samples| samples.median()))
    };
    let mut rows = Vec::new();
    for status in STATUSES {
        let line = format!("chunk list --type dev_spec --field status={status} --sort priority");
        let [small, large] = both(&line)?;
        rows.push(Row::new(
            format!("`chunk list`, specs that are {status} by priority, {title}"),
            milliseconds(large),
            milliseconds(small),
            Judged::times(large, small, LIST),
        ));
    }
    for (asked, question) in questions() {
        let [small, large] = both(&format!("chunk search {question} --agent {AGENT}"))?;
        rows.push(Row::new(
            format!("`chunk search`, {asked}, {title}"),
            milliseconds(large),
            milliseconds(small),
            Judged::told(large.as_secs_f64() / small.as_secs_f64(), "×"),
        ));
    }
    for lifecycle in LIFECYCLES {
        let [small, large] = ledgers.map(|ledger| injection(ledger, lifecycle, scale));
        let (small, large) = (small?, large?);
        rows.push(Row::new(
            format!("what a session of {lifecycle} is given, {title}"),
            milliseconds(large),
            milliseconds(small),
            Judged::at_most(large.as_secs_f64() * 1_000.0, " ms", INJECTION),
        ));
    }
    let line = format!("session start --lifecycle default --project {PROJECT} --agent {AGENT}");
    let [small, large] = both(&line)?;
    rows.push(Row::new(
        format!("`session start`, {title}"),
        milliseconds(large),
        milliseconds(small),
        Judged::told(large.as_secs_f64() / small.as_secs_f64(), "×"),
    ));
    Ok(rows)
}

/// What is searched for; words are joined as a shell would not need quotes for them.
fn questions() -> [(&'static str, String); 4] {
    let words = |ranks: [usize; 3]| ranks.map(word).join("/");
    [
        ("a name that one chunk has", RARE.to_owned()),
        ("a misspelt name", RARE.replace("pawl", "pwal")),
        ("three words that few have", words([600, 1_500, 3_900])),
        ("words that most have and one that few have", words([0, 1, 2_500])),
    ]
}

/// How long it takes to find and choose what a session is given.
fn injection(on: &Filled, lifecycle: &str, scale: &Scale) -> Result<Duration, Failure> {
    let found = |known: &Lifecycle| known.slug.as_str() == lifecycle;
    let lifecycle = built_in::lifecycles().into_iter().find(found).ok_or("no such lifecycle")?;
    let listener = Listener {
        agent: AGENT.to_owned(),
        agent_type: None,
        agent_tags: Vec::new(),
        project: Some(on.project),
        org: "bench".to_owned(),
        lifecycle: lifecycle.slug.clone(),
        focus_tags: Vec::new(),
    };
    let reader =
        Reader { name: AGENT.to_owned(), standing: Standing::Agent(None), projects: Vec::new() };
    let mut ledger = Ledger::open(&on.location, options())?;
    let mut times = Vec::new();
    for _ in 0..scale.repetitions {
        let start = Instant::now();
        let given = ledger.read(|snapshot| {
            let types = snapshot.chunk_types()?;
            let asked = Asked {
                listener: &listener,
                reader: &reader,
                lifecycle: &lifecycle,
                agent_type: None,
                budget_tokens: None,
                now: snapshot.now(),
            };
            let candidates = snapshot.injection_candidates(&types, &asked)?;
            Ok(inject(&candidates, &types, &asked))
        })?;
        times.push(start.elapsed());
        if given.chunks.is_empty() {
            return Err("a session is given nothing".into());
        }
    }
    Ok(Samples::from(times).median())
}
