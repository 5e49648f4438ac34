//! `windlass mcp`: one agent, one process, lines of JSON.

use serde_json::{Value, json};
use windlass_tests::ledgers::{Ledger, error_of, text};

use crate::talk::{Talk, greeting, request, tool};

fn ledger() -> Ledger {
    let ledger = Ledger::on_sqlite();
    let _created = ledger.answer(&["project", "create", "api"]);
    ledger
}

fn client(ledger: &Ledger) -> Talk {
    Talk::greet(&ledger.windlass(&["mcp", "--agent", "worker-1"]))
}

fn ready(ledger: &Ledger) -> String {
    ledger.add(&["-P", "api", "-s", "ready"])
}

fn names(listed: &Value, of: &str) -> Vec<String> {
    listed[of].as_array().unwrap().iter().map(|one| text(&one["name"])).collect()
}

#[test]
fn the_greeting_says_what_there_is_and_how_to_begin() {
    let ledger = ledger();
    let mut client = Talk::start(&ledger.windlass(&["mcp"]));
    let result = client.result("initialize", greeting());
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["capabilities"]["resources"]["subscribe"], true);
    assert!(result["capabilities"]["tools"].is_object());
    assert!(result["capabilities"]["prompts"].is_object());
    assert!(text(&result["instructions"]).contains("Begin with start"), "{result}");
}

#[test]
fn the_usual_tools_cost_at_most_8000_bytes_on_the_wire() {
    let ledger = ledger();
    let listed = client(&ledger).result("tools/list", json!({}));
    assert_eq!(
        names(&listed, "tools"),
        [
            "start",
            "claim",
            "checkpoint",
            "complete",
            "block",
            "handoff",
            "delegate",
            "add",
            "list",
            "show",
            "search",
            "why"
        ]
    );
    let size = listed["tools"].to_string().len();
    assert!(size <= 8_000, "{size} bytes");
    let show = &listed["tools"][9];
    assert_eq!(show["annotations"]["readOnlyHint"], true, "{show}");
    assert!(show.get("outputSchema").is_none(), "{show}");
}

#[test]
fn an_agent_works_from_start_to_done() {
    let ledger = ledger();
    let task = ready(&ledger);
    let mut client = client(&ledger);
    let selected = client.call("start", json!({"lease": "30m"}))["selected"].clone();
    assert_eq!(selected["task_id"], task.as_str());
    let fence = &selected["fence"];
    let data = json!({"files": ["login.rs"]});
    let saved = client.call(
        "checkpoint",
        json!({"task": task, "name": "half way", "data": data, "progress": 50, "fence": fence}),
    );
    assert_eq!(saved["data"], data);
    let done = client.call("complete", json!({"task": task, "comment": "checked", "fence": fence}));
    assert_eq!(done["status"], "done");
    assert!(client.close().success());
    let shown = ledger.answer(&["task", "show", &task]);
    assert_eq!(shown["task"]["agent"], "worker-1");
    assert_eq!(shown["checkpoints"][0]["author"], "worker-1");
}

#[test]
fn work_is_planned_blocked_delegated_and_handed_over() {
    let ledger = ledger();
    let mut client = client(&ledger);
    let added = client.call("add", json!({"title": "one", "project": "api", "status": "ready"}));
    let task = text(&added["task_id"]);
    let claimed = client.call("claim", json!({"next": true, "project": "api"}));
    assert_eq!(claimed["task_id"], task.as_str());
    let blocked = client.call("block", json!({"task": task, "comment": "no key"}));
    assert_eq!(blocked["status"], "blocked");
    let part = json!({"from": task, "title": "a part", "agent": "worker-2", "no_depends": true});
    let delegated = client.call("delegate", part)["delegated"].clone();
    assert_eq!(delegated["agent"], "worker-2");
    let handed =
        client.call("handoff", json!({"from": task, "title": "review it", "project": "api"}));
    assert_eq!(handed["source_status"], "done");
    let found = client.call("search", json!({"query": "review"}));
    assert_eq!(found["tasks"][0]["title"], "review it");
    assert_eq!(client.call("list", json!({"project": "api"}))["total"], 3);
    let why = client.call("why", json!({"task": delegated["task_id"]}));
    assert!(why["reasons"].is_array(), "{why}");
    let shown = client.call("show", json!({"task": task}));
    assert_eq!(shown["task"]["status"], "done");
}

#[test]
fn a_result_is_told_as_a_document_and_as_text_without_what_is_empty() {
    let ledger = ledger();
    let task = ready(&ledger);
    let result = client(&ledger).result("tools/call", tool("show", json!({"task": task})));
    let document = &result["structuredContent"];
    assert_eq!(document["task"]["agent"], Value::Null);
    let told: Value = serde_json::from_str(&text(&result["content"][0]["text"])).unwrap();
    assert_eq!(told["task"]["task_id"], document["task"]["task_id"]);
    assert!(told["task"].get("agent").is_none(), "{told}");
}

#[test]
fn a_refusal_is_a_result_with_code_hint_and_a_line_of_text() {
    let ledger = ledger();
    let task = ready(&ledger);
    let _claimed = ledger.answer(&["task", "claim", &task, "--agent", "anna"]);
    let mut client = client(&ledger);
    let result = client.result("tools/call", tool("claim", json!({"task": task})));
    assert_eq!(result["isError"], true, "{result}");
    let refused = &result["structuredContent"];
    assert_eq!(refused["code"], "already_claimed", "{refused}");
    assert!(refused["details"].is_object() && refused["suggestions"].is_array(), "{refused}");
    let line = text(&result["content"][0]["text"]);
    assert!(line.starts_with("already_claimed: "), "{line}");
}

#[test]
fn wrong_arguments_are_answers_of_the_tool() {
    let ledger = ledger();
    let mut client = client(&ledger);
    let unknown = client.refused("complete", json!({"tsk": "8F3K"}));
    assert_eq!(unknown["code"], "unknown_field");
    assert_eq!(unknown["suggestions"], json!(["task"]));
    assert_eq!(client.refused("complete", json!({"task": 5}))["code"], "invalid_value");
    assert_eq!(client.refused("complete", json!({}))["code"], "invalid_value");
    assert_eq!(client.refused("complete", json!("8F3K"))["code"], "usage");
    assert_eq!(client.refused("complete", json!(["8F3K"]))["code"], "usage");
    let hidden = client.refused("complete", json!({"task": "8F3K", "force": true}));
    assert_eq!(hidden["code"], "unknown_field");
}

#[test]
fn no_tool_reads_a_file_of_ours() {
    let ledger = ledger();
    let mut client = Talk::greet(&ledger.windlass(&["mcp", "--tools", "all"]));
    let refused = client.refused("task_add", json!({"from": "/etc/passwd"}));
    assert_eq!(refused["code"], "unknown_field");
}

#[test]
fn an_unknown_tool_or_method_is_an_error_of_the_protocol() {
    let ledger = ledger();
    let mut client = client(&ledger);
    let answer = client.ask("tools/call", tool("clame", json!({})));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(answer["error"]["data"]["suggestions"], json!(["claim"]));
    assert_eq!(client.ask("tools/frobnicate", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("tools/call", json!({"arguments": {}}))["error"]["code"], -32602);
    assert_eq!(client.ask("resources/read", json!({"uri": 5}))["error"]["code"], -32602);
}

#[test]
fn a_call_that_is_repeated_under_its_op_id_happens_once() {
    let ledger = ledger();
    let mut client = client(&ledger);
    let add = json!({"title": "once", "op_id": "K"});
    let first = client.call("add", add.clone());
    assert_eq!(first["replayed"], false);
    let events = ledger.events();
    let second = client.call("add", add);
    assert_eq!(second["replayed"], true);
    assert_eq!(second["task_id"], first["task_id"]);
    assert_eq!(ledger.events(), events);
}

#[test]
fn nothing_is_done_before_the_greeting() {
    let ledger = ledger();
    let mut client = Talk::start(&ledger.windlass(&["mcp"]));
    let answer = client.ask("tools/call", tool("add", json!({"title": "early"})));
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(text(&answer["error"]["message"]).contains("initialize"), "{answer}");
    assert_eq!(client.ask("tools/list", json!({}))["error"]["code"], -32600);
    assert_eq!(client.ask("initialize", json!({}))["error"]["code"], -32602);
    // Nobody waits for an answer to these.
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.say(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    assert!(client.ask("ping", json!({}))["result"].is_object());
    assert!(client.ask("initialize", greeting())["result"].is_object());
    assert_eq!(client.call("list", json!({}))["total"], 0);
}

#[test]
fn lines_that_are_no_messages_are_answered_and_the_next_is_read() {
    let ledger = ledger();
    let mut client = client(&ledger);
    for (line, code) in [
        ("{\"jsonrpc\":", -32700),
        ("hello", -32700),
        ("\u{0}\u{1}", -32700),
        ("[]", -32600),
        ("5", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, -32600),
    ] {
        client.say(line);
        let heard = client.heard();
        assert_eq!(heard["error"]["code"], code, "{line}: {heard}");
    }
    client.say(&"[".repeat(100_000));
    assert_eq!(client.heard()["error"]["code"], -32700);
    client.say("");
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/unheard-of"}"#);
    assert!(client.ask("ping", json!({}))["result"].is_object());
}

#[test]
fn a_value_of_the_wrong_type_is_told_with_its_field_and_nothing_else() {
    let ledger = ledger();
    let mut client = client(&ledger);
    let refused = client.refused("add", json!({"title": "a", "priority": "high"}));
    assert_eq!(refused["message"], "priority 'high' is not a whole number");
    assert_eq!(refused["hint"], "give a whole number, such as 1");
    assert_eq!(refused["details"]["field"], "priority");
    let refused = client.refused("show", json!({}));
    assert_eq!(refused["message"], "task is missing");
}

#[test]
fn a_line_that_is_too_long_is_refused_and_skipped() {
    let ledger = ledger();
    let mut client = client(&ledger);
    let long = tool("add", json!({"title": "x".repeat(3 * 1024 * 1024)}));
    let said = request(7, "tools/call", long).to_string();
    assert!(said.starts_with("{\"id\":7,"), "{}", &said[..20]);
    // Many clients write the id last.
    let last = said.replacen("{\"id\":7,", "{", 1).trim_end_matches('}').to_owned() + "},\"id\":8}";
    client.say(&last);
    assert_eq!(client.heard()["id"], 8);
    client.say(&said);
    let heard = client.heard();
    assert_eq!((&heard["id"], &heard["error"]["code"]), (&json!(7), &json!(-32600)), "{heard}");
    assert!(text(&heard["error"]["message"]).contains("1048576"), "{heard}");
    assert_eq!(client.call("list", json!({}))["total"], 0);
}

#[test]
fn what_was_asked_for_is_answered_even_if_the_caller_leaves() {
    let ledger = ledger();
    let call = request(2, "tools/call", tool("add", json!({"title": "last words"})));
    let lines = format!("{}\n{call}\n", request(1, "initialize", greeting()));
    let outcome = ledger.windlass(&["mcp"]).stdin(lines).run().ok();
    let answers: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2, "{outcome}");
    assert_eq!(answers[1]["result"]["isError"], false, "{outcome}");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_caller_that_leaves_without_a_word_is_no_error() {
    let ledger = ledger();
    for said in ["", "\n", "{\"half"] {
        let outcome = ledger.windlass(&["mcp"]).stdin(said).run().ok();
        assert_eq!(outcome.stdout, "", "{outcome}");
    }
}

#[test]
fn all_operations_of_the_ledger_are_tools_with_the_shape_of_their_answers() {
    let ledger = ledger();
    let mut client = Talk::greet(&ledger.windlass(&["mcp", "--tools", "all"]));
    let listed = client.result("tools/list", json!({}));
    let names = names(&listed, "tools");
    assert!(names.contains(&"workflow_run_start".to_owned()), "{names:?}");
    assert!(!names.contains(&"backup".to_owned()), "{names:?}");
    for tool in listed["tools"].as_array().unwrap() {
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    let shown = client.call("project_show", json!({"name": "api"}));
    assert_eq!(shown["project"]["name"], "api");
}

#[test]
fn a_set_of_tools_is_chosen_by_groups_and_names() {
    let ledger = ledger();
    let mut client = Talk::greet(&ledger.windlass(&["mcp", "--tools", "claim,dep"]));
    let listed = client.result("tools/list", json!({}));
    assert_eq!(names(&listed, "tools"), ["claim", "dep_list", "dep_tree", "dep_graph"]);
    let answer = client.ask("tools/call", tool("complete", json!({"task": "8F3K"})));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(names(&client.result("prompts/list", json!({})), "prompts").is_empty());
}

#[test]
fn an_unknown_set_is_refused_with_the_names_there_are() {
    let ledger = ledger();
    let outcome = ledger.windlass(&["mcp", "--tools", "taks", "--json"]).run();
    let error = error_of(&outcome, "invalid_value", 3);
    assert!(text(&error["hint"]).starts_with("use all, default, "), "{error}");
    assert!(error["suggestions"].as_array().unwrap().contains(&json!("task")), "{error}");
}

#[test]
fn tasks_and_boards_can_be_read() {
    let ledger = ledger();
    let task = ready(&ledger);
    let mut client = client(&ledger);
    let templates = client.result("resources/templates/list", json!({}));
    let uris: Vec<&Value> = templates["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["uriTemplate"])
        .collect();
    assert_eq!(uris, ["windlass://task/{id}", "windlass://project/{name}/board"]);
    let listed = client.result("resources/list", json!({}));
    let boards: Vec<String> =
        listed["resources"].as_array().unwrap().iter().map(|one| text(&one["uri"])).collect();
    assert!(boards.contains(&"windlass://project/api/board".to_owned()), "{boards:?}");
    let read = |client: &mut Talk, uri: &str| -> Value {
        let result = client.result("resources/read", json!({"uri": uri}));
        assert_eq!(result["contents"][0]["mimeType"], "application/json");
        assert_eq!(result["contents"][0]["uri"], uri);
        serde_json::from_str(&text(&result["contents"][0]["text"])).unwrap()
    };
    let shown = read(&mut client, &format!("windlass://task/{task}"));
    assert_eq!(shown["task"]["task_id"], task.as_str());
    let board = read(&mut client, "windlass://project/api/board");
    assert_eq!(board["columns"][1]["status"], "ready");
    assert_eq!(board["columns"][1]["tasks"][0]["task_id"], task.as_str());
}

#[test]
fn a_resource_that_is_not_there_is_an_error_with_our_code() {
    let ledger = ledger();
    let mut client = client(&ledger);
    for (uri, code) in [
        ("windlass://task/ZZZZZZ", "task_not_found"),
        ("windlass://project/nowhere/board", "project_not_found"),
        ("file:///etc/passwd", "path_not_found"),
    ] {
        for method in ["resources/read", "resources/subscribe"] {
            let answer = client.ask(method, json!({"uri": uri}));
            assert_eq!(answer["error"]["code"], -32002, "{answer}");
            assert_eq!(answer["error"]["data"]["code"], code, "{answer}");
        }
    }
}

#[test]
fn whoever_subscribes_hears_of_changes_that_others_make() {
    let ledger = ledger();
    let (task, other) = (ready(&ledger), ready(&ledger));
    let mut client = client(&ledger);
    let uri = format!("windlass://task/{task}");
    let _subscribed = client.result("resources/subscribe", json!({"uri": uri}));
    let _untold = ledger.answer(&["task", "comment", &other, "elsewhere"]);
    let _told = ledger.answer(&["task", "comment", &task, "look"]);
    let notified = client.notification();
    assert_eq!(notified["method"], "notifications/resources/updated");
    assert_eq!(notified["params"]["uri"], uri.as_str());
    let board = "windlass://project/api/board";
    let _subscribed = client.result("resources/subscribe", json!({"uri": board}));
    let _unsubscribed = client.result("resources/unsubscribe", json!({"uri": uri}));
    let _done = ledger.answer(&["task", "claim", &task, "--agent", "anna"]);
    assert_eq!(client.notification()["params"]["uri"], board);
}

#[test]
fn a_task_is_touched_by_what_it_waits_for() {
    let ledger = ledger();
    let first = ready(&ledger);
    let second = ledger.add(&["-P", "api", "-s", "ready", "--depends-on", &first]);
    let mut client = client(&ledger);
    let uri = format!("windlass://task/{second}");
    let _subscribed = client.result("resources/subscribe", json!({"uri": uri}));
    let _claimed = ledger.answer(&["task", "claim", &first, "--agent", "anna"]);
    assert_eq!(client.notification()["params"]["uri"], uri.as_str());
}

#[test]
fn prompts_put_the_loop_into_words() {
    let ledger = ledger();
    let mut client = client(&ledger);
    assert_eq!(
        names(&client.result("prompts/list", json!({})), "prompts"),
        ["work", "handoff", "plan"]
    );
    let arguments = json!({"goal": "a quicker login", "project": "api"});
    let got = client.result("prompts/get", json!({"name": "plan", "arguments": arguments}));
    let said = text(&got["messages"][0]["content"]["text"]);
    assert!(said.contains("a quicker login") && said.contains("Call add for each"), "{said}");
    assert_eq!(client.ask("prompts/get", json!({"name": "wrok"}))["error"]["code"], -32602);
    assert_eq!(client.ask("prompts/get", json!({"name": "plan"}))["error"]["code"], -32602);
}

#[test]
fn a_client_of_the_newest_version_needs_no_greeting() {
    let ledger = ledger();
    let task = ready(&ledger);
    let mut client = Talk::start(&ledger.windlass(&["mcp"]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = client.result("server/discover", json!({"_meta": meta}));
    assert!(text(&discovered["instructions"]).contains("Begin with start"), "{discovered}");
    let listed = client.result("tools/list", json!({"_meta": meta}));
    assert_eq!(names(&listed, "tools").len(), 12);
    let uri = format!("windlass://task/{task}");
    let filter = json!({"resourceSubscriptions": [uri]});
    let asked = json!({"_meta": meta, "notifications": filter});
    client.say(&request(99, "subscriptions/listen", asked).to_string());
    assert_eq!(client.notification()["method"], "notifications/subscriptions/acknowledged");
    // Once for what may have happened before, then for what happens.
    assert_eq!(client.notification()["params"]["uri"], uri.as_str());
    let _told = ledger.answer(&["task", "comment", &task, "look"]);
    let notified = client.notification();
    assert_eq!(notified["method"], "notifications/resources/updated", "{notified}");
    assert_eq!(notified["params"]["uri"], uri.as_str());
}

#[test]
fn who_is_not_named_cannot_claim_and_is_told_what_to_do() {
    let ledger = ledger();
    let _task = ready(&ledger);
    let mut client = Talk::greet(&ledger.windlass(&["mcp"]));
    let refused = client.refused("claim", json!({"next": true}));
    assert_eq!(refused["code"], "agent_required");
    assert_eq!(refused["hint"], "give agent NAME or set WINDLASS_AGENT");
    assert_eq!(client.call("claim", json!({"next": true, "agent": "anna"}))["agent"], "anna");
}

#[test]
fn the_last_line_is_heard_though_it_does_not_end() {
    let ledger = ledger();
    let mut client = client(&ledger);
    let add = tool("add", json!({"title": "the last", "project": "api"}));
    client.say_the_last(&request(99, "tools/call", add).to_string());
    assert_eq!(client.heard()["id"], 99);
    assert!(client.close().success());
}
