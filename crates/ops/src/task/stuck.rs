//! `task stuck`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::{Task, TaskId, Time};
use windlass_ledger::Error;

use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, ago};
use crate::stale::{Threshold, USUAL_MINUTES, usual_minutes};
use crate::view::ProjectNames;

const MINUTE_MS: i64 = 60_000;

/// Lists held tasks that do not move: their lease ran out, or with --stale their holder is silent.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct Stuck {
    /// Only of this project
    #[arg(short = 'P', long, value_name = "NAME")]
    #[serde(default)]
    pub project: Option<String>,
    /// Only leases that ran out at least so many minutes ago
    #[arg(long, value_name = "MINUTES", default_value_t = 0, allow_negative_numbers = true)]
    #[serde(default)]
    pub older_than: u32,
    /// Also tasks whose holder has given no sign of life for a while
    #[arg(long)]
    #[serde(default)]
    pub stale: bool,
    /// Minutes without a claim, renewal, checkpoint or comment that count as silence
    #[arg(long, value_name = "MINUTES", default_value_t = USUAL_MINUTES, allow_negative_numbers = true)]
    #[serde(default = "usual_minutes")]
    pub stale_threshold: u32,
}

/// Held tasks that do not move.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct StuckTasks {
    pub tasks: Vec<StuckTask>,
    pub total: u64,
    /// How many more are silent, when they were not asked for.
    pub silent: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct StuckTask {
    #[schemars(with = "String")]
    pub task_id: TaskId,
    pub title: String,
    pub project: String,
    pub agent: Option<String>,
    pub fence: u64,
    #[schemars(with = "Option<String>")]
    pub claimed_at: Option<Time>,
    #[schemars(with = "Option<String>")]
    pub lease_until: Option<Time>,
    pub expired_for_ms: Option<i64>,
    /// `lease_expired` or `stale`.
    pub reason: String,
    /// The last claim, renewal, checkpoint or comment.
    #[schemars(with = "Option<String>")]
    pub last_activity_at: Option<Time>,
    pub stale_minutes: Option<u32>,
    pub stale_after_minutes: Option<u32>,
}

impl Operation for Stuck {
    type Output = StuckTasks;
    const NAME: &'static str = "task.stuck";
    const ABOUT: &'static str = "List held tasks that do not move";
    const EXAMPLE: &'static str = "windlass task stuck --stale";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<StuckTasks, Error> {
        cx.read(|snapshot| {
            let now = snapshot.now();
            let project = match &self.project {
                Some(name) => Some(snapshot.project_named(name)?.id),
                None => None,
            };
            let mut names = ProjectNames::default();
            let (mut tasks, mut silent) = (Vec::new(), 0);
            for task in snapshot.held()? {
                if project.is_some_and(|project| project != task.project) {
                    continue;
                }
                let name = names.of(snapshot, task.project)?;
                let Some(stuck) = self.judge(task, name, now) else { continue };
                match stuck.reason == STALE && !self.stale {
                    true => silent += 1,
                    false => tasks.push(stuck),
                }
            }
            Ok(StuckTasks { total: tasks.len() as u64, tasks, silent })
        })
    }
}

const EXPIRED: &str = "lease_expired";
const STALE: &str = "stale";

impl Stuck {
    fn judge(&self, task: Task, project: String, now: Time) -> Option<StuckTask> {
        let expired_for_ms = task
            .lease_until
            .filter(|_| task.lease_ran_out(now))
            .map(|until| now.millis_since(until))
            .filter(|millis| *millis >= i64::from(self.older_than) * MINUTE_MS);
        let stale_minutes = Threshold(self.stale_threshold).passed_by(&task, now);
        let reason = match (expired_for_ms, stale_minutes) {
            (Some(_), _) => EXPIRED,
            (None, Some(_)) => STALE,
            (None, None) => return None,
        };
        Some(StuckTask {
            task_id: task.id,
            title: task.title,
            project,
            agent: task.agent,
            fence: task.fence,
            claimed_at: task.claimed_at,
            lease_until: task.lease_until,
            expired_for_ms,
            reason: reason.to_owned(),
            last_activity_at: task.active_at,
            stale_minutes,
            stale_after_minutes: task.stale_after_minutes,
        })
    }
}

impl Output for StuckTasks {
    fn sheet(&self, now: Time) -> Sheet {
        let row = |task: &StuckTask| {
            let why = match (task.reason.as_str(), task.lease_until) {
                (EXPIRED, Some(until)) => format!("lease ran out {}", ago(until, now)),
                _ => format!("silent for {}m", task.stale_minutes.unwrap_or_default()),
            };
            vec![
                task.task_id.short().into(),
                task.project.clone().into(),
                task.title.clone().into(),
                task.agent.clone().unwrap_or_default().into(),
                Cell::toned(why, crate::sheet::Tone::Bad),
            ]
        };
        let rows: Vec<Vec<Cell>> = self.tasks.iter().map(row).collect();
        let sheet = match rows.is_empty() {
            true => Sheet::line("no task is stuck"),
            false => Sheet::default().and_table(&["id", "project", "title…", "agent", "why"], rows),
        };
        match self.silent {
            0 => sheet,
            silent => sheet.and_line(Cell::dim(format!(
                "{silent} more without a sign of life; see them with --stale"
            ))),
        }
    }
}
