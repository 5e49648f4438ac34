//! Leaving a definition out of the lists, and undoing that.

use std::marker::PhantomData;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_ledger::{Error, Transaction};

use super::{Definable, DefinitionView};
use crate::context::Context;
use crate::operation::{Access, Operation};

/// Leaves a definition out of the lists. Who refers to it still finds it.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(rename = "Hide", bound = "")]
pub struct Hide<T: Definable> {
    /// Its slug
    pub slug: String,
    /// Put it into the lists again
    #[arg(long)]
    #[serde(default)]
    pub undo: bool,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    pub of: PhantomData<T>,
}

impl<T: Definable> Operation for Hide<T> {
    type Output = DefinitionView;
    const NAME: &'static str = T::COMMANDS.hide.name;
    const ABOUT: &'static str = T::COMMANDS.hide.about;
    const EXAMPLE: &'static str = T::COMMANDS.hide.example;
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<DefinitionView, Error> {
        let actor = cx.person(self.author.as_ref())?;
        cx.write(&actor, |tx| {
            let defined = T::named(tx, &self.slug)?;
            let wanted = match self.undo {
                true => defined.clone().shown(),
                false => defined.clone().hidden(),
            };
            if wanted != defined {
                record(tx, &wanted, &actor)?;
            }
            DefinitionView::of(tx, &wanted)
        })
    }
}

/// Records a definition. What is as it was brought along needs none of its own.
fn record<T: Definable>(tx: &mut Transaction<'_>, wanted: &T, actor: &str) -> Result<(), Error> {
    let kept = tx.definition(T::KIND, wanted.slug().as_str())?;
    match kept.filter(|_| T::brought_along().contains(wanted)) {
        Some(kept) => tx.remove_definition(&kept, actor),
        None => tx.set_definition(wanted.clone().set_by(actor)),
    }
}
