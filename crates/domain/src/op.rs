//! Op ids: under one of them an operation happens once, however often it is asked for.
//!
//! The record of an execution commits with its effects, so there is no moment in which work is
//! done and not recorded. A refusal changes nothing and leaves no record: a retry decides anew.

use serde::Serialize;
use serde_json::Value;

use crate::chain::Hash;
use crate::duration::Span;
use crate::{Code, Refusal, Time};

/// Longest op id, in bytes.
pub const LONGEST: usize = 200;
/// How long the record of an execution is kept.
pub const KEPT: Span = Span::from_days(7);

/// The key under which one execution of an operation is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpId(String);

impl OpId {
    /// Any text will do, as long as both databases can keep it.
    pub fn parse(given: &str) -> Result<Self, Refusal> {
        let wrong = |what: String| {
            Refusal::new(Code::InvalidValue, what)
                .hint("give --op-id any text of your own, such as a UUID or the id of your request")
                .detail("field", "op_id")
        };
        match given.len() {
            0 => Err(wrong("an op id is not empty".to_owned())),
            length if length > LONGEST => {
                Err(wrong(format!("an op id has at most {LONGEST} bytes, this one has {length}"))
                    .detail("limit", LONGEST)
                    .detail("given", length))
            }
            _ if given.contains('\0') => Err(wrong("an op id contains no zero byte".to_owned())),
            _ => Ok(Self(given.to_owned())),
        }
    }

    /// The id of an execution that is known by what it does: the same request of the same state
    /// is the same execution.
    pub fn of_request(operation: &str, input: &Hash, before: &str) -> Self {
        let whole = Hash::of(format!("{input} {before}").as_bytes()).to_string();
        let short: String = whole.chars().take(24).collect();
        Self(format!("auto_{}_{short}", operation.replace('.', "_")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for OpId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What was asked for, so that it is recognised when it is asked for again: the operation, its
/// arguments, texts it read where the caller is, and who asks.
pub fn input(operation: &str, arguments: &Value, texts: &[String], actor: &str) -> Hash {
    let asked = serde_json::json!([operation, said(arguments), texts, actor]);
    Hash::of(asked.to_string().as_bytes())
}

/// The arguments that say something: one that a later version adds must not make a retry another
/// request.
fn said(arguments: &Value) -> Value {
    let says_something = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    };
    match arguments {
        Value::Object(fields) => {
            let said = fields.iter().filter(|(_, value)| says_something(value));
            said.map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            arguments.clone()
        }
    }
}

/// An op id on one line of a message.
fn shown(op_id: &str) -> String {
    let mut line = String::with_capacity(op_id.len());
    for letter in op_id.chars() {
        match letter.is_control() {
            true => line.extend(letter.escape_default()),
            false => line.push(letter),
        }
    }
    line
}

/// An execution that is on record.
#[derive(Debug, Clone, PartialEq)]
pub struct OpRecord {
    pub op_id: String,
    pub operation: String,
    pub input: Hash,
    /// What was answered.
    pub result: Value,
    pub at: Time,
    /// The event that records it.
    pub seq: u64,
}

impl OpRecord {
    /// It is too old to be remembered.
    pub fn is_expired(&self, now: Time) -> bool {
        self.at <= now.before(KEPT)
    }

    /// What was answered, if the same was asked for: nobody gets somebody else's result.
    pub fn replay(&self, operation: &str, input: &Hash) -> Result<&Value, Refusal> {
        if self.operation == operation && self.input == *input {
            return Ok(&self.result);
        }
        let how = match self.operation == operation {
            true => "with other arguments, or by somebody else".to_owned(),
            false => format!("for {}", self.operation),
        };
        let op_id = shown(&self.op_id);
        Err(Refusal::new(Code::OpConflict, format!("op id '{op_id}' was used {how}"))
            .hint("repeat the very same request, or give this one an op id of its own")
            .detail("op_id", &self.op_id)
            .detail("operation", &self.operation)
            .detail("completed_at", self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> OpRecord {
        OpRecord {
            op_id: "k".to_owned(),
            operation: "task.add".to_owned(),
            input: Hash::of(b"one"),
            result: Value::from(1),
            at: Time::from_millis(1_000),
            seq: 1,
        }
    }

    #[test]
    fn an_op_id_may_be_any_text_of_up_to_200_bytes() {
        for text in ["x", " ", "\n\u{1b}[31m", &"é".repeat(100), "🐙/../--flag"] {
            assert_eq!(OpId::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn an_op_id_that_no_database_could_keep_is_refused() {
        for text in ["", "a\0b", &"é".repeat(101)] {
            assert_eq!(OpId::parse(text).unwrap_err().code, Code::InvalidValue);
        }
    }

    #[test]
    fn the_same_request_gets_the_stored_answer() {
        assert_eq!(record().replay("task.add", &Hash::of(b"one")).unwrap(), &Value::from(1));
    }

    #[test]
    fn another_request_never_gets_the_stored_answer() {
        for (operation, input) in [("task.add", b"two"), ("task.move", b"one")] {
            let refusal = record().replay(operation, &Hash::of(input)).unwrap_err();
            assert_eq!(refusal.code, Code::OpConflict);
        }
    }

    #[test]
    fn who_asks_is_part_of_what_is_asked() {
        let by = |actor| input("task.add", &Value::Null, &[], actor);
        assert_ne!(by("ada"), by("bob"));
    }

    #[test]
    fn an_argument_that_says_nothing_does_not_make_another_request() {
        let of = |arguments: Value| input("task.add", &arguments, &[], "ada");
        let plain = of(serde_json::json!({ "title": "x" }));
        assert_eq!(of(serde_json::json!({ "title": "x", "tags": [], "force": false })), plain);
        assert_ne!(of(serde_json::json!({ "title": "x", "force": true })), plain);
    }

    #[test]
    fn a_record_is_kept_for_seven_days() {
        let after = |millis: i64| Time::from_millis(1_000 + 7 * 24 * 60 * 60 * 1_000 + millis);
        assert!(!record().is_expired(after(-1)));
        assert!(record().is_expired(after(0)));
    }
}
