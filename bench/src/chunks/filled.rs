//! Ledgers that are full of chunks.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Map, Value};
use windlass_domain::chain::Provenance;
use windlass_domain::chunk::event::ChunkWritten;
use windlass_domain::chunk::state::Visibility;
use windlass_domain::chunk::{Author, Owner, QueryKey};
use windlass_domain::event::ProjectCreated;
use windlass_domain::{ProjectId, Refusal};
use windlass_ledger::{Ledger, Location, Transaction};

use crate::Failure;
use crate::seed::{options, settle};

/// Chunks written in one transaction.
const BATCH: usize = 1_000;
const PROJECTS: usize = 8;
const AGENTS: usize = 50;
/// Conventions of a project, and principles: there are as many however large a ledger grows.
const RULES: usize = 20;
/// How many words there are, and how many a chunk says.
const WORDS: f64 = 8_000.0;
const LENGTH: u32 = 80;

pub(super) const AGENT: &str = "agent-7";
pub(super) const PROJECT: &str = "project-0";
/// A name that one convention has.
pub(super) const RARE: &str = "capstan_pawl_ring";
/// What a heartbeat asks for, in its order.
pub(super) const STATUSES: [&str; 6] =
    ["blocked", "verified", "implemented", "planned", "researched", "new"];
const PRIORITIES: [&str; 4] = ["low", "medium", "high", "critical"];

/// A ledger full of chunks.
pub(super) struct Filled {
    pub(super) location: Location,
    pub(super) project: ProjectId,
}

impl Filled {
    /// Makes a ledger: half of it memories of agents, the rest specs and knowledge of projects.
    pub(super) fn new(location: Location, chunks: usize) -> Result<Self, Failure> {
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
        Ok(Self { location, project })
    }
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
                turn => STATUSES.get(1 + turn % (STATUSES.len() - 1)),
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
        content: match key {
            "rule-0-0" => format!("{RARE}: {}", said(key)),
            _ => said(key),
        },
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

/// The word of a rank: three syllables.
pub(super) fn word(rank: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu",
        "za", "che", "shi", "tro", "blu",
    ];
    let syllable = |number: usize| SYLLABLES.get(number % SYLLABLES.len()).copied().unwrap_or("a");
    [rank, rank / 20, rank / 400].map(syllable).concat()
}

/// The words of a chunk: as in a language, the word of rank 2 n is half as frequent as that of n.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is below WORDS")]
fn said(seed: &str) -> String {
    let rank = |place: u32| {
        let mut hasher = DefaultHasher::new();
        (seed, place).hash(&mut hasher);
        let [high, low, ..] = hasher.finish().to_be_bytes();
        let share = f64::from(u16::from_be_bytes([high, low])) / 65_536.0;
        WORDS.powf(share) as usize - 1
    };
    (0..LENGTH).map(|place| word(rank(place))).collect::<Vec<_>>().join(" ")
}
