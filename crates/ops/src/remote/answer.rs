//! The answer of a server, read back.

use serde::Deserialize;
use serde_json::{Map, Value};
use windlass_domain::op::OpId;
use windlass_domain::{Code, Exit, Refusal, Time};
use windlass_ledger::{Error, Fault};

use crate::once::{Outcome, with_outcome, without_outcome};
use crate::operation::{Lines, Output};
use crate::sheet::Sheet;
use crate::table::Answer;

/// A problem document, as far as it says what went wrong.
#[derive(Debug, Deserialize)]
pub struct Problem {
    code: String,
    detail: String,
    hint: Option<String>,
    #[serde(default)]
    details: Map<String, Value>,
    #[serde(default)]
    suggestions: Vec<String>,
}

impl Problem {
    pub(super) fn read(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let Problem { code, detail, hint, details, suggestions } = problem;
        // Both sides are of one version, so every code is known.
        let code = Code::from_text(&code).unwrap_or(Code::Bug);
        Self { code, message: detail, hint, details, suggestions }
    }
}

/// What a server answered.
#[derive(Debug)]
pub struct Told {
    /// The one JSON document.
    pub json: String,
    /// Under which op id it happened.
    outcome: Option<Outcome>,
}

/// The part of an answer that tells of its op id.
#[derive(Deserialize)]
struct Marked {
    idempotency: Option<Mark>,
}

#[derive(Deserialize)]
struct Mark {
    op_id: String,
    replayed: bool,
}

impl Told {
    pub(super) fn read(json: String) -> Option<Self> {
        let marked: Marked = serde_json::from_str(&json).ok()?;
        let outcome = match marked.idempotency {
            Some(Mark { op_id, replayed }) => {
                Some(Outcome { op_id: OpId::parse(&op_id).ok()?, replayed })
            }
            None => None,
        };
        Some(Self { json, outcome })
    }

    /// The same answer as without any op id.
    pub(super) fn without_op_id(self) -> Self {
        Self { json: self.bare(), outcome: None }
    }

    fn bare(&self) -> String {
        match &self.outcome {
            Some(outcome) => without_outcome(&self.json, outcome),
            None => self.json.clone(),
        }
    }
}

/// An answer of a server with what it means.
pub(crate) struct Relayed<T> {
    told: Told,
    pub(crate) answer: T,
}

impl<T: Output> Relayed<T> {
    pub(super) fn read(told: Told) -> Result<Self, Error> {
        let answer = serde_json::from_str(&told.bare()).map_err(|source| {
            Fault::bug("a server answered with something else than was asked").because(source)
        })?;
        Ok(Self { told, answer })
    }
}

impl<T: Output> Answer for Relayed<T> {
    fn json(&self) -> Result<String, Fault> {
        Ok(self.told.json.clone())
    }

    fn sheet(&self, now: Time) -> Sheet {
        let sheet = Output::sheet(&self.answer, now);
        match &self.told.outcome {
            Some(outcome) => with_outcome(sheet, outcome),
            None => sheet,
        }
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
