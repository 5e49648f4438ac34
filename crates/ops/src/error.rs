//! The one shape in which every door reports that something did not happen.

use serde::Serialize;
use serde_json::{Map, Value};
use windlass_domain::{Code, Refusal};
use windlass_ledger::{Error, Fault};

use crate::sheet::{replaced, short_ids};

/// The version of the shape below.
pub const SCHEMA_VERSION: &str = "v1";

/// `{"schema_version", "ok": false, "error": {…}}`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub schema_version: &'static str,
    pub ok: bool,
    pub error: Body,
}

#[derive(Debug, Clone, Serialize)]
pub struct Body {
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
    pub details: Map<String, Value>,
    pub suggestions: Vec<String>,
}

impl Report {
    pub fn of(error: Error) -> Self {
        let body = match error {
            Error::Refused(Refusal { code, message, hint, details, suggestions }) => {
                Body { code, message, hint, details, suggestions }
            }
            Error::Failed(Fault { code, message, hint, details, .. }) => {
                Body { code, message, hint, details, suggestions: Vec::new() }
            }
        };
        Self { schema_version: SCHEMA_VERSION, ok: false, error: body }
    }
}

impl Body {
    /// The same as people read it: with ids in short.
    #[must_use]
    pub fn in_short(self) -> Self {
        let texts = [Some(&self.message), self.hint.as_ref()].into_iter().flatten();
        let ids = short_ids(texts.chain(&self.suggestions).map(String::as_str));
        let short = |text: String| replaced(&text, &ids);
        Self {
            message: short(self.message),
            hint: self.hint.map(short),
            suggestions: self.suggestions.into_iter().map(short).collect(),
            ..self
        }
    }
}
