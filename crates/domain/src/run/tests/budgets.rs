//! Budgets: what stops a run, and what lets it go on.

use super::scene::{LOW, Scene, THREE, agent, attested, both, enforced, person, refused};
use crate::Code;
use crate::run::budget::{self, BudgetStatus};
use crate::run::file::Amount;
use crate::run::word::{Metric, RunStatus, StepStatus};

fn amount(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn spend(scene: &mut Scene, metric: Metric, text: &str) -> Result<(), crate::Refusal> {
    let decided = budget::record(&scene.run, metric, amount(text), &agent(), scene.now);
    scene.take(decided)
}

#[test]
fn a_start_beyond_the_attempts_of_all_steps_is_refused_and_pauses_the_run() {
    for mut scene in both(&format!("{LOW}\nmax_total_attempts: 1"), THREE) {
        scene.done(1);
        let (code, message) = refused(scene.start(2));
        assert_eq!(code, Code::BudgetExceeded);
        assert_eq!(message, "runtime budget total_attempts exceeded");
        assert_eq!(scene.status(), RunStatus::Paused);
        assert_eq!(scene.step_status(2), StepStatus::Pending);
        assert_eq!(scene.run.exceeded, [Metric::TotalAttempts]);
    }
}

#[test]
fn a_retry_spends_an_attempt_too() {
    let mut scene = attested(&format!("{LOW}\nmax_total_attempts: 1"), THREE);
    scene.start(1).unwrap();
    scene.fail(1);
    assert_eq!(refused(scene.retry(1)).0, Code::BudgetExceeded);
}

#[test]
fn the_start_after_a_retry_spends_nothing() {
    let mut scene = attested(&format!("{LOW}\nmax_total_attempts: 2"), THREE);
    scene.start(1).unwrap();
    scene.fail(1);
    scene.retry(1).unwrap();
    scene.start(1).unwrap();
    scene.verify(1).unwrap();
}

#[test]
fn start_and_verify_are_refused_when_the_time_is_over() {
    for mut scene in both(&format!("{LOW}\nmax_elapsed_minutes: 10"), THREE) {
        scene.start(1).unwrap();
        scene.later(10);
        let mut in_time = scene.clone();
        in_time.verify(1).unwrap();
        scene.later(1);
        let (code, message) = refused(scene.verify(1));
        assert_eq!(code, Code::BudgetExceeded);
        assert_eq!(message, "runtime budget elapsed_minutes exceeded");
        assert_eq!(scene.run.observed.elapsed_minutes, Amount::whole(11));
        in_time.later(5);
        assert_eq!(refused(in_time.start(2)).0, Code::BudgetExceeded);
    }
}

#[test]
fn a_clock_that_goes_back_does_not_give_time_back() {
    let mut scene = attested(&format!("{LOW}\nmax_elapsed_minutes: 10"), THREE);
    scene.later(5);
    scene.start(1).unwrap();
    scene.later(-60);
    scene.verify(1).unwrap();
    assert_eq!(scene.run.observed.elapsed_minutes, Amount::whole(5));
}

#[test]
fn a_raised_budget_lets_the_run_go_on() {
    let mut scene = enforced(&format!("{LOW}\nmax_total_attempts: 1"), THREE);
    scene.done(1);
    assert_eq!(refused(scene.start(2)).0, Code::BudgetExceeded);
    let raise = |scene: &Scene, caller: &crate::run::Caller, limit: &str| {
        let limit = amount(limit);
        let reason = "worth it";
        budget::raise_limit(&scene.run, Metric::TotalAttempts, limit, reason, caller, scene.now)
    };
    assert_eq!(raise(&scene, &agent(), "9").unwrap_err().code, Code::PersonRequired);
    assert_eq!(raise(&scene, &person(), "1").unwrap_err().code, Code::InvalidValue);
    let raised = raise(&scene, &person(), "9");
    scene.take(raised).unwrap();
    assert_eq!(scene.status(), RunStatus::Running);
    scene.start(2).unwrap();
}

#[test]
fn a_budget_without_a_limit_is_not_raised() {
    let scene = attested(LOW, THREE);
    let raised =
        budget::raise_limit(&scene.run, Metric::Agents, amount("3"), "why", &person(), scene.now);
    assert_eq!(raised.unwrap_err().code, Code::InvalidValue);
}

#[test]
fn what_is_reported_as_used_up_pauses_the_run() {
    for mut scene in both(&format!("{LOW}\nmax_cost_usd: 1.5"), THREE) {
        spend(&mut scene, Metric::CostUsd, "1.5").unwrap();
        assert_eq!(scene.status(), RunStatus::Running);
        spend(&mut scene, Metric::CostUsd, "1.6").unwrap();
        assert_eq!(scene.status(), RunStatus::Paused);
        assert_eq!(refused(scene.start(1)).0, Code::RunNotRunning);
    }
}

#[test]
fn what_is_reported_never_falls() {
    let mut scene = attested(LOW, THREE);
    spend(&mut scene, Metric::CostUsd, "2").unwrap();
    let (code, message) = refused(spend(&mut scene, Metric::CostUsd, "1"));
    assert_eq!(code, Code::InvalidValue);
    assert_eq!(message, "Budget observations are aggregate and cannot decrease (cost_usd: 2 -> 1)");
    assert_eq!(
        refused(spend(&mut scene, Metric::TotalAttempts, "1")).1,
        "Unsupported budget metric: total_attempts"
    );
}

#[test]
fn an_evaluation_tells_unset_unknown_within_and_exceeded_apart() {
    let front = format!("{LOW}\nmax_total_attempts: 5\nmax_agents: 1\nmax_cost_usd: 1");
    let mut scene = attested(&front, THREE);
    spend(&mut scene, Metric::Agents, "2").unwrap();
    let evaluation = budget::evaluate(&scene.run, scene.now);
    let found: Vec<BudgetStatus> =
        evaluation.metrics.iter().map(|measured| measured.status).collect();
    assert_eq!(
        found,
        [BudgetStatus::Within, BudgetStatus::Exceeded, BudgetStatus::Unknown, BudgetStatus::Unset]
    );
    assert!(!evaluation.within_budget && evaluation.has_unknown);
    assert_eq!(
        serde_json::to_value(evaluation.metrics[1]).unwrap(),
        serde_json::json!({"metric": "agents", "limit": 1, "observed": 2, "status": "exceeded"})
    );
}

#[test]
fn looking_at_budgets_records_only_what_changed() {
    let mut scene = attested(&format!("{LOW}\nmax_elapsed_minutes: 1"), THREE);
    assert_eq!(budget::check(&scene.run, &agent(), scene.now).unwrap(), []);
    scene.later(2);
    let checked = budget::check(&scene.run, &agent(), scene.now);
    scene.take(checked).unwrap();
    assert_eq!(scene.status(), RunStatus::Paused);
    assert_eq!(budget::check(&scene.run, &agent(), scene.now).unwrap(), []);
}

#[test]
fn looking_at_budgets_gives_no_attempt_back() {
    let mut scene = attested(&format!("{LOW}\nmax_total_attempts: 1"), THREE);
    scene.done(1);
    assert!(scene.start(2).is_err());
    assert_eq!(budget::check(&scene.run, &agent(), scene.now).unwrap(), []);
}

#[test]
fn a_budget_that_pauses_the_run_is_not_said_to_be_within() {
    let mut scene = attested(&format!("{LOW}\nmax_total_attempts: 1"), THREE);
    scene.done(1);
    assert!(scene.start(2).is_err());
    let evaluation = budget::evaluate(&scene.run, scene.now);
    assert_eq!(evaluation.metrics[0].status, BudgetStatus::Exceeded);
    assert!(!evaluation.within_budget);
}
