//! What can be given for an argument.

use clap::{Arg, ValueHint};
use windlass_domain::{Code, Status};
use windlass_ops::table::Entry;
use windlass_ops::workflow::WORKFLOWS;

use super::Candidate;

/// What could come next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Nothing,
    Files,
    Words(Vec<Candidate>),
    /// Something the ledger knows.
    Value(Value),
}

/// A value that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// A task in one of these statuses.
    Task(&'static [Status]),
    Project,
    Agent,
}

/// What can be given for an argument.
pub(super) fn value_of(operation: &str, argument: &Arg) -> Wanted {
    let possible = argument.get_possible_values();
    if !possible.is_empty() {
        let words = possible.iter().map(|value| {
            let about = value.get_help().map(ToString::to_string);
            Candidate::new(value.get_name(), about.unwrap_or_default())
        });
        return Wanted::Words(words.collect());
    }
    if argument.get_value_hint() == ValueHint::AnyPath {
        return Wanted::Files;
    }
    let names = argument.get_value_names().unwrap_or_default();
    let name = names.first().map(|name| name.trim_end_matches(",…")).unwrap_or_default();
    match (name, argument.get_id().as_str()) {
        ("TASK", _) | (_, "task" | "tasks" | "depends_on" | "parent") => {
            Wanted::Value(Value::Task(tasks_for(operation)))
        }
        ("STATUS", _) => words(statuses_for(operation).iter().map(|status| status.as_str())),
        (_, "project" | "old_name" | "from_project" | "to_project" | "move_to" | "all_from") => {
            Wanted::Value(Value::Project)
        }
        (_, "name") if operation.starts_with("project.") && operation != "project.create" => {
            Wanted::Value(Value::Project)
        }
        (_, "agent" | "author" | "from_agent" | "to_agent") => Wanted::Value(Value::Agent),
        (_, "name") if operation == "workflow.show" => {
            words(WORKFLOWS.iter().map(|workflow| workflow.name))
        }
        (_, "code") => words(Code::ALL.iter().map(|code| code.as_str())),
        (_, "format") => {
            let own = Entry::named(operation).map_or(&[][..], |entry| entry.formats);
            words(own.iter().copied().chain(["text", "json"]))
        }
        ("PATH_OR_URL" | "FILE" | "FOLDER", _) => Wanted::Files,
        _ => Wanted::Nothing,
    }
}

fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Wanted {
    Wanted::Words(words.into_iter().map(|word| Candidate::new(word, "")).collect())
}

/// The statuses of the tasks that an operation is usually about.
fn tasks_for(operation: &str) -> &'static [Status] {
    match operation {
        "task.reopen" => &[Status::Done],
        "task.restore" => &[Status::Archived],
        "task.unblock" => &[Status::Blocked],
        "workflow.run.handoff" => &[Status::InProgress, Status::Blocked],
        _ => &[Status::InProgress, Status::Ready, Status::Blocked, Status::Backlog, Status::Done],
    }
}

fn statuses_for(operation: &str) -> &'static [Status] {
    match operation {
        "task.list" => &Status::ALL,
        "task.reopen" => &[Status::Ready, Status::Backlog],
        _ => &[Status::Backlog, Status::Ready, Status::InProgress, Status::Blocked, Status::Done],
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use windlass_ops::table::TABLE;

    use super::*;

    #[test]
    fn whatever_names_a_task_a_project_or_an_agent_is_looked_up() {
        for entry in TABLE {
            let command = (entry.arguments)(Command::new("leaf"));
            for argument in command.get_arguments() {
                let wanted = value_of(entry.name, argument);
                let is_right = match argument.get_id().as_str() {
                    "task" | "parent" | "depends_on" => {
                        matches!(wanted, Wanted::Value(Value::Task(_)))
                    }
                    "project" => wanted == Wanted::Value(Value::Project),
                    "agent" | "author" => wanted == Wanted::Value(Value::Agent),
                    _ => true,
                };
                assert!(is_right, "{} {}: {wanted:?}", entry.name, argument.get_id());
            }
        }
    }
}
