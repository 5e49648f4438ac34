//! Hizal's twelve chunk types.

use super::{IDENTITY, MEMORY, slugs};
use crate::chunk::audience::Audience;
use crate::chunk::chunk_type::Consolidation;
use crate::chunk::template::Template;
use crate::chunk::{ChunkType, Scope, Slug};

pub(super) fn general() -> Vec<ChunkType> {
    use Consolidation::{Keep, Surface};
    use Scope::{Agent, Org, Project};
    let injected = |chunk_type: ChunkType| ChunkType { audience: Audience::all(), ..chunk_type };
    vec![
        injected(chunk_type(IDENTITY, "Identity", "Who an agent is and how it works", Agent, Keep)),
        chunk_type(MEMORY, "Memory", "What an agent keeps for itself", Agent, Surface),
        chunk_type("knowledge", "Knowledge", "How something is", Project, Keep),
        injected(chunk_type("convention", "Convention", "How things are done here", Project, Keep)),
        ChunkType {
            // It is put before everybody, so it is not left to any agent.
            creators: slugs(&["admin", "dev_assistant", "orchestrator"]),
            ..injected(chunk_type("principle", "Principle", "What holds everywhere", Org, Keep))
        },
        chunk_type("decision", "Decision", "What was decided and why", Project, Keep),
        chunk_type("research", "Research", "What was found out", Project, Surface),
        chunk_type("plan", "Plan", "What is to be done, in order", Project, Surface),
        chunk_type("spec", "Spec", "What is wanted", Project, Surface),
        chunk_type("implementation", "Implementation", "What was built", Project, Surface),
        injected(chunk_type("constraint", "Constraint", "What must not be done", Project, Keep)),
        chunk_type("lesson", "Lesson", "What was learned", Project, Surface),
    ]
}

/// A type without fields that everybody may create and that is only found by searching.
pub(super) fn chunk_type(
    slug: &'static str,
    name: &str,
    description: &str,
    scope: Scope,
    consolidation: Consolidation,
) -> ChunkType {
    ChunkType {
        slug: Slug::known(slug),
        name: name.to_owned(),
        description: Some(description.to_owned()),
        scope,
        audience: Audience::default(),
        fields: Vec::new(),
        template: Template::default(),
        creators: Vec::new(),
        consolidation,
        hidden: false,
    }
}
