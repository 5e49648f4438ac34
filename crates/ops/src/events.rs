//! `events`: the log itself.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_ledger::Error;

use crate::context::Context;
use crate::operation::{Access, Lines, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::{EVENT_COLUMNS, EventView, limit};

/// Reads the log in its order.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Events {
    /// Only events after this seq
    #[arg(long, value_name = "SEQ", default_value_t = 0, allow_negative_numbers = true)]
    #[serde(default)]
    pub from: u64,
    /// At most this many; the command line reads on to the end when none is given
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub limit: Option<u64>,
}

/// Events in one answer when no limit is given.
pub const PAGE: u64 = 1_000;

/// Some events, oldest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Page {
    pub events: Vec<EventView>,
    /// Read on from here.
    pub next: u64,
    pub has_more: bool,
}

impl Operation for Events {
    type Output = Page;
    const NAME: &'static str = "events";
    const ABOUT: &'static str = "Read the log, event by event, in its order";
    const EXAMPLE: &'static str = "windlass events --from 100 --limit 20";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Page, Error> {
        let limit = limit(self.limit.unwrap_or(PAGE))?;
        cx.read(|snapshot| {
            let events = EventView::all(snapshot.events_after(self.from, limit)?)?;
            let next = events.last().map_or(self.from, |event| event.seq);
            let has_more = next < snapshot.head()?.seq;
            Ok(Page { events, next, has_more })
        })
    }
}

impl Output for Page {
    fn sheet(&self, now: Time) -> Sheet {
        if self.events.is_empty() {
            return Sheet::line("no events");
        }
        let rows = self.events.iter().map(|event| event.row(now)).collect();
        let sheet = Sheet::default().and_table(&EVENT_COLUMNS, rows);
        match self.has_more {
            true => sheet
                .and_line(Cell::dim(format!("there are more; go on with --from {}", self.next))),
            false => sheet,
        }
    }

    fn lines(&self) -> Option<Lines> {
        let documents = self.events.iter().map(|event| serde_json::to_string(event).ok());
        Some(Lines {
            documents: documents.collect::<Option<_>>()?,
            next: self.has_more.then_some(self.next),
        })
    }
}
