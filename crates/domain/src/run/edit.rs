//! State files that another hand changed.

use serde_json::Value;

use super::event::{Edit, RunEdited};
use super::state::Run;
use super::state_file::parse;
use crate::chain::Hash;
use crate::event::RunEvent;
use crate::{Code, Refusal};

/// So that a file that was replaced as a whole does not fill the ledger.
const MOST_EDITS: usize = 100;
const LONGEST_TEXT_CHARS: usize = 500;

/// What becomes of an outside edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutsideEdits {
    #[default]
    Refuse,
    /// What the file says counts.
    Adopt,
}

/// An outside edit: what is recorded of it, and why the call is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub events: Vec<RunEvent>,
    pub refusal: Option<Refusal>,
}

/// What follows from a state file that is not as it was written. An edit that was refused before is
/// refused again, and not recorded again.
pub fn outside_edit(run: &Run, found: &str, then: OutsideEdits) -> Result<Found, Refusal> {
    let sha256 = Hash::of(found.as_bytes());
    let after: Option<Value> = serde_json::from_str(found).ok();
    let before = serde_json::to_value(run.state_file()).unwrap_or(Value::Null);
    let mut difference = Vec::new();
    compare("", Some(&before), after.as_ref(), &mut difference);
    if then == OutsideEdits::Adopt {
        let state = parse(found)?;
        if state.run_id != run.name {
            return Err(refused(run, &difference));
        }
        let event = RunEdited { sha256, difference, adopted: Some(state) };
        return Ok(Found { events: vec![event.into()], refusal: None });
    }
    let refusal = Some(refused(run, &difference));
    let events = match run.refused_edit == Some(sha256) {
        true => Vec::new(),
        false => vec![RunEdited { sha256, difference, adopted: None }.into()],
    };
    Ok(Found { events, refusal })
}

fn refused(run: &Run, difference: &[Edit]) -> Refusal {
    let paths: Vec<&str> = difference.iter().map(|edit| edit.path.as_str()).collect();
    run.refusal(
        Code::RunEdited,
        format!("the state file of run {} was changed by another hand", run.name),
    )
    .hint(
        "put it back by removing the file and calling again, or set runs.outside_edits = \"adopt\" \
         to take such changes over",
    )
    .detail("changed", paths)
}

/// Finds what differs, in the order of the paths.
pub(super) fn compare(
    path: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    edits: &mut Vec<Edit>,
) {
    if before == after || edits.len() >= MOST_EDITS {
        return;
    }
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let gone = old.keys().filter(|key| !new.contains_key(*key));
            for key in new.keys().chain(gone) {
                compare(&format!("{path}.{key}"), old.get(key), new.get(key), edits);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for place in 0..old.len().max(new.len()) {
                compare(&format!("{path}[{place}]"), old.get(place), new.get(place), edits);
            }
        }
        (before, after) => edits.push(Edit {
            path: if path.is_empty() { ".".to_owned() } else { path.to_owned() },
            before: before.filter(|value| !value.is_null()).map(shortened),
            after: after.filter(|value| !value.is_null()).map(shortened),
        }),
    }
}

fn shortened(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) => value.to_string(),
        Value::Null | Value::Bool(_) | Value::Number(_) => return value.clone(),
    };
    match text.char_indices().nth(LONGEST_TEXT_CHARS) {
        Some((end, _)) => Value::String(format!("{}…", text.get(..end).unwrap_or_default())),
        None => value.clone(),
    }
}
