//! `task history`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{TaskId, Time};
use windlass_ledger::Error;

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::{EVENT_COLUMNS, EventView, limit};

/// Tells what happened to a task.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct History {
    /// The task: its id, or at least 4 characters of its beginning or end
    pub task: String,
    /// The newest events, at most this many
    #[arg(short, long, value_name = "N", default_value_t = 100, allow_negative_numbers = true)]
    #[serde(default = "hundred")]
    pub limit: u64,
}

fn hundred() -> u64 {
    100
}

/// An event, also under the names that HZL has for the same things. It has no `type`: the kinds of
/// events are others here.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Past {
    #[serde(flatten)]
    pub event: EventView,
    /// The same as `at`.
    #[schemars(with = "String")]
    pub timestamp: Time,
    /// The same as `actor`.
    pub author: String,
    /// The same as `session`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

impl From<EventView> for Past {
    fn from(event: EventView) -> Self {
        Self {
            timestamp: event.at,
            author: event.actor.clone(),
            agent_id: event.session.clone(),
            event,
        }
    }
}

/// The events, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct HistoryShown {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub events: Vec<Past>,
    /// How many there are in all.
    pub total: u64,
}

impl Operation for History {
    type Output = HistoryShown;
    const NAME: &'static str = "task.history";
    const ABOUT: &'static str = "Tell what happened to a task, event by event";
    const EXAMPLE: &'static str = "windlass task history 8F3K2Q";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<HistoryShown, Error> {
        let limit = limit(self.limit)?;
        cx.read(|snapshot| {
            let task = snapshot.task_named(&self.task)?;
            let events = EventView::all(snapshot.history(task.id.into(), limit)?)?;
            let events = events.into_iter().map(Past::from).collect();
            Ok(HistoryShown { task_id: task.id, events, total: task.version })
        })
    }
}

impl Output for HistoryShown {
    fn sheet(&self, now: Time) -> Sheet {
        let rows = self.events.iter().map(|past| past.event.row(now)).collect();
        let sheet = Sheet::default().and_table(&EVENT_COLUMNS, rows);
        match self.total > self.events.len() as u64 {
            true => sheet.and_line(Cell::dim(format!(
                "the newest {} of {} events",
                self.events.len(),
                self.total
            ))),
            false => sheet,
        }
    }
}
