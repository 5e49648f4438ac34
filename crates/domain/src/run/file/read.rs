//! From text to a [`WorkflowFile`]: lines, then blocks, then fields.

mod check;
mod front;
mod step;

use super::WorkflowFile;
use super::finding::{Finding, Findings};
use super::lines::lines;
use super::outline::{headers, mark_fences, outline};
use super::place::{FrontPlace, Places};

/// The largest file that is read.
pub const LARGEST_BYTES: usize = 1 << 20;
/// The most steps of a file.
pub const MOST_STEPS: usize = 1_000;
/// The longest name of a step.
pub const LONGEST_NAME_CHARS: usize = 500;

/// A file that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    pub file: WorkflowFile,
    pub places: Places,
    /// What may not be meant as it is written, in the order of the text.
    pub warnings: Vec<Finding>,
}

/// Reads a file. What was refused comes with every error that was found and the warnings between
/// them, in the order of the text.
pub fn parse(text: &str) -> Result<Parsed, Vec<Finding>> {
    let Reading { file, places, found, .. } = read(text);
    if found.has_errors() {
        return Err(found.sorted());
    }
    Ok(Parsed { file, places, warnings: found.sorted() })
}

/// What could be understood of a text, whether it is accepted or not.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) file: WorkflowFile,
    pub(super) places: Places,
    pub(super) found: Findings,
    /// It was refused without a look at its parts.
    pub(super) is_refused_whole: bool,
}

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let Reading { file, places, found, is_refused_whole } = &mut reading;
    if text.len() > LARGEST_BYTES {
        found.push(too_large());
        *is_refused_whole = true;
        return reading;
    }
    let mut lines = lines(text);
    let outline = outline(&mut lines, found);
    if let Some((opening, lines)) = outline.front {
        let fields;
        (file.front, fields) = front::front(lines, found);
        places.front = Some(FrontPlace { opening: opening.span(), fields });
    }
    mark_fences(outline.body, found);
    let body = &*outline.body;
    let headers = headers(body, found);
    if headers.is_empty() {
        found.push(no_steps(text));
    }
    if let Some(header) = headers.get(MOST_STEPS) {
        let message = format!("the file has {} steps, the limit is {MOST_STEPS}", headers.len());
        found.push(
            Finding::error("too_many_steps", header.line.span(), message).label("one too many"),
        );
        *is_refused_whole = true;
        return reading;
    }
    step::number(&headers, found);
    for (position, header) in headers.iter().enumerate() {
        let end = headers.get(position + 1).map_or(body.len(), |next| next.at);
        let lines = body.get(header.at + 1..end).unwrap_or_default();
        let (step, place) = step::step(position, header, lines, found);
        file.steps.push(step);
        places.steps.push(place);
    }
    reading
}

fn too_large() -> Finding {
    Finding::error("file_too_large", 0..0, "the file is larger than 1 MiB")
}

fn no_steps(text: &str) -> Finding {
    let end = text.trim_end().len();
    Finding::error("no_steps", end..end, "No steps found in workflow")
        .label("a step begins with `- [ ] **Step 1: Name**`")
        .in_hotl(
            "No steps found (expected either '### N. Step name' or '- [ ] **Step N: Step name**')",
        )
}
