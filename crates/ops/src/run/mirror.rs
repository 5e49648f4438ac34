//! The files in `.hotl` that tell of a run: mirrors of the ledger for whoever reads files.
//!
//! They are written after a commit, each whole (beside, to the disk, into place), by one process at a
//! time. If that one is killed before, the next call writes them. A lock of the kernel keeps the
//! order: who has it asks the ledger for the newest state, so an older one never comes last.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use windlass_domain::run::file::parse;
use windlass_domain::run::name::RunId;
use windlass_domain::{Code, Refusal};
use windlass_hands::regular::{content, lock, put};

use super::change::Whereabouts;
use super::files::{Files, Plan, RunFiles};
use super::source::{hash, plan_hash};
use super::target::Target;
use crate::context::{self, Context};
use crate::exchange::in_words;

/// The folder `.hotl` of a folder.
#[derive(Debug, Clone)]
pub(super) struct Mirror {
    folder: PathBuf,
}

impl Mirror {
    pub(super) fn of(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The run takes place here.
    pub(super) fn is_of(&self, files: &RunFiles) -> bool {
        self.folder == Path::new(&files.folder)
    }

    fn path(&self, kind: &str, file: &str) -> PathBuf {
        self.folder.join(".hotl").join(kind).join(file)
    }

    fn state_path(&self, name: &str) -> PathBuf {
        self.path("state", &format!("{name}.json"))
    }

    pub(super) fn report_path(&self, name: &str) -> PathBuf {
        self.path("reports", &format!("{name}.md"))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.state_path(name).exists()
    }

    /// The state file of a run, if it is there. Bytes that are no text are noticed like any other
    /// edit, and so is what is no file: it says nothing.
    pub(super) fn state(&self, name: &str) -> Option<String> {
        let path = self.state_path(name);
        match content(&path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => path.metadata().is_ok_and(|found| !found.is_file()).then(String::new),
        }
    }

    /// The runs that have a state file.
    pub(super) fn names(&self) -> Vec<RunId> {
        let files = fs::read_dir(self.folder.join(".hotl/state")).into_iter().flatten().flatten();
        let name = |file: fs::DirEntry| {
            let name = file.file_name().into_string().ok()?;
            RunId::parse(name.strip_suffix(".json")?).ok()
        };
        let mut names: Vec<RunId> = files.filter_map(name).collect();
        names.sort();
        names
    }

    /// Keeps others away until it is dropped.
    fn lock(&self, name: &str) -> io::Result<File> {
        // HOTL's own locks are folders `<run id>.lock`, which it leaves behind when it is killed.
        lock(&self.path("locks", &format!("{name}.windlass")))
    }
}

/// Writes the files of a run, where they are within reach, as the ledger has it now. What was done is
/// done: if they cannot be written, that is told, and the next call tries again.
pub(super) fn write(cx: &mut Context, whereabouts: &Whereabouts) {
    let Whereabouts { run_id, folder, machine, .. } = whereabouts;
    let mirror = Mirror::of(Path::new(folder));
    if *machine != cx.surroundings.host || !mirror.folder.is_dir() {
        return;
    }
    if let Err(trouble) = mirror.write(cx, whereabouts) {
        cx.notice_once(&format!(
            "recorded, but the files of run {run_id} in {folder}/.hotl were not written: {trouble}"
        ));
    }
}

/// The same for a call that was refused, where the refusal left a trace in the ledger.
pub(super) fn refused(cx: &mut Context, target: &Target, refusal: &Refusal) {
    if refusal.code == Code::BudgetExceeded
        && let Ok(target) = target.chosen(cx)
    {
        refresh(cx, &target);
    }
}

/// The same for a run of which only the name is known.
pub(super) fn refresh(cx: &mut Context, target: &Target) {
    if cx.surroundings.files == context::Files::Servers {
        return;
    }
    let asked = Files { target: target.clone(), ..Files::default() };
    if let Ok(files) = cx.perform(&asked) {
        write(cx, &files.whereabouts());
    }
}

impl Mirror {
    fn write(&self, cx: &mut Context, whereabouts: &Whereabouts) -> Result<(), String> {
        let spoken = |error: io::Error| in_words(&error);
        let name = &whereabouts.run_id;
        let _alone = self.lock(name).map_err(spoken)?;
        let state = self.state_path(name);
        let seen = self.state(name);
        let revision = seen.as_deref().map(|seen| revision_of(seen).unwrap_or_default());
        let target = Target::of(whereabouts.run);
        let asked = Files { target, revision, report: true, plan: false };
        let files = cx.perform(&asked).map_err(|error| error.to_string())?;
        notice_change(cx, whereabouts, files.workflow.as_ref());
        // The report comes first: a state file that is up to date says that both are.
        let report = files.report.as_deref().unwrap_or_default();
        put(&self.report_path(name), report).map_err(spoken)?;
        // What another hand wrote is evidence, until somebody decides about it.
        if seen.is_none_or(|seen| files.knows(&seen)) {
            put(&state, &files.state).map_err(spoken)?;
        }
        Ok(())
    }
}

/// Tells that a workflow file is no longer what the run was started with.
fn notice_change(cx: &mut Context, whereabouts: &Whereabouts, workflow: Option<&Plan>) {
    let Some(Plan { path, file_sha256, .. }) = workflow else { return };
    let text = content(Path::new(path)).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text else { return };
    if hash(&text).to_string() != *file_sha256 && !asks_for_the_same(cx, whereabouts, &text) {
        let run = &whereabouts.run_id;
        cx.notice_once(&format!(
            "{path} was changed since; run {run} keeps what it was started with"
        ));
    }
}

/// Whether a workflow file differs from that of the run in marks and the like only.
fn asks_for_the_same(cx: &mut Context, whereabouts: &Whereabouts, text: &str) -> bool {
    let asked = Files { target: Target::of(whereabouts.run), plan: true, ..Files::default() };
    let then = cx.perform(&asked).ok().and_then(|files| files.workflow?.sha256);
    let now = parse(text).ok().map(|now| plan_hash(&now.file).to_string());
    now.is_some() && now == then
}

/// The revision that a state file says it is of; those of older tools say none.
pub(super) fn revision_of(state: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Revision {
        revision: u64,
    }
    serde_json::from_str(state).ok().map(|Revision { revision }| revision)
}
