//! `agent status` and `agent log`: who is at work, and what somebody did.

mod register;
mod work;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_domain::duration::Span;
use windlass_domain::{ProjectId, Status, Task, Time, text};
use windlass_ledger::{Error, Fault, ListFilter, Recorded, Snapshot};

use crate::context::Context;
use crate::events::{Homes, PAGE, Sight};
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone, ago, relative};
use crate::view::{EventView, ProjectNames, limit};
pub use register::{Register, Registered, Unregister, Unregistered};
pub use work::AgentWork;
use work::work;

/// Shows who is at work on what.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct AgentStatus {
    /// Only this agent
    #[arg(short, long, value_name = "NAME")]
    #[serde(default)]
    pub agent: Option<String>,
    /// Only who has tasks of this project, and their work on it
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Count each agent's tasks by status
    #[arg(short, long)]
    #[serde(default)]
    pub stats: bool,
    /// Count what became of each agent's claims, this far back
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    #[serde(default)]
    pub window: Option<String>,
}

/// Everybody who holds a task, is registered or ever did something; of a project, everybody who has a
/// task of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Agents {
    pub agents: Vec<AgentView>,
    pub summary: Summary,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentView {
    pub agent: String,
    /// It holds a task that is in progress.
    pub is_active: bool,
    /// Since the oldest of its claims.
    pub active_duration_ms: Option<i64>,
    pub tasks: Vec<HeldTask>,
    #[schemars(with = "Option<String>")]
    pub last_activity: Option<Time>,
    /// What is known of it, where it is registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registered: Option<Registered>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<AgentCounts>,
    /// What became of its claims in the window, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<AgentWork>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldTask {
    pub task_id: String,
    pub title: String,
    pub project: String,
    pub fence: u64,
    #[schemars(with = "Option<String>")]
    pub claimed_at: Option<Time>,
    /// When its holder last gave a sign of life on it.
    #[schemars(with = "Option<String>")]
    pub active_at: Option<Time>,
    pub progress: Option<u8>,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
    pub lease_expired: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentCounts {
    pub total: u64,
    pub counts: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    pub total: usize,
    pub active: usize,
    pub idle: usize,
}

impl Operation for AgentStatus {
    type Output = Agents;
    const NAME: &'static str = "agent.status";
    const ABOUT: &'static str = "Show who is at work on what";
    const EXAMPLE: &'static str = "windlass agent status --stats";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Agents, Error> {
        let only = self.agent.as_deref().map(|name| text::name("agent", name)).transpose()?;
        let window = self.window.as_deref().map(|text| Span::parse("window", text)).transpose()?;
        cx.read(|snapshot| {
            let project = match &self.project {
                Some(name) => Some(snapshot.project_named(name)?.id),
                None => None,
            };
            let mut done = match window {
                Some(window) => work(snapshot, window, project)?,
                None => BTreeMap::new(),
            };
            let mut held = snapshot.held()?;
            held.retain(|task| project.is_none_or(|project| project == task.project));
            held.sort_by_key(|task| task.claimed_at);
            let acted: BTreeMap<String, u64> =
                snapshot.agents()?.into_iter().map(|agent| (agent.name, agent.last_seq)).collect();
            let registered: BTreeMap<String, Registered> = snapshot
                .known_agents()?
                .iter()
                .map(|agent| (agent.name.clone(), Registered::from(agent)))
                .collect();
            let mut names: BTreeSet<String> = match project {
                Some(project) => with_tasks_in(snapshot, project)?,
                None => acted.keys().chain(registered.keys()).cloned().collect(),
            };
            names.extend(held.iter().filter_map(|task| task.agent.clone()));
            names.extend(done.keys().cloned());
            names.retain(|name| only.as_ref().is_none_or(|only| only == name));
            let mut agents = Vec::with_capacity(names.len());
            for name in names {
                let last = acted.get(&name).copied();
                let own = held.iter().filter(|task| task.agent.as_ref() == Some(&name)).collect();
                let work = window.map(|_| done.remove(&name).unwrap_or_default());
                let registered = registered.get(&name).cloned();
                let view = self.view(snapshot, name, own, last, project)?;
                agents.push(AgentView { registered, work, ..view });
            }
            // Who is at work comes first, the longest at it before the others; then who was last.
            agents.sort_by_key(|agent| Reverse((agent.active_duration_ms, agent.last_activity)));
            let active = agents.iter().filter(|agent| agent.is_active).count();
            let total = agents.len();
            Ok(Agents { agents, summary: Summary { total, active, idle: total - active } })
        })
    }
}

impl AgentStatus {
    fn view(
        &self,
        snapshot: &mut Snapshot<'_>,
        agent: String,
        held: Vec<&Task>,
        last_seq: Option<u64>,
        project: Option<ProjectId>,
    ) -> Result<AgentView, Fault> {
        let now = snapshot.now();
        let mut names = ProjectNames::default();
        let mut tasks = Vec::with_capacity(held.len());
        for task in &held {
            tasks.push(HeldTask {
                task_id: task.id.to_string(),
                title: task.title.clone(),
                project: names.of(snapshot, task.project)?,
                fence: task.fence,
                claimed_at: task.claimed_at,
                active_at: task.active_at,
                progress: task.progress,
                lease_until: task.lease_until,
                lease_expired: task.lease_ran_out(now),
            });
        }
        let last_activity = match last_seq {
            Some(seq) => snapshot.events_after(seq - 1, 1)?.first().map(|event| event.header.at),
            None => None,
        };
        let first_claim = held.iter().filter_map(|task| task.claimed_at).min();
        Ok(AgentView {
            is_active: !held.is_empty(),
            active_duration_ms: first_claim.map(|claimed_at| now.millis_since(claimed_at)),
            tasks,
            last_activity,
            stats: self.stats.then(|| counts(snapshot, &agent, project)).transpose()?,
            work: None,
            registered: None,
            agent,
        })
    }
}

/// Everybody who has a task of a project, or had one when it was finished.
fn with_tasks_in(
    snapshot: &mut Snapshot<'_>,
    project: ProjectId,
) -> Result<BTreeSet<String>, Fault> {
    let filter = ListFilter { project: Some(project), archived: true, ..ListFilter::default() };
    let counted = snapshot.count_by_agent(&filter)?.into_iter().map(|(name, _)| name);
    Ok(counted.filter(|name| !name.is_empty()).collect())
}

fn counts(
    snapshot: &mut Snapshot<'_>,
    agent: &str,
    project: Option<ProjectId>,
) -> Result<AgentCounts, Fault> {
    let mut counts = BTreeMap::new();
    for status in Status::ALL {
        let filter = ListFilter {
            project,
            status: Some(status),
            agent: Some(agent.to_owned()),
            ..ListFilter::default()
        };
        counts.insert(status.as_str().to_owned(), snapshot.count(&filter)?);
    }
    Ok(AgentCounts { total: counts.values().sum(), counts })
}

impl Output for Agents {
    fn sheet(&self, now: Time) -> Sheet {
        if self.agents.is_empty() {
            return Sheet::line("nobody has done anything yet");
        }
        let rows = self.agents.iter().flat_map(|agent| agent.rows(now)).collect();
        let columns = ["agent", "task", "project", "title…", "progress", "lease", "last seen"];
        let Summary { total, active, .. } = self.summary;
        let sheet = Sheet::default()
            .and_table(&columns, rows)
            .and_line(Cell::dim(format!("{active} of {total} at work")));
        let sheet = self.and_counted(sheet, "registered", &["agent", "type", "tags…"], |agent| {
            agent.registered.as_ref().map(Registered::row)
        });
        let columns =
            ["agent…", "backlog", "ready", "in progress", "blocked", "done", "archived", "all"];
        let counted = |agent: &AgentView| Some(agent.stats.as_ref()?.row(&agent.agent));
        let sheet = self.and_counted(sheet, "tasks", &columns, counted);
        let worked = |agent: &AgentView| Some(agent.work.as_ref()?.row(&agent.agent));
        let columns = ["agent…", "done", "ended", "failed", "failure rate"];
        self.and_counted(sheet, "claims of the window", &columns, worked)
    }
}

impl Agents {
    /// A table with a row for each agent that has one.
    fn and_counted(
        &self,
        sheet: Sheet,
        heading: &str,
        columns: &[&'static str],
        row: impl Fn(&AgentView) -> Option<Vec<Cell>>,
    ) -> Sheet {
        let rows: Vec<Vec<Cell>> = self.agents.iter().filter_map(row).collect();
        match rows.is_empty() {
            true => sheet,
            false => sheet.and_heading(heading).and_table(columns, rows),
        }
    }
}

impl AgentView {
    /// One row for each task, or one for an agent without any.
    fn rows(&self, now: Time) -> Vec<Vec<Cell>> {
        let seen = self.last_activity.map(|time| relative(time, now)).unwrap_or_default();
        if self.tasks.is_empty() {
            let mut row = vec![Cell::from(self.agent.clone())];
            row.extend(["", "", "", "", ""].map(Cell::from));
            row.push(Cell::dim(seen));
            return vec![row];
        }
        let row = |task: &HeldTask| {
            let lease = match (task.lease_until, task.lease_expired) {
                (Some(until), true) => {
                    Cell::toned(format!("ran out {}", ago(until, now)), Tone::Bad)
                }
                (Some(until), false) => relative(until, now).into(),
                (None, _) => "".into(),
            };
            let short = task.task_id.get(20..).unwrap_or_default();
            vec![
                Cell::toned(self.agent.clone(), Tone::Busy),
                short.into(),
                task.project.clone().into(),
                task.title.clone().into(),
                task.progress.map(|done| format!("{done}%")).unwrap_or_default().into(),
                lease,
                Cell::dim(seen.clone()),
            ]
        };
        self.tasks.iter().map(row).collect()
    }
}

impl AgentCounts {
    fn row(&self, agent: &str) -> Vec<Cell> {
        let count = |status: &Status| self.counts.get(status.as_str()).copied().unwrap_or(0);
        let counts = Status::ALL.iter().map(|status| Cell::from(count(status).to_string()));
        std::iter::once(agent.into())
            .chain(counts)
            .chain([Cell::from(self.total.to_string())])
            .collect()
    }
}

/// Tells what somebody did, the newest first.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct AgentLog {
    /// The name they act under
    pub agent: String,
    /// At most this many events
    #[arg(short, long, value_name = "N", default_value_t = 50, allow_negative_numbers = true)]
    #[serde(default = "fifty")]
    pub limit: u64,
    /// Only before this event
    #[arg(long, value_name = "SEQ", allow_negative_numbers = true)]
    #[serde(default)]
    pub before: Option<u64>,
}

fn fifty() -> u64 {
    50
}

/// What somebody did.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AgentEvents {
    pub events: Vec<AgentEvent>,
    /// How many events of theirs the log has, as far as the caller may see them.
    pub total: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEvent {
    /// Its place in the log.
    pub id: u64,
    pub event_id: String,
    /// Of a run, the task it works on; null for what was done to a project.
    pub task_id: Option<String>,
    pub r#type: String,
    /// What happened; null when it was pruned.
    pub data: Value,
    pub author: String,
    #[schemars(with = "String")]
    pub timestamp: Time,
    pub task_title: Option<String>,
    #[schemars(with = "Option<String>")]
    pub task_status: Option<Status>,
}

impl Operation for AgentLog {
    type Output = AgentEvents;
    const NAME: &'static str = "agent.log";
    const ABOUT: &'static str = "Tell what somebody did, the newest first";
    const EXAMPLE: &'static str = "windlass agent log worker-1 --limit 20";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<AgentEvents, Error> {
        let name = text::name("agent", &self.agent)?;
        let limit = limit(self.limit)?;
        let (sight, before) = (cx.sight()?, self.before.unwrap_or(u64::MAX));
        cx.read(|snapshot| {
            let (mut events, mut homes) = (Vec::new(), Homes::default());
            for recorded in done_by(snapshot, &name, (before, limit), &sight)? {
                let id = homes.task_of(snapshot, &recorded)?;
                let task = match id {
                    Some(id) => snapshot.task(id)?,
                    None => None,
                };
                let event = EventView::new(recorded)?;
                events.push(AgentEvent {
                    id: event.seq,
                    event_id: event.event_id,
                    task_id: id.map(|id| id.to_string()),
                    r#type: event.kind,
                    data: event.data,
                    author: event.actor,
                    timestamp: event.at,
                    task_status: task.as_ref().map(|task| task.status),
                    task_title: task.map(|task| task.title),
                });
            }
            Ok(AgentEvents { events, total: count(snapshot, &name, &sight)? })
        })
    }
}

/// The newest events of somebody before one, newest first: those that the caller may see.
fn done_by(
    snapshot: &mut Snapshot<'_>,
    name: &str,
    (mut before, limit): (u64, u64),
    sight: &Sight,
) -> Result<Vec<Recorded>, Fault> {
    let mut shown: Vec<Recorded> = Vec::new();
    let mut homes = Homes::default();
    loop {
        let missing = limit - shown.len() as u64;
        let found = snapshot.events_by(name, before, missing)?;
        let Some(oldest) = found.last() else { return Ok(shown) };
        before = oldest.header.seq;
        for event in found {
            let home = homes.of(snapshot, &event)?;
            if sight.reaches(&event.header.kind) && sight.reaches_home(&home) {
                shown.push(event);
            }
        }
        if shown.len() as u64 == limit {
            return Ok(shown);
        }
    }
}

/// How many events of somebody the caller may see.
fn count(snapshot: &mut Snapshot<'_>, name: &str, sight: &Sight) -> Result<u64, Fault> {
    if sight.is_whole() {
        return snapshot.count_by(name);
    }
    let (mut count, mut before) = (0, u64::MAX);
    loop {
        let page = done_by(snapshot, name, (before, PAGE), sight)?;
        count += page.len() as u64;
        let Some(oldest) = page.last() else { return Ok(count) };
        before = oldest.header.seq;
    }
}

impl Output for AgentEvents {
    fn sheet(&self, now: Time) -> Sheet {
        if self.events.is_empty() {
            return Sheet::line("no events by that name");
        }
        let row = |event: &AgentEvent| {
            let task = event.task_id.as_deref().and_then(|id| id.get(20..)).unwrap_or_default();
            vec![
                event.id.to_string().into(),
                Cell::dim(relative(event.timestamp, now)),
                event.r#type.clone().into(),
                task.into(),
                event.task_title.clone().unwrap_or_default().into(),
            ]
        };
        let rows = self.events.iter().map(row).collect();
        let sheet = Sheet::default().and_table(&["seq", "when", "kind", "task", "title…"], rows);
        match (self.events.len() as u64) < self.total {
            true => {
                let last = self.events.last().map_or(0, |event| event.id);
                sheet.and_line(Cell::dim(format!(
                    "{} of {} events; go on with --before {last}",
                    self.events.len(),
                    self.total
                )))
            }
            false => sheet,
        }
    }
}
