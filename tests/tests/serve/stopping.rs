//! How a server ends, and what becomes of those whom it was answering.

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
fn an_address_that_is_none_is_refused_with_one_that_is() {
    let home = Home::new();
    for nonsense in ["nonsense", "127.0.0.1", "7077", ""] {
        let outcome = home.windlass(&["serve", "--listen", nonsense, "--json"]).run();
        let error = outcome.refused("invalid_value", 3);
        let hint = error["error"]["hint"].as_str().unwrap();
        assert_eq!(hint, "write both: windlass serve --listen 127.0.0.1:7077", "{nonsense}");
    }
}

#[test]
fn a_second_server_that_finds_the_address_taken_leaves_the_token_of_the_first() {
    let place = Place::new(&[]);
    let address = place.served.address().to_string();
    let _failed = place.home.windlass(&["serve", "--listen", &address]).run();
    let _listed = place.served.get("/v1/tasks").ok();
}
