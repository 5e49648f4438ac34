//! `hook worker`: it sends as hooks fall due, is woken by the ledger, and ends when it is asked to.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use windlass_domain::hook::State;
use windlass_testkit::postgres::Cluster;
use windlass_testkit::receiver::{Answer, Receiver};
use windlass_testkit::{Run, machine, wait};
use windlass_tests::ledgers::{Ledger, text};

use crate::outbox::{MINUTE, Outbox, figures, url};

/// A running worker. Whoever forgets it kills it.
struct Worker {
    run: Run,
    child: Option<Child>,
}

impl Worker {
    fn of(outbox: &Outbox) -> Self {
        Self::running(outbox.operation("hook.worker", &json!({})))
    }

    fn running(run: Run) -> Self {
        let child = run.spawn();
        wait::until("it hears signals", || hears(&child, Signal::TERM));
        Self { run, child: Some(child) }
    }

    fn ask(&self, signal: Signal) {
        let child = self.child.as_ref().unwrap();
        kill_process(Pid::from_child(child), signal).unwrap();
    }

    /// What it says when it has ended well.
    #[track_caller]
    fn end(mut self) -> Value {
        let child = self.child.take().unwrap();
        self.run.finish(child).ok().json()
    }

    #[track_caller]
    fn stop(self) -> Value {
        self.ask(Signal::TERM);
        self.end()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may be gone already.
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Whether a process does something of its own when that signal comes.
fn hears(child: &Child, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    caught & (1 << (signal.as_raw() - 1)) != 0
}

fn both(check: impl Fn(&Outbox)) {
    check(&Outbox::on_sqlite());
    if let Some(outbox) = Outbox::on_postgres() {
        check(&outbox);
    }
}

#[test]
fn a_worker_sends_what_waits_and_what_comes_row_c15() {
    both(|outbox| {
        let receiver = Receiver::answering(204);
        outbox.define(url(receiver.url("/")));
        outbox.finish(2);
        let worker = Worker::of(outbox);
        wait::until("what waited is sent", || receiver.count() == 2);
        outbox.finish(3);
        wait::until("what came is sent", || receiver.count() == 5);
        assert_eq!(figures(&worker.stop()), "claimed 5, attempted 5, delivered 5");
    });
}

#[test]
fn a_worker_tries_again_when_the_time_has_come_row_c15() {
    let receiver = Receiver::start(|request| match request.number {
        0 => Answer::status(500),
        _ => Answer::status(204),
    });
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    let worker = Worker::of(&outbox);
    wait::until("it has failed", || outbox.delivery().waiting.is_some_and(|row| row.attempts == 1));
    outbox.advance(MINUTE);
    wait::until("it is sent again", || receiver.count() == 2);
    assert_eq!(figures(&worker.stop()), "claimed 2, attempted 2, delivered 1, retried 1");
}

#[test]
fn a_worker_records_leases_that_run_out_row_c15() {
    let outbox = Outbox::on_sqlite();
    let task = outbox.does("task.add", &json!({"title": "a task", "status": "ready"}));
    let claim = json!({"task": task["task_id"], "agent": "w1", "lease": "5m"});
    let _claimed = outbox.does("task.claim", &claim);
    let worker = Worker::of(&outbox);
    outbox.advance(6 * MINUTE);
    let newest = || text(&outbox.ledger.newest_event(&text(&task["task_id"]))["kind"]);
    wait::until("the lease is recorded as run out", || newest() == "claim_expired");
    assert_eq!(worker.stop()["claims_expired"], 1);
}

#[test]
fn two_workers_share_the_work_and_end_cleanly_row_c15() {
    both(|outbox| {
        let receiver = Receiver::answering(204);
        outbox.define(url(receiver.url("/")));
        let workers = [Worker::of(outbox), Worker::of(outbox)];
        for _ in 0..5 {
            outbox.finish(40);
        }
        wait::until("all is sent", || outbox.counts().delivered == 200);
        for (worker, signal) in workers.iter().zip([Signal::TERM, Signal::INT]) {
            worker.ask(signal);
        }
        let ended = workers.map(Worker::end);
        let delivered: u64 = ended.iter().map(|one| one["delivered"].as_u64().unwrap()).sum();
        assert_eq!((delivered, receiver.count()), (200, 200), "{ended:?}");
        let counts = outbox.counts();
        assert_eq!((counts.queued, counts.processing), (0, 0));
    });
}

#[test]
fn a_worker_that_is_asked_to_end_finishes_what_it_began_and_gives_back_the_rest_row_c15() {
    let receiver = Receiver::start(|_| Answer::Stall);
    let outbox = Outbox::to(&receiver);
    outbox.finish(20);
    let worker = Worker::of(&outbox);
    wait::until("sixteen are being sent", || receiver.count() == 16);
    worker.ask(Signal::TERM);
    wait::until("the rest is given back", || outbox.counts().processing == 16);
    receiver.go_on();
    assert_eq!(figures(&worker.end()), "claimed 20, attempted 16, delivered 16");
    let queued: Vec<u32> = outbox
        .deliveries()
        .into_iter()
        .filter(|tracked| tracked.delivery.state == State::Queued)
        .map(|tracked| tracked.waiting.unwrap().attempts)
        .collect();
    assert_eq!(queued, [0; 4]);
}

#[test]
fn a_worker_that_has_nothing_to_do_ends_at_once_when_asked() {
    let outbox = Outbox::on_sqlite();
    outbox.finish(1);
    let worker = Worker::of(&outbox);
    assert_eq!(figures(&worker.stop()), "");
}

/// The binary itself: only it says on standard error what it waits for.
#[test]
fn a_worker_waits_for_a_database_that_went_away_and_says_so() {
    if machine::find("initdb").is_none() {
        assert!(!machine::in_ci(), "PostgreSQL is not installed: run `cargo xtask setup`");
        return;
    }
    let receiver = Receiver::answering(204);
    let mut cluster = Cluster::temporary().unwrap();
    let outbox = Outbox::on(Ledger::on(&cluster.server()));
    outbox.define(url(receiver.url("/")));
    let mut worker = Worker::running(outbox.ledger.windlass(&["hook", "worker"]));
    cluster.kill().unwrap();
    let mut said = String::new();
    let complaints = worker.child.as_mut().unwrap().stderr.take().unwrap();
    BufReader::new(complaints).read_line(&mut said).unwrap();
    assert!(
        said.starts_with("warning: PostgreSQL") && said.contains("trying again in 1 s"),
        "{said}"
    );
    wait::until("the server is back", || cluster.restart().is_ok());
    let _added = outbox.ledger.answer(&["task", "add", "a task", "-s", "done"]);
    wait::until("the hook is sent", || receiver.count() == 1);
    assert_eq!(figures(&worker.stop()), "claimed 1, attempted 1, delivered 1");
}
