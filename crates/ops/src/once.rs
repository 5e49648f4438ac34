//! Operations that happen once, however often they are asked for.
//!
//! The door brings an op id; [`Context::write`](crate::Context::write) looks it up in the transaction
//! that does the work. What was answered then is answered again; else the work is done and its
//! answer is recorded, all in one commit. So of any number of callers at once, one executes and the
//! others replay.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_domain::chain::Hash;
use windlass_domain::event::{Fingerprint, OpCompleted};
use windlass_domain::op::{OpId, OpRecord, input};
use windlass_domain::{Code, EventId, Exit, Task, Time};
use windlass_ledger::{Error, Fault, Transaction};

use crate::operation::{Lines, Output};
use crate::sheet::{Cell, Sheet};
use crate::table::Answer;

/// The argument that every operation takes.
pub const OP_ID: Flag =
    Flag { name: "op-id", value: "KEY", help: "A key of yours, under which it happens once" };

/// An argument that is no field of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    pub name: &'static str,
    pub value: &'static str,
    pub help: &'static str,
}

/// Arguments that do not tell one request from another: the task a request begins with, which
/// counts as what it resolves to however it is typed, and the wish to be known by the request.
const NOT_ASKED: [&str; 2] = ["from", "auto_op_id"];

/// One request that shall happen once.
#[derive(Debug, Clone)]
pub(crate) struct Once {
    key: Key,
    operation: &'static str,
    arguments: Value,
    /// What it read where the caller is: as much a part of the request as its arguments.
    texts: Vec<String>,
    outcome: Option<Outcome>,
}

/// By what a request is recognised.
#[derive(Debug, Clone)]
enum Key {
    Given(OpId),
    /// By what it asks for, and the state of the task that it begins with.
    Request {
        source: String,
    },
}

/// Under which id a request happened, and whether it had happened before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    pub op_id: OpId,
    pub replayed: bool,
}

/// What a request is recognised by, once the ledger was asked.
struct Asked {
    op_id: OpId,
    input: Hash,
    source: Option<(Task, EventId)>,
}

impl Once {
    pub(crate) fn given(op_id: OpId, operation: &'static str, arguments: Value) -> Self {
        let key = Key::Given(op_id);
        Self { key, operation, arguments, texts: Vec::new(), outcome: None }
    }

    /// Known by the request itself and the task that `source` names.
    pub(crate) fn of_request(operation: &'static str, mut arguments: Value, source: &str) -> Self {
        if let Some(fields) = arguments.as_object_mut() {
            fields.retain(|field, _| !NOT_ASKED.contains(&field.as_str()));
        }
        let key = Key::Request { source: source.to_owned() };
        Self { key, operation, arguments, texts: Vec::new(), outcome: None }
    }

    pub(crate) fn also_read(&mut self, text: &str) {
        self.texts.push(text.to_owned());
    }

    pub(crate) fn outcome(self) -> Option<Outcome> {
        self.outcome
    }

    pub(crate) fn ended(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    /// It was executed already: a second transaction would take the first one's answer for its own.
    pub(crate) fn has_ended(&self) -> bool {
        self.outcome.is_some()
    }

    /// Does the work, unless it was done before.
    pub(crate) fn execute<T: Serialize + DeserializeOwned>(
        &self,
        tx: &mut Transaction<'_>,
        actor: &str,
        work: &mut impl FnMut(&mut Transaction<'_>) -> Result<T, Error>,
    ) -> Result<(T, Outcome), Error> {
        let (asked, found) = self.look_up(tx, actor)?;
        if let Some(record) = found {
            let stored = record.replay(self.operation, &asked.input)?.clone();
            let value = serde_json::from_value(stored).map_err(|source| {
                Fault::new(Code::LedgerNewer, "the recorded answer is of another version")
                    .hint("use the windlass that executed it, or another --op-id")
                    .because(source)
            })?;
            let op_id = OpId::parse(&record.op_id)?;
            return Ok((value, Outcome { op_id, replayed: true }));
        }
        tx.act_under(&asked.op_id);
        tx.correlate()?;
        let value = work(tx)?;
        let fingerprint = match &asked.source {
            Some((task, before)) => {
                Some(Fingerprint { before: *before, after: tx.fingerprint(task)? })
            }
            None => None,
        };
        let result = serde_json::to_value(&value)
            .map_err(|source| Fault::bug("an answer is not JSON").because(source))?;
        let operation = self.operation.to_owned();
        tx.complete_op(OpCompleted { operation, input: asked.input, result, fingerprint })?;
        Ok((value, Outcome { op_id: asked.op_id, replayed: false }))
    }

    fn look_up(
        &self,
        tx: &mut Transaction<'_>,
        actor: &str,
    ) -> Result<(Asked, Option<OpRecord>), Error> {
        match &self.key {
            Key::Given(op_id) => {
                let input = input(self.operation, &self.arguments, &self.texts, actor);
                let found = tx.op(op_id)?;
                Ok((Asked { op_id: op_id.clone(), input, source: None }, found))
            }
            Key::Request { source } => {
                let task = tx.task_named(source)?;
                let mut texts = self.texts.clone();
                texts.push(task.id.to_string());
                let input = input(self.operation, &self.arguments, &texts, actor);
                let now = tx.fingerprint(&task)?;
                let found = tx.op_leaving(now, self.operation, &input)?;
                let op_id = OpId::of_request(self.operation, &input, &now.to_string());
                Ok((Asked { op_id, input, source: Some((task, now)) }, found))
            }
        }
    }
}

/// Somebody else is writing, perhaps this very request.
pub(crate) fn elsewhere(error: Error, once: &Once) -> Error {
    match error {
        Error::Failed(fault) => match &once.key {
            Key::Given(op_id) => running(fault, Some(op_id)),
            Key::Request { .. } => running(fault, None),
        }
        .into(),
        other @ Error::Refused(_) => other,
    }
}

/// What a ledger that somebody else writes means for work that happens once: under an op id, or by
/// what it asks for.
pub fn running(fault: Fault, op_id: Option<&OpId>) -> Fault {
    if fault.code != Code::LedgerLocked {
        return fault;
    }
    let Fault { message, details, .. } = fault;
    let mut fault = Fault::new(Code::OpRunning, message);
    fault.details = details;
    match op_id {
        Some(op_id) => fault
            .hint("repeat the same command with the same op id: it happens once at most")
            .detail("op_id", op_id.as_str()),
        None => fault.hint("repeat the same command: it happens once at most"),
    }
}

/// An answer with the op id it was given under.
pub(crate) struct Answered<T> {
    pub(crate) answer: T,
    pub(crate) outcome: Outcome,
}

/// The same as one document. `idempotency` repeats the two fields before it, for those who read
/// them there.
#[derive(Serialize)]
struct Document<'a, T> {
    #[serde(flatten)]
    answer: &'a T,
    #[serde(flatten)]
    outcome: &'a Outcome,
    idempotency: &'a Outcome,
}

/// The page of an answer under an op id.
pub(crate) fn with_outcome(sheet: Sheet, outcome: &Outcome) -> Sheet {
    match outcome.replayed {
        true => sheet.and_line(Cell::dim("replayed: it was done before, nothing was done now")),
        false => sheet,
    }
}

/// The document of an answer without what it says about its op id.
pub(crate) fn without_outcome(document: &str, outcome: &Outcome) -> String {
    let nothing = serde_json::json!({});
    let alone = Document { answer: &nothing, outcome, idempotency: outcome };
    let marks = serde_json::to_string(&alone).unwrap_or_default();
    let marks = marks.trim_start_matches('{');
    match document.strip_suffix(marks) {
        Some(answer) => format!("{}}}", answer.trim_end_matches(',')),
        None => document.to_owned(),
    }
}

impl<T: Output> Answer for Answered<T> {
    fn json(&self) -> Result<String, Fault> {
        let Self { answer, outcome } = self;
        serde_json::to_string(&Document { answer, outcome, idempotency: outcome })
            .map_err(|source| Fault::bug("an answer is not JSON").because(source))
    }

    fn sheet(&self, now: Time) -> Sheet {
        with_outcome(Output::sheet(&self.answer, now), &self.outcome)
    }

    fn exit(&self) -> Exit {
        Output::exit(&self.answer)
    }

    fn lines(&self) -> Option<Lines> {
        Output::lines(&self.answer)
    }

    fn document(&self) -> Option<&str> {
        Output::document(&self.answer)
    }

    fn is_verbatim(&self) -> bool {
        Output::is_verbatim(&self.answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_can_be_told_without_its_op_id() {
        let outcome = Outcome { op_id: OpId::parse("a \"b\"").unwrap(), replayed: true };
        for answer in [serde_json::json!({}), serde_json::json!({ "title": "x", "tags": [] })] {
            let document = Document { answer: &answer, outcome: &outcome, idempotency: &outcome };
            let document = serde_json::to_string(&document).unwrap();
            assert_ne!(document, answer.to_string());
            assert_eq!(without_outcome(&document, &outcome), answer.to_string());
        }
    }

    #[test]
    fn an_answer_that_tells_of_no_op_id_stays_as_it_is() {
        let outcome = Outcome { op_id: OpId::parse("a").unwrap(), replayed: false };
        assert_eq!(without_outcome("{\"expired\":3}", &outcome), "{\"expired\":3}");
    }
}
