//! Agent types as definitions.

use windlass_domain::built_in;
use windlass_domain::chunk::Slug;
use windlass_domain::definition::removal;
use windlass_domain::session::AgentType;
use windlass_ledger::{DefinitionKind, Error, Fault, Snapshot};

use super::{Command, Commands, Definable, open_sessions};

impl Definable for AgentType {
    const KIND: DefinitionKind = DefinitionKind::AgentType;
    const COMMANDS: Commands = Commands {
        list: Command {
            name: "agent.type.list",
            about: "List the types of agents, each with its lifecycle",
            example: "windlass agent type list",
        },
        show: Command {
            name: "agent.type.show",
            about: "Show a type of agents: what is injected, what a search finds",
            example: "windlass agent type show dev_coder",
        },
        set: Command {
            name: "agent.type.set",
            about: "Define a type of agents, or define it anew",
            example: "windlass agent type set tester --from tester.json",
        },
        hide: Command {
            name: "agent.type.hide",
            about: "Leave a type of agents out of the lists; it works on",
            example: "windlass agent type hide research",
        },
        remove: Command {
            name: "agent.type.remove",
            about: "Take back the definition of a type of agents",
            example: "windlass agent type remove tester",
        },
    };

    fn all(snapshot: &mut Snapshot<'_>) -> Result<Vec<Self>, Fault> {
        snapshot.agent_types()
    }

    fn brought_along() -> Vec<Self> {
        built_in::agent_types()
    }

    fn checked(self, snapshot: &mut Snapshot<'_>) -> Result<Self, Error> {
        Ok(self.checked(&snapshot.lifecycles()?)?)
    }

    fn refuse_if_used(slug: &Slug, snapshot: &mut Snapshot<'_>) -> Result<(), Error> {
        let (agents, types) = (snapshot.known_agents()?, snapshot.chunk_types()?);
        Ok(removal::agent_type(slug, &agents, &types, &open_sessions(snapshot)?)?)
    }

    fn summary(&self) -> String {
        format!("lifecycle {}", self.lifecycle)
    }
}
