//! The wrapper against a shell, whose `echo` is one `write` each.

use super::*;

const TWO_LINES: &str = "echo one >file; echo two >>file";

fn in_folder(script: &str) -> (tempfile::TempDir, Trace) {
    let folder = tempfile::tempdir().unwrap();
    let trace = Trace::of(Run::of("/bin/sh").args(["-c", script]).cwd(folder.path()));
    (folder, trace)
}

fn content(folder: &tempfile::TempDir) -> String {
    fs::read_to_string(folder.path().join("file")).unwrap()
}

#[test]
fn a_recording_names_every_write_and_its_file() {
    let (folder, trace) = in_folder(TWO_LINES);
    let recording = trace.record();
    let _success = recording.outcome.ok();
    let file = folder.path().join("file").display().to_string();
    let seen: Vec<_> = recording.calls.iter().map(|call| (call.name.as_str(), call.nth)).collect();
    assert_eq!(seen, [("write", 1), ("write", 2)]);
    assert!(recording.calls.iter().all(|call| call.path_or_fd == file));
}

#[test]
fn a_killed_process_did_not_make_the_call() {
    let (folder, trace) = in_folder(TWO_LINES);
    let injected = trace.kill_at("write", 2);
    assert_eq!(injected.hit, Hit::Killed);
    assert_eq!(injected.outcome.signal, Some(9));
    assert_eq!(content(&folder), "one\n");
}

#[test]
fn a_frozen_process_made_the_call_and_goes_no_further() {
    let (folder, trace) = in_folder(TWO_LINES);
    let frozen = trace.freeze_after("write", 1);
    assert_eq!(content(&folder), "one\n");
    assert_eq!(frozen.kill().signal, Some(9));
    assert_eq!(content(&folder), "one\n");
}

#[test]
fn a_point_past_the_end_is_never_reached() {
    let (folder, trace) = in_folder(TWO_LINES);
    let injected = trace.kill_at("write", 3);
    assert_eq!((injected.hit, injected.outcome.code), (Hit::NeverReached, Some(0)));
    assert_eq!(content(&folder), "one\ntwo\n");
}

#[test]
fn a_program_killed_by_itself_was_not_killed_at_the_call() {
    let (_folder, trace) = in_folder("echo one >file; kill -KILL $$");
    let injected = trace.kill_at("write", 2);
    assert_eq!((injected.hit, injected.outcome.signal), (Hit::NeverReached, Some(9)));
}

#[test]
fn one_call_can_fail_or_all_from_it_on() {
    let script = "for n in 1 2 3; do echo $n >>file || echo no; done; exit 4";
    let (folder, trace) = in_folder(script);
    let file = folder.path().join("file");
    let once = trace.clone().only_on(&file).fail_at("write", 2, "ENOSPC");
    assert_eq!((once.hit, once.outcome.code), (Hit::Failed, Some(4)));
    assert_eq!(once.outcome.stdout, "no\n");
    assert_eq!(content(&folder), "1\n3\n");

    fs::remove_file(&file).unwrap();
    let onwards = trace.only_on(&file).fail_from("write", 2, "ENOSPC");
    assert_eq!(onwards.outcome.stdout, "no\nno\n");
    assert_eq!(content(&folder), "1\n");
}

#[test]
fn a_child_process_is_counted_by_itself() {
    let (folder, trace) = in_folder("echo one >file; sh -c 'echo two >>file'; echo three >>file");
    let injected = trace.kill_at("write", 2);
    assert_eq!(injected.hit, Hit::Killed);
    assert_eq!(content(&folder), "one\ntwo\n");
}

#[test]
#[should_panic(expected = "not among the watched calls")]
fn a_call_that_is_not_watched_cannot_be_aimed_at() {
    let (_folder, trace) = in_folder("true");
    let _never = trace.calls(&["fsync"]).kill_at("write", 1);
}
