//! Pipelines: the path of stages that a task goes through.

use serde::{Deserialize, Serialize};

use crate::task::Task;
use crate::{Code, Refusal};

/// The pipeline of a task that goes through no stages.
pub const SIMPLE: &str = "simple";
/// The development pipeline, whose work items are specs.
pub const DEV: &str = "dev";

/// Where a task is in a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    pub pipeline: String,
    pub name: String,
    /// Who may take the task there; nobody in particular when empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// Refuses to call a task done before the last stage of its pipeline, whoever says so. Specs do not go
/// from stage to stage yet, so that none of theirs is the last.
pub(crate) fn refuse_done(task: &Task) -> Result<(), Refusal> {
    if task.pipeline != DEV {
        return Ok(());
    }
    let (id, stage) = (task.id, task.stage.as_deref().unwrap_or_default());
    let message = format!("task {id} is that of a spec, and {stage} is not its last stage");
    Err(Refusal::new(Code::InvalidTransition, message)
        .hint(format!("if nobody shall go on with it, put it away: windlass task archive {id}"))
        .detail("task_id", id)
        .detail("pipeline", &task.pipeline)
        .detail("stage", stage))
}
