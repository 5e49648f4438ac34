//! Saved points of progress: checkpoints and percentages.

use serde_json::{Map, Value};

use crate::event::{CheckpointRecorded, Event, ProgressSet};
use crate::ownership::{Bearer, authorise};
use crate::task::Task;
use crate::transition::{refuse, refuse_archived};
use crate::{Refusal, Status};

/// Saves a point of progress.
pub fn checkpoint(
    task: &Task,
    bearer: &Bearer,
    name: String,
    data: Map<String, Value>,
    progress: Option<u8>,
) -> Result<Event, Refusal> {
    let grant = authorise(task, bearer)?;
    refuse_archived(task, "a checkpoint")?;
    if progress.is_some() {
        refuse_done(task)?;
    }
    Ok(CheckpointRecorded {
        name,
        data,
        progress,
        authority: grant.authority,
        forced: grant.forced,
    }
    .into())
}

/// Says how far the work has come.
pub fn progress(task: &Task, bearer: &Bearer, progress: u8) -> Result<Event, Refusal> {
    let grant = authorise(task, bearer)?;
    refuse_archived(task, "progress")?;
    refuse_done(task)?;
    Ok(ProgressSet { progress, authority: grant.authority, forced: grant.forced }.into())
}

/// A done task is at 100 and stays there.
fn refuse_done(task: &Task) -> Result<(), Refusal> {
    if task.status != Status::Done {
        return Ok(());
    }
    let open = [Status::Backlog, Status::Ready, Status::InProgress, Status::Blocked];
    Err(refuse(task, "set the progress of", &open))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::task::samples::in_status;

    fn anybody() -> Bearer {
        Bearer { name: "user".into(), ..Bearer::default() }
    }

    #[test]
    fn progress_is_refused_on_what_is_over() {
        for (status, code) in
            [(Status::Done, Code::InvalidTransition), (Status::Archived, Code::TaskArchived)]
        {
            assert_eq!(progress(&in_status(status), &anybody(), 5).unwrap_err().code, code);
        }
    }

    #[test]
    fn a_checkpoint_can_be_added_to_a_done_task_but_moves_nothing() {
        let task = in_status(Status::Done);
        let save = |progress| checkpoint(&task, &anybody(), "note".into(), Map::new(), progress);
        assert!(save(None).is_ok());
        assert_eq!(save(Some(50)).unwrap_err().code, Code::InvalidTransition);
    }
}
