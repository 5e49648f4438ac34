//! `kill -9` of a server at its write points, while sixteen clients write.
//!
//! A point is a system call of the server: a write to the ledger, a wait for the disk, a message to
//! PostgreSQL, an answer. The clients write until the server is gone, so every point is reached.

use std::collections::BTreeSet;
use std::thread;

use serde_json::Value;
use windlass_testkit::Served;
use windlass_testkit::http::Response;
use windlass_testkit::postgres::shared;
use windlass_testkit::trace::Trace;
use windlass_tests::ledgers::{Ledger, text};

use crate::{Client, Command, add, is_whole, log, serve};

const CLIENTS: usize = 16;

/// What a client did before the server was gone.
struct Told {
    /// The tasks that it was told of.
    tasks: Vec<String>,
    /// The command whose answer it missed.
    missed: Command,
}

/// Adds tasks, each under an op id, until the server is gone.
fn write_until_gone(client: &Client, name: usize) -> Told {
    let mut tasks = Vec::new();
    loop {
        let title = format!("client {name:02} task {:03}", tasks.len());
        let command = add(&title).op_id(title);
        match client.does(&command) {
            Ok(answer) => tasks.push(text(&answer.ok().json()["task_id"])),
            Err(_) => return Told { tasks, missed: command },
        }
    }
}

/// Kills a server on a fresh ledger at that point.
#[track_caller]
fn kill_at(ledger: &Ledger, trace: &Trace, name: &str, nth: usize) -> Vec<Told> {
    let watched = trace.killed_at(name, nth);
    let served = Served::from_run(&ledger.home, &watched.run);
    let client = Client { address: served.address(), token: served.token() };
    let told = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let client = &client;
                scope.spawn(move || write_until_gone(client, number))
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(watched.was_killed_at(name, nth), "never hit: {name} {nth}\n{}", served.log());
    told
}

/// Everything that was answered is in the log, and the log is whole.
#[track_caller]
fn keeps_its_word(ledger: &Ledger, told: &[Told]) {
    let log = log(ledger);
    let created = |task: &String| {
        log.iter().any(|event| event.kind == "task_created" && event.stream == *task)
    };
    let lost: Vec<&String> =
        told.iter().flat_map(|told| &told.tasks).filter(|task| !created(task)).collect();
    assert_eq!(lost, [""; 0], "answered and lost");
    is_whole(ledger);
}

/// Kills a server at each of these calls, and has every missed command done again by another. Some
/// of them must turn out to have been done, and some not.
#[track_caller]
fn kill_at_each(
    fresh: impl Fn() -> Ledger,
    trace: impl Fn(&Ledger) -> Trace,
    points: &[(&str, usize)],
) {
    let (mut done, mut not_done) = (0, 0);
    for (name, nth) in points {
        let ledger = fresh();
        let _made = ledger.answer(&["project", "create", "queue"]);
        let told = kill_at(&ledger, &trace(&ledger), name, *nth);
        keeps_its_word(&ledger, &told);
        let served = Served::from_run(&ledger.home, &serve(&ledger));
        let client = Client { address: served.address(), token: served.token() };
        for told in &told {
            match client.does(&told.missed).map(repeated).unwrap() {
                true => done += 1,
                false => not_done += 1,
            }
        }
        has_each_task_once(&ledger, &told);
    }
    assert!(done > 0 && not_done > 0, "{done} were done, {not_done} were not");
}

/// Whether a command had been done before.
fn repeated(answer: Response) -> bool {
    match answer.ok().json()["replayed"] {
        Value::Bool(replayed) => replayed,
        ref other => panic!("{other} does not say whether it was done before"),
    }
}

#[track_caller]
fn has_each_task_once(ledger: &Ledger, told: &[Told]) {
    let asked: usize = told.iter().map(|told| told.tasks.len() + 1).sum();
    let log = log(ledger);
    let created = log.iter().filter(|event| event.kind == "task_created");
    let titles: Vec<&str> = created.filter_map(|event| event.data["title"].as_str()).collect();
    let different: BTreeSet<&str> = titles.iter().copied().collect();
    assert_eq!((titles.len(), different.len()), (asked, asked), "each task once");
    is_whole(ledger);
}

/// As in life: unlike [`Ledger::windlass`], it waits for the disk.
fn durable(ledger: &Ledger) -> Trace {
    let run = ledger.home.windlass(&["serve", "--listen", "127.0.0.1:0"]);
    Trace::of(run.db(&ledger.address))
}

/// Calls on a file of a ledger on SQLite.
#[track_caller]
fn kill_at_calls_on(file: &str, points: &[(&str, usize)]) {
    let trace = |ledger: &Ledger| durable(ledger).only_on(format!("{}{file}", ledger.address));
    kill_at_each(Ledger::on_sqlite, trace, points);
}

/// The first commit takes some forty, the second is shared.
#[test]
fn a_server_killed_while_it_writes_the_log_of_sqlite_keeps_its_word() {
    let points: Vec<_> = (1..=12).map(|number| ("pwrite64", number * 11)).collect();
    kill_at_calls_on("-wal", &points);
}

#[test]
fn a_server_killed_while_it_waits_for_the_disk_keeps_its_word() {
    kill_at_calls_on("-wal", &[("fsync", 1), ("fsync", 2), ("fsync", 3), ("fsync", 4)]);
}

#[test]
fn a_server_killed_while_it_moves_the_log_into_the_file_keeps_its_word() {
    kill_at_calls_on("", &[("pwrite64", 1), ("pwrite64", 2), ("pwrite64", 20), ("fsync", 1)]);
}

#[test]
fn a_server_killed_when_it_begins_to_write_keeps_its_word() {
    kill_at_calls_on(".lock", &[("ftruncate", 1), ("ftruncate", 2), ("write", 3)]);
}

#[test]
fn a_server_killed_before_an_answer_keeps_its_word() {
    let points: Vec<_> = [1, 2, 5, 9].map(|nth| ("writev", nth)).to_vec();
    kill_at_each(Ledger::on_sqlite, durable, &points);
}

#[test]
fn a_server_killed_at_what_it_sends_to_postgresql_and_back_keeps_its_word() {
    if shared().is_none() {
        return;
    }
    let mut points: Vec<_> = (2..=12).map(|number| ("sendto", number * 13)).collect();
    points.extend([("writev", 1), ("writev", 4)]);
    kill_at_each(|| Ledger::on_postgres().unwrap(), durable, &points);
}
