//! Showing a definition.

use std::marker::PhantomData;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_ledger::Error;

use super::{Definable, DefinitionView};
use crate::context::Context;
use crate::operation::{Access, Operation};

/// Shows a definition.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(rename = "Show", bound = "")]
pub struct Show<T: Definable> {
    /// Its slug
    pub slug: String,
    #[arg(skip)]
    #[serde(skip)]
    pub of: PhantomData<T>,
}

impl<T: Definable> Operation for Show<T> {
    type Output = DefinitionView;
    const NAME: &'static str = T::COMMANDS.show.name;
    const ABOUT: &'static str = T::COMMANDS.show.about;
    const EXAMPLE: &'static str = T::COMMANDS.show.example;
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<DefinitionView, Error> {
        cx.read(|snapshot| {
            let defined = T::named(snapshot, &self.slug)?;
            DefinitionView::of(snapshot, &defined)
        })
    }
}
