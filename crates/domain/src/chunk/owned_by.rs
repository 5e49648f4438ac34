//! Whose chunks are meant, where those of several owners may be: all of a scope, or one owner's.

use std::fmt;

use super::{Owner, Scope};
use crate::ProjectId;

/// Whose chunks are meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnedBy {
    Org,
    AnyProject,
    AnyAgent,
    Project(ProjectId),
    Agent(String),
}

impl OwnedBy {
    /// Everything that means the chunks of an owner.
    pub fn all_of(owner: &Owner) -> Vec<Self> {
        match owner {
            Owner::Org => vec![Self::Org],
            Owner::Project(_) => vec![Self::AnyProject, owner.clone().into()],
            Owner::Agent(_) => vec![Self::AnyAgent, owner.clone().into()],
        }
    }

    /// Whether the chunks of an owner are meant.
    pub fn has(&self, owner: &Owner) -> bool {
        Self::all_of(owner).contains(self)
    }

    pub const fn scope(&self) -> Scope {
        match self {
            Self::Org => Scope::Org,
            Self::AnyProject | Self::Project(_) => Scope::Project,
            Self::AnyAgent | Self::Agent(_) => Scope::Agent,
        }
    }

    /// Whether no more than one owner can be meant.
    pub const fn is_one(&self) -> bool {
        match self {
            Self::Org | Self::Project(_) | Self::Agent(_) => true,
            Self::AnyProject | Self::AnyAgent => false,
        }
    }

    /// What both mean, if there is such a thing.
    pub fn and(&self, other: &Self) -> Option<Self> {
        let (wide, narrow) = if self.is_one() { (other, self) } else { (self, other) };
        let is_in = wide == narrow || (!wide.is_one() && wide.scope() == narrow.scope());
        is_in.then(|| narrow.clone())
    }
}

impl From<Owner> for OwnedBy {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::Org => Self::Org,
            Owner::Project(id) => Self::Project(id),
            Owner::Agent(name) => Self::Agent(name),
        }
    }
}

impl From<Scope> for OwnedBy {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Org => Self::Org,
            Scope::Project => Self::AnyProject,
            Scope::Agent => Self::AnyAgent,
        }
    }
}

impl fmt::Display for OwnedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = self.scope();
        match self {
            Self::Org | Self::AnyProject | Self::AnyAgent => write!(f, "{scope}"),
            Self::Project(id) => write!(f, "{scope}:{id}"),
            Self::Agent(name) => write!(f, "{scope}:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(number: u8) -> Owner {
        Owner::Project(ProjectId::from_bytes([number; 16]))
    }

    #[test]
    fn a_scope_means_all_of_its_owners_and_nobody_else() {
        let agent = Owner::Agent("w1".into());
        assert!(OwnedBy::AnyProject.has(&project(1)) && !OwnedBy::AnyProject.has(&agent));
        assert!(OwnedBy::AnyAgent.has(&agent) && !OwnedBy::AnyAgent.has(&Owner::Org));
        assert!(OwnedBy::Org.has(&Owner::Org) && !OwnedBy::Org.has(&project(1)));
        let one = OwnedBy::from(project(1));
        assert!(one.has(&project(1)) && !one.has(&project(2)));
    }

    #[test]
    fn what_two_mean_is_what_each_of_them_means() {
        let owners = [Owner::Org, project(1), project(2), Owner::Agent("w1".into())];
        let mut all = vec![OwnedBy::AnyProject, OwnedBy::AnyAgent];
        all.extend(owners.iter().cloned().map(OwnedBy::from));
        for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
            let both = one.and(other);
            for owner in &owners {
                let has = both.as_ref().is_some_and(|both| both.has(owner));
                assert_eq!(has, one.has(owner) && other.has(owner), "{one} {other} {owner}");
            }
        }
    }
}
