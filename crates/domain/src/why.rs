//! Why a task is not being worked on: every reason, each with what to do about it.

use serde::Serialize;

use crate::completion::{Obstacles, plural};
use crate::project::Project;
use crate::task::Task;
use crate::{Status, TaskId, Time};

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    pub code: &'static str,
    pub message: String,
    /// The command that would change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The tasks it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
}

impl Reason {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, tasks: Vec::new() }
    }

    fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    fn tasks(mut self, tasks: &[TaskId]) -> Self {
        self.tasks = tasks.to_vec();
        self
    }
}

/// Every reason that keeps `task` from being given out now; none when it waits only for an agent.
pub fn reasons(
    task: &Task,
    project: &Project,
    obstacles: &Obstacles,
    blocked_for: Option<&str>,
    now: Time,
) -> Vec<Reason> {
    let id = task.id;
    let mut reasons = Vec::new();
    match task.status {
        Status::Backlog => reasons.push(
            Reason::new("backlog", "it is in the backlog, not ready")
                .next(format!("windlass task set-status {id} ready")),
        ),
        Status::Ready => {}
        Status::InProgress => reasons.push(held(task, now)),
        Status::Blocked => {
            let why = blocked_for.map(|why| format!(": {why}")).unwrap_or_default();
            reasons.push(
                Reason::new("blocked", format!("it is blocked{why}"))
                    .next(format!("windlass task unblock {id}")),
            );
        }
        Status::Done => {
            reasons
                .push(Reason::new("done", "it is done").next(format!("windlass task reopen {id}")));
            return reasons;
        }
        Status::Archived => {
            reasons.push(
                Reason::new("archived", "it is archived")
                    .next(format!("windlass task restore {id}")),
            );
            return reasons;
        }
    }
    if !obstacles.dependencies.is_empty() {
        let count = obstacles.dependencies.len();
        let open = plural(count, "task", "tasks");
        reasons.push(
            Reason::new("dependencies_open", format!("it waits for {count} open {open}"))
                .tasks(&obstacles.dependencies),
        );
    }
    if !obstacles.children.is_empty() {
        let count = obstacles.children.len();
        let open = plural(count, "subtask", "subtasks");
        reasons.push(
            Reason::new("children_open", format!("it has {count} open {open}"))
                .next(format!("windlass task claim --next --parent {id}"))
                .tasks(&obstacles.children),
        );
    }
    if let Err(refusal) = project.refuse_if_frozen() {
        reasons.push(
            Reason::new("project_frozen", refusal.message)
                .next(format!("windlass project unfreeze {}", project.name)),
        );
    }
    if let Some(role) = &task.role {
        reasons.push(Reason::new("role", format!("it waits for the role '{role}'")));
    }
    if let (Status::Ready, Some(agent)) = (task.status, &task.agent) {
        reasons.push(
            Reason::new(
                "routed",
                format!("it is routed to {agent}; others do not get it from the queue"),
            )
            .next(format!("windlass task update {id} --agent ''")),
        );
    }
    reasons
}

fn held(task: &Task, now: Time) -> Reason {
    let Some(held) = task.held() else {
        return Reason::new("held", "it is in progress");
    };
    let id = task.id;
    if task.lease_ran_out(now) {
        return Reason::new(
            "lease_expired",
            format!(
                "{} holds it under fence {}, but the lease has run out",
                held.agent, held.fence
            ),
        )
        .next(format!("windlass task claim {id} --agent NAME"));
    }
    let until =
        task.lease_until.map_or("without a lease".to_owned(), |until| format!("until {until}"));
    Reason::new("held", format!("{} holds it under fence {} {until}", held.agent, held.fence))
        .next(format!("windlass task show {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::samples::project;
    use crate::task::samples::{NOW, claimed_by, created, in_status};

    fn codes(task: &Task, project: &Project, obstacles: &Obstacles) -> Vec<&'static str> {
        reasons(task, project, obstacles, None, NOW).into_iter().map(|reason| reason.code).collect()
    }

    #[test]
    fn a_claimable_task_has_no_reason() {
        assert!(codes(&created(Status::Ready), &project(), &Obstacles::default()).is_empty());
    }

    #[test]
    fn every_reason_is_listed_not_only_the_first() {
        let task = Task { agent: Some("w7".into()), ..created(Status::Ready) };
        let open = Obstacles {
            dependencies: vec![TaskId::from_bytes([1; 16])],
            children: vec![TaskId::from_bytes([2; 16])],
        };
        let frozen = Project { frozen: true, ..project() };
        assert_eq!(
            codes(&task, &frozen, &open),
            ["dependencies_open", "children_open", "project_frozen", "routed"]
        );
    }

    #[test]
    fn each_status_but_ready_is_a_reason() {
        for (status, code) in [
            (Status::Backlog, "backlog"),
            (Status::InProgress, "held"),
            (Status::Blocked, "blocked"),
            (Status::Done, "done"),
            (Status::Archived, "archived"),
        ] {
            assert_eq!(codes(&in_status(status), &project(), &Obstacles::default()), [code]);
        }
    }

    #[test]
    fn a_lease_that_ran_out_is_told_apart_from_one_that_runs() {
        let task = Task { lease_until: Some(NOW), ..claimed_by("w1") };
        assert_eq!(codes(&task, &project(), &Obstacles::default()), ["lease_expired"]);
    }
}
