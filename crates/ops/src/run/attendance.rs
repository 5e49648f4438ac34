//! Who starts programs for a run is there until they have ended, and leaves a note while it is.
//!
//! A guard ends them when Windlass is killed. When the guard is killed with it, only the note of a
//! process that is no more tells of them; so the processes of the machine are looked through then, and
//! not at every check.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use windlass_domain::RunKey;
use windlass_hands::guard::{Guard, Waiting, end_survivors};
use windlass_hands::process::is_gone;

use super::change::Whereabouts;
use crate::context::Context;

/// The guard of what is started for a run; one that waits already is the first.
pub(super) fn guard(run: RunKey, waiting: Option<Waiting>) -> Guard {
    Guard::of_this_program(owner(run), waiting)
}

/// The name by which what a guard of a run left behind is found.
fn owner(run: RunKey) -> String {
    format!("run {run}")
}

/// The presence of this process at a run; it takes its note away when it is dropped.
#[derive(Debug)]
pub(super) struct Attendance {
    note: PathBuf,
}

impl Attendance {
    /// Comes to a run, and first ends what others left running there who were killed.
    pub(super) fn begin(cx: &Context, run: &Whereabouts) -> Self {
        end_abandoned(cx, run);
        let notes = notes(run);
        let note = notes.join(std::process::id().to_string());
        // Where nothing can be written, nobody is told, and nothing else is lost.
        let _is_left = fs::create_dir_all(&notes).and_then(|()| File::create_new(&note));
        Self { note }
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        remove(&self.note);
    }
}

/// Ends what is left of a run whose guards were killed together with those who had started them.
pub(super) fn end_abandoned(cx: &Context, run: &Whereabouts) {
    let found = fs::read_dir(notes(run)).into_iter().flatten().flatten();
    let notes: Vec<PathBuf> = found.map(|note| note.path()).filter(|note| is_old(note)).collect();
    if notes.is_empty() {
        return;
    }
    let count = end_survivors(&owner(run.run));
    if count > 0 {
        cx.notice(&format!("ended what a killed call had left running ({count} processes)"));
    }
    for note in &notes {
        remove(note);
    }
}

/// The number of its process is that of nobody, or of us, who have not written it.
fn is_old(note: &Path) -> bool {
    let number = note.file_name().and_then(|name| name.to_str()?.parse().ok());
    number.is_none_or(|number| i32::try_from(std::process::id()) == Ok(number) || is_gone(number))
}

fn notes(run: &Whereabouts) -> PathBuf {
    Path::new(&run.folder).join(".hotl/locks").join(format!("{}.guards", run.run_id))
}

/// The folder goes with the last note.
fn remove(note: &Path) {
    let _is_removed = fs::remove_file(note);
    let _is_empty = note.parent().map(fs::remove_dir);
}
