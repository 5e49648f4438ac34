//! Pipelines: the path of stages that a task goes through.

use serde::{Deserialize, Serialize};

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
