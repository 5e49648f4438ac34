//! Where a chunk belongs: to the whole ledger, to a project, or to one agent alone.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::word::words;
use crate::{Code, ProjectId, Refusal, text};

words! {
    /// How widely a chunk is meant, narrowest last.
    Scope {
        /// Everybody: one ledger is one organisation.
        Org "org",
        Project "project",
        /// One agent alone.
        Agent "agent",
    }
}

/// Whose chunk it is: its scope, with what the scope is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Owner {
    Org,
    Project(ProjectId),
    Agent(String),
}

impl Owner {
    pub const fn scope(&self) -> Scope {
        match self {
            Self::Org => Scope::Org,
            Self::Project(_) => Scope::Project,
            Self::Agent(_) => Scope::Agent,
        }
    }

    /// Whether what it owns is meant at least as widely as what another owns: for the same, or for a
    /// wider scope.
    pub fn is_as_wide_as(&self, other: &Self) -> bool {
        self == other || self.scope() < other.scope()
    }

    /// Whose a chunk of a scope is, when somebody in some project writes it.
    pub fn of(scope: Scope, project: Option<ProjectId>, agent: &str) -> Result<Self, Refusal> {
        match scope {
            Scope::Org => Ok(Self::Org),
            Scope::Agent => Ok(Self::Agent(text::name("agent", agent)?)),
            Scope::Project => project.map(Self::Project).ok_or_else(|| {
                Refusal::new(Code::InvalidValue, "a chunk of scope project needs a project")
                    .hint("name one, or give another scope: org or agent")
                    .detail("field", "project")
            }),
        }
    }

    /// Reads `org`, `project:ID` or `agent:NAME`, as [`Display`](fmt::Display) writes them.
    pub fn parse(given: &str) -> Result<Self, Refusal> {
        match given.split_once(':') {
            None if given == "org" => Ok(Self::Org),
            Some(("project", id)) => Ok(Self::Project(id.parse()?)),
            Some(("agent", name)) => Ok(Self::Agent(text::name("agent", name)?)),
            _ => Err(Refusal::new(Code::InvalidValue, format!("'{given}' owns no chunks"))
                .hint("write org, project:ID or agent:NAME")
                .detail("field", "owner")
                .detail("given", given)),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Org => f.write_str("org"),
            Self::Project(id) => write!(f, "project:{id}"),
            Self::Agent(name) => write!(f, "agent:{name}"),
        }
    }
}

impl TryFrom<String> for Owner {
    type Error = Refusal;

    fn try_from(given: String) -> Result<Self, Refusal> {
        Self::parse(&given)
    }
}

impl From<Owner> for String {
    fn from(owner: Owner) -> Self {
        owner.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_read_back_as_it_is_written() {
        let project = ProjectId::from_bytes([7; 16]);
        for owner in [Owner::Org, Owner::Project(project), Owner::Agent("w:1".into())] {
            assert_eq!(Owner::parse(&owner.to_string()), Ok(owner));
        }
    }

    #[test]
    fn a_wider_scope_or_the_same_owner_is_as_wide() {
        let (api, web) = (
            Owner::Project(ProjectId::from_bytes([1; 16])),
            Owner::Project(ProjectId::from_bytes([2; 16])),
        );
        let w1 = Owner::Agent("w1".into());
        for (one, other) in [(&Owner::Org, &api), (&api, &w1), (&Owner::Org, &w1), (&api, &api)] {
            assert!(one.is_as_wide_as(other), "{one} {other}");
        }
        for (one, other) in [(&api, &Owner::Org), (&w1, &api), (&api, &web)] {
            assert!(!one.is_as_wide_as(other), "{one} {other}");
        }
    }

    #[test]
    fn what_owns_no_chunks_is_refused() {
        for given in ["", "orgs", "org:x", "project:", "agent:", "task:1"] {
            assert!(Owner::parse(given).is_err(), "{given}");
        }
    }

    #[test]
    fn a_chunk_of_scope_project_needs_a_project() {
        assert_eq!(Owner::of(Scope::Project, None, "w1").unwrap_err().code, Code::InvalidValue);
    }
}
