//! Many processes that begin at the same moment, for races.

#![expect(clippy::panic, reason = "a race that cannot be set up ends its test")]

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::process::Child;

use rustix::fs::{CWD, Mode};

use crate::run::Run;
use crate::wait;

/// Opens the gate, reports, and waits there until its last writer, which is us, lets go of it.
///
/// The gate is opened before the report: whoever has reported cannot miss the release.
const WAIT_AT_GATE: &str = r#"
exec 3<"$0" || exit 127
printf . >>"$1" || exit 127
shift
read -r _ <&3
exec 3<&-
exec "$@""#;

/// Starts every run, holds each one just before it becomes its program, then releases all at once.
///
/// The children come back in the order of the runs, with their output in pipes.
#[track_caller]
#[must_use]
pub fn start_together(runs: &[Run]) -> Vec<Child> {
    match stand_at_gate(runs) {
        Ok((children, closed)) => {
            drop(closed);
            children
        }
        Err(error) => panic!("cannot start {} processes together: {error}", runs.len()),
    }
}

/// The processes, all known to stand at the gate, and what keeps it closed.
#[track_caller]
fn stand_at_gate(runs: &[Run]) -> io::Result<(Vec<Child>, File)> {
    let folder = tempfile::Builder::new().prefix("windlass-gate-").tempdir()?;
    let (gate, reports) = (folder.path().join("gate"), folder.path().join("reports"));
    let closed = close(&gate)?;
    File::create(&reports)?;

    let wait_at_gate: [OsString; 4] =
        ["-c".into(), WAIT_AT_GATE.into(), gate.into(), reports.clone().into()];
    let mut children: Vec<Child> =
        runs.iter().map(|run| run.through("/bin/sh", wait_at_gate.clone()).spawn()).collect();
    wait::until("every process stands at the gate", || {
        if let Some(early) = children.iter_mut().position(has_ended) {
            panic!("process {early} ended before it reached the gate");
        }
        fs::metadata(&reports).is_ok_and(|data| data.len() == runs.len() as u64)
    });
    Ok((children, closed))
}

/// Makes the gate; it stays closed for as long as the file lives.
///
/// Opened for both directions, as only then does opening a FIFO not wait for the other side.
fn close(gate: &Path) -> io::Result<File> {
    rustix::fs::mkfifoat(CWD, gate, Mode::RUSR | Mode::WUSR)?;
    OpenOptions::new().read(true).write(true).open(gate)
}

fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_four_processes_start_together() {
        let runs = vec![Run::of("true"); 64];
        let children = start_together(&runs);
        assert_eq!(children.len(), 64);
        for (run, child) in runs.iter().zip(children) {
            assert_eq!(run.finish(child).code, Some(0));
        }
    }

    #[test]
    fn no_process_begins_before_all_have_been_started() {
        let folder = tempfile::tempdir().unwrap();
        let count = || fs::read_dir(folder.path()).unwrap().count();
        let runs: Vec<Run> = (0..8)
            .map(|n| Run::of("touch").args([format!("began-{n}")]).cwd(folder.path()))
            .collect();
        let (children, closed) = stand_at_gate(&runs).unwrap();
        assert_eq!(count(), 0);
        drop(closed);
        for (run, child) in runs.iter().zip(children) {
            assert_eq!(run.finish(child).code, Some(0));
        }
        assert_eq!(count(), 8);
    }

    #[test]
    fn a_process_keeps_its_arguments_environment_folder_and_input() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::of("/bin/sh")
            .args(["-c", r#"cat; echo "$1|$OWN|$PWD""#, "sh", "two words"])
            .env("OWN", "mine")
            .cwd(folder.path())
            .stdin("input|");
        let child = start_together(std::slice::from_ref(&run)).remove(0);
        let expected = format!("input|two words|mine|{}\n", folder.path().display());
        assert_eq!(run.finish(child).ok().stdout, expected);
    }

    #[test]
    fn a_missing_program_is_told_by_its_exit_code() {
        let run = Run::of("/no/such/program");
        let child = start_together(std::slice::from_ref(&run)).remove(0);
        assert_eq!(run.finish(child).code, Some(127));
    }
}
