//! A piece of a text that shows what was found, as answers show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::words::Snippet;

/// How much of a text is shown around what was found.
pub(crate) const SNIPPET_CHARS: usize = 80;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SnippetView {
    /// Where the text stands, such as `description`, `comment`, `content` or `gotchas`.
    pub field: String,
    pub text: String,
    /// Where in the text the words are: from and to, in bytes.
    pub marks: Vec<[usize; 2]>,
    pub cut_before: bool,
    pub cut_after: bool,
}

impl SnippetView {
    pub(crate) fn new(field: &'static str, found: Snippet) -> Self {
        Self {
            field: field.to_owned(),
            text: found.text,
            marks: found.marks.into_iter().map(|mark| [mark.start, mark.end]).collect(),
            cut_before: found.cut_before,
            cut_after: found.cut_after,
        }
    }

    pub(crate) fn shown(&self) -> String {
        let mark = |cut| if cut { "…" } else { "" };
        format!("{}{}{}", mark(self.cut_before), self.text, mark(self.cut_after))
    }
}
