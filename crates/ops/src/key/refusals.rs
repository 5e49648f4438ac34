//! `key refusals`: what callers were refused lately.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::key::Owner;
use windlass_domain::{KeyId, Time};
use windlass_ledger::{Error, Fault, Refused, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Load, Operation, Output};
use crate::sheet::{Cell, Sheet, relative};
use crate::view::limit;

/// Shows what was refused to callers of a server.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Refusals {
    /// How many at most, newest first
    #[arg(short, long, value_name = "NUMBER", default_value_t = 20, allow_negative_numbers = true)]
    #[serde(default = "twenty")]
    pub limit: u64,
}

fn twenty() -> u64 {
    20
}

/// What was refused, the newest first. Only the last thousand are kept.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    pub refusals: Vec<RefusedView>,
    /// There are more than are shown.
    pub has_more: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RefusedView {
    #[schemars(with = "String")]
    pub at: Time,
    /// The key that was shown, where there is one like it.
    #[schemars(with = "Option<String>")]
    pub key_id: Option<KeyId>,
    pub prefix: Option<String>,
    /// Whose key it is.
    #[schemars(with = "Option<String>")]
    pub owner: Option<Owner>,
    pub operation: String,
    pub code: String,
    pub message: String,
}

impl Operation for Refusals {
    type Output = Shown;
    const NAME: &'static str = "key.refusals";
    const ABOUT: &'static str = "Show what callers of a server were refused lately";
    const EXAMPLE: &'static str = "windlass key refusals --limit 50";
    const ACCESS: Access = Access::Admin;
    const LOAD: Load = Load::Look;

    fn run(&self, cx: &mut Context) -> Result<Shown, Error> {
        let limit = limit(self.limit)?;
        cx.read(|snapshot| {
            let mut refused = snapshot.refusals(limit.saturating_add(1))?;
            let has_more = refused.len() as u64 > limit;
            refused.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            let shown = refused.into_iter().map(|refused| RefusedView::load(snapshot, refused));
            Ok(Shown { refusals: shown.collect::<Result<_, _>>()?, has_more })
        })
    }
}

impl RefusedView {
    fn load(snapshot: &mut Snapshot<'_>, refused: Refused) -> Result<Self, Fault> {
        let Refused { at, key_id, prefix, operation, code, message } = refused;
        let key = match key_id {
            Some(id) => snapshot.key(id)?,
            None => None,
        };
        let owner = key.map(|key| key.owner);
        Ok(Self { at, key_id, prefix, owner, operation, code, message })
    }
}

impl Output for Shown {
    fn sheet(&self, now: Time) -> Sheet {
        if self.refusals.is_empty() {
            return Sheet::line("nothing was refused lately");
        }
        let sheet = Sheet::default().and_table(
            &["when", "key", "of…", "operation", "code", "why…"],
            self.refusals.iter().map(|refused| row(refused, now)).collect(),
        );
        match self.has_more {
            true => sheet.and_line(Cell::dim("there are more: --limit NUMBER")),
            false => sheet,
        }
    }
}

fn row(refused: &RefusedView, now: Time) -> Vec<Cell> {
    vec![
        Cell::dim(relative(refused.at, now)),
        refused.prefix.clone().unwrap_or_default().into(),
        refused.owner.as_ref().map(Owner::to_string).unwrap_or_default().into(),
        refused.operation.clone().into(),
        refused.code.clone().into(),
        refused.message.clone().into(),
    ]
}
