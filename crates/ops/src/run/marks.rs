//! The boxes in the workflow file that a driven run executes, ticked as its steps are done.
//!
//! They are for readers; the ledger says what is done, and every look makes them right again. Only a
//! file in the folder of the run is touched, and only its marks: where anything else in it was
//! changed, it is somebody's work and left alone.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use windlass_domain::run::file::{parse, tick};
use windlass_domain::run::word::StepStatus;

use super::files::{Files, Plan, RunFiles};
use super::source::plan_hash;
use super::target::Target;
use super::view::RunView;
use crate::context::Context;
use crate::exchange::in_words;

/// The file whose boxes are ticked; nothing where there is none of the run's own.
pub(super) struct Marks {
    own: Option<Own>,
    /// Why it is left alone was said.
    is_told: bool,
}

struct Own {
    path: PathBuf,
    /// Of what it asked for when the run began.
    sha256: String,
    /// What is written before it takes the place of the file.
    beside: PathBuf,
}

impl Marks {
    pub(super) fn of(cx: &mut Context, target: &Target) -> Self {
        let asked = Files { target: target.clone(), revision: None, report: true };
        let files = cx.perform(&asked).ok();
        let files = files.filter(|files| files.machine == cx.surroundings.host);
        Self { own: files.and_then(Own::of), is_told: false }
    }

    /// Makes the boxes say what the run says.
    pub(super) fn set(&mut self, cx: &Context, run: &RunView) {
        let Some(own) = &self.own else { return };
        let done = run.steps.iter().map(|step| step.status == StepStatus::Done);
        if let Err(why) = own.set(done)
            && !std::mem::replace(&mut self.is_told, true)
        {
            cx.notice(&format!("the boxes in {} stay as they are: {why}", own.path.display()));
        }
    }
}

impl Own {
    fn of(files: RunFiles) -> Option<Self> {
        let Plan { path, sha256, .. } = files.workflow?;
        let folder = fs::canonicalize(&files.folder).ok()?;
        let path = fs::canonicalize(path).ok()?;
        let beside = folder.join(".hotl").join(format!(".{}.workflow.new", files.run_id));
        path.starts_with(&folder).then_some(Self { path, sha256, beside })
    }

    fn set(&self, done: impl Iterator<Item = bool>) -> Result<(), String> {
        let spoken = |error: io::Error| in_words(&error);
        let text = fs::read_to_string(&self.path).map_err(spoken)?;
        let parsed = parse(&text).ok();
        let parsed = parsed.filter(|now| plan_hash(&now.file).to_string() == self.sha256);
        let Some(parsed) = parsed else {
            return Err("it was changed since the run began".to_owned());
        };
        let ticked = tick(&text, &parsed.places, done);
        if ticked == text {
            return Ok(());
        }
        put(&self.path, &self.beside, &ticked).map_err(spoken)
    }
}

/// Makes a file say this, whole or not at all, and leaves it as it is otherwise.
fn put(path: &Path, beside: &Path, text: &str) -> io::Result<()> {
    let permissions = fs::symlink_metadata(path)?.permissions();
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut file = File::create(beside)?;
    file.set_permissions(permissions)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    fs::rename(beside, path)
}
