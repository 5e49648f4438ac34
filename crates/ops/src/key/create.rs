//! `key create`: gives an agent or a person a key.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::key::{Owner, Role, Wanted, create};
use windlass_domain::{ProjectId, Refusal, text};
use windlass_ledger::{Error, Transaction};

use super::view::{Given, KeyView};
use crate::context::{Context, Name};
use crate::operation::{Access, Operation};
use crate::tools;
use crate::until::until;

/// Makes a key.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Create {
    /// Whose key it is: agent:NAME or person:NAME
    #[arg(id = "for", long = "for", value_name = "OWNER")]
    #[serde(rename = "for")]
    pub owner: String,
    /// What it may do; an agent's is worker or reviewer
    #[arg(long, value_enum, value_name = "ROLE")]
    pub role: KeyRole,
    /// It may change only this project; may be repeated
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Vec<String>,
    /// How long it holds, such as 30d, or until when; for ever unless given
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub expires: Option<String>,
    /// Which tools an agent is shown that comes with it: all, or groups of them
    #[arg(long, value_name = "SET")]
    #[serde(default)]
    pub tools: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// What a key may do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum KeyRole {
    /// Reads, and works on tasks
    Worker,
    /// The same, as somebody who reviews
    Reviewer,
    /// Also says yes or no where a person must
    Approver,
    /// Everything
    Admin,
}

impl From<KeyRole> for Role {
    fn from(role: KeyRole) -> Self {
        match role {
            KeyRole::Worker => Self::Worker,
            KeyRole::Reviewer => Self::Reviewer,
            KeyRole::Approver => Self::Approver,
            KeyRole::Admin => Self::Admin,
        }
    }
}

impl Operation for Create {
    type Output = Given;
    const NAME: &'static str = "key.create";
    const ABOUT: &'static str = "Give an agent or a person a key; it is shown once";
    const EXAMPLE: &'static str =
        "windlass key create --for agent:worker-1 --role worker -P api --expires 30d";
    const ACCESS: Access = Access::Admin;
    const SECRET_ANSWER: bool = true;

    fn run(&self, cx: &mut Context) -> Result<Given, Error> {
        let owner = Owner::parse(&self.owner)?;
        let tools = self.tools.as_deref().map(tools).transpose()?;
        text::few("project", &self.project)?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        let expires = self.expires.as_deref();
        cx.write(&actor, |tx| {
            let wanted = Wanted {
                owner: owner.clone(),
                role: self.role.into(),
                projects: self.projects(tx)?,
                tools: tools.clone(),
                expires_at: expires.map(|given| until("expires", given, tx.now())).transpose()?,
            };
            let secret = tx.new_secret()?;
            let created = create(wanted, &secret, tx.now())?;
            let key = tx.create_key(created)?;
            Ok(Given::new(&secret, KeyView::load(tx, &key)?))
        })
    }
}

impl Create {
    fn projects(&self, tx: &mut Transaction<'_>) -> Result<Vec<ProjectId>, Error> {
        let mut projects = Vec::with_capacity(self.project.len());
        for name in &self.project {
            let id = tx.project_named(name)?.id;
            if !projects.contains(&id) {
                projects.push(id);
            }
        }
        Ok(projects)
    }
}

/// A set that names tools there are: with any other the key would open no door of theirs.
fn tools(set: &str) -> Result<String, Refusal> {
    tools::check(set)?;
    text::name("tools", set)
}
