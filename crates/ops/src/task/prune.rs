//! `task prune`: old finished work leaves the ledger, its place in the chain stays.
//!
//! What may go is chosen, and exported, in one look at the ledger that holds nobody up. Then it
//! goes, some hundred tasks in each transaction; what has changed since that look stays.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufWriter, Seek as _};
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::{ProjectId, Status, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, Snapshot, Transaction, export_tasks};

use crate::context::{Context, Name, Step};
use crate::exchange::{create_new, unusable};
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Cell, Sheet, counted, relative};
use crate::view::{ProjectNames, usage};

/// Tasks that go in one transaction, but for a family that is larger.
const CHUNK: usize = 500;

/// Removes tasks that were done or archived long ago, whole families at a time.
///
/// A family (a task and its subtasks) goes when all of it is old enough, all of it is in the project
/// when one is named, and nothing open waits for any of it, in any project.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Prune {
    /// Only of this project; or give --all
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Of all projects
    #[arg(short = 'A', long)]
    #[serde(default)]
    pub all: bool,
    /// How long ago it must have been finished
    #[arg(long, value_name = "DURATION", default_value = "30d", allow_hyphen_values = true)]
    #[serde(default = "thirty_days")]
    pub older_than: String,
    /// Reckon from this time instead of now
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub as_of: Option<String>,
    /// Only say what would go
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Write all events of what goes to a new file first, in lines of JSON
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub export: Option<PathBuf>,
    /// Yes, remove it for good
    #[arg(short, long)]
    #[serde(default)]
    pub yes: bool,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

fn thirty_days() -> String {
    "30d".to_owned()
}

/// What went, or would go.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Pruned {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned: Option<Vec<PrunedTask>>,
    /// Instead of `pruned`, after --dry-run.
    #[serde(rename = "wouldPrune", skip_serializing_if = "Option::is_none")]
    pub would_prune: Option<Vec<PrunedTask>>,
    pub count: u64,
    /// How many events lost their data, or would. Their headers stay in the chain.
    #[serde(rename = "eventsDeleted")]
    pub events_deleted: u64,
    /// Where the events were written before. Tasks that changed meanwhile are in that file but
    /// were not pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exported: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PrunedTask {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub project: String,
    #[schemars(with = "String")]
    pub status: Status,
    #[schemars(with = "Option<String>")]
    pub terminal_since: Option<Time>,
    #[schemars(with = "Option<String>")]
    pub parent_id: Option<TaskId>,
}

impl Operation for Prune {
    type Output = Pruned;
    const NAME: &'static str = "task.prune";
    const ABOUT: &'static str = "Remove tasks that were finished long ago";
    const EXAMPLE: &'static str =
        "windlass task prune --all --older-than 90d --export old.ndjson --yes";
    const ACCESS: Access = Access::Admin;
    const PLACE: Place = Place::Workplace;

    fn run(&self, cx: &mut Context) -> Result<Pruned, Error> {
        if self.project.is_some() == self.all {
            return Err(usage(
                "of which project?",
                "give --project NAME, or --all for all projects",
            )
            .into());
        }
        if self.dry_run && self.export.is_some() {
            return Err(usage(
                "a dry run removes nothing, so there is nothing to write to a file",
                "give --export together with --yes",
            )
            .into());
        }
        if !self.dry_run && !self.yes {
            return Err(usage(
                "pruned tasks do not come back",
                "look first with --dry-run, then give --yes",
            )
            .into());
        }
        let age = Span::parse_or_zero("older_than", &self.older_than)?;
        let as_of = self.as_of.as_deref().map(|time| Time::parse("as_of", time)).transpose()?;
        match self.dry_run {
            true => cx.read(|snapshot| Ok(self.choose(snapshot, as_of, age)?.would_go())),
            false => self.prune(cx, as_of, age, CHUNK),
        }
    }
}

impl Prune {
    /// Prunes about so many tasks at a time.
    fn prune(
        &self,
        cx: &mut Context,
        as_of: Option<Time>,
        age: Span,
        chunk: usize,
    ) -> Result<Pruned, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        let Chosen { families, mut listed, rule } = self.choose_and_export(cx, as_of, age)?;
        let of = Some(listed.len() as u64);
        let mut step = Step { doing: "pruning", done: 0, of, unit: "tasks" };
        cx.step(step);
        let mut gone = Gone::default();
        for part in parts(&families, chunk) {
            // A transaction may be tried again, so it counts for itself.
            let next = cx
                .write_part(&actor, |tx| prune_part(tx, part, rule))
                .map_err(|error| self.cut_off(error, gone.tasks.len()))?;
            gone.tasks.extend(next.tasks);
            gone.events += next.events;
            step.done += part.iter().map(|family| family.0.len() as u64).sum::<u64>();
            cx.step(step);
        }
        listed.retain(|task| gone.tasks.contains(&task.task_id));
        Ok(Pruned {
            count: listed.len() as u64,
            pruned: Some(listed),
            would_prune: None,
            events_deleted: gone.events,
            exported: self.export.as_ref().map(|path| path.display().to_string()),
        })
    }

    /// Looks for what may go. With --export its events are on the disk after this.
    fn choose_and_export(
        &self,
        cx: &mut Context,
        as_of: Option<Time>,
        age: Span,
    ) -> Result<Chosen, Error> {
        let Some(path) = &self.export else {
            return cx.read(|snapshot| self.choose(snapshot, as_of, age));
        };
        let file = create_new(path)?;
        let chosen = cx.read(|snapshot| {
            let chosen = self.choose(snapshot, as_of, age)?;
            let ids: Vec<TaskId> = chosen.listed.iter().map(|task| task.task_id).collect();
            empty(&file).map_err(|error| unusable(path, &error))?;
            export_tasks(snapshot, &ids, &mut BufWriter::new(&file))?;
            keep(&file, path).map_err(|error| unusable(path, &error))?;
            Ok(chosen)
        });
        if chosen.is_err() {
            // Half a file would look like a whole one to somebody in a hurry.
            let _removed = std::fs::remove_file(path);
        }
        chosen
    }

    /// Says what was done before something failed. The file of an export stays: it may be the last
    /// copy of what is gone.
    fn cut_off(&self, error: Error, pruned: usize) -> Error {
        let tasks = counted(pruned as u64, "task");
        let mut more = format!("; {tasks} pruned before that");
        let mut details = serde_json::Map::from_iter([("pruned".to_owned(), pruned.into())]);
        if let Some(path) = &self.export {
            let file = path.display().to_string();
            more = format!("{more}, the events are in {file}");
            details.insert("exported".to_owned(), file.into());
        }
        match error {
            Error::Refused(mut refusal) => {
                refusal.message += &more;
                refusal.details.extend(details);
                refusal.into()
            }
            Error::Failed(mut fault) => {
                fault.message += &more;
                fault.details.extend(details);
                fault.into()
            }
        }
    }

    /// The families that may go, in order of creation.
    fn choose(
        &self,
        snapshot: &mut Snapshot<'_>,
        as_of: Option<Time>,
        age: Span,
    ) -> Result<Chosen, Error> {
        let project = match &self.project {
            Some(name) => Some(snapshot.project_named(name)?.id),
            None => None,
        };
        let now = as_of.unwrap_or(snapshot.now());
        let until = Time::from_millis(now.as_millis().saturating_sub(age.as_millis()));
        let rule = Rule { project, until };
        let mut seen = BTreeSet::new();
        let (mut families, mut chosen) = (Vec::new(), Vec::new());
        for task in snapshot.finished_until(until)? {
            let root = match task.parent {
                Some(parent) => snapshot.task(parent)?.unwrap_or(task),
                None => task,
            };
            if !seen.insert(root.id) {
                continue;
            }
            let family = family_that_may_go(snapshot, root, rule)?;
            if !family.is_empty() {
                families.push(Family::of(&family));
                chosen.extend(family);
            }
        }
        chosen.sort_by_key(|task| task.created_seq);
        Ok(Chosen { families, listed: listed(snapshot, &chosen)?, rule })
    }
}

/// What may go, as one look at the ledger found it.
struct Chosen {
    families: Vec<Family>,
    /// All of their tasks, in order of creation.
    listed: Vec<PrunedTask>,
    rule: Rule,
}

impl Chosen {
    fn would_go(self) -> Pruned {
        let events = self.families.iter().flat_map(|family| &family.0).map(|(_, events)| events);
        Pruned {
            pruned: None,
            count: self.listed.len() as u64,
            events_deleted: events.sum(),
            would_prune: Some(self.listed),
            exported: None,
        }
    }
}

/// Which families may go: those of this project, finished until then.
#[derive(Debug, Clone, Copy)]
struct Rule {
    project: Option<ProjectId>,
    until: Time,
}

/// A task and its subtasks, with how many events each has.
#[derive(Debug, PartialEq, Eq)]
struct Family(Vec<(TaskId, u64)>);

impl Family {
    fn of(tasks: &[Task]) -> Self {
        Self(tasks.iter().map(|task| (task.id, task.version)).collect())
    }
}

/// What is gone.
#[derive(Debug, Default)]
struct Gone {
    tasks: HashSet<TaskId>,
    events: u64,
}

/// Cuts a list of families into parts of at most so many tasks, or one family.
fn parts(mut families: &[Family], chunk: usize) -> Vec<&[Family]> {
    let mut parts = Vec::new();
    while !families.is_empty() {
        let mut tasks = 0;
        let fits = |family: &&Family| {
            tasks += family.0.len();
            tasks <= chunk
        };
        let count = families.iter().take_while(fits).count().max(1);
        let (part, rest) = families.split_at(count);
        parts.push(part);
        families = rest;
    }
    parts
}

/// Prunes these families, but for those that may not go any more or have changed: what nobody has
/// looked at, and is in no export, stays.
fn prune_part(tx: &mut Transaction<'_>, families: &[Family], rule: Rule) -> Result<Gone, Error> {
    let mut gone = Gone::default();
    for chosen in families {
        let Some((root, _)) = chosen.0.first() else { continue };
        let Some(root) = tx.task(*root)? else { continue };
        if let Some(parent) = root.parent
            && tx.task(parent)?.is_some()
        {
            continue;
        }
        let family = family_that_may_go(tx, root, rule)?;
        if Family::of(&family) != *chosen {
            continue;
        }
        for task in &family {
            gone.events += tx.prune(task)?;
            gone.tasks.insert(task.id);
        }
    }
    Ok(gone)
}

/// A task with its subtasks, or nothing when one of them must stay.
fn family_that_may_go(
    snapshot: &mut Snapshot<'_>,
    root: Task,
    rule: Rule,
) -> Result<Vec<Task>, Fault> {
    let mut family = snapshot.children(root.id)?;
    family.insert(0, root);
    for task in &family {
        // A subtask may have been moved elsewhere: what was not asked for does not go.
        if rule.project.is_some_and(|project| project != task.project) {
            return Ok(Vec::new());
        }
        let is_old = task.finished_at.is_some_and(|finished_at| finished_at <= rule.until);
        if !is_old || is_waited_for(snapshot, task)? {
            return Ok(Vec::new());
        }
    }
    Ok(family)
}

fn is_waited_for(snapshot: &mut Snapshot<'_>, task: &Task) -> Result<bool, Fault> {
    for id in snapshot.dependents(task.id)? {
        if snapshot.task(id)?.is_some_and(|dependent| !dependent.status.is_settled()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn listed(snapshot: &mut Snapshot<'_>, chosen: &[Task]) -> Result<Vec<PrunedTask>, Fault> {
    let mut names = ProjectNames::default();
    let mut listed = Vec::with_capacity(chosen.len());
    for task in chosen {
        listed.push(PrunedTask {
            task_id: task.id,
            title: task.title.clone(),
            project: names.of(snapshot, task.project)?,
            status: task.status,
            terminal_since: task.finished_at,
            parent_id: task.parent,
        });
    }
    Ok(listed)
}

/// Waits until a new file is on the disk, under its name.
fn keep(file: &File, path: &Path) -> std::io::Result<()> {
    file.sync_all()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The work may run again after a lost connection, and then writes the file anew.
fn empty(mut file: &File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()
}

impl Output for Pruned {
    fn sheet(&self, now: Time) -> Sheet {
        let tasks = self.pruned.iter().chain(&self.would_prune).flatten();
        let rows: Vec<Vec<Cell>> = tasks
            .map(|task| {
                vec![
                    task.task_id.short().into(),
                    task.status.into(),
                    task.project.clone().into(),
                    task.title.clone().into(),
                    Cell::dim(task.terminal_since.map(|at| relative(at, now)).unwrap_or_default()),
                ]
            })
            .collect();
        if rows.is_empty() {
            return Sheet::line("nothing is old enough to be pruned");
        }
        let columns = ["id", "status", "project", "title…", "finished"];
        let sheet = Sheet::default().and_table(&columns, rows);
        let tasks = counted(self.count, "task");
        sheet.and_line(match (&self.would_prune, &self.exported) {
            (Some(_), _) => Cell::dim(format!("{tasks} would be pruned")),
            (None, Some(file)) => Cell::from(format!("{tasks} pruned; the events are in {file}")),
            (None, None) => Cell::from(format!("{tasks} pruned")),
        })
    }
}

#[cfg(test)]
mod tests;
