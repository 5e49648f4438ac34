//! Agents that are known by name: of which type they are, and what they are tagged with. An agent
//! that nobody made known works on tasks all the same.

use serde::{Deserialize, Serialize};

use super::find;
use crate::chunk::Slug;
use crate::session::{AgentType, Filter};
use crate::{Refusal, text};

/// An agent that is known by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub name: String,
    pub agent_type: Slug,
    /// What audiences may ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where its searches differ from those of its type.
    #[serde(default, skip_serializing_if = "is_default")]
    pub search_filter_overrides: Filter,
}

fn is_default(filter: &Filter) -> bool {
    *filter == Filter::default()
}

impl Agent {
    /// Checks what somebody says of an agent, against the types there are.
    pub fn checked(mut self, types: &[AgentType]) -> Result<Self, Refusal> {
        self.name = text::name("name", &self.name)?;
        self.tags = text::tags(&self.tags)?;
        if let Some(description) = &self.description {
            text::long("description", description)?;
        }
        self.search_filter_overrides.check()?;
        find(types, &self.agent_type)?;
        Ok(self)
    }

    /// What its searches may find.
    pub fn search(&self, agent_type: &AgentType) -> Filter {
        agent_type.search.overridden_by(&self.search_filter_overrides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::built_in::agent_types;
    use crate::chunk::Scope;

    fn agent(agent_type: &str) -> Agent {
        Agent {
            name: "coder-1".into(),
            agent_type: agent_type.parse().unwrap(),
            tags: vec!["rust".into(), "rust ".into()],
            description: None,
            search_filter_overrides: Filter::default(),
        }
    }

    #[test]
    fn an_agent_searches_as_its_type_does_but_for_what_it_overrides() {
        let types = agent_types();
        let admin = find(&types, &"admin".parse().unwrap()).unwrap();
        assert_eq!(agent("admin").search(admin), admin.search);
        let overrides = Filter {
            include_scopes: vec![Scope::Project],
            exclude_query_keys: vec!["secrets".into()],
            ..Filter::default()
        };
        let other = Agent { search_filter_overrides: overrides.clone(), ..agent("admin") };
        assert_eq!(other.search(admin), overrides);
    }

    #[test]
    fn an_agent_is_of_a_type_that_is_there() {
        assert_eq!(agent("dev_coder").checked(&agent_types()).unwrap().tags, ["rust"]);
        let refusal = agent("dev_codr").checked(&agent_types()).unwrap_err();
        assert_eq!(refusal.code, Code::AgentTypeNotFound);
        assert_eq!(refusal.suggestions, ["dev_coder"]);
    }
}
