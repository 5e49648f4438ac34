//! Definitions: the chunk types, agent types and lifecycles that people add beside those that are
//! [brought along](crate::built_in), and the agents that are known by name.
//!
//! One that has the slug of what is brought along stands in its place, until it is taken back.

pub mod agent;
pub mod event;
pub mod removal;

use self::event::{AgentTypeSet, ChunkTypeSet, LifecycleSet};
use crate::chunk::{ChunkType, Slug};
use crate::event::DefinitionEvent;
use crate::near::near;
use crate::session::{AgentType, Lifecycle};
use crate::{Code, Refusal};

/// Something that is known by its slug.
pub trait Defined: Sized {
    /// What people call such things.
    const WHAT: &'static str;
    /// The code of the refusal when there is none.
    const MISSING: Code;

    fn slug(&self) -> &Slug;

    fn name(&self) -> &str;

    fn description(&self) -> Option<&str>;

    /// Whether it is left out of the lists.
    fn is_hidden(&self) -> bool;

    #[must_use]
    fn hidden(self) -> Self;

    #[must_use]
    fn shown(self) -> Self;

    /// That somebody defined it.
    fn set_by(self, by: &str) -> DefinitionEvent;
}

/// What is the same for all definitions, as their fields have it.
macro_rules! defined {
    ($type:ty, $what:literal, $missing:ident, $set:ident) => {
        impl Defined for $type {
            const WHAT: &'static str = $what;
            const MISSING: Code = Code::$missing;

            fn slug(&self) -> &Slug {
                &self.slug
            }

            fn name(&self) -> &str {
                &self.name
            }

            fn description(&self) -> Option<&str> {
                self.description.as_deref()
            }

            fn is_hidden(&self) -> bool {
                self.hidden
            }

            fn hidden(self) -> Self {
                Self { hidden: true, ..self }
            }

            fn shown(self) -> Self {
                Self { hidden: false, ..self }
            }

            fn set_by(self, by: &str) -> DefinitionEvent {
                $set { definition: self, by: by.to_owned() }.into()
            }
        }
    };
}

defined!(ChunkType, "chunk type", ChunkTypeNotFound, ChunkTypeSet);
defined!(AgentType, "agent type", AgentTypeNotFound, AgentTypeSet);
defined!(Lifecycle, "lifecycle", LifecycleNotFound, LifecycleSet);

/// What there is: what people added, and what is brought along and nothing stands in place of.
pub fn known<T: Defined>(brought_along: Vec<T>, added: Vec<T>) -> Vec<T> {
    let is_kept = |one: &T| !added.iter().any(|other| other.slug() == one.slug());
    let mut known: Vec<T> = brought_along.into_iter().filter(is_kept).collect();
    known.extend(added);
    known.sort_by(|one, other| one.slug().cmp(other.slug()));
    known
}

/// The one of a slug; one that is not there is refused with the nearest.
pub fn find<'a, T: Defined>(known: &'a [T], slug: &Slug) -> Result<&'a T, Refusal> {
    known.iter().find(|one| one.slug() == slug).ok_or_else(|| {
        let what = T::WHAT;
        Refusal::new(T::MISSING, format!("there is no {what} '{slug}'"))
            .hint(format!("see which there are: windlass {what} list"))
            .detail("given", slug)
            .suggest(near(slug.as_str(), known.iter().map(|one| one.slug().as_str())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::{chunk_types, lifecycles};
    use crate::chunk::chunk_type::tests::note;

    #[test]
    fn c12_what_people_add_is_known_beside_what_is_brought_along() {
        let known = known(chunk_types(), vec![note()]);
        assert_eq!(known.len(), chunk_types().len() + 1);
        assert_eq!(find(&known, &note().slug), Ok(&note()));
    }

    #[test]
    fn what_has_the_slug_of_something_brought_along_stands_in_its_place() {
        let slug: Slug = "memory".parse().unwrap();
        let other = ChunkType { slug: slug.clone(), ..note() };
        let known = known(chunk_types(), vec![other.clone()]);
        assert_eq!(known.len(), chunk_types().len());
        assert_eq!(find(&known, &slug), Ok(&other));
    }

    #[test]
    fn what_is_not_there_is_refused_with_the_nearest() {
        let refusal = find(&lifecycles(), &"dev_codin".parse().unwrap()).unwrap_err();
        assert_eq!(refusal.code, Code::LifecycleNotFound);
        assert_eq!(refusal.message, "there is no lifecycle 'dev_codin'");
        assert_eq!(refusal.hint.as_deref(), Some("see which there are: windlass lifecycle list"));
        assert_eq!(refusal.suggestions, ["dev_coding"]);
    }
}
