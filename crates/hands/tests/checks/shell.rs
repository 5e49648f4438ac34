//! Checks that are commands, good and bad ones. None of them leaves anything behind.

use std::fs;
use std::time::Duration;

use crate::place::Place;
use windlass_hands::check::{Ended, Environment, Limits, Outcome, Stop, Verdict, Watch, Why};
use windlass_testkit::wait;

/// The output on standard output, of a check that wrote little.
fn stdout(outcome: &Outcome) -> String {
    outcome.output.as_ref().unwrap().stdout.ends(4096).first
}

#[test]
fn a_command_that_ends_with_0_passes() {
    let outcome = Place::new().run("echo out; echo err >&2");
    assert_eq!((outcome.verdict, outcome.ended), (Verdict::Passed, Some(Ended::Code(0))));
    let output = outcome.output.unwrap();
    assert_eq!(
        (output.stdout.ends(4096).first.as_str(), output.stderr.ends(4096).first.as_str()),
        ("out\n", "err\n")
    );
}

#[test]
fn every_other_code_fails_and_is_told() {
    let place = Place::new();
    for code in 1..=255 {
        let outcome = place.run(&format!("exit {code}"));
        assert_eq!((outcome.verdict, outcome.ended), (Verdict::Failed, Some(Ended::Code(code))));
        assert_eq!(outcome.message, format!("ended with code {code}"));
    }
}

#[test]
fn a_command_that_a_signal_ended_fails_and_says_which() {
    let outcome = Place::new().run("kill -SEGV $$");
    assert_eq!((outcome.verdict, outcome.ended), (Verdict::Failed, Some(Ended::Signal(11))));
    assert_eq!(outcome.message, "ended by signal 11 (SEGV)");
}

#[test]
fn a_command_has_no_input_and_no_options_and_its_own_folder() {
    let place = Place::new();
    let outcome = place.run("cat; echo \"$UNSET\"; false | true; echo $?; pwd");
    let folder = fs::canonicalize(place.folder()).unwrap();
    assert_eq!(stdout(&outcome), format!("\n0\n{}\n", folder.display()));
}

#[test]
fn a_command_gets_the_variables_it_is_given_and_a_mark() {
    let place = Place::new();
    let mut shell = place.shell("env | cut -d= -f1 | grep -v '^_\\|PWD\\|SHLVL' | sort");
    let theirs = [("WINDLASS_KEY", "k"), ("HOTL_OWNER_TOKEN", "t"), ("PATH", "/usr/bin:/bin")];
    shell.environment = Environment::of_caller(theirs).with("WINDLASS_RUN", "r");
    let outcome = place.follow(&shell);
    assert_eq!(stdout(&outcome), "PATH\nWINDLASS_GUARD\nWINDLASS_RUN\n");
}

#[test]
fn a_command_that_hangs_is_ended_when_its_time_is_over() {
    let place = Place::new();
    let mut shell = place.shell("trap '' TERM; echo begun; while :; do sleep 600; done");
    shell.timeout = Duration::from_millis(300);
    let outcome = place.follow(&shell);
    assert_eq!(outcome.verdict, Verdict::Failed);
    assert_eq!(outcome.message, "timed out after 300ms");
    assert_eq!(outcome.ended, Some(Ended::Signal(9)));
    assert_eq!(stdout(&outcome), "begun\n");
}

#[test]
fn a_command_that_listens_may_tidy_up() {
    let place = Place::new();
    let mut shell = place.shell("trap 'echo tidy; exit 3' TERM; echo begun; sleep 600 & wait");
    shell.timeout = Duration::from_millis(500);
    let outcome = place.follow(&shell);
    assert_eq!(outcome.message, "timed out after 500ms");
    assert_eq!(stdout(&outcome), "begun\ntidy\n");
}

#[test]
fn what_a_command_leaves_in_the_background_does_not_hold_it_up() {
    let place = Place::new();
    let outcome =
        place.run("sleep 600 & setsid sleep 600 & (setsid sh -c 'sleep 600' &) ; echo done");
    assert_eq!((outcome.verdict, stdout(&outcome).as_str()), (Verdict::Passed, "done\n"));
}

#[test]
fn a_flood_is_counted_and_hashed_and_kept_in_part() {
    let place = Place::new();
    let outcome = place.run("head -c 1073741824 /dev/zero; echo end");
    assert_eq!(outcome.verdict, Verdict::Passed);
    let output = outcome.output.unwrap();
    assert_eq!(output.stdout.size_bytes, (1 << 30) + 4);
    assert!(output.stdout.tail.ends_with(b"\0end\n"));
    let kept = Limits::default();
    assert_eq!(output.stdout.head.len(), kept.head_bytes);
    assert_eq!(output.stdout.tail.len(), kept.tail_bytes);
    assert_eq!(fs::metadata(&output.log.path).unwrap().len(), kept.log_bytes);
    assert_eq!(outcome.notes, ["the log holds the first 67108864 of 1073741828 bytes"]);
    // What `sha256sum` says of the same bytes.
    let digest = "37e2ebc94e8c945160c0089321e17acead3e13ef2a89752832f7f39b52ca836e";
    assert_eq!(output.stdout.sha256, digest);
}

#[test]
fn a_flood_without_an_end_is_ended_when_its_time_is_over() {
    let place = Place::new();
    let mut shell = place.shell("yes");
    shell.timeout = Duration::from_millis(300);
    let outcome = place.follow(&shell);
    assert_eq!(
        (outcome.verdict, outcome.message.as_str()),
        (Verdict::Failed, "timed out after 300ms")
    );
}

#[test]
fn a_command_that_kills_its_parent_fails_and_all_of_it_is_ended() {
    let place = Place::new();
    let outcome = place.run("setsid sleep 600 & sleep 600 & kill -9 $PPID; sleep 600");
    assert_eq!((outcome.verdict, outcome.ended), (Verdict::Failed, None));
    assert_eq!(outcome.message, "it killed the process that guards it");
    assert_eq!(place.left(), 0);
}

#[test]
fn a_command_that_stops_its_parent_is_ended_all_the_same() {
    let place = Place::new();
    let mut shell = place.shell("kill -STOP $PPID; exec sleep 600");
    shell.timeout = Duration::from_millis(300);
    let outcome = place.follow(&shell);
    assert_eq!(
        (outcome.verdict, outcome.message.as_str()),
        (Verdict::Failed, "timed out after 300ms")
    );
    assert_eq!(place.left(), 0);
}

#[test]
fn a_command_that_signals_its_group_means_itself() {
    let outcome = Place::new().run("kill -TERM 0; sleep 600");
    assert_eq!((outcome.verdict, outcome.ended), (Verdict::Failed, Some(Ended::Signal(15))));
}

#[test]
fn a_command_may_change_its_folder_and_remove_it() {
    let place = Place::new();
    let outcome = place.run("mkdir inner && cd inner && rmdir ../inner && cd / && pwd");
    assert_eq!((outcome.verdict, stdout(&outcome).as_str()), (Verdict::Passed, "/\n"));
}

#[test]
fn a_command_may_close_its_output_and_go_on() {
    let outcome = Place::new().run("exec >&- 2>&-; test ! -t 1 && exit 7");
    assert_eq!(outcome.ended, Some(Ended::Code(7)));
}

#[test]
fn bytes_that_are_no_text_stay_as_they_are_in_the_log() {
    let outcome = Place::new().run(r"printf 'a\377\300b'");
    let output = outcome.output.unwrap();
    assert_eq!(output.stdout.ends(4096).first, "a\u{fffd}\u{fffd}b");
    assert_eq!(output.stdout.head, b"a\xff\xc0b");
}

#[test]
fn the_log_holds_all_that_was_written() {
    let outcome = Place::new().run("echo out; echo err >&2");
    let log = outcome.output.unwrap().log;
    // Both came before the first was read, or one after the other.
    assert_eq!(log.stored_bytes, 8);
}

#[test]
fn a_folder_that_is_gone_is_told() {
    let place = Place::new();
    let mut shell = place.shell("true");
    shell.folder = place.folder().join("gone");
    let outcome = place.follow(&shell);
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::NotRun));
    let folder = shell.folder.display();
    assert_eq!(outcome.message, format!("the check was not run: the folder {folder} is not there"));
}

#[test]
fn a_log_that_cannot_be_made_is_told() {
    let place = Place::new();
    let mut shell = place.shell("touch ran");
    shell.log = place.folder().join("no/log");
    let outcome = place.follow(&shell);
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::NotRun));
    assert!(!place.folder().join("ran").exists());
}

#[test]
fn a_guard_that_is_not_there_is_told() {
    let place = Place::with_guard("/no/such/guard");
    assert_eq!(place.run("true").verdict, Verdict::Undecided(Why::NotRun));
}

#[test]
fn a_guard_that_is_no_guard_is_told() {
    let outcome = Place::with_guard("/bin/false").run("true");
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::NotRun));
    assert_eq!(outcome.message, "the check was not run: its guard did not start");
}

#[test]
fn whoever_waits_hears_a_beat_and_can_stop_it() {
    let place = Place::new();
    let stop = Stop::new().unwrap();
    let mut beats = 0;
    let mut beat = |_: &str| {
        beats += 1;
        if beats == 2 {
            stop.stop();
        }
        Duration::MAX
    };
    let shell = place.shell("sleep 600");
    let outcome = shell.run(place.guard(), Watch { beat: &mut beat, stop: &stop });
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::Stopped));
    assert!(beats >= 2);
}

#[test]
fn whoever_waits_hears_the_newest_line() {
    let place = Place::new();
    let stop = Stop::new().unwrap();
    let mut heard = String::new();
    let mut beat = |line: &str| {
        line.clone_into(&mut heard);
        if line == "two" {
            stop.stop();
        }
        Duration::MAX
    };
    let shell = place.shell("echo one; echo two >&2; sleep 600");
    let outcome = shell.run(place.guard(), Watch { beat: &mut beat, stop: &stop });
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::Stopped));
    assert_eq!(heard, "two");
}

#[test]
fn another_thread_can_stop_it_at_once() {
    let place = Place::new();
    let stop = Stop::new().unwrap();
    let (begun, button) = (place.folder().join("begun"), stop.clone());
    let shell = place.shell("touch begun; sleep 600");
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait::until("it has begun", || begun.exists());
            button.stop();
        });
        shell.run(place.guard(), Watch { beat: &mut |_| Duration::MAX, stop: &stop })
    });
    assert_eq!(outcome.verdict, Verdict::Undecided(Why::Stopped));
}
