//! A run that wants to be the only one of its file in a folder: whoever finds another one there goes
//! on with it, or says what becomes of it.

use super::event::Place;
use super::state::Run;
use super::word::RunStatus;
use crate::{Code, Refusal};

/// A run that has not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open<'a> {
    pub run_id: &'a str,
    pub execution_root: &'a str,
    pub status: RunStatus,
}

impl Open<'_> {
    /// Why no other run of its file is begun.
    pub fn refusal(self) -> Refusal {
        let Self { run_id, execution_root, status } = self;
        let (message, hint) = match status {
            RunStatus::ReadyToFinish => (
                format!("run {run_id} of this file is done, and its work waits here"),
                format!(
                    "finish it: windlass run finish keep|merge|publish|discard --run-id {run_id}"
                ),
            ),
            RunStatus::Running
            | RunStatus::Paused
            | RunStatus::Blocked
            | RunStatus::Completed
            | RunStatus::Abandoned => (
                format!("run {run_id} of this file is unfinished"),
                format!("go on with it: windlass run exec --run-id {run_id} --harness COMMAND"),
            ),
        };
        Refusal::new(Code::RunUnfinished, message)
            .hint(hint)
            .detail("run_id", run_id)
            .detail("execution_root", execution_root)
    }
}

/// Refuses to begin a run at a place when one of these executes the same file and is open.
pub fn must_be_alone<'a>(
    place: &Place,
    there: impl IntoIterator<Item = &'a Run>,
) -> Result<(), Refusal> {
    let is_open = |run: &&Run| !run.status().is_over() && run.finish.is_none();
    let mut open = there.into_iter().filter(is_open);
    let Some(run) = open.find(|run| have_same_file(&run.place, place)) else { return Ok(()) };
    let open = Open {
        run_id: run.name.as_str(),
        execution_root: &run.place.execution_root,
        status: run.status(),
    };
    Err(open.refusal())
}

/// Also where one executes the file itself and the other a copy of it.
fn have_same_file(one: &Place, other: &Place) -> bool {
    let files = [&other.workflow_path, &other.source_workflow_path];
    [&one.workflow_path, &one.source_workflow_path].iter().any(|file| files.contains(file))
}
