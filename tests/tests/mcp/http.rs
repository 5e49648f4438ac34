//! `/mcp` of a server: sessions, streams, and who may come in.

use std::fs::{self, File};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use windlass_testkit::http::{self, Request, Response, Stream, follow};
use windlass_testkit::server::Served;
use windlass_testkit::wait;
use windlass_tests::ledgers::{Ledger, text};

use crate::talk::{greeting, request, tool};

const SESSION: &str = "mcp-session-id";

pub(crate) fn serve(ledger: &Ledger) -> Served {
    let _created = ledger.answer(&["project", "create", "api"]);
    Served::from_run(&ledger.home, &ledger.windlass(&["serve", "--listen", "127.0.0.1:0"]))
}

fn message(path: &str, secret: &str, message: &Value) -> Request {
    Request::json(path, message)
        .bearer(secret)
        .header("accept", "application/json, text/event-stream")
}

/// The message that a stream ends with.
#[track_caller]
fn said(response: &Response) -> Value {
    let text = response.text();
    let mut data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let last = data.rfind(|data| !data.trim().is_empty());
    serde_json::from_str(last.unwrap_or(&text)).unwrap()
}

/// A session of somebody.
pub(crate) struct Session<'a> {
    served: &'a Served,
    path: String,
    secret: String,
    id: String,
}

impl<'a> Session<'a> {
    #[track_caller]
    pub(crate) fn begin(served: &'a Served, path: &str, secret: &str) -> Self {
        let greeted = served.send(&message(path, secret, &request(0, "initialize", greeting())));
        let greeted = greeted.ok();
        assert_eq!(said(&greeted)["result"]["serverInfo"]["name"], "windlass");
        let id = greeted.header(SESSION).unwrap().to_owned();
        Self { served, path: path.to_owned(), secret: secret.to_owned(), id }
    }

    #[track_caller]
    fn send(&self, secret: &str, method: &str, params: Value) -> Response {
        let asked = message(&self.path, secret, &request(1, method, params));
        self.served.send(&asked.header(SESSION, self.id.clone()))
    }

    #[track_caller]
    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        said(&self.send(&self.secret, method, params).ok())
    }

    #[track_caller]
    pub(crate) fn call(&self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", tool(name, arguments))["result"].clone()
    }

    fn listen(&self) -> Stream {
        let request = Request::get(&self.path)
            .bearer(&self.secret)
            .header("accept", "text/event-stream")
            .header(SESSION, self.id.clone());
        follow(self.served.address(), &request)
    }
}

/// The next message of a stream, past what only begins it.
#[track_caller]
fn next(stream: &Stream) -> Value {
    loop {
        let event = stream.event().unwrap();
        if !event.data.is_empty() {
            return event.json();
        }
    }
}

pub(crate) fn key(ledger: &Ledger, owner: &str, rest: &[&str]) -> String {
    let words = ["key", "create", "--for", owner, "--role", "worker"];
    text(&ledger.answer(&[&words, rest].concat())["key"])
}

#[test]
fn an_agent_with_a_key_works_from_start_to_done() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let task = ledger.add(&["-P", "api", "-s", "ready"]);
    let session = Session::begin(&served, "/mcp", &key(&ledger, "agent:worker-1", &[]));
    let selected = session.call("start", json!({}))["structuredContent"]["selected"].clone();
    assert_eq!(selected["task_id"], task.as_str());
    let done = json!({"task": task, "fence": selected["fence"], "comment": "checked"});
    assert_eq!(session.call("complete", done)["structuredContent"]["status"], "done");
    assert_eq!(ledger.answer(&["task", "show", &task])["task"]["agent"], "worker-1");
}

#[test]
fn a_key_acts_as_its_owner_and_nobody_else() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let _task = ledger.add(&["-P", "api", "-s", "ready"]);
    let session = Session::begin(&served, "/mcp", &key(&ledger, "agent:worker-1", &[]));
    let refused = session.call("start", json!({"agent": "anna"}));
    assert_eq!(refused["isError"], true);
    assert_eq!(refused["structuredContent"]["code"], "not_allowed", "{refused}");
}

#[test]
fn the_session_of_one_is_not_there_for_another() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let (one, two) = (key(&ledger, "agent:one", &[]), key(&ledger, "agent:two", &[]));
    let session = Session::begin(&served, "/mcp", &one);
    for other in [&two, &served.token()] {
        let _refused = session.send(other, "tools/list", json!({})).refused("path_not_found", 404);
        let end = Request::new("DELETE", "/mcp").bearer(other).header(SESSION, session.id.clone());
        let _refused = served.send(&end).refused("path_not_found", 404);
    }
    assert!(session.ask("tools/list", json!({}))["result"].is_object());
}

#[test]
fn what_the_protocol_refuses_is_told_with_a_code_and_a_hint() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let token = served.token();
    let list = request(1, "tools/list", json!({}));
    let no_accept = Request::json("/mcp", &list).bearer(&token).header("accept", "text/plain");
    let put = Request::new("PUT", "/mcp").bearer(&token);
    for (request, status) in [(no_accept, 406), (put, 405)] {
        let problem = served.send(&request).refused("usage", status);
        assert_eq!(problem["status"], status);
        assert!(problem["hint"].is_string(), "{problem}");
    }
    let without_session = served.send(&message("/mcp", &token, &list));
    let problem = without_session.refused("usage", without_session.status);
    assert!(text(&problem["hint"]).contains("Mcp-Session-Id"), "{problem}");
}

#[test]
fn a_message_of_nothing_is_refused() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    for body in ["", " \n"] {
        let request = Request::post("/mcp", body).bearer(&served.token());
        let answer = served.send(&request.header("accept", "application/json, text/event-stream"));
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(-32700)));
    }
}

#[test]
fn a_misspelt_query_is_refused() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let greeting = request(0, "initialize", greeting());
    let answer = served.send(&message("/mcp?tool=all", &served.token(), &greeting));
    assert_eq!(answer.refused("unknown_field", 422)["suggestions"], json!(["tools"]));
}

#[test]
fn without_a_valid_key_there_is_not_even_a_session() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let greeting = request(0, "initialize", greeting());
    let revoked = key(&ledger, "agent:gone", &[]);
    revoke(&ledger, &revoked);
    for secret in ["", "wl_wrong", &revoked] {
        let answer = served.send(&message("/mcp", secret, &greeting));
        let _same = answer.refused("key_required", 401);
    }
}

#[test]
fn a_key_that_is_revoked_ends_its_session() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let secret = key(&ledger, "agent:worker-1", &[]);
    let session = Session::begin(&served, "/mcp", &secret);
    revoke(&ledger, &secret);
    let answer = session.send(&secret, "tools/list", json!({}));
    let _refused = answer.refused("key_required", 401);
}

#[test]
fn a_page_elsewhere_cannot_come_in() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let greeting = message("/mcp", &served.token(), &request(0, "initialize", greeting()));
    for (name, value) in [("origin", "http://evil.example"), ("host", "evil.example")] {
        let answer = served.send(&greeting.clone().header(name, value));
        let _refused = answer.refused("foreign_origin", 403);
    }
}

#[test]
fn tools_are_chosen_by_the_address_or_by_the_key() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let count = |path: &str, secret: &str| {
        let session = Session::begin(&served, path, secret);
        session.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len()
    };
    let token = served.token();
    let own = key(&ledger, "agent:worker-1", &["--tools", "dep"]);
    assert_eq!(count("/mcp", &token), 12);
    assert_eq!(count("/mcp?tools=default,dep", &token), 15);
    assert_eq!(count("/mcp", &own), 3);
    assert_eq!(count("/mcp?tools=default", &own), 12);
    let greeting = request(0, "initialize", greeting());
    let answer = served.send(&message("/mcp?tools=taks", &token, &greeting));
    let problem = answer.refused("invalid_value", 422);
    assert!(text(&problem["hint"]).starts_with("use all, default, "), "{problem}");
}

#[test]
fn bad_messages_are_answered_with_errors() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let token = served.token();
    let post = |body: &str| {
        let request = Request::post("/mcp", body)
            .bearer(&token)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        served.send(&request)
    };
    for (body, code) in [("{\"jsonrpc\":", -32700), ("[]", -32600), ("{}", -32600)] {
        let answer = post(body);
        assert_eq!(answer.status, 400, "{answer}");
        assert_eq!(answer.json()["error"]["code"], code, "{answer}");
    }
    let _large = post(&"x".repeat(2 * 1024 * 1024)).refused("too_large", 413);
    let early = served.send(&message("/mcp", &token, &request(1, "tools/list", json!({}))));
    assert!((400..500).contains(&early.status), "{early}");
    let session = Session::begin(&served, "/mcp", &token);
    let wrong = session.call("complete", json!({"task": 5}));
    assert_eq!(wrong["structuredContent"]["code"], "invalid_value", "{wrong}");
}

#[test]
fn whoever_subscribes_hears_of_changes_on_a_stream_of_its_own() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let task = ledger.add(&["-P", "api", "-s", "ready"]);
    let session = Session::begin(&served, "/mcp", &served.token());
    let stream = session.listen();
    let uri = format!("windlass://task/{task}");
    let subscribed = session.ask("resources/subscribe", json!({"uri": uri}));
    assert!(subscribed["result"].is_object(), "{subscribed}");
    let _told = ledger.answer(&["task", "comment", &task, "look"]);
    let notified = next(&stream);
    assert_eq!(notified["method"], "notifications/resources/updated");
    assert_eq!(notified["params"]["uri"], uri.as_str());
}

#[test]
fn a_session_that_was_ended_is_gone() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let token = served.token();
    let session = Session::begin(&served, "/mcp", &token);
    let end = Request::new("DELETE", "/mcp").bearer(&token).header(SESSION, session.id.clone());
    assert!(served.send(&end).status < 300);
    assert_eq!(session.send(&token, "tools/list", json!({})).status, 404);
}

#[test]
fn a_server_that_stops_ends_the_streams_of_its_sessions() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let stream = Session::begin(&served, "/mcp", &served.token()).listen();
    let asked = Instant::now();
    assert!(served.stop().success());
    assert!(asked.elapsed() < wait::LIMIT / 4, "it waited for a stream");
    while stream.event().is_some() {}
}

/// The lock of the writers of a ledger, taken as another Windlass would take it.
fn held(ledger: &Ledger) -> File {
    let lock = File::options().read(true).write(true).open(format!("{}.lock", ledger.address));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    lock
}

/// The answer to a call that waited for the ledger while the server was told to stop.
#[track_caller]
fn answer_of_a_server_that_stops(ledger: &Ledger, served: Served, call: Request) -> Response {
    let lock = held(ledger);
    let (address, waiting) =
        (served.address(), format!("-> FLOCK  ADVISORY  WRITE {} ", served.id()));
    let caller = thread::spawn(move || http::send(address, &call).unwrap());
    wait::until("the call waits for the ledger", || {
        fs::read_to_string("/proc/locks").unwrap().contains(&waiting)
    });
    served.ask_to_stop();
    wait::until("nobody else is let in", || TcpStream::connect(address).is_err());
    lock.unlock().unwrap();
    let answer = caller.join().unwrap();
    assert!(served.stop().success());
    answer
}

#[test]
fn a_call_of_a_session_is_answered_though_the_server_stops() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let token = served.token();
    let session = Session::begin(&served, "/mcp", &token).id;
    let add = tool("add", json!({"title": "at the last moment", "project": "api"}));
    let call = message("/mcp", &token, &request(1, "tools/call", add)).header(SESSION, session);
    let answer = answer_of_a_server_that_stops(&ledger, served, call);
    assert_eq!(said(&answer)["result"]["isError"], false, "{answer}");
}

#[test]
fn a_call_without_a_session_is_answered_though_the_server_stops() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let add = json!({"title": "at the last moment", "project": "api"});
    let params = json!({"name": "add", "arguments": add, "_meta": newest()});
    let call = newer(&served.token(), "tools/call", params).header("mcp-name", "add");
    let answer = answer_of_a_server_that_stops(&ledger, served, call);
    assert_eq!(said(&answer)["result"]["isError"], false, "{answer}");
}

/// Whether the thread is there that watches the log for subscriptions.
fn is_watching(served: &Served) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", served.id())).unwrap().flatten();
    let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).ok();
    threads.filter_map(name).any(|name| name.trim() == "mcp watch")
}

#[test]
fn nothing_is_watched_for_a_session_that_was_ended() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let session = Session::begin(&served, "/mcp", &served.token());
    let _subscribed =
        session.ask("resources/subscribe", json!({"uri": "windlass://project/api/board"}));
    assert!(is_watching(&served));
    let end = Request::new("DELETE", "/mcp").bearer(&session.secret);
    assert!(served.send(&end.header(SESSION, session.id.clone())).status < 300);
    wait::until("nothing is watched", || !is_watching(&served));
}

#[test]
fn one_key_cannot_take_all_sessions_whatever_its_headers_say() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let (greedy, other) = (key(&ledger, "agent:greedy", &[]), key(&ledger, "agent:other", &[]));
    let mut newest = greeting();
    newest["protocolVersion"] = "2026-07-28".into();
    let greet = |secret: &str| {
        let greeting = message("/mcp", secret, &request(0, "initialize", newest.clone()));
        served.send(&greeting.header("mcp-protocol-version", "2026-07-28"))
    };
    for _ in 0..128 {
        let _begun = greet(&greedy).ok();
    }
    let refused = greet(&greedy).refused("server_busy", 503);
    assert_eq!(refused["details"]["limit"], 128, "{refused}");
    let _begun = greet(&other).ok();
}

#[test]
fn whoever_listens_hears_of_so_many_addresses_and_no_more() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let uris: Vec<_> =
        (0..300).map(|number| format!("windlass://project/p{number}/board")).collect();
    let wanted = json!({"notifications": {"resourceSubscriptions": uris}, "_meta": newest()});
    let stream = follow(served.address(), &newer(&served.token(), "subscriptions/listen", wanted));
    let accepted = next(&stream)["params"]["notifications"]["resourceSubscriptions"].clone();
    assert_eq!(accepted.as_array().map(Vec::len), Some(256), "{accepted}");
}

fn revoke(ledger: &Ledger, secret: &str) {
    let prefix: String = secret.chars().take(11).collect();
    let _revoked = ledger.answer(&["key", "revoke", &prefix]);
}

#[test]
fn a_key_that_is_revoked_ends_the_stream_of_its_session() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let secret = key(&ledger, "agent:worker-1", &[]);
    let stream = Session::begin(&served, "/mcp", &secret).listen();
    revoke(&ledger, &secret);
    while stream.event().is_some() {}
}

#[test]
fn a_key_that_is_revoked_hears_of_no_changes_any_more() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let secret = key(&ledger, "agent:worker-1", &[]);
    let uris = ["windlass://project/api/board"];
    let wanted = json!({"notifications": {"resourceSubscriptions": uris}, "_meta": newest()});
    let stream = follow(served.address(), &newer(&secret, "subscriptions/listen", wanted));
    let _acknowledged = next(&stream);
    revoke(&ledger, &secret);
    while stream.event().is_some() {}
}

/// What a client of the newest version says about itself with each request.
fn newest() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request of such a client, which has no session.
fn newer(secret: &str, method: &str, params: Value) -> Request {
    message("/mcp", secret, &request(1, method, params))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
}

#[test]
fn a_client_of_the_newest_version_needs_no_session() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let call = json!({"name": "list", "arguments": {}, "_meta": newest()});
    let asked = newer(&served.token(), "tools/call", call).header("mcp-name", "list");
    let answer = served.send(&asked).ok();
    assert_eq!(said(&answer)["result"]["structuredContent"]["total"], 0, "{answer}");
    assert!(answer.header(SESSION).is_none(), "{answer}");
}

#[test]
fn the_log_shows_neither_what_is_said_nor_by_what_one_came_in() {
    let ledger = Ledger::on_sqlite();
    let _created = ledger.answer(&["project", "create", "api"]);
    let serve = ledger.windlass(&["serve", "--listen", "127.0.0.1:0"]).env("WINDLASS_LOG", "trace");
    let served = Served::from_run(&ledger.home, &serve);
    let token = served.token();
    let session = Session::begin(&served, "/mcp", &token);
    let added = session.call("add", json!({"title": "a canary", "project": "api"}));
    assert_eq!(added["isError"], false, "{added}");
    let _refused = session.call("complete", json!({"task": "a canary"}));
    wait::until("the log tells of the requests", || served.log().matches("/mcp").count() >= 3);
    let log = served.log();
    for secret in ["canary", &token, &session.id] {
        assert!(!log.contains(secret), "{secret} in\n{log}");
    }
}
