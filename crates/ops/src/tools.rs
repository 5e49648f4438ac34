//! The names of sets of tools, as an agent's key or its command line asks for them.
//!
//! What a tool looks like is the affair of the MCP door; here is what its name can be.

use std::collections::BTreeSet;

use windlass_domain::near::near;
use windlass_domain::{Code, Refusal};

use crate::operation::Place;
use crate::table::{Entry, TABLE};

/// All operations of the ledger.
pub const ALL: &str = "all";
/// The tools that are shown when nobody asks for others.
pub const DEFAULT: &str = "default";
/// The tools of Hizal, under its names.
pub const HIZAL: &str = "hizal";
/// The names of those that are shown when nobody asks for others.
pub const USUAL: [&str; 12] = [
    "start",
    "claim",
    "checkpoint",
    "complete",
    "block",
    "handoff",
    "delegate",
    "add",
    "list",
    "show",
    "search",
    "why",
];

/// Sets that are no group of operations.
const SETS: [&str; 3] = [ALL, DEFAULT, HIZAL];

/// The parts of a set: `all`, `default`, `hizal`, groups and names, with commas between them.
pub fn parts(given: &str) -> impl Iterator<Item = &str> {
    given.split(',').map(str::trim)
}

/// Refuses a set that names what is no tool.
pub fn check(given: &str) -> Result<(), Refusal> {
    match parts(given).find(|part| !is_known(part)) {
        Some(part) => Err(unknown(part)),
        None => Ok(()),
    }
}

fn is_known(part: &str) -> bool {
    SETS.contains(&part) || USUAL.contains(&part) || operations().any(|entry| is_meant(entry, part))
}

/// Whether a part of a set is this operation or its group.
pub fn is_meant(entry: &Entry, part: &str) -> bool {
    group_of(entry) == part || entry.name == part || name_of(entry) == part
}

/// The name of an operation as a tool: `task_set_status`.
pub fn name_of(entry: &Entry) -> String {
    entry.name.replace(['.', '-'], "_")
}

fn group_of(entry: &Entry) -> &'static str {
    entry.words().next().unwrap_or(entry.name)
}

/// Those that can be tools.
pub fn operations() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().filter(|entry| entry.place == Place::Ledger)
}

/// The refusal of a part that is no tool.
pub fn unknown(part: &str) -> Refusal {
    let groups: BTreeSet<&str> = operations().map(group_of).collect();
    let known: Vec<&str> = SETS.into_iter().chain(groups).collect();
    let names: Vec<String> = operations().map(name_of).collect();
    let tools = USUAL.into_iter().chain(names.iter().map(String::as_str));
    let tools = tools.filter(|tool| !known.contains(tool));
    Refusal::new(Code::InvalidValue, format!("there are no tools '{part}'"))
        .hint(format!("use {}, or names of tools", known.join(", ")))
        .detail("field", "tools")
        .detail("given", part)
        .suggest(near(part, known.iter().copied().chain(tools)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_groups_and_names() {
        for set in [
            "all",
            "default",
            "hizal",
            "default,dep",
            "claim, task.claim",
            "task_set_status",
            "why",
        ] {
            assert_eq!(check(set), Ok(()), "{set}");
        }
        for set in ["", "nope", "default,nope", "default,", "backup"] {
            assert_eq!(check(set).unwrap_err().code, Code::InvalidValue, "{set}");
        }
    }
}
