//! `project delete`.

use std::collections::BTreeSet;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chunk::Chunk;
use windlass_domain::event::{Change, Emptied, TaskDeleted, TaskMoved, TaskUpdated};
use windlass_domain::ownership::{Bearer, authorise};
use windlass_domain::project::Project;
use windlass_domain::{Code, ProjectId, Refusal, Task, TaskId, Time, transition};
use windlass_ledger::{Error, ListFilter, Snapshot, Transaction};

use super::chunks::{chunks_of, delete_all, relocate_all, without_specs};
use super::named_or_inbox;
use crate::border::{self, AtBorder, Going, TouchedEdge};
use crate::caller::forced;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Sheet, counted};
use crate::view::usage;

/// More holders than this are counted, not listed.
const LISTED: usize = 50;

/// Deletes a project. One that has tasks or chunks needs a word about what becomes of them.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Delete {
    /// The project
    pub name: String,
    /// Move its tasks and chunks to this project first
    #[arg(long, value_name = "PROJECT")]
    #[serde(default)]
    pub move_to: Option<String>,
    /// Archive what is open; all its tasks stay readable
    #[arg(long)]
    #[serde(default)]
    pub archive_tasks: bool,
    /// Delete its tasks for good, and specs with them; their events stay in the log
    #[arg(long)]
    #[serde(default)]
    pub delete_tasks: bool,
    /// Delete its chunks, whatever points to them; their events stay in the log
    #[arg(long)]
    #[serde(default)]
    pub delete_chunks: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub border: AtBorder,
    /// Although somebody holds a task that would be archived or deleted; needs --reason, and is
    /// recorded
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Why the holders do not matter
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// What became of a project and its tasks.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Deleted {
    pub name: String,
    /// How many tasks it had.
    pub task_count: i64,
    /// How many of them were archived before.
    pub archived_task_count: i64,
    /// How many chunks it had.
    pub chunk_count: u64,
    /// `none`, `move`, `archive` or `delete`.
    #[schemars(with = "String")]
    pub action: Emptied,
    /// Where its tasks went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// Dependencies between its tasks and others, and what was done with them.
    pub edges: Vec<TouchedEdge>,
}

impl Operation for Delete {
    type Output = Deleted;
    const NAME: &'static str = "project.delete";
    const ABOUT: &'static str = "Delete a project; say what becomes of its tasks and chunks";
    const EXAMPLE: &'static str = "windlass project delete api --move-to web --edges keep";
    const ACCESS: Access = Access::Admin;

    fn run(&self, cx: &mut Context) -> Result<Deleted, Error> {
        let action = self.action()?;
        let force = forced(cx, self.force, self.reason.as_deref())?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        let bearer = Bearer { name: actor.clone(), named: true, force, ..Bearer::default() };
        cx.write(&actor, |tx| self.delete(tx, action, &bearer))
    }
}

impl Delete {
    fn action(&self) -> Result<Emptied, Refusal> {
        if self.move_to.is_some() && self.delete_chunks {
            return Err(usage(
                "--move-to and --delete-chunks exclude each other",
                "give one of them: chunks move with the tasks",
            ));
        }
        match (&self.move_to, self.archive_tasks, self.delete_tasks) {
            (None, false, false) => Ok(Emptied::None),
            (Some(_), false, false) => Ok(Emptied::Move),
            (None, true, false) => Ok(Emptied::Archive),
            (None, false, true) => Ok(Emptied::Delete),
            _ => Err(usage(
                "--move-to, --archive-tasks and --delete-tasks exclude each other",
                "give one of them",
            )),
        }
    }

    fn delete(
        &self,
        tx: &mut Transaction<'_>,
        action: Emptied,
        bearer: &Bearer,
    ) -> Result<Deleted, Error> {
        let project = tx.project_named(&self.name)?;
        let target = self.target(tx, &project)?;
        let moved_to = target.as_ref().map(|target| target.id);
        let tasks = tasks_of(tx, project.id)?;
        // Who holds a task that moves still holds it.
        let ends_claims = action != Emptied::Move && tasks.iter().any(|task| task.held().is_some());
        let forced = bearer.force.clone().filter(|_| ends_claims);
        let deleted = project.delete(action, moved_to, forced)?;
        if ends_claims && bearer.force.is_none() {
            refuse_held(&project, &tasks)?;
        }
        let chunks = chunks_of(tx, project.id)?;
        let left = match action {
            Emptied::Move | Emptied::Delete => without_specs(&chunks, &tasks),
            Emptied::None | Emptied::Archive => chunks.clone(),
        };
        if action != Emptied::Move && !self.delete_chunks {
            project.refuse_chunks_left(left.len() as u64)?;
        }
        let choice = self.border.choice(tx)?;
        let set: BTreeSet<TaskId> = tasks.iter().map(|task| task.id).collect();
        let because = format!("project {} was deleted", project.name);
        let going = Going { set: &set, to: moved_to, because };
        let edges = border::settle(tx, &going, choice)?;
        empty(tx, &going, action, bearer, &edges)?;
        match moved_to {
            Some(to) => relocate_all(tx, &left, to, &bearer.name)?,
            None => delete_all(tx, &left, &going.because, &bearer.name)?,
        }
        let emptied = tx.project(project.id)?;
        tx.record_project(&emptied, [deleted])?;
        Ok(Deleted {
            name: project.name,
            task_count: project.counts.all(),
            archived_task_count: project.counts.archived,
            chunk_count: chunks.len() as u64,
            action: if tasks.is_empty() { Emptied::None } else { action },
            moved_to: target.map(|target| target.name),
            edges,
        })
    }

    fn target(
        &self,
        tx: &mut Transaction<'_>,
        project: &Project,
    ) -> Result<Option<Project>, Error> {
        let Some(name) = &self.move_to else { return Ok(None) };
        let target = named_or_inbox(tx, name)?;
        if target.id == project.id {
            return Err(Refusal::new(
                Code::InvalidValue,
                format!("the tasks of project '{name}' cannot go where they are"),
            )
            .hint("name another project")
            .detail("field", "move_to")
            .detail("given", name)
            .into());
        }
        Ok(Some(target))
    }
}

/// Every task of a project, archived ones too.
pub(crate) fn tasks_of(
    snapshot: &mut Snapshot<'_>,
    project: ProjectId,
) -> Result<Vec<Task>, Error> {
    let filter = ListFilter {
        project: Some(project),
        archived: true,
        limit: u64::from(u32::MAX),
        ..ListFilter::default()
    };
    Ok(snapshot.list(&filter)?)
}

fn refuse_held(project: &Project, tasks: &[Task]) -> Result<(), Refusal> {
    let held: Vec<(&Task, &str)> =
        tasks.iter().filter_map(|task| Some((task, task.held()?.agent))).collect();
    if held.is_empty() {
        return Ok(());
    }
    let holders: BTreeSet<&str> = held.iter().map(|(_, agent)| *agent).collect();
    let named: Vec<&str> = holders.into_iter().take(LISTED).collect();
    let listed: Vec<serde_json::Value> = held
        .iter()
        .take(LISTED)
        .map(|(task, agent)| serde_json::json!({ "task_id": task.id, "agent": agent }))
        .collect();
    Err(Refusal::new(
        Code::TasksHeld,
        format!(
            "{} of project '{}' {} held, by {}",
            counted(held.len() as u64, "task"),
            project.name,
            if held.len() == 1 { "is" } else { "are" },
            named.join(", ")
        ),
    )
    .hint("let them finish, or override: --force --reason 'why the holders do not matter'")
    .detail("project", &project.name)
    .detail("held", listed)
    .detail("held_count", held.len()))
}

/// Does with every task of the project what was asked for.
fn empty(
    tx: &mut Transaction<'_>,
    going: &Going<'_>,
    action: Emptied,
    bearer: &Bearer,
    edges: &[TouchedEdge],
) -> Result<(), Error> {
    let (set, because) = (going.set, going.because.as_str());
    let mut kept = border::kept(edges);
    for id in set {
        let Some(task) = tx.task(*id)? else { continue };
        match (action, going.to) {
            (Emptied::Move, Some(project)) => {
                let moved = TaskMoved { project, from: Some(task.project) };
                tx.record_task(&task, [moved.into()])?;
            }
            (Emptied::Archive, _) if !task.status.is_settled() => {
                detach_children(tx, &task, set, |child| !child.status.is_settled())?;
                let archived = transition::archive(&task, bearer)?;
                tx.record_task(&task, [archived])?;
            }
            (Emptied::Delete, _) => {
                detach_children(tx, &task, set, |_| true)?;
                let spec: Vec<Chunk> = tx.spec_of_task(*id)?.into_iter().collect();
                delete_all(tx, &spec, because, &bearer.name)?;
                let grant = authorise(&task, bearer)?;
                let kept = kept.remove(id).unwrap_or_default();
                let event = TaskDeleted {
                    project: Some(task.project),
                    kept,
                    authority: grant.authority,
                    forced: grant.forced,
                };
                tx.delete(&task, event)?;
            }
            (Emptied::None | Emptied::Move | Emptied::Archive, _) => {}
        }
    }
    Ok(())
}

/// Subtasks in other projects become tasks of their own.
fn detach_children(
    tx: &mut Transaction<'_>,
    parent: &Task,
    set: &BTreeSet<TaskId>,
    is_detached: impl Fn(&Task) -> bool,
) -> Result<(), Error> {
    for child in tx.children(parent.id)? {
        if !set.contains(&child.id) && is_detached(&child) {
            let detached = TaskUpdated { parent: Some(Change::Cleared), ..TaskUpdated::default() };
            tx.record_task(&child, [detached.into()])?;
        }
    }
    Ok(())
}

impl Output for Deleted {
    fn sheet(&self, _now: Time) -> Sheet {
        let tasks = counted(self.task_count.unsigned_abs(), "task");
        let chunks = counted(self.chunk_count, "chunk");
        let of_tasks = match (self.action, &self.moved_to) {
            (Emptied::Move, Some(project)) => Some(format!("{tasks} moved to {project}")),
            (Emptied::Archive, _) => Some(format!("{tasks} archived or done, and still readable")),
            (Emptied::Delete, _) => Some(format!("{tasks} deleted")),
            (Emptied::None | Emptied::Move, _) => None,
        };
        let of_chunks = match (self.chunk_count, &self.moved_to) {
            (0, _) => None,
            (_, Some(project)) => Some(format!("{chunks} moved to {project}")),
            (_, None) => Some(format!("{chunks} deleted")),
        };
        let became: Vec<String> = of_tasks.into_iter().chain(of_chunks).collect();
        let became = match became.is_empty() {
            true => String::new(),
            false => format!(": {}", became.join("; ")),
        };
        border::told(Sheet::line(format!("project {} deleted{became}", self.name)), &self.edges)
    }
}
