//! The block of a task, and whether it is that of its run.

use super::scene::{LOW, THREE, attested};
use crate::event::{Authority, StatusSet, TaskBlocked, TaskUnblocked};
use crate::run::tie::{is_own_block, reason_of_block};
use crate::{Event, Status};

fn blocked(reason: &str) -> Event {
    let (reason, authority) = (Some(reason.to_owned()), Authority::Free);
    TaskBlocked { reason, auto_unpause: false, authority, forced: None }.into()
}

fn unblocked() -> Event {
    TaskUnblocked {
        to: Status::InProgress,
        routed_to: None,
        lease_until: None,
        lease_ms: None,
        authority: Authority::Free,
        forced: None,
    }
    .into()
}

#[test]
fn a_block_is_the_runs_own_when_nobody_else_has_one_too() {
    let run = attested(LOW, THREE).run;
    let (own, other) = (blocked(&reason_of_block(&run)), blocked("the key is missing"));
    let (to, authority) = (Status::Blocked, Authority::Free);
    let set: Event = StatusSet { to, authority, forced: None }.into();
    for (events, expected) in [
        (vec![own.clone()], true),
        (vec![own.clone(), own.clone()], true),
        (vec![other.clone(), unblocked(), own.clone()], true),
        (vec![other.clone()], false),
        (vec![other.clone(), own.clone()], false),
        (vec![own.clone(), other.clone()], false),
        (vec![own.clone(), unblocked(), other.clone()], false),
        (vec![set.clone()], false),
        (vec![], false),
    ] {
        assert_eq!(is_own_block(&run, &events), expected, "{events:?}");
    }
}
