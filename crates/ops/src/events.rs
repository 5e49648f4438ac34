//! `events`: the log itself.

mod filter;
mod home;
mod sight;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Code, CorrelationId, Refusal, Time};
use windlass_ledger::Error;

pub use self::filter::{Asked, Filter};
pub use self::home::{Home, Homes};
pub use self::sight::Sight;
use crate::compat::{HzlEvent, Translator};
use crate::context::Context;
use crate::operation::{Access, Lines, Operation, Output};
use crate::sheet::{Cell, Sheet};
use crate::view::{EVENT_COLUMNS, EventView, limit};

/// Reads the log in its order.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
pub struct Events {
    /// Only events after this seq
    #[arg(long, value_name = "SEQ", allow_negative_numbers = true)]
    #[serde(default)]
    pub from: Option<u64>,
    /// At most this many; without it 1,000, and as JSON on the command line all there are
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    #[serde(default)]
    pub limit: Option<u64>,
    /// Go on with new events as they come; without --from, only with those
    #[arg(short, long)]
    #[serde(default)]
    pub follow: bool,
    /// Only what one run or one execution under an op id recorded
    #[arg(long, value_name = "ID")]
    #[serde(default)]
    pub correlation: Option<String>,
    /// Only this project, its tasks and their runs
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only this task and its runs
    #[arg(long, value_name = "TASK")]
    #[serde(default)]
    pub task: Option<String>,
    /// Only events of this kind; may be repeated
    #[arg(long, value_name = "KIND")]
    #[serde(default)]
    pub kind: Vec<String>,
    /// Tell the events in the words of another tool
    #[arg(long, value_enum, value_name = "TOOL")]
    #[serde(default)]
    pub compat: Option<Compat>,
}

/// A tool whose words some programs expect.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Compat {
    Hzl,
}

/// Events in one answer when no limit is given.
pub const PAGE: u64 = 1_000;

/// Some events, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Page {
    pub events: Vec<Told>,
    /// Read on from here.
    pub next: u64,
    pub has_more: bool,
}

/// An event in our words, or in those of another tool.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Told {
    Own(Box<EventView>),
    Hzl(Box<HzlEvent>),
}

impl Operation for Events {
    type Output = Page;
    const NAME: &'static str = "events";
    const ABOUT: &'static str = "Read the log, event by event, in its order";
    const EXAMPLE: &'static str = "windlass events --from 100 --follow";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Page, Error> {
        let limit = limit(self.limit.unwrap_or(PAGE))?;
        let correlation = self.correlation.as_deref().map(correlation).transpose()?;
        let asked = Asked {
            project: self.project.clone(),
            task: self.task.clone(),
            kinds: self.kind.clone(),
        };
        let sight = cx.sight()?;
        cx.read(|snapshot| {
            let head = snapshot.head()?.seq;
            let from = self.from.unwrap_or(if self.follow { head } else { 0 });
            let filter = asked.resolve(snapshot, &sight)?;
            let (found, next) = match correlation {
                Some(correlation) => {
                    let found = snapshot.correlated(correlation, from, limit)?;
                    let next = match found.last() {
                        Some(last) if found.len() as u64 == limit => last.header.seq,
                        // Nothing else before the end belongs to it.
                        _ => head.max(from),
                    };
                    (filter.of(snapshot, found)?, next)
                }
                None => filter.after(snapshot, from, limit)?,
            };
            let events = match self.compat {
                None => EventView::all(found)?
                    .into_iter()
                    .map(|event| Told::Own(Box::new(event)))
                    .collect(),
                Some(Compat::Hzl) => {
                    let mut translator = Translator::default();
                    let mut told = Vec::with_capacity(found.len());
                    for recorded in found {
                        told.extend(translator.tell(snapshot, recorded)?);
                    }
                    told.into_iter().map(|event| Told::Hzl(Box::new(event))).collect()
                }
            };
            Ok(Page { events, next, has_more: next < head })
        })
    }
}

/// The id of a run, as its answer and its events have it.
fn correlation(given: &str) -> Result<CorrelationId, Refusal> {
    given.parse().map_err(|_| {
        Refusal::new(Code::InvalidValue, format!("'{given}' is not a correlation id"))
            .hint("give correlation_id as the answer of a workflow or an event has it")
            .detail("field", "correlation")
            .detail("given", given)
    })
}

impl Told {
    fn row(&self, now: Time) -> Vec<Cell> {
        match self {
            Self::Own(event) => event.row(now),
            Self::Hzl(event) => event.row(now),
        }
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
            next: self.next,
            has_more: self.has_more,
        })
    }
}
