//! `task steal` and `task renew`: how a claim changes hands or goes on.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::claim::{self, Request};
use windlass_domain::duration::Span;
use windlass_domain::{Status, TaskId, Time, text};
use windlass_ledger::Error;

use crate::caller::By;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, relative};
use crate::view::usage;

/// Takes a task in progress from its holder.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Steal {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// Who will own it
    #[arg(long, value_name = "NAME", aliases = ["owner", "assignee"])]
    #[serde(default)]
    pub agent: Option<String>,
    /// The same, where no --agent is given
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
    /// Only if its lease has run out
    #[arg(long)]
    #[serde(default)]
    pub if_expired: bool,
    /// Although its lease has not run out
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    /// How long the claim holds without renewal, such as 30m
    #[arg(short, long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub lease: Option<String>,
}

/// The task and who lost it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Stolen {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    #[schemars(with = "String")]
    pub status: Status,
    pub agent: Option<String>,
    pub stolen_from: Option<String>,
    pub fence: u64,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
}

impl Operation for Steal {
    type Output = Stolen;
    const NAME: &'static str = "task.steal";
    const ABOUT: &'static str = "Take a task in progress from its holder";
    const EXAMPLE: &'static str =
        "windlass task steal 8F3K2Q --if-expired --agent worker-2 --lease 30m";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Stolen, Error> {
        let how = match (self.if_expired, self.force) {
            (true, false) => claim::Steal::IfExpired,
            (_, true) => claim::Steal::Forced,
            (false, false) => {
                return Err(
                    usage("say when it may be taken", "give --if-expired, or --force").into()
                );
            }
        };
        if self.force {
            cx.refuse_force()?;
        }
        let agent = cx.agent(Name::either(self.agent.as_ref(), self.author.as_ref()))?;
        let lease = cx.lease(self.lease.as_deref())?;
        let reason = self.reason.as_deref().map(text::reason).transpose()?;
        cx.write(&agent, |tx| {
            let task = tx.task_named(&self.task)?;
            let project = tx.project(task.project)?;
            let request = Request { agent: &agent, role: None, lease, now: tx.now() };
            let events = claim::steal(&task, &project, how, reason.as_deref(), &request)?;
            let after = tx.record_task(&task, events)?;
            Ok(Stolen {
                task_id: after.id,
                title: after.title,
                status: after.status,
                agent: after.agent,
                stolen_from: task.held().map(|held| held.agent.to_owned()),
                fence: after.fence,
                lease_until: after.lease_until,
            })
        })
    }
}

impl Output for Stolen {
    fn sheet(&self, _now: Time) -> Sheet {
        let from = self.stolen_from.as_deref().unwrap_or("nobody");
        let agent = self.agent.as_deref().unwrap_or_default();
        Sheet::line(format!(
            "{} taken from {from} by {agent} under fence {}: {}",
            self.task_id.short(),
            self.fence,
            self.title
        ))
    }
}

/// Extends the lease of a claim.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Renew {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// How long from now; by default as long as before
    #[arg(short, long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub lease: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

/// The lease as it is now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Renewed {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub agent: Option<String>,
    pub fence: u64,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
    /// False when more than two thirds of the lease were left and nothing was recorded.
    pub renewed: bool,
    /// How long nothing more would be recorded: the next renewal is due then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_in_ms: Option<i64>,
}

impl Operation for Renew {
    type Output = Renewed;
    const NAME: &'static str = "task.renew";
    const ABOUT: &'static str = "Extend the lease of a claim";
    const EXAMPLE: &'static str = "windlass task renew 8F3K2Q --fence 3";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Renewed, Error> {
        let lease = cx.lease(self.lease.as_deref())?;
        let caller = self.by.caller(cx)?;
        cx.write(caller.name(), |tx| {
            let task = tx.task_named(&self.task)?;
            // A lease by the settings is for new claims; a renewal repeats the one there is.
            let asked = lease.filter(|_| self.lease.is_some() || task.lease_ms.is_none());
            let event = claim::renew(&task, &caller.bearer(&task), asked, tx.now())?;
            let renewed = event.is_some();
            let task = match event {
                Some(event) => tx.record_task(&task, [event])?,
                None => task,
            };
            let due = claim::renewal_due_in(&task, tx.now());
            Ok(Renewed {
                task_id: task.id,
                due_in_ms: due.map(Span::as_millis),
                agent: task.agent,
                fence: task.fence,
                lease_until: task.lease_until,
                renewed,
            })
        })
    }
}

impl Output for Renewed {
    fn sheet(&self, now: Time) -> Sheet {
        let until = self.lease_until.map(|until| relative(until, now)).unwrap_or_default();
        let how = if self.renewed { "renewed" } else { "still fresh" };
        Sheet::line(format!("{} {how}: the lease runs out {until}", self.task_id.short()))
    }
}
