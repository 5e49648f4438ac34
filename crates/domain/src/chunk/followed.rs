//! What of all that happens to a task its spec has to follow.

use crate::Event;

/// Whether a spec may have to show or do something after this happened to its task. Every kind is named:
/// a new one must be thought of here too.
pub fn is_followed(event: &Event) -> bool {
    match event {
        Event::TaskClaimed(_)
        | Event::TaskReleased(_)
        | Event::TaskBlocked(_)
        | Event::TaskUnblocked(_)
        | Event::TaskCompleted(_)
        | Event::TaskReopened(_)
        | Event::StatusSet(_)
        | Event::TaskArchived(_)
        | Event::TaskRestored(_)
        | Event::TaskMoved(_) => true,
        Event::TaskUpdated(data) => data.priority.is_some(),
        // A spec shows nothing of it, the task is not there any more, or it happened to something else.
        Event::TaskCreated(_)
        | Event::ClaimRenewed(_)
        | Event::ClaimExpired(_)
        | Event::TaskDeleted(_)
        | Event::TaskPruned(_)
        | Event::CommentAdded(_)
        | Event::CheckpointRecorded(_)
        | Event::ProgressSet(_)
        | Event::DependencyAdded(_)
        | Event::DependencyRemoved(_)
        | Event::DependencyKept(_)
        | Event::WorkflowRan(_)
        | Event::ProjectCreated(_)
        | Event::ProjectRenamed(_)
        | Event::ProjectFrozen(_)
        | Event::ProjectUnfrozen(_)
        | Event::ProjectDeleted(_)
        | Event::OpCompleted(_)
        | Event::HookSet(_)
        | Event::HookRemoved(_)
        | Event::HookEnqueued(_)
        | Event::HookDelivered(_)
        | Event::HookFailed(_)
        | Event::HookDiscarded(_)
        | Event::HookRetried(_)
        | Event::KeyCreated(_)
        | Event::KeyRotated(_)
        | Event::KeyRevoked(_)
        | Event::Run(_)
        | Event::Chunk(_)
        | Event::Session(_)
        | Event::Definition(_) => false,
    }
}
