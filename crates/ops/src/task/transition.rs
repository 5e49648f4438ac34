//! `task complete`, `release`, `block`, `unblock`, `reopen` and `set-status`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::claim::Request;
use windlass_domain::{Event, Status, Task, text, transition};
use windlass_ledger::{Error, Transaction};

use crate::caller::By;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation};
use crate::task::comment;
use crate::view::Changed;

/// Says that a task is finished.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Complete {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// A last comment
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

impl Operation for Complete {
    type Output = Changed;
    const NAME: &'static str = "task.complete";
    const ABOUT: &'static str = "Say that a task is finished";
    const EXAMPLE: &'static str =
        "windlass task complete 8F3K2Q --fence 3 --comment 'all tests pass'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let caller = self.by.caller(cx)?;
        let comment = comment(self.comment.as_deref())?;
        change(cx, &self.task, caller.name(), comment, |tx, task| {
            let obstacles = tx.obstacles(task)?;
            Ok(Some(transition::complete(task, &caller.bearer(task), &obstacles)?))
        })
    }
}

/// Gives a task back to the pool.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Release {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

impl Operation for Release {
    type Output = Changed;
    const NAME: &'static str = "task.release";
    const ABOUT: &'static str = "Give a task back, so that anybody can claim it";
    const EXAMPLE: &'static str =
        "windlass task release 8F3K2Q --comment 'needs somebody with access'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let caller = self.by.caller(cx)?;
        let comment = comment(self.comment.as_deref())?;
        change(cx, &self.task, caller.name(), comment, |_, task| {
            Ok(Some(transition::release(task, &caller.bearer(task))?))
        })
    }
}

/// Stops work on a task that cannot go on.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// The reason, kept with the task
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

impl Operation for Block {
    type Output = Changed;
    const NAME: &'static str = "task.block";
    const ABOUT: &'static str = "Stop work on a task that cannot go on; its owner stays";
    const EXAMPLE: &'static str = "windlass task block 8F3K2Q --comment 'waiting for the API key'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let caller = self.by.caller(cx)?;
        let reason =
            self.comment.as_deref().map(|given| text::said("comment", given)).transpose()?;
        change(cx, &self.task, caller.name(), None, |_, task| {
            let until = transition::Until::Unblocked;
            Ok(Some(transition::block(task, &caller.bearer(task), reason.clone(), until)?))
        })
    }
}

/// Lets a blocked task go on.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Unblock {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// Give it to the pool instead of its owner
    #[arg(long)]
    #[serde(default)]
    pub release: bool,
    /// How long the claim holds without renewal, such as 30m
    #[arg(short, long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub lease: Option<String>,
    /// What changed
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

impl Operation for Unblock {
    type Output = Changed;
    const NAME: &'static str = "task.unblock";
    const ABOUT: &'static str = "Let a blocked task go on, with its owner or in the pool";
    const EXAMPLE: &'static str = "windlass task unblock 8F3K2Q --release";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let caller = self.by.caller(cx)?;
        let lease = cx.lease(self.lease.as_deref())?;
        let comment = comment(self.comment.as_deref())?;
        let how = match self.release {
            true => transition::Unblock::Release,
            false => transition::Unblock::Resume,
        };
        change(cx, &self.task, caller.name(), comment, |tx, task| {
            Ok(Some(transition::unblock(task, &caller.bearer(task), how, lease, tx.now())?))
        })
    }
}

/// Takes back that a task is done.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Reopen {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// ready or backlog
    #[arg(short, long, value_name = "STATUS", default_value = "ready")]
    #[serde(default = "ready")]
    pub status: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

fn ready() -> String {
    Status::Ready.as_str().to_owned()
}

impl Operation for Reopen {
    type Output = Changed;
    const NAME: &'static str = "task.reopen";
    const ABOUT: &'static str = "Take back that a task is done";
    const EXAMPLE: &'static str = "windlass task reopen 8F3K2Q --comment 'the bug is back'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let to = Status::parse(&self.status)?;
        let comment = comment(self.comment.as_deref())?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        change(cx, &self.task, &actor, comment, |tx, task| {
            let reopened = transition::reopen(task, to)?;
            tx.project(task.project)?.refuse_if_deleted(task.id)?;
            Ok(Some(reopened))
        })
    }
}

/// Sets a status by hand.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct SetStatus {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// The status it shall have, such as ready
    pub status: String,
    /// When it goes in progress: how long the claim holds without renewal
    #[arg(short, long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub lease: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

impl Operation for SetStatus {
    type Output = Changed;
    const NAME: &'static str = "task.set-status";
    const ABOUT: &'static str = "Set the status of a task by hand; recorded as an override";
    const EXAMPLE: &'static str = "windlass task set-status 8F3K2Q ready";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Changed, Error> {
        let to = Status::parse(&self.status)?;
        let lease = cx.lease(self.lease.as_deref())?;
        let caller = self.by.caller(cx)?;
        change(cx, &self.task, caller.name(), None, |tx, task| {
            let obstacles = match to {
                Status::Done => tx.obstacles(task)?,
                _ => windlass_domain::completion::Obstacles::default(),
            };
            let request = Request { agent: caller.name(), role: None, lease, now: tx.now() };
            let claim = Some(&request).filter(|_| caller.is_named());
            let set = transition::set_status(task, to, &caller.bearer(task), &obstacles, claim)?;
            if set.is_some() {
                tx.project(task.project)?.refuse_if_deleted(task.id)?;
            }
            Ok(set)
        })
    }
}

/// Loads a task, lets `decide` say what happens to it, and records that and the comment.
fn change(
    cx: &mut Context,
    task: &str,
    actor: &str,
    comment: Option<Event>,
    mut decide: impl FnMut(&mut Transaction<'_>, &Task) -> Result<Option<Event>, Error>,
) -> Result<Changed, Error> {
    cx.write(actor, |tx| {
        let before = tx.task_named(task)?;
        let events: Vec<Event> = decide(tx, &before)?.into_iter().chain(comment.clone()).collect();
        if events.is_empty() {
            return Ok(Changed::new(&before, &before));
        }
        let after = tx.record_task(&before, events)?;
        Ok(Changed::new(&before, &after))
    })
}
