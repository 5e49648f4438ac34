//! `export` and `backup`: taking the ledger along. The way back is `import ledger`.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, Refusal, Time};
use windlass_ledger::{Error, Fault, export};

use crate::context::Context;
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Sheet, counted, size};

/// Writes the whole log to a file.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Export {
    /// A new file, in lines of JSON
    pub file: PathBuf,
}

/// What was written.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    pub file: String,
    pub events: u64,
    pub hash: String,
}

impl Operation for Export {
    type Output = Exported;
    const NAME: &'static str = "export";
    const ABOUT: &'static str = "Write the whole log to a file, in lines of JSON";
    const EXAMPLE: &'static str = "windlass export ledger.ndjson";
    const ACCESS: Access = Access::Read;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<Exported, Error> {
        let file = create_new(&self.file)?;
        let written = cx.read(|snapshot| export(snapshot, &mut BufWriter::new(&file)));
        let written = written.and_then(|head| match file.sync_all() {
            Ok(()) => Ok(head),
            Err(error) => Err(unusable(&self.file, &error).into()),
        });
        match written {
            Ok(head) => Ok(Exported {
                file: self.file.display().to_string(),
                events: head.seq,
                hash: head.hash.to_string(),
            }),
            Err(error) => {
                // Half a file would look like a whole one to somebody in a hurry.
                let _removed = std::fs::remove_file(&self.file);
                Err(error)
            }
        }
    }
}

impl Output for Exported {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!(
            "{} written to {}, ending in {}",
            counted(self.events, "event"),
            self.file,
            self.hash
        ))
    }
}

/// Copies a ledger file while others go on working.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Backup {
    /// A new file
    pub file: PathBuf,
}

/// Where the copy is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BackedUp {
    pub file: String,
    pub size_bytes: u64,
}

impl Operation for Backup {
    type Output = BackedUp;
    const NAME: &'static str = "backup";
    const ABOUT: &'static str = "Copy the ledger file while others go on working";
    const EXAMPLE: &'static str = "windlass backup ledger-today.db";
    const ACCESS: Access = Access::Admin;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<BackedUp, Error> {
        if self.file.exists() {
            return Err(exists(&self.file).into());
        }
        cx.ledger()?.backup(&self.file)?;
        let size =
            std::fs::metadata(&self.file).map_err(|error| unusable(&self.file, &error))?.len();
        Ok(BackedUp { file: self.file.display().to_string(), size_bytes: size })
    }
}

impl Output for BackedUp {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("{} written to {}", size(self.size_bytes), self.file))
    }
}

pub(crate) fn create_new(path: &Path) -> Result<File, Error> {
    OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return exists(path).into();
        }
        unusable(path, &error).into()
    })
}

fn exists(path: &Path) -> Refusal {
    Refusal::new(Code::FileExists, format!("{} exists and is not overwritten", path.display()))
        .hint("name a new file, or remove this one first")
        .detail("file", path.display().to_string())
}

/// A file that cannot be read or written.
pub(crate) fn unusable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileUnusable, format!("{}: {}", path.display(), in_words(error)))
        .hint("check the path, its permissions and the space left")
        .detail("file", path.display().to_string())
}

/// What the system says of an error, without its number.
pub(crate) fn in_words(error: &std::io::Error) -> String {
    let said = error.to_string();
    said.split(" (os error").next().unwrap_or_default().to_owned()
}
