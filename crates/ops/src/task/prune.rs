//! `task prune`: old finished work leaves the ledger, its place in the chain stays.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Seek as _};
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::{ProjectId, Status, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, Snapshot, export_tasks};

use crate::context::{Context, Name};
use crate::exchange::{create_new, unusable};
use crate::operation::{Access, Operation, Output, Place};
use crate::sheet::{Cell, Sheet, counted, relative};
use crate::view::{ProjectNames, usage};

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
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Pruned {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned: Option<Vec<PrunedTask>>,
    /// Instead of `pruned`, after --dry-run.
    #[serde(rename = "wouldPrune", skip_serializing_if = "Option::is_none")]
    pub would_prune: Option<Vec<PrunedTask>>,
    pub count: u64,
    /// How many events lost their data. Their headers stay in the chain.
    #[serde(rename = "eventsDeleted")]
    pub events_deleted: u64,
    /// Where the events were written before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exported: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
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
            true => cx.read(|snapshot| {
                let chosen = self.choose(snapshot, as_of, age)?;
                let would_prune = Some(listed(snapshot, &chosen)?);
                let count = chosen.len() as u64;
                Ok(Pruned { pruned: None, would_prune, count, events_deleted: 0, exported: None })
            }),
            false => self.prune(cx, as_of, age),
        }
    }
}

impl Prune {
    fn prune(&self, cx: &mut Context, as_of: Option<Time>, age: Span) -> Result<Pruned, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        let file = self.export.as_deref().map(create_new).transpose()?;
        let mut is_whole = false;
        let pruned = cx.write(&actor, |tx| {
            is_whole = false;
            let chosen = self.choose(tx, as_of, age)?;
            if let (Some(file), Some(path)) = (&file, &self.export) {
                let ids: Vec<TaskId> = chosen.iter().map(|task| task.id).collect();
                empty(file).map_err(|error| unusable(path, &error))?;
                export_tasks(tx, &ids, &mut BufWriter::new(file))?;
                file.sync_all().map_err(|error| unusable(path, &error))?;
                is_whole = true;
            }
            let pruned = listed(tx, &chosen)?;
            let mut events_deleted = 0;
            for task in &chosen {
                events_deleted += tx.prune(task)?;
            }
            let count = chosen.len() as u64;
            let exported = self.export.as_ref().map(|path| path.display().to_string());
            Ok(Pruned { pruned: Some(pruned), would_prune: None, count, events_deleted, exported })
        });
        if let (Err(_), Some(path), false) = (&pruned, &self.export, is_whole) {
            // Half a file would look like a whole one to somebody in a hurry. A whole one stays
            // even if the commit failed: where its fate is not known, this may be the last copy.
            let _removed = std::fs::remove_file(path);
        }
        pruned
    }

    /// The families that may go, in order of creation.
    fn choose(
        &self,
        snapshot: &mut Snapshot<'_>,
        as_of: Option<Time>,
        age: Span,
    ) -> Result<Vec<Task>, Error> {
        let project = match &self.project {
            Some(name) => Some(snapshot.project_named(name)?.id),
            None => None,
        };
        let now = as_of.unwrap_or(snapshot.now());
        let until = Time::from_millis(now.as_millis().saturating_sub(age.as_millis()));
        let mut seen = BTreeSet::new();
        let mut chosen = Vec::new();
        for task in snapshot.finished_until(until)? {
            let root = match task.parent {
                Some(parent) => snapshot.task(parent)?.unwrap_or(task),
                None => task,
            };
            if seen.insert(root.id) {
                chosen.extend(family_that_may_go(snapshot, root, project, until)?);
            }
        }
        chosen.sort_by_key(|task| task.created_seq);
        Ok(chosen)
    }
}

/// A task with its subtasks, or nothing when one of them must stay.
fn family_that_may_go(
    snapshot: &mut Snapshot<'_>,
    root: Task,
    project: Option<ProjectId>,
    until: Time,
) -> Result<Vec<Task>, Fault> {
    let mut family = snapshot.children(root.id)?;
    family.insert(0, root);
    for task in &family {
        // A subtask may have been moved elsewhere: what was not asked for does not go.
        if project.is_some_and(|project| project != task.project) {
            return Ok(Vec::new());
        }
        let is_old = task.finished_at.is_some_and(|finished_at| finished_at <= until);
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
