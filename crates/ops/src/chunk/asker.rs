//! Who asks for something that is kept in chunks.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::access::{Reader, Standing};
use windlass_ledger::{Error, Snapshot};

use crate::context::{Context, Name};

/// Who asks. A key says that by itself; without one, whoever is named is an agent, and the user of
/// the machine is a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Asker {
    /// The agent that asks
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

/// An [`Asker`] whose name is known. What it may do depends on the ledger.
#[derive(Debug, Clone)]
pub struct Known {
    pub name: String,
    is_agent: bool,
    projects: Vec<windlass_domain::ProjectId>,
}

impl Asker {
    pub fn known(&self, cx: &Context) -> Result<Known, Error> {
        let (name, is_named) = cx.identity(Name::agent(self.agent.as_ref()))?;
        let key = cx.key.as_ref();
        Ok(Known {
            name,
            is_agent: key.map_or(is_named, |key| key.owner.is_agent()),
            projects: key.map(|key| key.projects.clone()).unwrap_or_default(),
        })
    }
}

impl Known {
    /// The same as access to chunks is decided by. Of which type an agent is, the ledger says and
    /// never the caller.
    pub fn reader(&self, snapshot: &mut Snapshot<'_>) -> Result<Reader, Error> {
        let mut reader = self.untyped();
        if let Standing::Agent(agent_type) = &mut reader.standing {
            *agent_type = snapshot.known_agent(&self.name)?.map(|agent| agent.agent_type);
        }
        Ok(reader)
    }

    /// The same for what does not depend on the type of an agent, such as reading.
    pub fn untyped(&self) -> Reader {
        let standing = match self.is_agent {
            true => Standing::Agent(None),
            false => Standing::Person,
        };
        Reader { name: self.name.clone(), standing, projects: self.projects.clone() }
    }
}
