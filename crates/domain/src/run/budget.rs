//! Budgets: what a run may use up, and what happens when it has.

use serde::{Deserialize, Serialize};

use super::caller::{Caller, Denied};
use super::event::{BudgetChecked, BudgetRaised, BudgetRecorded};
use super::file::Amount;
use super::state::Run;
use super::step::given;
use super::word::Metric;
use crate::event::RunEvent;
use crate::{Code, Refusal, Time};

/// What is known of all budgets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    pub metrics: Vec<Measured>,
    pub within_budget: bool,
    pub has_unknown: bool,
}

/// What is known of one budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Measured {
    pub metric: Metric,
    pub limit: Option<Amount>,
    pub observed: Option<Amount>,
    pub status: BudgetStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetStatus {
    Unset,
    /// There is a limit, and nobody said how much is used up.
    Unknown,
    Within,
    Exceeded,
}

impl BudgetStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unset => "unset",
            Self::Unknown => "unknown",
            Self::Within => "within",
            Self::Exceeded => "exceeded",
        }
    }
}

impl Run {
    /// Every budget, with attempts and minutes added that are about to be used.
    pub(super) fn measured(&self, more_attempts: u64, elapsed_minutes: u64) -> Vec<Measured> {
        let measure = |metric: Metric| {
            let elapsed = self.observed.elapsed_minutes.max(Amount::whole(elapsed_minutes));
            let (limit, observed) = match metric {
                Metric::TotalAttempts => {
                    let attempts = Amount::whole(self.attempts() + more_attempts);
                    (self.limits.total_attempts, attempts)
                }
                Metric::Agents => (self.limits.agents, self.observed.agents),
                Metric::CostUsd => (self.limits.cost_usd, self.observed.cost_usd),
                Metric::ElapsedMinutes => (self.limits.elapsed_minutes, elapsed),
            };
            let status = match (limit, observed) {
                (None, _) => BudgetStatus::Unset,
                (Some(_), None) => BudgetStatus::Unknown,
                (Some(limit), Some(observed)) if observed > limit => BudgetStatus::Exceeded,
                (Some(_), Some(_)) => BudgetStatus::Within,
            };
            Measured { metric, limit, observed, status }
        };
        Metric::ALL.iter().copied().map(measure).collect()
    }

    /// The budgets that are used up.
    pub(super) fn used_up(&self, more_attempts: u64, elapsed_minutes: u64) -> Vec<Metric> {
        exceeded(&self.measured(more_attempts, elapsed_minutes))
    }

    /// Stops a transition that the budgets do not allow, and pauses the run.
    pub(super) fn must_afford(&self, more_attempts: u64, now: Time) -> Result<(), Denied> {
        let elapsed_minutes = self.elapsed_minutes(now);
        let exceeded = self.used_up(more_attempts, elapsed_minutes);
        if exceeded.is_empty() {
            return Ok(());
        }
        let refusal = self
            .refusal(Code::BudgetExceeded, format!("runtime budget {} exceeded", named(&exceeded)))
            .hint(raise(self, &exceeded))
            .detail("exceeded_budgets", &exceeded);
        let event = BudgetChecked { exceeded, elapsed_minutes, stopped: true };
        Err(Denied::Stopped(Box::new(event.into()), refusal))
    }
}

fn exceeded(metrics: &[Measured]) -> Vec<Metric> {
    let over = metrics.iter().filter(|measured| measured.status == BudgetStatus::Exceeded);
    over.map(|measured| measured.metric).collect()
}

/// Their names, as a report has them.
pub(super) fn named(metrics: &[Metric]) -> String {
    metrics.iter().map(|metric| metric.as_str()).collect::<Vec<_>>().join(", ")
}

fn raise(run: &Run, exceeded: &[Metric]) -> String {
    let metric = exceeded.first().map_or("METRIC", |metric| metric.as_str());
    format!("raise it: {}", run.command(format_args!("budget raise {metric} LIMIT --reason TEXT")))
}

/// What is known of all budgets now. One that pauses the run is used up, also where the attempt that
/// was refused is not counted.
pub fn evaluate(run: &Run, now: Time) -> Evaluation {
    let mut metrics = run.measured(0, run.elapsed_minutes(now));
    for measured in metrics.iter_mut().filter(|measured| run.exceeded.contains(&measured.metric)) {
        measured.status = BudgetStatus::Exceeded;
    }
    Evaluation {
        within_budget: exceeded(&metrics).is_empty(),
        has_unknown: metrics.iter().any(|measured| measured.status == BudgetStatus::Unknown),
        metrics,
    }
}

/// Looks at all budgets, and records what changed.
pub fn check(run: &Run, caller: &Caller, now: Time) -> Result<Vec<RunEvent>, Refusal> {
    run.admit(caller, now)?;
    let elapsed_minutes = run.elapsed_minutes(now);
    let mut exceeded = run.used_up(0, elapsed_minutes);
    // An attempt that was refused was not counted, and still there are none left.
    if run.exceeded.contains(&Metric::TotalAttempts) && !exceeded.contains(&Metric::TotalAttempts) {
        exceeded.insert(0, Metric::TotalAttempts);
    }
    if exceeded == run.exceeded {
        return Ok(Vec::new());
    }
    Ok(vec![BudgetChecked { exceeded, elapsed_minutes, stopped: false }.into()])
}

/// Somebody says how much is used up. It only grows.
pub fn record(
    run: &Run,
    metric: Metric,
    observed: Amount,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    run.admit(caller, now)?;
    let before = match metric {
        Metric::TotalAttempts => {
            return Err(run
                .refusal(Code::InvalidValue, format!("Unsupported budget metric: {metric}"))
                .hint("attempts are counted by the run; record agents, cost_usd or elapsed_minutes")
                .detail("field", "metric")
                .detail("given", metric));
        }
        Metric::Agents => run.observed.agents,
        Metric::CostUsd => run.observed.cost_usd,
        Metric::ElapsedMinutes => run.observed.elapsed_minutes,
    };
    if let Some(before) = before.filter(|before| *before > observed) {
        let message = format!(
            "Budget observations are aggregate and cannot decrease ({metric}: {before} -> \
             {observed})"
        );
        return Err(run
            .refusal(Code::InvalidValue, message)
            .hint("give the sum over the whole run")
            .detail("field", metric.as_str())
            .detail("observed", before));
    }
    Ok(vec![BudgetRecorded { metric, observed }.into()])
}

/// Sets a higher limit, so that the run can go on.
pub fn raise_limit(
    run: &Run,
    metric: Metric,
    limit: Amount,
    reason: &str,
    caller: &Caller,
    now: Time,
) -> Result<Vec<RunEvent>, Refusal> {
    let reason = given(run, reason, "--reason is required for budget raise")?;
    run.admit_overseer(caller, now)?;
    run.need_person(caller, "a higher budget")?;
    let before = match metric {
        Metric::TotalAttempts => run.limits.total_attempts,
        Metric::Agents => run.limits.agents,
        Metric::CostUsd => run.limits.cost_usd,
        Metric::ElapsedMinutes => run.limits.elapsed_minutes,
    };
    match before {
        Some(before) if before < limit => {}
        Some(before) => {
            return Err(run
                .refusal(Code::InvalidValue, format!("{metric} may be {before} already"))
                .hint(format!("give more than {before}"))
                .detail("field", metric.as_str())
                .detail("limit", before));
        }
        None => {
            return Err(run
                .refusal(Code::InvalidValue, format!("{metric} has no limit to raise"))
                .hint(format!("see the budgets: {}", run.command("budget check")))
                .detail("field", metric.as_str()));
        }
    }
    let (by, authority) = (caller.name.clone(), caller.authority);
    Ok(vec![BudgetRaised { metric, limit, reason, by, authority }.into()])
}
