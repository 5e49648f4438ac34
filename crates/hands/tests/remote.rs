//! Requests to a server that is not always there, against one that fails by plan.

#![expect(clippy::unwrap_used, reason = "what goes wrong in a helper of a test ends the test")]

use std::fs;

use secrecy::SecretString;
use windlass_hands::remote::{Address, Again, Credential, Line, Lost, Reply, Request, Server};
use windlass_testkit::receiver::{Answer, Receiver};

fn server(receiver: &Receiver, credential: Credential) -> Server {
    let address = Address::parse(&receiver.url("/below")).unwrap();
    Server { address, credential, headers: vec![("windlass-user", "ada".to_owned())] }
}

fn request(again: Again) -> Request {
    let op_id = Some("k1".to_owned());
    Request { name: "task.add", body: "{}".to_owned(), op_id, session: None, again }
}

fn sent(receiver: &Receiver, again: Again) -> Result<Reply, Lost> {
    Line::to(server(receiver, Credential::Nothing)).unwrap().send(&request(again))
}

fn ours(status: u16) -> Answer {
    Answer::with_header(status, "windlass-version", "0.1.0")
}

#[test]
fn a_request_carries_the_operation_the_caller_and_the_op_id() {
    let receiver = Receiver::start(|_| ours(200));
    let key = Credential::Key(SecretString::from("wl_key"));
    let reply = Line::to(server(&receiver, key)).unwrap().send(&request(Again::Always)).unwrap();
    assert_eq!((reply.status, reply.body.as_str()), (200, "received"));
    let got = receiver.received().remove(0);
    assert_eq!((got.method.as_str(), got.path.as_str()), ("POST", "/below/v1/ops/task.add"));
    let header = |name| got.header(name).unwrap_or_default().to_owned();
    assert_eq!(header("authorization"), "Bearer wl_key");
    assert_eq!((header("windlass-op-id"), header("windlass-user")), ("k1".into(), "ada".into()));
    assert_eq!(header("windlass-version"), windlass_hands::remote::VERSION);
}

#[test]
fn one_connection_serves_many_requests() {
    let receiver = Receiver::start(|_| ours(200));
    let line = Line::to(server(&receiver, Credential::Nothing)).unwrap();
    for _ in 0..3 {
        line.send(&request(Again::Always)).unwrap();
    }
    assert_eq!((receiver.count(), receiver.connections()), (3, 1));
}

#[test]
fn a_lost_connection_is_tried_again() {
    let receiver = Receiver::start(|got| match got.number {
        0 => Answer::Hangup,
        1 => Answer::Garbage,
        2 => Answer::status(502),
        _ => ours(200),
    });
    assert_eq!(sent(&receiver, Again::Always).unwrap().status, 200);
    assert_eq!(receiver.count(), 4);
}

#[test]
fn after_the_fifth_repetition_it_is_given_up() {
    let receiver = Receiver::start(|_| Answer::Hangup);
    assert!(sent(&receiver, Again::Always).unwrap_err().may_have_arrived);
    assert_eq!(receiver.count(), 6);
}

#[test]
fn what_may_have_arrived_is_not_sent_again_where_it_must_not_be() {
    let receiver = Receiver::start(|_| Answer::Hangup);
    assert!(sent(&receiver, Again::Unarrived).unwrap_err().may_have_arrived);
    assert_eq!(receiver.count(), 1);
}

#[test]
fn where_nobody_listens_nothing_can_have_arrived() {
    let receiver = Receiver::answering(200);
    receiver.disappear();
    let lost = sent(&receiver, Again::Unarrived).unwrap_err();
    assert!(!lost.may_have_arrived);
    assert_eq!(lost.reason, "cannot connect: connection refused");
}

/// An answer that says that waiting helps.
fn later(status: u16) -> Answer {
    let headers = [("windlass-version", "0.1.0"), ("retry-after", "1")];
    Answer::Status(status, headers.map(|(name, value)| (name.into(), value.into())).into())
}

#[test]
fn a_key_that_came_too_often_comes_again_even_where_nothing_may_arrive_twice() {
    let receiver = Receiver::start(|got| if got.number < 2 { later(429) } else { ours(200) });
    assert_eq!(sent(&receiver, Again::Unarrived).unwrap().status, 200);
    assert_eq!(receiver.count(), 3);
}

#[test]
fn a_server_that_asks_for_patience_is_asked_again_and_believed_in_the_end() {
    let receiver = Receiver::start(|_| later(503));
    assert_eq!(sent(&receiver, Again::Always).unwrap().status, 503);
    assert_eq!(receiver.count(), 6);
}

#[test]
fn an_error_of_the_server_is_an_answer() {
    for status in [400, 401, 409, 500, 503] {
        let receiver = Receiver::start(move |_| ours(status));
        assert_eq!(sent(&receiver, Again::Always).unwrap().status, status);
        assert_eq!(receiver.count(), 1);
    }
}

#[test]
fn a_token_that_changed_meanwhile_is_shown_instead() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("1.token");
    fs::write(&file, "old\n").unwrap();
    let theirs = file.clone();
    let receiver = Receiver::start(move |got| {
        if got.header("authorization") == Some("Bearer new") {
            return ours(200);
        }
        fs::write(&theirs, "new\n").unwrap();
        ours(401)
    });
    let line = Line::to(server(&receiver, Credential::TokenFile(file))).unwrap();
    assert_eq!(line.send(&request(Again::Always)).unwrap().status, 200);
    assert_eq!(receiver.count(), 2);
}
