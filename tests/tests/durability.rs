//! What an answer is worth: it is given after the disk has the data, and a disk that fails is told.
//!
//! The unmodified binary runs under `strace`, which shows the order of its system calls and makes
//! some of them fail.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what goes wrong in a helper of a test ends the test"
)]

use std::fs;
use std::path::Path;

use windlass_testkit::Run;
use windlass_testkit::trace::{Call, Hit, Injected, Trace, WRITE_POINTS};
use windlass_tests::ledgers::Ledger;

/// Twice the length at which it is moved into the file: 256 pages with their headers.
const LONGEST_WAL_BYTES: u64 = 2 * 256 * (4096 + 24);

#[test]
fn an_answer_is_given_after_the_last_byte_of_the_wal_was_synced() {
    let ledger = Ledger::on_sqlite();
    let task = ledger.add(&["-s", "ready"]);
    let commands: [&[&str]; 4] = [
        &["task", "add", "another", "-s", "ready", "-t", "red"],
        &["task", "claim", &task, "--agent", "w1"],
        &["task", "checkpoint", &task, "half", "--agent", "w1"],
        &["task", "complete", &task, "--agent", "w1"],
    ];
    for command in commands {
        let calls = record(&ledger, command);
        let last_write = last(&calls, |call| call.name == "pwrite64" && is_wal(call));
        let last_sync = last(&calls, |call| is_sync(call) && is_wal(call));
        assert!(last_write < last_sync, "{command:?}: {calls:#?}");
        assert!(last_sync < answer(&calls), "{command:?}: {calls:#?}");
    }
}

/// A file is found after a power failure only if the folder that names it was synced, too.
#[test]
fn the_first_answer_is_given_after_new_files_and_folders_were_synced_into_theirs() {
    let ledger = Ledger::on_sqlite();
    let run = windlass(&ledger, &["task", "add", "the first"]);
    let calls = [&WRITE_POINTS[..], &["openat", "mkdir"]].concat();
    let recording = Trace::of(run).calls(&calls).record();
    let _answered = recording.outcome.ok();
    let calls = recording.calls;
    let answer = answer(&calls);

    let made: Vec<(usize, &Call)> =
        calls.iter().enumerate().filter(|(_, call)| makes(call)).collect();
    assert!(made.iter().any(|(_, call)| call.name == "mkdir"));
    assert!(made.iter().any(|(_, call)| call.name == "openat"));
    for (at, made) in made {
        let folder = Path::new(&made.path_or_fd).parent().unwrap();
        let synced = calls[at..answer]
            .iter()
            .any(|call| is_sync(call) && Path::new(&call.path_or_fd) == folder);
        assert!(synced, "{} was not synced after {made:?}", folder.display());
    }
}

/// Whether the call made a folder, or a file without which the ledger is not whole.
fn makes(call: &Call) -> bool {
    let is_needed = call.path_or_fd.ends_with("/ledger.db") || call.path_or_fd.ends_with("-wal");
    match call.name.as_str() {
        "mkdir" => call.result == "0",
        "openat" => call.args.contains("O_CREAT") && is_needed,
        _ => false,
    }
}

/// A ledger whose tables are in its file: the first command makes them, the second puts them there,
/// and the third begins the log of writes anew.
fn at_rest() -> Ledger {
    let ledger = Ledger::on_sqlite();
    for _ in 0..3 {
        ledger.add(&["-s", "ready"]);
    }
    ledger
}

#[test]
fn with_synchronous_normal_an_answer_does_not_wait_for_the_disk() {
    let ledger = at_rest();
    let run = windlass(&ledger, &["task", "add", "another"]);
    let run = run.env("WINDLASS_DATABASE_SYNCHRONOUS", "normal");
    let recording = Trace::of(run).record();
    let _answered = recording.outcome.ok();
    let is_write = |call: &Call| call.name == "pwrite64" && is_wal(call);
    assert!(recording.calls.iter().any(is_write));
    let syncs: Vec<&Call> = recording.calls.iter().filter(|call| is_sync(call)).collect();
    assert!(syncs.is_empty(), "{syncs:?}");
}

#[test]
fn a_disk_that_is_full_at_any_write_is_told_and_nothing_is_changed() {
    fail_at_each(|call| call.name == "pwrite64", "ENOSPC", "ledger_full");
}

#[test]
fn a_disk_that_fails_at_any_write_to_the_wal_is_told_and_nothing_is_changed() {
    fail_at_each(|call| call.name == "pwrite64" && is_wal(call), "EIO", "storage_failed");
}

#[test]
fn a_disk_that_fails_to_sync_the_wal_is_told_and_nothing_is_changed() {
    fail_at_each(|call| is_sync(call) && is_wal(call), "EIO", "storage_failed");
}

/// Makes each of those calls of a command fail, in one run after the other.
#[track_caller]
fn fail_at_each(wanted: impl Fn(&Call) -> bool, errno: &str, code: &str) {
    let ledger = at_rest();
    let trace = Trace::of(windlass(&ledger, &["task", "add", "another", "-s", "ready"]));
    let mut points = trace.record().calls;
    points.retain(wanted);
    assert!(points.iter().any(is_wal));
    let before = ledger.events();
    for point in &points {
        let injected = trace.fail_at(&point.name, point.nth, errno);
        told(point, injected, code);
        assert_eq!(ledger.events(), before, "{errno} at {point:?}");
    }
    let examined = ledger.windlass(&["doctor", "--rebuild"]).run();
    assert_eq!(examined.code, Some(0), "{examined}");
    ledger.add(&["-s", "ready"]);
    assert_eq!(ledger.events(), before + 1);
}

#[track_caller]
fn told(point: &Call, injected: Injected, code: &str) {
    assert_eq!(injected.hit, Hit::Failed, "never hit: {point:?}");
    let report = injected.outcome.refused(code, 5);
    assert_eq!(report["ok"], false);
}

#[test]
fn a_disk_that_stays_full_is_told_and_nothing_is_changed() {
    let ledger = Ledger::on_sqlite();
    ledger.add(&["-s", "ready"]);
    let before = ledger.events();
    let trace = Trace::of(windlass(&ledger, &["task", "add", "another"]));
    let injected = trace.fail_from("pwrite64", 1, "ENOSPC");
    assert_eq!(injected.hit, Hit::Failed);
    let _told = injected.outcome.refused("ledger_full", 5);
    assert_eq!(ledger.events(), before);
}

/// One command after the other, none of which sees the others at work.
#[test]
fn a_wal_stays_short_however_many_commands_write() {
    let ledger = Ledger::on_sqlite();
    let wal = format!("{}-wal", ledger.address);
    for _ in 0..60 {
        let _added = windlass(&ledger, &["task", "add", "a task", "-s", "ready"]).run().ok();
        let size_bytes = fs::metadata(&wal).map_or(0, |data| data.len());
        assert!(size_bytes < LONGEST_WAL_BYTES, "{size_bytes} bytes in {wal}");
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let ledger = Ledger::on_sqlite();
    let script = r#""$0" task add 'a task' >/dev/full"#;
    let run = ledger.home.program("/bin/sh").args(["-c", script]);
    let run = run.args([windlass_testkit::home::binary()]).db(&ledger.address);
    let outcome = run.run();
    assert_ne!(outcome.code, Some(0), "{outcome}");
}

/// As in life: unlike [`Ledger::windlass`], it waits for the disk.
fn windlass(ledger: &Ledger, args: &[&str]) -> Run {
    ledger.home.windlass(args).db(&ledger.address)
}

#[track_caller]
fn record(ledger: &Ledger, command: &[&str]) -> Vec<Call> {
    let recording = Trace::of(windlass(ledger, command)).record();
    let _answered = recording.outcome.ok();
    recording.calls
}

fn is_wal(call: &Call) -> bool {
    call.path_or_fd.ends_with("-wal")
}

fn is_sync(call: &Call) -> bool {
    matches!(call.name.as_str(), "fsync" | "fdatasync")
}

#[track_caller]
fn last(calls: &[Call], wanted: impl Fn(&Call) -> bool) -> usize {
    calls.iter().rposition(wanted).unwrap()
}

/// The place of the first byte of the answer.
#[track_caller]
fn answer(calls: &[Call]) -> usize {
    let is_answer = |call: &Call| call.name == "write" && call.args.starts_with("1<");
    calls.iter().position(is_answer).unwrap()
}
