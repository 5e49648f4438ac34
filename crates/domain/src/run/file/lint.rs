//! What is wrong with a file that can be read: before a run, not during it.

mod check;
pub(super) mod compat;
mod front;
mod reach;
mod security;
mod step;

use super::WorkflowFile;
use super::finding::{Finding, Findings};
use super::place::Places;
use super::read::{Parsed, Reading, read};
use security::Keywords;

/// The rules that a file breaks which was read from `text`, in the order of the text.
pub fn lint(text: &str, parsed: &Parsed) -> Vec<Finding> {
    let mut found = Findings::default();
    rules(text, &parsed.file, &parsed.places, Keywords::Words, &mut found);
    found.sorted()
}

/// All that can be said of a text: what [`parse`](super::parse) finds and what [`lint`] finds, also
/// where the file is refused.
pub fn inspect(text: &str) -> Vec<Finding> {
    let (reading, rules) = both(text, Keywords::Words);
    let mut all = [reading, rules].concat();
    all.sort_by_key(|finding| finding.span.start);
    all
}

/// What was found in reading, and the rules that are broken.
fn both(text: &str, keywords: Keywords) -> (Vec<Finding>, Vec<Finding>) {
    let Reading { file, places, found, is_refused_whole } = read(text);
    let mut broken = Findings::default();
    if !is_refused_whole {
        rules(text, &file, &places, keywords, &mut broken);
    }
    (found.sorted(), broken.sorted())
}

fn rules(
    text: &str,
    file: &WorkflowFile,
    places: &Places,
    keywords: Keywords,
    found: &mut Findings,
) {
    front::rules(file, places, found);
    let steps = file.steps.iter().zip(&places.steps);
    for (step, place) in steps.clone() {
        step::rules(step, place, found);
        check::rules(step, place, found);
        if file.front.risk == Some(super::Risk::High) {
            security::rules(text, step, place, keywords, found);
        }
    }
    reach::rules(file, places, found);
}
