use super::*;
use crate::http::{self, Request};

fn ask(model: &Model, body: &Value) -> http::Response {
    http::send(model.address, &Request::json("/v1/messages?beta=true", body)).unwrap().ok()
}

fn first_request() -> Value {
    json!({"model": "m", "tools": [{"name": "add"}], "messages": [{"role": "user", "content": "go"}]})
}

/// The conversation after the first call was answered.
fn second_request() -> Value {
    let call = json!({"type": "tool_use", "id": "toolu_1_0", "name": "add", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1_0",
        "content": [{"type": "text", "text": "added"}]});
    let mut request = first_request();
    request["messages"] = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]);
    request
}

fn add_then_rest() -> Model {
    Model::start(vec![Turn::call("add", json!({"title": "x"})), Turn::say("done")])
}

#[test]
fn the_script_goes_on_with_the_conversation_and_not_with_the_requests() {
    let model = add_then_rest();
    for _retry in 0..2 {
        let message = ask(&model, &first_request()).json();
        assert_eq!(message.pointer("/content/0/input"), Some(&json!({"title": "x"})));
        assert_eq!(message["stop_reason"], "tool_use");
    }
    let message = ask(&model, &second_request()).json();
    assert_eq!(message.pointer("/content/0/text"), Some(&json!("done")));
    assert_eq!(model.results(), ["added"]);
    assert_eq!(model.tools(), ["add"]);
    assert_eq!(model.asked().len(), 3);
}

#[test]
fn a_request_without_tools_costs_no_turn() {
    let model = add_then_rest();
    let side = ask(&model, &json!({"model": "m", "messages": []})).json();
    assert_eq!(side.pointer("/content/0/text"), Some(&json!("a side answer")));
    assert_eq!(model.asked(), Vec::<Value>::new());
}

#[test]
fn a_streamed_call_says_the_same_in_pieces() {
    let model = add_then_rest();
    let mut request = first_request();
    request["stream"] = true.into();
    let answer = ask(&model, &request).text();
    let kinds: Vec<_> = answer.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let expected = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(kinds, expected);
    assert!(answer.contains(r#""partial_json":"{\"title\":\"x\"}""#), "{answer}");
}
