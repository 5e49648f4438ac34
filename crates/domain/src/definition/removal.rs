//! Taking a definition back: what others refer to stays.

use super::Defined;
use super::agent::Agent;
use crate::chunk::{ChunkType, Slug};
use crate::session::{AgentType, Lifecycle, Session};
use crate::{Code, Refusal};

/// Refuses to remove an agent type that agents, chunk types or open sessions refer to.
pub fn agent_type(
    slug: &Slug,
    agents: &[Agent],
    chunk_types: &[ChunkType],
    open: &[Session],
) -> Result<(), Refusal> {
    let agents = agents.iter().filter(|agent| agent.agent_type == *slug);
    let agents = agents.map(|agent| format!("agent {}", agent.name));
    let creates = chunk_types.iter().filter(|known| known.creators.contains(slug));
    let creates = creates.map(|known| format!("chunk type {}", known.slug));
    let open = open.iter().filter(|session| session.agent_type.as_ref() == Some(slug));
    unused::<AgentType>(slug, agents.chain(creates).chain(open.map(of_session)).collect())
}

/// Refuses to remove a lifecycle that agent types or open sessions refer to.
pub fn lifecycle(slug: &Slug, agent_types: &[AgentType], open: &[Session]) -> Result<(), Refusal> {
    let types = agent_types.iter().filter(|known| known.lifecycle == *slug);
    let types = types.map(|known| format!("agent type {}", known.slug));
    let open = open.iter().filter(|session| session.lifecycle == *slug);
    unused::<Lifecycle>(slug, types.chain(open.map(of_session)).collect())
}

/// Refuses to remove a chunk type that chunks are of, or that lifecycles refer to.
pub fn chunk_type(slug: &Slug, chunks: u64, lifecycles: &[Lifecycle]) -> Result<(), Refusal> {
    let has_chunks = (chunks > 0).then(|| format!("{chunks} chunks"));
    let names_it =
        |known: &&Lifecycle| known.inject.iter().flatten().any(|rule| rule.chunk_type == *slug);
    let cycles = lifecycles.iter().filter(names_it);
    let cycles = cycles.map(|known| format!("lifecycle {}", known.slug));
    unused::<ChunkType>(slug, has_chunks.into_iter().chain(cycles).collect())
}

fn of_session(session: &Session) -> String {
    format!("session {}", session.id)
}

fn unused<T: Defined>(slug: &Slug, used_by: Vec<String>) -> Result<(), Refusal> {
    if used_by.is_empty() {
        return Ok(());
    }
    let what = T::WHAT;
    let message = format!("{what} {slug} is in use: {}", used_by.join(", "));
    Err(Refusal::new(Code::DefinitionInUse, message)
        .hint(format!("change those first, or hide it: windlass {what} hide {slug}"))
        .detail("slug", slug)
        .detail("used_by", used_by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::{agent_types, chunk_types, lifecycles};
    use crate::chunk::chunk_type::tests::note;
    use crate::session::Filter;
    use crate::session::tests::scene::session;

    fn slug(text: &str) -> Slug {
        text.parse().unwrap()
    }

    #[test]
    fn an_agent_type_that_an_agent_is_of_is_not_removed() {
        let agent = Agent {
            name: "tester".into(),
            agent_type: slug("mine"),
            tags: Vec::new(),
            description: None,
            search_filter_overrides: Filter::default(),
        };
        let refusal = agent_type(&slug("mine"), &[agent], &[], &[]).unwrap_err();
        assert_eq!(refusal.code, Code::DefinitionInUse);
        assert_eq!(refusal.message, "agent type mine is in use: agent tester");
    }

    #[test]
    fn an_agent_type_that_alone_creates_a_chunk_type_is_not_removed() {
        let limited = ChunkType { creators: vec![slug("mine")], ..note() };
        assert!(agent_type(&slug("mine"), &[], &[limited], &[]).is_err());
        assert!(agent_type(&slug("mine"), &[], &chunk_types(), &[]).is_ok());
    }

    #[test]
    fn a_lifecycle_that_an_agent_type_has_is_not_removed() {
        assert!(lifecycle(&slug("dev_coding"), &agent_types(), &[]).is_err());
        assert!(lifecycle(&slug("mine"), &agent_types(), &[]).is_ok());
    }

    #[test]
    fn a_lifecycle_under_which_a_session_is_open_is_not_removed() {
        let open = session("dev_coding");
        assert!(lifecycle(&slug("dev_coding"), &[], &[open]).is_err());
    }

    #[test]
    fn a_chunk_type_that_chunks_are_of_or_a_lifecycle_injects_is_not_removed() {
        let refusal = chunk_type(&slug("mine"), 2, &[]).unwrap_err();
        assert_eq!(refusal.message, "chunk type mine is in use: 2 chunks");
        assert!(chunk_type(&slug("memory"), 0, &lifecycles()).is_err());
        assert!(chunk_type(&slug("mine"), 0, &lifecycles()).is_ok());
    }
}
