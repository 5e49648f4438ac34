//! An answer of the model as the wire wants it: one message, whole or in events.

use serde_json::{Value, json};

use super::{Call, Turn};

/// The message as one document.
pub(super) fn whole(request: &Value, turn: &Turn) -> Value {
    let mut message = begun(request);
    if let Some(message) = message.as_object_mut() {
        message.insert("content".into(), content(request, turn).into());
        message.insert("stop_reason".into(), reason(turn).into());
    }
    message
}

/// The message as the events it is streamed in.
pub(super) fn events(request: &Value, turn: &Turn) -> String {
    let mut events = vec![json!({"type": "message_start", "message": begun(request)})];
    for (index, block) in content(request, turn).into_iter().enumerate() {
        let (block, delta) = in_two(block);
        let start = json!({"type": "content_block_start", "index": index, "content_block": block});
        let delta = json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend([start, delta, json!({"type": "content_block_stop", "index": index})]);
    }
    let end = json!({"stop_reason": reason(turn), "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}));
    events.push(json!({"type": "message_stop"}));
    let lines = events.iter().map(|event| {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        format!("event: {kind}\ndata: {event}\n\n")
    });
    lines.collect::<Vec<_>>().concat()
}

fn begun(request: &Value) -> Value {
    json!({
        "id": format!("msg_{}", asked_before(request)),
        "type": "message",
        "role": "assistant",
        "model": request.get("model"),
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn content(request: &Value, turn: &Turn) -> Vec<Value> {
    match turn {
        Turn::Say(text) => vec![json!({"type": "text", "text": text})],
        Turn::Call(calls) => {
            let number = asked_before(request);
            let block = |(index, call): (usize, &Call)| {
                let id = format!("toolu_{number}_{index}");
                json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.input})
            };
            calls.iter().enumerate().map(block).collect()
        }
    }
}

/// A block that is still empty, and what fills it.
fn in_two(mut block: Value) -> (Value, Value) {
    let mut take = |key: &str, empty: Value| {
        let place = block.get_mut(key)?;
        Some(std::mem::replace(place, empty))
    };
    let delta = match take("input", json!({})) {
        Some(input) => json!({"type": "input_json_delta", "partial_json": input.to_string()}),
        None => json!({"type": "text_delta", "text": take("text", json!(""))}),
    };
    (block, delta)
}

fn reason(turn: &Turn) -> &'static str {
    match turn {
        Turn::Say(_) => "end_turn",
        Turn::Call(_) => "tool_use",
    }
}

/// How long the conversation is: a number that no two turns of it share.
fn asked_before(request: &Value) -> usize {
    super::messages(request).count()
}
