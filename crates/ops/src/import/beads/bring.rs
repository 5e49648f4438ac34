//! The second reading of a file of beads: each issue becomes a task.

use std::collections::HashSet;
use std::io::{Read, Seek};

use windlass_domain::chain::{Head, Provenance};
use windlass_domain::event::ProjectCreated;
use windlass_domain::project::{INBOX, inbox};
use windlass_domain::{ProjectId, Stream, TaskId};
use windlass_ledger::{Error, Fault, Happened, Transaction};

use super::issue::{Issue, Line, read};
use super::lines::Lines;
use super::plan::{Plan, Planned};
use super::translate::{KEY, Ties, history};
use crate::import::clean::Clean;
use crate::import::notes::{Note, Notes};

const CHANGED: &str = "issues that are here and changed in beads since: not taken again";
const PRUNED: &str = "issues that were here and have been pruned: not taken again";
const NO_PARENTS: &str = "parents that have been pruned here: left out";

/// How often it is told how far the work has come, in issues.
const TOLD_EVERY: u64 = 1_000;

/// The projects that a plan needs.
#[derive(Debug, Clone)]
pub struct Projects {
    ids: Vec<ProjectId>,
    /// How many were made.
    pub made: u64,
}

/// What was done.
#[derive(Debug, Clone)]
pub struct Brought {
    pub tasks: u64,
    pub events: u64,
    /// Issues that were here already.
    pub here: u64,
    pub notes: Vec<Note>,
    pub head: Head,
}

/// Issues that were brought here before.
#[derive(Debug, Default)]
struct Earlier {
    here: HashSet<TaskId>,
    pruned: HashSet<TaskId>,
}

impl Plan {
    /// Finds the projects, and makes those that are missing.
    pub fn make_projects(&self, tx: &mut Transaction<'_>) -> Result<Projects, Error> {
        let mut projects = Projects { ids: Vec::with_capacity(self.projects.len()), made: 0 };
        for name in &self.projects {
            if let Some(project) = tx.find_project(name)? {
                projects.ids.push(project.id);
                continue;
            }
            let id = tx.new_project_id()?;
            let named = |name: &str| ProjectCreated {
                name: name.to_owned(),
                description: None,
                repo: None,
                protected: false,
            };
            tx.create(id, if name == INBOX { inbox() } else { named(name) })?;
            projects.ids.push(id);
            projects.made += 1;
        }
        Ok(projects)
    }

    /// Makes a task of every issue that is not here yet. `tell` hears how many are done.
    pub fn bring(
        &self,
        tx: &mut Transaction<'_>,
        input: impl Read + Seek,
        projects: &Projects,
        tell: &dyn Fn(u64),
    ) -> Result<Brought, Error> {
        let mut notes = self.notes.clone();
        let mut lines = Lines::of(input)?;
        let earlier = self.earlier(tx, &mut lines, &mut notes)?;
        let now = tx.now();
        let mut brought =
            Brought { tasks: 0, events: 0, here: 0, notes: Vec::new(), head: tx.head() };
        let mut bulk = tx.bulk()?;
        for (done, planned) in (1_u64..).zip(self.in_order()) {
            if done.is_multiple_of(TOLD_EVERY) {
                tell(done);
            }
            if earlier.here.contains(&planned.task) {
                brought.here += 1;
                continue;
            }
            let issue = issue(&mut lines, planned)?;
            let ties = self.ties(planned, &issue, projects, &earlier, &mut notes)?;
            let mut clean = Clean { notes: &mut notes, of: &issue.id };
            for did in history(&issue, &ties, now, &mut clean) {
                brought.events += 1;
                let provenance = Provenance { actor: did.actor, ..Provenance::default() };
                let (stream, at, event) = (planned.task.into(), did.at, did.event);
                bulk.record(Happened { id: None, at, stream, provenance, event })?;
            }
            brought.tasks += 1;
        }
        bulk.finish()?;
        brought.head = tx.head();
        brought.notes = notes.into_list();
        Ok(brought)
    }

    /// Finds the issues that were brought here before.
    fn earlier(
        &self,
        tx: &mut Transaction<'_>,
        lines: &mut Lines<impl Read + Seek>,
        notes: &mut Notes,
    ) -> Result<Earlier, Error> {
        let mut earlier = Earlier::default();
        // A ledger that holds nothing but projects need not be asked for each task.
        let projects = tx.projects()?;
        let changes: u64 = projects.iter().map(|project| project.version).sum();
        if tx.head().seq == changes {
            return Ok(earlier);
        }
        for planned in self.in_order() {
            if tx.history(Stream::from(planned.task), 1)?.is_empty() {
                continue;
            }
            earlier.here.insert(planned.task);
            let Some(task) = tx.task(planned.task)? else {
                earlier.pruned.insert(planned.task);
                notes.add(PRUNED, planned.task);
                continue;
            };
            let details = tx.details(&task)?;
            let known = details.metadata.get(KEY).and_then(|own| own.get("updated_at"));
            let issue = issue(lines, planned)?;
            let updated_at = issue.updated_at.map(|at| at.to_string());
            if known.and_then(|known| known.as_str()) != updated_at.as_deref() {
                notes.add(CHANGED, &issue.id);
            }
        }
        Ok(earlier)
    }

    fn ties(
        &self,
        planned: &Planned,
        issue: &Issue,
        projects: &Projects,
        earlier: &Earlier,
        notes: &mut Notes,
    ) -> Result<Ties, Error> {
        let missing = || Fault::bug("an issue has no project");
        let project = projects.ids.get(planned.project).copied().ok_or_else(missing)?;
        let parent = planned.parent.and_then(|parent| self.planned.get(parent));
        let is_pruned = parent.is_some_and(|parent| earlier.pruned.contains(&parent.task));
        if is_pruned {
            notes.add(NO_PARENTS, &issue.id);
        }
        let mut on: Vec<(String, TaskId)> = Vec::new();
        for tie in issue.dependencies.iter().filter(|tie| tie.kind == "blocks") {
            let task = self.task_of(&tie.on);
            let is_new = on.iter().all(|(_, other)| *other != task);
            if is_new && self.edges.contains(&(planned.task, task)) {
                on.push((tie.on.clone(), task));
            }
        }
        let parent = parent.filter(|_| !is_pruned).map(|parent| parent.task);
        Ok(Ties { project, parent, on })
    }
}

fn issue(lines: &mut Lines<impl Read + Seek>, planned: &Planned) -> Result<Issue, Error> {
    let text = lines.again(&planned.place)?;
    match read(planned.place.number, &text)? {
        Line::Issue(issue) => Ok(*issue),
        Line::Other(_) => Err(Fault::bug("an issue is none any more").into()),
    }
}
