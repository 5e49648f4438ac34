//! Connections that break, and servers that die: whatever is asked for happens once.

use std::io::{BufRead as _, BufReader};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;
use windlass_testkit::{Home, wait};
use windlass_tests::ledgers::text;

use crate::house::{House, LEDGER};
use crate::proxy::{Fate, Proxy};

/// Every way in which a request can get lost on its way there or back.
const CUTS: [Fate; 4] = [Fate::Swallowed, Fate::Unanswered, Fate::HalfAnswered, Fate::BadGateway];

/// More than a client tries.
const ALWAYS: [Fate; 9] = [Fate::Unanswered; 9];

#[test]
fn a_write_whose_connection_is_cut_happens_once_and_answers_as_ever() {
    for cut in CUTS {
        let house = House::new();
        let whole = house.windlass(&["task", "add", "first", "--json"]).run().ok();
        let proxy = Proxy::to(house.served.address(), &[cut, cut]);
        let added = house.through(proxy.address(), &["task", "add", "second", "--json"]).run();
        let (added, whole) = (added.ok().json(), whole.json());
        assert_eq!(added["title"], "second", "{cut:?}");
        let fields =
            |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(fields(&added), fields(&whole), "{cut:?}");
        assert_eq!(proxy.requests(), 3, "{cut:?}");
        let mut titles = house.titles();
        titles.sort();
        assert_eq!(titles, ["first", "second"], "{cut:?}");
        assert!(house.is_whole());
    }
}

#[test]
fn a_person_is_not_told_of_a_repetition() {
    let house = House::new();
    let proxy = Proxy::to(house.served.address(), &[Fate::Unanswered]);
    let add = ["task", "add", "x", "--format", "text"];
    let added = house.through(proxy.address(), &add).run().ok();
    assert!(added.stdout.ends_with("added to inbox as backlog: x\n"), "{added}");
    assert_eq!((added.stdout.lines().count(), added.stderr.as_str()), (1, ""), "{added}");
}

#[test]
fn a_claim_whose_answer_was_lost_is_answered_with_the_same_task_and_fence() {
    let house = House::new();
    for title in ["one", "two"] {
        let _added = house.windlass(&["task", "add", title, "-s", "ready"]).run().ok();
    }
    let proxy = Proxy::to(house.served.address(), &[Fate::Unanswered, Fate::HalfAnswered]);
    let claim = ["task", "claim", "--next", "--agent", "w1"];
    let claimed = house.through(proxy.address(), &claim).run().ok().json();
    assert_eq!((text(&claimed["title"]).as_str(), &claimed["fence"]), ("one", &Value::from(1)));
    let held = house.at_the_ledger(&["task", "list", "-s", "in_progress"]).run().ok().json();
    assert_eq!(held["total"], 1);
}

#[test]
fn a_read_whose_connection_is_cut_is_asked_again() {
    for cut in CUTS {
        let house = House::new();
        let _added = house.windlass(&["task", "add", "x"]).run().ok();
        let whole = house.windlass(&["task", "list"]).run().ok();
        let proxy = Proxy::to(house.served.address(), &[cut]);
        let listed = house.through(proxy.address(), &["task", "list"]).run().ok();
        assert_eq!(listed.stdout, whole.stdout, "{cut:?}");
    }
}

#[test]
fn a_refusal_whose_answer_was_lost_is_refused_again() {
    let house = House::new();
    let proxy = Proxy::to(house.served.address(), &[Fate::Unanswered]);
    let refused = house.through(proxy.address(), &["task", "complete", "ZZZZZZ"]).run();
    let _document = refused.refused("task_not_found", 4);
}

#[test]
fn who_gave_an_op_id_is_told_that_it_was_done_before() {
    let house = House::new();
    let proxy = Proxy::to(house.served.address(), &[Fate::Unanswered]);
    let add = ["task", "add", "x", "--op-id", "k1"];
    let added = house.through(proxy.address(), &add).run().ok().json();
    assert_eq!((&added["op_id"], &added["replayed"]), (&Value::from("k1"), &Value::from(true)));
    assert_eq!(house.titles(), ["x"]);
}

#[test]
fn a_workflow_that_is_known_by_its_request_happens_once() {
    let house = House::new();
    let added = house.windlass(&["task", "add", "source", "-s", "ready"]).run().ok().json();
    let source = text(&added["task_id"]);
    let _claimed = house.windlass(&["task", "claim", &source, "--agent", "w1"]).run().ok();
    let proxy = Proxy::to(house.served.address(), &[Fate::Unanswered]);
    let delegate = ["workflow", "run", "delegate", "--from", &source, "--title", "part"];
    let flags = ["--agent", "w2", "--author", "w1", "--auto-op-id"];
    let run = house.through(proxy.address(), &[&delegate[..], &flags].concat());
    let _delegated = run.run().ok();
    assert_eq!(house.titles().iter().filter(|title| *title == "part").count(), 1);
}

#[test]
fn after_the_last_attempt_the_way_to_find_out_is_named() {
    let house = House::new();
    let proxy = Proxy::to(house.served.address(), &ALWAYS);
    let add = ["task", "add", "x"];
    let lost = house.through(proxy.address(), &add).run().refused("server_unreachable", 5);
    let lost = &lost["error"];
    assert!(text(&lost["message"]).ends_with("it was done once at most"), "{lost}");
    assert_eq!(proxy.requests(), 6);
    let op_id = text(&lost["details"]["op_id"]);
    assert!(text(&lost["hint"]).ends_with(&format!("windlass task add … --op-id {op_id}")));
    let again = house.windlass(&[&add[..], &["--op-id", &op_id]].concat()).run().ok().json();
    assert_eq!(again["replayed"], true);
    assert_eq!(house.titles(), ["x"]);
}

#[test]
fn a_key_is_not_made_twice_for_an_answer_that_was_lost() {
    let house = House::new();
    let proxy = Proxy::to(house.served.address(), &ALWAYS);
    let create = ["key", "create", "--for", "agent:w1", "--role", "worker"];
    let lost = house.through(proxy.address(), &create).run().refused("server_unreachable", 5);
    assert!(text(&lost["error"]["message"]).ends_with("it may have been done"), "{lost}");
    assert_eq!(proxy.requests(), 1);
    let keys = house.at_the_ledger(&["key", "list"]).run().ok().json();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
}

/// Holds the ledger, so that whoever writes waits.
fn held(house: &House) -> rusqlite::Connection {
    let ledger = rusqlite::Connection::open(house.home.work().join(LEDGER)).unwrap();
    ledger.execute_batch("BEGIN IMMEDIATE").unwrap();
    ledger
}

#[test]
fn a_server_that_is_killed_in_mid_request_and_started_again_is_found_again() {
    let house = House::new();
    let proxy = Proxy::to(house.served.address(), &[]);
    let ledger = held(&house);
    let run = house.through(proxy.address(), &["task", "add", "x"]);
    let client = run.spawn();
    proxy.waits_for_a_request();
    // The token of the new server is another.
    let token = house.home.data().join(format!("windlass/serve/{}.token", proxy.address()));
    let house = house.again();
    std::fs::copy(house.served.token_file(), token).unwrap();
    ledger.execute_batch("ROLLBACK").unwrap();
    let _added = run.finish(client).ok();
    assert_eq!(house.titles(), ["x"]);
    assert!(house.is_whole());
}

#[test]
fn a_server_that_is_killed_for_good_leaves_a_clear_error_and_a_whole_ledger() {
    let house = House::new();
    let proxy = Proxy::to(house.served.address(), &[]);
    let ledger = held(&house);
    let run = house.through(proxy.address(), &["task", "add", "x"]);
    let client = run.spawn();
    proxy.waits_for_a_request();
    let House { home, served } = house;
    served.kill();
    ledger.execute_batch("ROLLBACK").unwrap();
    let lost = run.finish(client).refused("server_unreachable", 5);
    assert!(text(&lost["error"]["message"]).contains("once at most"), "{lost}");
    let house = House::of(home);
    assert_eq!(house.titles(), Vec::<String>::new());
    assert!(house.is_whole());
}

// Following

/// The seqs of the events that a follower hears.
fn heard(child: &mut std::process::Child) -> Receiver<u64> {
    let output = child.stdout.take().unwrap();
    let (tell, seqs) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let event: Value = serde_json::from_str(&line).unwrap();
            let _nobody_listens = tell.send(event["seq"].as_u64().unwrap());
        }
    });
    seqs
}

#[test]
fn a_follower_hears_every_event_once_though_the_server_starts_again() {
    let house = House::new();
    let _added = house.windlass(&["task", "add", "before"]).run().ok();
    let mut child = house.windlass(&["events", "--follow", "--from", "0"]).spawn();
    let seqs = heard(&mut child);
    let next = || seqs.recv_timeout(wait::LIMIT).unwrap();
    assert_eq!([next(), next(), next()], [1, 2, 3]);
    let _added = house.windlass(&["task", "add", "while it runs"]).run().ok();
    assert_eq!([next(), next()], [4, 5]);
    let house = house.again();
    let _added = house.windlass(&["task", "add", "after"]).run().ok();
    assert_eq!([next(), next()], [6, 7]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(seqs.recv().is_err(), "nothing is told twice");
}

#[test]
fn a_follower_whose_reader_is_gone_ends() {
    let house = House::new();
    let mut child = house.windlass(&["events", "--follow"]).spawn();
    drop(child.stdout.take());
    wait::until("the follower has ended", || child.try_wait().unwrap().is_some());
}

#[test]
fn who_cannot_reach_a_server_at_first_does_not_wait_for_it() {
    let home = Home::new();
    let follow = home.windlass(&["--server", "http://127.0.0.1:9", "events", "--follow"]);
    let _lost = follow.run().refused("server_unreachable", 5);
}
