//! A disk that is full, or breaks, or may not be written, under a server that runs: each command
//! that waits is told, and the server goes on when the world is in order again.

use serde_json::json;
use windlass_testkit::http::Response;
use windlass_testkit::trace::Trace;
use windlass_tests::ledgers::Ledger;

use crate::losing::CUT_ALL;
use crate::sharing::race;
use crate::{Command, Desk, add, is_whole, serve};

/// A server whose calls of that name on the log of SQLite fail, from the first to the `last`.
#[track_caller]
fn failing(call: &str, last: usize, errno: &str) -> Desk {
    Desk::of(Ledger::on_sqlite(), |ledger| {
        // As in life: it waits for the disk.
        let serve = serve(ledger).env_remove("WINDLASS_DATABASE_SYNCHRONOUS");
        let trace = Trace::of(serve).calls(&[call]).only_on(format!("{}-wal", ledger.address));
        trace.failing(call, 1, last, errno).run
    })
}

fn tasks(count: usize) -> Vec<Command> {
    (0..count).map(|number| add(format!("task {number:03}")).op_id(number.to_string())).collect()
}

#[track_caller]
fn all_are_told(answers: &[Response], code: &str) {
    for answer in answers {
        let _told = answer.refused(code, 503);
    }
}

/// Does all of them again, each once in the end.
#[track_caller]
fn goes_on(desk: &Desk, commands: &[Command]) {
    let client = desk.client();
    for command in commands {
        let _added = client.does(command).unwrap().ok();
    }
    let titles = commands.iter().map(|command| command.arguments["title"].as_str().unwrap());
    assert_eq!(desk.titles(), titles.collect::<Vec<_>>());
    is_whole(&desk.ledger);
}

#[test]
fn a_full_disk_is_told_to_each_who_waits_and_all_is_done_when_there_is_space() {
    let desk = failing("pwrite64", 2, "ENOSPC");
    let commands = tasks(10);
    all_are_told(&desk.share(&commands, drop), "ledger_full");
    goes_on(&desk, &commands);
}

#[test]
fn a_disk_that_does_not_confirm_a_write_is_told_to_each_who_waits() {
    let desk = failing("fsync", 4, "EIO");
    let commands = tasks(10);
    all_are_told(&desk.share(&commands, drop), "storage_failed");
    goes_on(&desk, &commands);
}

/// Nobody is refused because of something that never happened.
#[test]
fn who_lost_against_a_claim_that_was_not_recorded_is_told_of_the_disk_too() {
    let desk = failing("pwrite64", 2, "ENOSPC");
    let task = desk.ledger.add(&["-P", "queue", "-s", "ready"]);
    let claim = |agent: &str| Command::new("task.claim", json!({"task": task, "agent": agent}));
    let commands = [add("the first"), claim("w1"), claim("w2"), claim("w3")];
    all_are_told(&desk.share(&commands, drop), "ledger_full");
}

/// So much that SQLite writes some of it before the commit.
fn large(number: usize) -> Command {
    let text = "x".repeat(16_000);
    let title = format!("task {number:03}");
    let task = json!({"title": title, "description": text, "project": "queue"});
    Command::new("task.add", task).op_id(title)
}

#[test]
fn a_disk_that_is_full_for_a_moment_in_the_middle_of_a_shared_commit_leaves_no_gap() {
    let desk = failing("pwrite64", 1, "ENOSPC");
    // The first of all writes nothing.
    let nothing = Command::new("task.comment", json!({"task": "ZZZZZZ", "text": "x"}));
    let commands: Vec<Command> = [nothing].into_iter().chain((0..120).map(large)).collect();
    let answers = desk.share(&commands, drop);
    let _refused = answers[0].refused("task_not_found", 404);
    for answer in &answers[1..] {
        if answer.status != 200 {
            let _told = answer.refused("ledger_full", 503);
        }
    }
    goes_on(&desk, &commands[1..]);
}

#[test]
fn a_database_that_may_not_be_written_is_told_to_each_who_tries_until_it_may() {
    let Some(desk) = Desk::on_postgres() else { return };
    let mut admin = desk.ledger.database().unwrap().connect();
    let name: String = admin.query_one("SELECT current_database()", &[]).unwrap().get(0);
    let mut set = |value: &str| {
        let change = format!("ALTER DATABASE {name} SET default_transaction_read_only = {value}");
        admin.batch_execute(&change).unwrap();
        admin.batch_execute(CUT_ALL).unwrap();
    };
    set("on");
    let commands = tasks(10);
    let told = race(&desk, commands.len(), |number, client| client.does(&commands[number]));
    all_are_told(&told.into_iter().collect::<Result<Vec<_>, _>>().unwrap(), "ledger_read_only");
    set("off");
    goes_on(&desk, &commands);
}
