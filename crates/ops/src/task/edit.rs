//! `task edit`: a task as a text, changed in the caller's editor.
//!
//! The text begins with the fields, one a line; after an empty line comes the description. Only what
//! was changed is recorded. A text that is refused is kept, so that no work is lost.
//!
//! It looks at the task and changes it by two other operations, which a server may do.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_domain::near::near;
use windlass_domain::{Code, Refusal, TaskId};
use windlass_hands::editor;
use windlass_ledger::{Error, Fault};

use super::show::Show;
use super::update::{Update, Updated};
use crate::context::Context;
use crate::operation::{Access, Operation, Place, Remotely};
use crate::view::{Full, JsonObject, Level, TaskView};

/// Opens a task in your editor and records what you change.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Edit {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// The fields of the text, in their order.
const FIELDS: [&str; 8] =
    ["title", "priority", "tags", "links", "due", "agent", "stale_after", "metadata"];

impl Operation for Edit {
    type Output = Updated;
    const NAME: &'static str = "task.edit";
    const ABOUT: &'static str = "Change a task in your editor";
    const EXAMPLE: &'static str = "windlass task edit 8F3K2Q";
    const ACCESS: Access = Access::Write;
    const PLACE: Place = Place::Workplace;
    const REMOTELY: Remotely = Remotely::Here;

    fn run(&self, cx: &mut Context) -> Result<Updated, Error> {
        let editor = cx.surroundings.editor.clone().ok_or_else(|| {
            Refusal::new(Code::InvalidValue, "there is no editor to open the task in")
                .hint("set EDITOR, such as EDITOR=nano, or use: windlass task update")
                .detail("field", "EDITOR")
        })?;
        let task = shown(cx, &self.task)?;
        let file = draft(task.task_id, &rendered(&task)?)?;
        let updated = self.change(cx, &task, &editor, &file);
        match updated {
            Ok(updated) => {
                let _removed = std::fs::remove_file(&file);
                Ok(updated)
            }
            Err(Error::Refused(refusal)) => Err(kept(refusal, &file).into()),
            Err(Error::Failed(fault)) => {
                let message = still_there(&fault.message, &file);
                Err(Fault { message, ..fault }.detail("file", file.display().to_string()).into())
            }
        }
    }
}

impl Edit {
    fn change(
        &self,
        cx: &mut Context,
        task: &TaskView,
        editor: &str,
        file: &Path,
    ) -> Result<Updated, Error> {
        let ended_well = editor::edit(editor, file)
            .map_err(|error| Fault::new(Code::FileUnusable, error.to_string()).because(error))?;
        if !ended_well {
            return Err(Refusal::new(
                Code::InvalidValue,
                format!("the editor '{editor}' ended with an error"),
            )
            .hint("set EDITOR to an editor that works; nothing was changed")
            .detail("field", "EDITOR")
            .into());
        }
        let after = cx.local_text(&file.display().to_string())?;
        let before = rendered(task)?;
        // An emptied file is how people leave an editor without meaning anything.
        let after = if after.trim().is_empty() { &before } else { &after };
        let (old, new) = (read(&before)?, read(after)?);
        // What is left out stays as it is.
        if new.iter().all(|(field, value)| old.get(field) == Some(value)) {
            return Ok(Updated { task: task.clone(), changed: Vec::new() });
        }
        record(cx, task, self.changes(task.task_id, &old, &new)?)
    }

    /// What is different in the text, as an update.
    fn changes(&self, id: TaskId, before: &Text, after: &Text) -> Result<Update, Refusal> {
        let new = |field: &str| {
            let (old, new) = (before.get(field), after.get(field));
            new.filter(|new| Some(*new) != old).cloned()
        };
        let list = |field: &str| new(field).map(|text| items(&text));
        let priority = new("priority").map(|text| {
            text.parse::<i64>().map_err(|_| wrong(&format!("priority '{text}' is not a number")))
        });
        let metadata = new("metadata").map(|text| {
            let text = if text.is_empty() { "{}" } else { &text };
            text.parse::<JsonObject>().map_err(|why| wrong(&format!("metadata is {why}")))
        });
        Ok(Update {
            title: new("title"),
            description: new(DESCRIPTION),
            priority: priority.transpose()?,
            tags: list("tags"),
            links: list("links"),
            due: new("due"),
            agent: new("agent"),
            stale_after: new("stale_after"),
            metadata: metadata.transpose()?,
            author: self.author.clone(),
            ..Update::of(id)
        })
    }
}

/// Records the changes, unless somebody else changed the text meanwhile. A comment does not.
fn record(cx: &mut Context, seen: &TaskView, changes: Update) -> Result<Updated, Error> {
    let before = rendered(seen)?;
    let mut version = full(seen)?.version;
    loop {
        let updated = cx.perform(&Update { if_version: Some(version), ..changes.clone() });
        if !matches!(&updated, Err(error) if error.code() == Code::EditConflict) {
            return updated;
        }
        let now = shown(cx, &changes.task)?;
        if rendered(&now)? != before {
            return Err(changed_meanwhile(now.task_id).into());
        }
        version = full(&now)?.version;
    }
}

/// The fields of a text and its description.
type Text = BTreeMap<String, String>;

const DESCRIPTION: &str = "description";

/// The task as it is now.
fn shown(cx: &mut Context, task: &str) -> Result<TaskView, Error> {
    let show = Show { task: task.to_owned(), view: Level::Full, no_subtasks: true, deep: false };
    Ok(cx.perform(&show)?.task)
}

fn full(task: &TaskView) -> Result<&Full, Fault> {
    task.full.as_ref().ok_or_else(|| Fault::bug("a task is not shown in full"))
}

fn rendered(task: &TaskView) -> Result<String, Fault> {
    let Full { description, links, metadata, stale_after_minutes, .. } = full(task)?;
    let (tags, due_at) = match &task.standard {
        Some(standard) => (standard.tags.join(", "), standard.due_at),
        None => (String::new(), None),
    };
    let metadata = match metadata.is_empty() {
        true => String::new(),
        false => Value::from(metadata.clone()).to_string(),
    };
    let stale_after = stale_after_minutes.map(|minutes| format!("{minutes}m"));
    let values = [
        task.title.clone(),
        task.priority.to_string(),
        tags,
        links.join(", "),
        due_at.map(|due| due.to_string()).unwrap_or_default(),
        task.agent.clone().unwrap_or_default(),
        stale_after.unwrap_or_default(),
        metadata,
    ];
    let mut text = format!(
        "# Task {}: the fields, an empty line, the description.\n\
         # Up here lines with # are left out, and an empty value means none.\n",
        task.task_id
    );
    for (field, value) in FIELDS.iter().zip(values) {
        text.push_str(format!("{field}: {value}").trim_end());
        text.push('\n');
    }
    text.push('\n');
    text.push_str(description.as_deref().unwrap_or_default());
    text.push('\n');
    Ok(text)
}

fn read(text: &str) -> Result<Text, Refusal> {
    let mut fields = Text::new();
    let mut lines = text.lines();
    let mut has_description = false;
    for line in lines.by_ref() {
        if line.trim().is_empty() {
            has_description = true;
            break;
        }
        if line.starts_with('#') {
            continue;
        }
        let Some((field, value)) = line.split_once(':') else {
            return Err(wrong(&format!("'{line}' is no field: a field is written 'title: …'")));
        };
        let field = field.trim();
        if !FIELDS.contains(&field) {
            return Err(wrong(&format!("there is no field '{field}'")).suggest(near(field, FIELDS)));
        }
        fields.insert(field.to_owned(), value.trim().to_owned());
    }
    // Whoever deleted the empty line did not say that there shall be no description.
    if has_description {
        let description = lines.collect::<Vec<_>>().join("\n");
        fields.insert(DESCRIPTION.to_owned(), description.trim_end().to_owned());
    }
    Ok(fields)
}

fn items(text: &str) -> Vec<String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(str::to_owned).collect()
}

/// Where the text is while it is edited.
fn draft(id: TaskId, text: &str) -> Result<PathBuf, Fault> {
    let unusable = |error: std::io::Error| {
        Fault::new(Code::FileUnusable, format!("no file to edit can be made: {error}"))
            .hint("name another place: TMPDIR=PATH windlass task edit TASK")
    };
    let mut file = tempfile::Builder::new()
        .prefix(&format!("windlass-{}-", id.short()))
        .suffix(".md")
        .tempfile()
        .map_err(unusable)?;
    file.write_all(text.as_bytes()).map_err(unusable)?;
    let (_, path) = file.keep().map_err(|error| unusable(error.error))?;
    Ok(path)
}

fn wrong(why: &str) -> Refusal {
    Refusal::new(Code::InvalidValue, why.to_owned()).hint(format!(
        "the fields are {}; the description follows an empty line",
        FIELDS.join(", ")
    ))
}

fn changed_meanwhile(id: TaskId) -> Refusal {
    Refusal::new(Code::EditConflict, format!("task {id} was changed while you edited it"))
        .hint(format!("open it again and take your changes over: windlass task edit {id}"))
        .detail("task_id", id)
}

fn still_there(message: &str, file: &Path) -> String {
    format!("{message}; your text is kept in {}", file.display())
}

/// A text that was refused is still there.
fn kept(refusal: Refusal, file: &Path) -> Refusal {
    let message = still_there(&refusal.message, file);
    Refusal { message, ..refusal }.detail("file", file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_first_and_the_description_after_an_empty_line() {
        let text = "# a comment\ntitle: paint: the boat\ntags: a, b\n\none\n\n# two\n";
        let read = read(text).unwrap();
        assert_eq!(read.get("title").unwrap(), "paint: the boat");
        assert_eq!(items(read.get("tags").unwrap()), ["a", "b"]);
        assert_eq!(read.get(DESCRIPTION).unwrap(), "one\n\n# two");
    }

    #[test]
    fn without_an_empty_line_nothing_is_said_about_the_description() {
        assert_eq!(read("title: x\n").unwrap().get(DESCRIPTION), None);
        assert_eq!(read("title: x\n\n").unwrap().get(DESCRIPTION).unwrap(), "");
    }

    #[test]
    fn a_field_that_does_not_exist_is_refused_with_what_may_be_meant() {
        let refusal = read("titel: x\n").unwrap_err();
        assert_eq!(refusal.suggestions, ["title"]);
        assert!(read("just a line\n").is_err());
    }
}
