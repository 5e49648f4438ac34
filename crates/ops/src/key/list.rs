//! `key list`: who has which key.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::key::State;
use windlass_ledger::Error;

use super::view::KeyView;
use crate::context::Context;
use crate::operation::{Access, Load, Operation, Output};
use crate::sheet::{Cell, Sheet, relative};

/// Lists the keys.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct List {
    /// Also those that have expired or were revoked
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
}

/// The keys, the oldest first. Of none its text is known.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub keys: Vec<KeyView>,
    /// How many have expired or were revoked, and are not shown.
    pub left_out: u64,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "key.list";
    const ABOUT: &'static str = "List the keys, and who has them";
    const EXAMPLE: &'static str = "windlass key list --all";
    const ACCESS: Access = Access::Admin;
    const LOAD: Load = Load::Look;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        cx.read(|snapshot| {
            let mut listed = Listed { keys: Vec::new(), left_out: 0 };
            for key in snapshot.keys()? {
                match self.all || key.state(snapshot.now()) == State::Valid {
                    true => listed.keys.push(KeyView::load(snapshot, &key)?),
                    false => listed.left_out += 1,
                }
            }
            Ok(listed)
        })
    }
}

impl Output for Listed {
    fn sheet(&self, now: Time) -> Sheet {
        let sheet = match self.keys.is_empty() {
            true => {
                Sheet::line("no keys; make one: windlass key create --for agent:NAME --role worker")
            }
            false => Sheet::default().and_table(
                &["key", "prefix", "for…", "role", "projects…", "expires", "state"],
                self.keys.iter().map(|key| row(key, now)).collect(),
            ),
        };
        match self.left_out {
            0 => sheet,
            count => sheet.and_line(Cell::dim(format!("and {count} more that ended: --all"))),
        }
    }
}

fn row(key: &KeyView, now: Time) -> Vec<Cell> {
    let projects = match key.projects.is_empty() {
        true => Cell::dim("all"),
        false => key.projects.join(", ").into(),
    };
    let expires = key.expires_at.map_or_else(|| "never".to_owned(), |at| relative(at, now));
    vec![
        key.key_id.short().into(),
        key.prefix.clone().into(),
        key.owner.to_string().into(),
        key.role.as_str().into(),
        projects,
        Cell::dim(expires),
        key.state_cell(),
    ]
}
