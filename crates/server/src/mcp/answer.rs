//! Answers of operations as results of tools.

use rmcp::model::{CallToolResult, ContentBlock, ErrorData};
use serde_json::{Value, json};
use windlass_domain::{Code, Exit};
use windlass_ledger::{Error, Fault};
use windlass_ops::error::{Body, Report};

use super::toolset::Toolset;
use super::words::as_tools;

/// The result of a call: the document of the operation, or why it did not happen.
pub(super) fn result(done: Result<Value, Error>, tools: &Toolset) -> CallToolResult {
    match done {
        Ok(document) => {
            let text = without_nothing(&document).to_string();
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(document);
            result
        }
        Err(error) => {
            let body = told(error, tools);
            let mut result = CallToolResult::error(vec![ContentBlock::text(in_a_line(&body))]);
            result.structured_content = Some(json!(body));
            result
        }
    }
}

/// The JSON document that an operation answered.
pub(super) fn document(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text)
        .map_err(|source| Fault::bug("an answer is not JSON").because(source).into())
}

/// An error outside of any tool.
pub(super) fn protocol_error(error: Error, tools: &Toolset) -> ErrorData {
    let body = told(error, tools);
    let (message, data) = (in_a_line(&body), Some(json!(body)));
    match body.code.exit() {
        Exit::NotFound => ErrorData::resource_not_found(message, data),
        Exit::Unexpected | Exit::Storage => ErrorData::internal_error(message, data),
        Exit::Usage
        | Exit::Refused
        | Exit::NotAllowed
        | Exit::Elsewhere
        | Exit::Findings
        | Exit::Done => ErrorData::invalid_params(message, data),
    }
}

/// The report of an error in the words of somebody who calls tools.
fn told(error: Error, tools: &Toolset) -> Body {
    let Body { code, message, hint, details, suggestions } = Report::of(error).error;
    let hint = hint.map(|hint| as_tools(&hint, tools));
    let message = match code {
        // Others may quote what somebody wrote.
        Code::Usage | Code::InvalidValue => as_tools(&message, tools),
        _ => message,
    };
    Body { code, message, hint, details, suggestions }
}

fn in_a_line(body: &Body) -> String {
    let Body { code, message, hint, suggestions, .. } = body;
    let meant = match suggestions.as_slice() {
        [] => String::new(),
        several => format!("; did you mean {}?", several.join(", ")),
    };
    match hint {
        Some(hint) => format!("{code}: {message}{meant} ({hint})"),
        None => format!("{code}: {message}{meant}"),
    }
}

/// The same document without fields that hold nothing: it costs a model less to read.
fn without_nothing(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let told = fields.iter().map(|(name, value)| (name.clone(), without_nothing(value)));
            Value::Object(told.filter(|(_, value)| !is_nothing(value)).collect())
        }
        Value::Array(items) => items.iter().map(without_nothing).collect(),
        other => other.clone(),
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use windlass_domain::Refusal;

    use super::*;

    #[test]
    fn a_document_is_told_whole_and_in_short() {
        let text = r#"{"task":{"agent":null,"tags":[],"fence":1},"claimable":false}"#;
        let result = result(document(text), &Toolset::default());
        assert_eq!(result.is_error, Some(false));
        assert_eq!(result.structured_content, Some(serde_json::from_str(text).unwrap()));
        let told = &result.content[0].as_text().unwrap().text;
        assert_eq!(told, r#"{"claimable":false,"task":{"fence":1}}"#);
    }

    #[test]
    fn a_refusal_is_a_result_with_its_code_and_hint() {
        let refusal = Refusal::new(Code::AlreadyClaimed, "somebody has it")
            .hint("take another one: windlass task claim --next")
            .detail("holder", "anna");
        let result = result(Err(refusal.into()), &Toolset::default());
        assert_eq!(result.is_error, Some(true));
        let told = &result.content[0].as_text().unwrap().text;
        assert_eq!(
            told,
            "already_claimed: somebody has it (take another one: the tool claim with next)"
        );
        assert_eq!(
            result.structured_content.unwrap(),
            json!({
                "code": "already_claimed",
                "message": "somebody has it",
                "hint": "take another one: the tool claim with next",
                "details": {"holder": "anna"},
                "suggestions": [],
            })
        );
    }
}
