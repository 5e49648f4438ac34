//! Those who follow what is written: each event once and in order, whatever happens to the server,
//! to the connection, to the key.

use std::fs;
use std::net::SocketAddr;

use serde_json::json;
use windlass_testkit::http::{self, Event, Request, Stream};
use windlass_testkit::{Served, wait};
use windlass_tests::ledgers::{Ledger, text};

use crate::{Command, Desk, add};

/// The stream after that event.
fn after(seq: u64, secret: &str) -> Request {
    Request::get("/v1/events/stream").bearer(secret).header("last-event-id", seq.to_string())
}

#[track_caller]
fn follow_after(desk: &Desk, seq: u64) -> Stream {
    http::follow(desk.served.address(), &after(seq, &desk.served.token()))
}

fn seq(event: &Event) -> u64 {
    event.id.parse().unwrap()
}

/// The seqs of the events of a stream, up to that one.
#[track_caller]
fn read_to(stream: &Stream, last: u64) -> Vec<u64> {
    let mut seen = Vec::new();
    while seen.last() != Some(&last) {
        seen.push(seq(&stream.event().unwrap()));
    }
    seen
}

#[track_caller]
fn add_many(desk: &Desk, count: usize) {
    let client = desk.client();
    (0..count).for_each(|_| drop(client.does(&add("a task")).unwrap().ok()));
}

/// Follows a server, lets `end` take it away and another come, and goes on where it was.
#[track_caller]
fn follow_across(end: impl FnOnce(Served)) {
    let desk = Desk::on_sqlite();
    let stream = follow_after(&desk, 0);
    add_many(&desk, 20);
    let mut seen = read_to(&stream, 10);
    let desk = desk.after(end);
    add_many(&desk, 20);
    let head = desk.ledger.events();
    seen.extend(read_to(&follow_after(&desk, 10), head));
    assert_eq!(seen, (1..=head).collect::<Vec<_>>());
}

#[test]
fn who_says_what_it_saw_last_goes_on_there_after_a_server_was_killed() {
    follow_across(Served::kill);
}

#[test]
fn who_says_what_it_saw_last_goes_on_there_after_a_server_was_stopped() {
    follow_across(|served| assert!(served.stop().success()));
}

#[test]
fn a_follower_sees_what_processes_write_beside_the_server() {
    let desk = Desk::on_sqlite();
    let stream = desk.served.follow("?kind=task_created");
    let task = desk.ledger.add(&["-P", "queue"]);
    assert_eq!(stream.event().unwrap().json()["stream"], task.as_str());
}

/// As much as a task can hold.
fn large() -> Command {
    let (description, metadata) = ("x".repeat(16_000), json!({"notes": "y".repeat(60_000)}));
    let mut command = add("a large task");
    command.arguments["description"] = json!(description);
    command.arguments["metadata"] = metadata;
    command
}

/// More than a connection holds that nobody reads.
#[track_caller]
fn add_many_large(desk: &Desk) {
    let (client, large) = (desk.client(), large());
    (0..250).for_each(|_| drop(client.does(&large).unwrap().ok()));
}

#[test]
fn a_follower_that_does_not_read_is_told_why_it_is_dropped_and_stops_no_writer() {
    let desk = Desk::on_sqlite();
    let unread = http::follow_unread(desk.served.address(), &after(0, &desk.served.token()));
    let (client, large) = (desk.client(), large());
    wait::until("the follower is dropped", || {
        let _written = client.does(&large).unwrap().ok();
        desk.number("windlass_followers_dropped_total") == 1
    });
    let stream = unread.unwrap().read().unwrap();
    let mut seen = Vec::new();
    let farewell = loop {
        let event = stream.event().unwrap();
        match event.kind.as_str() {
            "bye" => break event,
            _ => seen.push(seq(&event)),
        }
    };
    assert_eq!(farewell.json()["reason"], "you read too slowly; connect again");
    let last = *seen.last().unwrap();
    let head = desk.ledger.events();
    assert!(last < head, "it was not slow");
    seen.extend(read_to(&follow_after(&desk, last), head));
    assert_eq!(seen, (1..=head).collect::<Vec<_>>());
}

/// How many connections of others a process has.
fn connections(process: u32) -> usize {
    let files = fs::read_dir(format!("/proc/{process}/fd")).unwrap().flatten();
    let links = files.filter_map(|file| fs::read_link(file.path()).ok());
    links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
}

#[test]
fn the_connection_of_a_follower_that_never_reads_is_closed() {
    let desk = Desk::on_sqlite();
    let before = connections(desk.served.id());
    let _unread = http::follow_unread(desk.served.address(), &after(0, &desk.served.token()));
    assert_eq!(connections(desk.served.id()), before + 1);
    add_many_large(&desk);
    wait::until("it is closed", || connections(desk.served.id()) == before);
}

/// It may have been dropped in between; then it comes again.
#[test]
fn a_follower_that_was_slow_for_a_while_catches_up_without_a_gap() {
    let desk = Desk::on_sqlite();
    let unread = http::follow_unread(desk.served.address(), &after(0, &desk.served.token()));
    add_many_large(&desk);
    let head = desk.ledger.events();
    let mut stream = unread.unwrap().read().unwrap();
    let mut seen: Vec<u64> = Vec::new();
    while seen.last() != Some(&head) {
        match stream.event() {
            Some(event) if event.kind != "bye" => seen.push(seq(&event)),
            Some(_) | None => stream = follow_after(&desk, seen.last().copied().unwrap_or(0)),
        }
    }
    assert_eq!(seen, (1..=head).collect::<Vec<_>>());
}

/// A key for somebody who follows: its text, and what names it.
#[track_caller]
fn key(ledger: &Ledger, more: &[&str]) -> (String, String) {
    let words = ["key", "create", "--for", "person:anna", "--role", "worker"];
    let made = ledger.answer(&[&words[..], more].concat());
    let key = text(&made["key"]);
    let prefix = key[..11].to_owned();
    (key, prefix)
}

#[track_caller]
fn follow_with(address: SocketAddr, key: &str) -> Stream {
    http::follow(address, &Request::get("/v1/events/stream").bearer(key))
}

#[test]
fn a_follower_whose_key_is_revoked_sees_nothing_that_happens_after() {
    let desk = Desk::on_sqlite();
    let (key, prefix) = key(&desk.ledger, &[]);
    let stream = follow_with(desk.served.address(), &key);
    let _revoked = desk.ledger.answer(&["key", "revoke", &prefix]);
    let _after = desk.ledger.add(&["-P", "queue"]);
    let first = stream.event().unwrap();
    assert_eq!((first.kind.as_str(), first.id.as_str()), ("bye", ""));
    assert_eq!(first.json()["reason"], "your key counts no more");
}

#[test]
fn a_follower_whose_key_runs_out_is_cut_off_though_events_never_cease() {
    let desk = Desk::on_sqlite();
    let (key, _) = key(&desk.ledger, &["--expires", "5s"]);
    let stream = follow_with(desk.served.address(), &key);
    let client = desk.client();
    let mut last = None;
    wait::until("the stream ends", || {
        let _added = client.does(&add("a task")).unwrap().ok();
        let event = stream.event().unwrap();
        let is_over = event.kind == "bye";
        last = Some(event);
        is_over
    });
    assert_eq!(last.unwrap().json()["reason"], "your key counts no more");
}
