//! `key revoke`: a key opens nothing any more.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Time, text};
use windlass_ledger::Error;

use super::view::KeyView;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, ago};

/// Ends a key.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Revoke {
    /// The key: its prefix, its id, or at least 4 characters of the id
    pub key: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// The key that opens nothing any more.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Revoked {
    #[serde(flatten)]
    pub key: KeyView,
    /// It was revoked before.
    pub already: bool,
}

impl Operation for Revoke {
    type Output = Revoked;
    const NAME: &'static str = "key.revoke";
    const ABOUT: &'static str = "End a key, at once and for good";
    const EXAMPLE: &'static str = "windlass key revoke wl_4gx0t2m9 --reason 'it was in a log'";
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<Revoked, Error> {
        let reason = self.reason.as_deref().map(text::reason).transpose()?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let key = tx.key_named(&self.key)?;
            let revoked = key.revoke(reason.clone());
            let already = revoked.is_none();
            let key = match revoked {
                Some(event) => tx.record_key(&key, event)?,
                None => key,
            };
            Ok(Revoked { key: KeyView::load(tx, &key)?, already })
        })
    }
}

impl Output for Revoked {
    fn sheet(&self, now: Time) -> Sheet {
        let KeyView { prefix, owner, revoked_at, .. } = &self.key;
        let when = match (self.already, revoked_at) {
            (true, Some(at)) => format!("was revoked {}", ago(*at, now)),
            (true, None) | (false, _) => "is revoked: it opens nothing any more".to_owned(),
        };
        Sheet::line(format!("{prefix} of {owner} {when}"))
    }
}
