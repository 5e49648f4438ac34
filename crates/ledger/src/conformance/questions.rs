//! Questions of runs to people: hooks hear of them when they arise and when the answer is overdue,
//! once each.

use serde_json::Value;
use windlass_domain::duration::Span;
use windlass_domain::event::HookEnqueued;
use windlass_domain::hook::{Hook, State, Trigger};
use windlass_domain::run::check::{CheckResult, Outcome};
use windlass_domain::run::event::{RunStarted, Tie};
use windlass_domain::run::gate::{self, Answer};
use windlass_domain::run::word::{Authority, Decision, Door, Mode, Reopen};
use windlass_domain::run::{Caller, step};
use windlass_domain::{Event, RunKey, TaskId, Time};

use super::hooks::{all, define, hook};
use super::outbox::{LOCK_FOR, claims, failed, settle};
use super::runs::started;
use super::{Bed, on_both};
use crate::{Claimed, Clock as _, KeptRun, Sent};

on_both! {
    a_question_is_told_when_it_arises
    an_overdue_answer_is_recorded_and_told_once
    the_next_answer_that_is_due_is_known
    an_answer_in_time_is_never_overdue
    many_runs_are_noticed_part_by_part
    a_gate_that_was_reopened_waits_anew
    a_hook_for_a_project_or_a_tag_hears_of_runs_with_such_a_task_only
    a_bound_caller_notices_what_is_elsewhere_too
    a_rebuild_keeps_what_is_due_and_what_was_told
    a_question_that_was_answered_is_discarded_instead_of_sent
    what_is_told_of_a_run_is_sent_in_its_order
    what_is_told_of_other_runs_does_not_wait
}

const FOUR_HOURS: i64 = 4 * 3_600_000;

fn timed(run: &str) -> RunStarted {
    let gate_timeout = Some(Span::from_millis(FOUR_HOURS));
    RunStarted { gate_timeout, ..started(run, &format!("/trees/{run}")) }
}

fn agent() -> Caller {
    Caller {
        name: "worker-1".into(),
        is_named: true,
        authority: Authority::Attested,
        door: Door::Own,
        token_sha256: None,
    }
}

fn person() -> Caller {
    Caller {
        name: "ada".into(),
        is_named: false,
        authority: Authority::Terminal,
        door: Door::Own,
        token_sha256: None,
    }
}

/// A run whose first step is done, and waits for its gate.
fn asking(bed: &mut Bed, begun: &RunStarted) -> RunKey {
    let results = || {
        let passed = CheckResult::new(0, Outcome::Passed);
        vec![CheckResult { exit_code: Some(0), ..passed }]
    };
    bed.write(|tx| {
        let kept = tx.begin_run(begun.clone())?;
        let events = step::start(&kept.run, 1, &agent(), tx.now()).unwrap();
        let kept = tx.record_run(&kept, events)?;
        let events = step::verified(&kept.run, 1, 1, results(), &agent(), tx.now())?;
        Ok(tx.record_run(&kept, events)?.run.key)
    })
    .unwrap()
}

fn change(
    bed: &mut Bed,
    key: RunKey,
    decide: impl Fn(&KeptRun, Time) -> Vec<windlass_domain::event::RunEvent>,
) {
    bed.write(|tx| {
        let kept = tx.run(key)?.unwrap();
        let events = decide(&kept, tx.now());
        tx.record_run(&kept, events)
    })
    .unwrap();
}

fn approve(bed: &mut Bed, key: RunKey) {
    let answer = Answer { decision: Decision::Approved, mode: Mode::Human, reason: None };
    change(bed, key, |kept, now| gate::decide(&kept.run, 1, &answer, &person(), now).unwrap());
}

fn notice(bed: &mut Bed) -> u64 {
    bed.write(|tx| Ok(tx.notice_overdue(100)?)).unwrap()
}

fn due(bed: &mut Bed) -> Option<Time> {
    bed.ledger.read(|snapshot| Ok(snapshot.next_answer_due()?)).unwrap()
}

/// What hooks were told, oldest first.
fn told(bed: &mut Bed) -> Vec<HookEnqueued> {
    let mut deliveries = all(bed);
    deliveries.reverse();
    let mut data = |seq: u64| {
        let event = bed.ledger.read(|snapshot| Ok(snapshot.events_after(seq - 1, 1)?)).unwrap();
        let Some(Event::HookEnqueued(data)) = event[0].event().unwrap() else { panic!() };
        data
    };
    deliveries.iter().map(|tracked| data(tracked.delivery.enqueued_seq)).collect()
}

fn states(bed: &mut Bed) -> Vec<String> {
    let state = |data: &HookEnqueued| data.payload["state"].as_str().unwrap().to_owned();
    told(bed).iter().map(state).collect()
}

fn a_question_is_told_when_it_arises(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    define(bed, hook("on_done", Trigger::OnDone));
    let key = asking(bed, &timed("boat-1"));
    let [said] = &told(bed)[..] else { panic!() };
    assert_eq!((said.task, said.run, said.hook.as_str()), (None, Some(key), "on_gate"));
    let payload = &said.payload;
    assert_eq!(payload["state"], "waiting");
    assert_eq!(payload["run"], key.to_string());
    assert_eq!(payload["run_id"], "boat-1");
    assert_eq!((&payload["step"], &payload["name"]), (&Value::from(1), &Value::from("Büild")));
    assert_eq!(payload["question"], "step 1 is done: Büild. May the run go on?");
    assert_eq!(payload["folder"], "/trees/boat-1");
    assert_eq!((&payload["task"], &payload["overdue_since"]), (&Value::Null, &Value::Null));
    let delivery = &all(bed)[0].delivery;
    assert_eq!((delivery.task, delivery.run), (None, Some(key)));
}

fn an_overdue_answer_is_recorded_and_told_once(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    let key = asking(bed, &timed("boat-1"));
    bed.clock.advance(FOUR_HOURS - 1_000);
    assert_eq!(notice(bed), 0);
    bed.clock.advance(1_000);
    assert_eq!((notice(bed), notice(bed)), (1, 0));
    assert_eq!(states(bed), ["waiting", "overdue"]);
    let kept = bed.ledger.read(|snapshot| Ok(snapshot.run(key)?.unwrap())).unwrap();
    let since = kept.run.waiting()[0].since;
    let payload = told(bed).pop().unwrap().payload;
    assert_eq!(payload["waiting_since"], since.to_string());
    assert_eq!(payload["overdue_since"], since.plus(Span::from_millis(FOUR_HOURS)).to_string());
    assert_eq!(payload["gate_timeout"], "4h");
}

fn the_next_answer_that_is_due_is_known(bed: &mut Bed) {
    assert_eq!(due(bed), None);
    asking(bed, &started("boat-0", "/never"));
    assert_eq!(due(bed), None);
    let first = asking(bed, &timed("boat-1"));
    let at = due(bed).unwrap();
    bed.clock.advance(60_000);
    asking(bed, &timed("boat-2"));
    assert_eq!(due(bed), Some(at));
    approve(bed, first);
    assert_eq!(due(bed), Some(at.plus(Span::from_millis(60_000))));
}

fn an_answer_in_time_is_never_overdue(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    let key = asking(bed, &timed("boat-1"));
    approve(bed, key);
    bed.clock.advance(2 * FOUR_HOURS);
    assert_eq!((notice(bed), due(bed)), (0, None));
    assert_eq!(states(bed), ["waiting"]);
}

fn many_runs_are_noticed_part_by_part(bed: &mut Bed) {
    for number in 0..5 {
        asking(bed, &timed(&format!("boat-{number}")));
    }
    bed.clock.advance(FOUR_HOURS);
    let part = |bed: &mut Bed| bed.write(|tx| Ok(tx.notice_overdue(2)?)).unwrap();
    assert_eq!([part(bed), part(bed), part(bed), part(bed)], [2, 2, 1, 0]);
}

fn a_gate_that_was_reopened_waits_anew(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    let key = asking(bed, &timed("boat-1"));
    bed.clock.advance(FOUR_HOURS);
    notice(bed);
    approve(bed, key);
    let reopened = |kept: &KeptRun, now| {
        gate::reopen(&kept.run, 1, Reopen::Decide, "wrong", &person(), now).unwrap()
    };
    change(bed, key, reopened);
    assert_eq!(notice(bed), 0);
    bed.clock.advance(FOUR_HOURS);
    assert_eq!(notice(bed), 1);
    assert_eq!(states(bed), ["waiting", "overdue", "waiting", "overdue"]);
}

fn a_hook_for_a_project_or_a_tag_hears_of_runs_with_such_a_task_only(bed: &mut Bed) {
    let on = |name: &str| hook(name, Trigger::OnGate);
    define(bed, on("all"));
    define(bed, Hook { projects: vec!["api".into()], ..on("api") });
    define(bed, Hook { projects: vec!["web".into()], ..on("web") });
    define(bed, Hook { tags: vec!["boat".into()], ..on("boat") });
    let project = bed.project("api");
    bed.project("web");
    let task: TaskId = bed.add(project, |task| task.tags = vec!["boat".into()]);
    asking(bed, &timed("boat-1"));
    asking(bed, &RunStarted { tie: Some(Tie { task, fence: 1 }), ..timed("boat-2") });
    let heard = told(bed);
    let names: Vec<&str> = heard.iter().map(|data| data.hook.as_str()).collect();
    assert_eq!(names, ["all", "all", "api", "boat"]);
    assert_eq!((heard[0].task, heard[1].task), (None, Some(task)));
    assert_eq!(heard[1].payload["task"]["project"], "api");
}

fn a_bound_caller_notices_what_is_elsewhere_too(bed: &mut Bed) {
    let project = bed.project("api");
    asking(bed, &timed("boat-1"));
    bed.clock.advance(FOUR_HOURS);
    let noticed = bed.write(|tx| {
        tx.bound_to(&[project]);
        Ok(tx.notice_overdue(10)?)
    });
    assert_eq!(noticed.unwrap(), 1);
}

fn a_rebuild_keeps_what_is_due_and_what_was_told(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    asking(bed, &timed("boat-1"));
    bed.clock.advance(FOUR_HOURS);
    notice(bed);
    asking(bed, &timed("boat-2"));
    let before = due(bed);
    assert_eq!(bed.ledger.rebuild().unwrap().differences, Vec::new());
    assert_eq!(due(bed), before);
    assert_eq!(states(bed), ["waiting", "overdue", "waiting"]);
}

fn a_question_that_was_answered_is_discarded_instead_of_sent(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    let key = asking(bed, &timed("boat-1"));
    approve(bed, key);
    let found = claims(bed, "w", 9);
    assert_eq!((found.claimed.len(), found.answered), (0, 1));
    let delivery = &all(bed)[0].delivery;
    assert_eq!(delivery.state, State::Discarded);
    assert_eq!(delivery.error.as_deref(), Some("it was answered before it was sent"));
}

/// The states of the waits that a worker gets to tell of.
fn claimed_states(claimed: &[Claimed]) -> Vec<String> {
    let payload = |one: &Claimed| serde_json::from_str::<Value>(&one.payload).unwrap();
    claimed.iter().map(|one| payload(one)["state"].as_str().unwrap().to_owned()).collect()
}

fn what_is_told_of_a_run_is_sent_in_its_order(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    asking(bed, &timed("boat-1"));
    bed.clock.advance(FOUR_HOURS);
    notice(bed);
    let first = claims(bed, "w", 9).claimed;
    assert_eq!(claimed_states(&first), ["waiting"]);
    assert_eq!(claims(bed, "other", 9).claimed, []);
    settle(bed, &first[0], failed("no answer"));
    let due = bed.ledger.read(|snapshot| Ok(snapshot.next_hook_due(LOCK_FOR)?)).unwrap().unwrap();
    assert!(due > bed.clock.now(), "the second waits for the first");
    bed.clock.advance(due.millis_since(bed.clock.now()));
    let again = claims(bed, "w", 9).claimed;
    assert_eq!(claimed_states(&again), ["waiting"]);
    settle(bed, &again[0], Sent::Delivered);
    assert_eq!(claimed_states(&claims(bed, "w", 9).claimed), ["overdue"]);
}

fn what_is_told_of_other_runs_does_not_wait(bed: &mut Bed) {
    define(bed, hook("on_gate", Trigger::OnGate));
    define(bed, hook("other", Trigger::OnGate));
    asking(bed, &timed("boat-1"));
    asking(bed, &timed("boat-2"));
    assert_eq!(claims(bed, "w", 9).claimed.len(), 4);
}
