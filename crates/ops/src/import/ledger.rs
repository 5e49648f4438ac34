//! `import ledger`: the log of another ledger, as `export` wrote it.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_ledger::{Error, import};

use super::notes::already_here;
use crate::context::Context;
use crate::exchange::unusable;
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Sheet, counted};

/// Brings an exported log into this ledger.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Ledger {
    /// A file written by export
    pub file: PathBuf,
}

/// What was taken in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LedgerImported {
    pub file: String,
    /// Events that were new here.
    pub added: u64,
    /// Events that were here already.
    pub known: u64,
    pub seq: u64,
    pub hash: String,
}

impl Operation for Ledger {
    type Output = LedgerImported;
    const NAME: &'static str = "import.ledger";
    const ABOUT: &'static str = "Bring an exported log into an empty ledger, or one it continues";
    const EXAMPLE: &'static str = "windlass --db copy.db import ledger ledger.ndjson";
    const ACCESS: Access = Access::Admin;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<LedgerImported, Error> {
        let open = || File::open(&self.file).map_err(|error| unusable(&self.file, &error));
        open()?;
        let (actor, _) = cx.identity(None)?;
        let imported = cx.write_part(&actor, |tx| import(tx, &mut BufReader::new(open()?)))?;
        Ok(LedgerImported {
            file: self.file.display().to_string(),
            added: imported.added,
            known: imported.known,
            seq: imported.head.seq,
            hash: imported.head.hash.to_string(),
        })
    }
}

impl Output for LedgerImported {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!(
            "{} added{}; the log ends at {}:{}",
            counted(self.added, "event"),
            already_here(self.known),
            self.seq,
            self.hash
        ))
    }
}
