//! What stands between a task and its claim or its end: open dependencies and open subtasks.

use crate::ownership::Grant;
use crate::task::Task;
use crate::{Code, Refusal, TaskId, pipeline};

/// The open tasks that a task waits for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Obstacles {
    /// Prerequisites that are not settled.
    pub dependencies: Vec<TaskId>,
    /// Subtasks that are neither done nor archived.
    pub children: Vec<TaskId>,
}

impl Obstacles {
    /// A task with something open is not given out.
    pub fn refuse_claim(&self, task: &Task) -> Result<(), Refusal> {
        self.refuse(task, "cannot be claimed")
    }

    /// A task with something open is not done, unless somebody forces it and says why. Where its
    /// pipeline goes on, nothing forces it.
    pub fn refuse_done(
        &self,
        task: &Task,
        force: Option<&str>,
        grant: Grant,
    ) -> Result<Grant, Refusal> {
        pipeline::refuse_done(task)?;
        match (self.refuse(task, "cannot be done"), force) {
            (Ok(()), _) => Ok(grant),
            (Err(_), Some(reason)) => Ok(Grant { forced: Some(reason.to_owned()), ..grant }),
            (Err(refusal), None) => Err(refusal),
        }
    }

    fn refuse(&self, task: &Task, what: &str) -> Result<(), Refusal> {
        if !self.dependencies.is_empty() {
            let count = self.dependencies.len();
            return Err(Refusal::new(
                Code::DependenciesOpen,
                format!(
                    "task {} {what}: it waits for {count} open {}",
                    task.id,
                    plural(count, "dependency", "dependencies")
                ),
            )
            .hint(format!("see what it waits for: windlass why {}", task.id))
            .detail("task_id", task.id)
            .detail("open_dependencies", &self.dependencies));
        }
        if !self.children.is_empty() {
            let count = self.children.len();
            return Err(Refusal::new(
                Code::ChildrenOpen,
                format!(
                    "task {} {what}: it has {count} open {}",
                    task.id,
                    plural(count, "subtask", "subtasks")
                ),
            )
            .hint(format!("work on the subtasks: windlass task claim --next --parent {}", task.id))
            .detail("task_id", task.id)
            .detail("open_children", &self.children));
        }
        Ok(())
    }
}

pub(crate) fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
