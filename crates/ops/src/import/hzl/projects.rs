//! The projects of HZL, which it knows by their names only, and those of this ledger.

use std::collections::{HashMap, HashSet};

use windlass_domain::event::{Event, ProjectCreated, ProjectFrozen, ProjectRenamed};
use windlass_domain::project::{INBOX, Project};
use windlass_domain::text::{NAME_CHARS, project_name};
use windlass_domain::{EventId, ProjectId};

use super::ids::derived;
use super::translate::Said;
use crate::import::notes::Notes;

/// Why a project that HZL deleted is frozen.
const DELETED: &str = "deleted in HZL";

const RENAMED: &str = "projects whose name is taken here: given another one";
const KEPT: &str = "projects that HZL deleted: kept with their tasks, frozen and renamed";
const LEFT: &str = "projects that HZL deleted and that were here before: left as they are";

/// Which project of this ledger stands for which name of HZL, at one point of HZL's log.
#[derive(Debug, Clone, Default)]
pub(super) struct Projects {
    /// By the name that HZL knows at this point.
    named: HashMap<String, ProjectId>,
    /// Projects that were here before and go by the same name. They are not changed.
    reused: HashSet<ProjectId>,
    /// The last name of each project in HZL; none of those that were deleted.
    last_names: HashMap<ProjectId, Option<String>>,
    /// The projects of this ledger by their names.
    here: HashMap<String, ProjectId>,
}

impl Projects {
    /// Looks ahead at all that HZL says about its projects: one that ends with the name of a
    /// project of this ledger is that project.
    pub(super) fn new<'a>(log: impl IntoIterator<Item = (EventId, &'a Said)>) -> Self {
        let mut ahead = Self::default();
        for (id, said) in log {
            let project = ahead.follow(id, said);
            let last_name = match said {
                Said::ProjectCreated { name, .. } => Some(name.clone()),
                Said::ProjectRenamed { to, .. } => Some(to.clone()),
                Said::ProjectDeleted { .. }
                | Said::Created { .. }
                | Said::StatusChanged(_)
                | Said::Moved { .. }
                | Said::DependencyAdded { .. }
                | Said::DependencyRemoved { .. }
                | Said::ParentSet { .. }
                | Said::Updated { .. }
                | Said::Archived
                | Said::Commented { .. }
                | Said::Checkpointed { .. } => None,
            };
            ahead.last_names.extend(project.map(|project| (project, last_name)));
        }
        Self { last_names: ahead.last_names, ..Self::default() }
    }

    /// Takes note of the projects of this ledger, which others may have changed meanwhile.
    pub(super) fn look_around(&mut self, projects: &[Project]) {
        self.here = projects.iter().map(|project| (project.name.clone(), project.id)).collect();
    }

    /// The project that a task names.
    pub(super) fn id(&self, name: &str) -> Option<ProjectId> {
        self.named.get(name).copied()
    }

    /// Follows HZL's names through one event. Returns the project of this ledger that it is about;
    /// none when HZL speaks of one that it does not have.
    pub(super) fn follow(&mut self, event: EventId, said: &Said) -> Option<ProjectId> {
        match said {
            Said::ProjectCreated { name, .. } => {
                let own = ProjectId::from_bytes(event.to_bytes());
                let namesake = self.namesake(own).filter(|_| !self.is_here(own));
                self.reused.extend(namesake);
                let id = namesake.unwrap_or(own);
                self.named.insert(name.clone(), id);
                Some(id)
            }
            Said::ProjectRenamed { from, to } => {
                let id = self.named.remove(from)?;
                self.named.insert(to.clone(), id);
                Some(id)
            }
            Said::ProjectDeleted { name } => self.named.remove(name),
            Said::Created { .. }
            | Said::StatusChanged(_)
            | Said::Moved { .. }
            | Said::DependencyAdded { .. }
            | Said::DependencyRemoved { .. }
            | Said::ParentSet { .. }
            | Said::Updated { .. }
            | Said::Archived
            | Said::Commented { .. }
            | Said::Checkpointed { .. } => None,
        }
    }

    /// A project that was here before, and is not changed.
    pub(super) fn is_reused(&self, id: ProjectId) -> bool {
        self.reused.contains(&id)
    }

    /// A project that was here before under the name this one ends with.
    fn namesake(&self, own: ProjectId) -> Option<ProjectId> {
        let last_name = self.last_names.get(&own)?.as_ref()?;
        let other = self.here.get(last_name)?;
        (!self.last_names.contains_key(other)).then_some(*other)
    }

    /// What is to be recorded of it.
    pub(super) fn events(&mut self, id: ProjectId, said: &Said, notes: &mut Notes) -> Vec<Event> {
        match said {
            Said::ProjectDeleted { name } if self.reused.contains(&id) => {
                notes.add(LEFT, name);
                Vec::new()
            }
            _ if self.reused.contains(&id) => Vec::new(),
            Said::ProjectCreated { name, description } => {
                let name = self.name(id, name, notes);
                vec![made(name, description.clone())]
            }
            Said::ProjectRenamed { to, .. } => {
                let name = self.name(id, to, notes);
                vec![ProjectRenamed { name }.into()]
            }
            // Its tasks are kept, nothing is given out of it, and its name is free again.
            Said::ProjectDeleted { name } => {
                let new_name = self.name(id, &format!("{name}-deleted"), notes);
                notes.add(KEPT, format_args!("{name}, now {new_name}"));
                let reason = Some(DELETED.to_owned());
                vec![ProjectFrozen { reason }.into(), ProjectRenamed { name: new_name }.into()]
            }
            Said::Created { .. }
            | Said::StatusChanged(_)
            | Said::Moved { .. }
            | Said::DependencyAdded { .. }
            | Said::DependencyRemoved { .. }
            | Said::ParentSet { .. }
            | Said::Updated { .. }
            | Said::Archived
            | Said::Commented { .. }
            | Said::Checkpointed { .. } => Vec::new(),
        }
    }

    /// A project of whose creation HZL's log does not tell: that of the same name, or a new one.
    pub(super) fn unheard_of(
        &mut self,
        name: &str,
        from: EventId,
        notes: &mut Notes,
    ) -> (ProjectId, Option<Event>) {
        let (id, event) = if let Some(other) = self.here.get(name) {
            (*other, None)
        } else {
            let id = ProjectId::from_bytes(derived(from, name).to_bytes());
            let name = self.name(id, name, notes);
            (id, Some(made(name, None)))
        };
        self.named.insert(name.to_owned(), id);
        self.reused.insert(id);
        (id, event)
    }

    /// Gives a project of this ledger the name, or one like it that is free and that the rules
    /// take.
    fn name(&mut self, id: ProjectId, wanted: &str, notes: &mut Notes) -> String {
        self.here.retain(|_, other| *other != id);
        let is_free = !self.here.contains_key(wanted) && project_name(wanted).is_ok();
        let name = if is_free { wanted.to_owned() } else { another(wanted, id) };
        if !is_free {
            notes.add(RENAMED, format_args!("{wanted}, now {name}"));
        }
        self.here.insert(name.clone(), id);
        name
    }

    fn is_here(&self, id: ProjectId) -> bool {
        self.here.values().any(|other| *other == id)
    }
}

fn made(name: String, description: Option<String>) -> Event {
    let protected = name == INBOX;
    ProjectCreated { name, description, repo: None, protected }.into()
}

/// A name like the wanted one, made unique by the end of the id.
fn another(wanted: &str, id: ProjectId) -> String {
    let end = format!("-{}", id.short().to_lowercase());
    let plain = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => letter,
        _ => '-',
    };
    let kept: String = wanted.chars().map(plain).take(NAME_CHARS - end.len()).collect();
    match kept.trim_start_matches(['-', '_']) {
        "" => format!("project{end}"),
        begins => format!("{begins}{end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_domain::Time;

    fn event(number: u8) -> EventId {
        EventId::from_bytes([number; 16])
    }

    fn id(number: u8) -> ProjectId {
        ProjectId::from_bytes([number; 16])
    }

    fn create(name: &str) -> Said {
        Said::ProjectCreated { name: name.into(), description: None }
    }

    fn rename(from: &str, to: &str) -> Said {
        Said::ProjectRenamed { from: from.into(), to: to.into() }
    }

    fn delete(name: &str) -> Said {
        Said::ProjectDeleted { name: name.into() }
    }

    fn here(id: ProjectId, name: &str) -> Project {
        let data =
            ProjectCreated { name: name.into(), description: None, repo: None, protected: false };
        Project::created(id, &data, 1, Time::from_millis(0))
    }

    /// Plays a log into a ledger with these projects; what is recorded, in short.
    fn play(log: &[Said], around: &[Project]) -> (Projects, Vec<String>) {
        let numbered = || (1..).map(event).zip(log);
        let mut projects = Projects::new(numbered());
        projects.look_around(around);
        let mut recorded = Vec::new();
        for (event, said) in numbered() {
            let Some(id) = projects.follow(event, said) else { continue };
            for event in projects.events(id, said, &mut Notes::default()) {
                recorded.push(match event {
                    Event::ProjectCreated(data) => format!("made {}", data.name),
                    Event::ProjectRenamed(data) => format!("renamed {}", data.name),
                    other => other.kind().as_str().to_owned(),
                });
            }
        }
        (projects, recorded)
    }

    #[test]
    fn a_project_is_made_under_the_id_of_its_event_and_renamed() {
        let (projects, recorded) = play(&[create("ops"), rename("ops", "operations")], &[]);
        assert_eq!(recorded, ["made ops", "renamed operations"]);
        assert_eq!((projects.id("operations"), projects.id("ops")), (Some(id(1)), None));
    }

    #[test]
    fn a_project_that_is_here_under_its_last_name_is_reused_and_not_changed() {
        let around = [here(id(99), "operations"), here(id(98), "inbox")];
        let log = [create("inbox"), create("ops"), rename("ops", "operations")];
        let (projects, recorded) = play(&log, &around);
        assert_eq!(recorded, Vec::<String>::new());
        assert_eq!(projects.id("operations"), Some(id(99)));
        assert_eq!(projects.id("inbox"), Some(id(98)));
    }

    #[test]
    fn a_name_that_is_taken_by_another_project_is_not_taken_away() {
        let log = [create("web"), rename("web", "front")];
        let (projects, recorded) = play(&log, &[here(id(99), "web")]);
        assert_eq!(recorded[0], format!("made web-{}", id(1).short().to_lowercase()));
        assert_eq!(recorded[1], "renamed front");
        assert_eq!(projects.id("front"), Some(id(1)));
    }

    #[test]
    fn a_deleted_project_is_kept_apart_from_the_next_of_its_name() {
        let log = [create("x"), delete("x"), create("x")];
        let (projects, recorded) = play(&log, &[]);
        assert_eq!(recorded, ["made x", "project_frozen", "renamed x-deleted", "made x"]);
        assert_eq!(projects.id("x"), Some(id(3)));
    }

    #[test]
    fn names_that_the_rules_do_not_take_are_mended() {
        let (_, recorded) = play(&[create("a b"), create("…")], &[]);
        let end = |number| id(number).short().to_lowercase();
        assert_eq!(recorded, [format!("made a-b-{}", end(1)), format!("made project-{}", end(2))]);
    }

    #[test]
    fn a_project_nobody_created_is_found_by_its_name_or_made() {
        let mut projects = Projects::default();
        projects.look_around(&[here(id(99), "old")]);
        let mut notes = Notes::default();
        assert_eq!(projects.unheard_of("old", event(1), &mut notes), (id(99), None));
        let (new, made) = projects.unheard_of("new", event(1), &mut notes);
        assert!(made.is_some());
        assert_eq!(projects.id("new"), Some(new));
    }
}
