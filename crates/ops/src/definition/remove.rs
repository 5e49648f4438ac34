//! Taking a definition back.

use std::marker::PhantomData;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::Error;

use super::Definable;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Takes a definition back. What is brought along under its slug holds again.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(rename = "Remove", bound = "")]
pub struct Remove<T: Definable> {
    /// Its slug
    pub slug: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    pub of: PhantomData<T>,
}

/// The definition that is gone.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Removed {
    /// What it was: a chunk type, an agent type or a lifecycle.
    pub what: String,
    pub slug: String,
    /// What is brought along under the same slug holds again.
    pub restored: bool,
}

impl<T: Definable> Operation for Remove<T> {
    type Output = Removed;
    const NAME: &'static str = T::COMMANDS.remove.name;
    const ABOUT: &'static str = T::COMMANDS.remove.about;
    const EXAMPLE: &'static str = T::COMMANDS.remove.example;
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<Removed, Error> {
        let actor = cx.person(self.author.as_ref())?;
        cx.write(&actor, |tx| {
            let defined = T::named(tx, &self.slug)?;
            let slug = defined.slug();
            let Some(kept) = tx.definition(T::KIND, slug.as_str())? else {
                return Err(built_in::<T>(slug.as_str()).into());
            };
            let returns = T::brought_along().into_iter().find(|known| known.slug() == slug);
            let restored = returns.is_some();
            match returns {
                Some(known) => drop(known.checked(tx)?),
                None => T::refuse_if_used(slug, tx)?,
            }
            tx.remove_definition(&kept, &actor)?;
            Ok(Removed { what: T::WHAT.to_owned(), slug: slug.to_string(), restored })
        })
    }
}

fn built_in<T: Definable>(slug: &str) -> Refusal {
    let what = T::WHAT;
    Refusal::new(Code::InvalidValue, format!("{what} {slug} is built in and cannot be removed"))
        .hint(format!("hide it: windlass {what} hide {slug}"))
        .detail("field", "slug")
        .detail("given", slug)
}

impl Output for Removed {
    fn sheet(&self, _now: Time) -> Sheet {
        let Self { what, slug, restored } = self;
        let sheet = Sheet::line(format!("{what} {slug} is removed"));
        match restored {
            true => sheet.and_line(format!("the {what} {slug} that is built in holds again")),
            false => sheet,
        }
    }
}
