//! What a run waits for: what it is, what is asked, and the commands that answer it.

use super::scene::{
    GATED, LOW, REVIEWED, Scene, THREE, agent, approve, attested, both, enforced, person, refused,
};
use crate::Code;
use crate::hook::{Asked, Question};
use crate::run::action::{self, Requested};
use crate::run::budget;
use crate::run::file::Amount;
use crate::run::waiting::Waiting;
use crate::run::word::{ActionKind, EffectStatus, Metric, RunStatus};

#[track_caller]
fn request(scene: &mut Scene) {
    let kind = ActionKind::ExternalWrite;
    let asked = action::request(&scene.run, kind, "publish v2", None, &agent(), scene.now);
    let Requested::Now(events) = asked.unwrap() else { panic!("it is new") };
    scene.record(events);
}

/// An action that was begun, and of which nobody knows what came.
fn uncertain(scene: &mut Scene) {
    request(scene);
    let decided = action::decide(&scene.run, "action-1", &approve(), &person(), scene.now);
    scene.take(decided).unwrap();
    let key = scene.run.actions[0].idempotency_key.clone().unwrap();
    let begun = action::begin(&scene.run, "action-1", &key, &agent(), scene.now);
    scene.take(begun).unwrap();
    let outcome = EffectStatus::Uncertain;
    let ended = action::complete(&scene.run, "action-1", outcome, "log", &agent(), scene.now);
    scene.take(ended).unwrap();
}

fn spend(scene: &mut Scene, text: &str) {
    let cost = Amount::parse(text).unwrap();
    let spent = budget::record(&scene.run, Metric::CostUsd, cost, &agent(), scene.now);
    scene.take(spent).unwrap();
}

fn spent(front: &str) -> Scene {
    let mut scene = enforced(&format!("{LOW}\n{front}"), THREE);
    spend(&mut scene, "1.6");
    scene
}

#[track_caller]
fn only(scene: &Scene) -> Waiting {
    let mut waiting = scene.run.waiting();
    assert_eq!((waiting.len(), scene.status()), (1, RunStatus::Paused));
    waiting.remove(0)
}

/// What is waited for, what is asked, and the first way to answer, without the run's name.
#[track_caller]
fn told(scene: &Scene) -> [String; 3] {
    let Waiting { on, .. } = only(scene);
    let way = on.ways(&scene.run).remove(0);
    let way = way.replace(&format!(" --run-id {}", scene.run.name), "");
    [on.title(), on.question(&scene.run), way.replace("windlass run ", "")]
}

#[test]
fn a_gate_asks_whether_the_run_may_go_on() {
    let mut scene = enforced(LOW, GATED);
    scene.done(1);
    let asked = "step 1 is done: Plan. May the run go on?";
    assert_eq!(told(&scene), ["gate of step 1", asked, "gate 1 approved"]);
}

#[test]
fn a_review_asks_its_own_question() {
    let mut scene = enforced(LOW, REVIEWED);
    scene.done(1);
    assert_eq!(told(&scene), ["review of step 1", "is it blue?", "gate 1 approved"]);
}

#[test]
fn an_action_that_can_do_harm_asks_whether_it_may_be_done() {
    for mut scene in both(LOW, THREE) {
        request(&mut scene);
        let asked = "may this be done (external write): publish v2";
        assert_eq!(told(&scene), ["action-1", asked, "action decide action-1 approved"]);
    }
}

#[test]
fn an_action_of_which_nobody_is_sure_asks_what_came_of_it() {
    let mut scene = attested(LOW, THREE);
    uncertain(&mut scene);
    let way = "action reconcile action-1 succeeded --evidence-ref TEXT";
    assert_eq!(told(&scene), ["outcome of action-1", "what came of it: publish v2", way]);
}

#[test]
fn a_budget_that_is_used_up_says_how_much_of_it() {
    let asked = "1.6 of 1.5 used. May the run use more?";
    let way = "budget raise cost_usd LIMIT --reason TEXT";
    assert_eq!(told(&spent("max_cost_usd: 1.5")), ["budget cost_usd", asked, way]);
}

#[test]
fn an_attempt_that_was_refused_is_not_counted_and_still_waited_for() {
    let mut scene = enforced(&format!("{LOW}\nmax_total_attempts: 1"), THREE);
    scene.done(1);
    assert_eq!(refused(scene.start(2)).0, Code::BudgetExceeded);
    assert_eq!(told(&scene)[1], "1 of 1 used. May the run use more?");
}

#[test]
fn a_budget_is_used_up_since_it_was_whatever_happened_then() {
    let mut scene = spent("max_cost_usd: 1.5");
    let since = scene.now;
    scene.later(5);
    spend(&mut scene, "2");
    assert_eq!(only(&scene).since, since);
}

#[test]
fn a_step_that_may_not_start_is_told_what_the_run_waits_for() {
    let mut scene = spent("max_cost_usd: 1.5");
    let refusal = scene.start(1).unwrap_err();
    assert_eq!(refusal.code, Code::RunNotRunning);
    let way = scene.run.command("budget raise cost_usd LIMIT --reason TEXT");
    assert_eq!(refusal.hint, Some(format!("decide it: {way}")));
    assert_eq!(refusal.details["waiting"][0]["waits_for"], "budget");
}

#[test]
fn hooks_hear_once_of_an_action_and_of_a_budget() {
    let mut scene = enforced(&format!("{LOW}\nmax_cost_usd: 1.5"), THREE);
    let mut heard = Vec::new();
    let acts: [fn(&mut Scene); 3] =
        [request, |scene| spend(scene, "1.6"), |scene| spend(scene, "1.7")];
    for act in acts {
        let before = scene.run.clone();
        act(&mut scene);
        let arisen = Question::arisen(Some(&before), &[], &scene.run);
        heard.extend(arisen.into_iter().map(|(waiting, asked)| (waiting.on.subject(), asked)));
    }
    let expected = ["action:action-1", "budget:cost_usd"];
    assert_eq!(heard, expected.map(|subject| (subject.to_owned(), Asked::Waiting)));
}
