//! A store with chunks of several owners, and sessions that are given some of them.

use serde_json::{Value, json};

use crate::ProjectId;
use crate::built_in::{agent_types, chunk_types, lifecycles};
use crate::chunk::access::{Reader, Standing};
use crate::chunk::audience::{Audience, Listener};
use crate::chunk::tests::scene::{minute, owned, project};
use crate::chunk::write::Draft;
use crate::chunk::{Chunk, ChunkType, Owner};
use crate::inject::{Asked, Injection, inject};
use crate::session::{AgentType, Lifecycle};

/// A sitting of an agent.
pub(super) struct Sitting {
    pub(super) listener: Listener,
    pub(super) reader: Reader,
    pub(super) lifecycle: Lifecycle,
    pub(super) agent_type: AgentType,
    pub(super) budget_tokens: Option<u32>,
}

/// A sitting of agent `me`, of a type that is brought along, in a project.
pub(super) fn sitting(agent_type: &str, in_project: Option<ProjectId>) -> Sitting {
    let agent_type =
        agent_types().into_iter().find(|known| known.slug.as_str() == agent_type).unwrap();
    let lifecycle =
        lifecycles().into_iter().find(|known| known.slug == agent_type.lifecycle).unwrap();
    Sitting {
        listener: Listener {
            agent: "me".into(),
            agent_type: Some(agent_type.slug.clone()),
            agent_tags: Vec::new(),
            project: in_project,
            org: "acme".into(),
            lifecycle: lifecycle.slug.clone(),
            focus_tags: Vec::new(),
        },
        reader: Reader {
            name: "me".into(),
            standing: Standing::Agent(Some(agent_type.slug.clone())),
            projects: Vec::new(),
        },
        lifecycle,
        agent_type,
        budget_tokens: None,
    }
}

impl Sitting {
    /// What it is given, where these types are known.
    pub(super) fn injection_with(&self, chunks: &[Chunk], types: &[ChunkType]) -> Injection {
        let asked = Asked {
            listener: &self.listener,
            reader: &self.reader,
            lifecycle: &self.lifecycle,
            agent_type: Some(&self.agent_type),
            budget_tokens: self.budget_tokens,
            now: minute(1_000),
        };
        inject(chunks, types, &asked)
    }

    pub(super) fn injection(&self, chunks: &[Chunk]) -> Injection {
        self.injection_with(chunks, &chunk_types())
    }

    /// The titles of what it is given, in order.
    pub(super) fn given(&self, chunks: &[Chunk]) -> Vec<String> {
        titles(&self.injection(chunks), chunks)
    }
}

pub(super) fn titles(injection: &Injection, chunks: &[Chunk]) -> Vec<String> {
    let title = |id| chunks.iter().find(|chunk| chunk.id == id).unwrap().title.clone();
    injection.chunks.iter().map(|injected| title(injected.chunk)).collect()
}

/// A chunk of a type; its number is its id and its place in the order.
pub(super) fn chunk(number: u8, chunk_type: &str, owner: Owner, title: &str) -> Chunk {
    let chunk_type = chunk_type.parse().unwrap();
    let mut chunk = owned(number, owner, &Draft::new(title, "text"));
    chunk.chunk_type = chunk_type;
    chunk.fields.clear();
    chunk
}

pub(super) fn mine() -> Owner {
    Owner::Agent("me".into())
}

pub(super) fn here() -> Owner {
    Owner::Project(project(1))
}

pub(super) fn elsewhere() -> Owner {
    Owner::Project(project(2))
}

pub(super) fn with(chunk: Chunk, field: &str, value: &str) -> Chunk {
    let mut chunk = chunk;
    chunk.fields.insert(field.to_owned(), Value::from(value));
    chunk
}

pub(super) fn tagged(chunk: Chunk, tag: &str) -> Chunk {
    Chunk { tags: vec![tag.to_owned()], ..chunk }
}

/// The same chunk, for agents of one type.
pub(super) fn aimed(chunk: Chunk, agent_type: &str) -> Chunk {
    let audience = json!({"rules": [{"agent_types": [agent_type]}]});
    Chunk { audience: Some(Audience::read(&audience).unwrap()), ..chunk }
}

/// One chunk of everything that a lifecycle of the pipeline could be given or not.
pub(super) fn store() -> Vec<Chunk> {
    let blocked = with(chunk(30, "dev_spec", elsewhere(), "blocked spec"), "status", "blocked");
    let named = |number, title: &str, tag| tagged(chunk(number, "convention", here(), title), tag);
    vec![
        chunk(1, "identity", mine(), "my identity"),
        chunk(2, "identity", Owner::Agent("other".into()), "other identity"),
        chunk(3, "memory", mine(), "old memory"),
        chunk(4, "memory", mine(), "last memory"),
        chunk(5, "memory", Owner::Agent("other".into()), "other memory"),
        chunk(6, "principle", Owner::Org, "principle"),
        chunk(7, "convention", here(), "convention"),
        chunk(8, "convention", elsewhere(), "convention elsewhere"),
        chunk(9, "constraint", here(), "constraint"),
        named(10, "testing standard", "testing"),
        named(11, "deployment procedure", "deployment"),
        named(12, "infrastructure convention", "infrastructure"),
        chunk(13, "knowledge", here(), "knowledge"),
        chunk(14, "decision", here(), "decision"),
        chunk(15, "dev_research", here(), "research"),
        chunk(16, "dev_plan", here(), "plan"),
        chunk(17, "dev_implementation", here(), "implementation"),
        chunk(20, "dev_deployment", here(), "deployment 1"),
        chunk(21, "dev_deployment", here(), "deployment 2"),
        chunk(22, "dev_deployment", here(), "deployment 3"),
        chunk(23, "dev_deployment", here(), "deployment 4"),
        aimed(blocked.clone(), "dev_assistant"),
        Chunk { id: crate::ChunkId::from_bytes([31; 16]), title: "not aimed".into(), ..blocked },
        chunk(32, "dev_package", elsewhere(), "pending package"),
        with(chunk(33, "dev_package", here(), "merged package"), "state", "merged"),
        chunk(34, "dev_incident", here(), "active incident"),
        with(chunk(35, "dev_incident", here(), "old incident"), "state", "resolved"),
    ]
}
