//! `hook list`: the hooks in force, and what became of what they set off.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::hook::State;
use windlass_ledger::{Defined, Error, Shown, Tracked};

use super::view::{DeliveryView, HookView, OutboxCounts, Unknown};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::limit;

/// Lists the hooks, and deliveries of one state.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct List {
    /// Which deliveries
    #[arg(long, value_name = "STATE", default_value = "failed")]
    #[serde(default = "failed")]
    pub state: Which,
    /// Only deliveries that tell of this task
    #[arg(long, value_name = "TASK")]
    #[serde(default)]
    pub task: Option<String>,
    /// How many deliveries at most, newest first
    #[arg(short, long, value_name = "NUMBER", default_value_t = 20, allow_negative_numbers = true)]
    #[serde(default = "twenty")]
    pub limit: u64,
}

/// Deliveries of a state.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    Queued,
    Processing,
    Delivered,
    Failed,
    Discarded,
    All,
}

/// More deliveries than any task has: each status it takes sends one for each hook.
const MOST_OF_A_TASK: u64 = 10_000;

impl Which {
    fn is_of(self, delivery: &DeliveryView) -> bool {
        let state = match self {
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Discarded => "discarded",
            Self::All => return true,
        };
        delivery.state == state
    }

    fn of(self, counts: &OutboxCounts) -> u64 {
        let OutboxCounts { queued, processing, delivered, failed, discarded } = *counts;
        match self {
            Self::Queued => queued,
            Self::Processing => processing,
            Self::Delivered => delivered,
            Self::Failed => failed,
            Self::Discarded => discarded,
            Self::All => queued + processing + delivered + failed + discarded,
        }
    }
}

fn failed() -> Which {
    Which::Failed
}

fn twenty() -> u64 {
    20
}

impl From<Which> for Shown {
    fn from(which: Which) -> Self {
        match which {
            Which::Queued => Self::Waiting,
            Which::Processing => Self::Processing,
            Which::Delivered => Self::Ended(State::Delivered),
            Which::Failed => Self::Ended(State::Failed),
            Which::Discarded => Self::Ended(State::Discarded),
            Which::All => Self::All,
        }
    }
}

/// The hooks in force, some deliveries, and how many there are.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub hooks: Vec<HookView>,
    /// Which deliveries are shown.
    pub state: Which,
    pub deliveries: Vec<DeliveryView>,
    /// How many deliveries are of that state.
    pub total: u64,
    /// There are more of them than are shown.
    pub has_more: bool,
    pub counts: OutboxCounts,
    /// What waits for hooks that are not defined here.
    pub unknown: Vec<Unknown>,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "hook.list";
    const ABOUT: &'static str =
        "List the hooks, and their deliveries: by default those that failed";
    const EXAMPLE: &'static str = "windlass hook list --state queued";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        let settings = cx.settings.clone();
        let limit = limit(self.limit)?;
        cx.read(|snapshot| {
            let hooks = snapshot.hooks()?;
            let counts: OutboxCounts = snapshot.hook_counts()?.into();
            let (deliveries, total) = match &self.task {
                None => {
                    let found = snapshot.deliveries(self.state.into(), limit)?;
                    (views(&found, &hooks), self.state.of(&counts))
                }
                Some(task) => {
                    let task = snapshot.task_named(task)?.id;
                    let found = snapshot.deliveries(Shown::OfTask(task), MOST_OF_A_TASK)?;
                    let mut own = views(&found, &hooks);
                    own.retain(|delivery| self.state.is_of(delivery));
                    let total = own.len() as u64;
                    own.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                    (own, total)
                }
            };
            Ok(Listed {
                hooks: hooks.iter().map(|hook| HookView::of(hook, &settings)).collect(),
                state: self.state,
                total,
                has_more: total > deliveries.len() as u64,
                deliveries,
                counts,
                unknown: Unknown::all(snapshot)?,
            })
        })
    }
}

fn views(found: &[Tracked], hooks: &[Defined]) -> Vec<DeliveryView> {
    found.iter().map(|tracked| DeliveryView::new(tracked, hooks)).collect()
}

impl Output for Listed {
    fn sheet(&self, now: Time) -> Sheet {
        let sheet = match self.hooks.is_empty() {
            true => Sheet::line("no hooks; define one: windlass hook set on_done --url URL"),
            false => Sheet::default().and_table(
                &["hook", "on", "to…", "for…", "from…"],
                self.hooks.iter().map(hook_row).collect(),
            ),
        };
        let sheet = match self.deliveries.is_empty() {
            true => sheet,
            false => sheet.and_table(
                &["delivery", "hook", "task", "state", "tried", "when", "error…"],
                self.deliveries.iter().map(|delivery| delivery_row(delivery, now)).collect(),
            ),
        };
        let sheet = match self.total.saturating_sub(self.deliveries.len() as u64) {
            0 => sheet,
            more => sheet.and_line(Cell::dim(format!("and {more} more: --limit {}", self.total))),
        };
        let unknown = self.unknown.iter().map(Unknown::in_words);
        let sheet = unknown.fold(sheet, Sheet::and_line);
        sheet.and_line(Cell::dim(format!("outbox: {}", self.counts.in_words())))
    }
}

fn hook_row(hook: &HookView) -> Vec<Cell> {
    vec![
        hook.name.clone().into(),
        hook.on.clone().into(),
        hook.target().into(),
        hook.filter().into(),
        Cell::dim(&hook.source),
    ]
}

fn delivery_row(delivery: &DeliveryView, now: Time) -> Vec<Cell> {
    vec![
        delivery.delivery_id.short().into(),
        delivery.hook.clone().into(),
        delivery.subject().into(),
        delivery.state_cell(),
        format!("{} of {}", delivery.attempts, delivery.max_attempts).into(),
        Cell::dim(delivery.next(now)),
        delivery.last_error.clone().unwrap_or_default().into(),
    ]
}
