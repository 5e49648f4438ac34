//! Lifecycles: how long a session lasts, what must be done in it, and what is injected.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::chunk::condition::Conditions;
use crate::chunk::{ChunkType, Scope, Slug};
use crate::definition::find;
use crate::duration::Span;
use crate::word::words;
use crate::{Code, Refusal, text};

/// Tags that say what a convention is about. A convention with one of them goes only to lifecycles
/// that name the tag.
pub const RESERVED_TAGS: &[&str] = &["testing", "deployment", "infrastructure"];

words! {
    /// What a session must have done before it writes.
    RequiredStep {
        RegisterFocus "register_focus",
    }
}

words! {
    /// Whose chunks a rule of a lifecycle injects.
    Whose {
        /// Those of the session's own agent.
        Own "self",
        /// Those of the session's project.
        Project "project",
        /// Those of the session's project; of every project that the agent may read, where it sits in
        /// none.
        Projects "projects",
        Org "org",
        /// Those of the session's project and of the organisation.
        Shared "shared",
        /// Those of every project that the agent may read.
        Any "any",
    }
}

/// How sessions of one kind go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lifecycle {
    pub slug: Slug,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How long a session lasts that nobody ends.
    pub ttl: Span,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_steps: Vec<RequiredStep>,
    /// From so many chunks on, the end of a session asks what becomes of them.
    pub consolidation_threshold: u32,
    /// What may be injected; all scopes when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inject_scopes: Vec<Scope>,
    /// What is injected, and nothing else. Without rules the audiences of the chunks decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inject: Option<Vec<InjectionRule>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// Chunks that sessions of a lifecycle are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InjectionRule {
    pub chunk_type: Slug,
    pub owner: Whose,
    /// One of them is enough. Without any, chunks with a reserved tag are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub fields: Conditions,
    /// Of the chunks of one owner only so many: the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<u32>,
    /// Only chunks whose audience means the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aimed: bool,
}

impl InjectionRule {
    pub fn new(chunk_type: Slug, owner: Whose) -> Self {
        Self {
            chunk_type,
            owner,
            tags: Vec::new(),
            fields: Conditions::default(),
            latest: None,
            aimed: false,
        }
    }

    /// Whether it is about chunks with these tags.
    pub fn is_tagged(&self, tags: &[String]) -> bool {
        match self.tags.is_empty() {
            true => !tags.iter().any(|tag| RESERVED_TAGS.contains(&tag.as_str())),
            false => tags.iter().any(|tag| self.tags.contains(tag)),
        }
    }

    fn checked(mut self, types: &[ChunkType]) -> Result<Self, Refusal> {
        let known = find(types, &self.chunk_type)?;
        self.tags = text::tags(&self.tags)?;
        self.fields = self.fields.checked_for(&known.fields)?;
        if self.owner == Whose::Any && !self.aimed {
            let message = "chunks of every project are injected only where they are aimed";
            return Err(Refusal::new(Code::InvalidValue, message)
                .hint("make the rule aimed, or its owner self, project, projects, org or shared")
                .detail("field", "owner")
                .detail("chunk_type", &self.chunk_type));
        }
        Ok(self)
    }
}

/// The rule in words, by which people recognise it: `latest 1 memory of self`.
impl fmt::Display for InjectionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(latest) = self.latest {
            write!(f, "latest {latest} ")?;
        }
        write!(f, "{} of {}", self.chunk_type, self.owner)?;
        if !self.tags.is_empty() {
            write!(f, " tagged {}", self.tags.join(" or "))?;
        }
        for (field, values) in self.fields.iter() {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            write!(f, " with {field} {}", values.join(" or "))?;
        }
        f.write_str(if self.aimed { " aimed at it" } else { "" })
    }
}

impl Lifecycle {
    /// Checks the lifecycle itself, against the chunk types there are.
    pub fn checked(mut self, types: &[ChunkType]) -> Result<Self, Refusal> {
        self.name = text::name("name", &self.name)?;
        if let Some(description) = &self.description {
            text::long("description", description)?;
        }
        if self.ttl.as_millis() <= 0 {
            return Err(Refusal::new(
                Code::InvalidValue,
                "a session must last longer than nothing",
            )
            .hint("give a ttl such as 8h")
            .detail("field", "ttl"));
        }
        if let Some(rules) = self.inject.take() {
            text::few("inject", &rules)?;
            let rules = rules.into_iter().map(|rule| rule.checked(types));
            self.inject = Some(rules.collect::<Result<_, _>>()?);
        }
        Ok(self)
    }

    /// Whether chunks of a scope may be injected.
    pub fn admits(&self, scope: Scope) -> bool {
        self.inject_scopes.is_empty() || self.inject_scopes.contains(&scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::chunk_type::tests::note;

    fn lifecycle(rule: InjectionRule) -> Lifecycle {
        Lifecycle {
            slug: "sitting".parse().unwrap(),
            name: "Sitting".into(),
            description: None,
            ttl: Span::parse("ttl", "8h").unwrap(),
            required_steps: vec![RequiredStep::RegisterFocus],
            consolidation_threshold: 3,
            inject_scopes: Vec::new(),
            inject: Some(vec![rule]),
            hidden: false,
        }
    }

    fn notes(owner: Whose) -> InjectionRule {
        InjectionRule::new("note".parse().unwrap(), owner)
    }

    fn checked(lifecycle: Lifecycle) -> Result<Lifecycle, Refusal> {
        lifecycle.checked(&[note()])
    }

    #[test]
    fn a_lifecycle_that_names_a_missing_type_is_refused_with_the_nearest_one() {
        let rule = InjectionRule::new("nota".parse().unwrap(), Whose::Org);
        let refusal = checked(lifecycle(rule)).unwrap_err();
        assert_eq!(refusal.message, "there is no chunk type 'nota'");
        assert_eq!(refusal.suggestions, ["note"]);
    }

    #[test]
    fn a_rule_on_a_field_that_the_type_lacks_is_refused() {
        let rule = InjectionRule { fields: Conditions::is("state", "x"), ..notes(Whose::Org) };
        assert_eq!(checked(lifecycle(rule)).unwrap_err().code, Code::UnknownField);
    }

    #[test]
    fn chunks_of_every_project_must_be_aimed() {
        assert!(checked(lifecycle(notes(Whose::Any))).is_err());
        let aimed = InjectionRule { aimed: true, ..notes(Whose::Any) };
        assert!(checked(lifecycle(aimed)).is_ok());
    }

    #[test]
    fn a_session_that_lasts_no_time_is_refused() {
        let none = Lifecycle { ttl: Span::from_millis(0), ..lifecycle(notes(Whose::Org)) };
        assert!(checked(none).is_err());
    }

    #[test]
    fn a_convention_with_a_reserved_tag_goes_only_where_the_tag_is_named() {
        let tags = |tag: &str| vec![tag.to_owned()];
        let named = InjectionRule { tags: tags("testing"), ..notes(Whose::Shared) };
        assert!(named.is_tagged(&tags("testing")) && !named.is_tagged(&[]));
        let plain = notes(Whose::Project);
        assert!(plain.is_tagged(&[]) && plain.is_tagged(&tags("rust")));
        assert!(!plain.is_tagged(&tags("testing")));
    }

    #[test]
    fn a_lifecycle_is_read_back_as_it_is_written() {
        let given = lifecycle(InjectionRule { latest: Some(1), ..notes(Whose::Own) });
        let written = serde_json::to_string(&given).unwrap();
        assert_eq!(serde_json::from_str::<Lifecycle>(&written).unwrap(), given);
    }
}
