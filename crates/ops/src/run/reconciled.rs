//! What stands in the way of a run, as a person reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::word::RunStatus;

use super::tell::Document;
use super::view::{proven, run_status, spoken, spoken_fact};
use crate::operation::Output;
use crate::sheet::{Cell, Sheet, Tone};

/// What to do next with a run: a document of HOTL's, of which people read the main points.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Reconciled(pub Document);

/// What people read of it.
#[derive(Deserialize)]
struct Told {
    run_id: String,
    status: RunStatus,
    sufficient: bool,
    next_action: String,
    reasons: Vec<String>,
    exceeded_budgets: Vec<String>,
    owner_stale: bool,
    #[serde(default)]
    ways: Vec<String>,
}

impl Output for Reconciled {
    fn sheet(&self, now: Time) -> Sheet {
        match serde_json::from_str::<Told>(self.0.text()) {
            Ok(told) => told.sheet(),
            Err(_) => self.0.sheet(now),
        }
    }
}

impl Told {
    fn sheet(&self) -> Sheet {
        let stale = || ("owner", Cell::toned("has shown no sign of life in time", Tone::Bad));
        let facts = [
            Some(("status", run_status(self.status))),
            Some(("proven", proven(self.sufficient))),
            spoken_fact("missing", &self.reasons),
            spoken_fact("used up", &self.exceeded_budgets),
            self.owner_stale.then(stale),
            Some(("next", spoken(&self.next_action).into())),
        ];
        let sheet = Sheet::default()
            .and_heading(self.run_id.clone())
            .and_facts(facts.into_iter().flatten());
        self.ways.iter().fold(sheet, |sheet, way| sheet.and_line(way.as_str()))
    }
}
