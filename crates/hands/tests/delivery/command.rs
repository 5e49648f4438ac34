//! To a program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process;
use std::time::Duration;

use windlass_hands::delivery::{Message, Outcome, Secret, Target};
use windlass_testkit::wait;

use super::{CANARY, command, courier, deliver, deliver_message, hand_over, message, reason};

const DELIVERED: Outcome = Outcome::Delivered { status: None };

fn shell(script: &str) -> Target {
    command(&["/bin/sh", "-c", script])
}

/// The same for a program whose limit runs out.
fn brief(script: &str) -> Target {
    Target { limit: Duration::from_millis(300), ..shell(script) }
}

fn big_message() -> Message {
    Message { body: "x".repeat(5_000_000), ..message() }
}

/// A word that no other run of these tests uses.
fn word(test: &str) -> String {
    format!("{test}-{}", process::id())
}

/// Whether a program that was told this word is running.
fn is_running(word: &str) -> bool {
    let told = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    };
    fs::read_dir("/proc").unwrap().flatten().any(told)
}

fn read(folder: &Path) -> String {
    fs::read_to_string(folder.join("got")).unwrap()
}

#[test]
fn a_program_gets_the_message_on_its_input_and_its_arguments_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("got");
    let script = r#"{ cat; echo "|$1|$2"; } >"$0""#;
    let path = path.to_str().unwrap();
    let target = command(&["sh", "-c", script, path, "two words", "$TOKEN; exit 1"]);
    assert_eq!(deliver(&target), DELIVERED);
    assert_eq!(read(folder.path()), format!("{}|two words|$TOKEN; exit 1\n", message().body));
}

/// The signature was computed with Python's `hmac`.
#[test]
fn a_program_has_the_environment_of_the_caller_and_knows_which_message_it_got() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("got");
    let target = command(&["/bin/sh", "-c", r#"/usr/bin/env >"$0""#, path.to_str().unwrap()]);
    let target = Target { secret: Some(Secret::Variable("TOKEN".to_owned())), ..target };
    assert_eq!(deliver(&target), DELIVERED);
    let got = read(folder.path());
    // The shell adds some of its own.
    let mut known: Vec<&str> = got
        .lines()
        .filter(|line| !["PWD=", "SHLVL=", "_="].iter().any(|own| line.starts_with(own)))
        .collect();
    known.sort_unstable();
    let token = format!("BROKEN={CANARY}");
    let expected = [
        "",
        &token,
        "HOME=/tmp",
        "PATH=/usr/bin:/bin",
        &format!("TOKEN={CANARY}"),
        "WINDLASS_HOOK_ID=msg_1",
        "WINDLASS_HOOK_SIGNATURE=v1,gF11Be3t2zBIEtAWa1WYUvBYOpQ23JnLLKhB9iElgsk=",
        "WINDLASS_HOOK_TIMESTAMP=1700000000",
    ];
    assert_eq!(known, expected);
}

#[test]
fn how_a_program_ended_decides() {
    assert_eq!(deliver(&shell("exit 0")), DELIVERED);
    assert_eq!(reason(&shell("exit 3")), "ended with code 3");
    assert_eq!(reason(&shell("kill -KILL $$")), "ended by signal 9");
}

#[test]
fn what_cannot_be_run_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    fs::write(&file, "not a program").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let file = file.to_str().unwrap();
    let nowhere = "no-such-program-anywhere";
    assert_eq!(reason(&command(&[nowhere])), format!("cannot run {nowhere}: not found"));
    assert_eq!(reason(&command(&[file])), format!("cannot run {file}: not executable"));
}

#[test]
fn a_command_names_a_program() {
    assert_eq!(reason(&command(&[])), "the command names no program");
}

#[test]
fn a_program_that_hangs_is_ended_with_all_it_started() {
    let word = word("hangs");
    let script = format!("sh -c 'sleep 600; : {word}' & wait");
    assert_eq!(reason(&brief(&script)), "timed out after 300ms");
    assert!(!is_running(&word));
}

#[test]
fn a_program_that_ignores_the_request_to_end_is_killed() {
    let word = word("ignores");
    let script = format!("trap '' TERM; while :; do sleep 600; : {word}; done");
    assert_eq!(reason(&brief(&script)), "timed out after 300ms");
    assert!(!is_running(&word));
}

#[test]
fn a_program_that_ends_well_when_its_time_is_over_has_still_failed() {
    let script = "trap 'exit 0' TERM; sleep 600 & wait";
    assert_eq!(reason(&brief(script)), "timed out after 300ms");
}

#[test]
fn a_flood_of_output_neither_blocks_nor_fails() {
    let flood = "head -c 100000000 /dev/zero";
    assert_eq!(deliver(&shell(&format!("{flood}; {flood} >&2"))), DELIVERED);
}

#[test]
fn a_program_need_not_read_its_input() {
    assert_eq!(deliver_message(&shell("exit 0"), big_message()), DELIVERED);
    assert_eq!(deliver_message(&shell("exec <&-; exit 0"), big_message()), DELIVERED);
    assert_eq!(deliver_message(&shell("head -c 10 >/dev/null"), big_message()), DELIVERED);
}

#[test]
fn a_program_that_never_reads_its_input_runs_into_its_limit() {
    let outcome = deliver_message(&brief("exec sleep 600"), big_message());
    let reason = "timed out after 300ms".to_owned();
    assert_eq!(outcome, Outcome::Failed { reason, retry_after: None, for_good: false });
}

#[test]
fn a_big_message_arrives_whole() {
    let target = shell(r#"test "$(wc -c)" -eq 5000000"#);
    assert_eq!(deliver_message(&target, big_message()), DELIVERED);
}

#[test]
fn what_a_program_leaves_running_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate");
    let path = path.to_str().unwrap();
    // What stays holds input and output open until somebody comes through the gate.
    let script = r#"mkfifo "$0"; { read line <"$0"; } 3<&0 & exit 0"#;
    let target = command(&["/bin/sh", "-c", script, path]);
    assert_eq!(deliver_message(&target, big_message()), DELIVERED);
    drop(fs::OpenOptions::new().write(true).open(path).unwrap());
}

#[test]
fn a_program_does_not_outlive_its_courier() {
    let word = word("outlives");
    let mut courier = courier(1);
    hand_over(&mut courier, 0, &shell(&format!("sleep 600; : {word}")), message());
    wait::until("the program is there", || is_running(&word));
    drop(courier);
    wait::until("the program is gone", || !is_running(&word));
}
