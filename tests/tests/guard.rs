//! `windlass` as a guard of other programs, which is no command and is listed nowhere.

#![expect(clippy::unwrap_used, reason = "what goes wrong in a helper of a test ends the test")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use windlass_hands::check::{Environment, Limits, Outcome, Shell, Stop, Verdict, Watch};
use windlass_hands::guard::Guard;
use windlass_testkit::home::binary;
use windlass_testkit::{Home, Run, machine};

/// A shell check under the binary.
fn check(folder: &Path, command: &str) -> Outcome {
    let path = machine::variable("PATH").unwrap_or_default();
    let shell = Shell {
        command: command.to_owned(),
        folder: folder.to_owned(),
        timeout: Duration::from_mins(5),
        environment: Environment::of_caller([("PATH", path)]).with("WINDLASS_FORMAT", "nonsense"),
        log: folder.join("log"),
        limits: Limits::default(),
    };
    let stop = Stop::new().unwrap();
    shell.run(
        &Guard::new(binary(), "guard-test"),
        Watch { beat: &mut |_| Duration::MAX, stop: &stop },
    )
}

#[test]
fn a_check_runs_under_the_binary_whatever_its_settings_are() {
    let home = Home::new();
    let outcome = check(home.path(), "echo seen; exit 200");
    assert_eq!(
        (outcome.verdict, outcome.message.as_str()),
        (Verdict::Failed, "ended with code 200")
    );
    assert_eq!(fs::read_to_string(outcome.output.unwrap().log.path).unwrap(), "seen\n");
}

#[test]
fn a_guard_is_the_parent_of_the_check_and_has_no_terminal() {
    let home = Home::new();
    let outcome = check(home.path(), "tr '\\0' '\\n' </proc/$PPID/cmdline | sed -n 2p; tty");
    assert_eq!(outcome.output.unwrap().stdout.ends(4096).first, "__guard\nnot a tty\n");
}

#[test]
fn a_guard_that_is_called_by_hand_does_nothing() {
    let outcome = Run::of(binary()).args(["__guard"]).run();
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(2), "", ""));
}
