//! Pauses that end by themselves: when nothing is open any more that a paused task waits for, it
//! goes back to the queue, routed to whoever had it.

use crate::event::{Authority, Event, TaskUnblocked};
use crate::{Status, Task};

/// The end of a pause, if it is over. The former owner is asked first, but holds nothing: it may
/// have gone on to other work.
pub fn unpause(task: &Task) -> Option<Event> {
    let is_over =
        task.status == Status::Blocked && task.auto_unpause && task.open_dependencies == 0;
    is_over.then(|| {
        TaskUnblocked {
            to: Status::Ready,
            routed_to: task.held().map(|held| held.agent.to_owned()),
            lease_until: None,
            lease_ms: None,
            authority: Authority::Free,
            forced: None,
        }
        .into()
    })
}

/// Whether something may wait for less after this.
pub fn may_end_a_wait(event: &Event) -> bool {
    match event {
        Event::TaskCompleted(_)
        | Event::TaskArchived(_)
        | Event::DependencyRemoved(_)
        | Event::TaskDeleted(_)
        | Event::TaskPruned(_) => true,
        Event::StatusSet(data) => data.to.is_settled(),
        Event::ProjectCreated(_)
        | Event::ProjectRenamed(_)
        | Event::ProjectFrozen(_)
        | Event::ProjectUnfrozen(_)
        | Event::ProjectDeleted(_)
        | Event::TaskCreated(_)
        | Event::TaskUpdated(_)
        | Event::TaskClaimed(_)
        | Event::ClaimRenewed(_)
        | Event::ClaimExpired(_)
        | Event::TaskReleased(_)
        | Event::TaskBlocked(_)
        | Event::TaskUnblocked(_)
        | Event::TaskReopened(_)
        | Event::TaskRestored(_)
        | Event::TaskMoved(_)
        | Event::CommentAdded(_)
        | Event::CheckpointRecorded(_)
        | Event::ProgressSet(_)
        | Event::DependencyAdded(_)
        | Event::DependencyKept(_)
        | Event::WorkflowRan(_)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ownership::Bearer;
    use crate::task::samples::{NOW, claimed_by, created, in_status};
    use crate::transition::{Until, block};

    fn paused(mut task: Task, until: Until) -> Task {
        let by = Bearer { name: "user".into(), ..Bearer::default() };
        task.fold(&block(&task, &by, None, until).unwrap(), NOW).unwrap();
        task
    }

    #[test]
    fn a_pause_is_over_when_nothing_is_open() {
        let mut task = paused(claimed_by("w1"), Until::NothingOpen);
        task.open_dependencies = 1;
        assert_eq!(unpause(&task), None);
        task.open_dependencies = 0;
        let over = unpause(&task).unwrap();
        task.fold(&over, NOW).unwrap();
        assert_eq!((task.status, task.agent.as_deref()), (Status::Ready, Some("w1")));
        assert_eq!((task.held(), task.lease_until, task.auto_unpause), (None, None, false));
    }

    #[test]
    fn a_task_that_nobody_held_keeps_its_route() {
        let mut task = created(Status::Ready);
        task.agent = Some("w7".into());
        task = paused(task, Until::NothingOpen);
        task.fold(&unpause(&task).unwrap(), NOW).unwrap();
        assert_eq!((task.status, task.agent.as_deref()), (Status::Ready, Some("w7")));
    }

    #[test]
    fn a_block_by_hand_ends_by_hand_whether_it_came_before_or_after() {
        let by_hand = paused(claimed_by("w1"), Until::Unblocked);
        assert_eq!(unpause(&by_hand), None);
        assert_eq!(unpause(&paused(by_hand, Until::NothingOpen)), None);
        let both = paused(paused(claimed_by("w1"), Until::NothingOpen), Until::Unblocked);
        assert_eq!(unpause(&both), None);
    }

    #[test]
    fn a_second_pause_of_the_same_kind_still_ends_by_itself() {
        let twice = paused(paused(claimed_by("w1"), Until::NothingOpen), Until::NothingOpen);
        assert!(unpause(&twice).is_some());
    }

    #[test]
    fn only_a_blocked_task_is_unpaused() {
        for status in Status::ALL {
            let task = Task { auto_unpause: true, ..in_status(status) };
            assert_eq!(unpause(&task).is_some(), status == Status::Blocked, "{status}");
        }
    }
}
