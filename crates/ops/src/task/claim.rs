//! `task claim` and `task start`: how an agent gets a task.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::chain::Provenance;
use windlass_domain::claim::{Request, claim};
use windlass_domain::{Code, Refusal, Status, Task, TaskId, Time, text};
use windlass_ledger::{Error, QueueFilter, Transaction};

use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, relative};
use crate::table::AS_IN_HZL;
use crate::view::{Level, TaskView, usage};

/// How many other tasks a decision mentions.
const ALTERNATIVES: usize = 3;

/// Claims a task by id, or the best one of the queue.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The task to claim; or give --next
    #[serde(default)]
    pub task: Option<String>,
    /// The best task that can be claimed
    #[arg(long)]
    #[serde(default)]
    pub next: bool,
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only with all of these tags
    #[arg(short, long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only subtasks of this task
    #[arg(long, value_name = "TASK")]
    #[serde(default)]
    pub parent: Option<String>,
    /// Who will own it
    #[arg(long, value_name = "NAME", alias = "assignee")]
    #[serde(default)]
    pub agent: Option<String>,
    /// The same, where no --agent is given
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub author: Option<String>,
    /// The caller's role, for tasks that wait for one
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub role: Option<String>,
    /// How long the claim holds without renewal, such as 30m
    #[arg(short, long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub lease: Option<String>,
    /// How much of the task to show
    #[arg(long, value_enum, default_value_t = Level::Standard)]
    #[serde(default = "standard")]
    pub view: Level,
    #[command(flatten)]
    #[serde(skip)]
    pub sitting: Sitting,
    /// Changes nothing: claims need not be spread over time to be won once
    #[arg(long, help_heading = AS_IN_HZL)]
    #[serde(skip)]
    pub no_stagger: bool,
}

/// In which sitting of an agent a claim is made.
#[derive(Debug, Clone, Default, Args)]
pub struct Sitting {
    /// Recorded as the session of the claim; without another name, also who will own it
    #[arg(long, value_name = "ID", help_heading = AS_IN_HZL)]
    pub agent_id: Option<String>,
}

impl Sitting {
    /// Who claims: the agent that is named, else this sitting itself.
    fn provenance(&self, cx: &Context, named: Option<Name<'_>>) -> Result<Provenance, Refusal> {
        let session = self.agent_id.as_ref().or(cx.surroundings.wishes.session.as_ref());
        let session = session.map(|id| text::name("agent_id", id)).transpose()?;
        let actor = match (cx.identity(named)?, &session) {
            ((name, true), _) => name,
            ((_, false), Some(id)) => id.clone(),
            ((_, false), None) => cx.agent(None)?,
        };
        Ok(Provenance { actor, session, ..Provenance::default() })
    }
}

fn standard() -> Level {
    Level::Standard
}

/// The claimed task; everything but the trace is null when there was none to claim.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Claimed {
    #[schemars(with = "Option<String>")]
    pub task_id: Option<TaskId>,
    pub title: Option<String>,
    #[schemars(with = "Option<String>")]
    pub status: Option<Status>,
    pub agent: Option<String>,
    /// Show this number with everything done under the claim.
    pub fence: Option<u64>,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
    /// Who lost the task by this.
    pub taken_from: Option<String>,
    pub task: Option<TaskView>,
    pub decision_trace: Trace,
}

/// Why this task, or none.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    pub version: String,
    pub mode: String,
    pub filters: Filters,
    pub eligibility: Eligibility,
    pub outcome: Outcome,
    /// What would have come next, or what has to be done first.
    pub alternatives: Vec<Alternative>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Filters {
    /// The task as it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Eligibility {
    pub status_ready_required: bool,
    pub dependencies_done_required: bool,
    pub leaf_only_required: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    pub selected: bool,
    pub reason_code: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub task_id: Option<TaskId>,
    /// The caller's own claims that ran out: it may renew them, the queue does not give them back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub own_expired: Vec<TaskId>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Alternative {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub reason_code: String,
    pub reason: String,
}

impl Operation for Claim {
    type Output = Claimed;
    const NAME: &'static str = "task.claim";
    const ABOUT: &'static str = "Claim a task by id, or the best one with --next";
    const EXAMPLE: &'static str = "windlass task claim --next -P api --agent worker-1 --lease 30m";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Claimed, Error> {
        let named = Name::either(self.agent.as_ref(), self.author.as_ref());
        let by = self.sitting.provenance(cx, named)?;
        let lease = cx.lease(self.lease.as_deref())?;
        let role = self.role.as_deref().map(|role| text::name("role", role)).transpose()?;
        match (&self.task, self.next) {
            (Some(id), false) => {
                if self.project.is_some() || !self.tags.is_empty() || self.parent.is_some() {
                    return Err(usage(
                        "filters are for --next",
                        "name a task, or filter the queue with --next",
                    )
                    .into());
                }
                cx.write_as(&by, |tx| {
                    let request =
                        Request { agent: &by.actor, role: role.as_deref(), lease, now: tx.now() };
                    claim_one(tx, id, &request, self.view)
                })
            }
            (None, true) => {
                let filters = Filters {
                    task_id: None,
                    // Subtasks are in the project of their parent, whatever the default is.
                    project: self.project.clone().or_else(|| {
                        cx.default_project().filter(|_| self.parent.is_none()).map(str::to_owned)
                    }),
                    tags: text::tags(&self.tags)?,
                    parent: self.parent.clone(),
                    role: role.clone(),
                };
                cx.write_as(&by, |tx| {
                    let request =
                        Request { agent: &by.actor, role: role.as_deref(), lease, now: tx.now() };
                    claim_next(tx, &filters, &request, self.view)
                })
            }
            (Some(_), true) => {
                Err(usage("give a task or --next, not both", "windlass task claim --next").into())
            }
            (None, false) => {
                Err(usage("which task?", "windlass task claim --next, or name a task").into())
            }
        }
    }

    fn session(&self) -> Option<&str> {
        self.sitting.agent_id.as_deref()
    }
}

/// Claims the task of that id.
fn claim_one(
    tx: &mut Transaction<'_>,
    id: &str,
    request: &Request<'_>,
    view: Level,
) -> Result<Claimed, Error> {
    let filters = Filters { task_id: Some(id.to_owned()), ..Filters::default() };
    let trace = |outcome, alternatives| Trace::new("explicit", filters, outcome, alternatives);
    let task = match tx.task_named(id) {
        Err(Error::Refused(refusal)) if refusal.code == Code::TaskNotFound => {
            let trace = trace(Outcome::refused(&refusal, None), Vec::new());
            return Err(refusal.detail("decision_trace", trace).into());
        }
        found => found?,
    };
    match win(tx, &task, request) {
        Ok(won) => {
            let outcome = Outcome::claimed(&task, "the named task was claimed");
            Claimed::new(tx, &task, &won, view, trace(outcome, Vec::new()))
        }
        Err(Error::Refused(refusal)) => {
            let outcome = Outcome::refused(&refusal, Some(task.id));
            let first = match refusal.code {
                Code::DependenciesOpen => tx.obstacles(&task)?.dependencies,
                _ => Vec::new(),
            };
            let first = first.into_iter().take(ALTERNATIVES).map(Alternative::first).collect();
            Err(refusal.detail("decision_trace", trace(outcome, first)).into())
        }
        Err(fault) => Err(fault),
    }
}

/// Claims the first task of the queue.
pub(crate) fn claim_next(
    tx: &mut Transaction<'_>,
    filters: &Filters,
    request: &Request<'_>,
    view: Level,
) -> Result<Claimed, Error> {
    let filter = filters.of_queue(tx, request.agent)?;
    let candidates = match &filters.parent {
        Some(parent) => {
            let parent = tx.task_named(parent)?;
            tx.claimable_children(parent.id, &filter, ALTERNATIVES + 1)?
        }
        None => tx.claimable(&filter, ALTERNATIVES + 1)?,
    };
    let alternatives = candidates.iter().skip(1).map(Alternative::eligible).collect();
    let Some(task) = candidates.first() else {
        let own_expired = tx.own_expired(request.agent)?;
        let outcome = Outcome::nothing(own_expired);
        return Ok(Claimed::nothing(Trace::new("next", filters.clone(), outcome, alternatives)));
    };
    let won = win(tx, task, request)?;
    let outcome = Outcome::claimed(task, "the first task of the queue was claimed");
    Claimed::new(tx, task, &won, view, Trace::new("next", filters.clone(), outcome, alternatives))
}

impl Filters {
    /// What a caller may take from the queue.
    pub(crate) fn of_queue(
        &self,
        tx: &mut Transaction<'_>,
        agent: &str,
    ) -> Result<QueueFilter, Error> {
        let projects = match &self.project {
            Some(name) => vec![tx.project_named(name)?.id],
            None => tx.bound().to_vec(),
        };
        Ok(QueueFilter {
            projects,
            agent: agent.to_owned(),
            role: self.role.clone(),
            tags: self.tags.clone(),
        })
    }
}

/// Decides and records the claim.
pub(crate) fn win(
    tx: &mut Transaction<'_>,
    task: &Task,
    request: &Request<'_>,
) -> Result<Task, Error> {
    let project = tx.project(task.project)?;
    let obstacles = tx.obstacles(task)?;
    let events = claim(task, &project, &obstacles, request)?;
    tx.record_task(task, events)
}

/// The word a trace uses for a refusal.
fn reason_code(code: Code) -> &'static str {
    match code {
        Code::InvalidTransition | Code::AlreadyClaimed | Code::AlreadyHeld => "not_ready",
        Code::DependenciesOpen => "dependency_blocked",
        Code::ChildrenOpen => "has_children",
        Code::TaskNotFound => "not_found",
        _ => "claim_failed",
    }
}

impl Trace {
    fn new(
        mode: &'static str,
        filters: Filters,
        outcome: Outcome,
        alternatives: Vec<Alternative>,
    ) -> Self {
        Self {
            version: "v1".to_owned(),
            mode: mode.to_owned(),
            filters,
            eligibility: Eligibility {
                status_ready_required: true,
                dependencies_done_required: true,
                leaf_only_required: true,
            },
            outcome,
            alternatives,
        }
    }
}

impl Outcome {
    fn claimed(task: &Task, reason: &str) -> Self {
        Self {
            selected: true,
            reason_code: "claimed".to_owned(),
            reason: reason.to_owned(),
            task_id: Some(task.id),
            own_expired: Vec::new(),
        }
    }

    fn refused(refusal: &Refusal, task_id: Option<TaskId>) -> Self {
        Self {
            selected: false,
            reason_code: reason_code(refusal.code).to_owned(),
            reason: refusal.message.clone(),
            task_id,
            own_expired: Vec::new(),
        }
    }

    fn nothing(own_expired: Vec<TaskId>) -> Self {
        let reason = match own_expired.is_empty() {
            true => "no task can be claimed; windlass why says what they wait for",
            false => "no other task can be claimed; what you hold ran out and can be renewed",
        };
        Self {
            selected: false,
            reason_code: "no_candidates".to_owned(),
            reason: reason.to_owned(),
            task_id: None,
            own_expired,
        }
    }

    /// Why nothing was claimed, and what the caller can go on with.
    pub(crate) fn sheet(&self) -> Sheet {
        self.own_expired.iter().fold(Sheet::line(self.reason.clone()), |sheet, id| {
            sheet.and_line(Cell::dim(format!("    windlass task renew {}", id.short())))
        })
    }
}

impl Alternative {
    fn first(task_id: TaskId) -> Self {
        Self {
            task_id,
            reason_code: "dependency_blocked".to_owned(),
            reason: "it has to be done first".to_owned(),
        }
    }

    fn eligible(task: &Task) -> Self {
        Self {
            task_id: task.id,
            reason_code: "eligible".to_owned(),
            reason: "it comes later in the queue".to_owned(),
        }
    }
}

impl Claimed {
    fn new(
        tx: &mut Transaction<'_>,
        before: &Task,
        won: &Task,
        view: Level,
        trace: Trace,
    ) -> Result<Self, Error> {
        Ok(Self {
            task_id: Some(won.id),
            title: Some(won.title.clone()),
            status: Some(won.status),
            agent: won.agent.clone(),
            fence: Some(won.fence),
            lease_until: won.lease_until,
            taken_from: before.held().map(|held| held.agent.to_owned()),
            task: Some(TaskView::load(tx, won, view)?),
            decision_trace: trace,
        })
    }

    fn nothing(trace: Trace) -> Self {
        Self {
            task_id: None,
            title: None,
            status: None,
            agent: None,
            fence: None,
            lease_until: None,
            taken_from: None,
            task: None,
            decision_trace: trace,
        }
    }
}

impl Output for Claimed {
    fn sheet(&self, now: Time) -> Sheet {
        let (Some(id), Some(title)) = (self.task_id, &self.title) else {
            return self.decision_trace.outcome.sheet();
        };
        let lease = match self.lease_until {
            Some(until) => format!(", lease runs out {}", relative(until, now)),
            None => String::new(),
        };
        let from = self
            .taken_from
            .as_ref()
            .map(|from| format!(", taken over from {from}"))
            .unwrap_or_default();
        let agent = self.agent.as_deref().unwrap_or_default();
        let fence = self.fence.unwrap_or_default();
        let id = id.short();
        Sheet::line(format!("{id} claimed by {agent} under fence {fence}{from}{lease}: {title}"))
    }
}

/// Claims a task by id.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// Who will own it
    #[arg(long, value_name = "NAME", alias = "assignee")]
    #[serde(default)]
    pub agent: Option<String>,
    /// How long the claim holds without renewal, such as 30m
    #[arg(short, long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub lease: Option<String>,
    #[command(flatten)]
    #[serde(skip)]
    pub sitting: Sitting,
}

impl Operation for Start {
    type Output = Claimed;
    const NAME: &'static str = "task.start";
    const ABOUT: &'static str = "Claim a task by id";
    const EXAMPLE: &'static str = "windlass task start 8F3K2Q --agent worker-1";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Claimed, Error> {
        let by = self.sitting.provenance(cx, Name::agent(self.agent.as_ref()))?;
        let lease = cx.lease(self.lease.as_deref())?;
        cx.write_as(&by, |tx| {
            let request = Request { agent: &by.actor, role: None, lease, now: tx.now() };
            claim_one(tx, &self.task, &request, Level::Standard)
        })
    }

    fn session(&self) -> Option<&str> {
        self.sitting.agent_id.as_deref()
    }
}
