//! What a run waits for a person for, and the commands that answer it: the one place that says so.

use std::fmt::Display;

use serde::Serialize;

use super::budget::Measured;
use super::check;
use super::file::Amount;
use super::name::command;
use super::state::{Action, Run, StepState, position};
use super::word::{ActionKind, ActionStatus, EffectStatus, Gates, Metric, RunStatus};
use crate::Time;

/// One answer that a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    #[serde(flatten)]
    pub on: Awaited,
    pub since: Time,
    /// When the answer is overdue; nothing where it is waited for without an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    /// That it is overdue is on record.
    #[serde(skip)]
    pub noticed: bool,
}

/// What is to be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "waits_for", rename_all = "snake_case")]
pub enum Awaited {
    /// A step is done: may the run go on?
    Gate { step: u32 },
    /// A check of a step that only a person decides.
    Review { step: u32, check: usize, question: String },
    /// An action that can do harm: may it be done?
    Action { action: String, kind: ActionKind, target: String },
    /// An action was begun, and nobody is sure what came of it.
    Effect { action: String, target: String },
    /// A budget is used up: may the run use more?
    Budget { budget: Metric, used: Option<Amount>, limit: Option<Amount> },
}

impl Waiting {
    /// Since when the answer is overdue.
    pub fn overdue_since(&self, now: Time) -> Option<Time> {
        self.due_at.filter(|due| *due <= now)
    }

    /// It is the same wait as another one.
    pub fn is_that(&self, other: &Self) -> bool {
        self.is_for(&other.on.subject(), other.since)
    }

    /// It waits for the answer about that subject since then.
    pub fn is_for(&self, subject: &str, since: Time) -> bool {
        self.since == since && self.on.subject() == subject
    }
}

impl Awaited {
    /// gate, review, action, effect or budget.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Gate { .. } => "gate",
            Self::Review { .. } => "review",
            Self::Action { .. } => "action",
            Self::Effect { .. } => "effect",
            Self::Budget { .. } => "budget",
        }
    }

    /// What tells it apart from everything else that the run waits for.
    pub fn subject(&self) -> String {
        let which = match self {
            Self::Gate { step } => step.to_string(),
            Self::Review { step, check, .. } => format!("{step}.{check}"),
            Self::Action { action, .. } | Self::Effect { action, .. } => action.clone(),
            Self::Budget { budget, .. } => budget.to_string(),
        };
        format!("{}:{which}", self.as_str())
    }

    /// How people call it.
    pub fn title(&self) -> String {
        match self {
            Self::Gate { step } => format!("gate of step {step}"),
            Self::Review { step, .. } => format!("review of step {step}"),
            Self::Action { action, .. } => action.clone(),
            Self::Effect { action, .. } => format!("outcome of {action}"),
            Self::Budget { budget, .. } => format!("budget {budget}"),
        }
    }

    /// The step that is looked at, with its check where it is one.
    pub const fn place(&self) -> Option<(u32, Option<usize>)> {
        match self {
            Self::Gate { step } => Some((*step, None)),
            Self::Review { step, check, .. } => Some((*step, Some(*check))),
            Self::Action { .. } | Self::Effect { .. } | Self::Budget { .. } => None,
        }
    }

    pub fn step(&self) -> Option<u32> {
        self.place().map(|(step, _)| step)
    }

    /// The action that is to be decided, or told the outcome of.
    pub fn action(&self) -> Option<&str> {
        match self {
            Self::Action { action, .. } | Self::Effect { action, .. } => Some(action),
            Self::Gate { .. } | Self::Review { .. } | Self::Budget { .. } => None,
        }
    }

    /// The budget that is used up.
    pub const fn budget(&self) -> Option<Metric> {
        match self {
            Self::Budget { budget, .. } => Some(*budget),
            Self::Gate { .. } | Self::Review { .. } | Self::Action { .. } | Self::Effect { .. } => {
                None
            }
        }
    }

    /// What the person is asked.
    pub fn question(&self, run: &Run) -> String {
        match self {
            Self::Gate { step } => {
                let name = run.step(*step).map(|step| step.name.as_str()).unwrap_or_default();
                format!("step {step} is done: {name}. May the run go on?")
            }
            Self::Review { question, .. } => check::asked(question).to_owned(),
            Self::Action { kind, target, .. } => {
                format!("may this be done ({}): {target}", kind.as_str().replace('_', " "))
            }
            Self::Effect { target, .. } => format!("what came of it: {target}"),
            Self::Budget { used, limit, .. } => {
                let amount = |amount: &Option<Amount>| {
                    amount.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string)
                };
                format!("{} of {} used. May the run use more?", amount(used), amount(limit))
            }
        }
    }

    /// The commands that answer it, one for each answer.
    pub fn ways(&self, run: &Run) -> Vec<String> {
        let words = match self {
            Self::Gate { step } | Self::Review { step, .. } => {
                vec![format!("gate {step} approved"), format!("gate {step} rejected --reason TEXT")]
            }
            Self::Action { action, .. } => vec![
                format!("action decide {action} approved"),
                format!("action decide {action} rejected --reason TEXT"),
            ],
            Self::Effect { action, .. } => ["succeeded", "failed", "cancelled"]
                .map(|outcome| format!("action reconcile {action} {outcome} --evidence-ref TEXT"))
                .into(),
            Self::Budget { budget, .. } => {
                vec![format!("budget raise {budget} LIMIT --reason TEXT")]
            }
        };
        words.iter().map(|words| run.command(words)).collect()
    }
}

impl Run {
    /// A command about this run.
    pub fn command(&self, words: impl Display) -> String {
        command(self.name.as_str(), words)
    }

    /// What it waits for a person for: checks that only a person decides and, where gates are
    /// enforced, gates; actions that can do harm, or of which nobody knows what came; budgets that
    /// are used up.
    pub fn waiting(&self) -> Vec<Waiting> {
        if self.is_settled() {
            return Vec::new();
        }
        let steps = self.steps.iter().enumerate();
        let steps = steps.filter_map(|(at, step)| self.waiting_step(position(at), step));
        let actions = self.actions.iter().filter_map(waiting_action);
        steps.chain(actions).chain(self.waiting_budgets()).collect()
    }

    /// Nothing is waited for any more: it is over, or it is said what became of the work.
    fn is_settled(&self) -> bool {
        let finalized = self.finalized.map(|finalized| finalized.status);
        let is_over = [self.held, finalized].into_iter().flatten().any(RunStatus::is_over);
        is_over || self.finish.is_some()
    }

    fn waiting_step(&self, number: u32, step: &StepState) -> Option<Waiting> {
        let (on, since) = match step.waiting_check() {
            Some(block) => {
                let check = block.check.unwrap_or(step.results.len());
                let question = block.reason.clone();
                (Awaited::Review { step: number, check, question }, block.at)
            }
            None if self.gates == Gates::Enforced && self.gate_is_open(step) => {
                let since = step.reopened_at.or(step.completed_at).or(step.started_at);
                (Awaited::Gate { step: number }, since.unwrap_or(self.started_at))
            }
            None => return None,
        };
        let due_at = self.gate_timeout.map(|timeout| since.plus(timeout));
        Some(Waiting { on, since, due_at, noticed: step.overdue_since.is_some() })
    }

    fn waiting_budgets(&self) -> impl Iterator<Item = Waiting> {
        let since = self.exceeded_at.unwrap_or(self.updated_at);
        let used_up = |measured: &Measured| self.exceeded.contains(&measured.metric);
        self.measured(0, 0).into_iter().filter(used_up).map(move |measured| {
            let Measured { metric: budget, observed: used, limit, .. } = measured;
            Waiting::endless(Awaited::Budget { budget, used, limit }, since)
        })
    }

    /// When somebody should look whether an answer is overdue.
    pub fn answer_due(&self) -> Option<Time> {
        let new = self.waiting().into_iter().filter(|waiting| !waiting.noticed);
        new.filter_map(|waiting| waiting.due_at).min()
    }
}

impl Waiting {
    const fn endless(on: Awaited, since: Time) -> Self {
        Self { on, since, due_at: None, noticed: false }
    }
}

fn waiting_action(action: &Action) -> Option<Waiting> {
    let Action { id, kind, target, requested_at, .. } = action;
    let (id, target) = (id.clone(), target.clone());
    if action.status == ActionStatus::Pending {
        let on = Awaited::Action { action: id, kind: *kind, target };
        return Some(Waiting::endless(on, *requested_at));
    }
    let effect = action.effect.as_ref()?;
    let since = effect.completed_at.unwrap_or(*requested_at);
    (effect.status == EffectStatus::Uncertain)
        .then(|| Waiting::endless(Awaited::Effect { action: id, target }, since))
}
