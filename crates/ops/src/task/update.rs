//! `task update`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::event::{Change, TaskMoved, TaskUpdated};
use windlass_domain::progress::progress;
use windlass_domain::transition::refuse_archived;
use windlass_domain::{Code, Event, ProjectId, Refusal, Task, TaskId, Time, dependency, text};
use windlass_ledger::{Details, Error, Transaction};

use super::add::{refuse_as_parent, stale_after};
use crate::caller::By;
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::Sheet;
use crate::table::AS_IN_HZL;
use crate::view::{JsonObject, Level, TaskView, usage};

/// Changes the fields of a task that are given; an empty value clears one.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Update {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// One line, at most 128 characters
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub title: Option<String>,
    /// What there is to say beyond the title; '' for nothing
    #[arg(short, long, visible_alias = "desc", value_name = "TEXT")]
    #[serde(default)]
    pub description: Option<String>,
    /// From 0 to 3, 3 is the highest
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub priority: Option<i64>,
    /// All tags it shall have; '' for none
    #[arg(short, long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// All links it shall have; '' for none
    #[arg(short, long, value_name = "LINK,…", value_delimiter = ',')]
    #[serde(default)]
    pub links: Option<Vec<String>>,
    /// The task it is a part of, to whose project it moves; '' for none
    #[arg(long, value_name = "TASK")]
    #[serde(default)]
    pub parent: Option<String>,
    /// Whom it is routed to while nobody holds it; '' for nobody
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// When it should be done; '' for no date
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    pub due: Option<String>,
    /// The JSON object it shall have
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub metadata: Option<JsonObject>,
    /// How long it may be silent before it counts as stale; 0 is never, '' the default
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub stale_after: Option<String>,
    /// How far the work has come, from 0 to 100
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub progress: Option<i64>,
    /// Only if it is still of this version, as task show has it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub if_version: Option<u64>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
    /// The same as --stale-after ''
    #[arg(long, conflicts_with = "stale_after", help_heading = AS_IN_HZL)]
    #[serde(skip)]
    pub clear_stale_after: bool,
}

/// The task as it is now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Updated {
    #[serde(flatten)]
    pub task: TaskView,
    /// The fields that changed.
    pub changed: Vec<String>,
}

impl Operation for Update {
    type Output = Updated;
    const NAME: &'static str = "task.update";
    const ABOUT: &'static str = "Change the fields of a task";
    const EXAMPLE: &'static str = "windlass task update 8F3K2Q --priority 3 --tags api,urgent";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Updated, Error> {
        let wanted = self.checked()?;
        if wanted == TaskUpdated::default() && self.parent.is_none() && self.progress.is_none() {
            return Err(
                usage("nothing to change was given", "give a field, such as --priority 2").into()
            );
        }
        self.record(cx)
    }

    fn for_a_server(&self, _cx: &mut Context) -> Result<Option<Self>, Error> {
        let stale_after = self.clear_stale_after.then(String::new);
        Ok(stale_after.map(|none| Self { stale_after: Some(none), ..self.clone() }))
    }
}

impl Update {
    /// An update that changes nothing yet.
    pub(super) fn of(task: TaskId) -> Self {
        Self {
            task: task.to_string(),
            title: None,
            description: None,
            priority: None,
            tags: None,
            links: None,
            parent: None,
            agent: None,
            due: None,
            metadata: None,
            stale_after: None,
            progress: None,
            if_version: None,
            author: None,
            clear_stale_after: false,
        }
    }

    fn record(&self, cx: &mut Context) -> Result<Updated, Error> {
        let wanted = self.checked()?;
        let percent = self.progress.map(text::progress).transpose()?;
        let caller = By { author: self.author.clone(), ..By::default() }.caller(cx)?;
        cx.write(caller.name(), |tx| {
            let task = tx.task_named(&self.task)?;
            self.refuse_other_version(&task)?;
            refuse_archived(&task, "an update")?;
            if wanted.agent.is_some() && task.held().is_some() {
                return Err(held_cannot_be_routed(&task).into());
            }
            let details = tx.details(&task)?;
            let parent = self.new_parent(tx, &task)?;
            let project = home_of(&task, parent.as_ref());
            let parent = parent.map(|parent| match parent {
                Change::To(parent) => Change::To(parent.id),
                Change::Cleared => Change::Cleared,
            });
            let changes = only_changes(TaskUpdated { parent, ..wanted.clone() }, &task, &details);
            let mut fields = names(&changes)?;
            let mut events: Vec<Event> = Vec::new();
            if !fields.is_empty() {
                events.push(changes.into());
            }
            if let Some(project) = project {
                events.push(TaskMoved { project, from: Some(task.project) }.into());
                fields.push("project".to_owned());
            }
            // Progress is a word of whoever works on the task, the other fields are anybody's.
            if let Some(percent) = percent.filter(|percent| task.progress != Some(*percent)) {
                events.push(progress(&task, &caller.bearer(&task), percent)?);
                fields.push("progress".to_owned());
            }
            let task = match events.is_empty() {
                true => task,
                false => tx.record_task(&task, events)?,
            };
            Ok(Updated { task: TaskView::load(tx, &task, Level::Full)?, changed: fields })
        })
    }

    fn refuse_other_version(&self, task: &Task) -> Result<(), Refusal> {
        match self.if_version {
            Some(version) if version != task.version => Err(Refusal::new(
                Code::EditConflict,
                format!("task {} is of version {}, not {version}", task.id, task.version),
            )
            .hint(format!("see what changed: windlass task history {}", task.id))
            .detail("task_id", task.id)
            .detail("version", task.version)
            .detail("given", version)),
            _ => Ok(()),
        }
    }

    fn checked(&self) -> Result<TaskUpdated, Refusal> {
        let list = |given: &Option<Vec<String>>| -> Option<Vec<String>> {
            // An empty value means none, so that a list can be cleared.
            given.clone().map(|items| if items == [""] { Vec::new() } else { items })
        };
        Ok(TaskUpdated {
            title: self.title.as_deref().map(text::title).transpose()?,
            description: self
                .description
                .as_deref()
                .map(|given| text::long("description", given))
                .transpose()?,
            links: list(&self.links).map(|links| text::links(&links)).transpose()?,
            tags: list(&self.tags).map(|tags| text::tags(&tags)).transpose()?,
            priority: self.priority.map(text::priority).transpose()?,
            metadata: self.metadata.as_ref().map(|object| text::metadata(&object.0)).transpose()?,
            due_at: change(self.due.as_deref(), |due| Time::parse("due", due))?,
            stale_after_minutes: change(
                self.stale_after.as_deref().or(self.clear_stale_after.then_some("")),
                stale_after,
            )?,
            parent: None,
            agent: change(self.agent.as_deref(), |agent| text::name("agent", agent))?,
        })
    }

    fn new_parent(
        &self,
        tx: &mut Transaction<'_>,
        task: &Task,
    ) -> Result<Option<Change<Task>>, Error> {
        let Some(given) = &self.parent else {
            return Ok(None);
        };
        if given.is_empty() {
            return Ok(Some(Change::Cleared));
        }
        let parent = tx.task_named(given)?;
        refuse_as_parent(&parent)?;
        tx.project(parent.project)?.refuse_if_deleted(parent.id)?;
        if !tx.children(task.id)?.is_empty() {
            return Err(Refusal::new(
                Code::SubtaskDepth,
                format!("task {} has subtasks, and subtasks go one level deep", task.id),
            )
            .hint("detach its subtasks first")
            .detail("task_id", task.id)
            .into());
        }
        // The parent will wait for this task.
        if let Some(way) = tx.waiting_path(task.id, parent.id)? {
            return Err(dependency::cycle(parent.id, task.id, &way).into());
        }
        Ok(Some(Change::To(parent)))
    }
}

/// The project that a task moves to because its new parent is there.
fn home_of(task: &Task, parent: Option<&Change<Task>>) -> Option<ProjectId> {
    match parent {
        Some(Change::To(parent)) => Some(parent.project).filter(|home| *home != task.project),
        Some(Change::Cleared) | None => None,
    }
}

fn change<T>(
    given: Option<&str>,
    read: impl Fn(&str) -> Result<T, Refusal>,
) -> Result<Option<Change<T>>, Refusal> {
    match given {
        None => Ok(None),
        Some("") => Ok(Some(Change::Cleared)),
        Some(text) => read(text).map(|value| Some(Change::To(value))),
    }
}

fn held_cannot_be_routed(task: &Task) -> Refusal {
    let holder = task.held().map(|held| held.agent.to_owned()).unwrap_or_default();
    Refusal::new(
        Code::AlreadyClaimed,
        format!("task {} is held by {holder} and cannot be routed to another", task.id),
    )
    .hint(format!("take it over: windlass task steal {} --force --agent NAME", task.id))
    .detail("task_id", task.id)
    .detail("holder", holder)
}

/// Leaves out what is so already.
fn only_changes(wanted: TaskUpdated, task: &Task, details: &Details) -> TaskUpdated {
    let differs = |change: &Change<String>, now: &Option<String>| change.value() != *now;
    TaskUpdated {
        title: wanted.title.filter(|title| *title != task.title),
        description: wanted
            .description
            .filter(|text| text.as_str() != details.description.as_deref().unwrap_or_default()),
        links: wanted.links.filter(|links| *links != details.links),
        tags: wanted.tags.filter(|tags| *tags != task.tags),
        priority: wanted.priority.filter(|priority| *priority != task.priority),
        metadata: wanted.metadata.filter(|metadata| *metadata != details.metadata),
        due_at: wanted.due_at.filter(|due| due.value() != task.due_at),
        stale_after_minutes: wanted
            .stale_after_minutes
            .filter(|minutes| minutes.value() != task.stale_after_minutes),
        parent: wanted.parent.filter(|parent| parent.value() != task.parent),
        agent: wanted.agent.filter(|agent| differs(agent, &task.agent)),
    }
}

/// The names of the fields that are set.
fn names(changes: &TaskUpdated) -> Result<Vec<String>, Error> {
    let data = Event::from(changes.clone()).encode().map_err(windlass_ledger::Fault::from)?;
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&data)
        .map_err(|source| windlass_ledger::Fault::bug("an event is no object").because(source))?;
    Ok(fields.keys().cloned().collect())
}

impl Output for Updated {
    fn sheet(&self, _now: Time) -> Sheet {
        let id = self.task.task_id.short();
        match self.changed.is_empty() {
            true => Sheet::line(format!("{id} is unchanged: {}", self.task.title)),
            false => Sheet::line(format!(
                "{id} changed {}: {}",
                self.changed.join(", "),
                self.task.title
            )),
        }
    }
}
