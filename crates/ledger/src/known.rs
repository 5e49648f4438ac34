//! Rows that a transaction has read or written and need not read again.
//!
//! Nobody else changes what an open transaction sees, so its own writes are all that must be
//! followed. A group is one transaction: what one of its parts read, the next ones know. With the
//! transaction, or with a part that is undone, all of it is forgotten.

use std::collections::HashMap;
use std::sync::Arc;

use windlass_domain::chunk::{ChunkType, Slug};
use windlass_domain::project::Project;
use windlass_domain::{ProjectId, Task, TaskId};

use crate::cell::Columns;
use crate::fault::Fault;
use crate::front::Fronts;
use crate::hook::Defined;

/// So many tasks at most, however many a transaction goes through.
const MOST_TASKS: usize = 4_096;

#[derive(Default)]
pub(crate) struct Known {
    tasks: HashMap<TaskId, Task>,
    created: HashMap<u64, TaskId>,
    projects: HashMap<ProjectId, Project>,
    standing: Option<Vec<Standing>>,
    pub(crate) fronts: Fronts,
    hooks: Option<Vec<Defined>>,
    agents: HashMap<String, u64>,
    /// What is known of a slug: the type, or that there is none.
    chunk_types: HashMap<Slug, Option<Arc<ChunkType>>>,
    /// Statements by table and changed columns; they are true for ever.
    updates: HashMap<(&'static str, u64), Arc<str>>,
}

/// An unfrozen project that may have something for a caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    pub(crate) project: ProjectId,
    pub(crate) has_claimable: bool,
    pub(crate) has_held: bool,
}

impl Standing {
    pub(crate) fn read(row: &dyn Columns) -> Result<Self, Fault> {
        let project = ProjectId::from_bytes(row.id(0)?);
        Ok(Self { project, has_claimable: row.flag(1)?, has_held: row.flag(2)? })
    }

    /// Whether a project stands as it did.
    fn is_the_same(old: &Project, new: &Project) -> bool {
        let stands = |project: &Project| {
            let counts = &project.counts;
            (project.frozen, counts.claimable > 0, counts.in_progress > 0)
        };
        stands(old) == stands(new)
    }
}

impl Known {
    pub(crate) fn forget_all(&mut self) {
        let Self {
            tasks,
            created,
            projects,
            standing,
            fronts,
            hooks,
            agents,
            chunk_types,
            updates: _,
        } = self;
        tasks.clear();
        created.clear();
        projects.clear();
        *standing = None;
        fronts.forget_all();
        *hooks = None;
        agents.clear();
        chunk_types.clear();
    }

    pub(crate) fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.get(&id)
    }

    pub(crate) fn task_created_at(&self, created_seq: u64) -> Option<&Task> {
        self.created.get(&created_seq).and_then(|id| self.tasks.get(id))
    }

    /// A task as it is stored.
    pub(crate) fn meet_task(&mut self, task: &Task) {
        if self.tasks.len() >= MOST_TASKS {
            self.tasks.clear();
            self.created.clear();
        }
        self.created.insert(task.created_seq, task.id);
        self.tasks.insert(task.id, task.clone());
    }

    pub(crate) fn forget_task(&mut self, id: TaskId) {
        self.tasks.remove(&id);
    }

    pub(crate) fn project(&self, id: ProjectId) -> Option<&Project> {
        self.projects.get(&id)
    }

    pub(crate) fn project_named(&self, name: &str) -> Option<&Project> {
        self.projects.values().find(|project| project.name == name && !project.deleted)
    }

    /// A project as it is stored.
    pub(crate) fn meet_project(&mut self, project: &Project) {
        self.projects.insert(project.id, project.clone());
    }

    /// A project is no longer stored as it was.
    pub(crate) fn change_project(&mut self, old: &Project, new: &Project) {
        if !Standing::is_the_same(old, new) {
            self.standing = None;
        }
        self.meet_project(new);
    }

    /// There is a project more.
    pub(crate) fn add_project(&mut self) {
        self.standing = None;
    }

    pub(crate) fn standing(&self) -> Option<&[Standing]> {
        self.standing.as_deref()
    }

    /// How all unfrozen projects stand that may have something.
    pub(crate) fn meet_standing(&mut self, all: Vec<Standing>) {
        self.standing = Some(all);
    }

    pub(crate) fn hooks(&self) -> Option<&Vec<Defined>> {
        self.hooks.as_ref()
    }

    /// All hooks of the ledger.
    pub(crate) fn meet_hooks(&mut self, hooks: &[Defined]) {
        self.hooks = Some(hooks.to_vec());
    }

    pub(crate) fn forget_hooks(&mut self) {
        self.hooks = None;
    }

    pub(crate) fn chunk_type(&self, slug: &Slug) -> Option<&Option<Arc<ChunkType>>> {
        self.chunk_types.get(slug)
    }

    pub(crate) fn meet_chunk_type(&mut self, slug: &Slug, chunk_type: Option<Arc<ChunkType>>) {
        self.chunk_types.insert(slug.clone(), chunk_type);
    }

    pub(crate) fn forget_chunk_types(&mut self) {
        self.chunk_types.clear();
    }

    /// The text of a statement, made once.
    pub(crate) fn update(
        &mut self,
        table: &'static str,
        changed: u64,
        text: impl FnOnce() -> String,
    ) -> Arc<str> {
        let made = self.updates.entry((table, changed)).or_insert_with(|| text().into());
        Arc::clone(made)
    }

    /// The number of somebody who acted.
    pub(crate) fn agent(&self, name: &str) -> Option<u64> {
        self.agents.get(name).copied()
    }

    pub(crate) fn meet_agent(&mut self, name: &str, number: u64) {
        self.agents.insert(name.to_owned(), number);
    }
}
