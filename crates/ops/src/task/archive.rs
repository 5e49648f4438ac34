//! `task archive` and `task restore`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::event::{Change, TaskUpdated};
use windlass_domain::{Event, transition};
use windlass_ledger::{Error, Transaction};

use crate::caller::{By, Caller};
use crate::context::{Context, Name};
use crate::operation::{Access, Operation};
use crate::task::comment;
use crate::view::{Changed, usage};

/// Puts a task away.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Archive {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// Its open subtasks too
    #[arg(long)]
    #[serde(default)]
    pub cascade: bool,
    /// Detach its subtasks
    #[arg(long)]
    #[serde(default)]
    pub orphan: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

impl Operation for Archive {
    type Output = Changed;
    const NAME: &'static str = "task.archive";
    const ABOUT: &'static str = "Put a task away; restore brings it back";
    const EXAMPLE: &'static str = "windlass task archive 8F3K2Q --cascade";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        if self.cascade && self.orphan {
            return Err(
                usage("--cascade and --orphan exclude each other", "give one of them").into()
            );
        }
        let caller = self.by.caller(cx)?;
        let comment = comment(self.comment.as_deref())?;
        cx.write(caller.name(), |tx| {
            let before = tx.task_named(&self.task)?;
            let archived = transition::archive(&before, &caller.bearer(&before))?;
            if self.cascade {
                archive_open_children(tx, &before, &caller)?;
            } else if self.orphan {
                detach_children(tx, &before)?;
            } else {
                transition::archive_with_children_needs_a_choice(&before, &tx.obstacles(&before)?)?;
            }
            let events: Vec<Event> = comment.clone().into_iter().chain([archived]).collect();
            let after = tx.record_task(&before, events)?;
            Ok(Changed::new(&before, &after))
        })
    }
}

/// Ownership counts for each subtask by itself.
fn archive_open_children(
    tx: &mut Transaction<'_>,
    parent: &windlass_domain::Task,
    caller: &Caller,
) -> Result<(), Error> {
    for child in tx.children(parent.id)? {
        if !child.status.is_settled() {
            let archived = transition::archive(&child, &caller.bearer(&child))?;
            tx.record_task(&child, [archived])?;
        }
    }
    Ok(())
}

fn detach_children(tx: &mut Transaction<'_>, parent: &windlass_domain::Task) -> Result<(), Error> {
    for child in tx.children(parent.id)? {
        let detached = TaskUpdated { parent: Some(Change::Cleared), ..TaskUpdated::default() };
        tx.record_task(&child, [detached.into()])?;
    }
    Ok(())
}

/// Brings an archived task back.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Restore {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

impl Operation for Restore {
    type Output = Changed;
    const NAME: &'static str = "task.restore";
    const ABOUT: &'static str = "Bring an archived task back to the status it had";
    const EXAMPLE: &'static str = "windlass task restore 8F3K2Q";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let comment = comment(self.comment.as_deref())?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let before = tx.task_named(&self.task)?;
            let restored = transition::restore(&before)?;
            tx.project(before.project)?.refuse_if_deleted(before.id)?;
            let events: Vec<Event> = [restored].into_iter().chain(comment.clone()).collect();
            let after = tx.record_task(&before, events)?;
            Ok(Changed::new(&before, &after))
        })
    }
}
