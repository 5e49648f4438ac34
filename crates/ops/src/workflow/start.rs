//! `workflow run start`: one command with which an agent begins its session.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::claim::Request;
use windlass_domain::duration::Span;
use windlass_domain::event::WorkflowRan;
use windlass_domain::workflow::resume::{InHand, Policy, in_order, resume};
use windlass_domain::{Code, Event, Refusal, Task, TaskId, Time, text};
use windlass_ledger::{Error, Fault, Transaction};

use crate::context::{Context, Name};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, counted, relative};
use crate::table::AS_IN_HZL;
use crate::task::{Filters, Trace, claim_next};
use crate::view::{Level, TaskView, usage};

/// Others that are told of when nobody says how many.
const OTHERS: &str = "5";

/// Goes on with a task of the agent, or claims the next one.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// Who begins; needed unless the environment or the settings tell
    #[arg(long, value_name = "NAME", alias = "assignee")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Of any project, even where the settings name one
    #[arg(long)]
    #[serde(default)]
    pub any_project: bool,
    /// Only with all of these tags
    #[arg(short, long, value_name = "TAG,…", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// How long the claim holds from now without renewal, such as 30m
    #[arg(short, long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub lease: Option<String>,
    /// Which of several tasks in progress to go on with
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = ResumePolicy::Priority)]
    #[serde(default)]
    pub resume_policy: ResumePolicy,
    #[command(flatten)]
    #[serde(flatten)]
    pub others: Others,
    /// Tell of at most this many others; or all
    #[arg(long, value_name = "N", default_value = OTHERS, allow_hyphen_values = true)]
    #[serde(default = "others_limit")]
    pub others_limit: String,
    /// Refused here: the same start rightly gives different results
    #[arg(long)]
    #[serde(default)]
    pub auto_op_id: bool,
}

fn others_limit() -> String {
    OTHERS.to_owned()
}

/// By what a task to go on with is chosen.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum ResumePolicy {
    /// The one claimed first
    First,
    /// The one claimed last
    Latest,
    /// The most urgent, then the one due first, then the one claimed first
    #[default]
    Priority,
}

impl From<ResumePolicy> for Policy {
    fn from(policy: ResumePolicy) -> Self {
        match policy {
            ResumePolicy::First => Self::First,
            ResumePolicy::Latest => Self::Latest,
            ResumePolicy::Priority => Self::Priority,
        }
    }
}

/// Whether the others are told of. One field that two flags set.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Others {
    /// Tell of the agent's other tasks in progress.
    pub include_others: bool,
}

impl Default for Others {
    fn default() -> Self {
        Self { include_others: true }
    }
}

impl FromArgMatches for Others {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let on = matches.get_one::<bool>("include_others").copied().unwrap_or(true);
        Ok(Self { include_others: on && !matches.get_flag("no_include_others") })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Others {
    fn augment_args(command: Command) -> Command {
        let on = Arg::new("include_others")
            .long("include-others")
            .help("Tell of the agent's other tasks in progress")
            .value_name("BOOL")
            .value_parser(clap::value_parser!(bool))
            .num_args(0..=1)
            .default_value("true")
            .default_missing_value("true")
            .overrides_with("no_include_others");
        let off = Arg::new("no_include_others")
            .long("no-include-others")
            .help("The same as --include-others=false")
            .action(ArgAction::SetTrue)
            .overrides_with("include_others")
            .help_heading(AS_IN_HZL);
        command.arg(on).arg(off)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// With which task the agent begins.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    pub workflow: String,
    pub mode: Mode,
    /// Null when there is nothing to do. Its `fence` is to be shown with everything done to it.
    pub selected: Option<TaskView>,
    pub filters: Filters,
    /// What the agent has in progress now, the selected task included.
    pub in_progress_count: u64,
    /// The agent's other tasks in progress, as many as were asked for.
    pub others: Vec<Other>,
    pub others_total: u64,
    /// Why the queue gave this task, or none; null when a task is resumed.
    pub decision_trace: Option<Trace>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A task that was in progress.
    Resume,
    /// A task that was claimed now.
    ClaimNext,
    None,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Other {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
}

impl Operation for Start {
    type Output = Started;
    const NAME: &'static str = "workflow.run.start";
    const ABOUT: &'static str = "Go on with a task of an agent, or claim the next one";
    const EXAMPLE: &'static str = "windlass workflow run start --agent worker-1 --lease 30m";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Started, Error> {
        let beginning = self.checked(cx)?;
        cx.write(&beginning.agent, |tx| beginning.start(tx))
    }
}

/// The arguments, checked before the ledger is touched.
struct Beginning {
    agent: String,
    filters: Filters,
    lease: Option<Span>,
    policy: Policy,
    others: usize,
}

impl Start {
    fn checked(&self, cx: &Context) -> Result<Beginning, Refusal> {
        if self.auto_op_id {
            return Err(no_auto_op_id());
        }
        if self.any_project && self.project.is_some() {
            let hint = "give one of them";
            return Err(usage("--project and --any-project exclude each other", hint));
        }
        let (agent, is_named) = cx.identity(Name::agent(self.agent.as_ref()))?;
        if !is_named {
            return Err(usage("missing --agent <NAME>", "say who begins, or set WINDLASS_AGENT"));
        }
        let default = cx.default_project().filter(|_| !self.any_project).map(str::to_owned);
        let others = most_others(&self.others_limit)?;
        Ok(Beginning {
            agent,
            filters: Filters {
                project: self.project.clone().or(default),
                tags: text::tags(&self.tags)?,
                ..Filters::default()
            },
            lease: cx.lease(self.lease.as_deref())?,
            policy: self.resume_policy.into(),
            others: if self.others.include_others { others } else { 0 },
        })
    }
}

fn no_auto_op_id() -> Refusal {
    Refusal::new(
        Code::InvalidValue,
        "workflow run start does not support --auto-op-id: polling with the same input rightly \
         gives different results",
    )
    .hint("give --op-id KEY when you repeat one and the same start")
    .detail("field", "auto_op_id")
}

fn most_others(given: &str) -> Result<usize, Refusal> {
    if given == "all" {
        return Ok(usize::MAX);
    }
    given.parse().map_err(|_| {
        Refusal::new(Code::InvalidValue, format!("others_limit '{given}' is not a number or all"))
            .hint("give --others-limit 5 or --others-limit all")
            .detail("field", "others_limit")
            .detail("given", given)
    })
}

impl Beginning {
    fn start(&self, tx: &mut Transaction<'_>) -> Result<Started, Error> {
        tx.correlate()?;
        let filter = self.filters.of_queue(tx, &self.agent)?;
        let in_hand = in_order(self.policy, tx.in_hand(&filter)?);
        match in_hand.split_first() {
            Some((first, others)) => self.resume(tx, *first, others),
            None => self.claim(tx),
        }
    }

    fn resume(
        &self,
        tx: &mut Transaction<'_>,
        first: InHand,
        others: &[InHand],
    ) -> Result<Started, Error> {
        let task = tx.task_created_at(first.created_seq)?;
        let renewed = resume(&task, &self.agent, self.lease, tx.now())?;
        // Agents poll with this: a start that changes nothing leaves nothing.
        let task = match renewed {
            Some(renewed) => tx.record_task(&task, [renewed, ran()])?,
            None => task,
        };
        let mut told = Vec::new();
        for other in others.iter().take(self.others) {
            let Task { id, title, .. } = tx.task_created_at(other.created_seq)?;
            told.push(Other { task_id: id, title });
        }
        Ok(Started {
            selected: Some(TaskView::load(tx, &task, Level::Standard)?),
            in_progress_count: others.len() as u64 + 1,
            others: told,
            others_total: others.len() as u64,
            ..self.nothing(Mode::Resume)
        })
    }

    fn claim(&self, tx: &mut Transaction<'_>) -> Result<Started, Error> {
        let (agent, lease, now) = (self.agent.as_str(), self.lease, tx.now());
        let request = Request { agent, role: None, lease, now };
        let claimed = claim_next(tx, &self.filters, &request, Level::Standard)?;
        let decision_trace = Some(claimed.decision_trace);
        let Some(id) = claimed.task_id else {
            return Ok(Started { decision_trace, ..self.nothing(Mode::None) });
        };
        let missing = || Fault::bug("a task that was claimed is missing");
        let task = tx.task(id)?.ok_or_else(missing)?;
        tx.record_task(&task, [ran()])?;
        Ok(Started {
            selected: claimed.task,
            in_progress_count: 1,
            decision_trace,
            ..self.nothing(Mode::ClaimNext)
        })
    }

    fn nothing(&self, mode: Mode) -> Started {
        Started {
            workflow: "start".to_owned(),
            mode,
            selected: None,
            filters: self.filters.clone(),
            in_progress_count: 0,
            others: Vec::new(),
            others_total: 0,
            decision_trace: None,
        }
    }
}

fn ran() -> Event {
    WorkflowRan { workflow: "start".to_owned(), made: None }.into()
}

impl Output for Started {
    fn sheet(&self, now: Time) -> Sheet {
        let Some(task) = &self.selected else {
            return match &self.decision_trace {
                Some(trace) => trace.outcome.sheet(),
                None => Sheet::line("nothing to do"),
            };
        };
        let how = if self.mode == Mode::Resume { "resumed" } else { "claimed" };
        let lease = match task.standard.as_ref().and_then(|standard| standard.lease_until) {
            Some(until) if until <= now => format!(", lease ran out {}", relative(until, now)),
            Some(until) => format!(", lease runs out {}", relative(until, now)),
            None => String::new(),
        };
        let TaskView { task_id, title, fence, agent, .. } = task;
        let (id, agent) = (task_id.short(), agent.as_deref().unwrap_or_default());
        let sheet =
            Sheet::line(format!("{id} {how} by {agent} under fence {fence}{lease}: {title}"));
        if self.others_total == 0 {
            return sheet;
        }
        let more = self.others_total.saturating_sub(self.others.len() as u64);
        let sheet = sheet.and_line(format!("{} in progress", counted(self.others_total, "other")));
        let sheet = self.others.iter().fold(sheet, |sheet, other| {
            sheet.and_line(Cell::dim(format!("    {} {}", other.task_id.short(), other.title)))
        });
        match more {
            0 => sheet,
            _ if self.others.is_empty() => sheet,
            more => sheet.and_line(Cell::dim(format!("    and {more} more"))),
        }
    }
}
