//! `timeline`: who held what when.

use std::cmp::Reverse;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::{TaskId, Time, text};
use windlass_ledger::{Error, Fault, Snapshot};

use crate::context::Context;
use crate::holding::{Held, held_since, since};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, relative, spoken};
use crate::view::{ProjectNames, limit};

/// Tells who held which task from when to when.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// Only tasks of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only what this agent held
    #[arg(short, long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// How far back to look
    #[arg(long, value_name = "DURATION", default_value = "24h", allow_hyphen_values = true)]
    #[serde(default = "a_day")]
    pub window: String,
    /// At most this many claims, the newest
    #[arg(short, long, value_name = "N", default_value_t = 200, allow_negative_numbers = true)]
    #[serde(default = "two_hundred")]
    pub limit: u64,
}

fn a_day() -> String {
    "24h".to_owned()
}

fn two_hundred() -> u64 {
    200
}

/// The claims of a window: those that ended in it, and those that go on. The newest come first.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Lanes {
    pub window: String,
    /// When the window begins.
    #[schemars(with = "String")]
    pub since: Time,
    #[schemars(with = "String")]
    pub generated_at: Time,
    pub claims: Vec<ClaimView>,
    /// How many there are in all.
    pub total: u64,
}

/// A time during which somebody held a task. A claim that was blocked and gone on with is shown
/// twice, under the same fence.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ClaimView {
    pub agent: String,
    #[schemars(with = "String")]
    pub task_id: TaskId,
    /// Null when the task is not in this ledger any more.
    pub title: Option<String>,
    pub project: Option<String>,
    pub fence: u64,
    #[schemars(with = "String")]
    pub from: Time,
    /// Null while it is held.
    #[schemars(with = "Option<String>")]
    pub until: Option<Time>,
    /// `done`, `released`, `blocked`, `taken_over`, `expired` or `archived`; null while it is held.
    pub ended: Option<String>,
    /// When the lease of a claim that is held runs out.
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
    /// It is held under a lease that has run out.
    pub lease_expired: bool,
}

impl Operation for Timeline {
    type Output = Lanes;
    const NAME: &'static str = "timeline";
    const ABOUT: &'static str = "Tell who held what when";
    const EXAMPLE: &'static str = "windlass timeline --window 8h -P api";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Lanes, Error> {
        let window = Span::parse("window", &self.window)?;
        let limit = usize::try_from(limit(self.limit)?).unwrap_or(usize::MAX);
        let only = self.agent.as_deref().map(|name| text::name("agent", name)).transpose()?;
        cx.read(|snapshot| {
            let project = match &self.project {
                Some(name) => Some(snapshot.project_named(name)?.id),
                None => None,
            };
            let since = since(snapshot, window);
            let mut held = held_since(snapshot, since, project)?;
            held.retain(|held| only.as_ref().is_none_or(|only| *only == held.holding.agent));
            held.sort_by_key(|held| Reverse((held.holding.from, held.task)));
            let total = held.len() as u64;
            held.truncate(limit);
            let mut names = ProjectNames::default();
            let mut claims = Vec::with_capacity(held.len());
            for held in held {
                claims.push(ClaimView::new(snapshot, &mut names, held)?);
            }
            let (window, generated_at) = (self.window.clone(), snapshot.now());
            Ok(Lanes { window, since, generated_at, claims, total })
        })
    }
}

impl ClaimView {
    fn new(
        snapshot: &mut Snapshot<'_>,
        names: &mut ProjectNames,
        held: Held,
    ) -> Result<Self, Fault> {
        let task = snapshot.task(held.task)?;
        let now = snapshot.now();
        let lease_until = task.as_ref().and_then(|task| task.lease_until);
        let lease_until = lease_until.filter(|_| held.end.is_none());
        let project = task.as_ref().map(|task| names.of(snapshot, task.project)).transpose()?;
        Ok(Self {
            agent: held.holding.agent,
            task_id: held.task,
            title: task.map(|task| task.title),
            project,
            fence: held.holding.fence,
            from: held.holding.from,
            until: held.end.map(|(until, _)| until),
            ended: held.end.map(|(_, end)| end.as_str().to_owned()),
            lease_until,
            lease_expired: lease_until.is_some_and(|until| until <= now),
        })
    }

    /// How it ended, in words.
    pub fn outcome(&self) -> &str {
        match self.ended.as_deref() {
            Some("taken_over") => "taken over",
            Some(ended) => ended,
            None if self.lease_expired => "held, lease ran out",
            None => "held",
        }
    }

    fn row(&self, now: Time) -> Vec<Cell> {
        let tone = match (self.ended.as_deref(), self.lease_expired) {
            (Some("done"), _) => Tone::Good,
            (Some("archived"), _) => Tone::Dim,
            (Some(_), _) | (None, true) => Tone::Bad,
            (None, false) => Tone::Busy,
        };
        let millis = self.until.unwrap_or(now).millis_since(self.from);
        vec![
            self.agent.clone().into(),
            self.task_id.short().into(),
            self.project.clone().unwrap_or_default().into(),
            self.title.clone().unwrap_or_else(|| "not here any more".to_owned()).into(),
            self.fence.to_string().into(),
            Cell::dim(relative(self.from, now)),
            if millis < 1_000 { "< 1 s".into() } else { spoken(millis).into() },
            Cell::toned(self.outcome(), tone),
        ]
    }
}

impl Output for Lanes {
    fn sheet(&self, now: Time) -> Sheet {
        if self.claims.is_empty() {
            return Sheet::line(format!("nobody held anything in the last {}", self.window));
        }
        let rows = self.claims.iter().map(|claim| claim.row(now)).collect();
        let columns = ["agent", "task", "project", "title…", "fence", "from", "held", "ended"];
        let sheet = Sheet::default().and_table(&columns, rows);
        match self.total > self.claims.len() as u64 {
            true => sheet.and_line(Cell::dim(format!(
                "{} of {} claims; see more with --limit",
                self.claims.len(),
                self.total
            ))),
            false => sheet,
        }
    }
}
