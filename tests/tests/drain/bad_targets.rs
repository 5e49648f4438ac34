//! Targets that are not there, do not answer, or answer nonsense; and secrets that are shown nowhere.

use std::fs;

use serde_json::json;
use windlass_domain::hook::{Hook, Secret};
use windlass_testkit::receiver::{Answer, Receiver};
use windlass_testkit::{Outcome, Run};

use crate::outbox::{Outbox, command, figures, url, with_header};

const CANARY: &str = "canary-7d1f-secret";

/// Sends one delivery by that hook, which must fail; returns why.
#[track_caller]
fn reason(hook: Hook) -> String {
    reason_in(&Outbox::on_sqlite(), hook, |run| run)
}

#[track_caller]
fn reason_in(outbox: &Outbox, hook: Hook, with: impl Fn(Run) -> Run) -> String {
    outbox.define(hook);
    outbox.finish(1);
    let drained = with(outbox.drain_run()).run().ok().json();
    assert_eq!((&drained["attempted"], &drained["retried"]), (&json!(1), &json!(1)), "{drained}");
    outbox.delivery().waiting.unwrap().last_error.unwrap()
}

/// With a limit that a test can wait for.
fn brief(hook: Hook) -> Hook {
    Hook { timeout_ms: 300, ..hook }
}

#[test]
fn a_target_that_is_not_there_is_tried_again_later() {
    let receiver = Receiver::answering(204);
    receiver.disappear();
    assert_eq!(reason(url(receiver.url("/"))), "cannot connect: connection refused");
}

#[test]
fn a_target_that_cannot_be_found_is_tried_again_later() {
    let said = reason(url("http://no-such-host.invalid/"));
    assert!(said.starts_with("cannot connect: "), "{said}");
}

#[test]
fn a_target_that_does_not_answer_is_given_up() {
    let receiver = Receiver::start(|_| Answer::Stall);
    assert_eq!(reason(brief(url(receiver.url("/")))), "timed out after 300ms");
}

#[test]
fn a_target_that_sends_us_elsewhere_is_not_followed() {
    let elsewhere = Receiver::answering(204);
    let address = elsewhere.url("/");
    let receiver = Receiver::start(move |_| Answer::with_header(307, "location", address.as_str()));
    let said = reason(url(receiver.url("/")));
    assert!(said.contains("redirect"), "{said}");
    assert_eq!(elsewhere.count(), 0);
}

#[test]
fn an_answer_without_end_does_not_hold_up_a_drain() {
    let receiver = Receiver::start(|_| Answer::Endless);
    let outbox = Outbox::to(&receiver);
    outbox.finish(1);
    // Its head says that it arrived; the rest is nobody's business.
    assert_eq!(figures(&outbox.drain()), "claimed 1, attempted 1, delivered 1");
}

#[test]
fn an_answer_that_is_no_http_is_no_answer() {
    for answer in [Answer::Garbage, Answer::Hangup] {
        let receiver = Receiver::start(move |_| answer.clone());
        let said = reason(url(receiver.url("/")));
        assert!(said.starts_with("no usable answer"), "{said}");
    }
}

#[test]
fn a_command_that_is_missing_is_named() {
    assert_eq!(reason(command(&["no-such-program"])), "cannot run no-such-program: not found");
}

#[test]
fn a_command_that_hangs_is_ended() {
    assert_eq!(reason(brief(command(&["sleep", "600"]))), "timed out after 300ms");
}

#[test]
fn a_command_that_ignores_being_ended_is_killed() {
    let deaf = "trap '' TERM; while :; do sleep 1; done";
    assert_eq!(reason(brief(command(&["sh", "-c", deaf]))), "timed out after 300ms");
}

#[test]
fn a_command_that_floods_its_output_fills_nothing() {
    let flood = "head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2";
    let outbox = Outbox::on_sqlite();
    outbox.define(command(&["sh", "-c", flood]));
    outbox.finish(1);
    let drained = outbox.drain_run().run().ok();
    assert_eq!(figures(&drained.json()), "claimed 1, attempted 1, delivered 1");
    assert!(drained.stdout.len() < 1_000 && drained.stderr.is_empty(), "{drained}");
}

#[test]
fn a_command_that_fails_says_how() {
    assert_eq!(reason(command(&["sh", "-c", "exit 7"])), "ended with code 7");
}

#[test]
fn one_target_that_hangs_holds_up_no_other() {
    let receiver = Receiver::start(|request| match request.number {
        0..8 => Answer::Stall,
        _ => Answer::status(204),
    });
    let outbox = Outbox::on_sqlite();
    outbox.define(brief(url(receiver.url("/"))));
    outbox.finish(100);
    assert_eq!(figures(&outbox.drain()), "claimed 100, attempted 100, delivered 92, retried 8");
}

// Secrets

#[test]
fn a_header_that_names_an_unset_variable_fails_before_anything_is_sent() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::on_sqlite();
    let hook = with_header(receiver.url("/"), "authorization", "Bearer $HOOK_TOKEN");
    let said = reason_in(&outbox, hook, |run| run);
    assert_eq!(said, "header authorization: variable HOOK_TOKEN is not set");
    assert_eq!(receiver.connections(), 0);
    outbox.advance(60_000);
    assert_eq!(outbox.drain()["preflight_failed"], 1);
}

/// Everything that a drain leaves: what it said, and the files of the ledger.
#[track_caller]
fn assert_kept_nowhere(outbox: &Outbox, outcome: &Outcome) {
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(!said.contains(CANARY), "{outcome}");
    let folder = std::path::Path::new(&outbox.ledger.address).parent().unwrap();
    let mut searched = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let found = bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes());
        assert!(!found, "the secret is in {}", path.display());
        searched += bytes.len();
    }
    assert!(searched > 10_000);
}

#[test]
fn a_secret_of_the_environment_is_sent_and_kept_nowhere() {
    let receiver = Receiver::answering(500);
    let outbox = Outbox::on_sqlite();
    let hook = with_header(receiver.url("/"), "authorization", "Bearer $HOOK_TOKEN");
    outbox.define(Hook { secret: Some(Secret::new("$HOOK_SECRET")), ..hook });
    outbox.finish(2);
    let secret = "whsec_Y2FuYXJ5LTdkMWYtc2VjcmV0";
    let run = outbox.drain_run().env("HOOK_TOKEN", CANARY).env("HOOK_SECRET", secret);
    let outcome = run.run().ok();
    assert_eq!(figures(&outcome.json()), "claimed 2, attempted 2, retried 2");
    let requests = receiver.received();
    let expected = format!("Bearer {CANARY}");
    assert_eq!(requests[0].header("authorization"), Some(expected.as_str()));
    assert!(requests[0].header("webhook-signature").is_some_and(|text| text.starts_with("v1,")));
    assert_kept_nowhere(&outbox, &outcome);
}

#[test]
fn a_secret_that_breaks_its_header_is_not_shown_in_the_reason() {
    let receiver = Receiver::answering(204);
    let outbox = Outbox::on_sqlite();
    outbox.define(with_header(receiver.url("/"), "authorization", "Bearer $HOOK_TOKEN"));
    outbox.finish(1);
    let outcome = outbox.drain_run().env("HOOK_TOKEN", format!("{CANARY}\n")).run().ok();
    assert_eq!(figures(&outcome.json()), "claimed 1, attempted 1, retried 1, preflight_failed 1");
    let said = outbox.delivery().waiting.unwrap().last_error.unwrap();
    assert!(said.starts_with("header authorization: its value"), "{said}");
    assert_kept_nowhere(&outbox, &outcome);
}
