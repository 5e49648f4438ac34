//! `task move`.

use std::collections::BTreeSet;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::event::TaskMoved;
use windlass_domain::project::Project;
use windlass_domain::{ProjectId, Refusal, Task, TaskId, Time};
use windlass_ledger::{Error, Fault, Snapshot, Transaction};

use crate::border::{self, AtBorder, Going, TouchedEdge};
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::project::{or_create, tasks_of};
use crate::sheet::{Sheet, counted};
use crate::view::{ProjectNames, usage};

/// Moves tasks and their subtasks to another project.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The tasks, each by its id or at least 4 characters of its beginning or end, and last the
    /// project they go to
    #[arg(value_name = "TASK… PROJECT", num_args = 0..)]
    #[serde(default)]
    pub tasks: Vec<String>,
    /// The project they go to, where it is not the last word
    #[arg(long = "to", value_name = "PROJECT")]
    #[serde(default)]
    pub project: Option<String>,
    /// All tasks of this project
    #[arg(long, value_name = "PROJECT")]
    #[serde(default)]
    pub all_from: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub border: AtBorder,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// Where one task went, or many.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Moved {
    One(MovedTask),
    Many(MovedTasks),
}

/// Where it went.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct MovedTask {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub from_project: String,
    pub to_project: String,
    /// How many subtasks went along.
    pub subtask_count: u64,
    /// Dependencies between these tasks and others, when it was said what becomes of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<TouchedEdge>,
}

/// Where they went.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct MovedTasks {
    pub to_project: String,
    /// The tasks that were named, or all of the project; their subtasks are counted with them.
    pub tasks: Vec<MovedTask>,
    /// How many tasks and subtasks changed their project.
    pub count: u64,
    /// Dependencies between these tasks and others, and what was done with them.
    pub edges: Vec<TouchedEdge>,
}

impl Operation for Move {
    type Output = Moved;
    const NAME: &'static str = "task.move";
    const ABOUT: &'static str = "Move tasks and their subtasks to another project";
    const EXAMPLE: &'static str = "windlass task move 8F3K2Q web";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Moved, Error> {
        let (named, project) = self.words()?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let to = tx.project_named(project).map_err(|error| or_create(error, project))?;
            let roots = self.roots(tx, named)?;
            let (set, mut tasks) = families(tx, &roots, &to)?;
            let choice = self.border.choice(tx)?;
            // One task has always been free to go: what it waits for stays in sight.
            let is_one = self.all_from.is_none() && roots.len() == 1;
            let because = format!("moved to project {}", to.name);
            let going = Going { set: &set, to: Some(to.id), because };
            let edges = match is_one && choice.is_none() {
                true => Vec::new(),
                false => border::settle(tx, &going, choice)?,
            };
            for id in &set {
                move_one(tx, *id, to.id)?;
            }
            if is_one && let Some(task) = tasks.pop() {
                return Ok(Moved::One(MovedTask { edges, ..task }));
            }
            let (to_project, count) = (to.name, set.len() as u64);
            Ok(Moved::Many(MovedTasks { to_project, tasks, count, edges }))
        })
    }
}

impl Move {
    /// The words that name tasks, and the one that names the project.
    fn words(&self) -> Result<(&[String], &str), Refusal> {
        let (tasks, project) = match (&self.project, self.tasks.split_last()) {
            (Some(project), _) => (self.tasks.as_slice(), project),
            (None, Some((project, tasks))) => (tasks, project),
            (None, None) => return Err(usage("move where?", "name the project last")),
        };
        match (tasks.is_empty(), &self.all_from) {
            (true, None) => Err(usage(
                "which tasks?",
                "name them before the project: windlass task move TASK PROJECT",
            )),
            (false, Some(_)) => {
                Err(usage("give tasks or --all-from, not both", "leave one of them out"))
            }
            (true, Some(_)) | (false, None) => Ok((tasks, project)),
        }
    }

    /// The tasks that were asked for, each once.
    fn roots(&self, snapshot: &mut Snapshot<'_>, named: &[String]) -> Result<Vec<Task>, Error> {
        if let Some(name) = &self.all_from {
            let project = snapshot.project_named(name)?;
            return tasks_of(snapshot, project.id);
        }
        let mut roots: Vec<Task> = Vec::with_capacity(named.len());
        for text in named {
            let task = snapshot.task_named(text)?;
            if roots.iter().all(|known| known.id != task.id) {
                roots.push(task);
            }
        }
        Ok(roots)
    }
}

/// All that has to move, subtasks included, and what is told of it. A subtask that was named
/// itself, or that comes with its parent, is told once.
fn families(
    snapshot: &mut Snapshot<'_>,
    roots: &[Task],
    to: &Project,
) -> Result<(BTreeSet<TaskId>, Vec<MovedTask>), Fault> {
    let asked_for: BTreeSet<TaskId> = roots.iter().map(|task| task.id).collect();
    let mut names = ProjectNames::default();
    let (mut set, mut told) = (BTreeSet::new(), Vec::new());
    for task in roots {
        let mut subtask_count = 0;
        for child in snapshot.children(task.id)? {
            if child.project != to.id && set.insert(child.id) {
                subtask_count += 1;
            }
        }
        if task.project != to.id {
            set.insert(task.id);
        }
        if task.parent.is_some_and(|parent| asked_for.contains(&parent)) {
            continue;
        }
        told.push(MovedTask {
            task_id: task.id,
            title: task.title.clone(),
            from_project: names.of(snapshot, task.project)?,
            to_project: to.name.clone(),
            subtask_count,
            edges: Vec::new(),
        });
    }
    Ok((set, told))
}

fn move_one(tx: &mut Transaction<'_>, id: TaskId, project: ProjectId) -> Result<(), Error> {
    let task = tx.task(id)?.ok_or_else(|| Fault::bug("a task that moves is not here"))?;
    let moved = TaskMoved { project, from: Some(task.project) };
    tx.record_task(&task, [moved.into()]).map(drop)
}

impl MovedTask {
    fn line(&self) -> String {
        let id = self.task_id.short();
        if self.from_project == self.to_project {
            return format!("{id} is in {}: {}", self.to_project, self.title);
        }
        let along = match self.subtask_count {
            0 => String::new(),
            count => format!(" with {}", counted(count, "subtask")),
        };
        format!("{id} {} → {}{along}: {}", self.from_project, self.to_project, self.title)
    }
}

impl Output for Moved {
    fn sheet(&self, _now: Time) -> Sheet {
        match self {
            Self::One(task) => border::told(Sheet::line(task.line()), &task.edges),
            Self::Many(moved) => {
                let lines = moved.tasks.iter().map(MovedTask::line);
                let sheet = lines.fold(Sheet::default(), Sheet::and_line);
                let tasks = counted(moved.count, "task");
                let sheet = sheet.and_line(format!("{tasks} moved to {}", moved.to_project));
                border::told(sheet, &moved.edges)
            }
        }
    }
}
