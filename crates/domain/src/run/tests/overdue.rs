//! Answers that do not come: when they are overdue, how often that is noticed, and who hears of it.

use super::scene::{
    GATED, LOW, REVIEWED, Scene, agent, approve, attested, enforced, imported, person, reject,
};
use crate::hook::{Asked, Question};
use crate::run::check::{CheckResult, Exhibit, Outcome, REVIEW};
use crate::run::edit::{OutsideEdits, outside_edit};
use crate::run::finish::Force;
use crate::run::reconcile::reconcile;
use crate::run::state::Run;
use crate::run::state_file::parse;
use crate::run::word::{Disposition, OutcomeWord, Reopen, RunStatus};
use crate::run::{gate, report, step};
use crate::{Kind, Time};

const WITHIN_4H: &str = "gate_timeout: 4h";
const PAGE: &str = "### 1. Draw\naction: x\nloop: false\nverify:\n  type: browser\n  \
                    url: http://localhost/\n  check: it looks right\n";

fn waiting(steps: &str) -> Scene {
    let mut scene = enforced(&format!("{LOW}\n{WITHIN_4H}"), steps);
    scene.done(1);
    assert_eq!(scene.run.waiting().len(), 1);
    scene
}

/// Looks, as anybody may; returns how many answers were noticed to be overdue.
fn look(scene: &mut Scene) -> usize {
    let events = gate::overdue(&scene.run, scene.now);
    let count = events.len();
    scene.record(events);
    count
}

#[test]
fn an_answer_is_overdue_after_its_time_and_noticed_once() {
    for steps in [GATED, REVIEWED] {
        let mut scene = waiting(steps);
        let since = scene.now;
        assert_eq!(scene.run.answer_due(), Some(later(since, 240)));
        scene.later(239);
        assert_eq!(look(&mut scene), 0);
        scene.later(1);
        assert_eq!(look(&mut scene), 1);
        scene.later(10_000);
        assert_eq!(look(&mut scene), 0);
        assert_eq!(scene.run.answer_due(), None);
        assert_eq!(scene.step(1).overdue_since, Some(later(since, 240)));
    }
}

fn later(time: Time, minutes: i64) -> Time {
    Time::from_millis(time.as_millis() + minutes * 60_000)
}

#[test]
fn a_gate_that_is_overdue_is_still_not_decided() {
    let mut scene = waiting(GATED);
    scene.later(300);
    look(&mut scene);
    assert_eq!(scene.status(), RunStatus::Paused);
    assert_eq!(scene.step(1).decided, None);
    scene.gate(1, &approve(), &person()).unwrap();
    scene.start(2).unwrap();
}

#[test]
fn an_answer_in_time_is_never_overdue() {
    for answer in [approve(), reject()] {
        let mut scene = waiting(GATED);
        scene.later(10);
        scene.gate(1, &answer, &person()).unwrap();
        scene.later(1_000);
        assert_eq!(look(&mut scene), 0);
        assert_eq!(scene.run.answer_due(), None);
    }
}

#[test]
fn a_gate_that_was_reopened_waits_anew() {
    let mut scene = waiting(GATED);
    scene.later(300);
    assert_eq!(look(&mut scene), 1);
    scene.gate(1, &approve(), &person()).unwrap();
    let then = Reopen::Decide;
    let decided = gate::reopen(&scene.run, 1, then, "wrong", &person(), scene.now);
    scene.take(decided).unwrap();
    assert_eq!(scene.run.waiting()[0].since, scene.now);
    assert_eq!(look(&mut scene), 0);
    scene.later(240);
    assert_eq!(look(&mut scene), 1);
}

#[test]
fn without_a_timeout_nothing_is_ever_overdue() {
    for front in [LOW.to_owned(), format!("{LOW}\ngate_timeout: never")] {
        let mut scene = enforced(&front, GATED);
        scene.done(1);
        scene.later(1_000_000);
        assert_eq!(look(&mut scene), 0);
        assert_eq!(scene.run.answer_due(), None);
    }
}

#[test]
fn the_file_wins_over_the_setting() {
    let set = |front: &str| {
        let mut started = super::scene::started(crate::run::word::Gates::Enforced, front, GATED);
        started.gate_timeout = Some(crate::duration::Span::parse("x", "1h").unwrap());
        Scene::of(started).run.gate_timeout.map(|span| span.to_string())
    };
    assert_eq!(set(LOW).as_deref(), Some("1h"));
    assert_eq!(set(&format!("{LOW}\n{WITHIN_4H}")).as_deref(), Some("4h"));
    assert_eq!(set(&format!("{LOW}\ngate_timeout: never")), None);
}

#[test]
fn where_gates_are_attested_only_a_review_is_waited_for() {
    let front = format!("{LOW}\n{WITHIN_4H}");
    for (steps, count) in [(GATED, 0), (REVIEWED, 1)] {
        let mut scene = attested(&front, steps);
        scene.done(1);
        scene.later(300);
        assert_eq!(look(&mut scene), count);
    }
}

/// A review that nobody answered; the run was ended without it.
fn given_up() -> Scene {
    let mut scene = waiting(REVIEWED);
    scene.finalize().unwrap();
    scene.finish(Disposition::Discarded, Force::No).unwrap();
    scene
}

#[test]
fn of_a_run_that_is_finished_nothing_is_waited_for_or_overdue() {
    let mut scene = given_up();
    assert_eq!(scene.status(), RunStatus::Blocked);
    assert_eq!((scene.run.waiting(), scene.run.answer_due()), (vec![], None));
    scene.later(300);
    assert_eq!(look(&mut scene), 0);
    assert_eq!(reconcile(&scene.run, scene.now).overdue, []);
}

#[test]
fn a_run_that_was_abandoned_waits_for_nobody() {
    let scene = waiting(GATED);
    let text = scene.run.state_text().unwrap().replace("\"paused\"", "\"abandoned\"");
    let event = imported(parse(&text).unwrap(), "/w", scene.run.gates);
    let run = Run::begun(scene.run.key, &event, scene.now).unwrap();
    assert_eq!((run.status(), run.waiting()), (RunStatus::Abandoned, vec![]));
}

#[test]
fn an_answer_that_comes_after_the_finish_makes_the_run_go_on() {
    let mut scene = given_up();
    scene.gate(1, &approve(), &person()).unwrap();
    assert_eq!(scene.status(), RunStatus::Running);
    assert_eq!(scene.run.finish, None);
}

#[test]
fn a_run_that_was_finished_while_it_was_stuck_waits_again_once_it_goes_on() {
    let mut scene = waiting(GATED);
    scene.block(2, "no wood").unwrap();
    scene.finish(Disposition::Kept, Force::No).unwrap();
    assert_eq!(scene.run.waiting(), []);
    scene.unblock(Some(2), &person()).unwrap();
    assert_eq!(scene.run.waiting().len(), 1);
}

#[test]
fn reconcile_and_the_report_name_what_is_overdue() {
    let mut scene = waiting(GATED);
    assert_eq!(reconcile(&scene.run, scene.now).overdue, []);
    scene.later(300);
    assert_eq!(reconcile(&scene.run, scene.now).overdue[0].step, 1);
    look(&mut scene);
    let events = scene.log.iter().map(|(event, at)| (event, *at));
    let told = report::replay(scene.run.key, None, events).unwrap();
    assert!(told.log.last().unwrap().ends_with("Gate Step 1: overdue (no answer within 4h)"));
}

#[test]
fn what_is_noticed_must_be_waited_for() {
    let mut scene = waiting(GATED);
    scene.later(300);
    let events = gate::overdue(&scene.run, scene.now);
    scene.record(events.clone());
    assert!(scene.run.fold(&events[0], scene.now).is_err());
}

#[test]
fn a_question_is_told_when_it_arises_and_when_it_is_overdue() {
    let mut scene = enforced(&format!("{LOW}\n{WITHIN_4H}"), GATED);
    let told = |scene: &mut Scene, act: &dyn Fn(&mut Scene)| {
        let (before, from) = (scene.run.clone(), scene.log.len());
        act(scene);
        let events: Vec<_> = scene.log[from..].iter().map(|(event, _)| event).collect();
        let arisen = Question::arisen(Some(&before), &events, &scene.run);
        arisen.into_iter().map(|(waiting, asked)| (waiting.on.subject(), asked)).collect::<Vec<_>>()
    };
    let looks = |scene: &mut Scene| {
        let _noticed = look(scene);
    };
    assert_eq!(told(&mut scene, &|scene| scene.start(1).unwrap()), []);
    let verify = |scene: &mut Scene| scene.verify(1).unwrap();
    assert_eq!(told(&mut scene, &verify), [("gate:1".to_owned(), Asked::Waiting)]);
    scene.later(300);
    assert_eq!(told(&mut scene, &looks), [("gate:1".to_owned(), Asked::Overdue)]);
    assert_eq!(told(&mut scene, &looks), []);
    let decide = |scene: &mut Scene| scene.gate(1, &approve(), &person()).unwrap();
    assert_eq!(told(&mut scene, &decide), []);
}

#[test]
fn a_gate_that_the_file_approves_and_one_that_is_answered_late_ask_nobody() {
    let mut scene = enforced(&format!("{LOW}\nauto_approve: true\n{WITHIN_4H}"), GATED);
    scene.start(1).unwrap();
    let before = scene.run.clone();
    scene.verify(1).unwrap();
    assert_eq!(Question::arisen(Some(&before), &[], &scene.run), []);

    let mut scene = waiting(GATED);
    scene.later(300);
    let (before, from) = (scene.run.clone(), scene.log.len());
    look(&mut scene);
    scene.gate(1, &approve(), &person()).unwrap();
    let events: Vec<_> = scene.log[from..].iter().map(|(event, _)| event).collect();
    assert_eq!(events[0].kind(), Kind::GateOverdue);
    assert_eq!(Question::arisen(Some(&before), &events, &scene.run), []);
}

/// Takes over the state file with another text in it; returns what hooks hear of.
fn adopt(scene: &mut Scene, from: &str, to: &str) -> Vec<Asked> {
    let text = scene.run.state_text().unwrap();
    assert!(text.contains(from), "{text}");
    let found = outside_edit(&scene.run, &text.replace(from, to), OutsideEdits::Adopt).unwrap();
    let before = scene.run.clone();
    scene.record(found.events);
    let edit = &scene.log.last().unwrap().0;
    let arisen = Question::arisen(Some(&before), &[edit], &scene.run);
    arisen.into_iter().map(|(_, asked)| asked).collect()
}

/// Waits from the middle of a second on, which a file cannot say, and is overdue.
fn overdue_between_seconds(steps: &str) -> Scene {
    let mut scene = enforced(&format!("{LOW}\n{WITHIN_4H}"), steps);
    scene.now = Time::from_millis(scene.now.as_millis() + 123);
    scene.done(1);
    scene.later(300);
    assert_eq!(look(&mut scene), 1);
    scene
}

#[test]
fn an_adopted_edit_of_something_else_leaves_a_wait_as_it_is() {
    for steps in [GATED, REVIEWED] {
        let mut scene = overdue_between_seconds(steps);
        let before = scene.run.waiting();
        assert_eq!(adopt(&mut scene, "try it", "try again"), []);
        assert_eq!(scene.run.waiting(), before);
        assert_eq!(look(&mut scene), 0);
    }
}

#[test]
fn a_wait_that_begins_with_an_adopted_edit_is_told_and_may_become_overdue() {
    let mut scene = overdue_between_seconds(REVIEWED);
    let reason = format!("{REVIEW}: is it blue?");
    let other = format!("{REVIEW}: is it red?");
    assert_eq!(adopt(&mut scene, &reason, &other), [Asked::Waiting]);
    assert_eq!(look(&mut scene), 0);
    scene.later(240);
    assert_eq!(look(&mut scene), 1);
}

#[test]
fn an_adopted_edit_of_when_a_step_was_done_makes_its_gate_wait_anew() {
    let mut scene = overdue_between_seconds(GATED);
    let done = "\"completed_at\": \"2026-11-15T09:30:00+00:00\"";
    let later = "\"completed_at\": \"2026-11-15T14:00:00+00:00\"";
    assert_eq!(adopt(&mut scene, done, later), [Asked::Waiting]);
    scene.later(300);
    assert_eq!(look(&mut scene), 1);
}

/// A page that a person has to look at, with its picture.
fn pictured() -> Scene {
    let mut scene = enforced(LOW, PAGE);
    scene.start(1).unwrap();
    let mut seen = CheckResult::new(0, Outcome::Undecided(format!("{REVIEW}: it looks right")));
    seen.stderr.text = "the page said: x is not defined".into();
    let path = "/w/.hotl/evidence/boat/step-1.png".to_owned();
    seen.exhibits.push(Exhibit { path, size_bytes: 9, sha256: None });
    let decided = step::verified(&scene.run, 1, 1, vec![seen], &agent(), scene.now);
    scene.take(decided).unwrap();
    scene
}

fn pictures(scene: &Scene) -> Vec<(OutcomeWord, usize)> {
    let evidence = crate::run::receipt::receipt(&scene.run).evidence;
    evidence[0].checks.iter().map(|check| (check.outcome, check.exhibits.len())).collect()
}

#[test]
fn a_page_that_is_left_to_a_person_keeps_its_picture_and_its_notes() {
    let mut scene = pictured();
    assert_eq!(pictures(&scene), [(OutcomeWord::Undecided, 1)]);
    let seen = scene.step(1).seen().next().unwrap();
    assert_eq!(seen.stderr.text, "the page said: x is not defined");
    scene.gate(1, &approve(), &person()).unwrap();
    assert_eq!(pictures(&scene), [(OutcomeWord::Passed, 1)]);
}

#[test]
fn a_picture_that_was_rejected_is_kept_until_the_step_is_tried_again() {
    let mut scene = pictured();
    scene.gate(1, &reject(), &person()).unwrap();
    assert_eq!(pictures(&scene), [(OutcomeWord::Failed, 1)]);
    scene.unblock(Some(1), &person()).unwrap();
    scene.retry(1).unwrap();
    assert_eq!(pictures(&scene), []);
}
