//! `why`: why a task, or nothing at all, is being worked on.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::project::Project;
use windlass_domain::why::{Reason, reasons};
use windlass_domain::{Event, ProjectId, Status, Task, TaskId, Time, text};
use windlass_ledger::{Error, Fault, QueueFilter, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, in_short};

/// Says why a task is not being worked on; without one, why nothing is given out.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// A task; without one, the whole queue
    #[serde(default)]
    pub task: Option<String>,
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Who would claim
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
}

/// The answer for a task, or for the queue.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// The task that was asked about.
    #[schemars(with = "Option<String>")]
    pub task_id: Option<TaskId>,
    pub title: Option<String>,
    #[schemars(with = "Option<String>")]
    pub status: Option<Status>,
    /// It, or something, could be claimed now.
    pub claimable: bool,
    /// The task that a claim by this caller would get now.
    #[schemars(with = "Option<String>")]
    pub next: Option<TaskId>,
    pub reasons: Vec<ReasonView>,
    /// The projects the answer is about.
    pub projects: Vec<ProjectState>,
}

/// One reason.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ReasonView {
    pub code: String,
    pub message: String,
    /// The command that would change it.
    pub next: Option<String>,
    /// How many tasks it concerns.
    pub count: i64,
    #[schemars(with = "Vec<String>")]
    pub tasks: Vec<TaskId>,
}

/// What a project has to give.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ProjectState {
    pub project: String,
    pub is_frozen: bool,
    pub claimable: i64,
    /// Ready, but behind open dependencies or subtasks.
    pub waiting: i64,
    pub in_progress: i64,
    pub blocked: i64,
    pub backlog: i64,
}

impl From<Reason> for ReasonView {
    fn from(reason: Reason) -> Self {
        Self {
            code: reason.code.to_owned(),
            message: reason.message,
            next: reason.next,
            count: 1,
            tasks: reason.tasks,
        }
    }
}

impl From<&Project> for ProjectState {
    fn from(project: &Project) -> Self {
        let counts = &project.counts;
        Self {
            project: project.name.clone(),
            is_frozen: project.frozen,
            claimable: counts.claimable,
            waiting: counts.ready - counts.claimable,
            in_progress: counts.in_progress,
            blocked: counts.blocked,
            backlog: counts.backlog,
        }
    }
}

impl Operation for Why {
    type Output = Explained;
    const NAME: &'static str = "why";
    const ABOUT: &'static str = "Say why a task is not being worked on, or why nothing is";
    const EXAMPLE: &'static str = "windlass why 8F3K2Q";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Explained, Error> {
        // To ask for somebody else is not to act as somebody else.
        let agent = match &self.agent {
            Some(name) => Some(text::name("agent", name)?),
            None => Some(cx.identity(None)?).filter(|(_, named)| *named).map(|(name, _)| name),
        };
        let bound = cx.bound().to_vec();
        cx.read(|snapshot| {
            if let Some(id) = &self.task {
                let task = snapshot.task_named(id)?;
                return Ok(about_task(snapshot, &task)?);
            }
            let projects = match &self.project {
                Some(name) => vec![snapshot.project_named(name)?],
                None => snapshot.projects()?,
            };
            let from = match &self.project {
                Some(_) => projects.iter().map(|project| project.id).collect(),
                None => bound.clone(),
            };
            Ok(about_queue(snapshot, &projects, from, agent.as_deref())?)
        })
    }
}

fn about_task(snapshot: &mut Snapshot<'_>, task: &Task) -> Result<Explained, Fault> {
    let project = snapshot.project(task.project)?;
    let obstacles = snapshot.obstacles(task)?;
    let blocked_for = match task.status {
        Status::Blocked => last_block_reason(snapshot, task)?,
        _ => None,
    };
    let reasons = reasons(task, &project, &obstacles, blocked_for.as_deref(), snapshot.now());
    Ok(Explained {
        task_id: Some(task.id),
        title: Some(task.title.clone()),
        status: Some(task.status),
        claimable: task.is_claimable() && !project.frozen,
        next: None,
        reasons: reasons.into_iter().map(ReasonView::from).collect(),
        projects: Vec::new(),
    })
}

/// Why somebody blocked a task, as far as they said.
pub(crate) fn last_block_reason(
    snapshot: &mut Snapshot<'_>,
    task: &Task,
) -> Result<Option<String>, Fault> {
    for note in snapshot.notes(task.id)?.iter().rev() {
        if let Some(Event::TaskBlocked(data)) = note.event()?
            && data.reason.is_some()
        {
            return Ok(data.reason);
        }
    }
    Ok(None)
}

fn about_queue(
    snapshot: &mut Snapshot<'_>,
    projects: &[Project],
    from: Vec<ProjectId>,
    agent: Option<&str>,
) -> Result<Explained, Fault> {
    let filter = QueueFilter {
        projects: from,
        agent: agent.unwrap_or_default().to_owned(),
        role: None,
        tags: Vec::new(),
    };
    let next = snapshot.claimable(&filter, 1)?.first().map(|task| task.id);
    let states: Vec<ProjectState> = projects.iter().map(ProjectState::from).collect();
    let mut reasons = Vec::new();
    let mut because = |code: &str, count: i64, message: String, next: &str| {
        if count > 0 {
            let next = Some(next.to_owned()).filter(|next| !next.is_empty());
            reasons.push(ReasonView {
                code: code.to_owned(),
                message,
                next,
                count,
                tasks: Vec::new(),
            });
        }
    };
    let open = |state: &&ProjectState| !state.is_frozen;
    let sum = |pick: fn(&ProjectState) -> i64| states.iter().map(pick).sum::<i64>();
    let given_out: i64 = states.iter().filter(open).map(|state| state.claimable).sum();
    let frozen: i64 =
        states.iter().filter(|state| state.is_frozen).map(|state| state.claimable).sum();
    if next.is_none() {
        let who = agent.unwrap_or("nobody in particular");
        because(
            "routed",
            given_out,
            format!("{given_out} claimable, but routed to others or for a role, not for {who}"),
            "windlass task list --available",
        );
    }
    because(
        "project_frozen",
        frozen,
        format!("{frozen} claimable in frozen projects"),
        "windlass project unfreeze NAME",
    );
    let waiting = sum(|state| state.waiting);
    because(
        "waiting",
        waiting,
        format!("{waiting} ready, but behind open dependencies or subtasks"),
        "windlass task list -s ready",
    );
    let held = sum(|state| state.in_progress);
    because("held", held, format!("{held} in progress"), "windlass task list -s in_progress");
    let blocked = sum(|state| state.blocked);
    because("blocked", blocked, format!("{blocked} blocked"), "windlass task list -s blocked");
    let backlog = sum(|state| state.backlog);
    because(
        "backlog",
        backlog,
        format!("{backlog} in the backlog, not ready"),
        "windlass task set-status TASK ready",
    );
    if reasons.is_empty() && next.is_none() {
        let message = "there are no open tasks".to_owned();
        let next = Some("windlass task add TITLE -s ready".to_owned());
        reasons.push(ReasonView {
            code: "empty".to_owned(),
            message,
            next,
            count: 0,
            tasks: Vec::new(),
        });
    }
    Ok(Explained {
        task_id: None,
        title: None,
        status: None,
        claimable: next.is_some(),
        next,
        reasons,
        projects: states,
    })
}

impl Output for Explained {
    fn sheet(&self, _now: Time) -> Sheet {
        let first = match (self.task_id, self.next) {
            (Some(id), _) if self.claimable && self.reasons.is_empty() => {
                let id = id.short();
                format!("{id} waits only for an agent: windlass task claim {id}")
            }
            (Some(id), _) => {
                format!("{}: {}", id.short(), self.title.as_deref().unwrap_or_default())
            }
            (None, Some(next)) => format!("{} would be given out next", next.short()),
            (None, None) => "nothing can be given out".to_owned(),
        };
        let mut sheet = Sheet::line(Cell::toned(first, Tone::Strong));
        for reason in &self.reasons {
            sheet = sheet.and_line(format!("· {}", reason.message));
            let tasks: Vec<String> = reason.tasks.iter().map(|id| id.short()).collect();
            if !tasks.is_empty() {
                sheet = sheet.and_line(Cell::dim(format!("    {}", tasks.join(", "))));
            }
            if let Some(next) = &reason.next {
                sheet = sheet.and_line(Cell::dim(format!("    {}", in_short(next))));
            }
        }
        sheet
    }
}
