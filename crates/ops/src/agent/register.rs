//! `agent register` and `agent unregister`: agents that are known by name. Whoever is not works on
//! tasks all the same.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::chunk::Slug;
use windlass_domain::definition::agent::Agent;
use windlass_domain::definition::event::AgentSet;
use windlass_domain::session::Filter;
use windlass_domain::{Code, Refusal, Time, text};
use windlass_ledger::{DefinitionKind, Error};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::JsonObject;

/// Makes an agent known by name.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Register {
    /// The name it acts under
    pub name: String,
    /// Its type, as `agent type list` shows them
    #[arg(id = "type", long = "type", value_name = "SLUG")]
    #[serde(rename = "type")]
    pub agent_type: String,
    /// What audiences may ask for
    #[arg(short, long, value_name = "TAGS", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// What it is for
    #[arg(short, long, value_name = "TEXT")]
    #[serde(default)]
    pub description: Option<String>,
    /// Where its searches differ from those of its type: a filter as agent types have it
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub search: Option<JsonObject>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// What is known of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Registered {
    pub name: String,
    pub agent_type: String,
    pub tags: Vec<String>,
    pub description: Option<String>,
    /// Where its searches differ from those of its type.
    pub search_filter_overrides: Map<String, Value>,
}

impl From<&Agent> for Registered {
    fn from(agent: &Agent) -> Self {
        let overrides = match serde_json::to_value(&agent.search_filter_overrides) {
            Ok(Value::Object(overrides)) => overrides,
            _ => Map::new(),
        };
        Self {
            name: agent.name.clone(),
            agent_type: agent.agent_type.to_string(),
            tags: agent.tags.clone(),
            description: agent.description.clone(),
            search_filter_overrides: overrides,
        }
    }
}

impl Registered {
    /// The cells of a list.
    pub(super) fn row(&self) -> Vec<Cell> {
        vec![self.name.clone().into(), self.agent_type.clone().into(), self.tags.join(", ").into()]
    }
}

impl Operation for Register {
    type Output = Registered;
    const NAME: &'static str = "agent.register";
    const ABOUT: &'static str = "Make an agent known: its type, its tags, what it finds";
    const EXAMPLE: &'static str = "windlass agent register coder-1 --type dev_coder --tags rust";
    // The type of an agent says what it may create and see: an agent does not choose it.
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<Registered, Error> {
        let agent = Agent {
            name: self.name.clone(),
            agent_type: Slug::parse("type", &self.agent_type)?,
            tags: self.tags.clone(),
            description: self.description.clone(),
            search_filter_overrides: self
                .search
                .as_ref()
                .map(filter)
                .transpose()?
                .unwrap_or_default(),
        };
        let actor = cx.person(self.author.as_ref())?;
        cx.write(&actor, |tx| {
            let definition = agent.clone().checked(&tx.agent_types()?)?;
            let registered = Registered::from(&definition);
            tx.set_definition(AgentSet { definition, by: actor.clone() })?;
            Ok(registered)
        })
    }
}

fn filter(given: &JsonObject) -> Result<Filter, Refusal> {
    serde_json::from_value(Value::Object(given.0.clone())).map_err(|wrong| {
        Refusal::new(Code::InvalidValue, format!("search is no filter: {wrong}"))
            .hint("write it as in {\"include_scopes\": [\"project\"]}")
            .detail("field", "search")
    })
}

impl Output for Registered {
    fn sheet(&self, _now: Time) -> Sheet {
        let sheet = Sheet::line(format!("agent {} is of type {}", self.name, self.agent_type));
        let said = self.description.iter().cloned().map(Cell::from).map(|said| ("for", said));
        let tags = (!self.tags.is_empty()).then(|| ("tags", Cell::from(self.tags.join(", "))));
        let facts: Vec<_> = said.chain(tags).collect();
        match facts.is_empty() {
            true => sheet,
            false => sheet.and_facts(facts),
        }
    }
}

/// Forgets what is known of an agent.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Unregister {
    /// The name it acts under
    pub name: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// The agent that is known no more.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Unregistered {
    pub name: String,
}

impl Operation for Unregister {
    type Output = Unregistered;
    const NAME: &'static str = "agent.unregister";
    const ABOUT: &'static str = "Forget the type and tags of an agent; its work stays";
    const EXAMPLE: &'static str = "windlass agent unregister coder-1";
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<Unregistered, Error> {
        let name = text::name("name", &self.name)?;
        let actor = cx.person(self.author.as_ref())?;
        cx.write(&actor, |tx| {
            let Some(kept) = tx.definition(DefinitionKind::Agent, &name)? else {
                return Err(unknown(&name).into());
            };
            tx.remove_definition(&kept, &actor)?;
            Ok(Unregistered { name: name.clone() })
        })
    }
}

fn unknown(name: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, format!("no agent {name} is registered"))
        .hint("see who is: windlass agent status")
        .detail("field", "name")
        .detail("given", name)
}

impl Output for Unregistered {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("agent {} is no longer registered", self.name))
    }
}
