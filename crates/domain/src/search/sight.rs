//! What a search looks at: what the asker may find at all, and of that what it asked for.

use crate::chunk::access::{Act, Answer, Reader};
use crate::chunk::condition::Conditions;
use crate::chunk::{Chunk, ChunkType, Owner, QueryKey, Scope, Slug};
use crate::session::Filter;
use crate::{ProjectId, Time};

/// Which chunks a search may find. What it does not look at is not counted either.
#[derive(Debug, Clone)]
pub struct Sight<'a> {
    pub reader: &'a Reader,
    pub scopes: Vec<Scope>,
    /// Of this project only.
    pub project: Option<ProjectId>,
    /// Of this owner only.
    pub owner: Option<Owner>,
    /// With this key only.
    pub query_key: Option<QueryKey>,
    /// Only what is injected to somebody.
    pub injected: bool,
    /// What the agent that asks may find.
    pub filter: Filter,
    /// Of one of these types; of every type when there is none.
    pub chunk_types: Vec<Slug>,
    /// All of them must be on the chunk.
    pub tags: Vec<String>,
    pub fields: Conditions,
    /// The types there are.
    pub types: &'a [ChunkType],
}

impl<'a> Sight<'a> {
    /// Everything that somebody may find.
    pub fn of(reader: &'a Reader) -> Self {
        Self {
            reader,
            scopes: Scope::ALL.to_vec(),
            project: None,
            owner: None,
            query_key: None,
            injected: false,
            filter: Filter::default(),
            chunk_types: Vec::new(),
            tags: Vec::new(),
            fields: Conditions::default(),
            types: &[],
        }
    }

    /// Whether it looks at chunks of an owner.
    pub fn reaches(&self, owner: &Owner) -> bool {
        let is_of_project = match (self.project, owner) {
            (None, _) => true,
            (Some(project), Owner::Project(of)) => project == *of,
            (Some(_), Owner::Org | Owner::Agent(_)) => false,
        };
        is_of_project
            && self.owner.as_ref().is_none_or(|wanted| wanted == owner)
            && self.scopes.contains(&owner.scope())
            && self.reader.may(Act::Search, owner) == Answer::Allowed
    }

    /// Whether it finds a chunk, when its words are found.
    pub fn admits(&self, chunk: &Chunk, now: Time) -> bool {
        let scope = chunk.owner.scope();
        self.reaches(&chunk.owner)
            && chunk.is_current(now)
            && self.filter.admits(scope, &chunk.chunk_type, chunk.query_key.as_str())
            && (self.chunk_types.is_empty() || self.chunk_types.contains(&chunk.chunk_type))
            && self.query_key.as_ref().is_none_or(|key| *key == chunk.query_key)
            && (!self.injected || self.is_injected(chunk))
            && self.tags.iter().all(|tag| chunk.tags.contains(tag))
            && self.fields_hold(chunk)
    }

    /// Whether it is aimed at anybody, by itself or by its type.
    fn is_injected(&self, chunk: &Chunk) -> bool {
        let of_type = || self.type_of(chunk).map(|chunk_type| &chunk_type.audience);
        chunk.audience.as_ref().or_else(of_type).is_some_and(|audience| !audience.rules.is_empty())
    }

    fn fields_hold(&self, chunk: &Chunk) -> bool {
        self.fields.is_empty()
            || self
                .type_of(chunk)
                .is_some_and(|chunk_type| self.fields.hold(&chunk.shown(chunk_type)))
    }

    fn type_of(&self, chunk: &Chunk) -> Option<&'a ChunkType> {
        self.types.iter().find(|chunk_type| chunk_type.slug == chunk.chunk_type)
    }
}
