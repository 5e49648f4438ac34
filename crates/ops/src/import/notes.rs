//! What an import could not carry over as it was, counted.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sheet::Sheet;

/// Something that did not come over as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub what: String,
    pub count: u64,
    /// The first of them.
    pub example: String,
}

/// The notes of one import, in the order in which each was first needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Notes(Vec<Note>);

impl Notes {
    pub(super) fn add(&mut self, what: &str, example: impl Display) {
        self.add_many(what, 1, example);
    }

    pub(super) fn add_many(&mut self, what: &str, count: u64, example: impl Display) {
        match self.0.iter_mut().find(|note| note.what == what) {
            Some(note) => note.count += count,
            None => {
                self.0.push(Note { what: what.to_owned(), count, example: example.to_string() });
            }
        }
    }

    /// Adds what was noted elsewhere.
    pub(super) fn extend(&mut self, others: Self) {
        for note in others.0 {
            self.add_many(&note.what, note.count, note.example);
        }
    }

    pub(super) fn into_list(self) -> Vec<Note> {
        self.0
    }
}

/// How many of what was read needed nothing, if any.
pub(super) fn already_here(count: u64) -> String {
    match count {
        0 => String::new(),
        1 => ", 1 was here already".to_owned(),
        count => format!(", {count} were here already"),
    }
}

/// Adds the notes to a page, if there are any.
pub(super) fn with_notes(sheet: Sheet, notes: &[Note]) -> Sheet {
    if notes.is_empty() {
        return sheet;
    }
    let line = |note: &Note| format!("- {} {}; such as {}", note.count, note.what, note.example);
    let sheet = sheet.and_heading("What did not come over as it was");
    notes.iter().map(line).fold(sheet, Sheet::and_line)
}
