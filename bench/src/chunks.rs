//! Whether a list of chunks and the start of a session cost the same among many chunks as among few.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use windlass_domain::chain::Provenance;
use windlass_domain::chunk::access::{Reader, Standing};
use windlass_domain::chunk::audience::Listener;
use windlass_domain::chunk::event::ChunkWritten;
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::{Author, Owner, QueryKey};
use windlass_domain::event::ProjectCreated;
use windlass_domain::inject::{Asked, inject};
use windlass_domain::session::Lifecycle;
use windlass_domain::{ProjectId, Refusal, built_in};
use windlass_ledger::{Ledger, Location, Transaction};

use crate::Failure;
use crate::databases::Databases;
use crate::programs::Place;
use crate::report::{Judged, Row, milliseconds};
use crate::scale::Scale;
use crate::seed::{options, settle};
use crate::stopwatch::{Samples, take_turns};

/// A list may cost so many times what it costs among few chunks.
const MOST: f64 = 1.3;
/// A session is told what it needs within so many milliseconds.
const INJECTION: f64 = 20.0;
/// Chunks written in one transaction.
const BATCH: usize = 1_000;
const PROJECTS: usize = 8;
const AGENTS: usize = 50;
/// Conventions of a project, and principles: there are as many however large a ledger grows.
const RULES: usize = 20;
const AGENT: &str = "agent-7";

/// What a heartbeat asks, in its order.
const QUERIES: [&str; 6] = ["blocked", "verified", "implemented", "planned", "researched", "new"];
const PRIORITIES: [&str; 4] = ["low", "medium", "high", "critical"];
/// Sessions with rules of their lifecycle, with what is aimed at them, and by audiences.
const LIFECYCLES: [&str; 3] = ["dev_orchestration", "dev_assisting", "default"];

/// A ledger full of chunks.
struct Filled {
    location: Location,
    project: ProjectId,
}

pub fn on_sqlite(place: &Place, scale: &Scale) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.chunks;
    let small = fill(Location::Sqlite(place.file("few-chunks")), few)?;
    let large = fill(Location::Sqlite(place.file("many-chunks")), many)?;
    compare(place, scale, [&small, &large], "SQLite")
}

pub fn on_postgres(
    place: &Place,
    databases: &Databases,
    scale: &Scale,
) -> Result<Vec<Row>, Failure> {
    let (few, many) = scale.chunks;
    let database = (databases.make()?, databases.make()?);
    let small = fill(Location::Postgres(database.0.url().to_owned()), few)?;
    let large = fill(Location::Postgres(database.1.url().to_owned()), many)?;
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
    let mut rows = Vec::new();
    for status in QUERIES {
        let line = format!("chunk list -t dev_spec --field status={status} --sort priority");
        let list = |on: &Filled| Ok(place.windlass(&on.location, &line));
        let [small, large] = ledgers;
        let times = take_turns(scale.repetitions, [&mut |_| list(small), &mut |_| list(large)])?;
        let [small, large] = times.map(|samples| samples.median());
        rows.push(Row::new(
            format!("`chunk list`, specs that are {status} by priority, {title}"),
            milliseconds(large),
            milliseconds(small),
            Judged::times(large, small, MOST),
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
    Ok(rows)
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

/// Makes a ledger: half of it memories of agents, the rest specs and knowledge of projects.
fn fill(location: Location, chunks: usize) -> Result<Filled, Failure> {
    Ledger::migrate(&location, options())?;
    let mut ledger = Ledger::open(&location, options())?;
    let author = Provenance { actor: "bench".to_owned(), ..Provenance::default() };
    let projects = ledger.write(&author, |tx| {
        let projects = (0..PROJECTS).map(|number| project(tx, number));
        let projects = projects.collect::<Result<Vec<_>, _>>()?;
        for (number, project) in projects.iter().enumerate() {
            for rule in 0..RULES {
                let key = format!("rule-{number}-{rule}");
                tx.begin_chunk(written("convention", Owner::Project(*project), &key)?)?;
            }
        }
        for rule in 0..RULES {
            tx.begin_chunk(written("principle", Owner::Org, &format!("principle-{rule}"))?)?;
        }
        for agent in 0..AGENTS {
            let owner = Owner::Agent(format!("agent-{agent}"));
            tx.begin_chunk(written("identity", owner, "identity")?)?;
        }
        Ok(projects)
    })?;
    for first in (0..chunks).step_by(BATCH) {
        ledger.write(&author, |tx| {
            for number in first..chunks.min(first + BATCH) {
                tx.begin_chunk(chunk(number, &projects)?)?;
            }
            Ok(())
        })?;
    }
    drop(ledger);
    settle(&location)?;
    let project = projects.first().copied().ok_or("there is no project")?;
    Ok(Filled { location, project })
}

fn project(tx: &mut Transaction<'_>, number: usize) -> Result<ProjectId, windlass_ledger::Error> {
    let id = tx.new_project_id()?;
    let name = format!("project-{number}");
    tx.create(id, ProjectCreated { name, description: None, repo: None, protected: false })?;
    Ok(id)
}

/// The chunk of a number: every other a memory, every fourth a spec, the rest knowledge. Few specs
/// are blocked; the others are spread over the other statuses.
fn chunk(number: usize, projects: &[ProjectId]) -> Result<ChunkWritten, Refusal> {
    let key = format!("chunk-{number}");
    let turn = number / 4;
    let owner = match projects.get(turn % PROJECTS) {
        Some(project) => Owner::Project(*project),
        None => Owner::Org,
    };
    match number % 4 {
        0 | 2 => {
            let agent = Owner::Agent(format!("agent-{}", (number / 2) % AGENTS));
            written("memory", agent, &key)
        }
        1 => {
            let status = match turn % 200 {
                0 => Some(&"blocked"),
                turn => QUERIES.get(1 + turn % (QUERIES.len() - 1)),
            };
            let priority = PRIORITIES.get(turn % PRIORITIES.len());
            let fields = [("status", status), ("priority", priority)];
            let fields = fields
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), Value::from(*value?))));
            Ok(ChunkWritten { fields: fields.collect(), ..written("dev_spec", owner, &key)? })
        }
        _ => written("knowledge", owner, &key),
    }
}

fn written(chunk_type: &str, owner: Owner, key: &str) -> Result<ChunkWritten, Refusal> {
    let title = format!("What is known about {key}");
    Ok(ChunkWritten {
        chunk_type: chunk_type.parse()?,
        owner,
        query_key: QueryKey::parse(key)?,
        content: format!("{title}: {}", "it is said in a few words. ".repeat(20)),
        title,
        tags: vec!["bench".to_owned()],
        fields: Map::new(),
        audience: None,
        gotchas: Vec::new(),
        related: Vec::new(),
        visibility: Visibility::Private,
        source: None,
        expires_at: None,
        task: None,
        by: Author { name: "bench".to_owned(), session: None, run: None },
    })
}
