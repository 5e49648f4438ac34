//! What a step says.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::check::Check;
use super::word::words;

/// How often a step is tried that does not say it.
pub(super) const ITERATIONS: u32 = 3;

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// From 1, without gaps.
    pub number: u32,
    pub name: String,
    /// Its box is ticked: the agent's own note, which decides nothing.
    #[serde(default)]
    pub ticked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    #[serde(rename = "loop", default)]
    pub repeat: Loop,
    pub max_iterations: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    #[serde(default)]
    pub form: Form,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// Numbers of steps that come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<u32>,
}

impl Step {
    /// A step that says nothing but its name.
    pub fn new(number: u32, name: impl Into<String>) -> Self {
        Self {
            number,
            name: name.into(),
            ticked: false,
            action: None,
            repeat: Loop::Once,
            max_iterations: ITERATIONS,
            checks: Vec::new(),
            form: Form::None,
            gate: None,
            depends_on: Vec::new(),
        }
    }
}

/// How `verify` was written. One check written as a list is still a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    #[default]
    None,
    One,
    Many,
}

/// Whether a step is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Loop {
    #[default]
    Once,
    /// Until this holds; never empty.
    Until(String),
    /// Something else, as it was written.
    Other(String),
}

impl From<String> for Loop {
    fn from(text: String) -> Self {
        let text = text.trim_ascii();
        if text.eq_ignore_ascii_case("false") {
            return Self::Once;
        }
        if let Some((word, condition)) =
            text.split_once(|letter: char| letter.is_ascii_whitespace())
            && word.eq_ignore_ascii_case("until")
        {
            return Self::Until(condition.trim_ascii().to_owned());
        }
        Self::Other(text.to_owned())
    }
}

impl From<Loop> for String {
    fn from(repeat: Loop) -> Self {
        repeat.to_string()
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once => f.write_str("false"),
            Self::Until(condition) => write!(f, "until {condition}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

words! {
    /// Who approves a step.
    Gate {
        Human "human",
        Auto "auto",
    }
}
