//! One delivery: what was enqueued, and what became of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{TTL, Trigger};
use crate::event::{Event, HookDiscarded, HookEnqueued, HookRetried};
use crate::task::Broken;
use crate::{Code, DeliveryId, Refusal, RunKey, TaskId, Time};

/// How far a delivery has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits to be sent, or is being sent.
    Queued,
    Delivered,
    /// It is not tried any more.
    Failed,
    /// Somebody decided that it is not sent.
    Discarded,
}

impl State {
    pub const ALL: [Self; 4] = [Self::Queued, Self::Delivered, Self::Failed, Self::Discarded];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Discarded => "discarded",
        }
    }

    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A hook on its way. Its payload is in the event that enqueued it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The same on every attempt, so that a receiver knows it again.
    pub id: DeliveryId,
    /// The event that enqueued it: its place in the order of deliveries.
    pub enqueued_seq: u64,
    /// How many events its stream has.
    pub version: u64,
    pub hook: String,
    pub trigger: Trigger,
    pub task: Option<TaskId>,
    /// The run that it tells of.
    pub run: Option<RunKey>,
    pub state: State,
    /// How often it was tried, once it is over.
    pub attempts: u32,
    pub max_attempts: u32,
    /// Why it failed, or why it was discarded.
    pub error: Option<String>,
    pub enqueued_at: Time,
    /// Since when it waits: enqueued, or put back by hand.
    pub queued_at: Time,
    pub ended_at: Option<Time>,
}

impl Delivery {
    pub fn enqueued(id: DeliveryId, data: &HookEnqueued, seq: u64, at: Time) -> Self {
        Self {
            id,
            enqueued_seq: seq,
            version: 1,
            hook: data.hook.clone(),
            trigger: data.trigger,
            task: data.task,
            run: data.run,
            state: State::Queued,
            attempts: 0,
            max_attempts: data.max_attempts,
            error: None,
            enqueued_at: at,
            queued_at: at,
            ended_at: None,
        }
    }

    /// When it is not tried any more.
    pub fn expires_at(&self) -> Time {
        self.queued_at.plus(TTL)
    }

    /// Applies the next event of its stream.
    pub fn fold(&mut self, event: &Event, at: Time) -> Result<(), Broken> {
        let (state, attempts, error) = match (self.state, event) {
            (State::Queued, Event::HookDelivered(data)) => (State::Delivered, data.attempts, None),
            (State::Queued, Event::HookFailed(data)) => {
                (State::Failed, data.attempts, Some(data.error.clone()))
            }
            (State::Queued | State::Failed, Event::HookDiscarded(data)) => {
                (State::Discarded, self.attempts, data.reason.clone().or(self.error.take()))
            }
            (State::Failed | State::Discarded, Event::HookRetried(_)) => (State::Queued, 0, None),
            (state, event) => {
                return Err(Broken(format!(
                    "'{}' cannot happen to delivery {}, which is {state}",
                    event.kind().as_str(),
                    self.id
                )));
            }
        };
        (self.state, self.attempts, self.error) = (state, attempts, error);
        match state {
            State::Queued => {
                self.queued_at = at;
                self.ended_at = None;
            }
            State::Delivered | State::Failed | State::Discarded => self.ended_at = Some(at),
        }
        self.version += 1;
        Ok(())
    }

    /// Puts it back into the outbox, as if it were new.
    pub fn retry(&self) -> Result<Event, Refusal> {
        match self.state {
            State::Failed | State::Discarded => Ok(HookRetried {}.into()),
            State::Queued | State::Delivered => Err(self.refuse("retry", "failed or discarded")),
        }
    }

    /// Takes it out of the outbox for good.
    pub fn discard(&self, reason: Option<String>) -> Result<Event, Refusal> {
        match self.state {
            State::Queued | State::Failed => Ok(HookDiscarded { reason }.into()),
            State::Delivered | State::Discarded => Err(self.refuse("discard", "queued or failed")),
        }
    }

    fn refuse(&self, command: &str, needed: &str) -> Refusal {
        let (id, state) = (self.id, self.state);
        Refusal::new(
            Code::InvalidTransition,
            format!("cannot {command} delivery {id}: it is {state}, not {needed}"),
        )
        .hint(format!("look at it: windlass hook show {id}"))
        .detail("delivery_id", id)
        .detail("command", command)
        .detail("state", state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{HookDelivered, HookFailed};

    const AT: Time = Time::from_millis(1_794_735_000_000);

    fn delivery(state: State) -> Delivery {
        let data = HookEnqueued {
            hook: "on_done".into(),
            trigger: Trigger::OnDone,
            task: Some(TaskId::from_bytes([1; 16])),
            run: None,
            payload: serde_json::Value::Null,
            max_attempts: 5,
        };
        let mut delivery = Delivery::enqueued(DeliveryId::from_bytes([2; 16]), &data, 9, AT);
        let event: Option<Event> = match state {
            State::Queued => None,
            State::Delivered => Some(HookDelivered { attempts: 1 }.into()),
            State::Failed => Some(HookFailed { attempts: 5, error: "no answer".into() }.into()),
            State::Discarded => Some(HookDiscarded { reason: None }.into()),
        };
        if let Some(event) = event {
            delivery.fold(&event, AT).unwrap();
        }
        assert_eq!(delivery.state, state);
        delivery
    }

    fn accepted(decide: impl Fn(&Delivery) -> Result<Event, Refusal>) -> Vec<State> {
        let decided = |state: &State| {
            let mut delivery = delivery(*state);
            match decide(&delivery) {
                Ok(event) => delivery.fold(&event, AT).is_ok(),
                Err(refusal) => {
                    assert_eq!(refusal.code, Code::InvalidTransition);
                    false
                }
            }
        };
        State::ALL.into_iter().filter(decided).collect()
    }

    #[test]
    fn only_what_is_over_and_did_not_arrive_is_tried_again() {
        assert_eq!(accepted(Delivery::retry), [State::Failed, State::Discarded]);
    }

    #[test]
    fn only_what_could_still_arrive_is_discarded() {
        assert_eq!(accepted(|delivery| delivery.discard(None)), [State::Queued, State::Failed]);
    }

    #[test]
    fn a_delivery_that_is_tried_again_begins_anew() {
        let mut delivery = delivery(State::Failed);
        let later = AT.plus(TTL);
        delivery.fold(&HookRetried {}.into(), later).unwrap();
        assert_eq!((delivery.attempts, delivery.error.as_deref()), (0, None));
        assert_eq!(delivery.expires_at(), later.plus(TTL));
        assert_eq!((delivery.enqueued_at, delivery.ended_at), (AT, None));
    }

    #[test]
    fn what_is_over_cannot_end_again() {
        for state in [State::Delivered, State::Failed, State::Discarded] {
            let ended = delivery(state).fold(&HookDelivered { attempts: 1 }.into(), AT);
            assert!(ended.is_err(), "{state}");
        }
    }
}
