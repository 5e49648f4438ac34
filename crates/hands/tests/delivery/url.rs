//! To a URL.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use windlass_hands::delivery::{Outcome, Secret, Target};
use windlass_testkit::receiver::{Answer, Receiver};

use super::{CANARY, courier, deliver, hand_over, message, reason, url, with_header};

const DELIVERED: Outcome = Outcome::Delivered { status: Some(200) };

fn moved(status: u16, location: impl Into<String>) -> Answer {
    Answer::with_header(status, "location", location)
}

#[test]
fn a_message_is_posted_as_json_under_its_id() {
    let receiver = Receiver::answering(200);
    assert_eq!(deliver(&url(receiver.url("/hook?a=1"))), DELIVERED);
    let request = receiver.received().remove(0);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/hook?a=1"));
    assert_eq!(request.body, message().body);
    for (name, expected) in [
        ("webhook-id", Some("msg_1")),
        ("webhook-timestamp", Some("1700000000")),
        ("webhook-signature", None),
        ("content-type", Some("application/json")),
        ("user-agent", Some(concat!("windlass/", env!("CARGO_PKG_VERSION")))),
    ] {
        assert_eq!(request.header(name), expected, "{name}");
    }
}

/// The signature was computed with Python's `hmac`.
#[test]
fn a_message_is_signed_when_there_is_a_secret() {
    let receiver = Receiver::answering(200);
    let secret = Some(Secret::Variable("TOKEN".to_owned()));
    assert_eq!(deliver(&Target { secret, ..url(receiver.url("/")) }), DELIVERED);
    let signature = receiver.received().remove(0).header("webhook-signature").map(str::to_owned);
    assert_eq!(signature.as_deref(), Some("v1,gF11Be3t2zBIEtAWa1WYUvBYOpQ23JnLLKhB9iElgsk="));
}

#[test]
fn headers_are_sent_with_what_their_variables_stand_for() {
    let receiver = Receiver::answering(200);
    let target = with_header(receiver.url("/"), "Authorization", "Bearer $TOKEN");
    assert_eq!(deliver(&target), DELIVERED);
    let request = receiver.received().remove(0);
    assert_eq!(request.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
}

#[test]
fn a_header_of_the_target_replaces_our_default() {
    let receiver = Receiver::answering(200);
    let json = "application/cloudevents+json";
    assert_eq!(deliver(&with_header(receiver.url("/"), "content-type", json)), DELIVERED);
    let headers = receiver.received().remove(0).headers;
    let types: Vec<_> = headers.iter().filter(|(name, _)| name == "content-type").collect();
    assert_eq!(types, [&("content-type".to_owned(), json.to_owned())]);
}

#[test]
fn what_cannot_be_sent_is_refused_with_a_reason_that_shows_no_value() {
    let receiver = Receiver::answering(200);
    let here = receiver.url("/");
    for (name, value, expected) in [
        ("X-Key", "$NO_SUCH", "header x-key: variable NO_SUCH is not set"),
        ("X-Key", "$TOKEN $", "header x-key: a dollar names no variable (write $$ for a dollar)"),
        ("X-Key", "$BROKEN", "header x-key: its value holds a character that HTTP forbids"),
        ("X Key", "$TOKEN", "header X Key: not a name that HTTP allows"),
        ("", "$TOKEN", "header : not a name that HTTP allows"),
    ] {
        assert_eq!(reason(&with_header(&here, name, value)), expected);
    }
    for (secret, expected) in [
        (Secret::Variable("NO_SUCH".to_owned()), "secret: variable NO_SUCH is not set"),
        (Secret::Itself("whsec_$TOKEN".to_owned()), "the secret is not base64 after whsec_"),
        (Secret::Itself(String::new()), "the secret is empty"),
    ] {
        assert_eq!(reason(&Target { secret: Some(secret), ..url(&here) }), expected);
    }
    assert_eq!(receiver.count(), 0);
}

#[test]
fn a_url_that_cannot_be_posted_to_is_refused() {
    for (bad, expected) in [
        ("", "not a URL: relative URL without a base"),
        ("/hook", "not a URL: relative URL without a base"),
        ("http://", "not a URL: empty host"),
        ("ftp://here.example/", "a URL begins with http:// or https://, not ftp:"),
        ("file:///etc/passwd", "a URL begins with http:// or https://, not file:"),
        (
            "https://me:canary@here.example/",
            "the URL names a user or password: use a header with a $NAME",
        ),
    ] {
        assert_eq!(reason(&url(bad)), expected);
    }
}

#[test]
fn a_secret_with_a_dollar_is_taken_as_it_is() {
    let receiver = Receiver::answering(200);
    let sign = |secret| {
        let target = Target { secret: Some(secret), ..url(receiver.url("/")) };
        assert_eq!(deliver(&target), DELIVERED);
    };
    sign(Secret::Itself("$TOKEN".to_owned()));
    sign(Secret::Variable("TOKEN".to_owned()));
    sign(Secret::Itself("pa$$w0rd $".to_owned()));
    let requests = receiver.received();
    let signatures: HashSet<_> = requests.iter().map(|r| r.header("webhook-signature")).collect();
    assert_eq!(signatures.len(), 3);
}

#[test]
fn a_reason_does_not_show_the_query_of_the_url() {
    for answer in [|| Answer::Garbage, || Answer::Hangup] {
        let receiver = Receiver::start(move |_| answer());
        let reason = reason(&url(receiver.url("/?key=canary")));
        assert!(!reason.contains("canary"), "{reason}");
    }
}

#[test]
fn a_target_does_not_show_its_secrets() {
    let secret = Some(Secret::Itself(CANARY.to_owned()));
    let address = format!("https://here.example/{CANARY}?{CANARY}");
    let limit = Duration::from_secs(10);
    let target = Target { secret, limit, ..with_header(address, "x-key", CANARY) };
    let shown = format!("{target:?}");
    let expected = "Target { address: Url { origin: Some(\"https://here.example\"), \
                    headers: [\"x-key\"] }, signed: true, limit: 10s }";
    assert_eq!(shown, expected);
}

#[test]
fn whatever_begins_with_two_is_delivered() {
    for status in [200, 201, 202, 204, 299] {
        let receiver = Receiver::answering(status);
        let expected = Outcome::Delivered { status: Some(status) };
        assert_eq!(deliver(&url(receiver.url("/"))), expected);
    }
}

#[test]
fn any_other_answer_is_a_failure() {
    for status in [304, 400, 404, 500, 503, 999] {
        let receiver = Receiver::answering(status);
        assert_eq!(reason(&url(receiver.url("/"))), format!("answered {status}"));
    }
}

#[test]
fn gone_is_for_good() {
    let receiver = Receiver::answering(410);
    let reason = "answered 410".to_owned();
    let expected = Outcome::Failed { reason, retry_after: None, for_good: true };
    assert_eq!(deliver(&url(receiver.url("/"))), expected);
}

#[test]
fn a_receiver_says_how_long_it_wants_to_be_left_alone() {
    // Two minutes after the timestamp of the message.
    for asked in ["120", "Tue, 14 Nov 2023 22:15:20 GMT"] {
        let receiver = Receiver::start(move |_| Answer::with_header(429, "retry-after", asked));
        let (reason, retry_after) = ("answered 429".to_owned(), Some(Duration::from_mins(2)));
        let expected = Outcome::Failed { reason, retry_after, for_good: false };
        assert_eq!(deliver(&url(receiver.url("/"))), expected, "{asked}");
    }
}

#[test]
fn a_redirect_to_the_same_host_carries_the_whole_message() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/old" => moved(307, "/older"),
        "/older" => moved(308, "new"),
        _ => Answer::status(200),
    });
    assert_eq!(deliver(&with_header(receiver.url("/old"), "x-key", "$TOKEN")), DELIVERED);
    let requests = receiver.received();
    let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/old", "/older", "/new"]);
    for request in &requests {
        assert_eq!((request.method.as_str(), &request.body), ("POST", &message().body));
        assert_eq!(request.headers, requests[0].headers);
    }
}

#[test]
fn a_redirect_to_another_host_is_not_followed() {
    let other = Receiver::answering(200);
    let location = other.url("/?secret=canary");
    let receiver = Receiver::start(move |_| moved(307, &location));
    let origin = format!("http://{}", other.address());
    let expected = format!("redirected to {origin}, which is not followed");
    assert_eq!(reason(&url(receiver.url("/"))), expected);
    assert_eq!(other.count(), 0);
}

#[test]
fn a_redirect_that_would_lose_the_message_is_not_followed() {
    let receiver = Receiver::start(|_| moved(302, "/new"));
    let expected = "answered 302: only 307 and 308 are followed";
    assert_eq!(reason(&url(receiver.url("/"))), expected);
    assert_eq!(receiver.count(), 1);
}

#[test]
fn a_circle_of_redirects_comes_to_an_end() {
    let receiver = Receiver::start(|_| moved(307, "/"));
    assert_eq!(reason(&url(receiver.url("/"))), "redirected more than 3 times");
    assert_eq!(receiver.count(), 4);
}

#[test]
fn a_receiver_that_is_not_there_refuses() {
    let receiver = Receiver::answering(200);
    receiver.disappear();
    assert_eq!(reason(&url(receiver.url("/"))), "cannot connect: connection refused");
}

#[test]
fn a_receiver_that_never_answers_is_given_up() {
    let receiver = Receiver::start(|_| Answer::Stall);
    let limit = Duration::from_millis(50);
    let target = Target { limit, ..url(receiver.url("/")) };
    assert_eq!(reason(&target), "timed out after 50ms");
}

#[test]
fn an_answer_may_come_byte_by_byte() {
    let receiver = Receiver::start(|_| Answer::Trickle(200));
    assert_eq!(deliver(&url(receiver.url("/"))), DELIVERED);
}

#[test]
fn an_answer_without_end_is_not_waited_for() {
    let receiver = Receiver::start(|_| Answer::Endless);
    assert_eq!(deliver(&url(receiver.url("/"))), DELIVERED);
}

/// A listener that takes one request and then sends the same bytes until nobody reads them.
fn flooding(first: &'static [u8], then: &'static [u8]) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let flood = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        // Whoever has already left will not read the flood either.
        drop(connection.read(&mut [0; 4096]));
        connection.write_all(first).ok();
        while connection.write_all(then).is_ok() {}
    });
    (address, flood)
}

#[test]
fn a_head_without_end_is_not_an_answer() {
    let (address, flood) = flooding(b"HTTP/1.1 200 OK\r\nx: ", b"0123456789abcdef");
    assert_eq!(reason(&url(address)), "no usable answer: message head is too large");
    flood.join().unwrap();
}

#[test]
fn headers_without_end_are_not_an_answer() {
    let (address, flood) = flooding(b"HTTP/1.1 200 OK\r\n", b"x: y\r\n");
    assert_eq!(reason(&url(address)), "no usable answer: message head is too large");
    flood.join().unwrap();
}

#[test]
fn promises_of_an_answer_without_end_run_into_the_limit() {
    let (address, flood) = flooding(b"", b"HTTP/1.1 100 Continue\r\n\r\n");
    let target = Target { limit: Duration::from_millis(500), ..url(address) };
    assert_eq!(reason(&target), "timed out after 500ms");
    flood.join().unwrap();
}

#[test]
fn garbage_is_not_an_answer() {
    let receiver = Receiver::start(|_| Answer::Garbage);
    let expected = "no usable answer: invalid HTTP version parsed";
    assert_eq!(reason(&url(receiver.url("/"))), expected);
}

#[test]
fn a_hangup_is_not_an_answer() {
    let receiver = Receiver::start(|_| Answer::Hangup);
    let expected = "no usable answer: connection closed before message completed";
    assert_eq!(reason(&url(receiver.url("/"))), expected);
}

#[test]
fn tls_to_a_receiver_that_has_none_fails() {
    let (address, flood) = flooding(b"", b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let reason = reason(&url(address.replace("http:", "https:")));
    assert_eq!(reason, "cannot connect: received corrupt message of type InvalidContentType");
    flood.join().unwrap();
}

#[test]
fn connections_are_kept_for_the_next_message() {
    let receiver = Receiver::start(|request| Answer::status([200, 503][request.number % 2]));
    let mut courier = courier(1);
    for key in 0..100 {
        hand_over(&mut courier, key, &url(receiver.url("/")), message());
    }
    while courier.under_way() > 0 {
        drop(courier.outcomes());
    }
    assert_eq!((receiver.count(), receiver.connections()), (100, 1));
}
