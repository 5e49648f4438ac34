//! The receiver, seen by a client that writes its bytes by hand.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use super::*;
use crate::wait;

fn connect(receiver: &Receiver) -> TcpStream {
    TcpStream::connect(receiver.address()).unwrap()
}

fn send(mut connection: &TcpStream, path: &str, body: &str) {
    let length = body.len();
    let request =
        format!("POST {path} HTTP/1.1\r\nHost: here\r\nContent-Length: {length}\r\n\r\n{body}");
    connection.write_all(request.as_bytes()).unwrap();
}

/// The head of the next answer, read past its body.
fn head(input: &mut BufReader<&TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(input.read_line(&mut head).unwrap(), 0, "the connection ended after {head:?}");
    }
    if head.contains("content-length") {
        input.read_exact(&mut [0; "received".len()]).unwrap();
    }
    head
}

fn answer_to(connection: &TcpStream, path: &str) -> String {
    send(connection, path, "");
    head(&mut BufReader::new(connection))
}

/// Everything until the connection ends, however it does.
fn rest(mut connection: &TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    drop(connection.read_to_end(&mut bytes));
    bytes
}

#[test]
fn a_request_is_remembered_as_it_arrived() {
    let receiver = Receiver::answering(200);
    let connection = connect(&receiver);
    send(&connection, "/hook?x=1", "{\"ä\":1}");
    head(&mut BufReader::new(&connection));
    let headers = [("host", "here"), ("content-length", "8")];
    let expected = Received {
        number: 0,
        method: "POST".to_owned(),
        path: "/hook?x=1".to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        body: "{\"ä\":1}".to_owned(),
    };
    assert_eq!(receiver.received(), [expected]);
}

#[test]
fn the_plan_sees_each_request_and_decides_its_answer() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/busy" => Answer::with_header(503, "retry-after", "7"),
        _ => Answer::status(204),
    });
    let connection = connect(&receiver);
    let answers = ["/busy", "/"].map(|path| answer_to(&connection, path));
    let busy = "HTTP/1.1 503 As Planned\r\ncontent-length: 8\r\nretry-after: 7\r\n\r\n";
    assert_eq!(answers, [busy, "HTTP/1.1 204 As Planned\r\n\r\n"]);
}

#[test]
fn many_requests_come_over_one_connection_in_their_order() {
    let receiver = Receiver::answering(200);
    let connection = connect(&receiver);
    let mut input = BufReader::new(&connection);
    for number in 0..10_000 {
        send(&connection, &format!("/{number}"), "{}");
        head(&mut input);
    }
    let requests = receiver.received();
    assert_eq!((requests.len(), receiver.connections()), (10_000, 1));
    assert!(
        requests
            .iter()
            .enumerate()
            .all(|(at, request)| { request.number == at && request.path == format!("/{at}") })
    );
}

#[test]
fn one_stalled_connection_does_not_hold_up_another() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/stall" => Answer::Stall,
        _ => Answer::status(200),
    });
    let stalled = connect(&receiver);
    send(&stalled, "/stall", "");
    wait::until("the stalled request is there", || receiver.count() == 1);
    assert!(answer_to(&connect(&receiver), "/").starts_with("HTTP/1.1 200 "));
    receiver.go_on();
    assert!(head(&mut BufReader::new(&stalled)).starts_with("HTTP/1.1 204 "));
}

#[test]
fn a_stalled_connection_ends_with_the_receiver() {
    let receiver = Receiver::start(|_| Answer::Stall);
    let connection = connect(&receiver);
    send(&connection, "/", "");
    wait::until("the request is there", || receiver.count() == 1);
    drop(receiver);
    assert_eq!(rest(&connection), b"");
}

#[test]
fn a_hangup_is_no_answer_at_all() {
    let receiver = Receiver::start(|_| Answer::Hangup);
    let connection = connect(&receiver);
    send(&connection, "/", "");
    assert_eq!(rest(&connection), b"");
}

#[test]
fn garbage_is_not_http() {
    let receiver = Receiver::start(|_| Answer::Garbage);
    let connection = connect(&receiver);
    send(&connection, "/", "");
    assert!(!rest(&connection).starts_with(b"HTTP/"));
}

#[test]
fn a_trickle_adds_up_to_an_answer() {
    let receiver = Receiver::start(|_| Answer::Trickle(202));
    assert!(answer_to(&connect(&receiver), "/").starts_with("HTTP/1.1 202 "));
}

#[test]
fn an_endless_answer_goes_on_until_the_client_leaves() {
    let receiver = Receiver::start(|_| Answer::Endless);
    let connection = connect(&receiver);
    send(&connection, "/", "");
    let mut bytes = vec![0; 10_000_000];
    BufReader::new(&connection).read_exact(&mut bytes).unwrap();
    drop(connection);
    let left = || receiver.shared.state().connections.is_empty();
    wait::until("the receiver has noticed", left);
}

#[test]
fn a_receiver_that_disappeared_refuses_until_it_comes_back() {
    let receiver = Receiver::answering(200);
    let before = connect(&receiver);
    answer_to(&before, "/before");
    receiver.disappear();
    assert_eq!(rest(&before), b"");
    let refused = TcpStream::connect(receiver.address()).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    receiver.come_back();
    answer_to(&connect(&receiver), "/after");
    let paths: Vec<String> = receiver.received().into_iter().map(|one| one.path).collect();
    assert_eq!(paths, ["/before", "/after"]);
}

#[test]
fn it_has_settled_when_all_that_was_sent_has_arrived() {
    let receiver = Receiver::start(|_| Answer::Stall);
    for _ in 0..20 {
        send(&connect(&receiver), "/", "");
    }
    receiver.settle();
    assert_eq!(receiver.count(), 20);
}
