//! PostgreSQL ends the connection of the writer: between commands, before a commit, in it and after
//! it. Each command is done once, and answered as ever.

use std::thread;

use postgres::Client as Raw;
use serde_json::json;
use windlass_testkit::http::Response;
use windlass_testkit::postgres::{Cluster, Database};
use windlass_testkit::wait;
use windlass_tests::ledgers::Ledger;

use crate::{Command, Desk, add, is_whole};

/// How many attempts the writer makes with all commands of a commit before it does each alone.
const ATTEMPTS: usize = 5;

/// Ends every connection to the database but the one that asks, and waits until they are gone.
pub(crate) const CUT_ALL: &str = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

fn database(desk: &Desk) -> &Database {
    desk.ledger.database().unwrap()
}

/// One that the writer is busy with, and then five tasks, a comment on another, and five tasks
/// again, which share a commit: the comment can be held up in the middle.
fn twelve_with_a_comment_on(task: &str) -> Vec<Command> {
    let adds = |from: usize| (from..from + 5).map(|number| add(format!("task {number:02}")));
    let comment = Command::new("task.comment", json!({"task": task, "text": "held up"}));
    [add("the first")].into_iter().chain(adds(0)).chain([comment]).chain(adds(5)).collect()
}

/// Everybody was answered, and everything is there once.
#[track_caller]
fn all_were_done_once(desk: &Desk, task: &str, answers: Vec<Response>) {
    for answer in answers {
        let _done = answer.ok();
    }
    let mut expected = vec!["a task".to_owned()];
    expected.extend((0..10).map(|number| format!("task {number:02}")));
    expected.push("the first".to_owned());
    assert_eq!(desk.titles(), expected);
    let comments = desk.ledger.answer(&["task", "show", task])["comments"].clone();
    assert_eq!(comments.as_array().unwrap().len(), 1, "{comments}");
    is_whole(&desk.ledger);
}

/// Waits until somebody is kept waiting by that connection, and tells who.
#[track_caller]
fn held_up_by(holder: &mut Raw, look: &mut Raw) -> i32 {
    let holder: i32 = holder.query_one("SELECT pg_backend_pid()", &[]).unwrap().get(0);
    let waiting = "SELECT pid FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))";
    let mut found = None;
    wait::until("the writer is held up", || {
        found = look.query_opt(waiting, &[&holder]).unwrap().map(|row| row.get(0));
        found.is_some()
    });
    found.unwrap()
}

/// Ends a connection and waits until it is gone.
#[track_caller]
fn cut(look: &mut Raw, backend: i32) {
    let gone = look.query_one("SELECT pg_terminate_backend($1, 60000)", &[&backend]).unwrap();
    assert!(gone.get::<_, bool>(0));
}

/// A connection that holds what `lock` takes until it is dropped.
#[track_caller]
fn holding(database: &Database, lock: &str) -> Raw {
    let mut holder = database.connect();
    holder.batch_execute(&format!("BEGIN; {lock}")).unwrap();
    holder
}

#[test]
fn a_server_whose_connections_were_all_cut_between_two_commands_goes_on() {
    let Some(desk) = Desk::on_postgres() else { return };
    let client = desk.client();
    let _before = client.does(&add("before")).unwrap().ok();
    database(&desk).connect().batch_execute(CUT_ALL).unwrap();
    let _after = client.does(&add("after")).unwrap().ok();
    assert_eq!(desk.titles(), ["after", "before"]);
}

#[test]
fn a_follower_misses_nothing_when_all_connections_are_cut() {
    let Some(desk) = Desk::on_postgres() else { return };
    let stream = desk.served.follow("?kind=task_created");
    let client = desk.client();
    for title in ["one", "two", "three"] {
        let _added = client.does(&add(title)).unwrap().ok();
        assert_eq!(stream.event().unwrap().json()["data"]["title"], title);
        database(&desk).connect().batch_execute(CUT_ALL).unwrap();
    }
}

/// Lets commands share a commit and cuts the writer off when it is held up in the middle of
/// them, so many times.
#[track_caller]
fn cut_in_the_middle(times: usize) {
    let Some(desk) = Desk::on_postgres() else { return };
    let task = desk.ledger.add(&["-P", "queue"]);
    let mut look = database(&desk).connect();
    let answers = desk.share(&twelve_with_a_comment_on(&task), |hold| {
        let mut holder = holding(database(&desk), "SELECT 1 FROM tasks FOR UPDATE");
        drop(hold);
        for _ in 0..times {
            let writer = held_up_by(&mut holder, &mut look);
            cut(&mut look, writer);
        }
    });
    all_were_done_once(&desk, &task, answers);
}

#[test]
fn a_connection_lost_in_the_middle_of_a_shared_commit_loses_and_doubles_nothing() {
    cut_in_the_middle(1);
}

#[test]
fn commands_that_cannot_be_done_together_are_done_one_by_one() {
    cut_in_the_middle(ATTEMPTS);
}

#[test]
fn a_connection_lost_while_a_shared_commit_waits_to_begin_loses_and_doubles_nothing() {
    let Some(desk) = Desk::on_postgres() else { return };
    let task = desk.ledger.add(&["-P", "queue"]);
    let mut look = database(&desk).connect();
    let answers = desk.share(&twelve_with_a_comment_on(&task), |hold| {
        // The first command stands in the queue already; this comes next, and then the others.
        let mut next = thread::scope(|scope| {
            let next = scope.spawn(|| holding(database(&desk), "SELECT seq FROM head FOR UPDATE"));
            wait::until("two wait for the end of the log", || waiting(&mut look) == 2);
            drop(hold);
            next.join().unwrap()
        });
        let writer = held_up_by(&mut next, &mut look);
        cut(&mut look, writer);
    });
    all_were_done_once(&desk, &task, answers);
}

/// How many wait for a lock in this database.
fn waiting(look: &mut Raw) -> i64 {
    let waiting = "SELECT count(*) FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event_type = 'Lock'";
    look.query_one(waiting, &[]).unwrap().get(0)
}

/// Makes a commit with an event wait for a lock that a test may hold.
const WAIT_IN_COMMIT: &str = "
    CREATE FUNCTION wait_in_commit() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER wait_in_commit AFTER INSERT ON events
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_in_commit()";

#[test]
fn a_connection_lost_in_a_commit_that_does_not_stand_loses_and_doubles_nothing() {
    let Some(desk) = Desk::on_postgres() else { return };
    let task = desk.ledger.add(&["-P", "queue"]);
    let mut look = database(&desk).connect();
    look.batch_execute(WAIT_IN_COMMIT).unwrap();
    let answers = desk.share(&twelve_with_a_comment_on(&task), |hold| {
        let mut holder = holding(database(&desk), "SELECT 1 FROM tasks FOR UPDATE");
        drop(hold);
        held_up_by(&mut holder, &mut look);
        // The command before is committed; from here on a commit waits.
        let mut latch = holding(database(&desk), "SELECT pg_advisory_xact_lock(4711)");
        drop(holder);
        let writer = held_up_by(&mut latch, &mut look);
        cut(&mut look, writer);
    });
    all_were_done_once(&desk, &task, answers);
}

/// Lets every commit wait for a standby that is not there, after it was made durable here. A
/// connection that is cut then does not hear of it.
const WAIT_FOR_STANDBY: &str = "ALTER SYSTEM SET synchronous_standby_names = 'nobody'";
const WAIT_NO_MORE: &str = "ALTER SYSTEM RESET synchronous_standby_names";
const PROBE: &str = "CREATE TABLE probe (); DROP TABLE probe";
const NOT_I: &str = "SET synchronous_commit = local";

#[track_caller]
fn set(look: &mut Raw, setting: &str) {
    look.batch_execute(setting).unwrap();
    look.batch_execute("SELECT pg_reload_conf()").unwrap();
}

/// Lets commits wait from here on. When the setting counts is seen by a commit that waits.
#[track_caller]
fn let_commits_wait(database: &Database, look: &mut Raw) {
    set(look, WAIT_FOR_STANDBY);
    let mut probe = database.connect();
    thread::scope(|scope| {
        scope.spawn(move || while probe.batch_execute(PROBE).is_ok() {});
        let probe = waits_for_standby(look);
        cut(look, probe);
    });
}

#[track_caller]
fn waits_for_standby(look: &mut Raw) -> i32 {
    let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let mut found = None;
    wait::until("a commit waits for the standby", || {
        found = look.query_opt(waiting, &[]).unwrap().map(|row| row.get(0));
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn a_commit_that_stands_though_the_connection_was_lost_is_answered_and_not_repeated() {
    let cluster = Cluster::temporary().unwrap();
    let desk = Desk::on(Ledger::on(&cluster.server()));
    let task = desk.ledger.add(&["-P", "queue"]);
    let mut look = database(&desk).connect();
    look.batch_execute(NOT_I).unwrap();
    let answers = desk.share(&twelve_with_a_comment_on(&task), |hold| {
        let mut holder = holding(database(&desk), "SELECT 1 FROM tasks FOR UPDATE");
        drop(hold);
        held_up_by(&mut holder, &mut look);
        let_commits_wait(database(&desk), &mut look);
        drop(holder);
        let writer = waits_for_standby(&mut look);
        cut(&mut look, writer);
        set(&mut look, WAIT_NO_MORE);
    });
    all_were_done_once(&desk, &task, answers);
}

#[test]
fn a_command_alone_whose_commit_stands_though_the_connection_was_lost_is_not_repeated() {
    let cluster = Cluster::temporary().unwrap();
    let desk = Desk::on(Ledger::on(&cluster.server()));
    let mut look = database(&desk).connect();
    look.batch_execute(NOT_I).unwrap();
    let_commits_wait(database(&desk), &mut look);
    thread::scope(|scope| {
        let client = desk.client();
        let adding = scope.spawn(move || client.does(&add("once")).unwrap());
        let writer = waits_for_standby(&mut look);
        cut(&mut look, writer);
        set(&mut look, WAIT_NO_MORE);
        let _added = adding.join().unwrap().ok();
    });
    assert_eq!(desk.titles(), ["once"]);
}
