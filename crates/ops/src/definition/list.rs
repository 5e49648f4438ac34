//! Listing definitions.

use std::marker::PhantomData;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_ledger::Error;

use super::{Definable, DefinitionView};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Lists what is defined, by slug.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default, bound = "")]
#[schemars(rename = "List", bound = "")]
pub struct List<T: Definable> {
    /// Also those that are hidden
    #[arg(short = 'A', long)]
    pub all: bool,
    #[arg(skip)]
    #[serde(skip)]
    pub of: PhantomData<T>,
}

impl<T: Definable> Default for List<T> {
    fn default() -> Self {
        Self { all: false, of: PhantomData }
    }
}

/// What is defined.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub definitions: Vec<DefinitionView>,
    /// How many are hidden.
    pub hidden: u64,
}

impl<T: Definable> Operation for List<T> {
    type Output = Listed;
    const NAME: &'static str = T::COMMANDS.list.name;
    const ABOUT: &'static str = T::COMMANDS.list.about;
    const EXAMPLE: &'static str = T::COMMANDS.list.example;
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        cx.read(|snapshot| {
            let all = T::all(snapshot)?;
            let hidden = all.iter().filter(|defined| defined.is_hidden()).count() as u64;
            let mut definitions = Vec::with_capacity(all.len());
            for defined in all.iter().filter(|defined| self.all || !defined.is_hidden()) {
                definitions.push(DefinitionView::of(snapshot, defined)?);
            }
            Ok(Listed { definitions, hidden })
        })
    }
}

impl Output for Listed {
    fn sheet(&self, _now: Time) -> Sheet {
        let rows = self.definitions.iter().map(DefinitionView::row).collect();
        Sheet::default().and_table(&["slug", "name", "origin", "what it says…"], rows)
    }
}
