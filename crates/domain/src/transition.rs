//! The other ways from status to status: complete, release, block, unblock, reopen, set-status,
//! archive, restore.

use crate::claim::{self, Request};
use crate::completion::{Obstacles, plural};
use crate::duration::Span;
use crate::event::{
    Event, StatusSet, TaskArchived, TaskBlocked, TaskCompleted, TaskReleased, TaskReopened,
    TaskRestored, TaskUnblocked,
};
use crate::ownership::{Bearer, Grant, authorise};
use crate::task::Task;
use crate::{Code, Refusal, Status, Time};

/// The holder, or somebody who may act for it, says the work is finished.
pub fn complete(task: &Task, bearer: &Bearer, obstacles: &Obstacles) -> Result<Event, Refusal> {
    let grant = authorise(task, bearer)?;
    match task.status {
        Status::InProgress | Status::Blocked => {}
        Status::Backlog | Status::Ready | Status::Done | Status::Archived => {
            return Err(refuse(task, "complete", &[Status::InProgress, Status::Blocked]));
        }
    }
    let grant = obstacles.refuse_done(task, bearer.force.as_deref(), grant)?;
    Ok(TaskCompleted { authority: grant.authority, forced: grant.forced }.into())
}

/// Gives a task back to the pool.
pub fn release(task: &Task, bearer: &Bearer) -> Result<Event, Refusal> {
    let grant = authorise(task, bearer)?;
    let Status::InProgress = task.status else {
        return Err(refuse(task, "release", &[Status::InProgress]));
    };
    Ok(TaskReleased { authority: grant.authority, forced: grant.forced }.into())
}

/// Until when a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Somebody unblocks the task.
    Unblocked,
    /// Nothing that it waits for is open.
    NothingOpen,
}

/// Stops work on a task that cannot go on; its owner and fence stay. Blocking again adds a reason.
pub fn block(
    task: &Task,
    bearer: &Bearer,
    reason: Option<String>,
    until: Until,
) -> Result<Event, Refusal> {
    let grant = authorise(task, bearer)?;
    match task.status {
        Status::Ready | Status::InProgress | Status::Blocked => {}
        Status::Backlog | Status::Done | Status::Archived => {
            let from = [Status::Ready, Status::InProgress, Status::Blocked];
            return Err(refuse(task, "block", &from));
        }
    }
    let auto_unpause = until == Until::NothingOpen;
    let Grant { authority, forced } = grant;
    Ok(TaskBlocked { reason, auto_unpause, authority, forced }.into())
}

/// Where a blocked task goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unblock {
    /// With its owner; a task without one becomes ready.
    Resume,
    /// In the pool.
    Release,
}

/// Ends a block.
pub fn unblock(
    task: &Task,
    bearer: &Bearer,
    how: Unblock,
    lease: Option<Span>,
    now: Time,
) -> Result<Event, Refusal> {
    let grant = authorise(task, bearer)?;
    let Status::Blocked = task.status else {
        return Err(refuse(task, "unblock", &[Status::Blocked]));
    };
    let to = match (how, task.held()) {
        (Unblock::Resume, Some(_)) => Status::InProgress,
        (Unblock::Resume, None) | (Unblock::Release, _) => Status::Ready,
    };
    let lease = lease.filter(|_| to == Status::InProgress);
    Ok(TaskUnblocked {
        to,
        routed_to: None,
        lease_until: lease.map(|lease| now.plus(lease)),
        lease_ms: lease.map(Span::as_millis),
        authority: grant.authority,
        forced: grant.forced,
    }
    .into())
}

/// Takes back that a task is done.
pub fn reopen(task: &Task, to: Status) -> Result<Event, Refusal> {
    match to {
        Status::Ready | Status::Backlog => {}
        Status::InProgress | Status::Blocked | Status::Done | Status::Archived => {
            return Err(Refusal::new(
                Code::InvalidValue,
                format!("a task is reopened as ready or backlog, not {to}"),
            )
            .hint(format!("windlass task reopen {} --status ready", task.id))
            .detail("field", "status")
            .detail("given", to));
        }
    }
    let Status::Done = task.status else {
        return Err(refuse(task, "reopen", &[Status::Done]));
    };
    Ok(TaskReopened { to }.into())
}

/// Sets a status by hand, as an override. No event when nothing changes.
pub fn set_status(
    task: &Task,
    to: Status,
    bearer: &Bearer,
    obstacles: &Obstacles,
    claim: Option<&Request<'_>>,
) -> Result<Option<Event>, Refusal> {
    let grant = authorise(task, bearer)?;
    if task.status == Status::Archived {
        let but_archived =
            [Status::Backlog, Status::Ready, Status::InProgress, Status::Blocked, Status::Done];
        return Err(refuse(task, "set-status", &but_archived));
    }
    if task.status == to {
        return Ok(None);
    }
    let grant = match to {
        Status::Archived => {
            return Err(Refusal::new(
                Code::InvalidValue,
                "a task is archived by its own command, not by set-status",
            )
            .hint(format!("windlass task archive {}", task.id))
            .detail("field", "status")
            .detail("given", to));
        }
        Status::InProgress => {
            let Some(request) = claim else {
                return Err(agent_required(task));
            };
            return Ok(Some(claim::set_in_progress(task, request, bearer.force.as_deref())));
        }
        Status::Done => obstacles.refuse_done(task, bearer.force.as_deref(), grant)?,
        Status::Backlog | Status::Ready | Status::Blocked => grant,
    };
    Ok(Some(StatusSet { to, authority: grant.authority, forced: grant.forced }.into()))
}

/// Puts a task away. What happens to open subtasks is decided before.
pub fn archive(task: &Task, bearer: &Bearer) -> Result<Event, Refusal> {
    let grant = authorise(task, bearer)?;
    if task.status == Status::Archived {
        let but_archived =
            [Status::Backlog, Status::Ready, Status::InProgress, Status::Blocked, Status::Done];
        let message = format!("task {} is archived already", task.id);
        return Err(Refusal { message, ..refuse(task, "archive", &but_archived) });
    }
    Ok(TaskArchived { authority: grant.authority, forced: grant.forced }.into())
}

/// Refuses to archive a task with open subtasks without saying what becomes of them.
pub fn archive_with_children_needs_a_choice(
    task: &Task,
    obstacles: &Obstacles,
) -> Result<(), Refusal> {
    if obstacles.children.is_empty() {
        return Ok(());
    }
    let count = obstacles.children.len();
    Err(Refusal::new(
        Code::ChildrenOpen,
        format!("task {} has {count} open {}", task.id, plural(count, "subtask", "subtasks")),
    )
    .hint(format!(
        "archive them too: windlass task archive {0} --cascade; or detach them: windlass task archive {0} --orphan",
        task.id
    ))
    .detail("task_id", task.id)
    .detail("open_children", &obstacles.children))
}

/// Brings an archived task back to the status it had; one that was held or blocked comes back as
/// ready: whoever knew what it waited for is gone.
pub fn restore(task: &Task) -> Result<Event, Refusal> {
    let Status::Archived = task.status else {
        return Err(refuse(task, "restore", &[Status::Archived]));
    };
    let to = match task.archived_from {
        Some(Status::Backlog) => Status::Backlog,
        Some(Status::Done) => Status::Done,
        Some(Status::Ready | Status::InProgress | Status::Blocked | Status::Archived) | None => {
            Status::Ready
        }
    };
    Ok(TaskRestored { to }.into())
}

/// Archived tasks are left as they are.
pub fn refuse_archived(task: &Task, what: &str) -> Result<(), Refusal> {
    if task.status != Status::Archived {
        return Ok(());
    }
    Err(Refusal::new(
        Code::TaskArchived,
        format!("task {} is archived: {what} is refused", task.id),
    )
    .hint(format!("bring it back first: windlass task restore {}", task.id))
    .detail("task_id", task.id))
}

/// A claim needs somebody to own it.
pub fn agent_required(task: &Task) -> Refusal {
    Refusal::new(
        Code::AgentRequired,
        format!("task {} goes in progress only with an agent that holds it", task.id),
    )
    .hint("give --agent NAME or set WINDLASS_AGENT")
    .detail("task_id", task.id)
}

/// The refusal of a command in a status it does not start from.
pub(crate) fn refuse(task: &Task, command: &str, from: &[Status]) -> Refusal {
    let id = task.id;
    let allowed: Vec<&str> = from.iter().map(|status| status.as_str()).collect();
    let hint = match task.status {
        Status::Backlog => format!("make it ready: windlass task set-status {id} ready"),
        Status::Ready if from.contains(&Status::InProgress) => {
            format!("claim it first: windlass task claim {id}")
        }
        Status::Ready => format!("look at it: windlass task show {id}"),
        Status::InProgress => format!("see who holds it: windlass task show {id}"),
        Status::Blocked => format!("unblock it: windlass task unblock {id}"),
        Status::Done => format!("reopen it: windlass task reopen {id}"),
        Status::Archived => format!("bring it back: windlass task restore {id}"),
    };
    // Where any other status would do, naming them all says nothing.
    let instead = match from.len() + 1 == Status::ALL.len() {
        true => String::new(),
        false => format!(", not {}", allowed.join(" or ")),
    };
    Refusal::new(
        Code::InvalidTransition,
        format!("cannot {command} task {id}: it is {}{instead}", task.status),
    )
    .hint(hint)
    .detail("task_id", id)
    .detail("command", command)
    .detail("status", task.status)
    .detail("allowed_from", allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskId;
    use crate::task::samples::{NOW, in_status};

    fn anybody() -> Bearer {
        Bearer { name: "user".into(), ..Bearer::default() }
    }

    /// The statuses a command starts from, found by trying it in each.
    fn accepted(command: impl Fn(&Task) -> Result<Option<Event>, Refusal>) -> Vec<Status> {
        Status::ALL
            .into_iter()
            .filter(|&status| match command(&in_status(status)) {
                Ok(_) => true,
                Err(refusal) => {
                    assert_eq!(refusal.code, Code::InvalidTransition, "{status}");
                    assert!(refusal.hint.is_some());
                    false
                }
            })
            .collect()
    }

    #[test]
    fn each_command_starts_from_its_statuses_only() {
        use Status::{Archived, Backlog, Blocked, Done, InProgress, Ready};
        let by = &anybody();
        let none = &Obstacles::default();
        assert_eq!(accepted(|t| complete(t, by, none).map(Some)), [InProgress, Blocked]);
        assert_eq!(accepted(|t| release(t, by).map(Some)), [InProgress]);
        assert_eq!(
            accepted(|t| block(t, by, None, Until::Unblocked).map(Some)),
            [Ready, InProgress, Blocked]
        );
        assert_eq!(accepted(|t| unblock(t, by, Unblock::Resume, None, NOW).map(Some)), [Blocked]);
        assert_eq!(accepted(|t| reopen(t, Ready).map(Some)), [Done]);
        assert_eq!(accepted(|t| restore(t).map(Some)), [Archived]);
        assert_eq!(
            accepted(|t| archive(t, by).map(Some)),
            [Backlog, Ready, InProgress, Blocked, Done]
        );
        let request = Request { agent: "w", role: None, lease: None, now: NOW };
        for to in [Backlog, Ready, InProgress, Blocked, Done] {
            assert_eq!(
                accepted(|t| set_status(t, to, by, none, Some(&request))),
                [Backlog, Ready, InProgress, Blocked, Done],
                "set-status {to}"
            );
        }
    }

    #[test]
    fn a_blocked_task_resumes_with_its_owner_and_without_one_becomes_ready() {
        let to = |task: &Task, how| {
            let Event::TaskUnblocked(data) = unblock(task, &anybody(), how, None, NOW).unwrap()
            else {
                panic!("not unblocked")
            };
            data.to
        };
        let held = in_status(Status::Blocked);
        assert_eq!(to(&held, Unblock::Resume), Status::InProgress);
        assert_eq!(to(&held, Unblock::Release), Status::Ready);
        let mut unheld = in_status(Status::Ready);
        unheld.fold(&block(&unheld, &anybody(), None, Until::Unblocked).unwrap(), NOW).unwrap();
        assert_eq!(to(&unheld, Unblock::Resume), Status::Ready);
    }

    #[test]
    fn a_task_comes_back_from_the_archive_as_it_was_but_never_held() {
        for (before, after) in [
            (Status::Backlog, Status::Backlog),
            (Status::Ready, Status::Ready),
            (Status::InProgress, Status::Ready),
            (Status::Blocked, Status::Ready),
            (Status::Done, Status::Done),
        ] {
            let mut task = in_status(before);
            task.fold(&archive(&task, &anybody()).unwrap(), NOW).unwrap();
            task.fold(&restore(&task).unwrap(), NOW).unwrap();
            assert_eq!(task.status, after, "{before}");
            assert_eq!(task.held(), None, "{before}");
        }
    }

    #[test]
    fn every_way_to_done_asks_for_open_work() {
        let open = Obstacles { dependencies: vec![TaskId::from_bytes([1; 16])], children: vec![] };
        let task = in_status(Status::InProgress);
        assert_eq!(complete(&task, &anybody(), &open).unwrap_err().code, Code::DependenciesOpen);
        let set = set_status(&task, Status::Done, &anybody(), &open, None);
        assert_eq!(set.unwrap_err().code, Code::DependenciesOpen);
        let force = Bearer { force: Some("the other is obsolete".into()), ..anybody() };
        let Event::TaskCompleted(done) = complete(&task, &force, &open).unwrap() else { panic!() };
        assert_eq!(done.forced.as_deref(), Some("the other is obsolete"));
    }

    #[test]
    fn setting_in_progress_by_hand_needs_an_agent() {
        let set = |claim| {
            set_status(
                &in_status(Status::Done),
                Status::InProgress,
                &anybody(),
                &Obstacles::default(),
                claim,
            )
        };
        assert_eq!(set(None).unwrap_err().code, Code::AgentRequired);
        let request = Request { agent: "w", role: None, lease: None, now: NOW };
        assert_eq!(set(Some(&request)).unwrap().unwrap().kind().as_str(), "task_claimed");
    }

    #[test]
    fn setting_the_same_status_records_nothing() {
        for status in
            [Status::Backlog, Status::Ready, Status::InProgress, Status::Blocked, Status::Done]
        {
            let set =
                set_status(&in_status(status), status, &anybody(), &Obstacles::default(), None);
            assert_eq!(set.unwrap(), None, "{status}");
        }
    }
}
