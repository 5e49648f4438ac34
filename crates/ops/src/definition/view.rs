//! A definition as it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::Time;
use windlass_ledger::{Error, Fault, Snapshot};

use super::{AUDIENCE, Definable};
use crate::chunk::audience;
use crate::operation::Output;
use crate::sheet::{Cell, Sheet};
use crate::view::ProjectNames;

/// Where a definition comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Windlass brings it along.
    BuiltIn,
    /// Somebody added it.
    Added,
    /// Somebody put it in the place of what is brought along.
    Replaced,
}

impl Origin {
    /// In words, as a person reads it.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::BuiltIn => "built in",
            Self::Added => "added",
            Self::Replaced => "replaced",
        }
    }
}

/// A definition.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DefinitionView {
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    pub origin: Origin,
    /// It is left out of the lists.
    pub hidden: bool,
    /// What is most asked for, in words.
    pub summary: String,
    /// All of it, as it can be set again.
    pub definition: Map<String, Value>,
}

impl DefinitionView {
    pub(super) fn of<T: Definable>(
        snapshot: &mut Snapshot<'_>,
        defined: &T,
    ) -> Result<Self, Error> {
        let is_built_in = T::brought_along().iter().any(|known| known.slug() == defined.slug());
        let is_set = snapshot.definition(T::KIND, defined.slug().as_str())?.is_some();
        let origin = match (is_built_in, is_set) {
            (true, false) => Origin::BuiltIn,
            (true, true) => Origin::Replaced,
            (false, _) => Origin::Added,
        };
        let Ok(Value::Object(mut definition)) = serde_json::to_value(defined) else {
            return Err(Fault::bug("a definition is no object").into());
        };
        if let Some(kept) = definition.get_mut(AUDIENCE) {
            *kept = audience::shown(snapshot, kept.take(), &mut ProjectNames::default())?;
        }
        Ok(Self {
            slug: defined.slug().to_string(),
            name: defined.name().to_owned(),
            description: defined.description().map(str::to_owned),
            origin,
            hidden: defined.is_hidden(),
            summary: defined.summary(),
            definition,
        })
    }

    /// The cells of a list.
    pub(super) fn row(&self) -> Vec<Cell> {
        let origin = match self.hidden {
            true => format!("{}, hidden", self.origin.in_words()),
            false => self.origin.in_words().to_owned(),
        };
        vec![
            self.slug.clone().into(),
            self.name.clone().into(),
            Cell::dim(origin),
            self.summary.clone().into(),
        ]
    }
}

impl Output for DefinitionView {
    fn sheet(&self, _now: Time) -> Sheet {
        let written = serde_json::to_string_pretty(&self.definition).unwrap_or_default();
        Sheet::default()
            .and_table(&["slug", "name", "origin", "what it says…"], vec![self.row()])
            .and_text(written)
    }
}
