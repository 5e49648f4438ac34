//! `task add`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::claim::{Request, set_in_progress};
use windlass_domain::completion::Obstacles;
use windlass_domain::duration::Span;
use windlass_domain::event::TaskCreated;
use windlass_domain::ownership::{Bearer, Grant};
use windlass_domain::progress::progress;
use windlass_domain::project::{INBOX, Project};
use windlass_domain::transition::refuse_archived;
use windlass_domain::{Code, Refusal, Status, Task, TaskId, Time, dependency, text};
use windlass_ledger::{Error, Transaction};

use crate::caller::forced;
use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::project::named_or_inbox;
use crate::sheet::{Cell, Sheet, counted};
use crate::task::add_many::add_many;
use crate::task::comment;
use crate::view::{JsonObject, Level, TaskView, task_ids, usage};

/// Makes a task, or many.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Add {
    /// One line, at most 128 characters; or give --from or --tasks
    #[serde(default)]
    pub title: Option<String>,
    /// Many tasks of a file, all or none: a JSON object or a title a line; - is the standard input
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub from: Option<String>,
    /// The same, given here instead of in a file
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub tasks: Option<String>,
    /// Its queue; inbox by default
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// What there is to say beyond the title
    #[arg(short, long, value_name = "TEXT")]
    #[serde(default)]
    pub description: Option<String>,
    /// The status it begins in, such as ready
    #[arg(short, long, value_name = "STATUS", default_value = "backlog")]
    #[serde(default = "backlog")]
    pub status: String,
    /// From 0 to 3, 3 is the highest
    #[arg(short, long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    #[serde(default)]
    pub priority: i64,
    /// Words to find and claim it by
    #[arg(short, long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Addresses or paths that belong to it
    #[arg(short, long, value_name = "LINK,…", value_delimiter = ',')]
    #[serde(default)]
    pub links: Vec<String>,
    /// The tasks it waits for
    #[arg(long, value_name = "TASK,…", value_delimiter = ',')]
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// The task it is a part of; the project is then that task's
    #[arg(long, value_name = "TASK")]
    #[serde(default)]
    pub parent: Option<String>,
    /// Whom it is routed to; if it begins in progress, who holds it
    #[arg(long, value_name = "NAME", alias = "assignee")]
    #[serde(default)]
    pub agent: Option<String>,
    /// When it should be done: 2026-11-15 or 2026-11-15T09:30:00Z
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub due: Option<String>,
    /// A JSON object
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub metadata: Option<JsonObject>,
    /// How long it may be silent before it counts as stale, such as 30m; 0 is never
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub stale_after: Option<String>,
    /// How far the work has come, from 0 to 100
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub progress: Option<i64>,
    /// A first comment
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
    /// Make it done although it waits for something; needs --reason
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Why the rules are overridden
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub reason: Option<String>,
}

fn backlog() -> String {
    Status::Backlog.as_str().to_owned()
}

/// The new task, or the new tasks of a file.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Added {
    One(Box<TaskView>),
    Many(AddedMany),
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AddedMany {
    pub tasks: Vec<AddedOne>,
    pub count: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AddedOne {
    /// The name it had in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(flatten)]
    pub task: TaskView,
}

impl Operation for Add {
    type Output = Added;
    const NAME: &'static str = "task.add";
    const ABOUT: &'static str = "Make a task";
    const EXAMPLE: &'static str = "windlass task add 'fix the login page' -P api -s ready -p 2";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Added, Error> {
        match (&self.title, &self.from, &self.tasks) {
            (Some(_), None, None) => self.add_one(cx),
            (None, Some(file), None) => {
                let text = cx.local_text(file)?;
                Ok(Added::Many(add_many(self, &text, cx)?))
            }
            (None, None, Some(text)) => Ok(Added::Many(add_many(self, text, cx)?)),
            (Some(_), Some(_), _) => {
                Err(usage("give a title or --from, not both", "titles are in the file").into())
            }
            (Some(_), None, Some(_)) => {
                Err(usage("give a title or --tasks, not both", "titles are in the text").into())
            }
            (None, Some(_), Some(_)) => {
                Err(usage("give --from or --tasks, not both", "one of them is enough").into())
            }
            (None, None, None) => {
                Err(usage("missing <TITLE>", "windlass task add 'what to do'").into())
            }
        }
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        match (&self.title, &self.from, &self.tasks) {
            (None, Some(file), None) => {
                let tasks = Some(cx.local_text(file)?);
                Ok(Some(Self { from: None, tasks, ..self.clone() }))
            }
            // The rest is done, or refused, without looking into any file.
            _ => Ok(None),
        }
    }
}

/// The arguments, checked before the ledger is touched.
pub(super) struct Wanted {
    title: String,
    project: String,
    status: Status,
    description: Option<String>,
    tags: Vec<String>,
    links: Vec<String>,
    priority: u8,
    due_at: Option<Time>,
    metadata: serde_json::Map<String, serde_json::Value>,
    stale_after_minutes: Option<u32>,
    progress: Option<u8>,
    agent: Option<String>,
    forced: Option<String>,
    lease: Option<Span>,
}

impl Add {
    fn add_one(&self, cx: &mut Context) -> Result<Added, Error> {
        let wanted = self.checked(cx)?;
        let (actor, _) = cx.identity(Name::author(self.author.as_ref()))?;
        cx.write(&actor, |tx| {
            let task = self.create(tx, &wanted, &actor)?;
            Ok(Added::One(Box::new(TaskView::load(tx, &task, Level::Full)?)))
        })
    }

    pub(super) fn checked(&self, cx: &Context) -> Result<Wanted, Refusal> {
        let status = Status::parse(&self.status)?;
        if status == Status::Archived {
            return Err(Refusal::new(Code::InvalidValue, "a task cannot begin archived")
                .hint("leave --status out, or give --status ready")
                .detail("field", "status")
                .detail("given", status));
        }
        text::few("depends_on", &self.depends_on)?;
        let agent = match (status, &self.agent) {
            (Status::InProgress, given) => cx
                .identity(Name::either(given.as_ref(), self.author.as_ref()))
                .map(|(name, named)| named.then_some(name))?,
            (_, Some(name)) => Some(text::name("agent", name)?),
            (_, None) => None,
        };
        if status == Status::InProgress && agent.is_none() {
            let message = "a task begins in progress only with an agent that holds it";
            return Err(Refusal::new(Code::AgentRequired, message)
                .hint("give --agent NAME or set WINDLASS_AGENT"));
        }
        let project = self.project.as_deref().or(cx.default_project()).unwrap_or(INBOX);
        Ok(Wanted {
            title: text::title(self.title.as_deref().unwrap_or_default())?,
            project: text::project_name(project)?,
            status,
            description: self
                .description
                .as_deref()
                .map(|given| text::long("description", given))
                .transpose()?
                .filter(|given| !given.is_empty()),
            tags: text::tags(&self.tags)?,
            links: text::links(&self.links)?,
            priority: text::priority(self.priority)?,
            due_at: self.due.as_deref().map(|due| Time::parse("due", due)).transpose()?,
            metadata: self
                .metadata
                .as_ref()
                .map(|object| text::metadata(&object.0))
                .transpose()?
                .unwrap_or_default(),
            stale_after_minutes: self.stale_after.as_deref().map(stale_after).transpose()?,
            progress: self.begins_at(status)?,
            agent,
            forced: forced(cx, self.force, self.reason.as_deref())?,
            lease: cx.lease(None)?,
        })
    }

    /// A task that begins as done is at 100 and needs no word about it.
    fn begins_at(&self, status: Status) -> Result<Option<u8>, Refusal> {
        match (self.progress.map(text::progress).transpose()?, status) {
            (Some(100), Status::Done) => Ok(None),
            (Some(percent), Status::Done) => Err(Refusal::new(
                Code::InvalidValue,
                format!("a task that begins done is at 100, not {percent}"),
            )
            .hint("leave --progress out, or give another --status")
            .detail("field", "progress")
            .detail("given", percent)),
            (given, _) => Ok(given),
        }
    }

    pub(super) fn create(
        &self,
        tx: &mut Transaction<'_>,
        wanted: &Wanted,
        actor: &str,
    ) -> Result<Task, Error> {
        let parent = self.parent.as_deref().map(|id| tx.task_named(id)).transpose()?;
        let project = match &parent {
            Some(parent) => {
                refuse_as_parent(parent)?;
                let project = tx.project(parent.project)?;
                project.refuse_if_deleted(parent.id)?;
                project
            }
            None => named_or_inbox(tx, &wanted.project)?,
        };
        let depends_on = task_ids(tx, &self.depends_on)?;
        let id = tx.new_task_id()?;
        if let Some(parent) = &parent {
            refuse_circle_through_parent(tx, id, parent.id, &depends_on)?;
        }
        let created = Self::event(wanted, &project, parent.map(|parent| parent.id), &depends_on);
        let created = TaskCreated { forced: forced_done(tx, id, &created, wanted)?, ..created };
        tx.create(id, created)?;
        let mut task =
            tx.task(id)?.ok_or_else(|| windlass_ledger::Fault::bug("a new task is missing"))?;
        if let Some(percent) = wanted.progress {
            let by = Bearer { name: actor.to_owned(), ..Bearer::default() };
            task = tx.record_task(&task, [progress(&task, &by, percent)?])?;
        }
        if let (Status::InProgress, Some(agent)) = (wanted.status, &wanted.agent) {
            let request = Request { agent, role: None, lease: wanted.lease, now: tx.now() };
            let claimed = set_in_progress(&task, &request, wanted.forced.as_deref());
            task = tx.record_task(&task, [claimed])?;
        }
        if let Some(comment) = comment(self.comment.as_deref())? {
            task = tx.record_task(&task, [comment])?;
        }
        Ok(task)
    }

    fn event(
        wanted: &Wanted,
        project: &Project,
        parent: Option<TaskId>,
        depends_on: &[TaskId],
    ) -> TaskCreated {
        let held = wanted.status == Status::InProgress;
        TaskCreated {
            project: project.id,
            title: wanted.title.clone(),
            status: if held { Status::Ready } else { wanted.status },
            parent,
            description: wanted.description.clone(),
            links: wanted.links.clone(),
            tags: wanted.tags.clone(),
            priority: wanted.priority,
            due_at: wanted.due_at,
            metadata: wanted.metadata.clone(),
            stale_after_minutes: wanted.stale_after_minutes,
            agent: wanted.agent.clone().filter(|_| !held),
            depends_on: depends_on.to_vec(),
            stage: None,
            forced: None,
        }
    }
}

/// A task that begins as done obeys the rules of every way to done.
fn forced_done(
    tx: &mut Transaction<'_>,
    id: TaskId,
    created: &TaskCreated,
    wanted: &Wanted,
) -> Result<Option<String>, Error> {
    if wanted.status != Status::Done {
        return Ok(None);
    }
    let mut obstacles = Obstacles::default();
    for on in &created.depends_on {
        if tx.task(*on)?.is_some_and(|task| !task.status.is_settled()) {
            obstacles.dependencies.push(*on);
        }
    }
    let task = Task::created(id, created, 0, tx.now());
    let grant = obstacles.refuse_done(&task, wanted.forced.as_deref(), Grant::default())?;
    Ok(grant.forced)
}

/// A subtask is one level below a task that is not archived.
pub(crate) fn refuse_as_parent(parent: &Task) -> Result<(), Refusal> {
    refuse_archived(parent, "a new subtask")?;
    if parent.parent.is_none() {
        return Ok(());
    }
    Err(Refusal::new(
        Code::SubtaskDepth,
        format!("task {} is a subtask itself, and subtasks go one level deep", parent.id),
    )
    .hint("make it a subtask of the parent, or use --depends-on")
    .detail("task_id", parent.id)
    .detail("parent_id", parent.parent))
}

/// The parent will wait for this task, so nothing this task waits for may wait for the parent.
pub(super) fn refuse_circle_through_parent(
    tx: &mut Transaction<'_>,
    id: TaskId,
    parent: TaskId,
    depends_on: &[TaskId],
) -> Result<(), Error> {
    for on in depends_on {
        if let Some(mut way) = tx.waiting_path(*on, parent)? {
            way.push(id);
            return Err(dependency::cycle(id, *on, &way).into());
        }
    }
    Ok(())
}

/// Minutes of silence after which a task counts as stale.
pub(super) fn stale_after(given: &str) -> Result<u32, Refusal> {
    let span = Span::parse_or_zero("stale_after", given)?;
    Ok(u32::try_from(span.as_minutes()).unwrap_or(u32::MAX))
}

impl Output for Added {
    fn sheet(&self, _now: Time) -> Sheet {
        let line = |task: &TaskView| {
            let id = task.task_id.short();
            format!("{id} added to {} as {}: {}", task.project, task.status, task.title)
        };
        match self {
            Self::One(task) => Sheet::line(line(task)),
            Self::Many(many) => many
                .tasks
                .iter()
                .fold(Sheet::default(), |sheet, one| sheet.and_line(line(&one.task)))
                .and_line(Cell::dim(counted(many.count, "task"))),
        }
    }
}
