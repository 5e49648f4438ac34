//! `workflow run delegate`: a part of the work is given away.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::transition::Until;
use windlass_domain::workflow::delegate::{self, delegate, really_until, refuse_settled};
use windlass_domain::{Code, Refusal, Status, Task, TaskId, Time, text};
use windlass_ledger::{Error, Transaction};

use super::{New, project_for};
use crate::caller::{ByAuthor, Caller, by_author};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::task::refuse_as_parent;
use crate::view::{Level, TaskView, usage};

/// Gives a part of the work to another task.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Delegate {
    /// The task whose work is given away
    #[arg(long, value_name = "TASK")]
    pub from: String,
    /// The title of the delegated task
    #[arg(long, value_name = "TEXT")]
    pub title: String,
    /// The queue of the delegated task; the source's by default
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Whom the delegated task is routed to; without it anybody can claim it
    #[arg(long, value_name = "NAME", alias = "assignee")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Make it a subtask of the source
    #[arg(long)]
    #[serde(default)]
    pub as_subtask: bool,
    /// Do not let the source wait for it
    #[arg(long)]
    #[serde(default)]
    pub no_depends: bool,
    /// Note this on the source, as a checkpoint
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub checkpoint: Option<String>,
    /// Block the source, with a reason that names the delegated task
    #[arg(long)]
    #[serde(default)]
    pub pause_parent: bool,
    /// End that block when the last task the source waits for is settled
    #[arg(long)]
    #[serde(default)]
    pub auto_unpause: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: ByAuthor,
    /// Happen once for what is asked and the state of the source, so that it can be repeated
    #[arg(long)]
    #[serde(default)]
    pub auto_op_id: bool,
}

/// The delegated task, and what became of the source.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether one thing was done")]
pub struct Delegated {
    pub workflow: String,
    #[schemars(with = "String")]
    pub source_task_id: TaskId,
    #[schemars(with = "String")]
    pub source_status: Status,
    pub delegated: TaskView,
    pub dependency_added: bool,
    pub checkpoint_added: bool,
    pub parent_paused: bool,
    /// The pause ends by itself; not so where the source was stopped otherwise before.
    pub auto_unpause: bool,
    /// What is different from what somebody asked for, now or before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// On every event of this run: `windlass events --correlation ID` shows them.
    pub correlation_id: String,
}

impl Operation for Delegate {
    type Output = Delegated;
    const NAME: &'static str = "workflow.run.delegate";
    const ABOUT: &'static str = "Give a part of a task to another one, and let it wait for that";
    const EXAMPLE: &'static str =
        "windlass workflow run delegate --from 8F3K2Q --title tests --pause-parent";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Delegated, Error> {
        let wanted = self.checked(cx)?;
        let caller = self.by.caller(cx)?;
        if self.auto_op_id {
            cx.once_for(self, &self.from)?;
        }
        cx.write(caller.name(), |tx| {
            let source = tx.task_named(&self.from)?;
            wanted.delegate(tx, &source, &caller)
        })
    }
}

/// The arguments, checked before the ledger is touched.
struct Wanted {
    title: String,
    project: Option<String>,
    agent: Option<String>,
    as_subtask: bool,
    of_source: delegate::Wanted,
}

impl Delegate {
    fn checked(&self, cx: &Context) -> Result<Wanted, Refusal> {
        if self.auto_unpause && (!self.pause_parent || self.no_depends) {
            return Err(usage(
                "--auto-unpause is for a parent that is paused and waits for the delegated task",
                "add --pause-parent and leave --no-depends out",
            ));
        }
        let ends_by_itself = self.auto_unpause || (cx.auto_unpause() && !self.no_depends);
        let until = if ends_by_itself { Until::NothingOpen } else { Until::Unblocked };
        let note = self.checkpoint.as_deref();
        Ok(Wanted {
            title: text::title(&self.title)?,
            project: self.project.as_deref().map(text::project_name).transpose()?,
            agent: self.agent.as_deref().map(|name| text::name("agent", name)).transpose()?,
            as_subtask: self.as_subtask,
            of_source: delegate::Wanted {
                depends: !self.no_depends,
                pause: self.pause_parent.then_some(until),
                note: note.map(|note| text::said("checkpoint", note)).transpose()?,
            },
        })
    }
}

impl Wanted {
    fn delegate(
        &self,
        tx: &mut Transaction<'_>,
        source: &Task,
        caller: &Caller,
    ) -> Result<Delegated, Error> {
        refuse_settled(source)?;
        let correlation_id = tx.correlate()?.to_string();
        let note = self.of_source.pause.and_then(|until| unlike_asked(source, until));
        // Nothing waits for a task that is new, so the source can wait for it without a circle.
        let task = self.create(tx, source)?;
        let delegated = delegate::Delegated { id: task.id, title: &task.title };
        let events = delegate(source, &caller.bearer(source), delegated, &self.of_source)
            .map_err(by_author)?;
        let source = tx.record_task(source, events)?;
        Ok(Delegated {
            workflow: "delegate".to_owned(),
            source_task_id: source.id,
            source_status: source.status,
            delegated: TaskView::load(tx, &task, Level::Standard)?,
            dependency_added: self.of_source.depends,
            checkpoint_added: self.of_source.note.is_some(),
            parent_paused: self.of_source.pause.is_some(),
            auto_unpause: source.auto_unpause,
            note: note.map(str::to_owned),
            correlation_id,
        })
    }

    fn create(&self, tx: &mut Transaction<'_>, source: &Task) -> Result<Task, Error> {
        let project = project_for(tx, self.project.as_deref(), source)?;
        if self.as_subtask {
            refuse_as_parent(source).map_err(without_level)?;
            if project != source.project {
                return Err(elsewhere(tx, source)?.into());
            }
        }
        let new = New {
            title: &self.title,
            project,
            parent: self.as_subtask.then_some(source.id),
            agent: self.agent.as_deref(),
            description: format!("Delegated from task {}: {}", source.id, source.title),
        };
        new.create(tx, source)
    }
}

/// What a pause of this source changes against what was asked for, now or before.
fn unlike_asked(source: &Task, wanted: Until) -> Option<&'static str> {
    let ends_by_itself = source.status == Status::Blocked && source.auto_unpause;
    match (wanted, really_until(source, wanted)) {
        (Until::NothingOpen, Until::Unblocked) => {
            Some("it was blocked before, without auto-unpause, so the block ends by hand only")
        }
        (Until::Unblocked, _) if ends_by_itself => {
            Some("its earlier pause would have ended by itself; now the block ends by hand only")
        }
        (Until::NothingOpen | Until::Unblocked, _) => None,
    }
}

/// A subtask has none of its own, but the source can wait for the delegated task without.
fn without_level(refusal: Refusal) -> Refusal {
    match refusal.code {
        Code::SubtaskDepth => refusal
            .hint("leave --as-subtask out: the source waits for the delegated task all the same"),
        _ => refusal,
    }
}

fn elsewhere(tx: &mut Transaction<'_>, source: &Task) -> Result<Refusal, Error> {
    let project = tx.project(source.project)?.name;
    Ok(Refusal::new(
        Code::InvalidValue,
        format!("a subtask of task {} is in its project, {project}", source.id),
    )
    .hint("leave --project out, or --as-subtask")
    .detail("field", "project")
    .detail("project", project)
    .detail("task_id", source.id))
}

impl Output for Delegated {
    fn sheet(&self, _now: Time) -> Sheet {
        let TaskView { task_id, title, project, agent, .. } = &self.delegated;
        let whose = match agent {
            Some(agent) => format!("for {agent}"),
            None => "for anybody".to_owned(),
        };
        let (source, id) = (self.source_task_id.short(), task_id.short());
        let sheet = Sheet::line(format!("{id} delegated to {project} {whose}: {title}"));
        let next = match (self.parent_paused, self.auto_unpause, self.dependency_added) {
            (true, true, _) => {
                format!("{source} is blocked until nothing it waits for is open")
            }
            (true, false, _) => {
                format!("{source} is blocked; when {id} is done: windlass task unblock {source}")
            }
            (false, _, true) => format!("{source} is {} and waits for {id}", self.source_status),
            (false, _, false) => format!("{source} is {}", self.source_status),
        };
        let sheet = sheet.and_line(Cell::dim(next));
        match &self.note {
            Some(note) => sheet.and_line(note.clone()),
            None => sheet,
        }
    }
}
