//! The files of runs outlive the worktree that they were written in: state file, report and evidence
//! are copied to the repository before it goes.

use std::fs;
use std::path::Path;

use windlass_domain::run::state_file::{self, StateFile};
use windlass_hands::copy::plain_files;
use windlass_hands::evidence;
use windlass_hands::files::{self, Change};
use windlass_hands::git::Worktree;
use windlass_ledger::Error;

use super::repository::text;
use crate::exchange::unusable;

/// Copies the files of all runs out of a worktree that goes: each to the checkout that the run came
/// from, or else to `usual`.
pub(super) fn preserve_all(
    worktree: &Path,
    usual: &Path,
    checkouts: &[Worktree],
) -> Result<(), Error> {
    let files = fs::read_dir(worktree.join(".hotl/state")).into_iter().flatten().flatten();
    for file in files {
        if let Some(run_id) = file.file_name().to_str().and_then(|name| name.strip_suffix(".json"))
        {
            let text = files::read(&file.path()).map_err(not_done)?.unwrap_or_default();
            let run = state_file::parse(&text).ok();
            let home = run.and_then(|run| home(&run, checkouts, worktree));
            preserve(worktree, home.unwrap_or(usual), run_id)?;
        }
    }
    Ok(())
}

/// The checkout that a run came from, if it outlives the worktree: what is kept of the run is looked
/// for there.
fn home<'a>(run: &StateFile, checkouts: &'a [Worktree], goes: &Path) -> Option<&'a Path> {
    let root = fs::canonicalize(&run.repo_root).ok()?;
    let mut others = checkouts.iter().map(|checkout| checkout.path.as_path());
    others.find(|path| *path == root && *path != goes)
}

/// Copies the files of a run; the state file then names the report where it is.
pub(super) fn preserve(worktree: &Path, home: &Path, run_id: &str) -> Result<(), Error> {
    let (state, report) =
        (format!(".hotl/state/{run_id}.json"), format!(".hotl/reports/{run_id}.md"));
    let report_path = text(&home.join(&report))?;
    let mut changes = Vec::new();
    for (name, report_path) in [(state, Some(report_path)), (report, None)] {
        let (from, path) = (worktree.join(&name), home.join(&name));
        let Some(content) = files::read(&from).map_err(not_done)? else { continue };
        let after = report_path.map_or(content.clone(), |path| with_report_at(&content, &path));
        let before = files::read(&path).map_err(not_done)?;
        changes.push(Change { path, before, after: Some(after) });
    }
    files::change(&changes).map_err(not_done)?;
    let inside = evidence::place(Path::new(""), run_id);
    plain_files(worktree, home, &inside).map_err(not_done)
}

/// Only the one value changes: a state file may hold keys that nobody here knows.
fn with_report_at(content: &str, report_path: &str) -> String {
    const KEY: &str = "\"report_path\"";
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match (state_file::parse(content), content.split_once(KEY)) {
        (Ok(state), Some((before, after))) => {
            let after = after.replacen(&quoted(&state.report_path), &quoted(report_path), 1);
            format!("{before}{KEY}{after}")
        }
        (Err(_), _) | (_, None) => content.to_owned(),
    }
}

pub(super) fn not_done(error: files::NotDone) -> Error {
    match error {
        files::NotDone::Unusable { path, source } => unusable(&path, &source).into(),
        files::NotDone::Changed { path } => {
            unusable(&path, &std::io::Error::other("it was changed meanwhile")).into()
        }
    }
}
