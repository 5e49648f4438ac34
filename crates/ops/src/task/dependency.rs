//! `task add-dep` and `task remove-dep`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::event::{DependencyAdded, DependencyRemoved};
use windlass_domain::transition::refuse_archived;
use windlass_domain::{TaskId, Time, dependency};
use windlass_ledger::Error;

use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;

/// Lets a task wait for another.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct AddDep {
    /// The task that waits
    pub task: String,
    /// The task it waits for, in any project
    pub depends_on: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// A dependency and whether anything changed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DepChanged {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    #[schemars(with = "String")]
    pub depends_on_id: TaskId,
    /// The dependency is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<bool>,
    /// The dependency was there and is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<bool>,
}

impl Operation for AddDep {
    type Output = DepChanged;
    const NAME: &'static str = "task.add-dep";
    const ABOUT: &'static str = "Let a task wait for another";
    const EXAMPLE: &'static str = "windlass task add-dep 8F3K2Q 1ZT9VX";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<DepChanged, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let task = tx.task_named(&self.task)?;
            let on = tx.task_named(&self.depends_on)?.id;
            refuse_archived(&task, "a dependency")?;
            let is_there = tx.prerequisites(task.id)?.contains(&on);
            if !is_there {
                if let Some(way) = tx.waiting_path(on, task.id)? {
                    return Err(dependency::cycle(task.id, on, &way).into());
                }
                tx.record_task(&task, [DependencyAdded { on, because: None }.into()])?;
            }
            Ok(DepChanged {
                task_id: task.id,
                depends_on_id: on,
                added: Some(!is_there),
                removed: None,
            })
        })
    }
}

/// Lets a task no longer wait for another.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct RemoveDep {
    /// The task that waits
    pub task: String,
    /// The task it waits for
    pub depends_on: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

impl Operation for RemoveDep {
    type Output = DepChanged;
    const NAME: &'static str = "task.remove-dep";
    const ABOUT: &'static str = "Let a task no longer wait for another";
    const EXAMPLE: &'static str = "windlass task remove-dep 8F3K2Q 1ZT9VX";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<DepChanged, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let task = tx.task_named(&self.task)?;
            refuse_archived(&task, "removing a dependency")?;
            // The other end may no longer be in this ledger, so a whole id is taken as it is.
            let on = match self.depends_on.parse::<TaskId>() {
                Ok(id) => id,
                Err(_) => tx.task_named(&self.depends_on)?.id,
            };
            let was_there = tx.prerequisites(task.id)?.contains(&on);
            if was_there {
                tx.record_task(&task, [DependencyRemoved { on, because: None }.into()])?;
            } else {
                // An id that is neither a dependency nor a task is a mistake worth telling.
                tx.task_named(&self.depends_on)?;
            }
            Ok(DepChanged {
                task_id: task.id,
                depends_on_id: on,
                added: None,
                removed: Some(was_there),
            })
        })
    }
}

impl Output for DepChanged {
    fn sheet(&self, _now: Time) -> Sheet {
        let (task, on) = (self.task_id.short(), self.depends_on_id.short());
        Sheet::line(match (self.added, self.removed) {
            (Some(true), _) => format!("{task} now waits for {on}"),
            (Some(false), _) => format!("{task} already waits for {on}"),
            (None, Some(true)) => format!("{task} no longer waits for {on}"),
            (None, _) => format!("{task} does not wait for {on}"),
        })
    }
}
