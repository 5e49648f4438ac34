//! Who held a task from when to when, as its events tell it.
//!
//! A claim that is blocked and gone on with is held twice under one fence: nobody works on what is
//! blocked.

use crate::event::{Event, Won};
use crate::{Kind, Status, Time};

/// The kinds of events by which a holding begins or ends.
pub const KINDS: [Kind; 8] = [
    Kind::TaskClaimed,
    Kind::TaskReleased,
    Kind::TaskBlocked,
    Kind::TaskUnblocked,
    Kind::TaskCompleted,
    Kind::StatusSet,
    Kind::TaskArchived,
    Kind::TaskDeleted,
];

/// How a holding ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    Released,
    Blocked,
    /// Taken from its holder by `steal`.
    TakenOver,
    /// The lease had run out, and somebody else took it.
    Expired,
    /// The task was put away or deleted.
    Archived,
}

impl End {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Released => "released",
            Self::Blocked => "blocked",
            Self::TakenOver => "taken_over",
            Self::Expired => "expired",
            Self::Archived => "archived",
        }
    }

    /// The holder did not bring it to an end.
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Released | Self::Blocked | Self::TakenOver | Self::Expired => true,
            Self::Done | Self::Archived => false,
        }
    }
}

/// A time during which somebody held a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    pub agent: String,
    pub fence: u64,
    pub from: Time,
}

/// The claims of one task, while its events are read in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    holding: Option<Holding>,
    /// Whose claim is blocked, and may be gone on with.
    blocked: Option<Holding>,
}

impl Claims {
    /// Who holds it now.
    pub fn holding(&self) -> Option<&Holding> {
        self.holding.as_ref()
    }

    /// Reads the next event; returns what it ended, and how.
    pub fn read(&mut self, event: &Event, at: Time) -> Option<(Holding, End)> {
        match event {
            Event::TaskClaimed(data) => {
                let end = match data.won {
                    Won::TakenOver => End::Expired,
                    Won::Stolen => End::TakenOver,
                    // Nobody held it then.
                    Won::Claimed | Won::Overridden => End::Released,
                };
                let ended = self.end(end);
                let (agent, fence) = (data.agent.clone(), data.fence);
                self.holding = Some(Holding { agent, fence, from: at });
                ended
            }
            Event::TaskUnblocked(data) => {
                let again = self.blocked.take().filter(|_| data.to == Status::InProgress);
                self.holding = again.map(|holding| Holding { from: at, ..holding });
                None
            }
            Event::TaskReleased(_) => self.end(End::Released),
            Event::TaskBlocked(_) => self.block(),
            Event::TaskCompleted(_) => self.complete(at),
            Event::StatusSet(data) => match data.to {
                Status::Backlog | Status::Ready | Status::InProgress => self.end(End::Released),
                Status::Blocked => self.block(),
                Status::Done => self.complete(at),
                Status::Archived => self.end(End::Archived),
            },
            Event::TaskArchived(_) | Event::TaskDeleted(_) => self.end(End::Archived),
            Event::TaskCreated(_)
            | Event::TaskUpdated(_)
            | Event::ClaimRenewed(_)
            | Event::ClaimExpired(_)
            | Event::TaskReopened(_)
            | Event::TaskRestored(_)
            | Event::TaskMoved(_)
            | Event::TaskPruned(_)
            | Event::CommentAdded(_)
            | Event::CheckpointRecorded(_)
            | Event::ProgressSet(_)
            | Event::DependencyAdded(_)
            | Event::DependencyRemoved(_)
            | Event::DependencyKept(_)
            | Event::WorkflowRan(_)
            | Event::OpCompleted(_)
            | Event::ProjectCreated(_)
            | Event::ProjectRenamed(_)
            | Event::ProjectFrozen(_)
            | Event::ProjectUnfrozen(_)
            | Event::ProjectDeleted(_)
            | Event::KeyCreated(_)
            | Event::KeyRotated(_)
            | Event::KeyRevoked(_)
            | Event::Run(_)
            | Event::Chunk(_)
            | Event::Session(_)
            | Event::Definition(_)
            | Event::HookSet(_)
            | Event::HookRemoved(_)
            | Event::HookEnqueued(_)
            | Event::HookDelivered(_)
            | Event::HookFailed(_)
            | Event::HookDiscarded(_)
            | Event::HookRetried(_) => None,
        }
    }

    fn end(&mut self, end: End) -> Option<(Holding, End)> {
        self.blocked = None;
        self.holding.take().map(|holding| (holding, end))
    }

    fn block(&mut self) -> Option<(Holding, End)> {
        let holding = self.holding.take()?;
        self.blocked = Some(holding.clone());
        Some((holding, End::Blocked))
    }

    /// Whoever had blocked it held it for the moment in which it became done.
    fn complete(&mut self, at: Time) -> Option<(Holding, End)> {
        let moment = self.blocked.take().map(|holding| Holding { from: at, ..holding });
        self.holding.take().or(moment).map(|holding| (holding, End::Done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{
        Authority, CommentAdded, StatusSet, TaskArchived, TaskBlocked, TaskClaimed, TaskCompleted,
        TaskReleased, TaskUnblocked,
    };

    fn claimed(agent: &str, fence: u64, won: Won) -> Event {
        let (lease_until, lease_ms, taken_from, reason) = (None, None, None, None);
        let agent = agent.to_owned();
        TaskClaimed { agent, fence, won, lease_until, lease_ms, taken_from, reason }.into()
    }

    fn completed() -> Event {
        TaskCompleted { authority: Authority::Free, forced: None }.into()
    }

    fn released() -> Event {
        TaskReleased { authority: Authority::Free, forced: None }.into()
    }

    fn blocked() -> Event {
        let (reason, auto_unpause, forced) = (None, false, None);
        TaskBlocked { reason, auto_unpause, authority: Authority::Free, forced }.into()
    }

    fn unblocked(to: Status) -> Event {
        TaskUnblocked {
            to,
            routed_to: None,
            lease_until: None,
            lease_ms: None,
            authority: Authority::Free,
            forced: None,
        }
        .into()
    }

    fn set(to: Status) -> Event {
        StatusSet { to, authority: Authority::Free, forced: None }.into()
    }

    /// What was held, with the beginning in seconds, the end and how it ended; the last may go on.
    fn told(events: Vec<Event>) -> Vec<String> {
        let mut claims = Claims::default();
        let mut told = Vec::new();
        let mut at = 0;
        for event in events {
            at += 1;
            let ended = claims.read(&event, Time::from_millis(at));
            told.extend(ended.map(|(held, end)| {
                let Holding { agent, fence, from } = held;
                format!("{agent}/{fence} {}-{at} {}", from.as_millis(), end.as_str())
            }));
        }
        let open = claims.holding().map(|held| format!("{}/{} goes on", held.agent, held.fence));
        told.into_iter().chain(open).collect()
    }

    #[test]
    fn a_claim_is_held_until_the_task_is_done() {
        let said = CommentAdded { text: "half of it".into() }.into();
        assert_eq!(told(vec![claimed("a", 1, Won::Claimed), said, completed()]), ["a/1 1-3 done"]);
    }

    #[test]
    fn a_claim_that_is_given_back_can_be_won_by_another() {
        let events = vec![claimed("a", 1, Won::Claimed), released(), claimed("b", 2, Won::Claimed)];
        assert_eq!(told(events), ["a/1 1-2 released", "b/2 goes on"]);
    }

    #[test]
    fn what_somebody_else_takes_ends_where_it_is_taken() {
        let stolen = vec![claimed("a", 1, Won::Claimed), claimed("b", 2, Won::Stolen)];
        assert_eq!(told(stolen), ["a/1 1-2 taken_over", "b/2 goes on"]);
        let expired = vec![claimed("a", 1, Won::Claimed), claimed("b", 2, Won::TakenOver)];
        assert_eq!(told(expired), ["a/1 1-2 expired", "b/2 goes on"]);
    }

    #[test]
    fn what_is_blocked_is_held_again_under_its_fence_when_it_is_gone_on_with() {
        let events = vec![
            claimed("a", 1, Won::Claimed),
            blocked(),
            blocked(),
            unblocked(Status::InProgress),
            completed(),
        ];
        assert_eq!(told(events), ["a/1 1-2 blocked", "a/1 4-5 done"]);
    }

    #[test]
    fn what_is_blocked_may_become_done_at_once_or_go_back_to_the_queue() {
        let at_once = vec![claimed("a", 1, Won::Claimed), blocked(), completed()];
        assert_eq!(told(at_once), ["a/1 1-2 blocked", "a/1 3-3 done"]);
        let back = vec![claimed("a", 1, Won::Claimed), blocked(), unblocked(Status::Ready)];
        assert_eq!(told(back), ["a/1 1-2 blocked"]);
    }

    #[test]
    fn a_status_set_by_hand_ends_a_claim_too() {
        for (to, end) in
            [(Status::Ready, "released"), (Status::Blocked, "blocked"), (Status::Done, "done")]
        {
            let events = vec![claimed("a", 1, Won::Claimed), set(to)];
            assert_eq!(told(events), [format!("a/1 1-2 {end}")]);
        }
    }

    #[test]
    fn what_nobody_holds_ends_nothing() {
        let archived = TaskArchived { authority: Authority::Free, forced: None }.into();
        assert_eq!(told(vec![released(), completed(), archived]), Vec::<String>::new());
    }
}
