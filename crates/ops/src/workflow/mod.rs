//! Workflows: named, atomic recipes over tasks.

mod catalogue;
mod delegate;
mod handoff;
mod start;

pub use catalogue::{Argument, List, Listed, Show, Shown, WORKFLOWS, Workflow, WorkflowView};
pub use delegate::{Delegate, Delegated};
pub use handoff::{HandedOff, Handoff};
pub use start::{Other, ResumePolicy, Start, Started};

use windlass_domain::event::TaskCreated;
use windlass_domain::{ProjectId, Status, Task, TaskId};
use windlass_ledger::{Error, Fault, Transaction};

use crate::project::named_or_inbox;

/// A task that a workflow makes for others to do.
struct New<'a> {
    title: &'a str,
    project: ProjectId,
    parent: Option<TaskId>,
    /// Whom it is routed to; the pool when nobody is named.
    agent: Option<&'a str>,
    description: String,
}

impl New<'_> {
    /// Makes the task. It is as urgent as its source, and what its source is tagged with says
    /// nothing about it.
    fn create(self, tx: &mut Transaction<'_>, source: &Task) -> Result<Task, Error> {
        let id = tx.new_task_id()?;
        let created = TaskCreated {
            project: self.project,
            title: self.title.to_owned(),
            status: Status::Ready,
            parent: self.parent,
            description: Some(self.description),
            links: Vec::new(),
            tags: Vec::new(),
            priority: source.priority,
            due_at: None,
            metadata: serde_json::Map::new(),
            stale_after_minutes: None,
            agent: self.agent.map(str::to_owned),
            depends_on: Vec::new(),
            stage: None,
            forced: None,
        };
        tx.create(id, created)?;
        tx.task(id)?.ok_or_else(|| Fault::bug("a new task is missing").into())
    }
}

/// The project of that name, else the source's.
fn project_for(
    tx: &mut Transaction<'_>,
    named: Option<&str>,
    source: &Task,
) -> Result<ProjectId, Error> {
    match named {
        Some(name) => Ok(named_or_inbox(tx, name)?.id),
        None => Ok(source.project),
    }
}
