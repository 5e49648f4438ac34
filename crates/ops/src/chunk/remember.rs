//! `remember`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::built_in::MEMORY;
use windlass_ledger::Error;

use super::parts::Parts;
use super::write::{Write, Written};
use super::writer::Writer;
use crate::context::Context;
use crate::operation::{Access, Operation};

/// A title that is made from what is remembered is cut here.
const TITLE_CHARS: usize = 80;

/// Keeps something in mind for who asks, and for nobody else.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Remember {
    /// What to keep in mind
    pub text: String,
    /// Words to find it by
    #[arg(short, long = "tag", value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub writer: Writer,
}

impl Operation for Remember {
    type Output = Written;
    const NAME: &'static str = "remember";
    const ABOUT: &'static str = "Keep something in mind: a memory of the agent that asks";
    const EXAMPLE: &'static str = "windlass remember 'the staging API allows 60 calls a minute'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Written, Error> {
        let memory = Write {
            chunk_type: MEMORY.to_owned(),
            title: title(&self.text),
            parts: Parts { tags: Some(self.tags.clone()), ..Parts::default() },
            writer: self.writer.clone(),
            ..Write::default()
        };
        memory.record(&self.text, cx)
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        Ok(Some(Self { writer: self.writer.settled(cx), ..self.clone() }))
    }
}

/// The beginning of a text, on one line.
fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let plain: String = line.chars().filter(|letter| !letter.is_control()).collect();
    match plain.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", plain.get(..end).unwrap_or_default().trim_end()),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_called_by_its_first_line() {
        assert_eq!(title("\n  the API is slow\nvery"), "the API is slow");
        assert_eq!(title(&"word ".repeat(40)), format!("{}…", "word ".repeat(16).trim_end()));
        assert_eq!(title("a\tb\u{7}c"), "abc");
    }
}
