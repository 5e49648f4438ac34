//! `db migrate`: preparing a database.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_ledger::{Error, Ledger};

use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Sheet, counted};

/// Brings the database of the ledger up to date.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Migrate {}

/// How many migrations were missing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Migrated {
    pub db: String,
    pub applied: usize,
}

impl Operation for Migrate {
    type Output = Migrated;
    const NAME: &'static str = "db.migrate";
    const ABOUT: &'static str = "Prepare a PostgreSQL database, or bring it up to date";
    const EXAMPLE: &'static str = "windlass --db postgres://localhost/windlass db migrate";
    const ACCESS: Access = Access::Admin;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<Migrated, Error> {
        let applied = Ledger::migrate(&cx.workplace.location, cx.workplace.options())?;
        Ok(Migrated { db: cx.workplace.location.to_string(), applied })
    }
}

impl Output for Migrated {
    fn sheet(&self, _now: Time) -> Sheet {
        match self.applied {
            0 => Sheet::line(format!("{} is up to date", self.db)),
            applied => {
                let applied = counted(applied as u64, "migration");
                Sheet::line(format!("{applied} applied to {}", self.db))
            }
        }
    }
}
