//! A task as the ledger remembers it, and how each event changes it.
//!
//! [`Task::fold`] is the only place where an event becomes state: a live command, a rebuild of the
//! views and an import all go through it.

use crate::event::{Event, TaskClaimed, TaskCreated, TaskUpdated, Won};
use crate::{ProjectId, Status, TaskId, Time, pipeline};

/// A unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub id: TaskId,
    /// The `seq` of the event that created it: its place in the order of creation.
    pub created_seq: u64,
    /// How many events its stream has.
    pub version: u64,
    pub project: ProjectId,
    pub parent: Option<TaskId>,
    pub title: String,
    pub status: Status,
    /// The status to return to when an archived task is restored.
    pub archived_from: Option<Status>,
    pub priority: u8,
    pub due_at: Option<Time>,
    pub tags: Vec<String>,
    /// The holder of a held task; of a finished one, who held it last; else whom it is routed to.
    pub agent: Option<String>,
    /// The number of the last claim that was won.
    pub fence: u64,
    /// When the present claim was won; a task is held exactly while this is set.
    pub claimed_at: Option<Time>,
    /// When its holder last gave a sign of life: a claim, renewal, checkpoint or comment.
    pub active_at: Option<Time>,
    pub lease_until: Option<Time>,
    /// The length of the lease.
    pub lease_ms: Option<i64>,
    /// That the lease ran out has been recorded.
    pub lease_expired: bool,
    /// It is blocked until nothing it waits for is open.
    pub auto_unpause: bool,
    pub progress: Option<u8>,
    pub stale_after_minutes: Option<u32>,
    pub pipeline: String,
    pub stage: Option<String>,
    /// Who may take it at its stage; nobody in particular when empty.
    pub role: Option<String>,
    /// How many tasks it waits for.
    pub open_dependencies: u64,
    /// How many of its subtasks are neither done nor archived.
    pub open_children: u64,
    pub created_at: Time,
    pub updated_at: Time,
    /// When work on it began: its first claim since it was created or reopened.
    pub started_at: Option<Time>,
    /// When it became done or archived.
    pub finished_at: Option<Time>,
}

/// Who holds a task, under which fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held<'a> {
    pub agent: &'a str,
    pub fence: u64,
}

/// An event that cannot follow what the log says before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken(pub String);

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

impl Task {
    /// The task that a creation event makes.
    pub fn created(id: TaskId, data: &TaskCreated, seq: u64, at: Time) -> Self {
        let done = data.status == Status::Done;
        let stage = data.stage.as_ref();
        Self {
            id,
            created_seq: seq,
            version: 1,
            project: data.project,
            parent: data.parent,
            title: data.title.clone(),
            status: data.status,
            archived_from: None,
            priority: data.priority,
            due_at: data.due_at,
            tags: data.tags.clone(),
            agent: data.agent.clone(),
            fence: 0,
            claimed_at: None,
            active_at: None,
            lease_until: None,
            lease_ms: None,
            lease_expired: false,
            auto_unpause: false,
            progress: done.then_some(100),
            stale_after_minutes: data.stale_after_minutes,
            pipeline: stage.map_or(pipeline::SIMPLE, |stage| &stage.pipeline).to_owned(),
            stage: stage.map(|stage| stage.name.clone()),
            role: stage.and_then(|stage| stage.role.clone()),
            open_dependencies: 0,
            open_children: 0,
            created_at: at,
            updated_at: at,
            started_at: None,
            finished_at: done.then_some(at),
        }
    }

    /// Applies the next event of this task's stream.
    ///
    /// The two counters of open work are not touched: they follow from other tasks too, and the
    /// ledger keeps them.
    pub fn fold(&mut self, event: &Event, at: Time) -> Result<(), Broken> {
        if !self.may_follow(event) {
            let kind = event.kind().as_str();
            return Err(Broken(format!(
                "'{kind}' cannot happen to task {}, which is {}",
                self.id, self.status
            )));
        }
        match event {
            Event::TaskUpdated(data) => self.update(data),
            Event::TaskClaimed(data) => self.win(data, at)?,
            Event::ClaimRenewed(data) => {
                self.lease_until = Some(data.lease_until);
                self.lease_ms = Some(data.lease_ms);
                self.lease_expired = false;
            }
            Event::ClaimExpired(_) => self.lease_expired = true,
            Event::TaskReleased(_) => self.enter(Status::Ready, at),
            Event::TaskBlocked(data) => {
                // Whoever blocks it by hand, before or after, knows of something else to wait for.
                let alone = self.status != Status::Blocked || self.auto_unpause;
                self.enter(Status::Blocked, at);
                self.auto_unpause = data.auto_unpause && alone;
            }
            Event::TaskUnblocked(data) => {
                self.enter(data.to, at);
                self.agent = data.routed_to.clone().or(self.agent.take());
                self.lease_until = data.lease_until;
                self.lease_ms = data.lease_ms;
            }
            Event::TaskCompleted(_) => self.enter(Status::Done, at),
            Event::TaskReopened(data) => self.enter(data.to, at),
            Event::StatusSet(data) => self.enter(data.to, at),
            Event::TaskArchived(_) => {
                self.archived_from = Some(self.status);
                self.enter(Status::Archived, at);
            }
            Event::TaskRestored(data) => {
                self.archived_from = None;
                self.enter(data.to, at);
            }
            Event::CheckpointRecorded(data) => self.progress = data.progress.or(self.progress),
            Event::ProgressSet(data) => self.progress = Some(data.progress),
            Event::TaskMoved(data) => self.project = data.project,
            // It is settled first, so that nothing waits for it, and then leaves the views.
            Event::TaskDeleted(_) => self.enter(Status::Archived, at),
            Event::CommentAdded(_)
            | Event::TaskPruned(_)
            | Event::DependencyAdded(_)
            | Event::DependencyRemoved(_)
            | Event::WorkflowRan(_)
            | Event::OpCompleted(_)
            | Event::DependencyKept(_)
            | Event::TaskCreated(_)
            | Event::ProjectCreated(_)
            | Event::ProjectRenamed(_)
            | Event::ProjectFrozen(_)
            | Event::ProjectUnfrozen(_)
            | Event::ProjectDeleted(_)
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
            | Event::Definition(_) => {}
        }
        if shows_life(event) {
            self.active_at = Some(at);
        }
        if self.claimed_at.is_none() {
            self.active_at = None;
        }
        self.version += 1;
        self.updated_at = at;
        Ok(())
    }

    /// The state machine: which event can happen in which status.
    fn may_follow(&self, event: &Event) -> bool {
        use Status::{Archived, Backlog, Blocked, Done, InProgress, Ready};
        match (self.status, event) {
            (
                _,
                Event::CommentAdded(_)
                | Event::TaskUpdated(_)
                | Event::TaskMoved(_)
                | Event::WorkflowRan(_)
                | Event::TaskDeleted(_)
                | Event::DependencyKept(_),
            ) => true,
            (status, Event::TaskPruned(_)) => status.is_settled(),
            (_, Event::TaskClaimed(data)) => match data.won {
                Won::Claimed => self.status == Ready,
                Won::TakenOver | Won::Stolen => self.status == InProgress,
                Won::Overridden => !matches!(self.status, InProgress | Archived),
            },
            (status, Event::ClaimRenewed(_) | Event::ClaimExpired(_) | Event::TaskReleased(_)) => {
                status == InProgress
            }
            (status, Event::TaskBlocked(_)) => matches!(status, Ready | InProgress | Blocked),
            (status, Event::TaskUnblocked(data)) => {
                status == Blocked && matches!(data.to, Ready | InProgress)
            }
            (status, Event::TaskCompleted(_)) => matches!(status, InProgress | Blocked),
            (status, Event::TaskReopened(data)) => {
                status == Done && matches!(data.to, Ready | Backlog)
            }
            (status, Event::StatusSet(data)) => {
                status != Archived && matches!(data.to, Backlog | Ready | Blocked | Done)
            }
            (status, Event::TaskRestored(data)) => {
                status == Archived && matches!(data.to, Backlog | Ready | Done)
            }
            (status, Event::ProgressSet(_)) => !matches!(status, Done | Archived),
            // An archived task is left alone, but not by what is done to many tasks at once.
            (status, Event::DependencyAdded(data)) => status != Archived || data.because.is_some(),
            (status, Event::DependencyRemoved(data)) => {
                status != Archived || data.because.is_some()
            }
            (status, Event::TaskArchived(_) | Event::CheckpointRecorded(_)) => status != Archived,
            (
                _,
                Event::TaskCreated(_)
                | Event::OpCompleted(_)
                | Event::ProjectCreated(_)
                | Event::ProjectRenamed(_)
                | Event::ProjectFrozen(_)
                | Event::ProjectUnfrozen(_)
                | Event::ProjectDeleted(_)
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
                | Event::Definition(_),
            ) => false,
        }
    }

    fn update(&mut self, data: &TaskUpdated) {
        if let Some(title) = &data.title {
            self.title.clone_from(title);
        }
        if let Some(tags) = &data.tags {
            self.tags.clone_from(tags);
        }
        if let Some(priority) = data.priority {
            self.priority = priority;
        }
        if let Some(due_at) = &data.due_at {
            self.due_at = due_at.value();
        }
        if let Some(stale_after) = &data.stale_after_minutes {
            self.stale_after_minutes = stale_after.value();
        }
        if let Some(parent) = &data.parent {
            self.parent = parent.value();
        }
        if let Some(agent) = &data.agent {
            self.agent = agent.value();
        }
    }

    fn win(&mut self, data: &TaskClaimed, at: Time) -> Result<(), Broken> {
        if data.fence != self.fence + 1 {
            return Err(Broken(format!(
                "claim {} of task {} follows claim {}",
                data.fence, self.id, self.fence
            )));
        }
        self.enter(Status::InProgress, at);
        self.agent = Some(data.agent.clone());
        self.fence = data.fence;
        self.claimed_at = Some(at);
        self.started_at.get_or_insert(at);
        self.lease_until = data.lease_until;
        self.lease_ms = data.lease_ms;
        Ok(())
    }

    /// Moves to a status and drops what does not survive the move.
    fn enter(&mut self, to: Status, at: Time) {
        let from = self.status;
        self.status = to;
        self.lease_until = None;
        self.lease_ms = None;
        self.lease_expired = false;
        self.auto_unpause = false;
        match to {
            Status::InProgress | Status::Blocked => {
                if from == Status::Done {
                    self.agent = None;
                }
            }
            Status::Backlog | Status::Ready => {
                // A claim ends here, and the work goes back to the pool; a route stays a route.
                if self.claimed_at.take().is_some() || from == Status::Done {
                    self.agent = None;
                }
            }
            // The agent of a done task is the one who finished it.
            Status::Done => self.claimed_at = None,
            Status::Archived => {
                if self.claimed_at.take().is_some() {
                    self.agent = None;
                }
            }
        }
        match (from.is_settled(), to.is_settled()) {
            (false, true) => self.finished_at = Some(at),
            (true, false) => {
                self.finished_at = None;
                self.started_at = None;
            }
            (false, false) | (true, true) => {}
        }
        if to == Status::Done {
            self.progress = Some(100);
        } else if from == Status::Done && to != Status::Archived {
            self.progress = None;
        }
    }

    /// Who holds it now.
    pub fn held(&self) -> Option<Held<'_>> {
        self.claimed_at?;
        Some(Held { agent: self.agent.as_deref()?, fence: self.fence })
    }

    /// The lease of the present claim has run out.
    pub fn lease_ran_out(&self, now: Time) -> bool {
        self.lease_until.is_some_and(|until| until <= now)
    }

    /// How many minutes its holder has been silent, when that is longer than it may be: by the
    /// task's own limit, else by `usual_minutes`. A limit of 0 never runs out.
    pub fn stale_minutes(&self, usual_minutes: u32, now: Time) -> Option<u32> {
        let limit = self.stale_after_minutes.unwrap_or(usual_minutes);
        let active_at =
            self.active_at.filter(|_| self.status == Status::InProgress && limit > 0)?;
        let silent = u32::try_from(now.millis_since(active_at) / 60_000).ok()?;
        (silent >= limit).then_some(silent)
    }

    /// In the queue: ready, and nothing it waits for is open.
    pub fn is_claimable(&self) -> bool {
        self.status == Status::Ready && self.open_dependencies == 0 && self.open_children == 0
    }
}

/// Whether an event tells that the holder of a task is at work.
fn shows_life(event: &Event) -> bool {
    match event {
        Event::TaskClaimed(_)
        | Event::ClaimRenewed(_)
        | Event::TaskUnblocked(_)
        | Event::CommentAdded(_)
        | Event::CheckpointRecorded(_)
        | Event::ProgressSet(_) => true,
        Event::ProjectCreated(_)
        | Event::ProjectRenamed(_)
        | Event::ProjectFrozen(_)
        | Event::ProjectUnfrozen(_)
        | Event::ProjectDeleted(_)
        | Event::TaskCreated(_)
        | Event::TaskUpdated(_)
        | Event::ClaimExpired(_)
        | Event::TaskReleased(_)
        | Event::TaskBlocked(_)
        | Event::TaskCompleted(_)
        | Event::TaskReopened(_)
        | Event::StatusSet(_)
        | Event::TaskArchived(_)
        | Event::TaskRestored(_)
        | Event::TaskMoved(_)
        | Event::TaskDeleted(_)
        | Event::TaskPruned(_)
        | Event::DependencyAdded(_)
        | Event::DependencyRemoved(_)
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
pub(crate) mod samples {
    use super::*;
    use crate::event::{Authority, StatusSet, TaskArchived, TaskBlocked, TaskCompleted};

    pub(crate) const NOW: Time = Time::from_millis(1_794_735_000_000);

    pub(crate) fn created(status: Status) -> Task {
        let data = TaskCreated {
            project: ProjectId::from_bytes([9; 16]),
            title: "paint the boat".into(),
            status,
            parent: None,
            description: None,
            links: Vec::new(),
            tags: Vec::new(),
            priority: 0,
            due_at: None,
            metadata: serde_json::Map::new(),
            stale_after_minutes: None,
            agent: None,
            depends_on: Vec::new(),
            stage: None,
            forced: None,
        };
        Task::created(TaskId::from_bytes([7; 16]), &data, 2, NOW)
    }

    pub(crate) fn claimed_by(agent: &str) -> Task {
        let mut task = created(Status::Ready);
        claim(&mut task, agent);
        task
    }

    pub(crate) fn claim(task: &mut Task, agent: &str) {
        let data = TaskClaimed {
            agent: agent.into(),
            fence: task.fence + 1,
            won: if task.status == Status::Ready { Won::Claimed } else { Won::Stolen },
            lease_until: None,
            lease_ms: None,
            taken_from: None,
            reason: None,
        };
        task.fold(&data.into(), NOW).unwrap();
    }

    /// A task in the given status; held by `holder` where a task can be.
    pub(crate) fn in_status(status: Status) -> Task {
        let free = Authority::Free;
        let forced = None;
        match status {
            Status::Backlog | Status::Ready => created(status),
            Status::InProgress => claimed_by("holder"),
            Status::Blocked => {
                let mut task = claimed_by("holder");
                let data =
                    TaskBlocked { reason: None, auto_unpause: false, authority: free, forced };
                task.fold(&data.into(), NOW).unwrap();
                task
            }
            Status::Done => {
                let mut task = claimed_by("holder");
                task.fold(&TaskCompleted { authority: free, forced }.into(), NOW).unwrap();
                task
            }
            Status::Archived => {
                let mut task = created(Status::Ready);
                task.fold(&TaskArchived { authority: free, forced }.into(), NOW).unwrap();
                task
            }
        }
    }

    #[test]
    fn a_claim_that_skips_a_fence_breaks_the_log() {
        let mut task = created(Status::Ready);
        let data = TaskClaimed {
            agent: "w".into(),
            fence: 2,
            won: Won::Claimed,
            lease_until: None,
            lease_ms: None,
            taken_from: None,
            reason: None,
        };
        assert!(task.fold(&data.into(), NOW).is_err());
    }

    #[test]
    fn a_reopened_task_forgets_who_finished_it_and_how_far_it_was() {
        let mut task = in_status(Status::Done);
        assert_eq!((task.agent.as_deref(), task.progress), (Some("holder"), Some(100)));
        let data = StatusSet { to: Status::Ready, authority: Authority::Free, forced: None };
        task.fold(&data.into(), NOW).unwrap();
        assert_eq!((task.agent, task.progress, task.finished_at), (None, None, None));
    }

    #[test]
    fn a_held_task_goes_stale_when_its_holder_is_silent() {
        let minutes = |n: i64| Time::from_millis(NOW.as_millis() + n * 60_000);
        let mut task = claimed_by("w1");
        assert_eq!(task.stale_minutes(10, minutes(9)), None);
        assert_eq!(task.stale_minutes(10, minutes(12)), Some(12));
        let said = crate::event::CommentAdded { text: "still at it".into() };
        task.fold(&said.into(), minutes(12)).unwrap();
        assert_eq!(task.stale_minutes(10, minutes(21)), None, "a comment is a sign of life");
        assert_eq!(task.stale_minutes(10, minutes(22)), Some(10), "but not for ever");
        task.stale_after_minutes = Some(60);
        assert_eq!(task.stale_minutes(10, minutes(22)), None, "its own limit counts first");
        task.stale_after_minutes = Some(0);
        assert_eq!(task.stale_minutes(10, minutes(9_000)), None, "0 is never");
    }

    #[test]
    fn a_blocked_task_keeps_its_owner_and_fence_and_loses_its_lease() {
        let mut task = claimed_by("w1");
        task.lease_until = Some(NOW);
        let data = TaskBlocked {
            reason: None,
            auto_unpause: false,
            authority: Authority::Holder,
            forced: None,
        };
        task.fold(&data.into(), NOW).unwrap();
        assert_eq!(task.held(), Some(Held { agent: "w1", fence: 1 }));
        assert_eq!(task.lease_until, None);
    }
}
