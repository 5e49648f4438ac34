//! `run list` and `run show`.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::word::RunStatus;
use windlass_ledger::{Error, RunFilter};

use super::change::word;
use super::target::Target;
use super::view::{RunRow, RunView};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet};

const USUAL: u64 = 50;

/// Lists runs, the newest first.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct List {
    /// Only with this status: running, paused, blocked, `ready_to_finish`, completed, abandoned
    #[arg(short, long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only of this task
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// Only of this folder, as it was recorded; with --machine
    #[arg(long, value_name = "PATH", requires = "machine")]
    pub folder: Option<String>,
    /// Only of this machine; with --folder
    #[arg(long, value_name = "NAME", requires = "folder")]
    pub machine: Option<String>,
    /// Show at most this many
    #[arg(short, long, value_name = "N", default_value_t = USUAL)]
    pub limit: u64,
}

impl Default for List {
    fn default() -> Self {
        Self { status: None, task: None, folder: None, machine: None, limit: USUAL }
    }
}

/// Runs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    pub runs: Vec<RunRow>,
}

impl Operation for List {
    type Output = Listed;
    const NAME: &'static str = "run.list";
    const ABOUT: &'static str = "List the runs of workflow files, the newest first";
    const EXAMPLE: &'static str = "windlass run list --status paused";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<Listed, Error> {
        let status = self.status.as_deref();
        let status = status
            .map(|text| word("status", text, RunStatus::ALL, RunStatus::as_str))
            .transpose()?;
        let at = self.machine.clone().zip(self.folder.clone());
        cx.read(|snapshot| {
            let task = self.task.as_deref().map(|task| snapshot.task_named(task)).transpose()?;
            let filter = RunFilter {
                status,
                at: at.clone(),
                task: task.map(|task| task.id),
                before: None,
                limit: self.limit,
            };
            let runs = snapshot.runs(&filter)?;
            let now = snapshot.now();
            Ok(Listed { runs: runs.iter().map(|kept| RunRow::of(&kept.run, now)).collect() })
        })
    }
}

impl Output for Listed {
    fn sheet(&self, now: Time) -> Sheet {
        if self.runs.is_empty() {
            return Sheet::line("no runs; start one: windlass run start FILE");
        }
        // Most runs wait for nobody, and then nobody needs room for it.
        let anybody = self.runs.iter().any(|run| run.waiting > 0);
        let waits_for = anybody.then_some("waits for");
        let columns: Vec<&'static str> = ["run", "status", "done"]
            .into_iter()
            .chain(waits_for)
            .chain(["when", "intent…"])
            .collect();
        let cells = |run: &RunRow| -> Vec<Cell> {
            let waits_for = anybody.then(|| run.waits_cell(now));
            run.standing().into_iter().chain(waits_for).chain(run.rest(now)).collect()
        };
        Sheet::default().and_table(&columns, self.runs.iter().map(cells).collect())
    }
}

/// Shows a run.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Show {
    /// The run; without one, the only run of the folder
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
}

impl Operation for Show {
    type Output = RunView;
    const NAME: &'static str = "run.show";
    const ABOUT: &'static str = "Show a run: its steps, what they came to, what it waits for";
    const EXAMPLE: &'static str = "windlass run show";
    const ACCESS: Access = Access::Read;

    fn run(&self, cx: &mut Context) -> Result<RunView, Error> {
        let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
        cx.read(|snapshot| {
            let now = snapshot.now();
            Ok(RunView::of(&target.find(snapshot)?.run, now))
        })
    }

    fn for_a_server(&self, cx: &mut Context) -> Result<Option<Self>, Error> {
        let target = Target::named(self.run.as_ref(), &self.target).chosen(cx)?;
        Ok(Some(Self { run: None, target }))
    }
}
