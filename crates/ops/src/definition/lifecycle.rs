//! Lifecycles as definitions.

use windlass_domain::built_in;
use windlass_domain::chunk::Slug;
use windlass_domain::definition::removal;
use windlass_domain::session::Lifecycle;
use windlass_ledger::{DefinitionKind, Error, Fault, Snapshot};

use super::{Command, Commands, Definable, open_sessions};

impl Definable for Lifecycle {
    const KIND: DefinitionKind = DefinitionKind::Lifecycle;
    const COMMANDS: Commands = Commands {
        list: Command {
            name: "lifecycle.list",
            about: "List the lifecycles of sessions",
            example: "windlass lifecycle list",
        },
        show: Command {
            name: "lifecycle.show",
            about: "Show a lifecycle: how long a session lasts, what is injected",
            example: "windlass lifecycle show dev_coding",
        },
        set: Command {
            name: "lifecycle.set",
            about: "Define a lifecycle of sessions, or define it anew",
            example: "windlass lifecycle set testing --from testing.json",
        },
        hide: Command {
            name: "lifecycle.hide",
            about: "Leave a lifecycle out of the lists; it works on",
            example: "windlass lifecycle hide orchestrator",
        },
        remove: Command {
            name: "lifecycle.remove",
            about: "Take back the definition of a lifecycle",
            example: "windlass lifecycle remove testing",
        },
    };

    fn all(snapshot: &mut Snapshot<'_>) -> Result<Vec<Self>, Fault> {
        snapshot.lifecycles()
    }

    fn brought_along() -> Vec<Self> {
        built_in::lifecycles()
    }

    fn checked(self, snapshot: &mut Snapshot<'_>) -> Result<Self, Error> {
        Ok(self.checked(&snapshot.chunk_types()?)?)
    }

    fn refuse_if_used(slug: &Slug, snapshot: &mut Snapshot<'_>) -> Result<(), Error> {
        let types = snapshot.agent_types()?;
        Ok(removal::lifecycle(slug, &types, &open_sessions(snapshot)?)?)
    }

    fn summary(&self) -> String {
        let rules = match &self.inject {
            Some(rules) => rules.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
            None => "as chunks say".to_owned(),
        };
        format!("{}: {rules}", self.ttl)
    }
}
