//! `whoami`: as whom a caller is known, and what it may do.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::key::Role;
use windlass_ledger::Error;

use crate::context::Context;
use crate::operation::{Access, Load, Operation, Output};
use crate::sheet::Sheet;

/// Tells a caller as whom it is known.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
pub struct Whoami {}

/// Somebody who calls.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Known {
    /// The name under which it acts when it says no other.
    pub name: String,
    /// It is an agent, and no person.
    pub is_agent: bool,
    /// That of its key; without one nothing is closed to it.
    #[schemars(with = "Option<String>")]
    pub role: Option<Role>,
    /// read, write, approve, admin.
    pub may: Vec<String>,
    /// What it may change; everything when empty.
    pub projects: Vec<String>,
    /// Which tools it is shown over MCP, if its key says so.
    pub tools: Option<String>,
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Time>,
}

impl Operation for Whoami {
    type Output = Known;
    const NAME: &'static str = "whoami";
    const ABOUT: &'static str = "Tell as whom you are known, and what you may do";
    const EXAMPLE: &'static str = "windlass whoami";
    const ACCESS: Access = Access::Read;
    const LOAD: Load = Load::Look;

    fn run(&self, cx: &mut Context) -> Result<Known, Error> {
        let (name, is_named) = cx.identity(None)?;
        let key = cx.key.clone();
        let may = |access: &Access| key.as_ref().is_none_or(|key| key.may(*access));
        let may = Access::ALL.iter().copied().filter(may).map(|access| access.as_str().to_owned());
        let known = Known {
            name,
            is_agent: key.as_ref().map_or(is_named, |key| key.owner.is_agent()),
            role: key.as_ref().map(|key| key.role),
            may: may.collect(),
            projects: Vec::new(),
            tools: key.as_ref().and_then(|key| key.tools.clone()),
            expires_at: key.as_ref().and_then(|key| key.expires_at),
        };
        cx.read(|snapshot| {
            let mut projects = Vec::new();
            for id in key.iter().flat_map(|key| &key.projects) {
                projects.push(snapshot.project(*id)?.name);
            }
            Ok(Known { projects, ..known.clone() })
        })
    }
}

impl Output for Known {
    fn sheet(&self, _now: Time) -> Sheet {
        let kind = if self.is_agent { "an agent" } else { "a person" };
        let role = self.role.map_or("no key", Role::as_str);
        let projects = match self.projects.is_empty() {
            true => "all".to_owned(),
            false => self.projects.join(", "),
        };
        Sheet::line(format!("{}, {kind}", self.name)).and_facts([
            ("role", role.into()),
            ("may", self.may.join(", ").into()),
            ("changes", projects.into()),
        ])
    }
}
