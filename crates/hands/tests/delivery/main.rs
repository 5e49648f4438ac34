//! Delivering hooks to real sockets and real programs.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what goes wrong here is a failed test")]

mod command;
mod courier;
mod url;

use std::num::NonZeroUsize;

use windlass_hands::delivery::{Address, Courier, Message, Outcome, Target, Variables};
use windlass_testkit::wait;

/// Stands for itself in every test that looks for a secret where none may be.
const CANARY: &str = "canary-5c1e";

fn variables() -> Variables {
    let broken = format!("{CANARY}\n");
    [("TOKEN", CANARY), ("BROKEN", &broken), ("PATH", "/usr/bin:/bin"), ("HOME", "/tmp")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

fn to(address: Address) -> Target {
    Target { address, secret: None, limit: wait::LIMIT }
}

/// Hands over what is sent whenever there is room.
fn hand_over(courier: &mut Courier, key: usize, target: &Target, message: Message) {
    let ready = courier.prepare(target, &variables()).unwrap();
    courier.hand_over(key, &ready, message, Box::new(|| true));
}

fn message() -> Message {
    let (id, body) = ("msg_1".to_owned(), r#"{"task":"ä"}"#.to_owned());
    Message { id, timestamp: 1_700_000_000, body }
}

fn courier(concurrency: usize) -> Courier {
    Courier::new(NonZeroUsize::new(concurrency).unwrap()).unwrap()
}

/// What comes of one attempt.
fn deliver(target: &Target) -> Outcome {
    deliver_message(target, message())
}

fn deliver_message(target: &Target, message: Message) -> Outcome {
    let mut courier = courier(1);
    let ready = match courier.prepare(target, &variables()) {
        Ok(ready) => ready,
        Err(outcome) => return outcome,
    };
    courier.hand_over(0, &ready, message, Box::new(|| true));
    let mut outcomes = courier.outcomes();
    assert_eq!((outcomes.len(), courier.under_way()), (1, 0));
    outcomes.remove(0).1
}

/// Why it failed, in a way that can be tried again soon.
fn reason(target: &Target) -> String {
    match deliver(target) {
        Outcome::Failed { reason, retry_after: None, for_good: false }
        | Outcome::Unsendable { reason } => reason,
        other => panic!("{other:?}"),
    }
}

fn url(url: impl Into<String>) -> Target {
    to(Address::Url { url: url.into(), headers: Vec::new() })
}

fn with_header(url: impl Into<String>, name: &str, value: &str) -> Target {
    let headers = vec![(name.to_owned(), value.to_owned())];
    to(Address::Url { url: url.into(), headers })
}

fn command(argv: &[&str]) -> Target {
    to(Address::Command { argv: argv.iter().map(|&word| word.to_owned()).collect() })
}
