//! The boxes in the workflow file that a driven run executes, ticked as its steps are done.
//!
//! They are for readers; the ledger says what is done, and every look makes them right again. Only a
//! file in the folder of the run is touched, and only its marks: where anything else in it was
//! changed, it is somebody's work and left alone.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use windlass_domain::run::file::{parse, tick};
use windlass_domain::run::word::StepStatus;
use windlass_hands::regular::content;

use super::files::{Files, Plan, RunFiles};
use super::source::plan_hash;
use super::target::Target;
use super::view::RunView;
use crate::context::Context;
use crate::exchange::in_words;

/// What stands before a mark, `- [`, must still stand there.
const BEFORE_BYTES: usize = 3;

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
}

impl Marks {
    pub(super) fn of(cx: &mut Context, target: &Target) -> Self {
        let asked = Files { target: target.clone(), plan: true, ..Files::default() };
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
        let Plan { path, sha256: Some(sha256), .. } = files.workflow? else { return None };
        let folder = fs::canonicalize(&files.folder).ok()?;
        let path = fs::canonicalize(path).ok()?;
        path.starts_with(&folder).then_some(Self { path, sha256 })
    }

    fn set(&self, done: impl Iterator<Item = bool>) -> Result<(), String> {
        let spoken = |error: io::Error| in_words(&error);
        let changed = || "it was changed since the run began".to_owned();
        let text = String::from_utf8(content(&self.path).map_err(spoken)?);
        let text = text.map_err(|_| changed())?;
        let parsed = parse(&text).ok();
        let parsed = parsed.filter(|now| plan_hash(&now.file).to_string() == self.sha256);
        let parsed = parsed.ok_or_else(changed)?;
        let ticked = tick(&text, &parsed.places, done);
        if ticked == text {
            return Ok(());
        }
        put(&self.path, &text, &ticked)
    }
}

/// Puts the marks that are different into a file that said `before`. A mark is one byte, written where
/// it stands: the file stays the one it is, and what somebody else writes at the same time stays too.
fn put(path: &Path, before: &str, after: &str) -> Result<(), String> {
    let spoken = |error: io::Error| in_words(&error);
    let data = fs::metadata(path).map_err(spoken)?;
    if data.permissions().readonly() {
        return Err(in_words(&io::ErrorKind::PermissionDenied.into()));
    }
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(spoken)?;
    let said = before.as_bytes();
    for (at, (old, new)) in before.bytes().zip(after.bytes()).enumerate() {
        if old == new {
            continue;
        }
        let from = at.saturating_sub(BEFORE_BYTES);
        let expected = said.get(from..=at).unwrap_or_default();
        let mut found = vec![0; expected.len()];
        file.read_exact_at(&mut found, bytes(from)).map_err(spoken)?;
        let length = file.metadata().map_err(spoken)?.len();
        if found != expected || length != bytes(said.len()) {
            return Err("somebody changes it at this moment".to_owned());
        }
        file.write_all_at(&[new], bytes(at)).map_err(spoken)?;
    }
    file.sync_data().map_err(spoken)
}

fn bytes(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_changed_since_the_file_was_read_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (before, after) = ("one\n- [ ] a\n", "one\n- [x] a\n");
        for (now, then) in [
            (before, after),
            ("two\n- [ ] b\n", "two\n- [x] b\n"),
            ("- [ ] a\none\n", "- [ ] a\none\n"),
            ("one\n- [ ] a, b\n", "one\n- [ ] a, b\n"),
            ("one", "one"),
        ] {
            fs::write(&path, now).unwrap();
            assert_eq!(put(&path, before, after).is_ok(), now != then, "{now}");
            assert_eq!(fs::read_to_string(&path).unwrap(), then);
        }
    }
}
