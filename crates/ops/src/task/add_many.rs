//! `task add --from` and `--tasks`: many tasks in one transaction, all or none.
//!
//! The text holds one JSON object a line (or one list of them) with the fields of `task add`, or
//! plain lines, each a title. What the command line says holds for every task that does not say
//! otherwise. A task may have a `key`, by which tasks after it name it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use windlass_domain::{Code, Refusal, TaskId};
use windlass_ledger::{Error, Fault};

use super::add::{Add, AddedMany, AddedOne};
use crate::context::{Context, Name};
use crate::view::{Level, TaskView, unknown_fields, usage};

/// The fields that are given for a task.
type Fields = Map<String, Value>;

/// A task of the file.
struct Line {
    /// `line 3` or `item 3`.
    place: String,
    key: Option<String>,
    add: Add,
}

/// Makes all tasks of a text.
pub(super) fn add_many(defaults: &Add, text: &str, cx: &mut Context) -> Result<AddedMany, Error> {
    let lines = read(defaults, text)?;
    let mut wanted = Vec::with_capacity(lines.len());
    for line in &lines {
        wanted.push(line.add.checked(cx).map_err(|refusal| at(&line.place, refusal))?);
    }
    let (actor, _) = cx.identity(Name::author(defaults.author.as_ref()))?;
    cx.write(&actor, |tx| {
        let mut keys: BTreeMap<&str, TaskId> = BTreeMap::new();
        let mut tasks = Vec::with_capacity(lines.len());
        for (line, wanted) in lines.iter().zip(&wanted) {
            let add = with_ids(&line.add, &keys);
            let task = add.create(tx, wanted, &actor).map_err(|error| match error {
                Error::Refused(refusal) => at(&line.place, refusal).into(),
                failed @ Error::Failed(_) => failed,
            })?;
            if let Some(key) = &line.key {
                keys.insert(key, task.id);
            }
            let task = TaskView::load(tx, &task, Level::Standard)?;
            tasks.push(AddedOne { key: line.key.clone(), task });
        }
        Ok(AddedMany { count: tasks.len() as u64, tasks })
    })
}

/// Keys of earlier tasks become their ids.
fn with_ids(add: &Add, keys: &BTreeMap<&str, TaskId>) -> Add {
    let named = |text: &String| match keys.get(text.as_str()) {
        Some(id) => id.to_string(),
        None => text.clone(),
    };
    Add {
        parent: add.parent.as_ref().map(named),
        depends_on: add.depends_on.iter().map(named).collect(),
        ..add.clone()
    }
}

fn read(defaults: &Add, text: &str) -> Result<Vec<Line>, Error> {
    let objects = objects(text)?;
    if objects.is_empty() {
        return Err(usage("there is no task to add", "give one JSON object or title a line").into());
    }
    let base = base(defaults)?;
    // Who acts is one for all: they are made in one transaction.
    let own = base.keys().filter(|field| !matches!(field.as_str(), "from" | "tasks" | "author"));
    let fields: Vec<String> = own.cloned().chain(["key".to_owned()]).collect();
    let mut known = BTreeMap::new();
    let mut lines: Vec<Line> = Vec::with_capacity(objects.len());
    for (place, mut object) in objects {
        let unknown: Vec<String> =
            object.keys().filter(|key| !fields.contains(key)).cloned().collect();
        if !unknown.is_empty() {
            return Err(at(&place, unknown_fields("task.add", &unknown, &fields)).into());
        }
        let key = key(object.remove("key"), &place, &mut known)?;
        let mut whole = base.clone();
        whole.extend(object);
        let add: Add = serde_json::from_value(Value::Object(whole))
            .map_err(|wrong| invalid(&place, &wrong.to_string()))?;
        if add.title.is_none() {
            return Err(invalid(&place, "a task needs a title").into());
        }
        lines.push(Line { place, key, add });
    }
    Ok(lines)
}

/// The fields of the command line, which every task begins with.
fn base(defaults: &Add) -> Result<Fields, Fault> {
    let plain = Add { from: None, tasks: None, ..defaults.clone() };
    match serde_json::to_value(plain) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(Fault::bug("arguments are no object")),
    }
}

fn key(
    given: Option<Value>,
    place: &str,
    known: &mut BTreeMap<String, String>,
) -> Result<Option<String>, Refusal> {
    let key = match given {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(key)) if !key.trim().is_empty() => key,
        Some(_) => return Err(invalid(place, "a key is a text that is not empty")),
    };
    match known.insert(key.clone(), place.to_owned()) {
        Some(first) => Err(invalid(place, &format!("the key '{key}' is that of {first}"))),
        None => Ok(Some(key)),
    }
}

/// The tasks of the text and where each is.
fn objects(text: &str) -> Result<Vec<(String, Fields)>, Refusal> {
    match text.trim_start().chars().next() {
        Some('[') if begins_list(text) => {
            let list: Vec<Fields> = serde_json::from_str(text)
                .map_err(|wrong| invalid(&format!("line {}", wrong.line()), &wrong.to_string()))?;
            Ok((1..).zip(list).map(|(n, object)| (format!("item {n}"), object)).collect())
        }
        Some('{') if begins_object(text) => lines(text)
            .map(|(place, line)| match serde_json::from_str(line) {
                Ok(object) => Ok((place, object)),
                Err(wrong) => Err(invalid(&place, &wrong.to_string())),
            })
            .collect(),
        _ => Ok(lines(text)
            .map(|(place, line)| {
                let title = ("title".to_owned(), Value::from(line.trim()));
                (place, Fields::from_iter([title]))
            })
            .collect()),
    }
}

/// A list of objects, and not a title such as `[bug] fix it`.
fn begins_list(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('[').unwrap_or_default();
    inside.trim_start().starts_with(['{', ']'])
}

/// An object, and not a title such as `{draft} write it`.
fn begins_object(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('{').unwrap_or_default();
    inside.trim_start().starts_with(['"', '}'])
}

fn lines(text: &str) -> impl Iterator<Item = (String, &str)> {
    let said = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    said.map(|(n, line): (usize, &str)| (format!("line {n}"), line))
}

fn invalid(place: &str, why: &str) -> Refusal {
    let refusal = Refusal::new(Code::InvalidValue, why.to_owned())
        .hint("give one JSON object a line, such as {\"title\": \"…\", \"priority\": 2}");
    at(place, refusal)
}

/// Says where in the file something was refused.
fn at(place: &str, refusal: Refusal) -> Refusal {
    let message = format!("{place}: {}; nothing was added", refusal.message);
    Refusal { message, ..refusal }.detail("place", place)
}
