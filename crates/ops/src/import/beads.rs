//! `import beads`: the issues of beads, from its file of one JSON object a line.
//!
//! The file is read twice. The first time everything is checked and nothing is written; only what
//! ties the issues together is kept in memory. The second time each issue becomes a task with its
//! history, all in one transaction, so a file comes over as a whole or not at all.

mod bring;
mod issue;
mod lines;
mod plan;
mod translate;

use std::fs::File;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Time, text};
use windlass_ledger::Error;

use super::notes::{Note, already_here, with_notes};
use crate::context::{Context, Step};
use crate::exchange::unusable;
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Sheet, counted};

pub use bring::{Brought, Projects};
pub use plan::Plan;

/// Brings the issues of beads here.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Beads {
    /// The file of beads, such as .beads/issues.jsonl
    pub file: PathBuf,
    /// The project for all of them; else each goes by the prefix of its id
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
}

/// What was brought here.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BeadsImported {
    pub source: String,
    /// Projects that were made.
    pub projects: u64,
    /// Tasks that were made.
    pub tasks: u64,
    /// Issues in the file.
    pub issues_read: u64,
    /// Events that were recorded here.
    pub events_recorded: u64,
    /// Issues that were here already.
    pub already_here: u64,
    /// What could not be carried as it was.
    pub notes: Vec<Note>,
    pub seq: u64,
    pub hash: String,
}

impl Operation for Beads {
    type Output = BeadsImported;
    const NAME: &'static str = "import.beads";
    const ABOUT: &'static str = "Bring the issues of beads here as tasks";
    const EXAMPLE: &'static str = "windlass import beads .beads/issues.jsonl -P api";
    const ACCESS: Access = Access::Admin;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<BeadsImported, Error> {
        let project = self.project.as_deref().map(text::project_name).transpose()?;
        let (actor, _) = cx.identity(None)?;
        let mut file = File::open(&self.file).map_err(|error| unusable(&self.file, &error))?;
        let tell = |done| cx.step(Step { doing: "checking", done, of: None, unit: "issues" });
        let plan = Plan::of(&mut file, project.as_deref(), tell)?;
        // By itself, so that the ledger exists before the large transaction.
        let projects = cx.write(&actor, |tx| plan.make_projects(tx))?;
        let (progress, of) = (cx.progress.clone(), Some(plan.issues()));
        let tell = |done| {
            if let Some(progress) = &progress {
                progress(Step { doing: "importing from beads", done, of, unit: "issues" });
            }
        };
        let brought = cx.write(&actor, |tx| plan.bring(tx, &mut file, &projects, &tell))?;
        Ok(BeadsImported {
            source: self.file.display().to_string(),
            projects: projects.made,
            tasks: brought.tasks,
            issues_read: plan.issues(),
            events_recorded: brought.events + projects.made,
            already_here: brought.here,
            notes: brought.notes,
            seq: brought.head.seq,
            hash: brought.head.hash.to_string(),
        })
    }
}

impl Output for BeadsImported {
    fn sheet(&self, _now: Time) -> Sheet {
        let sheet = Sheet::line(format!(
            "{} and {} made from {} of beads{}",
            counted(self.tasks, "task"),
            counted(self.projects, "project"),
            counted(self.issues_read, "issue"),
            already_here(self.already_here)
        ));
        with_notes(sheet, &self.notes)
    }
}
