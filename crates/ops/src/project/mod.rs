//! Operations on projects.

mod chunks;
mod delete;

use std::iter::Sum;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::event::ProjectCreated;
use windlass_domain::project::{Counts, INBOX, Project, inbox, protected};
use windlass_domain::{Code, Refusal, Status, Time, text};
use windlass_ledger::{Error, Transaction};

pub(crate) use delete::tasks_of;
pub use delete::{Delete, Deleted};

use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, counted, relative};

/// The project of that name; `inbox` is made when it is first needed.
pub(crate) fn named_or_inbox(tx: &mut Transaction<'_>, name: &str) -> Result<Project, Error> {
    if name == INBOX && tx.find_project(INBOX)?.is_none() {
        let id = tx.new_project_id()?;
        tx.create(id, inbox())?;
    }
    tx.project_named(name).map_err(|error| or_create(error, name))
}

/// Whoever puts something into a project may have meant to make it.
pub(crate) fn or_create(error: Error, name: &str) -> Error {
    match error {
        Error::Refused(refusal) if refusal.code == Code::ProjectNotFound => {
            refusal.hint(format!("create it: windlass project create {name}")).into()
        }
        other => other,
    }
}

/// A project.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ProjectView {
    pub name: String,
    pub description: Option<String>,
    pub repo: Option<String>,
    pub is_protected: bool,
    pub is_frozen: bool,
    pub frozen_reason: Option<String>,
    pub task_count: i64,
    pub active_task_count: i64,
    pub archived_task_count: i64,
    pub claimable_task_count: i64,
    #[schemars(with = "String")]
    pub created_at: Time,
}

impl From<&Project> for ProjectView {
    fn from(project: &Project) -> Self {
        let counts = &project.counts;
        Self {
            name: project.name.clone(),
            description: project.description.clone(),
            repo: project.repo.clone(),
            is_protected: project.protected,
            is_frozen: project.frozen,
            frozen_reason: project.frozen_reason.clone(),
            task_count: counts.all(),
            active_task_count: counts.all() - counts.archived,
            archived_task_count: counts.archived,
            claimable_task_count: counts.claimable,
            created_at: project.created_at,
        }
    }
}

impl Output for ProjectView {
    fn sheet(&self, _now: Time) -> Sheet {
        let state = match (&self.frozen_reason, self.is_frozen) {
            (Some(reason), true) => format!("frozen ({reason})"),
            (None, true) => "frozen".to_owned(),
            (_, false) => "open".to_owned(),
        };
        let tasks = match self.task_count {
            0 => "no tasks".to_owned(),
            count => counted(count.unsigned_abs(), "task"),
        };
        Sheet::line(format!("project {} is {state}, with {tasks}", self.name))
    }
}

/// Makes a project.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Create {
    /// Letters, digits, _ and -
    pub name: String,
    /// What it is for
    #[arg(short, long, value_name = "TEXT")]
    #[serde(default)]
    pub description: Option<String>,
    /// The git repository it is bound to
    #[arg(long, value_name = "PATH_OR_URL")]
    #[serde(default)]
    pub repo: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

impl Operation for Create {
    type Output = ProjectView;
    const NAME: &'static str = "project.create";
    const ABOUT: &'static str = "Make a project: a named queue of tasks";
    const EXAMPLE: &'static str = "windlass project create api --repo ~/src/api";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ProjectView, Error> {
        let created = ProjectCreated {
            name: text::project_name(&self.name)?,
            description: self
                .description
                .as_deref()
                .map(|d| text::long("description", d))
                .transpose()?,
            repo: self.repo.as_deref().map(text::repository).transpose()?,
            protected: false,
        };
        if created.name == INBOX {
            return Err(protected(INBOX).into());
        }
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            refuse_taken(tx, &created.name)?;
            let id = tx.new_project_id()?;
            tx.create(id, created.clone())?;
            Ok(ProjectView::from(&tx.project(id)?))
        })
    }
}

fn refuse_taken(tx: &mut Transaction<'_>, name: &str) -> Result<(), Error> {
    if tx.find_project(name)?.is_none() {
        return Ok(());
    }
    Err(Refusal::new(Code::ProjectExists, format!("there is a project '{name}' already"))
        .hint(format!("look at it: windlass project show {name}"))
        .detail("project", name)
        .into())
}

/// Lists the projects.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct List {}

/// The projects, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub projects: Vec<ProjectView>,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "project.list";
    const ABOUT: &'static str = "List the projects with the numbers of their tasks";
    const EXAMPLE: &'static str = "windlass project list";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        cx.read(|snapshot| {
            let projects = snapshot.projects()?;
            Ok(Listed { projects: projects.iter().map(ProjectView::from).collect() })
        })
    }
}

impl Output for Listed {
    fn sheet(&self, now: Time) -> Sheet {
        if self.projects.is_empty() {
            return Sheet::line("no projects yet; make one: windlass project create NAME");
        }
        let row = |project: &ProjectView| {
            let (state, claimable) = match project.is_frozen {
                true => (Cell::toned("frozen", Tone::Bad), Cell::dim("–")),
                false => (Cell::dim("open"), project.claimable_task_count.to_string().into()),
            };
            vec![
                project.name.clone().into(),
                state,
                project.active_task_count.to_string().into(),
                claimable,
                project.description.clone().unwrap_or_default().into(),
                Cell::dim(relative(project.created_at, now)),
            ]
        };
        Sheet::default().and_table(
            &["project", "state", "tasks", "claimable", "description…", "created"],
            self.projects.iter().map(row).collect(),
        )
    }
}

/// Shows one project.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Show {
    /// The project
    pub name: String,
}

/// A project with the numbers of its tasks by status.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    pub project: ProjectView,
    pub statuses: Statuses,
}

/// How many tasks are in each status.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statuses {
    pub backlog: i64,
    pub ready: i64,
    pub in_progress: i64,
    pub blocked: i64,
    pub done: i64,
    pub archived: i64,
}

impl From<&Counts> for Statuses {
    fn from(counts: &Counts) -> Self {
        Self {
            backlog: counts.backlog,
            ready: counts.ready,
            in_progress: counts.in_progress,
            blocked: counts.blocked,
            done: counts.done,
            archived: counts.archived,
        }
    }
}

impl Sum for Statuses {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            backlog: sum.backlog + one.backlog,
            ready: sum.ready + one.ready,
            in_progress: sum.in_progress + one.in_progress,
            blocked: sum.blocked + one.blocked,
            done: sum.done + one.done,
            archived: sum.archived + one.archived,
        })
    }
}

impl Statuses {
    /// A row a status.
    pub fn rows(&self) -> Vec<Vec<Cell>> {
        let counts = [
            (Status::Backlog, self.backlog),
            (Status::Ready, self.ready),
            (Status::InProgress, self.in_progress),
            (Status::Blocked, self.blocked),
            (Status::Done, self.done),
            (Status::Archived, self.archived),
        ];
        counts.map(|(status, count)| vec![status.into(), count.to_string().into()]).to_vec()
    }
}

impl Operation for Show {
    type Output = Shown;
    const NAME: &'static str = "project.show";
    const ABOUT: &'static str = "Show a project and how many tasks are in each status";
    const EXAMPLE: &'static str = "windlass project show api";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Shown, Error> {
        cx.read(|snapshot| {
            let project = snapshot.project_named(&self.name)?;
            let statuses = Statuses::from(&project.counts);
            Ok(Shown { project: ProjectView::from(&project), statuses })
        })
    }
}

impl Output for Shown {
    fn sheet(&self, now: Time) -> Sheet {
        let project = &self.project;
        self.project
            .sheet(now)
            .and_facts([
                ("description", project.description.clone().unwrap_or_default().into()),
                ("repo", project.repo.clone().unwrap_or_default().into()),
                ("created", project.created_at.to_string().into()),
            ])
            .and_table(&["status", "tasks"], self.statuses.rows())
    }
}

/// Gives a project another name.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Rename {
    /// The name it has
    pub old_name: String,
    /// The name it shall have: letters, digits, _ and -
    pub new_name: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

/// The old and the new name.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Renamed {
    pub old_name: String,
    pub new_name: String,
}

impl Operation for Rename {
    type Output = Renamed;
    const NAME: &'static str = "project.rename";
    const ABOUT: &'static str = "Give a project another name";
    const EXAMPLE: &'static str = "windlass project rename api backend";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Renamed, Error> {
        let new_name = text::project_name(&self.new_name)?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let project = tx.project_named(&self.old_name)?;
            if let Some(event) = project.rename(new_name.clone())? {
                refuse_taken(tx, &new_name)?;
                tx.record_project(&project, [event])?;
            }
            Ok(Renamed { old_name: self.old_name.clone(), new_name: new_name.clone() })
        })
    }
}

impl Output for Renamed {
    fn sheet(&self, _now: Time) -> Sheet {
        Sheet::line(format!("project {} is now {}", self.old_name, self.new_name))
    }
}

/// Stops giving out the work of a project.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Freeze {
    /// The project
    pub name: String,
    /// Shown to everybody who wants a task of it
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

impl Operation for Freeze {
    type Output = ProjectView;
    const NAME: &'static str = "project.freeze";
    const ABOUT: &'static str = "Stop giving out tasks of a project";
    const EXAMPLE: &'static str = "windlass project freeze api --reason 'release on Friday'";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ProjectView, Error> {
        let reason = self.reason.as_deref().map(text::reason).transpose()?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let project = tx.project_named(&self.name)?;
            let project = match project.freeze(reason.clone()) {
                Some(event) => tx.record_project(&project, [event])?,
                None => project,
            };
            Ok(ProjectView::from(&project))
        })
    }
}

/// Gives out the work of a frozen project again.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Unfreeze {
    /// The project
    pub name: String,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
}

impl Operation for Unfreeze {
    type Output = ProjectView;
    const NAME: &'static str = "project.unfreeze";
    const ABOUT: &'static str = "Give out tasks of a frozen project again";
    const EXAMPLE: &'static str = "windlass project unfreeze api";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<ProjectView, Error> {
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let project = tx.project_named(&self.name)?;
            let project = match project.unfreeze() {
                Some(event) => tx.record_project(&project, [event])?,
                None => project,
            };
            Ok(ProjectView::from(&project))
        })
    }
}
