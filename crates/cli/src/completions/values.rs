//! Tasks, projects and agents of the ledger, as candidates.
//!
//! Asked through the operations, like everything else. Who presses a key does not wait: a ledger
//! that cannot be read at once has nothing to offer.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use windlass_domain::{Status, TaskId};
use windlass_ops::Context;
use windlass_ops::table::Entry;

use super::Candidate;
use super::argument::Value;
use super::line::Line;
use crate::command::Flags;
use crate::environment::Environment;

/// How long a ledger that somebody else is busy with is waited for.
const PATIENCE: Duration = Duration::from_millis(200);
/// After this, whoever pressed the key has given up.
const DEADLINE: Duration = Duration::from_secs(1);

/// The most urgent tasks of each status: so many are offered, and so many are looked through when
/// a part of the id was typed.
const OFFERED: u64 = 200;
const LOOKED_THROUGH: u64 = 1_000;

/// What the ledger knows of such a value; nothing when it cannot be asked, or does not answer in
/// time, as a server behind a dead line does. Whoever still waits for it then ends with us.
pub(super) fn known(value: Value, line: &Line, environment: &Environment) -> Vec<Candidate> {
    let purpose = "windlass completions".to_owned();
    let (db, server) = (line.db.clone(), line.server.clone());
    let flags = Flags { db, server, purpose, ..Flags::default() };
    let Ok(mut cx) = environment.context(flags) else {
        return Vec::new();
    };
    cx.workplace.wait = PATIENCE;
    let limit = if line.typed.is_empty() { OFFERED } else { LOOKED_THROUGH };
    let typed = line.typed.to_ascii_uppercase();
    let (sender, receiver) = mpsc::channel();
    let asking = std::thread::Builder::new().spawn(move || {
        let found = match value {
            Value::Task(statuses) => tasks(&mut cx, statuses, limit, &typed),
            Value::Project => projects(&mut cx),
            Value::Agent => agents(&mut cx),
        };
        let _nobody_waits = sender.send(found);
    });
    let found = asking.ok().and_then(|_| receiver.recv_timeout(DEADLINE).ok());
    found.flatten().unwrap_or_default()
}

/// Tasks by the end of their ids, as lists show them; by the whole id to whoever began with that.
fn tasks(cx: &mut Context, statuses: &[Status], limit: u64, typed: &str) -> Option<Vec<Candidate>> {
    let mut found = Vec::new();
    for status in statuses {
        for task in listed(cx, *status, limit)? {
            let id: TaskId = task.get("task_id")?.as_str()?.parse().ok()?;
            let whole = id.to_string();
            let is_whole = !typed.is_empty() && whole.starts_with(typed);
            let word = if is_whole { whole } else { id.short() };
            found.push(Candidate::new(word, task.get("title")?.as_str()?));
        }
    }
    Some(found)
}

fn projects(cx: &mut Context) -> Option<Vec<Candidate>> {
    let answer = ask(cx, "project.list", json!({}))?;
    let projects = answer.get("projects")?.as_array()?;
    let named = projects.iter().filter_map(|project| {
        let about = project.get("description").and_then(Json::as_str).unwrap_or_default();
        Some(Candidate::new(project.get("name")?.as_str()?, about))
    });
    Some(named.collect())
}

/// Everybody who ever did something, and the one of the settings.
fn agents(cx: &mut Context) -> Option<Vec<Candidate>> {
    let mut names: BTreeSet<String> = cx.surroundings.agent.iter().cloned().collect();
    let answer = ask(cx, "agent.status", json!({}))?;
    let agents = answer.get("agents")?.as_array()?.iter();
    names.extend(agents.filter_map(|agent| Some(agent.get("agent")?.as_str()?.to_owned())));
    Some(names.into_iter().map(|name| Candidate::new(name, "")).collect())
}

fn listed(cx: &mut Context, status: Status, limit: u64) -> Option<Vec<Json>> {
    let answer = ask(cx, "task.list", json!({ "status": status.as_str(), "limit": limit }))?;
    answer.get("tasks")?.as_array().cloned()
}

/// The answer of an operation as JSON.
fn ask(cx: &mut Context, operation: &str, arguments: Json) -> Option<Json> {
    let request = Entry::named(operation)?.from_json(arguments).ok()?;
    let answer = request.run(cx).ok()?;
    serde_json::from_str(&answer.json().ok()?).ok()
}
