//! What those see who watch a server: its condition, its numbers, its log.

use std::thread;

use serde_json::{Value, json};
use windlass_testkit::http::Request;
use windlass_testkit::{Home, Served, wait};

use crate::Place;

/// A number of `/metrics`.
fn number(place: &Place, name: &str) -> Option<String> {
    let text = place.served.get("/metrics").ok().text();
    let value = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    value.map(str::to_owned)
}

#[test]
fn whether_it_is_there_and_ready_everybody_may_ask() {
    let place = Place::new(&[]);
    assert_eq!(place.served.send(&Request::get("/healthz")).ok().text(), "ok\n");
    assert_eq!(place.served.send(&Request::get("/readyz")).ok().text(), "ready\n");
}

#[test]
fn a_server_that_cannot_write_is_there_but_not_ready() {
    let home = Home::new();
    let run = home.windlass(&["serve", "--listen", "127.0.0.1:0"]);
    let served = Served::from_run(&home, &run.env("WINDLASS_DATABASE_WAIT", "10m"));
    let other = rusqlite::Connection::open(home.data().join("windlass/ledger.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        let adding = scope.spawn(|| {
            served.op("task.add", &json!({"title": "x", "project": "inbox"})).ok().status
        });
        let ready = || served.send(&Request::get("/readyz"));
        wait::until("the writer waits", || ready().status == 503);
        assert_eq!(served.send(&Request::get("/healthz")).ok().text(), "ok\n");
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(adding.join().unwrap(), 200);
        wait::until("the server is ready again", || ready().status == 200);
    });
}

#[test]
fn numbers_need_a_key() {
    let place = Place::new(&[]);
    let _problem = place.served.send(&Request::get("/metrics")).refused("key_required", 401);
}

#[test]
fn numbers_tell_what_was_done_and_what_waits() {
    let place = Place::new(&[]);
    let served = &place.served;
    let task = json!({"title": "x", "project": "inbox", "status": "ready"});
    let _added = served.op("task.add", &task).ok();
    let _refused = served.op("task.show", &json!({"task": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}));
    let is = |name: &str, expected: &str| {
        assert_eq!(number(&place, name).as_deref(), Some(expected), "{name}");
    };
    is("windlass_operations_total{operation=\"task.add\",code=\"ok\"}", "1");
    is("windlass_operations_total{operation=\"task.show\",code=\"task_not_found\"}", "1");
    is("windlass_operation_seconds_count{operation=\"task.add\"}", "1");
    is("windlass_commit_commands_count", "1");
    is("windlass_tasks{project=\"inbox\",status=\"ready\"}", "1");
    is("windlass_tasks_available{project=\"inbox\"}", "1");
    is("windlass_http_requests_total{status=\"404\"}", "1");
    is("windlass_outbox_deliveries", "0");
    is("windlass_followers", "0");
}

#[test]
fn numbers_tell_how_many_follow_and_whose_lease_ran_out() {
    let place = Place::new(&[]);
    let _stream = place.served.follow("");
    wait::until("it is counted", || number(&place, "windlass_followers").as_deref() == Some("1"));
    let task = json!({"title": "x", "project": "inbox", "status": "ready"});
    let _added = place.served.op("task.add", &task).ok();
    let claim = json!({"next": true, "agent": "kim", "lease": "1s"});
    let _claimed = place.served.op("task.claim", &claim).ok();
    assert_eq!(number(&place, "windlass_claims_held").as_deref(), Some("1"));
    wait::until("the lease runs out", || {
        number(&place, "windlass_leases_expired").as_deref() == Some("1")
    });
}

/// The lines of a log in JSON.
fn lines(served: &Served) -> Vec<Value> {
    served.log().lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn each_request_is_one_line_of_the_log() {
    let place = Place::new(&["--log", "json"]);
    let request = Request::get("/v1/tasks?text=private").header("x-request-id", "r-1");
    let _listed = place.served.send(&request.bearer(&place.served.token())).ok();
    let line = || lines(&place.served).into_iter().find(|line| line["request_id"] == "r-1");
    wait::until("it is written", || line().is_some());
    let line = line().unwrap();
    assert_eq!((&line["method"], &line["path"]), (&json!("GET"), &json!("/v1/tasks")));
    assert_eq!((&line["status"], &line["caller"]), (&json!(200), &json!("local")));
    assert!(line["ms"].is_u64(), "{line}");
}

#[test]
fn the_log_names_a_key_by_its_prefix_and_holds_no_secret() {
    let home = Home::new();
    let served = Served::from_run(
        &home,
        &home.windlass(&["serve", "--listen", "127.0.0.1:0"]).env("WINDLASS_LOG", "trace"),
    );
    let words = ["key", "create", "--for", "agent:kim", "--role", "worker", "--json"];
    let made = home.windlass(&words).run().ok().json();
    let key = made["key"].as_str().unwrap();
    let token = served.token();
    let body = json!({"title": "canary-of-the-body", "project": "inbox"});
    let _added = served.send(&Request::json("/v1/ops/task.add", &body).bearer(key)).ok();
    let _wrong = served.send(&Request::get("/v1/tasks").bearer("canary-that-is-no-key"));
    let _entered =
        served.send(&Request::post("/enter?x=canary-of-the-query", format!("key={token}")));
    let _last = served.send(&Request::get("/healthz").header("x-request-id", "the-last"));
    wait::until("all is written", || served.log().contains("the-last"));
    let log = served.log();
    assert!(log.contains(&key[..11]), "{log}");
    for secret in [&key[12..], token.as_str(), "canary"] {
        assert!(!log.contains(secret), "{secret}\n{log}");
    }
}

#[test]
fn a_level_that_is_none_is_refused() {
    let home = Home::new();
    let run = home.windlass(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    let outcome = run.env("WINDLASS_LOG", "windlass=loud").run();
    let _error = outcome.refused("invalid_value", 3);
}

#[test]
fn a_server_whose_log_nobody_reads_goes_on() {
    let home = Home::new();
    let script = "exec \"$0\" serve --listen 127.0.0.1:0 2>&-";
    let binary = windlass_testkit::home::binary().display().to_string();
    let served = Served::from_run(&home, &home.program("/bin/sh").args(["-c", script, &binary]));
    let _listed = served.get("/v1/tasks").ok();
}

#[test]
fn the_unit_for_systemd_names_the_binary_and_the_ledger() {
    let home = Home::new();
    let words = ["serve", "--print-systemd", "-p", "8080", "--name", "ledger.example"];
    let unit = home.windlass(&words).run().ok().stdout;
    let ledger = home.data().join("windlass/ledger.db");
    let binary = std::fs::canonicalize(windlass_testkit::home::binary()).unwrap();
    let start = format!(
        "ExecStart={} serve --listen 127.0.0.1:8080 --name ledger.example --rate 100 --log json \
         --db {}\n",
        binary.display(),
        ledger.display()
    );
    assert!(unit.contains(&start), "{unit}\n{start}");
    assert!(unit.contains("Restart=on-failure\n"), "{unit}");
    assert!(!ledger.exists());
}

#[test]
fn the_port_and_the_host_can_be_given_as_in_hzl() {
    let home = Home::new();
    let run = home.windlass(&["serve", "-p", "0", "-H", "127.0.0.1"]);
    let served = Served::from_run(&home, &run);
    assert_eq!(served.get("/healthz").ok().text(), "ok\n");
}
