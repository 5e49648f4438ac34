//! `workflow run handoff`: a task is finished and the next one made, with what was learned.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::event::{CheckpointRecorded, WorkflowRan};
use windlass_domain::workflow::carry::{self, Carried, Point, carry};
use windlass_domain::{Code, Event, Refusal, Status, Task, TaskId, Time, text, transition};
use windlass_ledger::{Error, Fault, Transaction};

use super::{New, project_for};
use crate::caller::{ByAuthor, Caller, by_author};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::{Level, TaskView};

/// The name of the follow-on's first checkpoint.
const CHECKPOINT: &str = "Handoff context";

/// Finishes a task and makes the one that follows.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Handoff {
    /// The task that is finished
    #[arg(long, value_name = "TASK")]
    pub from: String,
    /// The title of the follow-on
    #[arg(long, value_name = "TEXT")]
    pub title: String,
    /// The queue of the follow-on; the source's by default
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Whom the follow-on is routed to; without it anybody can claim it
    #[arg(long, value_name = "NAME", alias = "assignee")]
    #[serde(default)]
    pub agent: Option<String>,
    /// How many of the last checkpoints go along; 0 is none
    #[arg(long, value_name = "N", default_value_t = carry::CHECKPOINTS, allow_negative_numbers = true)]
    #[serde(default = "checkpoints")]
    pub carry_checkpoints: u64,
    /// How many characters of them go along
    #[arg(long, value_name = "N", default_value_t = carry::CHARS, allow_negative_numbers = true)]
    #[serde(default = "chars")]
    pub carry_max_chars: u64,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: ByAuthor,
    /// Happen once for what is asked and the state of the source, so that it can be repeated
    #[arg(long)]
    #[serde(default)]
    pub auto_op_id: bool,
}

fn checkpoints() -> u64 {
    carry::CHECKPOINTS
}

fn chars() -> u64 {
    carry::CHARS
}

/// The follow-on, and what went along.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct HandedOff {
    pub workflow: String,
    #[schemars(with = "String")]
    pub source_task_id: TaskId,
    #[schemars(with = "String")]
    pub source_status: Status,
    pub follow_on: TaskView,
    /// Checkpoints of which something went along.
    pub carried_checkpoint_count: u64,
    /// Characters of them in the description of the follow-on.
    pub carried_chars: u64,
    /// Characters of them that are not there.
    pub left_out_chars: u64,
    /// On every event of this run: `windlass events --correlation ID` shows them.
    pub correlation_id: String,
}

impl Operation for Handoff {
    type Output = HandedOff;
    const NAME: &'static str = "workflow.run.handoff";
    const ABOUT: &'static str = "Finish a task and make the one that follows, with its checkpoints";
    const EXAMPLE: &'static str =
        "windlass workflow run handoff --from 8F3K2Q --title 'review it' -P review";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<HandedOff, Error> {
        let wanted = self.checked()?;
        let caller = self.by.caller(cx)?;
        if self.auto_op_id {
            cx.once_for(self, &self.from)?;
        }
        cx.write(caller.name(), |tx| {
            let source = tx.task_named(&self.from)?;
            wanted.hand_off(tx, &source, &caller)
        })
    }
}

/// The arguments, checked before the ledger is touched.
struct Wanted {
    title: String,
    project: Option<String>,
    agent: Option<String>,
    checkpoints: u64,
    chars: u64,
}

impl Handoff {
    fn checked(&self) -> Result<Wanted, Refusal> {
        if self.agent.is_none() && self.project.is_none() {
            return Err(Refusal::new(
                Code::InvalidValue,
                "handoff requires --agent, --project, or both. Omitting --agent creates a \
                 pool-routed task - specify --project to define the queue.",
            )
            .hint("add -P NAME for a queue, or --agent NAME for somebody")
            .detail("field", "project"));
        }
        let checkpoints = self.carry_checkpoints;
        if checkpoints > carry::MOST_CHECKPOINTS {
            let most = carry::MOST_CHECKPOINTS;
            return Err(Refusal::new(
                Code::InvalidValue,
                format!("carry_checkpoints {checkpoints} is not between 0 and {most}"),
            )
            .hint("give --carry-checkpoints 3")
            .detail("field", "carry_checkpoints")
            .detail("limit", most)
            .detail("given", checkpoints));
        }
        Ok(Wanted {
            title: text::title(&self.title)?,
            project: self.project.as_deref().map(text::project_name).transpose()?,
            agent: self.agent.as_deref().map(|name| text::name("agent", name)).transpose()?,
            checkpoints,
            chars: self.carry_max_chars,
        })
    }
}

impl Wanted {
    fn hand_off(
        &self,
        tx: &mut Transaction<'_>,
        source: &Task,
        caller: &Caller,
    ) -> Result<HandedOff, Error> {
        let completed =
            transition::complete(source, &caller.bearer(source), &tx.obstacles(source)?)
                .map_err(of_source)?;
        let correlation_id = tx.correlate()?.to_string();
        let points = points(tx, source, self.checkpoints)?;
        let carried = carry(source, &points, self.chars);
        let follow_on = self.follow_on(tx, source, &carried)?;
        let made = Some(follow_on.id);
        let ran = WorkflowRan { workflow: "handoff".to_owned(), made };
        let done = tx.record_task(source, [completed, ran.into()])?;
        Ok(HandedOff {
            workflow: "handoff".to_owned(),
            source_task_id: done.id,
            source_status: done.status,
            follow_on: TaskView::load(tx, &follow_on, Level::Standard)?,
            carried_checkpoint_count: carried.checkpoints as u64,
            carried_chars: carried.chars as u64,
            left_out_chars: carried.left_out as u64,
            correlation_id,
        })
    }

    /// Makes the follow-on, with the context as its description and its first checkpoint, if
    /// there is any.
    fn follow_on(
        &self,
        tx: &mut Transaction<'_>,
        source: &Task,
        carried: &Carried,
    ) -> Result<Task, Error> {
        let project = project_for(tx, self.project.as_deref(), source)?;
        let new = New {
            title: &self.title,
            project,
            parent: if project == source.project { open_parent(tx, source)? } else { None },
            agent: self.agent.as_deref(),
            description: carried.description.clone(),
        };
        let follow_on = new.create(tx, source)?;
        let Some(data) = carried.checkpoint.clone() else {
            return Ok(follow_on);
        };
        let checkpoint = CheckpointRecorded {
            name: CHECKPOINT.to_owned(),
            data,
            progress: None,
            authority: windlass_domain::event::Authority::Free,
            forced: None,
        };
        tx.record_task(&follow_on, [checkpoint.into()])
    }
}

/// Why the source cannot be finished, to somebody who asked for a handoff.
fn of_source(refusal: Refusal) -> Refusal {
    let refusal = by_author(refusal);
    match refusal.code {
        Code::InvalidTransition => {
            let message = format!("handoff finishes its source: {}", refusal.message);
            Refusal { message, ..refusal }
        }
        _ => refusal,
    }
}

/// The parent of a task, if there is still something to do in it.
fn open_parent(tx: &mut Transaction<'_>, task: &Task) -> Result<Option<TaskId>, Fault> {
    let Some(parent) = task.parent else {
        return Ok(None);
    };
    let found = tx.task(parent)?;
    Ok(found.filter(|parent| !parent.status.is_settled()).map(|parent| parent.id))
}

/// The last checkpoints of a task, newest first.
fn points(tx: &mut Transaction<'_>, task: &Task, count: u64) -> Result<Vec<Point>, Fault> {
    let mut points = Vec::new();
    for recorded in tx.checkpoints(task.id, count)? {
        if let Some(Event::CheckpointRecorded(said)) = recorded.event()? {
            points.push(Point { at: recorded.header.at, said });
        }
    }
    Ok(points)
}

impl Output for HandedOff {
    fn sheet(&self, _now: Time) -> Sheet {
        let TaskView { task_id, title, project, agent, .. } = &self.follow_on;
        let whose = match agent {
            Some(agent) => format!("for {agent}"),
            None => "for anybody".to_owned(),
        };
        let (source, id) = (self.source_task_id.short(), task_id.short());
        let sheet =
            Sheet::line(format!("{source} done, {id} follows in {project} {whose}: {title}"));
        let (carried, left_out) = (self.carried_chars, self.left_out_chars);
        sheet.and_line(Cell::dim(match (carried, left_out) {
            (0, 0) => "no checkpoints went along".to_owned(),
            (carried, 0) => format!("{carried} characters of checkpoints went along"),
            (carried, left_out) => {
                format!("{carried} characters of checkpoints went along, {left_out} were left out")
            }
        }))
    }
}
