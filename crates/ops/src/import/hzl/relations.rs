//! How HZL's tasks belong together, followed along its log.
//!
//! Everything here is settled from HZL's log alone and without the ledger: so an event that is
//! here already leads to the same as when it was recorded.

use std::collections::{HashMap, HashSet};

use windlass_domain::TaskId;

use super::ids::task_id;
use super::translate::Said;
use crate::import::notes::Notes;
use crate::import::waiting::Waiting;

const CIRCLES: &str = "dependencies that close a circle: left out";
const NO_PARENTS: &str = "parents that are not there, or that are subtasks themselves: left out";
const NO_TASKS: &str = "dependencies on what is no task: left out";

/// The tasks of HZL's log so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Relations {
    tasks: HashSet<TaskId>,
    waiting: Waiting,
    parents: HashMap<TaskId, TaskId>,
    /// How many subtasks a task has.
    children: HashMap<TaskId, u64>,
}

/// The other tasks of an event, as far as they are accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Related {
    pub(super) is_new: bool,
    pub(super) parent: Option<TaskId>,
    /// The parent is another one than before, or none.
    pub(super) parent_changed: bool,
    /// Dependencies that begin or end.
    pub(super) on: Vec<TaskId>,
}

impl Relations {
    pub(super) fn has(&self, task: TaskId) -> bool {
        self.tasks.contains(&task)
    }

    /// Follows one event about a task.
    pub(super) fn follow(&mut self, task: TaskId, said: &Said, notes: &mut Notes) -> Related {
        let mut related = Related::default();
        match said {
            Said::Created { parent, on, .. } if self.tasks.insert(task) => {
                related.is_new = true;
                related.parent = self.set_parent(task, parent.as_deref(), notes);
                related.on = on.iter().filter_map(|on| self.add(task, on, notes)).collect();
            }
            Said::ParentSet { parent } => {
                let before = self.parents.get(&task).copied();
                self.clear_parent(task);
                related.parent = self.set_parent(task, parent.as_deref(), notes);
                related.parent_changed = before != related.parent;
            }
            Said::DependencyAdded { on } => related.on.extend(self.add(task, on, notes)),
            Said::DependencyRemoved { on } => {
                let on = task_id(on).filter(|on| !self.is_child(*on, task));
                related.on.extend(on.filter(|on| self.waiting.remove(task, *on)));
            }
            Said::Created { .. }
            | Said::ProjectCreated { .. }
            | Said::ProjectRenamed { .. }
            | Said::ProjectDeleted { .. }
            | Said::StatusChanged(_)
            | Said::Moved { .. }
            | Said::Updated { .. }
            | Said::Archived
            | Said::Commented { .. }
            | Said::Checkpointed { .. } => {}
        }
        related
    }

    /// The parent waits for its subtasks, so the two relations must not close a circle either.
    fn set_parent(
        &mut self,
        task: TaskId,
        given: Option<&str>,
        notes: &mut Notes,
    ) -> Option<TaskId> {
        let given = given?;
        let parent = task_id(given).filter(|parent| {
            let is_root = !self.parents.contains_key(parent);
            let has_children = self.children.get(&task).is_some_and(|count| *count > 0);
            self.has(*parent) && is_root && !has_children && *parent != task
        });
        let Some(parent) = parent else {
            notes.add(NO_PARENTS, format_args!("{given} of {task}"));
            return None;
        };
        match self.waiting.add(parent, task) {
            Ok(true) => {
                self.parents.insert(task, parent);
                *self.children.entry(parent).or_default() += 1;
                Some(parent)
            }
            Ok(false) => {
                notes.add(NO_PARENTS, format_args!("{given} of {task}, for which it waits"));
                None
            }
            Err(circle) => {
                notes.add(CIRCLES, circle);
                None
            }
        }
    }

    fn clear_parent(&mut self, task: TaskId) {
        if let Some(parent) = self.parents.remove(&task) {
            self.waiting.remove(parent, task);
            if let Some(count) = self.children.get_mut(&parent) {
                *count -= 1;
            }
        }
    }

    fn is_child(&self, task: TaskId, parent: TaskId) -> bool {
        self.parents.get(&task) == Some(&parent)
    }

    fn add(&mut self, task: TaskId, on: &str, notes: &mut Notes) -> Option<TaskId> {
        let Some(on) = task_id(on) else {
            notes.add(NO_TASKS, format_args!("{task} waits for {on}"));
            return None;
        };
        match self.waiting.add(task, on) {
            Ok(is_new) => is_new.then_some(on),
            Err(circle) => {
                notes.add(CIRCLES, circle);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> TaskId {
        TaskId::from_bytes([number; 16])
    }

    fn created(parent: Option<u8>, on: &[u8]) -> Said {
        Said::Created {
            project: "p".into(),
            parent: parent.map(|parent| id(parent).to_string()),
            on: on.iter().map(|on| id(*on).to_string()).collect(),
            fields: serde_json::Map::new(),
        }
    }

    fn on(number: u8) -> Said {
        Said::DependencyAdded { on: id(number).to_string() }
    }

    #[test]
    fn subtasks_go_one_level_deep() {
        let (mut relations, mut notes) = (Relations::default(), Notes::default());
        let mut follow = |task, said: &Said| relations.follow(id(task), said, &mut notes).parent;
        assert_eq!(follow(1, &created(None, &[])), None);
        assert_eq!(follow(2, &created(Some(1), &[])), Some(id(1)));
        assert_eq!(follow(3, &created(Some(2), &[])), None);
        assert_eq!(follow(4, &created(Some(9), &[])), None);
        let under_another = Said::ParentSet { parent: Some(id(3).to_string()) };
        assert_eq!(follow(1, &under_another), None, "it has a subtask");
        assert_eq!(notes.into_list()[0].count, 3);
    }

    #[test]
    fn a_subtask_that_waits_for_its_parent_would_close_a_circle() {
        let (mut relations, mut notes) = (Relations::default(), Notes::default());
        relations.follow(id(1), &created(None, &[]), &mut notes);
        let child = relations.follow(id(2), &created(Some(1), &[1]), &mut notes);
        assert_eq!((child.parent, child.on), (Some(id(1)), vec![]));
        let circle = format!("{} → {} → {}", id(2), id(1), id(2));
        assert_eq!(notes.into_list()[0].example, circle);
    }

    #[test]
    fn a_dependency_counts_once_however_often_it_is_added() {
        let (mut relations, mut notes) = (Relations::default(), Notes::default());
        let mut follow = |said: &Said| relations.follow(id(1), said, &mut notes).on;
        assert_eq!(follow(&on(2)), [id(2)]);
        assert_eq!(follow(&on(2)), []);
        let removed = Said::DependencyRemoved { on: id(2).to_string() };
        assert_eq!(follow(&removed), [id(2)]);
        assert_eq!(follow(&removed), []);
        assert_eq!(follow(&on(2)), [id(2)]);
    }

    #[test]
    fn taking_away_a_dependency_does_not_take_away_a_subtask() {
        let (mut relations, mut notes) = (Relations::default(), Notes::default());
        relations.follow(id(1), &created(None, &[]), &mut notes);
        relations.follow(id(2), &created(Some(1), &[]), &mut notes);
        let removed = Said::DependencyRemoved { on: id(2).to_string() };
        assert_eq!(relations.follow(id(1), &removed, &mut notes).on, []);
        let circle = relations.follow(id(2), &on(1), &mut notes);
        assert_eq!(circle.on, []);
    }
}
