//! The second reading of a file of beads: the issues that are not here yet become tasks, some in
//! each transaction.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek};

use windlass_domain::chain::{Head, Provenance};
use windlass_domain::event::ProjectCreated;
use windlass_domain::project::{INBOX, inbox};
use windlass_domain::{ProjectId, Stream, Task, TaskId};
use windlass_ledger::{Bulk, Error, Fault, Happened, Snapshot, Transaction};

use super::issue::{Issue, Line, read};
use super::lines::Lines;
use super::plan::{Plan, Planned};
use super::translate::{KEY, Ties, history};
use crate::import::clean::Clean;
use crate::import::notes::Notes;
use crate::view::ProjectNames;

const CHANGED: &str = "issues that are here and changed in beads since: not taken again";
const PRUNED: &str = "issues that were here and have been pruned: not taken again";
const ELSEWHERE: &str = "issues that are here in another project than the one named: left there";
const NO_PARENTS: &str = "parents that were pruned here, or became subtasks: left out";

/// What there is to do.
#[derive(Debug)]
pub struct Around<'a> {
    /// The issues that are not here yet, in the order in which they must come.
    pub new: Vec<&'a Planned>,
    /// What is done before anything was brought.
    pub so_far: Brought,
}

/// What was done.
#[derive(Debug, Clone)]
pub struct Brought {
    /// Projects that were made.
    pub projects: u64,
    pub tasks: u64,
    /// Events that were recorded.
    pub events: u64,
    /// Issues that were here already.
    pub here: u64,
    pub(super) notes: Notes,
    /// Where the log ended.
    pub head: Head,
    /// Nobody else wrote since the issues were looked for.
    is_alone: bool,
}

impl Brought {
    fn nothing(head: Head) -> Self {
        let (notes, is_alone) = (Notes::default(), true);
        Self { projects: 0, tasks: 0, events: 0, here: 0, notes, head, is_alone }
    }

    /// Adds what was done next.
    pub(super) fn add(&mut self, next: Self) {
        self.projects += next.projects;
        self.tasks += next.tasks;
        self.events += next.events;
        self.here += next.here;
        self.notes.extend(next.notes);
        self.head = next.head;
        self.is_alone &= next.is_alone;
    }
}

impl Plan {
    /// Finds out which issues were brought here before.
    pub fn look_around(
        &self,
        snapshot: &mut Snapshot<'_>,
        input: impl Read + Seek,
    ) -> Result<Around<'_>, Error> {
        let mut so_far = Brought::nothing(snapshot.head()?);
        so_far.notes = self.notes.clone();
        let mut new = self.in_order();
        // A ledger that holds nothing but projects need not be asked for each task.
        let changes: u64 = snapshot.all_projects()?.iter().map(|project| project.version).sum();
        if so_far.head.seq == changes {
            return Ok(Around { new, so_far });
        }
        let mut known = Known {
            lines: Lines::of(input)?,
            asked: self.asked.as_deref(),
            names: ProjectNames::default(),
        };
        for planned in std::mem::take(&mut new) {
            if !is_here(snapshot, planned)? {
                new.push(planned);
                continue;
            }
            so_far.here += 1;
            if let Some(task) = snapshot.task(planned.task)? {
                known.compare(snapshot, planned, &task, &mut so_far.notes)?;
            } else {
                so_far.notes.add(PRUNED, planned.task);
            }
        }
        Ok(Around { new, so_far })
    }

    /// Makes a task of each of these issues in one transaction. If somebody else has written since
    /// they were found to be new, they are looked for again.
    pub fn bring(
        &self,
        tx: &mut Transaction<'_>,
        input: impl Read + Seek,
        issues: &[&Planned],
        so_far: &Brought,
    ) -> Result<Brought, Error> {
        let mut brought = Brought::nothing(so_far.head);
        brought.is_alone = so_far.is_alone && tx.head() == so_far.head;
        let mut new = issues.to_vec();
        if !brought.is_alone {
            let mut here = HashSet::new();
            for planned in issues {
                if is_here(tx, planned)? {
                    here.insert(planned.task);
                }
            }
            new.retain(|planned| !here.contains(&planned.task));
            brought.here = here.len() as u64;
        }
        let projects = self.projects_of(tx, &new, &mut brought)?;
        let now = tx.now();
        let mut lines = Lines::of(input)?;
        let mut bulk = tx.bulk()?;
        for planned in new {
            let issue = issue(&mut lines, planned)?;
            let ties = self.ties(&mut bulk, planned, &issue, &projects, &mut brought.notes)?;
            let mut clean = Clean { notes: &mut brought.notes, of: &issue.id };
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
        Ok(brought)
    }

    /// Finds the projects of these issues, and makes those that are missing.
    fn projects_of(
        &self,
        tx: &mut Transaction<'_>,
        issues: &[&Planned],
        brought: &mut Brought,
    ) -> Result<HashMap<usize, ProjectId>, Error> {
        let mut projects = HashMap::new();
        for planned in issues {
            if projects.contains_key(&planned.project) {
                continue;
            }
            let missing = || Fault::bug("an issue has no project");
            let name = self.projects.get(planned.project).ok_or_else(missing)?;
            let id = if let Some(project) = tx.find_project(name)? {
                project.id
            } else {
                brought.projects += 1;
                brought.events += 1;
                make_project(tx, name)?
            };
            projects.insert(planned.project, id);
        }
        Ok(projects)
    }

    fn ties(
        &self,
        bulk: &mut Bulk<'_>,
        planned: &Planned,
        issue: &Issue,
        projects: &HashMap<usize, ProjectId>,
        notes: &mut Notes,
    ) -> Result<Ties, Error> {
        let missing = || Fault::bug("an issue has no project");
        let project = projects.get(&planned.project).copied().ok_or_else(missing)?;
        let mut parent = planned.parent.and_then(|parent| self.planned.get(parent));
        if let Some(planned) = parent {
            // Parents come first, so one that is not there now was there before.
            let is_usable = bulk.task(planned.task)?.is_some_and(|task| task.parent.is_none());
            if !is_usable {
                notes.add(NO_PARENTS, &issue.id);
                parent = None;
            }
        }
        let mut on: Vec<(String, TaskId)> = Vec::new();
        for tie in issue.dependencies.iter().filter(|tie| tie.kind == "blocks") {
            let task = self.task_of(&tie.on);
            let is_new = on.iter().all(|(_, other)| *other != task);
            if is_new && self.edges.contains(&(planned.task, task)) {
                on.push((tie.on.clone(), task));
            }
        }
        Ok(Ties { project, parent: parent.map(|parent| parent.task), on })
    }
}

/// What is needed to compare issues with the tasks that they became earlier.
struct Known<'a, R> {
    lines: Lines<R>,
    /// The project that was named.
    asked: Option<&'a str>,
    names: ProjectNames,
}

impl<R: Read + Seek> Known<'_, R> {
    fn compare(
        &mut self,
        snapshot: &mut Snapshot<'_>,
        planned: &Planned,
        task: &Task,
        notes: &mut Notes,
    ) -> Result<(), Error> {
        let issue = issue(&mut self.lines, planned)?;
        let details = snapshot.details(task)?;
        let known = details.metadata.get(KEY).and_then(|own| own.get("updated_at"));
        let updated_at = issue.updated_at.map(|at| at.to_string());
        if known.and_then(|known| known.as_str()) != updated_at.as_deref() {
            notes.add(CHANGED, &issue.id);
        }
        let name = self.names.of(snapshot, task.project)?;
        if self.asked.is_some_and(|asked| asked != name) {
            notes.add(ELSEWHERE, format_args!("{} in {name}", issue.id));
        }
        Ok(())
    }
}

/// An issue was brought here before, even if its task has been pruned since.
fn is_here(snapshot: &mut Snapshot<'_>, planned: &Planned) -> Result<bool, Fault> {
    Ok(!snapshot.history(Stream::from(planned.task), 1)?.is_empty())
}

fn make_project(tx: &mut Transaction<'_>, name: &str) -> Result<ProjectId, Error> {
    let id = tx.new_project_id()?;
    let named = |name: &str| ProjectCreated {
        name: name.to_owned(),
        description: None,
        repo: None,
        protected: false,
    };
    tx.create(id, if name == INBOX { inbox() } else { named(name) })?;
    Ok(id)
}

fn issue(lines: &mut Lines<impl Read + Seek>, planned: &Planned) -> Result<Issue, Error> {
    let text = lines.again(&planned.place)?;
    match read(planned.place.number, &text)? {
        Line::Issue(issue) => Ok(*issue),
        Line::Other(_) => Err(Fault::bug("an issue is none any more").into()),
    }
}
