//! `run budget …`: how much a run may use up.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_domain::Time;
use windlass_domain::run::Run;
use windlass_domain::run::budget::{self, BudgetStatus, evaluate};
use windlass_domain::run::file::Amount;
use windlass_domain::run::word::Metric;
use windlass_domain::{Code, Refusal};
use windlass_ledger::Error;

use super::change::{Act, Doer, Whereabouts, word};
use super::mirror;
use super::steps::run_operation;
use super::target::Target;
use super::waiting::{WaitingView, answers};
use crate::context::Context;
use crate::operation::{Access, Operation, Output};
use crate::sheet::{Cell, Sheet, Tone};

/// The budgets of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Budgets {
    #[serde(flatten)]
    pub whereabouts: Whereabouts,
    pub metrics: Vec<Metered>,
    pub within_budget: bool,
    /// There is a limit of which nobody said how much is used up.
    pub has_unknown: bool,
    /// How far the run has come.
    pub run_status: String,
    /// The commands that raise what is used up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<String>,
}

/// One budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metered {
    pub metric: String,
    #[schemars(with = "Option<f64>")]
    pub limit: Option<Amount>,
    #[schemars(with = "Option<f64>")]
    pub observed: Option<Amount>,
    /// unset, unknown, within or exceeded.
    #[schemars(with = "String")]
    pub status: BudgetStatus,
}

impl Budgets {
    fn of(run: &Run, now: Time) -> Self {
        let evaluation = evaluate(run, now);
        let metered = |measured: &budget::Measured| Metered {
            metric: measured.metric.to_string(),
            limit: measured.limit,
            observed: measured.observed,
            status: measured.status,
        };
        Self {
            whereabouts: Whereabouts::of(run),
            metrics: evaluation.metrics.iter().map(metered).collect(),
            within_budget: evaluation.within_budget,
            has_unknown: evaluation.has_unknown,
            run_status: run.status().to_string(),
            ways: WaitingView::ways(run, |on| on.budget().is_some()),
        }
    }

    fn mirror(&self, cx: &mut Context) {
        mirror::write(cx, &self.whereabouts);
    }
}

impl Output for Budgets {
    fn sheet(&self, _now: Time) -> Sheet {
        let amount = |amount: &Option<Amount>| {
            amount.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string)
        };
        let row = |metered: &Metered| {
            let tone =
                if metered.status == BudgetStatus::Exceeded { Tone::Bad } else { Tone::Plain };
            vec![
                metered.metric.replace('_', " ").into(),
                amount(&metered.observed).into(),
                amount(&metered.limit).into(),
                Cell::toned(metered.status.as_str(), tone),
            ]
        };
        let rows = self.metrics.iter().map(row).collect();
        let Self { whereabouts, run_status, .. } = self;
        let sheet = Sheet::default()
            .and_table(&["budget", "used", "limit", "status"], rows)
            .and_line(Cell::dim(format!("run {} is {run_status}", whereabouts.run_id)));
        answers(sheet, &self.ways)
    }
}

fn amount(field: &str, text: &str) -> Result<Amount, Refusal> {
    Amount::parse(text).ok_or_else(|| {
        Refusal::new(Code::InvalidValue, format!("{field} '{text}' is not a number from 0"))
            .hint("give a number such as 3 or 1.5")
            .detail("field", field)
            .detail("given", text)
    })
}

/// Looks at the budgets of a run, and pauses it if one is used up.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BudgetCheck {
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for BudgetCheck {
    type Output = Budgets;
    const NAME: &'static str = "run.budget.check";
    const ABOUT: &'static str = "Look at the budgets of a run; one that is used up pauses it";
    const EXAMPLE: &'static str = "windlass run budget check";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Budgets, Error> {
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| Ok(budget::check(run, caller, now)?),
            |_, run, now| Ok(Budgets::of(run, now)),
        )
    }

    run_operation!();
}

/// Reports how much of a budget is used up.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct BudgetRecord {
    /// agents, `cost_usd` or `elapsed_minutes`
    pub metric: String,
    /// How much, in all
    #[arg(allow_negative_numbers = true)]
    pub observed: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for BudgetRecord {
    type Output = Budgets;
    const NAME: &'static str = "run.budget.record";
    const ABOUT: &'static str = "Report how much of a budget is used up";
    const EXAMPLE: &'static str = "windlass run budget record cost_usd 1.5";
    const ACCESS: Access = Access::Write;

    fn run(&self, cx: &mut Context) -> Result<Budgets, Error> {
        let metric = word("metric", &self.metric, Metric::ALL, Metric::as_str)?;
        let observed = amount("observed", &self.observed)?;
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| Ok(budget::record(run, metric, observed, caller, now)?),
            |_, run, now| Ok(Budgets::of(run, now)),
        )
    }

    run_operation!();
}

/// Raises a budget.
#[derive(Debug, Clone, Args, Serialize, Deserialize, JsonSchema)]
pub struct BudgetRaise {
    /// `total_attempts`, agents, `cost_usd` or `elapsed_minutes`
    pub metric: String,
    /// The new limit
    #[arg(allow_negative_numbers = true)]
    pub limit: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub target: Target,
    #[command(flatten)]
    #[serde(flatten)]
    pub doer: Doer,
}

impl Operation for BudgetRaise {
    type Output = Budgets;
    const NAME: &'static str = "run.budget.raise";
    const ABOUT: &'static str = "Raise a budget of a run, so that it can go on";
    const EXAMPLE: &'static str =
        "windlass run budget raise total_attempts 20 --reason \"nearly there\"";
    const ACCESS: Access = Access::Approve;

    fn run(&self, cx: &mut Context) -> Result<Budgets, Error> {
        let metric = word("metric", &self.metric, Metric::ALL, Metric::as_str)?;
        let limit = amount("limit", &self.limit)?;
        Act { target: &self.target, doer: &self.doer }.record(
            cx,
            |run, caller, now| {
                Ok(budget::raise_limit(run, metric, limit, &self.reason, caller, now)?)
            },
            |_, run, now| Ok(Budgets::of(run, now)),
        )
    }

    run_operation!();
}
