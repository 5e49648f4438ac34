//! Processes killed with `kill -9`: at every one of their write points, and at random moments.
//!
//! A write point is a system call by which a command changes what outlives it. The points of a
//! command are found by watching it once; then it is killed at each of them in turn, and a point
//! that was never reached fails the test.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what goes wrong in a helper of a test ends the test"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use windlass_testkit::postgres::{Database, shared};
use windlass_testkit::trace::{Call, Frozen, Hit, Injected, Trace, WRITE_POINTS};
use windlass_testkit::{Home, Run, home, wait};
use windlass_tests::history::{self, Event, Wrong};
use windlass_tests::ledgers::{Ledger, text};
use windlass_tests::random::Random;

/// A command on a prepared ledger.
#[derive(Clone, Copy)]
struct Command {
    words: fn(&Prepared) -> Vec<&str>,
    /// What it comes to once it has taken effect already.
    again: Again,
}

#[derive(Clone, Copy)]
enum Again {
    Succeeds,
    IsRefused(&'static str),
    /// Answers as it did, and does nothing.
    Replays,
}

const ADD: Command = Command {
    words: |prepared| {
        let depends_on = &prepared.ready;
        let mut words = vec!["task", "add", "one more", "-P", "queue", "-s", "ready"];
        words.extend(["-t", "red,blue", "--comment", "why", "--depends-on", depends_on]);
        words
    },
    again: Again::Succeeds,
};

const CLAIM: Command = Command {
    words: |_| "task claim --next -P queue --agent w2 --lease 30m".split(' ').collect(),
    again: Again::Succeeds,
};

const COMPLETE: Command = Command {
    words: |prepared| vec!["task", "complete", &prepared.held, "--fence", "1", "--comment", "done"],
    again: Again::IsRefused("stale_claim"),
};

const BLOCK: Command = Command {
    words: |prepared| vec!["task", "block", &prepared.held, "--agent", "w1", "--comment", "stuck"],
    again: Again::Succeeds,
};

const ARCHIVE: Command = Command {
    words: |prepared| vec!["task", "archive", &prepared.parent, "--cascade"],
    again: Again::IsRefused("invalid_transition"),
};

const HANDOFF: Command = Command {
    words: |prepared| {
        let mut words = vec!["workflow", "run", "handoff", "--from", &prepared.held];
        words.extend("--title next -P queue --author w1 --op-id k".split(' '));
        words
    },
    again: Again::Replays,
};

const HANDOFF_BY_REQUEST: Command = Command {
    words: |prepared| {
        let mut words = vec!["workflow", "run", "handoff", "--from", &prepared.held];
        words.extend("--title next -P queue --author w1 --auto-op-id".split(' '));
        words
    },
    again: Again::Replays,
};

const DELEGATE: Command = Command {
    words: |prepared| {
        let mut words = vec!["workflow", "run", "delegate", "--from", &prepared.held];
        words.extend(
            "--title part --pause-parent --checkpoint why --author w1 --op-id k".split(' '),
        );
        words
    },
    again: Again::Replays,
};

const DELEGATE_BY_REQUEST: Command = Command {
    words: |prepared| {
        let mut words = vec!["workflow", "run", "delegate", "--from", &prepared.held];
        words.extend("--title part --pause-parent --author w1 --auto-op-id".split(' '));
        words
    },
    again: Again::Replays,
};

const START: Command = Command {
    words: |_| "workflow run start --agent w2 --lease 30m --op-id k".split(' ').collect(),
    again: Again::Replays,
};

const REBUILD: Command = Command { words: |_| vec!["doctor", "--rebuild"], again: Again::Succeeds };

const IMPORT: Command = Command {
    words: |prepared| vec!["import", "ledger", &prepared.continuation],
    again: Again::Succeeds,
};

#[test]
fn task_add_killed_at_any_write_point_happens_whole_or_not_at_all() {
    Start::prepared().kill_everywhere(ADD);
}

#[test]
fn task_claim_killed_at_any_write_point_happens_whole_or_not_at_all() {
    Start::prepared().kill_everywhere(CLAIM);
}

#[test]
fn task_complete_killed_at_any_write_point_happens_whole_or_not_at_all() {
    Start::prepared().kill_everywhere(COMPLETE);
}

#[test]
fn a_transition_killed_at_any_write_point_is_there_with_its_hook_or_neither_is_row_c9() {
    Start::with_hook().kill_everywhere(COMPLETE);
}

#[test]
fn task_block_killed_at_any_write_point_happens_whole_or_not_at_all() {
    Start::prepared().kill_everywhere(BLOCK);
}

#[test]
fn task_archive_killed_at_any_write_point_happens_whole_or_not_at_all() {
    Start::prepared().kill_everywhere(ARCHIVE);
}

#[test]
fn a_handoff_killed_at_any_write_point_has_one_effect_after_a_retry_rows_h7_i7() {
    Start::prepared().kill_everywhere(HANDOFF);
}

#[test]
fn a_handoff_known_by_its_request_has_one_effect_wherever_it_is_killed_rows_i7_i13() {
    Start::prepared().kill_everywhere(HANDOFF_BY_REQUEST);
}

#[test]
fn a_delegation_killed_at_any_write_point_has_one_effect_after_a_retry_rows_d11_i7() {
    Start::prepared().kill_everywhere(DELEGATE);
}

#[test]
fn a_delegation_known_by_its_request_has_one_effect_wherever_it_is_killed_rows_i7_i13() {
    Start::prepared().kill_everywhere(DELEGATE_BY_REQUEST);
}

#[test]
fn a_start_killed_at_any_write_point_has_one_effect_after_a_retry_rows_s5_i7() {
    Start::prepared().kill_everywhere(START);
}

#[test]
fn import_killed_at_any_write_point_happens_whole_or_not_at_all() {
    Start::prepared().kill_everywhere(IMPORT);
}

#[test]
fn doctor_killed_at_any_write_point_of_a_rebuild_leaves_the_views_whole() {
    Start::prepared().kill_everywhere(REBUILD);
}

#[test]
fn the_first_command_of_all_killed_at_any_write_point_leaves_nothing_that_hinders_the_next() {
    let points = Start::nothing().kill_everywhere(Command {
        words: |_| vec!["task", "add", "the first"],
        again: Again::Succeeds,
    });
    assert!(points.iter().any(|point| point.name == "mkdir"));
    assert!(points.iter().any(|point| point.name == "unlink"));
}

#[test]
fn a_commit_that_moves_the_wal_into_the_file_may_be_killed_at_any_write_point() {
    let start = Start::before_checkpoint();
    let points = start.kill_everywhere(ADD);
    assert!(points.iter().any(|point| is_write_to(point, "/ledger.db")));
}

#[test]
fn a_commit_that_begins_the_wal_anew_may_be_killed_at_any_write_point() {
    let start = Start::before_checkpoint();
    let _moved = start.ledger.answer(&(ADD.words)(&start.prepared));
    let points = start.kill_everywhere(ADD);
    // The header of a WAL has 32 bytes at its beginning.
    let is_header = |point: &Call| is_write_to(point, "-wal") && point.args.ends_with(", 32, 0");
    assert!(points.iter().any(is_header));
}

fn is_write_to(point: &Call, file: &str) -> bool {
    point.name == "pwrite64" && point.path_or_fd.ends_with(file)
}

#[test]
fn task_add_killed_at_anything_it_sends_to_postgresql_happens_whole_or_not_at_all() {
    kill_at_everything_sent(ADD);
}

#[test]
fn task_claim_killed_at_anything_it_sends_to_postgresql_happens_whole_or_not_at_all() {
    kill_at_everything_sent(CLAIM);
}

#[test]
fn task_complete_killed_at_anything_it_sends_to_postgresql_happens_whole_or_not_at_all() {
    kill_at_everything_sent(COMPLETE);
}

#[test]
fn a_transition_killed_at_anything_it_sends_is_there_with_its_hook_or_neither_is_row_c9() {
    kill_at_everything_sent_by(COMPLETE, Prepared::with_hook);
}

#[test]
fn task_block_killed_at_anything_it_sends_to_postgresql_happens_whole_or_not_at_all() {
    kill_at_everything_sent(BLOCK);
}

#[test]
fn task_archive_killed_at_anything_it_sends_to_postgresql_happens_whole_or_not_at_all() {
    kill_at_everything_sent(ARCHIVE);
}

#[test]
fn a_handoff_killed_at_anything_it_sends_to_postgresql_has_one_effect_rows_h7_i7() {
    kill_at_everything_sent(HANDOFF);
}

#[test]
fn a_delegation_killed_at_anything_it_sends_to_postgresql_has_one_effect_rows_d11_i7() {
    kill_at_everything_sent(DELEGATE);
}

#[test]
fn a_handoff_known_by_its_request_has_one_effect_on_postgresql_too_rows_i7_i13() {
    kill_at_everything_sent(HANDOFF_BY_REQUEST);
}

#[test]
fn a_delegation_known_by_its_request_has_one_effect_on_postgresql_too_rows_i7_i13() {
    kill_at_everything_sent(DELEGATE_BY_REQUEST);
}

#[test]
fn a_start_killed_at_anything_it_sends_to_postgresql_has_one_effect_rows_s5_i7() {
    kill_at_everything_sent(START);
}

#[test]
fn import_killed_at_anything_it_sends_to_postgresql_happens_whole_or_not_at_all() {
    kill_at_everything_sent(IMPORT);
}

#[test]
fn doctor_killed_at_anything_it_sends_to_postgresql_leaves_the_views_whole() {
    kill_at_everything_sent(REBUILD);
}

#[test]
fn db_migrate_killed_at_anything_it_sends_to_postgresql_leaves_nothing_that_hinders_the_next() {
    let Some(server) = shared() else {
        return;
    };
    let home = Home::new();
    let on = |database: &Database, args: &[&str]| home.windlass(args).db(&database.url);
    let migrate =
        |database: &Database| Trace::of(on(database, &["db", "migrate"])).calls(&["sendto"]);
    let empty = server.empty_database();
    let recording = migrate(&empty).record();
    let _migrated = recording.outcome.ok();
    assert_ne!(recording.calls, []);
    for point in recording.calls {
        let database = server.empty_database();
        let injected = migrate(&database).kill_at(&point.name, point.nth);
        assert_eq!(injected.hit, Hit::Killed, "never hit: {point:?}");
        let _migrated = on(&database, &["db", "migrate"]).run().ok();
        let _used = on(&database, &["task", "add", "the first"]).run().ok();
        let _examined = on(&database, &["doctor", "--rebuild"]).run().ok();
    }
}

/// What a prepared ledger holds.
#[derive(Clone, Default)]
struct Prepared {
    /// Can be claimed, and is not the only one.
    ready: String,
    /// Held by `w1` under fence 1.
    held: String,
    /// Has two open subtasks.
    parent: String,
    /// A file with the history of this ledger and more.
    continuation: String,
}

impl Prepared {
    fn of(ledger: &Ledger) -> Self {
        let _project = ledger.answer(&["project", "create", "queue"]);
        let in_queue = ["-P", "queue", "-s", "ready", "-t", "red"];
        let [held, ready, _, parent] = [(); 4].map(|()| ledger.add(&in_queue));
        let _won = ledger.answer(&["task", "claim", &held, "--agent", "w1", "--lease", "1h"]);
        for _ in 0..2 {
            ledger.add(&["--parent", &parent]);
        }
        let continuation = continue_elsewhere(ledger, &held);
        Self { ready, held, parent, continuation }
    }

    /// With somebody who wants to hear of what is done.
    fn with_hook(ledger: &Ledger) -> Self {
        let _set = ledger.answer(&["hook", "set", "on_done", "--command", "true"]);
        Self::of(ledger)
    }
}

/// How many hooks wait in the outbox. Asked of the database itself: what examines a ledger puts
/// missing rows back.
fn outbox(ledger: &Ledger) -> i64 {
    let count = "SELECT count(*) FROM outbox";
    if let Some(database) = ledger.database() {
        return database.connect().query_one(count, &[]).unwrap().get(0);
    }
    let raw = Connection::open(&ledger.address).unwrap();
    raw.query_row(count, [], |row| row.get(0)).unwrap()
}

/// The history of the ledger as somebody else went on with it, as a file.
fn continue_elsewhere(ledger: &Ledger, held: &str) -> String {
    let folder = ledger.home.path().join("elsewhere");
    fs::create_dir(&folder).unwrap();
    let file = |name: &str| folder.join(name).display().to_string();
    let (so_far, other, continuation) = (file("so-far"), file("other.db"), file("continuation"));
    let _written = ledger.answer(&["export", &so_far]);
    let there = |args: &[&str]| ledger.windlass(args).db(&other).run().ok();
    let _read = there(&["import", "ledger", &so_far]);
    let _more = there(&["task", "complete", held, "--fence", "1", "--comment", "done"]);
    let _more = there(&["task", "add", "another", "-P", "queue", "-s", "ready", "-t", "red"]);
    let _written = there(&["export", &continuation]);
    continuation
}

/// The state of a ledger file from which a command is begun again and again.
struct Start {
    ledger: Ledger,
    prepared: Prepared,
}

impl Start {
    fn nothing() -> Self {
        Self { ledger: Ledger::on_sqlite(), prepared: Prepared::default() }
    }

    fn prepared() -> Self {
        Self::prepared_by(Prepared::of)
    }

    fn with_hook() -> Self {
        Self::prepared_by(Prepared::with_hook)
    }

    fn prepared_by(prepare: fn(&Ledger) -> Prepared) -> Self {
        let ledger = Ledger::on_sqlite();
        let prepared = prepare(&ledger);
        Self { ledger, prepared }
    }

    /// One commit before that which moves the WAL into the file.
    fn before_checkpoint() -> Self {
        let start = Self::prepared();
        for _ in 0..100 {
            let copy = start.copy();
            let recording = trace(&copy, &(ADD.words)(&start.prepared)).record();
            let moves = recording.calls.iter().any(|call| is_write_to(call, "/ledger.db"));
            if moves {
                return start;
            }
            let _one_more = start.ledger.answer(&(ADD.words)(&start.prepared));
        }
        unreachable!("a hundred commits have not filled the WAL");
    }

    fn copy(&self) -> Ledger {
        let copy = Ledger::on_sqlite();
        let (from, to) = (Path::new(&self.ledger.address), Path::new(&copy.address));
        let (from, to) = (from.parent().unwrap(), to.parent().unwrap());
        if from.exists() {
            fs::create_dir(to).unwrap();
            for file in fs::read_dir(from).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        }
        copy
    }

    /// Kills the command at each of its write points, every time from this same state.
    #[track_caller]
    fn kill_everywhere(&self, command: Command) -> Vec<Call> {
        let words = (command.words)(&self.prepared);
        let recorded = self.copy();
        let recording = trace(&recorded, &words).record();
        let _answered = recording.outcome.ok();
        let points: Vec<Call> = recording.calls.into_iter().filter(is_write_point).collect();
        assert!(points.iter().any(|point| point.name == "fdatasync"));
        // The calls of a thread are counted by themselves, so one thread makes the count exact.
        assert!(points.iter().all(|point| point.thread == points[0].thread));
        let counts = Counts {
            before: self.ledger.events(),
            after: recorded.events(),
            enqueued: outbox(&recorded),
        };
        let mut has_happened = false;
        for point in &points {
            let ledger = self.copy();
            let injected = trace(&ledger, &words).kill_at(&point.name, point.nth);
            let happened = counts.examine(&ledger, &["doctor", "--rebuild"], point, injected);
            assert!(happened || !has_happened, "undone by going on to {point:?}");
            has_happened = happened;
            counts.repeat(&ledger, &words, command.again, happened);
        }
        assert!(has_happened, "the last write point is the answer");
        points
    }
}

/// As in life: unlike [`Ledger::windlass`], it waits for the disk.
fn windlass(ledger: &Ledger, args: &[&str]) -> Run {
    ledger.home.windlass(args).db(&ledger.address)
}

/// Watches what makes a file, too; most that is opened is only read.
fn trace(ledger: &Ledger, words: &[&str]) -> Trace {
    let calls = [&WRITE_POINTS[..], &["openat", "mkdir"]].concat();
    Trace::of(windlass(ledger, words)).calls(&calls)
}

fn is_write_point(call: &Call) -> bool {
    call.name != "openat" || call.args.contains("O_CREAT")
}

fn trace_sent(ledger: &Ledger, words: &[&str]) -> Trace {
    Trace::of(windlass(ledger, words)).calls(&["sendto"])
}

/// Kills the command at each of its messages to the server. What did not happen leaves the state in
/// which the command began, so it is begun there again; the rebuild at the end would find a view
/// that any of them left wrong.
#[track_caller]
fn kill_at_everything_sent(command: Command) {
    kill_at_everything_sent_by(command, Prepared::of);
}

#[track_caller]
fn kill_at_everything_sent_by(command: Command, prepare: fn(&Ledger) -> Prepared) {
    let Some(recorded) = Ledger::on_postgres() else {
        return;
    };
    let prepared = prepare(&recorded);
    let before = recorded.events();
    let recording = trace_sent(&recorded, &(command.words)(&prepared)).record();
    let _answered = recording.outcome.ok();
    let after = recorded.events();
    let counts = Counts { before, after, enqueued: outbox(&recorded) };

    let fresh = || {
        let ledger = Ledger::on_postgres().unwrap();
        let prepared = prepare(&ledger);
        (ledger, prepared)
    };
    let (mut ledger, mut prepared) = fresh();
    let mut has_happened = false;
    for point in recording.calls {
        let words = (command.words)(&prepared);
        let injected = trace_sent(&ledger, &words).kill_at(&point.name, point.nth);
        let happened = counts.examine(&ledger, &["doctor"], &point, injected);
        assert!(happened || !has_happened, "undone by going on to {point:?}");
        has_happened = happened;
        if happened && before != after {
            counts.repeat(&ledger, &words, command.again, happened);
            rebuild(&ledger);
            (ledger, prepared) = fresh();
        }
    }
    rebuild(&ledger);
    assert!(has_happened, "the last message is the good-bye");
}

#[track_caller]
fn rebuild(ledger: &Ledger) {
    let examined = ledger.windlass(&["doctor", "--rebuild"]).run();
    assert_eq!(examined.code, Some(0), "{examined}");
}

/// How many events there are before and after a command.
struct Counts {
    before: u64,
    after: u64,
    /// How many hooks it leaves in the outbox.
    enqueued: i64,
}

impl Counts {
    /// Whether the command happened, once it is known that it was killed at that point and that
    /// the ledger it left is sound.
    #[track_caller]
    fn examine(&self, ledger: &Ledger, doctor: &[&str], point: &Call, injected: Injected) -> bool {
        assert_eq!(injected.hit, Hit::Killed, "never hit: {point:?}");
        assert_eq!(injected.outcome.signal, Some(9), "{}", injected.outcome);
        let enqueued = (self.enqueued > 0).then(|| outbox(ledger));
        let examined = ledger.windlass(doctor).run();
        assert_eq!(examined.code, Some(0), "killed at {point:?}\n{examined}");
        let events = examined.json()["events"].as_u64().unwrap();
        assert!(
            [self.before, self.after].contains(&events),
            "{events} events, killed at {point:?}"
        );
        let happened = events == self.after;
        if let Some(enqueued) = enqueued {
            let expected = if happened { self.enqueued } else { 0 };
            assert_eq!(enqueued, expected, "in the outbox, killed at {point:?}");
        }
        let is_answer = point.name == "write" && point.args.starts_with("1<");
        let was_answered = is_answer || !injected.outcome.stdout.is_empty();
        assert!(happened || !was_answered, "lost after the answer, {point:?}");
        happened
    }

    /// Gives the command again.
    #[track_caller]
    fn repeat(&self, ledger: &Ledger, words: &[&str], again: Again, happened: bool) {
        let outcome = windlass(ledger, words).run();
        match again {
            Again::IsRefused(code) if happened => drop(outcome.refused(code, 3)),
            Again::Succeeds | Again::IsRefused(_) => drop(outcome.ok()),
            Again::Replays => assert_eq!(outcome.ok().json()["replayed"], happened),
        }
        if !happened || matches!(again, Again::Replays) {
            assert_eq!(ledger.events(), self.after);
        }
    }
}

/// So many give the same command as one that is killed.
const OTHERS: usize = 8;
/// At about so many of its points.
const DEATHS: usize = 5;

#[test]
fn when_the_executor_dies_one_of_those_who_wait_executes_on_sqlite_rows_i7_i8() {
    let start = Start::prepared();
    let recorded = start.copy();
    let recording = trace(&recorded, &(HANDOFF.words)(&start.prepared)).record();
    let points: Vec<Call> = recording.calls.into_iter().filter(is_write_point).collect();
    let after = recorded.events();
    let deaths = sampled(&points).map(|point| {
        let ledger = start.copy();
        let words = (HANDOFF.words)(&start.prepared);
        let executor = trace(&ledger, &words).freeze_after(&point.name, point.nth);
        kill_before_others(&ledger, &words, executor, after)
    });
    seen_in(&deaths.collect::<Vec<_>>());
}

#[test]
fn when_the_executor_dies_one_of_those_who_wait_executes_on_postgresql_rows_i7_i8() {
    let Some(recorded) = Ledger::on_postgres() else {
        return;
    };
    let prepared = Prepared::of(&recorded);
    let recording = trace_sent(&recorded, &(HANDOFF.words)(&prepared)).record();
    let after = recorded.events();
    let deaths = sampled(&recording.calls).map(|point| {
        let ledger = Ledger::on_postgres().unwrap();
        let prepared = Prepared::of(&ledger);
        let words = (HANDOFF.words)(&prepared);
        let executor = trace_sent(&ledger, &words).freeze_after(&point.name, point.nth);
        kill_before_others(&ledger, &words, executor, after)
    });
    seen_in(&deaths.collect::<Vec<_>>());
}

/// Some of the points, from the first to the last.
fn sampled(points: &[Call]) -> impl Iterator<Item = &Call> {
    let last = points.len() - 1;
    (0..DEATHS).map(move |number| &points[last * number / (DEATHS - 1)])
}

/// What others did of whom one died in the middle of the same.
#[derive(Debug, PartialEq, Eq)]
struct Others {
    waited: usize,
    executed: usize,
}

/// Lets others give the command while one stands still in it, and kills that one when each of them
/// waits for it or has its answer.
#[track_caller]
fn kill_before_others(ledger: &Ledger, words: &[&str], executor: Frozen, after: u64) -> Others {
    let run = windlass(ledger, words).env("WINDLASS_DATABASE_WAIT", "60s");
    let mut others: Vec<Child> = (0..OTHERS).map(|_| run.spawn()).collect();
    let mut waited = 0;
    wait::until("the others wait or have their answers", || {
        waited = waiters(ledger);
        let ended = others.iter_mut().map(|other| other.try_wait().unwrap());
        waited + ended.flatten().count() == OTHERS
    });
    assert_eq!(executor.kill().signal, Some(9));
    let answers: Vec<Value> =
        others.into_iter().map(|other| run.finish(other).ok().json()).collect();
    let executed = answers.iter().filter(|answer| answer["replayed"] == false).count();
    assert!(executed <= 1, "{executed} executed");
    for answer in &answers {
        assert_eq!(answer["follow_on"]["task_id"], answers[0]["follow_on"]["task_id"]);
    }
    rebuild(ledger);
    assert_eq!(ledger.events(), after, "one effect");
    Others { waited, executed }
}

/// How many processes stand in the queue of writers.
fn waiters(ledger: &Ledger) -> usize {
    let Some(database) = ledger.database() else {
        let lock = fs::metadata(format!("{}.lock", ledger.address)).unwrap();
        let file = format!(":{} ", lock.ino());
        let locks = fs::read_to_string("/proc/locks").unwrap();
        return locks.lines().filter(|line| line.contains("->") && line.contains(&file)).count();
    };
    let waiting = "SELECT count(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let count: i64 = database.connect().query_one(waiting, &[]).unwrap().get(0);
    usize::try_from(count).unwrap()
}

/// The test means nothing unless both were seen: a death in the middle, and one after the commit.
#[track_caller]
fn seen_in(deaths: &[Others]) {
    let in_the_middle = Others { waited: OTHERS, executed: 1 };
    assert!(deaths.contains(&in_the_middle), "{deaths:?}");
    assert!(deaths.iter().any(|others| others.executed == 0), "{deaths:?}");
}

/// Three processes that write as fast as they can: `$1` is where answers go, `$2` the round. Each
/// answer is followed by a dot on standard output.
const WRITERS: &str = r#"
adds() {
    while "$0" task add 'a task' -P queue -s ready >>"$1/added"; do printf .; done
}
works() {
    number=0
    while "$0" task claim --next -P queue --agent "$3" >>"$1/claimed.$3"; do
        task=$(tail -n 1 "$1/claimed.$3" | sed -n 's/^{"task_id":"\([^"]*\)".*/\1/p')
        test -n "$task" || continue
        printf .
        number=$((number + 1))
        "$0" task checkpoint "$task" "$2.$number" --agent "$3" >>"$1/saved.$3" || break
        printf .
    done
}
adds "$@" & works "$@" w1 & works "$@" w2 &
wait"#;

const ROUNDS: u32 = 200;
const ROUNDS_UNTIL_DOCTOR: u32 = 5;
/// A round ends at a random moment after so many answers or fewer.
const MOST_ANSWERS: u64 = 6;
/// About as long as a command takes.
const LONGEST_DELAY_MICROS: u64 = 10_000;

#[test]
fn two_hundred_kills_at_random_moments_lose_nothing_acknowledged_on_sqlite() {
    let random = Random::new();
    eprintln!("WINDLASS_SEED={} repeats this run", random.seed());
    kill_at_random_moments(&Ledger::on_sqlite(), random);
}

#[test]
fn two_hundred_kills_at_random_moments_lose_nothing_acknowledged_on_postgresql() {
    let Some(ledger) = Ledger::on_postgres() else {
        return;
    };
    let random = Random::new();
    eprintln!("WINDLASS_SEED={} repeats this run", random.seed());
    kill_at_random_moments(&ledger, random);
}

fn kill_at_random_moments(ledger: &Ledger, mut random: Random) {
    let _project = ledger.answer(&["project", "create", "queue"]);
    let mut log: Vec<Event> = Vec::new();
    let mut acknowledged = Acknowledged::default();
    for round in 1..=ROUNDS {
        let folder = ledger.home.path().join(format!("round-{round}"));
        fs::create_dir(&folder).unwrap();
        write_until_killed(ledger, &folder, round, &mut random);

        let from = log.len().to_string();
        log.extend(events(ledger, &["--from", &from]));
        let new = Acknowledged::read(&folder);
        assert_eq!(new.missing_in(&log), [""; 0], "round {round}");
        acknowledged.extend(new);
        if round % ROUNDS_UNTIL_DOCTOR == 0 {
            let examined = ledger.windlass(&["doctor"]).run();
            assert_eq!(examined.code, Some(0), "round {round}\n{examined}");
        }
    }
    rebuild(ledger);
    assert_eq!(events(ledger, &[]), log, "what was read once stays");
    assert_eq!(acknowledged.missing_in(&log), [""; 0]);
    assert_eq!(history::wrong_in_log(&log), []);
    // Who was killed in between has won without having been told; nothing else may be wrong.
    let mut wrong = history::wrong_in_answers(&log, &acknowledged.claimed);
    wrong.retain(|one| !matches!(one, Wrong::EventWithoutAnswer(_)));
    assert_eq!(wrong, []);
    let count = acknowledged.count();
    assert!(count > 2 * ROUNDS as usize, "only {count} writes in all rounds");
}

/// Starts the writers, kills all their processes at a random moment, waits until they are gone.
fn write_until_killed(ledger: &Ledger, folder: &Path, round: u32, random: &mut Random) {
    let run = ledger.home.program("/bin/sh").args(["-c", WRITERS]);
    let run = run.args([&home::binary(), folder]).args([round.to_string()]);
    let run = run.db(&ledger.address);
    let mut writers = run.command().process_group(0).spawn().unwrap();
    let mut dots = vec![0; usize::try_from(random.below(MOST_ANSWERS + 1)).unwrap()];
    writers.stdout.as_mut().unwrap().read_exact(&mut dots).unwrap();
    thread::sleep(Duration::from_micros(random.below(LONGEST_DELAY_MICROS)));
    kill_process_group(Pid::from_child(&writers), Signal::KILL).unwrap();
    // The pipes end only when the last process that has them is gone.
    let outcome = run.finish(writers);
    assert_eq!(outcome.signal, Some(9), "{outcome}");
    assert_eq!(outcome.stderr, "", "{outcome}");
}

fn events(ledger: &Ledger, args: &[&str]) -> Vec<Event> {
    let outcome = ledger.windlass(&[&["events"], args].concat()).run().ok();
    history::events(&outcome.stdout).unwrap()
}

/// The answers that the writers got.
#[derive(Default)]
struct Acknowledged {
    added: Vec<String>,
    claimed: Vec<history::Answer>,
    /// Task and name of each checkpoint.
    saved: Vec<(String, String)>,
}

impl Acknowledged {
    fn read(folder: &Path) -> Self {
        let added = answers(&folder.join("added"));
        let saved = ["w1", "w2"].map(|agent| answers(&folder.join(format!("saved.{agent}"))));
        let claimed =
            ["w1", "w2"].map(|agent| whole_lines(&folder.join(format!("claimed.{agent}"))));
        let task = |answer: &Value| text(&answer["task_id"]);
        Self {
            added: added.iter().map(task).collect(),
            claimed: history::answers(&claimed.concat()).unwrap(),
            saved: saved
                .iter()
                .flatten()
                .map(|answer| (task(answer), text(&answer["name"])))
                .collect(),
        }
    }

    fn extend(&mut self, more: Self) {
        self.added.extend(more.added);
        self.claimed.extend(more.claimed);
        self.saved.extend(more.saved);
    }

    fn count(&self) -> usize {
        self.added.len() + self.claimed.len() + self.saved.len()
    }

    /// The acknowledged writes that the log does not tell of.
    fn missing_in(&self, log: &[Event]) -> Vec<String> {
        let of_kind = |kind: &'static str| log.iter().filter(move |event| event.kind == kind);
        let created: BTreeSet<&str> = of_kind("task_created").map(|event| &*event.stream).collect();
        let saved: BTreeSet<(&str, &str)> = of_kind("checkpoint_recorded")
            .filter_map(|event| Some((&*event.stream, event.data["name"].as_str()?)))
            .collect();
        let claims = history::wrong_in_answers(log, &self.claimed).into_iter();
        let unclaimed = claims.filter(|wrong| matches!(wrong, Wrong::AnswerWithoutEvent(_)));
        let uncreated = self.added.iter().filter(|task| !created.contains(&***task));
        let unsaved = self.saved.iter().filter(|(task, name)| !saved.contains(&(task, name)));
        uncreated
            .map(|task| format!("task {task}"))
            .chain(unclaimed.map(|wrong| format!("{wrong:?}")))
            .chain(unsaved.map(|saved| format!("checkpoint {saved:?}")))
            .collect()
    }
}

fn answers(file: &Path) -> Vec<Value> {
    let answers = whole_lines(file);
    let read = |line| serde_json::from_str(line).unwrap();
    answers.lines().map(read).collect()
}

/// An answer that was cut short by the kill was not given.
fn whole_lines(file: &Path) -> String {
    let mut text = fs::read_to_string(file).unwrap_or_default();
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    text
}
