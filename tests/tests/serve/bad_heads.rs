//! Heads of requests that are wrong, too long or too slow, and too many of them.

use std::net::TcpStream;

use windlass_testkit::home::binary;
use windlass_testkit::http::{self, Request};
use windlass_testkit::{Home, Served};

use crate::{Place, Wire};

#[test]
fn a_head_that_comes_byte_by_byte_is_not_waited_for_without_end() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say("GET /healthz HTTP/1.1\r\nhost: local");
    // The answer is that the connection ends, with or without a word.
    let heard = wire.hear();
    assert!(heard.is_empty() || heard.contains(" 408 "), "{heard}");
}

#[test]
fn those_who_are_slow_do_not_keep_others_out() {
    let place = Place::new(&[]);
    let slow: Vec<Wire> = (0..200)
        .map(|_| {
            let mut wire = place.wire();
            wire.say("GET /healthz HTTP/1.1\r\n");
            wire
        })
        .collect();
    assert_eq!(place.served.get("/healthz").ok().text(), "ok\n");
    drop(slow);
}

#[test]
fn a_flood_of_headers_is_refused() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "x: y\r\n".repeat(500)));
    assert_eq!(wire.status(), 431);
}

#[test]
fn a_header_without_end_is_refused() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ");
    let part = vec![b'y'; 10_000];
    (0..100).for_each(|_| wire.say(&part));
    assert_eq!(wire.status(), 431);
}

#[test]
fn what_is_no_http_is_refused() {
    for words in ["\0\0\0\0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET\r\n\r\n"] {
        let place = Place::new(&[]);
        let mut wire = place.wire();
        wire.say(words);
        let heard = wire.hear();
        assert!(heard.is_empty() || heard.contains(" 400 "), "{words:?}: {heard}");
        assert_eq!(place.served.get("/healthz").ok().text(), "ok\n");
    }
}

#[test]
fn tricks_in_a_path_find_nothing() {
    let place = Place::new(&[]);
    let long = format!("/{}", "a/".repeat(5_000));
    let paths = [
        "/../../etc/passwd",
        "/assets/../../Cargo.toml",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/v1/ops/..%2Ftask.list",
        "/v1/ops/%00",
        "/v1/ops/%ff%fe",
        "/v1/tasks/%00%00%00%00",
        "/v1/tasks/%ff%ff%ff%ff",
        "/errors/..%2f..%2fCargo.toml",
        "/errors/%ff",
        "//v1//tasks",
        "/v1/tasks/../projects",
        "/v1;/tasks",
        "/%",
        &long,
    ];
    for path in paths {
        let status = place.served.get(path).status;
        assert!(matches!(status, 400 | 404 | 405 | 422), "{path}: {status}");
    }
    assert_eq!(place.served.get("/healthz").ok().text(), "ok\n");
}

#[test]
fn an_address_without_end_is_refused() {
    let place = Place::new(&[]);
    let mut wire = place.wire();
    wire.say(format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(200_000)));
    let status = wire.status();
    assert!(matches!(status, 414 | 431), "{status}");
}

#[test]
fn a_method_that_does_not_go_with_a_path_is_refused_with_those_that_do() {
    let place = Place::new(&[]);
    let request = Request::new("DELETE", "/v1/tasks").bearer(&place.served.token());
    let answer = place.served.send(&request);
    let problem = answer.refused("usage", 405);
    assert_eq!(problem["status"], 405);
    assert_eq!(answer.header("windlass-exit"), Some("2"));
    assert_eq!(answer.header("allow"), Some("GET,HEAD"));
}

#[test]
fn a_page_elsewhere_cannot_call_the_server() {
    let place = Place::new(&[]);
    let token = place.served.token();
    for (header, value) in [("host", "evil.example"), ("origin", "https://evil.example")] {
        let request = Request::get("/v1/tasks").bearer(&token).header(header, value);
        let _problem = place.served.send(&request).refused("foreign_origin", 403);
    }
}

#[test]
fn a_second_name_of_the_server_is_refused() {
    let place = Place::new(&[]);
    let (address, token) = (place.served.address(), place.served.token());
    let bearer = format!("authorization: Bearer {token}\r\nconnection: close\r\n\r\n");
    for head in [
        format!("GET /v1/tasks HTTP/1.1\r\nhost: {address}\r\nhost: evil.example\r\n"),
        format!("GET http://evil.example/v1/tasks HTTP/1.1\r\nhost: {address}\r\n"),
    ] {
        let mut wire = place.wire();
        wire.say(head + &bearer);
        assert_eq!(wire.status(), 403);
    }
    let mut wire = place.wire();
    let own = format!("GET http://{address}/v1/tasks HTTP/1.1\r\nhost: {address}\r\n");
    wire.say(own + &bearer);
    assert_eq!(wire.status(), 200);
}

#[test]
fn a_head_of_more_than_64_kib_is_refused_with_a_word() {
    let place = Place::new(&[]);
    let request = |bytes: usize| Request::get("/healthz").header("x", "y".repeat(bytes));
    let _problem = place.served.send(&request(66_000)).refused("too_large", 431);
    assert_eq!(place.served.send(&request(60_000)).status, 200);
}

#[test]
fn a_query_that_is_no_text_is_refused() {
    let place = Place::new(&[]);
    for path in ["/v1/tasks?text=%FF", "/v1/events/stream?project=%FF"] {
        let _problem = place.served.get(path).refused("usage", 400);
    }
}

#[test]
fn a_place_in_the_stream_is_given_once() {
    let place = Place::new(&[]);
    let _problem = place.served.get("/v1/events/stream?after=0&after=0").refused("usage", 400);
}

#[test]
fn events_are_followed_at_the_stream() {
    let place = Place::new(&[]);
    let problem = place.served.get("/v1/events?follow=true").refused("unknown_field", 422);
    assert!(problem["hint"].as_str().unwrap().contains("/v1/events/stream"), "{problem}");
    let _both = place.served.get("/v1/events?after=0").ok();
    let _both = place.served.get("/v1/events?from=0").ok();
}

#[test]
fn an_absurd_place_in_the_stream_is_refused() {
    let place = Place::new(&[]);
    let token = place.served.token();
    for id in ["-1", "99999999999999999999999999", "9007199254740993", "x", ""] {
        let request = Request::get("/v1/events/stream").bearer(&token);
        let answer = place.served.send(&request.header("last-event-id", id));
        let _problem = answer.refused("invalid_value", 422);
    }
}

#[test]
fn whoever_finds_no_room_is_told_so_at_once() {
    let home = Home::new();
    // So few files leave room for 32 connections.
    let script = "ulimit -n 160; exec \"$0\" serve --listen 127.0.0.1:0";
    let run = home.program("/bin/sh").args(["-c", script, &binary().display().to_string()]);
    let served = Served::from_run(&home, &run);
    let held: Vec<TcpStream> =
        (0..32).map(|_| TcpStream::connect(served.address()).unwrap()).collect();
    let answer = served.send(&Request::get("/healthz"));
    let _problem = answer.refused("server_busy", 503);
    assert_eq!(answer.header("retry-after"), Some("1"));
    drop(held);
    windlass_testkit::wait::until("there is room again", || {
        http::send(served.address(), &Request::get("/healthz")).is_ok_and(|it| it.status == 200)
    });
}
