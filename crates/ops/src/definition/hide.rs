//! Leaving a definition out of the lists.

use std::marker::PhantomData;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_ledger::Error;

use super::{Definable, DefinitionView};
use crate::context::{Context, Name};
use crate::operation::{Access, Operation};

/// Leaves a definition out of the lists. Who refers to it still finds it.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(rename = "Hide", bound = "")]
pub struct Hide<T: Definable> {
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

impl<T: Definable> Operation for Hide<T> {
    type Output = DefinitionView;
    const NAME: &'static str = T::COMMANDS.hide.name;
    const ABOUT: &'static str = T::COMMANDS.hide.about;
    const EXAMPLE: &'static str = T::COMMANDS.hide.example;
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<DefinitionView, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let defined = T::named(tx, &self.slug)?;
            if !defined.is_hidden() {
                tx.set_definition(defined.clone().hidden().set_by(&actor))?;
            }
            DefinitionView::of(tx, &defined.hidden())
        })
    }
}
