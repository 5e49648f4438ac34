//! The processing contract, step by step.

use std::fs;

use serde_json::{Value, json};
use windlass_domain::Time;
use windlass_domain::duration::Span;
use windlass_domain::hook::{Hook, State};
use windlass_ledger::{Clock as _, Tracked, Waiting};
use windlass_testkit::barrier::start_together;
use windlass_testkit::receiver::{Answer, Receiver};
use windlass_testkit::wait;
use windlass_tests::ledgers::{Ledger, error_of, text};

use crate::outbox::{HOUR, MINUTE, Outbox, SECOND, command, figures, url};

/// The gaps between attempts, before each is made up to a fifth shorter or longer.
const GAPS: [i64; 4] = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];
const DAY: i64 = 24 * HOUR;

/// How its attempts go.
#[track_caller]
fn waiting(tracked: &Tracked) -> &Waiting {
    tracked.waiting.as_ref().unwrap()
}

/// Fails the one delivery there is, once more; returns when it is due next.
#[track_caller]
fn fail_once(outbox: &Outbox) -> Option<Time> {
    let drained = outbox.drain();
    assert_eq!(drained["attempted"], 1, "{drained}");
    outbox.delivery().waiting.map(|waiting| waiting.next_attempt_at)
}

// Where it goes

#[test]
fn a_transition_is_posted_to_the_url_row_c2() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1");
    let requests = receiver.received();
    assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/hook"));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    let said: Value = serde_json::from_str(&requests[0].body).unwrap();
    assert_eq!(
        (&said["task"]["title"], &said["transition"]["to"]),
        (&json!("task 0"), &json!("done"))
    );
    let id = outbox.delivery().delivery.id.to_string();
    assert_eq!(requests[0].header("webhook-id"), Some(id.as_str()));
}

#[test]
fn a_transition_is_given_to_a_command_row_c3() {
    let outbox = Outbox::on_sqlite();
    let file = outbox.ledger.home.work().join("said");
    let script = r#"cat >"$1"; echo "$WINDLASS_HOOK_ID" >>"$1""#;
    outbox.define(command(&["sh", "-c", script, "sh", &file.display().to_string()]));
    outbox.finish(1);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1");
    let said = fs::read_to_string(file).unwrap();
    assert!(said.contains(r#""trigger":"on_done""#), "{said}");
    assert!(said.ends_with(&format!("{}\n", outbox.delivery().delivery.id)), "{said}");
}

#[test]
fn a_task_is_finished_without_waiting_for_its_hook_row_c10() {
    let receiver = Receiver::start(|_| Answer::Stall);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    assert_eq!((receiver.connections(), outbox.counts().queued), (0, 1));
}

#[test]
fn a_hook_that_fails_makes_neither_task_nor_drain_fail_row_c12() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::to(&receiver);
    let task = outbox.does("task.add", &json!({"title": "a task", "status": "ready"}));
    let task = text(&task["task_id"]);
    let _done = outbox.does("task.set-status", &json!({"task": task, "status": "done"}));
    let drained = outbox.drain_run().run();
    assert_eq!(drained.code, Some(0), "{drained}");
    assert_eq!(figures(&drained.json()), "claimed 1, attempted 1, retried 1");
    assert_eq!(outbox.ledger.status(&task), "done");
}

// How long, how often, when

#[test]
fn a_delivery_is_tried_for_a_day_row_c16() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::on_sqlite();
    outbox.define(Hook { max_attempts: 20, ..url(receiver.url("/")) });
    let begin = outbox.clock.now();
    outbox.finish(1);
    while let Some(next) = fail_once(&outbox) {
        assert!(next.millis_since(begin) < DAY);
        outbox.advance_to(next);
    }
    // 30 s, 2 m, 10 m, 1 h, then every 6 h.
    assert!((7..=9).contains(&receiver.count()), "{}", receiver.count());
    assert_eq!(outbox.delivery().delivery.state, State::Failed);
}

#[test]
fn a_delivery_that_nobody_sent_for_a_day_fails_unsent_row_c16() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    outbox.advance(DAY);
    assert_eq!(figures(&outbox.drain()), "reclaimed_failed 1");
    let delivery = outbox.delivery().delivery;
    assert_eq!((delivery.state, receiver.count()), (State::Failed, 0));
    assert_eq!(delivery.error.as_deref(), Some("it was not sent within 1d"));
}

#[test]
fn five_attempts_are_made_row_c17() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    while let Some(next) = fail_once(&outbox) {
        outbox.advance_to(next);
    }
    assert_eq!(receiver.count(), 5);
    outbox.advance(HOUR);
    assert_eq!(figures(&outbox.drain()), "");
}

#[test]
fn the_gaps_grow_by_the_schedule_and_nothing_is_sent_early_row_c18() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    for gap in GAPS {
        let at = outbox.clock.now();
        let next = fail_once(&outbox).unwrap();
        let found = next.millis_since(at);
        assert!((gap * 4 / 5..=gap * 6 / 5).contains(&found), "{found} is not near {gap}");
        outbox.advance(found - 1);
        assert_eq!(figures(&outbox.drain()), "");
        outbox.advance(1);
    }
    assert_eq!(fail_once(&outbox), None);
}

#[test]
fn what_failed_together_does_not_come_back_together_row_c18() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::to(&receiver);
    outbox.finish(20);
    assert_eq!(figures(&outbox.drain()), "claimed 20, attempted 20, retried 20");
    let mut times: Vec<i64> = outbox
        .deliveries()
        .iter()
        .map(|tracked| waiting(tracked).next_attempt_at.as_millis())
        .collect();
    times.sort_unstable();
    assert!(times[19] - times[0] > 2 * SECOND, "{times:?}");
}

#[test]
fn what_failed_keeps_its_last_error_and_can_be_tried_again_row_c19() {
    let (receiver, another) = (Receiver::answering(503), Receiver::answering(204));
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    while let Some(next) = fail_once(&outbox) {
        outbox.advance_to(next);
    }
    let tracked = outbox.delivery();
    let delivery = &tracked.delivery;
    assert_eq!((delivery.state, delivery.error.as_deref()), (State::Failed, Some("answered 503")));
    outbox.define(url(another.url("/")));
    outbox.write(|tx| tx.retry_hooks(std::slice::from_ref(&tracked), Span::from_millis(MINUTE)));
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1");
    let again = another.received();
    assert_eq!(again[0].header("webhook-id"), receiver.received()[0].header("webhook-id"));
    assert_eq!(again[0].body, receiver.received()[0].body);
}

#[test]
fn a_receiver_may_ask_for_more_time_but_not_for_less() {
    for (asked, least, most) in [("3600", HOUR, HOUR), ("1", 24 * SECOND, 36 * SECOND)] {
        let receiver = Receiver::start(move |_| Answer::with_header(503, "retry-after", asked));
        let outbox = Outbox::to(&receiver);
        outbox.finish(1);
        let at = outbox.clock.now();
        let gap = fail_once(&outbox).unwrap().millis_since(at);
        assert!((least..=most).contains(&gap), "{gap}");
    }
}

#[test]
fn a_receiver_that_is_gone_is_not_tried_again() {
    let receiver = Receiver::answering(410);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, failed 1");
    assert_eq!(outbox.delivery().delivery.error.as_deref(), Some("answered 410"));
}

// The steps of a drain

#[test]
fn only_what_is_queued_due_and_not_over_is_claimed_row_p1() {
    let receiver = Receiver::start(|request| match request.number {
        0 => Answer::status(500),
        _ => Answer::status(204),
    });
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, retried 1");
    outbox.finish(2);
    let discarded = &outbox.deliveries()[1..2];
    outbox.write(|tx| tx.discard_hooks(discarded, None, Span::from_millis(MINUTE)));
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1");
    let states: Vec<State> =
        outbox.deliveries().iter().map(|tracked| tracked.delivery.state).collect();
    assert_eq!(states, [State::Queued, State::Discarded, State::Delivered]);
}

#[test]
fn what_is_due_longest_is_sent_first_row_p1() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::to(&receiver);
    for _ in 0..3 {
        outbox.finish(1);
        outbox.advance(SECOND);
    }
    let drained = outbox.does("hook.drain", &json!({"limit": 2}));
    assert_eq!(figures(&drained), "claimed 2, attempted 2, delivered 2");
    let states: Vec<State> =
        outbox.deliveries().iter().map(|tracked| tracked.delivery.state).collect();
    assert_eq!(states, [State::Delivered, State::Delivered, State::Queued]);
}

#[test]
fn of_many_drains_one_claims_a_delivery_row_p2() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::to(&receiver);
    outbox.finish(60);
    let runs = vec![outbox.drain_run(); 6];
    let drained: Vec<Value> = runs
        .iter()
        .zip(start_together(&runs))
        .map(|(run, child)| run.finish(child).ok().json())
        .collect();
    let claimed: u64 = drained.iter().map(|drained| drained["claimed"].as_u64().unwrap()).sum();
    assert_eq!((claimed, receiver.count()), (60, 60));
    assert_eq!(outbox.counts().delivered, 60);
}

#[test]
fn a_delivery_that_is_sent_is_signed_by_its_worker_row_p2() {
    let receiver = Receiver::start(|_| Answer::Stall);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    let run = outbox.drain_run();
    let child = run.spawn();
    wait::until("it is being sent", || receiver.count() == 1);
    let sending = waiting(&outbox.delivery()).sending.clone().unwrap();
    assert_eq!(sending.since, outbox.clock.now());
    assert_eq!(outbox.counts().processing, 1);
    receiver.go_on();
    let drained = run.finish(child).ok().json();
    assert_eq!(text(&drained["worker_id"]), sending.worker);
}

#[test]
fn each_is_tried_whatever_becomes_of_the_others_row_p3() {
    let receiver = Receiver::start(|request| match request.number % 3 {
        0 => Answer::status(500),
        1 => Answer::Hangup,
        _ => Answer::status(204),
    });
    let outbox = Outbox::to(&receiver);
    outbox.finish(30);
    assert_eq!(figures(&outbox.drain()), "claimed 30, attempted 30, delivered 10, retried 20");
    assert_eq!(receiver.count(), 30);
}

#[test]
fn whatever_begins_with_two_is_delivered_and_the_time_is_known_row_p4() {
    for status in [200, 202, 204, 299] {
        let receiver = Receiver::answering(status);
        let outbox = Outbox::to(&receiver);
        outbox.finish(1);
        outbox.advance(MINUTE);
        assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1", "{status}");
        let Tracked { delivery, waiting } = outbox.delivery();
        assert_eq!((delivery.state, waiting), (State::Delivered, None));
        assert_eq!((delivery.ended_at, delivery.attempts), (Some(outbox.clock.now()), 1));
    }
}

#[test]
fn a_failure_is_counted_and_queued_with_its_error_row_p5() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, retried 1");
    let tracked = outbox.delivery();
    let waiting = waiting(&tracked);
    assert_eq!((waiting.attempts, waiting.last_error.as_deref()), (1, Some("answered 500")));
    assert!(waiting.next_attempt_at > outbox.clock.now());
    assert_eq!((tracked.delivery.state, &waiting.sending), (State::Queued, &None));
}

#[test]
fn a_delivery_fails_when_its_attempts_are_used_up_row_p6() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::on_sqlite();
    outbox.define(Hook { max_attempts: 2, ..url(receiver.url("/")) });
    outbox.finish(1);
    outbox.advance_to(fail_once(&outbox).unwrap());
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, failed 1");
    let delivery = outbox.delivery().delivery;
    assert_eq!((delivery.state, delivery.attempts), (State::Failed, 2));
}

#[test]
fn a_delivery_fails_when_its_time_is_used_up_row_p6() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    fail_once(&outbox).unwrap();
    outbox.advance(DAY);
    assert_eq!(figures(&outbox.drain()), "reclaimed_failed 1");
    let delivery = outbox.delivery().delivery;
    assert_eq!((delivery.state, delivery.error.as_deref()), (State::Failed, Some("answered 500")));
}

/// Starts a drain whose one delivery stalls.
fn stalled(outbox: &Outbox, receiver: &Receiver) -> std::process::Child {
    outbox.finish(1);
    let child = outbox.drain_run().spawn();
    wait::until("it is being sent", || receiver.count() == 1);
    child
}

#[test]
fn what_a_killed_drain_held_is_taken_back_when_its_lock_is_old_row_p7() {
    let receiver = Receiver::start(|request| match request.number {
        0 => Answer::Stall,
        _ => Answer::status(204),
    });
    let outbox = Outbox::to(&receiver);
    let mut child = stalled(&outbox, &receiver);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(figures(&outbox.drain()), "");
    outbox.advance(2 * MINUTE);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1, reclaimed 1");
    // The attempt of which nobody heard does not count.
    assert_eq!(outbox.delivery().delivery.attempts, 1);
    let requests = receiver.received();
    assert_eq!(requests[0].header("webhook-id"), requests[1].header("webhook-id"));
    assert_eq!(requests[0].body, requests[1].body);
}

#[test]
fn a_drain_that_was_frozen_does_not_settle_what_another_took_over_row_p7() {
    let receiver = Receiver::start(|request| match request.number {
        0 => Answer::Stall,
        _ => Answer::status(204),
    });
    let outbox = Outbox::to(&receiver);
    let child = stalled(&outbox, &receiver);
    outbox.advance(2 * MINUTE);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1, reclaimed 1");
    receiver.go_on();
    let late = outbox.drain_run().finish(child).ok().json();
    assert_eq!(figures(&late), "claimed 1, attempted 1, lost 1");
    assert_eq!(outbox.delivery().delivery.attempts, 1);
}

#[test]
fn what_cannot_be_begun_before_its_lock_is_old_is_given_back_untried() {
    let receiver = Receiver::start(|request| match request.number {
        0..16 => Answer::Stall,
        _ => Answer::status(204),
    });
    let outbox = Outbox::to(&receiver);
    outbox.finish(20);
    let run = outbox.drain_run();
    let child = run.spawn();
    wait::until("sixteen are being sent", || receiver.count() == 16);
    // An attempt may take 10 s, and must be over 10 s before the lock of two minutes is.
    outbox.advance(100 * SECOND + 1);
    receiver.go_on();
    let drained = run.finish(child).ok().json();
    // Four were given back, and claimed anew under a lock of their own.
    assert_eq!(figures(&drained), "claimed 24, attempted 20, delivered 20");
    assert_eq!(receiver.count(), 20);
}

// When it runs

#[test]
fn a_drain_that_runs_seldom_delivers_at_its_next_run_row_t1() {
    let receiver = Receiver::start(|request| match request.number {
        0 => Answer::status(500),
        _ => Answer::status(204),
    });
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    fail_once(&outbox).unwrap();
    outbox.advance(3 * HOUR);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1");
}

#[test]
fn a_run_takes_no_more_than_its_limit_however_much_waits_row_t2() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::to(&receiver);
    outbox.finish(520);
    outbox.advance(6 * HOUR);
    let seven = outbox.does("hook.drain", &json!({"limit": 7}));
    assert_eq!(figures(&seven), "claimed 7, attempted 7, delivered 7");
    assert_eq!(figures(&outbox.drain()), "claimed 500, attempted 500, delivered 500");
    assert_eq!(figures(&outbox.drain()), "claimed 13, attempted 13, delivered 13");
}

#[test]
fn time_that_is_left_allows_no_more_attempts_row_t3() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::on_sqlite();
    outbox.define(Hook { max_attempts: 1, ..url(receiver.url("/")) });
    outbox.finish(1);
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, failed 1");
    outbox.advance(HOUR);
    assert_eq!((figures(&outbox.drain()).as_str(), receiver.count()), ("", 1));
}

#[test]
fn the_help_recommends_a_run_every_one_to_five_minutes_row_t4() {
    let ledger = Ledger::on_sqlite();
    let help = ledger.windlass(&["hook", "drain", "--help"]).run().ok();
    assert!(help.stdout.contains("every 1-5 minutes"), "{help}");
}

// What it says

#[test]
fn a_drain_with_nothing_to_do_makes_no_ledger() {
    let ledger = Ledger::on_sqlite();
    let drained = ledger.answer(&["hook", "drain"]);
    assert_eq!(figures(&drained), "");
    assert!(!std::path::Path::new(&ledger.address).exists());
}

#[test]
fn a_limit_that_is_none_is_refused() {
    let ledger = Ledger::on_sqlite();
    for given in ["0", "-1", "10001", "all", "1.5", ""] {
        let outcome = ledger.windlass(&["hook", "drain", "--limit", given]).run();
        let _refused = error_of(&outcome, "invalid_value", 3);
    }
}

#[test]
fn a_drain_is_no_operation_for_an_op_id() {
    let ledger = Ledger::on_sqlite();
    let outcome = ledger.windlass(&["hook", "drain", "--op-id", "once"]).run();
    let _refused = error_of(&outcome, "usage", 2);
}

#[test]
fn a_hook_whose_definition_is_gone_waits_for_it_to_come_back() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    outbox.write(|tx| {
        let defined = tx.hook_named("on_done")?;
        tx.remove_hook(&defined)
    });
    assert_eq!(figures(&outbox.drain()), "");
    outbox.define(url(receiver.url("/")));
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1");
}
