use std::net::TcpListener;

use serde_json::json;

use super::*;

/// A server that says these bytes to the first who asks, and hands over what it was asked.
fn saying(answer: impl Into<Vec<u8>>) -> (SocketAddr, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = answer.into();
    let server = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut asked = vec![0; 65_536];
        let length = connection.read(&mut asked).unwrap();
        connection.write_all(&answer).unwrap();
        String::from_utf8_lossy(&asked[..length]).into_owned()
    });
    (address, server)
}

#[test]
fn a_request_carries_its_headers_and_its_body() {
    let (address, server) = saying("HTTP/1.1 204 No Content\r\n\r\n");
    let request = Request::json("/v1/ops/task.add", &json!({"title": "x"})).bearer("secret");
    assert_eq!(send(address, &request).unwrap().status, 204);
    let expected = format!(
        "POST /v1/ops/task.add HTTP/1.1\r\nhost: {address}\r\ncontent-length: 13\r\n\
         connection: close\r\ncontent-type: application/json\r\nauthorization: Bearer secret\r\n\r\n\
         {{\"title\":\"x\"}}"
    );
    assert_eq!(server.join().unwrap(), expected);
}

#[test]
fn a_header_given_by_the_test_takes_the_place_of_the_usual_one() {
    let (address, server) = saying("HTTP/1.1 204 No Content\r\n\r\n");
    let answer = send(address, &Request::get("/").header("host", "evil.example")).unwrap();
    assert_eq!(answer.status, 204);
    let asked = server.join().unwrap();
    assert_eq!(asked.matches("host:").count(), 1, "{asked}");
    assert!(asked.contains("host: evil.example\r\n"), "{asked}");
}

#[test]
fn a_body_may_come_in_chunks_or_whole_or_until_the_end() {
    let answers = [
        "transfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n",
        "content-length: 7\r\n\r\n{\"a\":1}",
        "\r\n{\"a\":1}",
    ];
    for answer in answers {
        let (address, _server) = saying(format!("HTTP/1.1 200 OK\r\n{answer}"));
        assert_eq!(send(address, &Request::get("/")).unwrap().ok().json(), json!({"a": 1}));
    }
}

#[test]
fn an_answer_that_breaks_off_is_an_error() {
    for answer in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{"] {
        let (address, _server) = saying(answer);
        let error = send(address, &Request::get("/")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{answer:?}");
    }
}

#[test]
fn events_are_put_together_from_their_lines() {
    let lines =
        "retry: 1000\n\n: still here\n\nid: 7\nevent: task_created\ndata: {\"a\":\ndata: 1}\n\n";
    let chunk = format!("{:x}\r\n{lines}\r\n0\r\n\r\n", lines.len());
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n";
    let (address, _server) = saying(format!("{head}\r\n{chunk}"));
    let stream = follow(address, &Request::get("/"));
    assert_eq!(stream.heard(wait::LIMIT), Ok(Heard::Retry("1000".into())));
    assert_eq!(stream.heard(wait::LIMIT), Ok(Heard::Comment("still here".into())));
    let event = stream.event().unwrap();
    assert_eq!((event.id.as_str(), event.kind.as_str()), ("7", "task_created"));
    assert_eq!(event.json(), json!({"a": 1}));
    assert_eq!(stream.event(), None);
}

#[test]
#[should_panic(expected = "this is no stream of events")]
fn a_refusal_is_not_taken_for_a_stream() {
    let (address, _server) = saying("HTTP/1.1 401 Unauthorized\r\n\r\nno");
    drop(follow(address, &Request::get("/")));
}
