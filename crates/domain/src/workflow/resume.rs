//! `start`: with which of its tasks an agent goes on.

use std::cmp::Reverse;

use crate::claim::renew;
use crate::duration::Span;
use crate::event::Event;
use crate::ownership::{Bearer, authorise};
use crate::{Refusal, Task, Time};

/// By what a task is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The most urgent; then the one that is due first; then the one claimed first.
    Priority,
    /// The one claimed first.
    First,
    /// The one claimed last.
    Latest,
}

/// A task that an agent has in progress, as far as the choice goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InHand {
    pub created_seq: u64,
    pub priority: u8,
    pub due_at: Option<Time>,
    pub claimed_at: Option<Time>,
}

/// The tasks in the order in which the agent should go on with them.
pub fn in_order(policy: Policy, mut tasks: Vec<InHand>) -> Vec<InHand> {
    let due = |task: &InHand| task.due_at.map_or(i64::MAX, Time::as_millis);
    let claimed = |task: &InHand| (task.claimed_at.map(Time::as_millis), task.created_seq);
    match policy {
        Policy::Priority => {
            tasks.sort_by_key(|task| (Reverse(task.priority), due(task), claimed(task)));
        }
        Policy::First => tasks.sort_by_key(claimed),
        Policy::Latest => tasks.sort_by_key(|task| Reverse(claimed(task))),
    }
    tasks
}

/// Goes on with a claim: its lease, if one is wanted, counts from now, by the rule of `task renew`:
/// whoever polls need not leave an event each time. The claim stays the same.
pub fn resume(
    task: &Task,
    agent: &str,
    lease: Option<Span>,
    now: Time,
) -> Result<Option<Event>, Refusal> {
    // Whoever begins a session has no fence yet: it is told the fence here.
    let holder = Bearer { name: agent.to_owned(), named: true, ..Bearer::default() };
    match lease {
        Some(_) => renew(task, &holder, lease, now),
        None => authorise(task, &holder).map(|_| None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use crate::task::samples::{NOW, claimed_by};

    fn task(number: u64, priority: u8, due: Option<i64>, claimed: i64) -> InHand {
        InHand {
            created_seq: number,
            priority,
            due_at: due.map(Time::from_millis),
            claimed_at: Some(Time::from_millis(claimed)),
        }
    }

    fn order(policy: Policy, tasks: &[InHand]) -> Vec<u64> {
        in_order(policy, tasks.to_vec()).iter().map(|task| task.created_seq).collect()
    }

    #[test]
    fn the_table_of_policies() {
        let tasks = [
            task(1, 0, Some(5), 40),
            task(2, 3, None, 30),
            task(3, 3, Some(9), 20),
            task(4, 3, Some(9), 10),
            task(5, 0, None, 50),
        ];
        assert_eq!(order(Policy::Priority, &tasks), [4, 3, 2, 1, 5]);
        assert_eq!(order(Policy::First, &tasks), [4, 3, 2, 1, 5]);
        assert_eq!(order(Policy::Latest, &tasks), [5, 1, 2, 3, 4]);
    }

    #[test]
    fn tasks_claimed_at_the_same_moment_keep_the_order_of_creation() {
        let tasks = [task(2, 0, None, 10), task(1, 0, None, 10)];
        assert_eq!(order(Policy::Priority, &tasks), [1, 2]);
        assert_eq!(order(Policy::First, &tasks), [1, 2]);
        assert_eq!(order(Policy::Latest, &tasks), [2, 1]);
    }

    #[test]
    fn a_refreshed_lease_counts_from_now_and_the_claim_stays_the_same() {
        let mut task = claimed_by("w1");
        let later = Time::from_millis(NOW.as_millis() + 5_000);
        let lease = Some(Span::from_millis(60_000));
        let renewed = resume(&task, "w1", lease, later).unwrap().unwrap();
        task.fold(&renewed, later).unwrap();
        assert_eq!(task.lease_until, Some(Time::from_millis(later.as_millis() + 60_000)));
        assert_eq!((task.claimed_at, task.fence), (Some(NOW), 1));
    }

    #[test]
    fn a_lease_that_has_hardly_begun_is_not_refreshed() {
        let mut task = claimed_by("w1");
        let lease = Some(Span::from_millis(60_000));
        let renewed = resume(&task, "w1", lease, NOW).unwrap().unwrap();
        task.fold(&renewed, NOW).unwrap();
        let after = |millis| Time::from_millis(NOW.as_millis() + millis);
        assert_eq!(resume(&task, "w1", lease, after(19_000)).unwrap(), None);
        assert!(resume(&task, "w1", lease, after(21_000)).unwrap().is_some());
    }

    #[test]
    fn without_a_lease_nothing_is_refreshed() {
        assert_eq!(resume(&claimed_by("w1"), "w1", None, NOW).unwrap(), None);
    }

    #[test]
    fn nobody_goes_on_with_the_task_of_another() {
        let refusal = resume(&claimed_by("w1"), "w2", None, NOW).unwrap_err();
        assert_eq!(refusal.code, Code::StaleClaim);
    }
}
