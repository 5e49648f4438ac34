//! What becomes of guarded processes when those who should mind them are killed.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::place::{Place, marked, owner};
use windlass_hands::guard::end_survivors;
use windlass_testkit::{Run, wait};

/// Writes who it is and stays, in spite of being asked to go.
const STAYS: &str = "sh -c 'trap \"\" TERM HUP; echo $$ >>ids; while :; do sleep 600; done'";

/// A process of its own that runs a check, and is to be killed.
fn parent(place: &Place, command: &str) -> Child {
    let folder = place.folder().to_str().unwrap();
    let owner = owner(place.folder());
    let run =
        Run::of(env!("CARGO_BIN_EXE_guarded-check")).args(["--shell", &owner, folder, command]);
    run.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn ids(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("ids")).unwrap_or_default();
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(Into::into).collect()
}

fn signal(signal: &str, id: &str) {
    let _told = Run::of("kill").args([signal, id]).run().ok();
}

fn is_there(id: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[test]
fn nothing_survives_a_parent_that_is_killed() {
    let place = Place::new();
    let command = format!("{STAYS} & setsid {STAYS} & env -i PATH=\"$PATH\" setsid {STAYS} & wait");
    let mut parent = parent(&place, &command);
    wait::until("all three are there", || ids(place.folder()).len() == 3);
    assert!(marked(&owner(place.folder())).len() > 2);
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait::until("no marked process is left", || place.left() == 0);
    let ids = ids(place.folder());
    wait::until("the one without a mark is gone too", || !ids.iter().any(|id| is_there(id)));
}

#[test]
fn a_guard_that_is_asked_to_end_ends_all_it_guards() {
    let place = Place::new();
    let mut parent = parent(&place, &format!("echo $PPID >guard; {STAYS}"));
    wait::until("it is there", || ids(place.folder()).len() == 1);
    let guard = fs::read_to_string(place.folder().join("guard")).unwrap();
    signal("-TERM", guard.trim());
    assert_eq!(parent.wait().unwrap().code(), Some(1));
    assert_eq!(place.left(), 0);
}

#[test]
fn what_lost_parent_and_guard_is_found_later() {
    let place = Place::new();
    let mut parent = parent(&place, &format!("echo $PPID >guard; {STAYS}"));
    wait::until("it is there", || ids(place.folder()).len() == 1);
    let guard = fs::read_to_string(place.folder().join("guard")).unwrap();
    // Stopped, the parent cannot notice that its guard is killed.
    signal("-STOP", &parent.id().to_string());
    signal("-KILL", guard.trim());
    wait::until("the guard is gone", || !is_there(guard.trim()));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(is_there(&ids(place.folder())[0]));
    assert!(end_survivors(&owner(place.folder())) > 0);
    assert_eq!(place.left(), 0);
}

#[test]
fn what_still_has_its_guard_is_no_survivor() {
    let place = Place::new();
    let mut parent = parent(&place, STAYS);
    wait::until("it is there", || ids(place.folder()).len() == 1);
    assert_eq!(end_survivors(&owner(place.folder())), 0);
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait::until("no marked process is left", || place.left() == 0);
}

#[test]
fn a_guard_without_words_refuses() {
    let outcome = Run::of(env!("CARGO_BIN_EXE_guarded-check")).args(["__guard"]).run();
    assert_eq!(outcome.code, Some(2), "{outcome}");
}
