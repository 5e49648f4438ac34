//! `key rotate`: another text for the same key.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_ledger::Error;

use super::view::{Given, KeyView};
use crate::context::{Context, Name};
use crate::operation::{Access, Operation};

/// Gives a key another text; the old one opens nothing any more.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Rotate {
    /// The key: its prefix, its id, or at least 4 characters of the id
    pub key: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

impl Operation for Rotate {
    type Output = Given;
    const NAME: &'static str = "key.rotate";
    const ABOUT: &'static str = "Give a key a new secret; the old one ends at once";
    const EXAMPLE: &'static str = "windlass key rotate wl_4gx0t2m9";
    const ACCESS: Access = Access::Admin;
    const SECRET_ANSWER: bool = true;

    fn run(&self, cx: &mut Context) -> Result<Given, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let key = tx.key_named(&self.key)?;
            let secret = tx.new_secret()?;
            let rotated = key.rotate(&secret, tx.now())?;
            let key = tx.record_key(&key, rotated)?;
            Ok(Given::new(&secret, KeyView::load(tx, &key)?))
        })
    }
}
