//! Chunk types: what chunks of one kind have in common, as data that people may add to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::access::Standing;
use super::audience::Audience;
use super::template::Template;
use super::{Field, Scope, Slug};
use crate::word::words;
use crate::{Code, Refusal, text};

words! {
    /// What becomes of the chunks of a session when it ends.
    Consolidation {
        /// They stay as they are.
        Keep "keep",
        /// Somebody decides: keep, promote or discard.
        Surface "surface",
    }
}

/// What chunks of one kind have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkType {
    pub slug: Slug,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The scope of a chunk that was given none.
    #[serde(default = "usual_scope")]
    pub scope: Scope,
    /// The audience of chunks without one of their own; without rules they are only found by
    /// searching.
    #[serde(default)]
    pub audience: Audience,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    #[serde(default)]
    pub template: Template,
    /// The agent types that may create it; all when empty. People always may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub creators: Vec<Slug>,
    #[serde(default = "usual_consolidation")]
    pub consolidation: Consolidation,
    /// It is not offered any more; its chunks stay as they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

const fn usual_scope() -> Scope {
    Scope::Project
}

const fn usual_consolidation() -> Consolidation {
    Consolidation::Keep
}

impl ChunkType {
    /// Checks the type itself.
    pub fn checked(mut self) -> Result<Self, Refusal> {
        self.name = text::name("name", &self.name)?;
        if let Some(description) = &self.description {
            text::long("description", description)?;
        }
        text::few("fields", &self.fields)?;
        self.fields = self.fields.into_iter().map(Field::checked).collect::<Result<_, _>>()?;
        let mut names = BTreeSet::new();
        if let Some(twice) = self.fields.iter().find(|field| !names.insert(&field.name)) {
            let message = format!("there are two fields '{}'", twice.name);
            return Err(Refusal::new(Code::InvalidValue, message)
                .hint("give each field a name of its own")
                .detail("field", &twice.name));
        }
        self.template = self.template.checked()?;
        self.audience = self.audience.checked_for(&self.fields)?;
        self.creators.sort();
        self.creators.dedup();
        Ok(self)
    }

    /// Refuses new chunks of a type that is not offered any more.
    pub fn refuse_hidden(&self) -> Result<(), Refusal> {
        if !self.hidden {
            return Ok(());
        }
        let message = format!("chunk type '{}' is hidden: nobody writes new ones", self.slug);
        Err(Refusal::new(Code::ChunkTypeNotFound, message)
            .hint("see which there are: windlass chunk type list")
            .detail("given", &self.slug))
    }

    /// Refuses an agent of a type that does not create such chunks. People create all of them.
    pub fn check_creator(&self, standing: &Standing) -> Result<(), Refusal> {
        let Standing::Agent(agent_type) = standing else { return Ok(()) };
        let may = agent_type.as_ref().is_some_and(|given| self.creators.contains(given));
        if may || self.creators.is_empty() {
            return Ok(());
        }
        let creators: Vec<&str> = self.creators.iter().map(Slug::as_str).collect();
        let message = match agent_type {
            Some(given) => format!("an agent of type {given} does not create {}", self.slug),
            None => format!("an agent without a type does not create {}", self.slug),
        };
        Err(Refusal::new(Code::NotAllowed, message)
            .hint(format!("leave it to a person or to an agent of type {}", creators.join(", ")))
            .detail("type", &self.slug)
            .detail("agent_type", agent_type)
            .detail("creators", creators))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::chunk::FieldKind;
    use crate::chunk::audience::{Predicate, Rule};
    use crate::chunk::condition::Conditions;

    /// A type with a status, open to everybody.
    pub(crate) fn note() -> ChunkType {
        ChunkType {
            slug: "note".parse().unwrap(),
            name: "Note".into(),
            description: None,
            scope: Scope::Project,
            audience: Audience::default(),
            fields: vec![
                Field::one_of("status", &["new", "old"]).always("new"),
                Field::new("reason", FieldKind::Text),
            ],
            template: Template::default(),
            creators: Vec::new(),
            consolidation: Consolidation::Keep,
            hidden: false,
        }
    }

    #[test]
    fn a_field_that_is_defined_twice_is_refused() {
        let mut twice = note();
        twice.fields.push(Field::new("reason", FieldKind::Url));
        assert_eq!(twice.checked().unwrap_err().message, "there are two fields 'reason'");
    }

    #[test]
    fn an_audience_on_a_field_that_the_type_lacks_is_refused() {
        let rule = Rule { fields: Conditions::is("state", "new"), ..Rule::default() };
        let wrong = ChunkType { audience: Audience { rules: vec![rule] }, ..note() };
        assert_eq!(wrong.checked().unwrap_err().code, Code::UnknownField);
    }

    #[test]
    fn c15_only_the_named_agent_types_create_it() {
        let coder: Slug = "dev_coder".parse().unwrap();
        let limited = ChunkType { creators: vec![coder.clone()], ..note() };
        assert_eq!(limited.check_creator(&Standing::Agent(Some(coder))), Ok(()));
        for other in [None, Some("dev_qa".parse().unwrap())] {
            let refusal = limited.check_creator(&Standing::Agent(other)).unwrap_err();
            assert_eq!(refusal.code, Code::NotAllowed);
        }
        assert_eq!(limited.check_creator(&Standing::Person), Ok(()));
        assert_eq!(note().check_creator(&Standing::Agent(None)), Ok(()));
    }

    #[test]
    fn a_type_is_read_back_as_it_is_written() {
        let rules = vec![Rule::asking(Predicate::AgentTypes, &["dev"])];
        let given = ChunkType { audience: Audience { rules }, ..note() }.checked().unwrap();
        let written = serde_json::to_string(&given).unwrap();
        assert_eq!(serde_json::from_str::<ChunkType>(&written).unwrap(), given);
    }
}
