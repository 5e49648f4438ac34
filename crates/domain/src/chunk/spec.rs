//! Specs: the work items of the development pipeline, whose status is not free to set.
//!
//! Until the pipeline moves specs from stage to stage, one is new, or blocked for a reason and then
//! new again. What goes with a status (`previous_status`, `blocked_reason`) is set and cleared here.

use serde_json::{Map, Value};

use super::audience::Audience;
use super::field_set::FieldChange;
use super::{Chunk, ChunkType, Owner, Slug};
use crate::event::Change;
use crate::{Code, ProjectId, Refusal};

pub(super) const STATUS: &str = "status";
pub(super) const PRIORITY: &str = "priority";
pub(super) const PREVIOUS: &str = "previous_status";
pub(super) const REASON: &str = "blocked_reason";
pub(super) const NEW: &str = "new";
pub(super) const BLOCKED: &str = "blocked";
/// The fields that say what the [task](super::tie) of a spec is like.
pub(super) const OF_TASK: [&str; 4] = [STATUS, PRIORITY, PREVIOUS, REASON];

/// Whether chunks of a type are specs.
pub fn is_spec(chunk_type: &Slug) -> bool {
    chunk_type.as_str() == "dev_spec"
}

/// The project of a spec, which its task is in too.
pub(super) fn project(owner: &Owner) -> Result<ProjectId, Refusal> {
    match owner {
        Owner::Project(id) => Ok(*id),
        Owner::Org | Owner::Agent(_) => {
            Err(Refusal::new(Code::InvalidValue, "a spec belongs to a project, as its task does")
                .hint("leave the scope out and name the project: -P NAME")
                .detail("field", "scope")
                .detail("given", owner.scope()))
        }
    }
}

/// Refuses to make a spec of another chunk, or something else of a spec: it is one with its task.
pub(super) fn refuse_promotion(chunk: &Chunk, into: &ChunkType) -> Result<(), Refusal> {
    if chunk.task.is_none() && !is_spec(&into.slug) {
        return Ok(());
    }
    Err(Refusal::new(Code::InvalidValue, "a spec is written, and stays what it is")
        .hint("write one: windlass chunk write dev_spec TITLE --file FILE")
        .detail("field", "type")
        .detail("chunk", chunk.id))
}

/// Refuses a type of specs whose fields could not say what a task is like.
pub(super) fn check_type(before: &ChunkType, after: &ChunkType) -> Result<(), Refusal> {
    let of = |chunk_type: &ChunkType, name: &str| {
        chunk_type.fields.iter().find(|field| field.name == name).cloned()
    };
    let is_changed = |name: &&str| of(before, name) != of(after, name);
    match OF_TASK.into_iter().filter(|_| is_spec(&after.slug)).find(is_changed) {
        None => Ok(()),
        Some(name) => {
            let message = format!("field '{name}' of a spec follows from its task");
            Err(Refusal::new(Code::TypeInUse, message)
                .hint("leave that field as it is, and change the others")
                .detail("type", &after.slug)
                .detail("field", name))
        }
    }
}

/// Refuses a spec that is to be somewhere else than at the beginning.
pub(super) fn check_new(fields: &Map<String, Value>, owner: &Owner) -> Result<(), Refusal> {
    project(owner)?;
    let is_set = |name: &&str| fields.get(*name).is_some_and(|value| !value.is_null());
    match [PREVIOUS, REASON].into_iter().find(is_set) {
        Some(name) => Err(follows(name)),
        None if fields.get(STATUS) == Some(&Value::from(NEW)) => Ok(()),
        None => Err(no_way("nothing", fields.get(STATUS))),
    }
}

/// Refuses to block what is blocked; the reason may be said anew without it.
pub(super) fn refuse_again(
    shown: &Map<String, Value>,
    given: &Map<String, Value>,
) -> Result<(), Refusal> {
    let is_blocked =
        |fields: &Map<String, Value>| fields.get(STATUS) == Some(&Value::from(BLOCKED));
    if !is_blocked(shown) || !is_blocked(given) {
        return Ok(());
    }
    Err(Refusal::new(Code::InvalidTransition, "the spec is blocked already")
        .hint("say the reason anew without the status: --field blocked_reason=TEXT")
        .detail("field", STATUS)
        .detail("reason", shown.get(REASON)))
}

/// What changes about a spec, with what follows from a change of its status.
pub(super) fn guarded(
    shown: &Map<String, Value>,
    mut changes: Vec<FieldChange>,
) -> Result<Vec<FieldChange>, Refusal> {
    let taken = |changes: &mut Vec<FieldChange>, name: &str| {
        let at = changes.iter().position(|change| change.name == name);
        at.map(|at| changes.remove(at))
    };
    if taken(&mut changes, PREVIOUS).is_some() {
        return Err(follows(PREVIOUS));
    }
    let reason = taken(&mut changes, REASON);
    let status = taken(&mut changes, STATUS);
    let is_blocked = shown.get(STATUS) == Some(&Value::from(BLOCKED));
    let follow = match (status, reason) {
        (None, None) => Vec::new(),
        (None, Some(reason)) if is_blocked => vec![said(reason)?],
        (None, Some(_)) => return Err(follows(REASON)),
        (Some(status), reason) => moved(shown, status, reason)?,
    };
    changes.extend(follow);
    Ok(changes)
}

/// Whether a spec that was blocked goes on.
pub(super) fn is_resolved(changes: &[FieldChange]) -> bool {
    changes.iter().any(|change| change.name == STATUS && change.before == BLOCKED)
}

/// Whom a spec that goes on is for again: whoever it was aimed at while it was blocked is not asked
/// for any more.
pub(super) fn aimed_again(spec: &Chunk, changes: &[FieldChange]) -> Option<Change<Audience>> {
    let is_aimed = is_resolved(changes) && spec.audience != spec.audience_before;
    is_aimed.then(|| spec.audience_before.clone().map_or(Change::Cleared, Change::To))
}

/// Whether a spec becomes blocked.
pub(super) fn is_stopped(changes: &[FieldChange]) -> bool {
    changes.iter().any(|change| change.name == STATUS && change.after == BLOCKED)
}

fn moved(
    shown: &Map<String, Value>,
    status: FieldChange,
    reason: Option<FieldChange>,
) -> Result<Vec<FieldChange>, Refusal> {
    let value = |name: &str| shown.get(name).cloned().unwrap_or(Value::Null);
    let to = |name: &str, after: Value| FieldChange {
        name: name.to_owned(),
        before: value(name),
        after,
    };
    let (from, into) = (status.before.as_str(), status.after.as_str());
    match (from, into) {
        (Some(NEW), Some(BLOCKED)) => {
            let reason = said(reason.unwrap_or_else(|| to(REASON, Value::Null)))?;
            let previous = to(PREVIOUS, status.before.clone());
            Ok(vec![status, previous, reason])
        }
        (Some(BLOCKED), Some(_)) if status.after == value(PREVIOUS) => {
            Ok(vec![status, to(PREVIOUS, Value::Null), to(REASON, Value::Null)])
        }
        _ => Err(no_way(from.unwrap_or("nothing"), Some(&status.after))),
    }
}

/// A spec is not blocked without saying why.
fn said(reason: FieldChange) -> Result<FieldChange, Refusal> {
    match reason.after.as_str().is_some_and(|reason| !reason.trim().is_empty()) {
        true => Ok(reason),
        false => Err(Refusal::new(Code::ReasonRequired, "a blocked spec needs a blocked_reason")
            .hint("say in blocked_reason what it waits for")
            .detail("field", REASON)),
    }
}

fn follows(name: &str) -> Refusal {
    Refusal::new(Code::InvalidTransition, format!("'{name}' of a spec follows from its status"))
        .hint("set the status to blocked, with a blocked_reason, or back to what it was before")
        .detail("field", name)
}

fn no_way(from: &str, into: Option<&Value>) -> Refusal {
    let into = into.and_then(Value::as_str).unwrap_or("nothing");
    Refusal::new(Code::InvalidTransition, format!("a spec does not go from {from} to {into}"))
        .hint("a spec begins as new; it can be blocked, and then be new again")
        .detail("field", STATUS)
        .detail("from", from)
        .detail("to", into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in::chunk_types;
    use crate::chunk::field_set;
    use serde_json::json;

    /// What is shown of a spec after these fields were given, one after the other.
    fn after(given: &[Value]) -> Result<Value, Refusal> {
        let spec = chunk_types().into_iter().find(|known| is_spec(&known.slug)).unwrap();
        let mut stored = field_set::written(&spec.fields, &Map::new())?;
        for fields in given {
            let fields = fields.as_object().unwrap();
            let changes = field_set::changed(&spec.fields, &stored, fields)?;
            let shown = field_set::shown(&spec.fields, &stored);
            for change in guarded(&shown, changes)? {
                stored.insert(change.name, change.after);
            }
        }
        let mut shown = field_set::shown(&spec.fields, &stored);
        shown.retain(|name, _| [STATUS, PREVIOUS, REASON].contains(&name.as_str()));
        Ok(Value::from(shown))
    }

    fn refused(given: &[Value]) -> Code {
        after(given).unwrap_err().code
    }

    fn block() -> Value {
        json!({"status": "blocked", "blocked_reason": "no key"})
    }

    #[test]
    fn c35_a_blocked_spec_keeps_where_it_was_and_why() {
        assert_eq!(
            after(&[block()]),
            Ok(json!({"status": "blocked", "previous_status": "new", "blocked_reason": "no key"}))
        );
    }

    #[test]
    fn c35_a_spec_is_not_blocked_without_a_reason() {
        for given in
            [json!({"status": "blocked"}), json!({"status": "blocked", "blocked_reason": " "})]
        {
            assert_eq!(refused(&[given]), Code::ReasonRequired);
        }
    }

    #[test]
    fn c39_a_spec_that_goes_on_is_where_it_was_and_has_no_reason() {
        assert_eq!(
            after(&[block(), json!({"status": "new"})]),
            Ok(json!({"status": "new", "previous_status": null, "blocked_reason": null}))
        );
    }

    #[test]
    fn c36_the_reason_of_a_blocked_spec_may_be_said_anew() {
        let given = [block(), json!({"blocked_reason": "no key, no network"})];
        assert_eq!(after(&given).unwrap()[PREVIOUS], "new");
        assert_eq!(refused(&[block(), json!({"blocked_reason": null})]), Code::ReasonRequired);
    }

    #[test]
    fn c3_no_other_status_is_reached() {
        for status in ["researched", "planned", "deployed"] {
            let to = json!({ "status": status });
            assert_eq!(refused(std::slice::from_ref(&to)), Code::InvalidTransition);
            assert_eq!(refused(&[block(), to]), Code::InvalidTransition);
        }
    }

    #[test]
    fn what_follows_from_the_status_is_not_set_by_itself() {
        for given in [json!({"previous_status": "planned"}), json!({"blocked_reason": "x"})] {
            assert_eq!(refused(&[given]), Code::InvalidTransition);
        }
    }

    #[test]
    fn c5_a_spec_begins_as_new() {
        let owner = Owner::Project(ProjectId::from_bytes([1; 16]));
        let check = |given: Value| check_new(given.as_object().unwrap(), &owner);
        assert_eq!(check(json!({"status": "new", "blocked_reason": null})), Ok(()));
        for given in [json!({"status": "planned"}), json!({"status": "new", "blocked_reason": "x"})]
        {
            assert_eq!(check(given).unwrap_err().code, Code::InvalidTransition);
        }
    }

    #[test]
    fn a_spec_belongs_to_a_project() {
        let new = json!({"status": "new"});
        for owner in [Owner::Org, Owner::Agent("w1".into())] {
            let refusal = check_new(new.as_object().unwrap(), &owner).unwrap_err();
            assert_eq!(refusal.details["field"], "scope");
        }
    }

    #[test]
    fn the_other_fields_of_a_spec_are_free() {
        assert!(after(&[json!({"priority": "high", "ticket_url": "https://a.b/1"})]).is_ok());
    }
}
