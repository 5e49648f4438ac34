//! The words of a text in their order, each by its stem: what a ranking counts.

use super::glyph::{Glyph, glyphs};
use super::run::{self, Run};

/// The stem of every word of a text, in order. A name such as `parseRequest`, `parse_request` or
/// `parse-request` is there by its parts and, after them, as a whole.
pub fn stems(text: &str) -> Vec<String> {
    let glyphs = glyphs(text);
    let mut stems = Vec::new();
    let mut name: Vec<&[Glyph]> = Vec::new();
    for run in run::runs(&glyphs) {
        match run {
            Run::Letters(letters) => {
                if !name.last().is_some_and(|last| are_joined(text, last, letters)) {
                    end_name(&mut name, &mut stems);
                }
                let parts = run::parts(letters);
                stems.extend(parts.iter().map(|part| stem(part)));
                name.extend(parts);
            }
            Run::Cjk(letters) => {
                end_name(&mut name, &mut stems);
                stems.extend(run::pairs(letters).map(run::folded));
            }
        }
    }
    end_name(&mut name, &mut stems);
    stems
}

fn stem(word: &[Glyph]) -> String {
    let [_, stem] = run::forms(word);
    stem
}

/// Whether only one sign stands between two words that makes one name of them.
fn are_joined(text: &str, one: &[Glyph], next: &[Glyph]) -> bool {
    let between = text.get(run::range(one).end..run::range(next).start);
    matches!(between, Some("_" | "-" | ""))
}

/// Adds a name as a whole when it has parts.
fn end_name(name: &mut Vec<&[Glyph]>, stems: &mut Vec<String>) {
    if name.len() > 1 {
        let whole: Vec<Glyph> = name.iter().flat_map(|part| part.iter().copied()).collect();
        stems.push(stem(&whole));
    }
    name.clear();
}
