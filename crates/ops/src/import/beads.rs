//! `import beads`: the issues of beads, from its file of one JSON object a line.
//!
//! The file is read twice. The first time everything is checked and nothing is written; only what
//! ties the issues together is kept in memory. The second time each issue becomes a task with its
//! history, some thousand in each transaction, so that others can write in between. An issue is
//! the same task whenever it is read: an import that was cut off goes on where it ended.

mod bring;
mod issue;
mod lines;
mod plan;
mod translate;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Time, text};
use windlass_ledger::{Error, Fault};

use super::notes::{Note, already_here, with_notes};
use crate::context::{Context, Step};
use crate::exchange::in_words;
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Sheet, counted};
use crate::view::usage;

pub use bring::{Around, Brought};
pub use plan::Plan;

/// Issues that become tasks in one transaction.
const CHUNK: usize = 5_000;

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
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
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
        self.import(cx, CHUNK).map_err(|error| about(&self.file, error))
    }
}

impl Beads {
    /// Brings so many issues at a time.
    fn import(&self, cx: &mut Context, chunk: usize) -> Result<BeadsImported, Error> {
        let project = self.project.as_deref().map(text::project_name).transpose()?;
        let (actor, _) = cx.identity(None)?;
        let mut file = open(&self.file)?;
        let tell = |done| cx.step(Step { doing: "checking", done, of: None, unit: "issues" });
        let plan = Plan::of(&mut file, project.as_deref(), tell)?;
        let Around { new, mut so_far } =
            cx.read(|snapshot| plan.look_around(snapshot, &mut file))?;
        let of = Some(so_far.here + new.len() as u64);
        for issues in new.chunks(chunk) {
            // A transaction may be tried again, so it counts for itself.
            let next = cx.write_part(&actor, |tx| plan.bring(tx, &mut file, issues, &so_far))?;
            so_far.add(next);
            let done = so_far.here + so_far.tasks;
            cx.step(Step { doing: "importing from beads", done, of, unit: "issues" });
        }
        Ok(BeadsImported {
            source: self.file.display().to_string(),
            projects: so_far.projects,
            tasks: so_far.tasks,
            issues_read: plan.issues(),
            events_recorded: so_far.events,
            already_here: so_far.here,
            notes: so_far.notes.into_list(),
            seq: so_far.head.seq,
            hash: so_far.head.hash.to_string(),
        })
    }
}

const TO_A_FILE: &str = "let beads write it to a file first: bd export -o issues.jsonl";

/// Opens a file that can be read twice. Others are not even opened: a pipe would wait for a writer.
fn open(path: &Path) -> Result<File, Error> {
    if path == Path::new("-") {
        let why = "the issues are read twice, which the standard input cannot be";
        return Err(usage(why, TO_A_FILE).into());
    }
    let unusable =
        |why: &str, hint: String| Fault::new(Code::FileUnusable, why.to_owned()).hint(hint);
    let metadata = fs::metadata(path).map_err(|error| {
        unusable(&in_words(&error), "check the path; bd export -o FILE writes one".to_owned())
    })?;
    if metadata.is_dir() {
        let inside = path.join("issues.jsonl");
        let hint = format!("name the file in it, such as {}", inside.display());
        return Err(unusable("this is a folder", hint).into());
    }
    if !metadata.is_file() {
        let why = "this is a pipe or a device, and the issues are read twice";
        return Err(unusable(why, TO_A_FILE.to_owned()).into());
    }
    let closed =
        |error| unusable(&in_words(&error), "check the permissions of the file".to_owned());
    Ok(File::open(path).map_err(closed)?)
}

/// Names the file in what is wrong with it.
fn about(path: &Path, error: Error) -> Error {
    let file = path.display().to_string();
    match error {
        Error::Refused(refusal) if [Code::ImportInvalid, Code::Usage].contains(&refusal.code) => {
            refusal.detail("file", file).into()
        }
        Error::Failed(mut fault) if fault.code == Code::FileUnusable => {
            fault.message = format!("{file}: {}", fault.message);
            fault.detail("file", file).into()
        }
        other => other,
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

#[cfg(test)]
mod tests;
