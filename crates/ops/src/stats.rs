//! `stats`: the queue and what was finished lately, in numbers.

mod spread;
mod throughput;

use std::collections::{BTreeMap, HashSet};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::duration::Span;
use windlass_domain::project::{Counts, Project};
use windlass_domain::{ProjectId, Status, Task, Time};
use windlass_ledger::{Error, Snapshot};

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, counted, spark, spoken};
use crate::stale::{Threshold, USUAL_MINUTES};
pub use spread::{QueueAge, Spread};
pub use throughput::{Bucket, Throughput};
use throughput::{Window, throughput};

/// Counts the queue, and what was finished within a window of time.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Stats {
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// How far back to look
    #[arg(long, value_name = "DURATION", default_value = "24h", allow_hyphen_values = true)]
    #[serde(default = "a_day")]
    pub window: String,
}

fn a_day() -> String {
    "24h".to_owned()
}

/// The numbers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Numbers {
    pub window: String,
    #[schemars(with = "String")]
    pub generated_at: Time,
    pub projects: Vec<String>,
    pub queue: Queue,
    pub completions: Completions,
    pub execution_time_ms: ExecutionTime,
    pub throughput: Throughput,
    /// From creation to done, over the completions of the window.
    pub lead_time_ms: Spread,
    /// From the first claim to done, over the completions that were claimed.
    pub cycle_time_ms: Spread,
    pub queue_age_ms: QueueAge,
}

/// How many tasks are where now.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Queue {
    pub backlog: i64,
    pub ready: i64,
    pub in_progress: i64,
    pub blocked: i64,
    pub done: i64,
    pub archived: i64,
    /// Could be claimed now; nothing can in a frozen project.
    pub available: i64,
    /// Held, and the holder is silent.
    pub stale: i64,
    /// Held under a lease that has run out.
    pub expired_leases: i64,
}

/// What became done within the window and was not reopened, whether put away since or not.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Completions {
    pub total: u64,
    /// Whose it was: who held it last, or else whom it was routed to. A task of nobody counts in the
    /// total only.
    pub by_agent: BTreeMap<String, u64>,
}

/// From the first claim to done, over the completions of the window.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionTime {
    pub count: u64,
    pub mean: Option<i64>,
    pub min: Option<i64>,
    pub max: Option<i64>,
    /// Completions without any claim.
    pub excluded_without_start: u64,
}

impl Operation for Stats {
    type Output = Numbers;
    const NAME: &'static str = "stats";
    const ABOUT: &'static str = "Count the queue and what was finished lately";
    const EXAMPLE: &'static str = "windlass stats --window 7d -P api";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Numbers, Error> {
        let window = Span::parse("window", &self.window)?;
        cx.read(|snapshot| {
            let projects = match &self.project {
                Some(name) => vec![snapshot.project_named(name)?],
                None => snapshot.projects()?,
            };
            let now = snapshot.now();
            let window = Window::ending(now, window);
            let ids: HashSet<ProjectId> = projects.iter().map(|project| project.id).collect();
            let is_here = |task: &Task| ids.contains(&task.project);
            let mut done = snapshot.finished_since(window.since())?;
            done.retain(|task| was_done(task) && is_here(task));
            let mut names: Vec<String> =
                projects.iter().map(|project| project.name.clone()).collect();
            names.sort();
            Ok(Numbers {
                window: self.window.clone(),
                generated_at: now,
                queue: queue(snapshot, &projects, is_here)?,
                projects: names,
                completions: completions(&done),
                execution_time_ms: execution_time(&done),
                throughput: throughput(snapshot, window, &done, |id| ids.contains(&id))?,
                lead_time_ms: Spread::of(done.iter().filter_map(lead_time)),
                cycle_time_ms: Spread::of(done.iter().filter_map(cycle_time)),
                queue_age_ms: QueueAge::of(snapshot, &projects)?,
            })
        })
    }
}

fn queue(
    snapshot: &mut Snapshot<'_>,
    projects: &[Project],
    is_here: impl Fn(&Task) -> bool,
) -> Result<Queue, Error> {
    let now = snapshot.now();
    let held: Vec<Task> = snapshot.held()?.into_iter().filter(is_here).collect();
    let count = |holds: &dyn Fn(&Task) -> bool| {
        i64::try_from(held.iter().filter(|task| holds(task)).count()).unwrap_or(i64::MAX)
    };
    let sum = |of: fn(&Counts) -> i64| projects.iter().map(|project| of(&project.counts)).sum();
    let open = projects.iter().filter(|project| !project.frozen);
    Ok(Queue {
        backlog: sum(|counts| counts.backlog),
        ready: sum(|counts| counts.ready),
        in_progress: sum(|counts| counts.in_progress),
        blocked: sum(|counts| counts.blocked),
        done: sum(|counts| counts.done),
        archived: sum(|counts| counts.archived),
        available: open.map(|project| project.counts.claimable).sum(),
        stale: count(&|task| Threshold(USUAL_MINUTES).passed_by(task, now).is_some()),
        expired_leases: count(&|task| task.lease_ran_out(now)),
    })
}

/// Done, or put away after it was.
fn was_done(task: &Task) -> bool {
    task.status == Status::Done || task.archived_from == Some(Status::Done)
}

fn completions(done: &[Task]) -> Completions {
    let mut by_agent = BTreeMap::new();
    for agent in done.iter().filter_map(|task| task.agent.clone()) {
        *by_agent.entry(agent).or_default() += 1;
    }
    Completions { total: done.len() as u64, by_agent }
}

fn lead_time(task: &Task) -> Option<i64> {
    Some(task.finished_at?.millis_since(task.created_at))
}

fn cycle_time(task: &Task) -> Option<i64> {
    Some(task.finished_at?.millis_since(task.started_at?))
}

fn execution_time(done: &[Task]) -> ExecutionTime {
    let times: Vec<i64> = done.iter().filter_map(cycle_time).collect();
    let count = times.len();
    let sum: i64 = times.iter().sum();
    ExecutionTime {
        count: count as u64,
        mean: i64::try_from(count).ok().and_then(|count| sum.checked_div(count)),
        min: times.iter().min().copied(),
        max: times.iter().max().copied(),
        excluded_without_start: (done.len() - count) as u64,
    }
}

impl Output for Numbers {
    fn sheet(&self, _now: Time) -> Sheet {
        let queue = &self.queue;
        let number = |count: i64| Cell::from(count.to_string());
        let trouble = |count: i64| match count {
            0 => Cell::dim("0"),
            count => Cell::toned(count.to_string(), Tone::Bad),
        };
        let mut facts = vec![
            ("done".to_owned(), Cell::from(self.completions.total.to_string())),
            ("added".to_owned(), Cell::from(self.throughput.added.to_string())),
        ];
        if let ExecutionTime { mean: Some(mean), count, .. } = &self.execution_time_ms {
            let took = format!("{} on average, {}", spoken(*mean), counted(*count, "task"));
            facts.push(("from claim to done".to_owned(), took.into()));
        }
        facts.extend(self.lead_time_ms.in_words("lead time"));
        facts.extend(self.cycle_time_ms.in_words("cycle time"));
        facts.extend(self.throughput.drawn());
        for (agent, count) in &self.completions.by_agent {
            facts.push((format!("by {agent}"), count.to_string().into()));
        }
        Sheet::default()
            .and_heading("now")
            .and_facts([
                ("backlog", number(queue.backlog)),
                ("ready", number(queue.ready)),
                ("available", number(queue.available)),
                ("in progress", number(queue.in_progress)),
                ("stale", trouble(queue.stale)),
                ("leases run out", trouble(queue.expired_leases)),
                ("blocked", number(queue.blocked)),
                ("done", number(queue.done)),
                ("archived", number(queue.archived)),
                ("waiting", self.queue_age_ms.in_words()),
            ])
            .and_heading(format!("the last {}", self.window))
            .and_facts(facts.iter().map(|(name, value)| (name.as_str(), value.clone())))
    }
}

impl Spread {
    fn in_words(&self, name: &str) -> Option<(String, Cell)> {
        let (p50, p90) = (self.p50?, self.p90?);
        let words = format!("p50 {}, p90 {}", spoken(p50), spoken(p90));
        Some((name.to_owned(), words.into()))
    }
}

impl QueueAge {
    fn in_words(&self) -> Cell {
        match (self.oldest, self.p50) {
            (Some(oldest), Some(p50)) => {
                format!("the oldest {}, p50 {}", spoken(oldest), spoken(p50)).into()
            }
            _ => Cell::dim("nothing"),
        }
    }
}

impl Throughput {
    /// Two lines of bars, where there is more than one step and something in them.
    fn drawn(&self) -> Vec<(String, Cell)> {
        let line = |name: &str, of: fn(&Bucket) -> u64| {
            let numbers: Vec<u64> = self.series.iter().map(of).collect();
            let is_worth_it = numbers.len() > 1 && numbers.iter().any(|number| *number > 0);
            is_worth_it.then(|| (format!("{name} over time"), spark(&numbers).into()))
        };
        let lines = [line("done", |bucket| bucket.completed), line("added", |bucket| bucket.added)];
        lines.into_iter().flatten().collect()
    }
}
