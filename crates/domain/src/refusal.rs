//! A refusal: the request was understood and denied, and changed nothing.
//!
//! It teaches: what was refused and why (`message`), and what to try next (`hint`).

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Code;

/// Why a request was denied.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub code: Code,
    /// A lower-case fragment that names the thing and what was expected.
    pub message: String,
    /// The next command to try.
    pub hint: Option<String>,
    /// The same in machine-readable form.
    pub details: Map<String, Value>,
    /// What the caller may have meant.
    pub suggestions: Vec<String>,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            details: Map::new(),
            suggestions: Vec::new(),
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        self.details.insert(key.to_owned(), value);
        self
    }

    #[must_use]
    pub fn suggest(mut self, suggestions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.suggestions.extend(suggestions.into_iter().map(Into::into));
        self
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
