//! How a server ends, and what becomes of those whom it was answering.

use std::fs::File;
use std::net::{Ipv6Addr, SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_testkit::http::{self, Request};
use windlass_testkit::{Home, Served, wait};

use crate::Place;

const BODY: &str = "{\"title\": \"in flight\", \"project\": \"inbox\"}";

/// A request of which the last part is still to come. The server has begun with it.
fn begun(place: &Place) -> crate::Wire {
    let mut wire = place.wire();
    let length = BODY.len();
    wire.say(
        place.head("task.add")
            + &format!("expect: 100-continue\r\ncontent-length: {length}\r\n\r\n"),
    );
    // The server says that it reads on.
    let mut said = [0; 25];
    std::io::Read::read_exact(&mut wire.0, &mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 100 Continue\r\n\r\n");
    wire.say(&BODY[..10]);
    wire
}

fn is_closed(served: &Served) -> bool {
    std::net::TcpStream::connect(served.address()).is_err()
}

#[test]
fn what_was_begun_is_answered_before_the_server_ends() {
    let place = Place::new(&[]);
    let mut wire = begun(&place);
    place.served.ask_to_stop();
    wait::until("nobody else is let in", || is_closed(&place.served));
    wire.say(&BODY[10..]);
    assert_eq!(wire.status(), 200);
    let Place { home, served } = place;
    assert_eq!(served.stop().code(), Some(0));
    let list = home.windlass(&["task", "list", "--json"]).run().ok().json();
    assert_eq!(list["tasks"][0]["title"], "in flight");
}

#[test]
fn a_second_signal_ends_at_once() {
    let place = Place::new(&[]);
    let _wire = begun(&place);
    place.served.ask_to_stop();
    wait::until("nobody else is let in", || is_closed(&place.served));
    let asked = Instant::now();
    let Place { home, served } = place;
    let token = served.token_file().clone();
    served.stop();
    // The request would have been waited for much longer.
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(!token.exists());
    let _done = home.windlass(&["doctor"]).run().ok();
}

#[test]
fn idle_connections_do_not_keep_a_server_from_ending() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    let address = place.served.address();
    wire.say(format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\n\r\n"));
    let mut first = [0; 15];
    std::io::Read::read_exact(&mut wire.0, &mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    let asked = Instant::now();
    assert_eq!(place.served.stop().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(9), "{:?}", asked.elapsed());
}

#[test]
fn followers_hear_that_the_server_ends() {
    let place = Place::new(&[]);
    let stream = place.served.follow("");
    place.served.ask_to_stop();
    let farewell = stream.event().unwrap();
    assert_eq!(farewell.kind, "bye");
    assert_eq!(place.served.stop().code(), Some(0));
}

#[test]
fn a_kill_in_mid_request_is_an_error_for_the_caller_and_leaves_the_ledger_whole() {
    let home = Home::new();
    let served = Served::start(&home, &[]);
    let (address, token) = (served.address(), served.token());
    let callers: Vec<_> = (0..8)
        .map(|caller| {
            let token = token.clone();
            thread::spawn(move || {
                let mut answered = 0;
                loop {
                    let task = json!({"title": format!("of {caller}"), "project": "inbox"});
                    let request = Request::json("/v1/ops/task.add", &task).bearer(&token);
                    match http::send(address, &request) {
                        Ok(answer) => assert_eq!(answer.status, 200, "{answer}"),
                        Err(_) => return answered,
                    }
                    answered += 1;
                }
            })
        })
        .collect();
    let list = || home.windlass(&["task", "list", "--json"]).run().ok().json();
    let total = || list()["total"].as_u64().unwrap();
    wait::until("there is a lot to do", || total() > 100);
    served.kill();
    let answered: u64 = callers.into_iter().map(|caller| caller.join().unwrap()).sum();
    let kept = total();
    // Each caller had one request under way at most.
    assert!((answered..=answered + 8).contains(&kept), "{answered} answered, {kept} kept");
    let _done = home.windlass(&["doctor"]).run().ok();
}

#[test]
fn an_address_that_is_taken_is_told() {
    let place = Place::new(&[]);
    let address = place.served.address().to_string();
    let outcome = place.home.windlass(&["serve", "--listen", &address, "--json"]).run();
    let _error = outcome.refused("address_unusable", 5);
}

#[test]
fn a_second_server_that_finds_the_address_taken_leaves_the_token_of_the_first() {
    let place = Place::new(&[]);
    let address = place.served.address().to_string();
    let _failed = place.home.windlass(&["serve", "--listen", &address]).run();
    let _listed = place.served.get("/v1/tasks").ok();
}

#[test]
fn whoever_does_not_read_their_answers_does_not_keep_a_server_from_ending() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say("GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(500));
    let answered = || place.served.log().matches("/openapi.json 200").count();
    let (mut before, mut same) = (0, 0);
    wait::until("no more of it is taken", || {
        let _other = place.served.get("/healthz").ok();
        let now = answered();
        same = if now > 0 && now == before { same + 1 } else { 0 };
        before = now;
        same > 20
    });
    let asked = Instant::now();
    assert_eq!(place.served.stop().code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
}

/// A write that waits for the ledger, which is held.
fn waiting_write(place: &Place) -> (File, thread::JoinHandle<http::Response>) {
    let _made = place.served.op("project.create", &json!({"name": "api"})).ok();
    let path = place.home.data().join("windlass/ledger.db.lock");
    let lock = File::options().read(true).write(true).open(path).unwrap();
    lock.lock().unwrap();
    let task = json!({"title": "waits", "project": "inbox"});
    let request = Request::json("/v1/ops/task.add", &task).bearer(&place.served.token());
    let address = place.served.address();
    let writer = thread::spawn(move || http::send(address, &request).unwrap());
    let waiting = format!("-> FLOCK  ADVISORY  WRITE {} ", place.served.id());
    wait::until("the write waits for the ledger", || {
        std::fs::read_to_string("/proc/locks").unwrap().contains(&waiting)
    });
    (lock, writer)
}

#[test]
fn whoever_only_looks_does_not_wait_behind_those_who_write() {
    let place = Place::new(&[]);
    let (lock, writer) = waiting_write(&place);
    for name in ["key.list", "key.refusals", "doctor", "audit.verify", "task.list"] {
        let _looked = place.served.op(name, &json!({})).ok();
    }
    assert!(!writer.is_finished());
    lock.unlock().unwrap();
    assert_eq!(writer.join().unwrap().status, 200);
}

#[test]
fn a_server_that_stops_leaves_the_token_of_the_one_that_follows() {
    let place = Place::new(&[]);
    let mut wire = begun(&place);
    let Place { home, served } = place;
    served.ask_to_stop();
    wait::until("nobody else is let in", || is_closed(&served));
    let next = Served::start_at(&home, served.address(), &[]);
    wire.say(&BODY[10..]);
    assert_eq!(served.stop().code(), Some(0));
    let _listed = next.get("/v1/tasks").ok();
}

/// A server on the same port at another address of this machine.
fn beside(place: &Place) -> Served {
    let port = place.served.address().port();
    Served::start_at(&place.home, SocketAddr::from((Ipv6Addr::LOCALHOST, port)), &[])
}

#[test]
fn two_servers_on_one_port_at_two_addresses_have_a_token_each() {
    let place = Place::new(&[]);
    let other = beside(&place);
    for served in [&place.served, &other] {
        let _listed = served.get("/v1/tasks").ok();
    }
}

#[test]
fn a_token_goes_to_the_server_that_made_it_and_to_nobody_else_on_its_port() {
    let place = Place::new(&[]);
    let port = place.served.address().port();
    // Somebody else, to whom the name may lead as well.
    let stranger = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).unwrap();
    stranger.set_nonblocking(true).unwrap();
    let server = format!("http://localhost:{port}");
    let listed = place.home.windlass(&["task", "list", "--json", "--server", &server]).run();
    assert_eq!(listed.ok().json()["total"], 0);
    assert!(stranger.accept().is_err(), "somebody else was asked");
}

#[test]
fn servers_that_were_killed_are_not_among_those_that_can_be_opened() {
    let home = Home::new();
    for _ in 0..2 {
        Served::start(&home, &[]).kill();
    }
    let served = Served::start(&home, &[]);
    let way_in = home.windlass(&["open", "--print"]).run().ok().stdout;
    assert!(way_in.starts_with(&served.url("/enter?token=")), "{way_in}");
}
