//! A served ledger comes, answers and goes: what every test of a door stands on.

use serde_json::{Value, json};
use windlass_testkit::http::Request;
use windlass_testkit::{Home, Served};

fn add(served: &Served, title: &str) {
    served.op("task.add", &json!({"title": title, "project": "inbox"})).ok().json();
}

fn titles(home: &Home) -> Vec<String> {
    let list = home.windlass(&["task", "list", "--json"]).run().ok().json();
    let tasks = list.get("tasks").and_then(Value::as_array).into_iter().flatten();
    let titles = tasks.filter_map(|task| task.get("title")?.as_str());
    titles.map(str::to_owned).collect()
}

#[test]
fn what_a_server_was_told_the_command_line_sees() {
    let home = Home::new();
    let served = Served::start(&home, &[]);
    add(&served, "by the door");
    assert_eq!(titles(&home), ["by the door"]);
}

#[test]
fn nobody_is_let_in_without_the_token() {
    let home = Home::new();
    let served = Served::start(&home, &[]);
    let answer = served.send(&Request::json("/v1/ops/task.list", &json!({})));
    let _problem = answer.refused("key_required", 401);
}

#[test]
fn a_server_that_is_asked_to_stop_ends_well_and_takes_its_token_along() {
    let home = Home::new();
    let served = Served::start(&home, &[]);
    let token = served.token_file().clone();
    assert!(token.is_file());
    assert_eq!(served.stop().code(), Some(0));
    assert!(!token.exists());
}

#[test]
fn after_a_kill_another_server_takes_the_address_and_goes_on() {
    let home = Home::new();
    let served = Served::start(&home, &[]);
    let address = served.address();
    add(&served, "before");
    served.kill();
    let served = Served::start_at(&home, address, &[]);
    add(&served, "after");
    assert_eq!(titles(&home), ["before", "after"]);
}
