//! What a session is given: what the ledger has is put before [`inject`], which decides.

use windlass_domain::chunk::access::{Reader, Standing};
use windlass_domain::chunk::audience::Listener;
use windlass_domain::chunk::{Chunk, Owner, Slug};
use windlass_domain::definition::find;
use windlass_domain::inject::{Asked, Injection, inject};
use windlass_domain::key;
use windlass_domain::session::Session;
use windlass_domain::{ChunkId, ProjectId};
use windlass_ledger::{Error, Snapshot};

/// Whom chunks are chosen for.
#[derive(Debug, Clone)]
pub(super) struct Whom {
    pub(super) listener: Listener,
    /// The agent itself, also where a person asks.
    pub(super) reader: Reader,
    /// At most so much, in tokens.
    pub(super) max_tokens: Option<u32>,
}

/// An agent as the ledger knows it.
#[derive(Debug, Clone)]
pub(super) struct Sitter {
    pub(super) agent_type: Option<Slug>,
    pub(super) tags: Vec<String>,
    pub(super) reader: Reader,
}

impl Sitter {
    /// The agent of a name. Whoever asks in its own name is known by its own key; where a person
    /// asks, the keys of the agent say what it sees.
    pub(super) fn named(
        snapshot: &mut Snapshot<'_>,
        name: &str,
        asker: &Reader,
    ) -> Result<Self, Error> {
        let known = snapshot.known_agent(name)?;
        let agent_type = known.as_ref().map(|agent| agent.agent_type.clone());
        let tags = known.map(|agent| agent.tags).unwrap_or_default();
        let reader = match asker.name == name {
            true => asker.clone(),
            false => Reader {
                name: name.to_owned(),
                standing: Standing::Agent(agent_type.clone()),
                projects: bound_by_keys(snapshot, name)?,
            },
        };
        Ok(Self { agent_type, tags, reader })
    }

    /// An agent that nobody knows and that keeps nothing of its own: no agent has an empty name. It
    /// sees no more than whoever asks.
    pub(super) fn nameless(asker: &Reader) -> Self {
        let (name, standing) = (String::new(), Standing::Agent(None));
        let reader = Reader { name, standing, projects: asker.projects.clone() };
        Self { agent_type: None, tags: Vec::new(), reader }
    }

    /// The same as if it were of a type.
    #[must_use]
    pub(super) fn of_type(self, agent_type: Slug) -> Self {
        let standing = Standing::Agent(Some(agent_type.clone()));
        let reader = Reader { standing, ..self.reader };
        Self { agent_type: Some(agent_type), reader, ..self }
    }

    /// The same, about to sit down.
    pub(super) fn sits(
        self,
        project: Option<ProjectId>,
        lifecycle: Slug,
        focus_tags: Vec<String>,
    ) -> Whom {
        let listener = Listener {
            agent: self.reader.name.clone(),
            agent_type: self.agent_type,
            agent_tags: self.tags,
            project,
            org: org(),
            lifecycle,
            focus_tags,
        };
        Whom { listener, reader: self.reader, max_tokens: None }
    }
}

/// The projects that the keys of an agent bind it to: none where it has none, or one that is free.
fn bound_by_keys(snapshot: &mut Snapshot<'_>, name: &str) -> Result<Vec<ProjectId>, Error> {
    let now = snapshot.now();
    let mut keys = snapshot.keys()?;
    let is_own = |owner: &key::Owner| owner.is_agent() && owner.name() == name;
    keys.retain(|key| key.is_valid(now) && is_own(&key.owner));
    if keys.iter().any(|key| key.projects.is_empty()) {
        return Ok(Vec::new());
    }
    let mut projects: Vec<ProjectId> = keys.into_iter().flat_map(|key| key.projects).collect();
    projects.sort();
    projects.dedup();
    Ok(projects)
}

/// One ledger is one organisation, called as its scope.
fn org() -> String {
    Owner::Org.to_string()
}

/// What was chosen, with the chunks that were there to choose from.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) injection: Injection,
    candidates: Vec<Chunk>,
}

impl Chosen {
    /// What is chosen now for somebody, by what is defined now.
    pub(super) fn of(snapshot: &mut Snapshot<'_>, whom: &Whom) -> Result<Self, Error> {
        let (lifecycles, agent_types) = (snapshot.lifecycles()?, snapshot.agent_types()?);
        let agent_type = whom.listener.agent_type.as_ref();
        let types = snapshot.chunk_types()?;
        let asked = Asked {
            listener: &whom.listener,
            reader: &whom.reader,
            lifecycle: find(&lifecycles, &whom.listener.lifecycle)?,
            agent_type: agent_type.map(|slug| find(&agent_types, slug)).transpose()?,
            budget_tokens: whom.max_tokens,
            now: snapshot.now(),
        };
        let candidates = snapshot.injection_candidates(&types, &asked)?;
        Ok(Self { injection: inject(&candidates, &types, &asked), candidates })
    }

    /// What is chosen now for a session under the budget it was started with, whoever asks.
    pub(super) fn of_session(
        snapshot: &mut Snapshot<'_>,
        session: &Session,
        asker: &Reader,
    ) -> Result<Self, Error> {
        let sitter = Sitter::named(snapshot, &session.agent, asker)?;
        let listener = session.listener(&sitter.tags, &org());
        let max_tokens = session.max_tokens;
        Self::of(snapshot, &Whom { listener, reader: sitter.reader, max_tokens })
    }

    /// What came up for a session since it was last given something.
    pub(super) fn pending(
        snapshot: &mut Snapshot<'_>,
        session: &Session,
        asker: &Reader,
    ) -> Result<Self, Error> {
        Ok(Self::of_session(snapshot, session, asker)?.beyond(session))
    }

    /// The same without what the session was given before.
    #[must_use]
    pub(super) fn beyond(self, session: &Session) -> Self {
        Self { injection: self.injection.beyond(&session.given()), ..self }
    }

    pub(super) fn chunk(&self, id: ChunkId) -> Option<&Chunk> {
        self.candidates.iter().find(|chunk| chunk.id == id)
    }
}
