//! The first reading of a file of beads: everything is checked, and what ties the issues together
//! is kept.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek};

use windlass_domain::chain::Hash;
use windlass_domain::project::INBOX;
use windlass_domain::{TaskId, Time, text};
use windlass_ledger::Error;

use super::issue::{Issue, Line, State, read};
use super::lines::{Lines, Place, invalid};
use crate::import::notes::Notes;
use crate::import::waiting::Waiting;

const OTHERS: &str = "lines of beads that are no issues: left out";
const TOMBSTONES: &str = "issues that were deleted in beads: left out";
const CIRCLES: &str = "dependencies that close a circle: left out";
const MISSING: &str = "dependencies on issues that are not in the file: kept, they hold nothing up";
const NO_PARENTS: &str = "parents that are not in the file: left out";
const TOO_DEEP: &str = "parents that are subtasks themselves: kept as related";
const MORE_PARENTS: &str = "parents beside the first: kept as related";
const PROJECT_NAMES: &str = "prefixes that are no names of projects: changed";

/// How often it is told how far the reading has come, in issues.
const TOLD_EVERY: u64 = 1_000;

/// All that must be known of a file before its issues can be brought over one by one.
#[derive(Debug)]
pub struct Plan {
    pub(super) planned: Vec<Planned>,
    /// Which task waits for which, circles left out.
    pub(super) edges: HashSet<(TaskId, TaskId)>,
    /// The project that was named for all of them.
    pub(super) asked: Option<String>,
    /// The names of the projects that are needed.
    pub(super) projects: Vec<String>,
    pub(super) notes: Notes,
    by_id: HashMap<String, usize>,
    issues: u64,
}

/// An issue that will be a task.
#[derive(Debug)]
pub struct Planned {
    pub(super) place: Place,
    pub(super) task: TaskId,
    /// Which of the plan's projects.
    pub(super) project: usize,
    pub(super) parent: Option<usize>,
    created_at: Time,
    is_tombstone: bool,
    /// The issue it says it is a part of.
    said_parent: Option<String>,
    /// The issues that block it.
    blockers: Vec<String>,
}

impl Plan {
    /// Reads a file and refuses it when anything in it is wrong. `tell` hears how many issues
    /// were read.
    pub fn of(
        input: impl Read + Seek,
        project: Option<&str>,
        tell: impl Fn(u64),
    ) -> Result<Self, Error> {
        let mut plan = Self {
            planned: Vec::new(),
            edges: HashSet::new(),
            asked: project.map(str::to_owned),
            projects: Vec::new(),
            notes: Notes::default(),
            by_id: HashMap::new(),
            issues: 0,
        };
        let mut lines = Lines::of(input)?;
        while let Some((place, text)) = lines.next()? {
            match read(place.number, &text)? {
                Line::Issue(issue) => plan.add(place, *issue)?,
                Line::Other(kind) => plan.notes.add(OTHERS, kind),
            }
            if plan.issues.is_multiple_of(TOLD_EVERY) {
                tell(plan.issues);
            }
        }
        let mut waiting = Waiting::default();
        plan.settle_parents(&mut waiting);
        plan.settle_blockers(&mut waiting);
        plan.edges = waiting.into_edges();
        Ok(plan)
    }

    /// How many issues the file has.
    pub fn issues(&self) -> u64 {
        self.issues
    }

    fn add(&mut self, place: Place, issue: Issue) -> Result<(), Error> {
        self.issues += 1;
        let first = self.by_id.insert(issue.id.clone(), self.planned.len());
        if let Some(first) = first.and_then(|first| self.planned.get(first)) {
            let lines = [first.place.number, place.number];
            let why = format!("issue {} is on line {} already", issue.id, first.place.number);
            return Err(invalid(place.number, &why).detail("lines", lines).into());
        }
        let is_tombstone = issue.state == State::Tombstone;
        if is_tombstone {
            self.notes.add(TOMBSTONES, &issue.id);
        } else {
            for key in &issue.unknown {
                let what = "keys that are not known here: left out";
                self.notes.add(what, format_args!("{key} of {}", issue.id));
            }
        }
        let project = match is_tombstone {
            true => 0,
            false => self.project(&issue.id),
        };
        self.planned.push(Planned {
            place,
            task: task_id(&issue.id, issue.created_at),
            project,
            parent: None,
            created_at: issue.created_at.unwrap_or(Time::from_millis(0)),
            is_tombstone,
            said_parent: said_parent(&issue).map(str::to_owned),
            blockers: issue
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind == "blocks")
                .map(|dependency| dependency.on.clone())
                .collect(),
        });
        if issue.dependencies.iter().filter(|tie| tie.kind == PARENT).count() > 1 {
            self.notes.add(MORE_PARENTS, issue.id);
        }
        Ok(())
    }

    /// Which project an issue goes to.
    fn project(&mut self, id: &str) -> usize {
        let (name, is_changed) = match &self.asked {
            Some(name) => (name.clone(), false),
            None => prefix(id),
        };
        if is_changed {
            self.notes.add(PROJECT_NAMES, format_args!("{id}: now {name}"));
        }
        let known = self.projects.iter().position(|project| *project == name);
        known.unwrap_or_else(|| {
            self.projects.push(name);
            self.projects.len() - 1
        })
    }

    /// A parent counts when it is in the file and no subtask itself.
    fn settle_parents(&mut self, waiting: &mut Waiting) {
        let said: Vec<Option<usize>> =
            self.planned.iter().map(|planned| self.known(planned.said_parent.as_ref()?)).collect();
        let is_subtask = |index: usize| said.get(index).is_some_and(Option::is_some);
        let mut notes = std::mem::take(&mut self.notes);
        for (index, parent) in said.iter().enumerate() {
            let Some(child) = self.planned.get(index).filter(|child| !child.is_tombstone) else {
                continue;
            };
            let Some(name) = &child.said_parent else { continue };
            let example = format!("{name} of task {}", child.task);
            let task = child.task;
            match parent.map(|parent| (parent, self.planned.get(parent).map(|other| other.task))) {
                Some((parent, Some(other))) if !is_subtask(parent) && parent != index => {
                    // Parents have none themselves, so this closes no circle.
                    let _is_new = waiting.add(other, task);
                    if let Some(child) = self.planned.get_mut(index) {
                        child.parent = Some(parent);
                    }
                }
                Some(_) => notes.add(TOO_DEEP, example),
                None => notes.add(NO_PARENTS, example),
            }
        }
        self.notes = notes;
    }

    /// A dependency counts unless it closes a circle.
    fn settle_blockers(&mut self, waiting: &mut Waiting) {
        for index in 0..self.planned.len() {
            let Some(planned) = self.planned.get_mut(index) else { continue };
            // From here on they are among the edges.
            let blockers = std::mem::take(&mut planned.blockers);
            let (task, is_tombstone) = (planned.task, planned.is_tombstone);
            for blocker in blockers.iter().filter(|_| !is_tombstone) {
                if self.known(blocker).is_none() {
                    self.notes.add(MISSING, format_args!("task {task} waits for {blocker}"));
                }
                if let Err(circle) = waiting.add(task, self.task_of(blocker)) {
                    self.notes.add(CIRCLES, circle);
                }
            }
        }
    }

    /// The issue of that id, unless it was deleted.
    fn known(&self, id: &str) -> Option<usize> {
        let index = *self.by_id.get(id)?;
        self.planned.get(index).filter(|planned| !planned.is_tombstone).map(|_| index)
    }

    /// The task that an issue is or would be.
    pub(super) fn task_of(&self, id: &str) -> TaskId {
        let planned = self.by_id.get(id).and_then(|index| self.planned.get(*index));
        planned.map_or_else(|| task_id(id, None), |planned| planned.task)
    }

    /// The issues that will be tasks, in the order of their creation; parents come before their
    /// subtasks.
    pub(super) fn in_order(&self) -> Vec<&Planned> {
        let mut order: Vec<&Planned> =
            self.planned.iter().filter(|planned| !planned.is_tombstone).collect();
        order.sort_by_key(|planned| {
            let parent = planned.parent.and_then(|parent| self.planned.get(parent));
            let since = parent.map_or(planned.created_at, |parent| parent.created_at);
            (since.max(planned.created_at), planned.parent.is_some(), planned.place.number)
        });
        order
    }
}

pub(super) const PARENT: &str = "parent-child";

/// The first issue that an issue says it is a part of.
pub(super) fn said_parent(issue: &Issue) -> Option<&str> {
    let parent = issue.dependencies.iter().find(|tie| tie.kind == PARENT)?;
    Some(&parent.on)
}

/// Made of the time of an issue and of its id, so that the same issue is found again.
fn task_id(id: &str, created_at: Option<Time>) -> TaskId {
    let hash = Hash::of(id.as_bytes());
    let random =
        hash.as_bytes().iter().take(10).fold(0, |bits, byte| (bits << 8) | u128::from(*byte));
    TaskId::from_parts(created_at.unwrap_or(Time::from_millis(0)), random)
}

/// The project for an id such as `api-a1.2`, and whether its name had to be changed.
fn prefix(id: &str) -> (String, bool) {
    let Some((prefix, _)) = id.rsplit_once('-') else {
        return (INBOX.to_owned(), false);
    };
    if text::project_name(prefix).is_ok() {
        return (prefix.to_owned(), false);
    }
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = prefix.chars().map(plain).collect();
    match name.trim_matches('-') {
        "" => (INBOX.to_owned(), true),
        name => (name.to_owned(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use windlass_domain::Code;

    fn plan(lines: &[&str]) -> Result<Plan, Error> {
        Plan::of(Cursor::new(lines.join("\n")), None, |_| {})
    }

    fn line(id: &str, minute: u32, ties: &[(&str, &str)]) -> String {
        let ties: Vec<String> = ties
            .iter()
            .map(|(kind, on)| format!(r#"{{"type":"{kind}","depends_on_id":"{on}"}}"#))
            .collect();
        format!(
            r#"{{"id":"{id}","title":"t","status":"open","created_at":"2026-01-01T00:{minute:02}:00Z","dependencies":[{}]}}"#,
            ties.join(",")
        )
    }

    fn noted(plan: Plan) -> Vec<(String, u64)> {
        plan.notes.into_list().into_iter().map(|note| (note.what, note.count)).collect()
    }

    #[test]
    fn an_issue_is_the_same_task_whenever_it_is_read() {
        let one = plan(&[&line("bd-1", 1, &[])]).unwrap();
        let other = plan(&[&line("bd-2", 1, &[]), &line("bd-1", 1, &[])]).unwrap();
        assert_eq!(one.task_of("bd-1"), other.task_of("bd-1"));
        assert_ne!(other.task_of("bd-1"), other.task_of("bd-2"));
    }

    #[test]
    fn an_issue_that_is_there_twice_is_refused_with_both_lines() {
        let twice = [line("bd-1", 1, &[]), String::new(), line("bd-1", 2, &[])];
        let twice: Vec<&str> = twice.iter().map(String::as_str).collect();
        let Err(Error::Refused(refusal)) = plan(&twice) else { panic!("taken") };
        assert_eq!(refusal.code, Code::ImportInvalid);
        assert_eq!(refusal.details["lines"], serde_json::json!([1, 3]));
    }

    #[test]
    fn tasks_are_made_in_the_order_of_creation_but_after_their_parents() {
        let lines = [
            line("bd-late", 9, &[]),
            line("bd-child", 1, &[(PARENT, "bd-parent")]),
            line("bd-parent", 5, &[]),
            line("bd-early", 2, &[]),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let plan = plan(&lines).unwrap();
        let order: Vec<u64> = plan.in_order().iter().map(|planned| planned.place.number).collect();
        assert_eq!(order, [4, 3, 2, 1]);
    }

    #[test]
    fn parents_go_one_level_deep_and_the_rest_is_noted() {
        let lines = [
            line("bd-1", 1, &[]),
            line("bd-2", 2, &[(PARENT, "bd-1")]),
            line("bd-3", 3, &[(PARENT, "bd-2")]),
            line("bd-4", 4, &[(PARENT, "bd-9")]),
            line("bd-5", 5, &[(PARENT, "bd-5")]),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let plan = plan(&lines).unwrap();
        let parents: Vec<Option<usize>> = plan.planned.iter().map(|one| one.parent).collect();
        assert_eq!(parents, [None, Some(0), None, None, None]);
        assert_eq!(noted(plan), [(TOO_DEEP.into(), 2), (NO_PARENTS.into(), 1)]);
    }

    #[test]
    fn an_edge_that_closes_a_circle_is_left_out_and_the_way_is_told() {
        let lines = [
            line("bd-1", 1, &[("blocks", "bd-2")]),
            line("bd-2", 2, &[("blocks", "bd-1")]),
            line("bd-3", 3, &[("blocks", "bd-3")]),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let plan = plan(&lines).unwrap();
        let [one, two] = ["bd-1", "bd-2"].map(|id| plan.task_of(id));
        assert_eq!(plan.edges, HashSet::from([(one, two)]));
        let notes = plan.notes.into_list();
        assert_eq!((notes[0].what.as_str(), notes[0].count), (CIRCLES, 2));
        assert_eq!(notes[0].example, format!("{two} → {one} → {two}"));
    }

    #[test]
    fn the_project_is_the_prefix_of_the_id() {
        for (id, name, is_changed) in [
            ("bd-a1", "bd", false),
            ("my-app-a1.2", "my-app", false),
            ("a1", INBOX, false),
            ("my.app-1", "my-app", true),
            ("--1", INBOX, true),
        ] {
            assert_eq!(prefix(id), (name.to_owned(), is_changed), "{id}");
        }
    }

    #[test]
    fn deleted_issues_are_left_out() {
        let tombstone = r#"{"id":"bd-1","status":"tombstone"}"#;
        let plan = plan(&[tombstone, &line("bd-2", 1, &[("blocks", "bd-1")])]).unwrap();
        assert_eq!((plan.issues(), plan.in_order().len()), (2, 1));
        assert_eq!(noted(plan), [(TOMBSTONES.into(), 1), (MISSING.into(), 1)]);
    }
}
