//! Projects: named queues of tasks.

use crate::event::{
    Emptied, Event, ProjectCreated, ProjectDeleted, ProjectFrozen, ProjectRenamed, ProjectUnfrozen,
};
use crate::task::Broken;
use crate::{Code, ProjectId, Refusal, Status, TaskId, Time};

/// The project of tasks that name none. Made when it is first needed, and protected.
pub const INBOX: &str = "inbox";

/// A named queue of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    pub created_seq: u64,
    /// How many events its stream has.
    pub version: u64,
    pub name: String,
    pub description: Option<String>,
    /// The git repository it is bound to.
    pub repo: Option<String>,
    pub protected: bool,
    /// Nothing is given out from a frozen project.
    pub frozen: bool,
    pub frozen_reason: Option<String>,
    /// It is no more; what was archived in it still names it.
    pub deleted: bool,
    pub counts: Counts,
    pub created_at: Time,
    pub updated_at: Time,
}

/// How many tasks a project has in each status, and how many of them can be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub backlog: i64,
    pub ready: i64,
    pub in_progress: i64,
    pub blocked: i64,
    pub done: i64,
    pub archived: i64,
    pub claimable: i64,
}

impl Counts {
    pub fn of(&self, status: Status) -> i64 {
        match status {
            Status::Backlog => self.backlog,
            Status::Ready => self.ready,
            Status::InProgress => self.in_progress,
            Status::Blocked => self.blocked,
            Status::Done => self.done,
            Status::Archived => self.archived,
        }
    }

    pub fn of_mut(&mut self, status: Status) -> &mut i64 {
        match status {
            Status::Backlog => &mut self.backlog,
            Status::Ready => &mut self.ready,
            Status::InProgress => &mut self.in_progress,
            Status::Blocked => &mut self.blocked,
            Status::Done => &mut self.done,
            Status::Archived => &mut self.archived,
        }
    }

    pub fn all(&self) -> i64 {
        Status::ALL.iter().map(|status| self.of(*status)).sum()
    }
}

impl Project {
    /// The project that a creation event makes.
    pub fn created(id: ProjectId, data: &ProjectCreated, seq: u64, at: Time) -> Self {
        Self {
            id,
            created_seq: seq,
            version: 1,
            name: data.name.clone(),
            description: data.description.clone(),
            repo: data.repo.clone(),
            protected: data.protected,
            frozen: false,
            frozen_reason: None,
            deleted: false,
            counts: Counts::default(),
            created_at: at,
            updated_at: at,
        }
    }

    /// Applies the next event of this project's stream.
    pub fn fold(&mut self, event: &Event, at: Time) -> Result<(), Broken> {
        match event {
            Event::ProjectRenamed(data) => self.name.clone_from(&data.name),
            Event::ProjectFrozen(data) => {
                self.frozen = true;
                self.frozen_reason.clone_from(&data.reason);
            }
            Event::ProjectUnfrozen(_) => {
                self.frozen = false;
                self.frozen_reason = None;
            }
            Event::ProjectDeleted(_) => self.deleted = true,
            Event::ProjectCreated(_)
            | Event::TaskCreated(_)
            | Event::TaskUpdated(_)
            | Event::TaskClaimed(_)
            | Event::ClaimRenewed(_)
            | Event::ClaimExpired(_)
            | Event::TaskReleased(_)
            | Event::TaskBlocked(_)
            | Event::TaskUnblocked(_)
            | Event::TaskCompleted(_)
            | Event::TaskReopened(_)
            | Event::StatusSet(_)
            | Event::TaskArchived(_)
            | Event::TaskRestored(_)
            | Event::TaskMoved(_)
            | Event::TaskDeleted(_)
            | Event::TaskPruned(_)
            | Event::CommentAdded(_)
            | Event::CheckpointRecorded(_)
            | Event::ProgressSet(_)
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
            | Event::Definition(_) => {
                let kind = event.kind().as_str();
                return Err(Broken(format!(
                    "'{kind}' cannot follow in the stream of project {}",
                    self.id
                )));
            }
        }
        self.version += 1;
        self.updated_at = at;
        Ok(())
    }

    /// Refuses what would give out work of a frozen project.
    pub fn refuse_if_frozen(&self) -> Result<(), Refusal> {
        if !self.frozen {
            return Ok(());
        }
        let why =
            self.frozen_reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        Err(Refusal::new(Code::ProjectFrozen, format!("project '{}' is frozen{why}", self.name))
            .hint(format!("let it go on: windlass project unfreeze {}", self.name))
            .detail("project", &self.name)
            .detail("reason", &self.frozen_reason))
    }

    /// Refuses what would bring work into a project that is no more.
    pub fn refuse_if_deleted(&self, task: TaskId) -> Result<(), Refusal> {
        if !self.deleted {
            return Ok(());
        }
        Err(Refusal::new(
            Code::ProjectDeleted,
            format!("project '{}', in which task {task} is, was deleted", self.name),
        )
        .hint(format!("move it to another project first: windlass task move {task} PROJECT"))
        .detail("project", &self.name)
        .detail("task_id", task))
    }

    /// Ends a project. What becomes of its tasks is decided before.
    pub fn delete(
        &self,
        action: Emptied,
        moved_to: Option<ProjectId>,
        forced: Option<String>,
    ) -> Result<Event, Refusal> {
        if self.protected {
            return Err(Refusal::new(
                Code::ProjectProtected,
                format!("project '{}' is built in and stays", self.name),
            )
            .hint(format!(
                "move its tasks elsewhere: windlass task move --all-from {} PROJECT",
                self.name
            ))
            .detail("project", &self.name));
        }
        let tasks = self.counts.all().unsigned_abs();
        if tasks > 0 && action == Emptied::None {
            let name = &self.name;
            let has = if tasks == 1 { "1 task".to_owned() } else { format!("{tasks} tasks") };
            return Err(Refusal::new(Code::Usage, format!("project '{name}' has {has}"))
            .hint(
                "say what becomes of them: --move-to PROJECT, --archive-tasks (they stay readable) \
                 or --delete-tasks (they leave the ledger)",
            )
            .detail("project", name)
            .detail("task_count", tasks)
            .detail("archived_task_count", self.counts.archived));
        }
        let action = if tasks == 0 { Emptied::None } else { action };
        Ok(ProjectDeleted { action, tasks, moved_to, forced }.into())
    }

    /// Refuses to leave chunks behind under the name of a project that is deleted.
    pub fn refuse_chunks_left(&self, chunks: u64) -> Result<(), Refusal> {
        let name = &self.name;
        let has = match chunks {
            0 => return Ok(()),
            1 => "1 chunk".to_owned(),
            chunks => format!("{chunks} chunks"),
        };
        Err(Refusal::new(Code::Usage, format!("project '{name}' has {has}"))
            .hint("say what becomes of them: --move-to PROJECT, or --delete-chunks")
            .detail("project", name)
            .detail("chunk_count", chunks))
    }

    /// Gives a project another name; nothing is recorded when it has that name already.
    pub fn rename(&self, name: String) -> Result<Option<Event>, Refusal> {
        if self.protected {
            return Err(protected(&self.name));
        }
        if name == INBOX {
            return Err(protected(INBOX));
        }
        Ok((name != self.name).then(|| ProjectRenamed { name }.into()))
    }

    /// Stops giving out work; nothing is recorded when it is frozen already for the same reason.
    pub fn freeze(&self, reason: Option<String>) -> Option<Event> {
        let same = self.frozen && self.frozen_reason == reason;
        (!same).then(|| ProjectFrozen { reason }.into())
    }

    /// Gives out work again.
    pub fn unfreeze(&self) -> Option<Event> {
        self.frozen.then(|| ProjectUnfrozen {}.into())
    }
}

/// Makes the project of tasks that name none.
pub fn inbox() -> ProjectCreated {
    ProjectCreated { name: INBOX.to_owned(), description: None, repo: None, protected: true }
}

/// The refusal to touch a protected project.
pub fn protected(name: &str) -> Refusal {
    Refusal::new(Code::ProjectProtected, format!("project '{name}' is built in and keeps its name"))
        .hint("make a project of your own: windlass project create NAME")
        .detail("project", name)
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    pub(crate) fn project() -> Project {
        let data =
            ProjectCreated { name: "api".into(), description: None, repo: None, protected: false };
        Project::created(ProjectId::from_bytes([9; 16]), &data, 1, Time::from_millis(0))
    }

    #[test]
    fn the_inbox_keeps_its_name_and_nobody_takes_it() {
        let inbox = Project { protected: true, name: INBOX.into(), ..project() };
        assert_eq!(inbox.rename("other".into()).unwrap_err().code, Code::ProjectProtected);
        assert_eq!(project().rename(INBOX.into()).unwrap_err().code, Code::ProjectProtected);
    }

    #[test]
    fn a_project_with_tasks_is_deleted_only_with_a_word_about_them() {
        let with = |count| Project {
            counts: Counts { ready: count, archived: 1, ..Counts::default() },
            ..project()
        };
        let refusal = with(2).delete(Emptied::None, None, None).unwrap_err();
        assert_eq!(refusal.code, Code::Usage);
        assert_eq!(refusal.details["task_count"], 3);
        assert!(with(2).delete(Emptied::Archive, None, None).is_ok());
        let Event::ProjectDeleted(data) = project().delete(Emptied::Delete, None, None).unwrap()
        else {
            panic!("not deleted")
        };
        assert_eq!((data.action, data.tasks), (Emptied::None, 0), "there was nothing to delete");
        let inbox = Project { protected: true, ..project() };
        let refused = inbox.delete(Emptied::Delete, None, None).unwrap_err();
        assert_eq!(refused.code, Code::ProjectProtected);
    }

    #[test]
    fn what_changes_nothing_records_nothing() {
        assert_eq!(project().rename("api".into()).unwrap(), None);
        assert_eq!(project().unfreeze(), None);
        let frozen = Project { frozen: true, ..project() };
        assert_eq!(frozen.freeze(None), None);
        assert!(frozen.freeze(Some("release".into())).is_some());
    }
}
