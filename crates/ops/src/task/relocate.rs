//! `task move`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::event::TaskMoved;
use windlass_domain::{ProjectId, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, Transaction};

use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Moves a task and its subtasks to another project.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// The project it goes to
    #[arg(value_name = "PROJECT")]
    pub project: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// Where it went.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub from_project: String,
    pub to_project: String,
    /// How many subtasks went along.
    pub subtask_count: u64,
}

impl Operation for Move {
    type Output = Moved;
    const NAME: &'static str = "task.move";
    const ABOUT: &'static str = "Move a task and its subtasks to another project";
    const EXAMPLE: &'static str = "windlass task move 8F3K2Q web";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Moved, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let task = tx.task_named(&self.task)?;
            let from = tx.project(task.project)?;
            let to = tx.project_named(&self.project)?;
            let subtask_count = move_family(tx, &task, to.id)?;
            Ok(Moved {
                task_id: task.id,
                title: task.title.clone(),
                from_project: from.name,
                to_project: to.name,
                subtask_count,
            })
        })
    }
}

/// Moves a task and those of its subtasks that are elsewhere; returns how many of these.
pub(super) fn move_family(
    tx: &mut Transaction<'_>,
    task: &Task,
    project: ProjectId,
) -> Result<u64, Fault> {
    let children = tx.children(task.id)?;
    let mut moved = 0;
    if task.project != project {
        tx.record_task(task, [TaskMoved { project }.into()])?;
    }
    for child in children.iter().filter(|child| child.project != project) {
        tx.record_task(child, [TaskMoved { project }.into()])?;
        moved += 1;
    }
    Ok(moved)
}

impl Output for Moved {
    fn sheet(&self, _now: Time) -> Sheet {
        let id = self.task_id.short();
        if self.from_project == self.to_project {
            return Sheet::line(format!("{id} is in {}: {}", self.to_project, self.title));
        }
        let along = match self.subtask_count {
            0 => String::new(),
            1 => " with 1 subtask".to_owned(),
            count => format!(" with {count} subtasks"),
        };
        Sheet::line(format!(
            "{id} {} → {}{along}: {}",
            self.from_project, self.to_project, self.title
        ))
    }
}
