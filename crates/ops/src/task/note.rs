//! `task comment`, `task checkpoint` and `task progress`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_domain::event::CommentAdded;
use windlass_domain::{TaskId, Time, progress, text};
use windlass_ledger::Error;

use crate::caller::By;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::view::JsonObject;

/// Adds a comment; anybody may.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Comment {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// What there is to say
    pub text: String,
    /// Who says it
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// The comment.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Commented {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub text: String,
    pub author: String,
}

impl Operation for Comment {
    type Output = Commented;
    const NAME: &'static str = "task.comment";
    const ABOUT: &'static str = "Add a comment to a task";
    const EXAMPLE: &'static str = "windlass task comment 8F3K2Q 'see the log of Tuesday'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Commented, Error> {
        let said = text::said("text", &self.text)?;
        let (author, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&author, |tx| {
            let task = tx.task_named(&self.task)?;
            tx.record_task(&task, [CommentAdded { text: said.clone() }.into()])?;
            Ok(Commented { task_id: task.id, text: said.clone(), author: author.clone() })
        })
    }
}

impl Output for Commented {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("{} commented by {}", self.task_id.short(), self.author))
    }
}

/// Saves a point of progress.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoint {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// One line, at most 256 characters
    pub name: String,
    /// What somebody needs to go on from here: a JSON object
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub data: Option<JsonObject>,
    /// How far the work has come, from 0 to 100
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub progress: Option<i64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

/// The checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointSaved {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub name: String,
    pub data: Map<String, Value>,
    pub progress: Option<u8>,
}

impl Operation for Checkpoint {
    type Output = CheckpointSaved;
    const NAME: &'static str = "task.checkpoint";
    const ABOUT: &'static str = "Save a point of progress on a task";
    const EXAMPLE: &'static str =
        "windlass task checkpoint 8F3K2Q 'schema migrated' --progress 40 --fence 3";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<CheckpointSaved, Error> {
        let name = text::checkpoint_name(&self.name)?;
        let data = match &self.data {
            Some(object) => text::checkpoint_data(&object.0)?,
            None => Map::new(),
        };
        let progress = self.progress.map(text::progress).transpose()?;
        let caller = self.by.caller(cx)?;
        cx.write(caller.name(), |tx| {
            let task = tx.task_named(&self.task)?;
            let bearer = caller.bearer(&task);
            let saved = progress::checkpoint(&task, &bearer, name.clone(), data.clone(), progress)?;
            tx.record_task(&task, [saved])?;
            Ok(CheckpointSaved {
                task_id: task.id,
                name: name.clone(),
                data: data.clone(),
                progress,
            })
        })
    }
}

impl Output for CheckpointSaved {
    fn sheet(&self, _now: Time) -> Sheet {
        let progress = self.progress.map(|progress| format!(" at {progress}%")).unwrap_or_default();
        Sheet::line(format!("{} checkpoint{progress}: {}", self.task_id.short(), self.name))
    }
}

/// Says how far the work has come.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// From 0 to 100
    #[arg(allow_negative_numbers = true)]
    pub progress: i64,
    #[command(flatten)]
    #[serde(flatten)]
    pub by: By,
}

/// The progress.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ProgressSaved {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub progress: u8,
}

impl Operation for Progress {
    type Output = ProgressSaved;
    const NAME: &'static str = "task.progress";
    const ABOUT: &'static str = "Say how far the work on a task has come";
    const EXAMPLE: &'static str = "windlass task progress 8F3K2Q 60";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ProgressSaved, Error> {
        let percent = text::progress(self.progress)?;
        let caller = self.by.caller(cx)?;
        cx.write(caller.name(), |tx| {
            let task = tx.task_named(&self.task)?;
            let set = progress::progress(&task, &caller.bearer(&task), percent)?;
            let task = tx.record_task(&task, [set])?;
            Ok(ProgressSaved { task_id: task.id, title: task.title, progress: percent })
        })
    }
}

impl Output for ProgressSaved {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("{} is at {}%: {}", self.task_id.short(), self.progress, self.title))
    }
}
