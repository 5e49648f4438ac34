//! Resources: tasks and boards, each at its address.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use windlass_domain::{Code, Refusal, TaskId};
use windlass_ledger::{Error, Fault};
use windlass_ops::table::Entry;

use super::answer::document;
use super::calls::Calls;
use super::watch::Touched;
use crate::caller::Caller;
use crate::desk::Call;

const SCHEME: &str = "windlass://";
const JSON: &str = "application/json";
/// How many tasks a column of a board shows at most.
const CARDS: u64 = 50;

/// What an address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// A task by its id or a part of it.
    Task(String),
    /// The board of a project.
    Board(String),
}

impl Address {
    pub(super) fn parse(uri: &str) -> Result<Self, Refusal> {
        let parts: Vec<&str> =
            uri.strip_prefix(SCHEME).map(|path| path.split('/').collect()).unwrap_or_default();
        match parts.as_slice() {
            ["task", id] if !id.is_empty() => Ok(Self::Task((*id).to_owned())),
            ["project", name, "board"] if !name.is_empty() => Ok(Self::Board((*name).to_owned())),
            _ => Err(Refusal::new(Code::PathNotFound, format!("there is no resource {uri}"))
                .hint("there are windlass://task/ID and windlass://project/NAME/board")
                .detail("uri", uri)),
        }
    }
}

/// The thing itself, under which its events are recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Thing {
    Task(TaskId),
    Board(String),
}

impl Thing {
    pub(super) fn is_touched(&self, touched: &Touched) -> bool {
        match self {
            Self::Task(id) => touched.tasks.contains(id),
            Self::Board(name) => touched.every_project || touched.projects.contains(name),
        }
    }
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |path: &str, name: &str, about: &str| {
        ResourceTemplate::new(format!("{SCHEME}{path}"), name)
            .with_description(about)
            .with_mime_type(JSON)
    };
    vec![
        template("task/{id}", "task", "A task with its checkpoints, comments and dependencies"),
        template("project/{name}/board", "board", "The tasks of a project by status"),
    ]
}

/// Somebody who looks at resources.
#[derive(Debug, Clone)]
pub(super) struct Looking<C> {
    pub(super) calls: C,
    pub(super) caller: Caller,
}

impl<C: Calls> Looking<C> {
    /// The boards there are. Tasks are too many to be listed; tools find them.
    pub(super) async fn list(&self) -> Result<Vec<Resource>, Error> {
        let answer = self.ask("project.list", json!({})).await?;
        let projects = answer.get("projects").and_then(Value::as_array).cloned();
        let names = projects
            .into_iter()
            .flatten()
            .filter_map(|project| project.get("name").and_then(Value::as_str).map(str::to_owned));
        let board = |name: String| {
            Resource::new(format!("{SCHEME}project/{name}/board"), format!("board of {name}"))
                .with_mime_type(JSON)
        };
        Ok(names.map(board).collect())
    }

    pub(super) async fn read(&self, uri: &str) -> Result<ResourceContents, Error> {
        let found = match Address::parse(uri)? {
            Address::Task(id) => self.ask("task.show", json!({"task": id})).await?,
            Address::Board(name) => {
                self.ask("board", json!({"project": name, "limit": CARDS})).await?
            }
        };
        Ok(ResourceContents::text(found.to_string(), uri).with_mime_type(JSON))
    }

    /// What an address names, which must be there.
    pub(super) async fn find(&self, address: &Address) -> Result<Thing, Error> {
        match address {
            Address::Task(id) => {
                let wanted = json!({"task": id, "view": "summary", "no_subtasks": true});
                let shown = self.ask("task.show", wanted).await?;
                let id = shown.pointer("/task/task_id").and_then(Value::as_str);
                let id = id.and_then(|id| id.parse().ok());
                Ok(Thing::Task(id.ok_or_else(|| Fault::bug("a task is shown without its id"))?))
            }
            Address::Board(name) => {
                self.ask("project.show", json!({"name": name})).await?;
                Ok(Thing::Board(name.clone()))
            }
        }
    }

    async fn ask(&self, operation: &str, arguments: Value) -> Result<Value, Error> {
        let entry = Entry::named(operation)
            .ok_or_else(|| Fault::bug(format!("there is no operation {operation}")))?;
        let call = Call { entry, arguments, caller: self.caller.clone(), op_id: None };
        document(&self.calls.call(call).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_tasks_and_boards() {
        let parse = |uri: &str| Address::parse(uri).map_err(|refusal| refusal.code);
        assert_eq!(parse("windlass://task/8F3K"), Ok(Address::Task("8F3K".to_owned())));
        assert_eq!(parse("windlass://project/api/board"), Ok(Address::Board("api".to_owned())));
        for wrong in
            ["", "task/8F3K", "windlass://task/", "windlass://task/a/b", "file:///etc/passwd"]
        {
            assert_eq!(parse(wrong), Err(Code::PathNotFound), "{wrong}");
        }
    }

    #[test]
    fn a_board_is_touched_by_its_tasks_and_by_what_moves() {
        let board = Thing::Board("api".to_owned());
        let api = Touched { projects: ["api".to_owned()].into(), ..Touched::default() };
        let web = Touched { projects: ["web".to_owned()].into(), ..Touched::default() };
        assert!(board.is_touched(&api));
        assert!(!board.is_touched(&web));
        assert!(board.is_touched(&Touched { every_project: true, ..web }));
    }
}
