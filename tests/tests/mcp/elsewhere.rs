//! `windlass mcp --server`: the same tools, and a server that does what they ask for.

use serde_json::json;
use windlass_testkit::server::Served;
use windlass_tests::ledgers::{Ledger, text};

use crate::http::{key, serve};
use crate::talk::Talk;

#[test]
fn the_tools_of_a_ledger_elsewhere_are_the_same() {
    let ledger = Ledger::on_sqlite();
    let _created = ledger.answer(&["project", "create", "api"]);
    let task = ledger.add(&["-P", "api", "-s", "ready"]);
    let serve = ledger.windlass(&["serve", "--listen", "127.0.0.1:0"]);
    let served = Served::from_run(&ledger.home, &serve);
    let words = ["mcp", "--agent", "worker-1", "--server", &served.url("")];
    let mut client = Talk::greet(&ledger.home.windlass(&words));
    let selected = client.call("start", json!({}))["selected"].clone();
    assert_eq!(selected["task_id"], task.as_str());
    let done = client.call("complete", json!({"task": task, "fence": selected["fence"]}));
    assert_eq!(done["agent"], "worker-1");
    assert!(done.get("op_id").is_none(), "{done}");
    assert_eq!(client.refused("show", json!({"task": "ZZZZZZ"}))["code"], "task_not_found");
    let uri = format!("windlass://task/{task}");
    let read = client.result("resources/read", json!({"uri": uri}));
    assert!(text(&read["contents"][0]["text"]).contains(&task), "{read}");
    let answer = client.ask("resources/subscribe", json!({"uri": uri}));
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
}

#[test]
fn a_server_that_is_not_there_is_an_answer_of_the_tool() {
    let ledger = Ledger::on_sqlite();
    let server = "http://127.0.0.1:9";
    let mut client = Talk::greet(&ledger.home.windlass(&["mcp", "--server", server]));
    assert_eq!(client.refused("list", json!({}))["code"], "server_unreachable");
}

#[test]
fn c122_the_tools_of_a_ledger_elsewhere_are_those_that_the_key_may_use() {
    let ledger = Ledger::on_sqlite();
    let served = serve(&ledger);
    let address = served.url("");
    let names = |secret: &str, tools: &[&str]| {
        let words = [&["mcp", "--server", &address][..], tools].concat();
        let mut client = Talk::greet(&ledger.home.windlass(&words).env("WINDLASS_KEY", secret));
        let listed = client.result("tools/list", json!({}))["tools"].clone();
        let listed = listed.as_array().unwrap().iter();
        listed.map(|tool| text(&tool["name"])).collect::<Vec<_>>()
    };
    let all = ["--tools", "all"];
    let worker = names(&key(&ledger, "agent:w1", &[]), &all);
    assert!(worker.contains(&"task_claim".to_owned()), "{worker:?}");
    assert!(!worker.contains(&"key_create".to_owned()), "{worker:?}");
    let own = key(&ledger, "agent:w2", &["--tools", "dep"]);
    assert_eq!(names(&own, &[]), ["dep_list", "dep_tree", "dep_graph"]);
}
